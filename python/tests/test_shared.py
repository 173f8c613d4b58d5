"""All models of the shared collection: read, compiled, checked against each other's ways and Pinocchio."""

import copy
import functools
import glob
import os
import shutil

import numpy as np
import pytest
from conftest import ROOT
from random_models import close, random_state

import catena

FOLDER = os.environ.get("CATENA_SHARED_DIR", str(ROOT.parent / "shared")) + "/models"
TREES = sorted(glob.glob(FOLDER + "/example-robot-data/*.urdf"))
PARALLEL = sorted(glob.glob(FOLDER + "/example-parallel-robots/*/robot.urdf"))

pytestmark = [pytest.mark.skipif(not TREES, reason="the collection of models is not there"), pytest.mark.filterwarnings("ignore")]


@functools.lru_cache(maxsize=None)
def parallel(path):
    return catena.load(path, allow_unphysical=True)


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("path", TREES, ids=lambda p: p.rsplit("/", 1)[-1])
def test_trees(path, floating):
    """Every form of the model, every method, one state and many."""
    model = catena.load(path, allow_unphysical=True, floating_base=floating)
    robot = model.compile(allow_unphysical=True)
    q, v, a = random_state(robot, 1, 3)
    tau = robot.inverse(q, v, a)
    for method in ("denoc", "gibbs-appell"):
        close(robot.inverse(q, v, a, method=method), tau, 1e-9)
    for i in range(3):
        close(robot.inverse(q[i], v[i], a[i]), tau[i], 1e-11)
        close(robot.regressor(q[i], v[i], a[i]) @ robot.parameters, tau[i], 1e-9)
    frame = robot.frame_names[-1]
    close(robot.twist(frame, q[0], v[0]), robot.jacobian(frame, q[0]) @ v[0], 1e-11)


@pytest.mark.skipif(not PARALLEL, reason="the collection of models is not there")
@pytest.mark.parametrize("path", PARALLEL, ids=lambda p: p.split("/")[-2])
def test_parallel_robots(path):
    """Loops come from the file beside it; every way to solve them agrees, and Pinocchio where it has such constraints."""
    model = parallel(path)
    robot = model.compile(allow_unphysical=True)
    assert model.loops and robot.closed
    q = robot.assemble()
    assert np.abs(robot.closure(q)).max() < 1e-9
    K = robot.closure_jacobian(q)
    rng = np.random.default_rng(1)
    v = rng.normal(size=robot.nv)
    v -= np.linalg.pinv(K, rcond=1e-9) @ (K @ v)
    tau = np.where([n in robot.actuated for n in robot.velocity_names], rng.normal(size=robot.nv), 0)
    a = robot.forward(q, v, tau)
    for loops in ("kkt", "null-space"):
        close(robot.forward(q, v, tau, loops=loops), a, 1e-6)


@pytest.mark.skipif(not PARALLEL, reason="the collection of models is not there")
def test_loops_of_a_file_with_another_name(tmp_path):
    path = next(p for p in PARALLEL if "5bar" in p)
    shutil.copy(path, tmp_path / "arm.urdf")
    assert not catena.load(tmp_path / "arm.urdf", allow_unphysical=True).loops
    with_loops = catena.load(tmp_path / "arm.urdf", allow_unphysical=True, loop_file=path[: -len("urdf")] + "yaml")
    assert [(x.name, x.kind, x.body1, x.body2) for x in with_loops.loops] == [(x.name, x.kind, x.body1, x.body2) for x in parallel(path).loops]


@pytest.mark.skipif(not PARALLEL, reason="the collection of models is not there")
@pytest.mark.parametrize("path", PARALLEL, ids=lambda p: p.split("/")[-2])
def test_parallel_robots_beside_pinocchio(path):
    pin = pytest.importorskip("pinocchio")
    model = copy.deepcopy(parallel(path))
    for joint in model.joints:
        joint.stiffness = joint.viscous = joint.coulomb = 0.0
    robot = model.compile(allow_unphysical=True)
    try:
        pin_model, constraints = catena.to_pinocchio(model)
    except catena.InputError as refusal:
        pytest.skip(str(refusal))
    q = robot.assemble()
    K = robot.closure_jacobian(q)
    v = np.random.default_rng(1).normal(size=robot.nv)
    v -= np.linalg.pinv(K, rcond=1e-9) @ (K @ v)
    states, data = catena.pinocchio.pinocchio_states(pin_model, robot), pin_model.createData()
    pq, pv = states.back_q(q), states.back_v(q, v)
    pin.initConstraintDynamics(pin_model, data, constraints)
    settings = pin.ProximalSettings(1e-14, 1e-12, 1000)
    theirs = pin.constraintDynamics(pin_model, data, pq, pv, np.zeros(pin_model.nv), constraints, [c.createData() for c in constraints], settings)
    close(robot.forward(q, v), states.a(pq, pv, theirs), 1e-5)
