"""Serving: from settings to a running server, with one sentence for whatever goes wrong."""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys
import threading
import webbrowser
from contextlib import suppress

from oddsmith.errors import MissingExtraError, OptionError
from oddsmith.runtime import interrupt, remains
from oddsmith.web.settings import ServerSettings

PORT = 8765
TRIES = 20
"""Ports that are tried, one after the other, if none was asked for."""


def is_loopback(host: str) -> bool:
    """Whether an address is reached from its own machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens: at the port, or at the first free one from 8765 on."""
    wanted = range(PORT, PORT + TRIES) if port is None else range(port, port + 1)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in wanted:
        # Named as TCP, so that asyncio sends small answers at once: else each takes 40 ms.
        found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if sys.platform != "win32":
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, number))
            found.listen(512)
        except OSError as error:
            found.close()
            if error.errno == errno.EADDRINUSE:
                continue
            reason = error.strerror or "it is not known"
            raise OptionError(f"The server cannot listen at {host}:{number}: {reason}.") from None
        found.setblocking(False)
        return found
    if port is not None:
        raise OptionError(f"Port {port} of {host} is in use: choose another by --port.")
    raise OptionError(f"The ports {PORT} to {PORT + TRIES - 1} are in use: choose one by --port.")


def serve(settings: ServerSettings, port: int | None = None, browser: bool = True) -> None:
    """Serve until Ctrl-C."""
    try:
        import uvicorn

        from oddsmith.web.app import create_app
        from oddsmith.web.prompt import PromptProtocol
    except ImportError as error:
        missing = (error.name or "fastapi").partition(".")[0]
        if missing == "oddsmith":
            raise
        raise MissingExtraError(
            f"The server needs {missing}, which is not installed: pip install 'oddsmith[web]'."
        ) from None

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            _greet(address, settings, browser)

    remains.ends_alone()
    listening = listen(settings.host, port)
    address = _address(settings.host, listening.getsockname()[1])
    try:
        config = uvicorn.Config(
            create_app(settings),
            http=PromptProtocol,
            log_level="warning",
            access_log=False,
            lifespan="on",
            server_header=False,
            proxy_headers=False,
            ws="none",
            timeout_keep_alive=30,
            timeout_graceful_shutdown=2,
        )
        with suppress(KeyboardInterrupt):  # it has ended well by then
            Server(config).run(sockets=[listening])
        interrupt.answered()
    finally:
        listening.close()


def _address(host: str, port: int) -> str:
    called = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)
    return f"http://{f'[{called}]' if ':' in called and '[' not in called else called}:{port}/"


def _greet(address: str, settings: ServerSettings, browser: bool) -> None:
    print(
        f"Oddsmith is at {address} (Ctrl-C ends it). Jobs are kept in {settings.data}.", flush=True
    )
    if not is_loopback(settings.host):
        print(
            "Everybody who can reach this machine can use this server, and nobody has to say who "
            "they are: let it listen in networks that you trust only.",
            file=sys.stderr,
            flush=True,
        )
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
