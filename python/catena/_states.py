"""States of another engine in Catena's coordinates, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, NamedTuple

from ._errors import SizeError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .robot import Robot


class Piece(NamedTuple):
    """A joint in both engines: how its coordinates differ, and where they begin.

    kind: "same"; "circle": (cos, sin) for an angle; "quaternion xyzw", "quaternion wxyz"; "free linear first": [v; w] in body axes;
    "free mujoco": quaternion wxyz, [v in world axes; w in body axes]; "planar local": (x, y, cos, sin), rates in body
    axes.
    """

    kind: str
    other_q: int
    other_v: int
    q: int
    v: int
    nv: int


_OTHER_NQ = {
    "circle": 2,
    "quaternion xyzw": 4,
    "quaternion wxyz": 4,
    "free linear first": 7,
    "free mujoco": 7,
    "planar local": 4,
}


def _rotations(x: Any) -> Any:
    """(N, 4) quaternions x y z w as (N, 3, 3)."""
    import numpy as np

    x, y, z, w = x.T
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)


class States:
    """States of another engine in the coordinates of a robot, and back; one (n,) or many (N, n).

    The velocities of the two are related by v = T(q) v_other with an orthogonal T, so that M_other = T^T M T and
    J_other = J T.
    """

    def __init__(self, robot: Robot, pieces: List[Piece], other_nq: int, other_nv: int) -> None:
        self.nq, self.nv, self.other_nq, self.other_nv = robot.nq, robot.nv, other_nq, other_nv
        self._pieces = pieces

    # From the other engine.

    def q(self, q_other: ArrayLike) -> NDArray:
        """Catena's positions, (nq,) or (N, nq)."""
        import numpy as np

        other, one = _rows(q_other, self.other_nq, "q")
        q = np.empty((len(other), self.nq))
        for p in self._pieces:
            x = other[:, p.other_q : p.other_q + _OTHER_NQ.get(p.kind, p.nv)]
            if p.kind in ("same", "quaternion xyzw"):
                q[:, p.q : p.q + x.shape[1]] = x
            elif p.kind == "circle":
                q[:, p.q] = np.arctan2(x[:, 1], x[:, 0])
            elif p.kind == "quaternion wxyz":
                q[:, p.q : p.q + 4] = x[:, [1, 2, 3, 0]]
            elif p.kind == "free linear first":
                q[:, p.q : p.q + 7] = x
            elif p.kind == "free mujoco":
                q[:, p.q : p.q + 7] = x[:, [0, 1, 2, 4, 5, 6, 3]]
            elif p.kind == "planar local":
                q[:, p.q : p.q + 2] = x[:, :2]
                q[:, p.q + 2] = np.arctan2(x[:, 3], x[:, 2])
        return q[0] if one else q

    def velocity_map(self, q_other: ArrayLike) -> NDArray:
        """T, (nv, nv) or (N, nv, nv): v = T v_other, tau = T tau_other."""
        import numpy as np

        other, one = _rows(q_other, self.other_nq, "q")
        T = np.zeros((len(other), self.nv, self.other_nv))
        for p in self._pieces:
            block = T[:, p.v : p.v + p.nv, p.other_v : p.other_v + p.nv]
            if p.kind == "free linear first":
                block[:, :3, 3:] = np.eye(3)
                block[:, 3:, :3] = np.eye(3)
            elif p.kind == "free mujoco":
                R = _rotations(other[:, p.other_q + 3 : p.other_q + 7][:, [1, 2, 3, 0]])
                block[:, :3, 3:] = np.eye(3)
                block[:, 3:, :3] = R.transpose(0, 2, 1)
            elif p.kind == "planar local":
                c, s = other[:, p.other_q + 2], other[:, p.other_q + 3]
                block[:, 0, 0], block[:, 0, 1], block[:, 1, 0], block[:, 1, 1] = c, -s, s, c
                block[:, 2, 2] = 1
            else:
                block[:] = np.eye(p.nv)
        return T[0] if one else T

    def v(self, q_other: ArrayLike, v_other: ArrayLike) -> NDArray:
        """Catena's velocities, (nv,) or (N, nv)."""
        return self._apply(self.velocity_map(q_other), v_other)

    def a(self, q_other: ArrayLike, v_other: ArrayLike, a_other: ArrayLike) -> NDArray:
        """Catena's accelerations, (nv,) or (N, nv)."""
        import numpy as np

        a = self._apply(self.velocity_map(q_other), a_other)
        v = self.v(q_other, v_other)
        rows = a.reshape(-1, self.nv)
        for p in self._pieces:
            u = v.reshape(-1, self.nv)[:, p.v : p.v + p.nv]
            if p.kind == "free mujoco":  # components in axes that turn
                rows[:, p.v + 3 : p.v + 6] -= np.cross(u[:, :3], u[:, 3:])
            elif p.kind == "planar local":
                rows[:, p.v] -= u[:, 2] * u[:, 1]
                rows[:, p.v + 1] += u[:, 2] * u[:, 0]
        return a

    def tau(self, q_other: ArrayLike, tau_other: ArrayLike) -> NDArray:
        """Catena's joint forces, (nv,) or (N, nv)."""
        return self._apply(self.velocity_map(q_other), tau_other)

    # To the other engine.

    def back_q(self, q: ArrayLike) -> NDArray:
        """The other engine's positions."""
        import numpy as np

        rows, one = _rows(q, self.nq, "q")
        other = np.empty((len(rows), self.other_nq))
        for p in self._pieces:
            if p.kind in ("same", "quaternion xyzw"):
                n = _OTHER_NQ.get(p.kind, p.nv)
                other[:, p.other_q : p.other_q + n] = rows[:, p.q : p.q + n]
            elif p.kind == "circle":
                other[:, p.other_q] = np.cos(rows[:, p.q])
                other[:, p.other_q + 1] = np.sin(rows[:, p.q])
            elif p.kind == "quaternion wxyz":
                other[:, p.other_q : p.other_q + 4] = rows[:, [p.q + 3, p.q, p.q + 1, p.q + 2]]
            elif p.kind == "free linear first":
                other[:, p.other_q : p.other_q + 7] = rows[:, p.q : p.q + 7]
            elif p.kind == "free mujoco":
                other[:, p.other_q : p.other_q + 7] = rows[:, [p.q + k for k in (0, 1, 2, 6, 3, 4, 5)]]
            elif p.kind == "planar local":
                other[:, p.other_q : p.other_q + 2] = rows[:, p.q : p.q + 2]
                other[:, p.other_q + 2] = np.cos(rows[:, p.q + 2])
                other[:, p.other_q + 3] = np.sin(rows[:, p.q + 2])
        return other[0] if one else other

    def back_v(self, q: ArrayLike, v: ArrayLike) -> NDArray:
        """The other engine's velocities at Catena's state."""
        import numpy as np

        T = self.velocity_map(self.back_q(q))
        return self._apply(np.swapaxes(T, -1, -2), v)

    def back_tau(self, q: ArrayLike, tau: ArrayLike) -> NDArray:
        """The other engine's joint forces at Catena's state."""
        return self.back_v(q, tau)

    def _apply(self, T: Any, x: Any) -> Any:
        import numpy as np

        x = np.asarray(x, dtype=float)
        if x.shape[-1:] != (self.nv,):
            raise SizeError(f"velocities have shape {x.shape}, but ({self.nv},) or (N, {self.nv}) is needed")
        return np.einsum("...ij,...j->...i", T, x)


def _rows(x: Any, width: int, name: str) -> Any:
    import numpy as np

    x = np.asarray(x, dtype=float)
    if x.ndim not in (1, 2) or x.shape[-1] != width:
        raise SizeError(f"{name} has shape {x.shape}, but ({width},) is needed, or (N, {width}) for many states")
    return (x[None], True) if x.ndim == 1 else (x, False)
