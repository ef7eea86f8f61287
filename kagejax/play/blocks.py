"""Pictures as text for terminals: two pixels per character, upper half block in the colour of one on that of the other."""

import numpy as np

HALF = "▀"
RESET = "\x1b[0m"


def lines(picture: np.ndarray) -> list[str]:
    """A picture u8 [height, width, 3] as one line per two rows, each closed by RESET. A last single row stands on black."""
    if picture.shape[0] % 2:
        picture = np.concatenate([picture, np.zeros_like(picture[:1])])
    return [_line(top, bottom) for top, bottom in zip(picture[::2].tolist(), picture[1::2].tolist(), strict=True)]


def _line(top: list, bottom: list) -> str:
    """Colours are said only where they change: over a network most of a picture is colours."""
    parts, now = [], (None, None)
    for above, below in zip(top, bottom, strict=True):
        if above == below and below == now[1]:  # the same colour on both halves needs no other foreground
            parts.append(" ")
            continue
        codes = []
        if above != now[0]:
            codes.append("38;2;{};{};{}".format(*above))
        if below != now[1]:
            codes.append("48;2;{};{};{}".format(*below))
        parts.append((f"\x1b[{';'.join(codes)}m" if codes else "") + HALF)
        now = above, below
    return "".join(parts) + RESET
