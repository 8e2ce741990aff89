"""The instructions of one function as LLVM text, in blocks.

A function gives back whether it failed, and the words of its value. What would raise in Python
(a division by zero, a number beyond 64 bits, an index out of range) ends it with a failure, and
whoever called it too; the interpreter then says what is wrong in that state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from oddsmith.model.native.numbers import LEAST, MOST, WRONG, Numbers, Whole
from oddsmith.model.step.values import (
    Known,
    Refused,
    Several,
    Shape,
    Truth,
    Value,
    joined,
    made_of,
    refs_of,
    shape_of,
    words_of,
)

MOST_LINES = 200_000
"""So long a function is not worth translating."""


class Unreachable(Exception):  # noqa: N818
    """The code goes no further here: it has failed for certain."""


@dataclass
class Block:
    """A block of instructions; `end` is how it ends, once that is known."""

    label: str
    lines: list[str] = field(default_factory=list)
    end: str = ""


class Code(Numbers):
    """A function being written. `at` is the block that is written to; None where no path leads."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.memory: list[str] = []
        """Instructions of the entry that set memory apart."""
        self.count = 0
        self.fails = False
        self.at: Block | None = self.block("entry")

    # Instructions -----------------------------------------------------------------------------

    def name(self) -> str:
        """A new name."""
        self.count += 1
        return f"%v{self.count}"

    def op(self, text: str) -> str:
        """An instruction with a result; its name."""
        name = self.name()
        self.do(f"{name} = {text}")
        return name

    def do(self, text: str) -> None:
        """An instruction without a result."""
        assert self.at is not None
        self.at.lines.append(text)

    def block(self, label: str = "") -> Block:
        """A new block, not yet entered."""
        if not label:
            self.count += 1
            label = f"b{self.count}"
        made = Block(label)
        self.blocks.append(made)
        return made

    def jump(self, to: Block) -> None:
        """Go on elsewhere."""
        assert self.at is not None
        self.at.end = f"br label %{to.label}"
        self.at = None

    def branch(self, test: str) -> tuple[Block, Block]:
        """Two new blocks: one where a truth value holds, one where it does not."""
        yes, no = self.block(), self.block()
        assert self.at is not None
        self.at.end = f"br i1 {test}, label %{yes.label}, label %{no.label}"
        self.at = None
        return yes, no

    def fail_if(self, test: str, why: int = WRONG) -> None:
        """Fail where a truth value holds, for whatever reason: the interpreter says it."""
        if test == "false":
            return
        if test == "true":
            self.fail()
        self.fails = True
        after = self.block()
        assert self.at is not None
        self.at.end = f"br i1 {test}, label %failed, label %{after.label}"
        self.at = after

    def fail(self) -> NoReturn:
        """Fail: nothing comes after."""
        self.fails = True
        assert self.at is not None
        self.at.end = "br label %failed"
        self.at = None
        raise Unreachable

    def too_long(self) -> None:
        """Numbers that are known are not computed in play."""
        raise Refused("a number that is beyond 64 bits")

    # Truth values -------------------------------------------------------------------------------

    def truth(self, ref: str) -> Value:
        """A truth value by its name."""
        return Known(ref == "true") if ref in ("true", "false") else Truth(ref)

    # Where paths meet -----------------------------------------------------------------------------

    def meet(self, edges: Sequence[tuple[Block, Value]], shape: Shape | None = None) -> Value:
        """Go on where some paths meet; the value that they bring, one of a shape if it is given."""
        if shape is None:
            shape = shape_of(edges[0][1])
            for _, value in edges[1:]:
                shape = joined(shape, shape_of(value))
        if len(edges) == 1 and shape == shape_of(edges[0][1]):
            self.at = edges[0][0]
            return edges[0][1]
        here = self.block()
        refs = [list(refs_of(value, shape)) for _, value in edges]
        made = []
        for n, word in enumerate(words_of(shape)):
            if len({row[n] for row in refs}) == 1:
                made.append(refs[0][n])  # the same everywhere: it was computed before they parted
                continue
            name = self.name()
            arms = (
                f"[{row[n]}, %{block.label}]" for row, (block, _) in zip(refs, edges, strict=True)
            )
            here.lines.append(f"{name} = phi {word} {', '.join(arms)}")
            made.append(name)
        for block, _ in edges:
            block.end = f"br label %{here.label}"
        self.at = here
        return bounded(made_of(shape, iter(made)), [value for _, value in edges])

    def select(self, test: str, one: Value, other: Value) -> Value:
        """One value or the other, without a branch."""
        if test in ("true", "false"):
            return one if test == "true" else other
        shape = joined(shape_of(one), shape_of(other))
        refs = []
        for word, a, b in zip(
            words_of(shape), refs_of(one, shape), refs_of(other, shape), strict=True
        ):
            refs.append(a if a == b else self.op(f"select i1 {test}, {word} {a}, {word} {b}"))
        return bounded(made_of(shape, iter(refs)), [one, other])

    def mark(self) -> tuple[Block, int, int]:
        """A place to go back to."""
        assert self.at is not None
        return self.at, len(self.at.lines), len(self.blocks)

    def go_back(self, mark: tuple[Block, int, int]) -> None:
        """Forget what was written since a mark."""
        self.at, lines, blocks = mark
        del self.at.lines[lines:], self.blocks[blocks:]
        self.at.end = ""

    def text(self) -> str:
        """The blocks that are reached, each with its end."""
        found = []
        for block in self.blocks:
            found.append(f"{block.label}:")
            if block is self.blocks[0]:
                found += self.memory
            found += block.lines
            found.append(block.end or "unreachable")
        return "\n".join(found)


def bounded(value: Value, sources: Sequence[Value]) -> Value:
    """A value that is one of some others, with bounds that hold for all of them."""
    if isinstance(value, Whole):
        pairs = [bounds(one) for one in sources]
        return Whole(value.ref, min(low for low, _ in pairs), max(high for _, high in pairs))
    if isinstance(value, Several) and all(isinstance(one, Several) for one in sources):
        columns = zip(*(one.items for one in sources), strict=True)  # type: ignore[union-attr]
        parts = zip(value.items, columns, strict=True)
        return Several(tuple(bounded(item, column) for item, column in parts), value.kind)
    return value


def bounds(value: Value) -> tuple[int, int]:
    """What a whole number lies between."""
    if isinstance(value, Known) and isinstance(value.value, int):
        return int(value.value), int(value.value)
    return (value.low, value.high) if isinstance(value, Whole) else (LEAST, MOST)
