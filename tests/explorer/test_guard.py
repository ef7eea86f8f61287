"""Who may speak to the explorer."""

import pytest

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("host", ["localhost:8400", "127.0.0.1:8400", "[::1]:8400", "localhost"])
def test_names_of_this_machine_are_answered(client, host):
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8400", "localhost.evil.example", "192.168.0.1", "", "[::1"])
def test_other_names_are_not(client, host):
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 403
    assert answer.text == f"This server does not answer to the name {host!r}.\n"


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:9999", "null"])
def test_pages_of_others_are_turned_away(client, origin):
    answer = client.post("/api/yaml", json={}, headers={"origin": origin})
    assert (answer.status_code, answer.text) == (403, "Only the explorer's own page may ask this.\n")


def test_what_a_form_of_another_page_could_send_is_turned_away(client):
    answer = client.post("/api/save", content="{}", headers={"content-type": "text/plain"})
    assert (answer.status_code, answer.text) == (415, "Send JSON.\n")


def test_endless_requests_are_turned_away(client):
    answer = client.post("/api/yaml", content="x" * (2 << 20), headers=JSON)
    assert (answer.status_code, answer.text) == (413, "A request has at most 1,048,576 bytes.\n")
    assert client.post("/api/yaml", content=iter([b"{}"]), headers=JSON).status_code == 413


def test_no_answer_allows_other_origins_or_resources(client):
    answer = client.get("/", headers={"origin": "http://127.0.0.1:8400"})
    assert "access-control-allow-origin" not in answer.headers
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "http://" not in answer.text and "https://" not in answer.text


def test_files_beside_the_page_are_not_served(client):
    assert client.get("/page/../server.py").status_code == 404
    assert client.get("/page/%2e%2e/server.py").status_code == 404
    assert client.get("/page/main.js").status_code == 200
