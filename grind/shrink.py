"""Delta debugging: a case as nested lists and numbers, made smaller while it still disagrees.

Cases are made so that any nested data of their shape is a case: numbers of states are taken modulo
what there is, chances by weight. So shrinking knows nothing of games: it leaves out parts of lists,
and makes numbers smaller (Zeller and Hildebrandt, IEEE Trans. Softw. Eng. 28 (2002) 183).
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from typing import Any

Path = tuple[Any, ...]


def shrink(data: Any, fails: Callable[[Any], bool], seconds: float = 60.0) -> Any:
    """The smallest case found, within a time, that still fails."""
    until = time.monotonic() + seconds
    progress = True
    while progress and time.monotonic() < until:
        progress = False
        for candidate in _smaller(data):
            if time.monotonic() > until:
                break
            if fails(copy.deepcopy(candidate)):
                data, progress = candidate, True
                break
    return data


def _smaller(data: Any) -> Iterator[Any]:
    """Candidates, the boldest first."""
    lists = sorted(_paths(data, list), key=lambda p: -len(_at(data, p)))
    for path in lists:
        length = len(_at(data, path))
        step = length
        while step:
            for first in range(0, length, step):
                if first + step <= length:
                    yield _with(data, path, lambda x, i=first, n=step: x[:i] + x[i + n :])
            step //= 2
    for path in _paths(data, bool):
        if _at(data, path):
            yield _with(data, path, lambda _: False)
    for path in _paths(data, int):
        value = _at(data, path)
        for smaller in dict.fromkeys([0, 1, value // 2, value - 1]):
            if 0 <= smaller < value:
                yield _with(data, path, lambda _, n=smaller: n)


def _paths(data: Any, kind: type, path: Path = ()) -> Iterator[Path]:
    if type(data) is kind:
        yield path
    if isinstance(data, dict):
        for key, part in data.items():
            yield from _paths(part, kind, (*path, key))
    elif isinstance(data, list):
        for i, part in enumerate(data):
            yield from _paths(part, kind, (*path, i))


def _at(data: Any, path: Path) -> Any:
    for key in path:
        data = data[key]
    return data


def _with(data: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(data)
    found = copy.copy(data)
    found[path[0]] = _with(data[path[0]], path[1:], change)
    return found
