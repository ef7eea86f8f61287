import pytest


@pytest.fixture(autouse=True)
def private_cache(tmp_path, monkeypatch):
    """No test reads or writes the user's own cache."""
    monkeypatch.setenv("KAGEJAX_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
