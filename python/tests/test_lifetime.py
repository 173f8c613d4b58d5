"""Nothing dangles, nothing leaks, threads do not disturb each other."""

import gc
import os
import resource
import signal
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from random_models import close, random_state, random_tree

import catena


def test_results_outlive_their_robot():
    robot = random_tree(1).compile()
    q, v, a = random_state(robot, 1, 100)
    results = [robot.inverse(q, v, a), robot.poses(q), robot.limits["lower"], robot.model.bodies[0].com]
    copies = [x.copy() for x in results]
    method, run = robot.inverse, robot.simulate(0.1)
    gone = weakref.ref(run)
    del robot
    gc.collect()
    [random_tree(k).compile() for k in range(20)]
    for x, y in zip(results, copies):
        np.testing.assert_array_equal(x, y)
    close(method(q, v, a), copies[0], 1e-15)  # a bound method keeps its robot
    del run
    gc.collect()
    assert gone() is None


def test_robots_and_models_are_freed():
    model = random_tree(2)
    robot = model.compile()
    watched = [weakref.ref(model), weakref.ref(robot)] if hasattr(type(robot), "__weakref__") else [weakref.ref(model)]
    del model, robot
    gc.collect()
    assert all(ref() is None for ref in watched)


def test_a_function_that_refers_to_its_robot_is_freed(puma):
    class Law:
        def __call__(self, t, q, v):
            return None

    law = Law()
    gone = weakref.ref(law)
    puma.simulate(0.05, controller=law, events=[lambda t, q, v, law=law: 1.0])
    del law
    gc.collect()
    assert gone() is None


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def test_a_hundred_thousand_calls_leak_nothing(puma, five_bar):
    q, v, a = random_state(puma, 1)
    out = np.empty(6)
    strided = np.empty(12)[::2]
    closed = five_bar.assemble()
    few = puma.random(3)

    def calls(n):
        for _ in range(n):
            puma.inverse(q, v, a, out=out)
            puma.inverse(q, v, a, out=strided)
            puma.forward(q.tolist(), v, a, wrenches={"link6": v})
            puma.inertia(few)
            puma.jacobian("link6", q)
            puma.energy(q, v)
            for bad in (q[:3], None, "x"):
                try:
                    puma.inverse(bad, v, a)
                except (ValueError, TypeError):
                    pass
            five_bar.forward(closed)

    calls(300)
    gc.collect()
    before, counted = memory(), len(gc.get_objects())
    references = [sys.getrefcount(x) for x in (q, v, a, out, few)]
    calls(100_000 // 10)
    gc.collect()
    assert [sys.getrefcount(x) for x in (q, v, a, out, few)] == references
    assert len(gc.get_objects()) - counted < 100
    assert memory() - before < 2_000_000


def test_long_runs_leak_nothing(puma):
    def runs(n):
        for _ in range(n):
            puma.simulate(0.02, {"joint2": 0.1}, controller=lambda t, q, v: -v, events=lambda t, q, v: q[0] - 1)
            catena.example("puma").compile().ik("link6", [0.5, 0, 0.05], starts=2)

    runs(20)
    gc.collect()
    before = memory()
    runs(200)
    gc.collect()
    assert memory() - before < 3_000_000


def test_threads_share_a_robot(puma, five_bar):
    """Single and many states, trees and loops, all at once: the numbers are those of one thread."""
    q, v, a = random_state(puma, 1, 200)
    right = puma.inverse(q, v, a)
    closed = five_bar.assemble({"leg1_joint1": np.linspace(0.4, 0.6, 100), "leg2_joint1": 0.5})
    right_closed = five_bar.forward(closed)

    def work(k):
        for _ in range(30):
            np.testing.assert_array_equal(puma.inverse(q[k], v[k], a[k]), puma.inverse(q[k], v[k], a[k]))
            close(puma.inverse(q, v, a), right, 1e-12)
            close(puma.inverse(q, v, a, method="gibbs-appell"), right, 1e-9)
            close(five_bar.forward(closed[k % 100]), right_closed[k % 100], 1e-12)
        close(five_bar.forward(closed), right_closed, 1e-12)
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))


def test_many_states_run_without_pythons_lock(puma):
    q, v, a = random_state(puma, 1, 100_000)
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    spans = []
    for _ in range(5):
        begin = time.perf_counter()
        puma.forward(q, v, a, method="lagrange")
        spans.append((begin, time.perf_counter()))
    stop.set()
    thread.join()
    assert max(sum(begin < t < end for t in ticks) for begin, end in spans) >= 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_its_own_threads(puma):
    """As multiprocessing makes them."""
    q, v, a = random_state(puma, 1, 5000)
    catena.set_threads(3)
    right = puma.inverse(q, v, a)
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # rather than hang
        same = np.array_equal(puma.inverse(q, v, a), right)
        os._exit(0 if same else 1)
    catena.set_threads(0)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_number_of_threads_does_not_change_the_numbers(puma, threads):
    q, v, a = random_state(puma, 1, 500)
    right = puma.forward(q, v, a)
    try:
        catena.set_threads(threads)
        assert catena.threads() == threads
        np.testing.assert_array_equal(puma.forward(q, v, a), right)
    finally:
        catena.set_threads(0)
    with pytest.raises(ValueError):
        catena.set_threads(-1)
