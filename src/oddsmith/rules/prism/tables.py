"""The tables by which texts are parsed: data, made from a grammar when that is edited.

A grammar is a file of Lark's (`*.lark`). From it Lark makes the tables of an LALR(1) parser, which
takes longer than reading most models; so they are kept beside it as JSON, with the digest of the
grammar's files. Tables of a grammar that has been edited since are not used, but made anew in
memory. `python -m oddsmith.rules.prism.tables` writes all of them (`make grammars`).
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, NamedTuple

from oddsmith.ahead.text import SOURCES, digest_of
from oddsmith.errors import MissingExtraError

END = "$END"
"""The kind of the token after the last one."""

Row = dict[str, int]
"""What the parser does in a state; it begins in state 0, and ends beyond the last. See `lalr`."""

GRAMMARS = {"rules/prism/grammar": "start", "properties/grammar": "file"}
"""The rules with which texts begin, by the names of grammars in the package."""

SHARED = "rules/prism/expression.lark"
"""What every grammar imports."""


class Terminal(NamedTuple):
    """A kind of token: one word or sign, or whatever matches a pattern."""

    word: str | None
    pattern: str
    within: tuple[str, ...]
    """Patterns of which the word is a case: where one of them matches it, it is the word."""


class Rule(NamedTuple):
    """How a rule of the grammar is reduced."""

    origin: str
    size: int
    method: str
    """Of the builder; nothing for a repetition, whose value is the list of its children."""
    collapse: bool
    """Whether a single child stands for the rule."""
    children: list[int | None] | None
    """Which values are children: the value at a place, all that the list at -1 - a place holds, or
    None for what was left out; None if all values are."""


class Tables(NamedTuple):
    """What is known of a grammar whose texts begin with one of its rules."""

    terminals: dict[str, Terminal]
    """In the order in which they are tried."""
    ignored: frozenset[str]
    rules: list[Rule]
    rows: list[Row]


@cache
def tables(name: str) -> Tables:
    """The tables of a grammar, as it is now."""
    kept = json.loads((SOURCES / f"{name}.json").read_bytes())
    fresh = kept["digest"] == digest_of(_sources(name))
    data = kept["tables"] if fresh else made(name)
    return Tables(
        {key: Terminal(word, text, tuple(within)) for key, word, text, within in data["terminals"]},
        frozenset(data["ignored"]),
        [Rule(*rule) for rule in data["rules"]],
        data["rows"],
    )


def _sources(name: str) -> tuple[str, ...]:
    return f"{name}.lark", SHARED


def made(name: str) -> dict[str, Any]:
    """The tables that Lark makes of a grammar, as data; numbered the same every time."""
    try:
        from lark import Lark
    except ImportError:
        raise MissingExtraError(
            f"The grammar {name}.lark has been edited, and its tables are made by lark: "
            f"install it (python -m pip install lark)."
        ) from None
    parser = Lark(
        (SOURCES / f"{name}.lark").read_text(encoding="utf-8"),
        parser="lalr",
        start=GRAMMARS[name],
        import_paths=[str((SOURCES / source).parent) for source in _sources(name)],
    )
    rules = sorted(_rules(parser).items())
    return {
        "terminals": _terminals(parser),
        "ignored": sorted(map(str, parser.ignore_tokens)),
        "rules": [rule for _, rule in rules],
        "rows": _rows(
            parser, GRAMMARS[name], {key: number for number, (key, _) in enumerate(rules)}
        ),
    }


def _key(rule: Any) -> str:
    return f"{rule.origin.name}: {' '.join(x.name for x in rule.expansion)} -> {rule.alias}"


def _rules(parser: Any) -> dict[str, list[Any]]:
    found = {}
    for rule in parser.rules:
        options, origin = rule.options, rule.origin.name
        left_out = [0] * (len(rule.expansion) + 1)
        if options.empty_indices:
            marks = "".join(str(int(mark)) for mark in options.empty_indices)
            left_out = [len(ones) for ones in marks.split("0")]
        children: list[int | None] = []
        for place, (symbol, before) in enumerate(zip(rule.expansion, left_out, strict=False)):
            children += [None] * before
            if not symbol.is_term and symbol.name.startswith("_"):
                children.append(-1 - place)
            elif options.keep_all_tokens or not (symbol.is_term and symbol.filter_out):
                children.append(place)
        children += [None] * left_out[-1]
        size = len(rule.expansion)
        found[_key(rule)] = [
            origin,
            size,
            "" if origin.startswith("_") else (rule.alias or origin).rpartition("__")[2],
            bool(options.expand1 and not rule.alias),
            None if children == list(range(size)) else children,
        ]
    return found


def _terminals(parser: Any) -> list[list[Any]]:
    """In the order of Lark's lexers; a word that a pattern of its strength matches is within it."""
    import re

    def word(terminal: Any) -> str | None:
        return terminal.pattern.value if terminal.pattern.type == "str" else None

    def matches(terminal: Any, other: Any) -> bool:
        value = word(terminal)
        if value is None or word(other) is not None or terminal.priority != other.priority:
            return False
        match = re.match(other.pattern.to_regexp(), value)
        return match is not None and match.group() == value

    terminals = sorted(
        parser.terminals,
        key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name),
    )
    return [
        [
            str(t.name),
            word(t),
            t.pattern.to_regexp(),
            [str(x.name) for x in terminals if matches(t, x)],
        ]
        for t in terminals
    ]


def _rows(parser: Any, start: str, numbers: dict[str, int]) -> list[Row]:
    """The rows that can be reached, numbered in the order in which they are met."""
    table = parser.parser.parser._parse_table
    met = [table.start_states[start]]
    place = {met[0]: 0}
    rows: list[Row] = []
    for state in met:
        row = {}
        for name, (action, target) in sorted(table.states.get(state, {}).items()):
            if action.name == "Shift":
                if target not in place:
                    place[target] = len(met)
                    met.append(target)
                row[str(name)] = place[target]
            else:
                row[str(name)] = -1 - numbers[_key(target)]
        rows.append(row)
    rows[rows[0][start]][END] = len(rows)
    return rows


def main() -> None:
    """Write the tables of all grammars."""
    for name in GRAMMARS:
        found = {"digest": digest_of(_sources(name)), "tables": made(name)}
        text = json.dumps(found, separators=(",", ":"))
        text = text.replace("],[", "],\n[").replace("},{", "},\n{")
        (SOURCES / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
