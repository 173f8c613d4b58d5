"""Generated functions: compiled C that gives the numbers of the library."""

import pickle
import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from random_models import close, random_state

import catena

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


def test_generated_functions_give_the_same_numbers(puma, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    q, v, a = random_state(puma, 1, 20)
    inverse = puma.generate("inverse")
    assert [name for name, _ in inverse.inputs] == ["q", "qd", "qdd"] and inverse.name in inverse.source
    close(inverse(q, v, a), puma.inverse(q, v, a), 1e-11)
    out = np.empty(6)
    assert inverse(q[0], v[0], a[0], out=out) is out
    close(out, puma.inverse(q[0], v[0], a[0]), 1e-11)
    close(puma.generate("forward")(q, v, a), puma.forward(q, v, a), 1e-9)
    again = pickle.loads(pickle.dumps(inverse))
    assert again.source == inverse.source and (again(q, v, a) == inverse(q, v, a)).all()
    with ThreadPoolExecutor(4) as pool:  # compiled by one thread while another calls
        fresh = puma.generate("inverse", name="shared")
        for result in pool.map(lambda k: fresh(q, v, a), range(8)):
            close(result, inverse(q, v, a), 1e-12)
    with pytest.raises(TypeError, match="takes q, qd, qdd"):
        inverse(q)
    with pytest.raises(catena.SizeError, match="qd has shape"):
        inverse(q, v[:, :3], a)


def test_every_function_is_that_of_the_robot(puma, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    q, v, a = random_state(puma, 2)
    right = {
        "inertia": puma.inertia(q),
        "bias": puma.bias(q, v),
        "gravity": puma.gravity(q),
        "mass-centre": puma.center_of_mass(q),
    }
    rates = {"inertia": (), "bias": (v,), "gravity": (), "mass-centre": ()}
    for name, expected in right.items():
        found = puma.generate(name)(q, *rates[name])
        close(np.asarray(found).reshape(expected.shape), expected, 1e-11)
    assert "float" in puma.generate("inverse", scalar="float").source
    with pytest.raises(catena.InputError, match="other precision"):
        puma.generate("inverse", scalar="float")(q, v, a)


def test_closed_chains_too(five_bar, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    q = five_bar.assemble()
    tau = np.array([1.0, 0, 2.0, 0])
    forward = five_bar.generate("forward")
    close(forward(q, np.zeros(4), tau), five_bar.forward(q, None, tau), 1e-9)


def test_errors_of_generation(puma, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert "inverse" in [name for name, _ in catena.generated_functions()]
    for call in (
        lambda: puma.generate("invers"),
        lambda: puma.generate("jacobian"),
        lambda: puma.generate("inverse", name="1x"),
        lambda: puma.generate("inverse", scalar="half"),
        lambda: puma.generate("inverse").compile(compiler="no-such-compiler"),
    ):
        with pytest.raises(catena.InputError):
            call()
