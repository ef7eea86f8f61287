"""One environment as a `gymnasium.Env`."""

from typing import Any

import numpy as np

from kagejax.config.loader import Source
from kagejax.core import Environment

from . import infos, inputs, spaces
from ._extras import missing
from .batches import fetched, programs
from .pictures import painter
from .window import Window

try:
    import gymnasium
except ImportError as problem:
    raise missing("Gymnasium", "gymnasium") from problem

FRAMES_PER_SECOND = 30


class KagejaxEnv(gymnasium.Env):
    """An environment of kagejax as Gymnasium's `make("kagejax/Kage-v0")` gives it.

    `config` and the dotted `overrides` are those of `kagejax.make`: an id, the path of a YAML file or a configuration. Instead,
    `environment` may be one of your own (`kagejax.core.Environment`), with its `params`. `info` has the metrics of the last
    step, and `action_mask` (i8) where the environment has one. A seed makes everything that follows reproducible, episodes
    after the first too. It is a batch of one of `KagejaxVectorEnv`: for speed use that.
    """

    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": FRAMES_PER_SECOND}

    def __init__(
        self,
        environment: str | Environment,
        config: Source | None = None,
        *,
        params: Any = None,
        render_mode: str | None = None,
        **overrides: Any,
    ):
        self._setup = Setup(environment, config, params, overrides)
        self._programs = programs(self._setup.env)
        self._carry = None
        self.render_mode = checked_mode(render_mode)
        self._window: Window | None = None
        self.action_space = spaces.action_space(self._setup.env.action_space)
        self.observation_space = spaces.observation_space(self._setup.env)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """A new episode: `(observation, info)`. There are no options."""
        inputs.no_more_than(options)
        seed = None if seed is None else inputs.one_seed(seed)
        super().reset(seed=seed)
        seeds, params = inputs.seeds(seed, 1, anew=self._carry is None), self._setup.params
        if self._carry is None:
            observation, mask, self._carry = self._programs.start(seeds, params)
        else:
            observation, mask, self._carry = self._programs.restart(self._carry, np.ones(1, bool), seeds, params)
        return self._show(observation), infos.single({"action_mask": mask})

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """`(observation, reward, terminated, truncated, info)`; past its end an episode goes on until `reset`."""
        if self._carry is None:
            raise gymnasium.error.ResetNeeded("step needs an episode: call reset first")
        action = inputs.actions(self._setup.env.action_space, action, ())[None]
        outcome, self._carry = self._programs.step(self._carry, action, self._setup.params)
        observation = self._show(outcome.observation)
        outcome = fetched(outcome._replace(observation=None))
        info = infos.single({**outcome.metrics, "action_mask": outcome.action_mask})
        ended = bool(outcome.terminated[0]), bool(outcome.truncated[0])
        return observation, float(outcome.reward[0]), *ended, info

    def render(self) -> np.ndarray | None:
        """The state as RGB u8 [height, width, 3], or shown in a window for `render_mode="human"` (which steps do, too)."""
        if self.render_mode is None:
            gymnasium.logger.warn("render does nothing without a render_mode; make the environment with 'rgb_array' or 'human'")
            return None
        if self._carry is None:
            raise gymnasium.error.ResetNeeded("render needs an episode: call reset first")
        picture = self._setup.paint(self._carry.state)[0]
        if self.render_mode == "rgb_array":
            return np.array(picture)
        self._window = self._window or Window(self._setup.title, FRAMES_PER_SECOND)
        return self._window.show(picture)

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()

    def _show(self, observation: Any) -> Any:
        if self.render_mode == "human":
            self.render()
        env = self._setup.env
        return spaces.entry(spaces.observations(env, fetched(observation)), 0)


class Setup:
    """What is played: environment and params, and how their states are drawn."""

    def __init__(self, environment: str | Environment, config: Source | None, params: Any, overrides: dict[str, Any]):
        if isinstance(environment, str):
            self._room, self._config = environment, inputs.configured(environment, config, overrides)
            self.env, self.params = inputs.built(self._config)
            self.title = f"kagejax {environment}"
        else:
            if config is not None or overrides:
                raise TypeError("an environment of your own has its params; config and overrides are for ours")
            self._room = self._config = None
            self.env, self.params, self.title = environment, params, type(environment).__name__
        self._painter = None

    def paint(self, state: Any) -> np.ndarray:
        """States [n] as RGB u8 [n, height, width, 3]."""
        if self._painter is None:
            self._painter = painter(self.env, self.params, self._room, self._config)
        return self._painter(state)


def checked_mode(render_mode: str | None) -> str | None:
    """`render_mode`, if there is such a one. Raises ValueError."""
    if render_mode not in (None, "human", "rgb_array"):
        raise ValueError(f"render_mode is {render_mode!r}; allowed: 'rgb_array', 'human' or None")
    return render_mode
