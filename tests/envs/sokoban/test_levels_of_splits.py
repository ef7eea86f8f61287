"""Levels of the public splits, and the laws that they are drawn by."""

import functools

import numpy as np
import pytest

from kagejax.envs.sokoban import generate, solver, table, text, themes
from kagejax.envs.sokoban.build import PUBLIC, build, public
from kagejax.envs.sokoban.config import SPLIT_LEVELS
from tests.oracles import sokoban, sokoban_golden, sokoban_search

from .games import config_of

SAMPLE = 10
BANDS = sokoban_golden.document("bands")
FLAT = {
    "W": (4, 25), "A": (10, 50), "B": (10, 50), "C": (15, 70), "D": (8, 50), "E": (15, 90), "B-plus": (10, 50),
    "C-plus": (15, 70), "D-hard": (8, 50),
}  # fmt: skip
SHAPES = {
    "W": (6, 1), "S": (8, 1), "A": (8, 3), "B": (8, 3), "C": (10, 3), "D": (8, 3), "E": (10, 5), "B-plus": (8, 3),
    "C-plus": (10, 3), "D-hard": (8, 3),
}  # fmt: skip
LIMITS = {"W": 40, "A": 80, "B": 80, "C": 120, "D": 80, "E": 160, "B-plus": 80, "C-plus": 120, "D-hard": 80}
STATISTICS = {  # SPEC 5.6: corner box at the start, solvable, mean and 5/25/50/75/95 % of the optimal length
    "W": (0.39, 0.271, 5.85, (2, 4, 5, 7, 12)),
    "S": (0.22, 0.443, 9.65, (4, 7, 9, 12, 18)),
}
LAYOUTS = 2000


@functools.cache
def split(name):
    return public(name)


def bands(name):
    """The length band of each level."""
    if name in FLAT:
        return [FLAT[name]] * 100
    lists = [BANDS["split_S"]["100"]] if name == "S" else [tier["levels"] for tier in BANDS["hidden"]]
    return [tuple(band) for levels in lists for band in levels]


def boxes_of(name):
    if name in SHAPES:
        return [SHAPES[name][1]] * 100
    return [tier["n_boxes"] for tier in BANDS["hidden"] for _ in tier["levels"]]


def test_the_published_splits_are_all_there():
    assert set(PUBLIC) == {"W", "S", "A", "B", "C", "D", "E", "B-plus", "C-plus", "D-hard", "hidden-style"}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_split_has_a_hundred_levels_that_make_an_environment(name):
    assert len(split(name).entries) == SPLIT_LEVELS == 100
    env, params = build(config_of({"levels.split": name, "observation.kind": "symbolic"}))
    assert params.bank.levels.player.shape == (100,)
    assert (split(name).name, split(name).seed) == (f"split_{name}", 1001)
    assert len({text.write(entry.level) for entry in split(name).entries}) == 100


@pytest.mark.parametrize("name", PUBLIC)
def test_levels_are_walled_in_and_have_boxes_goals_and_player_apart(name):
    size = SHAPES.get(name, (8,))[0]
    for entry, boxes in zip(split(name).entries, boxes_of(name), strict=True):
        level = entry.level
        assert level.walls.shape == (size, size)
        assert level.walls[[0, -1]].all() and level.walls[:, [0, -1]].all()
        assert level.boxes.sum() == level.goals.sum() == boxes == entry.extra["n_crates"]
        taken = level.walls.astype(int) + level.boxes + level.goals
        taken.reshape(-1)[level.player] += 1
        assert taken.max() == 1


@pytest.mark.parametrize("name", PUBLIC)
def test_lengths_lie_in_their_bands(name):
    for entry, band in zip(split(name).entries, bands(name), strict=True):
        assert tuple(entry.extra["band"]) == band
        assert band[0] <= entry.optimal_length <= band[1]


@pytest.mark.parametrize("name", PUBLIC)
def test_time_limits_are_flat_or_three_times_the_solution(name):
    for entry in split(name).entries:
        assert entry.max_steps == LIMITS.get(name, max(30, 3 * entry.optimal_length))


@pytest.mark.parametrize("name", [name if name != "E" else pytest.param("E", marks=pytest.mark.slow) for name in PUBLIC])
def test_optimal_lengths_are_exact(name):
    chosen = range(100) if name == "W" else np.random.default_rng(len(name)).choice(100, SAMPLE, replace=False)
    for index in chosen:
        entry = split(name).entries[index]
        found = solver.solve(entry.level)
        assert found.length == entry.optimal_length
        board, game = sokoban.parse(text.write(entry.level))
        steps = sokoban.play(board, game, found.actions, 1000)
        assert [outcome.solved for _, outcome in steps] == [False] * (found.length - 1) + [True]


@pytest.mark.parametrize("name", ["W", "S"])
def test_optimal_lengths_are_those_of_the_oracle(name):
    for entry in split(name).entries[::7]:
        assert len(sokoban_search.solution(*sokoban.parse(text.write(entry.level)))) == entry.optimal_length


@pytest.mark.parametrize(("name", "least"), [("D", 0.0), ("D-hard", 0.5)])
def test_first_pushes_of_deadlock_levels_are_fatal(name, least):
    for entry in split(name).entries:
        fatal = [push.dead for push in solver.first_pushes(entry.level)]
        assert any(fatal)
        assert sum(fatal) >= least * len(fatal)


def test_fatal_first_pushes_are_those_of_the_oracle():
    entry = split("D").entries[0]
    board, game = sokoban.parse(text.write(entry.level))
    alive = sokoban_search.distances(board)
    expected = [sokoban_search.state_of(after) not in alive for after in sokoban.first_pushes(board, game)]
    assert [push.dead for push in solver.first_pushes(entry.level)] == expected
    assert any(expected) and not all(expected)


def test_themes_of_split_b_are_of_the_published_law_and_those_of_b_plus_can_be_told_apart():
    assert {entry.theme is None for name in PUBLIC if name not in ("B", "B-plus") for entry in split(name).entries} == {True}
    fields = set(themes.COLORS) | {"checker", "noise_std"}
    assert all(entry.theme.keys() == fields for entry in split("B").entries)
    wider = [themes.from_json(entry.theme) for entry in split("B-plus").entries]
    assert min(themes.contrast(theme) for theme in wider) >= 30
    assert {theme.sprite for theme in wider} == set(themes.SPRITES)
    assert all(theme.texture and theme.light != (0.0, 0.0) for theme in wider)


def test_bands_of_every_count_are_those_recorded():
    for count, expected in BANDS["split_S"].items():
        found = [generate.band(law, place, run) for law, place, run in generate.plan("S", int(count))]
        assert [list(band) for band in found] == expected
    found = [generate.band(law, place, run) for law, place, run in generate.plan("hidden-style", 100)]
    assert [list(band) for band in found] == [band for tier in BANDS["hidden"] for band in tier["levels"]]
    laws = [(law.boxes, law.density, law.size) for law, *_ in generate.plan("hidden-style", 100)]
    assert laws == [(tier["n_boxes"], tier["wall_density"], 8) for tier in BANDS["hidden"] for _ in tier["levels"]]


def test_a_rising_band_is_at_least_two_wide_and_rounded_to_even():
    law = generate.Law(8, 1, 0.1, (5, 6), (9, 10))
    assert [generate.band(law, place, 5) for place in range(5)] == [(5, 7), (6, 8), (7, 9), (8, 10), (9, 11)]
    assert generate.band(law, 0, 1) == (5, 7)
    steep = generate.Law(8, 1, 0.1, (0, 4), (5, 9))
    assert [generate.band(steep, place, 3) for place in range(3)] == [(0, 4), (2, 6), (5, 9)]  # 2.5 and 6.5 in the middle


@pytest.mark.parametrize("name", ["W", "A", "D-hard", "B-plus", "C-plus"])
def test_published_levels_are_drawn_again_each_by_itself(name):
    index = 17
    law, place, run = generate.plan(name, 100)[index]
    assert text.write(generate.entry(name, law, 1001, index, place, run).level) == text.write(split(name).entries[index].level)
    if split(name).entries[index].theme:
        theme = generate.entry(name, law, 1001, index, place, run).theme
        assert themes.from_json(theme) == themes.from_json(split(name).entries[index].theme)


def texts(name, seed, count):
    return [text.write(entry.level) for entry in generate.generate(name, seed, count)]


def test_a_level_depends_on_seed_split_and_number_alone():
    few, many = texts("W", 5, 3), texts("W", 5, 8)
    assert many[:3] == few
    assert len({*many, *texts("W", 6, 8)}) == 16
    assert len({*texts("S", 5, 2), *texts("hidden-style", 5, 2)}) == 4
    law = generate.LAWS["W"]
    assert text.write(generate.entry("W", law, 5, 7, 7, 8).level) == many[7]


def test_a_band_is_widened_where_no_layout_is_found():
    found = generate.find(generate.LAWS["W"], (24, 24), np.random.default_rng(0), most_tries=600)
    assert found.band in ((21, 28), (18, 32), (15, 36))
    assert found.band[0] <= found.length <= found.band[1]
    assert found.layouts > 600
    with pytest.raises(RuntimeError, match=r"None of 8 layouts gave a level with 191 to 212 moves"):
        generate.find(generate.LAWS["W"], (200, 200), np.random.default_rng(0), most_tries=2)
    with pytest.raises(RuntimeError, match=r"None of 4 layouts gave a level with 2 to 16 moves"):
        generate.find(generate.Law(4, 2, 1.0, (4, 4)), (4, 4), np.random.default_rng(0), most_tries=1)


def test_too_few_free_cells_are_no_layout():
    law = generate.Law(4, 1, 0.9, (1, 9))
    found = [generate.layout(np.random.default_rng(seed), law) for seed in range(200)]
    assert found.count(None) > 150
    assert all((~level.walls).sum() >= 3 for level in found if level is not None)


def test_rooms_are_rectangles_that_overlap():
    law, share = generate.LAWS["C-plus"], []
    for seed in range(300):
        floor = generate.rooms(np.random.default_rng(seed), law)
        assert not floor[[0, -1]].any() and not floor[:, [0, -1]].any()
        board = sokoban.Board(10, 10, frozenset(np.flatnonzero(~floor).tolist()), frozenset())
        start = sokoban.Game(frozenset(), int(np.flatnonzero(floor)[0]))
        assert sokoban.reachable(board, start) == frozenset(np.flatnonzero(floor).tolist())
        # Every cell of floor is part of a square of 3x3.
        squares = [floor[row : row + 3, column : column + 3].all() for row in range(8) for column in range(8)]
        covered = np.zeros((10, 10), bool)
        for place in np.flatnonzero(squares):
            covered[place // 8 : place // 8 + 3, place % 8 : place % 8 + 3] = True
        np.testing.assert_array_equal(covered, floor)
        share.append(floor.sum() / 64)
    assert min(share) < 0.3 and max(share) > 0.6


def test_levels_of_c_plus_have_rooms_of_other_shapes():
    shapes = {entry.level.walls.tobytes() for entry in split("C-plus").entries}
    assert len(shapes) == 100
    inner = [entry.level.walls[1:-1, 1:-1].mean() for entry in split("C-plus").entries]
    assert np.mean(inner) > 2 * np.mean([entry.level.walls[1:-1, 1:-1].mean() for entry in split("C").entries])


def test_there_are_no_other_splits():
    with pytest.raises(ValueError, match="There is no split 'F'; there are W, S, A"):
        generate.plan("F", 5)


@functools.cache
def layouts_of(name):
    random = np.random.default_rng(11)
    levels = [generate.layout(random, generate.LAWS[name]) for _ in range(LAYOUTS)]
    return [level for level in levels if level is not None]


@pytest.mark.parametrize("name", STATISTICS)
def test_layouts_are_as_solvable_and_as_long_as_published(name):
    corner, solvable, mean, percentiles = STATISTICS[name]
    levels = layouts_of(name)
    assert len(levels) >= 0.995 * LAYOUTS
    stuck = np.mean([solver.corner_dead(level.walls, level.goals, level.boxes) for level in levels])
    assert abs(stuck - corner) < 4 * (corner * (1 - corner) / LAYOUTS) ** 0.5
    lengths = [table.Table(level).optimal_length for level in levels]
    lengths = np.array([length for length in lengths if length is not None])
    # The published share has a sampling error of its own, from 5,000 layouts.
    assert abs(len(lengths) / LAYOUTS - solvable) < 4 * (solvable * (1 - solvable) * (1 / LAYOUTS + 1 / 5000)) ** 0.5
    assert abs(lengths.mean() - mean) < 4 * lengths.std() * (1 / len(lengths) + 1 / 1400) ** 0.5
    np.testing.assert_allclose(np.percentile(lengths, (5, 25, 50, 75, 95)), percentiles, atol=1)


@pytest.mark.parametrize("name", ["W", "A", "D"])
def test_layouts_have_the_walls_of_the_oracles(name):
    law, random = generate.LAWS[name], np.random.default_rng(3)
    ours = [generate.layout(random, law) for _ in range(LAYOUTS)]
    theirs = [sokoban.random_layout(random, law.size, law.boxes, law.density) for _ in range(LAYOUTS)]
    inner = (law.size - 2) ** 2
    counts = [
        [int(level.walls.sum()) for level in ours if level], [len(found[0].walls) for found in theirs if found]
    ]  # fmt: skip
    border = law.size**2 - inner
    for each in counts:
        error = (inner * law.density * (1 - law.density) / LAYOUTS) ** 0.5
        assert abs(np.mean(each) - border - inner * law.density) < 5 * error
        assert np.var(each) == pytest.approx(inner * law.density * (1 - law.density), rel=0.15)
    for mask in ("boxes", "goals"):
        share = np.mean([getattr(level, mask)[1:-1, 1:-1] for level in ours if level], axis=0)
        np.testing.assert_allclose(share, law.boxes / inner, atol=5 * (law.boxes / inner / LAYOUTS) ** 0.5)


def test_rooms_of_c_plus_have_shapes_of_their_own():
    floors = [~entry.level.walls for entry in split("C-plus").entries]
    assert all(floor[1:-1, 1:-1].mean() < 0.8 for floor in floors)
    assert len({floor.tobytes() for floor in floors}) > 95
