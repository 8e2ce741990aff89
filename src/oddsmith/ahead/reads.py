"""Which arguments a kernel only reads: `reads.txt`, a line for each kernel.

The arrays of a model are read-only. A kernel is made for arrays that it could write to, unless its
declaration says that they are kept, so a read-only one would have to be copied for each call,
though most kernels never write to it. `make.py` looks into the sources of the kernels and writes
down which do not; what is not in the list counts as written to.

What is looked for is plain: an array of which the source takes nothing but single entries, copies,
sums, its length and its shape, and which it hands at most to kernels that do no more. An array that
is used in any other way (a slice of it, say, through which could be written) counts as written to.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import textwrap
from pathlib import Path
from typing import Any

READS = Path(__file__).parent / "reads.txt"
SIZES = {"size", "shape", "ndim", "dtype"}


@functools.cache
def listed() -> dict[tuple[str, str], frozenset[int]]:
    """The numbers of the arguments that are only read, by module and kernel."""
    found = {}
    for line in READS.read_text().splitlines():
        if line and not line.startswith("#"):
            module, name, *numbers = line.split()
            found[module, name] = frozenset(map(int, numbers))
    return found


def write() -> None:
    """Write down what the sources say."""
    lines = ["# Kernels, and the numbers of the arguments that they only read; see reads.py."]
    for (module, name), numbers in sorted(from_sources().items()):
        lines.append(f"{module} {name} {' '.join(map(str, sorted(numbers)))}")
    READS.write_text("\n".join(lines) + "\n")
    listed.cache_clear()


def from_sources() -> dict[tuple[str, str], frozenset[int]]:
    """What `listed` has to give."""
    from oddsmith.ahead.declared import declared
    from oddsmith.ahead.signature import parse_all

    found = {}
    for module, kernels in declared().items():
        for name, kinds in kernels.items():
            function = getattr(importlib.import_module(module), name).py_func
            calls = [parse_all(text) for text in kinds]
            numbers = frozenset(
                number
                for number in range(len(calls[0]))
                if all(only_reads(function, number, call[number].axes) for call in calls)
            )
            if numbers:
                found[module, name] = numbers
    return found


def only_reads(function: Any, number: int, axes: int, above: frozenset[Any] = frozenset()) -> bool:
    """Whether a function takes only single entries of an array, its argument of this number."""
    here = (function, number)
    if axes < 1 or here in above:
        return axes > 0
    found = _definition(function)
    name = found.args.args[number].arg
    parents = {child: node for node in ast.walk(found) for child in ast.iter_child_nodes(node)}

    def copied(node: ast.AST) -> bool:
        parent = parents[node]
        if isinstance(parent, ast.Attribute):
            return parent.attr == "copy"
        return isinstance(parent, ast.BinOp)

    def reads(node: ast.Name) -> bool:
        parent = parents[node]
        if not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(parent, ast.Subscript) and parent.value is node:
            at = parent.slice
            places = at.elts if isinstance(at, ast.Tuple) else [at]
            if not isinstance(parent.ctx, ast.Load) or len(places) > axes:
                return False
            entry = len(places) == axes and not any(isinstance(p, ast.Slice) for p in places)
            return entry or copied(parent)
        if isinstance(parent, ast.Attribute):
            return copied(node) or (parent.attr in SIZES and isinstance(parent.ctx, ast.Load))
        if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
            if parent.func.id == "len":
                return True
            if any(isinstance(a, ast.Starred) for a in parent.args) or node not in parent.args:
                return False
            called = getattr(function.__globals__.get(parent.func.id), "py_func", None)
            place = parent.args.index(node)
            return called is not None and only_reads(called, place, axes, above | {here})
        return False

    names = (node for node in ast.walk(found) if isinstance(node, ast.Name) and node.id == name)
    return all(map(reads, names))


@functools.cache
def _definition(function: Any) -> ast.FunctionDef:
    found = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(found, ast.FunctionDef)
    return found
