"""What the page can ask for that takes time: pictures, an episode, a proof. Each is a function of a request and a line."""

import concurrent.futures
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from kagejax.assets.errors import AssetError
from kagejax.config.problems import ConfigError, Problem, Where, did_you_mean, listing
from kagejax.config.schema import ConfigModel
from kagejax.evaluation import pairs

from . import drawing, sides
from .drawing import Drawn, Level, Studio
from .streams import Line

SIDES = ("train", "eval")
PROOF = {"episodes": 4, "steps": 640, "seed": 0}
"""As `kagejax suites show --verify` plays."""


class Request(NamedTuple):
    """Both sides, and the moment of which episode to draw."""

    configs: dict[str, ConfigModel | None]  # None: it has problems
    level: Level
    steps: int
    as_agent: bool


def read(asked: Mapping[str, Any], line: Line) -> Request:
    """The request in `asked`; sends how each side stands, field by field, and how the two differ."""
    configs: dict[str, ConfigModel | None] = {}
    for side in SIDES:
        given = asked[side]
        try:
            configs[side] = sides.checked(asked["env"], given["values"], given.get("touched") or {})
        except ConfigError as error:
            configs[side] = None
            line.send({"event": "side", "side": side, "problems": sides.told(error)})
        else:
            line.send({"event": "side", "side": side, "problems": [], **sides.state_of(configs[side])})
    train, evaluation = (configs[side] for side in SIDES)
    if train is not None and evaluation is not None:
        line.send({"event": "difference", **sides.compared(train, evaluation)})
    seed, steps = _whole(asked.get("seed", 0), "seed", 2**32 - 1), _whole(asked.get("steps", 0), "step", drawing.MOST_STEPS)
    return Request(configs, Level(seed, str(asked.get("policy") or "")), steps, bool(asked.get("as_agent")))


def _whole(value: Any, name: str, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise ConfigError(Problem(Where("page"), name, f"Found {value!r}; allowed: a whole number from 0 to {most:,}."))
    return value


def draw(studio: Studio, asked: Mapping[str, Any], line: Line) -> None:
    """Sends both pictures, each as soon as it is there."""
    shown, level, steps, kinds = _prepared(studio, asked, line)
    leader = shown.get("train")
    drawn: dict[str, Drawn] = {}
    for side, config in shown.items():
        line.check()
        drawn[side] = studio.picture(config, level, steps, leader if side == "eval" else None)
        line.send({"event": "frame", "side": side, "seen_as": kinds[side], **_told(drawn[side])})
    if len(drawn) == 2:
        line.send({"event": "apart", "share": _apart(drawn["train"].pixels, drawn["eval"].pixels)})
    for config in shown.values():  # while a person looks
        studio.warm(config, level.policy)


def play(studio: Studio, asked: Mapping[str, Any], line: Line) -> None:
    """Sends the episode from the step asked for, step by step, until it has ended on both sides."""
    shown, level, steps, _ = _prepared(studio, asked, line, moves=True)
    leader = shown.get("train")
    scenes = {side: studio.reach(config, level, steps, leader if side == "eval" else None) for side, config in shown.items()}
    follows = len(scenes) == 2 and studio.same_actions(*shown.values())
    most = max((drawing.most_steps(config) for config in shown.values()), default=0)
    while scenes and steps < most and not all(bool(scene.ended) for scene in scenes.values()):
        steps += 1
        piece: dict[str, Any] = {"event": "step", "steps": steps}
        for side, scene in scenes.items():
            if not bool(scene.ended):
                scenes[side] = studio.onward(shown[side], level, scene, scenes["train"] if follows and side == "eval" else None)
                piece[side] = _told(studio.seen(shown[side], level, scenes[side]))
        line.send(piece)
    line.send({"event": "over", "steps": steps})


def _prepared(
    studio: Studio, asked: Mapping[str, Any], line: Line, moves: bool = False
) -> tuple[dict[str, ConfigModel], Level, int, dict[str, str]]:
    """The sides that can be drawn, as they are to be drawn, with their programs compiled; level, step, what agents see."""
    request = read(asked, line)
    given = {side: config for side, config in request.configs.items() if config is not None}
    shown, kinds = {}, {}
    for side, config in given.items():
        shown[side], kinds[side] = (config, "") if request.as_agent else drawing.for_people(config)
        line.check()
        try:
            studio.made(shown[side])
        except ConfigError as error:
            line.send({"event": "problems", "side": side, "problems": sides.told(error)})
            del shown[side]
        except (AssetError, ValueError, MemoryError) as error:
            message = str(error) or "There is too little memory for this configuration."
            line.send({"event": "problems", "side": side, "problems": [{"path": "", "message": message, "where": ""}]})
            del shown[side]
    if not shown:
        return {}, request.level, request.steps, kinds
    env = studio.made(next(iter(shown.values())))[0]
    names = drawing.policies(env)
    policy = request.level.policy or names[0]
    if policy not in names:
        message = f"Found {policy!r}; allowed: {listing(names)}.{did_you_mean(policy, names)}"
        raise ConfigError(Problem(Where("page"), "policy", message))
    most = max(drawing.most_steps(config) for config in shown.values())
    same = len(shown) < 2 or studio.same_actions(*shown.values())
    line.send({"event": "episode", "policies": names, "policy": policy, "most": most, "same_actions": same})
    level = Level(request.level.seed, policy)
    moves = moves or request.steps > 0
    missing = [side for side, config in shown.items() if not studio.ready(config, policy, moves)]
    if missing:
        line.send({"event": "compiling", "sides": missing})
        with concurrent.futures.ThreadPoolExecutor(len(missing)) as pool:
            list(pool.map(lambda side: studio.prepare(shown[side], policy, moves), missing))
        line.check()
        line.send({"event": "compiled", "sides": missing})
    return shown, level, request.steps, kinds


def prove(studio: Studio, asked: Mapping[str, Any], line: Line) -> None:
    """Plays both sides and sends what `verify_pair` says of them."""
    request = read(asked, line)
    if None in request.configs.values():
        return
    train, evaluation = (request.configs[side] for side in SIDES)
    made = [studio.made(config) for config in (train, evaluation)]
    policy = drawing.policies(made[0][0])[0]
    report = pairs.compare(*made, ("train", "eval"), policy=policy, **PROOF)
    line.send(
        {
            "event": "proof",
            "holds": bool(report),
            "lines": [each.strip() for each in str(report).splitlines()],
            "latents": list(report.latents_differ),
            "params": list(report.params_differ),
            "frames": report.frames_differ,
        }
    )


def _told(drawn: Drawn) -> dict[str, Any]:
    scene = drawn.scene
    height, width, _ = drawn.pixels.shape
    return {
        "image": drawing.png(drawn.pixels),
        "width": width,
        "height": height,
        "step": int(scene.t),
        "ended": bool(scene.ended),
        "reward": float(scene.reward),
        "total": float(scene.total),
        "metrics": {name: np.asarray(value).item() for name, value in scene.metrics.items()},
    }


def _apart(first: np.ndarray, second: np.ndarray) -> float | None:
    """Share of the pixels that differ; None for pictures of two sizes."""
    return float((first != second).any(-1).mean()) if first.shape == second.shape else None
