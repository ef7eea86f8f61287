"""Whole runs: resumed, broken off, and against an endpoint in which everything goes wrong."""

import asyncio
import threading

import pytest

from kagejax.evaluation.spatial import logs, metrics, prompts, runs
from kagejax.evaluation.spatial.endpoint import Endpoint, EndpointError, Patience
from kagejax.evaluation.spatial.exchange import Reply
from kagejax.evaluation.spatial.settings import Protocol, Sampling

from . import spatial_cases as cases
from .spatial_endpoint import RESET, Say, completion, error, question, says
from .spatial_endpoint import Endpoint as Fake

PATIENCE = Patience(timeout=20, attempts=3, first_wait=0.01)
SETTINGS = runs.settings_of("endpoint", Protocol(), Sampling("m"))


def plan(names=cases.NAMES, samples=1, **settings):
    return runs.Plan(tuple(map(cases.puzzle, names)), samples, Protocol(**settings))


def run(path, todo, player, settings=SETTINGS, **more):
    """Plays what is left; the episodes that are over, in the order of the plan."""
    with logs.opened(path, settings, {}) as log:
        try:
            asyncio.run(runs.play(todo, log, player, **more))
        finally:
            over = runs.played(todo, log)
    return over


def solving(request):
    """The right answer to the question of a request of the plan above."""
    asked = request.messages[-1]["content"]
    puzzle = next(p for p in cases.some() if "\n".join(prompts.rows(p.grid)) in asked.partition("Now your puzzle.")[2])
    return cases.answer(puzzle.solutions[-1])


class Solver:
    """Answers right, counts, and fails where it is told to."""

    def __init__(self, failing=()):
        self.asked, self.failing, self.most_at_once, self._now = [], failing, 0, 0

    async def __call__(self, request):
        self.asked.append((request.puzzle.id, request.sample))
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        await asyncio.sleep(0.01)
        self._now -= 1
        if request.puzzle.id in self.failing:
            return Reply(failure="status 500: boom")
        return Reply(content=solving(request))


def test_every_puzzle_is_asked_once_for_each_sample(tmp_path):
    player, todo = Solver(), plan(samples=2)
    over = run(tmp_path / "log", todo, player, concurrency=3)
    assert sorted(player.asked) == sorted((name, sample) for name in cases.NAMES for sample in (0, 1))
    assert [(episode.puzzle, episode.sample) for episode in over] == [(n, s) for s in (0, 1) for n in cases.NAMES]
    assert all(episode.solved for episode in over)
    assert player.most_at_once == 3


def test_a_run_is_taken_up_without_asking_twice(tmp_path):
    first, second, third = Solver(), Solver(), Solver()
    run(tmp_path / "log", plan(cases.NAMES[:2]), first)
    over = run(tmp_path / "log", plan(), second)
    assert sorted(name for name, _ in second.asked) == sorted(cases.NAMES[2:])
    assert len(over) == 6
    assert len(run(tmp_path / "log", plan(samples=2), third)) == 12
    assert {sample for _, sample in third.asked} == {1}


def test_a_half_written_episode_is_played_again(tmp_path):
    run(tmp_path / "log", plan(), Solver(), concurrency=1)
    content = (tmp_path / "log").read_bytes()
    (tmp_path / "log").write_bytes(content[:-25])
    player = Solver()
    assert len(run(tmp_path / "log", plan(), player)) == 6
    assert player.asked == [("G01", 0)]


def test_failed_requests_count_as_failures_until_they_are_asked_for_again(tmp_path):
    over = run(tmp_path / "log", plan(), Solver(failing=("A01", "C01")))
    report = metrics.report(SETTINGS, Protocol(), over, 6)
    assert (report["accuracy"]["successes"], report["accuracy"]["episodes"]) == (4, 6)
    assert report["outcomes"]["request failed"] == 2
    unasked = Solver()
    run(tmp_path / "log", plan(), unasked)
    assert unasked.asked == []
    player = Solver()
    over = run(tmp_path / "log", plan(), player, retry_failed=True)
    assert sorted(player.asked) == [("A01", 0), ("C01", 0)]
    assert sum(episode.solved for episode in over) == len(over) == 6


def test_what_is_over_is_in_the_log_when_a_run_is_broken_off(tmp_path):
    class Broken(Solver):
        async def __call__(self, request):
            if len(self.asked) == 3:
                raise KeyboardInterrupt
            return await super().__call__(request)

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "log", plan(), Broken(), concurrency=1)
    assert list(logs.read(tmp_path / "log").episodes) == [("A01", 0), ("A03", 0), ("B01", 0)]
    player = Solver()
    assert len(run(tmp_path / "log", plan(), player)) == 6
    assert sorted(name for name, _ in player.asked) == ["C01", "F02", "G01"]


def test_many_failures_in_a_row_end_a_run_that_can_be_taken_up(tmp_path):
    with pytest.raises(EndpointError) as caught:
        run(tmp_path / "log", plan(samples=3), Solver(failing=cases.NAMES), concurrency=1, stop_after=4)
    assert str(caught.value) == (
        "The requests of 4 episodes in a row failed, the last one with: status 500: boom. What is over is in the log; run the "
        "same command with --retry-failed to go on."
    )
    assert len(logs.read(tmp_path / "log").episodes) == 4
    over = run(tmp_path / "log", plan(), Solver(failing=cases.NAMES), stop_after=0, retry_failed=True)
    assert len(over) == 6


def test_another_puzzle_of_the_same_name_is_not_taken_for_it(tmp_path):
    run(tmp_path / "log", plan(("A01",)), Solver())
    import dataclasses

    other = runs.Plan((dataclasses.replace(cases.puzzle("E01"), id="A01"),), 1, Protocol())
    with pytest.raises(logs.LogError, match="The log has another puzzle of the id 'A01'. Choose another folder."):
        run(tmp_path / "log", other, Solver())


def test_a_run_of_other_settings_is_refused(tmp_path):
    run(tmp_path / "log", plan(("A01",)), Solver())
    settings = runs.settings_of("endpoint", Protocol(wording="paper"), Sampling("m", temperature=1.0))
    with pytest.raises(logs.LogError) as caught:
        run(tmp_path / "log", plan(("A01",), wording="paper"), Solver(), settings)
    assert 'wording is "reference" there and "paper" here; temperature is null there and 1.0 here; prompts is ' in str(
        caught.value
    )


def test_prompts_that_say_something_else_make_another_run(monkeypatch):
    before = runs.settings_of("endpoint", Protocol("step"), Sampling("m"))
    assert runs.settings_of("endpoint", Protocol("step"), Sampling("m")) == before
    monkeypatch.setattr(prompts, "REMINDER", "Again!")
    assert runs.settings_of("endpoint", Protocol("step"), Sampling("m"))["prompts"] != before["prompts"]


def test_levels_take_turns():
    import dataclasses

    levels = {"a": 2, "b": 1, "c": 1, "d": 3, "e": 1, "f": 2}
    found = runs.in_turns(dataclasses.replace(cases.puzzle("A01"), id=name, level=level) for name, level in levels.items())
    assert [puzzle.id for puzzle in found] == ["b", "a", "d", "c", "f", "e"]


def test_an_endpoint_that_misbehaves_ends_in_a_true_account(tmp_path):
    """Each puzzle meets with troubles of its own; the third of six attempts at a time is the last."""
    troubles = {
        "A01": [error(429, "slow", {"retry-after": "0.05"}), RESET],  # then right
        "A03": [says(""), Say(b'{"choi')],  # then right
        "B01": [error(500, "boom")] * 3,  # never
        "C01": [Say(completion("#### (2,0),(9,9)"))],  # a broken line
        "F02": [says("I cannot.")],  # no path
        "G01": [error(400, "too long")],  # refused
    }
    lock = threading.Lock()

    def script(request, number):
        asked = question(request).partition("Now your puzzle.")[2]
        puzzle = next(p for p in cases.some() if "\n".join(prompts.rows(p.grid)) in asked)
        with lock:
            return troubles[puzzle.id].pop(0) if troubles[puzzle.id] else says(cases.answer(puzzle.solutions[0]))

    fake, todo = Fake(script), plan()
    with fake.running() as url:

        async def all_of():
            client = Endpoint(Sampling("m"), "secret", url, PATIENCE)
            try:
                with logs.opened(tmp_path / "log", SETTINGS, {}) as log:
                    await runs.play(todo, log, client, concurrency=4)
                    return runs.played(todo, log)
            finally:
                await client.close()

        over = asyncio.run(all_of())
    outcomes = {episode.puzzle: episode.outcome for episode in over}
    assert outcomes == {
        "A01": "solved",
        "A03": "solved",
        "B01": "request failed",
        "C01": "line broken",
        "F02": "no path",
        "G01": "request failed",
    }
    tried = {episode.puzzle: len(episode.turns[0].attempts) for episode in over}
    assert tried == {"A01": 2, "A03": 2, "B01": 3, "C01": 0, "F02": 0, "G01": 1}
    report = metrics.report(SETTINGS, Protocol(), over, 6)
    assert (report["accuracy"]["rate"], report["outcomes"]["request failed"]) == (2 / 6, 2)
    assert (report["cost"]["requests"], report["cost"]["failed_attempts"]) == (12, 8)
    assert len(fake.requests) == 12
    assert "secret" not in (tmp_path / "log").read_text()


def test_an_episode_step_by_step_goes_on_through_troubles(tmp_path):
    replies = [error(503), says("hm"), says("Final: 0"), RESET, says("Final: 0"), says(""), says("Final: 3"), says("Final: 3")]
    fake, todo = Fake(lambda request, number: replies[number]), plan(("A01",), mode="step")
    with fake.running() as url:

        async def one():
            client = Endpoint(Sampling("m"), "secret", url, PATIENCE)
            with logs.opened(tmp_path / "log", SETTINGS, {}) as log:
                await runs.play(todo, log, client)
            await client.close()
            return log.episodes["A01", 0]

        episode = asyncio.run(one())
    assert (episode.outcome, episode.steps, len(episode.turns)) == ("solved", 4, 5)
    assert [len(turn.attempts) for turn in episode.turns] == [1, 0, 1, 1, 0]
