"""Tables: CSV bit for bit, numpy's formats, pandas, plots, and the vectors of a robot."""

import pickle

import numpy as np
import pytest
from random_models import random_state

import catena


@pytest.fixture
def table(puma):
    q, v, a = random_state(puma, 1, 7)
    return puma.table(q=q, v=v, a=a, tau=puma.inverse(q, v, a), time=np.arange(7) / 3)


@pytest.mark.parametrize("ending", ["csv", "npz", "npy"])
def test_files_read_back_bit_for_bit(table, tmp_path, ending):
    table.save(tmp_path / f"t.{ending}")
    again = catena.load(tmp_path / f"t.{ending}")
    assert again.columns == table.columns
    np.testing.assert_array_equal(again.values, table.values)
    again = pickle.loads(pickle.dumps(table))
    np.testing.assert_array_equal(again.values, table.values)


def test_columns_have_names(table, puma):
    assert table.columns[:2] == ("time", "q.joint1") and len(table) == 7 and "tau.joint6" in table
    np.testing.assert_array_equal(table["tau.joint2"], table.tau[:, 1])
    assert table.part("energy") is None
    with pytest.raises(KeyError, match="there is no column 'tau.joint7'"):
        table["tau.joint7"]
    assert "q.joint1" in table._repr_html_() and "7 rows" in repr(table)


def test_the_vectors_of_a_robot_in_any_order(table, puma):
    shuffled = catena.Table(table.columns[::-1], table.values[:, ::-1])
    found = puma.vectors(shuffled)
    for key in ("q", "v", "a", "tau", "time"):
        np.testing.assert_array_equal(found[key], getattr(table, key))
    with pytest.raises(catena.InputError, match="q.joint9"):
        puma.vectors(catena.Table(["q.joint9"], [[1.0]]))
    with pytest.raises(catena.InputError, match="q.joint2"):
        puma.vectors(catena.Table(["q.joint1"], [[1.0]]))


def test_pandas(table):
    pandas = pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "time"
    np.testing.assert_array_equal(frame["qdd.joint3"].to_numpy(), table["qdd.joint3"])


def test_plots(table, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = table.plot()
    assert len(figure.axes) == 4 and len(figure.axes[0].lines) == 6
    assert figure.axes[3].get_ylabel().startswith("joint force")
    figure.savefig(tmp_path / "t.png")
    assert len(table.plot("tau").axes) == 1
    with pytest.raises(catena.InputError, match=r"there are no columns 'energy"):
        table.plot("energy")
    matplotlib.pyplot.close("all")


def test_errors_of_tables(tmp_path, puma):
    with pytest.raises(catena.InputError, match=r"bad.csv:2"):
        (tmp_path / "bad.csv").write_text("time,q.a\n1,x\n")
        catena.load(tmp_path / "bad.csv")
    with pytest.raises(catena.InputError, match="no such file"):
        catena.load(tmp_path / "none.csv")
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    with pytest.raises(catena.InputError, match="no table in numpy's format"):
        catena.load(tmp_path / "bad.npz")
    np.save(tmp_path / "bare.npy", np.zeros((2, 2)))
    with pytest.raises(catena.InputError, match="no named columns"):
        catena.load(tmp_path / "bare.npy")
    with pytest.raises(catena.SizeError):
        catena.Table(["a"], [[1.0, 2.0]])
    with pytest.raises(catena.InputError, match="twice"):
        catena.Table(["a", "a"], [[1.0, 2.0]])
    with pytest.raises(catena.InputError, match="different numbers of rows"):
        puma.table(q=np.zeros((2, 6)), v=np.zeros((3, 6)))
    with pytest.raises(catena.InputError, match="NaN"):
        catena.Table(["a"], [[np.nan]]).to_csv()
