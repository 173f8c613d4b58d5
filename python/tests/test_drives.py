"""Closed chains that are driven, controlled and stopped; drives of one's own choice."""

import numpy as np
import pytest
from random_models import close, random_state, random_tree

import catena


@pytest.fixture(scope="module")
def slider_crank():
    return catena.example("slider-crank").compile()


def plain(name):
    """Without dry friction, which may hold."""
    model = catena.example(name)
    for joint in model.joints:
        joint.coulomb = 0.0
    return model.compile()


def test_forces_of_other_joints_than_the_actuators(five_bar):
    q = five_bar.assemble()
    v = five_bar.complete(q, {"leg1_joint1": 0.5, "leg2_joint1": -0.3})
    _, a = five_bar.complete(q, {"leg1_joint1": 0.5, "leg2_joint1": -0.3}, {"leg1_joint1": 2.0, "leg2_joint1": 1.0})
    usual = five_bar.drive_forces(q, v, a)
    close(usual, five_bar.inverse(q, v, a), 1e-12)
    other = five_bar.drive_forces(q, v, a, drives=["leg1_joint1", "leg1_joint2"])
    assert (other[2:] == 0).all()
    close(five_bar.forward(q, v, other), a, 1e-9)  # as good as the usual ones
    # all four drive: the smallest forces, weighted
    names = five_bar.velocity_names
    all_four = five_bar.drive_forces(q, v, a, drives=names)
    close(five_bar.forward(q, v, all_four), a, 1e-9)
    assert np.linalg.norm(all_four) < np.linalg.norm(usual)
    heavy = five_bar.drive_forces(q, v, a, drives=names, weights=[1e6, 1, 1, 1])
    assert abs(heavy[0]) < 1e-3 * abs(all_four[0])
    # forces that act besides
    given = np.array([0.0, 1.0, 0.0, -2.0])
    tau = five_bar.drive_forces(np.tile(q, (3, 1)), v, a, tau=given)
    assert tau.shape == (3, 4) and (tau[:, [1, 3]] == given[[1, 3]]).all()
    close(five_bar.forward(q, v, tau[1]), a, 1e-9)
    with pytest.raises(catena.NumericalError, match="cannot produce this motion"):
        five_bar.drive_forces(q, v, a, drives=["leg1_joint1"])
    for call, text in [
        (lambda: five_bar.drive_forces(q, drives=["leg1_joint"]), "did you mean 'leg1_joint1'"),
        (lambda: five_bar.drive_forces(q, drives=["leg1_joint1"] * 2), "named twice"),
        (lambda: five_bar.drive_forces(q, weights=[0, 1, 1, 1]), "above zero"),
        (lambda: catena.example("puma").compile().drive_forces(np.zeros(6)), "has no loops"),
    ]:
        with pytest.raises(catena.InputError, match=text):
            call()


def test_joints_that_move_as_they_are_told(five_bar):
    q = five_bar.assemble()
    wanted = np.array([1.5, 0, -0.5, 0])
    a, tau = five_bar.forward_driven(q, None, [0, 0.2, 0, 0], wanted, ["leg1_joint1", "leg2_joint1"])
    close(a[[0, 2]], wanted[[0, 2]], 1e-12)
    assert tau[1] == 0.2 and tau[3] == 0
    close(five_bar.forward(q, None, tau), a, 1e-9)
    # a tree: one joint driven, the others free
    robot = random_tree(3, 6, kinds=("revolute", "prismatic", "spherical")).compile()
    q, v, tau0 = random_state(robot, 1, 40)
    name = robot.velocity_names[0]
    a, tau = robot.forward_driven(q, v, tau0, np.full(robot.nv, 0.7), [name])
    close(a[:, 0], np.full(40, 0.7), 1e-9)
    assert (tau[:, 1:] == tau0[:, 1:]).all()
    close(robot.forward(q, v, tau), a, 1e-7)
    with pytest.raises(catena.NumericalError):
        five_bar.forward_driven(five_bar.assemble(), None, None, np.ones(4), five_bar.velocity_names)


@pytest.mark.parametrize("law", ["pd", "gravity-pd", "computed-torque"])
def test_controllers_of_closed_chains(law):
    robot = plain("five-bar")
    t = np.linspace(0, 0.5, 51)
    bend = 0.1 * (t / 0.5) ** 2 * (3 - 2 * t / 0.5)  # begins and ends at rest
    q = robot.assemble({"leg1_joint1": 0.5 + bend, "leg2_joint1": 0.5 - bend})
    motion = catena.Table(["time", "q.leg1_joint1", "q.leg2_joint1"], np.column_stack([t, q[:, 0], q[:, 2]]))
    gains = {"kp": 100.0, "kd": 20.0} if law == "computed-torque" else {"kp": 5000.0, "kd": 300.0}
    run = robot.simulate(0.5, q[0], controller=law, motion=motion, rtol=1e-7, atol=1e-7, **gains)
    assert np.abs(robot.closure(run.q)).max() < 1e-9
    close(run.q[-1], q[-1], 1e-4 if law == "computed-torque" else 2e-2)
    hold = robot.simulate(0.1, q[0], controller=law, rtol=1e-7, atol=1e-7, **gains)
    assert np.abs(hold.q - q[0]).max() < 2e-2


def test_a_driven_crank(slider_crank):
    robot = slider_crank
    crank = robot.actuated[0]
    t = np.linspace(0, 1, 201)
    motion = catena.Table(["time", f"q.{crank}", f"qd.{crank}", f"qdd.{crank}"], np.column_stack([t, 6 * t, np.full_like(t, 6), 0 * t]))
    run = robot.simulate(1.0, motion=motion, driven=[crank], forces=True, accelerations=True)
    k = robot.velocity_names.index(crank)
    close(run.q[:, k], 6 * run.time, 1e-9)
    q = robot.assemble({crank: 6 * run.time})
    v, a = robot.complete(q, {crank: 6.0}, {crank: 0.0})
    close(run.q, q, 1e-8)
    close(run.v, v, 1e-6)
    close(run.tau, robot.inverse(q, v, a), 1e-5)


@pytest.mark.parametrize("how", [{}, {"stabilise": "baumgarte"}, {"stabilise": ("baumgarte", 50, 50)}, {"coordinates": "independent"}, {"loops": "null-space"}, {"stabilise": "none"}])
def test_ways_to_keep_loops_closed(how):
    robot = plain("five-bar")
    start = {"leg1_joint1": 0.5, "leg2_joint1": 0.5}
    right = robot.simulate(0.3, start, tau=[3.0, 0, 1.0, 0])
    run = robot.simulate(0.3, start, tau=[3.0, 0, 1.0, 0], **how)
    assert np.abs(robot.closure(run.q)).max() < 1e-6
    close(run.q, right.q, 1e-5)
    assert 0 < run.statistics["nearest_singularity"] <= 1


def test_stops_and_singularities_of_loops():
    model = catena.example("five-bar")
    for joint in model.joints:
        joint.coulomb = 0.0
    robot = model.compile()
    start = robot.assemble({"leg1_joint1": 0.5, "leg2_joint1": 0.5})
    model.joint("leg1_joint1").upper = start[0] + 0.05
    stopped = model.compile()
    push = [20.0, 0, 0, 0]
    assert robot.simulate(0.5, start, tau=push, through_singularities=True).q[:, 0].max() > start[0] + 0.08
    run = stopped.simulate(0.5, start, tau=push, stops=True)
    assert run.q[:, 0].max() < start[0] + 0.05 + 1e-8 and np.abs(stopped.closure(run.q)).max() < 1e-8
    far = robot.simulate(2.0, start, tau=[30.0, 0, -30.0, 0], stop_on="singularity<0.05", through_singularities=True)
    assert far.status == "stopped" and far.statistics["nearest_singularity"] <= 0.06
    for call, text in [
        (lambda: robot.simulate(1, start, stop_on="singularity=0.1"), "passed from above"),
        (lambda: robot.simulate(1, start, stabilise="baumgart"), "stabilise is"),
        (lambda: robot.simulate(1, start, stabilise=("baumgarte", -1)), "below zero"),
        (lambda: robot.simulate(1, start, stabilise=("none", 1)), "gains are for"),
        (lambda: robot.simulate(1, start, coordinates="some"), "coordinates are"),
        (lambda: robot.simulate(1, start, coordinates="independent", stabilise="none"), "close the loops themselves"),
        (lambda: robot.simulate(1, start, loops="no"), "no"),
        (lambda: catena.example("puma").compile().simulate(1, loops="kkt"), "for models with loops"),
        (lambda: catena.example("puma").compile().simulate(1, stop_on="singularity<0.1"), "models with loops"),
    ]:
        with pytest.raises(catena.InputError, match=text):
            call()


def test_events_in_one_direction():
    model = catena.example("pendulum")
    model.joint("hinge").coulomb = 0.0
    robot = model.compile()

    def through(t, q, v):
        return q[0]

    for given, rising in (("q.hinge < 0", False), ("q.hinge > 0", True)):
        run = robot.simulate(3.0, {"hinge": 0.3}, events=given)
        assert run.events and all(e.rising is rising for e in run.events)
        through.direction = 1 if rising else -1
        again = robot.simulate(3.0, {"hinge": 0.3}, events=through)
        close([e.time for e in again.events], [e.time for e in run.events], 1e-9)
