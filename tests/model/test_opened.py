"""Models of programs and files, asked what games are asked: who wins, how long, what is best."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from oddsmith import (
    Game,
    best_response,
    check,
    coin,
    duel,
    explore,
    game,
    length,
    move,
    odds,
    optimal,
    plot,
    simulate,
    values,
    visits,
)
from oddsmith.errors import LimitError, OptionError, RuleError
from oddsmith.model.formats import read, write
from oddsmith.model.subject import subject_of
from oddsmith.policies.policy import Random, Rule
from oddsmith.questions.settings import Settings

RUIN = """
dtmc
const int N;
const double p;
module gambler
  x : [0..N] init 3;
  [] x > 0 & x < N -> p : (x' = x+1) + 1-p : (x' = x-1);
  [] x = 0 | x = N -> true;
endmodule
label "rich" = x = N;
label "poor" = x = 0;
"""

BOLD = """
mdp
const int N;
module gambler
  x : [0..N] init 3;
  [] x > 0 & x < N -> 2/5 : (x' = min(N, 2*x)) + 3/5 : (x' = 0);
  [] x > 0 & x < N -> 2/5 : (x' = x+1) + 3/5 : (x' = x-1);
endmodule
label "rich" = x = N;
"""


def ruin(p: Fraction, n: int, x: int) -> tuple[Fraction, Fraction]:
    """The chance to win and the mean length (Feller, An Introduction to Probability, XIV.2-3)."""
    r = (1 - p) / p
    if r == 1:
        return Fraction(x, n), Fraction(x * (n - x))
    chance = (1 - r**x) / (1 - r**n)
    return chance, (x - n * chance) / (1 - 2 * p)


@pytest.mark.parametrize(("p", "n"), [("1/2", 7), ("2/5", 9), ("18/37", 12)])
def test_the_gamblers_ruin(p, n):
    given = {"win": ["rich", "poor"], "constants": f"N={n},p={p}", "method": "exact"}
    chance, mean = ruin(Fraction(p), n, 3)
    found = odds(RUIN, **given)
    assert [answer.exact for answer in found.win] == [chance, 1 - chance]
    assert found.draw.exact == 0
    assert found.duration.exact == mean
    assert length(RUIN, **given).duration.exact == mean
    table = values(RUIN, **given).values
    for x in range(1, n):
        state = next(s for s in table.states if s.x == x)
        assert table[state]["win 1"].exact == ruin(Fraction(p), n, x)[0]
    times = {row.where: row.times.exact for row in visits(RUIN, of="x", **given).visits}
    assert times[f"x = {n}"] == chance


def test_wins_by_condition():
    given = {"constants": {"N": 9, "p": Fraction(2, 5)}, "method": "exact"}
    by_label, by_condition = (odds(RUIN, win=win, **given) for win in ("rich", "x=9"))
    assert by_label.win[0].exact == by_condition.win[0].exact == ruin(Fraction(2, 5), 9, 3)[0]
    assert by_label.draw.exact == 1 - by_label.win[0].exact  # nobody else: it is lost


def best_ruin(n: int) -> dict[int, Fraction]:
    """What bold or timid play is worth, by policy iteration of its own."""
    value = [Fraction(0)] * n + [Fraction(1)]
    bold = [True] * (n + 1)
    while True:
        for _ in range(400):  # far more than it takes to be right where it matters
            value = (
                [Fraction(0)]
                + [
                    (
                        Fraction(2, 5) * value[min(n, 2 * x)]
                        if bold[x]
                        else Fraction(2, 5) * value[x + 1] + Fraction(3, 5) * value[x - 1]
                    ).limit_denominator(10**30)
                    for x in range(1, n)
                ]
                + [Fraction(1)]
            )
        better = [True] * (n + 1)
        for x in range(1, n):
            timid = Fraction(2, 5) * value[x + 1] + Fraction(3, 5) * value[x - 1]
            better[x] = Fraction(2, 5) * value[min(n, 2 * x)] >= timid - Fraction(1, 10**12)
        if better == bold:
            return dict(enumerate(value))
        bold = better


def test_best_play_of_a_decision_process():
    table = optimal(BOLD, win="rich", constants="N=8", method="exact")
    expected = best_ruin(8)
    for i, state in enumerate(table.names):
        if 0 < state.x < 8:
            assert abs(table.exact[i][0] - expected[state.x]) < Fraction(1, 10**9)
    best = odds(BOLD, win="rich", constants="N=8", method="exact").win[0].exact
    assert best == table.exact[0][0]
    assert best > odds(BOLD, win="rich", constants="N=8", play="random").win[0].upper


@pytest.mark.parametrize("suffix", [".prism", ".drn", ".umb", ".tra"])
def test_what_we_write_is_read_and_answers_the_same(suffix, tmp_path):
    model = explore(game("coin-race"))
    path = tmp_path / f"race{suffix}"
    write(model.closed(), path, **({"fractions": True} if suffix in (".drn", ".tra") else {}))
    found = odds(str(path), method="exact")
    assert [answer.exact for answer in found.win] == [Fraction(16, 27), Fraction(11, 27)]
    assert found.duration.exact == Fraction(16, 3)  # the paper's (van den Bosch et al.)


def test_pig_as_a_program_is_played_as_pig(tmp_path):
    pig = game("pig", goal=8)
    write(explore(pig).closed(), tmp_path / "pig.prism")
    ours, read = optimal(pig, method="exact"), optimal(str(tmp_path / "pig.prism"), method="exact")
    assert read.exact[0][0] == ours.exact[0][0]
    answer = best_response(str(tmp_path / "pig.prism"), "random", player=1)
    assert answer.player == 1


@pytest.mark.parametrize(
    ("source", "given", "says"),
    [
        (RUIN, {}, "have no value"),
        (RUIN, {"constants": "N=5,p=1/2"}, "Nobody wins"),
        (RUIN, {"constants": "N=5,p=1/2", "win": "wealthy"}, "no label 'wealthy'; it has rich"),
        (RUIN, {"constants": "N=5:7,p=1/2", "win": "rich"}, "several values"),
        (RUIN, {"constants": "N=5,p=1/2", "win": "y=3"}, "no variable 'y'; it has x"),
        (game("coin-race"), {"win": "rich"}, "is a game"),
        ("nothing.drn", {}, "no such file"),
    ],
)
def test_refusals(source, given, says):
    with pytest.raises(Exception, match=says):
        odds(source, **given)


def test_pictures_of_models():
    given = {"constants": "N=8", "win": "rich"}
    drawn = plot(BOLD, "seats", **given)
    assert "who wins" in drawn.title
    assert plot(BOLD, "visits", of="x", **given).panels
    assert plot(RUIN, "length", constants="N=5,p=1/2").panels
    with pytest.raises(OptionError, match="board is of games; of a model there are length"):
        plot(BOLD, "board", **given)


def test_several_beginnings_are_refused():
    several = "dtmc\nmodule m x:[0..2]; [] x<2 -> (x'=2); endmodule\ninit x<2 endinit\n"
    with pytest.raises(OptionError, match="2 initial states"):
        odds(several, win="x=2")


def test_play_is_over_where_somebody_has_won():
    model = subject_of(RUIN, Settings(win="x=5", constants="N=8,p=1/2"))
    ended = np.diff(model.choice) == 0
    assert {model.state(int(s)).x for s in np.flatnonzero(ended)} == {0, 5}
    assert {state.x for state in model.names} == set(range(6))  # 6 and more: it is over before
    assert odds(model, method="exact").win[0].exact == Fraction(3, 5)


BEYOND = """
dtmc
module m
  x : [0..4] init 0;
  [] x=0 -> 1/2 : (x'=1) + 1/2 : (x'=2);
  [] x=1 -> 1/2 : (x'=3) + 1/2 : (x'=4);
  [] x=3 -> (x'=4);
  [] x=4 -> (x'=3);
endmodule
label "half" = x=1;
"""


def test_what_would_come_after_the_end_is_no_part_of_play():
    """From 1 on play would go on for ever between 3 and 4, but who comes to 1 has won."""
    found = odds(BEYOND, win="half", method="exact")
    assert (found.win[0].exact, found.duration.exact) == (Fraction(1, 2), 1)
    assert {state.x for state in values(BEYOND, win="half").values.states} == {0, 1, 2}
    assert [row.where for row in visits(BEYOND, of="x", win="half").visits] == [
        "x = 0",
        "x = 1",
        "x = 2",
    ]


def test_a_win_that_play_never_comes_to_has_the_chance_0():
    found = odds(BEYOND, win="x=9", endless="draw", method="exact")
    assert (found.win[0].exact, found.draw.exact) == (0, 1)


def test_true_and_false_stand_in_conditions():
    source = "dtmc\nmodule m b : bool; [] !b -> 1/3 : (b'=true) + 2/3 : (b'=b); endmodule\n"
    assert odds(source, win="b=true", method="exact").duration.exact == 3
    assert odds(source, win="b=false", method="exact").duration.exact == 0


NAMED = """
mdp
module m
  x : [0..3] init 0;
  [choice] x=0 -> (x'=1);
  [] x=0 -> (x'=2);
  [choice] x=2 -> (x'=2);
  [choice] x=2 -> (x'=3);
endmodule
"""


def test_every_choice_of_a_state_has_a_name_of_its_own():
    model = subject_of(NAMED, Settings(win="x=3"))
    assert len(set(model.actions)) == len(model.actions)
    for state in range(model.states):
        names = [
            model.actions[i] for i in model.move[model.choice[state] : model.choice[state + 1]]
        ]
        assert len(set(names)) == len(names)
    best = optimal(model, method="exact")
    assert [str(advice) for advice in best.advice(model.state(0))] == [
        "unnamed choice: 1",
        "choice 1: 0",
    ]


@pytest.mark.parametrize(
    ("changed", "fits"),
    [
        (("1/2", "1/2"), True),
        (("x=6", "x=5 | x=6"), False),  # another label of the same name
        (("x=0 -> (x'=1)", "x=0 -> (x'=2)"), False),
        (("[0..6]", "[-1..6]"), False),
        (("[b]", "[c]"), False),
        (("x=4 -> (x'=6)", "x=4 -> (x'=5)"), False),
    ],
)
def test_a_kept_policy_is_that_of_one_model_only(changed, fits, tmp_path):
    source = """
mdp
module m
  x : [0..6] init 0;
  [a] x=0 -> (x'=1);
  [b] x=0 -> 1/2 : (x'=3) + 1/2 : (x'=4);
  [] x=1 -> 1/4 : (x'=6) + 3/4 : (x'=5);
  [] x=2 -> (x'=5);
  [] x=3 -> (x'=5);
  [] x=4 -> (x'=6);
endmodule
label "win1" = x=6;
"""
    optimal(source, method="exact").save(tmp_path / "best.policy")
    play = str(tmp_path / "best.policy")
    other = source.replace(*changed)
    if fits:
        assert odds(other, play=play, method="exact").win[0].exact == Fraction(1, 2)
    else:
        with pytest.raises(OptionError, match="is a policy for other rules"):
            odds(other, play=play)


def test_what_has_been_explored_is_asked_as_it_is():
    model = explore(RUIN, win="rich", constants="N=8,p=1/2")
    assert model.origin.described == {"N": 8, "p": Fraction(1, 2)}
    assert odds(model, win="rich").win[0].value == 0.375
    for other in ({"win": "poor"}, {"constants": "N=9,p=1/2"}):
        with pytest.raises(OptionError, match="explore"):
            odds(model, **other)
    with pytest.raises(OptionError, match="is a game"):
        odds(explore(game("coin-race")), win="over")


def test_rounded_decimals_are_called_so(tmp_path):
    (tmp_path / "m.tra").write_text(
        "3 4 6\n0 0 1 0.333333 a\n0 0 2 0.666667 a\n0 1 1 0.25 b\n0 1 2 0.75 b\n1 0 1 1\n2 0 2 1\n"
    )
    path = str(tmp_path / "m.tra")
    assert "may be rounded" in str(odds(path, win="s=1", method="exact"))
    assert "may be rounded" in " ".join(optimal(path, win="s=1", method="exact").how)
    match = duel(path, "optimal", "random", win=["s=1", "s=2"], method="exact")
    assert "may be rounded" in str(match)
    assert "may be rounded" in match.to_json()
    assert "optimal is player 1" in str(match)  # who begins is another question


def test_estimates_are_those_of_games():
    with pytest.raises(OptionError, match="is a model, and estimates are those of games"):
        odds(RUIN, win="rich", constants="N=5,p=1/2", method="estimate")


@pytest.mark.parametrize("suffix", [".drn", ".tra", ".umb", ".prism"])
def test_formats_without_players_say_by_labels_who_decides(suffix, tmp_path):
    piglet = game("piglet", goal=3)
    path = tmp_path / f"piglet{suffix}"
    write(
        explore(piglet).closed(),
        path,
        **({"fractions": True} if suffix in (".drn", ".tra") else {}),
    )
    ours, read = odds(piglet, method="exact"), odds(str(path), method="exact")
    assert [answer.exact for answer in read.win] == [answer.exact for answer in ours.win]


RED_AND_BLUE = """smg
player {0} [a], [b] endplayer
player {1} [c], [d] endplayer
module m x : [0..5] init 0;
  [a] x=0 -> (x'=1);  [b] x=0 -> 1/2 : (x'=2) + 1/2 : (x'=3);
  [c] x=1 -> (x'=3);  [d] x=1 -> 1/3 : (x'=3) + 2/3 : (x'=2);
endmodule
label "win1" = x=2;
label "win2" = x=3;
"""


@pytest.mark.parametrize("names", [("red", "blue"), ("player2", "player1"), ("player1", "win1")])
@pytest.mark.parametrize("suffix", [".drn", ".tra", ".umb", ".prism"])
def test_players_with_names_of_their_own_are_kept_too(suffix, names, tmp_path):
    """Blue sends red's token home, so red tosses the coin."""
    text, path = RED_AND_BLUE.format(*names), tmp_path / f"m{suffix}"
    write(
        subject_of(text, Settings()).closed(),
        path,
        **({"fractions": True} if suffix in (".drn", ".tra") else {}),
    )
    assert [answer.exact for answer in odds(str(path)).win] == [Fraction(1, 2)] * 2
    with pytest.raises(OptionError, match="2 players, but 1 wins"):
        odds(str(path), win="win1")


class Spite(Game):
    """The first tosses a coin, the second takes the game, or tosses another for it."""

    class State(NamedTuple):
        """Where play is, and whose turn it is."""

        at: int = 0
        turn: int = 0

    def winner(self, s):
        """Said by the place."""
        return s.at - 3 if s.at >= 3 else None

    @move(dice=coin, when=lambda self, s: s.turn == 0)
    def toss(self, s, heads):
        """To one of two places."""
        return self.State(1 + heads, 1)

    @move(when=lambda self, s: s.turn == 1)
    def take(self, s):
        """The game."""
        return self.State(4, 0)

    @move(dice=coin, when=lambda self, s: s.turn == 1)
    def risk(self, s, heads):
        """A second coin."""
        return self.State(3 + heads, 0)


@pytest.mark.parametrize("suffix", [".drn", ".tra", ".umb", ".prism"])
def test_a_game_in_which_only_the_second_player_decides_keeps_him(suffix, tmp_path):
    path = tmp_path / f"spite{suffix}"
    write(explore(Spite()).closed(), path)
    assert [answer.exact for answer in odds(str(path)).win] == [0, 1]


@pytest.mark.parametrize(("count", "fits"), [(255, True), (256, False)])
def test_more_actions_than_policies_can_number_are_refused(count, fits):
    commands = "\n".join(f"  [a{i}] x=0 -> (x'=1);" for i in range(count))
    source = f"mdp\nmodule m x : [0..1];\n{commands}\nendmodule\n"
    if fits:
        assert odds(source, win="x=1").win[0].exact == 1
    else:
        with pytest.raises(LimitError, match="256 different actions"):
            odds(source, win="x=1")


COUNTED = """
dtmc
module walk
  x : [0..3] init 0;
  [step] x<3 -> 1/2 : (x'=x+1) + 1/2 : (x'=min(x+2, 3));
endmodule
label "win1" = x=3;
"""


@pytest.mark.parametrize(
    ("rewards", "mean"),
    [
        ("", Fraction(9, 4)),  # 1 + (1 + 1/2) / 2 + 1/2
        ("x=0 : 1;", 1),
        ("[step] x=0 : 1; x=1 : 1;", Fraction(3, 2)),
        ("[step] true : 0;", 0),
        ("x<3 : 0;", 0),
    ],
)
def test_rewards_called_length_say_what_counts(rewards, mean, tmp_path):
    text = COUNTED + (f'rewards "length" {rewards} endrewards' if rewards else "")
    assert length(text, method="exact").duration.exact == mean
    write(explore(text).closed(), tmp_path / "walk.umb")
    assert length(str(tmp_path / "walk.umb"), method="exact").duration.exact == mean


def test_other_rewards_called_length_are_not_followed_in_silence():
    found = length(COUNTED + 'rewards "length" x<3 : 2; endrewards', method="exact")
    assert found.duration.exact == Fraction(9, 4)
    assert any("not zeros and ones" in said for said in found.evidence.how)


def test_deadlocks_of_a_program_are_known_after_exploring():
    (stuck,) = check(explore(COUNTED), 'P=? [ F "deadlock" ]', exact=True)
    assert stuck.answer.exact == 1


def test_a_game_whose_decisions_come_after_its_end_is_closed_as_a_chain(tmp_path):
    text = """smg
    player red [a], [b] endplayer
    module m x : [0..2] init 0;
      [a] x=0 -> (x'=1); [a] x=1 -> (x'=2); [b] x=1 -> (x'=0);
    endmodule
    label "win1" = x=1;"""
    write(explore(text).closed(), tmp_path / "m.prism")
    assert odds(str(tmp_path / "m.prism")).win[0].exact == 1


def test_explored_programs_are_simulated():
    chances = simulate(explore(COUNTED), games=2_000)
    assert chances.win[0].value == 1
    assert chances.duration.lower < 9 / 4 < chances.duration.upper
    with pytest.raises(OptionError, match="without rules"):
        simulate(explore(COUNTED), engine="interpreted")


def test_where_nothing_counts_any_more_a_simulated_game_is_over():
    text = """mdp
    module m x : [0..4] init 0;
      [a] x=0 -> 1/2 : (x'=1) + 1/2 : (x'=2);  [b] x=0 -> (x'=1);
      [] x=2 -> (x'=3);  [] x=3 -> 1/2 : (x'=2) + 1/2 : (x'=3);
    endmodule
    label "win1" = x=1;
    rewards "length" x=0 : 1; endrewards"""
    chances = simulate(explore(text), games=2_000, play="random")
    assert chances.win[0].lower < 3 / 4 < chances.win[0].upper
    assert chances.duration.value == 1


@pytest.mark.parametrize("suffix", [".drn", ".tra", ".umb", ".prism"])
def test_games_for_scores_are_not_played_for_wins(suffix, tmp_path):
    write(explore(game("fast-pig")).closed(), tmp_path / f"fast{suffix}")
    with pytest.raises(OptionError, match="score1"):
        odds(str(tmp_path / f"fast{suffix}"))
    assert check(str(tmp_path / f"fast{suffix}"), 'R{"score1"}max=? [ F "over" ]')


TWINS = {
    ".tra": "5 7 8\n0 0 1 0.5 a\n0 0 2 0.5 a\n1 0 3 1 b\n1 1 4 1 c\n2 0 3 1 c\n2 1 4 1 b\n"
    "3 0 3 1\n4 0 4 1\n",
    ".sta": "(x)\n0:(0)\n1:(1)\n2:(1)\n3:(3)\n4:(4)\n",
    ".lab": '0="init" 1="deadlock" 2="win1"\n0: 0\n3: 2\n',
}
"""A coin decides between two states with the same values; in one b wins, in the other c."""


def test_states_with_the_same_values_are_not_taken_for_one_another(tmp_path):
    for suffix, text in TWINS.items():
        (tmp_path / f"twins{suffix}").write_text(text)
    model = read(tmp_path / "twins.tra")
    assert odds(model, method="exact").win[0].exact == 1
    best, found = optimal(model, method="exact"), values(model)
    for refused in (
        lambda: best.advice(best.names[1]),
        lambda: best.save(tmp_path / "twins.policy"),
        lambda: odds(read(tmp_path / "twins.tra"), play=best),
        lambda: found.values[best.names[1]],
        lambda: best.model.find(best.names[1]),
    ):
        with pytest.raises(OptionError, match="Two states are called"):
            refused()


def test_what_comes_after_the_end_is_left_out_with_a_note():
    text = COUNTED.replace("x=3;", "x=2;")
    said = "goes on from"
    assert any(said in note for note in odds(text).evidence.how)
    assert any(said in note for note in explore(text).notes)
    assert not any(said in note for note in odds(COUNTED).evidence.how)


def test_a_label_called_draw_keeps_its_meaning():
    text = COUNTED + 'label "draw" = x=1;'
    (came,) = check(explore(text), 'P=? [ F "draw" ]', exact=True)
    assert came.answer.exact == Fraction(1, 2)
    assert odds(text).draw.exact == 0


def test_a_policy_for_one_player_is_not_played_by_another(tmp_path):
    """Elsewhere its table holds moves of the others, whatever they were."""
    text = RED_AND_BLUE.format("red", "blue")
    reply = best_response(text, "random", player=1)
    reply.save(tmp_path / "reply.policy")
    for policy in (reply, str(tmp_path / "reply.policy")):
        # Half the time blue is to move, and takes the game; else red tosses a coin for it.
        assert odds(text, play=["random", policy]).win[1].exact == Fraction(3, 4)
        for play in (policy, [policy, "random"]):
            with pytest.raises(OptionError, match="for player 2, but player 1 moves"):
                odds(text, play=play)
    piglet = game("piglet", goal=3)
    second = best_response(piglet, "random", player=1)
    for engine in ("auto", "interpreted"):
        with pytest.raises(OptionError, match="for player 2, but player 1 moves"):
            simulate(piglet, play=second, games=100, engine=engine)


def test_policies_of_ones_own_are_composed_for_models_too():
    def first(game, state):
        return "a" if state.x == 0 else "c"

    text = RED_AND_BLUE.format("red", "blue")
    always = Rule(first)
    for condition in ("x=0", lambda game, state: state.x == 0):
        mixed = always.where(condition, Random())
        assert odds(text, play=always).win[1].exact == 1  # red steps aside, blue takes the game
        assert odds(text, play=mixed).win[1].exact == Fraction(3, 4)
        assert simulate(explore(text), play=mixed, games=500).win[1].value < 0.9
    best = optimal(text).where("x=1", always)
    assert odds(text, play=best).win[0].exact == Fraction(1, 2)
    reply = best_response(text, "random").where("x=5", always)
    assert odds(text, play=[reply, always]).win[0].exact == Fraction(1, 2)


@pytest.mark.parametrize("said", ["d", "fly", None, 0])
def test_a_policy_that_makes_no_move_of_the_model_is_refused_in_a_sentence(said):
    text = RED_AND_BLUE.format("red", "blue")
    with pytest.raises(RuleError, match="no move there; the model has a, b, c, d"):
        odds(text, play=lambda game, state: said)


def test_a_class_of_games_is_called_by_its_name():
    with pytest.raises(OptionError, match=r"Spite is a class of games: give Spite\(\)"):
        odds(Spite, win="win1")


def test_simulation_says_what_is_known_of_the_model_too():
    text = COUNTED.replace("x=3;", "x=2;")
    played = simulate(explore(text), games=100)
    assert set(explore(text).notes) < set(played.evidence.how)


def test_in_a_chain_labels_called_player_are_no_players():
    labels = 'label "player1" = x<2; label "player2" = x>=2;'
    assert odds(COUNTED + labels, win="x=3").win[0].exact == 1
