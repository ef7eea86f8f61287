"""The configuration of kage: every key with its type, default, range, unit and reach."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal

from kagejax.config.schema import (
    Colour,
    Complaint,
    ConfigModel,
    Integer,
    Integers,
    Number,
    Paths,
    Section,
    name_or_names,
    names,
    old_name,
    setting,
)

from . import checks

BackgroundMode = Literal["black", "image", "noise", "color"]
BackgroundColour = Literal[
    "black", "white", "red", "orange", "yellow", "green", "cyan", "blue",
    "purple", "pink", "brown", "gray", "lime", "teal", "indigo", "magenta",
]  # fmt: skip
ShapeColour = Literal[
    "red", "green", "blue", "orange", "yellow", "violet", "magenta", "cyan", "pink", "brown", "purple",
    "lime", "navy", "maroon", "olive", "teal", "indigo", "coral", "gold", "silver", "white",
]  # fmt: skip
LightColour = Literal[
    "warm_white", "cool_white", "yellow", "orange", "red", "green", "cyan", "blue", "purple", "pink", "gold", "fire",
]  # fmt: skip
Shape = Literal["circle", "square", "line", "ellipse", "triangle", "star", "polygon", "cross", "diamond"]
Preset = Literal["vintage", "retro", "cyberpunk", "horror", "noir"]
PresetOrNone = Literal["vintage", "retro", "cyberpunk", "horror", "noir", "none"]
SKINS = "builtin/sprites"


def look(default: Any, about: str, **more: Any) -> Any:
    """A setting of the picture alone."""
    return setting(default, about, "render", **more)


def game(default: Any, about: str, **more: Any) -> Any:
    """A setting of the dynamics, the reward or the horizon."""
    return setting(default, about, "control", **more)


class Background(Section):
    """What is behind everything."""

    mode: BackgroundMode = look("image", "What is drawn behind everything.", absent="black")
    image_dir: str | None = look("builtin/backgrounds", "Folder of pictures, by path order.", absent=None, asset=True)
    image_paths: Paths = look((), "Pictures, one of which is drawn for each episode.", asset=True)
    image_path: str | None = look(None, "A single picture.", asset=True)
    parallax_factor: Number = look(0.5, "How far the picture scrolls as the camera moves.", unit="px/px")
    tile_horizontal: bool = look(True, "Repeat the picture sideways; otherwise its edge columns go on.")
    switch_frequency: Number = look(0.0, "Chance of a new background at each step, in any mode.", ge=0, le=1)
    color_names: names(BackgroundColour) = look(
        ("purple", "teal", "indigo"), "Colours, one of which fills each episode in mode color.", absent=("black",), min_length=1
    )


class Character(Section):
    """The agent: its body and its looks."""

    width: Integer = setting(16, "Width of the body; it covers 2 * (width // 2) + 1 columns.", "both", unit="px", ge=1)
    height: Integer = setting(24, "Height of the body; it covers 2 * (height // 2) + 1 rows.", "both", unit="px", ge=1)
    use_sprites: bool = look(True, "Draw the agent as an animated skin.", absent=False)
    sprite_dir: str | None = look(SKINS, "Folder of skins, one of which is worn for an episode.", absent=None, asset=True)
    sprite_paths: Paths | None = look(None, "Skins, one of which is worn for an episode.", asset=True)
    sprite_path: str | None = look(None, "A single skin.", asset=True)
    enable_animation: bool = look(True, "Animate the skin while the agent moves.")
    animation_fps: Number = look(
        12.0, "Frames of the skin per second, at 60 steps per second; 0 never advances.", unit="frames/s", absent=10.0, ge=0
    )
    idle_sprite_idx: Integer = look(0, "Frame shown at rest.", ge=0)
    use_shape: bool = look(False, "Draw the agent as a geometric shape.")
    shape_types: name_or_names(Shape) = look(
        ("circle", "star"), "Shapes, one of which the agent has for an episode.", absent=("circle",), min_length=1
    )
    shape_colors: name_or_names(ShapeColour) = look(
        ("teal", "indigo"), "Colours, one of which the shape has for an episode.", absent=("red",), min_length=1
    )
    shape_rotate: bool = look(True, "Turn the shape.", absent=False)
    shape_rotation_speed: Number = look(5.0, "Angle that the shape turns at each step.", unit="deg/step", absent=2.0)
    fallback_color: Colour = look((255, 0, 0), "Red, green, blue of the box drawn with neither skin nor shape.")


class Npc(Section):
    """Figures that stand in the world, and sticky ones that stay near the agent on the screen. They touch nothing."""

    enabled: bool = look(True, "Put figures on the ground. Without a skin none is drawn.", absent=False)
    min_npc_count: Integer = look(5, "Fewest figures of an episode.", absent=2, ge=0)
    max_npc_count: Integer = look(20, "Most figures of an episode.", absent=5, ge=0)
    spawn_y_offset: Integer = look(0, "Raises figures and the base line of sticky ones.", unit="px")
    animation_fps: Number = look(12.0, "Frames per second of both kinds; 0 never advances.", unit="frames/s", absent=8.0, ge=0)
    sprite_dir: str | None = look(SKINS, "Folder of the skins of standing figures.", absent=None, asset=True)
    sprite_paths: Paths = look((), "Skins of standing figures.", asset=True)
    sprite_path: str | None = look(None, "The one skin of standing figures.", asset=True)
    sticky_enabled: bool = look(False, "Put sticky figures beside the agent; needs one of their sources of skins.")
    min_sticky_count: Integer = look(1, "Fewest sticky figures of an episode.", ge=0)
    max_sticky_count: Integer = look(5, "Most sticky figures of an episode.", absent=3, ge=0)
    sticky_sprite_dir: str | None = look(SKINS, "Folder of the skins of sticky figures.", absent=None, asset=True)
    sticky_sprite_dirs: Paths = look((), "Skins of sticky figures.", asset=True)
    sticky_sprite_path: str | None = look(None, "The one skin of sticky figures.", asset=True)
    sticky_can_jump: bool = look(True, "Let sticky figures hop at random.", absent=False)
    sticky_jump_probability: Number = look(0.01, "Chance that a resting sticky figure hops, per step.", ge=0, le=1)
    sticky_y_randomize: bool = look(True, "Draw each resting height; otherwise all rest at the lower offset.")
    sticky_y_min_offset: Integer = look(-40, "Least offset of the resting row (highest on screen).", unit="px", absent=-30)
    sticky_y_max_offset: Integer = look(-10, "Greatest offset of the resting row (lowest on screen).", unit="px", absent=0)
    sticky_x_offsets: Integers = look((), "Offsets from the agent, in turn; empty draws them.", unit="px", absent=(-40, 40))
    sticky_x_min: Integer | None = look(-60, "Least random offset from the agent; needs both bounds.", unit="px", absent=None)
    sticky_x_max: Integer | None = look(60, "Greatest random offset from the agent; needs both bounds.", unit="px", absent=None)


class Distractors(Section):
    """Shapes that drift over the screen, behind ground and agent."""

    enabled: bool = look(True, "Let shapes drift over the background.", absent=False)
    count: Integer = look(5, "How many shapes there are.", absent=3, ge=1)
    shape_types: name_or_names(Shape) = look(
        ("circle", "star", "cross"), "Shapes to draw from, for each one.", absent=("circle",), min_length=1
    )
    shape_colors: name_or_names(ShapeColour) = look(
        ("red", "green", "blue"), "Colours to draw from, for each one.", absent=("red",), min_length=1
    )
    can_move: bool = look(True, "Let them drift; otherwise they stay in place.")
    min_speed: Number = setting(0.0, "Accepted and ignored.", "none", unit="px/step", absent=0.5)
    max_speed: Number = look(1.0, "Greatest speed along each axis.", unit="px/step", absent=2.0, ge=0)
    can_rotate: bool = look(True, "Let them turn; otherwise their first angle stays.")
    min_rotation_speed: Number = look(-0.3, "Least turn per step, in angle_unit.", unit="angle/step", absent=-10.0)
    max_rotation_speed: Number = look(0.3, "Greatest turn per step, in angle_unit.", unit="angle/step", absent=10.0)
    min_size: Integer = look(4, "Least diameter.", unit="px", absent=3, ge=1)
    max_size: Integer = look(12, "Greatest diameter; what leaves a 32 px window is cut.", unit="px", absent=8, ge=1)
    angle_unit: Literal["radians", "degrees"] = look("radians", "What angles and turns are counted in.", ours=True)


class Filters(Section):
    """What is done to the finished picture, in a fixed order."""

    brightness: Number = look(0.0, "Added to each channel, times 100.", unit="100 levels", ge=-1, le=1)
    contrast: Number = look(1.0, "Gain around the middle grey of 128.", gt=0)
    gamma: Number = look(1.0, "Exponent of the picture taken from 0 to 1.", ge=0.5, le=2)
    saturation: Number = look(1.0, "Factor of the saturation; 0 is grey.", ge=0, le=2)
    hue_shift: Number = look(0.0, "Added to the hue.", unit="deg", ge=-180, le=180)
    color_temp: Number = look(0.0, "Warmer above 0, cooler below.", ge=-1, le=1)
    color_jitter_std: Number = look(0.0, "Spread of a random mixing of the channels, new in each frame.", ge=0)
    gaussian_noise_std: Number = look(0.0, "Spread of normal noise per pixel, new in each frame.", unit="levels", ge=0)
    poisson_noise_scale: Number = look(0.0, "Photons per level of shot noise, new in each frame; 0 is none.", ge=0, le=1)
    blur_sigma: Number = look(0.0, "Blends towards the mean of 3 x 3 pixels, fully at 2.5.", ge=0)
    sharpen_amount: Number = look(0.0, "Gain of the difference to a blurred picture.", ge=0)
    pixelate_factor: Integer = look(1, "Edge of the blocks that pixels are merged into.", unit="px", ge=1)
    vignette_strength: Number = look(0.0, "How far the corners darken.", ge=0)
    radial_light_strength: Number = look(0.0, "Strength of a light in the middle of the screen.", ge=0)
    pop_filter_list: names(PresetOrNone) = look((), "Presets, one of which is drawn for an episode and goes first.")
    jpeg_quality: Number | None = setting(None, "Accepted and ignored.", "none", ge=0, le=1)
    radial_light_color: Colour = look((255, 255, 200), "Red, green, blue of the light in the middle.")
    pop_filter: Preset | None = look(None, "A preset for all episodes, after one drawn from pop_filter_list.")
    seed: Integer | None = setting(None, "Accepted and ignored.", "none")


class Effects(Section):
    """Lights over the finished picture, in new places for each episode."""

    point_light_enabled: bool = look(False, "Shine lights on the screen.")
    point_light_intensity: Number = look(1.0, "Factor of their colour.", absent=3.0, ge=0.1, le=5)
    point_light_radius: Number = look(0.1, "Where they have half their strength.", unit="diagonals", ge=0.01, le=1)
    point_light_falloff: Number = look(2.0, "Exponent of their decay; greater is sharper.", ge=1, le=4)
    point_light_count: Integer = look(4, "How many lights there are.", absent=1, ge=1, le=5)
    point_light_color_names: names(LightColour) = look(
        ("blue", "pink", "gold"), "Colours of the lights, in turn.", absent=("warm_white",), min_length=1
    )


class Layout(Section):
    """The ground: runs of level columns, with a step up or down where one ends."""

    length: Integer = game(2048, "Width of the world.", unit="px", absent=128, ge=1)
    height_px: Integer = game(128, "Height of the world.", unit="px", ge=1)
    base_ground_y: Integer = game(96, "Row of the ground at height 0, which sticky figures stand on too.", unit="px")
    pix_per_unit: Integer = game(2, "Rows per unit of height; 0 is level ground.", unit="px", ge=0)
    ground_thickness: Integer = game(2, "Rows of ground under the surface.", unit="px", ge=1)
    run_width: Integer = game(25, "Columns of a run.", unit="px", absent=20, ge=1)
    p_change: Number = game(0.7, "Chance of a step where a run ends.", absent=0.5, ge=0, le=1)
    p_up_given_change: Number = game(0.5, "Chance that a step goes up.", ge=0, le=1)
    min_step_height: Integer = game(5, "Least height of a step.", unit="units", ge=0)
    max_step_height: Integer = game(17, "Greatest height of a step.", unit="units", absent=10, ge=0)
    layout_colors: name_or_names(BackgroundColour) = look(
        ("cyan",), "Colour of the ground; of several the last counts, unless random_color.", absent=("gray",), min_length=1
    )
    min_height: Integer = game(0, "Lowest ground.", unit="units")
    max_height: Integer = game(20, "Highest ground.", unit="units")
    random_color: bool = look(False, "Draw the ground's colour from layout_colors for each episode.", ours=True)


class Physics(Section):
    """How the agent moves. A step is 1/60 s; y grows downwards."""

    gravity: Number = game(
        0.75, "Added to the falling speed at each step; sticky figures feel it too.", unit="px/step^2", absent=0.5
    )
    move_speed: Integer = old_name("max_speed_x", "Older name of max_speed_x, an integer.", "control", unit="px/step", ge=1)
    jump_force: Number = old_name("jump_velocity", "Older name of jump_velocity.", "control", unit="px/step")
    ground_friction: Number = game(0.8, "Factor of the speed on the ground, before input.")
    air_resistance: Number = game(0.95, "Factor of the speed in the air, before input.", absent=0.98)
    max_fall_speed: Number = old_name("terminal_velocity", "Older name of terminal_velocity.", "control", unit="px/step")
    max_speed_x: Number = game(1.0, "Greatest speed sideways.", unit="px/step", absent=3.0)
    jump_velocity: Number = game(-7.5, "Speed that a jump starts with; negative is up.", unit="px/step", absent=-6.0)
    terminal_velocity: Number = game(8.0, "Greatest falling speed.", unit="px/step")
    coyote_time: Integer = game(3, "Steps after leaving the ground in which a jump still works.", unit="steps")
    ground_accel: Number = game(1.0, "Speed gained by input on the ground.", unit="px/step^2")
    air_accel: Number = game(0.4, "Speed gained by input in the air.", unit="px/step^2")
    ground_snap_dist: Integer = game(2, "Rows under the feet in which ground counts as contact.", unit="px")


class Camera(Section):
    """The camera follows when the agent comes near an edge of the screen."""

    left_margin: Integer = look(40, "Nearest that the agent comes to the left edge.", unit="px")
    right_margin: Integer = look(40, "Nearest that the agent comes to the right edge.", unit="px")


class KageConfig(ConfigModel):
    """A side-scrolling platformer whose every look can be changed without changing the game."""

    exclusive: ClassVar[tuple[tuple[str, ...], ...]] = (*checks.SOURCES, checks.LOOKS)

    episode_length: Integer = game(500, "Steps after which an episode is cut.", unit="steps", ge=1)
    forward_reward_scale: Number = game(0.2, "Reward for each pixel of new ground.", unit="1/px")
    jump_penalty: Number = game(10.0, "Cost of a step with the jump button held.")
    timestep_penalty: Number = game(0.1, "Cost of a step.")
    idle_penalty: Number = game(5.0, "Cost of a step that ends in the column where it began.")
    dist_to_success: Number = setting(490.0, "Distance that counts as success; ends nothing.", "metric", unit="px", ge=0)
    H: Integer = look(128, "Height of the picture.", unit="px", ge=1)
    W: Integer = look(128, "Width of the picture.", unit="px", ge=1)
    background: Background = Background()
    character: Character = Character()
    npc: Npc = Npc()
    distractors: Distractors = Distractors()
    filters: Filters = Filters()
    effects: Effects = Effects()
    layout: Layout = Layout()
    physics: Physics = Physics()
    camera: Camera = Camera()

    @classmethod
    def absent_values(cls, given: Mapping[str, Any], sections: Iterable[str]) -> dict[str, Any]:
        return super().absent_values(given, sections) | checks.absent_layout(given, sections)

    @classmethod
    def layer_complaints(cls, given: Mapping[str, Any], published: bool) -> list[Complaint]:
        return super().layer_complaints(given, published) + checks.neither_look(given, published)

    def complaints(self) -> list[Complaint]:
        return checks.complaints(self.flat())

    def inert(self) -> frozenset[str]:
        return checks.inert(self.flat())
