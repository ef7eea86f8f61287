"""Named colours, u8 RGB. Three palettes that share names but not values (KAGE-Bench, SPEC section 8.1)."""

BACKGROUND = {
    "black": (0, 0, 0),
    "white": (255, 255, 255),
    "red": (220, 20, 60),
    "orange": (255, 140, 0),
    "yellow": (255, 215, 0),
    "green": (34, 139, 34),
    "cyan": (0, 206, 209),
    "blue": (30, 144, 255),
    "purple": (138, 43, 226),
    "pink": (255, 105, 180),
    "brown": (139, 69, 19),
    "gray": (128, 128, 128),
    "lime": (50, 205, 50),
    "teal": (0, 128, 128),
    "indigo": (75, 0, 130),
    "magenta": (255, 0, 255),
}

SHAPE = {
    "red": (255, 0, 0),
    "green": (0, 255, 0),
    "blue": (0, 0, 255),
    "orange": (255, 165, 0),
    "yellow": (255, 255, 0),
    "violet": (128, 0, 128),
    "magenta": (255, 0, 255),
    "cyan": (0, 255, 255),
    "pink": (255, 192, 203),
    "brown": (165, 42, 42),
    "purple": (128, 0, 128),
    "lime": (0, 255, 0),
    "navy": (0, 0, 128),
    "maroon": (128, 0, 0),
    "olive": (128, 128, 0),
    "teal": (0, 128, 128),
    "indigo": (75, 0, 130),
    "coral": (255, 127, 80),
    "gold": (255, 215, 0),
    "silver": (192, 192, 192),
    "white": (255, 255, 255),
}

LIGHT = {
    "warm_white": (255, 245, 230),
    "cool_white": (230, 240, 255),
    "yellow": (255, 255, 100),
    "orange": (255, 160, 50),
    "red": (255, 80, 80),
    "green": (100, 255, 100),
    "cyan": (100, 255, 255),
    "blue": (100, 150, 255),
    "purple": (200, 100, 255),
    "pink": (255, 150, 200),
    "gold": (255, 215, 0),
    "fire": (255, 140, 0),
}

UNKNOWN_GROUND = (80, 80, 80)


def ground(name: str) -> tuple[int, int, int]:
    """Colour of the ground. It is looked up among the shape colours, so black and gray, unknown there, are dark grey."""
    return SHAPE.get(name, UNKNOWN_GROUND)
