"""The door: every public question is asked, and every answer leaves, through here.

`question` marks a public function: its keywords are checked before any work, what it answers is
compared with what was answered before, and an answer that Ctrl-C has cut short is none to whoever
would make something else of it. Each number has passed the gate (`results/gate.py`) by then.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from oddsmith.questions import keywords
from oddsmith.results import contradiction
from oddsmith.results.contradiction import Asking, refuse, text
from oddsmith.results.gate import less

if TYPE_CHECKING:
    from oddsmith.results.result import Result

P = ParamSpec("P")
R = TypeVar("R")


def question(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a public question: its keywords are checked, and its answers leave by `leaves`.

    An answer that Ctrl-C has cut short is one to whoever asked for it, and to nobody who would make
    something else of it (within another question, or where it is to be `whole`) it is Ctrl-C.
    """
    function = keywords.checked(function)

    @functools.wraps(function)
    def asked(*arguments: P.args, **options: P.kwargs) -> R:
        subject = arguments[0] if arguments else None
        asking = Asking(function.__name__, subject, arguments[1:], options)
        within = contradiction.asking.get() is not None or _whole.get()
        token = contradiction.asking.set(asking)
        try:
            found = function(*arguments, **options)
            if within and getattr(found, "interrupted", False):
                raise KeyboardInterrupt
            leaves(asking, found)
        finally:
            contradiction.asking.reset(token)
        return found

    asked.is_question = True  # type: ignore[attr-defined]
    return asked


_whole: ContextVar[bool] = ContextVar("whole", default=False)


@contextmanager
def whole() -> Iterator[None]:
    """Have only whole answers in here: something is made of them. Also a decorator."""
    token = _whole.set(True)
    try:
        yield
    finally:
        _whole.reset(token)


def about(subject: Any) -> None:
    """Say what the question being answered is about, once that is known."""
    asking = contradiction.asking.get()
    if asking is not None:
        asking.about = subject


def leaves(asking: Asking, found: Any) -> None:
    """The last look at an answer; tests hang their second opinion here."""
    if asking.question == "odds" and hasattr(type(asking.subject), "described"):
        _same_question(asking, found)


_KEPT: OrderedDict[Any, tuple[Any, Any]] = OrderedDict()
MOST_KEPT = 256


def _same_question(asking: Asking, found: Result) -> None:
    """Compare the odds of a game of chance with what was answered before, by another method."""
    if found.method not in ("exact", "certified") or found.evidence.decisions:
        return
    asked = found.evidence.digest, str(asking.options.get("endless"))
    for name, one in found.numbers():
        mine: Any = (one.exact, one.exact) if one.exact is not None else (one.lower, one.upper)
        key = (*asked, name)
        kept = _KEPT.get(key, mine)
        if kept != mine and (less(kept[1], mine[0]) or less(mine[1], kept[0])):
            sides = {"before": list(map(text, kept)), "now": list(map(text, mine))}
            refuse(f"{name}: two methods exclude each other", sides | contradiction.record(found))
        if key not in _KEPT or one.exact is not None:
            _KEPT[key] = mine
    while len(_KEPT) > MOST_KEPT:
        _KEPT.popitem(last=False)
