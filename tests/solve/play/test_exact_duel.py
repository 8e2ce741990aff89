"""Duels in fractions: by hand, by school algebra on the rules, and against certified ones."""

from fractions import Fraction

import pytest

from oddsmith import duel, game, tournament
from oddsmith.errors import OptionError
from oddsmith.results.answer import Answer


def at_random(rules, state, legal):
    return [(action, Fraction(1, len(legal))) for action in legal]


def holding_at_one(rules, state, legal):
    named = {action.name: action for action in legal}
    wanted = named.get("hold" if state.total >= 1 else "flip") or next(iter(named.values()))
    return [(wanted, Fraction(1))]


def first_wins(rules, policies):
    """The chance of the first player, from the rules' linear equations, eliminated as at school."""
    equations, numbers, todo = {}, {}, [rules.start()]
    while todo:
        state = todo.pop()
        if state in equations or rules.winner(state) is not None:
            continue
        legal = [a for a in rules.actions if a.when is None or a.when(rules, state)]
        row = {}
        for action, share in policies[state.turn](rules, state, legal):
            faces = [(None, Fraction(1))]
            if action.die is not None:
                faces = [(face, action.die.probability(face)) for face in action.die.faces]
            for face, chance in faces:
                roll = () if face is None else (face,)
                target = action.function(rules, state, *roll)
                row[target] = row.get(target, 0) + share * chance
                todo.append(target)
        equations[state] = row
    for state, row in equations.items():
        numbers[state] = sum((p for t, p in row.items() if rules.winner(t) == (0, 0)), Fraction(0))
    rows = {s: {t: p for t, p in row.items() if t in equations} for s, row in equations.items()}
    for gone in [s for s in rows if s != rules.start()]:
        through, here = rows.pop(gone), numbers.pop(gone)
        stay = 1 - through.pop(gone, 0)
        for state, row in rows.items():
            share = row.pop(gone, 0) / stay
            if share:
                numbers[state] += share * here
                for target, p in through.items():
                    row[target] = row.get(target, 0) + share * p
    return numbers[rules.start()] / (1 - rows[rules.start()].get(rules.start(), 0))


@pytest.mark.parametrize("goal", [1, 2, 4])
def test_a_duel_is_what_the_rules_say(goal):
    rules = game("piglet", goal=goal)
    found = duel(rules, "hold-at-1", "random", method="exact")
    assert found.first.exact == first_wins(rules, (holding_at_one, at_random))
    assert found.second.exact == 1 - first_wins(rules, (at_random, holding_at_one))


def test_a_duel_is_exact():
    """Piglet to 1: whoever throws first heads wins, so beginning is worth 2/3 to anybody."""
    found = duel(game("piglet", goal=1), "optimal", "random", method="exact")
    assert found.first.exact is not None
    by_hand = Fraction(2, 3)
    best = duel(game("piglet", goal=1), "hold-at-1", "optimal", method="exact")
    assert best.first == Answer.of_fraction(by_hand)
    assert best.second == Answer.of_fraction(1 - by_hand)
    assert best.coin.exact == Fraction(1, 2)


@pytest.mark.parametrize("pair", [("optimal", "hold-at-2"), ("random", "best-response")])
def test_exact_and_certified_duels_agree(pair):
    piglet = game("piglet", goal=3)
    exact, near = (duel(piglet, *pair, method=method) for method in ("exact", "certified"))
    for one, other in ((exact.first, near.first), (exact.second, near.second)):
        assert Fraction(other.lower) <= one.exact <= Fraction(other.upper)
    played = tournament(piglet, pair, method="exact") if "best-response" not in pair else None
    assert played is None or played[pair] == exact


def test_simulated_duels_are_not_exact():
    with pytest.raises(OptionError, match="estimates, not exact"):
        duel(game("piglet"), "random", "optimal", games=10, method="exact")
