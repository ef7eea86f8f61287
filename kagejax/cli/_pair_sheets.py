"""Contact sheets of `kagejax suites render`: train frame beside eval frame, pair after pair."""

from collections.abc import Mapping, Sequence

import numpy as np

from kagejax.config.problems import ConfigError, Problem, Where, did_you_mean, listing
from kagejax.config.suites import Pair

GAP, HEADING, LINE = 10, 24, 13
"""Pixels between pairs, for a suite's title, and for a line of a caption."""
PAPER, INK, QUIET = (24, 24, 28), (235, 235, 235), (160, 160, 168)


def frames(pairs: Sequence[Pair], policy: str, steps: int, seed: int) -> dict[str, np.ndarray]:
    """By pair: its train and eval frame, u8 [2, H, W, 3], after `steps` steps of the same episode."""
    import jax

    from kagejax.config.making import make_batches
    from kagejax.evaluation import episodes, views

    names = [f"{pair.id}/{side}" for pair in pairs for side in ("train", "eval")]
    last = []
    for env, params in make_batches(names):
        known = episodes.actors(env)
        chosen = policy or ("scripted" if "scripted" in known else "random")
        if chosen not in known:
            message = f"Found {policy!r}; allowed: {listing(list(known))}.{did_you_mean(policy, known)}"
            raise ConfigError(Problem(Where("--policy"), "", message))
        for chunk, _ in episodes.record(env, params, known[chosen], None, jax.random.key(seed), steps):
            shown = jax.tree.map(lambda x: x[-1:], chunk)
        last.append(views.pictures(env, shown))
    film = views.together(last)[-1]
    return {pair.id: film[2 * place : 2 * place + 2] for place, pair in enumerate(pairs)}


def sheet(
    rows: Sequence[tuple[str, Sequence[Pair]]], pictures: Mapping[str, np.ndarray], columns: int, scale: int = 1
) -> np.ndarray:
    """All pairs under their captions, each suite under its title, u8 [height, width, 3]."""
    from PIL import Image, ImageDraw, ImageFont

    title, text, small = (ImageFont.load_default(size) for size in (15, 11, 10))
    height, width = (scale * extent for extent in next(iter(pictures.values())).shape[1:3])
    tall, wide = height + 2 * LINE + GAP, 2 * width + 2 + GAP
    columns = min(columns, max(len(pairs) for _, pairs in rows))
    lines = sum(-(-len(pairs) // columns) for _, pairs in rows)
    page = Image.new("RGB", (columns * wide + GAP, lines * tall + len(rows) * HEADING + GAP), PAPER)
    pen, top = ImageDraw.Draw(page), GAP
    for name, pairs in rows:
        pen.text((GAP, top), name, fill=INK, font=title)
        top += HEADING
        for place, pair in enumerate(pairs):
            left, y = GAP + place % columns * wide, top + place // columns * tall
            pen.text((left, y), pair.id.partition("/")[2], fill=QUIET, font=small)
            pen.text((left, y + LINE - 1), _cut(pair.title, 2 * width, text), fill=INK, font=text)
            for side, picture in enumerate(pictures[pair.id]):
                large = picture.repeat(scale, 0).repeat(scale, 1)
                page.paste(Image.fromarray(large), (left + side * (width + 2), y + 2 * LINE + 2))
        top += -(-len(pairs) // columns) * tall
    return np.asarray(page)


def _cut(text: str, width: int, font: object) -> str:
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(text + "…") > width:
        text = text[:-1]
    return text + "…"
