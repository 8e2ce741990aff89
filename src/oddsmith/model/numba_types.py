# mypy: disable-error-code="untyped-decorator"
"""Teaches Numba what a Game is, what a Die is, NamedTuples with defaults, and their `_replace`.

A game becomes a Numba type of its own, named by the digest of its rules, so Numba's disk cache
keeps compiled kernels by game. Inside rules, `self.option` is a constant, `self.method(...)`
calls the method compiled alike, `self.State(...)` and `state._replace(...)` work on NamedTuples,
and plain functions that the rules refer to are compiled along with them.
"""

from __future__ import annotations

import hashlib
import inspect
import types as python_types
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba import typeof, types
from numba.core.dispatcher import Dispatcher
from numba.core.imputils import lower_constant, lower_getattr, lower_getattr_generic
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    signature,
)
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
from oddsmith.model import put_compiled
from oddsmith.model.plain_operators import called, refuse
from oddsmith.model.rule_compiler import check_code, compiled_rule
from oddsmith.rules.digest import rules_digest
from oddsmith.rules.game import Game, Move
from oddsmith.rules.put import put

_games: dict[str, CompiledGame] = {}
_methods: set[str] = set()


class CompiledGame:
    """A game as kernels take it. The shape of each move's rolls must be known to compile it."""

    def __init__(self, game: Game, start: Any, rolls: tuple[Any, ...]) -> None:
        put_compiled.register()
        self.game = game
        self.state_type = typeof(start)
        self.roll_types = tuple(None if roll is None else typeof(roll) for roll in rolls)
        self.digest = f"{rules_digest(game)} {_compiler()} {self.state_type} {self.roll_types}"
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
            self.methods[name] = compiled_rule(compilable(self.function(name)))
        return self.methods[name]


@cache
def _compiler() -> str:
    """A digest of what compiles rules: kept machine code of another compiler is not used."""
    package = Path(__file__).parents[1]
    places = ("model", "rules", "solve/simulate", "solve/play")
    files = sorted(path for place in places for path in (package / place).glob("*.py"))
    text = b"".join(path.read_bytes() for path in files)
    return hashlib.sha256(text + numba.__version__.encode()).hexdigest()[:16]


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
            return Constructor(kind.compiled.game.State)
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
    if not isinstance(function, python_types.FunctionType):
        raise refuse(f"a rule that is a {type(function).__name__} and no plain function")
    if function in seen:
        if seen[function] is None:
            raise refuse(f"the function {function.__name__}, which calls itself")
        return seen[function]
    seen[function] = None
    check_code(function)

    def replaced(value: Any) -> Any:
        if isinstance(value, Dispatcher):  # compiled by the user: once more, as all rules are
            value = value.py_func
        if isinstance(value, python_types.FunctionType) and value is not put:
            return compiled_rule(compilable(value, seen))
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
            return NamedTupleOf(value)
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


# NamedTuples: made with defaults, and changed by _replace ----------------------------------------


class NamedTupleOf:
    """A class of NamedTuples among the globals of a rule."""

    def __init__(self, made: type) -> None:
        self.made = made


class Constructor(types.NamedTupleClass):  # type: ignore[misc]
    """The type of a class of NamedTuples that is called with fields left to their defaults.

    Numba's own makes a shorter tuple of them.
    """


@typeof_impl.register(NamedTupleOf)
def _typeof_named_tuple(value: NamedTupleOf, context: Any) -> Constructor:
    return Constructor(value.made)


register_model(Constructor)(models.OpaqueModel)


@lower_constant(Constructor)
def _lower_constructor(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()


@infer_getattr
class _ConstructorCall(AttributeTemplate):  # type: ignore[misc]
    key = Constructor

    def resolve___call__(self, kind: Constructor) -> Any:
        made = kind.instance_class
        if made.__new__.__qualname__.split(".")[0] not in (made.__name__, "namedtuple"):
            raise refuse(f"{made.__name__}, which has a __new__ of its own")
        pysig = inspect.signature(made)

        def typer(*args: Any, **kws: Any) -> Any:
            try:
                given = pysig.bind(*args, **kws).arguments
            except TypeError as error:
                raise refuse(f"{made.__name__}: {error}") from None
            parts = [
                types.unliteral(given[name] if name in given else typeof(parameter.default))
                for name, parameter in pysig.parameters.items()
            ]
            result = types.BaseTuple.from_types(parts, made)
            absent = [
                given.get(name, types.Omitted(parameter.default))
                for name, parameter in pysig.parameters.items()
            ]
            return signature(result, *absent)

        return types.Function(_constructor_template(kind, typer, pysig))


def _constructor_template(kind: Constructor, typer: Any, pysig: Any) -> Any:
    class Make(AbstractTemplate):  # type: ignore[misc]
        key = Constructor

        def generic(self, args: Any, kws: Any) -> Any:
            return typer(*args, **kws).replace(pysig=pysig)

    return Make


@lower_builtin(Constructor, types.VarArg(types.Any))
def _lower_construction(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    values = []
    for kind, value, part in zip(sig.args, args, sig.return_type.types, strict=True):
        if isinstance(kind, types.Omitted):
            value = context.get_constant_generic(builder, part, kind.value)
            kind = part
        values.append(context.cast(builder, value, kind, part))
    return context.make_tuple(builder, sig.return_type, values)


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


def roll_salt(kind: Any) -> int:
    """A number for the shape of a move's rolls.

    A die that depends on the state is looked up by its digest and this number, so that it is never
    read with the shape of another move's dice.
    """
    return int.from_bytes(hashlib.sha256(str(kind).encode()).digest()[:7], "big")


# States and rolls as rows of numbers ------------------------------------------------------------


@intrinsic
def write_row(typing_context: Any, target: Any, value: Any, array: Any) -> Any:
    """Write the numbers of a value (a state, the scores) into an array, if its type is right."""
    misfit = _misfit(target.instance_type, value)
    if misfit:
        raise refuse(f"a rule that gives {misfit}")

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[2])(context, builder, args[2]).data
        position = iter(range(10**6))

        def write(kind: Any, part: Any) -> None:
            if isinstance(kind, types.BaseTuple):
                for i, item in enumerate(kind.types):
                    write(item, builder.extract_value(part, i))
            else:
                offset = context.get_constant(types.intp, next(position))
                number = context.cast(builder, part, kind, types.int64)
                builder.store(number, builder.gep(data, [offset]))

        write(sig.args[1], args[1])
        return context.get_dummy_value()

    return types.void(target, value, array), generate


def _misfit(wanted: Any, value: Any) -> str:
    """How a type is not the one that is wanted, in words; nothing if it is."""
    value = types.unliteral(value)
    if not isinstance(wanted, types.BaseTuple):
        whole = types.Boolean if isinstance(wanted, types.Boolean) else types.Integer
        return "" if isinstance(value, whole) else f"{called(value)} for {called(wanted)}"
    if not isinstance(value, types.BaseTuple) or len(value.types) != len(wanted.types):
        return f"{called(value)} for {called(wanted)}"
    made = getattr(wanted, "instance_class", tuple)
    if getattr(value, "instance_class", tuple) is not made:
        return f"{called(value)} for a {made.__name__}"
    return next(filter(None, map(_misfit, wanted.types, value.types)), "")


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
