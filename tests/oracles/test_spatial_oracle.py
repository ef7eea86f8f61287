"""The oracle of path puzzles against recorded verdicts, episodes, observations and solutions, and its random puzzles."""

import itertools
import json
from collections import Counter

import numpy as np
import pytest

from . import spatial, spatial_episodes, spatial_golden, spatial_puzzles, spatial_records
from .spatial import DOWN, LEFT, RIGHT, UP
from .spatial_golden import HAS_PUBLIC, WITHOUT_PUBLIC

PUZZLES = spatial_golden.puzzles()
CASES = spatial_golden.cases()
TRACES = spatial_golden.traces()
REPLAYS = [case for case in CASES if case["gym"] is not None and "error" not in case["gym"]]
SIZES = [(1, 1), (2, 1), (2, 2), (3, 2), (2, 4), (3, 3), (4, 4), (5, 3), (6, 6)]
DOMINOES = (((0, 0), (1, 0)), ((0, 0), (0, 1)))
needs_public = pytest.mark.skipif(not HAS_PUBLIC, reason=WITHOUT_PUBLIC)


def as_json(value):
    """With lists for tuples."""
    return json.loads(json.dumps(value))


def puzzle_of(entry):
    return spatial.read(PUZZLES[entry["puzzle_id"]])


def drawn(maker, count, seed):
    """So many puzzles of a maker, of all sizes in turn, with the generator that made them."""
    rng = np.random.default_rng(seed)
    for index in range(count):
        yield rng, maker(rng, *SIZES[index % len(SIZES)])


# The rules.


@pytest.mark.parametrize("case", CASES, ids=[case["case_id"] for case in CASES])
def test_recorded_paths_are_judged_as_recorded(case):
    assert as_json(spatial.judge(PUZZLES[case["puzzle_id"]], case["path"])) == case["reference"]


@pytest.mark.parametrize("name", PUZZLES)
def test_all_solutions_of_a_constructed_puzzle_are_found_in_the_stored_order(name):
    puzzle = spatial.read(PUZZLES[name])
    assert tuple(spatial.solutions(puzzle)) == puzzle.solutions


@needs_public
def test_candidates_of_public_puzzles_are_judged_as_recorded():
    puzzles, found = spatial_golden.public_puzzles(), Counter()
    for name, candidates in spatial_golden.public_candidates().items():
        puzzle = spatial.read(puzzles[name])
        assert tuple(candidate.path for candidate in candidates if candidate.kind == "stored") == puzzle.solutions
        for candidate in candidates:
            verdict = spatial.judge(puzzle, candidate.path)
            assert all(verdict["structure"].values())
            assert verdict["gaps"]["ok"]
            assert {rule: verdict[rule]["ok"] for rule in candidate.rules} == candidate.rules
            assert verdict["valid"] == candidate.valid
            found[candidate.kind] += 1
    assert found == {"stored": 2316, "random_walk": 1438, "shortest": 350}


@needs_public
@pytest.mark.parametrize(("cells", "count"), [(12, 241), pytest.param(16, 287, marks=pytest.mark.slow)])
def test_all_solutions_of_small_public_puzzles_are_found_in_the_stored_order(cells, count):
    small = [puzzle for puzzle in map(spatial.read, spatial_golden.public_puzzles().values()) if len(puzzle.cells) <= cells]
    assert len(small) == count
    for puzzle in small:
        assert tuple(spatial.solutions(puzzle)) == puzzle.solutions


@pytest.mark.parametrize("place", [(0, -1), (-1, 0), (5, 0), (0, 5)])
def test_a_path_off_the_board_gets_no_verdict_on_symbols(place):
    verdict = spatial.judge(PUZZLES["A02"], [(0, 0), place])
    assert not verdict["valid"]
    assert not verdict["structure"]["in_bounds"]
    assert all(verdict[rule] is None for rule in ("squares", "stars", "triangles", "polys", "regions"))


@pytest.mark.parametrize(
    ("net", "polys", "ylops", "fits"),
    [
        ("the region", [DOMINOES[0]], [], True),
        ("the region", [DOMINOES[1]], [], False),  # of the right size, but upright
        ("the region", [DOMINOES[0], DOMINOES[1]], [DOMINOES[1]], True),  # both upright ones lie outside
        ("nothing", [DOMINOES[0]], [DOMINOES[1]], False),  # equal sizes alone do not cancel
        ("nothing", [DOMINOES[0], DOMINOES[0]], [((0, 0), (1, 0), (0, 1), (1, 1))], True),
        ("nothing", [((0, 0), (1, 0), (2, 0))], [((0, 0), (1, 0), (2, 0))], False),  # they do not fit the board
    ],
)
def test_shapes_cover_by_hand(net, polys, ylops, fits):
    target = frozenset({(0, 0), (1, 0)}) if net == "the region" else frozenset()
    assert spatial.covers(2, 2, target, tuple(polys), tuple(ylops)) == fits


def placements(shape, columns, rows):
    """Cells of a shape wherever it fits."""
    for right, down in itertools.product(range(-3, columns + 3), range(rows)):
        cells = [(x + right, y + down) for x, y in shape]
        if all(0 <= x < columns and 0 <= y < rows for x, y in cells):
            yield cells


def covers_by_trying_all(columns, rows, target, polys, ylops):
    signs = [1] * len(polys) + [-1] * len(ylops)
    for laid in itertools.product(*(list(placements(shape, columns, rows)) for shape in (*polys, *ylops))):
        cover = Counter()
        for sign, cells in zip(signs, laid, strict=True):
            for cell in cells:
                cover[cell] += sign
        if all(cover[x, y] == ((x, y) in target) for x in range(columns) for y in range(rows)):
            return True
    return False


def test_shapes_cover_where_trying_all_placements_says_so():
    rng, found = np.random.default_rng(0), Counter()
    while found.total() < 1500:
        columns, rows = rng.integers(1, 4, 2).tolist()
        board = [(x, y) for y in range(rows) for x in range(columns)]
        target = frozenset(board[index] for index in np.flatnonzero(rng.random(len(board)) < rng.choice([0, 0.5, 1])))
        polys, ylops = (
            tuple(spatial_puzzles.random_shape(rng) for _ in range(count)) for count in (rng.integers(4), rng.integers(3))
        )
        if sum(map(len, polys)) - sum(map(len, ylops)) != len(target) or not polys:
            continue
        expected = covers_by_trying_all(columns, rows, target, polys, ylops)
        assert spatial.covers(columns, rows, target, tuple(sorted(polys)), tuple(sorted(ylops))) == expected
        found[expected, len(ylops) > 0, len(target) > 0] += 1
    assert min(found[expected, True, net] for expected in (True, False) for net in (True, False)) > 20


# Episodes and what is seen of them.


@pytest.mark.parametrize("trace", TRACES, ids=[trace["trace"] for trace in TRACES])
def test_recorded_episodes_replay(trace):
    puzzle = puzzle_of(trace)
    game = spatial_episodes.start(puzzle)
    for recorded in trace["steps"]:
        if recorded["action"] is not None:
            game, outcome = spatial_episodes.step(puzzle, game, recorded["action"], trace["traceback"], trace["max_steps"])
            assert outcome.reward == recorded["reward"]
            assert (outcome.terminated, outcome.truncated) == (recorded["terminated"], recorded["truncated"])
            assert {"normal_reward": outcome.reward, "outcome_reward": outcome.outcome} == recorded["info"]["Rewards"]
        assert spatial_episodes.legal(puzzle, game.path, trace["traceback"]) == recorded["info"]["legal_actions"]
        assert game.steps == recorded["info"]["current_step"]
        assert list(game.place) == recorded["info"]["agent_location"]
        assert (puzzle.width, puzzle.height) == (recorded["info"]["grid_x_size"], recorded["info"]["grid_y_size"])


@pytest.mark.parametrize("trace", TRACES, ids=[trace["trace"] for trace in TRACES])
def test_recorded_observations_are_seen_again(trace):
    puzzle = puzzle_of(trace)
    game, seen = spatial_episodes.start(puzzle), 0
    for recorded in trace["steps"]:
        if recorded["action"] is not None:
            game, _ = spatial_episodes.step(puzzle, game, recorded["action"], trace["traceback"], trace["max_steps"])
        if recorded["observation"] is None:
            continue
        seen += 1
        if trace["observation_mode"] == "SPaRC":
            assert spatial_episodes.text_observation(game) == recorded["observation"]
        else:
            # As text, so that the order of layers counts.
            assert json.dumps(described(spatial_episodes.tensor_observation(puzzle, game.path))) == json.dumps(
                recorded["observation"]
            )
    assert seen >= 2


def described(observation):
    if isinstance(observation, dict):
        return {name: described(value) for name, value in observation.items()}
    return {"dtype": str(observation.dtype), "shape": list(observation.shape), "values": observation.tolist()}


@pytest.mark.parametrize("case", REPLAYS, ids=[case["case_id"] for case in REPLAYS])
def test_recorded_replays_of_paths_replay(case):
    puzzle, recorded = puzzle_of(case), case["gym"]
    game = spatial_episodes.start(puzzle)
    legal, rewards, ends = [spatial_episodes.legal(puzzle, game.path)], [], (False, False, 0)
    for action in recorded["actions"]:
        game, outcome = spatial_episodes.step(puzzle, game, action, max_steps=100)
        legal.append(spatial_episodes.legal(puzzle, game.path))
        rewards.append(outcome.reward)
        ends = (outcome.terminated, outcome.truncated, outcome.outcome)
    assert (legal, rewards) == (recorded["legal_actions"], recorded["rewards"])
    assert ends == (recorded["terminated"], recorded["truncated"], recorded["outcome_reward"])
    assert (list(game.place), len(game.path)) == (recorded["final_location"], recorded["path_length"])


def test_recorded_choices_of_a_puzzle_are_made_again():
    first, *events = spatial_golden.document("reset_behaviour")
    ids = [f"P{number}" for number in range(110)]
    resets = {
        "first reset()": {},
        "second reset()": {},
        "reset(options={})": {"options": {}},
        "reset(options={'puzzle_id':'no-such-id'})": {"options": {"puzzle_id": "no-such-id"}},
        "reset(seed=42)": {"seed": 42},
        "reset(seed=42) again": {"seed": 42},
    }
    current = first["index"]
    for event in events[: len(resets)]:
        current = spatial_episodes.selected(current, ids, **resets[event["event"]])
        assert current == event["index"], event["event"]
    assert spatial_episodes.selected(current, ids, options={"puzzle_id": "P7"}) == 7


@pytest.mark.parametrize(("seed", "index"), [(0, 425), (1, 236), (42, 44), (123, 7)])
def test_seeds_choose_the_published_puzzles(seed, index):
    assert spatial_episodes.selected(0, [str(number) for number in range(500)], seed=seed) == index


def played(shaping, actions, name="A03"):
    """Rewards of actions with traceback."""
    puzzle, rewards = spatial.read(PUZZLES[name]), []
    game = spatial_episodes.start(puzzle)
    for action in actions:
        game, outcome = spatial_episodes.step(puzzle, game, action, traceback=True, shaping=shaping)
        rewards.append(outcome.reward)
    return rewards


def test_oscillation_farms_the_public_shaping_only():
    there_and_back = [RIGHT, LEFT] * 5
    assert played("upstream", there_and_back) == [0.01] * 10
    assert played("potential", there_and_back) == [0.01, -0.01] * 5
    assert played("none", there_and_back) == [0.0] * 10


def test_shaping_by_potential_pays_nothing_off_the_solutions():
    # The only solution of A01 goes RIGHT, RIGHT, DOWN, DOWN.
    assert played("upstream", [DOWN, DOWN, UP, UP, RIGHT], "A01") == [-0.01, -0.01, -0.01, 0.01, 0.01]
    assert played("potential", [DOWN, DOWN, UP, UP, RIGHT], "A01") == [0.0, 0.0, 0.0, 0.0, 0.01]


def test_the_end_pays_the_outcome_alone():
    for shaping in ("upstream", "potential", "none"):
        assert played(shaping, [RIGHT, RIGHT, DOWN, DOWN], "A01")[-1] == 1.0
        assert played(shaping, [DOWN, DOWN, RIGHT, RIGHT], "A01")[-1] == -1.0


def test_a_discounted_potential_counts_what_comes_after_less():
    puzzle = spatial.read(PUZZLES["A01"])
    before, after = spatial.walk((0, 0), "R"), spatial.walk((0, 0), "RR")
    assert spatial_episodes.potential(puzzle, before, after, gamma=0.5) == 0.01 * (0.5 * 2 - 1)
    assert spatial_episodes.matched(puzzle, spatial.walk((0, 0), "RRL")) == 2


def test_without_a_stored_list_the_rules_decide():
    record = {name: value for name, value in PUZZLES["A01"].items() if name != "solutions"}
    puzzle = spatial.read(record)
    assert spatial_episodes.is_solved(puzzle, spatial.walk((0, 0), "RRDD"))
    assert not spatial_episodes.is_solved(puzzle, spatial.walk((0, 0), "DDRR"))
    assert spatial_episodes.shaped(puzzle, ((0, 0),), ((0, 0), (1, 0)), "upstream") == 0.0


# Records and random puzzles.


@pytest.mark.parametrize("name", PUZZLES)
def test_the_derived_fields_of_a_record_follow_from_the_others(name):
    record = PUZZLES[name]
    made = spatial_records.listed(
        spatial_records.record_of(spatial.read(record), json.loads(record["polyshapes"]), record["id"])
    )
    assert made.pop("difficulty_score") == pytest.approx(record["difficulty_score"], abs=1e-10)
    assert made == {field: value for field, value in record.items() if field != "difficulty_score"}


@needs_public
def test_the_text_fields_of_public_puzzles_follow_from_their_arrays():
    for record in spatial_golden.public_puzzles().values():
        assert spatial_records.text_visualization(record) == record["text_visualization"]


def test_difficulty_is_the_recorded_one():
    rows = spatial_golden.document("difficulty_scores")["rows"]
    assert len(rows) == 193
    for cells, occupied, kinds, score in rows:
        level, found = spatial_records.level_and_score(cells, occupied, kinds)
        assert found == pytest.approx(score, abs=1e-9)
        assert level == int(score) + 1


def test_moves_and_paths_are_the_same_thing():
    path = spatial.walk((2, 2), "RRULLD")
    assert path == ((2, 2), (3, 2), (4, 2), (4, 1), (3, 1), (2, 1), (2, 2))
    assert spatial.moves(path) == (RIGHT, RIGHT, UP, LEFT, LEFT, DOWN)


def test_planted_puzzles_agree_with_their_line():
    kinds, nets = Counter(), Counter()
    for _, (record, path) in drawn(spatial_puzzles.planted_record, 450, seed=1):
        verdict = spatial.judge(record, path)
        assert verdict["valid"], record["puzzle_array"]
        kinds.update({symbol.kind for symbol in spatial.read(record).symbols.values()})
        nets.update((entry["net"] > 0, entry["ylop_area"] > 0) for entry in verdict["polys"]["detail"])
    assert min(kinds[kind] for kind in ("square", "star", "triangle", "poly", "ylop")) > 80
    assert min(nets[True, False], nets[True, True], nets[False, True]) > 40


def test_spoiled_puzzles_are_often_wrong_for_their_line_in_the_fit_alone():
    reasons = Counter()
    for rng, (record, path) in drawn(spatial_puzzles.planted_record, 450, seed=2):
        verdict = spatial.judge(spatial_puzzles.spoiled_record(rng, record), path)
        reasons[verdict["valid"]] += 1
        reasons.update(str(entry["why"]) for entry in verdict["polys"]["detail"])
    assert reasons[True] > 100
    assert reasons[False] > 100
    assert reasons["fit"] > 50


@pytest.mark.parametrize("maker", [spatial_puzzles.random_record, lambda *args: spatial_puzzles.planted_record(*args)[0]])
def test_random_puzzles_stay_within_what_the_public_ones_have(maker):
    for _, record in drawn(maker, 180, seed=3):
        puzzle = spatial.read(record)
        kinds = Counter(symbol.kind for symbol in puzzle.symbols.values())
        assert all(0 in (x, y) or x == puzzle.width - 1 or y == puzzle.height - 1 for x, y in (puzzle.start, puzzle.end))
        assert all((x + y) % 2 for x, y in puzzle.gaps)
        assert max(len(puzzle.dots), len(puzzle.gaps)) <= 7
        assert kinds["poly"] <= 8
        assert kinds["ylop"] <= 3
        assert len(set(puzzle.shapes.values())) <= 6
        assert puzzle.shapes.keys() == {symbol.shape for symbol in puzzle.symbols.values() if symbol.shape}


def test_the_same_seed_gives_the_same_puzzles():
    def some():
        return [json.dumps(record) for _, record in drawn(spatial_puzzles.random_record, 18, seed=4)]

    assert some() == some()


@pytest.mark.parametrize("name", ["A01", "B06", "B08", "C06", "F14", "G07"])
def test_random_lines_are_all_the_lines_there_are(name):
    rng, record = np.random.default_rng(5), PUZZLES[name]
    assert {spatial_puzzles.random_line(rng, record) for _ in range(1000)} == set(spatial.lines(record))


def test_there_is_no_random_line_where_gaps_seal_the_start():
    assert list(spatial.lines(PUZZLES["B07"])) == []
    assert spatial_puzzles.random_line(np.random.default_rng(0), PUZZLES["B07"]) is None
