"""What models are told."""

import base64
import io
import itertools
import json

import numpy as np
import PIL.Image
import pytest

from kagejax.envs.spatial import pictures, puzzles
from kagejax.envs.spatial.names import ACTIONS
from kagejax.evaluation.spatial import episodes, parsing, prompts, wording
from kagejax.evaluation.spatial.settings import MODES, VIEWS, WORDINGS, Protocol, Sampling
from tests.oracles import spatial

from . import spatial_cases as cases

EVERY = list(itertools.product(MODES, VIEWS, WORDINGS))
G01 = cases.puzzle("G01")


def told(puzzle, protocol):
    """Everything that a model reads before its first reply."""
    first = (
        prompts.step(puzzle, protocol, (puzzle.start,), (0, 3), 1) if protocol.stepwise else prompts.question(puzzle, protocol)
    )
    return f"{prompts.system(puzzle, protocol)}\n{first}"


def test_the_worked_example_has_the_one_solution_that_it_shows():
    record = puzzles.to_record(prompts.EXAMPLE)
    assert spatial.solutions(record) == [prompts.EXAMPLE.solutions[0]]
    text = prompts.question(G01, Protocol()).partition("Now your puzzle.")[0]
    assert parsing.path(text) == prompts.EXAMPLE.solutions[0]


def test_a_whole_answer_is_asked_for_with_all_that_the_puzzle_is():
    asked = prompts.question(G01, Protocol()).partition("Now your puzzle.")[2]
    assert "Start: (0, 0)\nEnd: (6, 6)\n" in asked
    grid = [json.loads(row) for row in asked.splitlines() if row.startswith("[")]
    assert grid == [
        ["S", "+", "+", "+", "+", "+", "+"],
        ["+", "P-R-816", "+", "Y-B-16", "+", "N", "+"],
        ["+", "+", "+", "+", "+", "+", "+"],
        ["+", "N", "+", "N", "+", "N", "+"],
        ["+", "+", "+", "+", "+", "+", "+"],
        ["+", "N", "+", "N", "+", "N", "+"],
        ["+", "+", "+", "+", "+", "+", "E"],
    ]
    assert "shape 816:\n  ##\n  ##\nshape 16:\n  #\n" in asked
    assert "the marker ####, once" in asked


def test_shapes_keep_their_orientation():
    assert wording.drawn(((0, 1, 0, 0), (0, 1, 1, 0), (0, 0, 0, 0), (0, 0, 0, 0))) == "  #.\n  ##"


def test_a_step_is_asked_for_with_its_number_position_moves_and_board():
    path = ((0, 4), (0, 3), (0, 2))
    asked = prompts.step(cases.puzzle("A03"), Protocol("step"), path, (0, 1), 3)
    assert asked.startswith("Step: 3\nPosition: (0, 2)\nLegal moves: [0=RIGHT, 1=UP]\n\nGrid:\n")
    assert [json.loads(row) for row in asked.splitlines() if row.startswith("[")] == [
        ["+", "+", "+", "+", "E"],
        [".", "N", "+", "N", "+"],
        ["L", "+", ".", "+", "+"],
        ["V", "N", "+", "N", "."],
        ["V", "+", "+", "+", "+"],
    ]
    assert "\nFinal: <move>\n" in asked


@pytest.mark.parametrize(("mode", "view", "wording_"), EVERY)
def test_moves_are_numbered_everywhere_as_the_environment_numbers_them(mode, view, wording_):
    text = told(G01, Protocol(mode, view, wording_))
    if mode == "one-shot":
        assert not any(f"{number}={action.name}" in text for number, action in enumerate(ACTIONS))
    else:
        assert "0=RIGHT (x + 1), 1=UP (y - 1), 2=LEFT (x - 1), 3=DOWN (y + 1)" in text
        assert "Legal moves: [0=RIGHT, 3=DOWN]" in text


def test_the_reference_wording_says_what_the_stored_solutions_obey():
    text = wording.rules(Protocol())
    assert "Symbols of every kind count: squares, stars, triangles, polys and ylops." in text
    assert "exactly two symbols of the star's colour" in text
    assert "cover the region exactly" in text
    assert "never rotated or mirrored" in text
    assert "as many polys as ylops" in text
    assert "A gap that is not on the line, as it must be, separates nothing." in text


@pytest.mark.parametrize(
    ("mode", "partner", "rotation"),
    [
        ("one-shot", "one partner, a star or a square,", "Shapes may not be rotated."),
        ("step", "one other element", "Shapes may not be rotated."),
        ("traceback", "one other element", "In general shapes may be rotated."),
    ],
)
def test_the_wording_of_the_paper_differs_in_stars_polys_and_ylops(mode, partner, rotation):
    paper = wording.rules(Protocol(mode, wording="paper")).splitlines()
    reference = wording.rules(Protocol(mode)).splitlines()
    changed = [line for line, other in zip(paper, reference, strict=True) if line != other]
    assert [line.partition(":")[0] for line in changed] == ["- Stars", "- Polys", "- Ylops"]
    assert partner in changed[0]
    assert changed[1].endswith(f"must have room for that shape. {rotation}")
    assert "exactly the same shape and the same colour" in changed[2]


def test_only_with_traceback_may_the_line_be_taken_back():
    assert "taken back" in prompts.system(G01, Protocol("traceback"))
    assert "taken back" not in prompts.system(G01, Protocol("step"))
    assert "no move is legal" in prompts.system(G01, Protocol("step"))
    assert "no move is legal" not in prompts.system(G01, Protocol("traceback"))  # there is always the way back


@pytest.mark.parametrize("mode", MODES)
def test_with_pictures_the_text_does_not_tell_the_board(mode):
    text = told(G01, Protocol(mode, "picture"))
    assert not any(mark in text for mark in ('"', "P-R", "Y-B", "816", "Grid", "shape 16", "(6, 6)", "Start:"))


def test_a_picture_is_that_of_the_line_so_far():
    stage, index = cases.stage("step", "picture"), cases.NAMES.index("A03")
    url = stage.picture_url(index, ((0, 4), (0, 3)))
    kind, _, content = url.partition(",")
    found = np.asarray(PIL.Image.open(io.BytesIO(base64.b64decode(content))))
    assert kind == "data:image/png;base64"
    np.testing.assert_array_equal(found, pictures.picture(cases.puzzle("A03"), ((0, 4), (0, 3)), 96, 96))


def test_the_first_question_is_the_one_that_an_episode_begins_with():
    for mode, view in (("one-shot", "text"), ("step", "text"), ("step", "picture")):
        stage, player = cases.stage(mode, view), cases.Scripted("", "", "")
        play = episodes.step_by_step if mode == "step" else episodes.one_shot
        cases.play(play, stage, "A01", player)
        assert player.requests[0].messages[1] == episodes.opening(stage, cases.NAMES.index("A01"))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("mode", "both", "mode is 'both'; allowed: one-shot, step, traceback."),
        ("view", "x", "view is 'x'; allowed: text, picture."),
        ("wording", "x", "wording is 'x'; allowed: reference, paper."),
        ("parser", "x", "parser is 'x'; allowed: strict, lenient."),
        ("max_steps", 0, "max_steps is 0; allowed: 1 or more."),
        ("invalid_replies", -1, "invalid_replies is -1; allowed: 0 or more."),
        ("picture_size", 5, "picture_size is 5; allowed: 32 or more."),
    ],
)
def test_a_protocol_that_there_is_not_is_refused(field, value, message):
    with pytest.raises(ValueError) as caught:
        Protocol(**{field: value})
    assert str(caught.value) == message


def test_extra_fields_may_not_replace_those_that_are_set_elsewhere():
    with pytest.raises(ValueError) as caught:
        Sampling("m", extra={"n": 2, "messages": [], "top_k": 1})
    assert str(caught.value) == "extra holds messages, n; these fields are not set there."
