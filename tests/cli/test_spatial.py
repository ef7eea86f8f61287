"""`kagejax spatial`, as a person at a terminal sees it."""

import json
import pathlib

import numpy as np
import PIL.Image
import pytest

from kagejax.cli import _spatial_pictures
from kagejax.cli.main import main
from kagejax.envs.spatial import generate, pictures, puzzles, solver_problem
from kagejax.envs.spatial.lattice import Lattice
from tests.oracles import spatial, spatial_golden

MANY = spatial_golden.puzzles()
OPEN = {"id": "open", "grid_size": {"height": 2, "width": 2}}
OPEN["puzzle_array"] = [["S", "+", "+", "+", "+"], ["+", "N", "+", "N", "+"], ["+", "+", "+", "+", "+"]]
OPEN["puzzle_array"] += [["+", "N", "+", "N", "+"], ["+", "+", "+", "+", "E"]]
CLOSED = OPEN | {"id": "closed", "puzzle_array": [["S", "G", *"+++"], ["G", "N", "+", "N", "+"], *OPEN["puzzle_array"][2:]]}


@pytest.fixture(autouse=True)
def _terminal(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    write("golden.jsonl", *MANY.values())
    write("x01.jsonl", MANY["X01"])
    write("two.jsonl", OPEN, CLOSED)


def write(name, *records):
    pathlib.Path(name).write_text("".join(json.dumps(record) + "\n" for record in records))


def run(capsys, *arguments):
    """Status, stdout and stderr of `kagejax spatial ARGUMENTS`."""
    status = main(["spatial", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def picture(path):
    return np.asarray(PIL.Image.open(path).convert("RGB"))


def changed(name, **fields):
    return MANY[name] | fields


def test_generate_writes_puzzles_with_all_their_solutions(capsys):
    status, out, _ = run(capsys, "generate", "--out", "new.jsonl", "--count", "5", "--seed", "3")
    assert status == 0
    assert out.startswith("new.jsonl: 5 puzzles, 1 of level 1, 1 of level 2, 1 of level 3, 1 of level 4, 1 of level 5; median ")
    records = [json.loads(line) for line in pathlib.Path("new.jsonl").read_text().splitlines()]
    for record in records:
        paths = [[(point["x"], point["y"]) for point in entry["path"]] for entry in record["solutions"]]
        assert all(spatial.judge(record, path)["valid"] for path in paths)
    assert run(capsys, "check", "new.jsonl")[:2] == (0, "new.jsonl: 5 puzzles, all right\n")
    run(capsys, "generate", "--out", "again.jsonl", "--count", "3", "--seed", "3")
    assert pathlib.Path("again.jsonl").read_text().splitlines() == pathlib.Path("new.jsonl").read_text().splitlines()[:3]


def test_generate_takes_rules_sizes_levels_and_solutions(capsys):
    options = ["--rules", "square,star", "--sizes", "3x2,2x3", "--levels", "2,3", "--solutions", "1:5", "--count", "4"]
    status, out, _ = run(capsys, "generate", "--out", "new.jsonl", *options)
    assert (status, out.split(";")[0]) == (0, "new.jsonl: 4 puzzles, 2 of level 2, 2 of level 3")
    for puzzle in puzzles.read("new.jsonl"):
        assert puzzle.kinds == {"square", "star"}
        assert (puzzle.cells_w, puzzle.cells_h) in {(3, 2), (2, 3)}
        assert 1 <= len(puzzle.solutions) <= 5


def test_generate_writes_over_a_file_only_if_told(capsys):
    pathlib.Path("old.jsonl").write_text("mine")
    status, _, err = run(capsys, "generate", "--out", "old.jsonl", "--count", "1")
    assert (status, pathlib.Path("old.jsonl").read_text()) == (2, "mine")
    assert "--out:\n    'old.jsonl' is there already; write over it with --force, or choose\n" in err
    assert run(capsys, "generate", "--out", "old.jsonl", "--count", "1", "--force")[0] == 0
    assert len(puzzles.read("old.jsonl")) == 1


@pytest.mark.parametrize(
    ("found", "told"),
    [(0, "nothing was written"), (1, "1 of 9 puzzles kept in a.jsonl.part"), (2, "2 of 9 puzzles kept in a.jsonl.part")],
)
def test_generate_keeps_what_it_found_before_ctrl_c(found, told, capsys, monkeypatch):
    def each(*_):
        yield from map(puzzles.from_record, list(MANY.values())[:found])
        raise KeyboardInterrupt

    monkeypatch.setattr(generate, "each", each)
    status, out, err = run(capsys, "generate", "--out", "a.jsonl", "--count", "9")
    assert (status, out, err) == (130, "", f"kagejax spatial generate: interrupted; {told}.\n")
    assert not pathlib.Path("a.jsonl").exists()
    assert [each.name for each in pathlib.Path().glob("a.*")] == ["a.jsonl.part"][: bool(found)]
    assert not found or [each.id for each in puzzles.read("a.jsonl.part")] == list(MANY)[:found]


def test_generate_tells_its_progress_in_lines_where_there_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setattr("kagejax.cli.spatial.PLAIN_INTERVAL", 0)
    status, _, err = run(capsys, "generate", "--out", "a.jsonl", "--count", "3", "--sizes", "2x2")
    assert (status, err) == (0, "puzzles: 1 of 3\npuzzles: 2 of 3\n")


def test_generate_draws_a_bar_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    status, out, err = run(capsys, "generate", "--out", "a.jsonl", "--count", "3", "--sizes", "2x2")
    assert (status, "3/3" in err, "3/3" in out) == (0, True, False)


def test_solve_counts_and_shows_a_shortest_solution(capsys):
    status, out, _ = run(capsys, "solve", "two.jsonl")
    assert (status, out) == (1, "0 open: 12 solutions, shortest 8 moves  RRRRDDDD\n1 closed: no solution\n")


def test_solve_lists_all_solutions_in_their_order(capsys):
    status, out, _ = run(capsys, "solve", "golden.jsonl", "--id", "B04", "--all")
    stored = MANY["B04"]["solutions"]
    paths = [tuple((point["x"], point["y"]) for point in entry["path"]) for entry in stored]
    moves = ["".join("RULD"[action] for action in spatial.moves(path)) for path in paths]
    place = list(MANY).index("B04")
    assert status == 0
    assert out.splitlines()[0].startswith(f"{place} B04: {len(stored)} solution")
    assert out.splitlines()[1:] == [f"  {len(letters)} {letters}" for letters in moves]


def test_solve_stops_at_a_limit(capsys):
    status, out, _ = run(capsys, "solve", "two.jsonl", "--index", "0", "--limit", "3")
    assert (status, out) == (0, "0 open: 3 solutions or more, shortest 8 moves  RRRRDDDD\n")


def test_solve_says_when_it_gave_up(capsys):
    status, out, _ = run(capsys, "solve", "two.jsonl", "--index", "0", "--nodes", "2")
    assert (status, out) == (1, "0 open: gave up after 2 nodes; it may have solutions\n")
    status, out, _ = run(capsys, "solve", "two.jsonl", "--index", "0", "--nodes", "12")
    assert status == 1
    assert " so far; gave up after 12 nodes, shortest " in out


def test_solve_writes_records_that_pass_the_check(capsys):
    status, out, _ = run(capsys, "solve", "two.jsonl", "--out", "solved.jsonl")
    assert (status, out.splitlines()[-1]) == (1, "solved.jsonl: 2 puzzles")
    assert run(capsys, "check", "solved.jsonl")[:2] == (0, "solved.jsonl: 2 puzzles, all right\n")


def test_check_finds_nothing_in_golden_puzzles(capsys):
    assert run(capsys, "check", "golden.jsonl") == (0, "golden.jsonl: 101 puzzles, all right\n", "")


@pytest.mark.skipif(not spatial_golden.HAS_PUBLIC, reason=spatial_golden.WITHOUT_PUBLIC)
def test_check_finds_nothing_in_the_public_puzzles(capsys):
    file = str(spatial_golden.PUBLIC / "sparc_all_test_350.jsonl")
    assert run(capsys, "check", file) == (0, f"{file}: 350 puzzles, all right\n", "")


def with_paths(name, *entries):
    entries = [entry | {"index": index} for index, entry in enumerate(entries)]
    return changed(name, solutions=entries, solution_count=len(entries))


def test_check_lists_all_that_differs(capsys):
    several = next(name for name, record in MANY.items() if record["solution_count"] >= 3)
    first, second, *others = MANY[several]["solutions"]
    wrong = next(case for case in spatial_golden.cases() if case["kind"] == "rule_violation" and case["puzzle_id"] == "C01")
    entry = {"path": [{"x": x, "y": y} for x, y in wrong["path"]]}
    write(
        "wrong.jsonl",
        changed("A01", id=""),
        changed("A02", difficulty_score=0.5, difficulty_level=1),
        with_paths(several, second, first, *others) | {"id": "order"},
        with_paths(several, second, *others) | {"id": "missing"},
        with_paths("C01", entry, *MANY["C01"]["solutions"]) | {"id": "broken"},
    )
    status, out, _ = run(capsys, "check", "wrong.jsonl")
    lines = out.splitlines()
    assert status == 1
    assert lines[0] == "wrong.jsonl:1: id: it is empty."
    assert lines[1].startswith("A02: difficulty_score: found 0.500000; the formula gives ")
    assert lines[2].startswith("order: solutions: wrong order from solution 0 on, which is ")
    assert lines[3].startswith("missing: solutions: 1 not stored: ")
    assert lines[4].startswith(f"broken: solutions: 1 of {len(MANY['C01']['solutions']) + 1} break a rule: ")
    assert lines[5:] == ["wrong.jsonl: 5 puzzles, 5 differences"]


def test_check_says_what_it_could_not_check(capsys):
    status, out, _ = run(capsys, "check", "two.jsonl")
    told = "the difficulty of 2 puzzles without difficulty_score and the solutions of 2 puzzles without solutions"
    assert (status, out) == (0, f"two.jsonl: 2 puzzles, all right; not checked: {told}\n")
    level = {key: value for key, value in MANY["A02"].items() if key != "difficulty_score"}
    write("one.jsonl", MANY["A01"], level)
    told = "the difficulty of 1 puzzle without difficulty_score"
    assert run(capsys, "check", "one.jsonl")[:2] == (0, f"one.jsonl: 2 puzzles, all right; not checked: {told}\n")
    pathlib.Path("one.jsonl").write_text("[]\n{\n" + json.dumps(level))
    status, out, _ = run(capsys, "check", "one.jsonl")
    assert (status, out.splitlines()[-1]) == (1, f"one.jsonl: 3 puzzles, 2 differences; not checked: {told}")


def test_check_holds_an_empty_list_of_solutions_against_the_search(capsys):
    write("none.jsonl", OPEN | {"solutions": []}, CLOSED | {"solutions": []})
    status, out, _ = run(capsys, "check", "none.jsonl")
    assert status == 1
    assert out.startswith("open: solutions: 12 not stored: ")
    assert "\nnone.jsonl: 2 puzzles, 1 difference; not checked: the difficulty of 2 puzzles without difficulty_score\n" in out


def test_check_says_when_a_search_gave_up(capsys):
    status, out, _ = run(capsys, "check", "golden.jsonl", "--nodes", "1")
    assert status == 1
    assert "A01: solutions: the search gave up after 1 nodes; 0 were found\n" in out


def test_check_judges_answers(capsys):
    write("right.jsonl", {"id": "open", "moves": "RRRRDDDD"}, {"id": "open", "path": spatial.walk((0, 0), "DDDDRRRR")})
    status, out, _ = run(capsys, "check", "two.jsonl", "--solutions", "right.jsonl")
    assert (status, out) == (0, "two.jsonl: 2 puzzles, 2 answers, all right\n")
    write("wrong.jsonl", {"id": "open", "moves": "RR"}, {"id": "closed", "moves": "RR", "valid": False})
    status, out, _ = run(capsys, "check", "two.jsonl", "--solutions", "wrong.jsonl")
    assert status == 1
    assert out == (
        "wrong.jsonl:1: open: this is no solution: (0, 0) (1, 0) (2, 0)\ntwo.jsonl: 2 puzzles, 2 answers, 1 difference\n"
    )


def test_show_prints_a_puzzle_and_what_is_known_of_it(capsys):
    status, out, _ = run(capsys, "show", "two.jsonl", "--id", "closed")
    head, *rows = out.splitlines()
    assert status == 0
    assert head == "1 closed: 2x2, level 1 (0.06), no stored solution; 2 gaps"
    assert rows[:6] == ["S G + + +", "G N + N +", "+ + + + +", "+ N + N +", "+ + + + E", ""]
    assert rows[6:] == [
        "S start, E end, + free, . dot, G gap, V line, L head of the line, N empty cell,",
        "o square, * star, A-D triangle of 1-4, P poly, Y ylop (then its colour and shape),",
        "colours: R red, B blue, Y yellow, G green, K black, P purple, O orange, W white",
    ]


def test_show_draws_the_first_solution(capsys):
    _, out, _ = run(capsys, "show", "two.jsonl", "--index", "0", "--solution")
    assert out.splitlines()[1:6] == ["V V V V V", "+ N + N V", "V V V V V", "V N + N +", "V V V V L"]


def test_show_prints_shapes(capsys):
    _, out, _ = run(capsys, "show", "golden.jsonl", "--id", "F01")
    ids = json.loads(MANY["F01"]["polyshapes"])
    rows = ["".join(".#"[cell] for cell in row) for row in next(iter(ids.values()))]
    assert f"shape {next(iter(ids))}: {' / '.join(rows)}\n" in out


def test_show_draws_a_sheet_of_pictures(capsys):
    status, out, _ = run(capsys, "show", "two.jsonl", "--out", "two.png", "--size", "64")
    assert (status, out) == (0, "two.png: 2 puzzles\n")
    assert picture("two.png").shape == (2 + 64 + 2 + 12, 2 + 2 * 66, 3)
    run(capsys, "show", "two.jsonl", "--out", "line.png", "--size", "64", "--solution")
    assert (picture("two.png") != picture("line.png")).any()


def test_boards_of_a_sheet_look_as_in_the_environment():
    for name in ("A03", "B04", "F01"):
        puzzle = puzzles.from_record(MANY[name])
        lattice = Lattice(puzzle.cells_w, puzzle.cells_h)
        for line in ((), puzzle.solutions[0][:-1], puzzle.solutions[0]):
            (board,) = _spatial_pictures.draw([puzzle], [line], lattice, 96)
            seen = pictures.picture(puzzle, line, 96, 96)
            differs = np.argwhere((board != seen).any(-1))
            if not line:
                assert not len(differs)
                continue
            lane = 96 // (3 * max(puzzle.cells_w, puzzle.cells_h) + 2)
            assert 0 < len(differs) <= (0.6 * lane) ** 2  # the centre of the start
            assert (np.ptp(differs, 0) < 0.6 * lane).all()


def test_many_boards_make_a_square_sheet(capsys):
    run(capsys, "show", "golden.jsonl", "--out", "all.png", "--size", "64")
    assert picture("all.png").shape == (2 + 10 * 78, 2 + 11 * 66, 3)
    run(capsys, "show", "golden.jsonl", "--out", "wide.png", "--size", "64", "--columns", "50")
    assert picture("wide.png").shape == (2 + 3 * 78, 2 + 50 * 66, 3)


def test_stats_stand_beside_the_public_ones(capsys):
    status, out, _ = run(capsys, "stats", "x01.jsonl")
    head, *rows = out.splitlines()
    assert status == 0
    assert head.endswith("public    here   (1 puzzle; shares in per cent)")
    assert ["one solution, share", "30.60", "100.00"] in [row.rsplit(maxsplit=2) for row in rows]
    assert ["ylops of 2 cells, share", "69.00", "-"] in [row.rsplit(maxsplit=2) for row in rows]


def test_a_set_goes_by_its_name(capsys):
    status, out, _ = run(capsys, "show", "first-steps", "--index", "0")
    assert status == 0
    assert out.startswith("0 ")


def test_without_numba_it_says_what_to_install(capsys, monkeypatch):
    def missing():
        raise ImportError("Exact solutions of path puzzles need numba; install it with: pip install 'kagejax[solver]'")

    monkeypatch.setattr(solver_problem, "kernels", missing)
    monkeypatch.setattr("kagejax.envs.spatial.solver.kernels", missing)
    status, _, err = run(capsys, "solve", "two.jsonl")
    assert status == 2
    assert "pip install\n    'kagejax[solver]'" in err


def test_without_a_command_it_lists_the_commands(capsys):
    with pytest.raises(SystemExit):
        main(["spatial", "--help"])
    out = capsys.readouterr().out
    assert all(f"• {name}" in out for name in ("generate", "solve", "check", "show", "stats", "eval"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["generate", "--out", "a.csv"], "--out:\n    Found 'a.csv'; the name must end in .jsonl.\n"),
        (["generate", "--out", "no/a.jsonl"], "--out:\n    Found 'no/a.jsonl'; there is no folder 'no'. Make it first.\n"),
        (["generate", "--out", "a.jsonl", "--count", "0"], "--count:\n    Found 0; allowed: 1 to 100,000.\n"),
        (["generate", "--out", "a.jsonl", "--seed", "-1"], "--seed:\n    Found -1; allowed: 0 or more.\n"),
        (
            ["generate", "--out", "a.jsonl", "--rules", "dot,squares"],
            "--rules:\n    Found 'squares'; allowed: dot, gap, square, star, triangle, poly or ylop.",
        ),
        (["generate", "--out", "a.jsonl", "--rules", "dot,dot"], "--rules:\n    Found 'dot' twice; name each once.\n"),
        (["generate", "--out", "a.jsonl", "--levels", "2,1,2"], "--levels:\n    Found '2' twice; name each once.\n"),
        (["generate", "--out", "a.jsonl", "--sizes", "2x3,02x3"], "--sizes:\n    Found '2x3' twice; name each once.\n"),
        (
            ["generate", "--out", "a.jsonl", "--sizes", "3x3,4"],
            "--sizes:\n    Found '4'; sizes are cells across and down, such as 2x3,4x4.\n",
        ),
        (["generate", "--out", "a.jsonl", "--sizes", "20x20"], "Found the sizes 20x20; allowed: 1x1 to 10x10.\n"),
        (["generate", "--out", "a.jsonl", "--levels", "0"], "--levels:\n    Found '0'; allowed: 1, 2, 3, 4 or 5.\n"),
        (
            ["generate", "--out", "a.jsonl", "--solutions", "few"],
            "--solutions:\n    Found 'few'; allowed: a number, or least and most, such as 1:50.\n",
        ),
        (
            ["generate", "--out", "a.jsonl", "--solutions", "0:2"],
            "Found 0 to 2 solutions; allowed: 1 or more, the least first.\n",
        ),
        (
            ["generate", "--out", "a.jsonl", "--levels", "5", "--sizes", "2x2"],
            "There is no puzzle of level 5 on these boards. Levels that they can have:\n    2x2: 1 2 3 4.\n",
        ),
        (["solve", "none.jsonl"], "none.jsonl:\n    There is no such file or folder; sets by name are balanced,"),
        (["solve", "balancd"], "Did you mean balanced?\n"),
        (["solve", "bad.jsonl"], "bad.jsonl:2: id\n    it is empty.\n"),
        (["solve", "empty.jsonl"], "empty.jsonl:\n    there is no puzzle.\n"),
        (["solve", "two.jsonl", "--index", "2"], "--index:\n    Found 2; allowed: 0 to 1, or -1 for all.\n"),
        (
            ["solve", "two.jsonl", "--id", "opn"],
            "--id:\n    Found 'opn'; none of the 2 puzzles has this id. Did you mean open?\n",
        ),
        (
            ["solve", "two.jsonl", "--id", "open", "--index", "0"],
            "--id:\n    Choose a puzzle by --index or by --id, not by both.\n",
        ),
        (["solve", "two.jsonl", "--limit", "-1"], "--limit:\n    Found -1; allowed: 0 or more.\n"),
        (["solve", "two.jsonl", "--nodes", "-1"], "--nodes:\n    Found -1; allowed: 0 or more.\n"),
        (
            ["solve", "two.jsonl", "--limit", "1", "--out", "a.jsonl"],
            "--out:\n    Records hold all solutions: give neither --limit nor --nodes.\n",
        ),
        (["solve", "large.jsonl"], "large.jsonl:\n    Puzzle 0 (large): The board has 1 x 70 cells; exact answers"),
        (["check", "none.jsonl"], "none.jsonl:\n    There is no such file or folder; sets by name are balanced,"),
        (["check", "large.jsonl"], "large.jsonl:\n    The board has 1 x 70 cells; exact answers are for boards"),
        (["check", "two.jsonl", "--nodes", "-1"], "--nodes:\n    Found -1; allowed: 0 or more.\n"),
        (["check", "two.jsonl", "--solutions", "no.jsonl"], "no.jsonl:\n    It cannot be read: [Errno 2] No such file"),
        (["check", "two.jsonl", "--solutions", "bad.jsonl"], "bad.jsonl:1: there is no 'moves' or 'path'"),
        (["check", "two.jsonl", "--solutions", "list.jsonl"], "list.jsonl:1: this is no answer ("),
        (["check", "two.jsonl", "--solutions", "other.jsonl"], "other.jsonl:1: no puzzle has the id 'X01'"),
        (["show", "two.jsonl", "--out", "a.gif"], "--out:\n    Found 'a.gif'; the name must end in .png.\n"),
        (["show", "two.jsonl", "--out", "a.png", "--size", "4"], "--size:\n    Found 4; allowed: 16 to 4096.\n"),
        (["show", "two.jsonl", "--out", "a.png", "--columns", "-1"], "--columns:\n    Found -1; allowed: 0 or more.\n"),
        (
            ["show", "golden.jsonl", "--out", "a.png", "--size", "4096"],
            "--size:\n    Found 4096; 101 boards of it are 1,845,493,760 px; allowed: 268,435,456.",
        ),
        (
            ["show", "large.jsonl", "--out", "a.png", "--size", "32"],
            "--size:\n    Puzzle 0: 32 px cannot show 1x70 cells; needed: 636 or more.",
        ),
        (["stats", "none.jsonl"], "none.jsonl:\n    There is no such file or folder; sets by name are balanced,"),
    ],
)
def test_mistakes_are_answered_with_what_is_allowed(arguments, message, capsys):
    write("bad.jsonl", OPEN, OPEN | {"id": ""})
    write("list.jsonl", [1])
    write("other.jsonl", {"id": "X01", "moves": "R"})
    pathlib.Path("empty.jsonl").write_text("\n")
    rows = [["+", "N", "+"] if y % 2 else ["+", "+", "+"] for y in range(141)]
    rows[0][0], rows[140][2] = "S", "E"
    write("large.jsonl", {"id": "large", "grid_size": {"width": 1, "height": 70}, "puzzle_array": rows, "solutions": []})
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("kagejax spatial: The configuration has a problem:\n")
    assert message in err
    assert not list(pathlib.Path().glob("a.*"))
