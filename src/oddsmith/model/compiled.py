# mypy: disable-error-code="untyped-decorator"
"""Rules to machine code: teaches Numba what a Game is.

A game becomes a Numba type of its own, named by the digest of its rules. Compiled kernels take a
game as their first argument and reach the rules through a handful of generic functions (`step`,
`legal`, `die_of`, `winner_code`, `mover_of`, `rank_of`, `unrank_into`), which are overloaded for
that type. So a kernel is written once, is compiled for each game, and Numba's own disk cache
keeps the machine code under the digest: the same rules are compiled once.

Inside rules, `self.option` is a constant, `self.method(...)` calls the method compiled alike,
`self.State(...)` and `state._replace(...)` work on NamedTuples, and plain functions that the
rules refer to are compiled along with them.
"""

from __future__ import annotations

import inspect
import re
import types as python_types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba import njit, typeof, types
from numba.core.imputils import lower_constant, lower_getattr, lower_getattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, signature
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_builtin,
    models,
    overload,
    register_model,
    typeof_impl,
    unbox,
)

from oddsmith.dice import Die
from oddsmith.model.model import GOES_ON
from oddsmith.rules import interpret, put_numba
from oddsmith.rules.digest import rules_digest
from oddsmith.rules.game import DRAW, Action, Game, Move
from oddsmith.rules.put import put

if TYPE_CHECKING:
    from oddsmith.model.explore import Interpreted

BAD_WINNER = -2

_games: dict[str, CompiledGame] = {}
_methods: set[str] = set()


class CompiledGame:
    """A game as kernels take it. The shape of each move's rolls must be known to compile it."""

    def __init__(self, game: Game, start: Any, rolls: tuple[Any, ...]) -> None:
        put_numba.register()
        self.game = game
        self.state_type = typeof(start)
        self.roll_types = tuple(None if roll is None else typeof(roll) for roll in rolls)
        self.digest = f"{rules_digest(game)} {self.state_type} {self.roll_types}"
        for cls in reversed(type(game).__mro__[:-1]):
            for name, value in vars(cls).items():
                if isinstance(value, python_types.FunctionType | Move):
                    _register_method(name)
        self.methods: dict[str, Any] = {}
        _games[self.digest] = self

    def function(self, name: str) -> Callable[..., Any] | None:
        """The plain function behind a method of the game's class."""
        found = inspect.getattr_static(type(self.game), name, None)
        if isinstance(found, Move):
            found = found.function
        return found if isinstance(found, python_types.FunctionType) else None

    def method(self, name: str) -> Any:
        """A method of the game, to be compiled when it is called."""
        if name not in self.methods:
            self.methods[name] = njit(compilable(self.function(name)))
        return self.methods[name]


class GameType(types.Type):  # type: ignore[misc]
    """The Numba type of one game: equal for equal rules and options."""

    def __init__(self, digest: str) -> None:
        self.digest = digest
        super().__init__(name=f"Game({digest})")

    @property
    def compiled(self) -> CompiledGame:
        """The game itself."""
        return _games[self.digest]

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return GameType, (self.digest,)


register_model(GameType)(models.OpaqueModel)


@typeof_impl.register(CompiledGame)
def _typeof_game(value: CompiledGame, context: Any) -> GameType:
    return GameType(value.digest)


@unbox(GameType)
def _unbox_game(kind: Any, value: Any, c: Any) -> Any:
    return NativeValue(c.context.get_dummy_value())


# Attributes and methods of a game -------------------------------------------------------------


@infer_getattr
class _GameAttributes(AttributeTemplate):  # type: ignore[misc]
    key = GameType

    def generic_resolve(self, kind: GameType, name: str) -> Any:
        if name == "State":
            return types.NamedTupleClass(kind.compiled.game.State)
        if kind.compiled.function(name) is not None:
            return _bound_method(kind, name)
        if not hasattr(kind.compiled.game, name):
            return None
        return typeof(getattr(kind.compiled.game, name))


def _bound_method(kind: GameType, name: str) -> Any:
    """The type of `self.name`: a call of it is a call of the compiled method."""
    dispatcher = types.Dispatcher(kind.compiled.method(name))

    class Method(AbstractTemplate):  # type: ignore[misc]
        key = ("Game method", name)

        def generic(self, args: Any, kws: Any) -> Any:
            found = dispatcher.get_call_type(self.context, (kind, *args), kws)
            return None if found is None else found.as_method()

    return types.BoundFunction(Method, kind)


@lower_getattr(GameType, "State")
def _lower_state_class(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()


@lower_getattr_generic(GameType)
def _lower_attribute(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    constant = getattr(kind.compiled.game, name)
    return context.get_constant_generic(builder, typeof(constant), constant)


def _register_method(name: str) -> None:
    """Let compiled rules call `self.name(...)`, whichever game's method it turns out to be."""
    if name in _methods:
        return
    _methods.add(name)

    def call(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        dispatcher = types.Dispatcher(sig.args[0].compiled.method(name))
        function = context.get_function(dispatcher, sig)
        context.add_linking_libs(getattr(function, "libs", ()))
        return function(builder, args)

    lower_builtin(("Game method", name), GameType, types.VarArg(types.Any))(call)


def compilable(function: Any, seen: dict[Any, Any] | None = None) -> Any:
    """A copy of a function in which the plain functions it refers to are compiled too."""
    seen = {} if seen is None else seen
    if function in seen:
        return seen[function]
    seen[function] = function  # a recursive function refers to itself: leave that to Numba

    def replaced(value: Any) -> Any:
        if isinstance(value, python_types.FunctionType) and value is not put:
            return njit(compilable(value, seen))
        return value

    names = set(function.__code__.co_names)
    found = {k: replaced(v) for k, v in function.__globals__.items() if k in names}
    cells = tuple(
        python_types.CellType(replaced(cell.cell_contents)) for cell in function.__closure__ or ()
    )
    copy = python_types.FunctionType(
        function.__code__,
        {**function.__globals__, **found},
        function.__name__,
        function.__defaults__,
        cells or None,
    )
    copy.__module__ = function.__module__
    seen[function] = copy
    return copy


# NamedTuple._replace ----------------------------------------------------------------------------


@infer_getattr
class _NamedTupleReplace(AttributeTemplate):  # type: ignore[misc]
    key = types.BaseTuple

    def generic_resolve(self, kind: Any, name: str) -> Any:
        if name != "_replace" or not isinstance(kind, types.BaseNamedTuple):
            return None

        class Replace(AbstractTemplate):  # type: ignore[misc]
            key = "NamedTuple._replace"

            def generic(self, args: Any, kws: Any) -> Any:
                if args or any(name not in kind.fields for name in kws):
                    return None
                old = dict(zip(kind.fields, kind.types, strict=True))
                new = [types.unliteral(kws.get(field, old[field])) for field in kind.fields]
                result = types.BaseTuple.from_types(new, kind.instance_class)
                given = [kws.get(field, types.Omitted(None)) for field in kind.fields]
                parameter = inspect.Parameter
                parameters = [
                    parameter(field, parameter.POSITIONAL_OR_KEYWORD, default=None)
                    for field in kind.fields
                ]
                found = signature(result, *given, recvr=kind)
                return found.replace(pysig=inspect.Signature(parameters))

        return types.BoundFunction(Replace, kind)


@lower_builtin("NamedTuple._replace", types.BaseTuple, types.VarArg(types.Any))
def _lower_replace(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    values = []
    for i, (kind, value) in enumerate(zip(sig.args[1:], args[1:], strict=True)):
        if isinstance(kind, types.Omitted):
            kind, value = sig.args[0].types[i], builder.extract_value(args[0], i)
        values.append(context.cast(builder, value, kind, sig.return_type.types[i]))
    return context.make_tuple(builder, sig.return_type, values)


# Dice as values: a die is its digest ------------------------------------------------------------


class DieType(types.Type):  # type: ignore[misc]
    """The Numba type of a Die that rules pick and return: its digest, a 63-bit number."""

    def __init__(self) -> None:
        super().__init__(name="Die")


_die_type = DieType()


@register_model(DieType)
class _DieModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, manager.lookup(types.int64).get_value_type())


@typeof_impl.register(Die)
def _typeof_die(value: Die[Any], context: Any) -> DieType:
    return _die_type


@lower_constant(DieType)
def _lower_die(context: Any, builder: Any, kind: Any, value: Die[Any]) -> Any:
    return context.get_constant(types.int64, value.digest)


@intrinsic
def _die_digest(typing_context: Any, die: Any) -> Any:
    if not isinstance(die, DieType):
        return None
    return types.int64(die), lambda context, builder, sig, args: args[0]


# States and rolls as rows of numbers ------------------------------------------------------------


@intrinsic
def _write(typing_context: Any, value: Any, array: Any) -> Any:
    """Write the numbers of a state into an array; anything but whole numbers is refused."""
    if not isinstance(value, types.BaseTuple) or not _is_whole(value):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[1])(context, builder, args[1]).data
        position = iter(range(10**6))

        def write(kind: Any, part: Any) -> None:
            if isinstance(kind, types.BaseTuple):
                for i, item in enumerate(kind.types):
                    write(item, builder.extract_value(part, i))
            else:
                offset = context.get_constant(types.intp, next(position))
                number = context.cast(builder, part, kind, types.int64)
                builder.store(number, builder.gep(data, [offset]))

        write(sig.args[0], args[0])
        return context.get_dummy_value()

    return types.void(value, array), generate


def _is_whole(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return all(_is_whole(item) for item in kind.types)
    return isinstance(kind, types.Integer | types.Boolean)


@intrinsic
def _read(typing_context: Any, target: Any, array: Any, offset: Any) -> Any:
    """Read a value of a type (a state, a roll) from the numbers in an array."""
    result = target.instance_type

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[1])(context, builder, args[1]).data
        position = iter(range(10**6))

        def read(kind: Any) -> Any:
            if isinstance(kind, types.BaseTuple):
                return context.make_tuple(builder, kind, [read(item) for item in kind.types])
            step = context.get_constant(types.intp, next(position))
            number = builder.load(builder.gep(data, [builder.add(args[2], step)]))
            return context.cast(builder, number, types.int64, kind)

        return read(sig.return_type)

    return result(target, array, types.intp), generate


# What kernels call ------------------------------------------------------------------------------


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


def rank_of(game: Any, state: Any) -> Any:
    """The game's own number for a state, or -1 if it has none."""


def unrank_into(game: Any, rank: Any, row: Any) -> Any:
    """Write the state with a rank."""


@overload(read_state, strict=False)
def _read_state(game: Any, row: Any) -> Any:
    target = game.compiled.state_type

    def implementation(game: Any, row: Any) -> Any:
        return _read(target, row, 0)

    return implementation


def _by_move(game: Any, link: Callable[..., Any], last: Any) -> Any:
    """A chain of ifs, one a move: `link(index, action, rest)` makes each, `last` ends it."""
    chain, result = njit(last), last
    for index, action in reversed(list(enumerate(game.compiled.game.actions))):
        result = link(index, action, chain)
        chain = njit(result)
    return result


@overload(step, strict=False)
def _step(game: Any, move: Any, state: Any, faces: Any, face: Any, row: Any) -> Any:
    def last(game: Any, move: Any, state: Any, faces: Any, face: Any, row: Any) -> Any:
        pass

    def link(index: int, action: Any, rest: Any) -> Any:
        rule, target = game.compiled.method(action.name), game.compiled.roll_types[index]

        def with_roll(game: Any, move: Any, state: Any, faces: Any, face: Any, row: Any) -> Any:
            if move == index:
                roll = _read(target, faces, face * faces.shape[1])
                _write(rule(game, state, roll), row)
            else:
                rest(game, move, state, faces, face, row)

        def without(game: Any, move: Any, state: Any, faces: Any, face: Any, row: Any) -> Any:
            if move == index:
                _write(rule(game, state), row)
            else:
                rest(game, move, state, faces, face, row)

        return with_roll if action.has_roll else without

    return _by_move(game, link, last)


@overload(legal, strict=False)
def _legal(game: Any, move: Any, state: Any) -> Any:
    def last(game: Any, move: Any, state: Any) -> Any:
        return False

    def link(index: int, action: Any, rest: Any) -> Any:
        if action.when is None:

            def always(game: Any, move: Any, state: Any) -> Any:
                return True if move == index else rest(game, move, state)

            return always
        rule = njit(compilable(action.when))

        def sometimes(game: Any, move: Any, state: Any) -> Any:
            return bool(rule(game, state)) if move == index else rest(game, move, state)

        return sometimes

    return _by_move(game, link, last)


@overload(die_of, strict=False)
def _die_of(game: Any, move: Any, state: Any) -> Any:
    def last(game: Any, move: Any, state: Any) -> Any:
        return types.int64(-1)

    def link(index: int, action: Any, rest: Any) -> Any:
        if action.dice is None:

            def fixed(game: Any, move: Any, state: Any) -> Any:
                return rest(game, move, state)

            return fixed
        rule = njit(compilable(action.dice))

        def by_state(game: Any, move: Any, state: Any) -> Any:
            if move == index:
                return _die_digest(rule(game, state))
            return rest(game, move, state)

        return by_state

    return _by_move(game, link, last)


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
        return lambda game, state: types.int64(rule(game, state))
    if "turn" in found.State._fields:
        return lambda game, state: types.int64(state.turn)
    return lambda game, state: types.int64(0)


@overload(rank_of, strict=False)
def _rank_of(game: Any, state: Any) -> Any:
    if game.compiled.function("rank") is None:
        return lambda game, state: types.int64(-1)
    rule = game.compiled.method("rank")
    return lambda game, state: types.int64(rule(game, state))


@overload(unrank_into, strict=False)
def _unrank_into(game: Any, rank: Any, row: Any) -> Any:
    if game.compiled.function("unrank") is None:
        return lambda game, rank, row: None
    rule = game.compiled.method("unrank")

    def implementation(game: Any, rank: Any, row: Any) -> Any:
        _write(rule(game, rank), row)

    return implementation


# Compiling a game -------------------------------------------------------------------------------

COMPILE_ERRORS = (numba.core.errors.NumbaError, NotImplementedError)
"""What Numba raises for rules outside its subset of Python."""


class NotCompilable(Exception):  # noqa: N818 - a finding, not an error
    """The rules or the states are outside what can be compiled; says why."""


@contextmanager
def refusals() -> Iterator[None]:
    """Turn Numba's long messages into a reason of one line."""
    try:
        yield
    except COMPILE_ERRORS as error:
        raise NotCompilable(_reason(str(error)) or type(error).__name__) from None


def _reason(message: str) -> str:
    """The telling line of a message of Numba's, and the place in the rules it is about."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    telling = [line for line in lines if re.match(TELLING, line)]
    places = [line for line in lines if re.match(r'File ".*", line \d+', line)]
    places = [place for place in places if "oddsmith/model/" not in place]
    reason = (telling or lines or [""])[-1].rstrip(".:")
    return f"{reason}, {places[-1].rstrip(':')}" if places else reason


TELLING = (
    r"(Unknown attribute|Untyped global|Cannot unify|Invalid use|Use of unsupported|"
    r"No implementation of function|Unsupported|Cannot determine|cannot|.*not supported)"
)


def compile_game(search: Interpreted) -> tuple[CompiledGame, DiceTable]:
    """A game ready for kernels; `search` has interpreted its first states."""
    if isinstance(search.layout, str):
        raise NotCompilable(search.layout)
    shapes: list[Any] = []
    for number, action in enumerate(search.game.actions):
        if action.die is not None:
            shapes.append(_shape(action.name, action.die))
        elif action.dice is not None:
            shapes.append(search.dice.get(number, 0))
        else:
            shapes.append(None)
    compiled = CompiledGame(search.game, search.origin, tuple(shapes))
    fixed = [action.die for action in search.game.actions if action.die is not None]
    return compiled, DiceTable(search.game, list(dict.fromkeys(fixed)))


def _shape(move: str, die: Die[Any]) -> Any:
    """A face that stands for the shape of all faces of a die."""
    whole = all(isinstance(number, int) for face in die.faces for number in _flat(face))
    if not whole or len({str(typeof(face)) for face in die.faces}) != 1:
        raise NotCompilable(f"the rolls of {move} are not all whole numbers of one shape")
    return die.faces[0]


def _flat(face: Any) -> list[Any]:
    return [n for part in face for n in _flat(part)] if isinstance(face, tuple) else [face]


class DiceTable:
    """All the dice of a game as arrays: the faces as rows of numbers, their weights."""

    NO_DICE, BY_STATE = -1, -2

    def __init__(self, game: Game, dice: list[Die[Any]]) -> None:
        self.game, self.dice = game, dice
        rows = [[int(n) for n in _flat(face)] for die in dice for face in die.faces] or [[0]]
        width = max(1, max(len(row) for row in rows))
        self.faces = np.array([row + [0] * (width - len(row)) for row in rows], np.int64)
        self.weights = np.array([w for die in dice for w in die.weights] or [1], np.int64)
        self.start = np.cumsum([0] + [len(die) for die in dice]).astype(np.int64)
        self.total = np.array([die.total for die in dice] or [1], np.int64)
        self.digest = np.array([die.digest for die in dice] or [-1], np.int64)
        self.fixed = np.array([self._fixed(action) for action in game.actions], np.int64)

    def _fixed(self, action: Action) -> int:
        if action.die is not None:
            return self.dice.index(action.die)
        return self.BY_STATE if action.dice is not None else self.NO_DICE

    def with_dice_of(self, compiled: CompiledGame, state: Any) -> DiceTable:
        """The table with the dice that are thrown in a state as well."""
        dice = list(self.dice)
        for number, action in interpret.legal_actions(self.game, state):
            die = interpret.die_for(self.game, action, state)
            if die is None or die in dice:
                continue
            if any(typeof(face) != compiled.roll_types[number] for face in die.faces):
                raise NotCompilable(
                    f"the rolls of {action.name} change their shape ({die.faces[0]!r} in "
                    f"{state!r}): give all its dice faces of one shape"
                )
            dice.append(die)
        return DiceTable(self.game, dice)
