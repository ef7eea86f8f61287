"""What a reply says, by the published parsers and by the lenient ones."""

import time

import pytest

from kagejax.evaluation.spatial import lines, parsing
from tests.oracles import spatial_golden

from . import spatial_cases as cases

ANSWERS = spatial_golden.document("parsing")["one_shot"]
REPLIES = spatial_golden.document("parsing")["step_reply"]
A01 = cases.RIGHT_A01


def as_path(positions):
    return None if positions is None else tuple(map(tuple, positions))


@pytest.mark.parametrize("case", ANSWERS, ids=[case["text"][:30] or "nothing" for case in ANSWERS])
def test_answers_are_read_as_published(case):
    assert parsing.path(case["text"], (2, 2)) == as_path(case["path_with_puzzle"])
    assert parsing.path(case["text"]) == as_path(case["path_without_puzzle"])


@pytest.mark.parametrize("case", ANSWERS, ids=[case["text"][:30] or "nothing" for case in ANSWERS])
def test_the_lines_of_answers_are_judged_as_published(case):
    found = lines.analyze(parsing.path(case["text"], (2, 2)), cases.puzzle("A01"))
    assert {name: found[name] for name in lines.PUBLISHED} == case["analyze_path"]
    assert (parsing.path(case["text"], (2, 2)) == A01) == case["validate_solution"]


@pytest.mark.parametrize("case", REPLIES, ids=[case["reply"] or "nothing" for case in REPLIES])
def test_replies_to_steps_are_read_as_published(case):
    assert parsing.step(case["reply"]) == case["action"]


def test_all_golden_paths_are_judged_as_published_and_by_the_bounds_and_gaps_that_were_left_out():
    for case in spatial_golden.cases():
        found = lines.analyze(case["path"], cases.puzzle(case["puzzle_id"]))
        assert {name: found[name] for name in lines.PUBLISHED} == case["sparc_validation"]["analyze_path"], case["case_id"]
        structure = case["reference"]["structure"]
        proper = all(structure.values()) and case["reference"]["gaps"]["ok"] and case["path"] != []
        assert found["line_valid"] == proper, case["case_id"]


@pytest.mark.parametrize(
    ("said", "published", "action"),
    [
        ("<think>Final: 1</think> Final: 2", 2, 2),
        ("<think>a</think> Final: 1 <think>b</think>\nFinal: 3", 3, 3),
        ("Final: 0 ... wait, Final: 3", 0, 3),  # who corrects himself is misread by the published parser
        ("Final: left, or as a number Final: 0", 0, 0),
        ('Final: "left"', None, 2),
        ("Final: <2>", None, 2),
        ("**Final:** 1", 1, 1),
        ("**Final:** *up*.", None, 1),
        ("Final answer: DOWN.", None, 3),
        ("The final move is $\\boxed{2}$", None, 2),
        ("right.", None, 0),
        ("I go to (4, 2).", None, None),
        ("Final: 12", None, None),
        ("Final: -1", 1, None),
        ("Final: 2.5", 2, None),
        ("Final: 5", None, None),
        ("", None, None),
    ],
)
def test_the_lenient_reading_of_a_step(said, published, action):
    assert (parsing.step(said), parsing.lenient_step(said)) == (published, action)


@pytest.mark.parametrize(
    "said",
    [
        "#### ( 0,0), (1 ,0), (2,0 ), (2,1), (2,2)",
        "#### [[0,0],[1,0],[2,0],[2,1],[2,2]]",
        "#### (0,0),(1,0),(2,0),(2,1),(2,2) ####",
        "The end is (2,2), so: (0,0),(1,0),(2,0),(2,1),(2,2)",
        "#### From (0,0) to (2,2):\n(0,0),(1,0),(2,0),(2,1),(2,2)",
        "#### (0,0),(1,0),(2,0),(2,1),(2,2)\n####\nThat is the answer.",
    ],
)
def test_the_lenient_reading_finds_paths_that_the_published_one_loses(said):
    assert parsing.path(said, (2, 2)) != A01
    assert parsing.lenient_path(said, (0, 0), (2, 2)) == A01


@pytest.mark.parametrize("case", ANSWERS, ids=[case["text"][:30] or "nothing" for case in ANSWERS])
def test_the_lenient_reading_loses_no_solution(case):
    if case["validate_solution"]:
        assert parsing.lenient_path(case["text"], (0, 0), (2, 2)) == A01


def test_the_lenient_reading_does_not_mend_a_line_that_comes_back_to_its_start():
    said = "#### (0,0),(0,1),(0,0),(1,0),(2,0),(2,1),(2,2)"
    assert parsing.lenient_path(said, (0, 0), (2, 2)) == ((0, 0), (0, 1), *A01)


def test_endless_digits_are_no_position_and_take_no_time():
    digits = "9" * 200_000
    began = time.monotonic()
    assert parsing.path(f"({digits},{digits})") == ((parsing.FAR, parsing.FAR),)
    assert parsing.path(f"(0,{'0' * 5000}7)") == ((0, 7),)
    assert parsing.lenient_step("final" + "*" * 100_000 + "0." * 50_000) is None
    assert time.monotonic() - began < 10
