"""Calls: of rules and helpers, of methods of states, of what Python brings along."""

from __future__ import annotations

import ast
import sys
from enum import Enum
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType
from typing import Any

from oddsmith.model.native.numbers import Whole
from oddsmith.model.step import (
    arithmetic,
    builtin_folds,  # noqa: F401 - they declare what stands for Python's functions
    builtin_numbers,  # noqa: F401
    tuples,
)
from oddsmith.model.step.builtin_calls import BUILTINS
from oddsmith.model.step.builtin_sequences import in_order, method_of_sequence, method_of_table
from oddsmith.model.step.expressions import elements, evaluate, gathered, reading
from oddsmith.model.step.function import Frame
from oddsmith.model.step.program import bound
from oddsmith.model.step.values import (
    Known,
    Refused,
    Several,
    Value,
    all_known,
    called,
    items_of,
    shape_of,
)
from oddsmith.rules.moves import Move

READING = ("index", "count", "get", "items", "keys", "values", "copy")
"""Methods of lists and dictionaries that change nothing."""

PURE = ("math", "operator", "builtins", "fractions", "collections", "itertools", "functools")
"""Modules whose functions of known values are computed by Python before play."""


def call(frame: Frame, node: ast.Call) -> Value:
    """A call."""
    if isinstance(node.func, ast.Attribute):
        owner = reading(frame, node.func.value)
        if not isinstance(owner, Known):
            return _method(frame, owner, node.func.attr, node)
        if isinstance(owner.value, tuple | list | dict | range):
            return _method_of_known(frame, owner.value, node.func.attr, node)
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
        return _super(frame)
    function = evaluate(frame, node.func)
    if not isinstance(function, Known):
        raise Refused(f"calling {called(shape_of(function))}")
    return _call(frame, function.value, node)


def _super(frame: Frame) -> Value:
    """`super()`."""
    code = frame.function.__code__
    if "__class__" not in code.co_freevars or not code.co_argcount:
        raise Refused("super here")
    closure = frame.function.__closure__ or ()
    around = closure[code.co_freevars.index("__class__")].cell_contents
    itself = frame.names.get(code.co_varnames[0])
    if not isinstance(itself, Known):
        raise Refused("super of a state")
    return Known(super(around, itself.value))


def _arguments(frame: Frame, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:
    named = {}
    given = elements(frame, node.args)
    for keyword in node.keywords:
        if keyword.arg is None:
            raise Refused("a call with **")
        named[keyword.arg] = evaluate(frame, keyword.value)
    return given, named


def _call(frame: Frame, function: Any, node: ast.Call) -> Value:
    try:
        special = BUILTINS.get(function)
    except TypeError:  # no hash
        special = None
    if special is not None:
        return special(frame, node)
    given, named = _arguments(frame, node)
    if isinstance(function, MethodType):
        given, function = [Known(function.__self__), *given], function.__func__
    if isinstance(function, Move):
        function = function.function
    if isinstance(function, type) and hasattr(function, "_fields"):
        return made_state(frame, function, given, named)
    if all_known([*given, *named.values()]) and _is_pure(function):
        return _computed(frame, function, given, named)
    if isinstance(function, FunctionType) and not _is_librarys(function):
        wrapped = getattr(function, "__wrapped__", None)
        if wrapped is not None:
            raise Refused(f"the function {function.__name__}, which is wrapped by another,")
        return frame.program.call(frame.code, function, bound(function, given, named))
    raise Refused(f"the function {getattr(function, '__qualname__', repr(function)[:60])}")


def _is_librarys(function: FunctionType) -> bool:
    """Whether a function is Python's own or numpy's: those are known by name, or not at all."""
    package = function.__module__.partition(".")[0] if function.__module__ else ""
    return package in sys.stdlib_module_names or package in ("numpy", "numba")


def _is_pure(function: Any) -> bool:
    """Whether a function of known values may be computed now, once for all."""
    module = getattr(function, "__module__", None)
    package = module.partition(".")[0] if isinstance(module, str) else ""
    if isinstance(function, FunctionType) and package not in sys.stdlib_module_names:
        return is_steady(function, set())
    if isinstance(function, BuiltinFunctionType) and module is None:  # a method of a value
        owner = function.__self__
        return isinstance(owner, str | int | tuple | list | dict | frozenset)
    if isinstance(function, type) and issubclass(function, Enum):
        return True
    return package in PURE or package == "oddsmith"


UNSTEADY = frozenset(
    {
        "random", "randint", "randrange", "choice", "choices", "shuffle", "sample", "uniform",
        "getrandbits", "time", "perf_counter", "monotonic", "now", "today", "urandom",
        "token_bytes", "input", "open", "global", "getpid", "uuid4",
    }
)  # fmt: skip
"""Names of what does not say the same every time."""


def is_steady(function: FunctionType, seen: set[CodeType]) -> bool:
    """Whether a helper of the rules names nothing that may say something else next time."""
    todo, codes = [function.__code__], []
    while todo:
        code = todo.pop()
        codes.append(code)
        todo += (part for part in code.co_consts if isinstance(part, CodeType))
    if function.__code__ in seen:
        return True
    seen.add(function.__code__)
    names = {name for code in codes for name in code.co_names}
    if names & UNSTEADY:
        return False
    cells = [cell.cell_contents for cell in function.__closure__ or () if _is_full(cell)]
    reached = [function.__globals__.get(name) for name in names] + cells
    helpers = [one for one in reached if isinstance(one, FunctionType)]
    return all(is_steady(one, seen) for one in helpers)


def _is_full(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _computed(frame: Frame, function: Any, given: list[Value], named: dict[str, Value]) -> Value:
    """What Python says; what raises fails in play."""
    plain = [value.value for value in given]  # type: ignore[union-attr]
    try:
        return tuples.plain(
            function(*plain, **{k: v.value for k, v in named.items()})  # type: ignore[union-attr]
        )
    except Exception:
        frame.code.fail()


def made_state(frame: Frame, kind: Any, given: list[Value], named: dict[str, Value]) -> Value:
    """A NamedTuple: values given, then named, then the defaults."""
    fields = kind._fields
    found = dict(zip(fields, given, strict=False))
    if len(given) > len(fields) or any(k not in fields or k in found for k in named):
        frame.code.fail()
    found |= named
    for field in fields:
        if field not in found:
            if field not in kind._field_defaults:
                frame.code.fail()
            found[field] = Known(kind._field_defaults[field])
    values = tuple(found[field] for field in fields)
    if all_known(values):
        return Known(kind(*(value.value for value in values)))
    return Several(values, kind)


# Methods ------------------------------------------------------------------------------------------


def _method(frame: Frame, owner: Value, name: str, node: ast.Call) -> Value:
    owner = arithmetic.present(frame.code, owner)
    if isinstance(owner, Several):
        kind = owner.kind
        if name == "_replace" and hasattr(kind, "_fields"):
            return _replaced(frame, owner, node)
        function = getattr(kind, name, None)
        if isinstance(function, FunctionType) and hasattr(kind, "_fields"):
            given, named = _arguments(frame, node)
            values = bound(function, [owner, *given], named)
            return frame.program.call(frame.code, function, values)
        if name in ("count", "index"):
            return method_of_sequence(frame, items_of(owner), name, node)
    if isinstance(owner, Whole) and name == "bit_count" and not node.args:
        size = arithmetic.number(frame.code, owner)
        negative = frame.code.op(f"icmp slt i64 {owner.ref}, 0")
        turned = frame.code.op(f"sub i64 0, {owner.ref}")
        size_ref = frame.code.op(f"select i1 {negative}, i64 {turned}, i64 {arithmetic.ref(size)}")
        return Whole(frame.code.op(f"call i64 @llvm.ctpop.i64(i64 {size_ref})"), 0, 64)
    raise Refused(f"the method {name} of {called(shape_of(owner))}")


def _replaced(frame: Frame, owner: Several, node: ast.Call) -> Value:
    given, named = _arguments(frame, node)
    fields = owner.kind._fields  # type: ignore[attr-defined, unused-ignore]
    if given or any(name not in fields for name in named):
        frame.code.fail()
    pairs = zip(fields, owner.items, strict=True)
    return Several(tuple(named.get(field, item) for field, item in pairs), owner.kind)


def _method_of_known(frame: Frame, owner: Any, name: str, node: ast.Call) -> Value:
    """A method of a tuple, a list or a dictionary that is known."""
    if name == "_replace" and hasattr(owner, "_fields"):
        return _replaced(frame, Several(items_of(Known(owner)), type(owner)), node)
    function = getattr(owner, name, None)
    if isinstance(function, MethodType):
        return _call(frame, function, node)
    if isinstance(owner, list | dict) and name not in READING:
        raise Refused(f"the method {name} of {type(owner).__name__}")
    given, named = _arguments(frame, node)
    if all_known([*given, *named.values()]) and function is not None:
        return _computed(frame, function, given, named)
    if isinstance(owner, dict):
        return method_of_table(frame, owner, name, given)
    return method_of_sequence(frame, items_of(Known(owner)), name, node)


def changes_list(frame: Frame, node: ast.Call) -> bool:
    """A statement that changes a list of the rule's own: `found.append(3)`."""
    match node.func:
        case ast.Attribute(ast.Name(owner), name):
            before = frame.names.get(owner)
        case _:
            return False
    if not isinstance(before, Several) or before.kind is not list:
        return False
    items = list(before.items)
    given, named = _arguments(frame, node)
    if named:
        raise Refused(f"the method {name} of a list with arguments by name")
    match name, given:
        case "append", [value]:
            items.append(value)
        case "extend", [value]:
            items += items_of(value)
        case "insert", [Known(int(place)), value]:
            items.insert(place, value)
        case "reverse", []:
            items.reverse()
        case "sort", []:
            items = in_order(frame, items, False)
        case "clear", []:
            items = []
        case "pop", []:
            if not items:
                frame.code.fail()
            items.pop()
        case _:
            raise Refused(f"the method {name} of a list")
    frame.names[owner] = Several(tuple(items), list)
    return True


__all__ = ["call", "changes_list", "gathered", "made_state"]
