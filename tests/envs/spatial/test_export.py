"""Observations as the published environment gives them, and text grids that lose nothing. Nothing here is compiled."""

import json

import numpy as np
import pytest

from kagejax.envs.spatial import export, text
from kagejax.envs.spatial.puzzles import from_record
from tests.oracles import spatial, spatial_episodes, spatial_golden
from tests.oracles.spatial_golden import HAS_PUBLIC, WITHOUT_PUBLIC

from .conftest import ALL_SIZES, random_records

TRACES = spatial_golden.traces()
PUZZLES = {name: from_record(record, name) for name, record in spatial_golden.puzzles().items()}


def described(observation):
    """As the traces have it."""
    if isinstance(observation, dict):
        return {name: described(value) for name, value in observation.items()}
    return {"dtype": str(observation.dtype), "shape": list(observation.shape), "values": observation.tolist()}


def walks(rng, records, steps=40):
    """Games of the oracle after each step of random episodes with traceback, where also a step may move nothing."""
    for record in records:
        board, games = spatial.read(record), []
        game = spatial_episodes.start(board)
        for _ in range(steps):
            games.append(game)
            legal = spatial_episodes.legal(board, game.path, traceback=True)
            back = [a for a in legal if spatial.ahead(game.place, a) in game.path]
            action = back[0] if back and rng.random() < 0.3 else int(rng.integers(4))
            game, _ = spatial_episodes.step(board, game, action, traceback=True)
        yield record, board, games


@pytest.mark.parametrize("trace", TRACES, ids=[trace["trace"] for trace in TRACES])
def test_recorded_observations_are_given_again(trace):
    puzzle, board, seen = PUZZLES[trace["puzzle_id"]], spatial.read(spatial_golden.puzzles()[trace["puzzle_id"]]), 0
    record, game = export.Record(puzzle, compatible=True), spatial_episodes.start(board)
    for step in trace["steps"]:
        if step["action"] is not None:
            game, _ = spatial_episodes.step(board, game, step["action"], trace["traceback"], trace["max_steps"])
            record.move(game.place)
        if step["observation"] is None:
            continue
        seen += 1
        if trace["observation_mode"] == "SPaRC":
            assert record.text == step["observation"]
        else:
            # As text, so that the order of layers counts.
            assert json.dumps(described(export.tensors(puzzle, game.path))) == json.dumps(step["observation"])
    assert seen >= 2


def records():
    found = [*spatial_golden.puzzles().values(), *random_records(11, 90, ALL_SIZES)]
    return found + ([*spatial_golden.public_puzzles().values()][:60] if HAS_PUBLIC else [])


def test_observations_of_random_episodes_are_those_of_the_oracle():
    for record, board, games in walks(np.random.default_rng(0), records()):
        puzzle = from_record(record)
        writer = export.Record(puzzle, compatible=True)
        for game in games:
            writer.move(game.place)
            assert writer.text == spatial_episodes.text_observation(game)
        mine, theirs = export.tensors(puzzle, game.path), spatial_episodes.tensor_observation(board, game.path)
        assert json.dumps(described(mine)) == json.dumps(described(theirs))


@pytest.mark.skipif(not HAS_PUBLIC, reason=WITHOUT_PUBLIC)
def test_tensors_of_public_puzzles_are_those_of_the_oracle():
    for record in spatial_golden.public_puzzles().values():
        board = spatial.read(record)
        mine, theirs = export.tensors(from_record(record)), spatial_episodes.tensor_observation(board, (board.start,))
        assert json.dumps(described(mine)) == json.dumps(described(theirs))


def test_tensors_have_the_published_types():
    seen = export.tensors(PUZZLES["R24"])
    assert {layer.dtype for layer in seen["base"].values()} == {np.dtype(np.int32)}
    assert (seen["color"].dtype, seen["additional_info"].dtype) == (np.int32, np.int64)
    assert {layer.shape for layer in seen["base"].values()} == {(7, 9)}  # 3x4 cells, indexed [x, y]
    assert list(seen["base"])[:4] == ["visited", "gaps", "agent_location", "target_location"]


# Text.


def test_a_grid_depends_on_the_line_alone_and_gives_dots_back():
    for record, board, games in walks(np.random.default_rng(1), records()):
        puzzle, writer = from_record(record), export.Record(from_record(record))
        for game in games:
            writer.move(game.place)
            rows = text.grid(puzzle, game.path)
            assert writer.text == json.dumps(rows, separators=(",", ":"))
            if len(game.path) == 1:
                assert rows == board.grid
                continue
            for y, row in enumerate(rows):
                for x, symbol in enumerate(row):
                    here = "L" if (x, y) == game.place else "V" if (x, y) in game.path else board.grid[y][x]
                    assert symbol == here


def test_stepping_back_from_a_dot_loses_it_in_the_published_text_alone():
    # Its only dot is at (0, 1), beside the start.
    puzzle = PUZZLES["A03"]
    compatible, lossless = export.Record(puzzle, compatible=True), export.Record(puzzle)
    start, dot = puzzle.start, (0, 1)
    path = [start]
    while path[-1] != dot:
        path.append((path[-1][0], path[-1][1] - 1))
    for record in (compatible, lossless):
        for place in [*path[1:], *path[-2::-1]]:
            record.move(place)
    assert json.loads(compatible.text)[1][0] == "+"
    assert json.loads(compatible.text)[start[1]][start[0]] == "L"
    assert json.loads(lossless.text)[1][0] == "."
    assert json.loads(lossless.text)[start[1]][start[0]] == "S"


def test_moving_to_the_same_place_changes_nothing():
    for compatible in (True, False):
        record = export.Record(PUZZLES["A01"], compatible)
        before = record.text
        record.move((0, 0))
        assert record.text == before
        record.move((1, 0))
        after = record.text
        record.move((1, 0))
        assert record.text == after != before


def test_rows_for_people_stand_in_columns():
    rows = text.grid(PUZZLES["B05"])
    lines = text.shown(rows).split("\n")
    assert [line.split() for line in lines] == [list(row) for row in rows]
    wide = max(len(symbol) for row in rows for symbol in row)
    assert all(line[(wide + 1) * column - 1] == " " for line in lines for column in range(1, 5))
    assert all(line == line.rstrip() for line in lines)


def test_an_empty_line_is_the_puzzle_as_it_is_written():
    for name, record in spatial_golden.puzzles().items():
        for path in ((), (PUZZLES[name].start,)):
            rows = text.grid(PUZZLES[name], path)
            assert [list(row) for row in rows] == record["puzzle_array"]
            assert json.loads(text.compact(rows)) == record["puzzle_array"]
