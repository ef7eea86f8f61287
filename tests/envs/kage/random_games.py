"""Random games of kage with the plainest look, for tests of levels and dynamics, and the widest of them."""

from hypothesis import strategies as st

from kagejax.envs.kage.config import KageConfig

PLAIN = {
    "H": 32,
    "W": 32,
    "background": {"mode": "black"},
    "character": {"use_sprites": False, "use_shape": True, "shape_types": "circle", "shape_rotate": True},
    "npc": {"enabled": False},
    "distractors": {"enabled": False},
}


def configured(**sections) -> KageConfig:
    """A configuration with sections given as dictionaries, over `PLAIN`."""
    merged = {key: {**PLAIN.get(key, {}), **value} if isinstance(value, dict) else value for key, value in sections.items()}
    return KageConfig.model_validate({**PLAIN, **merged})


TAME_CORNERS = (
    configured(
        character={"width": 24, "height": 30},
        layout={"length": 400, "run_width": 6},
        physics={"max_speed_x": 3.0, "jump_velocity": -10.0, "terminal_velocity": 10.0, "gravity": 0.1},
    ),
)
"""Their plan holds every tame configuration: spawns inside the world, so that a step's reach is known."""

WILD_CORNERS = (
    *TAME_CORNERS,
    configured(layout={"length": 400, "run_width": 6, "base_ground_y": 200}, physics={"max_speed_x": 3.0}),
)
"""Their plan holds any configuration: collisions walk in a loop."""


def number(low, high):
    return st.floats(low, high, width=32)


@st.composite
def tame_configs(draw) -> KageConfig:
    steps = sorted((draw(st.integers(0, 20)), draw(st.integers(0, 20))))
    heights = sorted((draw(st.integers(0, 20)), draw(st.integers(0, 20))))
    return configured(
        episode_length=draw(st.integers(1, 40)),
        forward_reward_scale=draw(number(0, 2)),
        jump_penalty=draw(number(0, 20)),
        timestep_penalty=draw(number(0, 1)),
        idle_penalty=draw(number(0, 10)),
        dist_to_success=float(draw(st.integers(0, 30))),
        character={"width": draw(st.integers(1, 24)), "height": draw(st.integers(1, 30))},
        layout={
            "length": draw(st.integers(150, 400)),
            "ground_thickness": draw(st.integers(1, 10)),
            "run_width": draw(st.integers(6, 60)),
            "p_change": draw(number(0, 1)),
            "p_up_given_change": draw(number(0, 1)),
            "min_step_height": steps[0],
            "max_step_height": steps[1],
            "min_height": heights[0],
            "max_height": heights[1],
        },
        physics={
            "gravity": draw(number(0.125, 1.5)),
            "max_speed_x": draw(number(0.25, 3)),
            "jump_velocity": draw(number(-10, 0)),
            "terminal_velocity": draw(number(0.5, 10)),
            "ground_friction": draw(number(0, 1)),
            "air_resistance": draw(number(0, 1)),
            "ground_accel": draw(number(0, 2)),
            "air_accel": draw(number(0, 2)),
            "coyote_time": draw(st.integers(0, 8)),
            "ground_snap_dist": draw(st.integers(0, 6)),
        },
        camera={"left_margin": draw(st.integers(0, 16)), "right_margin": draw(st.integers(0, 16))},
    )


@st.composite
def wild_configs(draw) -> KageConfig:
    tame = draw(tame_configs())
    layout = tame.layout.model_dump() | {
        "height_px": draw(st.integers(40, 160)),
        "base_ground_y": draw(st.integers(0, 160)),
        "pix_per_unit": draw(st.integers(0, 5)),
    }
    physics = tame.physics.model_dump() | {"gravity": draw(number(-1, 1.5)), "max_speed_x": draw(number(0.25, 3))}
    return configured(character=tame.character.model_dump() | {"sprite_dir": None}, layout=layout, physics=physics)
