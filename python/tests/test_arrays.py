"""Arrays of every shape, type and layout: the right numbers or a clear error."""

import numpy as np
import pytest
from random_models import close, random_state, random_tree

import catena


@pytest.fixture(scope="module")
def robot():
    return random_tree(3, bodies=7).compile()


def functions(r):
    """name: (function of (q, v, a) with out=, tail of the shape)"""
    nv = r.nv
    return {
        "inverse": (lambda q, v, a, **k: r.inverse(q, v, a, **k), (nv,)),
        "forward": (lambda q, v, a, **k: r.forward(q, v, a, **k), (nv,)),
        "bias": (lambda q, v, a, **k: r.bias(q, v, **k), (nv,)),
        "gravity": (lambda q, v, a, **k: r.gravity(q, **k), (nv,)),
        "inertia": (lambda q, v, a, **k: r.inertia(q, **k), (nv, nv)),
        "solve_inertia": (lambda q, v, a, **k: r.solve_inertia(q, a, **k), (nv,)),
        "pose": (lambda q, v, a, **k: r.pose("tool", q, **k), (4, 4)),
        "poses": (lambda q, v, a, **k: r.poses(q, **k), (len(r.frame_names), 4, 4)),
        "twist": (lambda q, v, a, **k: r.twist("tool", q, v, **k), (6,)),
        "acceleration": (lambda q, v, a, **k: r.acceleration("tool", q, v, a, **k), (6,)),
        "jacobian": (lambda q, v, a, **k: r.jacobian("tool", q, **k), (6, nv)),
        "jacobian_rate": (lambda q, v, a, **k: r.jacobian_rate("tool", q, v, **k), (6, nv)),
        "center_of_mass": (lambda q, v, a, **k: r.center_of_mass(q, **k), (3,)),
        "center_of_mass_jacobian": (lambda q, v, a, **k: r.center_of_mass_jacobian(q, **k), (3, nv)),
        "kinetic_energy": (lambda q, v, a, **k: r.kinetic_energy(q, v, **k), ()),
        "potential_energy": (lambda q, v, a, **k: r.potential_energy(q, **k), ()),
        "energy": (lambda q, v, a, **k: r.energy(q, v, **k), ()),
        "momentum": (lambda q, v, a, **k: r.momentum(q, v, **k), (6,)),
        "reactions": (lambda q, v, a, **k: r.reactions(q, v, a, **k), (len(r.reaction_names), 6)),
        "integrate": (lambda q, v, a, **k: r.integrate(q, v, **k), (r.nq,)),
        "difference": (lambda q, v, a, **k: r.difference(r.neutral(), q, **k), (nv,)),
    }


NAMES = list(functions(random_tree(3, bodies=7).compile()))


@pytest.mark.parametrize("name", NAMES)
def test_many_states_are_those_one_by_one(robot, name):
    f, tail = functions(robot)[name]
    q, v, a = random_state(robot, 1, 77)
    many = f(q, v, a)
    assert many.shape == (77, *tail) and many.dtype == np.float64
    for i in (0, 1, 38, 76):
        close(many[i], f(q[i], v[i], a[i]), 1e-12)
    one = f(q[0], v[0], a[0])
    assert np.shape(one) == tail
    assert isinstance(one, float) or tail != ()


@pytest.mark.parametrize("name", NAMES)
def test_any_layout_gives_the_same_numbers(robot, name):
    f, tail = functions(robot)[name]
    q, v, a = random_state(robot, 2, 9)
    right = f(q, v, a)
    forms = {
        "fortran": [np.asfortranarray(x) for x in (q, v, a)],
        "strided": [np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3] for x in (q, v, a)],
        "reversed": [x[::-1].copy()[::-1] for x in (q, v, a)],
        "lists": [x.tolist() for x in (q, v, a)],
        "swapped": [x.astype(x.dtype.newbyteorder()) for x in (q, v, a)],
    }
    for x in (q, v, a):
        x.setflags(write=False)
    forms["read-only"] = [q, v, a]
    for form, (x, y, z) in forms.items():
        np.testing.assert_array_equal(f(x, y, z), right, err_msg=form)


@pytest.mark.parametrize("name", NAMES)
def test_single_precision_in_and_out(robot, name):
    f, tail = functions(robot)[name]
    q, v, a = (x.astype(np.float32) for x in random_state(robot, 2, 9))
    result = f(q, v, a)
    if name == "difference":  # beside a double
        assert result.dtype == np.float64
        return
    assert result.dtype == np.float32
    close(result, f(*(x.astype(float) for x in (q, v, a))).astype(np.float32), 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_out_is_filled_and_returned(robot, name):
    f, tail = functions(robot)[name]
    q, v, a = random_state(robot, 4, 5)
    right = f(q, v, a)
    plain = np.full((5, *tail), np.nan)
    wide = np.full((10, *tail), np.nan)
    for out in (plain, wide[::2], np.full((5, *tail), np.nan, dtype=np.float32), np.asfortranarray(plain.copy())):
        assert f(q, v, a, out=out) is out
        close(out, right.astype(out.dtype), 1e-6 if out.dtype == np.float32 else 1e-15)
    assert np.isnan(wide[1::2]).all()
    if tail:
        single = np.full(tail, np.nan)
        assert f(q[0], v[0], a[0], out=single) is single
        close(single, right[0], 1e-12)


def test_out_may_be_an_input(robot):
    q, v, a = random_state(robot, 5, 40)
    right = robot.inverse(q, v, a)
    assert robot.inverse(q, v, a, out=a) is a
    close(a, right, 1e-15)
    q, v, a = random_state(robot, 5)
    right = robot.forward(q, v, a)
    memory = np.concatenate([v, a])
    close(robot.forward(q, memory[: robot.nv], memory[robot.nv :], out=memory[: robot.nv]), right, 1e-15)


def test_one_state_beside_many_serves_for_all(robot):
    q, v, a = random_state(robot, 6, 8)
    close(robot.inverse(q, v[0], None), robot.inverse(q, np.tile(v[0], (8, 1)), np.zeros_like(a)), 1e-15)
    close(robot.inverse(q[0], v, a), robot.inverse(np.tile(q[0], (8, 1)), v, a), 1e-15)


def test_numbers_may_lie_at_any_address():
    """Rows of an array with an odd number of columns; bytes of a file."""
    odd = random_tree(0, 9, kinds=("revolute",)).compile()
    assert odd.nv == 9
    q, v, a = random_state(odd, 1, 40)
    for i in range(40):
        close(odd.inverse(q[i], v[i], a[i]), odd.inverse(q[i].copy(), v[i].copy(), a[i].copy()), 1e-15)
    memory = bytearray(8 * v.size + 3)
    crooked = np.frombuffer(memory, dtype=np.uint8)[3:].view(np.float64).reshape(v.shape)
    crooked[:] = v
    assert not crooked.flags.aligned
    np.testing.assert_array_equal(odd.inverse(q, crooked, a), odd.inverse(q, v, a))
    for shift in range(1, 5):  # whole numbers, but not whole registers
        moved = np.empty(v.size + shift)[shift:].reshape(v.shape)
        moved[:] = v
        np.testing.assert_array_equal(odd.inverse(q, moved, a), odd.inverse(q, v, a))


def test_no_states_give_no_results(robot):
    assert robot.inverse(np.empty((0, robot.nq)), np.empty((0, robot.nv))).shape == (0, robot.nv)
    assert robot.poses(np.empty((0, robot.nq)), ["tool"]).shape == (0, 1, 4, 4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (1, 1, 3), (2, 0)])
def test_wrong_shapes_are_named(robot, name, shape):
    f, tail = functions(robot)[name]
    q, v, a = random_state(robot, 7)
    with pytest.raises(catena.SizeError, match=r"(q|end) has shape"):
        f(np.ones(shape), v, a)


def test_errors_of_arrays(puma):
    q, v, a = random_state(puma, 1)
    bad = q.copy()
    bad[3] = np.nan
    for call, error, text in [
        (lambda: puma.inverse(bad, v, a), catena.InputError, r"q\[3\] is NaN"),
        (lambda: puma.inverse(q, v, a * np.inf), catena.InputError, r"a\[0\] is infinite"),
        (lambda: puma.inverse(np.vstack([q, bad]), v, a), catena.InputError, r"q\[1, 3\] is NaN"),
        (lambda: puma.inverse(q + 1j), TypeError, "q is an array of complex128"),
        (lambda: puma.inverse(["x"] * 6), TypeError, "q is a list"),
        (lambda: puma.inverse([None] * 6), TypeError, "q is a list"),
        (lambda: puma.inverse(object()), TypeError, "q is a object"),
        (lambda: puma.inverse({}), (TypeError, catena.SizeError), "q"),
        (lambda: puma.inverse([[1, 2], [3]]), ValueError, "inhomogeneous|sequence"),
        (lambda: puma.inverse(None), TypeError, "q"),
        (lambda: puma.inverse(q[None], np.zeros((2, 6)), np.zeros((3, 6))), catena.SizeError, "states, but"),
        (lambda: puma.inverse(q, out=np.empty(5)), catena.SizeError, r"out has shape \(5,\), but the result is \(6,\)"),
        (lambda: puma.inverse(q, out=np.empty((1, 6))), catena.SizeError, "out has shape"),
        (lambda: puma.inverse(q, out=np.empty(6, dtype=int)), TypeError, "out is an array of int64"),
        (lambda: puma.inverse(q, out=[0.0] * 6), TypeError, "out is a list"),
        (lambda: puma.inverse(q, method="nope"), catena.InputError, "there is no method 'nope'"),
        (lambda: puma.inverse(q, method=3), (TypeError, RuntimeError), "cast|method"),
        (lambda: puma.inverse(q, wrenches=[1]), TypeError, "must be a dictionary"),
        (lambda: puma.inverse(q, wrenches={"hand": [0] * 6}), catena.InputError, "'hand' is not a frame"),
        (lambda: puma.inverse(q, wrenches={"link6": [0] * 5}), catena.SizeError, "link6 has shape"),
        (lambda: puma.inverse(q, wrenches={"link6": np.zeros((2, 6))}), catena.SizeError, "2 states"),
        (lambda: puma.jacobian("link6", q, "body"), catena.InputError, "axes are"),
        (lambda: puma.jacobian("lnk6", q), catena.InputError, "did you mean 'link6'"),
    ]:
        with pytest.raises(error, match=text):
            call()
    frozen = np.empty(6)
    frozen.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        puma.inverse(q, out=frozen)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_bad_number_among_many_is_named(robot, name, value):
    f, tail = functions(robot)[name]
    q, v, a = random_state(robot, 7, 700)
    q[513, 2] = value
    with pytest.raises(catena.InputError, match=r"(q|end)\[513, 2\] is (NaN|infinite)"):
        f(q, v, a)


def test_errors_are_of_the_kinds_that_python_knows():
    assert issubclass(catena.InputError, ValueError) and issubclass(catena.SizeError, ValueError)
    assert issubclass(catena.NumericalError, ArithmeticError) and issubclass(catena.Interrupted, KeyboardInterrupt)
    for kind in (catena.InputError, catena.SizeError, catena.NumericalError):
        assert issubclass(kind, catena.Error)
