"""A game at the terminal: scripts play as a person would, and read what is said."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from oddsmith import DRAW, Game, best_response, d6, game, move, odds, optimal, put, values
from oddsmith.ask.match import Match
from oddsmith.ask.study import Study
from oddsmith.errors import OptionError, RuleError
from oddsmith.games import catalogue
from oddsmith.policies.policy import usual_policy
from oddsmith.present.play import Session, menu_of, menu_text, understood
from oddsmith.present.position import Words, paragraphs

ODDSMITH = [sys.executable, "-c", "from oddsmith.cli import main; main()"]


class Person:
    """Somebody who types the lines of a script, or what a function of the session says."""

    def __init__(self, *script, then=None):
        self.script, self.then, self.heard = list(script), then, []

    def ask(self, prompt):
        self.heard.append(prompt)
        if self.script:
            line = self.script.pop(0)
        elif self.then is not None:
            line = self.then(self.session)
        else:
            raise EOFError
        self.heard[-1] += line
        return line

    def play(self, subject, **options):
        self.session = Session(subject, ask=self.ask, say=self.heard.append, **options)
        return self.session.play()

    @property
    def text(self):
        return "\n".join(self.heard)


def played(subject, *script, then=None, **options):
    """What is said when somebody plays."""
    person = Person(*script, then=then)
    person.ended = person.play(subject, **options)
    return person


def at_random(seed, most=20_000):
    """A person who moves at random, but not for ever."""
    dice = random.Random(seed)
    left = iter(range(most))

    def line(session):
        if next(left, None) is None:
            raise EOFError
        return dice.choice(list(menu_of(session.match.legal)))

    return line


def by(policy):
    """A person who plays by a policy."""

    def line(session):
        return session.game.actions[policy.move(session.game, session.match.state)].name

    return line


# Every game ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", catalogue())
def test_every_game_can_be_played_to_its_end_at_random(name):
    """Nothing is solved for it: random play needs no policy, and neither does chance."""
    subject = game(name)
    against = None if subject.players == 1 or Study(subject).chance else "random"
    person = played(subject, then=at_random(name), seed=7, against=against)
    assert person.ended == "over", person.text[-2000:]
    assert "Solving" not in person.text
    assert re.search(r"(wins?|score [\d,]+|draw|lose), after [\d,]+ moves?\.", person.heard[-1])
    assert max(len(line) for line in person.text.splitlines()) <= 80


@pytest.mark.parametrize("name", catalogue())
def test_every_game_can_explain_itself(name):
    subject = game(name)
    against = None if subject.players == 1 or Study(subject).chance else "random"
    person = played(subject, "help", "rules", "state", against=against, seat=1, seed=1)
    assert person.ended == "quit"
    for said in ("leave the game", "Source:", "State("):
        assert said in person.text
    assert max(len(line) for line in person.text.splitlines()) <= 80


def test_every_seat_can_be_taken():
    for seat in (1, 2, 3):
        subject = game("coin-race", players=3)
        person = played(subject, then=lambda session: "", seat=seat, seed=3)
        assert person.ended == "over"
        assert f"You are player {seat} of 3." in person.text
        assert f"player {seat} (you)" in person.text


# What is said --------------------------------------------------------------------------------


def test_a_turn_as_it_is_shown():
    person = played(game("pig"), "1", "hold", against="hold-at-20", seed=3)
    assert "Pig. Roll as long as you dare" in person.heard[0]
    assert "You are player 1 of 2; player 2 plays hold-at-20." in person.text
    assert "scores  player 1 (you): 0, player 2: 0 | total  0\n1 roll, 2 hold > 1" in person.text
    rolled = re.search(r"  you       roll \[([2-6])\] +total 0 → (\d)\n", person.text)
    assert rolled is not None
    assert rolled[1] == rolled[2]
    held = rf"  you       hold +scores 0 → {rolled[1]}, total {rolled[1]} → 0\n"
    assert re.search(held, person.text)
    assert re.search(r"  player 2  roll \[\d\]", person.text)


def test_places_have_names_and_rolls_too():
    goose = game("goose")
    words = Words(goose, 0)
    before, after = goose.State((0, 12), 0), goose.State((53, 12), 1)
    assert words.change(before, after, 0).replace("\xa0", " ") == "0 (start) → 53"
    names = {goose.roll_name(roll) for roll in goose.die}
    assert {"7", "12", "9: 3 6", "9: 4 5"} < names
    assert "31 (well)" in words.state(goose.State((31, 0), 0))
    orchard = game("first-orchard")
    assert [orchard.roll_name(face) for face in (0, 4, 5)] == ["apple", "basket", "raven"]
    assert game("farkle").roll_name((0,) * 6) == "farkle"
    assert Game.roll_name(orchard, (3, 6)) == "3 6"


def test_fields_of_players_are_told_from_other_rows():
    stop = game("cant-stop", players=5, columns=1)  # five players and five columns
    words = Words(stop, 0)
    told = dict(words.parts(stop.start()._replace(markers=(0, 1, 0, 0, 0))))
    assert told["squares"].count("player") == 5
    assert told["markers"] == "0 1 0 0 0"
    assert "dice" not in told  # nothing was rolled
    skunk = Words(game("skunk"), 1)  # it names no interchangeable players
    assert "player\xa02\xa0(you)" in dict(skunk.parts(skunk.game.start()))["scores"]


def test_paragraphs_fit_and_lists_stay():
    text = "One two.\nThree.\n\n- first " + "word " * 30 + "\n  more\n- second"
    lines = paragraphs(text).splitlines()
    assert lines[:2] == ["One two. Three.", ""]
    assert lines[-1] == "- second"
    assert all(len(line) < 80 for line in lines)


# What is understood --------------------------------------------------------------------------


def menu_in(subject, state):
    return menu_of(Match(subject, state).legal)


def test_moves_go_by_number_name_and_the_beginning_of_it():
    orchard = game("first-orchard")
    menu = menu_in(orchard, orchard.State((1, 1, 1, 0), 0, True))
    plum = menu["3"]
    assert plum.name == "pick plum"
    for line in ("3", "pick plum", " Pick  PLUM ", "pick pl", "plum", "pl"):
        assert understood(line, menu) is plum
    more = "'pick p' could be pick pear or pick plum: write more of it."
    assert understood("pick p", menu) == more
    assert understood("cherry", menu).startswith("There is no move 'cherry' now: 1 pick apple")
    assert understood("4", menu).startswith("There is no move '4'")
    assert understood("", menu).startswith("Which one?")
    only = menu_in(orchard, orchard.start())
    assert understood("", only) is only["1"]
    assert menu_text(only) == "Enter: roll"


def test_words_that_are_no_moves():
    menu = menu_in(game("pig"), game("pig").start())
    expected = {"?": "advice", "a": "advice", "odds": "odds", "o": "odds", "q": "quit"}
    expected |= {"help": "help", "exit": "quit", "RULES": "rules", "und": "undo"}
    assert {line: understood(line, menu) for line in expected} == expected
    assert understood("h", menu).name == "hold"  # moves come first
    assert understood("r", menu).name == "roll"


def test_variants_by_numbers_go_by_their_own():
    farkle = game("farkle")
    state = farkle.start()._replace(keeps=(100, 0, 250, 0, 0, 0))
    menu = menu_in(farkle, state)
    assert {key: action.name for key, action in menu.items()} == {"1": "keep 1", "3": "keep 3"}
    assert menu_text(menu) == "keep: 1, 3"
    hog = game("hog", most=10)
    assert menu_text(menu_in(hog, hog.start())) == "roll: 1 to 10"


def test_what_is_not_understood_is_asked_again():
    person = played(game("pig"), "fold", "", "1", against="random", seed=3)
    assert "There is no move 'fold' now: 1 roll, 2 hold (or help)." in person.text
    assert "Which one? 1 roll, 2 hold" in person.text
    assert len(person.session.before) == 1


def test_undo_takes_the_last_move_back():
    person = played(game("pig"), "undo", "1", "1", "2", "undo", "undo", against="random", seed=3)
    assert "There is no move to undo." in person.text
    assert len(person.session.before) == len(person.session.decisions) == 1
    assert person.session.match.mover == 0
    assert 0 < person.session.match.state.total <= 6  # one roll is left
    assert person.session.match.length == 1


# Leaving, and doing it again -----------------------------------------------------------------


@pytest.mark.parametrize("script", [("quit",), ("1", "q"), ()])
def test_leaving_is_one_line(script):
    person = played(game("pig"), *script, against="hold-at-100", seed=3)
    assert person.ended == "quit"
    assert person.heard[-1] == "Bye. The game was not over."


def test_ctrl_c_leaves_and_ctrl_c_while_it_thinks_does_not(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    assert played(game("pig"), "1", then=interrupt, against="random").ended == "interrupted"
    person = Person("?", "1")
    monkeypatch.setattr("oddsmith.ask.study.Study.advice", interrupt)
    assert person.play(game("piglet", goal=50), against="random") == "quit"
    assert "Stopped." in person.heard


def test_the_same_seed_throws_the_same_dice():
    def game_of(seed):
        return played(game("pig"), *["1", "1", "2"] * 5, against="random", seed=seed).text

    assert game_of(5) == game_of(5)
    assert game_of(5) != game_of(6)


def test_advice_does_not_change_the_dice():
    def rolls(*script):
        person = played(
            game("piglet"), *script, against="hold-at-1", seed=5, max_states=20, playout_seconds=0
        )
        return [line for line in person.heard if "[" in line]

    assert rolls("?", "1", "odds", "1", "2") == rolls("1", "1", "2")


# Odds and advice -----------------------------------------------------------------------------


def worths(text):
    """The moves and chances in what was said."""
    found = re.findall(r"^  (\w[\w ]*?)  +(-?[\d.]+) %", text, re.MULTILINE)
    return {name: float(percent) for name, percent in found}


def expected_worths(table, state):
    return {a.move: pytest.approx(100 * a.worth.value, abs=6e-4) for a in table.advice(state)}


def test_advice_is_that_of_the_table():
    subject = game("piglet", goal=3)
    person = played(subject, "?")
    assert "player 2 plays optimal" in person.text  # the default
    assert "if all play their best from here" in person.text
    assert worths(person.text) == expected_worths(optimal(subject), subject.start())


def test_advice_against_other_players_is_the_best_response_to_them():
    subject = game("piglet", goal=4)
    person = played(subject, "?", "odds", "?", against="hold-at-2", seat=1)
    response = best_response(subject, "hold-at-2", player=0)
    expected = expected_worths(response, subject.start())
    assert {k: v for k, v in worths(person.text).items() if k in expected} == expected
    assert "against hold-at-2 if you play your best from here" in person.text
    assert person.text.count("Solving") == 1  # the first time it is needed
    mine = max(100 * a.worth.value for a in response.advice(subject.start()))
    assert worths(person.text)["you"] == pytest.approx(mine, abs=6e-4)
    assert worths(person.text)["player 2"] == pytest.approx(100 - mine, abs=1.2e-3)


def test_odds_of_three_players():
    subject = game("piglet", goal=2, players=3)
    person = played(subject, "odds", seed=1)
    found = worths(person.text)
    assert set(found) == {"you", "player 2", "player 3"}
    assert sum(found.values()) == pytest.approx(100, abs=2e-3)
    person = played(subject, "odds", against="hold-at-1,random", seed=1)
    assert "player 2 plays hold-at-1, player 3 plays random" in person.text
    assert set(worths(person.text)) == {"you", "the others together"}


def test_odds_of_a_game_of_chance_are_its_values():
    race = game("coin-race")
    person = played(race, "odds", "?", seed=1)
    found = values(race).values[race.start()]
    assert worths(person.text)["you"] == pytest.approx(100 * found["win 1"].value, abs=6e-4)
    assert "The game lasts another 5.3 moves on average." in person.text  # 16/3
    assert "There is nothing to decide. Chances to win:" in person.text
    assert person.text.count("Solving") == 1


def test_odds_of_a_board_are_its_values_with_the_draw():
    goose = game("goose")
    person = played(goose, "odds", seed=1)
    found = worths(person.text)
    assert found["you"] == pytest.approx(39.3625, abs=1e-3)  # the published chance
    assert found["a draw"] == pytest.approx(22.639, abs=1e-3)
    assert found["player 2"] == pytest.approx(100 - 39.3625 - 22.639, abs=2e-3)


def test_scores_are_points():
    person = played(game("fast-pig"), "?", "odds", "6", seed=1)
    assert "Your expected score if you play your best from here:" in person.text
    assert re.search(r"roll 5 +8\.038  best", person.text)  # 15625/1944, 5 and 6 dice alike
    assert re.search(r"roll 6 +8\.038  as good", person.text)
    assert re.search(r"You score \d+, after 1 move\.", person.text)
    assert "Your one decision was the best there was." in person.text


def test_a_game_too_large_is_estimated():
    person = played(game("piglet"), "?", "odds", "1", max_states=50, playout_seconds=0.05, seed=1)
    assert "Piglet has more than 50 states" in person.text
    assert "player 2 plays hold-at." in person.text  # the way to play that it names
    assert person.text.count("more than 50 states") == 1  # it is said once
    assert re.search(r"to win if you play on by hold-at \(\d+ games played", person.text)
    assert re.search(r"  flip  [\d.]+ ± [\d.]+ %", person.text)
    assert re.search(r"  player 2  [\d.]+ ± [\d.]+ %", person.text)


def test_estimates_agree_with_the_truth():
    subject = game("piglet", goal=3)
    policy = usual_policy(subject)
    options = {"max_states": 10, "playout_seconds": 0.5, "seed": 4, "against": policy}
    person = played(subject, "odds", **options)
    mine, width = re.search(r"  you +([\d.]+) ± ([\d.]+) %", person.text).groups()
    truth = 100 * odds(subject, play=policy).win[0].value
    assert abs(float(mine) - truth) < 2.5 * float(width)  # 2.5 · 1.96 standard deviations


# Opponents -----------------------------------------------------------------------------------


def test_a_policy_from_a_file_plays_and_advises(tmp_path):
    subject = game("piglet", goal=3)
    best = optimal(subject)
    best.save(tmp_path / "best.policy")
    person = played(
        subject, "?", then=by(best), against=str(tmp_path / "best.policy"), seed=2, seat=2
    )
    assert person.ended == "over"
    assert "player 1 plays optimal" in person.text
    assert "Solving" not in person.text
    assert "of your" in person.text  # the file is enough to judge the moves
    assert "best there was" in person.text


def test_opponents_who_cannot_play_are_refused(tmp_path):
    piglet = game("piglet", goal=3)
    best_response(piglet, "hold-at-1", player=0).save(tmp_path / "first.policy")
    for subject, options, words in [
        (piglet, {"against": "best-response"}, "nobody knows how you play"),
        (piglet, {"against": "random,random"}, "1 other, but 2 ways"),
        (piglet, {"against": "hold-it"}, "no policy 'hold-it'"),
        (piglet, {"against": str(tmp_path / "first.policy")}, "is for player 1, not for 2"),
        (piglet, {"seat": 3}, "no seat 3"),
        (piglet, {"seed": -1}, "must not be negative"),
        (game("coin-race"), {"against": "random"}, "nothing to decide"),
        (game("first-orchard"), {"against": "random"}, "played alone"),
    ]:
        with pytest.raises(OptionError, match=re.escape(words)):
            Session(subject, **options)


def test_a_policy_that_breaks_the_rules_is_named():
    def cheat(game, state):
        return "fly"

    with pytest.raises(RuleError, match="The policy cheat gave 'fly'"):
        played(game("piglet"), "hold", against=cheat)


# Ends ----------------------------------------------------------------------------------------


def test_the_cost_of_mistakes():
    """In Piglet to 2, flipping is worth 4/7 at the start and holding 3/7 (Neller, Presser)."""
    subject = game("piglet", goal=2)
    best = optimal(subject)
    person = played(subject, "hold", then=by(best), seed=3)
    count = len(person.session.decisions)
    assert count > 1
    assert (
        f"One of your {count} decisions was not the best there was: hold instead of flip cost"
        in " ".join(person.heard[-1].split())
    )
    where = "  scores  player 1 (you): 0, player 2: 0 | total  0"
    assert person.heard[-1].endswith(f"14.286 %, here:\n{where}")
    person = played(subject, "hold", "hold", then=by(best), seed=3)
    count = len(person.session.decisions)
    assert f"2 of your {count} decisions were not the best there was" in person.heard[-1]
    assert "% of a win, added up." in " ".join(person.heard[-1].split())
    person = played(subject, then=by(best), seed=3)
    assert person.heard[-1].endswith("was the best there was.")


def test_nobody_can_move_again():
    """One goose in the well, one in the prison: the draw that no rule names."""
    goose = game("goose")
    person = Person(*[""] * 10)
    person.session = Session(goose, ask=person.ask, say=person.heard.append)
    person.session.match = Match(goose, goose.State((31, 52), 0))
    assert person.session.play() == "over"
    assert "From here nobody can ever move again: a draw, after 0 moves." in person.text


class Sum(Game):
    """Roll once each; more wins, both win with sevens. A game with every kind of end."""

    class State(NamedTuple):
        rolled: tuple[int, int] = (0, 0)
        turn: int = 0

    def winner(self, s):
        if 0 in s.rolled:
            return None
        if s.rolled[0] == s.rolled[1]:
            return (0, 1) if s.rolled[0] > 3 else DRAW
        return 0 if s.rolled[0] > s.rolled[1] else 1

    @move(dice=d6)
    def roll(self, s, spots):
        return self.State(put(s.rolled, s.turn, spots), 1 - s.turn)


def test_every_kind_of_end():
    heard = set()
    for seed in range(60):
        person = played(Sum(), "", seed=seed)
        heard.add(person.heard[-1])
    ends = ("You win", "Player 2 wins", "A draw", "You and player 2 win")
    assert heard == {f"{end}, after 2 moves." for end in ends}


# The command ---------------------------------------------------------------------------------

RACE = """
from typing import NamedTuple
from oddsmith import Game, d6, move, put

class Race(Game):
    '''The first to the goal wins.'''
    goal: int = 12
    class State(NamedTuple):
        squares: tuple[int, int] = (0, 0)
        turn: int = 0
    def winner(self, s):
        for player in (0, 1):
            if s.squares[player] >= self.goal:
                return player
        return None
    @move(dice=d6)
    def throw(self, s, spots):
        return self.State(put(s.squares, s.turn, s.squares[s.turn] + spots), 1 - s.turn)
"""


def run(*arguments, script="", cwd=None):
    return subprocess.run(
        [*ODDSMITH, "play", *arguments], input=script, capture_output=True, text=True, cwd=cwd
    )


def test_the_command_plays_a_users_own_game(tmp_path: Path):
    (tmp_path / "race.py").write_text(RACE)
    done = run("./race.py", "--seed", "1", "--set", "goal=6", script="\n" * 20, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "Race. The first to the goal wins.\nYou are player 1 of 2.\n" in done.stdout
    assert re.search(r"(You win|Player 2 wins), after \d+ moves\.\n$", done.stdout)


def test_the_command_ends_with_its_input_and_shows_it():
    arguments = ("pig", "--against", "hold-at-20", "--seat", "2", "--seed", "4")
    done = run(*arguments, script="roll\nfly\n")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "1 roll, 2 hold > roll\n" in done.stdout
    assert "There is no move 'fly'" in done.stdout
    assert done.stdout.endswith(" > \nBye. The game was not over.\n")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["pig", "--against", "best-response"], "choose optimal"),
        (["goose", "--against", "random"], "nothing to decide"),
    ],
)
def test_a_mistake_is_one_sentence_and_a_code(arguments, hint):
    done = run(*arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("oddsmith: ")
    assert done.stderr.count("\n") == 1
    assert hint in done.stderr


def test_ctrl_c_is_one_line_and_130():
    with subprocess.Popen(
        [*ODDSMITH, "play", "coin-race"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        while "Enter makes" not in process.stdout.readline():
            pass
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.endswith("\nBye. The game was not over.\n")
    assert error == ""
