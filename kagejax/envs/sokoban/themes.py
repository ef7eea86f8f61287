"""Colours and tiles of boards. Host side, NumPy. SPEC sections 4.1 to 4.5."""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

SIZE = 64
"""Height and width of a picture."""
KINDS = ("floor", "wall", "goal", "box", "box_on_goal", "player", "player_on_goal")
COLORS = ("floor", "floor_alt", "wall", "wall_edge", "goal", "box", "box_edge", "box_on_goal", "player")
PAIRS = (("floor", "wall"), ("floor", "goal"), ("floor", "box"), ("floor", "player"), ("box", "box_on_goal"),
         ("box", "goal"), ("box", "wall"), ("box_on_goal", "wall"), ("player", "box"), ("player", "wall"))  # fmt: skip
"""Colours that a policy must tell apart."""
CONTRAST = 30.0
"""Least distance in RGB of each of PAIRS in themes of law "plus"."""
NOISE_STD = 6.0
GRAIN, LIGHT_DEPTH = 14, 0.35
SPRITES = ("square", "rounded", "cross")
Color = tuple[int, int, int]


@dataclasses.dataclass(frozen=True)
class Theme:
    """How boards look. The fields after `noise_std` are those of law "plus"."""

    floor: Color = (222, 214, 186)
    floor_alt: Color = (212, 204, 176)
    wall: Color = (94, 84, 74)
    wall_edge: Color = (64, 56, 48)
    goal: Color = (196, 60, 60)
    box: Color = (176, 122, 54)
    box_edge: Color = (120, 80, 30)
    box_on_goal: Color = (206, 160, 70)
    player: Color = (48, 108, 188)
    checker: bool = True
    noise_std: float = 0.0
    texture: int = 0  # seed of a grain in floor and walls; 0: none
    sprite: str = "square"  # of boxes
    light: tuple[float, float] = (0.0, 0.0)  # fall of light down and to the right, in -1 .. 1
    specks: int = 0  # distracting marks on some floor tiles, by seed; 0: none


DEFAULT = Theme()


class Geometry(NamedTuple):
    """Where the cells of a board lie in the picture, px."""

    cell: int
    top: int
    left: int


def geometry(rows: int, columns: int) -> Geometry:
    """Whole pixels per cell, the board in the middle."""
    cell = SIZE // max(rows, columns)
    return Geometry(cell, (SIZE - rows * cell) // 2, (SIZE - columns * cell) // 2)


def tiles(theme: Theme, cell: int) -> np.ndarray:
    """Every kind on even and odd cells, u8 [len(KINDS), 2, cell, cell, 3]."""
    made = np.empty((len(KINDS), 2, cell, cell, 3), np.uint8)
    for parity in range(2):
        ground = np.empty((cell, cell, 3), np.uint8)
        ground[:] = theme.floor_alt if theme.checker and parity else theme.floor
        ground = _grained(ground, theme, parity)
        if theme.specks and parity:
            ground = _specked(ground, theme)
        goal = _with_goal(ground, theme)
        pictures = {
            "floor": ground,
            "wall": _wall(theme, cell),
            "goal": goal,
            "box": _with_box(ground, theme, theme.box),
            "box_on_goal": _with_box(goal, theme, theme.box_on_goal),
            "player": _with_player(ground, theme),
            "player_on_goal": _with_player(goal, theme),
        }
        for kind, picture in zip(made, (pictures[name] for name in KINDS), strict=True):
            kind[parity] = picture
    return made


def light(theme: Theme) -> np.ndarray:
    """Gain of each pixel in 1/256, u16 [SIZE, SIZE]; 256 everywhere without a fall of light."""
    place = (np.arange(SIZE) + 0.5) / SIZE - 0.5
    gain = 1.0 + LIGHT_DEPTH * (theme.light[0] * place[:, None] + theme.light[1] * place[None, :])
    return np.round(256 * gain).astype(np.uint16)


def classic(random: np.random.Generator) -> Theme:
    """A theme by the published law of Split B."""

    def near(base: Color, reach: int) -> Color:
        jitter = random.integers(-reach, reach + 1, 3)
        return tuple(int(level) for level in np.clip(np.array(base) + jitter, 20, 235))

    floor = near(DEFAULT.floor, 70)
    return Theme(
        floor=floor,
        floor_alt=near(floor, 18),
        wall=near(DEFAULT.wall, 70),
        wall_edge=near(DEFAULT.wall_edge, 30),
        goal=near(DEFAULT.goal, 45),
        box=near(DEFAULT.box, 45),
        box_edge=near(DEFAULT.box_edge, 30),
        box_on_goal=near(DEFAULT.box_on_goal, 45),
        player=near(DEFAULT.player, 45),
        checker=bool(random.integers(2)),
        noise_std=float(random.uniform(0, NOISE_STD)),
    )


def plus(random: np.random.Generator) -> Theme:
    """A theme of law "classic" whose colours can be told apart, with grain, sprites, a fall of light and marks on the floor."""
    theme = classic(random)
    while contrast(theme) < CONTRAST:
        theme = classic(random)
    return dataclasses.replace(
        theme,
        texture=int(random.integers(1, 2**31)),
        sprite=SPRITES[random.integers(len(SPRITES))],
        light=tuple(float(fall) for fall in random.uniform(-1, 1, 2)),
        specks=int(random.integers(1, 2**31)),
    )


LAWS = {"classic": classic, "plus": plus}


def contrast(theme: Theme) -> float:
    """The least distance in RGB between two colours of PAIRS."""
    colors = {name: np.array(getattr(theme, name), float) for name in COLORS}
    return float(min(np.linalg.norm(colors[a] - colors[b]) for a, b in PAIRS))


def drawn(law: str, seed: int, index: int) -> Theme:
    """Theme `index` of a law; it depends on nothing else than these three."""
    return LAWS[law](np.random.default_rng([seed, index, *law.encode()]))


def from_json(entry: dict[str, Any]) -> Theme:
    """A theme as split files hold it; what is missing is as by default. Raises ValueError for what is no theme."""
    if not isinstance(entry, dict):
        raise ValueError(f"a theme is an object, not {entry!r}")
    known = [field.name for field in dataclasses.fields(Theme)]
    for key, value in entry.items():
        if key not in known:
            raise ValueError(f"a theme has no {key!r}; it has {', '.join(known)}")
        allowed, fits = _ALLOWED.get(key, _COLOR)
        if not fits(value):
            raise ValueError(f"{key} of a theme is {allowed}, not {value!r}")
    return Theme(**{key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()})


def _all_of(value: Any, count: int, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, list | tuple) and len(value) == count and all(fits(item) for item in value)


def _is_number(value: Any, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def _is_seed(value: Any) -> bool:
    return type(value) is int and value >= 0


_COLOR = "three whole numbers from 0 to 255", lambda x: _all_of(x, 3, lambda level: type(level) is int and 0 <= level <= 255)
_ALLOWED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "checker": ("true or false", lambda x: isinstance(x, bool)),
    "noise_std": ("a number from 0 to 255", lambda x: _is_number(x, 0, 255)),
    "texture": ("a whole number of 0 or more", _is_seed),
    "sprite": (f"one of {', '.join(SPRITES)}", lambda x: x in SPRITES),
    "light": ("two numbers from -1 to 1", lambda x: _all_of(x, 2, lambda fall: _is_number(fall, -1, 1))),
    "specks": ("a whole number of 0 or more", _is_seed),
}
"""What the fields of a theme may be; those that are not named are colours."""


def to_json(theme: Theme) -> dict:
    """A theme as split files hold it: nine colours, `checker`, `noise_std`, and what else is not as by default."""
    extra = ("texture", "sprite", "light", "specks")
    values = dataclasses.asdict(theme)
    return {key: value for key, value in values.items() if key not in extra or value != getattr(DEFAULT, key)}


def _wall(theme: Theme, cell: int) -> np.ndarray:
    picture = np.empty((cell, cell, 3), np.uint8)
    picture[:] = theme.wall
    picture = _grained(picture, theme, 2)
    for edge in (0, -1):
        picture[edge], picture[:, edge] = theme.wall_edge, theme.wall_edge
    return picture


def _with_goal(ground: np.ndarray, theme: Theme) -> np.ndarray:
    picture, cell = ground.copy(), len(ground)
    outer = max(1, cell // 4)
    inner = outer + max(1, cell // 6)
    picture[outer : cell - outer, outer : cell - outer] = theme.goal
    picture[inner : cell - inner, inner : cell - inner] = ground[inner : cell - inner, inner : cell - inner]
    return picture


def _with_box(ground: np.ndarray, theme: Theme, color: Color) -> np.ndarray:
    picture, cell = ground.copy(), len(ground)
    edge = max(1, cell // 8)
    side = slice(edge, cell - edge)
    picture[side, side] = theme.box_edge if cell > 2 * (edge + 1) else color  # small boxes are all inside
    inside = slice(edge + 1, cell - edge - 1)
    picture[inside, inside] = color
    if theme.sprite == "rounded":
        for row in (edge, cell - edge - 1):
            for column in (edge, cell - edge - 1):
                picture[row, column] = ground[row, column]
    if theme.sprite == "cross":
        for step in range(edge + 1, cell - edge - 1):
            picture[step, step] = picture[step, cell - 1 - step] = theme.box_edge
    return picture


def _with_player(ground: np.ndarray, theme: Theme) -> np.ndarray:
    picture, cell = ground.copy(), len(ground)
    place = np.arange(cell) - (cell - 1) / 2
    picture[place[:, None] ** 2 + place[None, :] ** 2 <= (0.38 * cell) ** 2] = theme.player
    return picture


def _grained(picture: np.ndarray, theme: Theme, stream: int) -> np.ndarray:
    if not theme.texture:
        return picture
    grain = np.random.default_rng([theme.texture, stream]).integers(-GRAIN, GRAIN + 1, picture.shape[:2])
    return np.clip(picture.astype(int) + grain[..., None], 0, 255).astype(np.uint8)


def _specked(picture: np.ndarray, theme: Theme) -> np.ndarray:
    random, picture = np.random.default_rng([theme.specks, 3]), picture.copy()
    count = max(1, len(picture) ** 2 // 16)
    rows, columns = random.integers(0, len(picture), (2, count))
    picture[rows, columns] = np.clip(picture[rows, columns].astype(int) + random.choice((-50, 50)), 0, 255)
    return picture
