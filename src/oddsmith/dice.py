"""Dice: finite distributions with integer weights.

A `Die` gives each of its faces a positive integer weight; a face comes up with probability
weight / total. Chance stays exact, and it is enumerated, never sampled.

>>> d6.probability(6)
Fraction(1, 6)
>>> (2 * d6).probability(7)
Fraction(1, 6)
>>> print(2 * coin)
face  weight  fraction  percent
   0       1       1/4   25.00%
   1       2       1/2   50.00%
   2       1       1/4   25.00%

Three ways to throw two dice, from what is forgotten most to what is forgotten least:

- `2 * d6`: their sum, 11 faces;
- `d6.pool(2)`: both numbers, but not which die shows which, 21 faces (so a 3 and a 6 can be told
  from a 4 and a 5, as the Game of the Goose needs);
- `product(d6, d6)`: both numbers in order, 36 faces.
"""

import operator
from collections import Counter
from collections.abc import Callable, Hashable, ItemsView, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from hashlib import blake2b
from itertools import chain, combinations_with_replacement
from itertools import product as cartesian
from math import factorial, gcd, prod
from numbers import Integral, Number, Rational
from typing import Any, Generic, NoReturn, TypeVar, final

from oddsmith.errors import OptionError

F = TypeVar("F", bound=Hashable)
G = TypeVar("G", bound=Hashable)


@final
class Die(Generic[F]):
    """A finite distribution: faces, each with a positive integer weight.

    `faces` is an iterable of faces, where a repeated face adds weight, or a mapping from face to
    weight. A face is anything hashable: a number, a word, a tuple. Weights are kept in lowest
    terms and faces in sorted order (in the order given, where they cannot be compared), so equal
    distributions are equal dice. A die never changes.

    >>> Die(range(1, 7))
    Die({1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1})
    >>> Die(["miss", "hit", "miss"])
    Die({'hit': 1, 'miss': 2})
    >>> Die([1, 1, 2, 2]) == Die({1: 5, 2: 5}) == Die([1, 2])
    True
    """

    __slots__ = ("_digest", "_weights")

    __array_ufunc__ = None  # so that an integer of NumPy leaves `n * die` to us

    _weights: dict[F, int]
    _digest: int | None

    def __init__(self, faces: "Iterable[F] | Mapping[F, int] | Die[F]") -> None:
        if isinstance(faces, Mapping | Die):
            weights = _gather((face, _checked(face, weight)) for face, weight in faces.items())
        elif isinstance(faces, Iterable):
            weights = _gather((face, 1) for face in faces)
        else:
            raise OptionError(
                f"A die needs a list of its faces, not {faces!r}: write Die(range(1, 7)) for a d6."
            )
        if not weights:
            raise OptionError("A die needs at least one face.")
        divisor = gcd(*weights.values())
        reduced = {face: weights[face] // divisor for face in _in_order(weights)}
        object.__setattr__(self, "_weights", reduced)
        object.__setattr__(self, "_digest", None)

    @property
    def faces(self) -> tuple[F, ...]:
        """The faces, each once."""
        return tuple(self._weights)

    @property
    def weights(self) -> tuple[int, ...]:
        """The weights, in the order of the faces; their greatest common divisor is 1."""
        return tuple(self._weights.values())

    @property
    def total(self) -> int:
        """The sum of the weights."""
        return sum(self._weights.values())

    def items(self) -> ItemsView[F, int]:
        """Return the pairs of face and weight."""
        return self._weights.items()

    def probability(self, face: F) -> Fraction:
        """Return the probability of `face`, 0 where the die does not have it.

        >>> d6.probability(2), d6.probability(7)
        (Fraction(1, 6), Fraction(0, 1))
        """
        return Fraction(self._weights.get(face, 0), self.total)

    def mean(self) -> Fraction:
        """Return the expected face.

        >>> d6.mean()
        Fraction(7, 2)
        """
        return _average((_exact(face), weight) for face, weight in self.items())

    def variance(self) -> Fraction:
        """Return the expected squared distance from the mean.

        >>> d6.variance()
        Fraction(35, 12)
        """
        mean = self.mean()
        return _average(((_exact(face) - mean) ** 2, weight) for face, weight in self.items())

    def map(self, function: Callable[[F], G]) -> "Die[G]":
        """Return the die that shows `function(face)`; faces with equal images become one.

        >>> d6.map(lambda face: "win" if face >= 5 else "lose")
        Die({'lose': 2, 'win': 1})
        """
        return Die(_gather((function(face), weight) for face, weight in self.items()))

    def where(self, predicate: Callable[[F], object]) -> "Die[F]":
        """Return the die given that its face satisfies `predicate`, as if thrown until it does.

        >>> d6.where(lambda face: face % 2 == 0).mean()
        Fraction(4, 1)
        """
        kept = {face: weight for face, weight in self.items() if predicate(face)}
        if not kept:
            raise OptionError(f"No face of {self!r} satisfies the condition.")
        return Die(kept)

    def pool(self, count: int) -> "Die[tuple[F, ...]]":
        """Return `count` of these dice thrown together, the order ignored.

        A face of the pool is a sorted tuple. Where face i, of weight w_i, shows m_i times, its
        weight is the multinomial n! / (m_1! m_2! ...) times w_1^m_1 w_2^m_2 ... Multisets are
        enumerated, not throws: 10 d6 make 3003 faces out of 60 million throws.

        >>> coin.pool(2)
        Die({(0, 0): 1, (0, 1): 2, (1, 1): 1})
        >>> d6.pool(2).probability((3, 6))
        Fraction(1, 18)
        """
        throws = factorial(_checked_count(count))
        weights: dict[tuple[F, ...], int] = {}
        for drawn in combinations_with_replacement(self.items(), count):
            repeats = Counter(drawn).values()
            orders = throws // prod(factorial(times) for times in repeats)
            faces = tuple(face for face, _ in drawn)
            weights[faces] = orders * prod(weight for _, weight in drawn)
        return Die(weights)

    @property
    def digest(self) -> int:
        """A number in 0 .. 2**63 - 1 that depends on faces and weights only.

        Equal dice have equal digests, in every process and on every machine.
        """
        digest = self._digest
        if digest is None:
            lines = sorted(f"{_canonical(face)}: {weight}" for face, weight in self.items())
            code = blake2b("\n".join(lines).encode(), digest_size=8).digest()
            digest = int.from_bytes(code, "big") >> 1
            object.__setattr__(self, "_digest", digest)
        return digest

    def __add__(self, other: "Die[F] | F") -> "Die[F]":
        return self._with(other, operator.add)

    def __radd__(self, other: F) -> "Die[F]":
        return self._with(other, lambda face, constant: constant + face)

    def __sub__(self, other: "Die[F] | F") -> "Die[F]":
        return self._with(other, operator.sub)

    def __rsub__(self, other: F) -> "Die[F]":
        return self._with(other, lambda face, constant: constant - face)

    def __neg__(self) -> "Die[F]":
        return _combine(operator.neg, self)

    def __mul__(self, other: "Die[F]") -> "Die[F]":
        if isinstance(other, Number):
            raise TypeError(
                "die * number is ambiguous: `2 * d6` throws two dice and adds them; "
                "to double one die use `d6.map(lambda face: 2 * face)`"
            )
        if not isinstance(other, Die):
            return NotImplemented
        return _combine(operator.mul, self, other)

    def __rmul__(self, count: int) -> "Die[F]":
        """Return the sum of `count` dice, from the sum of half as many."""
        if not isinstance(count, Integral):
            return NotImplemented
        if _checked_count(count) == 0:
            return _ZERO
        if count == 1:
            return self
        half = (count // 2) * self
        return half + half + self if count % 2 else half + half

    def _with(self, other: "Die[F] | F", function: Callable[[Any, Any], Any]) -> "Die[F]":
        """Return `function` of a face of this die and of another die, or of a number."""
        if isinstance(other, Die):
            return _combine(function, self, other)
        if isinstance(other, Number):
            return _combine(function, self, Die([other]))
        return NotImplemented  # type: ignore[no-any-return]  # for the operators to hand on

    def __len__(self) -> int:
        return len(self._weights)

    def __iter__(self) -> Iterator[F]:
        return iter(self._weights)

    def __contains__(self, face: object) -> bool:
        return face in self._weights

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Die):
            return NotImplemented
        return self._weights == other._weights

    def __hash__(self) -> int:
        return hash(frozenset(self._weights.items()))

    def __repr__(self) -> str:
        return f"Die({self._weights!r})"

    def __str__(self) -> str:
        total = self.total
        rows = [("face", "weight", "fraction", "percent")]
        for face, weight in self.items():
            fraction = Fraction(weight, total)
            rows.append((str(face), str(weight), str(fraction), f"{float(fraction):.2%}"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Die never changes: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Die never changes: cannot delete {name!r}")

    def __reduce__(self) -> tuple[type["Die[F]"], tuple[dict[F, int]]]:
        return Die, (self._weights,)


def product(*dice: Die[Any]) -> Die[tuple[Any, ...]]:
    """Return the dice thrown one after the other: tuples of faces, in the order of the dice.

    >>> product(coin, Die("ab"))
    Die({(0, 'a'): 1, (0, 'b'): 1, (1, 'a'): 1, (1, 'b'): 1})
    """
    return _combine(lambda *faces: faces, *dice)


def pool(*dice: Die[Any]) -> Die[tuple[Any, ...]]:
    """Return the dice, different ones perhaps, thrown together: sorted tuples of their faces.

    >>> pool(coin, Die([0, 2]))
    Die({(0, 0): 1, (0, 1): 1, (0, 2): 1, (1, 2): 1})
    """
    if not dice:
        return Die([()])
    place = {face: index for index, face in enumerate(Die(chain(*dice)))}

    def merge(*pools: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(sorted(chain(*pools), key=place.__getitem__))

    pools = (die.pool(count) for die, count in Counter(dice).items())
    return _combine(merge, *pools)


def _combine(function: Callable[..., Any], *dice: Die[Any]) -> Die[Any]:
    """Return `function` of the faces of independent dice."""

    def outcomes() -> Iterator[tuple[Any, int]]:
        for faces_and_weights in cartesian(*(die.items() for die in dice)):
            faces = (face for face, _ in faces_and_weights)
            yield function(*faces), prod(weight for _, weight in faces_and_weights)

    return Die(_gather(outcomes()))


def _gather(outcomes: Iterable[tuple[F, int]]) -> dict[F, int]:
    """Add up the weights of equal faces."""
    weights: dict[F, int] = {}
    for face, weight in outcomes:
        try:
            weights[face] = weights.get(face, 0) + weight
        except TypeError:
            raise OptionError(
                f"{face!r} cannot be a face: it is not hashable (use a tuple, not a list)."
            ) from None
    return weights


def _checked(face: object, weight: int) -> int:
    """Return the weight as an int, if it is a positive integer."""
    if not isinstance(weight, Integral) or weight <= 0:
        raise OptionError(
            f"The weight of face {face!r} must be a positive integer, not {weight!r}: count how "
            f"often a face comes, as in Die({{0: 1, 1: 2}}), and leave out those that never do."
        )
    return int(weight)


def _checked_count(count: int) -> int:
    """Return the number of dice as an int, if dice can be counted with it."""
    if not isinstance(count, Integral) or count < 0:
        raise OptionError(f"The number of dice must be an integer >= 0, not {count!r}.")
    return int(count)


def _in_order(faces: Iterable[F]) -> list[F]:
    """Return the faces in sorted order where they can be compared, else as they come."""
    try:
        return sorted(faces)  # type: ignore[type-var]
    except TypeError:
        return list(faces)


def _exact(face: Any) -> Fraction:
    """Return a numeric face as a fraction."""
    try:
        return Fraction(face)
    except (TypeError, ValueError, OverflowError):
        raise OptionError(
            f"Face {face!r} is not a finite number, so the die has no mean (`map` it to numbers)."
        ) from None


def _average(outcomes: Iterable[tuple[Fraction, int]]) -> Fraction:
    """Return the weighted mean of the values."""
    value, total = Fraction(0), 0
    for outcome, weight in outcomes:
        value += outcome * weight
        total += weight
    return value / total


def _canonical(face: Any) -> str:
    """Return a text that is the same for equal faces (1, 1.0 and True) in every process."""
    if isinstance(face, Rational | float | Decimal):
        try:
            return str(Fraction(face))
        except (ValueError, OverflowError):  # infinity
            return repr(float(face))
    if isinstance(face, tuple):
        return f"({', '.join(map(_canonical, face))})"
    if isinstance(face, frozenset):
        return f"{{{', '.join(sorted(map(_canonical, face)))}}}"
    if isinstance(face, Die):
        return f"Die {face.digest}"
    if type(face).__repr__ is object.__repr__:  # type: ignore[comparison-overlap]
        raise OptionError(f"{face!r} needs a __repr__ that says what it is before it is hashed.")
    return repr(face)


_ZERO: Die[Any] = Die([0])

coin = Die([0, 1])
"""A fair coin: 0 or 1."""

d4, d6, d8, d10, d12, d20 = (Die(range(1, sides + 1)) for sides in (4, 6, 8, 10, 12, 20))

sicherman = (Die([1, 2, 2, 3, 3, 4]), Die([1, 3, 4, 5, 6, 8]))
"""The only other pair of six-sided dice, with positive integers, that sums as 2d6 does.

George Sicherman; M. Gardner, "Mathematical Games", Scientific American 238 (February 1978).
"""
