"""Ranking and unranking: a perfect index for subsets and for weak compositions.

To *rank* an object is to give its place, 0, 1, 2, ..., in a list of all objects of its kind; to
*unrank* is to go back. A game whose states are such objects then needs no hash table.

**Subsets.** The k-subset c_0 < c_1 < ... < c_(k-1) of {0, ..., n-1} has the rank

    C(c_0, 1) + C(c_1, 2) + ... + C(c_(k-1), k)

in *colexicographic* order, where subsets are compared by their largest element first, then by the
next largest, and so on (the combinatorial number system). The rank does not depend on n.

**Weak compositions.** Write p_0 + ... + p_(k-1) = t, all p_j >= 0, as t stars cut by k-1 bars.
Bar j stands at p_0 + ... + p_j + j, so compositions of t into k parts are the (k-1)-subsets of
{0, ..., t+k-2}, and there are C(t+k-1, k-1) of them.

**At most.** Parts that sum to at most t are a composition of t with one more part, the slack,
at the end: k bars, C(t+k, k) compositions. The last bar stands at p_0 + ... + p_(k-1) + k-1, so
compositions with a smaller sum come first, and those of one sum are consecutive.

The functions are plain Python and also compile under `numba.njit`, in 64-bit integers there: the
ranks are right as long as n C(n, k), with n = t+k for compositions, stays below 2**63. A compiled
tuple has a fixed length, so an unranking function takes a tuple `like` of k integers, of any
value, and returns one of the same length; compiled code needs k >= 1.

References: D. E. Knuth, The Art of Computer Programming, volume 4A, section 7.2.1.3, for the
combinatorial number system; left-center-right.txt among the project's papers for its use on the
game Left-Center-Right and for unranking by neighbouring binomials.
"""

from oddsmith.errors import OptionError
from oddsmith.rules.put import put


def binomial(n: int, k: int) -> int:
    """Return C(n, k), the number of k-subsets of n things; 0 unless 0 <= k <= n.

    >>> binomial(5, 2), binomial(2, 5), binomial(-1, 0)
    (10, 0, 0)
    """
    if k < 0 or k > n:
        return 0
    k = min(k, n - k)
    result = 1
    for i in range(1, k + 1):
        result = result * (n - k + i) // i  # now C(n-k+i, i), so the division is exact
    return result


def subsets(n: int, k: int) -> int:
    """Return the number of k-subsets of {0, ..., n-1}.

    >>> subsets(4, 2)
    6
    """
    return binomial(n, k)


def compositions(total: int, k: int) -> int:
    """Return the number of weak compositions of `total` into `k` parts.

    >>> compositions(9, 3)
    55
    """
    return compositions_at_most(total, k) - compositions_at_most(total - 1, k)


def compositions_at_most(total: int, k: int) -> int:
    """Return the number of ways to choose `k` non-negative parts that sum to at most `total`.

    >>> compositions_at_most(9, 3)
    220
    """
    return binomial(total + k, k)


def rank_subset(subset: tuple[int, ...]) -> int:
    """Return the colexicographic rank of a set of integers >= 0, given in increasing order.

    >>> [rank_subset(pair) for pair in [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]]
    [0, 1, 2, 3, 4, 5]
    """
    rank = 0
    for j in range(len(subset)):
        rank += binomial(subset[j], j + 1)
    return rank


def unrank_subset(rank: int, n: int, like: tuple[int, ...]) -> tuple[int, ...]:
    """Return the subset of {0, ..., n-1} with this rank and as many elements as `like`.

    The binomials needed are neighbours in Pascal's triangle, so each is one multiplication and
    one division away from the one before.

    >>> unrank_subset(4, n=4, like=(0, 0))
    (1, 3)
    """
    k = len(like)
    below = binomial(n, k)
    if rank < 0 or rank >= below:
        raise OptionError("unrank: the rank is out of range.")
    subset = like
    while k > 0:
        below = below * (n - k) // n
        n -= 1  # below = C(n, k): how many k-subsets have all their elements below n
        if rank >= below:
            rank -= below
            k -= 1
            subset = put(subset, k, n)
            if k < n:
                below = below * (k + 1) // (n - k)
    return subset


def rank_composition(parts: tuple[int, ...]) -> int:
    """Return the rank of `parts` among the weak compositions of their sum.

    >>> [rank_composition(parts) for parts in [(2, 0), (1, 1), (0, 2)]]
    [2, 1, 0]
    """
    return _rank_bars(parts, len(parts) - 1)


def unrank_composition(rank: int, total: int, like: tuple[int, ...]) -> tuple[int, ...]:
    """Return the weak composition of `total` with this rank and as many parts as `like`.

    >>> [unrank_composition(rank, total=2, like=(0, 0)) for rank in range(3)]
    [(0, 2), (1, 1), (2, 0)]
    """
    if rank < 0:
        raise OptionError("unrank: the rank is out of range.")
    smaller = compositions_at_most(total - 1, len(like))
    return unrank_composition_at_most(smaller + rank, total, like)


def rank_composition_at_most(parts: tuple[int, ...], total: int) -> int:
    """Return the rank of `parts` among all parts, as many, that sum to at most `total`.

    The rank itself is the same for every `total`; the parts must not sum to more.

    >>> [rank_composition_at_most(parts, total=1) for parts in [(0, 0), (0, 1), (1, 0)]]
    [0, 1, 2]
    """
    if sum(parts) > total:
        raise OptionError("rank: the parts sum to more than the total.")
    return _rank_bars(parts, len(parts))


def unrank_composition_at_most(rank: int, total: int, like: tuple[int, ...]) -> tuple[int, ...]:
    """Return the parts, as many as in `like`, with this rank and a sum of at most `total`.

    >>> [unrank_composition_at_most(rank, total=1, like=(0, 0)) for rank in range(3)]
    [(0, 0), (0, 1), (1, 0)]
    """
    bars = unrank_subset(rank, total + len(like), like)
    parts = like
    before = -1
    for j in range(len(like)):
        parts = put(parts, j, bars[j] - before - 1)
        before = bars[j]
    return parts


def _rank_bars(parts: tuple[int, ...], bars: int) -> int:
    """Return the rank of the set of the first `bars` bars."""
    rank = 0
    bar = -1
    for j in range(bars):
        bar += parts[j] + 1
        rank += binomial(bar, j + 1)
    return rank
