"""Which engine answers: every command of the README's kinds, and why not another."""

import pytest

from oddsmith import game, length, odds, values, visits
from oddsmith.errors import OptionError
from oddsmith.questions.question import LENGTH, ODDS, VALUES, VISITS
from oddsmith.questions.settings import Settings
from oddsmith.solve.plan import Case, by_lattice, by_throws

TAKEN = [
    # question, game, players, settings, what is taken
    (odds, "goose", 2, {}, "lattice certified"),
    (odds, "goose", 1, {}, "graph exact"),
    (odds, "goose", 2, {"method": "exact"}, "graph exact"),
    (odds, "goose", 2, {"engine": "compiled"}, "graph certified"),
    (odds, "goose", 2, {"symmetry": False}, "graph certified"),
    (odds, "coin-race", 2, {}, "graph exact"),
    (odds, "coin-race", 2, {"method": "certified"}, "graph certified"),
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
    assert "plan" not in odds(game("coin-race")).to_dict()


def test_a_chain_too_large_is_not_written_out():
    few, many = (Case(LENGTH, game("goose", players=n), Settings()) for n in (3, 5))
    assert by_throws(few)
    assert not by_throws(many)


@pytest.mark.parametrize("question", [ODDS, LENGTH, VISITS, VALUES])
def test_a_lattice_that_is_asked_for_and_is_none(question):
    with pytest.raises(OptionError, match="is no board of squares"):
        by_lattice(Case(question, game("pig"), Settings(engine="lattice")))
    with pytest.raises(OptionError, match="certified answers"):
        by_lattice(Case(question, game("goose"), Settings(engine="lattice", method="exact")))


@pytest.mark.parametrize(
    ("name", "value"), [("checkpoint", "x"), ("scratch", "x"), ("precision", "float32")]
)
def test_what_is_said_of_a_lattice_is_refused_without_one(name, value):
    with pytest.raises(OptionError, match="lattice"):
        by_lattice(Case(ODDS, game("coin-race"), Settings(**{name: value})))
