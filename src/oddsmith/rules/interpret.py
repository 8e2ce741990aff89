"""The plain interpreter: runs the rules in one state, checking everything they return.

It is the reference for the compiled engine, and the one place that words the errors: when a
compiled kernel meets something wrong, the state is played again here to say what it is.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from oddsmith.dice import Die
from oddsmith.errors import OddsmithError, OptionError, RuleError
from oddsmith.rules.game import DRAW, Game
from oddsmith.rules.layout import Layout, check_state, whole_number_hint
from oddsmith.rules.likely import likely_cause
from oddsmith.rules.moves import Action

ASKED_TWICE = 100
"""How often each rule is asked a second time, to see whether it says the same."""

ASKED_OFTEN, TIMES = 20, 8
"""The first of these questions are repeated more often: two throws of a coin are often alike."""

SLOW = 0.05
"""A rule that takes so many seconds is asked a second time only once."""

RULE_SECONDS = 5.0
"""A rule that takes longer than this in one state is taken to loop for ever."""

GOES_ON = -1

MAX_TOTAL = 2**63 - 1
"""Weights of transitions are 64-bit numbers."""


def loops_for_ever(game: Game, state: Any) -> RuleError:
    """The error for a rule that does not come to an end."""
    return RuleError(
        f"A rule of {type(game).__name__} did not finish within {RULE_SECONDS:g} s in {state!r}: "
        f"look for a loop without an end, such as two squares that send a piece to each other."
    )


@contextmanager
def time_limit(game: Game, state: Any) -> Iterator[None]:
    """Turn a rule that never returns into an error (where signals can reach: the main thread)."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(
        signal, "setitimer"
    ):
        yield
        return

    finished = game.seen.finished

    def expire(number: int, frame: Any) -> None:
        nonlocal finished
        if game.seen.finished == finished:
            raise loops_for_ever(game, state)
        finished = game.seen.finished  # many rules, or slow ones: none of them loops
        signal.setitimer(signal.ITIMER_REAL, RULE_SECONDS)

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, RULE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def call(game: Game, what: str, function: Any, state: Any, *roll: Any) -> Any:
    """Run a rule; an exception inside it becomes an error that names the rule and the state."""
    try:
        found = function(game, state, *roll)
        game.seen.finished += 1
        return found
    except OptionError as error:  # of a Die, say, that the rule makes
        raise RuleError(
            f"{type(game).__name__}.{what} failed in {state!r}{_with(roll)}: {error}"
        ) from None
    except OddsmithError:
        raise
    except RecursionError:
        raise RuleError(
            f"{type(game).__name__}.{what} calls itself without an end in {state!r}{_with(roll)}."
        ) from None
    except SystemExit:
        raise RuleError(
            f"{type(game).__name__}.{what} ends the program in {state!r}{_with(roll)}: a rule "
            f"must say what follows; let winner end the game."
        ) from None
    except Exception as error:
        raise RuleError(
            f"{type(game).__name__}.{what} failed in {state!r}{_with(roll)}: {in_words(error)}"
            f"{likely_cause(game, error)}."
        ) from error


def in_words(error: Exception) -> str:
    """An exception on one line."""
    said = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _with(roll: tuple[Any, ...]) -> str:
    return f" with roll {roll[-1]!r}" if roll else ""


def check_repeats(
    game: Game, what: str, function: Any, found: Any, state: Any, *roll: Any, is_start: bool = False
) -> None:
    """Ask a rule a second time, as long as it is new: it must say the same again.

    Rules that throw dice themselves, or remember something outside the state, do not; and what
    they say once is no chance.
    """
    count = game.seen.calls.get(what, 0)
    if count >= ASKED_TWICE:
        return
    game.seen.calls[what] = count + 1
    began = time.perf_counter()
    for _ in range(TIMES if count < ASKED_OFTEN else 1):
        again = function(game) if is_start else call(game, what, function, state, *roll)
        if not _is_same(found, again):
            where = "" if is_start else f" in {state!r}{_with(roll)}"
            raise changed(game, f"{what} gave {found!r}{where}, and {again!r} when asked again")
        if time.perf_counter() - began > SLOW:
            return


def _is_same(found: Any, again: Any) -> bool:
    """Whether a rule has said the same; what cannot be compared is refused by whoever takes it."""
    if type(found) is not type(again):
        return False
    try:
        return bool(found == again)
    except Exception:
        return True


def changed(game: Game, what: str) -> RuleError:
    """The error for a rule that does not say the same twice."""
    return RuleError(
        f"{type(game).__name__}.{what}: a rule must say the same every time. Chance belongs into "
        f"dice, as in @move(dice=d6), and what is to be remembered into the state."
    )


def first_state(game: Game) -> Any:
    """The start of a game, checked."""
    try:
        with time_limit(game, "start"):
            state = game.start()
            check_state(game, "", state, lambda: "start")
            check_repeats(game, "start", type(game).start, state, None, is_start=True)
            _check_begins(game, state)
    except OddsmithError:
        raise
    except SystemExit:
        raise RuleError(f"{type(game).__name__}.start ends the program.") from None
    except Exception as error:
        raise RuleError(
            f"{type(game).__name__}.start failed: {in_words(error)}{likely_cause(game, error)}."
        ) from error
    return state


def _check_begins(game: Game, state: Any) -> None:
    """Refuse a game that is over before it begins: its `winner` says somebody for nobody yet.

    With options that the user has changed (a goal of 0) it may well be over.
    """
    usual = all(
        getattr(game, name) == default for name, (_, default) in game.declared_options().items()
    )
    if not usual or winners(game, state) == GOES_ON:
        return
    found = call(game, "winner", type(game).winner, state)
    meaning = "a draw" if found == DRAW or found == () else f"a win of player {_first(found) + 1}"
    raise RuleError(
        f"{type(game).__name__} is over before the first move: winner gave {found!r}, {meaning}, "
        f"in {state!r}, the start. It must give None while the game goes on (players are numbered "
        f"from 0, and {DRAW} is DRAW)."
    )


def _first(found: Any) -> int:
    return int(found if isinstance(found, int) else min(found))


def further_states(game: Game, layout: Layout | str) -> list[Any]:
    """The further positions of a game, checked."""
    try:
        found = list(game.positions())
    except OddsmithError:
        raise
    except SystemExit:
        raise RuleError(f"{type(game).__name__}.positions ends the program.") from None
    except Exception as error:
        raise RuleError(f"{type(game).__name__}.positions failed: {in_words(error)}.") from error
    for state in found:
        check_state(game, layout, state, lambda: "positions")
    return found


def winners(game: Game, state: Any) -> int:
    """Who has won, as the bits of a number: 0 for a draw, -1 while the game goes on."""
    found = call(game, "winner", type(game).winner, state)
    check_repeats(game, "winner", type(game).winner, found, state)
    if found is None:
        return GOES_ON
    if found is DRAW or (type(found) is int and found == DRAW):
        return 0
    players = found if isinstance(found, tuple | frozenset | set | list) else (found,)
    bits = 0
    for player in players:
        if isinstance(player, bool) or not isinstance(player, int):
            raise RuleError(
                f"{type(game).__name__}.winner gave {found!r} in {state!r}: it must give a "
                f"player's number, several in a tuple, DRAW, or None"
                f"{whole_number_hint(player) or '.'}"
            )
        if not 0 <= player < game.players:
            raise RuleError(
                f"{type(game).__name__}.winner gave {found!r} in {state!r}, but players are "
                f"numbered 0 to {game.players - 1}."
            )
        bits |= 1 << player
    return bits


def scores(game: Game, state: Any) -> tuple[int, ...]:
    """What each player has scored in a state in which the game is over."""
    found = call(game, "score", type(game).score, state)
    check_repeats(game, "score", type(game).score, found, state)
    each = found if isinstance(found, tuple) else (found,)
    whole = all(isinstance(n, int) and not isinstance(n, bool) for n in each)
    if not whole or len(each) != game.players:
        raise RuleError(
            f"{type(game).__name__}.score gave {found!r} in {state!r}: it must give a whole "
            f"number{'' if game.players == 1 else f' for each of {game.players} players'}"
            f"{next(filter(None, map(whole_number_hint, each)), '.')}"
        )
    if any(abs(number) > MAX_TOTAL for number in each):
        raise RuleError(
            f"{type(game).__name__}.score gave {found!r} in {state!r}: scores have 64 bits."
        )
    return each


def mover(game: Game, state: Any) -> int:
    """Whose turn it is."""
    found = call(game, "mover", type(game).mover, state)
    check_repeats(game, "mover", type(game).mover, found, state)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < game.players:
        raise RuleError(
            f"{type(game).__name__}.mover gave {found!r} in {state!r}, but players are numbered "
            f"0 to {game.players - 1}{whole_number_hint(found) or '.'}"
        )
    return found


def legal_actions(game: Game, state: Any) -> list[tuple[int, Action]]:
    """The moves that may be played, with their numbers; at least one."""
    found = [
        (number, action)
        for number, action in enumerate(game.actions)
        if action.when is None or _is_legal(game, action, state)
    ]
    if not found:
        raise RuleError(
            f"{type(game).__name__} has no legal move in {state!r}, though winner says the game "
            f"goes on: let winner end it (DRAW, perhaps) or make a move legal there."
        )
    if len(found) > 1 and not game.knows_mover:
        raise no_mover(game, state, [action.name for _, action in found])
    return found


def _is_legal(game: Game, action: Action, state: Any) -> bool:
    what = f"{action.name}: when"
    found = bool(call(game, what, action.when, state, *action.arguments))
    check_repeats(game, what, _truth(action.when), found, state, *action.arguments)
    return found


def _truth(function: Any) -> Any:
    return lambda *arguments: bool(function(*arguments))


LIKE_TURN = (
    "player", "current", "current_player", "player_turn", "whose_turn", "turns", "to_move", "mover",
    "who", "active", "active_player", "next_player", "on_turn", "seat", "side", "p",
)  # fmt: skip
"""What people call the field that is called `turn` here."""


def no_mover(game: Game, state: Any, moves: list[str]) -> RuleError:
    """The error for a decision of which nobody can say whose it is."""
    name = type(game).__name__
    like = next((field for field in state._fields if field.lower() in LIKE_TURN), None)
    rename = f"call the field {like!r} `turn`" if like else "give State a field `turn`"
    return RuleError(
        f"{name} has {game.players} players and lets one choose between {' and '.join(moves)} in "
        f"{state!r}, but does not say whose turn it is: {rename} (players are numbered from 0), or "
        f"define `mover(self, s)`; with one player, write `players: int = 1`."
    )


def die_for(game: Game, action: Action, state: Any) -> Die[Any] | None:
    """The die that a move throws in a state."""
    if action.dice is None:
        return _countable(game, action, action.die)
    die = call(game, f"{action.name}: dice", action.dice, state, *action.arguments)
    if not isinstance(die, Die):
        raise RuleError(
            f"{type(game).__name__}.{action.name}: dice gave {die!r} in {state!r}: it must give "
            f"a Die (so that its chances are positive and add up to one)."
        )
    check_repeats(game, f"{action.name}: dice", action.dice, die, state, *action.arguments)
    return _countable(game, action, die)


def _countable(game: Game, action: Action, die: Die[Any] | None) -> Die[Any] | None:
    if die is not None and die.total > MAX_TOTAL:
        raise RuleError(
            f"The weights of the die that {type(game).__name__}.{action.name} throws add up to "
            f"more than 63 bits hold: use smaller ones."
        )
    return die


def play(game: Game, layout: Layout | str, action: Action, state: Any, *roll: Any) -> Any:
    """The state that a move leads to, checked."""
    new = call(game, action.name, action.function, state, *action.arguments, *roll)
    check_state(game, layout, new, lambda: f"{action.name} in {state!r}{_with(roll)}")
    check_repeats(game, action.name, action.function, new, state, *action.arguments, *roll)
    return new


def outcomes(
    game: Game, layout: Layout | str, action: Action, state: Any
) -> list[tuple[int, Any, Any]]:
    """Every outcome of a move as (weight, roll, state), in the order of the die's faces."""
    die = die_for(game, action, state)
    if die is None:
        return [(1, None, play(game, layout, action, state))]
    return [(weight, face, play(game, layout, action, state, face)) for face, weight in die.items()]


def worth_to(game: Game, winners: int, state: Any) -> list[float]:
    """What the end of a game is worth to each player; see `solve/play/problem.py`."""
    if game.has_score:
        return [float(score) for score in scores(game, state)]
    count = winners.bit_count()
    if count == 0:
        return [0.0 if game.players == 1 else 1 / game.players] * game.players
    return [(winners >> player & 1) / count for player in range(game.players)]
