import dataclasses

import pytest

from agents import ppo
from kagejax.config.problems import ConfigError
from kagejax.learning import settings
from kagejax.learning.settings import Amount, Count


@dataclasses.dataclass(frozen=True)
class Example:
    """Settings of nothing."""

    steps: Count = 10
    """How long."""
    rate: Amount = 0.5
    names: tuple[str, ...] = ("a",)

    def __post_init__(self):
        if self.steps % 2:
            raise ValueError("steps must be even")


def problem(path=None, assignments=()):
    with pytest.raises(ConfigError) as caught:
        settings.load(Example, path, assignments)
    return " ".join(str(caught.value).split())


def test_a_file_overrides_defaults_and_assignments_override_the_file(tmp_path):
    path = tmp_path / "example.yaml"
    path.write_text("steps: 20\nnames: [b, c]\n")
    assert settings.load(Example, path, ["steps=30"]) == Example(steps=30, rate=0.5, names=("b", "c"))


def test_one_value_in_place_of_a_list_is_told_how_a_list_is_written():
    assert "--set: names Found 'b' (text). This is a list, which is written [b]." in problem(None, ["names=b"])


def test_exponents_are_numbers_as_people_write_them():
    assert settings.load(Example, None, ["steps=1e6", "rate=5e-4"]) == Example(steps=1_000_000, rate=0.0005)


def test_settings_come_back_from_the_file_they_are_saved_to(tmp_path):
    example = Example(steps=4, rate=1e-5, names=("x", "y"))
    settings.save(example, tmp_path / "example.yaml")
    assert settings.load(Example, tmp_path / "example.yaml") == example


def test_an_unknown_key_is_answered_with_file_line_and_nearest(tmp_path):
    path = tmp_path / "example.yaml"
    path.write_text("rate: 1\nstpes: 20\n")
    assert f"{path}:2: stpes Unknown key. Did you mean steps?" in problem(path)


def test_all_that_is_wrong_is_said_at_once():
    text = problem(assignments=["steps=-2", "rate=fast"])
    assert "--set: steps Found -2 (an integer). Allowed: above 0." in text
    assert "--set: rate Found 'fast' (text). Allowed: a number." in text


@pytest.mark.parametrize(
    "assignment, allowed",
    [
        ("gamma=2", "at most 1"),
        ("seeds=[1.5]", "a whole number"),
        ("parallel=both", "'auto', 'processes', 'vmap' or 'turn'"),
        ("learning_rate=.inf", "a finite number"),
        ("film=3", "true or false"),
        ("run_dir=[1]", "a text"),
    ],
)
def test_what_is_allowed_is_said_in_the_words_of_all_other_messages(assignment, allowed):
    with pytest.raises(ConfigError) as caught:
        settings.load(ppo.Config, None, [assignment])
    assert str(caught.value).endswith(f" Allowed: {allowed}.")


@pytest.mark.parametrize(
    "text, message",
    [
        ("steps: [1", "This is not valid YAML"),
        ("- 1", "Settings are lines of 'key: value'. Found [1] (a list)."),
        ("steps: 2\nsteps: 4", "This key is given twice; line 1 has it already. Keep one."),
        ("steps: 3", "steps must be even"),
        ("steps: no", "steps Found false; this is not a switch."),
    ],
)
def test_what_a_file_can_have_wrong(tmp_path, text, message):
    path = tmp_path / "example.yaml"
    path.write_text(text)
    assert message in problem(path)


def test_a_missing_file_is_named(tmp_path):
    assert f"{tmp_path}/none.yaml: There is no such file." in problem(tmp_path / "none.yaml")


def test_an_assignment_needs_an_equals_sign():
    assert "Found 'steps' (text); write key=value" in problem(assignments=["steps"])


def test_flags_come_last(tmp_path):
    path = tmp_path / "example.yaml"
    path.write_text("steps: 20\n")
    arguments = ["--config", str(path), "--set", "rate=1e-3", "steps=30", "--steps", "40"]
    assert settings.from_command_line(Example, "An example.", arguments) == Example(steps=40, rate=0.001)


def test_help_is_the_docstrings_of_the_fields(capsys):
    with pytest.raises(SystemExit):
        settings.from_command_line(Example, "An example.", ["--help"])
    text = capsys.readouterr().out
    assert "How long." in text
    assert "--config FILE.yaml" in text
