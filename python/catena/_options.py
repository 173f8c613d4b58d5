"""What Robot.simulate() takes, in the forms that C++ knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

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


def initial_state(robot: Robot, q: Any, v: Any, driven: Sequence[str], reference: Any) -> Tuple[Any, Any]:
    """Full vectors; with loops, those that are named or driven decide the others."""
    import numpy as np

    if robot.closed:
        return _closed_state(robot, q, v, driven, reference)
    if q is None or isinstance(q, Mapping):
        named, q = q, robot.neutral()
        _assign(robot.position_names, named or {}, q, "position", robot)
    if v is None or isinstance(v, Mapping):
        named, v = v, np.zeros(robot.nv)
        _assign(robot.velocity_names, named or {}, v, "velocity", robot)
    return q, v


def first_state(robot: Robot, q: Any, v: Any, driven: Sequence[str], reference: Any, resume: Any) -> Tuple[Any, Any]:
    """The same, or that of the run that goes on where none is given."""
    if resume is None or resume.state is None or q is not None or v is not None:
        return initial_state(robot, q, v, driven, reference)
    return resume.state["options"]["q"], resume.state["options"]["v"]


def compared(options: Mapping[str, Any]) -> Dict[str, Any]:
    """The options of a run that must be the same when it goes on."""
    import numpy as np

    free = ("duration", "tau", "motion", "events", "resume")  # functions and tables are not looked into
    kept = {name: value for name, value in options.items() if name not in free and not callable(value)}
    for name in ("q", "v", "kp", "kd"):
        kept[name] = np.ravel(np.asarray(kept[name], dtype=float)).tolist()
    return kept


def resumed_state(resume: Any, options: Mapping[str, Any]) -> Optional[Dict[str, Any]]:
    """What the run needs to go on, with its rows; None if it begins."""
    if resume is None:
        return None
    if resume.state is None:
        raise InputError("resume: this run is finished, was stopped by an event, or has an integrator that cannot go on")
    state = dict(resume.state)
    for name, value in compared(options).items():
        if state["options"].get(name) != value:
            raise InputError(f"resume: the run that was interrupted had another '{name}'; give the same arguments as then")
    if options["duration"] <= state["time"]:
        raise InputError(f"duration is {options['duration']:.12g}, but the run is at {state['time']:.12g} s already")
    state["values"] = resume.values[: state["rows"]]
    return state


def _closed_state(robot: Robot, q: Any, v: Any, driven: Sequence[str], reference: Any) -> Tuple[Any, Any]:
    import numpy as np

    if driven:
        at = [robot.velocity_names.index(name) for name in driven]
        if q is None or isinstance(q, Mapping):
            positions = {name: float(reference[1][0][robot.joints[name].q]) for name in driven}
            q = {**(q or {}), **positions}
        if (v is None or isinstance(v, Mapping)) and reference[2] is not None:
            v = {**(v or {}), **{name: float(reference[2][0][i]) for name, i in zip(driven, at)}}
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


def motion_of(robot: Robot, motion: Table, controlled: bool) -> Tuple[Any, Any, Any, Any]:
    """(times, q, v or None, a or None) of all joints; with loops, of those that follow from the columns of some."""
    parts = robot.vectors(motion)
    if "time" not in parts:
        raise InputError("column 'time' is missing in the motion")
    whole = (parts["time"], parts["q"], parts.get("v"), parts.get("a"))
    if not robot.closed:
        return whole

    def named(prefix: str, names: List[str]) -> dict:
        return {name: motion[f"{prefix}.{name}"] for name in names if f"{prefix}.{name}" in motion}

    positions = named("q", robot.position_names)
    if not controlled and len(positions) < robot.mobility()["mobility"]:
        return whole  # drives alone may leave motions open
    q = robot.assemble(positions)
    if whole[2] is None:
        return whole[0], q, None, None
    if whole[3] is None:
        return whole[0], q, robot.complete(q, named("qd", robot.velocity_names)), None
    return (whole[0], q, *robot.complete(q, named("qd", robot.velocity_names), named("qdd", robot.velocity_names)))


def stabilisation_of(stabilise: Any, coordinates: str) -> dict:
    """"projection", "none", "baumgarte" or ("baumgarte", alpha, beta)."""
    name, *gains = (stabilise,) if isinstance(stabilise, str) else tuple(stabilise)
    if name not in ("projection", "baumgarte", "none"):
        raise InputError(f"stabilise is 'projection', 'baumgarte' or 'none', not '{name}'")
    if gains and (name != "baumgarte" or len(gains) > 2):
        raise InputError("gains are for ('baumgarte', alpha, beta), 1/s")
    alpha, beta = (gains * 2)[:2] if gains else (20.0, 20.0)
    if not (alpha >= 0 and beta >= 0):
        raise InputError("a gain of Baumgarte's stabilisation below zero drives the loops open")
    if coordinates not in ("all", "independent"):
        raise InputError(f"coordinates are 'all' or 'independent', not '{coordinates}'")
    if coordinates == "independent" and name != "projection":
        raise InputError("independent coordinates close the loops themselves; leave stabilise out")
    return {"stabilise": name, "alpha": float(alpha), "beta": float(beta), "independent": coordinates == "independent"}


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
    """A list of (name, direction, stops, function) or (name, direction, stops, "q", "qd" or "singularity", index, level)."""
    if isinstance(events, str) or callable(events):
        events = [events]
    if isinstance(events, Mapping):
        return [(str(name), _direction(f), stops, _function(f)) for name, f in events.items()]
    found: List[Tuple[Any, ...]] = []
    for event in events:
        if isinstance(event, Mapping):
            found += events_of(robot, event, stops)
        elif isinstance(event, str):
            direction, *level = _level(robot, event)
            found.append((event, direction, stops, *level))
        else:
            found.append((getattr(event, "__name__", "event"), _direction(event), stops, _function(event)))
    return found


def _direction(f: Any) -> int:
    """1 rising only, -1 falling only, 0 both: an attribute of the function, as scipy's solve_ivp has it."""
    direction = float(getattr(f, "direction", 0))
    return (direction > 0) - (direction < 0)


def _function(f: Any) -> Callable[..., float]:
    if not callable(f):
        raise InputError(f"an event is a text like 'q.joint1=0.5' or a function f(t, q, v), not a {type(f).__name__}")
    return f


def _level(robot: Robot, text: str) -> Tuple[int, str, int, float]:
    sign = next((c for c in text if c in "=<>"), "")
    column, _, value = (part.strip() for part in text.partition(sign or "="))
    if not sign:
        raise InputError(f"event '{text}' is not of the form q.JOINT=value")
    direction = {"=": 0, "<": -1, ">": 1}[sign]
    try:
        if column == "singularity":
            if not robot.closed:
                raise InputError("'singularity' is a distance of models with loops")
            if sign != "<":
                raise InputError(f"a singularity is passed from above; write singularity<{value}")
            return direction, "singularity", 0, _core.quantity(value, "number")
        positions, velocities = _core.dimensions(robot)
        return (direction, *_coordinate(robot, column, value, positions, velocities))
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
