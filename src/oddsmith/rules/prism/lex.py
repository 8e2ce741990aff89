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
        self.kinds = {t.word: name for name, t in tables.terminals.items() if t.word is not None}
        patterns = {name: t.pattern for name, t in tables.terminals.items() if t.word is None}
        signs = [t.pattern for t in tables.terminals.values() if t.word and "NAME" not in t.within]
        order = sorted(patterns, key=lambda name: name != "SPACE")
        alternatives = [f"(?P<{name}>{patterns[name]})" for name in order]
        alternatives += [f"(?P<sign>{'|'.join(signs)})", "(?P<unknown>.)"]
        self.expression = re.compile("|".join(alternatives), re.DOTALL)
        self.ignored = tables.ignored

    def lex(self, text: str, states: list[int]) -> Iterator[Token]:
        """The tokens of a text; a sign that has no place in a model is of an unknown type."""
        ignored, kinds, new = self.ignored, self.kinds, Token.__new__
        for match in self.expression.finditer(text):
            kind = match.lastgroup
            if kind in ignored:
                continue
            token = new(Token, match.group())
            token.type = kinds.get(token, kind) if kind in ("NAME", "sign") else kind  # type: ignore[assignment]
            token.start_pos, token.end_pos = match.span()
            yield token
