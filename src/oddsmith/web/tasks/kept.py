"""What a worker keeps between jobs because it was dear: solved games."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from oddsmith.runtime import memory
from oddsmith.web.tasks.requested import Bounds

MOST = 8
"""Things that a worker keeps,"""
SHARE = 0.3
"""while it holds no more than this share of the memory that it may."""

_kept: OrderedDict[str, Any] = OrderedDict()
"""The newest last."""


def kept(key: str, bounds: Bounds, make: Callable[[], Any]) -> Any:
    """What is kept under a key, or made now; the others make room for it."""
    found = _kept.pop(key, None) or make()
    make_room(bounds)
    _kept[key] = found
    return found


def make_room(bounds: Bounds) -> None:
    """Forget the oldest while there are too many, or they would leave a job too little."""
    share = SHARE * bounds.memory_mb * memory.MIB
    while _kept and (len(_kept) >= MOST or (memory.held() or 0) > share):
        _kept.popitem(last=False)
        gc.collect()
