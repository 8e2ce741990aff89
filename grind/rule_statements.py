"""Random statements of ordinary Python, for `grind.rule_games`.

A variable keeps its type and stays within the bound that it was made with, whatever a loop does.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from grind.rule_expressions import Expressions, Scope

Lines = list[str]


def indented(lines: Lines) -> Lines:
    """A block."""
    return [f"    {line}" for line in lines]


class Statements(Expressions):
    """Draws statements; what they set is in scope after them."""

    def __init__(self, dice: Random) -> None:
        super().__init__(dice)
        self.names = 0
        self.own: set[str] = set()
        """Variables that were made by statements, and can be changed by them."""

    def name(self) -> str:
        """A new name."""
        self.names += 1
        return f"{self.dice.choice('uvwxyz')}{self.names}"

    def block(self, scope: Scope, count: int, depth: int = 2) -> Lines:
        """Some statements."""
        kinds: list[Callable[[Scope, int], Lines]] = [
            self._make, self._make, self._change, self._add_to, self._add_to, self._truth,
            self._tuple, self._unpack, self._list, self._real, self._swap,
        ]  # fmt: skip
        if depth > 0:
            kinds += [
                self._if, self._if, self._for_range, self._for_tuple, self._enumerate, self._zip,
                self._while, self._search, self._gather,
            ]  # fmt: skip
            kinds += [self._inner_function] * 3 * ("inner functions" in self.rare)
        lines: Lines = []
        for _ in range(count):
            lines += self.dice.choice(kinds)(scope, depth - 1)
        return lines or ["pass"]

    # Setting variables ------------------------------------------------------------------------

    def _make(self, scope: Scope, depth: int) -> Lines:
        (text, bound), name = self.whole(scope), self.name()
        scope.whole += [(name, max(bound, 50))] * 2
        self.own.add(name)
        return [f"{name} = {text}"]

    def _mine(self, scope: Scope) -> tuple[str, int] | None:
        found = [one for one in scope.whole if one[0] in self.own]
        return self.dice.choice(found) if found else None

    def _change(self, scope: Scope, depth: int) -> Lines:
        mine = self._mine(scope)
        if mine is None:
            return self._make(scope, depth)
        text, bound = self.whole(scope)
        fits = bound <= mine[1]
        return [f"{mine[0]} = {text}" if fits else f"{mine[0]} = ({text}) % {min(mine[1], 997)}"]

    def _add_to(self, scope: Scope, depth: int) -> Lines:
        mine = self._mine(scope)
        if mine is None:
            return self._make(scope, depth)
        text, bound = self.whole(scope, 2)
        if bound > 10**6:
            text = f"({text}) % 1000"
        sign = self.dice.choice(["+=", "-=", "^=", "|=", "&=", "*="])
        lines = [f"{mine[0]} {sign} {text}", f"{mine[0]} %= {min(mine[1], 97)}"]
        if self.dice.random() < 0.2:
            lines.append(f"{mine[0]} {self.dice.choice(['//= 2', '>>= 1', '//= -3', '%= -5'])}")
        return lines

    def _truth(self, scope: Scope, depth: int) -> Lines:
        text, name = self.truth(scope), self.name()
        scope.truth += [name]
        return [f"{name} = {text}"]

    def _real(self, scope: Scope, depth: int) -> Lines:
        text, name = self.real(scope, 2), self.name()
        scope.real += [name]
        return [f"{name} = {text}"]

    def _tuple(self, scope: Scope, depth: int) -> Lines:
        (text, size, bound), name = self.several(scope, 2, self.dice.randint(2, 4)), self.name()
        scope.tuples += [(name, size, bound)] * 2
        return [f"{name} = {text}"]

    def _list(self, scope: Scope, depth: int) -> Lines:
        (text, bound), name = self.listed(scope, 2), self.name()
        a, n = self.whole(scope, 1)
        scope.lists += [(name, max(bound, n))]
        lines = [f"{name} = {text}"]
        more = [f".append({a})", ".sort()", f"[-1] = {a}", f".insert(0, {a})"]
        more += [".reverse()"] * ("reverse" in self.rare)
        return lines + [f"{name}{self.dice.choice(more)}" for _ in range(self.dice.randint(0, 2))]

    def _unpack(self, scope: Scope, depth: int) -> Lines:
        text, size, bound = self.several(scope, 2, self.dice.randint(2, 3))
        names = [self.name() for _ in range(size)]
        scope.whole += [(name, max(bound, 50)) for name in names]
        self.own.update(names)
        return [f"{', '.join(names)} = {text}"]

    def _swap(self, scope: Scope, depth: int) -> Lines:
        one, other = self._mine(scope), self._mine(scope)
        if one is None or other is None or one[1] != other[1]:
            return self._make(scope, depth)
        return [f"{one[0]}, {other[0]} = {other[0]}, {one[0]}"]

    # Branches and loops -----------------------------------------------------------------------

    def _if(self, scope: Scope, depth: int) -> Lines:
        lines = [f"if {self.truth(scope)}:", *indented(self.block(scope.inner(), 2, depth))]
        if self.dice.random() < 0.3:
            lines += [f"elif {self.truth(scope)}:"]
            lines += indented(self.block(scope.inner(), 1, depth))
        if self.dice.random() < 0.5:
            lines += ["else:", *indented(self.block(scope.inner(), 1, depth))]
        return lines

    def _changed(self, scope: Scope, inner: Scope) -> Lines:
        """A statement that lets what a loop does be seen after it."""
        mine = self._mine(scope)
        if mine is None:
            return []
        return [f"{mine[0]} = ({mine[0]} * 3 + {self.whole(inner, 1)[0]}) % {min(mine[1], 101)}"]

    def _body(self, scope: Scope, inner: Scope, depth: int) -> Lines:
        lines = self.block(inner, self.dice.randint(1, 2), depth)
        if self.dice.random() < 0.3:
            word = self.dice.choice(["break", "continue"])
            lines += [f"if {self.truth(inner, 1)}:", f"    {word}"]
        return indented([*lines, *self._changed(scope, inner)])

    def _else(self, scope: Scope, depth: int) -> Lines:
        if self.dice.random() < 0.8:
            return []
        return ["else:", *indented(self.block(scope.inner(), 1, depth))]

    def _for_range(self, scope: Scope, depth: int) -> Lines:
        name, inner = self.name(), scope.inner()
        end = f"{self.whole(scope, 1)[0]} % 5"
        ranges = [
            str(self.dice.randint(1, 6)), end, f"1, 3 + {end}", f"0, 9, 1 + {end}",
            f"{self.dice.randint(3, 9)}, 0, -{self.dice.randint(1, 3)}",
        ]  # fmt: skip
        inner.whole += [(name, 9)] * 2
        head = f"for {name} in range({self.dice.choice(ranges)}):"
        return [*self._begin(scope), head, *self._body(scope, inner, depth),
                *self._else(scope, depth)]  # fmt: skip

    def _begin(self, scope: Scope) -> Lines:
        """A variable that a loop can change, if there is none."""
        return [] if self._mine(scope) else self._make(scope, 0)

    def _for_tuple(self, scope: Scope, depth: int) -> Lines:
        begin = self._begin(scope)
        (text, _, bound), name = self.several(scope, 2, self.dice.randint(2, 4)), self.name()
        inner = scope.inner()
        inner.whole += [(name, bound)] * 2
        return [*begin, f"for {name} in {text}:", *self._body(scope, inner, depth)]

    def _enumerate(self, scope: Scope, depth: int) -> Lines:
        begin = self._begin(scope)
        text, size, bound = self.several(scope, 2, self.dice.randint(2, 4))
        i, name, inner = self.name(), self.name(), scope.inner()
        inner.whole += [(i, size + 1), (name, bound)]
        first = self.dice.choice(["", "", ", 1"])
        return [*begin, f"for {i}, {name} in enumerate({text}{first}):",
                *self._body(scope, inner, depth)]  # fmt: skip

    def _zip(self, scope: Scope, depth: int) -> Lines:
        begin = self._begin(scope)
        a, _, m = self.several(scope, 2, self.dice.randint(2, 4))
        b, _, n = self.several(scope, 1, self.dice.randint(2, 4))
        x, y, inner = self.name(), self.name(), scope.inner()
        inner.whole += [(x, m), (y, n)]
        return [*begin, f"for {x}, {y} in zip({a}, {b}):", *self._body(scope, inner, depth)]

    def _while(self, scope: Scope, depth: int) -> Lines:
        begin, name, inner = self._begin(scope), self.name(), scope.inner()
        inner.whole += [(name, 9)] * 2
        body = [f"    {name} += {self.dice.randint(1, 3)}", *self._body(scope, inner, depth)]
        test = self.dice.choice([f"{name} < {self.dice.randint(2, 7)}", f"{name} < 5 and True"])
        return [*begin, f"{name} = {self.dice.randint(0, 2)}", f"while {test}:", *body,
                *self._else(scope, depth)]  # fmt: skip

    def _search(self, scope: Scope, depth: int) -> Lines:
        """A loop that looks for something, with an `else` for when it is not there."""
        found, name, inner = self.name(), self.name(), scope.inner()
        inner.whole += [(name, 9)] * 3
        scope.whole += [(found, 50)]
        self.own.add(found)
        return [
            f"{found} = -1",
            f"for {name} in range({self.dice.randint(2, 6)}):",
            f"    if {self.truth(inner)}:",
            f"        {found} = {name}",
            "        break",
            "else:",
            f"    {found} = {self.dice.randint(0, 40)}",
        ]

    def _gather(self, scope: Scope, depth: int) -> Lines:
        """A list that a loop fills."""
        found, name, inner = self.name(), self.name(), scope.inner()
        inner.whole += [(name, 9)] * 3
        a, bound = self.whole(inner, 2)
        scope.lists += [(found, max(bound, 3))]
        return [
            f"{found} = [{self.dice.randint(0, 3)}]",
            f"for {name} in range({self.dice.randint(2, 6)}):",
            f"    if {self.truth(inner)}:",
            f"        {found}.append({a})",
        ]

    def _inner_function(self, scope: Scope, depth: int) -> Lines:
        """A function inside the function, which sees what is around it."""
        name, taken, result, inner = self.name(), self.name(), self.name(), scope.inner()
        inner.whole = [one for one in inner.whole if one[0] not in self.own] + [(taken, 50)] * 3
        inner.functions = []
        a, bound = self.whole(inner, 2)
        given = f"({self.whole(scope, 1)[0]}) % 50"
        scope.whole += [(result, max(bound, 50))]
        self.own.add(result)
        if self.dice.random() < 0.5:
            return [f"{name} = lambda {taken}: {a}", f"{result} = {name}({given})"]
        return [f"def {name}({taken}):", f"    return {a}", f"{result} = {name}({given})"]
