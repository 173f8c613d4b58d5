"""Catena: rigid multibody dynamics of robots and machines, open and closed.

    import catena

    robot = catena.load("models/puma.yaml").compile()
    motion = robot.trajectory(robot.neutral(), [1, 0.5, -0.5, 0, 1, 0], duration=2)
    motion_with_forces = robot.table(time=motion.time, q=motion.q, tau=robot.inverse(motion.q, motion.v, motion.a))

Units are SI and radians; twists are [angular; linear], wrenches [moment; force]; quaternions are x y z w.
"""

from __future__ import annotations

import os as _os
from typing import Any as _Any
from typing import Dict as _Dict
from typing import List as _List
from typing import NamedTuple as _NamedTuple
from typing import Union as _Union

from ._core import (
    Generated,
    generated_functions,
    instruction_set,
    loop_methods,
    paper_counts,
    set_threads,
    threads,
)
from ._errors import Error, InputError, Interrupted, NumericalError, SizeError
from .model import Body, Frame, Joint, Loop, Model, Spring, pose
from .robot import (
    BaseParameters,
    CentroidalMomentum,
    ClosedForwardDerivatives,
    ClosedInverseDerivatives,
    ForwardDerivatives,
    FrameDerivatives,
    InverseDerivatives,
    JointInfo,
    Robot,
)
from .table import Event, Simulation, Table

__version__ = "0.1.0"

__all__ = [
    "BaseParameters",
    "Body",
    "CentroidalMomentum",
    "ClosedForwardDerivatives",
    "ClosedInverseDerivatives",
    "Error",
    "Event",
    "ForwardDerivatives",
    "Frame",
    "FrameDerivatives",
    "Generated",
    "InputError",
    "Integrator",
    "Interrupted",
    "InverseDerivatives",
    "Joint",
    "JointInfo",
    "Loop",
    "Method",
    "Model",
    "NumericalError",
    "Robot",
    "Simulation",
    "SizeError",
    "Spring",
    "Table",
    "example",
    "examples",
    "from_mujoco",
    "from_pinocchio",
    "general_chain",
    "generated_functions",
    "instruction_set",
    "integrators",
    "load",
    "loop_methods",
    "methods",
    "paper_counts",
    "pose",
    "set_threads",
    "spacelib",
    "threads",
    "to_pinocchio",
]


class Method(_NamedTuple):
    """A formulation: its name for method=, what it is, and where it comes from."""

    name: str
    title: str
    source: str


class Integrator(_NamedTuple):
    """An integrator: its name for integrator=, what it is, its order, and whether it chooses its steps."""

    name: str
    title: str
    order: int
    adaptive: bool


def methods() -> _List[Method]:
    """All formulations, the default first."""
    from . import _core

    return [Method(*row) for row in _core.methods()]


def integrators() -> _List[Integrator]:
    """All integrators, the default first; those of SUNDIALS where this build has them."""
    from . import _core

    return [Integrator(*row) for row in _core.integrators()]


def example(name: str) -> Model:
    """A model that comes with the package: "puma", "five-bar", "delta", ...; examples() lists them."""
    folder = _os.path.join(_os.path.dirname(__file__), "models")
    path = _os.path.join(folder, name + ".yaml")
    if not _os.path.exists(path):
        raise InputError(f"there is no example '{name}'; there are {', '.join(examples())}")
    return Model.load(path)


def examples() -> _List[str]:
    """Names of the models that come with the package."""
    folder = _os.path.join(_os.path.dirname(__file__), "models")
    return sorted(name[:-5] for name in _os.listdir(folder) if name.endswith(".yaml"))


def general_chain(joints: int) -> Model:
    """A chain of revolute joints in which no constant is 0 or 1, as papers count operations on: see Robot.count()."""
    from . import _core

    return Model._from_core(_core.general_chain(joints), [])


def spacelib(robot: _Union[str, _os.PathLike], motion: _Union[str, _os.PathLike]) -> _Dict[str, _Any]:
    """The 4x4 matrices of SPACELIB's program for a serial robot [Legnani et al. 1996], from its two files.

    robot, motion: paths of the files (docs/spacelib.md). Returns, for T instants and n links, the matrices of the program by
    name: "A", "M0", "W", "W0", "WA", "H", "H0", "HA", "J", "J0", "FI", "ACT0", each (T, n, 4, 4); "tau" (T, n), the forces
    of the motors, N m or N; and "time" (T,), seconds, where the motion has a time step. Inertias are taken as they are,
    also where no real body can have them. The robot's file is a model, too: load(). Raises InputError with line and column.
    """
    from ._core import _spacelib

    return _spacelib(_os.fspath(robot), _os.fspath(motion))


def load(path: _Union[str, _os.PathLike], **options: _Any) -> _Union[Model, Table]:
    """A model (.yaml, .yml, .urdf, .xml, .spacelib, .dat) or a table (.csv, .npz, .npy), by the ending of the file.

    options: allow_unphysical, floating_base and loop_file, of Model.load(). Raises InputError with file, line and column.
    """
    ending = _os.path.splitext(_os.fspath(path))[1].lower()
    if ending in (".csv", ".npz", ".npy"):
        return Table.load(path, **options)
    return Model.load(path, **options)


def __getattr__(name: str):  # converters are imported when they are used
    import importlib

    if name in ("mujoco", "papers", "pinocchio"):
        return importlib.import_module(f".{name}", __name__)
    if name in ("from_pinocchio", "to_pinocchio"):
        return getattr(importlib.import_module(".pinocchio", __name__), name)
    if name == "from_mujoco":
        return importlib.import_module(".mujoco", __name__).from_mujoco
    raise AttributeError(f"module 'catena' has no attribute '{name}'")
