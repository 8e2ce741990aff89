"""Tuples and tables: what is in them at an index that is only known in play."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from oddsmith.model.native.numbers import LEAST, MOST, Whole
from oddsmith.model.step import arithmetic
from oddsmith.model.step.arithmetic import Number, ref
from oddsmith.model.step.code import Code, bounded, bounds
from oddsmith.model.step.values import (
    TRUTH,
    Known,
    Pick,
    Refused,
    Several,
    Truth,
    Value,
    called,
    items_of,
    joined,
    made_of,
    refs_of,
    shape_of,
    words_of,
)

if TYPE_CHECKING:
    from oddsmith.model.step.program import Program

TRUTHS = (Known(True), Known(False))

SELECTS = 24
"""Up to so many entries are chosen from one by one; more are written to memory first."""

DENSE = 1 << 20
"""A table by keys may have so many places."""


def place(code: Code, index: Number, size: int) -> Number:
    """An index into so many entries, from the end where it is negative; fails out of range."""
    low, high = bounds(index)
    if low < -size or high >= size:
        shifted = code.op(f"add i64 {ref(index)}, {size}")
        code.fail_if(code.op(f"icmp uge i64 {shifted}, {2 * size}"))
        low, high = max(low, -size), min(high, size - 1)
    if low >= 0:
        return index if isinstance(index, Known) else Whole(index.ref, low, high)
    back = code.op(f"icmp slt i64 {ref(index)}, 0")
    added = code.op(f"select i1 {back}, i64 {size}, i64 0")
    return Whole(code.op(f"add i64 {ref(index)}, {added}"), 0, size - 1)


def item(program: Program, code: Code, owner: Value, index: Value) -> Value:
    """`owner[index]`."""
    owner, index = arithmetic.present(code, owner), arithmetic.present(code, index)
    if isinstance(owner, Known):
        return _known_item(program, code, owner.value, index)
    if isinstance(owner, Pick) and isinstance(index, Known):
        return of_objects(program, code, [one[index.value] for one in owner.objects], owner.ref)
    if not isinstance(owner, Several):
        raise Refused(f"an entry of {called(shape_of(owner))}")
    items: tuple[Value, ...] = owner.items
    if isinstance(index, Known):
        try:
            at_index: int = operator.index(index.value)
            return items[at_index]
        except (IndexError, TypeError):
            code.fail()
    if not owner.items:
        code.fail()
    at = place(code, arithmetic.number(code, index), len(owner.items))
    return chosen(code, owner.items, at)


def chosen(code: Code, items: Sequence[Value], at: Number) -> Value:
    """The entry at a place that is in range."""
    if isinstance(at, Known):
        return items[int(at.value)]
    low, high = bounds(at)
    items, first = items[low : high + 1], low
    if len(items) == 1:
        return items[0]
    shape = shape_of(items[0])
    for one in items[1:]:
        shape = joined(shape, shape_of(one))
    refs = [list(refs_of(one, shape)) for one in items]
    made = []
    for n, word in enumerate(words_of(shape)):
        made.append(_word_at(code, word, [row[n] for row in refs], ref(at), first))
    return bounded(made_of(shape, iter(made)), list(items))


def _word_at(code: Code, word: str, refs: list[str], at: str, first: int) -> str:
    if len(set(refs)) == 1:
        return refs[0]
    if len(refs) <= SELECTS:
        found = refs[-1]
        for k in reversed(range(len(refs) - 1)):
            if refs[k] != found:
                here = code.op(f"icmp eq i64 {at}, {first + k}")
                found = code.op(f"select i1 {here}, {word} {refs[k]}, {word} {found}")
        return found
    kept = code.name()
    code.memory.append(f"{kept} = alloca [{len(refs)} x {word}]")
    for k, one in enumerate(refs):
        to = code.op(f"getelementptr {word}, ptr {kept}, i64 {k}")
        code.do(f"store {word} {one}, ptr {to}")
    offset = at if first == 0 else code.op(f"sub i64 {at}, {first}")
    source = code.op(f"getelementptr {word}, ptr {kept}, i64 {offset}")
    return code.op(f"load {word}, ptr {source}")


def replaced(code: Code, items: Sequence[Value], at: Number, value: Value) -> tuple[Value, ...]:
    """The entries with the one at a place replaced."""
    if isinstance(at, Known):
        return (*items[: at.value], value, *items[at.value + 1 :])
    low, high = bounds(at)
    made = list(items)
    for k in range(low, high + 1):
        if low == high:
            made[k] = value
            continue
        here = code.op(f"icmp eq i64 {ref(at)}, {k}")
        made[k] = code.select(here, value, items[k])
    return tuple(made)


# Tables -------------------------------------------------------------------------------------------


def _known_item(program: Program, code: Code, owner: Any, index: Value) -> Value:
    if isinstance(index, Known):
        try:
            return plain(owner[index.value])
        except (IndexError, KeyError):
            code.fail()
        except TypeError:
            raise Refused(f"an entry of {owner!r:.60}") from None
    if isinstance(owner, dict):
        return _by_key(program, code, owner, index)
    if isinstance(owner, np.ndarray):
        check_array(owner)
        parts = index.items if isinstance(index, Several) else (index,)
        if any(shape_of(part) == TRUTH or part in TRUTHS for part in parts):
            raise Refused("an array indexed by a truth value, which picks rows")
        if isinstance(index, Several):
            return _of_array(program, code, owner, index.items)
        if owner.ndim == 0:
            raise Refused("an entry of a number")
        if len(owner) == 0:
            code.fail()
        entries: Sequence[Any] = list(owner) if owner.dtype == np.bool_ else owner.tolist()
    elif isinstance(owner, tuple | list | range):
        entries = owner
    else:
        raise Refused(f"an entry of {owner!r:.60}")
    if not entries:
        code.fail()
    at = place(code, arithmetic.number(code, index), len(entries))
    return of_objects(program, code, list(entries), ref(at))


def _of_array(program: Program, code: Code, owner: Any, index: Sequence[Value]) -> Value:
    """`array[i, j, …]` with all its numbers."""
    if len(index) != owner.ndim or owner.size == 0:
        raise Refused("a row of an array, by several numbers")
    at: Number = Known(0)
    for one, size in zip(index, owner.shape, strict=True):
        here = place(code, arithmetic.number(code, one), size)
        at = arithmetic.add(code, arithmetic.multiply(code, at, Known(size)), here)
    return of_objects(program, code, [plain(one).value for one in owner.ravel()], ref(at))


def check_array(array: Any) -> None:
    """Refuse arrays whose numbers are not Python's."""
    if array.dtype not in (np.int64, np.bool_, np.float64):
        raise Refused(f"an array of {array.dtype} (of int64 it would be)")


def plain(value: Any) -> Known:
    """A known object; the numbers of arrays as whole numbers."""
    if isinstance(value, np.ndarray):
        check_array(value)
    if isinstance(value, np.generic):
        if isinstance(value, np.float64):
            return Known(float(value))
        if isinstance(value, np.bool_):
            return Known(np.True_ if value else np.False_)
        if not isinstance(value, np.int64):
            raise Refused(f"a number of type {value.dtype} (int64 it would be)")
        return Known(int(value))
    return Known(value)


def of_objects(program: Program, code: Code, objects: list[Any], at: str) -> Value:
    """One of some known objects, by a number that is in range: a look in a table."""
    if all(one is objects[0] for one in objects):
        return plain(objects[0])
    if at.lstrip("-").isdigit():
        return plain(objects[int(at)])
    if all(type(one) is int for one in objects):
        if not all(LEAST <= one <= MOST for one in objects):
            raise Refused("a table of numbers beyond 64 bits")
        return program.load(code, objects, at)
    if all(type(one) is float for one in objects):
        return program.load_real(code, objects, at)
    if all(type(one) is bool for one in objects):
        loaded = program.load(code, [int(one) for one in objects], at)
        return Truth(code.op(f"icmp ne i64 {ref(loaded)}, 0"))
    if all(isinstance(one, np.bool_) for one in objects):
        loaded = program.load(code, [int(one) for one in objects], at)
        return Pick((np.False_, np.True_), loaded.ref)
    if all(isinstance(one, np.ndarray) for one in objects):
        return _of_arrays(program, code, objects, at)
    if all(isinstance(one, tuple | list) for one in objects):
        kinds = {type(one) for one in objects}
        if len(kinds) == 1 and len({len(one) for one in objects}) == 1:
            columns = [list(column) for column in zip(*objects, strict=True)]
            parts = tuple(of_objects(program, code, column, at) for column in columns)
            return Several(parts, kinds.pop())
    return Pick(tuple(objects), at)


def _of_arrays(program: Program, code: Code, objects: list[Any], at: str) -> Value:
    """A row of an array: its entries, if all rows are as long."""
    if len({one.shape for one in objects}) > 1 or objects[0].ndim != 1:
        raise Refused("rows of an array of more than two dimensions, without all their numbers")
    columns = [list(column) for column in zip(*map(list, objects), strict=True)]
    plain_columns = [[plain(one).value for one in column] for column in columns]
    return Several(tuple(of_objects(program, code, column, at) for column in plain_columns))


def _by_key(program: Program, code: Code, owner: dict[Any, Any], index: Value) -> Value:
    """An entry of a dictionary by numbers: the place of each key is in a table."""
    keys = list(owner)
    if not keys:
        code.fail()
    if isinstance(index, Pick):
        places = [keys.index(one) if one in owner else -1 for one in index.objects]
        at = arithmetic.number(code, of_objects(program, code, places, index.ref))
    else:
        at = _place_of_key(program, code, keys, index)
    if at == Known(-1):
        code.fail()
    if isinstance(at, Whole) and at.low < 0:
        code.fail_if(code.op(f"icmp slt i64 {at.ref}, 0"))
    return of_objects(program, code, list(owner.values()), ref(at))


def _place_of_key(program: Program, code: Code, keys: list[Any], index: Value) -> Number:
    """The place of a key (a number or a tuple of them) among others, -1 if it is not there."""
    parts = items_of(index) if isinstance(index, Several) else (index,)
    rows = [key if isinstance(key, tuple) else (key,) for key in keys]
    whole = all(len(row) == len(parts) and all(type(n) is int for n in row) for row in rows)
    if not whole:
        raise Refused("a dictionary whose keys are not whole numbers alike")
    lows = [min(column) for column in zip(*rows, strict=True)]
    sizes = [
        max(column) - low + 1 for column, low in zip(zip(*rows, strict=True), lows, strict=True)
    ]
    total = 1
    for size in sizes:
        total *= size
    if total > DENSE:
        raise Refused("a dictionary whose keys are far apart")
    table = [-1] * total
    for k, row in enumerate(rows):
        table[_dense(row, lows, sizes)] = k
    inside, at = "true", "0"
    for part, low, size in zip(parts, lows, sizes, strict=True):
        shifted = code.op(f"sub i64 {ref(arithmetic.number(code, part))}, {low}")
        inside = code.both(inside, code.op(f"icmp ult i64 {shifted}, {size}"))
        at = code.op(f"add i64 {code.op(f'mul i64 {at}, {size}')}, {shifted}")
    safe = code.op(f"select i1 {inside}, i64 {at}, i64 0")
    loaded = program.load(code, table, safe)
    found = code.op(f"select i1 {inside}, i64 {ref(loaded)}, i64 -1")
    return Whole(found, -1, len(keys) - 1)


def _dense(row: Sequence[int], lows: Sequence[int], sizes: Sequence[int]) -> int:
    at = 0
    for n, low, size in zip(row, lows, sizes, strict=True):
        at = at * size + n - low
    return at


def has_key(program: Program, code: Code, owner: dict[Any, Any], index: Value) -> str:
    """Whether a key is in a dictionary: the word."""
    if not owner:
        return "false"
    at = _place_of_key(program, code, list(owner), index)
    return code.op(f"icmp sge i64 {ref(at)}, 0")
