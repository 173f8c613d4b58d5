"""Derivatives and matrices: against differences, laws, Pinocchio's recursions and MuJoCo's differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from conftest import CLOSED
from random_machines import random_mjcf, random_mujoco_state
from random_models import KINDS, close, random_state, random_tree

import catena

SEEDS = st.integers(0, 2**32 - 1)


def differences(robot, f, q, h=1e-6):
    """df/dq along the velocities, one column per velocity."""
    steps = h * np.eye(robot.nv)
    columns = [(np.asarray(f(robot.integrate(q, e))) - np.asarray(f(robot.integrate(q, -e)))) / (2 * h) for e in steps]
    return np.stack(columns, axis=-1)


def slopes(f, x, h=1e-6):
    return np.stack([(np.asarray(f(x + e)) - np.asarray(f(x - e))) / (2 * h) for e in h * np.eye(len(x))], axis=-1)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 7))
def test_derivatives_are_those_of_differences(seed, bodies):
    robot = random_tree(seed, bodies, passive=True).compile()
    q, v, a = random_state(robot, seed)
    F = {"tool": np.random.default_rng(seed).normal(size=6)}
    d = robot.inverse_derivatives(q, v, a, wrenches=F)
    close(d.dtau_dq, differences(robot, lambda x: robot.inverse(x, v, a, wrenches=F), q), 1e-6)
    close(d.dtau_dv, slopes(lambda x: robot.inverse(q, x, a, wrenches=F), v), 1e-6)
    close(d.dtau_da, robot.inertia(q), 1e-11)
    tau = robot.inverse(q, v, a, wrenches=F)
    if np.linalg.cond(d.dtau_da) > 1e5:
        return
    f = robot.forward_derivatives(q, v, tau, wrenches=F)
    close(f.a, a, 1e-8)
    close(f.da_dq, differences(robot, lambda x: robot.forward(x, v, tau, wrenches=F), q), 1e-4)
    close(f.da_dv, slopes(lambda x: robot.forward(q, x, tau, wrenches=F), v), 1e-4)
    close(f.da_dtau @ d.dtau_da, np.eye(robot.nv), 1e-8)


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.integers(1, 6))
def test_a_wrench_that_keeps_its_direction_in_the_world(seed, bodies):
    robot = random_tree(seed, bodies).compile()
    q, v, a = random_state(robot, seed)
    n, f = np.random.default_rng(seed).normal(size=(2, 3))

    def held(x):
        R = robot.pose("tool", x)[:3, :3].T @ robot.pose("tool", q)[:3, :3]
        return {"tool": np.concatenate([R @ n, R @ f])}

    d = robot.inverse_derivatives(q, v, a, wrenches=held(q), hold="world")
    close(d.dtau_dq, differences(robot, lambda x: robot.inverse(x, v, a, wrenches=held(x)), q), 1e-6)
    if np.linalg.cond(d.dtau_da) < 1e4:
        da = robot.forward_derivatives(q, v, a, wrenches=held(q), hold="world").da_dq
        close(da, differences(robot, lambda x: robot.forward(x, v, a, wrenches=held(x)), q), 1e-4)


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.integers(1, 7), st.sampled_from(["world_aligned", "frame", "world"]))
def test_derivatives_of_a_frame(seed, bodies, axes):
    robot = random_tree(seed, bodies).compile()
    q, v, a = random_state(robot, seed)
    d = robot.frame_derivatives("tool", q, v, a, axes)
    close(d.jacobian, robot.jacobian("tool", q, axes), 1e-11)
    close(d.twist_dq, differences(robot, lambda x: robot.twist("tool", x, v, axes), q), 1e-6)
    close(d.acceleration_dq, differences(robot, lambda x: robot.acceleration("tool", x, v, a, axes), q), 1e-5)
    close(d.acceleration_dv, slopes(lambda x: robot.acceleration("tool", q, x, a, axes), v), 1e-5)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 8))
def test_laws_of_the_matrices(seed, bodies):
    model = random_tree(seed, bodies, passive=True)
    robot = model.compile()
    q, v, a = random_state(robot, seed)
    # the regressor is linear in the parameters of the model, friction and springs too
    Y = robot.regressor(q, v, a)
    assert Y.shape == (robot.nv, len(robot.parameter_names)) and robot.parameters.shape == (len(robot.parameter_names),)
    close(Y @ robot.parameters, robot.inverse(q, v, a), 1e-11)
    # Coriolis: C v are the forces that velocities make, dM/dt - 2 C is skew
    for joint in model.joints:
        joint.viscous = joint.stiffness = 0.0
    free = model.compile()
    C = free.coriolis(q, v)
    close(C @ v, free.bias(q, v) - free.gravity(q), 1e-10)
    h = 1e-6
    rate = (free.inertia(free.integrate(q, h * v)) - free.inertia(free.integrate(q, -h * v))) / (2 * h)
    close(rate - 2 * C, -(rate - 2 * C).T, 1e-5)
    # centroidal: about the mass centre, and its rate
    m = robot.centroidal_momentum(q, v)
    close(m.center_of_mass, robot.center_of_mass(q), 1e-12)
    p = robot.momentum(q, v)
    close(m.matrix @ v, np.concatenate([p[:3] - np.cross(m.center_of_mass, p[3:]), p[3:]]), 1e-11)
    ahead, behind = (robot.centroidal_momentum(robot.integrate(q, s * v)).matrix for s in (h, -h))
    close(m.rate, (ahead - behind) / (2 * h), 1e-6)
    # factors of M
    M = robot.inertia(q)
    UD = robot.inertia_factor(q)
    U, D = np.triu(UD, 1) + np.eye(robot.nv), np.diag(np.diag(UD))
    close(U @ D @ U.T, M, 1e-11)
    L = robot.inertia_factor(q, "ltl")
    close(L.T @ L, M, 1e-11)


def test_the_inertia_of_a_frame(puma):
    q = puma.random(30, seed=1)
    many = puma.operational_inertia("link6", q)
    for i in range(30):
        J = puma.jacobian("link6", q[i])
        close(many[i] @ (J @ np.linalg.solve(puma.inertia(q[i]), J.T)), np.eye(6), 1e-7)
    with pytest.raises(catena.NumericalError, match="^state 0: frame 'link3' cannot move"):
        puma.operational_inertia("link3", q)


def test_base_parameters_do_the_work_of_all():
    robot = catena.example("puma").compile()
    base = robot.base_parameters()
    assert len(base.names) == len(base.columns) == len(base.values) < len(robot.parameters) and base.condition < 1e3
    close(base.matrix @ robot.parameters, base.values, 1e-12)
    Y = robot.regressor(*random_state(robot, 2, 30))
    close(Y[:, :, base.columns] @ base.values, Y @ robot.parameters, 1e-9)
    assert np.linalg.matrix_rank(Y.reshape(-1, Y.shape[-1]), tol=1e-9) == len(base.values)
    assert set(base.without_effect) < set(robot.parameter_names)
    without = [robot.parameter_names.index(name) for name in base.without_effect]
    assert np.abs(Y[:, :, without]).max() < 1e-12
    closed = catena.example("five-bar").compile().base_parameters()  # only motions that the loop allows
    assert 0 < len(closed.values) < closed.matrix.shape[1]


@pytest.mark.parametrize("name", ["inverse_derivatives", "forward_derivatives", "frame_derivatives", "centroidal_momentum"])
def test_several_results_of_many_states_and_out(name):
    robot = random_tree(3, bodies=7).compile()
    q, v, a = random_state(robot, 1, 77)
    f = {
        "inverse_derivatives": lambda q, v, a, **k: robot.inverse_derivatives(q, v, a, **k),
        "forward_derivatives": lambda q, v, a, **k: robot.forward_derivatives(q, v, a, **k),
        "frame_derivatives": lambda q, v, a, **k: robot.frame_derivatives("tool", q, v, a, **k),
        "centroidal_momentum": lambda q, v, a, **k: robot.centroidal_momentum(q, v, **k),
    }[name]
    many = f(q, v, a)
    for i in (0, 40, 76):
        for part, one in zip(many, f(q[i], v[i], a[i])):
            close(part[i], one, 1e-12)
    out = tuple(np.empty_like(part) for part in many)
    filled = f(q, v, a, out=out)
    assert all(x is y for x, y in zip(filled, out))
    assert all((x == y).all() for x, y in zip(out, many))
    strided = f(np.asfortranarray(q), np.repeat(v, 2, axis=1)[:, ::2], a.tolist())
    assert all((x == y).all() for x, y in zip(strided, many))
    assert all(x.dtype == np.float32 for x in f(*(x.astype(np.float32) for x in (q, v, a))))
    with pytest.raises(catena.SizeError, match="out has 1 arrays"):
        f(q, v, a, out=out[:1])
    with pytest.raises(TypeError, match="out must be a tuple"):
        f(q, v, a, out=out[0])
    with pytest.raises(catena.SizeError, match="out has shape"):
        f(q, v, a, out=tuple(x[1:] for x in out))
    with pytest.raises(catena.SizeError, match="q has shape"):
        f(q[:, 1:], v, a)
    q[13, 0] = np.nan
    with pytest.raises(catena.InputError, match=r"q\[13, 0\] is NaN"):
        f(q, v, a)


@pytest.mark.parametrize("hold", ["frame", "world"])
def test_many_states_with_wrenches_are_as_one_by_one(hold):
    robot = random_tree(5, bodies=6).compile()
    q, v, a = random_state(robot, 1, 700)  # several pieces of a batch, the last one not full
    F = np.random.default_rng(3).normal(size=(700, 6))
    for call in (robot.inverse_derivatives, robot.forward_derivatives):
        for wrench in (F, F[0]):  # one each, or one for all
            many = call(q, v, a, wrenches={"tool": wrench}, hold=hold)
            for i in (0, 255, 256, 699):
                one = call(q[i], v[i], a[i], wrenches={"tool": wrench if wrench.ndim == 1 else wrench[i]}, hold=hold)
                for part, alone in zip(many, one):
                    close(part[i], alone, 1e-10)
        same = call(q, wrenches={"tool": F}, hold=hold), call(q, 0 * v, np.zeros(robot.nv), wrenches={"tool": F}, hold=hold)
        assert all((x == y).all() for x, y in zip(*same))


def test_what_is_not_computed_with_loops_is_told(five_bar, puma):
    q = five_bar.assemble()
    with pytest.raises(catena.InputError, match="has loops"):
        five_bar.regressor(q)
    with pytest.raises(catena.InputError, match="hold is"):
        puma.inverse_derivatives(puma.neutral(), hold="body")
    with pytest.raises(catena.InputError, match="kind is"):
        puma.inertia_factor(puma.neutral(), "lu")


# Closed chains: along motions that keep the loops closed.


def closed_state(robot, seed):
    """A state with closed loops: positions, velocities, accelerations that follow from all that is free."""
    rng = np.random.default_rng(seed)
    q = robot.assemble()
    K = robot.closure_jacobian(q)
    v = rng.normal(size=robot.nv)
    v -= np.linalg.pinv(K, rcond=1e-9) @ (K @ v)
    tau = np.where([n in robot.actuated for n in robot.velocity_names], rng.normal(size=robot.nv), 0)
    return q, v, tau


def moved(robot, q, v, independent, dq, dv):
    """q and v with independent positions moved by dq and independent velocities by dv, the others following."""
    columns = [robot.velocity_names.index(n) for n in independent]

    def rates(x, given):  # the velocities that follow from the independent ones
        K = robot.closure_jacobian(x)
        rest = [i for i in range(robot.nv) if i not in columns]
        full = np.zeros(robot.nv)
        full[columns] = given
        full[rest] = np.linalg.lstsq(K[:, rest], -K[:, columns] @ given, rcond=1e-9)[0]
        return full

    x = robot.integrate(q, rates(q, dq))
    rest = [i for i in range(robot.nv) if i not in columns]
    for _ in range(6):  # Newton, independent positions held
        step = np.zeros(robot.nv)
        step[rest] = np.linalg.lstsq(robot.closure_jacobian(x)[:, rest], -robot.closure(x), rcond=1e-9)[0]
        x = robot.integrate(x, step)
    return x, rates(x, v[columns] + dv)


@pytest.mark.parametrize("name", CLOSED)
def test_derivatives_of_closed_chains_are_those_of_differences(name):
    robot = catena.example(name).compile()
    q, v, tau = closed_state(robot, 4)
    f = robot.forward_derivatives(q, v, tau)
    n, k = robot.nv, robot.mobility(q)["mobility"]
    assert len(f.independent) == k and f.da_dq.shape == f.da_dv.shape == f.motion.shape == (n, k)
    close(f.a, robot.forward(q, v, tau), 1e-9)
    assert np.abs(robot.closure_jacobian(q) @ f.motion).max(initial=0) < 1e-9
    columns = [robot.velocity_names.index(i) for i in f.independent]
    close(f.motion[columns], np.eye(k), 1e-12)
    h = 1e-5

    def slope(g):
        return np.stack([(g(e) - g(-e)) / (2 * h) for e in h * np.eye(k)], axis=-1)

    zero = np.zeros(k)
    close(f.da_dq, slope(lambda e: robot.forward(*moved(robot, q, v, f.independent, e, zero), tau)), 1e-5)
    close(f.da_dv, slope(lambda e: robot.forward(*moved(robot, q, v, f.independent, zero, e), tau)), 1e-5)
    close(f.da_dtau, slopes(lambda x: robot.forward(q, v, x), tau), 1e-5)
    try:
        d = robot.inverse_derivatives(q, v, f.a)
    except catena.NumericalError as refusal:
        assert len(robot.actuated) < k and "do not drive every motion" in str(refusal)
        return
    # independent accelerations stay as they are, the others follow
    fixed = lambda x, w, more: robot.complete(x, dict(zip(d.independent, w[columns])), dict(zip(d.independent, f.a[columns] + more)))[1]  # noqa: E731

    def forces(dq, dv, da):
        x, w = moved(robot, q, v, d.independent, dq, dv)
        return robot.inverse(x, w, fixed(x, w, da))

    assert d.independent == f.independent
    close(d.dtau_dq, slope(lambda e: forces(e, zero, zero)), 1e-5)
    close(d.dtau_dv, slope(lambda e: forces(zero, e, zero)), 1e-5)
    close(d.dtau_da, slope(lambda e: forces(zero, zero, e)), 1e-5)
    passive = [i for i, name in enumerate(robot.velocity_names) if name not in robot.actuated]
    assert not d.dtau_dq[passive].any() and not d.dtau_da[passive].any()


def test_derivatives_of_many_states_of_a_closed_chain(five_bar):
    t = np.linspace(0, 1, 70)
    q = five_bar.assemble({"leg1_joint1": 0.6 + 0.2 * np.sin(t), "leg2_joint1": 0.5})
    v, a = five_bar.complete(q, {"leg1_joint1": np.cos(t), "leg2_joint1": 0.3}, {"leg1_joint1": -np.sin(t), "leg2_joint1": 0.0})
    tau = five_bar.inverse(q, v, a)
    for call, x, chosen in (
        (five_bar.inverse_derivatives, a, ()),
        (five_bar.forward_derivatives, tau, ["leg1_joint1", "leg1_joint2"]),
    ):
        many = call(q, v, x, independent=chosen)
        assert many.motion.shape == (70, 4, 2) and many.independent == (chosen or ["leg1_joint1", "leg2_joint1"])
        for i in (0, 69):
            for part, one in zip(many[:-1], call(q[i], v[i], x[i], independent=chosen)):
                close(part[i], one, 1e-12)
        out = tuple(np.empty_like(part) for part in many[:-1])
        assert all(x is y for x, y in zip(call(q, v, x, independent=chosen, out=out), out))
        assert all((x == y).all() for x, y in zip(out, many))
        assert call(q[:0], v[:0], x[:0], independent=chosen)[0].shape == (0, 4, 2)
        with pytest.raises(catena.InputError, match="'leg1_joint9' is not a velocity"):
            call(q, v, x, independent=["leg1_joint1", "leg1_joint9"])
        for wrong in (["leg1_joint1"], ["leg1_joint1"] * 2, five_bar.velocity_names):
            with pytest.raises(catena.InputError, match="2 degrees of freedom"):
                call(q, v, x, independent=wrong)
        with pytest.raises(catena.InputError, match="hold is"):
            call(q, hold="body")
    # one change, told by other coordinates
    f, g = (five_bar.forward_derivatives(q[0], v[0], tau[0], independent=c) for c in ((), ["leg1_joint1", "leg1_joint2"]))
    close(f.da_dv, g.da_dv @ f.motion[:2], 1e-9)


def test_wrenches_on_closed_chains(five_bar):
    frame = five_bar.model.joints[1].child
    q, v, tau = closed_state(five_bar, 2)
    w = np.array([0, 0, 0.5, 3.0, -2.0, 0])
    h, k = 1e-5, 2
    zero = np.zeros(k)
    for hold in ("frame", "world"):

        def held(x):
            R = five_bar.pose(frame, x)[:3, :3].T @ five_bar.pose(frame, q)[:3, :3] if hold == "world" else np.eye(3)
            return {frame: np.concatenate([R @ w[:3], R @ w[3:]])}

        d = five_bar.forward_derivatives(q, v, tau, wrenches=held(q), hold=hold)

        def a(e):
            x, rates = moved(five_bar, q, v, d.independent, e, zero)
            return five_bar.forward(x, rates, tau, wrenches=held(x))

        close(d.da_dq, np.stack([(a(e) - a(-e)) / (2 * h) for e in h * np.eye(k)], axis=-1), 1e-5)
    with pytest.raises(catena.InputError, match="independent is for models with loops"):
        catena.example("puma").compile().forward_derivatives(np.zeros(6), independent=["joint1"])


# Beside Pinocchio.

# Planar: velocities there differ by a matrix that depends on q. Universal: its first axis moves while it does, and
# Pinocchio's derivatives (3.9) are then not those of its own rnea.
CONSTANT = tuple(kind for kind in KINDS if kind not in ("planar", "universal"))
SWAP = np.r_[3:6, 0:3]


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 9))
def test_beside_pinocchio(seed, bodies):
    pin = pytest.importorskip("pinocchio")
    model = random_tree(seed, bodies, CONSTANT)
    robot = model.compile()
    pin_model, _ = catena.to_pinocchio(model)
    data, states = pin_model.createData(), catena.pinocchio.pinocchio_states(pin_model, robot)
    q, v, a = random_state(robot, seed)
    pq, pv = states.back_q(q), states.back_v(q, v)
    T = states.velocity_map(pq)
    pa = T.T @ a
    pin.computeRNEADerivatives(pin_model, data, pq, pv, pa)
    d = robot.inverse_derivatives(q, v, a)
    close(T.T @ d.dtau_dq @ T, data.dtau_dq)
    close(T.T @ d.dtau_dv @ T, data.dtau_dv)
    M = np.triu(data.M) + np.triu(data.M, 1).T
    close(T.T @ d.dtau_da @ T, M)
    if np.linalg.cond(M) < 1e6:
        tau = T.T @ robot.inverse(q, v, a)
        pin.computeABADerivatives(pin_model, data, pq, pv, tau)
        f = robot.forward_derivatives(q, v, T @ tau)
        close(T.T @ f.da_dq @ T, data.ddq_dq, 1e-6)
        close(T.T @ f.da_dv @ T, data.ddq_dv, 1e-6)
        close(T.T @ f.da_dtau @ T, np.triu(data.Minv) + np.triu(data.Minv, 1).T, 1e-6)
    pin.dccrba(pin_model, data, pq, pv)
    m = robot.centroidal_momentum(q, v)
    close(m.matrix @ T, data.Ag.reshape(6, -1)[SWAP])
    close(m.rate @ T, data.dAg.reshape(6, -1)[SWAP])
    i = pin_model.getFrameId("tool")
    pin.computeForwardKinematicsDerivatives(pin_model, data, pq, pv, pa)
    theirs = pin.getFrameAccelerationDerivatives(pin_model, data, i, pin.ReferenceFrame.LOCAL)
    ours = robot.frame_derivatives("tool", q, v, a, "frame")
    for x, y in zip((ours.twist_dq, ours.acceleration_dq, ours.acceleration_dv, ours.jacobian), theirs):
        close(x @ T, np.asarray(y).reshape(6, -1)[SWAP])


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 9))
def test_the_regressor_beside_pinocchio(seed, bodies):
    pin = pytest.importorskip("pinocchio")
    pin_model, _ = catena.to_pinocchio(random_tree(seed, bodies, ("revolute", "prismatic", "screw", "spherical", "free", "fixed")))
    pin_model.armature = np.zeros(pin_model.nv)
    robot = catena.from_pinocchio(pin_model).compile()  # whose bodies have the frames of its joints
    data, states = pin_model.createData(), catena.pinocchio.pinocchio_states(pin_model, robot)
    rng = np.random.default_rng(seed)
    pq = pin.integrate(pin_model, pin.neutral(pin_model), rng.normal(size=pin_model.nv))
    pv, pa = rng.normal(size=(2, pin_model.nv))
    T = states.velocity_map(pq)
    theirs = pin.computeJointTorqueRegressor(pin_model, data, pq, pv, pa).reshape(pin_model.nv, -1)
    Y = T.T @ robot.regressor(states.q(pq), T @ pv, T @ pa)
    names = robot.parameter_names
    child = {joint.name: joint.child for joint in robot.model.joints}
    for k in range(1, pin_model.njoints):
        body = child[pin_model.names[k]]
        order = [f"{p}.{body}" for p in ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")]
        close(Y[:, [names.index(n) for n in order]], theirs[:, 10 * (k - 1) : 10 * k])


# Beside MuJoCo, which has derivatives by differences.


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.integers(1, 6))
def test_beside_mujoco(seed, bodies):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(random_mjcf(seed, bodies))
    data = random_mujoco_state(model, seed)
    robot = catena.from_mujoco(model).compile()
    states = catena.mujoco.mujoco_states(model, robot)
    q, v, a = states.q(data.qpos), states.v(data.qpos, data.qvel), states.a(data.qpos, data.qvel, data.qacc)
    T = states.velocity_map(data.qpos)
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_subtreeVel(model, data)
    momentum = robot.centroidal_momentum(q, v)
    close(momentum.center_of_mass, data.subtree_com[0])
    close(momentum.matrix @ v, np.concatenate([data.subtree_angmom[0], model.body_subtreemass[0] * data.subtree_linvel[0]]), 1e-8)
    if not (T == np.eye(model.nv)).all():
        return  # derivatives along other velocities
    dq, dv, da = (np.zeros((model.nv, model.nv)) for _ in range(3))
    mujoco.mjd_inverseFD(model, data, 1e-6, False, dq, dv, da, None, None, None, None)
    ours = robot.inverse_derivatives(q, v, a)
    close(ours.dtau_dq, dq.T, 1e-4)
    close(ours.dtau_dv, dv.T, 1e-4)
    close(ours.dtau_da, da.T, 1e-4)
