#!/usr/bin/env python3
"""Calls from Python beside Pinocchio's, in one run: what a call costs over C++, one state and many, and the import.

usage: benchmarks/python.py     (make bench-python)
"""

import subprocess
import sys
import time
import timeit

import numpy as np

import catena

try:
    import pinocchio as pin
except ImportError:
    pin = None


def nanoseconds(statement, names, number, timer=time.process_time):
    """Of processor time, so that others on the machine count little."""
    return 1e9 * min(timeit.repeat(statement, timer=timer, globals=names, number=number, repeat=15)) / number


def compare(name):
    model = catena.example(name)
    for joint in model.joints:  # Pinocchio's dynamics leave them out
        joint.stiffness = joint.viscous = joint.coulomb = 0.0
    robot = model.compile()
    rng = np.random.default_rng(1)
    q, v, a = robot.random(seed=1), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    names = {"r": robot, "q": q, "v": v, "a": a, "out": np.empty(robot.nv), "M": np.empty((robot.nv, robot.nv))}
    kernel = 1e9 * min(robot._inverse_seconds(q, v, a, 20000) for _ in range(15))
    ours = nanoseconds("r.inverse(q, v, a, out=out)", names, 20000)
    print(f"{name}, {robot.nv} velocities: one call, ns")
    print(f"  inverse, C++ alone      {kernel:8.0f}")
    print(f"  inverse, out=           {ours:8.0f}   {ours - kernel:.0f} over C++")
    print(f"  inverse                 {nanoseconds('r.inverse(q, v, a)', names, 20000):8.0f}")
    print(f"  forward, out=           {nanoseconds('r.forward(q, v, a, out=out)', names, 10000):8.0f}")
    print(f"  inertia, out=           {nanoseconds('r.inertia(q, out=M)', names, 10000):8.0f}")
    count = 100_000
    names.update(Q=robot.random(count, seed=2), V=rng.normal(size=(count, robot.nv)), Out=np.empty((count, robot.nv)))
    alone = 1e9 * min(robot._inverse_many_seconds(names["Q"], names["V"], names["V"], names["Out"], 1) for _ in range(15)) / count
    print(f"  the same, C++ alone     {alone:8.1f}   per state, 1 thread")
    for threads in sorted({1, catena.threads()}):
        catena.set_threads(threads)
        per_state = nanoseconds("r.inverse(Q, V, V, out=Out)", names, 1, time.process_time if threads == 1 else time.perf_counter) / count
        more = f", {100 * (per_state / alone - 1):.0f} % over C++" if threads == 1 else "s"
        print(f"  inverse, {count} states {per_state:8.1f}   per state, {threads} thread{more}")
    catena.set_threads(0)
    if pin is None:
        return
    pin_model, _ = catena.to_pinocchio(model)
    states = catena.pinocchio.pinocchio_states(pin_model, robot)
    names.update(p=pin_model, d=pin_model.createData(), pin=pin, pq=states.back_q(q), pv=states.back_v(q, v), pa=states.back_v(q, a))
    theirs = nanoseconds("pin.rnea(p, d, pq, pv, pa)", names, 20000)
    print(f"  pin.rnea                {theirs:8.0f}   {theirs / ours:.1f} times ours")
    print(f"  pin.aba                 {nanoseconds('pin.aba(p, d, pq, pv, pa)', names, 10000):8.0f}")
    print(f"  pin.crba                {nanoseconds('pin.crba(p, d, pq)', names, 10000):8.0f}")


def import_time():
    code = "import time; t, p = time.perf_counter(), time.process_time(); import catena; print(time.perf_counter() - t, time.process_time() - p)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() for _ in range(9)]
    wall, processor = (sorted(1e3 * float(run[k]) for run in runs) for k in (0, 1))
    print(f"import catena: {wall[0]:.0f} ms at best, {wall[4]:.0f} ms as a rule; of the processor {processor[0]:.0f} and {processor[4]:.0f} ms")


if __name__ == "__main__":
    print(f"catena {catena.__version__}, {catena.instruction_set()}, Python {sys.version.split()[0]}, numpy {np.__version__}")
    for example in ("puma", "arm-7r", "quadruped"):
        compare(example)
    import_time()
