#!/usr/bin/env python3
"""Compares the catena program with Pinocchio, where Pinocchio can be imported.

usage: pinocchio_check.py CATENA MODELS_FOLDER [URDF_FOLDER]

Every model goes through URDF without friction, mimics and our own elements, which Pinocchio's
reader would ignore or treat otherwise; with a fixed and with a floating base. Exit code 1 if
anything differs by more than 1e-10 of the largest entry.
"""
import csv
import io
import pathlib
import re
import subprocess
import sys
import tempfile

TOLERANCE = 1e-10
STATES = 20


def run(catena, *arguments):
    done = subprocess.run([catena, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"catena {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


def plain_urdf(text):
    """Without the elements on which the two programs differ by intent."""
    for element in ("dynamics", "mimic", "catena", "transmission", "gazebo", "loop"):
        text = re.sub(rf"<{element}\b[^>]*/>", "", text)
        text = re.sub(rf"<{element}\b.*?</{element}>", "", text, flags=re.S)
    return text


class Robot:
    """One model in both programs, and the way between their coordinates."""

    def __init__(self, pin, numpy, catena, urdf, floating):
        self.np, self.catena, self.urdf, self.floating = numpy, catena, urdf, floating
        base = (pin.JointModelFreeFlyer(),) if floating else ()
        self.model = pin.buildModelFromUrdf(str(urdf), *base)
        self.data = self.model.createData()
        self.options = ["--allow-unphysical"] + (["--floating-base"] if floating else [])
        self.velocities = []  # ours, in the order of theirs: (column suffix, index of theirs)
        for i in range(1, self.model.njoints):
            joint, name = self.model.joints[i], self.model.names[i]
            if joint.nv == 6:  # linear part first there
                self.velocities += [(f"root.{k}", joint.idx_v + (k + 3) % 6) for k in range(6)]
            else:
                assert joint.nv == 1, f"{name} has {joint.nv} coordinates"
                self.velocities.append((name, joint.idx_v))

    def positions(self, generator):
        """A random configuration: their vector, and our columns."""
        q, ours = self.np.zeros(self.model.nq), {}
        for i in range(1, self.model.njoints):
            joint, name = self.model.joints[i], self.model.names[i]
            if joint.nv == 6:
                x = generator.normal(size=7)
                x[3:] /= self.np.linalg.norm(x[3:])
                q[joint.idx_q : joint.idx_q + 7] = x
                ours.update({f"q.root.{k}": x[k] for k in range(7)})
                continue
            angle = generator.uniform(-3, 3)
            ours[f"q.{name}"] = angle
            circle = [self.np.cos(angle), self.np.sin(angle)]
            q[joint.idx_q : joint.idx_q + joint.nq] = circle if joint.nq == 2 else [angle]
        return q, ours

    def columns(self, prefix, vector):
        return {f"{prefix}.{name}": vector[k] for name, k in self.velocities}

    def ask(self, command, option, rows, prefix):
        """The rows that the program answers, in their order of coordinates."""
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
            writer = csv.DictWriter(table, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows({k: repr(float(v)) for k, v in row.items()} for row in rows)
            table.flush()
            text = run(self.catena, command, self.urdf, option, table.name, *self.options)
        answer = []
        for row in csv.DictReader(io.StringIO(text)):
            vector = self.np.zeros(self.model.nv)
            for name, k in self.velocities:
                vector[k] = float(row[f"{prefix}.{name}"])
            answer.append(vector)
        return answer


def compare(pin, numpy, robot, generator):
    """The worst relative differences: our forces, and their forces of our accelerations."""
    motions, states, given = [], [], []
    for _ in range(STATES):
        q, columns = robot.positions(generator)
        v, a, f = (generator.uniform(-1, 1, robot.model.nv) for _ in range(3))
        rates = columns | robot.columns("qd", v)
        motions.append(rates | robot.columns("qdd", a))
        states.append(rates | robot.columns("tau", f))
        given.append((q, v, a, f))
    forces = robot.ask("inverse", "--motion", motions, "tau")
    accelerations = robot.ask("forward", "--state", states, "qdd")
    assert len(forces) == len(accelerations) == STATES

    def theirs(q, v, a):
        return numpy.array(pin.rnea(robot.model, robot.data, q, v, a))

    inverse = forward = 0.0
    for (q, v, a, f), tau, qdd in zip(given, forces, accelerations):
        expected = theirs(q, v, a)
        inverse = max(inverse, abs(tau - expected).max() / abs(expected).max())
        # light fingers make M ill-conditioned: rounding is measured where it arises
        M = pin.crba(robot.model, robot.data, q)
        size = (abs(numpy.triu(M) + numpy.triu(M, 1).T) @ abs(qdd)).max()
        forward = max(forward, abs(theirs(q, v, qdd) - f).max() / (size + abs(expected).max()))
    return inverse, forward


def main():
    try:
        import numpy
        import pinocchio as pin
    except ImportError:
        print("Pinocchio is not installed")
        return 0
    catena = sys.argv[1]
    folders = [pathlib.Path(folder) for folder in sys.argv[2:]]
    generator = numpy.random.default_rng(1)
    failures = compared = 0
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted(p for f in folders for p in f.glob("*") if p.suffix in (".yaml", ".urdf")):
            urdf = pathlib.Path(scratch) / f"{path.stem}.urdf"
            try:
                run(catena, "convert", path, urdf, "--allow-unphysical")
            except RuntimeError as error:
                print(f"{path.name}: skipped, no URDF: {error}")
                continue
            urdf.write_text(plain_urdf(urdf.read_text()))
            for floating in (False, True):
                label = f"{path.name}{', floating' if floating else ''}"
                try:
                    robot = Robot(pin, numpy, catena, urdf, floating)
                    worst = compare(pin, numpy, robot, generator)
                except (AssertionError, RuntimeError, ValueError, KeyError) as error:
                    print(f"{label}: skipped: {str(error).splitlines()[0].rsplit(': ', 1)[-1]}")
                    continue
                compared += 1
                wrong = max(worst) > TOLERANCE
                failures += wrong
                print(f"{label}: inverse {worst[0]:.1e}, forward {worst[1]:.1e}{', WRONG' if wrong else ''}")
    print(f"Pinocchio {pin.__version__}: {compared} models compared, {failures} wrong")
    return 1 if failures or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
