"""`kagejax sokoban`, as a person at a terminal sees it."""

import json
import pathlib
import stat

import numpy as np
import PIL.Image
import pytest

from kagejax.cli.main import main
from kagejax.envs.sokoban import build, levels, table, text
from tests.oracles import sokoban, sokoban_golden, sokoban_pictures

EASY = "######\n#@$ .#\n######"
UNSOLVABLE = "######\n#$@ .#\n######"
AROUND = "######\n##@. #\n# $ ##\n#    #\n#    #\n######"
TWO = f"; first\n{EASY}\n\n; second\n{UNSOLVABLE}\n"


@pytest.fixture(autouse=True)
def _terminal(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    pathlib.Path("two.txt").write_text(TWO)
    pathlib.Path("easy.txt").write_text(EASY)


def run(capsys, *arguments):
    """Status, stdout and stderr of `kagejax sokoban ARGUMENTS`."""
    status = main(["sokoban", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def picture(path):
    return np.asarray(PIL.Image.open(path).convert("RGB"))


def test_generate_writes_a_split_that_can_be_played(capsys):
    status, out, _ = run(capsys, "generate", "W", "--out", "w.json", "--seed", "5", "--count", "3")
    split = levels.read_split("w.json")
    lengths = [entry.optimal_length for entry in split.entries]
    assert (status, out) == (0, f"w.json: 3 levels, {min(lengths)} to {max(lengths)} moves\n")
    assert (split.name, split.seed, len(split.entries)) == ("split_W", 5, 3)
    assert run(capsys, "generate", "W", "--out", "again.json", "--seed", "5", "--count", "2")[0] == 0
    again = levels.read_split("again.json")
    assert [text.write(entry.level) for entry in again.entries] == [text.write(entry.level) for entry in split.entries[:2]]
    _, out, _ = run(capsys, "solve", "w.json")
    assert [int(line.split()[1]) for line in out.splitlines()] == lengths


def test_the_published_splits_are_those_that_generate_draws(capsys):
    run(capsys, "generate", "W", "--out", "w.json", "--count", "4")
    ours = [text.write(entry.level) for entry in levels.read_split("w.json").entries]
    assert ours == [text.write(entry.level) for entry in build.public("W").entries[:4]]


def test_generate_writes_level_text_too(capsys):
    assert run(capsys, "generate", "S", "--out", "s.txt", "--count", "2")[0] == 0
    first, second = text.read("s.txt")
    assert (first.title, second.title) == ("0", "1")
    assert first.walls.shape == (8, 8)


def test_solve_prints_one_optimal_solution_of_each_level(capsys):
    assert run(capsys, "solve", "easy.txt") == (0, "0: 2 moves  RR\n", "")
    status, out, _ = run(capsys, "solve", "A", "--level", "3")
    number, length, _, letters = out.replace(":", "").split()
    assert (status, number, int(length)) == (0, "3", build.public("A").entries[3].optimal_length)
    board, game = sokoban.parse(text.write(build.public("A").entries[3].level))
    steps = sokoban.play(board, game, sokoban_golden.actions(letters), 1000)
    assert len(steps) == int(length) and steps[-1][1].solved


def test_a_level_without_solution_makes_the_status_one(capsys):
    status, out, _ = run(capsys, "solve", "two.txt")
    assert status == 1
    assert out.splitlines()[0] == "0: 2 moves  RR"
    assert out.splitlines()[1].startswith("1: unsolvable: a box stands where")
    assert run(capsys, "solve", "two.txt", "--level", "0")[0] == 0
    assert run(capsys, "solve", "two.txt", "--level", "1")[0] == 1


def test_solve_finds_fewest_pushes(capsys):
    pathlib.Path("around.txt").write_text(AROUND)
    assert run(capsys, "solve", "around.txt")[1] == "0: 8 moves  DLDRDRUU\n"
    assert run(capsys, "solve", "around.txt", "--pushes")[1] == "0: 10 moves  RDDLLURDRU\n"


def test_a_search_may_give_up(capsys):
    status, out, _ = run(capsys, "solve", "E", "--level", "0", "--nodes", "50")
    assert status == 1
    assert out.startswith("0: gave up after ") and out.endswith(" boards; it may have a solution\n")


def test_show_prints_levels_as_text(capsys):
    assert run(capsys, "show", "two.txt") == (0, f"; 0\n{EASY}\n\n; 1\n{UNSOLVABLE}\n\n", "")
    entry = build.public("B").entries[7]
    assert run(capsys, "show", "B", "--level", "7")[1] == f"; 7, {entry.optimal_length} moves\n{text.write(entry.level)}\n\n"


def test_show_draws_a_sheet_of_levels(capsys):
    assert run(capsys, "show", "W", "--out", "w.png", "--columns", "25", "--scale", "1")[:2] == (0, "w.png: 100 levels\n")
    sheet = picture("w.png")
    assert sheet.shape == (4 * (64 + 2 + 12) + 2, 25 * (64 + 2) + 2, 3)
    for place in (0, 31):
        board, game = sokoban.parse(text.write(build.public("W").entries[place].level))
        top, left = 2 + place // 25 * 78, 2 + place % 25 * 66
        expected = sokoban_pictures.frame(board, game.boxes, game.player)
        np.testing.assert_array_equal(sheet[top : top + 64, left : left + 64], expected)


def test_show_draws_levels_of_several_sizes(capsys):
    pathlib.Path("mixed.txt").write_text(f"{EASY}\n\n{build.text.write(build.public('C').entries[0].level)}\n\n{EASY}\n")
    assert run(capsys, "show", "mixed.txt", "--out", "m.png")[:2] == (0, "m.png: 3 levels\n")
    sheet = picture("m.png")
    assert sheet.shape == (128 + 2 + 12 + 2, 3 * 130 + 2, 3)
    np.testing.assert_array_equal(sheet[2:130, 2:130], sheet[2:130, 262:390])


def test_show_draws_a_solution_as_a_strip(capsys):
    arguments = ("--solution", "--out", "s.png", "--scale", "3", "--columns", "3")
    assert run(capsys, "show", "easy.txt", *arguments)[:2] == (0, "s.png: 2 moves\n")
    sheet = picture("s.png")
    assert sheet.shape == (2 * (192 + 2 + 12) + 2, 3 * (192 + 2) + 2, 3)
    board, game = sokoban.parse(EASY)
    frames = [sokoban_pictures.goal_frame(board), sokoban_pictures.frame(board, game.boxes, game.player)]
    frames += [sokoban_pictures.frame(board, after.boxes, after.player) for after, _ in sokoban.play(board, game, [3, 3], 9)]
    for place, frame in enumerate(frames):
        top, left = 2 + place // 3 * 206, 2 + place % 3 * 194
        np.testing.assert_array_equal(sheet[top : top + 192 : 3, left : left + 192 : 3], frame)


def test_show_films_a_solution_beside_its_goal(capsys):
    arguments = ("--level", "2", "--solution", "--out", "s.gif", "--fps", "5")
    length = build.public("W").entries[2].optimal_length
    assert run(capsys, "show", "W", *arguments)[:2] == (0, f"s.gif: {length} moves\n")
    with PIL.Image.open("s.gif") as film:
        assert film.size == (2 * 128, 128)
        assert film.n_frames == length + 1
        assert film.info["duration"] == 200


def test_stats_counts_what_a_law_draws(capsys):
    status, out, _ = run(capsys, "stats", "W", "--layouts", "200", "--seed", "1")
    lines = out.splitlines()
    assert (status, lines[0]) == (0, "law W: 6x6, 1 boxes, density 0.12, 200 layouts")
    assert [line[2:22].strip() for line in lines[1:]] == [
        "corner box at start", "solvable", "optimal length", "mean optimal length",
    ]  # fmt: skip
    assert 25 < float(lines[1].split()[-1].rstrip("%")) < 55
    assert 15 < float(lines[2].split()[1].rstrip("%")) < 40
    assert lines[3].split()[2] == "p5/p25/p50/p75/p95"


def test_a_round_is_committed_to_and_revealed(capsys):
    status, out, _ = run(capsys, "commit", "W", "--out", "c.json", "--secret", "s.json", "--count", "3")
    digest = json.loads(pathlib.Path("c.json").read_text())["sha256"]
    assert (status, out) == (0, f"c.json: SHA-256 {digest}; keep s.json until the round is over.\n")
    assert stat.S_IMODE(pathlib.Path("s.json").stat().st_mode) == 0o600
    seed = json.loads(pathlib.Path("s.json").read_text())["seed"]
    assert run(capsys, "reveal", "c.json", "--secret", "s.json") == (0, f"The commitment holds: seed {seed}.\n", "")
    status, out, _ = run(capsys, "reveal", "c.json", "--secret", "s.json", "--out", "l.json")
    assert (status, out.splitlines()[0]) == (0, f"The commitment holds: seed {seed}.")
    split = levels.read_split("l.json")
    assert (split.seed, len(split.entries)) == (seed, 3)


def test_a_wrong_secret_is_not_revealed(capsys):
    run(capsys, "commit", "W", "--out", "c.json", "--secret", "s.json")
    secret = json.loads(pathlib.Path("s.json").read_text())
    pathlib.Path("t.json").write_text(json.dumps(secret | {"seed": secret["seed"] + 1}))
    status, out, err = run(capsys, "reveal", "c.json", "--secret", "t.json", "--out", "l.json")
    assert (status, out) == (2, "")
    assert "t.json:\n    The seed is not the one that was committed to.\n" in err
    assert not pathlib.Path("l.json").exists()


def test_a_commitment_of_another_version_is_told_apart(capsys):
    from kagejax.envs.sokoban import secrets

    for content, name in zip(secrets.commit("W", 2, "kagejax 0.0.1", 7), ("c.json", "s.json"), strict=True):
        secrets.write(name, content)
    status, out, err = run(capsys, "reveal", "c.json", "--secret", "s.json")
    assert (status, out) == (0, "The commitment holds: seed 7.\n")
    assert err.startswith("warning: it was made with kagejax 0.0.1; kagejax ")


@pytest.mark.parametrize("there", ["c.json", "s.json"])
def test_a_commitment_writes_over_nothing_and_leaves_nothing_behind(capsys, there):
    pathlib.Path(there).write_text("old")
    status, _, err = run(capsys, "commit", "W", "--out", "c.json", "--secret", "s.json")
    assert status == 2
    assert f"Found '{there}'; there is such a file, and it is not written over.\n" in err
    assert [path.name for path in pathlib.Path().glob("*.json")] == [there]
    assert pathlib.Path(there).read_text() == "old"


def test_without_numba_it_says_what_to_install(capsys, monkeypatch):
    def missing():
        raise ImportError("Exact Sokoban solutions need numba; install it with: pip install 'kagejax[solver]'")

    for module in (table, __import__("kagejax.envs.sokoban.solver", fromlist=["kernels"])):
        monkeypatch.setattr(module, "kernels", missing)
    status, _, err = run(capsys, "solve", "easy.txt")
    assert status == 2
    assert "pip install\n    'kagejax[solver]'" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["generate", "F", "--out", "a.json"],
            "split:\n    Found 'F'; allowed: W, S, A, B, C, D, E, B-plus, C-compat, D-hard,",
        ),
        (["generate", "hidden", "--out", "a.json"], "Did you mean hidden-"),
        (["generate", "W", "--out", "a.csv"], "--out:\n    Found 'a.csv'; the name must end in .json or .txt.\n"),
        (["generate", "W", "--out", "no/a.json"], "--out:\n    Found 'no/a.json'; there is no folder 'no'. Make it first.\n"),
        (["generate", "W", "--out", "a.json", "--count", "0"], "--count:\n    Found 0; allowed: 1 to 100,000.\n"),
        (["generate", "W", "--out", "a.json", "--seed", "-1"], "--seed:\n    Found -1; allowed: 0 or more.\n"),
        (["solve", "Q"], "Q:\n    There is neither such a file nor such a split; splits are W, S, A, B, C,\n"),
        (["solve", "hiden-style"], "Did you mean hidden-style?\n"),
        (["solve", "bad.txt"], "bad.txt:\n    bad.txt:2:3: a second player\n"),
        (["solve", "bad.json"], "bad.json:\n    bad.json:1:1: this is no JSON: Expecting value\n"),
        (["solve", "A", "--level", "100"], "--level:\n    Found 100; allowed: 0 to 99, or -1 for all.\n"),
        (["solve", "two.txt", "--level", "-2"], "--level:\n    Found -2; allowed: 0 to 1, or -1 for all.\n"),
        (["solve", "A", "--nodes", "-5"], "--nodes:\n    Found -5; allowed: 0 or more.\n"),
        (["solve", "open.txt", "--pushes"], "open.txt:\n    Level 0: The table would have "),
        (
            ["show", "A", "--solution", "--out", "a.png"],
            "--level:\n    A solution is that of one level; choose it with --level.\n",
        ),
        (["show", "easy.txt", "--solution"], "--solution:\n    It is shown as pictures: give --out, ending in .png or .gif.\n"),
        (
            ["show", "two.txt", "--level", "1", "--solution", "--out", "a.png"],
            "--level:\n    It has no solution to show: a box",
        ),
        (["show", "A", "--out", "a.gif"], "--out:\n    Found 'a.gif'; the name must end in .png.\n"),
        (["show", "A", "--out", "no/a.png"], "there is no folder 'no'. Make it first.\n"),
        (["show", "A", "--out", "a.png", "--scale", "0"], "--scale:\n    Found 0; allowed: 1 or more.\n"),
        (["show", "A", "--out", "a.png", "--columns", "0"], "--columns:\n    Found 0; allowed: 1 or more.\n"),
        (
            ["show", "easy.txt", "--solution", "--out", "a.gif", "--fps", "0"],
            "--fps:\n    Found 0; allowed: above 0, to 100.\n",
        ),
        (["show", "wide.txt", "--out", "a.png"], "wide.txt:\n    Level 1: Boards of more than 21 cells a side do not fit"),
        (["stats", "hidden-style"], "split:\n    Found 'hidden-style'; allowed: W, S, A, B,"),
        (["stats", "W", "--layouts", "0"], "--layouts:\n    Found 0; allowed: 1 or more.\n"),
        (["stats", "W", "--seed", "-3"], "--seed:\n    Found -3; allowed: 0 or more.\n"),
        (["commit", "F", "--out", "c.json", "--secret", "s.json"], "split:\n    Found 'F'; allowed: W, S, A, B, C, D, E,"),
        (
            ["commit", "A", "--out", "c.json", "--secret", "s.txt"],
            "--secret:\n    Found 's.txt'; the name must end in .json.\n",
        ),
        (["commit", "A", "--out", "c.json", "--secret", "./c.json"], "--secret:\n    It needs a file of its own.\n"),
        (["commit", "A", "--out", "c.json", "--secret", "s.json", "--count", "0"], "--count:\n    Found 0; allowed: 1 to"),
        (
            ["reveal", "none.json", "--secret", "bad.json"],
            "none.json:\n    It cannot be read: [Errno 2] No such file or directory",
        ),
        (["reveal", "list.json", "--secret", "list.json"], "list.json:\n    It must hold a JSON object.\n"),
        (
            ["reveal", "empty.json", "--secret", "empty.json"],
            "empty.json:\n    These are no commitment and secret: split, levels,",
        ),
    ],
)
def test_mistakes_are_answered_with_what_is_allowed(arguments, message, capsys):
    pathlib.Path("bad.txt").write_text("#####\n#@@.#\n#####")
    pathlib.Path("bad.json").write_text("no")
    pathlib.Path("list.json").write_text("[]")
    pathlib.Path("empty.json").write_text("{}")
    pathlib.Path("wide.txt").write_text(f"{EASY}\n\n{'#' * 30}\n#@$.{' ' * 25}#\n{'#' * 30}\n")
    inside = ["@".ljust(13), " " * 13, " $$$$$$".ljust(13), " " * 13, " ......".ljust(13), *[" " * 13] * 8]
    pathlib.Path("open.txt").write_text("\n".join(["#" * 15, *(f"#{row}#" for row in inside), "#" * 15]))
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("kagejax sokoban: The configuration has a problem:\n")
    assert message in err
    assert not list(pathlib.Path().glob("a.*"))
