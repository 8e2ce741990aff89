"""Hidden fields: what a state holds and players do not see.

A state is all there is to know of a game, and best play is found for players who know all of it:
that is what makes it a question of one state at a time. A game that names `hidden` fields says
that its players decide without them. Which decision is best then depends on what a player can
infer, state by state of belief, and that is not computed here: such questions are refused. A way
to play that is given can be followed, if it does not look: it is handed states in which hidden
fields are `Unseen`, so that it decides alike wherever players see the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from oddsmith.errors import OptionError, RuleError

if TYPE_CHECKING:
    from oddsmith.rules.game import Game


class HiddenError(RuleError):
    """Somebody looked at a field that players do not see."""


class Unseen:
    """What stands in a hidden field for those who must not look: any use of it is an error."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def __repr__(self) -> str:
        return "hidden"

    def _refuse(self, *arguments: Any) -> NoReturn:
        raise HiddenError(f"looks at {self._name}, which players do not see")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = __bool__ = __int__ = __index__ = __float__ = _refuse
    __len__ = __iter__ = __contains__ = __getitem__ = __call__ = __str__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refuse
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __pow__ = __rpow__ = _refuse
    __neg__ = __pos__ = __abs__ = __invert__ = __format__ = __round__ = _refuse
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __divmod__ = __rdivmod__ = _refuse

    def __getattr__(self, name: str) -> Any:
        self._refuse()


def seen_by_players(game: Game, state: Any) -> Any:
    """A state as those who decide may see it."""
    if not game.hidden:
        return state
    return state._replace(**{name: Unseen(name) for name in game.hidden})


def refuse_best_play(game: Game) -> None:
    """Refuse a question of best play, if players do not see all of the state."""
    if game.hidden:
        raise OptionError(
            f"What is best in {game.name} depends on what players can infer about "
            f"{' and '.join(game.hidden)}, which they do not see, and best play is computed for "
            f"players who see everything: say how they play (play='random', --play random, a way "
            f"to play that the game names, or a function of yours that does not look at it)."
        )


def refuse_process(game: Game) -> None:
    """Refuse to hand a game with hidden fields to those who would show them to its players."""
    if game.hidden:
        raise OptionError(
            f"Properties and files of models know no hidden fields: in them the players of "
            f"{game.name} would see {' and '.join(game.hidden)}. Ask odds, length, visits, values "
            f"or simulate, and say how they play (play=…, --play)."
        )


def check_hidden(game: Game) -> None:
    """Refuse hidden fields that there are not, or that the mover has to know."""
    where = type(game).__name__
    for name in game.hidden:
        if name not in game.State._fields:
            raise RuleError(f"{where}.hidden names {name!r}, which State has not.")
        if name == "turn":
            raise RuleError(f"{where}.hidden names 'turn', but players know whose turn it is.")
