"""Many environments as a `VecEnv` of Stable-Baselines3."""

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from kagejax.config.loader import Source

from ._extras import missing

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as problem:
    raise missing("Stable-Baselines3", "torch") from problem

from gymnasium.vector import AutoresetMode

from .vector import KagejaxVectorEnv


def make_vec_env(environment: str, n_envs: int = 1, seed: int | None = None, **arguments: Any) -> "KagejaxVecEnv":
    """`n_envs` environments for an algorithm of Stable-Baselines3: `PPO("CnnPolicy", make_vec_env("kage", 16))`.

    `environment` is kage, sliding, sokoban or spatial; `config`, `render_mode` and overrides are as for `KagejaxVectorEnv`.
    """
    source: Source | None = arguments.pop("config", None)
    env = KagejaxVectorEnv(environment, source, num_envs=n_envs, autoreset_mode=AutoresetMode.SAME_STEP, **arguments)
    bridge = KagejaxVecEnv(env)
    if seed is not None:
        bridge.seed(seed)
    return bridge


class KagejaxVecEnv(VecEnv):
    """A `KagejaxVectorEnv` in same-step mode behind the interface of Stable-Baselines3.

    Where an episode ends, its info has `terminal_observation`, `TimeLimit.truncated`, the metrics of its last step, and
    `episode` (return, length, seconds) as Stable-Baselines3's Monitor gives it; other infos are empty. `env_method(
    "action_masks")` gives masks where the environment has some, for MaskablePPO. Raises ValueError for another mode.
    """

    def __init__(self, env: KagejaxVectorEnv):
        if env.metadata["autoreset_mode"] != AutoresetMode.SAME_STEP or env.metadata.get("jax"):
            raise ValueError("Stable-Baselines3 needs autoreset_mode='SameStep' and device_observations=False")
        self.env = env
        self._actions: np.ndarray | None = None
        self._masks: np.ndarray | None = None
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self._begin(np.ones(env.num_envs, bool))

    def reset(self) -> Any:
        """New episodes everywhere, with the seeds of the last `seed`."""
        if any(self._options):
            raise ValueError("kagejax has no reset options; call set_options() to take them back")
        observation, info = self.env.reset(seed=self._seeds)
        self._reset_seeds()
        self._masks = info.get("action_mask")
        self._begin(np.ones(self.num_envs, bool))
        return _own(observation)

    def step_async(self, actions: np.ndarray) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """`(observations, rewards f32, dones, infos)`."""
        observation, rewards, terminated, truncated, info = self.env.step(self._actions)
        done = terminated | truncated
        self._masks = info.get("action_mask")
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(done):
            infos[i] = self._ended(i, info, bool(truncated[i] and not terminated[i]))
        self._begin(done)
        return _own(observation), rewards.astype(np.float32), done, infos

    def _ended(self, i: int, info: dict[str, Any], cut: bool) -> dict[str, Any]:
        metrics = {name: value[i] for name, value in info["final_info"].items() if not name.startswith("_")}
        seconds = round(time.perf_counter() - self._begun[i], 6)
        episode = {"r": round(float(self._returns[i]), 6), "l": int(self._lengths[i]), "t": seconds}
        ending = {"terminal_observation": info["final_obs"][i], "TimeLimit.truncated": cut, "episode": episode}
        return metrics | ending

    def _begin(self, where: np.ndarray) -> None:
        if where.all():
            self._returns, self._lengths = np.zeros(self.num_envs), np.zeros(self.num_envs, np.int64)
            self._begun = np.full(self.num_envs, time.perf_counter())
        else:
            self._returns[where], self._lengths[where], self._begun[where] = 0, 0, time.perf_counter()

    def action_masks(self) -> np.ndarray:
        """Which actions are legal now, bool [num_envs, actions]. Raises AttributeError for environments without masks."""
        if self._masks is None:
            raise AttributeError("this environment has no action masks, or was not reset yet")
        return self._masks.astype(bool)

    def close(self) -> None:
        """Closes the environment."""
        self.env.close()

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Pictures of all environments, for `render_mode="rgb_array"`."""
        return self.env.render() or [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the vector environment, the same for each."""
        if attr_name == "action_masks" and self._masks is None:
            raise AttributeError("this environment has no action masks, or was not reset yet")
        value = getattr(self if attr_name == "action_masks" else self.env, attr_name)
        return [value for _ in self._chosen(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: the environments share what they are made of."""
        raise NotImplementedError("environments of a batch have no attributes of their own; make them with other settings")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """`action_masks` and `render`; there are no other methods of single environments."""
        if method_name == "action_masks":
            masks = self.action_masks()
            return [masks[i] for i in self._chosen(indices)]
        if method_name == "render":
            pictures = self.env.render()
            return [pictures and pictures[i] for i in self._chosen(indices)]
        raise AttributeError(
            f"environments of a batch have no method {method_name!r} of their own; known: action_masks, render"
        )

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """False, but True for Monitor, whose part is done here."""
        return [wrapper_class.__name__ == "Monitor" for _ in self._chosen(indices)]

    def _chosen(self, indices: Any) -> Iterable[int]:
        return self._get_indices(indices)


def _own(observation: Any) -> Any:
    """A copy that may be written to: torch warns of arrays that may not."""
    if isinstance(observation, dict):
        return {name: np.array(part) for name, part in observation.items()}
    return np.array(observation)
