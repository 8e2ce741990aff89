"""A quick lexer for models: one regular expression, made from the terminals of the tables.

PRISM's words are reserved everywhere in a model, so it need not know what the parser could take
next, and lines are counted only when there is an error. A source of some megabytes has millions of
tokens, so this matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from oddsmith.rules.prism.lalr import Token
from oddsmith.rules.prism.tables import Tables


class ModelLexer:
    """Reserved words are told from names by a table, everything else by the expression."""

    def __init__(self, tables: Tables) -> None:
        self.words = {
            terminal.word: name
            for name, terminal in tables.terminals.items()
            if terminal.word is not None and "NAME" in terminal.within
        }
        others = sorted(
            tables.terminals.keys() - self.words.values(), key=list(tables.terminals).index
        )
        others.sort(key=lambda name: name != "SPACE")
        alternatives = [f"(?P<{name}>{tables.terminals[name].pattern})" for name in others]
        self.expression = re.compile("|".join([*alternatives, "(?P<unknown>.)"]), re.DOTALL)
        self.ignored = tables.ignored

    def lex(self, text: str, states: list[int]) -> Iterator[Token]:
        """The tokens of a text; a sign that has no place in a model is of an unknown type."""
        ignored, words, new = self.ignored, self.words, Token.__new__
        for match in self.expression.finditer(text):
            kind = match.lastgroup
            if kind in ignored:
                continue
            token = new(Token, match.group())
            token.type = words.get(token, kind) if kind == "NAME" else kind  # type: ignore[assignment]
            token.start_pos, token.end_pos = match.span()
            yield token
