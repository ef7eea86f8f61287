"""Path puzzles and their records."""

import copy
import json
import pathlib
import pickle
import sys
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagejax.envs.spatial import puzzles
from kagejax.envs.spatial.puzzles import Puzzle, RecordError, Symbol
from tests.oracles import spatial_golden, spatial_puzzles, spatial_records

public = pytest.mark.skipif(not spatial_golden.HAS_PUBLIC, reason=spatial_golden.WITHOUT_PUBLIC)

SMALL = {
    "difficulty_level": 1,
    "difficulty_score": 0.10571,
    "grid_size": {"height": 1, "width": 2},
    "id": "a1",
    "polyshapes": '{"16":[[0,1,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]]}',
    "puzzle_array": [["S", ".", "+", "G", "+"], ["+", "P-Y-16", "+", "B-R", "+"], ["+", "+", "+", "+", "E"]],
    "solution_count": 1,
    "solutions": [
        {
            "index": 0,
            "path": [{"x": x, "y": y} for x, y in ((0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (3, 2), (4, 2))],
            "pathLength": 7,
        }
    ],
    "text_visualization": """\
puzzle:
  dimensions:
    width: 2
    height: 1
  start:
    x: 0
    y: 0
  end:
    x: 4
    y: 2
  cells:
    - position:
        x: 1
        y: 0
      properties:
        dot: 1
    - position:
        x: 1
        y: 1
      properties:
        type: "poly"
        polyshape: 16
        color: "yellow"
    - position:
        x: 3
        y: 0
      properties:
        gap: 1
    - position:
        x: 3
        y: 1
      properties:
        type: "triangle"
        count: 2
        color: "red"
""",
}
SHAPE = ((0, 1, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))
LINE = ((0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (3, 2), (4, 2))


def changed(**fields):
    """SMALL with other fields; None takes one out."""
    record = copy.deepcopy(SMALL) | fields
    return {name: value for name, value in record.items() if value is not None}


def marked(x, y, text):
    """SMALL with another symbol in its grid, without the text that repeats it and without solutions."""
    record = changed(text_visualization=None, solutions=None, solution_count=None)
    record["puzzle_array"][y][x] = text
    return record


def solved(*path, **fields):
    """SMALL with another solution."""
    entry = {"index": 0, "path": [{"x": x, "y": y} for x, y in path], "pathLength": len(path)} | fields
    return changed(solutions=[entry], solution_count=1)


def test_a_record_becomes_a_puzzle():
    assert puzzles.from_record(SMALL) == Puzzle(
        id="a1",
        cells_w=2,
        cells_h=1,
        start=(0, 0),
        end=(4, 2),
        dots=((1, 0),),
        gaps=((3, 0),),
        symbols=(Symbol(1, 1, "poly", "yellow", 0, "16"), Symbol(3, 1, "triangle", "red", 2)),
        shapes={"16": SHAPE},
        solutions=(LINE,),
        level=1,
        score=0.10571,
    )


def test_a_puzzle_knows_its_board():
    puzzle = puzzles.from_record(SMALL)
    assert (puzzle.lattice_w, puzzle.lattice_h, puzzle.cells) == (5, 3, 2)
    assert puzzle.kinds == {"dot", "gap", "poly", "triangle"}
    assert [list(row) for row in puzzle.grid] == SMALL["puzzle_array"]


def test_writing_gives_the_record_back():
    assert puzzles.to_record(puzzles.from_record(SMALL)) == SMALL


@pytest.mark.parametrize("name", spatial_golden.puzzles())
def test_golden_records_come_back_as_they_were(name):
    record = spatial_golden.puzzles()[name]
    assert puzzles.to_record(puzzles.from_record(record)) == record


@public
def test_the_public_file_comes_back_byte_for_byte(tmp_path):
    source = spatial_golden.PUBLIC / "sparc_all_test_350.jsonl"
    found = puzzles.read(source)
    puzzles.write(tmp_path / "again.jsonl", found)
    assert len(found) == 350
    assert (tmp_path / "again.jsonl").read_bytes() == source.read_bytes()


@given(seed=st.integers(0, 2**32 - 1), columns=st.integers(1, 7), rows=st.integers(1, 7))
def test_random_records_come_back_as_they_were(seed, columns, rows):
    record = spatial_puzzles.random_record(np.random.default_rng(seed), columns, rows)
    again = puzzles.to_record(puzzles.from_record(record))
    assert again == record | {"solution_count": 0, "solutions": []} | {"difficulty_score": again["difficulty_score"]}
    assert again["difficulty_score"] == pytest.approx(record["difficulty_score"], abs=1e-9)


def test_a_record_needs_no_more_than_its_board():
    board = changed(difficulty_level=None, difficulty_score=None, solution_count=None, solutions=None, text_visualization=None)
    puzzle = puzzles.from_record(board)
    expected = spatial_records.level_and_score(2, 2, 2)
    assert (puzzle.level, puzzle.score, puzzle.solutions) == (expected[0], pytest.approx(expected[1]), ())
    assert puzzles.to_record(puzzle)["text_visualization"] == SMALL["text_visualization"]


def test_fields_that_it_does_not_know_are_passed_over():
    assert puzzles.from_record(changed(result="solved")) == puzzles.from_record(SMALL)


def test_a_text_that_says_the_same_in_another_layout_is_accepted():
    text = (
        "puzzle: {dimensions: {width: 2, height: 1}, start: {x: 0, y: 0}, end: {x: 4, y: 2}, cells: [{position: {x: 3, y: 1}, "
    )
    text += (
        "properties: {count: 2, type: triangle, color: red}}, {position: {x: 1, y: 1}, properties: {type: poly, polyshape: 16, "
    )
    text += "color: yellow}}, {position: {x: 3, y: 0}, properties: {gap: 1}}, {position: {x: 1, y: 0}, properties: {dot: 1}}]}"
    assert puzzles.from_record(changed(text_visualization=text)) == puzzles.from_record(SMALL)


SIZES = "a lattice of 2 x 1 cells has 3 rows of 5."


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([1], "a record is an object with fields; found [1] (a list)."),
        (changed(id=None), "id: it is missing; needed: text, different for each puzzle."),
        (changed(id=7), "id: found 7 (an integer); allowed: text, different for each puzzle."),
        (changed(id=""), "id: it is empty."),
        (changed(grid_size=None), "grid_size: it is missing; needed: an object with height and width, in rule cells."),
        (changed(grid_size={"height": 1}), "grid_size.width: it is missing; needed: 1 or more."),
        (changed(grid_size={"height": True, "width": 2}), "grid_size.height: found true; allowed: 1 or more."),
        (changed(grid_size={"height": 1, "width": 0}), "grid_size.width: found 0; allowed: 1 or more."),
        (changed(puzzle_array=SMALL["puzzle_array"][:2]), f"puzzle_array: found 2 rows; {SIZES}"),
        (changed(puzzle_array=[*SMALL["puzzle_array"][:2], ["+"]]), f"puzzle_array[2]: found ['+'] (a list); {SIZES}"),
        (marked(4, 0, 1), "puzzle_array[0][4]: found 1 (an integer); allowed: text."),
        (marked(2, 0, "G"), "puzzle_array[0][2]: found 'G' on a vertex; allowed there: +, S, E and .."),
        (marked(1, 0, "x"), "puzzle_array[0][1]: found 'x' on an edge; allowed there: +, S, E, . and, on edges, G."),
        (marked(1, 0, "o-R"), "puzzle_array[0][1]: found 'o-R' on an edge; allowed there: +, S, E, . and, on edges, G."),
        (
            marked(1, 1, "+"),
            "puzzle_array[1][1]: found '+' in a rule cell; allowed there: N, o-C, *-C, A-C to D-C, P-C-ID, Y-C-ID.",
        ),
        (
            marked(1, 1, "E-R"),
            "puzzle_array[1][1]: found 'E-R' in a rule cell; allowed there: N, o-C, *-C, A-C to D-C, P-C-ID, Y-C-ID.",
        ),
        (marked(1, 1, "o-R-16"), "puzzle_array[1][1]: found 'o-R-16' in a rule cell; allowed there: N, o-C,"),
        (marked(1, 1, "P-R"), "puzzle_array[1][1]: found 'P-R' in a rule cell; allowed there: N, o-C,"),
        (marked(1, 1, "*-X"), "puzzle_array[1][1]: found the colour 'X' in '*-X'; allowed: R, B, Y, G, K, P, O, W."),
        (marked(1, 1, "Y-R-17"), "puzzle_array[1][1]: found 'Y-R-17', but `polyshapes` has no shape '17'; it has 16."),
        (changed(polyshapes="{}"), "puzzle_array[1][1]: found 'P-Y-16', but `polyshapes` has no shape '16'; it has none."),
        (marked(2, 1, "E"), "puzzle_array[1][2]: found 'E' inside the board; start and end are on its outer boundary."),
        (marked(2, 0, "S"), "puzzle_array: there must be one start (S); found (0, 0), (2, 0)."),
        (marked(4, 2, "+"), "puzzle_array: there must be one end (E); found none."),
        (changed(polyshapes={}), "polyshapes: found {} (a mapping); allowed: text that holds a JSON object."),
        (changed(polyshapes="{"), "polyshapes: the text is no JSON (Expecting property name enclosed in double quotes"),
        (changed(polyshapes="[]"), "polyshapes: found [] (a list) in the text; allowed: an object of shapes by their ids."),
        (changed(polyshapes='{"016": []}'), "polyshapes: found the id '016'; ids are decimal numbers."),
        (changed(polyshapes='{"16": [[1]]}'), "polyshapes.16: found [[1]] (a list); allowed: four rows of four cells."),
        (changed(polyshapes=f'{{"16": {[[0, 2, 0, 0]] * 4}}}'), "cells are 0 or 1, and one at least is 1."),
        (changed(polyshapes=f'{{"16": {[[0] * 4] * 4}}}'), "cells are 0 or 1, and one at least is 1."),
        (changed(difficulty_score=5.5), "difficulty_score: found 5.5; allowed: 0 to 5."),
        (changed(difficulty_score=float("nan")), "difficulty_score: found nan; allowed: 0 to 5."),
        (changed(difficulty_level=2), "difficulty_level: found 2; a score of 0.10571 is level 1."),
        (changed(solution_count=2), "solution_count: found 2; `solutions` has 1."),
        (changed(solutions=[LINE]), "solutions[0]: found [[0, 0], [1, 0], [2, 0]"),
        (solved(*LINE, index=1), "solutions[0].index: found 1; expected 0."),
        (solved(*LINE, pathLength=6), "solutions[0].pathLength: found 6; expected 7."),
        (changed(solutions=[{"path": [1]}]), "solutions[0].path[0]: found 1 (an integer); allowed: an object with x and y."),
        (
            changed(solutions=[{"path": [{"x": 1.0, "y": 0}]}]),
            "solutions[0].path[0].x: found 1.0 (a number); allowed: an integer.",
        ),
        (solved(), "solutions[0].path[0]: the path is empty."),
        (solved(*LINE[1:]), "solutions[0].path[0]: the path begins at (1, 0), not at the start (0, 0)."),
        (solved(*LINE[:-1]), "solutions[0].path[5]: the path stops at (3, 2), not at the end (4, 2)."),
        (solved(*LINE[:2], *LINE[3:]), "solutions[0].path[2]: (2, 1) is no neighbour of (1, 0) before it."),
        (solved((0, 0), (1, 0), (1, 1)), "solutions[0].path[2]: (1, 1) is a rule cell."),
        (solved((0, 0), (0, -1)), "solutions[0].path[1]: (0, -1) is outside the lattice of 5 x 3."),
        (solved((0, 0), (1, 0), (2, 0), (3, 0)), "solutions[0].path[3]: (3, 0) is a gap."),
        (solved((0, 0), (1, 0), (0, 0)), "solutions[0].path[2]: (0, 0) is on the path already."),
        (solved(*LINE, (4, 1)), "solutions[0].path[6]: the path goes on after the end (4, 2)."),
        (
            solved((0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (3, 2), (4, 2)),
            "solutions[0].path: the dot (1, 0) is not on it.",
        ),
        (
            changed(solution_count=2, solutions=[{"path": [{"x": x, "y": y} for x, y in LINE]}] * 2),
            "solutions[1].path: it is that of solution 0 again.",
        ),
        (changed(text_visualization="puzzle: ["), "text_visualization: it cannot be read as a puzzle (ParserError: "),
        (changed(text_visualization="puzzle: 3"), "text_visualization: it cannot be read as a puzzle (TypeError: "),
        (
            changed(text_visualization=SMALL["text_visualization"].replace("width: 2", "width: 3")),
            "text_visualization: its dimensions is {'width': 3, 'height': 1}, but the grid has {'width': 2, 'height': 1}.",
        ),
        (
            changed(text_visualization=SMALL["text_visualization"].replace("gap", "dot")),
            "text_visualization: at (3, 0) it has {'dot': 1}, but the grid has {'gap': 1}.",
        ),
        (
            changed(text_visualization=SMALL["text_visualization"].replace("x: 3\n        y: 0", "x: 2\n        y: 0")),
            "text_visualization: at (2, 0) it has {'gap': 1}, but the grid has nothing.",
        ),
    ],
)
def test_what_is_no_record_is_told_with_its_place(record, message):
    with pytest.raises(RecordError) as caught:
        puzzles.from_record(record, "some.jsonl:3")
    assert str(caught.value).startswith("some.jsonl:3: ")
    assert message in str(caught.value)


def test_an_error_can_be_sent_to_another_process():
    error = RecordError("a.jsonl:1", "id", "it is empty.")
    assert str(pickle.loads(pickle.dumps(error))) == "a.jsonl:1: id: it is empty."


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"cells_w": 0}, "cells_w: found 0; allowed: 1 or more"),
        ({"start": (9, 0)}, "start: (9, 0) is outside the lattice of 5 x 3"),
        ({"start": (1, 1)}, "start: (1, 1) is a rule cell"),
        ({"end": (2, 1)}, "end: (2, 1) is not on the outer boundary"),
        ({"end": (0, 0)}, "end: (0, 0) is among the starts already"),
        ({"dots": ((4, 2),)}, "dots: (4, 2) is among the ends already"),
        ({"gaps": ((2, 0),)}, "gaps: (2, 0) is a vertex; gaps are on edges"),
        ({"gaps": ((1, 0),)}, "gaps: (1, 0) is among the dots already"),
        ({"symbols": (Symbol(2, 1, "star", "red"),)}, "symbols[0]: (2, 1) is no rule cell; both coordinates must be odd"),
        ({"symbols": (Symbol(1, 1, "stone", "red"),)}, "symbols[0]: found the kind 'stone'; allowed: square, star,"),
        ({"symbols": (Symbol(1, 1, "star", "pink"),)}, "symbols[0]: found the colour 'pink'; allowed: red, blue,"),
        ({"symbols": (Symbol(1, 1, "triangle", "red", 5),)}, "symbols[0]: found the count 5; allowed: 1 to 4 for a triangle"),
        ({"symbols": (Symbol(1, 1, "poly", "red", 0, "7"),)}, "symbols[0]: found the shape '7'; polys and ylops have one of"),
        ({"symbols": (Symbol(1, 1, "star", "red", 0, "16"),)}, "symbols[0]: found the shape '16'; polys and ylops have one of"),
        (
            {"symbols": (Symbol(3, 1, "star", "red"), Symbol(1, 1, "star", "red"))},
            "symbols: they must be in different cells, in the order of rows and then columns",
        ),
        ({"shapes": {"a": SHAPE}, "symbols": ()}, "shapes: found the key 'a'; keys are decimal numbers"),
        ({"shapes": {"1": SHAPE[:3]}, "symbols": ()}, "shapes[1]: a shape is four rows of four cells, each 0 or 1"),
        ({"shapes": {"1": ((0,) * 4,) * 4}, "symbols": ()}, "shapes[1]: it has no cell"),
    ],
)
def test_a_puzzle_that_cannot_be_is_refused(fields, message):
    puzzle = puzzles.from_record(SMALL)
    usual = {name: getattr(puzzle, name) for name in ("id", "cells_w", "cells_h", "start", "end", "dots", "gaps", "shapes")}
    with pytest.raises(ValueError) as caught:
        Puzzle(**usual | fields)
    assert str(caught.value).startswith(message)


def test_puzzles_can_be_told_apart_and_put_in_sets():
    one, other = puzzles.from_record(SMALL), puzzles.from_record(changed(id="a2"))
    assert {one, other, puzzles.from_record(SMALL)} == {one, other}


def test_a_file_is_read_record_by_record(tmp_path):
    (tmp_path / "two.jsonl").write_text(f"{json.dumps(SMALL)}\n\n{json.dumps(changed(id='a2'))}\n")
    assert [puzzle.id for puzzle in puzzles.read(tmp_path / "two.jsonl")] == ["a1", "a2"]


def test_a_folder_is_read_file_by_file(tmp_path):
    for name in ("b", "a"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(changed(id=name)))
    (tmp_path / "notes.txt").write_text("no record")
    assert [puzzle.id for puzzle in puzzles.read(tmp_path)] == ["a", "b"]


def test_writing_leaves_one_file(tmp_path):
    puzzles.write(tmp_path / "a.jsonl", [puzzles.from_record(SMALL)])
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]
    assert puzzles.read(tmp_path / "a.jsonl") == (puzzles.from_record(SMALL),)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["{"], "text:1: column 2 is no JSON: Expecting property name enclosed in double quotes."),
        (["", json.dumps(changed(id=""))], "text:2: id: it is empty."),
        ([json.dumps(SMALL)] * 2, "text:2: id: found 'a1', the id of the puzzle at text:1; ids must differ."),
    ],
)
def test_a_line_that_is_wrong_is_told_by_its_number(lines, message):
    with pytest.raises(RecordError) as caught:
        puzzles.read_lines(lines)
    assert str(caught.value) == message


def test_ids_must_differ_between_files_too(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(SMALL))
    with pytest.raises(RecordError, match=r"b.jsonl:1: id: found 'a1', the id of the puzzle at .*a.jsonl:1; ids must differ\."):
        puzzles.read(tmp_path)


def test_files_without_puzzles_are_refused(tmp_path):
    with pytest.raises(RecordError, match=r"there is no file \*.jsonl in this folder"):
        puzzles.read(tmp_path)
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(RecordError, match=r"empty.jsonl: there is no puzzle\."):
        puzzles.read(tmp_path / "empty.jsonl")
    with pytest.raises(FileNotFoundError):
        puzzles.read(tmp_path / "none.jsonl")


def test_a_scan_goes_on_behind_a_bad_record(tmp_path):
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(changed(id=''))}\n{json.dumps(SMALL)}\n")
    error, puzzle = puzzles.scan(tmp_path / "a.jsonl")
    assert (error.field, puzzle.id) == ("id", "a1")


def test_the_hub_needs_a_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ImportError, match=r"pip install 'kagejax\[hub\]'"):
        puzzles.hub()


def test_the_hub_gives_puzzles(monkeypatch):
    asked = []

    def load_dataset(*arguments, **options):
        asked.append((arguments, options))
        return [SMALL, changed(id="a2")]

    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    assert [puzzle.id for puzzle in puzzles.hub(config="dots", split="train", revision="abc")] == ["a1", "a2"]
    assert asked == [(("lkaesberg/SPaRC", "dots"), {"split": "train", "revision": "abc"})]


def test_moves_and_paths_are_two_ways_to_say_a_line():
    assert puzzles.letters(LINE) == "RRDDRR"
    assert puzzles.path_of((0, 0), "RRDDRR") == LINE
    assert puzzles.letters(((2, 2), (1, 2), (1, 1))) == "LU"
    with pytest.raises(ValueError, match=r"\(0, 0\) and \(2, 0\) are no neighbours\."):
        puzzles.letters(((0, 0), (2, 0)))
    with pytest.raises(ValueError, match=r"Found the letter 'X'; moves are R, U, L, D\."):
        puzzles.path_of((0, 0), "RX")


def test_records_are_read_without_an_array_library():
    import subprocess

    code = "import sys, kagejax.envs.spatial.puzzles; assert not {'jax', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=pathlib.Path(__file__).parents[3])
