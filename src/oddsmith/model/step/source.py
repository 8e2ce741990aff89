"""The syntax tree of a function that is in memory.

A function stands for what runs, not for what its file says now: the file is read again and
compiled, and only if that gives the code that is in memory is its syntax tree used.
"""

from __future__ import annotations
import __future__

import ast
import linecache
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from oddsmith.model.step.values import Refused

FUTURE = __future__.annotations.compiler_flag
"""What the code around a function may have asked of its compiler, too."""

Definition = ast.FunctionDef | ast.Lambda


def definition_of(function: FunctionType) -> Definition:
    """Where a function is defined, as a syntax tree."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = tuple(linecache.getlines(code.co_filename, function.__globals__))
    found = (
        _definitions(lines, code.co_filename, code.co_flags & FUTURE).get(code) if lines else None
    )
    if found is None:
        raise Refused(f"{function.__qualname__}, whose source is not there or was edited since,")
    return found


@lru_cache(64)
def _definitions(lines: tuple[str, ...], file: str, future: int) -> dict[CodeType, Definition]:
    """The functions of a file by their code; the first of two that compile alike."""
    try:
        tree = ast.parse("".join(lines), file)
        whole = compile(tree, file, "exec", flags=future, dont_inherit=True)
    except (SyntaxError, ValueError):
        return {}
    begins: dict[int, list[Definition]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
            begins.setdefault(first, []).append(node)
        elif isinstance(node, ast.Lambda):
            begins.setdefault(node.lineno, []).append(node)
    found: dict[CodeType, Definition] = {}
    todo = [whole]
    while todo:
        for code in todo.pop().co_consts:
            if isinstance(code, CodeType):
                todo.append(code)
                fits = [n for n in begins.get(code.co_firstlineno, []) if _is_of(n, code)]
                if fits:
                    found.setdefault(code, min(fits, key=_length))
    return found


Place = tuple[int, int]


def _ends(node: ast.expr) -> tuple[Place, Place]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _length(node: Definition) -> Any:
    """How much of the file a definition takes: of two lambdas, one inside the other is shorter."""
    if isinstance(node, ast.FunctionDef):
        return (0, 0)
    (line, column), (end, last) = _ends(node)
    return (end - line, last - column if end == line else last)


def _is_of(node: Definition, code: CodeType) -> bool:
    """Whether code may be that of a definition: all its instructions lie in it."""
    if isinstance(node, ast.FunctionDef):
        return code.co_name == node.name
    first, last = _ends(node.body)
    places = [
        ((line, column), (end, stop))
        for line, end, column, stop in code.co_positions()
        if line is not None and end is not None and column is not None and stop is not None
    ]
    inside = [first <= begin and end <= last for begin, end in places if begin != end]
    return code.co_name == "<lambda>" and bool(inside) and all(inside)
