"""The policy of a training run, from its directory."""

import importlib
import importlib.util
import json
import pathlib
from typing import Any

from kagejax.config.problems import ConfigError, Problem, Where


def trained(directory: str, env: Any) -> tuple[Any, Any]:
    """An actor for `env` and its parameters, from the last checkpoint of a run of agents/ppo.py.

    A run of several seeds gives that of its first. Raises ConfigError for a directory without a finished run, and for one whose
    network does not fit `env`.
    """
    import jax

    import kagejax
    from kagejax.evaluation.episodes import Trained
    from kagejax.learning import checkpoints, frames, keeping, settings

    folder = _folder(pathlib.Path(directory))
    package = "kagejax.agents" if importlib.util.find_spec("kagejax.agents") else "agents"
    ppo = importlib.import_module(f"{package}.ppo")
    described = json.loads((folder / "run.json").read_text())["config"]
    config = settings.checked(ppo.Config, described, {})
    origin, params = kagejax.make(config.train, **settings.assignments(config.overrides))
    if origin.action_space != env.action_space:
        raise ConfigError(Problem(Where("--policy"), directory, "It was trained with other actions than this environment has."))
    try:
        jax.eval_shape(lambda frame: frames.shrink(frame, config.frame_size), jax.eval_shape(*_first_frame(env)))
    except ValueError as problem:
        raise ConfigError(Problem(Where("--policy"), directory, f"It does not fit this environment: {problem}.")) from None
    like = jax.eval_shape(lambda key: ppo.start(config, origin, params, key), jax.random.key(0))
    state = checkpoints.restore(keeping.listed(folder)[-1].path, like)
    return Trained(ppo.Policy(config, env), env), state.parameters


def _first_frame(env: Any) -> tuple[Any, ...]:
    import jax.numpy as jnp

    space = env.observation_space
    return (lambda: jnp.zeros(space.shape, space.dtype),)


def _folder(directory: pathlib.Path) -> pathlib.Path:
    from kagejax.learning import keeping

    for folder in (directory, *sorted(directory.glob("seed-*"))):
        if (folder / "run.json").is_file() and keeping.listed(folder):
            return folder
    message = "There is no finished run in this directory: it needs run.json and checkpoint, here or in a folder seed-*."
    raise ConfigError(Problem(Where("--policy"), str(directory), message))
