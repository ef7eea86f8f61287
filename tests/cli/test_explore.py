"""`kagejax explore`, as a person at a terminal sees it."""

import socket
import threading
import urllib.request

import pytest

from kagejax.cli import explore
from kagejax.config.problems import ConfigError

pytest.importorskip("starlette", reason="the explorer needs starlette: pip install 'kagejax[explore]'")
uvicorn = pytest.importorskip("uvicorn", reason="the explorer needs uvicorn: pip install 'kagejax[explore]'")


@pytest.fixture(autouse=True)
def _place(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")  # as the command sets it
    monkeypatch.setenv("KAGEJAX_CACHE", str(tmp_path / "cache"))


def complaint(*arguments):
    with pytest.raises(ConfigError) as caught:
        explore.main(arguments)
    return " ".join(str(caught.value).split())


def test_the_page_is_there_where_it_says(monkeypatch, capsys):
    runners = []
    plain = uvicorn.Server
    monkeypatch.setattr(uvicorn, "Server", lambda config: runners.append(plain(config)) or runners[-1])
    thread = threading.Thread(target=explore.main, args=(["kage/background/1", "--no-open"],))
    thread.start()
    try:
        while not (runners and runners[0].started) and thread.is_alive():
            thread.join(0.05)
        address = capsys.readouterr().out.split()[2]
        assert address.startswith("http://127.0.0.1:84")
        with urllib.request.urlopen(address, timeout=10) as answer:
            assert b"kagejax explorer" in answer.read()
        with urllib.request.urlopen(f"{address}api/start", timeout=10) as answer:
            assert b'"kage/background/1/eval"' in answer.read()
    finally:
        runners[0].should_exit = True
        thread.join(30)


def test_a_port_that_is_taken_is_told_and_the_next_one_is_found():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"Port {port} is taken; choose another, or 0" in complaint("kage", "--port", str(port), "--no-open")
    first = explore._listener("127.0.0.1", 0)
    second = explore._listener("127.0.0.1", 0)
    assert first.getsockname()[1] < second.getsockname()[1] < 8420
    first.close()
    second.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kagee"], "Did you mean kage?"),
        (["kage", "--port", "70000"], "--port: Found 70000; allowed: 1 to 65535"),
        (["--pair", "kage", "sokoban"], "kage configures kage and sokoban sokoban"),
        (["kage", "--host", "192.0.2.1"], "--host: Found '192.0.2.1'"),
    ],
)
def test_mistakes_are_told(arguments, message):
    assert message in complaint(*arguments, "--no-open")


def test_a_missing_package_is_named_with_what_installs_it(monkeypatch):
    monkeypatch.setattr(explore.importlib.util, "find_spec", lambda name: None)
    assert "The page needs starlette and uvicorn: pip install 'kagejax[explore]'." in complaint("kage", "--no-open")


def test_other_machines_are_warned_of(monkeypatch, capsys):
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: [each.close() for each in sockets])
    assert explore.main(["kage", "--host", "0.0.0.0", "--no-open"]) == 0
    captured = capsys.readouterr()
    assert captured.err == "warning: other machines can reach this page, and save configurations in this folder.\n"
    assert captured.out.startswith("kagejax explore: http://127.0.0.1:84")
