"""The explorer as its page sees it: a server in this process, with few caches of its own."""

import json

import pytest

from kagejax.explorer import server, sides


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory of the explorer."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def client(folder):
    """A client of an explorer that begins with kage/simplest."""
    pytest.importorskip("starlette", reason="the explorer needs starlette: pip install 'kagejax[explore]'")
    pytest.importorskip("httpx2", reason="starlette's test client needs httpx2: pip install httpx2")
    from starlette.testclient import TestClient

    app = server.application(sides.beginning("kage/simplest", None), folder)
    return TestClient(app, base_url="http://127.0.0.1:8400")


@pytest.fixture(scope="session")
def studio():
    """Environments and programs for all tests of this process."""
    from kagejax.explorer.drawing import Studio

    return Studio()


@pytest.fixture
def drawing_client(client, studio, monkeypatch):
    """`client` with the programs of the other tests."""
    monkeypatch.setattr(server.Explorer, "studio", studio)
    return client


@pytest.fixture
def pieces(drawing_client):
    """`pieces(address, **asked)`: what the server sends, piece by piece."""

    def ask(address, **asked):
        with drawing_client.stream("POST", f"/api/{address}", json=asked) as response:
            assert response.status_code == 200, response.read()
            return [json.loads(line) for line in response.iter_lines()]

    return ask
