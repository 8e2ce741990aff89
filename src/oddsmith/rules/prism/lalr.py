"""An LALR(1) parser that runs on tables (DeRemer and Pennello, TOPLAS 4, 1982).

A row of the table says for each kind of token whether to shift (the next state, from 0) or to
reduce (a rule, as -1 - its number), and for each rule's name where to go once it has been reduced.
Values are made while the text is read: no tree is built. Where no action fits, the parser says
which kinds of tokens it could have taken: those that can be shifted once all reductions are made
that they ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from oddsmith.rules.prism.tables import END, Row, Tables


class Token(str):
    """A piece of the text, of some kind, and where it stands."""

    __slots__ = ("end_pos", "start_pos", "type")
    type: str
    start_pos: int
    end_pos: int


class Span(NamedTuple):
    """The part of the text that a rule was reduced from."""

    start: int
    end: int


class Unexpected(Exception):  # noqa: N818 - caught, and explained
    """The text cannot go on like this."""

    def __init__(self, token: Token | None, at: int, accepts: frozenset[str]) -> None:
        super().__init__(str(token))
        self.token = token
        """What stands there; None where that is no token at all."""
        self.at = at
        self.accepts = accepts
        """Kinds of tokens that could stand there instead."""


Lex = Callable[[str, list[int]], Iterator[Token]]
"""A lexer: from a text, and the states of the parser as they come to be, to tokens."""


class Parser:
    """Reads texts by the tables of a grammar; `builder` has a method for each of its rules.

    A method takes the children of its rule; if `spans`, where the rule stands before them.
    """

    def __init__(self, tables: Tables, builder: object, lex: Lex, *, spans: bool = False) -> None:
        self.rows: list[Row] = tables.rows
        self.terminals = tables.terminals.keys() | {END}
        self.lex = lex
        self.spans = spans
        self.rules = [(*rule, getattr(builder, rule.method, None)) for rule in tables.rules]

    def parse(self, text: str) -> Any:
        """What the builder makes of a text."""
        states, begins = [0], list[int]()
        values: list[Any] = []
        rows, rules, spans = self.rows, self.rules, self.spans
        last, end = 0, Token()
        end.type, end.start_pos, end.end_pos = END, len(text), len(text)
        for token in chain(self.lex(text, states), (end,)):
            kind = token.type
            action = rows[states[-1]].get(kind)
            while action is not None and action < 0:
                origin, size, _, collapse, picks, method = rules[-1 - action]
                if size == 1 and collapse and picks is None:  # most rules: the value is the same
                    del states[-1]
                    state = rows[states[-1]][origin]
                    states.append(state)
                    action = rows[state].get(kind)
                    continue
                children: list[Any] = []
                if size:
                    children = values[-size:]
                    del values[-size:], states[-size:], begins[len(begins) - size + 1 :]
                else:
                    begins.append(token.start_pos)
                if picks is not None:
                    children = picked(children, picks)
                if collapse and len(children) == 1:
                    values.append(children[0])
                elif method is None:
                    values.append(children)
                elif spans:
                    values.append(method(Span(begins[-1], last), children))
                else:
                    values.append(method(children))
                state = rows[states[-1]][origin]
                states.append(state)
                action = rows[state].get(kind)
            if action is None:
                raise Unexpected(token, token.start_pos, self.accepts(states))
            states.append(action)
            values.append(token)
            begins.append(token.start_pos)
            last = token.end_pos
        return values[0]

    def accepts(self, states: list[int]) -> frozenset[str]:
        """Kinds of tokens that can follow."""
        kinds = self.rows[states[-1]].keys() & self.terminals
        return frozenset(kind for kind in kinds if self._shifts(list(states), kind))

    def _shifts(self, states: list[int], kind: str) -> bool:
        action = self.rows[states[-1]].get(kind)
        while action is not None and action < 0:
            origin, size, *_ = self.rules[-1 - action]
            del states[len(states) - size :]
            states.append(self.rows[states[-1]][origin])
            action = self.rows[states[-1]].get(kind)
        return action is not None


def picked(values: list[Any], picks: list[int | None]) -> list[Any]:
    """The children of a rule among its values; see `tables.Rule.children`."""
    children: list[Any] = []
    for pick in picks:
        if pick is None:
            children.append(None)
        elif pick >= 0:
            children.append(values[pick])
        elif children:
            children += values[-1 - pick]
        else:  # the beginning of a repetition: its list goes on, so that long ones take linear time
            children = values[-1 - pick]
    return children
