"""The server's answers, through the same requests as the page sends."""

import base64
import io
import shlex

import jax
import numpy as np
import pytest
from PIL import Image

import kagejax
from kagejax.cli.main import main
from kagejax.evaluation import episodes
from kagejax.explorer.drawing import MOST_STEPS, Level

SIMPLE = {"background.mode": "color", "background.color_names": ["red", "blue"]}


@pytest.fixture
def values(client):
    return client.get("/api/start").json()["start"]["train"]["values"]


def both(values, train=None, evaluation=None, **more):
    sides = {"train": {"values": values, "touched": train or {}}, "eval": {"values": values, "touched": evaluation or {}}}
    return {"env": "kage", "steps": 0, "seed": 0, "policy": "scripted", **sides, **more}


def pixels(piece):
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(piece["image"].partition(",")[2]))).convert("RGB"))


def frames(pieces):
    return {piece["side"]: piece for piece in pieces if piece["event"] == "frame"}


def recorded(seed, policy, steps, source="kage/simplest", **overrides):
    env, params = kagejax.make_batch([source], **overrides)
    *_, (chunk, _) = episodes.record(env, params, episodes.actors(env)[policy], None, jax.random.key(seed), steps)
    return chunk[-1, 0]


def test_the_start_has_both_sides_and_what_can_be_opened(client, folder):
    (folder / "mine.yaml").write_text("env: kage\n")
    found = client.get("/api/start").json()
    assert found["start"]["env"] == "kage" and found["start"]["eval"]["base"] == "kage/simplest"
    assert found["files"] == ["mine.yaml"] and found["folder"] == folder.name
    assert len([pair for suite in found["suites"] if suite["suite"] == "kage/background" for pair in suite["pairs"]]) == 10


def test_an_unknown_environment_is_told(client):
    answer = client.get("/api/description/kagee")
    assert answer.status_code == 422
    assert "Did you mean kage?" in answer.json()["problems"][0]["message"]


def test_pictures_are_those_of_an_episode_recorded_elsewhere(pieces, values):
    first = frames(pieces("draw", **both(values, seed=3)))
    assert np.array_equal(pixels(first["train"]), recorded(3, "scripted", 0))
    later = frames(pieces("draw", **both(values, evaluation=SIMPLE, seed=3, steps=21)))
    assert np.array_equal(pixels(later["train"]), recorded(3, "scripted", 21))
    assert np.array_equal(pixels(later["eval"]), recorded(3, "scripted", 21, **SIMPLE))
    assert later["train"]["step"] == 21 and later["train"]["metrics"]["passed_distance"] > 0


def test_a_difference_of_the_picture_is_told_as_one(pieces, values):
    found = pieces("draw", **both(values, evaluation=SIMPLE))
    difference = next(piece for piece in found if piece["event"] == "difference")
    assert difference["reach"] == "render"
    assert [row["path"] for row in difference["rows"]] == ["background.mode", "background.color_names"]
    assert found[-1]["event"] == "apart" and found[-1]["share"] > 0.9


def test_a_program_is_compiled_once_for_all_values_that_change_no_shape(pieces, values):
    pieces("draw", **both(values, steps=5))
    again = pieces("draw", **both(values, evaluation={"physics.gravity": 0.5, "layout.p_change": 0.3}, steps=6))
    assert "compiling" not in [piece["event"] for piece in again]


def test_wrong_values_are_told_at_their_fields_and_the_other_side_is_drawn(pieces, values):
    found = pieces("draw", **both(values, evaluation={"filters.gamma": 9}))
    side = next(piece for piece in found if piece["event"] == "side" and piece["side"] == "eval")
    assert side["problems"] == [
        {"path": "filters.gamma", "message": "Found 9 (an integer); allowed: a number from 0.5 to 2.", "where": ""}
    ]
    assert list(frames(found)) == ["train"]


def test_art_that_does_not_load_is_told_at_its_field(pieces, values):
    found = pieces("draw", **both(values, evaluation={"background.mode": "image", "background.image_dir": "nowhere"}))
    problem = next(piece for piece in found if piece["event"] == "problems")
    assert (problem["side"], problem["problems"][0]["path"]) == ("eval", "background.image_dir")


def test_both_sides_take_the_same_actions_even_in_another_game(studio):
    train = kagejax.load_config("kage/simplest")
    heavy = kagejax.load_config("kage/simplest", **{"physics.gravity": 2.0})
    level = Level(1, "random")
    led = studio.reach(train, level, 30)
    followed = studio.reach(heavy, level, 30, leader=train)
    assert np.array_equal(led.actions[:30], followed.actions[:30])
    assert int(followed.t) == 30 and int(np.unique(np.asarray(led.actions[:30])).size) > 3


def test_an_episode_is_played_step_by_step_to_its_end(pieces, values):
    short = {"episode_length": 8}
    found = pieces("play", **both(values, short, {**short, **SIMPLE}, seed=3, steps=2))
    steps = [piece for piece in found if piece["event"] == "step"]
    assert [piece["steps"] for piece in steps] == [3, 4, 5, 6, 7, 8]
    assert found[-1] == {"event": "over", "steps": 8}
    assert steps[-1]["train"]["ended"] and steps[-1]["train"]["metrics"] == steps[-1]["eval"]["metrics"]
    still = frames(pieces("draw", **both(values, short, {**short, **SIMPLE}, seed=3, steps=6)))
    assert np.array_equal(pixels(steps[3]["eval"]), pixels(still["eval"]))


def test_what_no_seed_step_or_policy_can_be_is_told(pieces, values):
    for wrong, message in (
        ({"seed": -1}, "Found -1; allowed: a whole number from 0 to 4,294,967,295."),
        ({"steps": MOST_STEPS + 1}, "Found 1001; allowed: a whole number from 0 to 1,000."),
        ({"policy": "scriptd"}, "allowed: scripted, random, right or right_jump. Did you mean scripted?"),
    ):
        found = [piece for piece in pieces("draw", **both(values, **wrong)) if piece["event"] == "problems"]
        assert message in found[0]["problems"][0]["message"]


def test_a_request_that_is_no_request_is_told(client, pieces):
    assert client.post("/api/yaml", json={"env": "kage"}).status_code == 400
    assert client.post("/api/yaml", content="{", headers={"content-type": "application/json"}).status_code == 400
    assert pieces("draw", env="kage")[0]["event"] == "failed"


def test_pairs_are_proven_or_refuted_by_playing(pieces, values, monkeypatch):
    from kagejax.explorer import jobs

    monkeypatch.setattr(jobs, "PROOF", {"episodes": 2, "steps": 16, "seed": 0})
    *_, proof = pieces("proof", **both(values, evaluation=SIMPLE))
    assert proof["event"] == "proof" and proof["holds"] and proof["frames"] == 1.0
    *_, refuted = pieces("proof", **both(values, evaluation={"physics.gravity": 2.0}))
    assert not refuted["holds"] and refuted["params"] == ["gravity"]


@pytest.mark.parametrize(("room", "seen"), [("sokoban", ""), ("spatial", "layers")])
def test_other_environments_are_drawn_too(pieces, room, seen):
    side = {"values": {}, "touched": {}}
    small = (
        {"values": {"lattice.cells_w": 3, "lattice.cells_h": 3, "puzzles.set": "first-steps-test"}}
        if room == "spatial"
        else side
    )
    asked = {"env": room, "train": small, "eval": small, "steps": 0, "seed": 1, "policy": ""}
    found = frames(pieces("draw", **asked))
    assert found["train"]["seen_as"] == seen
    assert pixels(found["train"]).std() > 10
    as_agent = frames(pieces("draw", **asked, as_agent=True))
    assert (pixels(as_agent["train"]).shape == pixels(found["train"]).shape) == (seen == "")


def test_a_file_is_saved_opened_and_not_overwritten_unasked(client, folder, values):
    asked = {"env": "kage", "base": "kage/simplest", "values": {**values, "filters.hue_shift": 90}, "path": "mine.yaml"}
    assert client.post("/api/save", json=asked).json() == {"saved": "mine.yaml"}
    assert kagejax.load_config(folder / "mine.yaml").filters.hue_shift == 90.0
    assert client.post("/api/open", json={"source": "mine.yaml"}).json()["values"]["filters.hue_shift"] == 90.0
    asked["values"]["filters.hue_shift"] = 45
    answer = client.post("/api/save", json=asked)
    assert (answer.status_code, answer.json()) == (409, {"exists": "mine.yaml"})
    assert client.post("/api/save", json={**asked, "overwrite": True}).status_code == 200
    assert kagejax.load_config(folder / "mine.yaml").filters.hue_shift == 45.0


def test_files_outside_of_the_folder_are_neither_read_nor_written(client, folder, values):
    outside = folder.parent / "outside.yaml"
    for address, asked in (
        ("open", {"source": str(outside)}),
        ("save", {"env": "kage", "values": values, "path": "../outside.yaml"}),
    ):
        answer = client.post(f"/api/{address}", json=asked)
        assert answer.status_code == 422
        assert "Only files in the folder that kagejax explore was started in" in answer.json()["message"]
    assert not outside.exists()


def test_a_wrong_configuration_is_not_saved(client, folder, values):
    answer = client.post("/api/save", json={"env": "kage", "values": {**values, "filters.gamma": 9}, "path": "a.yaml"})
    assert answer.status_code == 422 and list(folder.iterdir()) == []


def test_the_command_line_draws_the_picture_of_the_page(client, pieces, folder, values, capsys):
    touched = {**values, "background.mode": "color", "background.color_names": ["red", "blue"]}
    asked = {"env": "kage", "base": "kage/simplest", "values": touched, "seed": 3, "steps": 21, "policy": "scripted"}
    command = client.post("/api/yaml", json=asked).json()["command"]
    assert command == (
        "kagejax render kage/simplest --set background.mode=color --set 'background.color_names=[red, blue]' "
        "--seed 3 --steps 21 --policy scripted --out episode.png"
    )
    assert main(shlex.split(command)[1:]) == 0
    assert (folder / "episode.png").exists()


def test_yaml_is_what_differs_or_all(client, values):
    asked = {"env": "kage", "values": {**values, "filters.hue_shift": 90}}
    changed = client.post("/api/yaml", json={**asked, "changed": True}).json()["yaml"]
    whole = client.post("/api/yaml", json={**asked, "changed": False}).json()["yaml"]
    assert "hue_shift: 90.0" in changed and "gravity" not in changed and "gravity: 0.75" in whole
