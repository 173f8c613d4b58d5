"""Beside MuJoCo: random machines in its own format, converted and compared."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_machines import random_mjcf, random_mujoco_state
from random_models import close

import catena

mujoco = pytest.importorskip("mujoco")

from catena.mujoco import mujoco_states  # noqa: E402


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_random_machines(seed, bodies):
    model = mujoco.MjModel.from_xml_string(random_mjcf(seed, bodies))
    data = random_mujoco_state(model, seed)
    ours = catena.from_mujoco(model)
    robot = ours.compile()
    states = mujoco_states(model, robot)
    qpos, qvel, qacc = data.qpos.copy(), data.qvel.copy(), data.qacc.copy()
    q, v, a, T = states.q(qpos), states.v(qpos, qvel), states.a(qpos, qvel, qacc), states.velocity_map(qpos)
    close(states.back_q(q), qpos, 1e-12)
    close(states.back_v(q, v), qvel, 1e-12)
    mujoco.mj_inverse(model, data)
    close(robot.inverse(q, v, a), states.tau(qpos, data.qfrc_inverse))
    mujoco.mj_forward(model, data)
    close(robot.forward(q, v), states.a(qpos, qvel, data.qacc), 1e-7)
    M = np.zeros((model.nv, model.nv))
    if hasattr(data, "qM"):  # its arguments have changed in version 4
        mujoco.mj_fullM(model, M, data.qM)
    else:
        mujoco.mj_fullM(model, data, M)
    close(T.T @ robot.inertia(q) @ T, M)
    for i in range(bodies):
        site = data.site(f"s{i}")
        X = robot.pose(f"s{i}", q)
        close(X[:3, 3], site.xpos)
        close(X[:3, :3], site.xmat.reshape(3, 3))
    Jv, Jw = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacSite(model, data, Jv, Jw, model.site(f"s{bodies - 1}").id)
    close(robot.jacobian(f"s{bodies - 1}", q) @ T, np.vstack([Jw, Jv]))


LOOPS = """<mujoco><compiler angle="radian"/><option gravity="0 -9.81 0"/><worldbody>
<body name="a"><joint name="ja" axis="0 0 1"/><inertial pos=".5 0 0" mass="1" diaginertia=".01 .1 .1"/>
  <body name="b" pos="1 0 0"><joint name="jb" axis="0 0 1"/><inertial pos=".5 0 0" mass="1" diaginertia=".01 .1 .1"/></body></body>
<body name="c" pos="1 1 0"><joint name="jc" axis="0 0 1"/><joint name="jd" axis="0 0 1" pos=".2 0 0"/>
  <inertial pos=".5 0 0" mass="1" diaginertia=".01 .1 .1"/></body>
</worldbody><equality>%s</equality></mujoco>"""


def test_connect_becomes_a_loop_that_holds():
    model = mujoco.MjModel.from_xml_string(LOOPS % '<connect name="pin" body1="b" body2="c" anchor="1 0 0"/>')
    ours = catena.from_mujoco(model)
    assert ours.loop("pin").kind == "spherical"
    robot = ours.compile()
    close(robot.closure(robot.neutral()), np.zeros(3), 1e-12)  # MuJoCo takes it closed as it is drawn
    a = robot.forward(robot.neutral())
    close(robot.closure_jacobian(robot.neutral()) @ a, np.zeros(3), 1e-9)
    # MuJoCo's soft constraint comes near it as it is made stiff
    model.eq_solref[:] = [-1e9, -1e5]
    model.eq_solimp[:] = [0.9999, 0.9999, 1e-3, 0.5, 2]
    model.opt.tolerance = 0
    model.opt.iterations = 1000
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    close(a, mujoco_states(model, robot).a(data.qpos, data.qvel, data.qacc), 1e-3)


def test_weld_becomes_a_fixed_loop():
    model = mujoco.MjModel.from_xml_string(LOOPS % '<weld name="glue" body1="b" body2="c"/>')
    ours = catena.from_mujoco(model)
    robot = ours.compile()
    assert ours.loop("glue").kind == "fixed"
    close(robot.closure(robot.neutral()), np.zeros(6), 1e-12)


def test_joint_equality_becomes_a_mimic():
    model = mujoco.MjModel.from_xml_string(LOOPS % '<joint joint1="jb" joint2="ja" polycoef="0.1 2 0 0 0"/>')
    ours = catena.from_mujoco(model)
    assert ours.joint("jb").mimic == ("ja", 2.0, 0.1)
    assert ours.compile().nv == 3
    for bad in ('<joint joint1="jb" joint2="ja" polycoef="0 1 2 0 0"/>', '<joint joint1="jb" polycoef="0 1 0 0 0"/>'):
        with pytest.raises(catena.InputError, match="only q1 = c0"):
            catena.from_mujoco(mujoco.MjModel.from_xml_string(LOOPS % bad))
