"""Oracle of what stands around kage in training: auto-reset, episode statistics, reward normalisation."""

import numpy as np

from . import kage_dynamics, kage_level, kage_reset

f32 = np.float32


class Player:
    """One environment that starts anew, with the key given for that step, where an episode ends."""

    def __init__(self, key, config):
        self.config = config
        self._begin(key)

    def _begin(self, key) -> None:
        self.state = kage_reset.reset(key, self.config)
        thickness, height = self.config["layout.ground_thickness"], self.config["layout.height_px"]
        self.mask = kage_level.solid_mask(self.state["layout_ground_top"], thickness, height)

    def step(self, action: int, key) -> tuple[dict, np.float32, bool]:
        """`(final_state, reward, truncated)`; `self.state` and `self.mask` are those of the new episode where one began."""
        final, reward, truncated, _ = kage_dynamics.step(self.state, action, self.config, self.mask)
        self.state = final
        if truncated:
            self._begin(key)
        return final, reward, truncated


class NormalizedReward:
    """Reward over the running standard deviation of the discounted return, masked by the end of the current step."""

    def __init__(self, gamma: float, epsilon: float = 1e-8):
        self.gamma, self.epsilon = f32(gamma), f32(epsilon)
        self.total, self.mean, self.variance, self.count = f32(0), f32(0), f32(1), f32(1e-4)

    def __call__(self, reward, done: bool) -> np.float32:
        """The normalised reward of one step."""
        self.total = self.total * self.gamma * f32(not done) + reward
        delta = self.total - self.mean
        count = self.count + f32(1)
        self.mean = self.mean + delta / count
        self.variance = (self.variance * self.count + delta * (self.total - self.mean)) / count
        self.count = count
        return reward / (np.sqrt(self.variance) + self.epsilon)
