"""Connections that say what they want: whoever sends a request's head slowly, or never, is cut off.

The web server waits for heads as long as it takes, so that some hundred connections that send a
letter now and then would hold it for ever. Bodies have a limit of their own (`security.py`).
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol


class PromptProtocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """HTTP whose heads have a time limit; between requests the server's own limit holds."""

    head_seconds = 15.0
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Go on waiting unless a whole head has come."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._relax()
        elif self._late is None:
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody waits any more."""
        self._relax()
        super().connection_lost(exc)

    def _expect(self) -> None:
        loop = asyncio.get_running_loop()
        self._late = loop.call_later(self.head_seconds, self.transport.close)

    def _relax(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
