# mypy: disable-error-code="untyped-decorator"
"""Compiling a rule: what is compiled means what it means in Python, everything else is refused.

Numba compiles a language that looks like Python. Where the two differ a rule would mean something
else, and its odds would be those of another game. So rules go through a pipeline of their own, with
two passes more:

- before types are known, operators and the builtins `sum`, `abs`, `int`, … are replaced by ours
  (`plain_operators.py`), and constructs outside the common language are refused: sets,
  dictionaries, `try`, functions inside functions, names that are not set on every path (a use that
  no definition dominates);
- when types are known, only known functions and attributes are let through, and nothing is turned
  into another type on the way: a name that is a truth value on one path and a whole number on
  another is one to Numba, but not to Python.

What is refused is said in Python's words, with the line.
"""

from __future__ import annotations

import builtins
import dis
import inspect
import math
import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from numba import njit, types
from numba.core import ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typed_passes import NopythonTypeInference
from numba.core.untyped_passes import LiteralPropagationSubPipelinePass

from oddsmith.model.plain_operators import (
    IN_PLACE,
    PLAIN,
    called,
    changes,
    decimal,
    is_exact,
    refuse,
    whole,
)
from oddsmith.rules.put import put

REFUSED_EXPRESSIONS = {
    "build_set": "a set, whose order is Python's own",
    "build_map": "a dictionary",
    "yield": "a generator",
    "make_function": "a function inside a rule",
    "undef": "a name that is not set on every path",
}
REFUSED_STATEMENTS = {
    ir.EnterWith: "with",
    ir.Print: "print",
    ir.SetAttr: "setting an attribute",
    ir.DelAttr: "deleting an attribute",
    ir.StoreMap: "a dictionary",
    ir.TryRaise: "try",
    ir.StaticTryRaise: "try",
    ir.DynamicTryRaise: "try",
    ir.DelItem: "del",
}


def compiled_rule(function: Callable[..., Any]) -> Any:
    """A rule, or a function that rules call, to be compiled when it is first called."""
    return njit(pipeline_class=RuleCompiler, boundscheck=True)(function)


class RuleCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler with the two passes of this module."""

    def define_pipelines(self) -> list[Any]:
        """The one pipeline there is: no falling back."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.add_pass_after(PlainPython, LiteralPropagationSubPipelinePass)
        manager.add_pass_after(PlainTypes, NopythonTypeInference)
        manager.finalize()
        return [manager]


def _refuse(what: str, place: Any) -> Any:
    return refuse(f"{what} ({Path(place.loc.filename).name}, line {place.loc.line})")


# Before types are known ---------------------------------------------------------------------------


@register_pass(mutates_CFG=False, analysis_only=False)
class PlainPython(FunctionPass):  # type: ignore[misc]
    """Replaces operators and builtins; refuses constructs by name."""

    _name = "oddsmith_plain_python"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Rewrite a function."""
        code = state.func_ir
        _check_names_are_set(code)
        for block in code.blocks.values():
            block.body = [new for old in block.body for new in _rewritten(code, block, old)]
        return True


def _rewritten(code: Any, block: Any, statement: Any) -> Iterator[Any]:
    """The statements that stand for one."""
    for kind, what in REFUSED_STATEMENTS.items():
        if isinstance(statement, kind):
            raise _refuse(what, statement)
    value = getattr(statement, "value", None)
    if isinstance(statement, ir.Assign):
        if isinstance(value, ir.Expr):
            if value.op in REFUSED_EXPRESSIONS:
                raise _refuse(REFUSED_EXPRESSIONS[value.op], statement)
            if value.op in ("binop", "inplace_binop", "unary"):
                yield from _as_call(block, statement)
                return
            if value.op == "getattr":
                _replace_attribute(code, statement)
        elif isinstance(value, ir.Global | ir.FreeVar):
            found = replacement(value.value)
            if found is not None:
                statement.value = ir.Global(value.name, found, value.loc)
    yield statement


def _as_call(block: Any, statement: Any) -> Iterator[Any]:
    """An operator as the call of the function that stands for it."""
    value = statement.value
    function = (IN_PLACE if value.op == "inplace_binop" else PLAIN).get(value.fn)
    if function is None:
        raise _refuse(f"the operator {value.fn.__name__}", statement)
    operands = (value.value,) if value.op == "unary" else (value.lhs, value.rhs)
    variable = block.scope.redefine("$plain", statement.loc)
    yield ir.Assign(ir.Global(value.fn.__name__, function, value.loc), variable, value.loc)
    statement.value = ir.Expr.call(variable, operands, (), value.loc)
    yield statement


def _replace_attribute(code: Any, statement: Any) -> None:
    """`math.sqrt` and its like, reached through their module."""
    try:
        owner = code.get_definition(statement.value.value)
    except KeyError:
        return
    if isinstance(owner, ir.Global | ir.FreeVar) and owner.value is math:
        found = replacement(getattr(math, statement.value.attr, None))
        if found is not None:
            statement.value = ir.Global(statement.value.attr, found, statement.loc)


def _check_names_are_set(code: Any) -> None:
    """Refuse a name that is used where no definition of it must have come before.

    In the single-assignment form a use is in order if the one definition dominates it: every path
    from the entry comes through it. A phi takes its values at the ends of the blocks before it.
    """
    before = compute_cfg_from_blocks(code.blocks).dominators()
    defined: dict[str, tuple[Any, int]] = {}
    for label, block in code.blocks.items():
        for place, statement in enumerate(block.body):
            if isinstance(statement, ir.Assign):
                defined.setdefault(statement.target.name, (label, place))
    for label, block in code.blocks.items():
        for place, statement in enumerate(block.body):
            if isinstance(statement, ir.Del):
                continue
            value = getattr(statement, "value", None)
            if isinstance(value, ir.Expr) and value.op == "phi":
                pairs = zip(value.incoming_values, value.incoming_blocks, strict=True)
                for incoming, origin in pairs:
                    if incoming is ir.UNDEFINED or defined[incoming.name][0] not in before[origin]:
                        _raise_unset(statement.target, statement)
                continue
            for used in _uses(statement):
                where, at = defined.get(used.name, (None, 0))
                if where is None or where not in before[label] or (where == label and at >= place):
                    _raise_unset(used, statement)


def _uses(statement: Any) -> list[Any]:
    target = statement.target.name if isinstance(statement, ir.Assign) else None
    return [variable for variable in statement.list_vars() if variable.name != target]


def _raise_unset(variable: Any, statement: Any) -> None:
    name = variable.unversioned_name
    raise _refuse(f"the name {name}, which is not set on every path,", statement)


# When types are known -----------------------------------------------------------------------------


@register_pass(mutates_CFG=False, analysis_only=True)
class PlainTypes(FunctionPass):  # type: ignore[misc]
    """Lets through known functions and attributes; no value changes its type."""

    _name = "oddsmith_plain_types"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Look at every statement of a function."""
        kinds = state.typemap
        for name, kind in kinds.items():
            _check_kind(name, kind)
        _check_truths_of_arrays(state.func_ir, kinds)
        for block in state.func_ir.blocks.values():
            for statement in block.body:
                if isinstance(statement, ir.Assign):
                    _check_assignment(statement, kinds, state.calltypes)
                elif isinstance(statement, ir.SetItem | ir.StaticSetItem):
                    _check_change(
                        kinds[statement.value.name],
                        getattr(kinds[statement.target.name], "dtype", None),
                        "an entry of a list",
                        statement,
                    )
                elif isinstance(statement, ir.Return):
                    returned = kinds[statement.value.name]
                    _check_change(returned, state.return_type, "what a rule gives", statement)
        return False


def _check_kind(name: str, kind: Any) -> None:
    """Refuse numbers that Python does not have."""
    if isinstance(kind, types.Integer) and (not kind.signed or kind.bitwidth < 64):
        raise refuse(f"the number {name.split('.')[0]}, which is {kind} to the compiler")
    if isinstance(kind, types.Array) and kind.dtype not in (
        types.int64,
        types.float64,
        types.boolean,
    ):
        raise refuse(f"an array of {kind.dtype} (of int64 and float64 it would be)")
    if isinstance(kind, types.Complex | types.Set | types.DictType):
        raise refuse(f"the value {name.split('.')[0]}, which is {kind}")


def _check_truths_of_arrays(code: Any, kinds: Any) -> None:
    """A truth value of numpy's is no number, as Python's are: only `bool` makes it one of those."""
    statements = [statement for block in code.blocks.values() for statement in block.body]
    found = set()
    for statement in statements:
        value = getattr(statement, "value", None)
        if isinstance(value, ir.Expr) and value.op in ("getitem", "static_getitem"):
            owner = kinds[value.value.name]
            if isinstance(owner, types.Array) and owner.dtype == types.boolean:
                found.add(statement.target.name)
    for statement in statements:
        if isinstance(statement, ir.Del) or found.isdisjoint(v.name for v in _uses(statement)):
            continue
        function = getattr(getattr(statement, "value", None), "func", None)
        key = None if function is None else getattr(kinds[function.name], "typing_key", None)
        if key is not bool and key is not PLAIN[operator.not_]:
            raise _refuse("a truth value of numpy's without bool(…) around it", statement)


def _check_assignment(statement: Any, kinds: Any, calls: Any) -> None:
    value, target = statement.value, kinds[statement.target.name]
    name = f"the name {statement.target.unversioned_name}"
    if isinstance(value, ir.Var):
        _check_change(kinds[value.name], target, name, statement)
    if not isinstance(value, ir.Expr):
        return
    if value.op == "phi":
        for incoming in value.incoming_values:
            _check_change(kinds[incoming.name], target, name, statement)
    elif value.op == "cast":
        _check_change(kinds[value.value.name], target, "what a rule gives", statement)
    elif value.op == "build_list":
        for item in value.items:
            _check_change(kinds[item.name], target.dtype, "an entry of a list", statement)
    elif value.op == "call":
        _check_call(statement, kinds, calls[value])
    elif value.op == "getattr":
        _check_attribute(kinds[value.value.name], value.attr, statement)


def _check_change(old: Any, new: Any, what: str, statement: Any) -> None:
    if new is not None and changes(old, new):
        raise _refuse(f"{what}, which is {called(old)} on one path and not on another,", statement)


def _check_call(statement: Any, kinds: Any, made: Any) -> None:
    """Refuse a function that is not known, or whose arguments become something else."""
    value = statement.value
    function = kinds[value.func.name]
    if value.vararg is not None:
        raise _refuse("a call with *", statement)
    if isinstance(function, types.Dispatcher):
        if function.dispatcher.targetoptions.get("boundscheck") is not True:
            raise _refuse(f"the function {function.dispatcher.py_func.__name__}", statement)
        return
    if isinstance(function, types.BoundFunction):
        _check_method(function, statement)
    elif isinstance(function, types.NamedTupleClass | types.ExceptionClass):
        return
    elif not isinstance(function, types.Function) or not is_known(function.typing_key):
        key = getattr(function, "typing_key", function)
        raise _refuse(f"the function {getattr(key, '__name__', key)}", statement)
    given = [kinds[argument.name] for argument in value.args]
    takes = made.args
    if getattr(function, "typing_key", None) in (min, max):
        if len(given) == 1:
            given = given[0].types if isinstance(given[0], types.BaseTuple) else [given[0].dtype]
        takes = (made.return_type,) * len(given)
    for old, new in zip(given, takes, strict=False):
        _check_change(old, new, "an argument", statement)


METHODS = {"append", "pop", "insert", "extend", "index", "count", "sort", "reverse", "copy"}


def _check_method(function: Any, statement: Any) -> None:
    owner, key = function.this, function.template.key
    if key == "NamedTuple._replace" or (isinstance(key, tuple) and key[0] == "Game method"):
        return
    name = str(key[-1] if isinstance(key, tuple) else key).rpartition(".")[2]
    plain = isinstance(owner, types.List | types.BaseTuple) and name in METHODS
    if not plain or not is_exact(owner) or statement.value.kws:
        raise _refuse(f"the method {name} of {called(owner)}", statement)


def _check_attribute(owner: Any, name: str, statement: Any) -> None:
    if isinstance(owner, types.Array) and name not in ("shape", "size", "ndim"):
        raise _refuse(f"the attribute {name} of an array", statement)
    if isinstance(owner, types.Number | types.Boolean | types.UnicodeType):
        raise _refuse(f"the attribute {name} of {called(owner)}", statement)


# Functions that mean the same ---------------------------------------------------------------------


def plain_sum(values: Any, start: Any = 0) -> Any:
    """`sum`."""
    total = start
    for value in values:
        total = total + value
    return total


def plain_abs(value: Any) -> Any:
    """`abs`."""
    return -value if value < 0 else +value


def plain_divmod(value: Any, by: Any) -> Any:
    """`divmod`."""
    return value // by, value % by


def plain_pow(base: Any, exponent: Any) -> Any:
    """`pow`."""
    return base**exponent


def plain_any(values: Any) -> Any:
    """`any`."""
    for value in values:  # noqa: SIM110 - any itself is being defined
        if value:
            return True
    return False


def plain_all(values: Any) -> Any:
    """`all`."""
    for value in values:  # noqa: SIM110 - all itself is being defined
        if not value:
            return False
    return True


def plain_sqrt(value: Any) -> Any:
    """`math.sqrt`."""
    number = value * 1.0
    if number < 0.0:
        raise ValueError("math domain error")
    return native_sqrt(number)


@njit
def native_sqrt(number: Any) -> Any:
    """The square root, correctly rounded by the processor."""
    return math.sqrt(number)


def plain_floor(value: Any) -> Any:
    """`math.floor`."""
    below = whole(value)
    return below - 1 if below > value else below


def plain_ceil(value: Any) -> Any:
    """`math.ceil`."""
    above = whole(value)
    return above + 1 if above < value else above


native_sqrt.targetoptions["boundscheck"] = True  # known to mean the same: see `_check_call`

REPLACED: dict[Any, Any] = {
    sum: compiled_rule(plain_sum),
    abs: compiled_rule(plain_abs),
    divmod: compiled_rule(plain_divmod),
    pow: compiled_rule(plain_pow),
    any: compiled_rule(plain_any),
    all: compiled_rule(plain_all),
    math.sqrt: compiled_rule(plain_sqrt),
    math.floor: compiled_rule(plain_floor),
    math.ceil: compiled_rule(plain_ceil),
    int: whole,
    float: decimal,
}

SAME = (
    len, range, min, max, enumerate, zip, reversed, sorted, bool, slice, put, np.searchsorted,
)  # fmt: skip
"""What Numba and Python agree on, for the types that get here."""


def check_code(function: FunctionType) -> None:
    """Refuse what can be seen in a function before Numba looks at it, and would be taken amiss."""
    code = function.__code__
    if code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        raise refuse(f"the function {function.__name__}, which takes * or names only")
    for inner in code.co_consts:
        if isinstance(inner, CodeType) and inner.co_name not in ("<listcomp>", "<genexpr>"):
            raise refuse(f"the function {inner.co_name} inside {function.__name__}")
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval not in function.__globals__:
            value = getattr(builtins, step.argval, None)
            error = isinstance(value, type) and issubclass(value, BaseException)
            if value not in SAME and value not in REPLACED and not error:
                raise refuse(f"the function {step.argval} in {function.__name__}")


def replacement(value: Any) -> Any:
    """What stands for a builtin function in a compiled rule, if it is replaced."""
    return REPLACED.get(value) if callable(value) and value.__hash__ is not None else None


def is_known(function: Any) -> bool:
    """Whether a function may be called by compiled rules."""
    ours = [*PLAIN.values(), *IN_PLACE.values(), whole, decimal]
    return any(function is known for known in (*SAME, *ours))
