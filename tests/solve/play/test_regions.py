"""What a policy looks like over all states: reachable states, every state's data, stretches.

Facts about Pig are from T. W. Neller, C. G. M. Presser, Optimal Play of the Dice Game Pig, The
UMAP Journal 25 (2004), section "The Solution".
"""

import csv
import itertools
from fractions import Fraction

import numpy as np
import pytest

from oddsmith import OddsmithError, OptionError, best_response, game, odds, optimal
from oddsmith.model.names import mover_view
from oddsmith.policies.regions import columns, decided, reachable, stretches, write_csv
from oddsmith.policies.table import Table
from oddsmith.rules import interpret
from oddsmith.rules.layout import layout_of
from oddsmith.solve.play.judge import table_of, with_model

# Reachable states ---------------------------------------------------------------------------


def played(table: Table, followers: set[int]) -> set:
    """Every state of play in which some players follow a table: a plain search by the rules."""
    g = table.game
    start = interpret.first_state(g)
    layout = layout_of(g, start)
    seen, todo = {start}, [start]
    while todo:
        state = todo.pop()
        if interpret.winners(g, state) != interpret.GOES_ON:
            continue
        legal = interpret.legal_actions(g, state)
        if interpret.mover(g, state) in followers:
            number = table.move(g, state)
            legal = [(n, action) for n, action in legal if n == number]
        for _, action in legal:
            for _, _, after in interpret.outcomes(g, layout, action, state):
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
    return seen


def named(table: Table, mask) -> set:
    return set(table.names.take(np.nonzero(mask)[0]))


GAMES = [
    game("piglet", goal=6),
    game("piglet", goal=4, players=3),
    game("pig", goal=12),
    game("piglet", goal=4, ending="one-more", beyond=2),
]


@pytest.mark.parametrize("g", GAMES, ids=repr)
def test_states_reachable_by_the_rules(g):
    """In mover-relative states: play of all followers, and of one follower where he moves."""
    table = optimal(g)
    assert table.relative
    everybody = played(table, set(range(g.players)))
    assert named(table, reachable(table, "all")) == {mover_view(g, s)[0] for s in everybody}
    union = set()
    for seat in range(g.players):
        mine = {s for s in played(table, {seat}) if s.turn == seat}
        assert named(table, reachable(table, "one", seat)) == {mover_view(g, s)[0] for s in mine}
        union |= {mover_view(g, s)[0] for s in mine}
    assert named(table, reachable(table, "one")) == union


@pytest.mark.parametrize("g", GAMES[:2], ids=repr)
def test_states_reachable_in_a_plain_model(g):
    table = optimal(g, symmetry=False)
    assert not table.relative
    assert named(table, reachable(table, "all")) == played(table, set(range(g.players)))
    for seat in range(g.players):
        found = {s for s in named(table, reachable(table, "one", seat)) if g.winner(s) is None}
        expected = {s for s in played(table, {seat}) if g.winner(s) is None and s.turn == seat}
        assert found == expected


def test_a_best_response_is_for_one_player():
    g = game("piglet", goal=5)
    table = best_response(g, "hold-at-2", player=1)
    mine = decided(table)
    assert {s.turn for s in named(table, mine)} == {1}
    assert named(table, reachable(table) & mine) <= named(table, reachable(table, "all"))


def test_reachable_by_whom():
    with pytest.raises(OptionError, match="by 'all' or by 'one'"):
        reachable(optimal(GAMES[0]), "nobody")


# Every state --------------------------------------------------------------------------------


def test_the_frame_says_what_advice_says():
    table = optimal(game("pig", goal=20), method="certified", engine="interpreted")
    frame = table.frame()
    assert len(frame) == len(table)
    assert frame.loc[frame["move"] == "", "margin"].eq(np.inf).all()
    for i in (0, 100, 1000):
        best, other = table.advice(table.names[i])
        row = frame.iloc[i]
        assert (row["scores[0]"], row["scores[1]"]) == table.names[i].scores
        assert row["move"] == best.move
        assert row["lower"] <= best.worth.value <= row["upper"]
        assert row["upper"] - row["lower"] < 1e-11
        assert row["margin"] == pytest.approx(best.worth.value - other.worth.value, abs=1e-12)
        assert row["certain"]


def test_an_exact_table_has_no_room_between_its_bounds():
    """They are the floats around each fraction, or the one that it is."""
    table = optimal(game("piglet", goal=3))
    found = columns(table)
    for lower, upper, worth in zip(found["lower"], found["upper"], table.exact, strict=True):
        assert Fraction(lower) <= worth[0] <= Fraction(upper)
        assert upper == lower or Fraction(float(worth[0])) != worth[0]
        assert upper <= np.nextafter(np.nextafter(lower, 2), 2)


def test_every_state_as_a_line_of_text(tmp_path, monkeypatch):
    monkeypatch.setattr("oddsmith.policies.regions.BLOCK", 7)  # several blocks
    table = optimal(game("piglet", goal=3))
    write_csv(table, tmp_path / "piglet.csv")
    with (tmp_path / "piglet.csv").open() as file:
        rows = list(csv.DictReader(file))
    expected = columns(table)
    assert list(rows[0]) == list(expected)
    for name, column in expected.items():
        assert [row[name] for row in rows] == [str(value) for value in column.tolist()]
    with pytest.raises(OddsmithError, match=r"could not be written: no such file"):
        write_csv(table, tmp_path / "none" / "piglet.csv")


# Any policy as a table ----------------------------------------------------------------------


def test_a_rule_is_judged_in_every_state_its_player_can_come_to():
    g = game("pig", goal=25)
    table = table_of(g, "hold-at-8,hold-at-12", player=1)
    model = table.model
    expected = odds(g, play="hold-at-8,hold-at-12").win[1]
    assert table.worth[model.start, 0] == pytest.approx(expected.value, abs=1e-10)
    mine = decided(table)
    total = table.names.column("total")
    free = mine & (total >= 12) & (np.diff(model.choice) > 1)
    assert set(columns(table)["move"][free]) == {"hold"}
    response = best_response(g, "hold-at-8", player=1)
    gain = float(response.worth[response.model.start, 0]) - expected.value
    assert gain > 0
    assert table.solution.margin[mine].min() < 0  # so somewhere the rule errs


def test_the_best_response_never_errs():
    table = table_of(game("pig", goal=25), "hold-at-8,best-response", player=1)
    assert table.name == "best response"
    assert table.solution.margin[decided(table)].min() > -1e-12


def test_what_cannot_be_a_table():
    with pytest.raises(OptionError, match="takes any, at random"):
        table_of(game("piglet", goal=3), "random")
    with pytest.raises(OptionError, match="nothing to decide"):
        table_of(game("coin-race"))
    with pytest.raises(OptionError, match="no player 2"):
        table_of(game("piglet"), player=2)


def test_a_table_from_a_file_is_as_good(tmp_path):
    table = optimal(game("pig", goal=25))
    table.save(tmp_path / "pig.policy")
    loaded = Table.load(tmp_path / "pig.policy", table.game)
    with pytest.raises(OptionError, match="comes from a file"):
        loaded.frame()
    again, before = columns(with_model(loaded)), columns(table)
    for name in ("move", "worth", "margin", "certain", "reached_by_all", "reached_by_one"):
        assert (again[name] == before[name]).all()
    assert (again["lower"] <= before["lower"]).all()
    assert (again["upper"] >= before["upper"]).all()


# Where the best move changes ----------------------------------------------------------------


@pytest.mark.parametrize("symmetry", [True, False])
def test_stretches_are_all_the_moves(symmetry):
    table = optimal(game("pig", goal=30), symmetry=symmetry)
    found = stretches(table, "total")
    by = [name for name in found if name not in ("from", "to", "move")]
    assert by == ["scores[0]", "scores[1]", *([] if symmetry else ["turn"])]
    every = columns(table)
    mine = decided(table)
    moves = {
        tuple(int(every[name][i]) for name in [*by, "total"]): every["move"][i]
        for i in np.nonzero(mine)[0]
    }
    rows = list(zip(*(column.tolist() for column in found.values()), strict=True))
    told = {}
    for *key, first, last, move in rows:
        for total in range(first, last + 1):
            if (*key, total) in moves:
                assert (*key, total) not in told
                told[(*key, total)] = move
    assert told == moves
    for before, after in itertools.pairwise(rows):
        assert before[:-3] != after[:-3] or (before[-1] != after[-1] and before[-2] < after[-3])


def test_stretches_need_one_state_for_each_value():
    table = optimal(game("piglet", goal=3))
    with pytest.raises(OptionError, match=r"are the same in scores\[0\], total"):
        stretches(table, "total", by=["scores[0]"])
    found = stretches(table, "total", by=["scores[0]"], where="scores[1]=2")
    assert set(found) == {"scores[0]", "from", "to", "move"}
    with pytest.raises(OptionError, match="no number 'sum'"):
        stretches(table, "sum")
    assert len(stretches(table, "total", where="scores[1]=77")["move"]) == 0


# Pig to 100 ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pig():
    return optimal(game("pig"))


def test_pig_is_no_threshold(pig):
    """41 v 49: hold at 22 to 26, roll at 27, hold again; and roll when two points win."""
    found = stretches(pig, "total", where="scores[0]=41 & scores[1]=49")
    rows = zip(found["move"], found["from"].tolist(), found["to"].tolist(), strict=True)
    assert list(rows) == [
        ("roll", 0, 21),
        ("hold", 22, 26),
        ("roll", 27, 27),
        ("hold", 28, 56),
        ("roll", 57, 58),
    ]


def test_pig_rolls_above_holding_in_many_places(pig):
    """137 pairs of scores hold, roll and hold again as the turn total grows; none does so twice."""
    found = stretches(pig, "total")
    moves = {}
    for i, j, move in zip(found["scores[0]"], found["scores[1]"], found["move"], strict=True):
        moves[i, j] = moves.get((i, j), "") + move[0]
    counts = {shape: list(moves.values()).count(shape) for shape in set(moves.values())}
    assert counts == {"r": 4399, "rh": 2936, "rhr": 2329, "rhrhr": 99, "rhrh": 38}
    assert sum(counts.values()) == 99**2  # no score is ever 1


def test_pig_with_no_points_holds_at_21_or_more(pig):
    """ "An optimal player with a score of 0 will never hold with a turn total less than 21,
    regardless of the opponent's score."
    """
    found = stretches(pig, "total", where="scores[0]=0")
    holds = found["move"] == "hold"
    assert found["from"][holds].min() == 21
    assert set(found["scores[1]"]) == {0, *range(2, 100)}


def test_pig_never_has_a_score_between_0_and_21(pig):
    """ "This means that an optimal player will never have a score between 0 and 21." """
    reached = reachable(pig, "one")
    mine = np.unique(pig.names.column("scores[0]")[reached])
    assert mine.tolist() == [0, *range(21, 90)]  # and from 90 on, nobody holds before 100
    theirs = np.unique(pig.names.column("scores[1]")[reached])
    assert theirs.tolist() == [0, *range(2, 100)]  # the opponent does anything


def test_pig_never_travels_more_than_6_points_above_the_boundary(pig):
    """ "An optimal player following this policy will not travel more than 6 points above the
    boundary": the last total below at which rolling is best.
    """
    found = stretches(pig, "total")
    first = {}  # of the stretch of holding that a state is in
    holds = found["move"] == "hold"
    for i, j, a, b in zip(
        *(found[name][holds].tolist() for name in ("scores[0]", "scores[1]", "from", "to")),
        strict=True,
    ):
        first.update({(i, j, k): a for k in range(a, b + 1)})
    held = reachable(pig, "one") & (columns(pig)["move"] == "hold")
    above = [
        total - first[(*scores, total)] + 1
        for scores, _, total in pig.names.take(np.nonzero(held)[0])
    ]
    assert max(above) == 6
    assert min(above) == 1


def test_pig_reaches_part_of_its_states(pig):
    """All that everybody's optimal play comes to, one optimal player comes to."""
    by_all, by_one = reachable(pig, "all"), reachable(pig, "one")
    assert not (by_all & ~by_one).any()
    assert len(pig) > by_one.sum() > by_all.sum() > 0
