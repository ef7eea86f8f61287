"""Many environments as one `gymnasium.vector.VectorEnv`: each call of the device steps them all."""

from typing import Any

import jax
import numpy as np

from kagejax.config.loader import Source
from kagejax.core import Environment

from . import batches, infos, inputs, spaces
from ._extras import missing
from .batches import Final, Outcome, fetched
from .gymnasium import FRAMES_PER_SECOND, KagejaxEnv, Setup, checked_mode
from .pictures import mosaic
from .window import Window

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as problem:
    raise missing("Gymnasium", "gymnasium") from problem

SHOWN = 16
"""Environments that a window shows at most."""
FINAL_CHUNK = 8
"""Final observations are drawn for at least so many environments at once."""


class KagejaxVectorEnv(VectorEnv):
    """`num_envs` environments that step in one compiled call: dynamics, new episodes and pictures.

    It gives what `gymnasium.vector.SyncVectorEnv` of as many `KagejaxEnv` gives, in each auto-reset mode: environment i is
    seeded with seed + i (or entry i of a list), and plays the same whatever `num_envs` is. In same-step mode, steps in which an
    episode ends draw the final observations in a second call. `autoreset_mode` is an `AutoresetMode` or its value.

    Observations are NumPy arrays over the device's own memory where that is the CPU's: nothing is copied and they cannot be
    written to; `np.array(observation)` copies one. With `device_observations=True` everything stays on the device as jax arrays
    and no call waits for it: rewards are f32, `info` has the same keys at every step, final observations are not in it (but
    drawn by `final_observations()`), texts are token ids, and a step past an end in disabled mode is not noticed.
    """

    def __init__(
        self,
        environment: str | Environment,
        config: Source | None = None,
        *,
        num_envs: int = 1,
        params: Any = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        device_observations: bool = False,
        **overrides: Any,
    ):
        if num_envs < 1:
            raise ValueError(f"num_envs is {num_envs}; at least 1 is needed")
        self._setup = Setup(environment, config, params, overrides)
        self.num_envs, self.render_mode = num_envs, checked_mode(render_mode)
        self._mode, self._on_device = _checked_autoreset(autoreset_mode), device_observations
        env = self._setup.env
        self._programs = batches.programs(env, self._mode.value)
        self._last_states: Any = None
        self._everywhere: jax.Array | None = None
        self._carry: batches.Carry | None = None
        self._done = np.zeros(num_envs, bool)
        self._window: Window | None = None
        self.metadata = {**KagejaxEnv.metadata, "autoreset_mode": self._mode} | ({"jax": True} if device_observations else {})
        self.single_action_space = spaces.action_space(env.action_space)
        self.single_observation_space = spaces.observation_space(env, tokens=device_observations)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """New episodes: `(observations, infos)`.

        `seed` is a number, from which environment i gets seed + i, or a list with a number or None for each. With
        `options={"reset_mask": mask}` (bool [num_envs]) the others go on.
        """
        mask = inputs.reset_mask(options, self.num_envs)
        seeds = inputs.seeds(seed, self.num_envs, anew=self._carry is None)
        super().reset(seed=inputs.one_seed(seed) if np.isscalar(seed) else None)
        if self._carry is None:
            if mask is not None and not mask.all():
                raise gymnasium.error.ResetNeeded("a reset of some environments needs one of all first")
            observation, action_mask, self._carry = self._programs.start(seeds, self._setup.params)
        else:
            new = np.ones(self.num_envs, bool) if mask is None else mask
            observation, action_mask, self._carry = self._programs.restart(self._carry, new, seeds, self._setup.params)
        self._done = self._done & ~mask if mask is not None else np.zeros(self.num_envs, bool)
        self._show()
        begun, info = np.ones(self.num_envs, bool) if mask is None else mask, {}
        if self._on_device:
            infos.put_on_device(info, {"action_mask": action_mask}, jax.numpy.asarray(begun))
            return observation, info
        observation, action_mask = fetched((observation, action_mask))
        infos.put(info, {"action_mask": action_mask}, begun)
        return spaces.observations(self._setup.env, observation), info

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """`(observations, rewards, terminations, truncations, infos)`; actions may be NumPy or jax arrays."""
        if self._carry is None:
            raise gymnasium.error.ResetNeeded("step needs episodes: call reset first")
        if self._mode == AutoresetMode.DISABLED and self._done.any():
            ended = ", ".join(map(str, np.flatnonzero(self._done)[:8]))
            message = f"episodes have ended in environments {ended}; reset them: reset(options={{'reset_mask': mask}})"
            raise gymnasium.error.ResetNeeded(message)
        actions = inputs.actions(self._setup.env.action_space, actions, (self.num_envs,))
        outcome, self._carry = self._programs.step(self._carry, actions, self._setup.params)
        self._show()
        return self._left_on_device(outcome) if self._on_device else self._fetched(outcome)

    def render(self) -> tuple[np.ndarray, ...] | None:
        """The states as RGB u8 [height, width, 3] each, or the first of them shown in a window for `render_mode="human"`."""
        if self.render_mode is None:
            gymnasium.logger.warn("render does nothing without a render_mode; make the environment with 'rgb_array' or 'human'")
            return None
        if self._carry is None:
            raise gymnasium.error.ResetNeeded("render needs episodes: call reset first")
        if self.render_mode == "rgb_array":
            return tuple(np.array(self._setup.paint(self._carry.state)))
        shown = jax.tree.map(lambda x: x[:SHOWN], self._carry.state)
        self._window = self._window or Window(f"{self._setup.title}, {self.num_envs} environments", FRAMES_PER_SECOND)
        return self._window.show(mosaic(self._setup.paint(shown)))

    def final_observations(self) -> Any:
        """With `device_observations=True` in same-step mode: what the last step led to before new episodes began.

        An array [num_envs, ...]; where no episode ended it is what `step` gave. Raises ResetNeeded before the first step.
        """
        if self._last_states is None:
            needed = "autoreset_mode='SameStep', device_observations=True and a step"
            raise gymnasium.error.ResetNeeded(f"final_observations needs {needed}; otherwise see info['final_obs']")
        return self._programs.look(self._last_states, self._setup.params)

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _left_on_device(self, outcome: Outcome) -> tuple:
        if self._everywhere is None:
            self._everywhere = jax.numpy.ones(self.num_envs, bool)
        info: dict[str, Any] = {}
        infos.put_on_device(info, outcome.metrics, outcome.stepped)
        infos.put_on_device(info, {"action_mask": outcome.action_mask}, self._everywhere)
        if outcome.final is not None:
            final_info: dict[str, Any] = {}
            infos.put_on_device(final_info, _told(outcome.final), outcome.final.ended)
            infos.put_on_device(info, {"final_info": final_info}, outcome.final.ended)
            self._last_states = outcome.final.state
        return outcome.observation, outcome.reward, outcome.terminated, outcome.truncated, info

    def _fetched(self, outcome: Outcome) -> tuple:
        # States stay on the device: only their pictures are wanted, and only where an episode ended.
        states = outcome.final and outcome.final.state
        outcome = outcome._replace(final=outcome.final and outcome.final._replace(state=None))
        outcome = fetched(outcome)
        self._done = outcome.terminated | outcome.truncated
        info: dict[str, Any] = {}
        infos.put(info, outcome.metrics, outcome.stepped)
        infos.put(info, {"action_mask": outcome.action_mask}, np.ones(self.num_envs, bool))
        if outcome.final is not None and self._done.any():
            final_info: dict[str, Any] = {}
            infos.put(final_info, _told(outcome.final), self._done)
            info |= {"final_obs": self._final_observations(states), "_final_obs": self._done.copy()}
            info |= {"final_info": final_info, "_final_info": self._done.copy()}
        observation = spaces.observations(self._setup.env, outcome.observation)
        rewards, ends = outcome.reward.astype(np.float64), (np.array(outcome.terminated), np.array(outcome.truncated))
        return observation, rewards, *ends, info

    def _final_observations(self, states: Any) -> np.ndarray:
        """One observation for each ended episode in an array of objects, None elsewhere; as many as ended are drawn."""
        chunk = min(self.num_envs, max(FINAL_CHUNK, self.num_envs // 16))
        places, found = np.flatnonzero(self._done), np.full(self.num_envs, None, dtype=object)
        for first in range(0, len(places), chunk):
            now = places[first : first + chunk]
            padded = np.pad(now, (0, chunk - len(now)), mode="edge").astype(np.int32)
            drawn = fetched(self._programs.draw(states, padded, self._setup.params))
            drawn = spaces.observations(self._setup.env, drawn)
            for row, place in enumerate(now):
                found[place] = spaces.entry(drawn, row)
        return found


def _told(final: Final) -> dict[str, Any]:
    return {**final.metrics, "action_mask": final.action_mask}


def _checked_autoreset(mode: str | AutoresetMode) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(repr(each.value) for each in AutoresetMode)
        raise ValueError(f"autoreset_mode is {mode!r}; allowed: {allowed}, or an AutoresetMode") from None
