"""One function while it is translated: its names, and what happens where paths part and meet."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from oddsmith.model.step.code import Block, Code, Unreachable
from oddsmith.model.step.values import (
    Known,
    Refused,
    Several,
    Shape,
    Value,
    joined,
    shape_of,
)

if TYPE_CHECKING:
    from oddsmith.model.step.program import Program

Names = dict[str, Value]
FLAT = 12
"""Branches with so few instructions are computed both, and one result is taken."""


@dataclass
class Loop:
    """Where `continue` and `break` go: the paths that lead there so far."""

    again: list[tuple[Block, Names]] = field(default_factory=list)
    out: list[tuple[Block, Names]] = field(default_factory=list)


class Frame:
    """A function that is being translated."""

    def __init__(self, program: Program, code: Code, function: FunctionType, names: Names) -> None:
        self.program, self.code, self.function, self.names = program, code, function, names
        self.returns: list[tuple[Block, Value]] = []
        self.loops: list[Loop] = []
        self.partly: set[str] = set()
        """Names that are set on some paths only."""

    @property
    def dead(self) -> bool:
        """Whether no path leads here."""
        return self.code.at is None

    @contextmanager
    def at(self, node: ast.AST) -> Iterator[None]:
        """What is refused here gets its place."""
        try:
            yield
        except Refused as error:
            if not error.place:
                file = Path(self.function.__code__.co_filename).name
                error.place = f"{file}, line {getattr(node, 'lineno', '?')}"
            raise

    def look_up(self, name: str) -> Value:
        """What a name stands for: here, in the function around, in the module, in Python."""
        if name in self.names:
            return self.names[name]
        function = self.function
        if name in function.__code__.co_varnames or name in self.partly:
            raise Refused(f"the name {name}, which is not set on every path,")
        if name in function.__code__.co_freevars:
            place = function.__code__.co_freevars.index(name)
            try:
                return Known((function.__closure__ or ())[place].cell_contents)
            except ValueError:
                raise Refused(f"the name {name}, which is not set yet,") from None
        if name in function.__globals__:
            return Known(function.__globals__[name])
        if hasattr(builtins, name):
            return Known(getattr(builtins, name))
        raise Refused(f"the name {name}, which is not known")

    # Paths ------------------------------------------------------------------------------------

    def fork(self, test: str, then: Callable[[], Value], otherwise: Callable[[], Value]) -> Value:
        """Two ways to go on, and the value that either brings."""
        if test in ("true", "false"):
            return then() if test == "true" else otherwise()
        code, before = self.code, dict(self.names)
        parted = code.at
        assert parted is not None
        yes, no = code.branch(test)
        edges = []
        for block, way in ((yes, then), (no, otherwise)):
            code.at, self.names = block, dict(before)
            try:
                value = way()
            except Unreachable:
                continue
            assert code.at is not None
            edges.append((code.at, self.names, value))
        if not edges:
            raise Unreachable
        if self._is_flat(edges, yes, no):
            return self._flattened(test, parted, yes, no, edges)
        return self.meet(edges)

    def _is_flat(self, edges: list[tuple[Block, Names, Value]], yes: Block, no: Block) -> bool:
        """Whether both ways are short and cannot fail."""
        ends = [block for block, _, _ in edges]
        return ends == [yes, no] and len(yes.lines) + len(no.lines) <= FLAT

    def _flattened(
        self,
        test: str,
        parted: Block,
        yes: Block,
        no: Block,
        edges: list[tuple[Block, Names, Value]],
    ) -> Value:
        code = self.code
        (_, one, value), (_, two, other) = edges
        parted.lines += yes.lines + no.lines
        parted.end, code.at = "", parted
        code.blocks.remove(yes)
        code.blocks.remove(no)
        self.names = {}
        for name in one:
            if name in two:
                mine, theirs = one[name], two[name]
                kept = mine is theirs or mine == theirs
                self.names[name] = mine if kept else code.select(test, mine, theirs)
        self.partly |= one.keys() ^ two.keys()
        return code.select(test, value, other)

    def meet(self, edges: list[tuple[Block, Names, Value]]) -> Value:
        """Where paths meet: names that all of them set, and the value they bring."""
        code = self.code
        if len(edges) == 1:
            code.at, self.names, value = edges[0]
            return value
        common = [name for name in edges[0][1] if all(name in names for _, names, _ in edges)]
        for _, names, _ in edges:
            self.partly |= names.keys() - set(common)
        changed = [
            name
            for name in common
            if any(names[name] is not edges[0][1][name] for _, names, _ in edges)
        ]
        columns = [
            (block, Several((value, *(names[name] for name in changed))))
            for block, names, value in edges
        ]
        shape = self._shape_of_columns(columns, changed)
        met = code.meet(columns, shape)
        assert isinstance(met, Several)
        kept = {name: edges[0][1][name] for name in common}
        self.names = kept | dict(zip(changed, met.items[1:], strict=True))
        return met.items[0]

    def _shape_of_columns(
        self, columns: Sequence[tuple[Block, Several]], changed: list[str]
    ) -> Shape:
        """The shape of a value and some names where paths meet."""
        rows = [column.items for _, column in columns]
        shapes = []
        for name, values in zip(["", *changed], zip(*rows, strict=True), strict=True):
            shape = shape_of(values[0])
            try:
                for value in values[1:]:
                    shape = joined(shape, shape_of(value))
            except Refused as error:
                if name:
                    error.args = (f"the name {name}: {error.what}",)
                    error.what = error.args[0]
                raise
            shapes.append(shape)
        return ("several", tuple, tuple(shapes))


def known_object(value: Value, what: str) -> Any:
    """An object that must be known before play."""
    if not isinstance(value, Known):
        raise Refused(f"{what}, which is only known in play,")
    return value.value
