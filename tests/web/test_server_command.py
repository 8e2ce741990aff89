"""`oddsmith serve` at a terminal."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from oddsmith.cli import app
from oddsmith.errors import MissingExtraError, OptionError
from oddsmith.web.serve import listen, serve
from oddsmith.web.settings import ServerSettings

START = "from oddsmith.cli import main; main()"


def test_ctrl_c_ends_it_cleanly(tmp_path: Path) -> None:
    command = [sys.executable, "-c", START, "serve", "--no-open", "--port", "0", "--workers", "1"]
    with subprocess.Popen(
        [*command, "--data", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        assert re.match(r"Oddsmith is at http://127\.0\.0\.1:\d+/ ", process.stdout.readline())
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
        assert process.returncode in (0, 130)
        assert "Traceback" not in said


def test_a_port_in_use_is_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OptionError, match=f"Port {port} of 127.0.0.1 is in use"):
            serve(ServerSettings(data=tmp_path), port, browser=False)


def test_the_next_free_port_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr("oddsmith.web.serve.PORT", port)
        with listen("127.0.0.1", None) as found:
            assert port < found.getsockname()[1] < port + 20


def test_a_host_that_others_reach_needs_a_name() -> None:
    result = CliRunner().invoke(app, ["serve", "--host", "0.0.0.0", "--no-open"])
    assert isinstance(result.exception, OptionError)
    assert "--allow-host" in str(result.exception)


def test_a_missing_extra_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'oddsmith\[web\]'"):
        serve(ServerSettings(data=tmp_path), 0, browser=False)
