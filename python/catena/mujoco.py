"""Models of MuJoCo in Catena, and their states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List

from ._errors import InputError
from ._states import Piece, States
from .model import Body, Frame, Joint, Loop, Model, pose

if TYPE_CHECKING:
    from .robot import Robot

__all__ = ["States", "from_mujoco", "mujoco_states"]

_KINDS = ("free", "spherical", "prismatic", "revolute")  # mjtJoint


def _xyzw(q: Any) -> Any:
    return [q[1], q[2], q[3], q[0]]


def _name(model: Any, kind: str, i: int) -> str:
    return getattr(model, kind)(i).name or f"{kind}{i}"


def _body_names(model: Any) -> List[str]:
    return ["world"] + [_name(model, "body", i) for i in range(1, model.nbody)]


def from_mujoco(model: Any) -> Model:
    """The Catena model of a mujoco.MjModel: bodies, joints, sites as frames, gravity, and equality constraints.

    Joint springs, damping, friction loss (as dry friction) and armature come along; contacts, tendons, actuators and
    fluid forces do not. connect and weld become loops, a linear joint equality a mimic joint; others raise InputError.
    Coordinates may differ: mujoco_states() converts them.
    """
    import numpy as np

    bodies = _body_names(model)
    result = Model(name=model.names.split(b"\0")[0].decode() or "model", gravity=np.array(model.opt.gravity))
    for i in range(1, model.nbody):
        R = pose(quaternion=_xyzw(model.body_iquat[i] / np.linalg.norm(model.body_iquat[i])))[:3, :3]
        inertia = R @ np.diag(model.body_inertia[i]) @ R.T
        result.bodies.append(Body(bodies[i], float(model.body_mass[i]), np.array(model.body_ipos[i]), (inertia + inertia.T) / 2))
        _add_joints(result, model, i, bodies)
    for i in range(model.nsite):
        origin = pose(model.site_pos[i], quaternion=_xyzw(model.site_quat[i]))
        name = _name(model, "site", i)
        if name not in bodies:
            result.frames.append(Frame(name, bodies[model.site_bodyid[i]], origin))
    for i in range(model.neq):
        _add_equality(result, model, i, bodies)
    return result


def _add_joints(result: Model, model: Any, i: int, bodies: List[str]) -> None:
    """The joints of body i, one after the other, with massless bodies between them."""
    import numpy as np

    parent = bodies[model.body_parentid[i]]
    X = pose(model.body_pos[i], quaternion=_xyzw(model.body_quat[i]))
    first, count = int(model.body_jntadr[i]), int(model.body_jntnum[i])
    if count == 0:
        result.joints.append(Joint(f"{bodies[i]}_weld", "fixed", parent, bodies[i], origin=X))
        return
    for j in range(first, first + count):
        kind = _KINDS[model.jnt_type[j]]
        name = _name(model, "joint", j)
        last = j == first + count - 1
        child = bodies[i] if last else f"{name}_between"
        if not last:
            result.bodies.append(Body(child))
        axis, anchor = np.array(model.jnt_axis[j]), np.array(model.jnt_pos[j])
        at_q, at_v = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
        rest = float(model.qpos0[at_q])
        joint = Joint(
            name,
            kind,
            parent,
            child,
            origin=X @ pose(anchor),
            child_origin=pose(-anchor),
            axis=axis,
            viscous=float(np.ravel(model.dof_damping)[at_v]),
            coulomb=float(model.dof_frictionloss[at_v]),
            rotor_inertia=float(model.dof_armature[at_v]),
        )
        # MuJoCo's coordinate is that of the model as it was drawn: the joint stands there at qpos0.
        if kind == "revolute":
            joint.child_origin = _turn(axis, -rest) @ joint.child_origin
        elif kind == "prismatic":
            joint.child_origin = pose(-rest * axis) @ joint.child_origin
        elif kind == "free":
            if joint.rotor_inertia or joint.viscous or joint.coulomb:
                raise InputError(f"joint '{name}': armature, damping and friction of a free joint depend on the coordinates: set them to zero")
            joint.origin, joint.child_origin = np.eye(4), np.eye(4)
        stiffness = float(np.ravel(model.jnt_stiffness)[j * (np.size(model.jnt_stiffness) // model.njnt)])
        if stiffness:
            if kind not in ("revolute", "prismatic"):
                raise InputError(f"joint '{name}': a spring on a {kind} joint cannot be expressed")
            joint.stiffness, joint.rest = stiffness, float(model.qpos_spring[at_q])
        if model.jnt_limited[j] and kind in ("revolute", "prismatic"):
            joint.lower, joint.upper = map(float, model.jnt_range[j])
        result.joints.append(joint)
        parent, X = child, np.eye(4)


def _turn(axis: Any, angle: float) -> Any:
    import numpy as np

    s, c = np.sin(angle / 2), np.cos(angle / 2)
    return pose(quaternion=[*(s * np.asarray(axis) / np.linalg.norm(axis)), c])


def _add_equality(result: Model, model: Any, i: int, bodies: List[str]) -> None:
    import mujoco
    import numpy as np

    if not model.eq_active0[i]:
        return
    kind = mujoco.mjtEq(int(model.eq_type[i]))
    name = _name(model, "eq", i) if hasattr(model, "eq") else _name(model, "equality", i)
    one, two, data = int(model.eq_obj1id[i]), int(model.eq_obj2id[i]), model.eq_data[i]
    if kind == mujoco.mjtEq.mjEQ_JOINT:
        _add_mimic(result, model, one, two, data, name)
        return
    if kind not in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD):
        raise InputError(f"equality '{name}' of kind {kind.name} cannot be expressed")
    connect = kind == mujoco.mjtEq.mjEQ_CONNECT
    if int(model.eq_objtype[i]) == int(mujoco.mjtObj.mjOBJ_SITE):
        ends = [(bodies[model.site_bodyid[s]], pose(model.site_pos[s], quaternion=_xyzw(model.site_quat[s]))) for s in (one, two)]
    elif connect:
        ends = [(bodies[one], pose(data[0:3])), (bodies[two], pose(data[3:6]))]
    else:
        relative = pose(data[3:6], quaternion=_xyzw(data[6:10] / np.linalg.norm(data[6:10])))
        ends = [(bodies[one], relative), (bodies[two], np.eye(4))]
    (body1, origin1), (body2, origin2) = ends
    result.loops.append(Loop(name, "spherical" if connect else "fixed", body1, body2, origin1=origin1, origin2=origin2))


def _add_mimic(result: Model, model: Any, one: int, two: int, data: Any, name: str) -> None:
    """q1 - q1_0 = c0 + c1 (q2 - q2_0), higher powers being zero."""
    import numpy as np

    if two < 0 or np.any(data[2:5] != 0):
        raise InputError(f"equality '{name}': only q1 = c0 + c1 q2 can be expressed")
    for j in (one, two):
        if _KINDS[model.jnt_type[j]] not in ("revolute", "prismatic"):
            raise InputError(f"equality '{name}': only hinges and slides can be coupled")
    rest1, rest2 = (float(model.qpos0[model.jnt_qposadr[j]]) for j in (one, two))
    joint = result.joint(_name(model, "joint", one))
    joint.mimic = (_name(model, "joint", two), float(data[1]), rest1 + float(data[0]) - float(data[1]) * rest2)


def mujoco_states(model: Any, robot: Robot) -> States:
    """Converts states (qpos, qvel, qacc, forces) between a mujoco.MjModel and the robot compiled from it.

        states = catena.mujoco.mujoco_states(mj_model, robot)
        a = robot.forward(states.q(qpos), states.v(qpos, qvel), states.tau(qpos, force))

    Not for models with joint equalities, whose mimic joints have no coordinates of their own.
    """
    kinds: Dict[str, str] = {"free": "free mujoco", "spherical": "quaternion wxyz"}
    pieces = []
    joints = robot.joints
    for j in range(model.njnt):
        name = _name(model, "joint", j)
        if name not in joints:
            raise InputError(f"'{robot.name}' has no joint '{name}' of the MuJoCo model")
        own = joints[name]
        pieces.append(
            Piece(kinds.get(own.kind, "same"), int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j]), own.q, own.v, own.nv)
        )
    return States(robot, pieces, model.nq, model.nv)
