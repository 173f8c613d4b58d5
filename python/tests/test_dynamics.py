"""Dynamics: laws that tie the functions together, on examples and random trees."""

import numpy as np
import pytest
from conftest import TREES
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import close, random_state, random_tree

import catena

SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("name", TREES)
def test_every_method_agrees_on_the_examples(name):
    robot = catena.example(name).compile()
    q, v, a = random_state(robot, 1, 4)
    tau, M = robot.inverse(q, v, a), robot.inertia(q)
    tried = 0
    for method in catena.methods():
        try:
            close(robot.forward(q, v, tau, method=method.name), a, 1e-6)
            if method.name != "constraint-force":
                close(robot.inverse(q, v, a, method=method.name), tau)
                close(robot.inertia(q, method=method.name), M)
            tried += 1
        except catena.InputError as refusal:
            assert "cannot do" in str(refusal)
    assert tried >= 2


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 9))
def test_laws_of_random_trees(seed, bodies):
    robot = random_tree(seed, bodies, passive=True).compile()
    q, v, a = random_state(robot, seed)
    M, h = robot.inertia(q), robot.bias(q, v)
    close(robot.inverse(q, v, a), M @ a + h)
    close(M, M.T, 1e-12)
    if robot.nv:
        close(robot.forward(q, v, M @ a + h), a, 1e-7)
        close(M @ robot.solve_inertia(q, a), a, 1e-7)
    close(robot.kinetic_energy(q, v), 0.5 * v @ M @ v)
    close(robot.energy(q, v), robot.kinetic_energy(q, v) + robot.potential_energy(q))
    J = robot.jacobian("tool", q)
    close(robot.twist("tool", q, v), J @ v)
    close(robot.acceleration("tool", q, v, a), J @ a + robot.jacobian_rate("tool", q, v) @ v)
    # a wrench does as much as its image in the joints
    F = np.random.default_rng(seed).normal(size=6)
    close(robot.inverse(q, v, a, wrenches={"tool": F}), robot.inverse(q, v, a) - robot.jacobian("tool", q, "frame").T @ F)
    # derivatives by differences along v
    e = 1e-6
    ahead, behind = robot.integrate(q, e * v), robot.integrate(q, -e * v)
    close((robot.center_of_mass(ahead) - robot.center_of_mass(behind)) / (2 * e), robot.center_of_mass_jacobian(q) @ v, 1e-6)
    close(robot.difference(q, ahead), e * v, 1e-9)
    slope = (robot.potential_energy(ahead) - robot.potential_energy(behind)) / (2 * e)
    close(slope, robot.gravity(q) @ v, 1e-5)


def test_reactions_balance_the_base(puma):
    q, v, a = random_state(puma, 3)
    F = puma.reactions(q, v, a, axes="world")[0]
    h = 1e-6
    p1 = puma.momentum(puma.integrate(q, h * v), v + h * a)[3:]
    p0 = puma.momentum(puma.integrate(q, -h * v), v - h * a)[3:]
    close(F[3:], (p1 - p0) / (2 * h) - puma.mass * np.array([0, 0, -9.81]), 1e-5)
    own = puma.reactions(q, v, a)
    close([own[i][2] for i in range(6)], puma.inverse(q, v, a))  # joints turn about z of their frames


def test_wrenches_of_many_states(puma):
    q, v, a = random_state(puma, 3, 50)
    F = np.random.default_rng(0).normal(size=(50, 6))
    many = puma.inverse(q, v, a, wrenches={"link6": F, "link3": F[0]})
    for i in (0, 49):
        close(many[i], puma.inverse(q[i], v[i], a[i], wrenches={"link6": F[i], "link3": F[0]}), 1e-12)


def test_a_joint_without_inertia_is_named():
    model = catena.Model(name="m")
    model.add_body("a", 1, inertia=[1, 1, 1])
    model.add_body("b")
    model.add_joint("swing", "revolute", "world", "a")
    model.add_joint("wrist", "revolute", "a", "b", axis="x")
    robot = model.compile()
    with pytest.raises(catena.NumericalError, match="joint 'wrist' carries no inertia"):
        robot.forward([0, 0])
    with pytest.raises(catena.NumericalError, match="^state 0: joint 'wrist'"):
        robot.forward(np.zeros((500, 2)))


def test_verify_count_and_stability(puma):
    report = puma.verify(states=5)
    assert report["good"] and {m["method"] for m in report["methods"]} >= {"spatial", "denoc", "gibbs-appell"}
    assert all(m["tau"] is None or m["tau"] < 1e-12 for m in report["methods"])
    counts = {(c["method"], c["computation"]): c for c in puma.count()}
    assert 0 < counts["spatial", "inverse"]["multiplications"] < counts["lagrange", "inverse"]["multiplications"]
    chain = {(c["method"], c["computation"]): c for c in catena.general_chain(6).compile().count()}
    assert counts["spatial", "inverse"]["multiplications"] < chain["spatial", "inverse"]["multiplications"]
    papers = catena.paper_counts(6)
    assert {c["computation"] for c in papers} <= {"inverse", "bias", "inertia", "solve", "forward"} and len(papers) > 5
    swept = puma.random(7, seed=1)
    report = puma.stability(q=swept)
    assert report["condition"].shape == (7,) and report["methods"][0]["errors"].shape == (7, 2)
    close(report["condition"], [np.linalg.cond(M) for M in puma.inertia(swept)], 1e-6)
    report = puma.stability("tau", states=5)
    assert report["condition"].shape == (5,)
    assert all(m["double_max"] < 1e-12 < m["single_max"] < 1e-3 for m in report["methods"])


def test_names_and_limits():
    robot = catena.example("joint-zoo").compile()
    assert len(robot.position_names) == robot.nq and len(robot.velocity_names) == robot.nv
    joints = robot.joints
    assert sum(j.nq for j in joints.values()) == robot.nq and sum(j.nv for j in joints.values()) == robot.nv
    limits = robot.limits
    assert limits["lower"].shape == (robot.nv,) and (limits["lower"] < limits["upper"]).all()
