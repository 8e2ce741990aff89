"""Published figures are reproduced, and a figure that does not follow from the rules is found."""

import importlib
import json
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from oddsmith import odds
from oddsmith.errors import OptionError
from oddsmith.questions import door
from oddsmith.reproduce import Figure, Reproduction, compare, load, reproduce, sources
from oddsmith.results.answer import Answer

# By its name, for a function of the same name may be exported beside it.
module = importlib.import_module("oddsmith.reproduce")

QUESTIONS = {"draw", "length", "states", "decisions", "score", "worth", "first", "second", "coin"}
QUESTIONS |= {f"win {player}" for player in range(1, 11)}

KNOWN_TO_DIFFER = {
    "board-games": [
        'section 3.3: R{"steps"}=? [ F w=1|w=2 ]',
        'section 3.3, or at m=1000: R{"steps"}=? [ F w!=0 | m=1000 ]',
        "Table 1, P=? [ F f1=x ]: x=12",
        "Table 1, P=? [ F f1=x ]: x=14",
        "section 4.3, goose, 2 players, variant=one-die: draw",
        "section 4.3, goose, 2 players, variant=one-die: length",
    ],
    "goose": ["section 4, 2 players: win 2", "section 4, 2 players: draw"],
    "left-center-right": ["4 players: length"],
}


LONGER = ("goose", "left-center-right", "pig")
"""Sources that take some twenty seconds where nothing is compiled yet."""


@cache
def reproduced(name):
    return reproduce([name])


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n in LONGER else n for n in sources()],
)
def test_a_source_is_reproduced_but_for_the_figures_known_to_differ(name):
    found = reproduced(name)
    assert found.ok, str(found)
    differing = [figure.what for figure in found.figures if not figure.agrees]
    assert differing == KNOWN_TO_DIFFER.get(name, [])
    assert all(figure.note for figure in found.figures if not figure.agrees)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["goose", "left-center-right"])
def test_the_long_figures_are_reproduced_too(name):
    found = reproduce([name], full=True)
    assert found.ok, str(found)
    assert found.left_out == 0


@pytest.mark.parametrize("name", sources())
def test_a_source_is_cited_and_every_remark_belongs_to_a_printed_figure(name):
    source = load(name)
    assert source.title
    assert source.citation
    for table in source.tables:
        assert bool(table.model) != bool(table.game)
        if table.game:
            assert {question.partition(" scores=")[0] for question in table.printed} <= QUESTIONS
        for remarks in (table.reading, table.differ, table.notes):
            assert set(remarks) - {"*"} <= set(table.printed)
        assert not set(table.differ) & set(table.notes)


def tampered(monkeypatch, question, **changes):
    """What is reproduced of the simple game after a change to its first table."""
    source = load("simple-game")
    first = source.tables[0]
    changed = {field: getattr(first, field) | {question: text} for field, text in changes.items()}
    forged = replace(source, tables=(replace(first, **changed), *source.tables[1:]))
    monkeypatch.setattr(module, "load", lambda name: forged)
    return reproduce(["simple-game"])


def test_a_tampered_figure_differs(monkeypatch):
    found = tampered(monkeypatch, "win 1", printed="17/27")
    assert not found.ok
    [figure] = [figure for figure in found.figures if not figure.agrees]
    assert (figure.printed, figure.ours, figure.verdict) == ("17/27", "16/27", "differ")
    assert found.summary == "5 figures: 4 agree, 1 DIFFER"
    assert "DIFFER" in str(found)


def test_a_figure_that_agrees_against_its_note_is_a_failure(monkeypatch):
    found = tampered(monkeypatch, "win 1", differ="said to be wrong")
    assert all(figure.agrees for figure in found.figures)
    assert not found.ok
    assert "AGREE AGAINST THE NOTE" in found.summary


def test_an_undecided_figure_is_a_failure_whatever_was_expected():
    for expect in ("agree", "differ"):
        figure = Figure("s", "win 1", "0.33", "0.335 ± 0.001", "undecided", expect)
        assert not Reproduction((), (figure,)).ok


def test_a_figure_that_is_cut_off_says_so_and_one_that_is_rounded_as_well_does_not():
    figures = {figure.what: figure for figure in reproduced("board-games").figures}
    assert "cut off" in figures["Table 1, P=? [ F f1=x ]: x=2"].note  # 1/6, printed as 0.166
    assert figures["Table 1, P=? [ F f1=x ]: x=4"].note == ""  # 0.23245, printed as 0.232
    assert figures["Table 1, P=? [ F f1=x ]: x=13"].note == ""  # 0.32293, printed as 0.323


COIN = """
dtmc
module coin
  heads : bool init false;
  thrown : [0..9] init 0;
  [] !heads & thrown<9 -> 1/2: (heads'=true)&(thrown'=thrown+1) + 1/2: (thrown'=thrown+1);
endmodule
rewards "throws" [] true : 1; endrewards
"""
COIN_SOURCE = """
title = "A coin"
source = "Nobody"
remarks = ["It is fair."]
method = "exact"
model = "coin.prism"
[[table]]
printed = { states = "19", "P=? [ X heads ]" = "1/2", 'R{"throws"}=? [ F heads ]' = "2" }
differ = { 'R{"throws"}=? [ F heads ]' = "infinite: heads may never come" }
[[table]]
where = "Table 1"
property = "const int k; P=? [ F<=k heads ]"
printed = { "k=1" = "1/2", "k=2" = "0.7", "k=3" = "0.87" }
reading = { "*" = "truncated", "k=1" = "exact" }
"""


def test_a_model_is_explored_once_and_asked_for_every_figure(tmp_path, monkeypatch):
    (tmp_path / "coin.prism").write_text(COIN)
    (tmp_path / "coin.toml").write_text(COIN_SOURCE)
    monkeypatch.setattr(module, "files", lambda package: tmp_path)
    loads = []
    load_model = module.load_model
    monkeypatch.setattr(
        module,
        "load_model",
        lambda *given, **more: loads.append(given) or load_model(*given, **more),
    )
    found = reproduce(["coin"])
    assert len(loads) == 1
    assert [(figure.what, figure.ours, figure.outcome) for figure in found.figures] == [
        ("states", "19", "agree"),
        ("P=? [ X heads ]", "1/2", "agree"),
        ('R{"throws"}=? [ F heads ]', "infinite", "differ as noted"),
        ("Table 1, P=? [ F<=k heads ]: k=1", "1/2", "agree"),
        ("Table 1, P=? [ F<=k heads ]: k=2", "0.7500", "agree"),
        ("Table 1, P=? [ F<=k heads ]: k=3", "0.87500", "agree"),
    ]
    assert "It is fair." in str(found)
    assert found.to_dict()["sources"][0]["remarks"] == ["It is fair."]


def test_an_interrupted_reproduction_has_what_was_whole(monkeypatch):
    solve, calls = module._solve, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return solve(*arguments)

    monkeypatch.setattr(module, "_solve", interrupted)
    found = reproduce(["goose"])
    assert found.interrupted
    assert not found.ok
    assert found.figures
    assert all(figure.expected for figure in found.figures)
    assert "interrupted" in found.summary
    assert found.to_dict()["interrupted"] is True


def test_an_interrupted_solve_decides_nothing(monkeypatch):
    @door.question
    def cut(subject, **settings):
        found = odds(subject, **{"method": "certified"})
        return replace(found, evidence=replace(found.evidence, interrupted=True))

    monkeypatch.setattr(module, "odds", cut)
    with pytest.raises(KeyboardInterrupt):
        reproduce(["simple-game"])


def between(lower, upper):
    return Answer((lower + upper) / 2, lower, upper)


def exactly(text):
    return Answer.of_fraction(Fraction(text))


@pytest.mark.parametrize(
    ("printed", "answer", "reading", "verdict"),
    [
        ("0.33", between(0.3251, 0.3349), "rounded", "agree"),
        ("0.33", between(0.3349, 0.3351), "rounded", "undecided"),
        ("0.33", between(0.3249, 0.3251), "rounded", "undecided"),
        ("0.33", between(0.30, 0.40), "rounded", "undecided"),
        ("0.33", between(0.3351, 0.3352), "rounded", "differ"),
        ("0.33", between(0.3240, 0.3249), "rounded", "differ"),
        ("0.50", between(0.495, 0.496), "rounded", "undecided"),  # the float 0.495 is below 0.495
        ("0.5", between(0.375, 0.4375), "rounded", "differ"),
        ("0.33", exactly("0.325"), "rounded", "agree"),
        ("0.33", exactly("0.335"), "rounded", "differ"),
        ("0.34", exactly("0.335"), "rounded", "agree"),
        ("0.33", exactly("0.339"), "truncated", "agree"),
        ("0.33", exactly("0.34"), "truncated", "differ"),
        ("0.33", exactly("0.329"), "truncated", "differ"),
        ("0.33", between(0.3299, 0.3301), "truncated", "undecided"),
        ("22%", between(0.2263, 0.2264), "rounded", "differ"),
        ("23%", between(0.2251, 0.2349), "rounded", "agree"),
        ("22.6%", between(0.2263, 0.2264), "rounded", "agree"),
        ("1/3", exactly("1/3"), "exact", "agree"),
        ("2/6", exactly("1/3"), "exact", "agree"),
        ("1/3", exactly("0.3333333333333333333333"), "exact", "differ"),
        ("1/3", between(0.33, 0.34), "exact", "undecided"),
        ("1/3", between(0.34, 0.35), "exact", "differ"),
        ("4,414", exactly("4414"), "exact", "agree"),
        ("0.3333333333333333333333333", exactly("1/3"), "inside", "agree"),
        ("0.25", between(0.2, 0.3), "inside", "agree"),
        ("0.35", between(0.2, 0.3), "inside", "differ"),
        ("8.26", between(float("inf"), float("inf")), "rounded", "differ"),
        ("8.26", Answer(9.0, 8.0, float("inf")), "rounded", "undecided"),
        ("0.25", Answer(0.25), "rounded", "undecided"),  # a plain float proves nothing
    ],
)
def test_a_print_is_compared_with_everything_the_truth_may_be(printed, answer, reading, verdict):
    assert compare(printed, answer, reading) == verdict


def test_ours_has_more_digits_than_the_print():
    figures = {figure.printed: figure.ours for figure in reproduce(["simple-game"]).figures}
    assert figures["0.59"] == "0.59259"
    assert figures["16/27"] == "16/27"


def test_every_source_is_reproduced_unless_some_are_named(monkeypatch):
    asked = []
    monkeypatch.setattr(module, "load", lambda name: asked.append(name) or load("simple-game"))
    reproduce()
    assert tuple(asked) == sources()


def test_the_text_names_the_source_and_sums_up():
    text = str(reproduce(["simple-game"]))
    assert text.startswith("The simple game")
    assert "SIAM Review" in text
    assert text.endswith("5 figures: 5 agree")


def test_json_has_every_figure():
    data = json.loads(json.dumps(reproduce(["chutes-and-ladders"]).to_dict()))
    assert data["ok"] is True
    assert data["figures"][0]["printed"] == "39.2"
    assert all(figure["agrees"] and figure["expected"] for figure in data["figures"])


def test_an_unknown_source_is_refused_with_a_suggestion():
    with pytest.raises(OptionError, match="did you mean 'goose'"):
        reproduce(["gose"])
    with pytest.raises(
        OptionError, match="there are board-games, chutes-and-ladders, first-orchard"
    ):
        reproduce(["zzz"])
