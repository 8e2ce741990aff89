"""Strangers: what a page of another site, or a request too large, gets."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from tests.web.running import Running

from oddsmith.errors import OddsmithError
from oddsmith.games import game
from oddsmith.web import cards
from oddsmith.web.prompt import PromptProtocol
from oddsmith.web.security import Guard
from oddsmith.web.tasks.requested import (
    catalogue_class,
    policy_name,
    requested_board,
    requested_game,
)

POLICY = "default-src 'self'"
ODDS = {"kind": "odds", "game": "coin-race"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("server"), body_bytes=10_000) as running:
        yield running


def sentence(answer: httpx.Response) -> str:
    message = answer.json()["error"]["message"]
    assert isinstance(message, str)
    return message


@pytest.mark.parametrize("path", ["/", "/api/health", "/api/nothing", "/api/openapi.json"])
def test_browsers_are_told_to_be_careful(server: Running, path: str) -> None:
    headers = server.client.get(path).headers
    assert headers["content-security-policy"].startswith(POLICY)
    assert "unsafe" not in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_another_name_is_refused(server: Running, host: str) -> None:
    answer = server.client.get("/api/health", headers={"host": host})
    assert answer.status_code == 403
    assert "--allow-host" in sentence(answer)


@pytest.mark.parametrize("host", ["localhost:99", "LOCALHOST", "[::1]:8765", "127.0.0.1"])
def test_names_of_this_machine_are_welcome(server: Running, host: str) -> None:
    assert server.client.get("/api/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_page_changes_nothing(server: Running, headers: dict[str, str]) -> None:
    assert server.client.post("/api/jobs", json=ODDS, headers=headers).status_code == 403
    assert server.client.request("DELETE", "/api/jobs/x", headers=headers).status_code == 403


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "//", "[", "http://a]b", ""])
def test_an_origin_that_is_none_is_refused(server: Running, origin: str) -> None:
    answer = server.client.post("/api/jobs", json=ODDS, headers={"origin": origin})
    assert answer.status_code == 403
    assert answer.headers["content-security-policy"].startswith(POLICY)


def test_failures_have_the_headers_too(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("as if something were wrong")

    for place in (cards, "of_all"), (Guard, "_check"):
        monkeypatch.setattr(*place, broken)
        answer = httpx.get(f"{server.url}/api/games", trust_env=False)
        assert answer.status_code == 500
        assert sentence(answer) == "The server failed, and should not have: RuntimeError."
        assert answer.headers["content-security-policy"].startswith(POLICY)


def test_the_kinds_that_there_are_are_told(server: Running) -> None:
    said = sentence(server.client.post("/api/jobs", json={"kind": "odd"}))
    assert said.startswith("There is no kind 'odd': did you mean 'odds'? There are headline, odds,")
    said = sentence(server.client.post("/api/jobs", json={"kind": "zzz"}))
    assert said.startswith("There is no kind 'zzz': there are headline, odds,")
    assert "kind" in sentence(server.client.post("/api/jobs", json={"game": "pig"}))


def test_what_is_quoted_in_an_error_is_cut(tmp_path: Path) -> None:
    with Running(tmp_path, workers=1) as large:
        for text in ("x" * 60_000 + " = 1", '[board]\nfinish = "\\u001b[2J' + "y" * 60_000 + '"'):
            answer = large.client.post("/api/boards", json={"text": text})
            assert answer.status_code == 422
            assert len(sentence(answer)) < 1100
            assert sentence(answer).isprintable()
            error = large.failed("board", text=text)
            assert len(error["message"]) < 1100
            assert error["message"].isprintable()
        asked = {"kind": "odds", "game": "pig", "options": {"x" * 80: "y" * 400}}
        long = {"kind": "k" * 60_000}
        assert len(sentence(large.client.post("/api/jobs", json=long))) < 1100
        assert large.client.post("/api/jobs", json=asked).status_code == 202


@pytest.mark.parametrize(
    "text",
    [
        "a." * 32_000 + "a=1",
        "[board]\nfinish = 9\n[" + "a." * 32_000 + "a]",
        "[board]\nx = {" + '"a" . ' * 10_000 + "a=1}",
        "[board]\nfinish = [\n" + "1,\n" * 20_000 + "]\n",
    ],
    ids=["key", "header", "quoted", "lines"],
)
def test_no_board_blocks_the_others(text: str) -> None:
    """Reading takes work that grows with the text, not with its square: letters are counted."""
    import tomllib

    parsed = 0
    read = tomllib.loads

    def counted(some: str, **keywords: object) -> object:
        nonlocal parsed
        parsed += len(some)
        return read(some)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tomllib, "loads", counted)
        with pytest.raises(OddsmithError):
            requested_board(text, None)
    assert parsed < 20 * 65_536


def slowly(server: Running, pieces: list[bytes]) -> bytes:
    """What comes back when a request is sent piece by piece; until the server hangs up."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        said = b""
        with suppress(BrokenPipeError, ConnectionResetError):  # hung up, with some left unread
            for piece in pieces:
                raw.sendall(piece)
                if select.select([raw], [], [], 0.05)[0]:
                    said += raw.recv(65_536)
            while more := raw.recv(65_536):
                said += more
        return said


def test_heads_that_never_end_are_cut_off(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PromptProtocol, "head_seconds", 0.3)
    assert slowly(server, []) == b""
    assert slowly(server, [b"GET / HTTP/1.1\r\n", b"Host: localhost\r\n", b"X: 1\r\n"]) == b""
    whole = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    said = slowly(server, [whole[:20], whole[20:], b"GET / HTTP/1.1\r\n"])  # and then another
    assert said.startswith(b"HTTP/1.1 200")


def test_a_body_that_drips_is_cut_off(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oddsmith.web.security.BODY_SECONDS", 0.2)
    head = b"POST /api/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    said = slowly(server, [head + b"Content-Length: 900\r\n\r\n", *[b" "] * 8])
    assert said.startswith(b"HTTP/1.1 408")


def test_the_page_itself_is_heard(server: Running) -> None:
    headers = {"origin": server.url, "sec-fetch-site": "same-origin"}
    answer = server.client.post("/api/jobs", json=ODDS, headers=headers)
    assert answer.status_code in (200, 202)


def test_what_a_form_can_send_is_refused(server: Running) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = server.client.post("/api/jobs", content=b"{}", headers={"content-type": kind})
        assert answer.status_code == 415


def test_a_body_has_a_limit_whatever_is_said_of_it(server: Running) -> None:
    json = {"content-type": "application/json"}
    whole = server.client.post("/api/jobs", content=b" " * 10_001, headers=json)
    assert whole.status_code == 413

    def parts() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * 1000

    with httpx.Client(base_url=server.url) as client:
        assert client.post("/api/jobs", content=parts(), headers=json).status_code == 413


@pytest.mark.parametrize(
    "name",
    ["../pig", "/etc/passwd", "pig.py", "board.toml", "x.py:Game", "PIG", "pi", "", "a" * 99],
)
def test_a_game_is_never_a_file(server: Running, name: str) -> None:
    answer = server.client.post("/api/jobs", json={"kind": "odds", "game": name})
    assert answer.status_code == 422
    with pytest.raises(OddsmithError):
        catalogue_class(name)
    assert not name or server.client.get(f"/api/games/{name}").status_code in (404, 422)


@pytest.mark.parametrize(
    "name", ["x.py:run", "./policy", "a/b", "saved.policy", "hold-at-1e9", "-"]
)
def test_a_policy_is_never_a_file(name: str) -> None:
    with pytest.raises(OddsmithError, match="has no policy"):
        policy_name(game("pig"), name)


def test_paths_do_not_leave_the_static_folder(server: Running) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    for path in (
        "/../app.py",
        "/%2e%2e/app.py",
        "/..%2fapp.py",
        "//etc/passwd",
        "/css/../../app.py",
    ):
        with socket.create_connection((host, int(port))) as raw:
            raw.sendall(
                f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
            )
            assert b" 404 " in raw.makefile("rb").readline()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b'{"kind": "odds"}',
        b'{"kind": "nothing"}',
        b'{"kind": "odds", "game": "pig", "more": 1}',
        b'{"kind": "odds", "game": "\\ud800"}',
        b'{"kind": "odds", "game": "pig", "players": NaN}',
        b'{"kind": "odds", "game": "pig", "players": ' + b"9" * 5000 + b"}",
        b"[" * 5000,
        b"\xff\xfe",
    ],
)
def test_nonsense_is_a_sentence(server: Running, body: bytes) -> None:
    json = {"content-type": "application/json"}
    answer = server.client.post("/api/jobs", content=body, headers=json)
    assert answer.status_code in (400, 422), answer.text
    assert sentence(answer)
    again = server.client.post("/api/boards", content=b'{"tables": {"a": "\\ud800"}}', headers=json)
    assert again.status_code == 422


def test_options_are_parsed_and_nothing_else(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    texts = {"goal": f"__import__('os').system('touch {mark}')"}
    with pytest.raises(OddsmithError, match="whole number"):
        requested_game({"game": "pig", "options": texts})
    assert not mark.exists()
