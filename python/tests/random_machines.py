"""Random machines in MuJoCo's format, and random states of them."""

import numpy as np


def random_mjcf(seed, bodies):
    rng = np.random.default_rng(seed)

    def numbers(size):
        return " ".join(f"{x:.6f}" for x in rng.normal(size=size))

    def joints(i):
        kind = rng.integers(6)
        if kind == 0:
            return f'<joint name="ball{i}" type="ball" damping="{rng.uniform():.3f}" armature=".02"/>'
        text = ""
        for k in range(1 + (kind == 1)):
            what = "slide" if rng.integers(3) == 0 else "hinge"
            text += (
                f'<joint name="j{i}_{k}" type="{what}" axis="{numbers(3)}" pos="{numbers(3)}" ref="{rng.normal():.3f}" '
                f'stiffness="{rng.uniform():.3f}" springref="{rng.normal():.3f}" damping="{rng.uniform():.3f}" armature="{rng.uniform():.3f}"/>'
            )
        return text

    def body(i):
        moments = " ".join(f"{x:.4f}" for x in rng.uniform(0.5, 0.9, size=3))
        below = "".join(body(k) for k in children.get(i, []))
        move = "<freejoint name='root'/>" if free and i == 0 else ("" if rng.integers(6) == 0 and i > 0 else joints(i))
        return (
            f'<body name="b{i}" pos="{numbers(3)}" quat="{numbers(4)}">{move}'
            f'<inertial pos="{numbers(3)}" quat="{numbers(4)}" mass="{rng.uniform(0.5, 3):.3f}" diaginertia="{moments}"/>'
            f'<site name="s{i}" pos="{numbers(3)}" quat="{numbers(4)}"/>{below}</body>'
        )

    free = bool(rng.integers(2))
    children = {}
    for i in range(1, bodies):
        children.setdefault(int(rng.integers(max(0, i - 3), i)), []).append(i)
    return (
        f'<mujoco model="m{seed}"><compiler angle="radian"/><option gravity="{numbers(3)}"><flag contact="disable"/></option>'
        f"<worldbody>{body(0)}</worldbody></mujoco>"
    )


def random_mujoco_state(model, seed):
    import mujoco

    rng = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    qpos = model.qpos0.copy()
    mujoco.mj_integratePos(model, qpos, rng.normal(size=model.nv), 1.0)
    data.qpos[:], data.qvel[:], data.qacc[:] = qpos, rng.normal(size=model.nv), rng.normal(size=model.nv)
    return data
