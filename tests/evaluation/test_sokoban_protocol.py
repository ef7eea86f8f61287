"""Agents of the published protocol: recorded results, meters, mistakes, and the same figures as in a batch."""

import functools

import numpy as np
import pytest

from kagejax.evaluation.sokoban import harness, metrics, protocol, references
from kagejax.evaluation.sokoban.episodes import Limits
from kagejax.evaluation.sokoban.protocol import CallMeter, MeterError, load_agent
from tests.oracles import sokoban_golden

from .sokoban_cases import CAP, OPEN, TUNNEL, arena, golden_arenas, recorded, without_times

RIGHT = 3


class Simple:
    """Does what `answers` say, and repeats the last of them."""

    observes = "symbolic"

    def __init__(self, answers=(RIGHT,), ticks=0):
        self.answers, self.ticks = answers, ticks

    def reset(self):
        self.t = 0

    def act(self, obs, goal, history):
        answer = self.answers[min(self.t, len(self.answers) - 1)]
        self.t += 1
        self.call_meter.tick(self.ticks)
        return answer


class Scripted(Simple):
    """Plays recorded acts, episode after episode."""

    def __init__(self, cases):
        self.cases = iter(cases)

    def reset(self):
        self.acts = iter(next(self.cases).acts)

    def act(self, obs, goal, history):
        act = next(self.acts)
        self.call_meter.tick(act.calls)
        return act.action


def play(agent, place, **options):
    return protocol.play(lambda: agent, place, **options)


@pytest.mark.parametrize("mode", ["strict", "lenient"])
def test_recorded_episodes_come_out_again(tmp_path, mode):
    limits = Limits(calls=CAP, strict=mode == "strict")
    for place, cases in golden_arenas(tmp_path):
        found = play(Scripted(cases), place, limits=limits, notions=("exact", "bounded"))
        assert [recorded(episode) for episode in found] == [case.episodes[mode] for case in cases]
        assert [episode.deadlocked_bounded for episode in found] == [episode.deadlocked for episode in found]


@pytest.mark.parametrize("compat", [False, True])
@pytest.mark.parametrize("split", ["W", "S", "A", "D"])
def test_recorded_figures_of_the_random_agent_come_out_again(tmp_path, split, compat):
    levels = [level for level in sokoban_golden.levels().values() if level.split == split]
    entries = [{"ascii": x.text, "optimal_len": x.optimal_length, "max_steps": x.max_steps} for x in levels]
    place = arena(tmp_path, *entries, kind="pictures", name=f"split_{split}")
    episodes = protocol.play(load_agent("random"), place, notions=("exact", "bounded"))
    expected = dict(sokoban_golden.document("eval_cases")["random_agent_numpy_seed0"][split])
    summary = metrics.summary(place.name, episodes, compat)
    assert summary["split"] == expected.pop("split")
    if not compat and not expected["success_rate"]:
        for name in ("move_efficiency", "avg_steps_solved"):
            assert (summary[name], expected.pop(name)) == (None, 0.0)
    assert {key: summary[key] for key in expected} == pytest.approx(expected, rel=1e-12)


def test_a_solver_has_the_same_episodes_in_a_batch_and_one_by_one(tmp_path):
    place = arena(tmp_path, OPEN, "######\n#    #\n# $  #\n#@  .#\n######", "######\n#.   #\n#  $ #\n#@   #\n######")
    one_by_one = protocol.play(references.SolverAgent, place)
    batch = harness.play(references.SOLVER, references.solutions(place), place)
    assert without_times(one_by_one) == without_times(batch)
    assert [episode.solved for episode in batch] == [True] * 3
    assert [episode.steps for episode in batch] == [episode.optimal for episode in batch]


def test_pictures_are_arrays_of_the_agents_own(tmp_path):
    seen = []

    class Vandal(Simple):
        observes = "pictures"

        def act(self, obs, goal, history):
            seen.append((obs.shape, obs.dtype, goal.shape, goal.dtype, list(history)))
            obs[:], goal[:] = 0, 0
            history.append(7)
            return RIGHT

    (episode,) = play(Vandal(), arena(tmp_path, TUNNEL, kind="pictures"))
    assert episode.solved
    picture = ((64, 64, 3), np.uint8)
    assert seen == [(*picture, *picture, []), (*picture, *picture, [RIGHT])]


def test_every_episode_has_a_new_meter_before_its_reset(tmp_path):
    meters = []

    class Curious(Simple):
        def reset(self):
            super().reset()
            meters.append(self.call_meter)

    first, second = play(Curious(ticks=84), arena(tmp_path, TUNNEL, TUNNEL))
    assert first.model_calls == second.model_calls == (84, 84)
    assert meters[0] is not meters[1]
    assert [meter.total for meter in meters] == [168, 168]


@pytest.mark.parametrize("n", [-1, -84, 0.5, np.int64(-3), float("-inf")])
def test_ticks_that_are_negative_or_broken_are_refused(n):
    meter = CallMeter()
    meter.tick(5)
    with pytest.raises((MeterError, OverflowError)):
        meter.tick(n)
    assert meter.total == 5


def test_ticks_may_be_numbers_of_other_libraries():
    meter = CallMeter()
    for n in (np.int32(2), np.array(3), 4.0, True):
        meter.tick(n)
    meter.tick()
    assert meter.total == 11


def test_a_meter_has_no_other_doors():
    meter = CallMeter()
    for name, value in {"total": 0, "tick": lambda n=1: None, "other": 1}.items():
        with pytest.raises(AttributeError):
            setattr(meter, name, value)


def cheat(what):
    class Cheat(Simple):
        def act(self, obs, goal, history):
            self.call_meter.tick(300)
            what(self)
            return RIGHT

    return Cheat()


def test_a_meter_that_was_replaced_is_refused(tmp_path):
    def swap(agent):
        agent.call_meter = CallMeter()

    with pytest.raises(MeterError, match="put another call meter in the place of its own"):
        play(cheat(swap), arena(tmp_path, TUNNEL))


def test_ticks_that_were_taken_back_are_refused(tmp_path):
    def reach_in(agent):
        agent.call_meter._CallMeter__total = -1

    with pytest.raises(MeterError, match="took ticks of its call meter back"):
        play(cheat(reach_in), arena(tmp_path, TUNNEL))


@pytest.mark.parametrize("answer", [4, -1, 1.0, None, "U", np.array([1])])
@pytest.mark.parametrize("strict", [True, False])
def test_an_answer_that_is_no_action_ends_its_own_episode_alone(tmp_path, answer, strict):
    place = arena(tmp_path, TUNNEL, "######\n#@$. #\n######")
    failed, other = play(Simple((RIGHT, answer)), place, limits=Limits(strict=strict))
    assert (failed.solved, failed.steps, failed.illegal_action) == (False, 1, True)
    assert (other.solved, other.steps, other.illegal_action) == (True, 1, False)


@pytest.mark.parametrize("answer", [np.int64(RIGHT), np.array(RIGHT)])
def test_an_action_may_be_a_number_of_another_library(tmp_path, answer):
    (episode,) = play(Simple((answer,)), arena(tmp_path, TUNNEL))
    assert episode.solved


def test_the_time_of_an_act_can_be_limited(tmp_path):
    (episode,) = play(Simple(), arena(tmp_path, TUNNEL), limits=Limits(milliseconds=0.0))
    assert (episode.solved, episode.steps, episode.time_violation) == (False, 0, True)


def test_an_agent_that_can_be_seeded_is_told_the_seed(tmp_path):
    place = arena(tmp_path, OPEN, kind="pictures")
    episodes = [protocol.play(references.RandomAgent, place, seed)[0].actions for seed in (0, 0, 1)]
    assert episodes[0] == episodes[1]
    assert episodes[0] != episodes[2]


def test_a_seed_that_is_a_number_is_left_alone(tmp_path):
    agent = Simple()
    agent.seed = 13
    (episode,) = play(agent, arena(tmp_path, TUNNEL), seed=2)
    assert (episode.solved, agent.seed) == (True, 13)


def test_each_split_and_seed_has_an_agent_of_its_own(tmp_path):
    made = []

    def factory():
        made.append(Simple())
        return made[-1]

    places = [arena(tmp_path, TUNNEL, name="split_A"), arena(tmp_path, TUNNEL, name="split_B")]
    report = protocol.evaluate(factory, places, seeds=(0, 1, 2))
    assert len(made) == 6
    assert (report["agent"], report["splits"]["split_B"]["success_rate"]) == ("factory", 1.0)


def test_a_forbidden_agent_is_named_as_such(tmp_path):
    report = protocol.evaluate(references.SolverAgent, [arena(tmp_path, TUNNEL)], seeds=(0,))
    assert (report["agent"], report["forbidden"]) == ("solver", "it plays the solutions of an exact solver")


def test_an_agent_is_found_by_its_name(tmp_path, monkeypatch):
    (tmp_path / "my_sokoban_agent.py").write_text(
        "class Mine:\n    def reset(self): pass\n    def act(self, obs, goal, history): return 3\nclass Half:\n    act = None\n"
    )
    monkeypatch.chdir(tmp_path)
    assert load_agent("random") is references.RandomAgent
    assert load_agent("my_sokoban_agent:Mine")().act(None, None, []) == 3
    mistakes = {
        "agent": "is named as module:Class, or random; found 'agent'",
        "no_such_module:Mine": "no module 'no_such_module'",
        "my_sokoban_agent:Yours": "has no 'Yours'",
        "my_sokoban_agent:Half": "has no reset and no act",
    }
    for name, message in mistakes.items():
        with pytest.raises(ValueError, match=message):
            load_agent(name)


def test_what_an_agents_module_lacks_is_not_hidden(tmp_path, monkeypatch):
    (tmp_path / "my_broken_agent.py").write_text("import no_such_library\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        load_agent("my_broken_agent:Mine")


def test_a_partial_is_a_factory_too(tmp_path):
    report = protocol.evaluate(functools.partial(Simple, (RIGHT,), 5), [arena(tmp_path, TUNNEL)], seeds=(0,))
    assert (report["agent"], report["splits"]["split_X"]["avg_model_calls"]) == ("agent", 5.0)
