"""Beside Pinocchio: conversions there and back, and every number that both compute."""

import glob
import os

import numpy as np
import pytest
from conftest import ROOT, TREES
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import close, random_state, random_tree

import catena

pin = pytest.importorskip("pinocchio")

from catena.pinocchio import pinocchio_states  # noqa: E402


def symmetric(M):
    return np.triu(M) + np.triu(M, 1).T


def compare(pin_model, robot, seed, frame=None):
    """Inverse and forward dynamics, inertia, energies, momentum, mass centre, and a frame's pose and Jacobians."""
    data, states = pin_model.createData(), pinocchio_states(pin_model, robot)
    rng = np.random.default_rng(seed)
    q = pin.integrate(pin_model, pin.neutral(pin_model), rng.normal(size=pin_model.nv))
    v, a = rng.normal(size=pin_model.nv), rng.normal(size=pin_model.nv)
    cq, cv, ca, T = states.q(q), states.v(q, v), states.a(q, v, a), states.velocity_map(q)
    close(states.back_q(cq), q, 1e-12)
    close(states.back_v(cq, cv), v, 1e-12)
    tau = pin.rnea(pin_model, data, q, v, a)
    close(robot.inverse(cq, cv, ca), states.tau(q, tau))
    close(robot.bias(cq, states.v(q, v)) @ T, pin.nonLinearEffects(pin_model, data, q, v) + planar_part(robot, states, q, v, T))
    close(robot.gravity(cq) @ T, pin.computeGeneralizedGravity(pin_model, data, q))
    M = symmetric(pin.crba(pin_model, data, q))
    close(T.T @ robot.inertia(cq) @ T, M)
    if np.linalg.cond(M) < 1e6:
        close(robot.forward(cq, cv, states.tau(q, tau)), states.a(q, v, pin.aba(pin_model, data, q, v, tau)), 1e-6)
    # from their matrix: computeKineticEnergy has the armature of some joints in it and that of others not
    close(robot.kinetic_energy(cq, cv), 0.5 * v @ M @ v)
    close(robot.center_of_mass(cq), pin.centerOfMass(pin_model, data, q))
    pin.computeCentroidalMomentum(pin_model, data, q, v)
    linear, angular = data.hg.linear, data.hg.angular + np.cross(data.com[0], data.hg.linear)
    close(robot.momentum(cq, cv), np.concatenate([angular, linear]))
    if frame is None:
        return
    i = pin_model.getFrameId(frame)
    pin.forwardKinematics(pin_model, data, q, v, a)
    pin.updateFramePlacements(pin_model, data)
    close(robot.pose(frame, cq), data.oMf[i].homogeneous, 1e-11)
    swap = np.r_[3:6, 0:3]
    for axes, reference in (
        ("frame", pin.ReferenceFrame.LOCAL),
        ("world_aligned", pin.ReferenceFrame.LOCAL_WORLD_ALIGNED),
        ("world", pin.ReferenceFrame.WORLD),
    ):
        J = pin.computeFrameJacobian(pin_model, data, q, i, reference).reshape(6, -1)[swap]
        close(robot.jacobian(frame, cq, axes) @ T, J)
        close(robot.twist(frame, cq, cv, axes), J @ v)
    close(
        robot.acceleration(frame, cq, cv, ca),
        pin.getFrameClassicalAcceleration(pin_model, data, i, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED).vector[swap],
    )


def planar_part(robot, states, q, v, T):
    """Where T depends on q, zero acceleration is not the same in both coordinates."""
    rate = states.a(q, v, np.zeros_like(v))
    return -(robot.inertia(states.q(q)) @ rate) @ T


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_random_trees_of_ours_in_pinocchio(seed, bodies):
    model = random_tree(seed, bodies)
    pin_model, constraints = catena.to_pinocchio(model)
    assert constraints == []
    compare(pin_model, model.compile(), seed, "tool")


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 10))
def test_random_trees_of_pinocchio_in_ours(seed, joints):
    pin_model = random_pinocchio(seed, joints)
    model = catena.from_pinocchio(pin_model)
    robot = model.compile(allow_unphysical=True)
    compare(pin_model, robot, seed, "tool")
    # and back: a third model
    if all(not j.name.endswith("_between") for j in model.bodies):
        again, _ = catena.to_pinocchio(model)
        compare(again, robot, seed, "tool")


def random_pinocchio(seed, joints):
    rng = np.random.default_rng(seed)
    pin.seed(seed % 2**31)

    def direction():
        d = rng.normal(size=3)
        return d / np.linalg.norm(d)

    def composite():
        made = pin.JointModelComposite()
        made.addJoint(pin.JointModelRY())
        made.addJoint(pin.JointModelPX(), pin.SE3.Random())
        made.addJoint(pin.JointModelSpherical(), pin.SE3.Random())
        return made

    kinds = [
        pin.JointModelRX,
        pin.JointModelRY,
        pin.JointModelRZ,
        pin.JointModelPX,
        pin.JointModelPZ,
        pin.JointModelRUBY,
        pin.JointModelSpherical,
        pin.JointModelFreeFlyer,
        pin.JointModelPlanar,
        pin.JointModelSphericalZYX,
        pin.JointModelTranslation,
        lambda: pin.JointModelRevoluteUnaligned(direction()),
        lambda: pin.JointModelPrismaticUnaligned(direction()),
        lambda: pin.JointModelHelicalUnaligned(direction(), 0.1),
        composite,
    ]
    model = pin.Model()
    model.name = "random"
    i, above = 0, [0]
    for k in range(joints):
        # Depth first: else its inertia matrix is wrong without an error.
        above = above[: int(rng.integers(max(1, len(above) - 2), len(above) + 1))]
        i = model.addJoint(above[-1], kinds[rng.integers(len(kinds))](), pin.SE3.Random(), f"j{k}")
        above.append(i)
        model.appendBodyToJoint(i, pin.Inertia.Random(), pin.SE3.Random())
    model.addFrame(pin.Frame("tool", i, 0, pin.SE3.Random(), pin.FrameType.OP_FRAME))
    armature = np.full(model.nv, rng.uniform(0, 0.3))
    for joint in model.joints:
        if joint.shortname() == "JointModelPlanar":  # in other coordinates it would mean something else
            armature[joint.idx_v : joint.idx_v + 3] = 0
    model.armature = armature
    return model


@pytest.mark.parametrize("name", TREES)
def test_examples(name):
    model = catena.example(name)
    for joint in model.joints:
        joint.stiffness = joint.viscous = joint.coulomb = 0.0
    if any(joint.mimic for joint in model.joints):
        with pytest.raises(catena.InputError, match="mimics"):
            catena.to_pinocchio(model)
        return
    pin_model, _ = catena.to_pinocchio(model)
    compare(pin_model, model.compile(), 1, model.bodies[-1].name)


SHARED = sorted(glob.glob(os.environ.get("CATENA_SHARED_DIR", str(ROOT.parent / "shared")) + "/models/example-robot-data/*.urdf"))


@pytest.mark.skipif(not SHARED, reason="the collection of URDF files is not there")
@pytest.mark.parametrize("path", SHARED, ids=lambda p: p.rsplit("/", 1)[-1])
@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.filterwarnings("ignore")
def test_robots_read_by_both(path, floating):
    """Their own reader and ours, and the conversion of their model, are three ways to the same robot."""
    root = [pin.JointModelFreeFlyer()] if floating else []
    pin_model = pin.buildModelFromUrdf(path, *root)
    compare(pin_model, catena.from_pinocchio(pin_model).compile(allow_unphysical=True), 1)
    ours = catena.load(path, allow_unphysical=True, floating_base=floating)
    if any(joint.mimic for joint in ours.joints):
        return  # Pinocchio's reader leaves mimics out unless asked
    for joint in ours.joints:  # Pinocchio's dynamics leave them out
        joint.stiffness = joint.viscous = joint.coulomb = 0.0
        if joint.name == "root":
            joint.name = "root_joint"
    compare(pin_model, ours.compile(allow_unphysical=True), 2)


def test_a_continuous_joint_about_any_axis():
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="1 2 3"/><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0.6 0.8"/></joint></robot>"""
    pin_model = pin.buildModelFromXML(text)
    assert pin_model.nq == 2
    compare(pin_model, catena.from_pinocchio(pin_model).compile(), 1, "b")
    compare(pin_model, catena.Model.from_text(text, "urdf").compile(), 2, "b")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["spherical", "fixed"])
def test_closed_chains_against_constraint_dynamics(seed, kind):
    """A tree closed where its last body happens to be; both solve for accelerations."""
    kinds = ("revolute", "spherical", "prismatic")
    model = random_tree(seed, 8, kinds)
    tree = model.compile()
    q, v, tau = random_state(tree, seed)
    X1, X2 = tree.pose("b7", q), tree.pose("b3", q)
    model.add_loop("closing", kind, "b3", "b7", origin1=np.linalg.inv(X2) @ X1, origin2=np.eye(4))
    model.start = {name: q[j.q : j.q + j.nq] for name, j in tree.joints.items()}
    robot = model.compile()
    close(robot.closure(q), np.zeros(3 if kind == "spherical" else 6), 1e-9)
    K = robot.closure_jacobian(q)
    v = v - np.linalg.pinv(K) @ (K @ v)
    pin_model, constraints = catena.to_pinocchio(model)
    states, data = pinocchio_states(pin_model, robot), pin_model.createData()
    pin.initConstraintDynamics(pin_model, data, constraints)
    settings_ = pin.ProximalSettings(1e-14, 1e-14, 200)
    expected = pin.constraintDynamics(
        pin_model, data, states.back_q(q), states.back_v(q, v), states.back_tau(q, tau), constraints,
        [c.createData() for c in constraints], settings_,
    )  # fmt: skip
    q_pin = states.back_q(q)
    for loops in ("multipliers", "kkt", "null-space"):
        close(robot.forward(q, v, tau, loops=loops), states.a(q_pin, states.back_v(q, v), expected), 1e-6)
    # the constraint of theirs as a loop of ours
    again = catena.from_pinocchio(pin_model, constraints)
    again.start = model.start
    close(again.compile().forward(q, v, tau), robot.forward(q, v, tau), 1e-9)


def test_what_cannot_be_said_is_refused():
    model = catena.example("five-bar")
    with pytest.raises(catena.InputError, match="no revolute constraint"):
        catena.to_pinocchio(model)
    model = catena.example("puma")
    model.joint("joint3").viscous = 1
    with pytest.raises(catena.InputError, match="joint 'joint3' has a spring or friction"):
        catena.to_pinocchio(model)
