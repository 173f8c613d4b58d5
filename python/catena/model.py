"""Models: what people write. Named bodies, joints and frames in the author's own frames."""

from __future__ import annotations

import dataclasses
import json
import os
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Union

from . import _core
from ._errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .robot import Robot

_INF = float("inf")


def pose(
    xyz: ArrayLike = (0, 0, 0),
    *,
    rpy: Optional[ArrayLike] = None,
    quaternion: Optional[ArrayLike] = None,
    rotation: Optional[ArrayLike] = None,
) -> NDArray:
    """A pose as a homogeneous matrix (4, 4): v_P = R v_B, and the origin of B at xyz in P.

    xyz: (3,) metres. At most one of rpy: (3,) roll, pitch, yaw about the fixed axes x, y, z (URDF), radians;
    quaternion: (4,) x y z w; rotation: (3, 3).
    """
    import numpy as np

    X = np.eye(4)
    X[:3, 3] = np.asarray(xyz, dtype=float)
    if sum(part is not None for part in (rpy, quaternion, rotation)) > 1:
        raise InputError("give one of rpy, quaternion and rotation")
    if rotation is not None:
        X[:3, :3] = rotation
    elif rpy is not None:
        (sr, sp, sy), (cr, cp, cy) = np.sin(rpy), np.cos(rpy)
        X[:3, :3] = [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    elif quaternion is not None:
        q = np.asarray(quaternion, dtype=float)
        if q.shape != (4,) or not abs(np.linalg.norm(q) - 1) < 1e-6:
            raise InputError("a quaternion has four numbers x y z w of norm 1")
        x, y, z, w = q / np.linalg.norm(q)
        X[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    return X


def _as_pose(value: Any) -> Any:
    """None, xyz, keyword arguments of pose(), or a (4, 4) matrix."""
    import numpy as np

    if value is None:
        return np.eye(4)
    if isinstance(value, Mapping):
        return pose(**value)
    value = np.array(value, dtype=float)
    return pose(value) if value.shape == (3,) else value


def _as_inertia(value: Any) -> Any:
    """None, three principal moments, six numbers xx yy zz xy xz yz, or a (3, 3) matrix."""
    import numpy as np

    if value is None:
        return np.zeros((3, 3))
    value = np.array(value, dtype=float)
    if value.shape == (3,):
        return np.diag(value)
    if value.shape == (6,):
        xx, yy, zz, xy, xz, yz = value
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return value


_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def _as_axis(value: Any) -> Any:
    """A direction: (3,), or "x", "-x", ..."""
    import numpy as np

    if isinstance(value, str):
        sign, name = (-1, value[1:]) if value.startswith("-") else (1, value)
        if name not in _AXES:
            raise InputError(f"axis '{value}' is not x, y, z, -x, -y or -z")
        value = [sign * part for part in _AXES[name]]
    return np.array(value, dtype=float)


def _as_vector(value: Any) -> Any:
    import numpy as np

    return np.array(value, dtype=float)


@dataclasses.dataclass(eq=False)
class Body:
    """A rigid body.

    mass: kg. com: (3,) mass centre in the body frame, m. inertia: (3, 3) about the mass centre in body axes, kg m^2;
    also given as (3,) principal moments or (6,) xx yy zz xy xz yz.
    """

    name: str
    mass: float = 0.0
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = None
    where: Optional[Tuple[str, int, int]] = dataclasses.field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.com, self.inertia = _as_vector(self.com), _as_inertia(self.inertia)


@dataclasses.dataclass(eq=False)
class Joint:
    """A joint of the tree: the pose of the child in the parent is origin . motion(q) . child_origin.

    kind: fixed, revolute, prismatic, screw, cylindrical, universal, planar, spherical or free.
    origin, child_origin: (4, 4); also xyz or keyword arguments of pose(). axis, axis2: (3,) or "x", "-x", ... in the
    joint frame (axis2: second axis of a universal joint). pitch: m/rad, of a screw.
    lower, upper: limits of each coordinate, rad or m; velocity, effort: rad/s or m/s, N m or N.
    stiffness, rest, viscous, coulomb, rotor_inertia, gear_ratio: the joint on its own needs
    stiffness (q - rest) + viscous v + coulomb sign(v) + rotor_inertia gear_ratio^2 a.
    mimic: (joint, multiplier, offset): q = multiplier * q of that joint + offset.
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Any = None
    child_origin: Any = None
    axis: Any = (0.0, 0.0, 1.0)
    axis2: Any = (1.0, 0.0, 0.0)
    pitch: float = 0.0
    lower: float = -_INF
    upper: float = _INF
    velocity: float = _INF
    effort: float = _INF
    stiffness: float = 0.0
    rest: float = 0.0
    viscous: float = 0.0
    coulomb: float = 0.0
    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0
    mimic: Optional[Tuple[str, float, float]] = None
    where: Optional[Tuple[str, int, int]] = dataclasses.field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.origin, self.child_origin = _as_pose(self.origin), _as_pose(self.child_origin)
        self.axis, self.axis2 = _as_axis(self.axis), _as_axis(self.axis2)


@dataclasses.dataclass(eq=False)
class Frame:
    """A named frame fixed on a body. origin: (4, 4) in the body frame; also xyz or keyword arguments of pose()."""

    name: str
    body: str
    origin: Any = None
    where: Optional[Tuple[str, int, int]] = dataclasses.field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.origin = _as_pose(self.origin)


@dataclasses.dataclass(eq=False)
class Loop:
    """A joint that closes a loop between two bodies that the tree connects already.

    kind: as of Joint (but free), or "rod": the two origins keep the distance `length`, m. origin1, origin2: (4, 4) on
    body1 and body2; they coincide where the joint is at zero. axis: (3,) in both. axis2: of a universal joint, fixed
    on body2. pitch: m/rad, of a screw.
    """

    name: str
    kind: str
    body1: str
    body2: str
    origin1: Any = None
    origin2: Any = None
    axis: Any = (0.0, 0.0, 1.0)
    axis2: Any = (1.0, 0.0, 0.0)
    pitch: float = 0.0
    length: float = 0.0
    where: Optional[Tuple[str, int, int]] = dataclasses.field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.origin1, self.origin2 = _as_pose(self.origin1), _as_pose(self.origin2)
        self.axis, self.axis2 = _as_axis(self.axis), _as_axis(self.axis2)


@dataclasses.dataclass(eq=False)
class Spring:
    """A spring and damper between two points: stiffness (l - length) + damping dl/dt draws them together.

    point1, point2: (3,) in the frames of body1 and body2, m. stiffness: N/m, damping: N s/m, length: m.
    """

    name: str
    body1: str
    body2: str
    point1: Any = (0.0, 0.0, 0.0)
    point2: Any = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    damping: float = 0.0
    length: float = 0.0
    where: Optional[Tuple[str, int, int]] = dataclasses.field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.point1, self.point2 = _as_vector(self.point1), _as_vector(self.point2)


@dataclasses.dataclass(eq=False, repr=False)
class Model:
    """A model: plain data to read, edit, save and compile.

    ground: the body that does not move; it need not be in bodies. gravity: (3,) in the world, m/s^2.
    actuators: names of the joints whose forces are free to choose in a mechanism with loops; none named: all.
    driven: names of the joints whose motion is prescribed; their forces are free to choose, too.
    start: {joint: position(s)} near which loops are closed.

        model = catena.Model.load("models/puma.yaml")
        robot = model.compile()
    """

    name: str = "model"
    note: str = ""
    ground: str = "world"
    gravity: Any = (0.0, 0.0, -9.81)
    bodies: List[Body] = dataclasses.field(default_factory=list)
    joints: List[Joint] = dataclasses.field(default_factory=list)
    frames: List[Frame] = dataclasses.field(default_factory=list)
    loops: List[Loop] = dataclasses.field(default_factory=list)
    springs: List[Spring] = dataclasses.field(default_factory=list)
    actuators: List[str] = dataclasses.field(default_factory=list)
    driven: List[str] = dataclasses.field(default_factory=list)
    start: Dict[str, Any] = dataclasses.field(default_factory=dict)
    where: Optional[Tuple[str, int, int]] = dataclasses.field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.gravity = _as_vector(self.gravity)

    # From files, text and dictionaries.

    @classmethod
    def load(
        cls,
        path: Union[str, os.PathLike],
        *,
        allow_unphysical: bool = False,
        floating_base: bool = False,
        loop_file: Union[str, os.PathLike] = "",
    ) -> Model:
        """Reads and checks a model file: .yaml, .yml (native), .urdf, .xml (URDF), .spacelib, .dat (SPACELIB).

        allow_unphysical: inertias that no real body can have become warnings. floating_base: on a free joint 'root'.
        loop_file: the loops of a URDF (docs/urdf.md); by default the .yaml of its name beside it.
        Warnings are those of Python's warnings module. Raises InputError with file, line and column.
        """
        core, told = _core.read_model(os.fspath(path), allow_unphysical, floating_base, os.fspath(loop_file))
        return cls._from_core(core, told)

    @classmethod
    def from_text(
        cls, text: str, format: str = "yaml", *, name: str = "text", floating_base: bool = False
    ) -> Model:
        """A model from text. format: "yaml", "urdf" or "spacelib"; name stands for the file in messages."""
        core, told = _core.parse_model(text, format, name)
        if floating_base:
            core = core.with_free_base()
        return cls._from_core(core, told + core.validate())

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Model:
        """A model from a dictionary with the keys of the native format (docs/model-format.md), units and DH tables too.

        Numbers may be numpy's, matrices arrays.
        """
        text = json.dumps(data, default=_plain, indent=0)
        try:
            return cls.from_text(text, name="dict")
        except InputError as error:
            if error.file != "dict":
                raise
            lines = text.splitlines()
            near = lines[error.line - 1].strip().rstrip(",") if 0 < error.line <= len(lines) else ""
            message = error.problem + (f" (at {near})" if near else "")
            told = InputError(message + (f"\n    {error.remedy}" if error.remedy else ""))
            told.problem, told.remedy = message, error.remedy
            raise told from None

    @classmethod
    def _from_core(cls, core: _core.Model, told: List[str]) -> Model:
        for text in told:
            warnings.warn(text, stacklevel=3)
        parts = core.parts()
        for key, kind in _PARTS.items():
            parts[key] = [kind(**part) for part in parts[key]]
        return cls(**parts)

    def _in_cpp(self) -> _core.Model:
        return _core.Model(self).with_cut_joints()

    # To files, text and dictionaries.

    def to_yaml(self) -> str:
        """The model in the native format; reads back to the same numbers bit for bit."""
        return self._in_cpp().to_text("model.yaml")

    def to_urdf(self) -> str:
        """The model as URDF; what URDF cannot say is in <catena .../> elements that other readers ignore."""
        return self._in_cpp().to_text("model.urdf")

    def to_dict(self) -> Dict[str, Any]:
        """The model as a dictionary with the keys of the native format; from_dict() takes it back."""
        from ._dictionary import dictionary_of

        return dictionary_of(self)

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes a model file: .yaml, .yml, .urdf or .xml. It appears whole or not at all."""
        path = os.fspath(path)
        _core.write_file(path, self._in_cpp().to_text(path))

    # Checking and compiling.

    def check(self, *, allow_unphysical: bool = False) -> List[str]:
        """Warnings about the model. Raises InputError at the first thing that cannot be."""
        return self._in_cpp().validate(allow_unphysical)

    def compile(self, *, keep_fixed: bool = False, allow_unphysical: bool = False) -> Robot:
        """The robot that computes. Later changes of the model do not change it.

        keep_fixed: fixed joints stay joints, so that they have reactions.
        """
        from .robot import Robot

        return Robot(self, keep_fixed=keep_fixed, allow_unphysical=allow_unphysical)

    # Building and editing.

    def add_body(self, name: str, mass: float = 0.0, com: Any = (0, 0, 0), inertia: Any = None) -> Body:
        """Adds a Body and returns it."""
        self.bodies.append(Body(name, mass, com, inertia))
        return self.bodies[-1]

    def add_joint(self, name: str, kind: str, parent: str, child: str, **options: Any) -> Joint:
        """Adds a Joint and returns it; options as of Joint."""
        self.joints.append(Joint(name, kind, parent, child, **options))
        return self.joints[-1]

    def add_frame(self, name: str, body: str, origin: Any = None) -> Frame:
        """Adds a Frame and returns it."""
        self.frames.append(Frame(name, body, origin))
        return self.frames[-1]

    def add_loop(self, name: str, kind: str, body1: str, body2: str, **options: Any) -> Loop:
        """Adds a Loop and returns it; options as of Loop."""
        self.loops.append(Loop(name, kind, body1, body2, **options))
        return self.loops[-1]

    def add_spring(self, name: str, body1: str, body2: str, **options: Any) -> Spring:
        """Adds a Spring and returns it; options as of Spring."""
        self.springs.append(Spring(name, body1, body2, **options))
        return self.springs[-1]

    def body(self, name: str) -> Body:
        """The body of this name."""
        return _find(name, self.bodies, "body", self.name)

    def joint(self, name: str) -> Joint:
        """The joint of this name."""
        return _find(name, self.joints, "joint", self.name)

    def frame(self, name: str) -> Frame:
        """The frame of this name."""
        return _find(name, self.frames, "frame", self.name)

    def loop(self, name: str) -> Loop:
        """The loop of this name."""
        return _find(name, self.loops, "loop", self.name)

    def with_free_base(self, joint_name: str = "root") -> Model:
        """A copy on a free joint from the world to its base."""
        return self._from_core(self._in_cpp().with_free_base(joint_name), [])

    # Looking at it.

    @property
    def mass(self) -> float:
        """Mass of all bodies but the ground, kg."""
        return float(sum(body.mass for body in self.bodies if body.name != self.ground))

    def tree(self) -> str:
        """The tree of bodies and joints as text."""
        from ._show import tree_text

        return tree_text(self)

    def __repr__(self) -> str:
        loops = f", {len(self.loops)} loops" if self.loops else ""
        return f"<catena.Model '{self.name}': {len(self.bodies)} bodies, {len(self.joints)} joints{loops}, {self.mass:g} kg>"

    def __str__(self) -> str:
        return self.tree()

    def _repr_html_(self) -> str:
        from ._show import model_html

        return model_html(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self.to_yaml() == other.to_yaml()

    __hash__ = None  # type: ignore[assignment]


_PARTS = {"bodies": Body, "joints": Joint, "frames": Frame, "loops": Loop, "springs": Spring}


def _find(name: str, parts: list, what: str, model: str) -> Any:
    for part in parts:
        if part.name == name:
            return part
    known = ", ".join(part.name for part in parts)
    raise InputError(f"'{name}' is not a {what} of '{model}'; there are {known or 'none'}")


def _plain(value: Any) -> Any:
    """numpy's numbers and arrays as Python's, for JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a model cannot hold a {type(value).__name__}")
