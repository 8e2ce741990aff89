"""The lattice's answers: certificates against exact fractions, all questions, the choice of engine.

Expected numbers come from the exact solver and the general engine, which know nothing of lattices,
and from the literature.
"""

import tomllib
from fractions import Fraction
from importlib.resources import files

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from tests.board_strategies import boards
from tests.solve.lattice.boards import FREE, SMALL

from oddsmith import explore, game, length, odds, values, visits
from oddsmith.errors import EndlessError, OddsmithError, OptionError
from oddsmith.questions import limits
from oddsmith.rules.board.game import board_class
from oddsmith.runtime.interrupt import Interrupt
from oddsmith.runtime.progress import Silent
from oddsmith.solve.lattice.cpu import CpuSweeper
from oddsmith.solve.lattice.sweep import EndlessLattice, Sums, forward, survival

LIVELOCK = """
[board]
finish = 5
dice = "d2"
occupied = "return"
[jumps]
2 = 0
3 = 0
[first-throw]
1 = { goto = 1, free = 1 }
2 = { goto = 5, free = 1 }
"""
"""With a token on 1 nobody leaves the start, and with one on the start nobody leaves 1."""

HOLDS = """
[board]
finish = 6
dice = "d3"
occupied = "return"
players = 2
[squares]
pits = { at = [2, 3, 5], hold = true }
inn = { at = 4, wait = 2 }
"""

GATES = """
[board]
finish = 7
dice = { number = 2, faces = [0, 1, 2] }
occupied = "return"
players = 2
[squares]
jail = { at = 4, until = [3, "double"] }
inn = { at = 5, wait = 2, share = true }
[first-throw]
2 = { goto = 7, free = 4 }
3 = { goto = 4, free = 5 }
"""

PATIENCE = """
[board]
finish = 7
dice = "{number}d6"
occupied = "share"
overshoot = "win"
[squares]
jail = {{ at = 6, until = {until}, share = true }}
[first-throw]
{rules}
"""


def patience(number):
    """Every first throw leads to a square that only one throw in 6^number leads from."""
    rules = "\n".join(f"{total} = 6" for total in range(number, 6 * number + 1))
    return PATIENCE.format(number=number, until=6 * number, rules=rules)


def board(text, **options):
    return board_class("random.toml", text)(**options)


def small_boards(most=260, **options):
    """Boards with so few states that fractions are quick."""

    def made(text):
        found = board(text)
        return found if found.players * found.track.size**found.players <= most else None

    return boards(lattice=True, max_finish=7, **options).map(made).filter(bool)


def inside(answer, truth):
    return Fraction(answer.lower) <= truth <= Fraction(answer.upper)


def check_certificate(found, exact):
    """Every answer's interval contains the fraction."""
    pairs = [*zip(found.win, exact.win, strict=True), (found.draw, exact.draw)]
    pairs.append((found.duration, exact.duration))
    for answer, truth in pairs:
        assert inside(answer, truth.exact), (answer, float(truth.exact))
    assert found.method == "certified"


def check_board(g, **how):
    """The lattice against fractions; or neither of them has an answer."""
    try:
        exact = odds(g, method="exact", engine="interpreted")
    except EndlessError:
        with pytest.raises(EndlessError):
            odds(g, engine="lattice", **how)
        return
    found = odds(g, engine="lattice", **how)
    if found.method == "exact":  # a lattice that hardly ends: the general engine answered
        assert found.win == exact.win
        return
    check_certificate(found, exact)
    width = max(answer.error for answer in found.win)
    said = any("asked for" in line for line in found.evidence.how)
    assert said or width <= how.get("tolerance", 1e-12) * (1 + 1e-6)


FEW = settings(max_examples=40, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=3000, suppress_health_check=list(HealthCheck))


@FEW
@given(small_boards(), st.sampled_from((1e-12, 1e-6, 1e-3, 0.2, 1e-15)))
@example(board(HOLDS), 1e-12)
@example(board(HOLDS, players=1), 1e-12)
@example(board(HOLDS, players=3), 1e-12)
@example(board(GATES), 1e-12)
@example(board(GATES, players=3), 1e-12)
@example(board(GATES, players=1), 1e-12)
@example(board(SMALL, players=1), 1e-12)
@example(board(SMALL, players=2), 1e-9)
@example(board(FREE, players=3), 1e-12)
@example(board(LIVELOCK), 1e-12)
@example(board(LIVELOCK, players=1), 1e-12)
@example(board(patience(2), occupied="return"), 1e-12)
@example(board(patience(2), occupied="share"), 1e-12)
def test_intervals_contain_the_truth(g, tolerance):
    check_board(g, tolerance=tolerance)


@FEW
@given(small_boards())
def test_intervals_of_single_precision_contain_the_truth(g):
    check_board(g, precision="float32")


@pytest.mark.slow
@MANY
@given(small_boards(), st.sampled_from((1e-12, 1e-6, 0.2)), st.sampled_from(("float64", "float32")))
def test_many_intervals(g, tolerance, precision):
    check_board(g, tolerance=tolerance, precision=precision)


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(small_boards(), st.sampled_from(("float64", "float32")), st.integers(0, 30))
def test_plain_and_interrupted_sweeps(g, precision, rounds):
    """Without the tail's shortcut, and stopped anywhere: the intervals hold just as well."""
    try:
        exact = odds(g, method="exact", engine="interpreted")
    except EndlessError:
        assume(False)
    for accelerate, stop in ((False, 10**9), (True, rounds)):
        sweeper = CpuSweeper(g.track, g.players, precision, threads=1)
        try:
            bound = survival(sweeper, Silent(), Interrupt())
        except EndlessLattice:
            assume(False)
        sweeper.place_start()
        sums = Sums.begin(g.track, g.players)
        sums.turn_bound = bound
        interrupt = Interrupt()

        def stopping(sums, interrupt=interrupt, stop=stop):
            interrupt.wished = sums.turns >= stop * g.players

        interrupt.wished = stop == 0
        forward(sweeper, sums, 1e-10, Silent(), interrupt, accelerate=accelerate, save=stopping)
        off, far = Fraction(sums.bound(sweeper)), Fraction(sums.length_bound(sweeper))
        for total, truth in zip([*sums.win, sums.draw], [*exact.win, exact.draw], strict=True):
            assert abs(Fraction(total.value) - truth.exact) <= off
        assert abs(Fraction(sums.threw.value) - exact.duration.exact) <= far
        assert accelerate or sums.deflations == 0


def test_the_tail_is_shortened():
    """What the shortcut is for: else the tests above would say nothing about it."""
    found = odds(game("goose"), engine="lattice")
    assert any("deflated" in line for line in found.evidence.how)


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(small_boards())
def test_draws_by_deadlock(g):
    """Boards with a hold for every token: certificates where draws are possible."""
    assume(g.track.hold.sum() >= g.players)
    check_board(g)


# Published figures ---------------------------------------------------------------------------


def published():
    tables = tomllib.loads((files("oddsmith") / "published/goose.toml").read_text())["table"]
    for table in tables:
        variant = table.get("options", {}).get("variant", table.get("variant", "standard"))
        if table.get("method") != "estimate" and table["players"] <= 4:
            yield table["players"], variant, table


def test_published_figures_of_the_goose():
    seen = 0
    for players, variant, table in published():
        if players > 3 or set(table) - {"where", "players", "printed", "digits", "notes"}:
            continue
        found = odds(game("goose", players=players, variant=variant), engine="lattice")
        answers = {f"win {p + 1}": a for p, a in enumerate(found.win)}
        answers |= {"length": found.duration, "draw": found.draw}
        for name, text in table["printed"].items():
            if name in answers and not text.endswith("%"):
                last = Fraction(1, 10 ** len(text.partition(".")[2]))
                truth = Fraction(text)
                assert Fraction(answers[name].lower) <= truth + last / 2
                assert truth - last / 2 <= Fraction(answers[name].upper)
                seen += 1
    assert seen >= 7


def test_49_digits():
    found = odds(game("goose"), engine="lattice").win[0]
    assert inside(found, Fraction("0.3936251373937573914028403448768445020070441350696"))
    assert found.error <= 1e-12


@pytest.mark.slow
def test_the_goose_for_four():
    found = odds(game("goose", players=4), engine="lattice", tolerance=1e-8)
    printed = (0.26695, 0.25471, 0.24408, 0.23426)
    for answer, expected in zip(found.win, printed, strict=True):
        assert answer.lower - 5e-6 <= expected <= answer.upper + 5e-6
    assert found.duration.lower - 5e-3 <= 44.10 <= found.duration.upper + 5e-3


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize(
    ("players", "variant"),
    [
        pytest.param(2, "one-die", marks=pytest.mark.slow),
        pytest.param(2, "listing", marks=pytest.mark.slow),
        (3, "standard"),
    ],
)
def test_two_engines_agree_on_the_goose(players, variant, precision):
    goose = game("goose", players=players, variant=variant)
    found = odds(goose, engine="lattice", precision=precision)
    other = odds(goose, engine="compiled", method="certified")
    pairs = [*zip(found.win, other.win, strict=True), (found.draw, other.draw)]
    for a, b in [*pairs, (found.duration, other.duration)]:
        assert a.lower <= b.upper
        assert b.lower <= a.upper


# The other questions -------------------------------------------------------------------------


def quietly(ask, g, **how):
    """An answer of the lattice, or nothing where the game hardly ends from some position."""
    try:
        return ask(g, engine="lattice", **how)
    except OddsmithError:
        assume(False)


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(small_boards(most=600), st.sampled_from(("float64", "float32")))
@example(board(HOLDS), "float64")
@example(board(HOLDS, players=3), "float64")
@example(board(GATES), "float64")
def test_values_of_all_states(g, precision):
    """Whoever is to move, and where the game is over."""
    try:
        general = values(g, engine="interpreted").values
    except EndlessError:
        with pytest.raises(OddsmithError):
            values(g, engine="lattice")
        return
    found = quietly(values, g, precision=precision).values
    for i in range(len(general)):
        state, expected = general.states[i], general.answers(i)
        answers = found[state]
        assert list(answers) == list(expected)
        for name, answer in answers.items():
            other = expected[name]
            assert answer.lower <= other.upper, (state, name)
            assert other.lower <= answer.upper, (state, name)
    with pytest.raises(KeyError):
        found[g.State((10**6,) * g.players, 0)]


def test_values_are_positions_with_the_first_player_to_move():
    g = board(GATES)
    result = values(g, engine="lattice")
    found = result.values
    assert len(found) == len(list(found.states)) == g.track.size**2
    assert len(result.to_dict()["values"]) == len(found)
    for i in range(len(found)):
        assert found.states[i].turn == 0
        assert found.answers(i) == found[found.states[i]]
    plain = values(g, engine="lattice", method="float").values
    assert plain[g.start()]["win 1"].lower is None


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(small_boards(), st.integers(1, 3), st.sampled_from(("float64", "float32")))
@example(board(HOLDS), 2, "float64")
@example(board(GATES), 1, "float64")
@example(board(FREE, players=2), 2, "float64")
def test_visits_of_all_places(g, player, precision):
    player = min(player, g.players)
    try:
        general = visits(g, engine="interpreted", player=player).visits
    except EndlessError:
        with pytest.raises(OddsmithError):
            visits(g, engine="lattice", player=player)
        return
    found = quietly(visits, g, player=player, precision=precision).visits
    times = {visit.where: visit.times for visit in found}
    assert set(times) >= {visit.where for visit in general}
    for visit in general:
        mine = times.pop(visit.where)
        assert mine.lower <= visit.times.upper, visit.where
        assert visit.times.lower <= mine.upper, visit.where
    for where, mine in times.items():  # a token alone could come there, but others are in the way
        assert mine.lower == 0.0, where


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(small_boards(), st.booleans(), st.sampled_from(("float64", "float32")))
@example(board(FREE, players=2), False, "float64")
@example(board(GATES), True, "float64")
def test_distributions_of_the_length(g, turns, precision):
    try:
        general = length(g, engine="interpreted", turns=turns, method="certified")
    except EndlessError:
        with pytest.raises(OddsmithError):
            length(g, engine="lattice", turns=turns)
        return
    found = quietly(length, g, turns=turns, precision=precision)
    mine, other = dict(found.distribution), dict(general.distribution)
    off = found.unresolved + general.unresolved
    for k in set(mine) | set(other):
        assert abs(mine.get(k, 0.0) - other.get(k, 0.0)) <= off
    assert abs(sum(mine.values()) - 1) <= off
    assert found.duration.lower <= general.duration.upper
    assert general.duration.lower <= found.duration.upper
    for level, at in general.quantiles.items():
        reached = [sum(p for k, p in mine.items() if k <= at - d) for d in (0, 1)]
        close = any(abs(r - level) <= off for r in reached)  # a tie that rounding decides
        assert close or found.quantiles[level] == at


def test_lengths_that_a_lattice_does_not_count():
    """A sentence that says what would help, and nothing that would not."""
    waits = board("[board]\nfinish = 5\noccupied = 'return'\n[squares]\ninn = { at = 3, wait = 1 }")
    with pytest.raises(OptionError, match="add --turns"):
        length(waits, engine="lattice")
    assert length(waits, engine="lattice", turns=True).distribution
    for turns in (False, True):
        with pytest.raises(OptionError, match="deadlock") as caught:
            length(game("goose"), engine="lattice", turns=turns)
        assert "--turns" not in str(caught.value)


# Games that hardly end -----------------------------------------------------------------------


def test_endless_games_have_no_answer():
    g = board(LIVELOCK)
    for ask in (odds, length, visits, values):
        with pytest.raises(OddsmithError) as caught:
            ask(g, engine="lattice")
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) > 40
    with pytest.raises(EndlessError):
        odds(g, engine="lattice")


def test_endless_games_as_draws():
    """The general engine decides: of two throws one ends in the livelock."""
    found = odds(board(LIVELOCK), engine="lattice", endless="draw")
    assert [a.exact for a in (*found.win, found.draw)] == [Fraction(1, 2), 0, Fraction(1, 2)]


@pytest.mark.parametrize("text", [HOLDS, GATES, FREE])
def test_endless_draw_changes_nothing_where_games_end(text):
    g = board(text)
    exact = odds(g, method="exact", engine="interpreted")
    check_certificate(odds(g, engine="lattice", endless="draw"), exact)


@pytest.mark.parametrize("occupied", ["share", "return"])
def test_very_long_games_are_answered_by_the_general_engine(occupied):
    """Rather than by millions of turns."""
    g = board(patience(8), players=1, occupied=occupied)
    found = odds(g, engine="lattice")
    assert found.method == "exact"
    assert found.duration.exact == 1 + 6**8
    start = values(g, engine="lattice").values[g.start()]
    assert start["length"].value == pytest.approx(1 + 6**8, rel=1e-9)


# Which engine --------------------------------------------------------------------------------


def lines(found):
    return " ".join(found.evidence.how)


def test_auto_takes_the_lattice_for_boards_that_are_not_tiny():
    goose = odds(game("goose"))
    assert "lattice: 47^2 = 2,209 numbers of float64" in lines(goose)
    assert goose.evidence.numbers == 47**2
    assert goose.method == "certified"
    alone = odds(game("chutes-and-ladders", players=30))
    assert "no token disturbs another" in lines(alone)
    tiny = odds(board(SMALL))
    assert "lattice" not in lines(tiny)
    assert tiny.method == "exact"


@pytest.mark.parametrize(
    "how",
    [
        {"engine": "compiled"},
        {"solver": "lu"},
        {"symmetry": False},
        {"max_states": 10**6},
    ],
)
def test_auto_leaves_the_lattice_to_whoever_asks_for_something_else(how):
    assert "lattice" not in lines(odds(game("goose"), method="certified", **how))


def test_plain_numbers():
    found = odds(game("goose"), engine="lattice", method="float")
    assert found.method == "float"
    assert found.win[0].lower is None
    assert found.win[0].value == pytest.approx(0.3936251373937573914, abs=1e-12)
    assert found.duration.error is None


def test_a_tolerance_that_is_not_reached_is_said():
    found = odds(game("goose"), engine="lattice", tolerance=1e-15)
    assert "more than the 1e-15 asked for" in lines(found)
    assert inside(found.win[0], Fraction("0.3936251373937573914028403448768445020070441350696"))
    coarse = odds(game("goose"), engine="lattice", precision="float32", tolerance=1e-12)
    assert "more than the 1e-12 asked for" in lines(coarse)
    assert inside(coarse.win[0], Fraction("0.3936251373937573914028403448768445020070441350696"))


def refusal(ask, *subject, **how):
    with pytest.raises(OptionError) as caught:
        ask(*subject, **how)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("ask", [odds, length, visits, values])
def test_games_without_a_lattice(ask):
    assert "no board of squares" in refusal(ask, game("coin-race"), engine="lattice")
    assert "has no lattice" in refusal(ask, explore(game("goose")), engine="lattice")
    swaps = board("[board]\nfinish = 9\noccupied = 'swap'")
    assert "can move another token" in refusal(ask, swaps, engine="lattice")
    extra = board("[board]\nfinish = 9\n[squares]\nstar = { at = 4, extra = true }")
    assert "extra turn on square 4 (star)" in refusal(ask, extra, engine="lattice")


def test_words_that_do_not_exist():
    goose = game("goose")
    assert "engine cannot be 'latice'" in refusal(odds, goose, engine="latice")
    assert "precision cannot be 'double'" in refusal(odds, goose, precision="double")


def test_methods_that_a_lattice_does_not_have():
    goose = game("goose")
    for ask in (odds, visits, values):
        refusal(ask, goose, engine="lattice", method="exact")
    for ask in (length, visits, values):
        refusal(ask, goose, engine="lattice", method="estimate")
    refusal(length, goose, engine="lattice", method="exact")


def test_visits_refuse_what_a_lattice_cannot_tell():
    goose = game("goose")
    refusal(visits, goose, engine="lattice", of="turn")
    refusal(visits, goose, engine="lattice", where="turn=0")
    refusal(visits, goose, engine="lattice", player=3)


def test_no_room_for_a_copy(monkeypatch):
    """The tail is then played to its end."""
    monkeypatch.setattr(CpuSweeper, "can_keep", lambda self: False)
    found = odds(game("goose"), engine="lattice")
    assert "deflated" not in lines(found)
    assert inside(found.win[0], Fraction("0.3936251373937573914028403448768445020070441350696"))


def test_a_coarse_copy_is_not_used_for_a_fine_answer(monkeypatch):
    """A sweep that went on with a finer tolerance than it began with still comes to an end."""
    g = board(SMALL, players=2)
    exact = odds(g, method="exact", engine="interpreted")
    sweeper = CpuSweeper(g.track, 2, threads=1)
    sums = Sums.begin(g.track, 2)
    sums.turn_bound = survival(sweeper, Silent(), Interrupt())
    sweeper.place_start()
    forward(sweeper, sums, 1e-4, Silent(), Interrupt())
    assert sums.deflations
    monkeypatch.setattr(sweeper, "keep_error", 2.0**-24)
    forward(sweeper, sums, 1e-13, Silent(), Interrupt())
    off = Fraction(sums.bound(sweeper))
    for total, truth in zip(sums.win, exact.win, strict=True):
        assert abs(Fraction(total.value) - truth.exact) <= off


def test_large_boards_ask_for_a_device_and_do_without(monkeypatch):
    """Without CUDA the processor does it."""
    monkeypatch.setattr(limits, "CUDA_NUMBERS", 1)
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    assert "CPU" in lines(odds(game("goose")))


def test_turns_of_a_small_board_are_counted_exactly_too():
    """The mean in turns as a fraction and the distribution in turns are of one game."""
    text = '[board]\nfinish = 5\noccupied = "return"\n[squares]\ninn = { at = 3, wait = 1 }\n'
    board = board_class("inn.toml", text)(players=2)
    exact = length(board, turns=True, method="exact", engine="interpreted")
    mean = sum(turns * chance for turns, chance in exact.distribution)
    assert float(exact.duration.exact) == pytest.approx(mean, abs=1e-8)


@pytest.mark.parametrize(
    "option", [{"checkpoint": "x.checkpoint"}, {"precision": "float32"}, {"scratch": "."}]
)
@pytest.mark.parametrize("question", [odds, length, visits, values])
def test_what_only_a_lattice_can_use_is_refused_without_one(question, option):
    with pytest.raises(OptionError, match="lattice"):
        question(game("coin-race"), **option)
