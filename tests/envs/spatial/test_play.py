"""Playing step by step from the host, and the verdict on any list of positions."""

import numpy as np
import pytest

from kagejax.envs.spatial import play
from kagejax.envs.spatial.names import CAUSES
from kagejax.envs.spatial.play import Session, check
from kagejax.envs.spatial.puzzles import from_record
from tests.oracles import spatial, spatial_episodes, spatial_golden
from tests.oracles.spatial import DOWN, LEFT, RIGHT, UP

from .conftest import config_of

TRACES = spatial_golden.traces()
PUZZLES = tuple(from_record(record, name) for name, record in spatial_golden.puzzles().items())
NAMES = [puzzle.id for puzzle in PUZZLES]
RULES = {
    "all_dots_collected": "dots", "square_color_separation": "squares", "star_pairing_exact": "stars",
    "triangles_edge_count": "triangles", "poly_ylop_area": "polys",
}  # fmt: skip
"""Rules on symbols, and what the oracle calls them."""


@pytest.fixture(scope="module")
def session():
    """Sessions on all golden puzzles by traceback and limit: they share their programs."""
    made = {}

    def session(traceback=False, max_steps=100):
        key = traceback, max_steps
        if key not in made:
            made[key] = Session(PUZZLES, traceback=traceback, max_steps=max_steps)
        return made[key]

    return session


# Episodes.


@pytest.mark.parametrize("trace", TRACES, ids=[trace["trace"] for trace in TRACES])
def test_recorded_episodes_replay(session, trace):
    here = session(trace["traceback"], trace["max_steps"])
    board = spatial.read(spatial_golden.puzzles()[trace["puzzle_id"]])
    game, snapshot = spatial_episodes.start(board), None
    for step in trace["steps"]:
        info = step["info"]
        if step["action"] is None:
            snapshot = here.start(trace["puzzle_id"])
            assert (snapshot.reward, snapshot.cause, snapshot.over) == (0.0, 0, False)
        else:
            snapshot = here.act(snapshot, step["action"])
            game, outcome = spatial_episodes.step(board, game, step["action"], trace["traceback"], trace["max_steps"])
            assert snapshot.reward == np.float32(step["reward"])
            assert (snapshot.terminated, snapshot.truncated) == (step["terminated"], step["truncated"])
            assert snapshot.solved == (info["Rewards"]["outcome_reward"] == 1)
            late = "step limit" if not outcome.stuck else "no legal move"
            cause = "reached the end" if step["terminated"] else late if step["truncated"] else "going on"
            assert CAUSES[snapshot.cause] == cause
        assert list(snapshot.legal) == info["legal_actions"]
        assert snapshot.steps == info["current_step"]
        assert list(snapshot.path[-1]) == info["agent_location"]
        assert snapshot.path == game.path
        assert snapshot.puzzle.id == trace["puzzle_id"]


def test_all_sessions_share_their_programs(session):
    for program in (play._start, play._act):
        program.clear_cache()  # other tests of the process may have had other puzzles
    session(True, 12).act(session(True, 12).start("A03"), RIGHT)
    session(False, 5).act(session(False, 5).start("X01"), RIGHT)
    assert (play._start._cache_size(), play._act._cache_size()) == (1, 1)


def test_a_snapshot_can_be_gone_on_from_again(session):
    here = session(True)
    before = here.start("A02")
    first = here.act(before, before.legal[0])
    path = first.path
    second, again = here.act(before, before.legal[1]), here.act(before, before.legal[0])
    assert first == again != second
    assert before.path == here.start(NAMES.index("A02")).path
    assert here.act(first, first.legal[0]).path[:-1] == path == first.path


@pytest.mark.parametrize("action", [-1, 4, 100, -(2**40), 2**31, 2**40])
def test_any_integer_is_an_action_and_those_that_are_none_cost_a_step(session, action):
    before = session().start("A02")
    after = session().act(before, action)
    assert (after.path, after.legal, after.reward, after.steps) == (before.path, before.legal, 0.0, 1)


def test_plain_python_comes_out(session):
    snapshot = session().act(session().start("A01"), np.int64(RIGHT))
    types = {"steps": int, "reward": float, "terminated": bool, "truncated": bool, "cause": int, "solved": bool}
    assert {field: type(getattr(snapshot, field)) for field in types} == types
    assert {type(action) for action in snapshot.legal} == {int}
    assert {type(x) for place in snapshot.path for x in place} == {int}
    assert snapshot.path == ((0, 0), (1, 0))


def test_a_configuration_gives_everything_but_the_puzzles(session):
    config = config_of({
        "lattice.cells_w": 5, "lattice.cells_h": 5, "play.traceback": True, "play.max_steps": 4, "reward.win": 9.0,
        "reward.lose": -7.0, "reward.shaping": "potential", "reward.scale": 0.5,
    })  # fmt: skip
    here = Session(PUZZLES, config=config)

    def rewards(*actions):
        snapshot, found = here.start("A01"), []
        for action in actions:
            snapshot = here.act(snapshot, action)
            found.append(snapshot.reward)
        return found

    assert rewards(RIGHT, RIGHT, DOWN, DOWN) == [0.5, 0.5, 0.5, 9.0]
    assert rewards(RIGHT, LEFT, DOWN, UP) == [0.5, -0.5, 0.0, -7.0]


@pytest.mark.parametrize(
    ("puzzle", "error", "message"),
    [
        (101, IndexError, "There are 101 puzzles, 0 to 100; found 101."),
        (-1, IndexError, "There are 101 puzzles, 0 to 100; found -1."),
        ("A08", KeyError, "No puzzle has the id 'A08'; the 101 ids begin with A01, A02, A03."),
    ],
)
def test_a_puzzle_that_is_not_there_is_named(session, puzzle, error, message):
    with pytest.raises(error) as caught:
        session().start(puzzle)
    assert caught.value.args == (message,)


def test_a_session_needs_a_puzzle():
    with pytest.raises(ValueError) as caught:
        Session([])
    assert str(caught.value) == "An environment needs a puzzle."


def test_a_session_s_puzzles_must_fit_its_configuration():
    with pytest.raises(ValueError) as caught:
        Session(PUZZLES[:2], config=config_of({"lattice.cells_w": 1, "lattice.cells_h": 1}))
    assert str(caught.value) == (
        "Puzzle A02: It has 2x2 cells; lattice.cells_w and lattice.cells_h leave room for 1x1. Raise them."
    )


# Verdicts.

PUZZLE = PUZZLES[NAMES.index("A03")]
BOARD = spatial.read(spatial_golden.puzzles()["A03"])
HUGE = 10**30


def judged(path):
    """The oracle's verdict as `check` words it."""
    verdict = spatial.judge(BOARD, path)
    line = verdict["structure"] | {"avoids_gaps": verdict["gaps"]["ok"]}
    rules = {
        "reached_target": line["ends_at_end"],
        "path_not_crossing": line["simple"],
        "no_gap_violations": line["avoids_gaps"],
    }
    for name, rule in RULES.items():
        rules[name] = verdict[rule] and verdict[rule]["ok"]
    return verdict["valid"], line, rules


PATHS = {
    "a solution": BOARD.solutions[0],
    "another solution": BOARD.solutions[1],
    "nothing": (),
    "the start alone": (BOARD.start,),
    "the end alone": (BOARD.end,),
    "backwards": BOARD.solutions[0][::-1],
    "without its end": BOARD.solutions[0][:-1],
    "on past the end": (*BOARD.solutions[0], BOARD.solutions[0][-2]),
    "every second position": BOARD.solutions[0][::2],
    "through a cell": ((0, 4), (0, 3), (1, 3), (2, 3), (2, 2), (2, 1), (2, 0), (3, 0), (4, 0)),
    "off the board": ((0, 4), (0, 5), (1, 5)),
    "on negative positions": ((0, 4), (-1, 4), (-1, 3)),
    "far away": ((0, 4), (1000, 4)),
    "500 positions": BOARD.solutions[0][:2] * 250,
    "300 different positions": tuple((x % 20, x // 20) for x in range(300)),
}


@pytest.mark.parametrize("name", PATHS)
def test_any_list_of_positions_gets_a_verdict(name):
    path = PATHS[name]
    valid, line, rules = judged(path)
    found = check(PUZZLE, [list(place) for place in path])
    assert (found.valid, found.line) == (valid, line)
    assert found.rules.keys() == rules.keys()
    # The oracle says nothing of symbols where positions leave the board.
    known = {rule: flag for rule, flag in rules.items() if flag is not None}
    assert {rule: flag for rule, flag in found.rules.items() if rule in known} == known
    assert {type(flag) for flag in (found.valid, *found.line.values(), *found.rules.values())} == {bool}


@pytest.mark.parametrize("place", [(HUGE, 0), (-HUGE, 0), (0, 2**63), (2**31, 2**31), (-(2**31), 0), (0, -(2**15) - 1)])
def test_positions_however_far_away_are_out_of_bounds(place):
    found = check(PUZZLE, [BOARD.start, place, BOARD.end])
    assert (found.valid, found.line["in_bounds"], found.line["connected"]) == (False, False, False)
    assert (found.line["starts_at_start"], found.line["ends_at_end"], found.line["simple"]) == (True, True, True)


def test_the_verdict_within_a_session_is_the_same():
    here = Session([PUZZLES[NAMES.index(name)] for name in ("A03", "F03", "G03")])
    for path in (BOARD.solutions[0], BOARD.solutions[0][:-1], ((0, 4), (0, 5), (0, 6)), ((4, 4), (5, 4))):
        assert here.check(0, path) == check(PUZZLE, path)
    for place, puzzle in enumerate(here.puzzles):
        assert here.check(place, puzzle.solutions[0]).valid
        assert not here.check(place, puzzle.solutions[0][:-1]).valid


def test_paths_of_many_lengths_and_puzzles_of_many_sizes_share_a_program():
    check(PUZZLE, BOARD.solutions[0])
    compiled = play._check._cache_size()
    for length in range(1, 250, 16):
        check(PUZZLE, BOARD.solutions[0][:1] * length)
    for name in ("A01", "B06", "C06", "D08", "E09", "R07", "R27"):
        puzzle = PUZZLES[NAMES.index(name)]
        assert check(puzzle, puzzle.solutions[0] if puzzle.solutions else ()).valid == bool(puzzle.solutions)
    assert play._check._cache_size() == compiled


@pytest.mark.parametrize(
    ("path", "connected", "simple"),
    [
        ([(40_000, 0), (50_000, 0)], False, True),
        ([(33_768, 0), (32_767, 0)], False, True),
        ([(40_000, 0), (40_001, 0)], True, True),
    ],
)
def test_far_positions_are_told_apart(path, connected, simple):
    found = check(PUZZLE, path).line
    assert (found["connected"], found["simple"]) == (connected, simple)


@pytest.mark.parametrize("place", [(0.5, 0), (0, 1, 2), (0,), "ab", 3])
def test_what_is_no_position_is_named(place):
    with pytest.raises(ValueError) as caught:
        check(PUZZLE, [(0, 0), place])
    assert str(caught.value) == f"A position is a pair of integers (x, y); found {place!r}."


def test_a_session_checks_by_id_and_refuses_others(session):
    here = session()
    with pytest.raises(IndexError):
        here.check(len(here.puzzles), BOARD.solutions[0])
    with pytest.raises(KeyError):
        here.check("none", BOARD.solutions[0])


@pytest.mark.parametrize("action", ["R", None, 1.0])
def test_what_is_no_action_is_named(session, action):
    here = session()
    with pytest.raises(TypeError) as caught:
        here.act(here.start(0), action)
    assert str(caught.value) == f"An action is an integer (0 right, 1 up, 2 left, 3 down); found {action!r}."
