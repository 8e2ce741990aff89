"""Moves: as the class of a game declares them, with its ways to play, and as one game has them.

`@move` keeps a method with its dice and conditions as a `Move`; where the options are known, each
becomes an `Action`, or one for each variant of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from oddsmith.dice import Die
from oddsmith.errors import RuleError

if TYPE_CHECKING:
    from oddsmith.rules.game import Game

MAX_ACTIONS = 255
"""Moves are numbered by one byte, each variant of a move for itself."""

Rule = Callable[..., Any]
Dice = Die[Any] | Rule | None
Each = range | tuple[str, ...] | Rule | None


@dataclass(frozen=True)
class Move:
    """A move as written: the function, its dice, when it is legal, whether it counts."""

    function: Rule
    dice: Dice = None
    when: Rule | None = None
    counts: bool = True
    each: Each = None

    def __get__(self, game: Any, owner: type) -> Any:
        """As an attribute of a game, a move is callable like the method it was written as."""
        return self if game is None else self.function.__get__(game, owner)


@overload
def move(function: Rule, /) -> Any: ...
@overload
def move(
    *, dice: Dice = None, when: Rule | None = None, counts: bool = True, each: Each = None
) -> Callable[[Rule], Any]: ...
def move(
    function: Rule | None = None,
    /,
    *,
    dice: Dice = None,
    when: Rule | None = None,
    counts: bool = True,
    each: Each = None,
) -> Any:
    """Declare a method to be a move.

    - `dice`: a `Die`; or a function of the game (`lambda self: self.sides_die`) for dice that
      depend on an option; or a function of the game and the state for dice that depend on the
      state. Without dice the move has one outcome.
    - `when`: a function of the game and the state; the move is legal where it is true.
    - `counts`: whether the move counts towards the length of the game (a rest may not).
    - `each`: the move comes in variants, one for each number of a range (`each=range(1, 4)`:
      `attack 1`, `attack 2`, `attack 3`) or each name of a tuple (`each=("red", "blue")`:
      `pick red`, `pick blue`), or of what a function of the game gives. The method, `when` and
      dice that depend on the state then take the number (of a name: its place) after the state.
    """
    if function is not None and not callable(function):
        raise RuleError(f"Dice are given by name: write @move(dice=…), not @move({function!r}).")
    if function is not None:
        return Move(function)
    return lambda function: Move(function, dice, when, counts, each)


@dataclass(frozen=True)
class NamedPolicy:
    """A way to play that a game names; see `policy`."""

    rule: Rule

    def __get__(self, game: Any, owner: type) -> Any:
        """As an attribute of a game, it is callable like the method it was written as."""
        return self if game is None else self.rule.__get__(game, owner)


def policy(function: Rule, /) -> Any:
    """Declare a method to be a way to play: it gives the name of the move to make in a state.

    Numbers after the state are its parameters: `def hold_at(self, s, points=20)` is played as
    `hold-at` or `hold-at-25`. It says nothing about the rules, so it does not change their
    digest.
    """
    return NamedPolicy(function)


@dataclass(frozen=True)
class Action:
    """A move of one particular game: its options are known, so its dice may be."""

    name: str
    function: Rule
    die: Die[Any] | None
    dice: Rule | None
    when: Rule | None
    counts: bool
    method: str = ""
    """The method it was written as."""
    variant: int | None = None
    """The number that the method takes, where a move comes in variants."""

    @property
    def has_roll(self) -> bool:
        """Whether the move throws dice."""
        return self.die is not None or self.dice is not None

    @cached_property
    def arguments(self) -> tuple[int, ...]:
        """What its functions take after the state."""
        return () if self.variant is None else (self.variant,)


def written_moves(cls: type) -> Iterator[tuple[str, Move]]:
    """The moves of a class in the order they are written; a base's come first."""
    names: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, Move):
                names[name] = None
    for name in names:
        found = inspect.getattr_static(cls, name)
        if isinstance(found, Move):
            yield name, found


def variants(game: Game, name: str, written: Move) -> Iterator[Action]:
    """A move of this game, or each variant of it."""
    each = written.each
    if each is None:
        yield _action(game, name, written, name, None)
        return
    where = f"{type(game).__name__}.{name}"
    if callable(each):
        each = each(game)
    if isinstance(each, range) and each.step == 1:
        named = [(str(number), number) for number in each]
    elif isinstance(each, tuple) and all(isinstance(text, str) for text in each):
        named = [(text, number) for number, text in enumerate(each)]
    else:
        raise RuleError(
            f"{where}: each must be a range such as {_range_of(each)}, or a tuple of names, not "
            f"{each!r}."
        )
    if not named:
        raise RuleError(f"{where} has no variant: each is empty.")
    for text, number in named:
        yield _action(game, f"{name} {text}", written, name, number)


def _range_of(each: Any) -> str:
    """The range that is probably meant."""
    if isinstance(each, int) and each > 0:
        return f"range({each})"
    whole = isinstance(each, tuple | list | set) and len(each) > 0
    if whole and sorted(map(str, each)) == sorted(map(str, range(min(each), max(each) + 1))):
        return f"range({min(each)}, {max(each) + 1})"
    return "range(4)"


def _action(game: Game, called: str, written: Move, name: str, variant: int | None) -> Action:
    """Settle the dice that depend on options only."""
    die, dice = None, None
    if isinstance(written.dice, Die):
        die = written.dice
    elif written.dice is not None and parameters(written.dice) == 1:
        die = written.dice(game)
        if die != written.dice(game):
            raise RuleError(
                f"The dice of {type(game).__name__}.{name} are others when asked for again: a die "
                f"has its chances, and the rules throw none themselves."
            )
        if not isinstance(die, Die):
            raise RuleError(
                f"The dice of {type(game).__name__}.{name} must be a Die, not {die!r}{as_die(die)}"
            )
    else:
        dice = written.dice
    return Action(called, written.function, die, dice, written.when, written.counts, name, variant)


def parameters(function: Rule) -> int:
    """How many a function takes."""
    return len(inspect.signature(function).parameters)


def as_die(value: Any) -> str:
    """How to write what was probably meant, as the tail of a sentence."""
    if type(value) is int and value > 0:
        return f": write Die(range(1, {value + 1})) for one with {value} sides."
    return f": write Die({value!r})." if isinstance(value, range | list | tuple | dict) else "."
