"""Golden assets on disk, once for all tests of kage."""

import pytest

from . import golden


@pytest.fixture(scope="session")
def asset_folder(tmp_path_factory):
    """A folder with the golden background and skins as PNG files."""
    folder = tmp_path_factory.mktemp("golden_assets")
    golden.write_assets(folder)
    return folder
