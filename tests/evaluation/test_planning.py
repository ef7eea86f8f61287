"""Which runs the pairs of suites take, and the proof that those who share one train alike."""

import functools

import jax
import numpy as np
import pytest

import kagejax
from kagejax.config.problems import ConfigError
from kagejax.config.suites import suites
from kagejax.evaluation import pairs, planning

SHORT = {"episode_length": 40}


def planned(*names, keys=(), **options):
    return planning.plan(planning.choose(planning.find_suites(names), keys), **{"prove": False, **options})


def test_the_34_pairs_take_7_training_runs():
    plan = planned("kage")
    assert len(plan.pairs) == 34
    assert {run.run: len(run.pairs) for run in plan.runs} == {
        "kage-agent_appearance-1": 11, "kage-agent_appearance-5": 6, "kage-background-4": 1, "kage-background-6": 1,
        "kage-background-7": 1, "kage-background-9": 13, "kage-background-10": 1,
    }  # fmt: skip


def test_a_pair_reads_the_run_of_the_first_that_trains_as_it_does():
    plan = planned("kage")
    noise = next(pair for pair in plan.pairs if pair.pair == "kage/background/1")
    assert noise == planning.PlannedPair(
        pair="kage/background/1", axis="background", title="black -> noise", own_train="kage/background/1/train",
        train="kage/agent_appearance/1/train", eval="kage/background/1/eval", run="kage-agent_appearance-1",
    )  # fmt: skip
    run = next(run for run in plan.runs if run.run == noise.run)
    assert run.evaluate == tuple(f"{id}/eval" for id in run.pairs)
    assert "kage/layout/1/eval" in run.evaluate


def test_every_eval_side_is_evaluated_by_exactly_one_run():
    for names in (("kage",), ("kage/background_colors", "kage/distractor_count", "kage/radial_light")):
        plan = planned(*names)
        assert sorted(id for run in plan.runs for id in run.evaluate) == sorted(pair.eval for pair in plan.pairs)
        assert all(pair.pair in next(run.pairs for run in plan.runs if run.run == pair.run) for pair in plan.pairs)


def test_the_experiments_share_the_runs_of_the_suites():
    names = ("kage", "kage/background_colors", "kage/distractor_count", "kage/radial_light")
    assert len(planned(*names).pairs) == 34 + 18
    assert [run.run for run in planned(*names).runs] == [run.run for run in planned("kage").runs]


def test_without_sharing_each_pair_has_its_own_run():
    plan = planned("kage", share=False)
    assert len(plan.runs) == 34
    assert not plan.shared
    assert all(pair.train == pair.own_train == f"{pair.pair}/train" for pair in plan.pairs)
    assert all(run.evaluate == (f"{run.pairs[0]}/eval",) for run in plan.runs)


def test_overrides_hold_for_all_and_can_part_what_was_alike():
    assert len(planned("kage/agent_appearance", overrides={"background.mode": "noise"}).runs) == 2
    # With the figure of the one no longer drawn, all pairs train on the same black picture.
    alike = {"character.use_sprites": False, "character.use_shape": False}
    assert len(planned("kage/agent_appearance", overrides=alike).runs) == 1


def test_keys_that_change_nothing_do_not_keep_configurations_apart():
    first = kagejax.load_config("kage/background/1/train")
    changes = {"npc.min_npc_count": 3, "background.color_names": ["red"], "effects.point_light_count": 2}
    unused = kagejax.load_config(first, **changes)
    used = kagejax.load_config(first, **{"filters.gamma": 1.1})
    assert planning.in_effect(first) == planning.in_effect(unused)
    assert planning.in_effect(first) != planning.in_effect(used)


def test_a_relative_picture_counts_with_the_folder_that_it_is_in(tmp_path):
    configs = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "own.yaml").write_text("env: kage\nbackground:\n  mode: image\n  image_path: own.png\n")
        configs.append(kagejax.load_config(folder / "own.yaml"))
    assert planning.in_effect(configs[0]) != planning.in_effect(configs[1])


def test_two_environments_are_never_alike():
    assert planning.in_effect(kagejax.load_config("kage"))[0] != planning.in_effect(kagejax.load_config("sliding"))[0]


@pytest.fixture
def suite():
    """Three pairs: two that train alike in all that is used, and one that trains on something else."""
    real = suites()["kage/background"]
    ids = ("kage/background/1", "kage/background/2", "kage/background/4")
    return [(real, pair) for pair in real.pairs if pair.id in ids]


def test_what_shares_a_run_is_proven_on_pixels(suite):
    said = []
    plan = planning.plan(suite, SHORT, say=said.append)
    assert [run.run for run in plan.runs] == ["kage-background-1", "kage-background-4"]
    assert plan.proofs == {
        "kage/background/2/train": {
            "shares": "kage/background/1/train", "equal": True, "unused_keys_differ": [], "episodes": 4, "steps": 640,
            "policy": "scripted", "frames": 160, "frames_differ": 0.0, "latents_differ": [],
        }
    }  # fmt: skip
    assert said == ["kage/background/2/train trains as kage/background/1/train does: comparing frames and games"]


def test_the_proof_sees_what_only_pixels_show():
    first = kagejax.load_config("kage/background/1/train", **SHORT)
    unused = kagejax.load_config(first, **{"background.color_names": ["red"]})
    proof = planning.prove_equal("a", "b", first, unused)
    assert proof["equal"] and proof["unused_keys_differ"] == ["background.color_names"]
    purple = kagejax.load_config(first, background={"mode": "color", "color_names": ["purple"]})
    proof = planning.prove_equal("a", "b", first, purple)
    assert (proof["equal"], proof["frames_differ"], proof["latents_differ"]) == (False, 1.0, [])


def test_a_pair_whose_proof_fails_gets_a_run_of_its_own(suite, monkeypatch):
    monkeypatch.setattr(planning, "prove_equal", lambda *_: {"equal": False, "frames_differ": 0.1})
    plan = planning.plan(suite)
    assert [run.run for run in plan.runs] == ["kage-background-1", "kage-background-2", "kage-background-4"]
    assert plan.proofs["kage/background/2/train"]["equal"] is False
    assert plan.pairs[1].train == "kage/background/2/train"


def test_the_content_of_a_plan_is_plain():
    content = planned("kage/layout").content()
    assert content == {
        "shared": True,
        "pairs": [
            {
                "pair": "kage/layout/1", "axis": "layout", "title": "cyan -> red", "own_train": "kage/layout/1/train",
                "train": "kage/layout/1/train", "eval": "kage/layout/1/eval", "run": "kage-layout-1",
            }
        ],
        "runs": [
            {
                "run": "kage-layout-1", "train": "kage/layout/1/train", "evaluate": ["kage/layout/1/eval"],
                "pairs": ["kage/layout/1"],
            }
        ],
        "proofs": {},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["kage"], ["agent_appearance", "background", "distractors", "effects", "filters", "layout"]),
        (["kage/radial_light", "kage/filters"], ["radial_light", "filters"]),
        (["kage/agent", "kage/agent_appearance"], ["agent_appearance"]),
        (["kage/filters", "kage"], ["filters", "agent_appearance", "background", "distractors", "effects", "layout"]),
    ],
)
def test_suites_are_found_by_name_each_once(names, expected):
    assert [suite.id.partition("/")[2] for suite in planning.find_suites(names)] == expected


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("kage/backgruond", r"There is no suite 'kage/backgruond'.*Did\s+you mean kage/background"),
        ("sokoban", "There is no suite 'sokoban'"),
        ("kage/background/1", "There is no suite"),
    ],
)
def test_an_unknown_suite_is_answered_with_the_nearest(name, said):
    with pytest.raises(ConfigError, match=f"(?s){said}"):
        planning.find_suites([name])


@pytest.mark.parametrize(
    ("names", "keys", "expected"),
    [
        (["kage/background"], ["1", "10"], ["background/1", "background/10"]),
        (["kage"], ["filters/4", "background/1"], ["background/1", "filters/4"]),
        (["kage"], ["effects/*", "kage/layout/1"], ["effects/1", "effects/2", "effects/3", "layout/1"]),
        (["kage/radial_light"], ["0.25"], ["radial_light/0.25"]),
    ],
)
def test_pairs_are_chosen_by_key(names, keys, expected):
    chosen = planning.choose(planning.find_suites(names), keys)
    assert [pair.id.partition("/")[2] for _, pair in chosen] == expected


@pytest.mark.parametrize(
    ("names", "key", "said"),
    [
        (["kage"], "1", r"Found '1', but there are 6 suites; write SUITE/1, such as\s+agent_appearance/1"),
        (["kage/layout"], "2", r"There is no pair '2'; there are 1\."),
        (["kage"], "background/11", "There is no pair 'background/11'"),
    ],
)
def test_a_key_that_names_no_pair_is_an_error(names, key, said):
    with pytest.raises(ConfigError, match=said):
        planning.choose(planning.find_suites(names), [key])


@functools.partial(jax.jit, static_argnums=(0,), compiler_options={"xla_backend_optimization_level": 1})
def everywhere(env, params):
    play = functools.partial(pairs.trajectory, env)
    return jax.vmap(lambda p: play(p, jax.random.key(3), 2, 40, "scripted"), in_axes=(env.params_axes(params),))(params)


def test_all_34_pairs_have_one_game_and_two_pictures():
    """All 68 sides in one program from the same keys, played by a policy that gets far: figures stand from column 200 on."""
    names = [f"{pair.id}/{side}" for _, pair in planning.choose(planning.find_suites(["kage"])) for side in ("train", "eval")]
    env, params = kagejax.make_batch(names)
    latents, frames = jax.device_get(everywhere(env, params))
    for path, leaf in jax.tree_util.tree_leaves_with_path(latents):
        assert len(leaf) == 68
        assert all(np.array_equal(side, leaf[0], equal_nan=leaf.dtype.kind == "f") for side in leaf), jax.tree_util.keystr(path)
    controls = [jax.tree.leaves(kagejax.make(name)[1].control) for name in names]
    assert all(np.array_equal(ours, first) for side in controls for ours, first in zip(side, controls[0], strict=True))
    apart = (frames[::2] != frames[1::2]).reshape(34, -1).any(1)
    assert [name for name, differs in zip(names[::2], apart, strict=True) if not differs] == []


@pytest.mark.slow
@pytest.mark.parametrize("pair", [pair.id for _, pair in planning.choose(planning.find_suites(["kage"]))])
def test_a_pair_is_proven_by_verify_pair(pair):
    assert kagejax.verify_pair(f"{pair}/train", f"{pair}/eval", episodes=4, policy="scripted")
