"""The page to read transcripts: complete in itself, and safe whatever a model wrote."""

import html.parser
import json
import re

import pytest

from kagejax.envs.spatial.puzzles import path_of
from kagejax.evaluation.spatial import drawing, metrics, page, results, tables
from kagejax.evaluation.spatial.episodes import Turn
from kagejax.evaluation.spatial.exchange import Attempt
from kagejax.evaluation.spatial.settings import Protocol

from . import spatial_cases as cases

SETTINGS = {"agent": "endpoint", "model": "<b>m</b>", "mode": "one-shot"}
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)> <!-- {{data}} \u2028 \ud800 &amp;"


class Reader(html.parser.HTMLParser):
    """Elements of a page, and the text of scripts by id."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.links, self._inside = [], {}, [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        given = dict(attributes)
        self.links += [given[name] for name in ("src", "href", "action") if name in given]
        if tag == "script":
            self._inside = given.get("id", "program")

    def handle_data(self, data):
        if self._inside:
            self.scripts[self._inside] = self.scripts.get(self._inside, "") + data

    def handle_endtag(self, tag):
        self._inside = None if tag == "script" else self._inside


def episodes():
    tries = (Attempt("status 429: " + EVIL, 0.1, 0.2),)
    turn = Turn("question " + EVIL, "reply " + EVIL, reasoning=EVIL, finish=EVIL, attempts=tries, prompt_tokens=3)
    broken = dict.fromkeys(cases.LINE, True) | {"avoids_gaps": False, "line_valid": False}
    return [
        cases.episode("A01", turns=(turn,), system=EVIL),
        cases.episode("A03", outcome="line broken", line=broken, turns=(turn,), path=((0, 4), (9, 9), (1, 1))),
        cases.episode("A03", 1, "request failed", path=None, turns=(Turn("?", "", failure=EVIL),)),
        cases.episode("unknown"),
    ]


def written():
    report = metrics.report(SETTINGS, Protocol(), episodes(), 4)
    return page.page(report, episodes(), [cases.puzzle(name) for name in ("A01", "A03")])


def test_what_a_model_wrote_stays_text():
    text = written()
    reader = Reader(text)
    assert "<img" not in text and "alert" not in reader.scripts["program"]
    assert sum(tag == "script" for tag in reader.tags) == 2 + 3 + 1  # index and solutions, the episodes, the program
    assert "b" not in reader.tags
    assert "&lt;b&gt;m&lt;/b&gt;" in text
    turn = json.loads(reader.scripts["episode-0"])["turns"][0]
    assert (turn["reply"], turn["reasoning"], turn["prompt"]) == ("reply " + EVIL, EVIL, "question " + EVIL)
    assert "innerHTML" not in text and "insertAdjacent" not in text and "document.write" not in text


def test_nothing_is_fetched():
    text = written()
    assert Reader(text).links == []
    assert re.findall(r"https?://[^\s\"'`]+", text) == ["http://www.w3.org/2000/svg"] * len(
        re.findall(r"https?://[^\s\"'`]+", text)
    )
    assert "default-src 'none'" in text
    assert "url(" not in text and "@import" not in text


def test_every_episode_on_a_known_puzzle_is_in_the_list_with_its_board():
    reader = Reader(written())
    index = json.loads(reader.scripts["index"])
    assert [(entry["puzzle"], entry["sample"], entry["outcome"], entry["board"]) for entry in index] == [
        ("A01", 0, "solved", 0),
        ("A03", 0, "line broken", 1),
        ("A03", 1, "request failed", 1),
    ]
    assert json.loads(reader.scripts["solutions"])[0] == [list(position) for position in cases.RIGHT_A01]
    assert reader.tags.count("template") == 2
    assert json.loads(reader.scripts["episode-1"])["flaws"] == ["passes a gap"]
    assert json.loads(reader.scripts["episode-2"])["path"] is None


def test_no_slot_is_left_open():
    text = written()
    assert "{{" not in text.replace(json.dumps(EVIL)[1:-1], "").replace("{{data}}", "")
    assert "Solved 2 of 4: 50.0 % (95 % interval 12.5 to 87.5)" in text


def test_the_page_works_for_light_and_dark_and_narrow_windows():
    text = written()
    assert 'name="color-scheme" content="light dark"' in text
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport" content="width=device-width' in text
    assert "@media (max-width: 760px)" in text


@pytest.mark.parametrize("name", cases.NAMES)
def test_a_board_shows_all_that_is_on_it(name):
    puzzle = cases.puzzle(name)
    board = drawing.board(puzzle)
    Reader(board)
    assert board.count('fill="#9ea3ac"') == puzzle.cells  # plates
    assert board.count(f'fill="{drawing.GROUND}"') == 1 + len(puzzle.gaps)
    assert board.count("<polygon") == len(puzzle.dots) + sum(symbol.kind == "star" for symbol in puzzle.symbols)
    assert board.count(">S</text>") == board.count(">E</text>") == 1
    assert board.count("<text") == 2 + puzzle.lattice_w + puzzle.lattice_h


def test_polys_are_filled_and_ylops_hollow():
    board = drawing.board(cases.puzzle("G01"))
    assert board.count(f'fill="{drawing.INK["red"]}"') == 4
    assert board.count(f'fill="none" stroke="{drawing.INK["blue"]}"') == 1


def test_a_run_leaves_its_files(tmp_path):
    report = metrics.report(SETTINGS, Protocol(), episodes(), 4)
    results.write(tmp_path, report, episodes(), [cases.puzzle("A01")])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "report.json", "report.md"]
    assert json.loads((tmp_path / "report.json").read_text()) == report
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_first_solution_is_a_line_of_its_puzzle():
    assert path_of((0, 0), "RRDD") == cases.RIGHT_A01 == cases.puzzle("A01").solutions[0]


def test_characters_that_are_not_seen_are_written_out():
    assert (
        tables.visible("a\u202eb\u2066c\x00\x1b\r\n\t\rd\u200fé")
        == "a<U+202E>b<U+2066>c<U+0000><U+001B>\r\n\t<U+000D>d<U+200F>é"
    )
    turn = Turn("?", "said \u202e", reasoning="\u2067", failure="\x07", attempts=(Attempt("\u202d", 0.1, 0.2),))
    shown = detail(cases.episode("A01", turns=(turn,), system="\x1b"))
    assert shown["system"] == "<U+001B>"
    names = ("reply", "reasoning", "failure", "attempts")
    assert [shown["turns"][0][name] for name in names] == ["said <U+202E>", "<U+2067>", "<U+0007>", ["<U+202D>"]]


def detail(episode, **settings):
    report = metrics.report(SETTINGS | settings, Protocol(), [episode], 1)
    return json.loads(Reader(page.page(report, [episode], [cases.puzzle("A01")])).scripts["episode-0"])


def test_illegal_steps_are_marked_as_the_parser_that_counts_read_them():
    turns = (Turn("?", "0", action=0, lenient_action=1, legal=(0, 3)), Turn("?", "", legal=(0,)))
    found = {name: detail(cases.episode("A01", turns=turns), parser=name)["turns"] for name in ("strict", "lenient")}
    assert [(turn["action"], turn["illegal"]) for turn in found["strict"]] == [(0, False), (None, False)]
    assert [(turn["action"], turn["illegal"]) for turn in found["lenient"]] == [(1, True), (None, False)]


def test_of_a_path_without_end_the_first_positions_are_drawn():
    long = detail(cases.episode("A01", outcome="line broken", path=((0, 0),) * 100_000))
    assert (len(long["path"]), long["cut"]) == (300, 100_000)
    assert detail(cases.episode("A01"))["cut"] is None
