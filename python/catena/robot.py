"""Robots: compiled models that compute."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _core
from ._errors import InputError, Interrupted, NumericalError, SizeError
from .model import Model
from .table import Event, Simulation, Table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_INF = float("inf")


class JointInfo(NamedTuple):
    """Where a joint's coordinates are: positions q[q : q + nq], velocities v[v : v + nv]."""

    name: str
    kind: str
    q: int
    nq: int
    v: int
    nv: int


class InverseDerivatives(NamedTuple):
    """How joint forces change with the state: dtau_dq, dtau_dv, dtau_da, each (nv, nv) or (N, nv, nv).

    Row i, column j: force i by coordinate j, in SI units. A change of q is one along the velocities, as
    Robot.integrate() moves it. dtau_da is the inertia matrix.
    """

    dtau_dq: NDArray
    dtau_dv: NDArray
    dtau_da: NDArray


class ForwardDerivatives(NamedTuple):
    """How accelerations change: da_dq, da_dv, da_dtau, each (nv, nv) or (N, nv, nv), and a itself, (nv,) or (N, nv).

    Row i, column j: acceleration i by coordinate j, in SI units. A change of q is one along the velocities, as
    Robot.integrate() moves it. da_dtau is the inverse of the inertia matrix.
    """

    da_dq: NDArray
    da_dv: NDArray
    da_dtau: NDArray
    a: NDArray


class ClosedInverseDerivatives(NamedTuple):
    """How the actuators' forces of a closed chain change: dtau_dq, dtau_dv, dtau_da, each (nv, k) or (N, nv, k).

    Columns belong to the k velocities named in independent, as many as there are degrees of freedom; all others follow
    so that the loops stay closed: v = motion @ v[independent], motion (nv, k) or (N, nv, k). Rows belong to the joint
    forces; those without an actuator are zero. dtau_dq is at fixed independent velocities and accelerations, dtau_dv at
    fixed positions and independent accelerations. SI units.
    """

    dtau_dq: NDArray
    dtau_dv: NDArray
    dtau_da: NDArray
    motion: NDArray
    independent: List[str]


class ClosedForwardDerivatives(NamedTuple):
    """How accelerations of a closed chain change: da_dq, da_dv, each (nv, k) or (N, nv, k), da_dtau (nv, nv) or (N, nv, nv).

    Columns of the first two belong to the k velocities named in independent, as many as there are degrees of freedom;
    all others follow so that the loops stay closed: v = motion @ v[independent], motion (nv, k) or (N, nv, k). Rows, and
    the columns of da_dtau, belong to all joints. a: (nv,) or (N, nv), the accelerations. SI units.
    """

    da_dq: NDArray
    da_dv: NDArray
    da_dtau: NDArray
    a: NDArray
    motion: NDArray
    independent: List[str]


class FrameDerivatives(NamedTuple):
    """How the motion of a frame changes: four arrays, each (6, nv) or (N, 6, nv), angular rows first.

    jacobian: of the twist by v, of the acceleration by a, and of the pose by q. twist_dq: of the twist by q.
    acceleration_dq, acceleration_dv: of the acceleration by q and v. A change of q is one along the velocities.
    """

    jacobian: NDArray
    twist_dq: NDArray
    acceleration_dq: NDArray
    acceleration_dv: NDArray


class CentroidalMomentum(NamedTuple):
    """matrix A: [angular momentum about the mass centre; linear momentum] = A v, world axes; rate: its time derivative.

    Both (6, nv) or (N, 6, nv), kg m^2 and kg m; center_of_mass: (3,) or (N, 3), metres.
    """

    matrix: NDArray
    rate: NDArray
    center_of_mass: NDArray


class BaseParameters(NamedTuple):
    """The K combinations of parameters that motions and forces can tell apart.

    names: their expressions, e.g. "Ixx.link2 - Iyy.link2"; columns: K columns of Robot.regressor(), which alone do the
    same as all: Y[:, columns] @ values = Y @ parameters. matrix: (K, P), values = matrix @ parameters; values: (K,), SI
    units. without_effect: names of parameters that change no force. condition: of the K columns on random states, each
    of unit length.
    """

    names: List[str]
    columns: List[int]
    matrix: NDArray
    values: NDArray
    without_effect: List[str]
    condition: float


class Robot(_core.Robot):
    """A compiled model: kinematics, dynamics, closed chains, motion, simulation, analysis.

    Every function takes one state, q (nq,) and v (nv,), or many, (N, nq) and (N, nv); float64 or float32 (then the
    result is float32; it is computed in double precision), any strides; contiguous float64 is not copied. A vector of
    one state beside many serves for all. NaN and infinity are errors.

    Units are SI and radians. Twists are [angular; linear], wrenches [moment; force]. Quaternions are x y z w.

    Thread safety: robots may be shared by threads. One state is computed under Python's lock; many states without
    it, in catena.threads() threads.

        robot = catena.load("models/puma.yaml").compile()
        tau = robot.inverse(q, v, a)
    """

    def __init__(self, model: Model, *, keep_fixed: bool = False, allow_unphysical: bool = False) -> None:
        core = model._in_cpp()
        core.validate(allow_unphysical)
        super().__init__(core, keep_fixed, allow_unphysical)
        self._options = {"keep_fixed": keep_fixed, "allow_unphysical": allow_unphysical}

    @property
    def model(self) -> Model:
        """A copy of the model that was compiled."""
        return Model._from_core(self._model, [])

    @property
    def joints(self) -> Dict[str, JointInfo]:
        """The joints that have coordinates, by name, in the order of q and v."""
        return {joint[0]: JointInfo(*joint) for joint in self._joints}

    def __reduce__(self) -> Tuple[Any, ...]:
        return _remake, (self.model, self._options)

    def __copy__(self) -> Robot:
        return _remake(self.model, self._options)

    def __deepcopy__(self, memo: Any) -> Robot:
        return _remake(self.model, self._options)

    def __repr__(self) -> str:
        return f"<catena.Robot '{self.name}': nq={self.nq}, nv={self.nv}{', closed' if self.closed else ''}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<div>{escape(repr(self))}{self.model._repr_html_()}</div>"

    # Named columns.

    def table(
        self,
        q: Optional[ArrayLike] = None,
        v: Optional[ArrayLike] = None,
        a: Optional[ArrayLike] = None,
        tau: Optional[ArrayLike] = None,
        time: Optional[ArrayLike] = None,
    ) -> Table:
        """A Table of states with the column names of the command line.

        q: (N, nq); v, a, tau: (N, nv); time: (N,) seconds.
        """
        import numpy as np

        columns: List[str] = []
        blocks: List[Any] = []
        if time is not None:
            columns.append("time")
            blocks.append(np.atleast_1d(np.asarray(time, dtype=float))[:, None])
        for prefix, names, part in (
            ("q", self.position_names, q),
            ("qd", self.velocity_names, v),
            ("qdd", self.velocity_names, a),
            ("tau", self.velocity_names, tau),
        ):
            if part is None:
                continue
            block = np.atleast_2d(np.asarray(part, dtype=float))
            if block.shape[1] != len(names):
                raise InputError(f"'{prefix}' has {block.shape[1]} columns, but '{self.name}' needs {len(names)}")
            columns += [f"{prefix}.{name}" for name in names]
            blocks.append(block)
        if not blocks:
            raise InputError("a table needs q, v, a, tau or time")
        rows = {len(block) for block in blocks}
        if len(rows) > 1:
            raise InputError(f"the parts have different numbers of rows: {sorted(rows)}")
        return Table(columns, np.hstack(blocks))

    def vectors(self, table: Table) -> Dict[str, NDArray]:
        """The vectors of this robot in a table, columns in any order: {"q": (N, nq), "v", "a", "tau", "time"}.

        Only what the table has; q must be complete, except with loops. Raises InputError for an unknown column.
        """
        return _core.vectors_of(self, list(table.columns), table.values)

    def _motion(self, parts: Tuple[Any, ...]) -> Table:
        time, q, v, a = parts
        return self.table(q=q, v=v, a=a, time=time)

    # Derivatives and matrices.

    def inverse_derivatives(
        self,
        q: ArrayLike,
        v: Optional[ArrayLike] = None,
        a: Optional[ArrayLike] = None,
        *,
        wrenches: Optional[Mapping[str, ArrayLike]] = None,
        hold: str = "frame",
        independent: Sequence[str] = (),
        out: Optional[Sequence[NDArray]] = None,
    ) -> Union[InverseDerivatives, ClosedInverseDerivatives]:
        """Derivatives of inverse() by q, v and a, by recursions (no differences).

        q: (nq,) or (N, nq); v, a: (nv,) or (N, nv), None is zero. wrenches: as for inverse(); hold: the axes in which
        they stay as they are while q changes, "frame" or "world". out: three arrays to fill. Springs, damping and
        rotors are in it; dry friction counts as constant.
        With loops, closed by q, v and a: ClosedInverseDerivatives, by the velocities named in independent; without
        names those of actuators, where the others follow well from them at the first state. out: four arrays. Raises
        NumericalError if there is a motion that no actuator drives, or that does not follow from the independent ones.
        """
        if self.closed:
            names = _names(independent)
            return ClosedInverseDerivatives(*self._closed_inverse_derivatives(q, v, a, wrenches, hold, names, out))
        self._without_loops(independent)
        return InverseDerivatives(*self._inverse_derivatives(q, v, a, wrenches, hold, out))

    def forward_derivatives(
        self,
        q: ArrayLike,
        v: Optional[ArrayLike] = None,
        tau: Optional[ArrayLike] = None,
        *,
        wrenches: Optional[Mapping[str, ArrayLike]] = None,
        hold: str = "frame",
        independent: Sequence[str] = (),
        out: Optional[Sequence[NDArray]] = None,
    ) -> Union[ForwardDerivatives, ClosedForwardDerivatives]:
        """Derivatives of forward() by q, v and tau, and the accelerations.

        q: (nq,) or (N, nq); v, tau: (nv,) or (N, nv), None is zero. wrenches, hold: as for inverse_derivatives().
        out: four arrays to fill. Raises NumericalError where something that moves has no inertia.
        With loops, closed by q and v: ClosedForwardDerivatives, by the velocities named in independent, as for
        inverse_derivatives(). out: five arrays.
        """
        if self.closed:
            names = _names(independent)
            return ClosedForwardDerivatives(*self._closed_forward_derivatives(q, v, tau, wrenches, hold, names, out))
        self._without_loops(independent)
        return ForwardDerivatives(*self._forward_derivatives(q, v, tau, wrenches, hold, out))

    def _without_loops(self, independent: Sequence[str]) -> None:
        if len(independent) > 0:
            raise InputError(f"independent is for models with loops, and '{self.name}' has none")

    def frame_derivatives(
        self,
        frame: str,
        q: ArrayLike,
        v: Optional[ArrayLike] = None,
        a: Optional[ArrayLike] = None,
        axes: str = "world_aligned",
        *,
        out: Optional[Sequence[NDArray]] = None,
    ) -> FrameDerivatives:
        """Derivatives of twist() and acceleration() of a frame by q, v and a.

        q: (nq,) or (N, nq); v, a: (nv,) or (N, nv), None is zero. axes: as for twist(). out: four arrays to fill.
        """
        return FrameDerivatives(*self._frame_derivatives(frame, q, v, a, axes, out))

    def centroidal_momentum(
        self, q: ArrayLike, v: Optional[ArrayLike] = None, *, out: Optional[Sequence[NDArray]] = None
    ) -> CentroidalMomentum:
        """The matrix of the momentum about the mass centre, its time derivative at velocity v, and the mass centre.

        q: (nq,) or (N, nq); v: (nv,) or (N, nv), None is zero. out: three arrays to fill. Rotors have no part in it.
        Raises NumericalError if nothing that moves has a mass.
        """
        return CentroidalMomentum(*self._centroidal(q, v, out))

    def base_parameters(self, seed: int = 1) -> BaseParameters:
        """What of the masses, inertias, springs and friction can be identified from motions and forces.

        With loops only motions that keep them closed count. seed: of the random states that decide.
        """
        return BaseParameters(*self._base_parameters(seed))

    # Trajectories.

    def trajectory(
        self,
        start: ArrayLike,
        end: ArrayLike,
        duration: Optional[float] = None,
        *,
        timing: str = "cycloidal",
        speed: float = _INF,
        acceleration: float = _INF,
        blend: float = 1 / 3,
        samples: int = 101,
        step: float = 0.0,
    ) -> Table:
        """A motion from point to point, from rest to rest, all joints in step.

        start, end: (nq,). duration: seconds, or instead speed (rad/s, m/s) and acceleration that no joint exceeds.
        timing: "cycloidal", "quintic" or "trapezoidal" (blend: fraction of the time spent speeding up).
        samples: rows; or step: seconds between rows.
        Returns a Table with time, q, qd, qdd.
        """
        return self._motion(
            self._point_to_point(start, end, timing, duration, speed, acceleration, blend, samples, step)
        )

    def spline(
        self, times: ArrayLike, points: ArrayLike, *, ends: str = "at-rest", samples: int = 101, step: float = 0.0
    ) -> Table:
        """A motion through points: cubic pieces with continuous accelerations.

        times: (K,) seconds, growing; points: (K, nq). ends: "at-rest", "natural" (no acceleration) or "smooth".
        Returns a Table with time, q, qd, qdd. Not for quaternions.
        """
        return self._motion(self._spline(times, points, ends, samples, step))

    def line(
        self,
        frame: str,
        end: ArrayLike,
        duration: float,
        *,
        via: Optional[ArrayLike] = None,
        start: Optional[ArrayLike] = None,
        rotation: Optional[ArrayLike] = None,
        free_rotation: bool = False,
        near: Optional[ArrayLike] = None,
        profile: str = "cycloidal",
        blend: float = 1 / 3,
        samples: int = 101,
        step: float = 0.0,
        limits: bool = True,
    ) -> Table:
        """Leads the origin of a frame along a straight line, or along an arc over `via`; the joints follow.

        start, via, end: (3,) points in the world, m; start None: where the frame is at near. duration: seconds.
        rotation: (3, 3) what the frame keeps; None: that of the beginning; free_rotation: it is free.
        near: (nq,) where the search for the first point begins. profile: "cycloidal", "quintic", "trapezoidal" or
        "uniform".
        Returns a Table with time, q, qd, qdd. Raises NumericalError where the path leaves what the robot can reach.
        """
        return self._motion(
            self._path(
                frame, end, via, duration, start, rotation, free_rotation, near, profile, blend, samples, step, limits
            )
        )

    # Simulation.

    def simulate(
        self,
        duration: float,
        q: Union[ArrayLike, Mapping[str, float], None] = None,
        v: Union[ArrayLike, Mapping[str, float], None] = None,
        *,
        tau: Union[ArrayLike, Table, Callable[..., Any], None] = None,
        controller: Union[str, Callable[..., Any], None] = None,
        motion: Optional[Table] = None,
        kp: Union[ArrayLike, float, None] = None,
        kd: Union[ArrayLike, float, None] = None,
        driven: Sequence[str] = (),
        events: Any = (),
        stop_on: Any = (),
        integrator: str = "dormand-prince",
        rtol: float = 1e-9,
        atol: float = 1e-9,
        step: float = 0.0,
        max_step: float = _INF,
        sample: Optional[float] = None,
        method: Optional[str] = None,
        stops: bool = False,
        restitution: float = 0.0,
        loops: str = "multipliers",
        stabilise: Union[str, Tuple[Any, ...]] = "projection",
        coordinates: str = "all",
        through_singularities: bool = False,
        interpolation: str = "linear",
        energy: bool = False,
        accelerations: bool = False,
        forces: bool = False,
        resume: Optional[Simulation] = None,
    ) -> Simulation:
        """Motion in time from a first state and forces.

        duration: seconds. q: (nq,) or {position name: value}; v: (nv,) or {velocity name: value}; what is not named is
        zero (quaternions: no turn). With loops the others follow from those that are named.
        tau: (nv,) constant joint forces, a Table with time and tau.*, or a function. controller: "pd", "gravity-pd",
        "computed-torque" with gains kp and kd ((nv,), or a number for all), following `motion` (a Table with time and q,
        better also qd and qdd) or holding the first position; or a function f(t, q, v) that returns joint forces
        (nv,), None, or (joint forces, {frame: wrench (6,)}). It is called at every evaluation, not in
        the order of time, and gets copies.
        driven: names of velocities that follow `motion` exactly.
        events: "q.joint1=0.5", "qd.joint2<0" (falling only), "qd.joint2>0" (rising only), "singularity<0.01" (with
        loops), a function f(t, q, v) -> float (with an attribute direction of 1 or -1: rising or falling only), or a
        mapping {name: function}, or a list of such; stop_on: the same, and the run ends there.
        integrator: see catena.integrators(). rtol, atol: of a step. step: of fixed-step integrators, seconds.
        sample: seconds between rows, by default 0.01 with 100 to 100,000 rows.
        stops: joint limits are stops, with restitution. energy, accelerations, forces: more columns.
        With loops: loops, one of catena.loop_methods(); stabilise, what keeps them closed: "projection", "baumgarte" or
        ("baumgarte", alpha, beta) in 1/s, "none"; coordinates, what is integrated: "all" or "independent";
        through_singularities: do not stop where the actuated joints lose their hold. `motion` may have the columns
        of some joints from which the others follow.
        resume: the .result of a run that was interrupted, or ended by what a function raised; with the same arguments
        (q and v may be left out, duration may differ) it goes on as if nothing had been. That functions and tables are
        the same is not checked. Not with integrators of SUNDIALS.

        Returns a Simulation. Raises NumericalError where the run cannot go on and Interrupted at Ctrl-C, both with the
        rows up to there in .result; what a function raises comes through as it is.
        """
        from ._options import column_of, events_of, first_state, gain_of, motion_of, resumed_state, stabilisation_of

        if not (duration > 0 and math.isfinite(duration)):
            raise InputError(f"duration is {duration}: give more than zero seconds")
        for name, value in (("rtol", rtol), ("atol", atol)):
            if not value > 0:
                raise InputError(f"{name} is {value}: give more than zero")
        if not 0 <= restitution <= 1:
            raise InputError(f"restitution is {restitution}, but must be between 0 and 1")
        if resume is not None and not isinstance(resume, Simulation):
            raise InputError(f"resume is the .result of a run that ended early, not {type(resume).__name__}")
        if sample is None and resume is not None and resume.state is not None:
            sample = resume.state["options"]["sample"]
        if sample is None:
            sample = min(max(0.01, duration / 1e5), duration / 100)
        if not (sample > 0 and duration / sample <= 1e8):
            raise InputError(f"sample is {sample}: give more than zero seconds, and at most 100 million rows")
        if self.closed and method not in (None, "spatial"):
            raise InputError(f"method '{method}' is for models without loops\n    leave it out")
        closing = stabilisation_of(stabilise, coordinates)
        if not self.closed and (loops, stabilise, coordinates) != ("multipliers", "projection", "all"):
            raise InputError(f"loops, stabilise and coordinates are for models with loops, and '{self.name}' has none")
        if isinstance(tau, Table):
            tau = column_of(self, tau, "tau", interpolation)
        names = self.velocity_names
        for name in driven:
            if name not in names:
                raise InputError(f"driven: '{name}' is not a velocity of '{self.name}'; there are {', '.join(names)}")
        reference = None
        if motion is not None:
            if not isinstance(controller, str) and len(driven) == 0:
                raise InputError("motion: nothing follows it; give controller or driven")
            reference = motion_of(self, motion, isinstance(controller, str))
        if isinstance(controller, str) and controller != "computed-torque" and (kp is None or kd is None):
            raise InputError(f"controller '{controller}' needs kp and kd: N m per rad and N m s per rad")
        if len(driven) > 0 and reference is None:
            raise InputError("driven needs motion with the motion of these joints")
        q0, v0 = first_state(self, q, v, driven, reference, resume)
        options: Dict[str, Any] = {
            "model": self.name,
            "duration": float(duration),
            "sample": float(sample),
            "q": q0,
            "v": v0,
            "tau": tau,
            "controller": controller,
            "motion": reference,
            "kp": gain_of(self, kp, 100.0, "kp"),
            "kd": gain_of(self, kd, 20.0, "kd"),
            "driven": [names.index(name) for name in driven],
            "events": events_of(self, events, False) + events_of(self, stop_on, True),
            "integrator": integrator,
            "rtol": float(rtol),
            "atol": float(atol),
            "step": float(step),
            "max_step": float(max_step),
            "method": method,
            "stops": bool(stops),
            "restitution": float(restitution),
            "loops": loops,
            **closing,
            "through_singularities": bool(through_singularities),
            "energy": bool(energy),
            "accelerations": bool(accelerations),
            "forces": bool(forces),
        }
        options["resume"] = resumed_state(resume, options)
        return _finished(self._simulate(options), options, resume)

    def rollout(
        self,
        q: ArrayLike,
        v: Optional[ArrayLike] = None,
        tau: Optional[ArrayLike] = None,
        *,
        step: float,
        steps: int,
        every: int = 1,
        stepper: str = "rk4",
    ) -> Tuple[NDArray, NDArray]:
        """Many trajectories at once, in fixed steps: for sampling, learning and predictive control.

        q: (nq,) or (N, nq) first positions; v: (nv,) or (N, nv), None is rest. tau: joint forces that are held, (nv,),
        (N, nv), or (N, steps, nv) for one per step; None is zero. step: seconds. every: a state is kept after every so
        many steps. stepper: "rk4" or "euler" (semi-implicit). Dry friction does not hold a joint at rest.
        Returns (q, v): (N, steps / every, nq) and (N, steps / every, nv), without the first state; N is 1 for one.
        Not for loops: simulate().
        """
        import numpy as np

        if tau is not None:
            tau = np.asarray(tau)
            count = max(np.shape(x)[0] if np.ndim(x) == 2 else 1 for x in (q, v))
            if tau.ndim == 3 and tau.shape[:2] != (count, steps):
                raise SizeError(f"tau has shape {tau.shape}, but ({count}, {steps}, {self.nv}) is needed")
            tau = tau.reshape(-1, tau.shape[-1]) if tau.ndim == 3 else np.broadcast_to(tau, (count, self.nv))
        return self._rollout(q, v, tau, step, steps, every, stepper)


def _finished(done: Dict[str, Any], options: Dict[str, Any], resume: Optional[Simulation]) -> Simulation:
    """The result of a run, or the exception that ended it."""
    from ._options import compared

    before = [] if resume is None else resume.events[: options["resume"]["events"]]
    state = done["state"]
    if state is not None:
        state["events"] += len(before)
        state["options"] = compared(options)
    result = Simulation(
        done["columns"],
        done["values"],
        done["status"],
        done["message"],
        before + [Event(*event) for event in done["events"]],
        done["statistics"],
        state,
    )
    kept = f"{len(result)} rows up to t = {result.statistics['time']:.12g} s are kept"
    if done["status"] == "stopped":
        result.message = f"stopped by '{done['stopped_by']}'"
    if done["status"] == "interrupted":
        interrupted = Interrupted(f"interrupted: {kept} in .result of this exception")
        result.message = "interrupted"
        interrupted.result = result
        raise interrupted
    if done["error"] is not None:
        error = done["error"]
        try:
            error.result = result
        except AttributeError:
            pass
        raise error
    if done["status"] == "failed":
        failure = NumericalError(f"{done['message']}\n    {kept}")
        failure.result = result
        raise failure
    return result


def _names(names: Sequence[str]) -> List[str]:
    return [names] if isinstance(names, str) else list(names)


def _remake(model: Model, options: Dict[str, bool]) -> Robot:
    return Robot(model, **options)
