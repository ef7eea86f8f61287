"""Figures of a run."""

import statistics

import pytest

from kagejax.evaluation.spatial import metrics, tables
from kagejax.evaluation.spatial.episodes import Turn
from kagejax.evaluation.spatial.exchange import Attempt
from kagejax.evaluation.spatial.settings import Protocol

from .spatial_cases import episode

ONE_SHOT, STEP, TRACEBACK = ({"agent": "endpoint", "model": "m", "mode": mode} for mode in ("one-shot", "step", "traceback"))


def test_a_rate_comes_with_wilsons_interval():
    found = metrics.rate({str(i): [i < 12] for i in range(500)})
    assert (found["rate"], found["successes"], found["episodes"], found["puzzles"]) == (0.024, 12, 500, 500)
    assert found["interval"] == pytest.approx([0.0138, 0.0415], abs=1e-4)  # as tables of Wilson's interval have it
    assert metrics.rate({"a": [False], "b": [False]})["interval"] == pytest.approx([0.0, 0.6576], abs=1e-4)
    assert metrics.rate({}) == {"rate": None, "interval": [0.0, 1.0], "successes": 0, "episodes": 0, "puzzles": 0}


def test_samples_of_one_puzzle_are_no_independent_evidence():
    alike = metrics.rate({str(i): [i < 50] * 10 for i in range(100)})  # each puzzle always or never
    once = metrics.rate({str(i): [i < 50] for i in range(100)})
    assert alike["interval"] == pytest.approx(once["interval"])
    assert (alike["episodes"], alike["puzzles"]) == (1000, 100)
    spread = metrics.rate({str(i): [j % 2 == 0 for j in range(10)] for i in range(100)})  # chance alone
    apart = metrics.rate({str(i): [i % 2 == 0] for i in range(1000)})
    assert spread["interval"] == pytest.approx(apart["interval"])
    never = metrics.rate({str(i): [False] * 10 for i in range(100)})
    assert never["interval"] == metrics.rate({str(i): [False] for i in range(100)})["interval"]


def test_the_interval_of_several_samples_is_that_of_the_spread_between_puzzles():
    hits = {str(i): [i % 4 == 0, i % 3 == 0] for i in range(60)}
    means = [sum(values) / 2 for values in hits.values()]
    share, error = statistics.fmean(means), (statistics.variance(means) / 60) ** 0.5
    low, high = metrics.rate(hits)["interval"]
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.05)
    assert (high + low) / 2 == pytest.approx(share, abs=0.02)


def report():
    episodes = [
        episode("a", level=1, kinds=("dot", "star")),
        episode("b", level=1, kinds=("gap",), outcome="rules broken"),
        episode("c", level=5, kinds=("dot",), outcome="line broken", solved_leniently=True),
        episode("d", level=5, kinds=("ylop",), outcome="request failed", path=None),
    ]
    return metrics.report(ONE_SHOT, Protocol(), episodes, 5)


def test_accuracy_is_told_by_level_and_by_rule_over_all_that_was_asked():
    found = report()
    assert (found["accuracy"]["successes"], found["accuracy"]["episodes"]) == (1, 4)
    counts = {level: (figures["successes"], figures["episodes"]) for level, figures in found["by_level"].items()}
    assert counts == {"1": (1, 2), "2": (0, 0), "3": (0, 0), "4": (0, 0), "5": (0, 2)}
    counts = {kind: (figures["successes"], figures["episodes"]) for kind, figures in found["by_kind"].items()}
    assert list(counts) == ["dot", "gap", "square", "star", "triangle", "poly", "ylop"]
    assert (counts["dot"], counts["gap"], counts["star"], counts["ylop"]) == ((1, 2), (0, 1), (1, 1), (0, 1))
    assert (found["episodes"], found["asked"], found["complete"]) == (4, 5, False)
    ended = {name: count for name, count in found["outcomes"].items() if count}
    assert ended == {"solved": 1, "rules broken": 1, "line broken": 1, "request failed": 1}


def test_whole_answers_are_told_by_the_quality_of_their_lines():
    found = report()
    assert found["lenient_accuracy"]["successes"] == 2
    assert found["lines"]["fully_valid_path"]["rate"] == 0.5
    assert found["lines"]["line_valid"]["rate"] == 0.5
    assert found["invalid_path_rate"] == 0.5
    assert found["positions"] == {"mean": 5.0, "median": 5, "min": 5, "max": 5}


def test_several_samples_are_told_by_their_mean_and_by_puzzles_solved_at_all():
    episodes = [episode("a", sample, "solved" if sample == 0 else "no path") for sample in range(4)]
    episodes += [episode("b", sample, "no path") for sample in range(4)]
    found = metrics.report(ONE_SHOT, Protocol(), episodes, 8)
    assert found["accuracy"]["rate"] == 0.125
    assert found["accuracy"]["solved_once"]["rate"] == 0.5


def test_steps_are_told_by_how_they_ended_and_how_replies_were_read():
    walk = ((0, 0), (1, 0), (2, 0), (1, 0), (2, 0), (2, 1))
    turns = (Turn("?", "0", action=0, lenient_action=0), Turn("?", '"up"', lenient_action=1), Turn("?", "", failure="x"))
    episodes = [
        episode("a", walk=walk, steps=5, backtracks=1, turns=turns),
        episode("b", outcome="stuck", walk=walk[:2], steps=3, illegal=2, line=dict.fromkeys(episode().line, False)),
        episode("c", outcome="step limit", walk=walk[:3], steps=100),
        episode("d", outcome="invalid reply", walk=walk[:1], steps=0),
    ]
    found = metrics.report(TRACEBACK, Protocol("traceback"), episodes, 4)
    assert [found[name]["rate"] for name in ("reached_end", "stuck", "step_limit")] == [0.25, 0.25, 0.25]
    assert found["steps"] == {"mean": 27.0, "median": 4.0, "min": 0, "max": 100}
    assert (found["illegal_moves"], found["backtracks"]) == (0.5, 0.25)
    # a: 5 steps for the 3 edges left; b: 3 for 1; c was cut off; d has no edge
    assert found["backtracking_ratio"]["mean"] == pytest.approx((5 / 3 + 3) / 2)
    assert (found["replies"], found["replies_without_action"], found["replies_without_action_lenient"]) == (5, 4, 3)
    assert found["replies_read_differently"] == 1


def test_loops_are_cut_back_to_the_first_visit():
    walk = [(0, 0), (1, 0), (2, 0), (1, 0), (1, 0), (0, 0), (0, 1)]
    assert metrics.without_loops(walk) == [(0, 0), (0, 1)]


def test_costs_are_added_up():
    tries = (Attempt("status 429: slow", 0.1, 2.0), Attempt("empty answer", 0.1, 0.5))
    good = Turn("?", "!", prompt_tokens=10, completion_tokens=20, reasoning_tokens=15, attempts=tries, finish="length")
    bad = Turn("?", "", failure="empty answer", attempts=tries[1:])
    found = metrics.report(ONE_SHOT, Protocol(), [episode(turns=(good, bad))], 1)["cost"]
    assert found == {
        "requests": 4,
        "failed_attempts": 3,
        "errors": {"empty answer": 2, "status 429: slow": 1},
        "cut_off_replies": 1,
        "prompt_tokens": 10,
        "completion_tokens": 20,
        "reasoning_tokens": 15,
        "seconds": {"mean": 1.0, "median": 1.0, "min": 1.0, "max": 1.0},
        "seconds_waited": 3.0,
    }


def test_a_report_is_a_table_for_a_terminal_and_for_markdown():
    text = tables.plain(report())
    assert "Accuracy   puzzles  solved  accuracy  95 % interval\n" in text
    assert "all              4  1 of 4    25.0 %    4.6 to 69.9\n" in text
    assert "level 5          2  0 of 2     0.0 %    0.0 to 65.8\n" in text
    assert "level 2" not in text
    assert "not played yet" in text
    assert "accuracy, lenient parser" in text
    document = tables.markdown(report())
    assert document.startswith("# Path puzzles: m\n\nagent endpoint, model m, mode one-shot\n\n1 episode of 4 failed for")
    assert "\n\n**Incomplete.** Played so far: 4 of 5 episodes.\n\n" in document
    assert "| all | 4 | 1 of 4 | 25.0 % | 4.6 to 69.9 |\n" in document


def test_an_error_of_an_endpoint_is_told_without_what_a_terminal_would_obey():
    turns = (Turn("?", "", failure="status 500: \x1b[2J\u202e \ud800\n<b>" + 400 * "x"),)
    found = metrics.report(ONE_SHOT, Protocol(), [episode("a", outcome="request failed", path=None, turns=turns)], 1)
    said = tables.trouble(found)
    assert "The last error: status 500: <U+001B>[2J<U+202E> ? <b>xxx" in said
    assert len(said) < 600
    assert "status 500: &lt;U+001B>[2J&lt;U+202E> ? &lt;b>" in tables.markdown(found)


@pytest.mark.parametrize("settings", [STEP, TRACEBACK])
def test_tables_of_steps_say_what_belongs_to_them(settings):
    protocol = Protocol(settings["mode"])
    text = tables.plain(metrics.report(settings, protocol, [episode(walk=((0, 0), (1, 0)), steps=1)], 1))
    assert "reached end" in text
    assert ("moves back" in text) == protocol.traceback
    assert "lenient parser" in text
