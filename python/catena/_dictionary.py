"""A model as a dictionary with the keys of the native format."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Dict

if TYPE_CHECKING:
    from .model import Joint, Loop, Model

_WITH_AXIS = ("revolute", "prismatic", "screw", "cylindrical", "universal", "planar")


def dictionary_of(model: Model) -> Dict[str, Any]:
    """What Model.from_dict() takes back to the same numbers."""
    result: Dict[str, Any] = {"name": model.name, "ground": model.ground, "gravity": model.gravity.tolist()}
    if model.note:
        result["note"] = model.note
    result["bodies"] = [
        {"name": b.name, "mass": b.mass, "com": list(map(float, b.com)), "inertia": [list(map(float, r)) for r in b.inertia]}
        for b in model.bodies
    ]
    result["joints"] = [_joint(j) for j in model.joints]
    if model.frames:
        result["frames"] = [{"name": f.name, "body": f.body, "origin": _pose(f.origin)} for f in model.frames]
    if model.loops:
        result["loops"] = [_loop(one) for one in model.loops]
    if model.springs:
        result["springs"] = [
            {
                "name": s.name,
                "bodies": [s.body1, s.body2],
                "point1": list(map(float, s.point1)),
                "point2": list(map(float, s.point2)),
                "stiffness": s.stiffness,
                "damping": s.damping,
                "length": s.length,
            }
            for s in model.springs
        ]
    if model.actuators:
        result["actuators"] = list(model.actuators)
    if model.driven:
        result["driven"] = list(model.driven)
    if model.start:
        result["start"] = {name: _numbers(q) for name, q in model.start.items()}
    return result


def _numbers(q: Any) -> Any:
    import numpy as np

    numbers = np.atleast_1d(np.asarray(q, dtype=float)).tolist()
    return numbers[0] if len(numbers) == 1 else numbers


def _pose(X: Any) -> Dict[str, Any]:
    import numpy as np

    X = np.asarray(X, dtype=float)
    return {"xyz": X[:3, 3].tolist(), "rotation": X[:3, :3].tolist()}


def _directions(part: Any) -> Dict[str, Any]:
    result: Dict[str, Any] = {}
    if part.kind in _WITH_AXIS:
        result["axis"] = list(map(float, part.axis))
    if part.kind == "universal":
        result["axis2"] = list(map(float, part.axis2))
    if part.kind == "screw":
        result["pitch"] = part.pitch
    return result


def _joint(j: Joint) -> Dict[str, Any]:
    result = {"name": j.name, "type": j.kind, "parent": j.parent, "child": j.child}
    result.update(origin=_pose(j.origin), child_origin=_pose(j.child_origin), **_directions(j))
    if j.kind == "fixed":
        return result
    limits = {k: getattr(j, k) for k in ("lower", "upper", "velocity", "effort") if math.isfinite(getattr(j, k))}
    if limits:
        result["limits"] = limits
    for key in ("stiffness", "rest", "viscous", "coulomb", "rotor_inertia"):
        if getattr(j, key) != 0:
            result[key] = getattr(j, key)
    if j.gear_ratio != 1:
        result["gear_ratio"] = j.gear_ratio
    if j.mimic is not None:
        result["mimic"] = dict(zip(("joint", "multiplier", "offset"), j.mimic))
    return result


def _loop(one: Loop) -> Dict[str, Any]:
    result = {"name": one.name, "type": one.kind, "bodies": [one.body1, one.body2]}
    result.update(origin1=_pose(one.origin1), origin2=_pose(one.origin2), **_directions(one))
    if one.kind == "rod":
        result["length"] = one.length
    return result
