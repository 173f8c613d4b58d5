"""Results as named columns: what the command line writes as CSV."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _core
from ._errors import InputError, SizeError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# What a prefix means, for plots.
_TITLES = {
    "q": "position (rad, m)",
    "qd": "velocity (rad/s, m/s)",
    "qdd": "acceleration (rad/s², m/s²)",
    "tau": "joint force (N m, N)",
    "energy": "energy (J)",
    "n": "moment (N m)",
    "f": "force (N)",
}


class Table:
    """Numbers in named columns: time, q.JOINT, qd.JOINT, qdd.JOINT, tau.JOINT, ... as in the CSV files of `catena`.

    columns: their names. values: (rows, columns) float64.

        table["tau.joint1"]     one column, (rows,)
        table.q, table.v, table.a, table.tau, table.time    all columns of a kind, (rows, n)
    """

    def __init__(self, columns: Sequence[str], values: ArrayLike) -> None:
        import numpy as np

        self.columns: Tuple[str, ...] = tuple(columns)
        self.values: NDArray = np.asarray(values, dtype=float)
        if len(set(self.columns)) != len(self.columns):
            raise InputError("a column's name stands twice")
        if self.values.ndim != 2 or self.values.shape[1] != len(self.columns):
            raise SizeError(f"values have shape {self.values.shape}, but there are {len(self.columns)} columns")

    # Reading and writing.

    @classmethod
    def load(cls, path: Union[str, os.PathLike]) -> Table:
        """A table from a file that save() or the command line wrote: .npz, .npy, else CSV."""
        path = os.fspath(path)
        if not path.endswith((".npz", ".npy")):
            return Table(*_core.read_table(path))
        import numpy as np

        try:
            data = np.load(path, allow_pickle=False)
            if path.endswith(".npz"):
                return Table([str(name) for name in data["columns"]], data["values"])
            if data.dtype.names is None:
                raise ValueError("it has no named columns")
            values = np.column_stack([data[name] for name in data.dtype.names])
            return Table(data.dtype.names, values)
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise InputError(f"{path}: no table in numpy's format: {error}") from None

    @classmethod
    def from_csv(cls, text: str, name: str = "text") -> Table:
        """A table from CSV text; name stands for the file in messages."""
        return Table(*_core.parse_table(text, name))

    def to_csv(self) -> str:
        """CSV text that reads back bit for bit."""
        return _core.to_csv(list(self.columns), self.values)

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes CSV, or numpy's format for .npz (arrays `columns` and `values`) and .npy (a structured array)."""
        path = os.fspath(path)
        if not path.endswith((".npz", ".npy")):
            _core.write_file(path, self.to_csv())
            return
        import numpy as np

        if path.endswith(".npz"):
            np.savez_compressed(path, columns=np.array(self.columns), values=self.values)
        else:
            np.save(path, self.to_numpy())

    def to_numpy(self) -> NDArray:
        """A structured array with one field per column."""
        import numpy as np

        result = np.empty(len(self), dtype=[(name, float) for name in self.columns])
        for i, name in enumerate(self.columns):
            result[name] = self.values[:, i]
        return result

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, with the time as its index if there is one. Needs pandas."""
        import pandas

        frame = pandas.DataFrame({name: self.values[:, i] for i, name in enumerate(self.columns)})
        return frame.set_index("time") if "time" in self.columns else frame

    # Looking into it.

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> NDArray:
        try:
            return self.values[:, self.columns.index(name)]
        except ValueError:
            raise KeyError(f"there is no column '{name}'; there are {', '.join(self.columns)}") from None

    def part(self, prefix: str) -> Optional[NDArray]:
        """All columns that begin with `prefix.`, (rows, n); None if there are none."""
        found = [i for i, name in enumerate(self.columns) if name.startswith(prefix + ".")]
        return self.values[:, found] if found else None

    @property
    def time(self) -> Optional[NDArray]:
        """The column `time`, (rows,) seconds, or None."""
        return self["time"] if "time" in self.columns else None

    @property
    def q(self) -> Optional[NDArray]:
        """Positions, (rows, nq) rad and m, or None."""
        return self.part("q")

    @property
    def v(self) -> Optional[NDArray]:
        """Velocities, (rows, nv) rad/s and m/s, or None."""
        return self.part("qd")

    @property
    def a(self) -> Optional[NDArray]:
        """Accelerations, (rows, nv) rad/s^2 and m/s^2, or None."""
        return self.part("qdd")

    @property
    def tau(self) -> Optional[NDArray]:
        """Joint forces, (rows, nv) N m and N, or None."""
        return self.part("tau")

    def __repr__(self) -> str:
        shown = ", ".join(self.columns[:6]) + (", ..." if len(self.columns) > 6 else "")
        return f"<catena.{type(self).__name__}: {len(self)} rows of {shown}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows: List[int] = list(range(len(self)))
        if len(rows) > 10:
            rows = rows[:5] + [-1] + rows[-5:]
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + ("".join(f"<td>{x:.6g}</td>" for x in self.values[i]) if i >= 0 else "<td>…</td>") + "</tr>"
            for i in rows
        )
        return f"<div><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{len(self)} rows</div>"

    def plot(self, *prefixes: str, **options: Any) -> Any:
        """Draws the columns over time, one panel per kind ("q", "qd", "tau", ...; all if none is named).

        options go to matplotlib.pyplot.subplots. Returns the figure. Needs matplotlib.
        """
        import matplotlib.pyplot as plt

        groups: Dict[str, List[str]] = {}
        for name in self.columns:
            if name != "time":
                groups.setdefault(name.split(".")[0], []).append(name)
        chosen = {key: groups.get(key) for key in prefixes} if prefixes else groups
        for key, names in chosen.items():
            if not names:
                raise InputError(f"there are no columns '{key}.*'; there are {', '.join(groups)}")
        time = self.time
        x = time if time is not None else range(len(self))
        options.setdefault("figsize", (8, 2.4 * max(1, len(chosen))))
        figure, panels = plt.subplots(max(1, len(chosen)), 1, sharex=True, squeeze=False, **options)
        for panel, (key, names) in zip(panels[:, 0], chosen.items()):
            for name in names:
                panel.plot(x, self[name], label=name.split(".", 1)[-1], linewidth=1.2)
            panel.set_ylabel(_TITLES.get(key, key))
            panel.grid(alpha=0.3)
            if len(names) <= 12:
                panel.legend(fontsize="small", ncols=2 if len(names) > 6 else 1)
        panels[-1, 0].set_xlabel("time (s)" if time is not None else "row")
        figure.tight_layout()
        return figure


class Event(NamedTuple):
    """A zero of an event function that a simulation has found.

    rising: the value goes from below to above zero. q: (nq,), v: (nv,) there.
    """

    name: str
    time: float
    rising: bool
    q: Any
    v: Any


class Simulation(Table):
    """What a simulation has computed: a Table with columns time, q.*, qd.* and those that were asked for.

    status: "finished", "stopped" (by an event), "failed" or "interrupted". message: why it ended early.
    events: list of Event. statistics: steps, rejected, evaluations, switches, first_energy, energy_drift (J),
    residual (of loops), seconds (of computing), time (of the last row). state: of a run that ended early, what
    Robot.simulate(resume=...) needs to go on, else None; it can be pickled.
    """

    def __init__(
        self,
        columns: Sequence[str],
        values: ArrayLike,
        status: str = "finished",
        message: str = "",
        events: Sequence[Event] = (),
        statistics: Optional[Dict[str, float]] = None,
        state: Optional[Dict[str, Any]] = None,
    ) -> None:
        super().__init__(columns, values)
        self.status = status
        self.message = message
        self.events = list(events)
        self.statistics = dict(statistics or {})
        self.state = state

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}; {self.status}>"
