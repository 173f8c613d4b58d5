"""What the package promises as a package: documents, types, light imports."""

import inspect
import pathlib
import subprocess
import sys

import pytest

import catena
import catena.mujoco
import catena.papers
import catena.pinocchio

PACKAGE = pathlib.Path(catena.__file__).parent
MODULES = [catena, catena.pinocchio, catena.mujoco, catena.papers]


def public():
    for module in MODULES:
        for name in module.__all__:
            thing = getattr(module, name)
            yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing):
                for member in dir(thing):
                    if not member.startswith("_") and not hasattr(Exception, member) and not hasattr(tuple, member):
                        yield f"{module.__name__}.{name}.{member}", inspect.getattr_static(thing, member)


def test_every_public_name_has_a_docstring():
    undocumented = []
    for name, thing in public():
        if isinstance(thing, (str, int, float, type(None))) or type(thing).__name__ == "_tuplegetter":
            continue  # fields that the docstring of their class explains
        if type(thing).__name__ in ("member_descriptor", "ndarray", "tuple"):
            continue
        if not (inspect.getdoc(thing) or "").strip():
            undocumented.append(name)
    assert undocumented == []


def test_arrays_are_documented_with_shapes():
    """Every function of positions says what shapes it takes and gives."""
    found = 0
    for name in dir(catena.Robot):
        function = getattr(catena.Robot, name)
        text = getattr(function, "__doc__", "") or ""
        if name.startswith("_") or not callable(function):
            continue
        try:
            takes_q = "q" in inspect.signature(function).parameters
        except ValueError:  # of C++: the signature is in the stubs
            stub = (PACKAGE / "_core.pyi").read_text()
            takes_q = f"def {name}(self, q:" in stub or f"def {name}(self, frame: str, q:" in stub
        if takes_q:
            found += 1
            assert "(N, " in text or "(nq,)" in text or "as for" in text, name
    assert found > 30


def test_importing_is_light():
    """numpy and everything that needs it are imported when they are used."""
    code = "import sys, catena; print([m for m in ('numpy', 'pandas', 'matplotlib', 'pinocchio', 'mujoco') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_the_stubs_are_those_of_the_module():
    """tools/python-stubs writes them."""
    pytest.importorskip("nanobind")
    script = pathlib.Path(__file__).resolve().parents[2] / "tools" / "python-stubs"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_version_is_that_of_cmake():
    text = (pathlib.Path(__file__).resolve().parents[2] / "CMakeLists.txt").read_text()
    assert f"project(Catena VERSION {catena.__version__} " in text


def test_lists():
    assert [m.name for m in catena.methods()][0] == "spatial"
    assert catena.integrators()[0].name == "dormand-prince" and "multipliers" in catena.loop_methods()
    assert catena.instruction_set() in ("baseline", "avx2", "avx512")
    assert "puma" in catena.examples()
    with pytest.raises(catena.InputError, match="there is no example 'pumma'"):
        catena.example("pumma")
    with pytest.raises(AttributeError):
        catena.nothing
