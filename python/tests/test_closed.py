"""Closed chains: assembly, completed motions, both dynamics, reactions."""

import numpy as np
import pytest
from conftest import CLOSED
from random_models import close

import catena


@pytest.mark.parametrize("name", CLOSED)
def test_every_example_assembles_and_its_laws_hold(name):
    robot = catena.example(name).compile()
    q = robot.assemble()
    assert robot.closed and np.abs(robot.closure(q)).max(initial=0) < 1e-9
    found = robot.mobility(q)
    K = robot.closure_jacobian(q)
    assert found["rank"] + found["mobility"] == robot.nv and K.shape == (found["conditions"], robot.nv)
    rng = np.random.default_rng(1)
    v = rng.normal(size=robot.nv)
    v -= np.linalg.pinv(K, rcond=1e-9) @ (K @ v)
    tau = np.where([n in robot.actuated for n in robot.velocity_names], rng.normal(size=robot.nv), 0)
    a = robot.forward(q, v, tau)
    tried = 0
    for loops in catena.loop_methods():
        try:
            close(robot.forward(q, v, tau, loops=loops), a, 1e-6)
            tried += 1
        except catena.InputError as refusal:
            assert loops not in ("multipliers", "kkt", "null-space") and loops in str(refusal)
    assert tried >= 3
    # the motion that the forces produce needs these forces, if there is one actuator per degree of freedom
    if len(robot.actuated) == found["mobility"]:
        close(robot.inverse(q, v, a), tau, 1e-6)
    # K a + dK/dt v = 0, by differences
    h = 1e-6
    rate = (robot.closure_jacobian(robot.integrate(q, h * v)) - robot.closure_jacobian(robot.integrate(q, -h * v))) @ v / (2 * h)
    close(K @ a + rate, np.zeros(len(K)), 1e-4 * (1 + np.abs(rate).max(initial=0)))


def test_the_five_bar_follows_its_drives(five_bar):
    t = np.linspace(0, 1, 40)
    drives = {"leg1_joint1": 0.5 + 0.2 * np.sin(t), "leg2_joint1": 0.5}
    q = five_bar.assemble(drives)
    assert q.shape == (40, 4)
    np.testing.assert_array_equal(q[:, 0], drives["leg1_joint1"])
    assert np.abs(five_bar.closure(q)).max() < 1e-12
    v, a = five_bar.complete(q, {"leg1_joint1": 0.2 * np.cos(t), "leg2_joint1": 0.0}, {"leg1_joint1": -0.2 * np.sin(t), "leg2_joint1": 0.0})
    close(np.gradient(q, t, axis=0)[5:-5], v[5:-5], 1e-3)
    close(np.gradient(v, t, axis=0)[5:-5], a[5:-5], 1e-3)
    tau = five_bar.inverse(q, v, a)
    assert (tau[:, [1, 3]] == 0).all()
    for i in (0, 39):
        close(five_bar.inverse(q[i], v[i], a[i]), tau[i], 1e-9)
    close(five_bar.forward(q, v, tau), a, 1e-9)
    # power of the drives against the change of energy
    e = five_bar.energy(q, v)
    close(np.gradient(e, t)[5:-5], np.einsum("ij,ij->i", tau, v)[5:-5], 1e-3)


def test_reactions_at_the_cut_joint_carry_the_loop(five_bar):
    q = five_bar.assemble()
    F = five_bar.reactions(q, axes="world")
    assert five_bar.reaction_names[-1] == "tip"
    # Leg 2's second link, at rest: what its parent and the cut joint exert holds its weight.
    tip, elbow = F[-1][3:], F[3][3:]
    close(tip + elbow, [0, 1.1 * 9.81, 0])
    many = five_bar.reactions(np.tile(q, (50, 1)), axes="world")
    close(many[31], F, 1e-9)


def test_what_cannot_be_assembled_is_told(five_bar, puma):
    with pytest.raises(catena.NumericalError, match="loop 'tip' cannot be closed"):
        five_bar.assemble({"leg1_joint1": np.pi, "leg2_joint1": 0.0})
    with pytest.raises(catena.NumericalError, match="^state 1: loop 'tip'"):
        five_bar.assemble({"leg1_joint1": [0.5, np.pi], "leg2_joint1": [0.5, 0.0]})
    with pytest.raises(catena.InputError, match="did you mean 'leg1_joint1'"):
        five_bar.assemble({"leg1_joint": 0.5})
    with pytest.raises(catena.InputError, match="follows from the others"):
        five_bar.assemble({"leg1_joint1": 0.5, "leg2_joint1": 0.5, "leg1_joint2": 0.0})
    with pytest.raises(catena.InputError, match="contradict loop 'tip'"):
        five_bar.complete(five_bar.assemble(), {name: 1.0 for name in five_bar.velocity_names})
    with pytest.raises(catena.SizeError, match="states, but"):
        five_bar.assemble({"leg1_joint1": [0.5, 0.6], "leg2_joint1": [0.5, 0.6, 0.7]})
    with pytest.raises(catena.InputError, match="not finite"):
        five_bar.assemble({"leg1_joint1": float("nan")})
    with pytest.raises(TypeError, match="dictionary"):
        five_bar.assemble([0.5, 0.5])
    with pytest.raises(catena.InputError, match="has no loops"):
        puma.assemble()
    with pytest.raises(catena.InputError, match="for models without loops"):
        five_bar.inverse(five_bar.assemble(), method="denoc")


def test_conditions_of_many_states_and_out(five_bar):
    q = five_bar.assemble({"leg1_joint1": np.linspace(0.4, 0.6, 90), "leg2_joint1": 0.5}) + 0.1
    for f in (five_bar.closure, five_bar.closure_jacobian):
        many = f(q)
        out = np.empty_like(many)
        assert f(np.asfortranarray(q), out=out) is out and (out == many).all()
        close(many[77], f(q[77]), 1e-15)
        with pytest.raises(catena.InputError, match=r"q\[3, 1\] is NaN"):
            f(np.where(np.arange(360).reshape(90, 4) == 13, np.nan, q))


def test_missing_actuators_are_told():
    model = catena.example("five-bar")
    model.actuators = ["leg1_joint1"]
    robot = model.compile()
    q = robot.assemble()
    with pytest.raises(catena.NumericalError, match="the actuators cannot produce this motion"):
        robot.inverse(q)


def test_verify_of_closed_chains(five_bar):
    report = five_bar.verify(states=5)
    assert report["good"] and report["mobility"] == 2 and len(report["methods"]) >= 3
