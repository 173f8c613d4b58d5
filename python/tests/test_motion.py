"""Trajectories and inverse kinematics."""

import numpy as np
import pytest
from random_models import close

import catena


@pytest.mark.parametrize("timing", ["cycloidal", "quintic", "trapezoidal"])
def test_point_to_point_goes_there_at_rest(puma, timing):
    end = np.array([1, 0.5, -0.5, 0, 1, 0])
    motion = puma.trajectory(puma.neutral(), end, 2.0, timing=timing, samples=401)
    close(motion.q[0], np.zeros(6))
    close(motion.q[-1], end)
    assert motion.time[-1] == 2.0 and len(motion) == 401
    close(np.gradient(motion.q, motion.time, axis=0)[2:-2], motion.v[2:-2], 1e-3)
    if timing != "trapezoidal":
        close(np.gradient(motion.v, motion.time, axis=0)[2:-2], motion.a[2:-2], 1e-2)


def test_limits_of_speed_and_acceleration_are_used(puma):
    motion = puma.trajectory(puma.neutral(), [1, 0, 0, 0, 0, 0.5], timing="trapezoidal", speed=0.5, acceleration=2.0, step=0.01)
    close(np.abs(motion.v).max(), 0.5, 1e-3)
    close(np.abs(motion.a).max(), 2.0, 1e-3)


def test_a_spline_goes_through_its_points(puma):
    points = np.random.default_rng(1).normal(size=(5, 6))
    motion = puma.spline([0, 1, 2, 3, 4], points, samples=401)
    close(motion.q[::100], points)
    close(motion.v[[0, -1]], np.zeros((2, 6)))


def test_a_line_is_straight(puma):
    near = puma.ik("link6", [0.5, 0, 0.05], catena.pose(rpy=[0, np.pi / 2, 0])[:3, :3])[0]
    motion = puma.line("link6", [0.5, 0.3, 0.1], 2.0, near=near, samples=51)
    X = puma.pose("link6", motion.q)
    begin, end = X[0, :3, 3], np.array([0.5, 0.3, 0.1])
    way = X[:, :3, 3] - begin
    direction = (end - begin) / np.linalg.norm(end - begin)
    close(way, np.outer(way @ direction, direction), 1e-10)
    close(X[-1, :3, 3], end, 1e-10)
    close(X[:, :3, :3], np.tile(X[0, :3, :3], (51, 1, 1)), 1e-10)
    close(puma.twist("link6", motion.q, motion.v)[:, :3], np.zeros((51, 3)), 1e-9)
    arc = puma.line("link6", [0.5, 0.3, 0.1], 2.0, via=[0.45, 0.15, 0.2], near=near, free_rotation=True)
    distance = np.linalg.norm(puma.pose("link6", arc.q)[:, :3, 3] - [0.45, 0.15, 0.2], axis=1)
    assert distance.min() < 0.02
    with pytest.raises(catena.NumericalError, match="the path leaves what the machine can reach"):
        puma.line("link6", [3, 0, 0], 2.0, near=near)


def test_inverse_kinematics_is_the_inverse(puma):
    q = puma.random(seed=4)
    X = puma.pose("link6", q)
    solutions = puma.ik("link6", X[:3, 3], X[:3, :3])
    assert solutions.ndim == 2 and len(solutions) >= 4  # elbow, shoulder and wrist
    close(puma.pose("link6", solutions), np.tile(X, (len(solutions), 1, 1)), 1e-9)
    nearest = puma.ik("link6", X[:3, 3], X[:3, :3], near=q, starts=1)
    close(nearest[0], q, 1e-9)


def test_errors_of_motion(puma):
    for call, text in [
        (lambda: puma.trajectory(puma.neutral(), np.ones(6)), "how long"),
        (lambda: puma.trajectory(puma.neutral(), np.ones(6), -1.0), "more than zero seconds"),
        (lambda: puma.trajectory(puma.neutral(), np.ones(6), 1.0, speed=1.0), "exclude each other"),
        (lambda: puma.trajectory(puma.neutral(), np.ones(6), 1.0, timing="cubic"), "cycloidal"),
        (lambda: puma.trajectory(puma.neutral(), np.ones(6), 1.0, samples=1), "two samples"),
        (lambda: puma.spline([0, 1], np.zeros((2, 6)), ends="open"), "ends are"),
        (lambda: puma.spline([1, 0], np.zeros((2, 6))), "time"),
        (lambda: puma.ik("link6"), "where to"),
        (lambda: puma.ik("link6", rotation=np.diag([1, 1, 2.0])), "not orthonormal"),
    ]:
        with pytest.raises(catena.InputError, match=text):
            call()
    with pytest.raises(catena.NumericalError, match="no solution was found for frame 'link6' from 5 starts"):
        puma.ik("link6", [9, 9, 9], starts=5)
    with pytest.raises(catena.SizeError):
        puma.spline([0, 1, 2], np.zeros((2, 6)))
