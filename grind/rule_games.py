"""Random rules as people write them: a whole module with a game, as text, from a seed.

A field of the state is a `Field`: how it is declared, read and given a new value. Everything the
rules compute ends in a field, modulo a small number, so games have some hundreds of states. `t`
counts the moves and ends the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from grind.constructs import PRELUDE, bodies
from grind.rule_expressions import Function, Scope
from grind.rule_statements import Lines, Statements, indented

MOST_STATES = 3000
"""So many combinations of values a state's fields have at most."""

WILD = 0.5
"""How often a game has one construct of `grind.constructs`."""

ODD = 0.15
"""How often a game uses a feature of classes or dice that a compiler may well refuse."""

HEAD = """\
import math
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from oddsmith import DRAW, Die, Game, coin, d4, d6, move, put

UNEVEN, SIGNED = Die([1, 2, 2, 5]), Die({-1: 2, 3: 1, 4: 5})
TWO, PAIR, COINS, THREE = d4.pool(2), d6.pool(2), coin.pool(2), d4.pool(3)
"""


@dataclass(frozen=True)
class Field:
    """A field of the state."""

    name: str
    kind: str
    default: str
    values: int
    """How many values it can have."""
    modulus: int = 0


class RuleSet(Statements):
    """One module of rules."""

    def __init__(self, dice: Random, chain: bool = False) -> None:
        super().__init__(dice)
        self.chain = chain
        """Whether nobody ever has a choice, so that engines play the same games."""
        self.players = dice.choice([1, 1, 2, 2, 3])
        self.moves = dice.randint(1, 3)
        self.last = dice.randint(5, 9)
        self.symmetric = self.players > 1 and dice.random() < 0.15
        self.wild = dice.random() < WILD
        self.odd = (
            dice.choice(["static", "class", "property", "super", "shapes", "names"])
            if dice.random() < ODD
            else ""
        )
        self.fields = self._fields()
        self.module = Scope()
        """What every function can name."""
        self.own_mover = self.players > 1 and not self._has("turn")

    def chance(self, share: float) -> bool:
        """Whether something happens that happens so often."""
        return self.dice.random() < share

    def _has(self, name: str) -> bool:
        return any(field.name == name for field in self.fields)

    def _fields(self) -> list[Field]:
        k, small = self.dice.randint(8, 40), self.dice.choice([2, 3])
        t = Field("t", "int", "0", self.last + 1)
        n = Field("n", "int", str(self.dice.choice([0, 0, k - 1])), k, k)
        if self.symmetric:
            zeros = ", ".join("0" * self.players)
            kind = f"tuple[{', '.join(['int'] * self.players)}]"
            k = min(k, 12 if self.players == 2 else 6)
            cells = Field("cells", kind, f"({zeros})", k**self.players, k)
            return [cells, Field("turn", "int", "0", self.players), t]
        three = f"({self.dice.choice(['0, 0, 0', '1, 0, 1', '0, 1, 1'])})"
        extra = [
            Field("flag", "bool", self.dice.choice(["False", "True"]), 2),
            Field("cells", "tuple[int, int, int]", three, small**3, small),
            Field("part", "Part", "Part(0)", 2 * small, small),
            Field("lamps", "tuple[bool, bool]", "(False, True)", 4),
            Field("low", "int", "-1", 4, 4),
            Field("pairs", "tuple[tuple[int, int], tuple[int, int]]", "((0, 1), (1, 0))", 16, 2),
        ]
        if "enumerations" in self.rare:
            extra.append(Field("phase", "Phase", "Phase.BET", 3))
        self.dice.shuffle(extra)
        fields, states = [n], n.values * t.values
        if self.players > 1 and self.chance(0.8):
            fields, states = [n, Field("turn", "int", "0", self.players)], states * self.players
        for field in extra[: self.dice.randint(1, 4)]:
            if states * field.values <= MOST_STATES:
                fields.append(field)
                states *= field.values
        fields.insert(self.dice.randint(0, len(fields)), t)
        return fields

    # The module -------------------------------------------------------------------------------

    def text(self) -> str:
        """The whole module."""
        parts = [HEAD]
        if self.wild:
            parts.append(PRELUDE)
        parts += ["\n".join(self._tables()), self._classes()]
        parts += ["\n".join(self._function(i)) for i in range(self.dice.randint(0, 2))]
        parts.append("\n".join(self._closure()))
        if self.wild:
            parts.append(self._wild())
        parts.append("\n".join(self._game()))
        return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"

    def _tables(self) -> Lines:
        numbers = [self.dice.randint(-9, 20) for _ in range(self.dice.randint(3, 6))]
        rows, columns = self.dice.randint(2, 3), self.dice.randint(2, 4)
        grid = [[self.dice.randint(0, 99) for _ in range(columns)] for _ in range(rows)]
        kind = self.dice.choice(["np.int8", "np.uint8", "np.int32", "np.uint16"])
        kind = kind if "narrow arrays" in self.rare else "np.int64"
        pair = [tuple(row[:2]) for row in grid]
        self.module.tuples.append(("TABLE", len(numbers), 20))
        self.module.arrays.append(("GRID", (rows, columns), 99))
        self.module.arrays.append(("ROW", (len(numbers),), 20))
        self.module.whole.append(("LIMIT", 7))
        self.module.tuples += [(f"PAIRS[{i}]", 2, 99) for i in (0, -1)]
        return [
            f"TABLE = {tuple(numbers)}",
            f"GRID = np.array({grid}, {kind})",
            f"ROW = np.array({numbers})",
            f"PAIRS = {tuple(pair)}",
            f"LIMIT = {self.dice.randint(1, 7)}",
        ]

    def _classes(self) -> str:
        lines: Lines = []
        if self._has("phase"):
            lines += ["class Phase(IntEnum):", "    BET = 0", "    PLAY = 1", "    DONE = 2"]
        if self._has("part"):
            lines += ["class Part(NamedTuple):", "    x: int", "    up: bool = True"]
        return "\n".join(lines)

    def _function(self, number: int) -> Lines:
        """A helper of the module."""
        scope, name = self.module.inner(), f"help{number}"
        size = self.dice.choice([0, 0, 3])
        count = self.dice.randint(1, 2)
        taken = [f"p{i}" for i in range(count)]
        scope.whole += [(one, 1 << 20) for one in taken] * 2
        optional = ("extra",) if self.chance(0.4) else ()
        scope.whole += [("extra", 1 << 20)] * len(optional)
        head = [*(["cells"] if size else []), *taken, *(f"{one}=2" for one in optional)]
        if size:
            scope.tuples += [("cells", 3, 1 << 20)] * 3
        lines = [f"def {name}({', '.join(head)}):", *indented(self._computed(scope, 997))]
        self.module.functions.append(Function(name, count, 997, optional, size))
        return self._kept_small(lines, taken, size)

    def _kept_small(self, lines: Lines, taken: list[str], size: int) -> Lines:
        """The function, with what it is given brought below a bound first."""
        first = [f"    {one} %= 1000" for one in taken]
        if size:
            first.append("    cells = (cells[0] % 99, cells[1] % 99, cells[2] % 99)")
        return [lines[0], *first, *lines[1:]]

    def _computed(self, scope: Scope, modulus: int) -> Lines:
        """Statements that end with a whole number."""
        lines = self.block(scope, self.dice.randint(1, 3))
        if self.chance(0.4):
            lines += [f"if {self.truth(scope)}:", f"    return {self._within(scope, modulus)}"]
        return [*lines, f"return {self._within(scope, modulus)}"]

    def _within(self, scope: Scope, modulus: int) -> str:
        return f"({self.whole(scope, 3)[0]}) % {modulus}"

    def _closure(self) -> Lines:
        if self.chance(0.5):
            return []
        scope = self.module.inner()
        scope.whole += [("k", 9), ("x", 1000)] * 2
        self.module.functions.append(Function("turn_by", 1, 997))
        body = f"({self.whole(scope)[0]}) % 997"
        return [
            "def make(k):", "    def inner(x):", "        x %= 1000", f"        return {body}",
            "    return inner", "", "", f"turn_by = make({self.dice.randint(0, 9)})",
        ]  # fmt: skip

    def _wild(self) -> str:
        lines = self.dice.choice(bodies()).splitlines()
        return "\n".join(["def wild(a, b):", *indented(lines)])

    # The class --------------------------------------------------------------------------------

    def _game(self) -> Lines:
        self.module.whole.append(("self.bonus", 9))
        if not self.symmetric:
            self.module.truth.append("self.swap")
        body = [f"players: int = {self.players}", f"bonus: int = {self.dice.randint(0, 9)}",
                f"swap: bool = {self.dice.choice(['True', 'False'])}"]  # fmt: skip
        if self.symmetric:
            body.append('interchangeable = ("cells",)')
        body += ["", "class State(NamedTuple):"]
        body += [f"    {field.name}: {field.kind} = {field.default}" for field in self.fields]
        body += [*self._start(), *self._cached(), *self._ranges(), *self._methods()]
        body += self._winner()
        if self.own_mover:
            body += ["", "def mover(self, s):", f"    return {self._player(self._seen())}"]
        body += self._score()
        if not self.symmetric:
            body += self._rank()
        for number in range(self.moves):
            body += self._move(number)
        base = "Base" if self.odd == "super" else "Game"
        return [*self._base(), f"class Rules({base}):", *indented(body)]

    def _base(self) -> Lines:
        if self.odd != "super":
            return []
        return ["class Base(Game):", "    def worth(self, s, x):",
                "        return (s.t + x) % 11", "", ""]  # fmt: skip

    def _start(self) -> Lines:
        if self.symmetric or self.chance(0.8):
            return []
        return [
            "",
            "def start(self):",
            f"    return self.State(n={self.fields_named('n').default})",
        ]

    def fields_named(self, name: str) -> Field:
        """The field with a name."""
        return next(field for field in self.fields if field.name == name)

    def _cached(self) -> Lines:
        if self.chance(0.6):
            return []
        self.module.tuples.append(("self.steps", 4, 40))
        return ["", "@cached_property", "def steps(self):",
                "    return tuple((i * 7 + self.bonus) % 40 for i in range(4))"]  # fmt: skip

    def _ranges(self) -> Lines:
        if self.chance(0.5):
            return []
        known = [f'"{one.name}": range({one.values})' for one in self.fields if one.name in "tn"]
        if self._has("cells"):
            known.append(f'"cells": range({self.fields_named("cells").modulus})')
        if self._has("low"):
            known.append('"low": range(-2, 2)')
        return ["", "def ranges(self):", f"    return {{{', '.join(known)}}}"]

    def _seen(self) -> Scope:
        """What a method with a state can name."""
        scope = self.module.inner()
        scope.whole.append(("s.t", 9))
        if self.symmetric:
            others = [f"s.cells[(s.turn + {i}) % self.players]" for i in range(self.players)]
            scope.whole += [(one, 9) for one in others]
            return scope
        for field in self.fields:
            if field.name in ("n", "turn", "low"):
                scope.whole += [(f"s.{field.name}", field.values)] * 2
        if self._has("flag"):
            scope.truth += ["s.flag"] * 2
        if self._has("cells"):
            scope.tuples += [("s.cells", 3, 3)] * 3
        if self._has("phase"):
            scope.truth += ["(s.phase == Phase.PLAY)", "(s.phase is Phase.DONE)"]
            scope.whole += [("s.phase.value", 3)]
        if self._has("part"):
            scope.whole += [("s.part.x", 3)]
            scope.truth += ["s.part.up", "s.part[1]"]
        if self._has("lamps"):
            scope.truth += ["s.lamps[0]", "s.lamps[-1]"]
        if self._has("pairs"):
            scope.tuples += [("s.pairs[0]", 2, 2), ("s.pairs[-1]", 2, 2)]
        return scope

    def _methods(self) -> Lines:
        lines: Lines = []
        for number in range(self.dice.randint(1, 2)):
            scope = self._seen()
            scope.whole += [("x", 1000)] * 2
            name = f"rule{number}"
            lines += ["", f"def {name}(self, s, x):", "    x %= 1000"]
            lines += indented(self._computed(scope, 997))
            self.module.functions.append(Function(f"self.{name}", 1, 997, (), 0, ("s",)))
        lines += self._odd_methods()
        if self.wild:
            a, b = self.whole(self._seen(), 1)[0], self.whole(self._seen(), 1)[0]
            late = f" if s.t >= {self.last - 1} else 0" if self.chance(0.5) else ""
            call = f"int(wild(({a} + x) % 8 - 3, ({b}) % 6 - 2)) % 997"
            lines += ["", "def strange(self, s, x):", f"    return {call}{late}"]
            self.module.functions.append(Function("self.strange", 1, 997, (), 0, ("s",)))
        return lines

    def _odd_methods(self) -> Lines:
        if self.odd == "static":
            self.module.functions.append(Function("self.twice", 1, 2000))
            return ["", "@staticmethod", "def twice(x):", "    return x * 2 % 1000"]
        if self.odd == "class":
            self.module.functions.append(Function("self.thrice", 1, 2000))
            return ["", "@classmethod", "def thrice(cls, x):", "    return x * 3 % 1000"]
        if self.odd == "property":
            self.module.whole.append(("self.most", 20))
            return ["", "@property", "def most(self):", "    return self.bonus * 2 + 1"]
        if self.odd == "super":
            self.module.functions.append(Function("self.worth", 1, 20, (), 0, ("s",)))
            return ["", "def worth(self, s, x):", "    return super().worth(s, x + 1) + 5"]
        return []

    # Rules ------------------------------------------------------------------------------------

    def _player(self, scope: Scope) -> str:
        return f"({self.whole(scope, 2)[0]}) % {self.players}"

    def _winner(self) -> Lines:
        scope = self._seen()
        several = self.players > 1 and not self.symmetric and self.chance(0.15)
        lines = ["", "def winner(self, s):"]
        if self.symmetric:
            here = "s.cells[s.turn - 1]"
            lines += [f"    if {here} == {self.fields[0].modulus - 1}:",
                      "        return (s.turn - 1) % self.players"]  # fmt: skip
            return [*lines, f"    return DRAW if s.t >= {self.last} else None"]
        if self.chance(0.5):
            lines += indented(self.block(scope, 1))
        outcome = f"({self._player(scope)}, {self._player(scope)})" if several else (
            f"({self.whole(scope)[0]}) % {self.players + 1} - 1"
        )  # fmt: skip
        if self.chance(0.3):
            won = "(0, 0)" if several else self.dice.choice(["0", "DRAW", str(self.players - 1)])
            lines += [f"    if s.t > 1 and {self.truth(scope)}:", f"        return {won}"]
        if self.chance(0.5):
            return [*lines, f"    return {outcome} if s.t >= {self.last} else None"]
        return [
            *lines,
            f"    if s.t >= {self.last}:",
            f"        return {outcome}",
            "    return None",
        ]

    def _score(self) -> Lines:
        if self.symmetric or self.chance(0.75):
            return []
        scope = self._seen()
        each = [f"{self.whole(scope)[0]}" for _ in range(self.players)]
        text = each[0] if self.players == 1 else f"({', '.join(each)})"
        return ["", "def score(self, s):", f"    return {text}"]

    def _rank(self) -> Lines:
        plain = all(field.name in ("t", "n", "turn", "flag") for field in self.fields)
        if not plain or self.chance(0.4):
            return []
        total, rest = "0", []
        for field in self.fields:
            total = f"({total}) * {field.values} + s.{field.name}"
        for field in reversed(self.fields):
            wrap = "bool" if field.name == "flag" else ""
            rest += [f"    {field.name}_ = {wrap}(number % {field.values})",
                     f"    number //= {field.values}"]  # fmt: skip
        given = ", ".join(f"{field.name}_" for field in self.fields)
        return ["", "def rank(self, s):", f"    return {total}", "", "def unrank(self, number):",
                *rest, f"    return self.State({given})"]  # fmt: skip

    def _move(self, number: int) -> Lines:
        scope, given, each = self._seen(), ["self", "s"], ""
        if self.chance(0.25) and not self.chain:
            given.append("k")
            each = self.dice.choice(["range(1, 3)", '("red", "blue")', "range(2)"])
            scope.whole += [("k", 3)] * 3
        test = self._when(scope, given, number)
        die = self._die(scope, given, needed=not number)
        options = [text for text in (die and f"dice={die}", each and f"each={each}",
                   test and f"when={test}") if text]  # fmt: skip
        if self.chance(0.1) and not self.chain:
            options.append("counts=False")
        if die:
            given.append("r")
        head = f"@move({', '.join(options)})" if options else "@move"
        lines = ["", head, f"def move{number}({', '.join(given)}):"]
        lines += indented(self.block(scope, self.dice.randint(1, 4)))
        if self.chance(0.3):
            lines += [f"    if {self.truth(scope)}:", f"        return {self._next(scope)}"]
        return [*lines, f"    return {self._next(scope)}"]

    def _when(self, scope: Scope, given: list[str], number: int) -> str:
        """When a move is legal; one of them always is, and of a chain exactly one."""
        if self.chain and self.moves > 1:
            return f"lambda self, s: s.t % {self.moves} == {number}"
        if not number:
            return ""
        return f"lambda {', '.join(given)}: {self.truth(scope)}" if self.chance(0.6) else ""

    def _die(self, scope: Scope, given: list[str], needed: bool) -> str:
        """A die, and its roll in scope."""
        kinds = ["one", "one", "one", "pool", "state", "pools", "option"]
        kind = self.dice.choice(kinds if needed else ["none", *kinds])
        taken = ", ".join(given)
        if self.odd == "shapes" and kind in ("state", "pools"):
            return f"lambda {taken}: TWO if {self.truth(scope, 1)} else THREE"
        if self.odd == "names" and kind == "one":
            return 'Die(["hit", "miss"])'
        if kind == "none":
            return ""
        if kind in ("pool", "pools"):
            test = self.truth(scope, 1)
            scope.tuples += [("r", 2, 6)] * 3
            one, other = "TWO", self.dice.choice(["PAIR", "COINS"])
            return one if kind == "pool" else f"lambda {taken}: {one} if {test} else {other}"
        dice = ["d6", "coin", "d4", "UNEVEN", "SIGNED"]
        one, other = self.dice.sample(dice, 2)
        test = self.truth(scope, 1)
        scope.whole += [("r", 6)] * 4
        if kind == "state":
            return f"lambda {taken}: {one} if {test} else {other}"
        return "lambda self: Die(range(1, self.bonus + 2))" if kind == "option" else one

    # The next state ---------------------------------------------------------------------------

    def _next(self, scope: Scope) -> str:
        values = {field.name: self._value(field, scope) for field in self.fields}
        form = self.dice.choice(["all", "all", "names", "replace", "replace", "defaults"])
        if form == "replace":
            kept = [name for name in values if name == "t" or self.chance(0.7)]
            return f"s._replace({', '.join(f'{name}={values[name]}' for name in kept)})"
        if form == "names":
            names = list(values)
            self.dice.shuffle(names)
            return f"self.State({', '.join(f'{name}={values[name]}' for name in names)})"
        if form == "defaults" and not self.symmetric:
            kept = [name for name in values if name == "t" or self.chance(0.7)]
            return f"self.State({', '.join(f'{name}={values[name]}' for name in kept)})"
        return f"self.State({', '.join(values.values())})"

    def _value(self, field: Field, scope: Scope) -> str:
        """A new value for a field."""
        kinds: dict[str, Callable[[], str]] = {
            "t": lambda: "s.t + 1",
            "turn": lambda: self._turn(scope),
            "n": lambda: (
                f"({self.whole(scope)[0]} + {self._rolled(scope)} + s.n) % {field.modulus}"
            ),
            "low": lambda: f"({self.whole(scope)[0]}) % 4 - 2",
            "flag": lambda: self.truth(scope),
            "cells": lambda: self._cells(field, scope),
            "phase": lambda: (
                f"(Phase.PLAY if {self.truth(scope)} else "
                + self.dice.choice(["Phase.DONE)", "s.phase)", "Phase.BET)"])
            ),
            "part": lambda: self._part(field, scope),
            "lamps": lambda: self._lamps(scope),
            "pairs": lambda: f"({self._pair(scope)}, {self._pair(scope)})",
        }
        return kinds[field.name]()

    def _rolled(self, scope: Scope) -> str:
        """Something that the roll decides, if there is one: so there are many states."""
        if any(name == "r" for name, _, _ in scope.tuples):
            return "sum(r)"
        return "r" if ("r", 6) in scope.whole else "1"

    def _turn(self, scope: Scope) -> str:
        following = f"(s.turn + 1) % {self.players}"
        if self.symmetric:
            return self.dice.choice(
                [following, f"(s.turn if {self.truth(scope)} else {following})"]
            )
        if self.players == 2 and self.chance(0.5):
            return "1 - s.turn"
        return following if self.chance(0.6) else self._player(scope)

    def _cells(self, field: Field, scope: Scope) -> str:
        a, k = self.whole(scope)[0], field.modulus
        if self.symmetric:
            return f"put(s.cells, s.turn, ({a}) % {k})"
        if self.chance(0.6):
            return f"put(s.cells, {self.index(scope, 2, 3)}, ({a}) % {k})"
        return "(" + ", ".join(f"({self.whole(scope, 2)[0]}) % {k}" for _ in range(3)) + ")"

    def _part(self, field: Field, scope: Scope) -> str:
        a = f"({self.whole(scope, 2)[0]}) % {field.modulus}"
        up = self.truth(scope, 1)
        texts = [f"Part({a}, {up})", f"Part(up={up}, x={a})", f"Part({a})",
                 f"s.part._replace(x={a})", f"s.part._replace(up={up})"]  # fmt: skip
        return self.dice.choice(texts)

    def _lamps(self, scope: Scope) -> str:
        one, other = self.truth(scope, 1), self.truth(scope, 1)
        return self.dice.choice(
            [f"({one}, {other})", f"put(s.lamps, {self.index(scope, 1, 2)}, {one})"]
        )

    def _pair(self, scope: Scope) -> str:
        if self.chance(0.3):
            return f"s.pairs[{self.dice.choice([0, 1, -1])}]"
        return f"(({self.whole(scope, 2)[0]}) % 2, ({self.whole(scope, 2)[0]}) % 2)"


def rule_text(dice: Random, chain: bool = False) -> str:
    """The text of a module of random rules; of a chain, if nobody is to have a choice."""
    return RuleSet(dice, chain).text()
