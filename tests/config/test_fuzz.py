"""Whatever a file holds, it loads or is answered with a ConfigError."""

import pathlib
import tempfile
import warnings

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kagejax import ConfigError, load_config
from kagejax.config.parameters import parameters, sections
from kagejax.config.rendering import to_yaml
from kagejax.envs.kage.config import KageConfig

DEFAULT = (pathlib.Path(__file__).parents[2] / "configs" / "kage" / "default.yaml").read_text()
LINES = DEFAULT.splitlines()
SHORT = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
PIECES = [
    "!!int", "!!float", "!!timestamp", "!!bool", "!!binary", "&a", "*a", "<<:", "{", "}", "[", "]", ":", "-", "?", "|", "\t",
    "0", "'", "null", "1e5", "0x", "env", "extends", "~", ".nan", "2001-99-99", "%", "---", "...", "é", "\u2028", "\0",
]  # fmt: skip


def load_or_complain(text):
    """The configuration in `text`, or None if it was answered with an error that prints."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = pathlib.Path(folder, "my.yaml")
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        try:
            config = load_config(path)
        except ConfigError as error:
            assert error.problems and str(error)
            return None
        assert isinstance(config, KageConfig)
        return config


@SHORT
@given(st.text(max_size=60))
def test_any_text_loads_or_is_answered(text):
    load_or_complain(text)


@SHORT
@given(st.binary(max_size=40))
def test_any_bytes_load_or_are_answered(data):
    load_or_complain(data)


@settings(SHORT, max_examples=120)
@given(st.lists(st.tuples(st.integers(0, len(DEFAULT)), st.sampled_from(PIECES)), min_size=1, max_size=3))
def test_pieces_of_yaml_in_wrong_places_load_or_are_answered(insertions):
    text = DEFAULT
    for place, piece in insertions:
        text = text[:place] + piece + text[place:]
    load_or_complain(text)


@SHORT
@given(st.lists(st.tuples(st.integers(0, len(LINES) - 1), st.integers(0, len(LINES) - 1)), min_size=1, max_size=4))
def test_lines_in_wrong_places_load_or_are_answered(swaps):
    lines = list(LINES)
    for source, target in swaps:
        lines[target] = lines[source]
    load_or_complain("\n".join(lines))


WORDS = st.sampled_from(["red", "circle", "noise"])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.dates(), WORDS)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(SCALARS, inner, max_size=3), max_leaves=6
)
PATHS = st.sampled_from([*parameters(KageConfig), *sections(KageConfig), "env", "extends", "nothing"])


@settings(SHORT, max_examples=150)
@given(st.dictionaries(PATHS, VALUES, max_size=5), st.booleans())
def test_any_value_of_any_key_loads_or_is_answered(values, ours):
    text = yaml.safe_dump({**({"env": "kage"} if ours else {}), **values})
    config = load_or_complain(text)
    if config is not None:
        assert load_or_complain(to_yaml(config, "kage")).flat() == config.flat()


@SHORT
@given(st.dictionaries(PATHS, VALUES | st.dictionaries(st.text(max_size=5), VALUES, max_size=2), max_size=4))
def test_any_override_is_taken_or_answered(overrides):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            load_config("kage", **overrides)
        except ConfigError as error:
            assert str(error)
