"""Messages between the server and a worker: JSON, each after its length in four bytes.

Nothing but data travels: no pickle, so neither side can make the other run anything.
"""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any, BinaryIO

MAX_BYTES = 256 << 20
"""A longer message is a mistake."""

Message = dict[str, Any]


def packed(message: Message) -> bytes:
    """A message as it travels.

    >>> packed({"say": "ready"})
    b'\\x00\\x00\\x00\\x0f{"say":"ready"}'
    """
    body = json.dumps(plain(message), separators=(",", ":"), allow_nan=False).encode()
    return len(body).to_bytes(4, "big") + body


def plain(value: Any) -> Any:
    """A value as JSON can have it: numbers of any kind, nothing for what is not finite.

    >>> plain({"length": float("inf"), "win": (0.5, 1)})
    {'length': None, 'win': [0.5, 1]}
    """
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, str | bool | int) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "item"):  # a number of numpy's
        return plain(value.item())
    return str(value)


def read(pipe: BinaryIO) -> Message | None:
    """The next message, or None if nobody writes any more."""
    head = pipe.read(4)
    if len(head) < 4:
        return None
    size = int.from_bytes(head, "big")
    body = pipe.read(size) if size <= MAX_BYTES else b""
    return None if len(body) < size or size > MAX_BYTES else _message(body)


async def receive(reader: asyncio.StreamReader) -> Message | None:
    """The next message, or None if nobody writes any more."""
    try:
        size = int.from_bytes(await reader.readexactly(4), "big")
        return _message(await reader.readexactly(size)) if size <= MAX_BYTES else None
    except (asyncio.IncompleteReadError, ConnectionError, ValueError):
        return None


def _message(body: bytes) -> Message:
    found = json.loads(body)
    if not isinstance(found, dict):
        raise ValueError("A message is an object.")
    return found
