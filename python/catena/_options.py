"""What Robot.simulate() takes, in the forms that C++ knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Mapping, Tuple

from . import _core
from ._errors import InputError

if TYPE_CHECKING:
    from .robot import Robot
    from .table import Table


def _assign(names: List[str], values: Mapping[str, float], target: Any, what: str, robot: Robot) -> None:
    for name, value in values.items():
        if name not in names:
            raise InputError(f"'{name}' is not a {what} of '{robot.name}'; there are {', '.join(names)}")
        target[names.index(name)] = value


def initial_state(robot: Robot, q: Any, v: Any) -> Tuple[Any, Any]:
    """Full vectors; with loops, those that are named decide the others."""
    import numpy as np

    if robot.closed:
        return _closed_state(robot, q, v)
    if q is None or isinstance(q, Mapping):
        named, q = q, robot.neutral()
        _assign(robot.position_names, named or {}, q, "position", robot)
    if v is None or isinstance(v, Mapping):
        named, v = v, np.zeros(robot.nv)
        _assign(robot.velocity_names, named or {}, v, "velocity", robot)
    return q, v


def _closed_state(robot: Robot, q: Any, v: Any) -> Tuple[Any, Any]:
    import numpy as np

    if q is None or isinstance(q, Mapping):
        q = robot.assemble(q)
    left = robot.closure(q)
    if left.size and np.abs(left).max() > 1e-6:
        raise InputError(f"the loops are open by {np.abs(left).max():.3g} (m or sine) at q; close them with assemble()")
    if v is None:
        v = np.zeros(robot.nv)
    elif isinstance(v, Mapping):
        v = robot.complete(q, v)
    rate = robot.closure_jacobian(q) @ np.asarray(v, dtype=float)
    if rate.size and np.abs(rate).max() > 1e-6 * (1 + np.abs(v).max()):
        raise InputError(f"v contradicts the loops by {np.abs(rate).max():.3g}; complete it with complete()")
    return q, v


def gain_of(robot: Robot, gain: Any, otherwise: float, name: str) -> Any:
    """(nv,) from a number, an array or None."""
    import numpy as np

    gain = np.asarray(otherwise if gain is None else gain, dtype=float)
    if gain.ndim == 0:
        gain = np.full(robot.nv, float(gain))
    if gain.size and gain.min() < 0:
        raise InputError(f"{name}: a gain below zero drives the joint away")
    return gain


def column_of(robot: Robot, table: Table, prefix: str, interpolation: str) -> Tuple[Any, Any, str]:
    """(times, (N, nv), interpolation) of the columns prefix.JOINT; joints that are not there have zero."""
    import numpy as np

    if table.time is None:
        raise InputError(f"column 'time' is missing in the table of {prefix}")
    values = np.zeros((len(table), robot.nv))
    for name in table:
        if name == "time" or not name.startswith(prefix + "."):
            continue
        joint = name[len(prefix) + 1 :]
        if joint not in robot.velocity_names:
            raise InputError(f"column '{name}' is not a joint of '{robot.name}'")
        values[:, robot.velocity_names.index(joint)] = table[name]
    return table.time, values, interpolation


def events_of(robot: Robot, events: Any, stops: bool) -> List[Tuple[Any, ...]]:
    """A list of (name, function, stops) or (name, "q" or "qd", index, level, stops)."""
    if isinstance(events, str) or callable(events):
        events = [events]
    if isinstance(events, Mapping):
        return [(str(name), _function(f), stops) for name, f in events.items()]
    found: List[Tuple[Any, ...]] = []
    for event in events:
        if isinstance(event, Mapping):
            found += events_of(robot, event, stops)
        elif isinstance(event, str):
            found.append((event, *_level(robot, event), stops))
        else:
            found.append((getattr(event, "__name__", "event"), _function(event), stops))
    return found


def _function(f: Any) -> Callable[..., float]:
    if not callable(f):
        raise InputError(f"an event is a text like 'q.joint1=0.5' or a function f(t, q, v), not a {type(f).__name__}")
    return f


def _level(robot: Robot, text: str) -> Tuple[str, int, float]:
    column, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise InputError(f"event '{text}' is not of the form q.JOINT=value")
    positions, velocities = _core.dimensions(robot)
    try:
        return _coordinate(robot, column, value, positions, velocities)
    except InputError as error:
        raise InputError(f"event '{text}': {error}") from None


def _coordinate(
    robot: Robot, column: str, value: str, positions: List[str], velocities: List[str]
) -> Tuple[str, int, float]:
    kind, _, joint = column.partition(".")
    if kind == "q" and joint in robot.position_names:
        index = robot.position_names.index(joint)
        return "q", index, _core.quantity(value, positions[index])
    if kind == "qd" and joint in robot.velocity_names:
        index = robot.velocity_names.index(joint)
        return "qd", index, _core.quantity(value, velocities[index] + "/s")
    raise InputError(f"'{column}' is no position or velocity of '{robot.name}'")
