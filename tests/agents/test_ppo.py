import dataclasses
import importlib.resources
import json

import jax
import jax.numpy as jnp
import numpy as np
import PIL.Image
import pytest

import kagejax
from agents import ppo
from kagejax.learning import loggers, networks, settings
from tests.corridor import Corridor, params

networks.TRUNKS["tiny"] = networks.Trunk((networks.Convolution(8, 4, 4),), 32)
TOY = ppo.Config(
    train="toy", evaluate=("dim",), total_steps=512, num_envs=8, rollout_steps=16, frame_size=8, network="tiny",
    epochs=2, minibatches=2, gradient_chunk=32, gamma=0.9, updates_per_line=2, eval_episodes=4, film=True,
)  # fmt: skip
ENV = Corridor()


@pytest.fixture(autouse=True)
def registered_corridors(monkeypatch):
    """Configurations `toy` and `dim` in the place of registered ones."""
    known = {"toy": params(), "dim": params(brightness=0.3)}

    class Loaded:
        def model_dump(self, mode):
            return {"env": "corridor"}

    stacked = jax.tree.map(lambda *x: jnp.stack(x), *known.values())
    monkeypatch.setattr(kagejax, "make", lambda name, **_: (ENV, known[name]))
    monkeypatch.setattr(kagejax, "make_batches", lambda names, **_: [(ENV, stacked)])
    monkeypatch.setattr(kagejax, "load_config", lambda name, **_: Loaded())


def begun(config, seed=0):
    return jax.jit(ppo.start, static_argnums=(0, 1))(config, ENV, params(), jax.random.key(seed))


def trained(config, seed=0, updates=2):
    state, totals = ppo.train_chunk(config, ENV, params(), begun(config, seed), jnp.int32(updates))
    return state, ppo.line(jax.device_get(totals), updates)


def bits(state):
    leaves = jax.tree.leaves(state)
    return [np.asarray(jax.random.key_data(x) if jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x).tobytes() for x in leaves]


def test_the_same_seed_gives_the_same_run_bit_for_bit():
    assert bits(trained(TOY)[0]) == bits(trained(TOY)[0])


def test_another_seed_gives_another_run():
    assert bits(trained(TOY)[0].parameters) != bits(trained(TOY, seed=1)[0].parameters)


def test_gradients_do_not_depend_on_the_chunk():
    state = begun(TOY)
    batch = jax.jit(ppo.rollout, static_argnums=(0, 1))(TOY, ENV, params(), state)[1]
    sample, rows = ppo.samples(TOY, batch, batch.value[-1]), jnp.arange(64, dtype=jnp.int32)[::-1]

    def gradient(chunk):
        config = dataclasses.replace(TOY, gradient_chunk=chunk)
        arguments = (params(), state.parameters, sample, rows, jnp.float32(0.01))
        return jax.jit(ppo.gradient, static_argnums=(0, 1))(config, ENV, *arguments)

    for whole, parts in zip(jax.tree.leaves(gradient(64)), jax.tree.leaves(gradient(16)), strict=True):
        np.testing.assert_allclose(whole, parts, rtol=1e-4, atol=1e-5)


def test_policy_loss_takes_the_worse_of_ratio_and_clipped_ratio():
    ratio, advantage = jnp.array([1.5, 1.5, 0.5, 0.5]), jnp.array([1.0, -1.0, 1.0, -1.0])
    expected = -(1.2 * 1 + 1.5 * -1 + 0.5 * 1 + 0.8 * -1) / 4
    np.testing.assert_allclose(ppo.policy_loss(TOY, ratio, advantage), expected, rtol=1e-6)


def test_value_loss_takes_the_larger_of_both_errors():
    value, old, target = jnp.array([1.0, 1.0]), jnp.array([0.0, 0.0]), jnp.array([2.0, 0.5])
    np.testing.assert_allclose(ppo.value_loss(TOY, value, old, target), 0.5 * (1.8**2 + 0.5**2) / 2, rtol=1e-6)
    unclipped = dataclasses.replace(TOY, value_clip=0.0)
    np.testing.assert_allclose(ppo.value_loss(unclipped, value, old, target), 0.5 * (1.0 + 0.25) / 2, rtol=1e-6)


def played(**changes):
    """A rollout in which every episode is cut after 5 steps, with rewards and values as they come."""
    config = dataclasses.replace(TOY, **changes)
    slow = params(max_length=200, time_limit=5)
    state = jax.jit(ppo.start, static_argnums=(0, 1))(config, ENV, slow, jax.random.key(2))
    return jax.jit(ppo.rollout, static_argnums=(0, 1))(config, ENV, slow, state)


def test_a_cut_episode_keeps_the_value_of_its_final_observation():
    _, batch, sums = played()
    assert np.asarray(batch.truncated).sum() == sums["episodes"] == 24
    assert (np.asarray(batch.final_value) != 0).tolist() == np.asarray(batch.truncated).tolist()


def test_the_published_way_takes_a_time_limit_for_an_end():
    _, batch, _ = played(bootstrap_truncation=False)
    assert np.asarray(batch.truncated).any()
    assert not np.asarray(batch.final_value).any()


def test_rewards_are_scaled_for_the_learner_and_not_in_reports():
    config = dataclasses.replace(TOY, reward_scale=0.5)
    state = begun(config)
    _, batch, sums = jax.jit(ppo.rollout, static_argnums=(0, 1))(config, ENV, params(max_length=2), state)
    assert set(np.unique(batch.reward)) == {0.0, 0.5}
    assert sums["return"] == np.asarray(batch.terminated).sum()


def test_ppo_learns_to_walk_to_the_end_of_the_corridor():
    config = dataclasses.replace(TOY, num_envs=32, rollout_steps=32, minibatches=4, gradient_chunk=64, learning_rate=1e-3)
    state, before = trained(config, updates=1)
    state, _ = ppo.train_chunk(config, ENV, params(), state, jnp.int32(12))
    _, totals = ppo.train_chunk(config, ENV, params(), state, jnp.int32(1))
    after = ppo.line(jax.device_get(totals), 1)
    assert before["return"] < 0.9
    assert after["return"] > 0.99
    assert after["length"] < 0.6 * before["length"]


def test_no_episode_no_episode_metrics():
    totals = {name: 1.0 for name in ppo.LEARNER_METRICS} | {"episodes": 0, "return": 0.0, "action_probabilities": [1.0]}
    assert "return" not in ppo.line(totals, 1)


class KageEnv:
    """Stands for the platformer."""


@pytest.mark.parametrize(
    "probabilities, step, expected",
    [
        ([0.2, 0.4, 0.4, 0, 0, 0, 0, 0], 600_000, True),
        ([0.2, 0.4, 0.4, 0, 0, 0, 0, 0], 400_000, False),  # too early to tell
        ([0.1, 0.1, 0.8, 0, 0, 0, 0, 0], 600_000, False),  # walks right
        ([0.2, 0.4, 0.39, 0, 0.01, 0, 0, 0], 600_000, False),  # jumps
    ],
)
def test_the_trap_of_pacing_without_jumps_is_seen(probabilities, step, expected):
    assert ppo.trapped(KageEnv(), step, probabilities) is expected
    assert ppo.trapped(ENV, step, probabilities) is False


def test_a_run_leaves_config_metrics_evaluation_checkpoint_and_film(tmp_path):
    summary = ppo.train(TOY, ppo.stage(TOY), 3, tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {
        "run.json",
        "status.json",
        "metrics.jsonl",
        "evaluations.jsonl",
        "checkpoint",
        "episode.gif",
        "tensorboard",
    }
    described = json.loads((tmp_path / "run.json").read_text())
    assert described["seeds"] == [3]
    assert described["config"]["total_steps"] == 512
    assert set(described) >= {"config_hash", "environments", "versions", "device", "flags", "git", "command"}
    assert [metrics["step"] for metrics in loggers.read(tmp_path / "metrics.jsonl")] == [256, 512]
    assert set(summary) == {"toy", "dim"}
    assert loggers.read(tmp_path / "evaluations.jsonl")[-1]["configurations"] == summary
    with PIL.Image.open(tmp_path / "episode.gif") as film:
        assert film.size == (2 * 128 + 4, 128 + 14)


def test_configurations_are_told_in_the_order_asked_for_whatever_batches_they_are_in(tmp_path):
    place, state = ppo.stage(TOY), begun(TOY)
    together = ppo.measure(TOY, place, state, 3, tmp_path, film=True)
    with PIL.Image.open(tmp_path / "episode.gif") as film:
        pictures = np.asarray(film.convert("RGB"))
    stacked = place.batches[0][1]
    alone = [(ENV, jax.tree.map(lambda x, i=i: x[i : i + 1], stacked)) for i in (1, 0)]
    apart = ppo.measure(TOY, place._replace(batches=alone, names=("dim", "toy")), state, 3, tmp_path, film=True)
    assert list(apart) == list(together) == ["toy", "dim"]
    assert apart == together
    with PIL.Image.open(tmp_path / "episode.gif") as film:
        np.testing.assert_array_equal(np.asarray(film.convert("RGB")), pictures)


def test_what_is_not_installed_is_named_before_training(monkeypatch, capsys):
    monkeypatch.setattr(ppo.videos, "available", lambda: False)
    assert ppo.main(["--set", "film_format=mp4"]) == 1
    missing = "An MP4 needs imageio-ffmpeg, which is not installed: pip install 'kagejax[video]'. Or write a GIF."
    assert capsys.readouterr() == ("", f"film_format: {missing}\n")


def test_a_resumed_run_equals_one_that_was_never_stopped(tmp_path):
    whole, half, rest = (tmp_path / name for name in ("whole", "half", "rest"))
    for folder in (whole, half, rest):
        folder.mkdir()
    short = dataclasses.replace(TOY, film=False)
    ppo.train(short, ppo.stage(short), 3, whole)
    ppo.train(dataclasses.replace(short, total_steps=256), ppo.stage(short), 3, half)
    ppo.train(dataclasses.replace(short, resume=str(half)), ppo.stage(short), 3, rest)
    timeless = [
        {name: value for name, value in loggers.read(folder / "metrics.jsonl")[-1].items() if name != "steps_per_s"}
        for folder in (whole, rest)
    ]
    assert timeless[0] == timeless[1]
    assert loggers.read(whole / "evaluations.jsonl") == loggers.read(rest / "evaluations.jsonl")


def test_main_prints_the_gap_and_saves_what_it_prints(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(ppo.settings, "from_command_line", lambda *_: dataclasses.replace(TOY, run_dir=str(tmp_path / "run")))
    assert ppo.main([]) == 0
    text = capsys.readouterr().out
    assert "generalisation gap" in text
    assert (tmp_path / "run" / "evaluation.txt").read_text().strip() in text


def test_seeds_on_a_cpu_are_processes_with_settings_of_their_own(tmp_path, monkeypatch):
    config = dataclasses.replace(TOY, seeds=(4, 5), resume="before")
    summary = {name: {"return": {"mean": 1.0, "sem": 0.0}} for name in ("toy", "dim")}

    def one_per_core(commands, folders, total):
        assert total == 512
        for seed, command in zip((4, 5), commands.values(), strict=True):
            alone = settings.load(ppo.Config, command[command.index("--config") + 1])
            folder = tmp_path / f"seed-{seed}"
            assert alone == dataclasses.replace(config, seeds=(seed,), run_dir=str(folder), resume=f"before/seed-{seed}")
            with loggers.JsonLines(folder / "evaluations.jsonl") as log:
                log.write(512, {"configurations": summary})

    monkeypatch.setattr(ppo.jax, "default_backend", lambda: "cpu")
    monkeypatch.setattr(ppo.running, "one_per_core", one_per_core)
    assert ppo.train_seeds(config, ppo.stage(config), tmp_path) == {"4": summary, "5": summary}
    assert json.loads((tmp_path / "run.json").read_text())["seeds"] == [4, 5]


def shipped(name):
    return settings.load(ppo.Config, importlib.resources.files("configs") / "agents" / f"{name}.yaml")


def test_the_full_preset_is_the_published_baseline_but_for_time_limits():
    assert shipped("ppo_kage") == ppo.Config(
        updates_per_line=4, evaluate_every=300, checkpoint_every=300, eval_levels="published"
    )
    assert ppo.Config().batch_size == 16_384
    assert ppo.Config().minibatch_size == 2_048
    assert ppo.Config().total_updates == 1_526


def test_the_quick_preset_has_two_seeds_and_three_evaluations():
    quick = shipped("ppo_kage_quick")
    assert (quick.seeds, quick.frame_size, quick.network) == ((1, 2), 32, "quick")
    assert quick.evaluate == ("kage/background/1/eval", "kage/background/2/eval", "kage/distractors/5/eval")


@pytest.mark.parametrize(
    "setting, message",
    [
        ("learing_rate=1", "learing_rate Unknown key. Did you mean learning_rate?"),
        ("network=resnet", "network must be one of reference, quick,"),
        ("minibatches=7", "a batch of 128 x 128 does not split into 7 minibatches"),
        ("gradient_chunk=100", "gradient_chunk must divide the minibatch of 2048"),
        ("seeds=[1, 1]", "seeds must be at least one number, each once"),
        ("num_envs=0", "num_envs Found 0 (an integer). Allowed: above 0."),
    ],
)
def test_a_wrong_setting_is_answered_without_a_traceback(setting, message, capsys):
    assert ppo.main(["--set", setting]) == 1
    assert message in " ".join(capsys.readouterr().err.split())


def test_a_run_begins_with_the_encoder_of_another(tmp_path):
    first = dataclasses.replace(TOY, run_dir=str(tmp_path), film=False)
    (tmp_path / "first").mkdir()
    place = ppo.stage(first)
    ppo.train(first, place, 3, tmp_path / "first")
    saved = jax.device_get(trained(first, seed=3, updates=first.total_updates)[0].parameters)
    ours = begun(TOY)
    state = ppo.with_pretrained(dataclasses.replace(TOY, pretrained=str(tmp_path / "first")), ours)
    for name, leaf in networks.encoder(state.parameters).items():
        np.testing.assert_array_equal(leaf, networks.encoder(saved)[name])
    for name in ("dense", "actor", "critic"):
        for key, leaf in state.parameters["params"][name].items():
            np.testing.assert_array_equal(leaf, ours.parameters["params"][name][key])


def test_an_encoder_of_another_shape_is_refused(tmp_path):
    (tmp_path / "first").mkdir()
    ppo.train(dataclasses.replace(TOY, film=False), ppo.stage(TOY), 3, tmp_path / "first")
    networks.TRUNKS["tinier"] = networks.Trunk((networks.Convolution(4, 4, 4),), 32)
    other = dataclasses.replace(TOY, network="tinier", pretrained=str(tmp_path / "first"))
    with pytest.raises(ValueError, match="pretrained: the encoder of .* has the shapes"):
        ppo.with_pretrained(other, begun(other))
    with pytest.raises(FileNotFoundError, match="no checkpoint"):
        ppo.with_pretrained(dataclasses.replace(TOY, pretrained=str(tmp_path / "none")), begun(TOY))


def test_a_perfect_run_ends_early():
    config, state = dataclasses.replace(TOY, stop_when_perfect=5), begun(TOY)
    found = state.successes._replace(run=jnp.int32(103), episodes=jnp.int32(200))
    assert not ppo.perfect(config, state._replace(successes=found))
    assert ppo.perfect(config, state._replace(successes=found._replace(run=jnp.int32(104))))
    assert not ppo.perfect(TOY, state._replace(successes=found._replace(run=jnp.int32(104))))


def test_the_end_of_a_run_says_when_the_goal_was_reached():
    assert ppo.goal_note(TOY, "1", {"goal_step": 4096}).endswith("were successes first after 4,096 steps.")
    assert ppo.goal_note(TOY, "1", {"goal_step": -1}).endswith(
        "80% of the last 100 training episodes were successes at no time."
    )


def test_the_weight_of_the_entropy_falls_over_the_run():
    steps = [0, 256, 512, 1024]
    weights = [float(ppo.entropy_weight(dataclasses.replace(TOY, anneal_entropy=True), jnp.int32(step))) for step in steps]
    np.testing.assert_allclose(weights, [0.01, 0.005, 0.0, 0.0], atol=1e-9)
    assert float(ppo.entropy_weight(TOY, jnp.int32(512))) == pytest.approx(0.01)


def test_passes_end_at_the_minibatch_that_strays_too_far():
    def step(learner, rows):
        return learner + rows.sum(), {"kl": 0.1 * (learner + rows.sum())}

    config = dataclasses.replace(TOY, target_kl=0.25)
    learner, parts = ppo.passes(config, step, jnp.float32(0), jnp.ones((5, 1), jnp.float32))
    assert float(learner) == 3.0  # the third strays to 0.3
    np.testing.assert_allclose(parts["kl"], [0.1, 0.2, 0.3, 0.3, 0.3], rtol=1e-6)
    whole, _ = ppo.passes(TOY, step, jnp.float32(0), jnp.ones((5, 1), jnp.float32))
    assert float(whole) == 5.0


def test_a_tight_target_learns_less_from_a_batch():
    free, tight = trained(TOY)[0], trained(dataclasses.replace(TOY, target_kl=1e-9))[0]
    start = begun(TOY)

    def moved(state):
        changes = jax.tree.map(lambda new, old: jnp.abs(new - old).max(), state.parameters, start.parameters)
        return float(max(jax.tree.leaves(changes)))

    assert 0 < moved(tight) < moved(free)
