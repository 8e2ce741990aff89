"""A lexer for properties, which asks the parser what it could take.

Few words of the property language are reserved: F, U or min mean something in some places and are
names in others. So only what the parser could take next is looked for, and where none of it stands,
whatever the grammar knows: a token that cannot be taken makes a better error than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from oddsmith.rules.prism.lalr import Token, Unexpected
from oddsmith.rules.prism.tables import Tables, Terminal

_ENTRY = re.compile(r"\[(\d+)\]")
"""Of a game's state: its variable `squares[0]` is called squares_0 in a model."""


class PropertyLexer:
    """Of what could stand at a place the first counts; a pattern's match may be a word."""

    def __init__(self, tables: Tables) -> None:
        self.terminals = tables.terminals
        self.ignored = tables.ignored
        self.rows = tables.rows
        self.patterns: dict[str, re.Pattern[str]] = {}
        self.tried: dict[int, list[str]] = {}
        self.words = {t.word: name for name, t in self.terminals.items() if t.word is not None}

    def lex(self, text: str, states: list[int]) -> Iterator[Token]:
        """The tokens of a text, while the parser takes them."""
        at = 0
        while at < len(text):
            token = self._token(text, at, states[-1]) or self._token(text, at, None)
            if token is None:
                kinds = frozenset(self._tried(states[-1])) - self.ignored
                raise Unexpected(None, at, kinds)
            at = token.end_pos
            if token.type not in self.ignored:
                yield token

    def _token(self, text: str, at: int, state: int | None) -> Token | None:
        """The token at an offset that the parser could take in a state, or in any."""
        for kind in self._tried(state):
            end = self._end(self.terminals[kind], kind, text, at)
            if end > at:
                token = Token(text[at:end])
                other = self.words.get(token)
                if other and kind in self.terminals[other].within and self._takes(state, other):
                    kind = other
                elif kind == "NAME":
                    token = Token(_ENTRY.sub(r"_\1", token))
                token.type, token.start_pos, token.end_pos = kind, at, end
                return token
        return None

    def _takes(self, state: int | None, kind: str) -> bool:
        return state is None or kind in self.rows[state] or kind in self.ignored

    def _tried(self, state: int | None) -> list[str]:
        """What is looked for, in order: words not where a pattern finds them too."""
        key = -1 if state is None else state
        if key not in self.tried:
            kinds = [kind for kind in self.terminals if self._takes(state, kind)]
            self.tried[key] = [
                kind for kind in kinds if not set(self.terminals[kind].within) & set(kinds)
            ]
        return self.tried[key]

    def _end(self, terminal: Terminal, kind: str, text: str, at: int) -> int:
        """Where a terminal ends that begins at an offset; -1 if it does not."""
        if terminal.word is not None:
            return at + len(terminal.word) if text.startswith(terminal.word, at) else -1
        if kind not in self.patterns:
            self.patterns[kind] = re.compile(terminal.pattern)
        match = self.patterns[kind].match(text, at)
        return match.end() if match else -1
