"""Random changes to a certificate: any part of it replaced, removed, doubled, swapped."""

from __future__ import annotations

import copy
import random
from typing import Any

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 10**9, 2**70, -(2**70), "", "infinite", "lower", "all",
    "none", "0x10", "-0x1", "0x" + "f" * 6000, "x", "\x1b[31m", "a\nb", [], {}, [0], [1, 1], [1, 0],
    [0, 1], ["0x" + "f" * 6000, 1], [1, "0x" + "f" * 6000], {"values": [], "over": 1}, [[]],
)  # fmt: skip
"""What may stand where something else should."""


def places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where anything stands in a certificate; of long lists some entries."""
    found = [path] if path else []
    if isinstance(part, dict):
        for key in part:
            found += places(part[key], (*path, key))
    elif isinstance(part, list):
        for i in range(min(len(part), 12)):
            found += places(part[i], (*path, i))
    return found


def mutated(content: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A certificate with one to three changes."""
    found = copy.deepcopy(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        _change(found, rng)
    return found


def _change(content: dict[str, Any], rng: random.Random) -> None:
    everywhere = places(content)
    if not everywhere:
        return
    *way, last = rng.choice(everywhere)
    holder: Any = content
    for step in way:
        holder = holder[step]
    kind = rng.randrange(6)
    if kind == 0:
        del holder[last]
    elif kind == 1:
        holder[last] = copy.deepcopy(rng.choice(ODD))
    elif kind == 2 and type(holder[last]) is int:
        holder[last] += rng.choice((-1, 1))
    elif kind == 3 and isinstance(holder, list):
        holder.insert(last, copy.deepcopy(holder[last]))
    elif kind == 4 and isinstance(holder, list):
        rng.shuffle(holder)
    else:
        holder[last] = copy.deepcopy(_elsewhere(content, rng.choice(everywhere)))


def _elsewhere(content: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        try:
            content = content[step]
        except (LookupError, TypeError):
            return None
    return content
