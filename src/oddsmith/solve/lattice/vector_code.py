# mypy: disable-error-code="untyped-decorator"
"""Operations on rows of numbers, as vectors of 64 bytes, generated where kernels use them.

Numba leaves it to LLVM to find vectors in loops, and LLVM must then prove at run time that rows do
not overlap, which costs more than short rows take. These operations say what they mean: a row is
held in registers while its terms are added. Buffers have rows of whole vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from oddsmith.solve.lattice.vector import BYTES

TOGETHER = 6
"""Vectors that are summed at the same time: enough to hide the latency of an addition."""


def lanes_of(itemsize: int) -> int:
    """Numbers a vector."""
    return BYTES // itemsize


class _Rows:
    """A buffer of rows in the code being generated."""

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any) -> None:
        array = context.make_array(kind)(context, builder, value)
        self.builder, self.data = builder, array.data
        self.width = builder.extract_value(array.shape, kind.ndim - 1)
        self.item = context.get_data_type(kind.dtype)
        self.lanes = lanes_of(kind.dtype.bitwidth // 8)
        self.vector = ir.VectorType(self.item, self.lanes)

    def offset(self, row: Any) -> Any:
        return self.builder.mul(row, self.width)

    def pointer(self, index: Any) -> Any:
        address = self.builder.gep(self.data, [index])
        return self.builder.bitcast(address, self.vector.as_pointer())

    def load(self, index: Any) -> Any:
        found = self.builder.load(self.pointer(index))
        found.align = self.item.width // 8 if hasattr(self.item, "width") else 4
        return found

    def store(self, value: Any, index: Any) -> None:
        self.builder.store(value, self.pointer(index)).align = 4

    def spread(self, value: Any) -> Any:
        """A vector with the same number everywhere."""
        zero = ir.Constant(ir.IntType(32), 0)
        empty = ir.Constant(self.vector, ir.Undefined)
        first = self.builder.insert_element(empty, value, zero)
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), None)
        return self.builder.shuffle_vector(first, empty, mask)

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        name = f"llvm.fma.v{self.lanes}{'f64' if self.lanes == 8 else 'f32'}"
        kind = ir.FunctionType(self.vector, [self.vector] * 3)
        function = cgutils.get_or_insert_function(self.builder.module, kind, name)
        return self.builder.call(function, [a, b, c])


def _word(value: int) -> Any:
    return ir.Constant(ir.IntType(64), value)


def _for_chunks(builder: Any, width: Any, lanes: int, body: Callable[[Any, int], None]) -> None:
    """body(start, vectors) for all of a row: as many vectors together as possible, then single."""
    whole = builder.udiv(width, _word(lanes * TOGETHER))
    with cgutils.for_range(builder, whole) as loop:
        body(builder.mul(loop.index, _word(lanes * TOGETHER)), TOGETHER)
    begun = builder.mul(whole, _word(lanes * TOGETHER))
    left = builder.udiv(builder.sub(width, begun), _word(lanes))
    with cgutils.for_range(builder, left) as loop:
        body(builder.add(begun, builder.mul(loop.index, _word(lanes))), 1)


@intrinsic
def combine(typing: Any, y: Any, row: Any, x: Any, rows: Any, chance: Any, k: Any, n: Any) -> Any:
    """y[row] = sum of chance[j] * x[rows[j]] over n terms from k."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        target = _Rows(context, builder, sig.args[0], args[0])
        source = _Rows(context, builder, sig.args[2], args[2])
        index = context.make_array(sig.args[3])(context, builder, args[3]).data
        factor = context.make_array(sig.args[4])(context, builder, args[4]).data
        at, first, count = target.offset(args[1]), args[5], args[6]

        def chunk(start: Any, vectors: int) -> None:
            zero = ir.Constant(target.vector, None)
            sums = [cgutils.alloca_once_value(builder, zero) for _ in range(vectors)]
            for cell in sums:
                builder.store(zero, cell)
            with cgutils.for_range(builder, count) as loop:
                j = builder.add(first, loop.index)
                other = builder.add(source.offset(builder.load(builder.gep(index, [j]))), start)
                weight = source.spread(builder.load(builder.gep(factor, [j])))
                for v, cell in enumerate(sums):
                    value = source.load(builder.add(other, _word(v * source.lanes)))
                    builder.store(source.fma(weight, value, builder.load(cell)), cell)
            for v, cell in enumerate(sums):
                place = builder.add(builder.add(at, start), _word(v * target.lanes))
                target.store(builder.load(cell), place)

        _for_chunks(builder, target.width, target.lanes, chunk)
        return context.get_dummy_value()

    return types.void(y, types.int64, x, rows, chance, types.int64, types.int64), generate


@intrinsic
def add(typing: Any, y: Any, row: Any, x: Any, other: Any, factor: Any) -> Any:
    """y[row] += factor * x[other]."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        target = _Rows(context, builder, sig.args[0], args[0])
        source = _Rows(context, builder, sig.args[2], args[2])
        at, begin = target.offset(args[1]), source.offset(args[3])
        weight = target.spread(args[4])

        def chunk(start: Any, vectors: int) -> None:
            for v in range(vectors):
                i = builder.add(start, _word(v * target.lanes))
                place = builder.add(at, i)
                value = source.load(builder.add(begin, i))
                target.store(target.fma(weight, value, target.load(place)), place)

        _for_chunks(builder, target.width, target.lanes, chunk)
        return context.get_dummy_value()

    return types.void(y, types.int64, x, types.int64, x.dtype), generate


@intrinsic
def add_by_lane(
    typing: Any, y: Any, row: Any, x: Any, other: Any, factor: Any, lanes: Any, free: Any
) -> Any:
    """y[row] += (factor + lanes[other] * free[0]) * x[other]."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        target, source, by_lane, is_free = (
            _Rows(context, builder, sig.args[k], args[k]) for k in (0, 2, 5, 6)
        )
        at, begin, common = target.offset(args[1]), source.offset(args[3]), target.spread(args[4])

        def chunk(start: Any, vectors: int) -> None:
            for v in range(vectors):
                i = builder.add(start, _word(v * target.lanes))
                place, from_place = builder.add(at, i), builder.add(begin, i)
                whole = target.fma(by_lane.load(from_place), is_free.load(i), common)
                value = target.fma(whole, source.load(from_place), target.load(place))
                target.store(value, place)

        _for_chunks(builder, target.width, target.lanes, chunk)
        return context.get_dummy_value()

    return types.void(y, types.int64, x, types.int64, x.dtype, lanes, free), generate


def _copy(loads_flat: bool) -> Callable[..., Any]:
    """Copy `count` numbers between a flat array and a row; the last vector may overlap."""

    def typed(typing: Any, flat: Any, start: Any, rows: Any, row: Any, count: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            array = _Rows(context, builder, sig.args[0], args[0])
            buffer = _Rows(context, builder, sig.args[2], args[2])
            begin, at, number = args[1], buffer.offset(args[3]), args[4]

            def one(i: Any) -> None:
                if loads_flat:
                    buffer.store(array.load(builder.add(begin, i)), builder.add(at, i))
                else:
                    array.store(buffer.load(builder.add(at, i)), builder.add(begin, i))

            lanes = _word(array.lanes)
            with cgutils.for_range(builder, builder.udiv(number, lanes)) as loop:
                one(builder.mul(loop.index, lanes))
            with builder.if_then(
                builder.icmp_unsigned("!=", builder.urem(number, lanes), _word(0))
            ):
                one(builder.sub(number, lanes))
            return context.get_dummy_value()

        return types.void(flat, types.int64, rows, types.int64, types.int64), generate

    return typed


load_row = intrinsic(_copy(loads_flat=True))
store_row = intrinsic(_copy(loads_flat=False))
