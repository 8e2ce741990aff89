"""Changes to valid files, as numbers: data of JSON, texts and bytes.

A change is [what, where, with what], each number taken modulo what there is; so what shrinking
leaves is a change too.
"""

from __future__ import annotations

import copy
import gzip
import json
from random import Random
from typing import Any

Change = list[int]

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 255, 10**9, 2**31, 2**63 - 1, 2**63, -(2**70), 2**200,
    0.5, float("nan"), float("inf"), 1e308, "", "infinite", "lower", "all", "none", "0x10", "-0x1",
    "0x" + "f" * 3000, "x", "\x1b[31m\x07", "a\nb", "\u202e", "1/2", "board", "python", "game",
    [], {}, [0], [1, 1], [1, 0], [0, 1], [["0x1", 1]], {"values": [], "over": 1}, [[]],
)  # fmt: skip
"""What may stand where something else should."""


def draw(dice: Random, most: int = 3) -> list[Change]:
    """A few changes."""
    return [
        [dice.randrange(1000), dice.randrange(1 << 20), dice.randrange(1 << 16)]
        for _ in range(dice.choice([1, 1, 1, 2, most]))
    ]


def places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where anything stands."""
    found = [path] if path else []
    if isinstance(part, dict):
        for key in part:
            found += places(part[key], (*path, key))
    elif isinstance(part, list):
        for i in range(len(part)):
            found += places(part[i], (*path, i))
    return found


def at(content: Any, path: tuple[Any, ...]) -> Any:
    """What stands at a place; None if nothing does."""
    for step in path:
        try:
            content = content[step]
        except (LookupError, TypeError):
            return None
    return content


def nested(depth: int) -> Any:
    """Lists in lists."""
    found: Any = 0
    for _ in range(depth):
        found = [found]
    return found


def change_data(content: Any, change: Change, other: Any) -> None:
    """Change data in place; `other` is the data of another file."""
    what, where, value = change
    everywhere = places(content)
    if not everywhere:
        return
    *way, last = path = everywhere[where % len(everywhere)]
    holder = at(content, tuple(way))
    here, kind = holder[last], what % 10
    if kind == 0:
        del holder[last]
    elif kind == 1:
        holder[last] = copy.deepcopy(ODD[value % len(ODD)])
    elif kind == 2 and type(here) is int:
        holder[last] = here + (1, -1, 2, 1 << 31)[value % 4]
    elif kind == 3 and isinstance(here, str) and here:
        at_ = value % len(here)
        holder[last] = here[:at_] + "0123456789abcdef"[value % 16] + here[at_ + 1 :]
    elif kind == 4 and isinstance(holder, list):
        holder.insert(last, copy.deepcopy(here))
    elif kind == 5 and isinstance(holder, list):
        i = value % len(holder)
        holder[last], holder[i] = holder[i], here
    elif kind == 6 and isinstance(here, list):
        holder[last] = here[: value % (len(here) + 1)]
    elif kind == 7:
        holder[last] = nested(value % 300)
    elif kind == 8:
        holder[last] = copy.deepcopy(at(other, path))
    else:
        holder[last] = copy.deepcopy(at(content, everywhere[value % len(everywhere)]))


def change_bytes(data: bytes, change: Change, other: bytes) -> bytes:
    """Changed bytes; `other` is another file."""
    what, where, value = change
    if not data:
        return other[: value % 100]
    i, kind = where % len(data), what % 12
    j = min(len(data), i + 1 + value % 64)
    if kind <= 2:
        return data[:i] + bytes([data[i] ^ 1 << value % 8]) + data[i + 1 :]
    if kind == 3:
        return data[:i] + data[j:]
    if kind == 4:
        return data[:j] + data[i:]
    if kind == 5:
        return data[:i]
    if kind == 6:
        return data[:i] + bytes([value % 256]) * (value % 300) + data[i:]
    if kind == 7:
        digits = [k for k, byte in enumerate(data) if 48 <= byte < 58]
        if digits:
            k = digits[where % len(digits)]
            return data[:k] + str(value % 10).encode() + data[k + 1 :]
    if kind == 8:
        return data[:i] + other[i:]
    if kind == 9:
        return (b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"[" * 100_000)[value % 4] + data
    if kind == 10:
        return data + other[: value % 1000]
    return data.decode("utf-8", "replace").encode("utf-16") if value % 2 else gzip.compress(data)


def spelled(content: Any) -> bytes:
    """Data as a file, also where it is no proper JSON."""
    try:
        return json.dumps(content).encode("utf-8", "surrogatepass")
    except (RecursionError, ValueError):
        return b"[" * 5000
