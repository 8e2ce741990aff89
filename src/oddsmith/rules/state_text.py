"""A state as text, such as `scores=(41,49) total=27`: parsed, never evaluated."""

from __future__ import annotations

import re
from enum import Enum
from typing import Any

from oddsmith.errors import OptionError, RuleError
from oddsmith.rules import interpret
from oddsmith.rules.game import Game
from oddsmith.rules.layout import check_state, layout_of
from oddsmith.rules.options import suggestion

PART = re.compile(r"\s*,?\s*(\w+)\s*=\s*(\((?:[^()]|\([^()]*\))*\)|-?\w+)\s*")


def parse_state(game: Game, text: str) -> Any:
    """The state that a text describes; fields that it does not name are as at the start.

    >>> from oddsmith import game
    >>> parse_state(game("coin-race"), "steps=(1,0) turn=1")
    State(steps=(1, 0), turn=1)
    """
    start = interpret.first_state(game)
    found: dict[str, Any] = {}
    printed = re.fullmatch(r"\s*\w+\((.*)\)\s*", text)  # State(…), as it is shown elsewhere
    rest = (printed.group(1) if printed else text).strip()
    while rest:
        match = PART.match(rest)
        if match is None:
            raise OptionError(
                f"{rest!r} is not of the form NAME=VALUE: describe a state as in "
                f"{' '.join(f'{k}={_plain(v)}' for k, v in start._asdict().items())!r}."
            )
        name, value = match.groups()
        if name not in start._fields:
            raise OptionError(
                f"A state of {game.name} has no {name!r}: {suggestion(name, start._fields)}"
            )
        found[name] = _value(game, name, value, getattr(start, name))
        rest = rest[match.end() :]
    state = start._replace(**found)
    check_given(game, state)
    return state


def check_given(game: Game, state: Any) -> None:
    """Refuse what somebody gives as a state of a game and is none, or none that rules can mean."""
    if type(state) is not game.State:
        raise OptionError(f"{state!r} is not a state of {game.name}.")
    start = interpret.first_state(game)
    for name in game.interchangeable:
        usual, value = getattr(start, name), getattr(state, name)
        if not isinstance(value, tuple) or len(value) != len(usual):
            raise OptionError(
                f"{name} has {len(usual)} entries, one a player, as in {name}={_plain(usual)}, "
                f"not {_plain(value)}."
            )
    try:
        check_state(game, layout_of(game, start), state, lambda: "state")
    except RuleError as error:
        why = str(error).partition(f"gave {state!r}: ")[2]
        raise OptionError(f"{state!r} is no state of {game.name}: {why}") from None
    if hasattr(state, "turn") and not 0 <= state.turn < game.players:
        raise OptionError(
            f"turn = {state.turn} in {state!r} is no player: they are 0 to {game.players - 1}."
        )


def _plain(value: Any) -> str:
    return repr(value).replace(" ", "")


def _value(game: Game, name: str, text: str, like: Any) -> Any:
    """A number, True or False, or a tuple of those."""
    text = text.strip()
    if text.startswith("("):
        inside = re.findall(r"\([^()]*\)|[^,\s()]+", text[1:-1])
        likes = like if isinstance(like, tuple) else ()
        return tuple(
            _value(game, name, part, likes[i] if i < len(likes) else 0)
            for i, part in enumerate(inside)
        )
    if isinstance(like, bool) or text in ("True", "False"):
        known = {"True": True, "true": True, "1": True, "False": False, "false": False, "0": False}
        if text in known:
            return known[text]
    if isinstance(like, str):
        return text
    whole = re.fullmatch(r"-?\d{1,1000}", text) is not None
    if whole and isinstance(like, Enum):
        return next((member for member in type(like) if member.value == int(text)), int(text))
    if whole:
        return int(text)
    raise OptionError(f"{name} of {game.name} cannot be {text!r}: give a number, as in {like!r}.")
