"""Rules made smaller while they still disagree: Python text, cut along its syntax tree.

Statements are left out, blocks stand for the loops around them, expressions are replaced by their
parts or by a number. An edit that succeeds is kept and the next one is tried in its place, so a
pass over the text is linear in its size.
"""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator
from typing import Any

Edit = Callable[[ast.Module], None]


def shrink_text(source: str, fails: Callable[[str], bool], seconds: float) -> str:
    """The smallest text found, within a time, that still fails."""
    until = time.monotonic() + seconds
    tried: set[str] = set()
    while time.monotonic() < until:
        before = source
        for edits in (_removals, _openings, _replacements):
            source = _pass(source, edits, fails, until, tried)
        if source == before:
            break
    return source


def _pass(
    source: str,
    edits: Callable[[ast.Module], list[Edit]],
    fails: Callable[[str], bool],
    until: float,
    tried: set[str],
) -> str:
    """Try every edit of a kind once."""
    place = 0
    while time.monotonic() < until:
        tree = ast.parse(source)
        possible = edits(tree)
        if place >= len(possible):
            break
        changed = copy.deepcopy(tree)
        possible[place](changed)
        text = _text(changed)
        if text is not None and text not in tried and len(text) < len(source) and fails(text):
            source = text
        else:
            place += 1
        tried.add(text or "")
    return source


def _text(tree: ast.Module) -> str | None:
    """The text of a tree, if there is one."""
    try:
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        compile(text, "rules", "exec")
    except (SyntaxError, ValueError, AttributeError):
        return None
    return text


def _lists(tree: ast.AST) -> Iterator[list[Any]]:
    """Every list of statements, from the outside in, and of what else can be left out."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "decorator_list", "keywords", "elts"):
            found = getattr(node, name, None)
            if isinstance(found, list) and found and not isinstance(node, ast.Lambda):
                yield found


def _removals(tree: ast.Module) -> list[Edit]:
    """Leave out parts of lists, large parts first."""
    edits: list[Edit] = []
    for number, found in enumerate(_lists(tree)):
        step = len(found)
        while step:
            firsts = range(0, len(found) - step + 1, step)
            edits += [_cut(number, first, step) for first in firsts]
            step //= 2
    return edits


def _cut(number: int, first: int, step: int) -> Edit:
    def edit(tree: ast.Module) -> None:
        found = list(_lists(tree))[number]
        statements = isinstance(found[0], ast.stmt)
        del found[first : first + step]
        if not found and statements:
            found.append(ast.Pass())

    return edit


def _openings(tree: ast.Module) -> list[Edit]:
    """Let the body of a statement stand for it."""
    edits: list[Edit] = []
    for number, found in enumerate(_lists(tree)):
        for place, node in enumerate(found):
            if isinstance(node, ast.If | ast.For | ast.While | ast.Try):
                edits += [_open(number, place, "body"), _open(number, place, "orelse")]
    return edits


def _open(number: int, place: int, which: str) -> Edit:
    def edit(tree: ast.Module) -> None:
        found = list(_lists(tree))[number]
        found[place : place + 1] = getattr(found[place], which)

    return edit


def _places(tree: ast.AST) -> list[tuple[ast.AST, str, int | None]]:
    """Where expressions stand: the node around, its field, the place in a list."""
    found: list[tuple[ast.AST, str, int | None]] = []
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and not isinstance(value, ast.Name | ast.Constant):
                found.append((node, name, None))
            elif isinstance(value, list):
                found += [
                    (node, name, i) for i, one in enumerate(value)
                    if isinstance(one, ast.expr) and not isinstance(one, ast.Name | ast.Constant)
                ]  # fmt: skip
    return found


def _replacements(tree: ast.Module) -> list[Edit]:
    """Let a part of an expression, or a number, stand for it."""
    edits: list[Edit] = []
    for number, (node, name, place) in enumerate(_places(tree)):
        value = getattr(node, name)
        whole = value if place is None else value[place]
        parts = [one for one in ast.iter_child_nodes(whole) if isinstance(one, ast.expr)]
        edits += [_replace(number, None, 0), _replace(number, None, 1)]
        edits += [_replace(number, part, 0) for part in range(len(parts))]
    return edits


def _replace(number: int, part: int | None, constant: int) -> Edit:
    def edit(tree: ast.Module) -> None:
        node, name, place = _places(tree)[number]
        value = getattr(node, name)
        whole = value if place is None else value[place]
        parts = [one for one in ast.iter_child_nodes(whole) if isinstance(one, ast.expr)]
        new: ast.expr = ast.Constant(constant) if part is None else parts[part]
        if place is None:
            setattr(node, name, new)
        else:
            value[place] = new

    return edit
