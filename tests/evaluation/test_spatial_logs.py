"""The log of a run: nothing is lost, nothing is counted twice, and what is not its own is refused."""

import json
import multiprocessing

import pytest

from kagejax.evaluation.spatial import logs

from .spatial_cases import episode

SETTINGS = {"agent": "endpoint", "model": "m", "mode": "step", "temperature": None}
SESSION = {"base_url": "http://localhost/v1"}


def write(path, *episodes, settings=SETTINGS):
    with logs.opened(path, settings, SESSION) as log:
        for one in episodes:
            log.add(one)


def kinds(path):
    return [json.loads(line)["kind"] for line in path.read_text().splitlines()]


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "log.jsonl"
    first, second = episode("a"), episode("b", 1, "no path", path=None)
    write(path, first, second)
    contents = logs.read(path)
    assert contents.settings == SETTINGS
    assert contents.episodes == {("a", 0): first, ("b", 1): second}
    assert contents.whole == path.stat().st_size


def test_a_log_is_taken_up_where_it_was_left(tmp_path):
    path = tmp_path / "log.jsonl"
    write(path, episode("a"))
    with logs.opened(path, SETTINGS, SESSION) as log:
        assert list(log.episodes) == [("a", 0)]
        log.add(episode("b"))
    assert list(logs.read(path).episodes) == [("a", 0), ("b", 0)]
    assert kinds(path) == ["run", "session", "episode", "session", "episode"]


@pytest.mark.parametrize("cut", [1, 30, 400])
def test_a_last_line_that_was_cut_off_is_dropped(tmp_path, cut):
    path = tmp_path / "log.jsonl"
    write(path, episode("a"), episode("b"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    assert list(logs.read(path).episodes) == [("a", 0)]
    write(path, episode("b"))
    assert list(logs.read(path).episodes) == [("a", 0), ("b", 0)]
    assert kinds(path) == ["run", "session", "episode", "session", "episode"]


def test_an_episode_is_in_the_file_as_soon_as_it_is_added(tmp_path):
    path = tmp_path / "log.jsonl"
    with logs.opened(path, SETTINGS, SESSION) as log:
        log.add(episode("a"))
        assert list(logs.read(path).episodes) == [("a", 0)]


def test_nothing_is_counted_twice(tmp_path):
    path = tmp_path / "log.jsonl"
    with logs.opened(path, SETTINGS, SESSION) as log:
        log.add(episode("a", outcome="no path"))
        with pytest.raises(ValueError, match="has puzzle a, sample 0, already; nothing is counted twice."):
            log.add(episode("a"))
    lines = path.read_text().splitlines()
    again = lines[-1].replace("no path", "solved").replace('"solved":false', '"solved":true')
    path.write_text("\n".join([*lines, again]) + "\n")
    assert logs.read(path).episodes["a", 0].outcome == "no path"


def test_a_failed_request_gives_way_to_a_finished_episode_and_not_the_other_way_round(tmp_path):
    path = tmp_path / "log.jsonl"
    failed = episode("a", outcome="request failed")
    write(path, failed)
    with logs.opened(path, SETTINGS, SESSION) as log:
        assert log.episodes["a", 0] == failed
        log.add(episode("a"))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[2]]) + "\n")  # the failure once more
    assert logs.read(path).episodes == {("a", 0): episode("a")}


def test_a_log_of_other_settings_is_refused_with_what_differs(tmp_path):
    path = tmp_path / "log.jsonl"
    write(path, episode("a"))
    before = path.read_bytes()
    other = {"agent": "endpoint", "model": "n", "mode": "step", "temperature": 0.5, "seed": 1}
    with pytest.raises(logs.LogError) as caught:
        write(path, episode("b"), settings=other)
    assert str(caught.value) == (
        f'{path}: this log is of another run: model is "m" there and "n" here; temperature is null there and 0.5 here; '
        "seed is not set there and 1 here. Choose another folder, or the same settings."
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "there is no whole line in it, so that it is not known what run it belongs to. Delete it."),
        ("no\n", "1: this line is broken: Expecting value: line 1 column 1 (char 0). Lines before the last are never"),
        ("[1]\n", "1: this line is no JSON object."),
        ('{"kind": "episode"}\n', "1: this is no log of an evaluation; its first line does not say what run it is."),
        ('{"kind": "run", "format": 9, "settings": {}}\n', "1: the log has format 9; this version reads format 1."),
        (
            '{"kind": "run", "format": 1, "settings": {}}\n{"kind": "x"}\n',
            "2: found a line of kind 'x'; lines are episodes and",
        ),
        (
            '{"kind": "run", "format": 1, "settings": {}}\n{"kind": "episode"}\n',
            "2: this is no episode. The field puzzle is missing.",
        ),
        ('{"kind": "run", "format": 1, "settings": {}}\n{"a\n{}\n', "2: this line is broken: "),
    ],
)
def test_a_file_that_is_no_log_is_refused_with_its_line(tmp_path, text, message):
    path = tmp_path / "log.jsonl"
    path.write_text(text)
    with pytest.raises(logs.LogError) as caught:
        write(path, episode("a"))
    assert str(caught.value).startswith(f"{path}:") and message in str(caught.value)
    assert path.read_text() == text


def _try(path, answers):
    try:
        write(path, episode("b"))
    except logs.LogError as problem:
        answers.put(str(problem))
    else:
        answers.put("written")


def test_two_processes_do_not_write_one_log(tmp_path):
    path = tmp_path / "log.jsonl"
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    with logs.opened(path, SETTINGS, SESSION):
        other = context.Process(target=_try, args=(path, answers))
        other.start()
        said = answers.get(timeout=120)
        other.join()
    assert said == f"{path}: another process is writing this log; wait for it, or choose another folder."


def test_text_that_is_no_unicode_is_kept(tmp_path):
    path = tmp_path / "log.jsonl"
    odd = episode("a", system="half a pair \ud83d, a line\u2028 and a zero \x00")
    write(path, odd)
    assert logs.read(path).episodes["a", 0] == odd


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"turns": None}, "The field turns is missing."),
        ({"mood": 1}, "The field mood is not known."),
        ({"solved": False}, "The outcome is 'solved', but solved is false: the line was edited."),
        ({"outcome": "no path"}, "The outcome is 'no path', but solved is true: the line was edited."),
        ({"outcome": "won"}, "The field outcome holds 'won'; allowed: solved, rules broken, "),
        ({"level": "x"}, "The field level holds 'x'; it must be of the type int."),
        ({"line": {}}, "The field line.starts_at_start_ends_at_exit is missing."),
        ({"turns": [{"prompt": "?"}]}, "The field turns[0].reply is missing."),
        ({"turns": [3]}, "The field turns[0] holds 3; it must be an object with fields."),
        ({"path": 3}, "A field holds something else than it should: "),
    ],
)
def test_an_edited_episode_is_refused_with_what_is_wrong(tmp_path, change, message):
    path = tmp_path / "log.jsonl"
    write(path, episode("a"), episode("b"))
    lines = path.read_text().splitlines()
    fields = {name: value for name, value in (json.loads(lines[3]) | change).items() if value is not None or name not in change}
    path.write_text("\n".join([*lines[:3], json.dumps(fields)]) + "\n")
    with pytest.raises(logs.LogError) as caught:
        logs.read(path)
    assert str(caught.value).startswith(f"{path}:4: this is no episode. {message}")


def test_a_log_knows_the_puzzles_that_were_asked_for_also_where_none_is_over(tmp_path):
    path = tmp_path / "log.jsonl"
    for names in (["a", "b"], ["b"], ["a", "b", "c"]):
        with logs.opened(path, SETTINGS, SESSION, names):
            pass
    assert logs.read(path).puzzles == {"a", "b", "c"}
    said = "this log is of other puzzles: 2 of its 3 are not among the 2 asked for here"
    with pytest.raises(logs.LogError, match=said), logs.opened(path, SETTINGS, SESSION, ["c", "d"]):
        pass
