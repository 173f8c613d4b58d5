"""Random trees with every kind of joint, and random states of them."""

import numpy as np

import catena

KINDS = ("revolute", "prismatic", "screw", "cylindrical", "universal", "planar", "spherical", "free", "fixed")


def random_pose(rng):
    q = rng.normal(size=4)
    return catena.pose(rng.normal(size=3), quaternion=q / np.linalg.norm(q))


def random_direction(rng):
    d = rng.normal(size=3)
    return d / np.linalg.norm(d)


def random_inertia(rng, mass):
    """Of four point masses: always that of a real body."""
    points = rng.normal(size=(4, 3)) * 0.3
    points -= points.mean(axis=0)
    return mass / 4 * sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)


def random_tree(seed, bodies=6, kinds=KINDS, passive=False):
    rng = np.random.default_rng(seed)
    model = catena.Model(name=f"tree{seed}", gravity=rng.normal(size=3) * 5)
    for i in range(bodies):
        mass = rng.uniform(0.5, 3)
        model.add_body(f"b{i}", mass, rng.normal(size=3) * 0.3, random_inertia(rng, mass))
        kind = kinds[rng.integers(len(kinds))]
        if kind == "fixed" and i == 0:
            kind = "revolute"  # something moves
        joint = model.add_joint(
            f"j{i}",
            kind,
            "world" if i == 0 else f"b{rng.integers(max(0, i - 3), i)}",
            f"b{i}",
            origin=random_pose(rng),
            child_origin=random_pose(rng),
            axis=random_direction(rng),
            pitch=rng.normal() * 0.2 if kind == "screw" else 0.0,
            rotor_inertia=rng.uniform(0, 0.2) if kind in ("revolute", "prismatic") else 0.0,
            gear_ratio=1.0 if kind == "fixed" else rng.uniform(1, 3),
        )
        if kind == "universal":
            joint.axis2 = np.cross(joint.axis, random_direction(rng))
            joint.axis2 /= np.linalg.norm(joint.axis2)
        if passive and kind in ("revolute", "prismatic"):
            joint.viscous, joint.stiffness, joint.rest = rng.uniform(0, 1, size=3)
    model.add_frame("tool", f"b{bodies - 1}", random_pose(rng))
    return model


def random_state(robot, seed, count=None):
    rng = np.random.default_rng(seed)
    shape = (robot.nv,) if count is None else (count, robot.nv)
    return robot.random(count, seed=seed), rng.normal(size=shape), rng.normal(size=shape)


def close(a, b, tolerance=1e-9):
    """Equal within a tolerance of the largest entry."""
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape, (a.shape, b.shape)
    if a.size:
        size = max(1.0, np.abs(b).max())
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * size)
