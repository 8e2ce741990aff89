# mypy: disable-error-code="untyped-decorator"
"""How compiled kernels reach the rules: a handful of functions, overloaded for every game.

Kernels take a game as their first argument and call `step`, `legal`, `die_of`, `winner_code`,
`mover_of`, `rank_of` and `unrank_into`; Numba resolves each for the type of the game. So a kernel
is written once and compiled for each game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit, types
from numba.extending import intrinsic, overload

from oddsmith.model.model import GOES_ON
from oddsmith.model.numba_types import compilable, die_digest, read_row, roll_salt, write_row
from oddsmith.model.plain_operators import WHOLE, called, refuse
from oddsmith.model.rule_compiler import compiled_rule
from oddsmith.rules.game import DRAW, Game

BAD_WINNER = -2


def read_state(game: Any, row: Any) -> Any:
    """The state that a row of numbers stands for."""


def step(game: Any, move: Any, state: Any, faces: Any, face: Any, row: Any) -> Any:
    """Play a move with the roll in row `face` of the table `faces`; write the new state."""


def legal(game: Any, move: Any, state: Any) -> Any:
    """Whether a move may be played."""


def die_of(game: Any, move: Any, state: Any) -> Any:
    """The digest of the die that a move throws, where that depends on the state."""


def winner_code(game: Any, state: Any) -> Any:
    """Who has won, as in `Model.winners`; BAD_WINNER if that is no player."""


def mover_of(game: Any, state: Any) -> Any:
    """Whose turn it is."""


def scores_into(game: Any, state: Any, scores: Any) -> Any:
    """Write what each player has scored, where the game has scores; whether that went well."""


def rank_of(game: Any, state: Any) -> Any:
    """The game's own number for a state, or -1 if it has none."""


def unrank_into(game: Any, rank: Any, row: Any) -> Any:
    """Write the state with a rank."""


@overload(read_state, strict=False)
def _read_state(game: Any, row: Any) -> Any:
    target = game.compiled.state_type

    def implementation(game: Any, row: Any) -> Any:
        return read_row(target, row, 0)

    return implementation


def _by_move(game: Any, link: Callable[..., Any], last: Any) -> Any:
    """A chain of ifs, one a move as written: `link` makes each, `last` ends it.

    Variants of a move have successive numbers: `link(first, end, action, rest)` makes the branch
    for the numbers first … end-1, `action` being the first of them.
    """
    actions = game.compiled.game.actions
    firsts = [i for i, a in enumerate(actions) if i == 0 or actions[i - 1].method != a.method]
    chain, result = njit(last), last
    for first, end in reversed(list(zip(firsts, [*firsts[1:], len(actions)], strict=True))):
        result = link(first, end, actions[first], chain)
        chain = njit(result)
    return result


@overload(step, strict=False)
def _step(game: Any, move: Any, state: Any, faces: Any, face: Any, row: Any) -> Any:
    def last(game: Any, move: Any, state: Any, faces: Any, face: Any, row: Any) -> Any:
        pass

    def link(first: int, end: int, action: Any, rest: Any) -> Any:
        rule, target = game.compiled.method(action.method), game.compiled.roll_types[first]
        made = game.compiled.state_type
        offset = 0 if action.variant is None else action.variant - first

        def with_roll(game: Any, move: Any, state: Any, faces: Any, face: Any, row: Any) -> Any:
            if move < end:
                roll = read_row(target, faces, face * faces.shape[1])
                write_row(made, rule(game, state, roll), row)
            else:
                rest(game, move, state, faces, face, row)

        def without(game: Any, move: Any, state: Any, faces: Any, face: Any, row: Any) -> Any:
            if move < end:
                write_row(made, rule(game, state), row)
            else:
                rest(game, move, state, faces, face, row)

        def variant_with_roll(
            game: Any, move: Any, state: Any, faces: Any, face: Any, row: Any
        ) -> Any:
            if move < end:
                roll = read_row(target, faces, face * faces.shape[1])
                write_row(made, rule(game, state, move + offset, roll), row)
            else:
                rest(game, move, state, faces, face, row)

        def variant(game: Any, move: Any, state: Any, faces: Any, face: Any, row: Any) -> Any:
            if move < end:
                write_row(made, rule(game, state, move + offset), row)
            else:
                rest(game, move, state, faces, face, row)

        if action.variant is None:
            return with_roll if action.has_roll else without
        return variant_with_roll if action.has_roll else variant

    return _by_move(game, link, last)


@overload(legal, strict=False)
def _legal(game: Any, move: Any, state: Any) -> Any:
    def last(game: Any, move: Any, state: Any) -> Any:
        return False

    def link(first: int, end: int, action: Any, rest: Any) -> Any:
        if action.when is None:

            def always(game: Any, move: Any, state: Any) -> Any:
                return True if move < end else rest(game, move, state)

            return always
        rule = compiled_rule(compilable(action.when))
        offset = 0 if action.variant is None else action.variant - first

        def sometimes(game: Any, move: Any, state: Any) -> Any:
            return _truth(rule(game, state)) if move < end else rest(game, move, state)

        def variant(game: Any, move: Any, state: Any) -> Any:
            if move < end:
                return _truth(rule(game, state, move + offset))
            return rest(game, move, state)

        return sometimes if action.variant is None else variant

    return _by_move(game, link, last)


@overload(die_of, strict=False)
def _die_of(game: Any, move: Any, state: Any) -> Any:
    def last(game: Any, move: Any, state: Any) -> Any:
        return types.int64(-1)

    def link(first: int, end: int, action: Any, rest: Any) -> Any:
        if action.dice is None:

            def fixed(game: Any, move: Any, state: Any) -> Any:
                return types.int64(-1) if move < end else rest(game, move, state)

            return fixed
        rule = compiled_rule(compilable(action.dice))
        salt = roll_salt(game.compiled.roll_types[first])
        offset = 0 if action.variant is None else action.variant - first

        def by_state(game: Any, move: Any, state: Any) -> Any:
            if move < end:
                return die_digest(rule(game, state)) ^ salt
            return rest(game, move, state)

        def variant(game: Any, move: Any, state: Any) -> Any:
            if move < end:
                return die_digest(rule(game, state, move + offset)) ^ salt
            return rest(game, move, state)

        return by_state if action.variant is None else variant

    return _by_move(game, link, last)


def _truth(value: Any) -> Any:
    """Whether a rule says yes."""


@overload(_truth, strict=False)
def _truth_overload(value: Any) -> Any:
    if not isinstance(value, WHOLE):
        raise refuse(f"a rule that says {called(value)} for yes or no")
    return lambda value: value != 0


def _number(value: Any) -> Any:
    """What a rule says, if that is a whole number."""


@overload(_number, strict=False)
def _number_overload(value: Any) -> Any:
    if not isinstance(value, types.Integer):
        raise refuse(f"a rule that gives {called(value)} for a whole number")
    return lambda value: types.int64(value)


def _bits(value: Any, players: Any) -> Any:
    """Encode what `winner` returned."""


@overload(_bits, strict=False)
def _bits_overload(value: Any, players: Any) -> Any:
    if isinstance(value, types.NoneType):
        return lambda value, players: types.int64(GOES_ON)
    if isinstance(value, types.Optional):

        def optional(value: Any, players: Any) -> Any:
            return types.int64(GOES_ON) if value is None else _bits(_unwrap(value), players)

        return optional
    if isinstance(value, types.Integer):

        def one(value: Any, players: Any) -> Any:
            if value == DRAW:
                return types.int64(0)
            if value < 0 or value >= players:
                return types.int64(BAD_WINNER)
            return types.int64(1) << types.int64(value)

        return one
    if isinstance(value, types.UniTuple) and isinstance(value.dtype, types.Integer):

        def several(value: Any, players: Any) -> Any:
            bits = types.int64(0)
            for player in value:
                if player < 0 or player >= players:
                    return types.int64(BAD_WINNER)
                bits |= types.int64(1) << types.int64(player)
            return bits

        return several
    return None


@intrinsic
def _unwrap(typing_context: Any, value: Any) -> Any:
    """The value of an optional that is known not to be None."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.cast(builder, args[0], sig.args[0], sig.return_type)

    return value.type(value), generate


@overload(winner_code, strict=False)
def _winner_code(game: Any, state: Any) -> Any:
    rule = game.compiled.method("winner")
    players = game.compiled.game.players

    def implementation(game: Any, state: Any) -> Any:
        return _bits(rule(game, state), players)

    return implementation


@overload(mover_of, strict=False)
def _mover_of(game: Any, state: Any) -> Any:
    found = game.compiled.game
    if type(found).mover is not Game.mover:
        rule = game.compiled.method("mover")
        return lambda game, state: _number(rule(game, state))
    if "turn" in found.State._fields:
        return lambda game, state: types.int64(state.turn)
    return lambda game, state: types.int64(0)


@overload(scores_into, strict=False)
def _scores_into(game: Any, state: Any, scores: Any) -> Any:
    if not game.compiled.game.has_score:
        return lambda game, state, scores: True
    rule = game.compiled.method("score")

    def implementation(game: Any, state: Any, scores: Any) -> Any:
        return _write_scores(rule(game, state), scores)

    return implementation


def _write_scores(value: Any, scores: Any) -> Any:
    """Write what `score` returned, a number or one a player; whether their number is right."""


@overload(_write_scores, strict=False)
def _write_scores_overload(value: Any, scores: Any) -> Any:
    if isinstance(value, types.Integer):

        def one(value: Any, scores: Any) -> Any:
            scores[0] = value
            return len(scores) == 1

        return one
    if isinstance(value, types.BaseTuple):
        made = types.UniTuple(types.int64, len(value.types))

        def several(value: Any, scores: Any) -> Any:
            if len(value) != len(scores):
                return False
            write_row(made, value, scores)
            return True

        return several
    return None


@overload(rank_of, strict=False)
def _rank_of(game: Any, state: Any) -> Any:
    if game.compiled.function("rank") is None:
        return lambda game, state: types.int64(-1)
    rule = game.compiled.method("rank")
    return lambda game, state: _number(rule(game, state))


@overload(unrank_into, strict=False)
def _unrank_into(game: Any, rank: Any, row: Any) -> Any:
    if game.compiled.function("unrank") is None:
        return lambda game, rank, row: None
    rule, made = game.compiled.method("unrank"), game.compiled.state_type

    def implementation(game: Any, rank: Any, row: Any) -> Any:
        write_row(made, rule(game, rank), row)

    return implementation
