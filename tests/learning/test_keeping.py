"""What a run keeps: whole checkpoints, the newest and the best, and nothing behind them."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.learning import keeping


def tree(value):
    return {"weights": jnp.full((3, 2), value, jnp.float32), "key": jax.random.key(value), "step": jnp.int32(value)}


def steps(folder):
    return [kept.step for kept in keeping.listed(folder)]


def whole(folder, settings=None):
    """The step that is gone on from, and what was said."""
    said = []
    found = keeping.newest(folder, jax.eval_shape(lambda: tree(0)), settings or {}, said.append)
    return None if found is None else int(found["step"]), said


def test_the_newest_two_and_the_best_are_kept(tmp_path):
    for step, score in ((1, 0.2), (2, 0.9), (3, 0.9), (4, None), (5, 0.1), (6, 0.3)):
        keeping.save(tmp_path, tree(step), step, {}, score)
    assert steps(tmp_path) == [2, 5, 6]
    assert keeping.best_of(keeping.listed(tmp_path)).step == 2
    assert {path.name for path in (tmp_path / "checkpoint").iterdir()} == {"2", "2.json", "5", "5.json", "6", "6.json"}


def test_what_comes_back_is_what_was_saved(tmp_path):
    keeping.save(tmp_path, tree(7), 7, {})
    found = keeping.newest(tmp_path, jax.eval_shape(lambda: tree(0)), {}, pytest.fail)
    assert keeping.digest(found) == keeping.digest(tree(7)) != keeping.digest(tree(8))
    np.testing.assert_array_equal(found["weights"], np.full((3, 2), 7.0, np.float32))


def test_without_a_checkpoint_there_is_nothing_to_go_on_from(tmp_path):
    assert whole(tmp_path) == (None, [])


def test_one_that_was_never_finished_is_not_there(tmp_path):
    keeping.save(tmp_path, tree(1), 1, {})
    keeping.save(tmp_path, tree(2), 2, {})
    (tmp_path / "checkpoint" / "2.json").unlink()
    assert whole(tmp_path) == (1, [])


def garble(folder):
    """Cuts the largest file of a checkpoint to half."""
    largest = max((path for path in folder.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    largest.write_bytes(largest.read_bytes()[: largest.stat().st_size // 2])


def test_a_damaged_one_is_passed_over_and_said(tmp_path):
    for step in (1, 2):
        keeping.save(tmp_path, tree(step), step, {})
    garble(tmp_path / "checkpoint" / "2")
    step, (said,) = whole(tmp_path)
    assert step == 1
    assert said.startswith(f"{tmp_path / 'checkpoint' / '2'} is damaged (")
    assert said.endswith("); going on from the one before it.")


def test_numbers_that_were_changed_are_seen(tmp_path):
    for step in (1, 2):
        keeping.save(tmp_path, tree(step), step, {})
    note = tmp_path / "checkpoint" / "2.json"
    note.write_text(json.dumps(json.loads(note.read_text()) | {"digest": "0" * 64}))
    step, (said,) = whole(tmp_path)
    assert step == 1
    assert "(its numbers are not those that were saved)" in said


def test_one_of_another_configuration_is_refused_by_its_keys(tmp_path):
    keeping.save(tmp_path, tree(1), 1, {"gamma": 0.9, "clip": 0.2})
    with pytest.raises(keeping.SettingsDiffer) as refused:
        whole(tmp_path, {"gamma": 0.99, "clip": 0.2})
    assert str(refused.value) == (
        f"{tmp_path / 'checkpoint' / '1'} is a checkpoint of another configuration: gamma was 0.9 and is 0.99. "
        "Use another run_dir."
    )


def test_lines_behind_a_step_are_cut(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 1}\n{"step": 2}\n{"step": 3}\n{"st')
    keeping.cut(path, 2)
    assert path.read_text() == '{"step": 1}\n{"step": 2}\n'
    keeping.cut(tmp_path / "none.jsonl", 2)


def test_a_failure_is_said_in_the_status(tmp_path):
    with pytest.raises(ZeroDivisionError), keeping.failing(tmp_path, 10):
        1 / 0  # noqa: B018
    said = json.loads((tmp_path / "status.json").read_text())
    assert (said["state"], said["step"], said["total_steps"]) == ("failed", 0, 10)
    assert said["error"] == "ZeroDivisionError: division by zero"
    assert keeping.status(tmp_path) == keeping.FAILED
