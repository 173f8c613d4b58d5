"""Models: read, built, edited, shown, written."""

import copy
import pickle

import numpy as np
import pytest
from conftest import EXAMPLES
from random_models import close, random_state, random_tree

import catena

PENDULUM = """name: pendulum
bodies:
  - {name: rod, mass: 2, com: [0, 0, -0.5], inertia: [1/6, 1/6, 0]}
joints:
  - {name: hinge, type: revolute, parent: world, child: rod, axis: y}
"""


def test_a_model_built_in_code_is_the_one_from_text():
    model = catena.Model(name="pendulum")
    model.add_body("rod", 2, com=[0, 0, -0.5], inertia=[1 / 6, 1 / 6, 0])
    model.add_joint("hinge", "revolute", "world", "rod", axis="y")
    assert model == catena.Model.from_text(PENDULUM)
    robot = model.compile()
    close(robot.inverse([0.3], [0.0], [2.0]), [2 * (2 * 0.25 + 1 / 6) + 2 * 9.81 * 0.5 * np.sin(0.3)])


def test_a_dictionary_may_use_everything_of_the_format():
    model = catena.Model.from_dict(
        {"name": "arm", "dh": {"links": [{"a": "300 mm", "alpha": "-pi/2", "mass": np.float64(2), "com": np.array([-0.1, 0, 0])}]}}
    )
    assert model.body("link1").mass == 2
    np.testing.assert_allclose(model.joint("joint1").child_origin[:3, 3], [0.3, 0, 0])


@pytest.mark.parametrize("name", EXAMPLES)
def test_conversions_there_and_back_change_nothing(name, tmp_path):
    model = catena.example(name)
    assert catena.Model.from_dict(model.to_dict()) == model
    assert catena.Model.from_text(model.to_yaml()) == model
    assert pickle.loads(pickle.dumps(model)) == model
    assert copy.deepcopy(model) == model
    model.save(tmp_path / "m.yaml")
    assert catena.load(tmp_path / "m.yaml") == model


@pytest.mark.parametrize("seed", range(5))
def test_random_trees_survive_every_form(seed):
    model = random_tree(seed, passive=True)
    robot = model.compile()
    q, v, a = random_state(robot, seed)
    tau = robot.inverse(q, v, a)
    for other in (
        catena.Model.from_dict(model.to_dict()),
        catena.Model.from_text(model.to_yaml()),
        catena.Model.from_text(model.to_urdf(), "urdf"),
        pickle.loads(pickle.dumps(model)),
        robot.model,
    ):
        close(other.compile().inverse(q, v, a), tau, 1e-11)
    close(pickle.loads(pickle.dumps(robot)).inverse(q, v, a), tau, 1e-15)
    close(copy.copy(robot).inverse(q, v, a), tau, 1e-15)


def test_later_changes_of_a_model_do_not_change_its_robot(puma):
    model = catena.example("puma")
    robot = model.compile()
    before = robot.gravity(puma.random(seed=3))
    model.body("link3").mass *= 2
    close(robot.gravity(puma.random(seed=3)), before, 1e-15)
    assert np.abs(model.compile().gravity(puma.random(seed=3)) - before).max() > 1


def test_a_model_shows_its_tree_and_loops():
    model = catena.example("five-bar")
    assert "├─ leg1_link1  [revolute leg1_joint1]  3 kg" in str(model)
    assert "loop tip: revolute, leg1_link2 - leg2_link2" in str(model)
    assert repr(model) == "<catena.Model 'five-bar': 4 bodies, 4 joints, 1 loops, 7.7 kg>"
    html = model._repr_html_()
    assert "<table>" in html and "leg2_joint2" in html and "tip" in html
    assert "five-bar" in model.compile()._repr_html_()


def test_html_is_escaped():
    model = catena.Model(name="<script>")
    model.add_body("a&b")
    model.add_joint("j", "fixed", "world", "a&b")
    assert "<script>" not in model._repr_html_() and "a&amp;b" in model._repr_html_()


def test_errors_name_place_problem_and_remedy(tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text(PENDULUM.replace("axis: y", "axis: [0, 0, 0]"))
    with pytest.raises(catena.InputError, match=r"arm.yaml:5:\d+: ") as caught:
        catena.load(path)
    assert caught.value.line == 5 and caught.value.file == str(path) and caught.value.problem
    with pytest.raises(catena.InputError, match="no such file"):
        catena.load(tmp_path / "none.yaml")
    (tmp_path / "arm.txt").write_text(PENDULUM)
    with pytest.raises(catena.InputError, match="ending"):
        catena.load(tmp_path / "arm.txt")
    with pytest.raises(ValueError, match=r"text:3:\d+"):
        catena.Model.from_text(PENDULUM.replace("mass: 2", "mass: -2"))
    with pytest.raises(catena.InputError, match="hinge"):
        catena.Model.from_dict({"bodies": [{"name": "b"}], "joints": [{"name": "hinge", "type": "revolute", "parent": "world", "child": "none", "axis": "z"}]})
    with pytest.raises(catena.InputError, match="axs"):
        catena.Model.from_dict({"bodies": [{"name": "b", "axs": 1}]})
    for text in ("", "\0", "a: [1", "- 1"):
        with pytest.raises(catena.InputError):
            catena.Model.from_text(text)


def test_parts_that_cannot_be_are_refused():
    model = catena.example("puma")
    with pytest.raises(catena.InputError, match="'elbow' is not a joint"):
        model.joint("elbow")
    model.joint("joint2").kind = "revolut"
    with pytest.raises(catena.InputError, match="did you mean 'revolute'"):
        model.compile()
    model = catena.example("puma")
    model.body("link1").inertia = np.array([[1, 2, 0], [0, 1, 0], [0, 0, 1.0]])
    with pytest.raises(catena.InputError, match="not symmetric"):
        model.compile()
    model = catena.example("puma")
    model.joint("joint2").origin = np.diag([2.0, 1, 1, 1])
    with pytest.raises(catena.InputError, match="not orthonormal"):
        model.compile()
    model = catena.example("puma")
    model.body("link1").com = [0, np.nan, 0]
    with pytest.raises(catena.InputError, match=r"com\[1\] is NaN"):
        model.compile()
    model.body("link1").com = [0, 0]
    with pytest.raises(catena.SizeError, match="com has shape"):
        model.compile()


def test_joints_in_cycles_are_cut():
    model = catena.Model(name="four-bar", gravity=[0, -9.81, 0])
    for name in ("crank", "coupler", "rocker"):
        model.add_body(name, 1, com=[0.5, 0, 0], inertia=[0.01, 0.1, 0.1])
    model.add_joint("a", "revolute", "world", "crank")
    model.add_joint("b", "revolute", "crank", "coupler", origin=[1, 0, 0])
    model.add_joint("c", "revolute", "coupler", "rocker", origin=[1, 0, 0])
    model.add_joint("d", "revolute", "world", "rocker", origin=[1, 0, 0], child_origin=[-1, 0, 0])
    robot = model.compile()
    assert robot.closed and robot.nv == 3


def test_floating_base_and_unphysical_inertias(tmp_path):
    (tmp_path / "base.yaml").write_text("ground: base\nbodies: [{name: base, mass: 1, inertia: [1, 1, 1]}]\n")
    model = catena.load(tmp_path / "base.yaml", floating_base=True)
    assert model.joint("root").kind == "free" and model.compile().nv == 6
    with pytest.raises(catena.InputError, match="no base that could move freely"):
        catena.example("puma").with_free_base()
    bad = PENDULUM.replace("[1/6, 1/6, 0]", "[1, 0.1, 0]")
    with pytest.raises(catena.InputError, match="principal moments"):
        catena.Model.from_text(bad)
    (tmp_path / "bad.yaml").write_text(bad)
    with pytest.warns(UserWarning, match="principal moments"):
        model = catena.load(tmp_path / "bad.yaml", allow_unphysical=True)
    assert model.compile(allow_unphysical=True).nv == 1


def test_the_matrices_of_spacelib(tmp_path):
    """Beside poses, twists and inverse dynamics by other recursions."""
    robot = "2\n0 0.3 0.2 0.1 0.4 0.7\n3 0.02 0.001 0 0.03 0 0.04\n0.1 -0.2 0.05\n"
    robot += "1 0.1 0.5 0 -0.2 -0.4\n2 0.02 0 0.002 0.02 0 0.03\n0 0.1 -0.1\n0.5 -9 1\n"
    motion = np.random.default_rng(1).normal(size=(5, 2, 3))
    (tmp_path / "arm.spacelib").write_text(robot)
    (tmp_path / "pushed.spacelib").write_text(robot + "1 2 3 0.4 0.5 0.6\n")
    (tmp_path / "arm.motion").write_text("0.1 " + " ".join(repr(float(x)) for x in motion.ravel()))
    arm = catena.load(tmp_path / "arm.spacelib").compile()
    q, v, a = np.moveaxis(motion, 2, 0)
    free, pushed = (catena.spacelib(tmp_path / name, tmp_path / "arm.motion") for name in ("arm.spacelib", "pushed.spacelib"))
    close(free["time"], 0.1 * np.arange(5))
    close(free["tau"], arm.inverse(q, v, a), 1e-12)
    close(pushed["tau"], arm.inverse(q, v, a, wrenches={"link2": [0.4, 0.5, 0.6, 1, 2, 3]}), 1e-12)
    matrices = {"A", "M0", "W", "W0", "WA", "H", "H0", "HA", "J", "J0", "FI", "ACT0"}
    assert set(free) == matrices | {"tau", "time"} and all(free[name].shape == (5, 2, 4, 4) for name in matrices)
    for i, body in enumerate(("link1", "link2")):
        M = arm.pose(body, q)
        close(free["M0"][:, i], M, 1e-12)
        close(free["A"][:, i], M if i == 0 else np.linalg.solve(free["M0"][:, 0], M), 1e-12)
        close(free["J0"][:, i], M @ free["J"][:, i] @ np.swapaxes(M, 1, 2), 1e-12)
        h = 1e-6  # the velocity is dM/dt M^-1, the acceleration d2M/dt2 M^-1
        rate = lambda t: (arm.pose(body, q + (t + h) * v + (t + h) ** 2 / 2 * a) - arm.pose(body, q + (t - h) * v + (t - h) ** 2 / 2 * a)) / (2 * h)  # noqa: E731, B023
        close(free["WA"][:, i], rate(0) @ np.linalg.inv(M), 1e-7)
        close(free["HA"][:, i], (rate(1e-4) - rate(-1e-4)) / 2e-4 @ np.linalg.inv(M), 1e-5)
    with pytest.raises(catena.InputError, match="arm.motion:1:"):
        catena.spacelib(str(tmp_path / "arm.motion"), str(tmp_path / "arm.motion"))
    with pytest.raises(catena.InputError, match="none.motion"):
        catena.spacelib(str(tmp_path / "arm.spacelib"), str(tmp_path / "none.motion"))
