"""The blocks of docs/python.md and of the README run, one after the other, and the papers are objects."""

import os
import re
import shutil

import pytest
from conftest import ROOT

import catena
import catena.papers


def blocks(path):
    return re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("path", ["docs/python.md", "README.md"])
def test_blocks_run(path, tmp_path, monkeypatch):
    pytest.importorskip("pinocchio")
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    matplotlib.use("Agg")
    shutil.copytree(ROOT / "models", tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    names = {}
    found = blocks(ROOT / path)
    assert found and os.getcwd() == str(tmp_path)
    for block in found:
        exec(compile(block, path, "exec"), names)
    matplotlib.pyplot.close("all")


@pytest.mark.skipif(not hasattr(catena._core, "reproduce"), reason="this build has no papers")
def test_papers_are_objects():
    assert "saha-1999" in catena.papers.names()
    paper = catena.papers.reproduce("saha-1999")
    assert {claim.verdict for claim in paper.claims} <= {"confirmed", "differs", "cannot be decided"}
    assert sum(claim.verdict == "confirmed" for claim in paper.claims) >= 15
    figure = paper.exhibits["fig-5"]
    assert len(figure.table) > 10 and figure.failure == "" and figure.measures
    assert paper.report.startswith("<!doctype html") or "<html" in paper.report[:300]
    assert "confirmed" in repr(paper) and "<table>" in paper._repr_html_()
    with pytest.raises(catena.InputError, match="there is no paper 'saha'"):
        catena.papers.reproduce("saha")
