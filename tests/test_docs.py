"""What the documentation says is what the code does."""

import pathlib
import re

import jax
import pytest

from kagejax.config.rendering import markdown_table
from kagejax.envs.kage.config import KageConfig
from kagejax.envs.sliding.config import SlidingConfig
from kagejax.envs.sokoban.config import SokobanConfig
from kagejax.envs.spatial.config import SpatialConfig

ROOT = pathlib.Path(__file__).parent.parent


ROOMS = {"kage": KageConfig, "sliding": SlidingConfig, "sokoban": SokobanConfig, "spatial": SpatialConfig}


@pytest.mark.parametrize(("room", "model"), ROOMS.items())
def test_the_parameter_table_of_a_room_is_that_of_its_schema(room, model):
    text = (ROOT / f"kagejax/envs/{room}/README.md").read_text()
    assert text.endswith(markdown_table(model)), f"write kagejax.config.rendering.markdown_table({model.__name__}) at its end"


def test_the_quick_start_runs_as_written():
    block = re.search(r"## Quick start\n\n```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    found: dict = {}
    exec(block, found)
    assert found["observation"].shape == (128, 128, 3)
    assert int(found["info"]["timestep"]) == 1


@pytest.mark.parametrize("path", sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("**/*.md") if ".venv" not in p.parts))
def test_links_between_documents_lead_somewhere(path):
    page = ROOT / path
    links = re.findall(r"\]\((?!http)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_versions_agree():
    import kagejax

    assert f'version = "{kagejax.__version__}"' in (ROOT / "pyproject.toml").read_text()
    assert jax.config.jax_threefry_partitionable  # levels are those of the reference only then


def test_an_environment_of_ones_own_runs_as_written():
    page = (ROOT / "docs/write_your_own_environment.md").read_text()
    first, second = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(first.splitlines()) <= 65
    found: dict = {}
    exec(first, found)
    exec(second, found)
    assert found["observation"].shape == (1024, 16, 16, 3)
    assert found["stacked"].observation_space.shape == (16, 16, 12)
