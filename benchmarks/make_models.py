#!/usr/bin/env python3
"""Writes the benchmark models as URDF: revolute chains with random inertias and one humanoid.

usage: make_models.py FOLDER [--joints 6,7,12,30,100,1000]

The same call always writes the same files. A chain has a fixed base `link0`, links `link1..linkN` and joints
`joint1..jointN`. The humanoid hangs from the massless link `world` by a `floating` joint: 30 revolute joints,
36 velocities.
"""
import argparse
import math
import pathlib
import random

SEED = 20000


def numbers(values):
    return " ".join(repr(round(v, 9)) for v in values)


def rotation(roll, pitch, yaw):
    """Rz(yaw) Ry(pitch) Rx(roll), as URDF has it."""
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(a), math.cos(a)) for a in (roll, pitch, yaw))
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr]]


def box_inertia(mass, size, rpy=(0, 0, 0)):
    """About the mass centre of a solid box turned by rpy: always a valid inertia."""
    squares = [s * s for s in size]
    moments = [mass / 12 * (sum(squares) - s) for s in squares]
    r = rotation(*rpy)
    return [[sum(r[i][k] * moments[k] * r[j][k] for k in range(3)) for j in range(3)] for i in range(3)]


def link(name, mass=None, com=None, inertia=None):
    if mass is None:
        return f'  <link name="{name}"/>\n'
    i = {f"i{'xyz'[a]}{'xyz'[b]}": inertia[a][b] for a in range(3) for b in range(a, 3)}
    moments = " ".join(f'{key}="{value:.12g}"' for key, value in i.items())
    return (f'  <link name="{name}">\n    <inertial>\n      <origin xyz="{numbers(com)}"/>\n'
            f'      <mass value="{mass:.9g}"/>\n      <inertia {moments}/>\n    </inertial>\n  </link>\n')


def joint(name, kind, parent, child, xyz=(0, 0, 0), rpy=(0, 0, 0), axis=None):
    motion = ""
    if axis:
        motion = (f'    <axis xyz="{" ".join("1" if a == axis else "0" for a in "xyz")}"/>\n'
                  '    <limit lower="-3.14159265" upper="3.14159265" effort="1000" velocity="100"/>\n')
    return (f'  <joint name="{name}" type="{kind}">\n    <parent link="{parent}"/>\n    <child link="{child}"/>\n'
            f'    <origin xyz="{numbers(xyz)}" rpy="{numbers(rpy)}"/>\n{motion}  </joint>\n')


def robot(name, parts):
    return f'<?xml version="1.0"?>\n<robot name="{name}">\n{"".join(parts)}</robot>\n'


def chain(n):
    rng = random.Random(SEED + n)
    parts = [link("link0")]
    for k in range(1, n + 1):
        def vector(size):
            return [rng.uniform(-size, size) for _ in range(3)]
        mass = rng.uniform(0.5, 3)
        inertia = box_inertia(mass, [rng.uniform(0.1, 0.4) for _ in range(3)], vector(math.pi / 2))
        parts.append(link(f"link{k}", mass, vector(0.1), inertia))
        parts.append(joint(f"joint{k}", "revolute", f"link{k - 1}", f"link{k}", vector(0.3), vector(math.pi / 2),
                           "zyx"[(k - 1) % 3]))
    return robot(f"chain{n}", parts)


# A limb is a list of bodies from the trunk outwards:
# name, axis, origin in the parent, mass, mass centre, size of the box with the same inertia.
def leg(side):
    return [("hip_yaw", "z", (0, side * 0.09, -0.08), 1.6, (0, 0, -0.03), (0.1, 0.1, 0.1)),
            ("hip_roll", "x", (0, 0, -0.05), 1.4, (0.01, 0, 0), (0.1, 0.1, 0.1)),
            ("hip_pitch", "y", (0, 0, 0), 6.5, (0, side * 0.01, -0.18), (0.14, 0.14, 0.4)),
            ("knee", "y", (0, 0, -0.4), 3.4, (0.005, 0, -0.17), (0.1, 0.1, 0.38)),
            ("ankle_pitch", "y", (0, 0, -0.4), 0.4, (0, 0, 0), (0.06, 0.06, 0.06)),
            ("ankle_roll", "x", (0, 0, 0), 1.3, (0.04, 0, -0.05), (0.24, 0.1, 0.07))]


def arm(side):
    return [("shoulder_pitch", "y", (0, side * 0.19, 0.28), 0.9, (0, side * 0.02, 0), (0.09, 0.09, 0.09)),
            ("shoulder_roll", "x", (0, 0, 0), 0.8, (0, 0, -0.02), (0.09, 0.09, 0.09)),
            ("shoulder_yaw", "z", (0, 0, 0), 1.9, (0, side * 0.005, -0.14), (0.09, 0.09, 0.28)),
            ("elbow", "y", (0.01, 0, -0.28), 1.3, (0, 0, -0.11), (0.07, 0.07, 0.24)),
            ("wrist_yaw", "z", (0, 0, -0.25), 0.2, (0, 0, 0), (0.05, 0.05, 0.05)),
            ("wrist_pitch", "y", (0, 0, 0), 0.5, (0.01, 0, -0.07), (0.04, 0.09, 0.17))]


WAIST = [("waist_yaw", "z", (0, 0, 0.09), 1.2, (0, 0, 0.02), (0.12, 0.12, 0.06)),
         ("waist_roll", "x", (0, 0, 0.03), 1.0, (0, 0, 0), (0.1, 0.1, 0.08)),
         ("waist_pitch", "y", (0, 0, 0), 22, (0.01, 0, 0.17), (0.2, 0.32, 0.42))]
NECK = [("neck_yaw", "z", (0, 0, 0.39), 0.5, (0, 0, 0.02), (0.07, 0.07, 0.06)),
        ("neck_pitch", "y", (0, 0, 0.05), 0.3, (0, 0, 0), (0.05, 0.05, 0.05)),
        ("neck_roll", "x", (0, 0, 0), 4.2, (0.015, 0, 0.1), (0.19, 0.15, 0.23))]


def humanoid():
    parts = [link("world"), joint("floating_base", "floating", "world", "pelvis"),
             link("pelvis", 9.5, (0, 0, 0.01), box_inertia(9.5, (0.2, 0.3, 0.18)))]
    limbs = [("pelvis", "left_", leg(1)), ("pelvis", "right_", leg(-1)), ("pelvis", "", WAIST),
             ("waist_pitch_link", "left_", arm(1)), ("waist_pitch_link", "right_", arm(-1)),
             ("waist_pitch_link", "", NECK)]
    for parent, prefix, bodies in limbs:
        for name, axis, xyz, mass, com, size in bodies:
            # A slight tilt of the principal axes: no body is a perfect box.
            inertia = box_inertia(mass, size, (0.1, -0.05, 0.07))
            parts.append(link(f"{prefix}{name}_link", mass, com, inertia))
            parts.append(joint(f"{prefix}{name}", "revolute", parent, f"{prefix}{name}_link", xyz, axis=axis))
            parent = f"{prefix}{name}_link"
    return robot("humanoid", parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--joints", default="6,7,12,30,100,1000", help="lengths of the chains")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for n in map(int, args.joints.split(",")):
        (args.folder / f"chain{n}.urdf").write_text(chain(n))
    (args.folder / "humanoid.urdf").write_text(humanoid())


if __name__ == "__main__":
    main()
