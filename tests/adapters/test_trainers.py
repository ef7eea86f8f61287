"""Trainers that people have, run for a while."""

import importlib.util
import pathlib
import sys

import jax
import numpy as np
import pytest

from tests.adapters.corridors import Windy
from tests.corridor import params

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_purejaxrl_style_program_learns_on_the_core_signature():
    module = example("ppo_purejaxrl")
    options = module.Options(envs=16, updates=25, rollout=16)
    many = jax.jit(jax.vmap(lambda key: module.train(key, params(max_length=9), env=Windy(), options=options)))
    rewards = np.asarray(many(jax.random.split(jax.random.key(0), 2)))  # two seeds at once
    assert rewards.shape == (2, 25)
    assert (rewards[:, -3:].mean(1) > 1.5 * rewards[:, :3].mean(1)).all(), rewards


def test_a_cleanrl_style_torch_loop_trains_on_device_observations(tmp_path, capsys):
    pytest.importorskip("torch", reason="torch is not installed: pip install 'kagejax[torch]'")
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    module = example("ppo_torch")
    small = tmp_path / "small.yaml"
    small.write_text("extends: sliding/simplest\nobservation.height: 32\nobservation.width: 32\nplay.max_steps: 12\n")
    history = module.train(module.Options(config=str(small), envs=8, steps=8 * 16 * 3, rollout=16))
    assert len(history) == 3 and np.isfinite(history).all()
    assert "update 3: reward per step" in capsys.readouterr().out


class TestStableBaselines3:
    @pytest.fixture(autouse=True)
    def bridge(self):
        pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed: pip install 'kagejax[torch]'")
        from kagejax.adapters import stable_baselines3

        self.module = stable_baselines3

    def corridor(self, num_envs=3, p=None, **arguments):
        from kagejax.adapters.vector import KagejaxVectorEnv

        arguments = {"autoreset_mode": "SameStep"} | arguments
        env = KagejaxVectorEnv(Windy(), params=p or params(max_length=6, time_limit=4), num_envs=num_envs, **arguments)
        return self.module.KagejaxVecEnv(env)

    def test_ppo_trains_on_pictures_and_reports_episodes(self):
        from stable_baselines3 import PPO

        size = {"observation.height": 36, "observation.width": 36, "play.max_steps": 8}
        env = self.module.make_vec_env("sliding", 4, seed=3, config="sliding/simplest", **size)
        model = PPO("CnnPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0, device="cpu").learn(256)
        assert model.num_timesteps == 256
        assert all(1 <= episode["l"] <= 8 for episode in model.ep_info_buffer) and len(model.ep_info_buffer) >= 32

    def test_episodes_end_as_under_its_own_dummy_vector_environment(self):
        from stable_baselines3.common.monitor import Monitor
        from stable_baselines3.common.vec_env import DummyVecEnv

        from kagejax.adapters.gymnasium import KagejaxEnv

        ours, p = self.corridor(), params(max_length=6, time_limit=4)
        theirs = DummyVecEnv([lambda: Monitor(KagejaxEnv(Windy(), params=p))] * 3)
        ours.seed(5), theirs.seed(5)
        np.testing.assert_array_equal(ours.reset(), theirs.reset())
        draw, ended = np.random.default_rng(0), 0
        for _ in range(20):
            actions = draw.integers(0, 3, 3)
            mine, other = ours.step(actions), theirs.step(actions)
            for a, b in zip(mine[:3], other[:3], strict=True):
                np.testing.assert_array_equal(a, b)
                assert a.dtype == b.dtype
            for a, b, done in zip(mine[3], other[3], mine[2], strict=True):
                if done:
                    ended += 1
                    assert a["TimeLimit.truncated"] == b["TimeLimit.truncated"]
                    np.testing.assert_array_equal(a["terminal_observation"], b["terminal_observation"])
                    assert (a["episode"]["r"], a["episode"]["l"]) == (b["episode"]["r"], b["episode"]["l"])
                    assert a["progress"] == b["progress"]
        assert ended > 8

    def test_masks_are_there_for_those_who_ask(self):
        env = self.corridor()
        assert not env.has_attr("action_masks")
        env.reset()
        assert env.has_attr("action_masks")
        assert env.env_method("action_masks", indices=[0, 2])[1].tolist() == [False, True, True]

    def test_pictures_can_be_filmed(self):
        env = self.corridor(render_mode="rgb_array")
        env.reset()
        assert env.render().shape == (16, 16, 3)
        env.close()

    def test_evaluate_policy_takes_it_as_monitored(self):
        from stable_baselines3 import PPO
        from stable_baselines3.common.evaluation import evaluate_policy

        env = self.corridor(p=params(max_length=2, time_limit=3))
        model = PPO("MlpPolicy", env, n_steps=8, batch_size=8, device="cpu")
        returns, lengths = evaluate_policy(model, env, n_eval_episodes=5, return_episode_rewards=True)
        assert len(returns) >= 5 and all(1 <= length <= 3 for length in lengths)

    @pytest.mark.parametrize("arguments", [{"autoreset_mode": "NextStep"}, {"device_observations": True}])
    def test_other_modes_are_refused(self, arguments):
        with pytest.raises(ValueError, match="needs autoreset_mode='SameStep' and device_observations=False"):
            self.corridor(**arguments)

    def test_what_a_batch_cannot_do_is_said(self):
        env = self.corridor()
        with pytest.raises(AttributeError, match="known: action_masks, render"):
            env.env_method("jump")
        with pytest.raises(NotImplementedError, match="make them with other settings"):
            env.set_attr("width", 3)
        env.set_options({"level": 2})
        with pytest.raises(ValueError, match="no reset options"):
            env.reset()
