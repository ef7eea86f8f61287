"""Data sets of Sokoban: what is played, what is recorded of it, and how it is kept."""

import numpy as np
import pytest

from kagejax.envs.sokoban import dataset, text
from kagejax.envs.sokoban.dataset import NEAR_DEADLOCK, PERTURBED, RANDOM, SOLVER, Recipe
from kagejax.envs.sokoban.ledger import BudgetSpent, Ledger
from tests.oracles import sokoban, sokoban_dataset, sokoban_golden, sokoban_search

from .games import assert_same, cells_of

EPISODES = 30
SMALL = Recipe(laws=("W",), mix=(("random", 0.4), ("solver", 0.2), ("perturbed", 0.2), ("near_deadlock", 0.2)), max_steps=25)


@pytest.fixture(scope="module")
def data():
    """Episodes of all kinds on boards of 6x6."""
    return dataset.make(SMALL, EPISODES, seed=3)


@pytest.mark.parametrize(
    ("mix", "episodes", "expected"),
    [
        (tuple(dataset.MIX.items()), 2000, {"random": 1000, "solver": 600, "perturbed": 400}),
        (tuple(dataset.MIX.items()), 7, {"random": 4, "solver": 2, "perturbed": 1}),  # 3.5, 2.1, 1.4
        ((("solver", 2), ("random", 1)), 4, {"solver": 3, "random": 1}),  # 2.67, 1.33
        ((("solver", 1), ("perturbed", 0)), 5, {"solver": 5, "perturbed": 0}),
        ((("random", 1 / 3), ("solver", 1 / 3), ("perturbed", 1 / 3)), 10, {"random": 4, "solver": 3, "perturbed": 3}),
        ((("solver", 0.3), ("solver", 0.3), ("random", 0.4)), 10, {"solver": 6, "random": 4}),
    ],
)
def test_kinds_are_dealt_by_exact_counts_with_largest_remainders(mix, episodes, expected):
    assert dataset.counts(mix, episodes) == expected


@pytest.mark.parametrize("mix", [(("randm", 1.0),), (("random", 0.0),), (("random", 2.0), ("solver", -1.0)), ()])
def test_a_mix_that_is_none_is_refused(mix):
    with pytest.raises(ValueError, match="A mix gives shares of random, solver, perturbed, near_deadlock, none below 0"):
        dataset.counts(mix, 10)


def test_a_data_set_has_its_kinds_and_shares(data):
    assert np.bincount(data.kind).tolist() == [12, 6, 6, 6]
    assert (data.kind[:12] != RANDOM).any()  # shuffled
    shares = dataset.shares(data)
    assert {kind: share["episodes"] for kind, share in shares.items()} == {
        "random": 0.4, "solver": 0.2, "perturbed": 0.2, "near_deadlock": 0.2,
    }  # fmt: skip
    for index, (kind, share) in enumerate(shares.items()):
        assert kind == dataset.KINDS[index]
        assert share["transitions"] == pytest.approx(data.lengths[data.kind == index].sum() / data.lengths.sum())
        assert share["solved"] == pytest.approx(data.solved[data.kind == index].mean())
    assert shares["solver"]["solved"] == 1.0
    assert data.transitions == data.lengths.sum()


def test_an_episode_depends_on_its_seed_and_number_alone(data):
    again = dataset.make(SMALL, EPISODES, seed=3)
    assert_same(again[1:], data[1:])
    assert [text.write(level) for level in again.levels] == [text.write(level) for level in data.levels]
    other = dataset.make(SMALL, 5, seed=4)
    assert all(text.write(a) != text.write(b) for a, b in zip(other.levels, data.levels, strict=False))
    fewer = dataset.make(SMALL, 5, seed=3)
    assert [text.write(level) for level in fewer.levels] == [text.write(level) for level in data.levels[:5]]
    assert len({text.write(level) for level in data.levels}) == EPISODES


def oracle(data, episode):
    """An episode of the data set played by the oracle: the games from first to last, and the outcomes."""
    board, game = sokoban.parse(text.write(data.levels[episode]))
    steps = sokoban.play(board, game, data.actions[episode, : data.lengths[episode]].tolist(), 1000)
    return board, [game, *(after for after, _ in steps)], [outcome for _, outcome in steps]


def test_boards_and_flags_are_those_that_the_oracle_plays(data):
    for e in range(EPISODES):
        board, games, outcomes = oracle(data, e)
        steps = data.lengths[e]
        assert len(outcomes) == steps
        assert cells_of(data.boxes[e, : steps + 1]) == [game.boxes for game in games]
        assert data.player[e, : steps + 1].tolist() == [game.player for game in games]
        assert data.pushed[e, :steps].tolist() == [outcome.pushed for outcome in outcomes]
        assert data.invalid[e, :steps].tolist() == [outcome.invalid for outcome in outcomes]
        assert data.solved[e] == sokoban.is_solved(board, games[-1].boxes)
        assert steps == SMALL.max_steps or data.solved[e] or data.kind[e] == PERTURBED


def test_labels_are_the_oracle_s_distances(data):
    dead = 0
    for e in range(EPISODES):
        board, games, _ = oracle(data, e)
        known = sokoban_search.distances(board)
        expected = [known.get(sokoban_search.state_of(game), dataset.DEAD) for game in games]
        assert data.distance[e, : len(games)].tolist() == expected
        dead += expected.count(dataset.DEAD)
        for step, game in enumerate(games):
            best = [
                action for action in range(4)
                if expected[step] > 0
                and known.get(sokoban_search.state_of(sokoban.step(board, game, action, 1000)[0])) == expected[step] - 1
            ]  # fmt: skip
            assert data.optimal[e, step] == sum(1 << action for action in best)
    assert dead > 50


def test_recorded_episodes_get_the_recorded_labels():
    for rollout in sokoban_golden.rollouts():
        if rollout.distances is not None and rollout.level[0] in "WSAH":
            level = text.parse(sokoban_golden.levels()[rollout.level].text)
            made = dataset.record(level, rollout.actions, RANDOM, rollout.max_steps)
            assert made.distance[0, 1:].tolist() == rollout.distances.tolist()
            assert (made.distance[0, 1:] == dataset.DEAD).tolist() == rollout.exact_dead.tolist()


def test_what_lies_past_the_end_is_the_last_board(data):
    for e, steps in enumerate(data.lengths):
        assert (data.actions[e, steps:] == dataset.NO_ACTION).all()
        assert not data.pushed[e, steps:].any() and not data.invalid[e, steps:].any()
        for values in (data.boxes, data.player, data.distance, data.optimal):
            assert (values[e, steps:] == values[e, steps]).all()
    assert data.actions.shape == (EPISODES, SMALL.max_steps)


def test_solutions_are_optimal_and_perturbed_ones_are_three_actions_longer(data):
    for e in np.flatnonzero(data.kind == SOLVER):
        steps = data.lengths[e]
        assert data.distance[e, : steps + 1].tolist() == list(range(steps, -1, -1))
    for e in np.flatnonzero(data.kind == PERTURBED):
        most = min(SMALL.max_steps, int(data.distance[e, 0]) + dataset.INSERTED)
        assert data.lengths[e] == most or data.solved[e]


def test_perturbed_actions_are_drawn_by_the_law_of_the_oracle():
    level = text.parse(sokoban_golden.levels()["W0"].text)
    solution = dataset.actions_of(SOLVER, level, np.random.default_rng(0), 40)
    for seed in range(20):
        ours = dataset.actions_of(PERTURBED, level, np.random.default_rng(seed), 40)
        assert ours == sokoban_dataset.actions_of(PERTURBED, np.random.default_rng(seed), solution, 40)
        ours = dataset.actions_of(RANDOM, level, np.random.default_rng(seed), 40)
        assert ours == sokoban_dataset.actions_of(RANDOM, np.random.default_rng(seed), solution, 40)


def test_half_of_the_episodes_near_a_deadlock_take_the_fatal_push():
    level = text.parse(sokoban_golden.levels()["A0"].text)
    fatal = 0
    for seed in range(40):
        actions = dataset.actions_of(NEAR_DEADLOCK, level, np.random.default_rng(seed), 80)
        distance = dataset.record(level, actions, NEAR_DEADLOCK, 80).distance[0].tolist()
        if distance[-1] == dataset.DEAD:
            fatal += 1
            turn = distance.index(dataset.DEAD)
            assert distance[:turn] == list(range(distance[0], distance[0] - turn, -1))
            assert len(actions) == 80
        else:
            assert distance[-1] == 0
    assert 10 <= fatal <= 30


@pytest.mark.parametrize("actions", [[0, 4], [-1, 0], [0, 1, 100]])
def test_an_action_that_is_none_cannot_be_recorded(actions):
    level = text.parse(sokoban_golden.levels()["W0"].text)
    with pytest.raises(ValueError, match=r"actions are 0 to 3, not (4|-1|100)"):
        dataset.record(level, actions, RANDOM, 40)


def test_a_data_set_is_loaded_as_it_was_saved(data, tmp_path):
    dataset.save(tmp_path / "d.npz", data)
    again = dataset.load(tmp_path / "d.npz")
    assert_same(again[1:], data[1:])
    for one, other in zip(again.levels, data.levels, strict=True):
        assert_same(one[:4], other[:4])
    assert [path.name for path in tmp_path.iterdir()] == ["d.npz"]
    assert {field.dtype for field in again[1:]} == {field.dtype for field in data[1:]}


def test_boards_of_unlike_sizes_make_no_data_set(data):
    level = text.parse(sokoban_golden.levels()["A0"].text)
    with pytest.raises(ValueError, match=r"share their size; found \[\(6, 6\), \(8, 8\)\]"):
        dataset.joined([data, dataset.record(level, [0], RANDOM, 5)])


def test_a_mixture_of_laws_takes_them_in_turn():
    made = dataset.make(dataset.RECIPES["mixed_crates"], 8, seed=0)
    assert [int(level.boxes.sum()) for level in made.levels] == [1, 2, 3, 4] * 2
    assert made.distance[:, 0].tolist() == [x for x in made.distance[:, 0].tolist() if 4 <= x <= 46]


def test_data_is_made_until_the_budget_is_spent():
    ledger, progress = Ledger(budget=60), []
    with pytest.raises(BudgetSpent):
        dataset.make(SMALL, EPISODES, 3, ledger, progress.append)
    assert 0 < len(progress) < EPISODES
    assert progress == list(range(1, len(progress) + 1))
    whole = Ledger(budget=10_000)
    assert dataset.make(SMALL, EPISODES, 3, whole).transitions == whole.spent
