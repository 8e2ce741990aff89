"""A quick lexer for models: one regular expression, made from the terminals of the grammar.

Lark's own lexer knows what the parser could take next and keeps track of lines; models need
neither, since PRISM's words are reserved everywhere and lines are counted only when there is an
error. A source of some megabytes has millions of tokens, so this matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lark.lexer import Lexer
from lark.lexer import Token as LarkToken


class Token(str):
    """A piece of the text: what the parser and the builders need of lark's token."""

    __slots__ = ("start_pos", "type")
    type: str
    start_pos: int
    line = column = end_line = end_column = end_pos = None


class ModelLexer(Lexer):
    """Reserved words are told from names by a table, everything else by the expression."""

    def __init__(self, conf: Any) -> None:
        names = {terminal.name: terminal for terminal in conf.terminals}
        name = re.compile(names["NAME"].pattern.to_regexp())
        self.words = {
            terminal.pattern.value: terminal.name
            for terminal in conf.terminals
            if terminal.pattern.type == "str" and name.fullmatch(terminal.pattern.value)
        }
        patterns = sorted(
            (terminal for terminal in conf.terminals if terminal.pattern.value not in self.words),
            key=lambda terminal: (
                terminal.name != "SPACE",
                -terminal.priority,
                terminal.pattern.type != "re",
                -len(terminal.pattern.value),
            ),
        )
        alternatives = [f"(?P<{x.name}>{x.pattern.to_regexp()})" for x in patterns]
        self.expression = re.compile("|".join([*alternatives, "(?P<unknown>.)"]), re.DOTALL)
        self.ignored = frozenset(conf.ignore)

    def lex(self, text: str) -> Iterator[LarkToken]:  # type: ignore[override]
        """The tokens of a text; a sign that has no place in a model is of an unknown type."""
        ignored, words, new = self.ignored, self.words, Token.__new__
        for match in self.expression.finditer(text):
            kind = match.lastgroup
            if kind in ignored:
                continue
            token = new(Token, match.group())
            token.type = words.get(token, kind) if kind == "NAME" else kind  # type: ignore[assignment]
            token.start_pos = match.start()
            yield token  # type: ignore[misc]
