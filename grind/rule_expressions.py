"""Random expressions of ordinary Python, for `grind.rule_games`: their text and how large they get.

Whole numbers carry a bound on their size, so that plain expressions stay far inside 64 bits; what
leaves them, like all else that a compiler may refuse or get wrong, is drawn from
`grind.constructs`, a little of it in a game.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

LARGE = 1 << 40
"""Whole numbers are brought back below this."""

RARE = (
    "slices", "round", "float", "inner functions", "narrow arrays", "enumerations", "reverse",
)  # fmt: skip
"""Ordinary Python that a compiler may refuse: it would refuse every game, if each had all of it."""

RARITY = 0.06
"""How often a game has each of these."""

Whole = tuple[str, int]
"""The text of a whole number and a bound on its size."""


@dataclass(frozen=True)
class Function:
    """Something to be called: `name(…)` of so many whole numbers, or of a tuple."""

    name: str
    numbers: int
    bound: int
    optional: tuple[str, ...] = ()
    """Names of further parameters, which have defaults."""
    size: int = 0
    """The size of the tuple that it takes first, if it takes one."""
    prefix: tuple[str, ...] = ()
    """What is always given first."""


@dataclass
class Scope:
    """What can be named in a place of the rules."""

    whole: list[Whole] = field(default_factory=list)
    truth: list[str] = field(default_factory=list)
    real: list[str] = field(default_factory=list)
    tuples: list[tuple[str, int, int]] = field(default_factory=list)
    """Tuples of whole numbers: text, size, bound."""
    lists: list[tuple[str, int]] = field(default_factory=list)
    """Lists of whole numbers that are not empty: text, bound."""
    arrays: list[tuple[str, tuple[int, ...], int]] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)

    def inner(self) -> Scope:
        """The same, for a block: what it sets is not known after it."""
        return Scope(
            list(self.whole), list(self.truth), list(self.real), list(self.tuples),
            list(self.lists), list(self.arrays), list(self.functions),
        )  # fmt: skip


class Expressions:
    """Draws expressions from what is in scope."""

    def __init__(self, dice: Random) -> None:
        self.dice = dice
        self.rare = {name for name in RARE if dice.random() < RARITY}
        """What may be drawn of what compilers refuse."""

    # Whole numbers --------------------------------------------------------------------------

    def whole(self, scope: Scope, depth: int = 2) -> Whole:
        """A whole number."""
        if depth <= 0 or self.dice.random() < 0.15:
            return self._leaf(scope)
        kinds = [
            self._sum, self._product, self._quotient, self._sign, self._power, self._shift,
            self._bits, self._of_truth, self._extreme, self._either, self._and_or, self._entry,
            self._of_array, self._call, self._of_tuple, self._of_list, self._real_to_whole,
            self._divmod, self._call, self._entry,
        ]  # fmt: skip
        return self.small(self.dice.choice(kinds)(scope, depth - 1))

    def small(self, number: Whole) -> Whole:
        """The number, brought back if it may be large."""
        text, bound = number
        if bound < LARGE:
            return number
        modulus = self.dice.choice([7, 64, 101, 1000])
        return f"({text}) % {modulus}", modulus

    def _leaf(self, scope: Scope) -> Whole:
        if scope.whole and self.dice.random() < 0.75:
            return self.dice.choice(scope.whole)
        number = self.dice.randint(-3, 9)
        return (f"({number})" if number < 0 else str(number)), abs(number)

    def _sum(self, scope: Scope, depth: int) -> Whole:
        (a, m), (b, n) = self.whole(scope, depth), self.whole(scope, depth)
        return f"({a} {self.dice.choice('+-')} {b})", m + n

    def _product(self, scope: Scope, depth: int) -> Whole:
        (a, m), (b, n) = self.whole(scope, depth), self.whole(scope, depth)
        return f"({a} * {b})", m * n

    def _quotient(self, scope: Scope, depth: int) -> Whole:
        a, m = self.whole(scope, depth)
        word, by = self.dice.choice(["//", "%"]), self.dice.randint(1, 9)
        if self.dice.random() < 0.6:
            below, n = f"{self.dice.choice(['', '', '-'])}{by}", by
        else:
            b, n = self.whole(scope, depth)
            below = f"(abs({b}) + {by})"
        return f"({a} {word} {below})", m + 1 if word == "//" else n + by

    def _sign(self, scope: Scope, depth: int) -> Whole:
        a, m = self.whole(scope, depth)
        return self.dice.choice([f"(-{a})", f"abs({a})", f"(~{a})", f"(+{a})"]), m + 1

    def _power(self, scope: Scope, depth: int) -> Whole:
        a, m = self.whole(scope, depth)
        if self.dice.random() < 0.5:
            return f"({a} ** 2)", m * m
        if self.dice.random() < 0.5:
            return f"pow({a}, 2)", m * m
        base, most = self.dice.choice([(2, 20), (3, 12), (-2, 20)])
        text = f"({base})" if base < 0 else str(base)
        return f"({text} ** ({a} % {most}))", abs(base) ** most

    def _shift(self, scope: Scope, depth: int) -> Whole:
        (a, m), (b, _) = self.whole(scope, depth), self.whole(scope, 0)
        by = self.dice.choice([str(self.dice.randint(0, 5)), f"({b} % 6)"])
        return (f"({a} << {by})", m * 64) if self.dice.random() < 0.5 else (f"({a} >> {by})", m + 1)

    def _bits(self, scope: Scope, depth: int) -> Whole:
        (a, m), (b, n) = self.whole(scope, depth), self.whole(scope, depth)
        return f"({a} {self.dice.choice('&|^')} {b})", 2 * max(m, n) + 2

    def _of_truth(self, scope: Scope, depth: int) -> Whole:
        c, d = self.truth(scope, depth), self.truth(scope, 0)
        a, m = self.whole(scope, depth)
        texts = [
            f"int({c})", f"(({c}) + {a})", f"(({c}) * {a})", f"({a} - ({c}))",
            f"(({c}) + ({d}))", f"sum(({c}, {d}, True))", f"(({c}) - ({d}))",
        ]  # fmt: skip
        return self.dice.choice(texts), m + 3

    def _extreme(self, scope: Scope, depth: int) -> Whole:
        (a, m), (b, n) = self.whole(scope, depth), self.whole(scope, depth)
        c, k = self.whole(scope, 0)
        word = self.dice.choice(["min", "max"])
        texts = [f"{word}({a}, {b})", f"{word}({a}, {b}, {c})", f"{word}(({a}, {b}, {c}))"]
        return self.dice.choice(texts), max(m, n, k)

    def _either(self, scope: Scope, depth: int) -> Whole:
        (a, m), (b, n) = self.whole(scope, depth), self.whole(scope, depth)
        return f"({a} if {self.truth(scope, depth)} else {b})", max(m, n)

    def _and_or(self, scope: Scope, depth: int) -> Whole:
        (a, m), (b, n) = self.whole(scope, depth), self.whole(scope, depth)
        return f"({a} {self.dice.choice(['and', 'or'])} {b})", max(m, n)

    def _entry(self, scope: Scope, depth: int) -> Whole:
        text, size, bound = self.several(scope, depth, self.dice.randint(2, 4))
        return f"{text}[{self.index(scope, depth, size)}]", bound

    def index(self, scope: Scope, depth: int, size: int) -> str:
        """A place in a tuple, from its beginning or its end."""
        if self.dice.random() < 0.4:
            return str(self.dice.randint(-size, size - 1))
        a, _ = self.whole(scope, depth - 1)
        return self.dice.choice([f"{a} % {size}", f"{a} % {size} - {size}", f"-1 - {a} % {size}"])

    def _of_array(self, scope: Scope, depth: int) -> Whole:
        if not scope.arrays:
            return self._leaf(scope)
        name, shape, bound = self.dice.choice(scope.arrays)
        places = [self.index(scope, depth, size) for size in shape]
        inside = ", ".join(places) if self.dice.random() < 0.5 else "][".join(places)
        return f"int({name}[{inside}])", bound

    def _call(self, scope: Scope, depth: int) -> Whole:
        if not scope.functions:
            return self._leaf(scope)
        found = self.dice.choice(scope.functions)
        given = [self.whole(scope, depth)[0] for _ in range(found.numbers)]
        if found.size:
            given.insert(0, self.several(scope, depth, found.size)[0])
        given = [*found.prefix, *given]
        for name in found.optional:
            if self.dice.random() < 0.5:
                given.append(f"{name}={self.whole(scope, 1)[0]}")
        return f"{found.name}({', '.join(given)})", found.bound

    def _of_tuple(self, scope: Scope, depth: int) -> Whole:
        text, size, bound = self.several(scope, depth, self.dice.randint(2, 4))
        word = self.dice.choice(["sum", "min", "max", "len"])
        return f"{word}({text})", size * bound + size

    def _of_list(self, scope: Scope, depth: int) -> Whole:
        text, bound = self.listed(scope, depth)
        word = self.dice.choice(["sum", "len", "sum", "first", "sorted"])
        if word == "first":
            return f"{text}[{self.dice.choice([0, -1])}]", bound
        if word == "sorted":
            return f"sorted({text})[0]", bound
        return f"{word}({text})", 20 * bound + 20

    def listed(self, scope: Scope, depth: int) -> tuple[str, int]:
        """A list of whole numbers that is not empty, and a bound on them."""
        if scope.lists and self.dice.random() < 0.5:
            return self.dice.choice(scope.lists)
        inner = scope.inner()
        inner.whole += [("i", 8)] * 3
        a, m = self.whole(inner, depth)
        begin, end = self.dice.randint(-3, 2), self.dice.randint(3, 8)
        step = self.dice.choice(["", "", ", 2", ", 3"])
        if self.dice.random() < 0.7:
            return f"[{a} for i in range({begin}, {end}{step})]", m
        b, n = self.whole(scope, depth)
        return f"[{b}, {self.whole(scope, 0)[0]}]", max(n, LARGE // 64)

    def _divmod(self, scope: Scope, depth: int) -> Whole:
        a, m = self.whole(scope, depth)
        return f"divmod({a}, {self.dice.randint(2, 9)})[{self.dice.randint(0, 1)}]", m + 9

    def _real_to_whole(self, scope: Scope, depth: int) -> Whole:
        x = self.real(scope, depth)
        texts = [f"int({x})", f"math.floor({x})", f"math.ceil({x})"]
        texts += [f"round({x})"] * ("round" in self.rare)
        return f"{self.dice.choice(texts)} % 50", 50

    # Floating point ---------------------------------------------------------------------------

    def real(self, scope: Scope, depth: int) -> str:
        """A floating-point number of moderate size."""
        a, _ = self.whole(scope, depth - 1)
        a = f"({a}) % 100"
        texts = [
            f"({a}) / {self.dice.randint(1, 9)}", f"({a}) * 0.5", f"({a}) * 0.1",
            f"math.sqrt({a})", f"(({a}) + 0.5)", f"({a}) / 3 - 1.25",
        ]  # fmt: skip
        texts += [f"float({a})"] * ("float" in self.rare)
        if scope.real and self.dice.random() < 0.5:
            return self.dice.choice(scope.real)
        return f"({self.dice.choice(texts)})"

    # Truth values -------------------------------------------------------------------------------

    def truth(self, scope: Scope, depth: int = 1) -> str:
        """A truth value."""
        if scope.truth and (depth <= 0 or self.dice.random() < 0.2):
            return self.dice.choice(scope.truth)
        a, b, c = (self.whole(scope, depth - 1)[0] for _ in range(3))
        sign = self.dice.choice(["<", "<=", "==", "!=", ">", ">="])
        if depth <= 0:
            return f"({a} {sign} {b})"
        texts = [
            lambda: f"({a} {sign} {b})",
            lambda: f"({a} {sign} {b} {self.dice.choice(['<', '<='])} {c})",
            lambda: f"(not {self.truth(scope, depth - 1)})",
            lambda: f"({self.truth(scope, depth - 1)} and {self.truth(scope, depth - 1)})",
            lambda: f"({self.truth(scope, depth - 1)} or {self.truth(scope, depth - 1)})",
            lambda: f"({a} {self.dice.choice(['in', 'not in'])} ({b}, {c}, 2))",
            lambda: f"({a} in range({self.dice.randint(-3, 2)}, 9))",
            lambda: f"bool({a})",
            lambda: f"(({a}, {b}) {sign} ({b}, {c}))",
            lambda: f"({self.real(scope, depth)} {sign} {self.real(scope, depth)})",
            lambda: f"({self.real(scope, depth)} {sign} {a})",
            lambda: (
                f"({self.truth(scope, depth - 1)} {self.dice.choice('&|^')} "
                f"{self.truth(scope, depth - 1)})"
            ),
            lambda: f"({a} % 2 == 0)",
            lambda: f"({self.truth(scope, 0)} == {self.truth(scope, 0)})",
        ]
        return self.dice.choice(texts)()

    # Tuples -------------------------------------------------------------------------------------

    def several(self, scope: Scope, depth: int, size: int) -> tuple[str, int, int]:
        """A tuple of so many whole numbers: text, size, bound."""
        known = [found for found in scope.tuples if found[1] == size]
        if known and (depth <= 0 or self.dice.random() < 0.4):
            return self.dice.choice(known)
        kinds = [self._literal, self._put, self._joined, self._either_tuple, self._literal]
        return self.dice.choice(kinds if depth > 0 else [self._literal])(scope, depth - 1, size)

    def _literal(self, scope: Scope, depth: int, size: int) -> tuple[str, int, int]:
        parts = [self.whole(scope, depth) for _ in range(size)]
        inside = ", ".join(text for text, _ in parts) + ("," if size == 1 else "")
        return f"({inside})", size, max(bound for _, bound in parts)

    def _put(self, scope: Scope, depth: int, size: int) -> tuple[str, int, int]:
        text, _, m = self.several(scope, depth, size)
        a, n = self.whole(scope, depth)
        return f"put({text}, {self.index(scope, depth, size)}, {a})", size, max(m, n)

    def _joined(self, scope: Scope, depth: int, size: int) -> tuple[str, int, int]:
        larger = [found for found in scope.tuples if found[1] >= size]
        if larger and "slices" in self.rare:
            text, whole, bound = self.dice.choice(larger)
            first = self.dice.randint(0, whole - size)
            last = first + size
            cuts = [f"{first}:{last}", f"{first - whole}:{last}"]
            cuts += [f"{first}:"] if last == whole else []
            cuts += [f":{last}"] if first == 0 else []
            return f"{text}[{self.dice.choice(cuts)}]", size, bound
        if size < 2:
            return self._literal(scope, depth, size)
        cut = self.dice.randint(1, size - 1)
        a, _, m = self._literal(scope, depth, cut)
        b, _, n = self.several(scope, depth, size - cut)
        return f"({a} + {b})", size, max(m, n)

    def _either_tuple(self, scope: Scope, depth: int, size: int) -> tuple[str, int, int]:
        a, _, m = self.several(scope, depth, size)
        b, _, n = self.several(scope, depth, size)
        return f"({a} if {self.truth(scope, 1)} else {b})", size, max(m, n)
