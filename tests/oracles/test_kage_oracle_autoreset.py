"""The kage oracle against a recorded run of the reference's training stack."""

import numpy as np

from . import kage_config, kage_golden, kage_render
from .kage_wrappers import NormalizedReward, Player

ONE_SUBPIXEL = 1 / (128 * 128 * 3)  # what one grey level in one channel of one pixel adds to the mean
CONFIG = {**kage_config.flat(kage_golden.base_tree()), "episode_length": 40}


def test_recorded_run_with_auto_reset_replays():
    golden = kage_golden.archive("autoreset")
    player = Player(np.array([0, 0], np.uint32), CONFIG)
    total, length = np.float32(0), 0
    for i, action in enumerate(golden["action"]):
        mask = player.mask
        final, reward, truncated = player.step(int(action), golden["key"][i])
        assert (reward, truncated) == (golden["raw_reward"][i], golden["truncated"][i]), i
        assert (final["t"], final["x"]) == (golden["final_t"][i], golden["final_x"][i]), i
        assert (player.state["t"], player.state["x"]) == (golden["t"][i], golden["x"][i]), i
        assert abs(mean_level(player.state, player.mask) - golden["obs_mean"][i]) < ONE_SUBPIXEL / 10, i
        assert abs(mean_level(final, mask) - golden["final_obs_mean"][i]) < ONE_SUBPIXEL / 10, i

        total, length = total + reward, length + 1
        assert golden["returned_r"][i] == (total if truncated else 0), i
        assert golden["returned_l"][i] == (length if truncated else 0), i
        total, length = (np.float32(0), 0) if truncated else (total, length)
        assert (total, length) == (golden["ret"][i], golden["len"][i]), i


def test_recorded_normalised_rewards_follow_from_the_raw_ones():
    golden = kage_golden.archive("autoreset")
    normalise = NormalizedReward(0.99)
    rewards = [normalise(r, done) for r, done in zip(golden["raw_reward"], golden["truncated"], strict=True)]
    np.testing.assert_allclose(rewards, golden["reward_norm"], rtol=1e-5)


def mean_level(state, mask) -> float:
    return kage_render.render(state, CONFIG, mask).mean()
