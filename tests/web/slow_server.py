"""A server whose replies are late: what is asked of the API waits on its way there and back."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

HOP = ("connection", "transfer-encoding", "keep-alive")
"""What is said between two neighbours and not passed on."""


@dataclass
class Delays:
    """How many seconds a request waits: most a moment, some long enough to be overtaken."""

    random: random.Random
    longest: float
    lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self) -> None:
        """Wait as long as it is drawn."""
        with self.lock:
            share = self.random.random()
        time.sleep(self.longest * share**4)


@contextmanager
def slow_server(url: str, seed: int, longest: float = 0.6) -> Iterator[str]:
    """A server that passes everything on to the one at `url`, late; gives its address."""
    behind = urlsplit(url)
    delays = Delays(random.Random(seed), longest)

    class Late(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self) -> None:
            late = self.path.startswith("/api/")
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if late:
                delays.wait()
            assert behind.hostname is not None
            there = http.client.HTTPConnection(behind.hostname, behind.port, timeout=60)
            try:
                there.request(self.command, self.path, body, dict(self.headers))
                reply = there.getresponse()
                data = reply.read()
            finally:
                there.close()
            if late:
                delays.wait()
            with suppress(ConnectionError):  # nobody waits for it any more
                self.send_response_only(reply.status, reply.reason)
                for name, value in reply.getheaders():
                    if name.lower() not in (*HOP, "content-length"):
                        self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        do_GET = do_POST = do_DELETE = pass_on  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Who has gone away is no error."""

    with Server(("127.0.0.1", 0), Late) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
