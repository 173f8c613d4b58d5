import pathlib
import sys

import pytest

import catena

sys.path.insert(0, str(pathlib.Path(__file__).parent))

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = catena.examples()
CLOSED = [name for name in EXAMPLES if catena.example(name).loops or catena.example(name).springs]
TREES = [name for name in EXAMPLES if name not in CLOSED]


@pytest.fixture(scope="session")
def puma():
    return catena.example("puma").compile()


@pytest.fixture(scope="session")
def five_bar():
    return catena.example("five-bar").compile()


@pytest.fixture
def one_thread():
    catena.set_threads(1)
    yield
    catena.set_threads(0)
