"""Simulation: laws, Python functions, events, and how runs end."""

import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from random_models import close, random_tree

import catena


@pytest.fixture(scope="module")
def pendulum():
    return catena.example("pendulum").compile()


def oscillator():
    model = catena.Model(name="oscillator", gravity=[0, 0, 0])
    model.add_body("m", 1.0, inertia=[1, 1, 1])
    model.add_joint("x", "prismatic", "world", "m", axis="x")
    return model.compile()


def test_energy_is_conserved(puma):
    model = catena.example("puma")
    for joint in model.joints:
        joint.viscous = joint.coulomb = 0.0
    run = model.compile().simulate(1.0, {"joint2": 0.5}, energy=True, accelerations=True, forces=True)
    assert run.status == "finished" and len(run) == 101 and run.time[-1] == 1.0
    assert np.ptp(run["energy.total"]) < 1e-5
    close(run.a, puma.forward(run.q, run.v), 1e-6)
    assert (run.tau == 0).all() and run.statistics["steps"] > 5


@pytest.mark.parametrize("integrator", [i.name for i in catena.integrators()])
def test_every_integrator_with_a_python_force(integrator):
    """A mass on a spring that Python makes."""
    robot = oscillator()
    fixed = {} if next(i for i in catena.integrators() if i.name == integrator).adaptive else {"step": 1e-4}
    run = robot.simulate(1.0, {"x": 1.0}, tau=lambda t, q, v: -4.0 * q, integrator=integrator, rtol=1e-8, atol=1e-8, **fixed)
    close(run.q[:, 0], np.cos(2 * run.time), 1e-3)


def test_a_controller_follows_a_motion(puma):
    motion = puma.trajectory(puma.neutral(), [1, 0.5, -0.5, 0, 1, 0], 1.0)
    named = puma.simulate(1.0, motion.q[0], controller="computed-torque", motion=motion, kp=100.0, kd=20.0)
    close(named.q, motion.q, 1e-6)

    def law(t, q, v):
        k = min(t, 1.0)
        q_r, v_r, a_r = (np.array([np.interp(k, motion.time, column) for column in part.T]) for part in (motion.q, motion.v, motion.a))
        return puma.inverse(q, v, a_r + 100 * (q_r - q) + 20 * (v_r - v))

    own = puma.simulate(1.0, motion.q[0], controller=law, rtol=1e-6, atol=1e-6)
    close(own.q, motion.q, 1e-3)
    driven = puma.simulate(1.0, motion.q[0], motion=motion, driven=puma.velocity_names, forces=True)
    close(driven.q, motion.q, 1e-9)
    close(driven.tau, puma.inverse(motion.q, motion.v, motion.a), 1e-6)
    back = puma.simulate(1.0, motion.q[0], tau=puma.table(time=driven.time, tau=driven.tau), interpolation="cubic")
    close(back.q, motion.q, 1e-2)


def test_wrenches_from_a_function():
    model = random_tree(5, 3, kinds=("revolute",))
    robot = model.compile()
    F = np.array([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])
    q = robot.random(seed=1)
    run = robot.simulate(0.1, q, controller=lambda t, q, v: (None, {"tool": F}), accelerations=True)
    close(run.a[0], robot.forward(q, wrenches={"tool": F}), 1e-9)


def test_events_are_found_exactly():
    model = catena.example("pendulum")
    model.joint("hinge").coulomb = 0.0  # friction that begins to hold is a switch of its own
    pendulum = model.compile()
    run = pendulum.simulate(3.0, {"hinge": 0.3}, events=["q.hinge = 10 deg", {"top": lambda t, q, v: v[0]}])
    times = [e.time for e in run.events if e.name.startswith("q.")]
    assert len(times) >= 2 and all(abs(np.interp(t, run.time, run["q.hinge"]) - np.radians(10)) < 1e-3 for t in times)
    assert any(e.name == "top" and abs(e.v[0]) < 1e-6 for e in run.events)
    assert {e.rising for e in run.events} == {True, False}
    run = pendulum.simulate(3.0, {"hinge": 0.3}, stop_on="q.hinge=0")
    assert run.status == "stopped" and abs(run["q.hinge"][-1]) < 1e-9 and run.message == "stopped by 'q.hinge=0'"


def test_closed_chains_stay_closed(five_bar):
    run = five_bar.simulate(0.5, {"leg1_joint1": 0.5, "leg2_joint1": 0.5}, tau=lambda t, q, v: -5 * v, energy=True)
    assert np.abs(five_bar.closure(run.q)).max() < 1e-9
    assert run["energy.total"][-1] < run["energy.total"][0]
    with pytest.raises(catena.InputError, match="loops are open by"):
        five_bar.simulate(0.1, np.zeros(4))
    with pytest.raises(catena.InputError, match="contradicts the loops"):
        five_bar.simulate(0.1, five_bar.assemble(), np.array([1.0, 0, 0, 0]))


class Failure(Exception):
    pass


@pytest.mark.parametrize("integrator", ["dormand-prince"] + [i.name for i in catena.integrators() if i.name in ("bdf", "erk")])
@pytest.mark.parametrize("where", ["controller", "tau", "events", "stop_on"])
def test_what_a_function_raises_comes_through(pendulum, where, integrator):
    def f(t, q, v):
        if t > 0.5:
            raise Failure("at last")
        return np.zeros(1) if where in ("controller", "tau") else 1.0

    with pytest.raises(Failure, match="at last") as caught:
        pendulum.simulate(1.0, **{where: f}, integrator=integrator)
    assert 10 < len(caught.value.result) < 101  # the rows up to there
    assert any(entry.name == "f" for entry in caught.traceback)


@pytest.mark.parametrize("bad", [[1, 2], [np.nan], "x", object(), np.zeros((3, 1))])
def test_wrong_results_of_functions_are_told(pendulum, bad):
    with pytest.raises((catena.Error, TypeError, ValueError)):
        pendulum.simulate(1.0, controller=lambda t, q, v: bad)
    with pytest.raises((catena.Error, TypeError, ValueError)):
        pendulum.simulate(1.0, events=lambda t, q, v: "no number")


def test_a_run_that_fails_keeps_its_rows():
    robot = oscillator()
    with pytest.raises(catena.NumericalError, match="rows up to t = ") as caught:  # x'' = x^3 has no end in time
        robot.simulate(10.0, {"x": 1.0}, tau=lambda t, q, v: q**3)
    result = caught.value.result
    assert result.status == "failed" and np.isfinite(result.values).all() and 1 < result.time[-1] < 10


def test_functions_get_copies(pendulum):
    kept = []

    def f(t, q, v):
        kept.append(q)
        q[:] = 1e9  # must not matter
        return np.zeros(1)

    run = pendulum.simulate(0.1, {"hinge": 0.3}, controller=f)
    close(run.q, pendulum.simulate(0.1, {"hinge": 0.3}).q, 1e-9)
    assert all((q == 1e9).all() for q in kept)


INTERRUPT = """
import os, signal, sys, threading, time
import catena
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it
model = catena.example("pendulum")
model.joint("hinge").viscous = model.joint("hinge").coulomb = 0.0  # it never rests
robot = model.compile()
{prepare}
threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.time()
try:
    robot.simulate(1e7, {{"hinge": 0.3}}, sample=1.0{options})
except catena.Interrupted as interrupted:
    result = interrupted.result
    assert isinstance(interrupted, KeyboardInterrupt) and result.status == "interrupted"
    assert time.time() - begin < 10
    print(len(result), result.time[-1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("options", ["", ", controller=lambda t, q, v: None", ", stop_on=lambda t, q, v: 1.0"])
def test_interrupts_keep_the_samples(options):
    done = subprocess.run([sys.executable, "-c", INTERRUPT.format(prepare="", options=options)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    rows, last = done.stdout.split()
    assert int(rows) > 10 and float(last) == int(rows) - 1


class Pause(Exception):
    pass


def interrupted_at(time, f=lambda t, q, v: None):
    """A controller that raises once, at this time."""
    armed = [True]

    def controller(t, q, v):
        if armed and t > time:
            armed.clear()
            raise Pause
        return f(t, q, v)

    return controller


@pytest.mark.parametrize("integrator", [i.name for i in catena.integrators()])
def test_a_run_that_goes_on_is_the_same_to_the_bit(puma, integrator):
    fixed = {} if next(i for i in catena.integrators() if i.name == integrator).adaptive else {"step": 2e-3}
    arguments = dict(events=["q.joint2=0.6", "qd.joint3=0"], energy=True, integrator=integrator, rtol=1e-6, atol=1e-6, **fixed)
    start = {"joint2": 0.5}, {"joint1": 1.0, "joint3": -1.0}
    f = lambda t, q, v: 5 * np.sin(3 * t) - 2 * v  # noqa: E731
    whole = puma.simulate(0.5, *start, controller=f, **arguments)
    with pytest.raises(Pause) as caught:
        puma.simulate(0.5, *start, controller=interrupted_at(0.2, f), **arguments)
    run = caught.value.result
    if run.state is None:  # it looks back over steps
        with pytest.raises(catena.InputError, match="cannot go on"):
            puma.simulate(0.5, controller=f, resume=run, **arguments)
        return
    assert 1 < len(run) < len(whole) and run.state["time"] < 0.2 + 1e-9
    with pytest.raises(Pause) as caught:  # and once more, kept in a file meanwhile
        puma.simulate(0.4, controller=interrupted_at(0.3, f), resume=pickle.loads(pickle.dumps(run)), **arguments)
    again = puma.simulate(0.5, *start, controller=f, resume=caught.value.result, **arguments)
    assert again.status == "finished" and again.state is None
    np.testing.assert_array_equal(again.values, whole.values)
    assert len(again.events) == len(whole.events) > 0
    assert all(x.name == y.name and x.time == y.time and (x.q == y.q).all() for x, y in zip(again.events, whole.events))
    for name, value in whole.statistics.items():
        assert name == "seconds" or again.statistics[name] == value, name
    with pytest.raises(catena.InputError, match="another 'rtol'"):
        puma.simulate(0.5, controller=f, resume=run, **{**arguments, "rtol": 1e-7})
    with pytest.raises(catena.InputError, match="another 'q'"):
        puma.simulate(0.5, {"joint2": 0.4}, controller=f, resume=run, **arguments)
    with pytest.raises(catena.InputError, match="the run is at"):
        puma.simulate(0.1, controller=f, resume=run, **arguments)
    with pytest.raises(catena.InputError, match="another 'model'"):
        catena.example("pendulum").compile().simulate(0.5, resume=run)
    with pytest.raises(catena.InputError, match="not dict"):
        puma.simulate(0.5, resume=run.state)
    with pytest.raises(catena.InputError, match="this run is finished"):
        puma.simulate(0.5, controller=f, resume=whole, **arguments)


@pytest.mark.parametrize("coordinates", ["all", "independent"])
def test_a_closed_chain_goes_on(five_bar, coordinates):
    arguments = dict(coordinates=coordinates, sample=0.01)
    start = {"leg1_joint1": 0.5, "leg2_joint1": 0.5}
    whole = five_bar.simulate(0.3, start, controller=lambda t, q, v: -2 * v, **arguments)
    with pytest.raises(Pause) as caught:
        five_bar.simulate(0.3, start, controller=interrupted_at(0.15, lambda t, q, v: -2 * v), **arguments)
    again = five_bar.simulate(0.3, controller=lambda t, q, v: -2 * v, resume=caught.value.result, **arguments)
    assert 1 < len(caught.value.result) < len(whole)
    np.testing.assert_array_equal(again.values, whole.values)
    for name, value in whole.statistics.items():
        assert name == "seconds" or again.statistics[name] == value, name


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_other_signal_handlers_work():
    prepare = "def handler(*a): raise LookupError('mine')\nsignal.signal(signal.SIGINT, handler)"
    done = subprocess.run([sys.executable, "-c", INTERRUPT.format(prepare=prepare, options="")], capture_output=True, text=True, timeout=60)
    assert "LookupError: mine" in done.stderr


def test_other_threads_run_during_a_simulation(puma):
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    puma.simulate(200.0, {"joint2": 0.5}, sample=1.0, rtol=1e-10, atol=1e-10)
    end = time.perf_counter()
    stop.set()
    thread.join()
    assert sum(begin < t < end for t in ticks) >= min(3, (end - begin) / 0.1)


def test_errors_of_simulations(puma, five_bar):
    for call, text in [
        (lambda: puma.simulate(0), "more than zero seconds"),
        (lambda: puma.simulate(float("nan")), "more than zero seconds"),
        (lambda: puma.simulate(1, {"joint9": 1}), "'joint9' is not a position"),
        (lambda: puma.simulate(1, integrator="rk5"), "rk5"),
        (lambda: puma.simulate(1, integrator="rk4"), "step"),
        (lambda: puma.simulate(1, controller="pd"), "needs kp and kd"),
        (lambda: puma.simulate(1, controller="pid", kp=1, kd=1), "there is no controller 'pid'"),
        (lambda: puma.simulate(1, controller="pd", kp=-1, kd=1), "below zero"),
        (lambda: puma.simulate(1, driven=["joint1"]), "driven needs motion"),
        (lambda: puma.simulate(1, events="joint1"), "not of the form"),
        (lambda: puma.simulate(1, events="q.joint1=3 mm"), "event 'q.joint1=3 mm': .*is a length"),
        (lambda: puma.simulate(1, events="q.joint7=3"), "no position or velocity"),
        (lambda: puma.simulate(1, events=[3]), "an event is"),
        (lambda: puma.simulate(1, rtol=0), "rtol"),
        (lambda: puma.simulate(1, sample=-1), "sample"),
        (lambda: five_bar.simulate(1, method="denoc"), "without loops"),
    ]:
        with pytest.raises(catena.InputError, match=text):
            call()


@pytest.mark.parametrize("stepper", ["rk4", "euler"])
def test_rollouts_are_simulations(stepper):
    model = random_tree(4, 4, kinds=("revolute", "prismatic", "spherical"))
    robot = model.compile()
    q, v = robot.random(20, seed=1), 0.1 * np.random.default_rng(1).normal(size=(20, robot.nv))
    tau = np.random.default_rng(2).normal(size=(20, robot.nv))
    q_end, v_end = robot.rollout(q, v, tau, step=1e-3, steps=100, every=50, stepper=stepper)
    assert q_end.shape == (20, 2, robot.nq) and v_end.shape == (20, 2, robot.nv)
    for i in (0, 19):
        run = robot.simulate(0.1, q[i], v[i], tau=tau[i], integrator=stepper, step=1e-3, sample=0.05)
        close(q_end[i], run.q[1:], 1e-9)
        close(v_end[i], run.v[1:], 1e-8)
    each = robot.rollout(q, v, np.repeat(tau[:, None], 100, axis=1), step=1e-3, steps=100, every=50, stepper=stepper)
    close(each[0], q_end, 1e-15)
    with pytest.raises(catena.InputError, match="multiple of every"):
        robot.rollout(q, v, step=1e-3, steps=5, every=2)
    with pytest.raises(catena.SizeError, match="tau has shape"):
        robot.rollout(q, v, np.zeros((20, 3, robot.nv)), step=1e-3, steps=5)
    with pytest.raises(catena.InputError, match="without loops"):
        catena.example("five-bar").compile().rollout(np.zeros(4), step=1e-3, steps=5)
