"""Episodes with a scripted player: what is asked, how replies are taken, and what it comes to."""

import dataclasses
import json
import time

import pytest

from kagejax.envs.spatial import puzzles
from kagejax.evaluation.spatial import episodes, prompts
from kagejax.evaluation.spatial.exchange import Reply
from tests.oracles import spatial_golden

from . import spatial_cases as cases

WALK_A03 = ("Final: UP", "Final: 1", "final: up", "move 1", "Final: 0", "Final: 0", "3", "down", "Final: 3", "Final: 3")
"""Up the left side, right, and down the middle: the first ten moves of the second solution of A03."""
REST_A03 = ("0", "0", "1", "1", "1", "1")


def shot(name, *replies, **settings):
    player = cases.Scripted(*replies)
    return cases.play(episodes.one_shot, cases.stage("one-shot", **settings), name, player), player


def steps(name, *replies, mode="step", **settings):
    player = cases.Scripted(*replies)
    return cases.play(episodes.step_by_step, cases.stage(mode, **settings), name, player), player


@pytest.mark.parametrize("name", cases.NAMES)
def test_complete_lines_are_judged_as_the_reference_judges_them(name):
    stage, index = cases.stage(), cases.NAMES.index(name)
    kinds = {
        "no_gap_violations": "gaps",
        "all_dots_collected": "dots",
        "square_color_separation": "squares",
        "star_pairing_exact": "stars",
        "triangles_edge_count": "triangles",
        "poly_ylop_area": "polys",
    }
    for case in spatial_golden.cases():
        if case["puzzle_id"] == name and case["kind"] in ("stored_solution", "rule_violation"):
            found = stage.verdict(index, tuple(map(tuple, case["path"])))
            expected = {rule: case["reference"][kind]["ok"] for rule, kind in kinds.items()}
            assert found == {"reached_target": True, "path_not_crossing": True} | expected


@pytest.mark.parametrize(
    ("name", "reply", "outcome"),
    [
        ("A01", cases.answer(cases.RIGHT_A01), "solved"),
        ("A01", "It is (2, 2) in the end.\n" + cases.answer(cases.RIGHT_A01), "solved"),
        ("A01", cases.answer(cases.WRONG_A01), "rules broken"),
        ("A01", cases.answer(cases.RIGHT_A01[:-1]), "line broken"),
        ("A01", "#### (0,0),(1,1),(2,2)", "line broken"),
        ("B01", "#### (0,0),(1,0),(2,0),(2,1),(3,1)", "line broken"),
        ("C01", "#### (2,0),(2,1),(2,2)", "solved"),
        ("C01", "#### (2,0),(1,0),(0,0),(0,1),(0,2),(1,2),(2,2)", "rules broken"),
        ("A01", "I give up.", "no path"),
        ("A01", "", "no path"),
    ],
)
def test_a_whole_answer_comes_to(name, reply, outcome):
    episode, _ = shot(name, reply)
    assert (episode.outcome, episode.solved) == (outcome, outcome == "solved")


def test_a_line_through_a_gap_is_broken_where_the_published_check_is_content():
    episode, _ = shot("B01", "#### (0,0),(1,0),(2,0),(2,1),(2,2),(3,2),(4,2),(4,3),(4,4)")
    assert cases.puzzle("B01").gaps == ((2, 1), (3, 2))
    assert episode.outcome == "line broken"
    assert episode.line["fully_valid_path"]
    assert not episode.line["avoids_gaps"]
    assert not episode.line["line_valid"]


def test_a_whole_answer_that_only_the_lenient_parser_reads_is_told_apart():
    episode, _ = shot("A01", "#### [0,0],[1,0],[2,0],[2,1],[2,2]")
    assert (episode.outcome, episode.solved, episode.solved_leniently) == ("no path", False, True)
    assert (episode.path, episode.lenient_path) == (None, cases.RIGHT_A01)
    episode, _ = shot("A01", cases.answer(cases.RIGHT_A01))
    assert (episode.solved, episode.solved_leniently, episode.lenient_path) == (True, True, None)


def test_reasoning_is_kept_and_not_parsed():
    reply = Reply(content="I do not know.", reasoning=cases.answer(cases.RIGHT_A01), finish="stop", completion_tokens=7)
    episode, _ = shot("A01", reply)
    assert episode.outcome == "no path"
    assert (episode.turns[0].reasoning, episode.turns[0].completion_tokens) == (reply.reasoning, 7)


@pytest.mark.parametrize("mode", ["one-shot", "step"])
def test_a_request_that_fails_ends_an_episode_as_a_failure_of_its_own_kind(mode):
    play = shot if mode == "one-shot" else steps
    episode, _ = play("A01", Reply(failure="status 500: boom"))
    assert (episode.outcome, episode.solved, episode.finished) == ("request failed", False, False)
    assert episode.turns[0].failure == "status 500: boom"


def test_an_episode_step_by_step_is_solved_by_the_rules():
    episode, player = steps("A03", *WALK_A03, *REST_A03)
    assert (episode.outcome, episode.steps, episode.illegal) == ("solved", 16, 0)
    assert episode.path == cases.puzzle("A03").solutions[1]
    assert episode.walk == episode.path
    assert set(episode.rules.values()) == {True}
    assert [turn.action for turn in episode.turns] == [1, 1, 1, 1, 0, 0, 3, 3, 3, 3, 0, 0, 1, 1, 1, 1]
    assert player.requests[4].path == ((0, 4), (0, 3), (0, 2), (0, 1), (0, 0))
    assert player.requests[4].legal == (0,)


def test_every_step_is_asked_anew_unless_the_conversation_is_kept():
    _, apart = steps("A01", "I think.\nFinal: 0", "Final: 0", "Final: 3", "Final: 3")
    assert [[message["role"] for message in request.messages] for request in apart.requests] == [["system", "user"]] * 4
    _, kept = steps("A01", "<think>so</think> Final: 0", "Final: 0", "Final: 3", "Final: 3", history=True)
    roles = [message["role"] for message in kept.requests[2].messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [message["content"] for message in kept.requests[2].messages[2:5:2]] == ["Final: 0", "Final: 0"]
    assert kept.requests[2].messages[-1] == apart.requests[2].messages[-1]


def test_a_reply_without_a_move_is_asked_again_within_limits():
    episode, player = steps("A01", "hm", "Final: 0", "Final: 0", "no", "Final: 3", "Final: 3")
    assert (episode.outcome, episode.steps, len(episode.turns)) == ("solved", 4, 6)
    again = player.requests[1].messages[-1]["content"]
    assert again == f"{player.requests[0].messages[-1]['content']}\n\n{prompts.REMINDER}"
    assert [turn.step for turn in episode.turns] == [0, 0, 1, 2, 2, 3]
    episode, _ = steps("A01", "hm", "", "right, or not", "Final: 0")
    assert (episode.outcome, episode.steps, len(episode.turns)) == ("invalid reply", 0, 3)


def test_in_a_conversation_the_reminder_alone_is_sent_and_an_empty_reply_stands_for_itself():
    _, player = steps("A01", "", "Final: 0", "Final: 0", "Final: 3", "Final: 3", history=True)
    assert [message["content"] for message in player.requests[1].messages[2:]] == ["(no answer)", prompts.REMINDER]


def test_the_published_reading_moves_the_line_unless_the_lenient_one_is_chosen():
    replies = ("Final: 0. No, wait. Final: 3",)
    strict, _ = steps("A01", *replies, "x", "x", "x")
    assert (strict.turns[0].action, strict.turns[0].lenient_action, strict.walk) == (0, 3, ((0, 0), (1, 0)))
    lenient, _ = steps("A01", *replies, "x", "x", "x", parser="lenient")
    assert lenient.walk == ((0, 0), (0, 1))


def test_illegal_moves_cost_a_step_and_move_nothing():
    episode, _ = steps("A01", "Final: 1", "Final: 2", "Final: 0", "Final: 0", "Final: 3", "Final: 3")
    assert (episode.outcome, episode.steps, episode.illegal) == ("solved", 6, 2)
    assert episode.walk == ((0, 0), (0, 0), (0, 0), (1, 0), (2, 0), (2, 1), (2, 2))


def test_a_line_without_a_way_on_is_stuck_and_steps_run_out():
    around = ("1",) * 4 + ("0",) * 2 + ("3",) * 2 + ("2",)  # into the pocket at (1, 2)
    episode, _ = steps("A03", *around)
    assert (episode.outcome, episode.steps, episode.path[-1]) == ("stuck", 9, (1, 2))
    episode, _ = steps("A03", "2", "2", "2", max_steps=3)
    assert (episode.outcome, episode.steps) == ("step limit", 3)
    episode, _ = steps("A01", "3", "3", "0", "0")
    assert (episode.outcome, episode.rules["all_dots_collected"]) == ("rules broken", False)


def test_with_traceback_the_line_is_taken_back():
    episode, player = steps("A01", "3", "1", "0", "0", "3", "3", mode="traceback")
    assert (episode.outcome, episode.steps, episode.backtracks) == ("solved", 6, 1)
    assert episode.walk == ((0, 0), (0, 1), (0, 0), (1, 0), (2, 0), (2, 1), (2, 2))
    assert player.requests[1].legal == (1, 3)


def test_pictures_are_sent_and_not_kept():
    episode, player = steps("A01", "hm", "Final: 0", "0", "3", "3", view="picture", history=True)
    content = player.requests[0].messages[-1]["content"]
    assert [part["type"] for part in content] == ["image_url", "text"]
    assert content[0]["image_url"]["url"].startswith("data:image/png;base64,")
    assert content[1]["text"] == episode.turns[0].prompt
    assert player.requests[1].messages[-1]["content"] == prompts.REMINDER  # nothing has moved
    assert "base64" not in json.dumps(dataclasses.asdict(episode))


def test_an_episode_survives_json():
    for episode, _ in (steps("A01", "hm", "Final: 0", Reply(failure="no")), shot("A01", cases.answer(cases.WRONG_A01))):
        assert episodes.from_json(json.loads(json.dumps(episodes.to_json(episode)))) == episode


def test_a_digest_tells_boards_apart_and_nothing_else():
    record = spatial_golden.puzzles()["F02"]
    other = dict(record, solutions=[], solution_count=0)
    assert episodes.digest(puzzles.from_record(other)) == episodes.digest(cases.puzzle("F02"))
    turned = dict(record, polyshapes=record["polyshapes"].replace("[0,1,1,0]", "[1,1,0,0]"))
    turned |= {"solutions": [], "solution_count": 0}
    assert episodes.digest(puzzles.from_record(turned)) != episodes.digest(cases.puzzle("F02"))


@pytest.mark.parametrize("said", ["(0, 0) ", "(0, 0), (1, 0), ", "(7, 7) "])
def test_an_answer_of_very_many_positions_costs_no_time(said):
    """Once it was minutes; the bound leaves room for a busy machine."""
    cases.stage().warm([0])
    began = time.thread_time()  # of this thread: others may still be compiling
    found, _ = shot("A01", f"#### {said * (100_000 // said.count('('))}")
    assert time.thread_time() - began < 1.5
    assert (found.outcome, found.rules, len(found.path)) == ("line broken", None, 100_000)
    assert episodes.from_json(json.loads(json.dumps(episodes.to_json(found)))) == found
