"""Which engine answers: every command of the README's kinds, and why not another."""

from fractions import Fraction
from itertools import count
from types import SimpleNamespace

import pytest

from chance_tables import table_game
from oddsmith import duel, game, length, odds, simulate, values, visits
from oddsmith.ask.length import LENGTH
from oddsmith.errors import OptionError
from oddsmith.questions import limits
from oddsmith.questions.case import Case
from oddsmith.questions.choice import choose, written_down
from oddsmith.questions.settings import Settings
from oddsmith.results.offers import Offer
from oddsmith.solve.engines import throws
from oddsmith.solve.lattice.sweep import EndlessLattice

TAKEN = [
    # question, game, players, settings, what is taken
    (odds, "goose", 2, {}, "lattice certified"),
    (odds, "goose", 2, {"method": "float"}, "lattice float"),
    (odds, "goose", 1, {}, "graph exact"),
    (odds, "goose", 2, {"method": "exact"}, "graph exact"),
    (odds, "goose", 2, {"engine": "compiled"}, "graph certified"),
    (odds, "goose", 2, {"symmetry": False}, "graph certified"),
    (odds, "coin-race", 2, {}, "graph exact"),
    (odds, "coin-race", 2, {"method": "certified"}, "graph certified"),
    (odds, "coin-race", 2, {"method": "float"}, "graph float"),
    (odds, "coin-race", 2, {"method": "estimate"}, "simulation estimate"),
    (length, "goose", 2, {}, "throws certified"),
    (length, "goose", 2, {"turns": True}, "graph certified"),  # it can end in a deadlock
    (length, "chutes-and-ladders", 2, {}, "lattice certified"),
    (visits, "goose", 2, {}, "graph certified"),
    (values, "goose", 2, {}, "graph certified"),
]


@pytest.mark.parametrize(("ask", "name", "players", "settings", "taken"), TAKEN)
def test_what_is_taken(ask, name, players, settings, taken):
    found = ask(game(name, players=players), explain=True, **settings)
    offers = found.evidence.plan.offers
    assert [f"{o.engine} {o.method}" for o in offers if o.taken] == [taken]
    assert all(bool(o.why_not) + bool(o.rather) == 1 for o in offers if not o.taken)
    assert "what became of it" in str(found)
    assert len(found.to_dict()["plan"]) == len(offers)


def test_nothing_is_explained_unasked():
    assert odds(game("coin-race")).evidence.plan is None
    assert not {"plan", "parts"} & set(odds(game("coin-race")).to_dict())


def test_a_chain_too_large_is_not_written_out():
    cases = [Case(LENGTH, game("goose", players=n), Settings(), None) for n in (3, 5)]
    assert [throws.offers(case)[0].is_open for case in cases] == [True, False]


def test_without_throws_or_a_lattice_that_counts_them_there_is_the_graph(monkeypatch):
    monkeypatch.setattr(limits, "WRITTEN_OUT", 20_000)  # the goose has 440 × 47 entries
    said = {o.engine: o.says for o in length(game("goose"), explain=True).evidence.plan.offers}
    assert said["throws"] == "cannot: more than 20,000 entries"
    assert said["lattice"] == "not taken: it counts turns, and some have no throw"


def test_a_lattice_declines_where_play_need_not_end(monkeypatch):
    """It finds that out while it sweeps; then the graph says where, or counts a draw."""

    def declines(board, settings):
        raise EndlessLattice

    monkeypatch.setattr("oddsmith.solve.lattice.answers.odds", declines)
    found = odds(game("goose"), engine="lattice", precision="float32", explain=True)
    said = {f"{o.engine} {o.method}": o.says for o in found.evidence.plan.offers}
    assert said["lattice certified"] == "cannot: play need not end, and the graph says where"
    assert said["graph certified"].startswith("taken")


# Parts of the work --------------------------------------------------------------------------


def parts(found):
    """Who did each part of the work, and what became of all offers."""
    return {
        choice.part: (choice.taken.engine, {o.engine: o.says for o in choice.offers})
        for choice in found.evidence.plan.parts
    }


def test_who_explores():
    taken, said = parts(odds(game("coin-race"), explain=True))["explore"]
    assert taken == "interpreted"
    assert "no more than 6,000 moves and outcomes" in said["interpreted"]
    taken, said = parts(odds(game("pig", goal=20), explain=True))["explore"]
    assert (taken, said["interpreted"]) == (
        "compiled",
        "not taken: more than 6,000 moves and outcomes",
    )
    taken, said = parts(odds(game("coin-race"), engine="compiled", explain=True))["explore"]
    assert (taken, said["interpreted"]) == (
        "compiled",
        "not taken: --engine compiled was asked for",
    )


@pytest.mark.parametrize("method", ["exact", "certified", "float", "estimate"])
def test_how_best_play_is_found(method):
    """What is played at random takes certified play, which nobody need have asked for."""
    found = odds(game("pig", goal=10), method=method, explain=True)
    taken = {"estimate": "certified"}.get(method, method)
    assert parts(found)["best play"][0] == taken
    assert duel(game("piglet"), "random", "optimal", games=100, method="estimate").first.value < 0.5


def test_who_plays_at_random():
    estimate = {"method": "estimate", "explain": True}
    taken, said = parts(odds(game("goose"), **estimate))["simulate"]
    assert (taken, said["cuda"]) == ("board", "not taken: only where it is asked for")
    taken, said = parts(odds(game("coin-race"), **estimate))["simulate"]
    assert (taken, said["board"]) == ("compiled", "cannot: it is no board of squares")
    with written_down() as choices:
        simulate(game("coin-race"), games=100)
        assert choices["simulate"].taken.engine == "interpreted"


def ruin(size):
    """The gambler's ruin, from the middle: sweeps are slow, for play takes size²/4 turns."""
    rows = {k: {k - 1: 1, k + 1: 1} for k in range(1, size)}
    return table_game(rows, {0: 1, size: 0}, start=size // 2)


def test_who_solves_the_equations(monkeypatch):
    certified = {"method": "certified", "explain": True}
    assert parts(odds(game("coin-race"), **certified))["equations"][0] == "gauss-seidel"
    slow = "components that are not swept"
    taken, said = parts(odds(ruin(200), **certified))[slow]
    assert (taken, said["lu"]) == ("lu", "taken: no more than 30,000 states")
    assert "more than 2,000 sweeps" in said["gauss-seidel"]
    taken, said = parts(odds(ruin(200), solver="gmres", **certified))[slow]
    assert (taken, said["lu"]) == ("gmres", "not taken: --solver gmres was asked for")
    monkeypatch.setattr(limits, "LU_STATES", 50)
    taken, said = parts(odds(ruin(200), **certified))[slow]
    assert (taken, said["lu"]) == ("idr", "not taken: more than 50 states")


def test_who_solves_in_fractions():
    taken, said = parts(odds(game("coin-race"), explain=True))["equations in fractions"]
    assert (taken, said["FLINT"]) == ("FLINT", "taken: no more than 150 equations")
    taken, said = parts(odds(game("left-center-right"), explain=True))["equations in fractions"]
    assert (taken, said["FLINT"]) == ("p-adic lifting", "not taken: more than 150 equations")


def test_where_the_numbers_of_a_lattice_are():
    assert parts(odds(game("goose"), explain=True))["lattice"][0] == "processor"
    alone = odds(game("chutes-and-ladders", players=2), explain=True)
    assert parts(alone)["lattice"][0] == "first passage"
    assert [o.size for o in alone.evidence.plan.offers if o.taken] == ["81 positions"]
    swept = values(game("chutes-and-ladders", players=1), engine="lattice", explain=True)
    assert parts(swept)["lattice"][0] == "processor"


def test_whether_the_variance_is_a_fraction(monkeypatch):
    exact = {"method": "exact", "explain": True}
    found = length(game("coin-race"), **exact)
    assert (parts(found)["variance"][0], found.variance.exact) == ("exact", Fraction(16, 3))
    monkeypatch.setattr(limits, "FRACTION_VARIANCE", 1)
    found = length(game("coin-race"), **exact)
    assert (parts(found)["variance"][0], found.variance.exact) == ("certified", None)
    assert found.variance.lower < 16 / 3 < found.variance.upper


@pytest.mark.parametrize("hurry", [1e-9, 1e9])
def test_no_road_hangs_on_the_clock(monkeypatch, hurry):
    """Lifting goes on to the bound, or is proved by the residual, as work is counted."""
    reference = length(game("left-center-right"), method="exact").evidence.how
    clock = count()
    fake = SimpleNamespace(perf_counter=lambda: hurry * next(clock))
    for module in ("lifted", "linear"):
        monkeypatch.setattr(f"oddsmith.solve.exact.{module}.time", fake)
    again = length(game("left-center-right"), method="exact").evidence.how
    assert again[1:] == reference[1:]  # the first says how fast states were explored
    assert any("p-adic lifting" in line for line in again)


def test_a_choice_takes_the_first_against_which_nothing_speaks():
    first, second = Offer("a", rather="busy"), Offer("b", because="it is free")
    with written_down() as choices:
        assert choose("work", [first, second, Offer("c"), Offer("d", why_not="no")]) is second
    assert [offer.says for offer in choices["work"].offers] == [
        "not taken: busy",
        "taken: it is free",
        "not taken: it is free",
        "cannot: no",
    ]
    with pytest.raises(OptionError, match="Nobody can do this part of the work"):
        choose("work", [first])
    with pytest.raises(OptionError, match="asked for, and cannot"):
        choose("work", [Offer("a", refusal="It was asked for, and cannot."), second])


NO_BOARD = {odds: {}, length: {}, visits: {"player": 1}, values: {}}


@pytest.mark.parametrize("ask", NO_BOARD)
def test_a_lattice_that_is_asked_for_and_is_none(ask):
    with pytest.raises(OptionError, match="is no board of squares"):
        ask(game("pig"), engine="lattice")
    with pytest.raises(OptionError, match="certified answers"):
        ask(game("goose"), engine="lattice", method="exact")


@pytest.mark.parametrize(
    ("name", "value"), [("checkpoint", "x"), ("scratch", "x"), ("precision", "float32")]
)
def test_what_is_said_of_a_lattice_is_refused_without_one(name, value):
    with pytest.raises(OptionError, match="lattice"):
        odds(game("coin-race"), **{name: value})
