"""Systems split by roots of unity give what the unsplit chain gives."""

import pytest

from oddsmith import game, odds
from oddsmith.solve.exact import linear
from oddsmith.solve.exact.characters import embeddings, powers, turns
from oddsmith.solve.exact.modular import primes

GAMES = [
    ("coin-race", {}),
    ("left-center-right", {"players": 2}),
    ("left-center-right", {"players": 3, "stake": 2}),
    ("left-center-right", {"players": 4, "stake": 1}),
    ("left-center-right", {"players": 5, "stake": 1}),
    pytest.param("left-center-right", {"players": 6, "stake": 1}, marks=pytest.mark.slow),
]


@pytest.fixture(scope="module", autouse=True)
def nothing_is_small():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "DENSE_ALONE", 0)
        yield


def same_with_and_without_seats(name, options):
    split = odds(game(name, **options), method="exact", engine="interpreted")
    whole = odds(game(name, **options), method="exact", symmetry=False, engine="interpreted")
    assert [a.exact for a in split.win] == [a.exact for a in whole.win]
    assert (split.draw.exact, split.duration.exact) == (whole.draw.exact, whole.duration.exact)


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_players_who_are_interchangeable(name, options):
    same_with_and_without_seats(name, options)


@pytest.mark.slow
def test_two_geese():
    same_with_and_without_seats("goose", {"players": 2})


@pytest.mark.parametrize("order", range(1, 13))
def test_the_ring_modulo_a_prime(order):
    """Evaluation at the roots turns multiplication by ζ into one by the root, and can be undone."""
    p = next(primes(order))
    roots, there, back = embeddings(order, p)
    size = powers(order).shape[1]
    for root, row in zip(roots, there, strict=True):
        for j in range(size):
            image = sum(int(a) * int(row[i]) for i, a in enumerate(turns(order)[1 % order][:, j]))
            assert image % p == int(root) * int(row[j]) % p
    for j in range(size):
        for i in range(size):
            entry = sum(int(back[j, e]) * int(there[e, i]) for e in range(size)) % p
            assert entry == (i == j)
