"""A server for tests, as people start it: a process of its own, with its own port and data."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

START = "from oddsmith.cli import main; main()"
PATIENCE = 60.0


@dataclass(frozen=True)
class LiveServer:
    """A server that runs."""

    url: str
    process: subprocess.Popen[str]


@contextmanager
def live_server(data: Path, *arguments: str) -> Iterator[LiveServer]:
    """Start `oddsmith serve`, wait until it says where it is, and end it afterwards."""
    command = [sys.executable, "-c", START, "serve", "--no-open", "--port", "0"]
    with subprocess.Popen(
        [*command, "--data", str(data), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        start_new_session=True,  # Ctrl-C in the terminal of the tests is not for it
    ) as process:
        said: list[str] = []
        greeted = threading.Event()

        def listen() -> None:
            assert process.stdout is not None
            for line in process.stdout:
                said.append(line)
                if "http://" in line:
                    greeted.set()
            greeted.set()

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            greeted.wait(PATIENCE)
            found = re.search(r"http://\S+?:\d+", "".join(said))
            assert found, f"The server did not start: {''.join(said)}"
            yield LiveServer(found[0], process)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            listener.join(5)
