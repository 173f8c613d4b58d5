"""Models between Pinocchio and Catena, and the states of one in the coordinates of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Sequence, Tuple

from ._errors import InputError
from ._states import Piece, States
from .model import Body, Frame, Joint, Loop, Model

if TYPE_CHECKING:
    from .robot import Robot

__all__ = ["States", "from_pinocchio", "pinocchio_states", "to_pinocchio"]


class _Part(NamedTuple):
    """A joint of Catena that is (a part of) a joint of Pinocchio."""

    kind: str
    axis: Any
    pitch: float
    origin: Any  # (4, 4) from the part before
    states: str  # kind of Piece
    nq: int
    nv: int


def _parts(joint: Any) -> List[_Part]:
    """What a joint of Pinocchio consists of, from the base outwards."""
    import numpy as np

    joint = joint.extract() if hasattr(joint, "extract") else joint
    name = joint.shortname().replace("JointModel", "")
    axes = {"X": np.array([1.0, 0, 0]), "Y": np.array([0, 1.0, 0]), "Z": np.array([0, 0, 1.0])}
    eye = np.eye(4)

    def one(kind: str, axis: Any, pitch: float = 0.0, states: str = "same", nq: int = 1, nv: int = 1) -> _Part:
        return _Part(kind, axis, pitch, eye, states, nq, nv)

    if name in ("RX", "RY", "RZ"):
        return [one("revolute", axes[name[-1]])]
    if name == "RevoluteUnaligned":
        return [one("revolute", np.array(joint.axis))]
    if name in ("RUBX", "RUBY", "RUBZ"):
        return [one("revolute", axes[name[-1]], states="circle", nq=2)]
    if name == "RevoluteUnboundedUnaligned":
        # its axis has no name in Python, but its motion subspace [v; w] shows it
        return [one("revolute", np.array(joint.createData().S).ravel()[3:], states="circle", nq=2)]
    if name in ("PX", "PY", "PZ"):
        return [one("prismatic", axes[name[-1]])]
    if name == "PrismaticUnaligned":
        return [one("prismatic", np.array(joint.axis))]
    if name in ("HX", "HY", "HZ"):
        return [one("screw", axes[name[-1]], joint.pitch)]
    if name == "HelicalUnaligned":
        return [one("screw", np.array(joint.axis), joint.pitch)]
    if name == "Universal":
        return [one("revolute", np.array(joint.axis1)), one("revolute", np.array(joint.axis2))]
    if name == "Translation":
        return [one("prismatic", axes[a]) for a in "XYZ"]
    if name == "SphericalZYX":
        return [one("revolute", axes[a]) for a in "ZYX"]
    if name == "Spherical":
        return [one("spherical", axes["Z"], states="quaternion xyzw", nq=4, nv=3)]
    if name == "FreeFlyer":
        return [one("free", axes["Z"], states="free linear first", nq=7, nv=6)]
    if name == "Planar":
        return [one("planar", axes["Z"], states="planar local", nq=4, nv=3)]
    if name == "Composite":
        found: List[_Part] = []
        for inner, placement in zip(joint.joints, joint.jointPlacements):
            parts = _parts(inner)
            found.append(parts[0]._replace(origin=np.array(placement.homogeneous)))
            found += parts[1:]
        return found
    raise InputError(f"a joint of Pinocchio's kind {name} cannot be converted")


def _part_names(name: str, parts: Sequence[_Part]) -> List[str]:
    return [name] if len(parts) == 1 else [f"{name}.{k}" for k in range(len(parts))]


def from_pinocchio(model: Any, constraints: Sequence[Any] = ()) -> Model:
    """The Catena model of a pinocchio.Model.

    constraints: pinocchio.RigidConstraintModel of 3D (points coincide) and 6D (frames coincide) contacts between two
    joints, which become loops. Frames, gravity, armature and limits come along; friction and damping, which Pinocchio's
    dynamics leave out, do not. A joint of several axes becomes joints NAME.0, NAME.1, ...
    Coordinates may differ: pinocchio_states() converts them.
    Raises InputError for mimic joints and other kinds that cannot be expressed.
    """
    import numpy as np
    import pinocchio as pin

    result = Model(name=model.name or "model", gravity=np.array(model.gravity.linear))
    frames = [f for f in model.frames if f.type != pin.FrameType.JOINT and f.name != "universe"]
    body_of = {0: "world"}
    for i in range(1, model.njoints):
        # A body is called as Pinocchio calls it, if it stands where the joint does.
        own = [f.name for f in frames if f.type == pin.FrameType.BODY and f.parentJoint == i and f.placement.isIdentity(1e-12)]
        name = own[0] if own and own[0] not in body_of.values() else f"{model.names[i]}_body"
        body_of[i] = name
    for i in range(1, model.njoints):
        inertia = model.inertias[i]
        result.bodies.append(Body(body_of[i], inertia.mass, inertia.lever, np.array(inertia.inertia)))
        _add_joint(result, model, i, body_of)
    names = set(body_of.values())
    for f in frames:
        if f.name in names:
            continue
        names.add(f.name)
        result.frames.append(Frame(f.name, body_of[f.parentJoint], np.array(f.placement.homogeneous)))
    for k, c in enumerate(constraints):
        kind = {pin.ContactType.CONTACT_3D: "spherical", pin.ContactType.CONTACT_6D: "fixed"}.get(c.type)
        if kind is None:
            raise InputError(f"constraint {k} is neither 3D nor 6D")
        name = c.name or f"loop{k + 1}"
        result.loops.append(
            Loop(
                name,
                kind,
                body_of[c.joint1_id],
                body_of[c.joint2_id],
                origin1=np.array(c.joint1_placement.homogeneous),
                origin2=np.array(c.joint2_placement.homogeneous),
            )
        )
    return result


def _add_joint(result: Model, model: Any, i: int, body_of: Dict[int, str]) -> None:
    """Joint i of Pinocchio, with massless bodies between its parts."""
    import numpy as np

    parts = _parts(model.joints[i])
    parent = body_of[model.parents[i]]
    placement = np.array(model.jointPlacements[i].homogeneous)
    at_q, at_v = model.joints[i].idx_q, model.joints[i].idx_v
    for k, (name, part) in enumerate(zip(_part_names(model.names[i], parts), parts)):
        last = k == len(parts) - 1
        child = body_of[i] if last else f"{name}_between"
        if not last:
            result.bodies.append(Body(child))
        armature = np.array(model.armature[at_v : at_v + part.nv])
        if np.ptp(armature) > 0:
            raise InputError(f"joint '{name}' has armatures that differ, {armature}: one for all its coordinates is needed")
        if part.kind == "planar" and armature[0] != 0:
            raise InputError(f"joint '{name}' is planar and has an armature, which depends on the coordinates: set it to zero")
        joint = Joint(
            name,
            part.kind,
            parent,
            child,
            origin=(placement if k == 0 else np.eye(4)) @ part.origin,
            axis=part.axis,
            pitch=part.pitch,
            rotor_inertia=float(armature[0]),
        )
        if part.states == "same":
            low, high = model.lowerPositionLimit[at_q], model.upperPositionLimit[at_q]
            if abs(low) < 1e300 and abs(high) < 1e300 and low < high:
                joint.lower, joint.upper = float(low), float(high)
        for key, value in (("velocity", model.velocityLimit[at_v]), ("effort", model.effortLimit[at_v])):
            if 0 < value < 1e300:
                setattr(joint, key, float(value))
        result.joints.append(joint)
        at_q, at_v, parent = at_q + part.nq, at_v + part.nv, child


def pinocchio_states(model: Any, robot: Robot) -> States:
    """Converts states between a pinocchio.Model and the robot compiled from it, or the other way round.

        states = catena.pinocchio.pinocchio_states(pin_model, robot)
        tau = robot.inverse(states.q(q), states.v(q, v), states.a(q, v, a))
    """
    pieces = []
    joints = robot.joints
    for i in range(1, model.njoints):
        parts = _parts(model.joints[i])
        at_q, at_v = model.joints[i].idx_q, model.joints[i].idx_v
        if len(parts) > 1 and model.names[i] in joints:  # made by to_pinocchio: one joint of several coordinates
            own = joints[model.names[i]]
            pieces.append(Piece("same", at_q, at_v, own.q, own.v, own.nv))
            continue
        for name, part in zip(_part_names(model.names[i], parts), parts):
            if name not in joints:
                raise InputError(f"'{robot.name}' has no joint '{name}' of the Pinocchio model")
            own = joints[name]
            pieces.append(Piece(part.states, at_q, at_v, own.q, own.v, part.nv))
            at_q, at_v = at_q + part.nq, at_v + part.nv
    return States(robot, pieces, model.nq, model.nv)


def to_pinocchio(model: Model) -> Tuple[Any, List[Any]]:
    """(pinocchio.Model, list of pinocchio.RigidConstraintModel) of a Catena model.

    Spherical and fixed loops become 3D and 6D constraints. Cylindrical, universal and planar joints become composite
    ones with the same coordinates. Raises InputError for what Pinocchio cannot say: mimic joints, springs, other loops,
    joint springs and friction.
    """
    import numpy as np
    import pinocchio as pin

    model = Model._from_core(model._in_cpp(), [])
    result = pin.Model()
    result.name = model.name
    result.gravity = pin.Motion(np.array(model.gravity), np.zeros(3))
    if model.springs:
        raise InputError(f"spring '{model.springs[0].name}': Pinocchio has no springs between points")
    place = {model.ground: (0, pin.SE3.Identity())}  # body: joint, pose of the body frame at it
    for joint in _depth_first(model):
        if joint.mimic is not None:
            raise InputError(f"joint '{joint.name}' mimics another one, which is not converted")
        if joint.stiffness or joint.viscous or joint.coulomb:
            raise InputError(f"joint '{joint.name}' has a spring or friction, which Pinocchio's dynamics leave out")
        parent, X_parent = place[joint.parent]
        placement = X_parent * _se3(joint.origin)
        if joint.kind == "fixed":
            at = (parent, placement * _se3(joint.child_origin))
        else:
            i = result.addJoint(parent, _pinocchio_joint(joint), placement, joint.name)
            v = result.joints[i].idx_v
            armature = np.array(result.armature)
            armature[v : v + result.joints[i].nv] = joint.rotor_inertia * joint.gear_ratio**2
            result.armature = armature
            _set_limits(result, i, joint)
            at = (i, _se3(joint.child_origin))
        place[joint.child] = at
    for body in model.bodies:
        i, X = place[body.name]
        try:
            inertia = pin.Inertia(float(body.mass), np.array(body.com, dtype=float), np.array(body.inertia, dtype=float))
        except RuntimeError as error:
            raise InputError(f"body '{body.name}': Pinocchio refuses its inertia: {error}") from None
        result.appendBodyToJoint(i, inertia, X)
        if body.name != model.ground:
            result.addFrame(pin.Frame(body.name, i, 0, X, pin.FrameType.BODY), False)
    for frame in model.frames:
        i, X = place[frame.body]
        result.addFrame(pin.Frame(frame.name, i, 0, X * _se3(frame.origin), pin.FrameType.OP_FRAME), False)
    return result, [_constraint(result, loop, place) for loop in model.loops]


def _set_limits(result: Any, i: int, joint: Joint) -> None:
    q, nq, v, nv = result.joints[i].idx_q, result.joints[i].nq, result.joints[i].idx_v, result.joints[i].nv
    for name, value, at, n in (
        ("lowerPositionLimit", joint.lower, q, nq),
        ("upperPositionLimit", joint.upper, q, nq),
        ("velocityLimit", joint.velocity, v, nv),
        ("effortLimit", joint.effort, v, nv),
    ):
        if nq != nv and name.endswith("PositionLimit"):
            continue
        limits = getattr(result, name).copy()
        limits[at : at + n] = value
        setattr(result, name, limits)


def _se3(X: Any) -> Any:
    import numpy as np
    import pinocchio as pin

    X = np.asarray(X, dtype=float)
    return pin.SE3(np.array(X[:3, :3]), np.array(X[:3, 3]))


def _depth_first(model: Model) -> List[Joint]:
    below: Dict[str, List[Joint]] = {}
    for joint in model.joints:
        below.setdefault(joint.parent, []).append(joint)
    found: List[Joint] = []
    todo = list(reversed(below.get(model.ground, [])))
    while todo:
        found.append(todo.pop())
        todo += reversed(below.get(found[-1].child, []))
    return found


def _plane_of(axis: Any) -> Tuple[Any, Any]:
    """The directions of a planar joint's displacements: x and y turned as z is to the axis."""
    import numpy as np

    x, y, z = axis
    if z < -1 + 1e-12:
        return np.array([1.0, 0, 0]), np.array([0, -1.0, 0])
    k = 1 / (1 + z)
    return np.array([1 - x * x * k, -x * y * k, -x]), np.array([-x * y * k, 1 - y * y * k, -y])


def _pinocchio_joint(joint: Joint) -> Any:
    import numpy as np
    import pinocchio as pin

    axis = np.array(joint.axis, dtype=float)
    if joint.kind == "revolute":
        return pin.JointModelRevoluteUnaligned(axis)
    if joint.kind == "prismatic":
        return pin.JointModelPrismaticUnaligned(axis)
    if joint.kind == "screw":
        return pin.JointModelHelicalUnaligned(axis, float(joint.pitch))
    if joint.kind == "spherical":
        return pin.JointModelSpherical()
    if joint.kind == "free":
        return pin.JointModelFreeFlyer()
    several = pin.JointModelComposite()
    if joint.kind == "cylindrical":
        several.addJoint(pin.JointModelRevoluteUnaligned(axis))
        several.addJoint(pin.JointModelPrismaticUnaligned(axis))
    elif joint.kind == "universal":
        several.addJoint(pin.JointModelRevoluteUnaligned(axis))
        several.addJoint(pin.JointModelRevoluteUnaligned(np.array(joint.axis2, dtype=float)))
    else:
        for direction in _plane_of(axis):
            several.addJoint(pin.JointModelPrismaticUnaligned(direction))
        several.addJoint(pin.JointModelRevoluteUnaligned(axis))
    return several


def _constraint(result: Any, loop: Loop, place: Dict[str, Any]) -> Any:
    import pinocchio as pin

    kind = {"spherical": pin.ContactType.CONTACT_3D, "fixed": pin.ContactType.CONTACT_6D}.get(loop.kind)
    if kind is None:
        raise InputError(f"loop '{loop.name}': Pinocchio has no {loop.kind} constraint, only spherical and fixed ones")
    (i1, X1), (i2, X2) = place[loop.body1], place[loop.body2]
    made = pin.RigidConstraintModel(
        kind, result, i1, X1 * _se3(loop.origin1), i2, X2 * _se3(loop.origin2), pin.ReferenceFrame.LOCAL
    )
    made.name = loop.name
    return made
