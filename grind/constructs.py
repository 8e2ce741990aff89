"""Ordinary Python, one construct at a time: what a rule may write, as a table.

Each line is the body of a function of two small whole numbers, `a` and `b`; one without `return`
is an expression. It gives a whole number or a truth value. What is around it stands in `PRELUDE`.
"""

from __future__ import annotations

PRELUDE = """\
import math
from enum import Enum, IntEnum
from typing import NamedTuple

import numpy as np
from oddsmith import put

BIG, HALF, ALL = 2**62, 2**63, 2**64 - 1
BITS = 0x9E3779B97F4A7C15
TUPLE = (3, 1, 4, 1, 5)
LIST = [3, 1, 4, 1, 5]
MIXED = (3, True, 4)
NESTED = ((0, 1, 2), (3, 4, 5))
RAGGED = ((0,), (1, 2), (3, 4, 5))
DICT = {0: 5, 1: 7, 2: 11}
NAMES = {"one": 1, "two": 2}
WORDS = ("one", "two", "three")
BYTES = np.array([200, 100, 50], np.uint8)
SMALL = np.array([100, -100, 50], np.int8)
HALVES = np.array([-30000, 30000, 7], np.int16)
WORD32 = np.array([2**31 - 1, -(2**31), 5], np.int32)
ARRAY = np.array([3, 1, 4, 1, 5])
UNSIGNED = np.array([2**63, 1, 2], np.uint64)
GRID = np.array([[1, 2, 3], [4, 5, 6]])
FLOATS = np.array([0.5, 1.5, 2.5])
SINGLES = np.array([0.1, 0.2, 0.3], np.float32)
TRUTHS = np.array([True, False, True])
FRACTION = 0.1
SET = {1, 3, 5}
FROZEN = frozenset({1, 3, 5})


class Colour(IntEnum):
    RED = 0
    GREEN = 1
    BLUE = 5


class Suit(Enum):
    HEARTS = 1
    SPADES = 2


class Pair(NamedTuple):
    x: int
    y: int = 4
    z: bool = False


def plain(n, step=3):
    return n * 10 + step


def helper(n, step=3, *, twice=False):
    return (n + step) * (2 if twice else 1)


def fact(n):
    return 1 if n <= 0 else n * fact(n - 1)


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def maybe(n):
    if n % 2 == 0:
        return n


def many(*numbers):
    return sum(numbers)


def make(n):
    def inner(m):
        return n * 10 + m
    return inner


ADD = make(3)


def raiser(n):
    if n > 2:
        raise ValueError("too large")
    return n


def first_of(pair):
    x, _ = pair
    return x
"""

_EXPRESSIONS = """
a + b
a - b
a * b
a // b
a % b
a / b > 0.3
divmod(a, b)[0] * 10 + divmod(a, b)[1]
-a % 3
-a // 3
-a
+a
~a
~True
~(a > b)
-(a > b)
+(a > b)
abs(a - b)
abs(a > b)
abs(-True)
a ** 2
a ** abs(b)
a ** b
2 ** a
2 ** abs(a) % 7
2 ** -abs(a) > 0.2
0 ** a
(-2) ** abs(a)
True ** a
a ** True
a ** False
True ** True
pow(a, 2)
pow(3, abs(a))
pow(3, abs(a), 7)
pow(a, 3, 5)
pow(3, -1, 7) + a
3 ** (abs(a) * 20) % 1000
10 ** (abs(a) * 10) % 7
(a * 10**10) * (b * 10**10) % 1009
(a * BIG + b * BIG) % 1009
(BIG + BIG + a) % 1009
(BIG * 2 + a) % 1009
(BIG - -BIG + a) % 1009
(-BIG - BIG - abs(a) - 1) % 1009
HALF % (abs(a) + 7)
ALL % (abs(a) + 7)
BITS % (abs(a) + 7)
BITS >> (abs(a) + 1) & 255
(BITS * (a + 10)) % 1009
(BITS ^ a) % 1009
(BITS & a) % 1009
(BITS | a) % 1009
(BITS + a) % 1009
(a - BITS) % 1009
BITS // (abs(a) + 1) % 1009
-BITS // (abs(a) + 1) % 1009
BITS > a
a < BITS
a < ALL
a - 1 < HALF
-HALF < a
max(a, BITS) % 1009
min(a, BITS) % 1009
(HALF - 1 + abs(a)) % 1009
abs(-HALF + a - a) % 1009
-(-HALF + a - a) % 1009
(-HALF) // (a - a - 1) % 1009
(-HALF + a - a) // (b - b - 1) % 1009
int(2**53 + a % 2 == float(2**53))
2**53 + a % 2 == float(2**53)
2**53 + a % 2 > float(2**53)
2**62 + a == float(2**62)
a == a + 0.0
a < 2.5
a == 2.0
a in (2.0, 3.0)
1 << abs(a)
1 << abs(a) * 20
1 << abs(a) + 62
1 << 64 + a > 0
a << 2
a << abs(b)
a << b
a >> 1
a >> abs(b)
a >> b
a >> 64 + abs(b)
0b101101 >> abs(a) * 20
-5 >> abs(a) * 20
True << abs(a)
(a > b) << 2
(a > b) << 8
(a > 0) << abs(b)
(a > b) >> 1
a >> True
a & b
a | b
a ^ b
a & 1
(a > 0) & (b > 0)
(a > 0) | (b > 0)
(a > 0) ^ (b > 0)
(a > 0) & b
(a > 0) | b
(a > 0) ^ b
(a > 0) + (b > 0)
(a > 0) - (b > 0)
(a > 0) * (b > 0)
(a > 0) * b
(a > 0) + b
(a > 0) // (b > 0)
(a > 0) % (b > 0)
(a > 0) / (b > 0) > 0
(a > 0) ** (b > 0)
(a > 0) < (b > 0)
(a > 0) == (b > 0)
(a > 0) == b
(a > 0) is True
(a > 0) is not False
(a > 0) == 1
a == True
True + True
sum((True, False, True))
sum((a > 0, b > 0, True))
sum([a > 0, b > 0, True])
sum(x > 0 for x in (a, b))
sum(1 for x in (a, b) if x > 0)
sum((a, b, 1))
sum((a, b), 10)
sum([a, b])
sum(range(a))
sum(range(abs(a)), 5)
sum(TUPLE)
sum(LIST)
sum(MIXED)
sum((BIG, BIG, a)) % 1009
sum((0.1, 0.2, 0.3)) == 0.6
sum([0.1] * 10) == 1.0
sum(x * x for x in range(abs(a)))
sum([x * x for x in range(abs(a))])
sum([x for x in range(6) if x % 2])
sum([x * y for x in range(3) for y in range(abs(a))])
max(a, b)
min(a, b)
max(a, b, 2)
max(a > 0, b)
max(a > 0, b > 0)
min(a, 2.5) > 1
min(a, b > 0)
max(TUPLE)
min(LIST)
max((a, b))
max([a, b, 3])
max(x * b for x in range(3))
max(TUPLE, key=lambda x: -x)
max([], default=a)
max(range(abs(a)), default=-1)
min((a, b), (b, a))[0]
max((a, 1), (b, 0))[1]
any(x == a for x in TUPLE)
all(x > a for x in TUPLE)
any((a > 0, b > 0))
all((a > 0, b > 0))
any((a, b))
all((a, b))
any([a > 0, b > 0])
any([])
all([])
any(TUPLE)
all(x for x in (a, b))
len(TUPLE)
len(LIST)
len((a, b))
len(range(a))
len(range(a, b))
len(range(0, 10, 3))
len(DICT)
len(SET)
len(ARRAY)
len(GRID)
len("three")
len(WORDS[1])
bool(a)
bool((a, b))
bool(())
bool(0.0)
bool(a - a)
bool([])
int(a > b)
int(a / 2)
int(-7 / 2) + a
int(a * 0.5)
int(2.9) + a
int(-2.9) + a
int(1e18) % 1009 + a
int(1e19) % 1009 + a
int(a * 1e18) % 1009
int(float(a) * 1e19) % 1009
int(math.inf) if a > 3 else a
int(True) + a
int("12") + a
int(Colour.BLUE) + a
float(a) > b
float(a > 0) > 0.5
float(True) == 1
round(a / 2)
round(2.5) + round(3.5) + round(-2.5) + a
round(a * 0.1, 1) == a * 0.1
round(2.675, 2) == 2.67
round(2.675 * a, 2) * 100 == 267.0 * a
int(round(a * 0.005 + 1, 2) * 100 + 0.5)
int(round(a * 0.015, 2) * 1000 + 0.5)
int(round(a + 0.285, 2) * 1000 + 0.5)
round(a)
round(a * 11, -1)
round(a > 0)
round(0.5 + a)
round(-0.5 + a)
math.floor(a / 2)
math.ceil(a / 2)
math.floor(-a / 3)
math.trunc(a / 3)
math.floor(a)
math.ceil(a)
int(math.sqrt(abs(a)))
int(math.sqrt(a))
math.isqrt(abs(a))
math.isqrt(a)
math.gcd(a, b)
math.lcm(a, b)
math.comb(5, abs(a))
math.comb(70, 35) % 1009 + a
math.perm(5, abs(a))
math.factorial(abs(a))
math.factorial(a)
math.factorial(20 + abs(a)) % 1009
math.prod((a, b, 2))
math.fabs(a) > 2
math.pow(2, a) > 1
math.log(a) > 0.5
math.log2(8) == 3
math.log(8, 2) == 3
math.exp(a) > 1
math.hypot(3, 4) == 5
math.copysign(1, a) > 0
math.fmod(-7, 3) == -1.0
math.isclose(a / 3 * 3, a)
math.isnan(float("nan"))
math.floor(1e30) % 1009 + a
math.inf > a
1 / a > 0.3
1 // a
1 % a
a / 0.5 > 1
1.0 // a > 0
7.5 // 2 == 3.0
-7.5 // 2 == -4.0
-7.5 % 2 == 0.5
7.5 % -2 == -0.5
5 % -3
-5 % 3
-5 // 3
5 // -3
(a - a) // (b - b + 1)
a % 1.5 == 0.5
0.1 + 0.2 == 0.3
FRACTION * 3 == 0.3
a * 0.1 == a / 10
10**16 / 3 > a
(2**60 + a) / (2**60) == 1.0
(2**60 + 1 + a - a) / 3 == 384307168202282325.6
(10**17 + a) / 10 == 10000000000000000.0
1e308 * 10 * abs(a) > 1
2.0 ** a > 1
(-8.0) ** (1 / 3) == a
0.0 ** a > 0
a ** 0.5 > 1
a ** -1 > 0.3
4 ** 0.5 == 2
2 ** 0.5 > a
a < b < 3
a < b > 0
a == b == 1
a != b != 1
1 <= a <= 3
not a
not a > b
not (a and b)
a and b
a or b
(a and b) + 1
(a or b) * 2
a and b and 3
a or b or 7
a > 0 and b
a > 0 or b
a and b > 0
(a > 0 or b) + 10
bool(a > 0 and b)
a and 2.5 or b
None or a
a if a > b else b
1 if a else 0
(1 if a else 2) if b else 3
a if a > 0 else False
(a if a > 0 else a > b) + 1
int(a if a > 0 else 2.5)
(a if a > 0 else 2.0) == 2
a in (1, 2, 3)
a not in (1, 2, 3)
a in TUPLE
a in LIST
a in range(3)
a in range(0, 10, 2)
a in DICT
a in SET
a in FROZEN
a in {1, 2, 3}
a in [1, 2, b]
a in ARRAY
(a, b) in ((1, 2), (2, 1))
(a, b) == (1, 2)
(a, b) < (b, a)
(a, b) <= (b, a)
(a, b) > (1,)
(a, 1) != (b, 1)
(a, b) == (1, 2, 3)
(1, True) == (True, 1)
[a, b] == [1, 2]
[a, b] < [b, a]
[a, b] == (a, b)
Pair(a, b) == (a, b, False)
Pair(a, b) < Pair(b, a)
(a > 0, b) == (1, b)
a is None
None is None
a is not None
maybe(a) is None
maybe(a) or 7
maybe(a) == a
maybe(a) == 2
0 if maybe(a) is None else maybe(a) + 1
maybe(a) + 1
bool(maybe(a))
not maybe(a)
maybe(a) in (2, 4)
TUPLE[a]
TUPLE[abs(a) % 5]
TUPLE[-1] + a
TUPLE[-abs(a)]
TUPLE[True]
TUPLE[a > b]
TUPLE[1:3][0]
TUPLE[:2][1]
TUPLE[::-1][0]
TUPLE[::2][1]
sum(TUPLE[-2:])
sum(TUPLE[:a])
sum(TUPLE[a:])
sum(TUPLE[a:b])
sum(TUPLE[1:100])
LIST[a]
LIST[abs(a)]
LIST[-1] + a
LIST[1:][0]
sum(LIST[:a])
sum(LIST[a:b])
LIST[::-1][0]
sum(LIST[::-2])
LIST.index(4)
LIST.index(a)
LIST.count(1)
TUPLE.index(4)
TUPLE.index(a)
TUPLE.count(1)
TUPLE.count(a)
MIXED[a]
MIXED[1]
NESTED[1][2]
NESTED[a > 0][abs(b)]
NESTED[a][b]
RAGGED[a][0]
RAGGED[2][a]
len(RAGGED[a])
ARRAY[a]
ARRAY[a % 5]
ARRAY[-1]
ARRAY[abs(a)] + ARRAY[abs(b)]
ARRAY[:a].sum()
ARRAY.sum()
ARRAY.max()
int(ARRAY[a % 5])
GRID[1][2]
GRID[1, 2]
GRID[a > 0, b % 3]
GRID[a % 3, b % 2]
GRID[a % 2, b]
GRID[a, b]
GRID[a % 2].sum()
GRID[:, a % 3].sum()
GRID.shape[1]
BYTES[a % 3] + BYTES[b % 3]
int(BYTES[a % 3]) + int(BYTES[b % 3])
BYTES[0] + 100
BYTES[0] * 2
BYTES[2] - BYTES[1]
BYTES[a % 3] - 101
-BYTES[a % 3]
~BYTES[a % 3]
BYTES[a % 3] << 2
BYTES[a % 3] >> 1
BYTES[a % 3] // 3
BYTES[a % 3] % -7
BYTES[a % 3] > a
BYTES.sum()
SMALL[a % 3] + SMALL[b % 3]
SMALL[a % 3] * 2
-SMALL[a % 3]
abs(SMALL[a % 3])
SMALL.sum()
SMALL[a % 3] * a
HALVES[a % 3] * 2
HALVES[a % 3] + HALVES[b % 3]
WORD32[a % 3] + 1
WORD32[a % 3] * 2
WORD32[a % 3] * a
UNSIGNED[a % 3] + a
int(UNSIGNED[a % 3]) % 1009
UNSIGNED[a % 3] > a
UNSIGNED[1] - 2
UNSIGNED[1] - UNSIGNED[2]
UNSIGNED[a % 3] // 2
FLOATS[a % 3] > 1
FLOATS[a] > 1
int(FLOATS[a % 3] * 2)
round(FLOATS[a % 3])
SINGLES[a % 3] == 0.1
SINGLES[a % 3] + 0.2 == 0.3
SINGLES[a % 3] > 0.1
TRUTHS[a % 3]
TRUTHS[a % 3] + 1
TRUTHS[a % 3] + TRUTHS[b % 3]
TRUTHS.sum()
not TRUTHS[a % 3]
~TRUTHS[a % 3]
TRUTHS[a % 3] - TRUTHS[b % 3]
np.sum(ARRAY[:2]) + a
np.abs(a)
np.sign(a)
np.minimum(a, b)
np.int64(a) // np.int64(b)
np.int64(a) % np.int64(b)
np.int8(a + 126)
np.uint8(a)
np.sqrt(a) > 1
np.array([a, b]).sum()
np.array([a, b])[0]
np.zeros(3, np.int64).sum() + a
np.bitwise_and(a, b)
DICT[a]
DICT[a % 3]
DICT.get(a, 9)
DICT.get(a, -1) + b
DICT.get(a) is None
NAMES["one"] + a
sum(DICT.values())
sum(DICT)
sum(k * v for k, v in DICT.items())
{0: a, 1: b}[a > b]
{a: 1, b: 2}[a]
len({a: 1, b: 2})
len({a, b})
len({a, b} & {1, 2})
len({a, b} | {1, 2})
sum({a, b, 7})
max({a, b, 7})
sorted({a, b, 7})[0]
{a, b} == {b, a}
{a} <= {1, 2, 3}
WORDS[a % 3] == "two"
WORDS[a % 3] < "three"
"a" if a > 0 else "b" == "a"
("x" if a > 0 else "y") == "x"
"one" in WORDS
"on" in "one"
len("ab" * abs(a))
len("ab" + "cd") + a
ord("a") + a
int("12"[a > 0])
str(a) == "2"
f"{a}" == "2"
"abc"[a % 3] == "b"
Colour.BLUE + a
Colour.GREEN == a
Colour.RED < a
Colour(a % 2) == Colour.GREEN
Colour(a % 2) is Colour.GREEN
Colour(a % 2).value
Colour(a).value
Colour.BLUE.value + a
Colour.BLUE is Colour.BLUE
Colour.GREEN is Colour.RED
Colour.GREEN * 3
Colour.GREEN in (1, 5)
(Colour.RED if a > 0 else Colour.BLUE).value
(Colour.RED if a > 0 else Colour.BLUE) is Colour.BLUE
(Colour.RED if a > 0 else Colour.BLUE) == 5
TUPLE[Colour.GREEN]
bool(Colour.RED)
len(Colour)
Colour.BLUE.name == "BLUE"
Colour["BLUE"] + a
max(Colour.RED, Colour.BLUE) + a
~Colour.GREEN
-Colour.BLUE
Suit.HEARTS is Suit.HEARTS
Suit.HEARTS == Suit.SPADES
(Suit.HEARTS if a > 0 else Suit.SPADES) is Suit.SPADES
Suit.HEARTS == 1
Suit.SPADES.value + a
Pair(a, b).x
Pair(a).y
Pair(a).z
Pair(y=a, x=b).x
Pair(x=a).y + Pair(a, 7, True).z
Pair(a, b)._replace(x=7).x
Pair(a, b)._replace(z=a > b).z
Pair(a, b)._replace(x=7, y=a).y
Pair(a, b)[1]
Pair(a, b)[-1]
Pair(a, b)[:2] == (a, b)
sum(Pair(a, b))
len(Pair(a, b))
Pair(a, b) + (1,) == (a, b, False, 1)
Pair(*(a, b)).y
Pair(**{"x": a}).x
max(Pair(a, b))
tuple(Pair(a, b))[0]
Pair._fields[0] == "x"
put((a, b), 0, 7)[0]
put((a, b, 1), a % 3, 7)[2]
put((a, b, 1), -1, a)[2]
put((a, b, 1), a, 7)[2]
put((True, False), 0, a > b)[0]
sum(put((True, False, True), a % 3, b))
put((a, b), 0, a > b)[0] + 1
put((a, b), 0, 2.5)[0] > 2
put(((a, b), (b, a)), 0, (1, 2))[0][1]
put((a, b), True, 3)[1]
(a, b) + (1,) == (a, b, 1)
((a, b) + (1, 2))[3]
((a, b) * 2)[2]
((a,) * 3)[2]
((0,) * abs(a) == (0, 0))
len((0,) * a)
(a, *(b, 1))[2]
sum((*TUPLE, a))
tuple([a, b])[0]
tuple(x + 1 for x in TUPLE)[a % 5]
tuple(x + 1 for x in (a, b))[0]
tuple([x for x in TUPLE if x != a]) == (3, 1, 4, 1, 5)
tuple(range(3))[a % 3]
tuple(sorted((a, b, 2)))[0]
tuple(reversed((a, b)))[0]
tuple(zip((a, b), (b, a)))[0][1]
tuple(enumerate((a, b)))[1][0]
tuple(x > 0 for x in (a, b)) == (True, True)
tuple(map(abs, (a, b)))[0]
list((a, b))[1]
list(TUPLE)[a % 5]
list(range(abs(a)))[-1]
list(map(lambda x: x + 1, [a, b]))[0]
list(filter(lambda x: x > 0, [a, b, 1]))[0]
sorted([a, b, 2])[0]
sorted((a, b, 2))[0]
sorted(TUPLE)[a % 5]
sorted(TUPLE, reverse=True)[0]
sorted(TUPLE, key=lambda x: (x - 3) ** 2)[0]
sorted([(b, 1), (a, 2)])[0][1]
sorted([a > 0, b > 0])[0]
[a, b][a > b]
[a, b, 1][-1]
[a, b][a]
[a] * 3 == [a, a, a]
len([a] * abs(b))
len([a] * b)
([a] + [b])[1]
[x for x in TUPLE][2]
[x for x in range(10) if x % 3 == a % 3][0]
[[0] * 2 for _ in range(2)][1][0] + a
[i for i, x in enumerate(TUPLE) if x == 1][-1]
[x + y for x, y in zip((1, 2), (a, b))][1]
[x for x in (a, b) if x > 100]== []
{x: x * x for x in range(4)}[a % 4]
len({x % 3 for x in range(abs(a))})
min(range(3), key=lambda i: abs(i - a))
next(x for x in TUPLE if x > 3)
next((x for x in TUPLE if x == a), -1)
sum(x * y for x, y in zip(TUPLE, (a, b)))
sum(i * x for i, x in enumerate(TUPLE))
sum(i * x for i, x in enumerate(TUPLE, 1))
sum(x for x in reversed(TUPLE))
sum(map(abs, (a, b)))
sum(x if x > a else -x for x in TUPLE)
plain(a)
plain(a, 4)
plain(a, step=b)
plain(step=a, n=b)
plain(*(a, b))
plain(plain(a), plain(b, 1))
plain()
plain(a, 1, 2)
plain(a, a > b)
helper(a)
helper(a, 4)
helper(a, step=b)
helper(step=a, n=b)
helper(a, twice=True)
helper(*(a, b))
fact(abs(a))
fact(a)
fact(20 + abs(a)) % 1009
fib(abs(a))
even(abs(a))
many(a, b, 1)
many()
make(a)(b)
ADD(a)
(lambda x: x + 1)(a)
(lambda x, y=2: x * y)(a)
first_of((a, b))
raiser(a)
first_of((a, b, 1))
isinstance(a, int)
isinstance(a > 0, bool)
isinstance(a > 0, int)
isinstance(a / 2, float)
type(a) is int
hash(a) == a
id(a) == id(a)
a.bit_length()
a.bit_count()
bin(abs(a)).count("1")
int.bit_count(abs(a))
(a).__add__(b)
a.real + a.imag
a.numerator
(a / 2).is_integer()
abs(-2**62 * 2 + a - a) % 1009
(a + BIG) * 2 % 1009
(a - BIG) * 3 % 1009
a * BIG % 1009
(BIG | HALF) % 1009 + a
(a + HALF) % 1009
(a + ALL) // 2 % 1009
HALF - a > 0
(HALF + a) - HALF
(ALL + a) - ALL
BIG * 4 == 2**64
(a := b + 1) + a
math.floor(a + 0.5) + math.ceil(b - 0.5)
0 < a / 3 < 1
(a, b)[a > b]
(a > b, b)[0]
(a, 2.5)[a > b] > 1
(a, (b, 1))[1][0]
print() is None
range(a, b)[0]
range(10)[a]
range(0, 100, 7)[a]
range(10)[-1]
reversed(range(3)) is None
list(reversed(range(3)))[0]
max("one", "two") == "two"
a.__class__ is int
a <= b is True
(a <= b) is True
a == b or a and b
a if b else None or 7
1_000 + a
0x1F & a
1e3 == 1000
1j * 1j == -1
-0.0 == 0.0
math.copysign(1, -0.0 * abs(a)) < 0
a // 0.3 > 2
int(a // 0.3)
int(-7 // 2.0) + a
(a + 0.5) % 1 == 0.5
(-1) ** 0.5 == 1j
int(1e-320 * a * 1e320)
a / b == a // b
2 ** 63 - 1 + a > 0
-2 ** 63 + a < 0
(-2 ** 63 + abs(a)) % 1009
(2 ** 63 - 1 - abs(a)) % 1009
-(2 ** 63) // -1 % 1009 + a
min(2 ** 63, 5) + a
abs(a) << 62 > 0
(a << 62) % 1009
((a > 0) + 254) * 1
(a > 0) + (b > 0) + (a > b) + True
(a > 0) * 300
-True + a
True - 2 + a
(a > 0) - 1
(a > b) + 0.5 > 1
sum([True] * 300) + a
sum(x > 1 for x in range(300)) + a
"""

_BODIES = """
c = a
c += b
c *= 2
return c
-
c = a
c //= b
return c
-
c = a
c **= 2
return c
-
c = a > 0
c += 1
return c
-
c = a > 0
c |= b
return c
-
c = a > 0
c ^= True
return c
-
c = a
c /= 2
return c > 0.6
-
c = 0
while c < a:
    c += 2
return c
-
c = 0
while True:
    c += 1
    if c > a:
        break
return c
-
for i in range(5):
    if i == a:
        break
else:
    i = 9
return i
-
c = 0
while c < 3:
    c += 1
    if c == a:
        break
else:
    c = 50
return c
-
c = 0
for i in range(a):
    c += i
return i
-
c = 0
for i in range(a):
    c += i
return c
-
c = 0
for i in range(10, a, -2):
    if i == 4:
        continue
    c = c * 3 % 101 + i
return c
-
c = 0
for i in range(a, b, abs(a) + 1):
    c = c * 3 % 101 + i
return c
-
c = 0
for i in range(0, 5, b):
    c += i
    if c > 50:
        break
return c
-
c = 0
for i in range(3):
    for j in range(3):
        if i * j == a:
            break
        c = c * 2 + 1
return c
-
for i in range(3):
    i += a
return i
-
c = 0
for x in TUPLE:
    c = c * 7 % 101 + x
return c
-
c = 0
for x in MIXED:
    c = c * 7 + x
return c
-
c = 0
for i, x in enumerate(TUPLE):
    if x == a:
        c += i
return c
-
c = 0
for x, y in zip(TUPLE, range(a)):
    c += x * y
return c
-
c = 0
for x, y in NESTED[0], NESTED[1]:
    c += x * y
return c
-
c = 0
for row in NESTED:
    for x in row:
        c = c * 3 + x
return c
-
c = 0
for row in RAGGED:
    c += len(row) * row[0]
return c
-
c = 0
for x in reversed(TUPLE):
    c = c * 7 % 101 + x
return c
-
c = 0
for x in sorted(TUPLE):
    c = c * 7 % 101 + x
return c
-
c = 0
for x in {a, b, 7}:
    c = c * 7 % 101 + x
return c
-
c = 0
for x in {5, 1, 3}:
    c = c * 7 % 101 + x
return c
-
c = 0
for k in DICT:
    c = c * 7 % 101 + k
return c
-
c = 0
for k, v in DICT.items():
    c = c * 7 % 101 + k * v
return c
-
c = 0
for x in ARRAY:
    c = c * 7 % 101 + x
return c
-
c = 0
for x in BYTES:
    c += x
return c
-
c = BYTES[0]
for x in BYTES:
    c += x
return c
-
c = SMALL[0]
c += 100
return c
-
c = 0
for letter in "abc":
    if letter == "b":
        c += a
return c
-
c = 0
for word in WORDS:
    c = c * 7 + len(word)
return c
-
found = []
for x in TUPLE:
    if x > a:
        found.append(x)
return len(found)
-
found = []
for x in TUPLE:
    if x > a:
        found.append(x)
return found[0]
-
found = [3, a, b]
found.sort()
return found[0] * 100 + found[1] * 10 + found[2]
-
found = [3, a, b]
found.sort(reverse=True)
return found[0]
-
found = [3, a, b]
found.reverse()
return found[0]
-
found = [3, a, b]
c = found.pop()
return c * 10 + len(found)
-
found = [3, a, b]
return found.pop(a)
-
found = [3, a, b]
found.remove(a)
return found[0]
-
found = [3, a, b]
found.insert(a, 7)
return found[1]
-
found = [3, a, b]
found[a] = 7
return found[1]
-
found = [3, a, b]
found[-1] += 7
return found[2]
-
found = [3, a, b]
del found[0]
return found[0]
-
found = [3, a, b]
found.extend([1, 2])
found += [5]
return len(found) + found[-1]
-
found = [3, a, b]
other = found
other.append(5)
return len(found)
-
found = [3, a, b]
other = found[:]
other.append(5)
return len(found)
-
found = [3, a, b]
found[0:2] = [9]
return len(found)
-
found = [a > 0]
found.append(b)
return found[0] + found[1]
-
found = [a]
found.append(b > 0)
return found[1]
-
found = [a]
found.append(2.5)
return found[1] > 2
-
found = [a > 0, False]
found[1] = b
return found[1]
-
found = [0] * 3
found[a % 3] += b
return tuple(found) == (b, 0, 0)
-
grid = [[0] * 2] * 2
grid[0][0] = a
return grid[1][0]
-
found = [(a, b), (b, a)]
found.sort()
return found[0][0]
-
found = {}
found[a] = 1
found[b] = 2
return found[a]
-
found = {a: 1}
found[a] += 1
return found.get(a, 0) + found.get(b, 5)
-
found = {1: 2}
if a in found:
    del found[a]
return len(found)
-
found = {1: a, 2: b}
return found.pop(a, 9)
-
found = set()
found.add(a)
found.add(b)
return len(found)
-
found = {1, 2}
found.discard(a)
return len(found)
-
x, y = a, b
x, y = y, x
return x * 10 + y
-
x, (y, z) = a, (b, 1)
return x * 100 + y * 10 + z
-
x, *rest = (a, b, 1)
return rest[0]
-
*rest, x = [a, b, 1]
return len(rest) * 10 + x
-
x = y = a
x += 1
return y
-
if a > 0:
    c = 1
return c
-
if a > 0:
    c = 1
elif b > 0:
    c = 2
return c * 10
-
for i in range(a):
    c = i
return c
-
if a > 0:
    c = 5
if a > 0:
    return c
return 0
-
c = a
if a > 2:
    c = True
return c
-
c = a
if a > 2:
    c = True
return c + 1
-
c = True
if a > 2:
    c = a
return c
-
c = a
if a > 2:
    c = 2.5
return int(c * 2)
-
c = a
if a > 2:
    c = 2.5
return c // 2 == 1
-
c = 0
if a > 2:
    c = a / 2
return c == 2
-
c = 2**53 + 1 + a - a
if b > 0:
    c = 0.5
return c % 2 == 1
-
c = None
if a > 2:
    c = a
return 0 if c is None else c
-
c = None
if a > 2:
    c = a
return c + 1
-
c = None
for x in TUPLE:
    if x == a:
        c = x
if c is None:
    return -1
return c
-
c = None
if a > 2:
    c = a
return bool(c)
-
c = None
if a > 2:
    c = a
if c:
    return 1
return 0
-
c = None
if a > 2:
    c = a
return c == a
-
c = (a, b)
if a > 2:
    c = (b, a)
return c[0]
-
c = (a, b)
if a > 2:
    c = (b, a, 1)
return len(c)
-
c = (a, b)
if a > 2:
    c = (a > b, b)
return c[0]
-
c = (True, False)
if a > 2:
    c = (a, b)
return c[0] + c[1]
-
c = 0
if a > 2:
    c = Colour.BLUE
return c
-
c = Colour.RED
if a > 2:
    c = Colour.BLUE
return c
-
c = Colour.RED
if a > 2:
    c = Colour.BLUE
return c is Colour.BLUE
-
c = Colour.RED
if a > 2:
    c = 5
return c is Colour.BLUE
-
c = Pair(a, b)
if a > 2:
    c = Pair(b)
return c.y
-
if a > 2:
    return a
return a > b
-
if a > 2:
    return a > b
return 7
-
if a > 2:
    return 1
-
if a > 2:
    return 2.0
return a
-
if a < 0:
    return -1
if a == 0:
    return 0
return 1
-
assert a < 3
return a
-
assert a < 3, "too large"
return a
-
if a > 2:
    raise ValueError("no")
return a
-
if a > 2:
    raise ValueError(f"no {a}")
return a
-
if a > 2:
    raise KeyError
return a
-
try:
    return TUPLE[a + 3]
except IndexError:
    return -1
-
try:
    return LIST[a + 3]
except IndexError:
    return -1
-
try:
    return a // b
except ZeroDivisionError:
    return 9
-
try:
    return DICT[a]
except KeyError:
    return 9
-
try:
    return raiser(a)
except ValueError:
    return 9
-
try:
    c = raiser(a)
except Exception:
    c = 9
return c
-
try:
    c = raiser(a)
except ValueError:
    c = 9
else:
    c += 1
finally:
    c = 5
return c
-
try:
    return ARRAY[a + 3]
except IndexError:
    return 9
-
try:
    return LIST.index(a)
except ValueError:
    return 9
-
def inner(x):
    return x + a
return inner(b)
-
def inner(x, y=2):
    return x * y
return inner(b) + inner(b, y=a)
-
total = 0
def inner(x):
    nonlocal total
    total += x
inner(a)
inner(b)
return total
-
f = lambda x: x * 2 + a
return f(b)
-
f = helper if a > 0 else fact
return f(2)
-
c = 0
i = a
while i:
    c += i % 2
    i //= 2
    if c > 5:
        break
return c
-
c = a
while c > 10:
    c -= 3
return c
-
x = a
for _ in range(5):
    x = x * 1000 + b
return x % 1009
-
x = abs(a) + 2
for _ in range(8):
    x = x * x
return x % 1009
-
x = 1
for i in range(1, 25):
    x *= i
return x % 1009
-
x = a
for i in range(70):
    x = x << 1
return x % 1009
-
x = 0
for i in range(64):
    x |= 1 << i
return x % 1009
-
x = 1
for i in range(64):
    x += x
return x % 1009
-
x = a
for i in range(3):
    x = -x * BIG
return x % 1009
-
x = 1
while x > 0:
    x *= 3
    if x > 10**25:
        break
return x % 1009
-
x = 6364136223846793005 * (abs(a) + 1) + 1442695040888963407
return x % 2**64 % 1009
-
x = 6364136223846793005 * (abs(a) + 1) & 0xFFFFFFFFFFFFFFFF
return x >> 33
-
x = 0
for i in range(10):
    x = (x * 31 + a) % 2**32
return x % 1009
-
x = 0
for i in range(10):
    x += 0.1
return x == 1.0
-
x = 0
for i in range(10):
    x += a * 0.1
return int(x * 10)
-
lo, hi = 0, 10
while lo < hi:
    mid = (lo + hi) // 2
    if mid < a:
        lo = mid + 1
    else:
        hi = mid
return lo
-
pass
return a
-
match a:
    case 1:
        return 10
    case 2 | 3:
        return 20
    case _:
        return 30
-
match (a, b):
    case (1, x):
        return x
    case _:
        return 30
-
with open("x") as f:
    return 0
-
global BITS
return a
-
del a
return b
-
c = a
del c
return c
-
numbers = (1, 2, 3)
numbers += (a,)
return numbers[-1]
-
numbers = ()
for i in range(3):
    numbers = numbers + (i,)
return len(numbers)
-
numbers = (0, 0, 0)
for i in range(3):
    numbers = put(numbers, i, numbers[i - 1] + a)
return numbers[2]
-
values = [0, 0, 0]
for i in range(3):
    values[i] = values[i - 1] + a
return values[-1]
-
values = list(TUPLE)
values[a % 5] = 9
return sum(values[:3])
-
values = list(TUPLE)
values[0], values[1] = values[1], values[0]
return values[0] * 10 + values[1]
-
counts = [0] * 7
for x in TUPLE:
    counts[x] += 1
return max(counts) * 10 + counts.index(max(counts))
-
values = np.zeros(3, np.int8)
values[0] = 100
values[0] += 100
return int(values[0])
-
values = np.zeros(3, np.int64)
values[a] = 5
return int(values.sum())
-
values = np.array([a, b, 3])
values[values > 1] = 0
return int(values.sum())
-
values = np.arange(5)
return int(values[a % 5])
-
values = np.arange(6).reshape(2, 3)
return int(values[a % 2, b % 3])
-
return int(np.sort(np.array([a, b, 2]))[0])
-
return int(np.argmax(np.array([a, b, 2])))
-
return int(np.where(ARRAY == 4)[0][0])
-
return sum(int(x) for x in np.bincount(np.array([1, 1, 2])))
-
c = math.sqrt(a) if a > 0 else 0
return int(c)
-
c = a / b if b else 0
return int(c * 2)
-
c = a / b if b else 0
return c == 0
-
c = 1 if a > 0 else 0.5
return c * 2 == 2
-
x = a
x = x / 2
x = int(x)
return x
-
x = a
x = (x, b)
return x[1]
-
x = a
if b > 0:
    x = (a, b)
    return x[0]
return x
-
s = "up" if a > b else "down"
if s == "up":
    return 1
return 2
-
s = "up"
if a > b:
    s = "down"
return len(s)
-
done = False
c = 0
while not done:
    c += 1
    done = c >= a
return c
-
flag = a
if flag:
    c = 1
else:
    c = 2
return c
-
if (a, b) > (1, 1):
    return 1
return 0
-
if not ():
    return a
return 0
-
if "x":
    return a
return 0
-
if 0.0:
    return a
return 5
-
if Pair(0, 0):
    return a
return 5
-
if [x for x in TUPLE if x == a]:
    return 1
return 5
-
c = a if a else b
d = c or 3
return d and c
-
return (a > 0) + (a > 1) + (a > 2)
-
return -(a > 0)
-
return not a
-
return (a > 0) or b
-
return a and (b > 0)
-
return a > 0 and b > 0
-
c = a > 0
c = c + c
c = c + c
return c
-
c = a > 0
c = c * 300
return c
-
c = False
for x in TUPLE:
    c += x == a
return c
-
c = False
for x in TUPLE:
    c |= x == a
return c
-
c = False
for x in TUPLE:
    c = c or x == a
return c
-
c = False
for x in TUPLE:
    c = c or x
return c
-
c = 0
for x in (True, False, a > b):
    c += x
return c
-
c = 0
for x in (a, a > b):
    c += x
return c
-
c = 0
for x in [a, True]:
    c += x
return c
-
for x in [a, True]:
    c = x
return c
-
c = 0
for x in (0.5, a):
    c += x
return c > 2
-
c = [a, 0.5][0]
return c == a
-
c = [2**53 + 1 + a - a, 0.5][0]
return c % 2 == 1
-
c = [True, a][0]
return c + 0
-
return [True, a][0]
-
return (True, a)[0]
-
return [a > 0, b > 0].count(True)
-
return [1, 2, a].count(a)
-
return tuple([a, True])[1]
-
return sorted([True, a])[0]
-
return max(True, a)
-
return max(1, True)
-
return max(True, 1)
-
return min(1.0, a)  == 1
-
return max([a > 0, b > 0])
-
return sum((a > 0,))
-
return sum([a > 0])
-
return sum(())
-
return abs(a > 0)
-
return int(a > 0) + 1
-
return divmod(a > 0, 2)[1]
-
return divmod(-7, a)[0]
-
return divmod(7.5, 2)[0] == 3.0
-
return divmod(a, 0)[0]
-
return a % 0
-
return a / 0 > 1
-
return 1.0 / a > 0.3
-
return 1.0 % a > 0.3
-
return math.sqrt(-1 - abs(a)) > 0
-
return math.log(0 * a) > 0
-
return math.acos(2 + abs(a)) > 0
-
return math.exp(1000 + a) > 0
-
return math.pow(0, -1 - abs(a)) > 0
-
return 10.0 ** (400 + a) > 0
-
return int(float("nan") * a)
-
return int(math.inf * (abs(a) + 1))
-
return math.floor(math.inf * (abs(a) + 1))
-
return round(math.inf * (abs(a) + 1))
-
return [][a]
-
return [1].pop(3)
-
return max([x for x in TUPLE if x > 100])
-
return min(())
-
return next(iter([a]))
-
c = [1, 2, 3]
c.pop()
c.pop()
c.pop()
c.pop()
return a
-
c = iter((a, b))
return next(c) * 10 + next(c)
-
return TUPLE[1.0]
-
return LIST[a / 2]
-
return a + None
-
return "a" + a
-
return a.foo
-
return undefined_name + a
-
return helper()
-
return helper(a, 1, 2)
-
return fact(3000)
-
x = yield_ = a
return yield_
"""


def bodies() -> list[str]:
    """Every construct as the body of a function."""
    found = [f"return {line}" for line in _EXPRESSIONS.strip().splitlines()]
    return found + [text.strip("\n") for text in _BODIES.strip("\n").split("\n-\n")]
