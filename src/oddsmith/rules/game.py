"""Game: rules as plain Python over a NamedTuple state.

A game is a class. Its `State` is a NamedTuple; `start` gives the first state; `winner` says who
has won; each `@move` is a deterministic function of the state and the roll. Chance lives in the
dice only, so it can be enumerated when solving and thrown when simulating.

>>> from typing import NamedTuple
>>> from oddsmith import Game, coin, move, odds
>>> class Race(Game):
...     '''Toss a coin in turn; heads takes a step. Two steps win.'''
...     goal: int = 2
...     class State(NamedTuple):
...         steps: tuple[int, int] = (0, 0)
...         turn: int = 0
...     def winner(self, s):
...         return 0 if s.steps[0] >= self.goal else 1 if s.steps[1] >= self.goal else None
...     @move(dice=coin)
...     def toss(self, s, heads):
...         a, b = s.steps
...         steps = (a + heads, b) if s.turn == 0 else (a, b + heads)
...         return self.State(steps, 1 - s.turn)
>>> print(odds(Race()).win[0].exact)
16/27
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, cast

from oddsmith.dice import Die
from oddsmith.errors import OptionError, RuleError
from oddsmith.rules.hidden import check_hidden
from oddsmith.rules.moves import (
    MAX_ACTIONS,
    Action,
    NamedPolicy,
    as_die,
    parameters,
    variants,
    written_moves,
)
from oddsmith.rules.options import check_option, declared_options, parse_option, suggestion
from oddsmith.rules.players import knows_players
from oddsmith.rules.state_values import Seen

DRAW = -1
"""What `winner` returns when the game is over and nobody has won."""

MAX_PLAYERS = 62
"""Winners are a set of players, kept as the bits of one 64-bit number."""


class Game:
    """The rules of a game. Subclass it; see the module's docstring for a whole example."""

    players: int = 2

    title: ClassVar[str] = ""
    interchangeable: ClassVar[tuple[str, ...]] = ()
    """Names of the fields with one entry a player, when players differ by their seat only.

    The engine then explores positions as the mover sees them, a 1/N of all states.
    """
    hidden: ClassVar[tuple[str, ...]] = ()
    """Names of the fields that players do not see when they decide; see `rules/hidden.py`."""
    squares: ClassVar[str] = ""
    """The field that says where each player's piece stands, if the game has a board."""

    State: ClassVar[type[NamedTuple]]

    def __init__(self, **options: Any) -> None:
        declared = self.declared_options()
        for name, value in options.items():
            if name not in declared:
                raise OptionError(
                    f"{type(self).__name__} has no option {name!r}: {_no_option(self, name)}"
                )
            kind = declared[name][0]
            self.__dict__[name] = check_option(type(self).__name__, name, kind, value)
        if not 1 <= self.players <= MAX_PLAYERS:
            raise OptionError(
                f"{type(self).__name__} cannot have {self.players} players: "
                f"choose 1 to {MAX_PLAYERS}."
            )
        _check_contract(self)
        self.validate()
        _check_players(self)

    # What a game may override -------------------------------------------------------------

    def validate(self) -> None:
        """Refuse options that do not go together: raise OptionError with one clear sentence."""

    def start(self) -> Any:
        """The state the game begins in: by default the one with every field's default."""
        return self.State()  # type: ignore[call-overload]

    def positions(self) -> Iterable[Any]:
        """Further states to explore, which play from the start need not come to: a study."""
        return ()

    def winner(self, s: Any) -> Any:
        """Who has won: a player's number, several in a tuple, DRAW, or None while it goes on."""
        raise NotImplementedError

    def score(self, s: Any) -> Any:
        """What the players have scored when the game is over: a whole number, one each in a tuple.

        A game that defines it is played for the highest expected score; without it, for the win:
        players who win together share it, and so do all in a draw (alone, a draw is a loss).
        """
        raise NotImplementedError

    def mover(self, s: Any) -> int:
        """Whose turn it is."""
        return cast(int, s.turn) if hasattr(s, "turn") else 0

    def ranges(self) -> dict[str, range]:
        """The values each field can take, where known: they give a perfect index and a check."""
        return {}

    def place(self, position: int) -> str:
        """What to call the place of a piece; positions of one name are one place."""
        return str(position)

    def roll_name(self, roll: Any) -> str:
        """What to call a roll where people read it; by default, the numbers that the dice show."""
        return " ".join(map(str, roll)) if isinstance(roll, tuple) else str(roll)

    # What every game has ------------------------------------------------------------------

    @classmethod
    def declared_options(cls) -> dict[str, tuple[Any, Any]]:
        """Every option: name -> (type, default)."""
        return declared_options(cls)

    @classmethod
    def from_text(cls, settings: Mapping[str, str]) -> Game:
        """The game with options given as text, as on the command line."""
        declared = cls.declared_options()
        options = {
            name: parse_option(cls.__name__, name, declared[name][0], text)
            if name in declared
            else text
            for name, text in settings.items()
        }
        return cls(**options)

    @property
    def options(self) -> dict[str, Any]:
        """The value of every option."""
        return {name: getattr(self, name) for name in self.declared_options()}

    @property
    def described(self) -> dict[str, Any]:
        """The options worth naming beside an answer; the players are named anyway.

        Of many options, the first and those that are not as usual.
        """
        found = {name: value for name, value in self.options.items() if name != "players"}
        if len(found) <= 3:
            return found
        usual = self.declared_options()
        first = next(iter(found))
        return {k: v for k, v in found.items() if k == first or v != usual[k][1]}

    @property
    def identity(self) -> str:
        """What tells these rules from those of other games of the class: the options."""
        return repr(sorted(self.options.items()))

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The moves in the order they are written, with the dice of this game's options."""
        found = [
            action
            for name, written in written_moves(type(self))
            for action in variants(self, name, written)
        ]
        if len(found) > MAX_ACTIONS:
            raise RuleError(
                f"{type(self).__name__} has {len(found)} moves, each variant counted: at most "
                f"{MAX_ACTIONS} are possible."
            )
        return tuple(found)

    @cached_property
    def action_numbers(self) -> dict[str, int]:
        """The number of each move by its name."""
        return {action.name: number for number, action in enumerate(self.actions)}

    @classmethod
    def named_policies(cls) -> dict[str, NamedPolicy]:
        """The ways to play that the game names, such as `hold-at`."""
        found: dict[str, NamedPolicy] = {}
        for base in reversed(cls.__mro__):
            for name, value in vars(base).items():
                if isinstance(value, NamedPolicy):
                    found[name.replace("_", "-")] = value
        return found

    @cached_property
    def seen(self) -> Seen:
        """What the interpreter has looked at already; no part of the rules."""
        return Seen()

    @cached_property
    def knows_mover(self) -> bool:
        """Whether the rules say who decides: there is one player, a field `turn`, or a `mover`."""
        named = "turn" in self.State._fields or type(self).mover is not Game.mover
        return self.players == 1 or named

    @property
    def has_score(self) -> bool:
        """Whether players go for the highest expected score, not for the win."""
        return type(self).score is not Game.score

    @property
    def name(self) -> str:
        """What to call the game."""
        return self.title or type(self).__name__

    @classmethod
    def key(cls) -> str:
        """The name a machine uses: `left-center-right` for LeftCenterRight."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"A game does not change: make another, {type(self).__name__}({name}=…)."
        )

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other) and isinstance(other, Game) and self.options == other.options
        )

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.options.items())))

    def __repr__(self) -> str:
        declared = self.declared_options()
        changed = {k: v for k, v in self.options.items() if v != declared[k][1]}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in changed.items())})"


def _no_option(game: Game, name: str) -> str:
    """Why a name is no option, as the tail of an error."""
    value = inspect.getattr_static(game, name, None)
    if type(value) in (int, bool, float, str):
        return f"an option has a type, so write `{name}: {type(value).__name__} = {value!r}`."
    return suggestion(name, game.declared_options())


def check_game(subject: Any) -> Game:
    """The subject, if it is a game; a class or anything else is an error."""
    if isinstance(subject, Game):
        return subject
    if isinstance(subject, type) and issubclass(subject, Game):
        raise OptionError(f"{subject.__name__} is a class of games: give {subject.__name__}().")
    raise OptionError(f"A game is needed, such as game('goose'), not {subject!r}.")


def _check_contract(game: Game) -> None:
    """Catch mistakes in the shape of a game before any of its rules is run."""
    cls = type(game)
    where = cls.__name__
    state = getattr(cls, "State", None)
    if not (isinstance(state, type) and issubclass(state, tuple) and hasattr(state, "_fields")):
        raise RuleError(f"{where} needs a State: write `class State(NamedTuple)` inside it.")
    if cls.winner is Game.winner:
        raise RuleError(f"{where} needs a method `winner(self, s)` that says who has won.")
    for several in ("interchangeable", "hidden"):
        named = getattr(game, several)
        if not isinstance(named, tuple):
            names = [named] if isinstance(named, str) else named
            listed = isinstance(names, list | set | frozenset) and len(names) > 0
            shown = repr(tuple(names)) if listed else '("field",)'
            raise RuleError(
                f"{where}.{several} must be a tuple of names of fields: write {several} = {shown}."
            )
    check_hidden(game)
    for name in game.interchangeable:
        if name not in state._fields:
            raise RuleError(f"{where}.interchangeable names {name!r}, which State has not.")
    if game.interchangeable and ("turn" not in state._fields or cls.mover is not Game.mover):
        raise RuleError(
            f"{where} declares interchangeable players, which needs the mover in a field `turn`."
        )
    if game.squares and game.squares not in state._fields:
        raise RuleError(f"{where}.squares names {game.squares!r}, which State has not.")
    expected = {"start": 1, "positions": 1, "winner": 2, "score": 2, "mover": 2, "ranges": 1}
    expected |= {"rank": 2, "unrank": 2}
    for name, count in expected.items():
        if hasattr(cls, name):
            _check_signature(where, name, inspect.getattr_static(cls, name), count)
    if hasattr(cls, "rank") != hasattr(cls, "unrank"):
        raise RuleError(f"{where} must define both rank and unrank, or neither.")
    moves = dict(written_moves(cls))
    if not moves:
        raise RuleError(f"{where} has no move: put @move before at least one method.")
    for name, written in moves.items():
        given = ["self", "s"] if written.each is None else ["self", "s", "number"]
        rolled = [] if written.dice is None else ["roll"]
        _check_signature(where, name, written.function, [*given, *rolled])
        if written.when is not None:
            _check_signature(where, f"{name}: when", written.when, given)
        if callable(written.dice) and not isinstance(written.dice, Die):
            count = parameters(written.dice)
            _check_signature(
                where, f"{name}: dice", written.dice, ["self"] if count == 1 else given
            )
        elif written.dice is not None and not isinstance(written.dice, Die):
            raise RuleError(
                f"{where}.{name}: dice must be a Die, not {written.dice!r}{as_die(written.dice)}"
            )


def _check_players(game: Game) -> None:
    """Refuse more players than the rules were written for; fewer, the interpreter notices."""
    usual = game.declared_options()["players"][1]
    if game.players > usual and not knows_players(type(game)):
        name = type(game).__name__
        raise OptionError(
            f"{name} is written for {usual} player{'s' * (usual != 1)}, not {game.players}: its "
            f"rules never look at `self.players`. For any number, give each player an entry, as in "
            f"(0,) * self.players, look for the winner in range(self.players), and hand the turn "
            f"to (s.turn + 1) % self.players; if they are right for {game.players} as they are, "
            f"write `players: int = {game.players}` in the class."
        )


def _check_signature(where: str, name: str, function: Any, shape: int | list[str]) -> None:
    names = {1: ["self"], 2: ["self", "s"]}[shape] if isinstance(shape, int) else shape
    count = len(names)
    if not callable(function):
        raise RuleError(f"{where}.{name} must be a method, not {function!r}.")
    found = [
        p for p in inspect.signature(function).parameters.values() if p.default is inspect._empty
    ]
    if len(found) != count or any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in found):
        taken = ", ".join(str(p) for p in found)
        hint = " (a move gets a roll exactly when it has dice)" if count >= 2 else ""
        wanted = ", ".join(names)
        raise RuleError(f"{where}.{name} must take ({wanted}), but takes ({taken}){hint}.")
