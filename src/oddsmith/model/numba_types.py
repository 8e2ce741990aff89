# mypy: disable-error-code="untyped-decorator"
"""Teaches Numba what a Game is, what a Die is, and NamedTuple._replace.

A game becomes a Numba type of its own, named by the digest of its rules, so Numba's disk cache
keeps compiled kernels by game. Inside rules, `self.option` is a constant, `self.method(...)`
calls the method compiled alike, `self.State(...)` and `state._replace(...)` work on NamedTuples,
and plain functions that the rules refer to are compiled along with them.
"""

from __future__ import annotations

import inspect
import types as python_types
from collections.abc import Callable
from typing import Any

from numba import njit, typeof, types
from numba.core.imputils import lower_constant, lower_getattr, lower_getattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, signature
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_builtin,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from oddsmith.dice import Die
from oddsmith.rules import put_numba
from oddsmith.rules.digest import rules_digest
from oddsmith.rules.game import Game, Move
from oddsmith.rules.put import put

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
def die_digest(typing_context: Any, die: Any) -> Any:
    """The number that stands for a die."""
    if not isinstance(die, DieType):
        return None
    return types.int64(die), lambda context, builder, sig, args: args[0]


# States and rolls as rows of numbers ------------------------------------------------------------


@intrinsic
def write_row(typing_context: Any, value: Any, array: Any) -> Any:
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
def read_row(typing_context: Any, target: Any, array: Any, offset: Any) -> Any:
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
