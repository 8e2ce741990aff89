"""Random PRISM models and questions: Oddsmith and Storm find the same states and values.

Storm builds and checks in fractions, so equality is exact, in every state. Of 3,500 models no
more than what follows was different. How it is met:

* `<=>` is not in Storm's language: Storm is given `=`.
* Storm has no fractions for `mod` in rewards: rewards here do without.
* Storm lets nothing be earned in deadlocks, neither by the state nor by the loop that is added;
  we go by PRISM, where both can be: Storm is compared with a process without those rewards.
* `a U[l,u] b` with l > 0 is 1 for Storm in states with b and without a; it is 0, as the first
  state has to be an a: these states are left out, the others are not (`begins`).
* `G<=k`, `W` and `F>=k` are not read by Storm: it is asked the same in other words.
* Long-run means of more than 20 states with decisions are not asked: Storm may not come to an end,
  neither in fractions (seed 2763) nor in floating point (seed 2973).
* `LRAmax=? [ P>=1 [ "l1" U "l1" ] ]` is not `LRAmax=? [ "l1" ]` for Storm (seed 4336): long-run
  means are asked of formulas without P inside.
* Conditional probabilities are asked in initial states, as Storm has them there alone.
"""

import math
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from benchmarks.peers.storm import run
from tests.oracle.prism_models import Model, question

from oddsmith.errors import LimitError, OddsmithError
from oddsmith.games import game
from oddsmith.model.amounts import Amounts, Rewards
from oddsmith.model.closed import closed
from oddsmith.model.explore import explore as explore_game
from oddsmith.model.formats.prism_source import to_prism
from oddsmith.model.prism.explore import explore
from oddsmith.properties.check import check
from oddsmith.rules.prism import parse_program

stormpy = pytest.importorskip("stormpy", minversion="2")

MOST_STATES = 150
QUESTIONS = 4


class Refused(Exception):  # noqa: N818
    """Storm does not take a model or a question."""


class Storm:
    """A model as Storm builds it."""

    def __init__(self, text, questions, path):
        path.write_text(text)
        try:
            self.program = stormpy.parse_prism_program(str(path), simplify=False)
        except RuntimeError as error:
            raise Refused(f"model: {error}") from None
        self.properties = {}
        for one in questions:
            try:
                self.properties[one] = stormpy.parse_property(one, self.program)
            except RuntimeError as error:
                self.properties[one] = Refused(f"question: {error}")
        good = [one for one in self.properties.values() if not isinstance(one, Refused)]
        # With one formula alone Storm would not look beyond the states that decide it.
        good += [stormpy.parse_property("P>0 [ X true ]", self.program) for _ in range(2)]
        self.options = stormpy.BuilderOptions(good, self.program)
        self.options.set_build_all_labels()
        self.options.set_build_all_reward_models()
        self.options.set_build_state_valuations()
        self.options.set_build_choice_labels()
        try:
            self.model = self._build(stormpy.Rational)
        except RuntimeError as error:
            raise Refused(f"model: {error}") from None
        self._floats = None

    def _build(self, kind):
        return stormpy.build_model[kind](self.program, options=self.options)

    def states(self, names):
        """The values of the variables in every state."""
        found = self.model.state_valuations
        by_name = {v.name: v for v in found.get_all_variables()}
        columns = []
        for name in names:
            v = by_name[name]
            if v.has_boolean_type():
                holds = found.get_boolean_values(v)
                columns.append([int(holds.get(s)) for s in range(self.model.nr_states)])
            else:
                columns.append(found.get_int64_values(v))
        return list(zip(*columns, strict=True))

    def values(self, text, kind=stormpy.Rational, **more):
        """What Storm says of every state."""
        asked = self.properties[text]
        if isinstance(asked, Refused):
            raise asked
        if kind is float and self._floats is None:
            self._floats = self._build(float)
        model = self.model if kind is stormpy.Rational else self._floats
        try:
            found = stormpy.model_checking(model, asked, **more)
            if found.is_qualitative():
                return [bool(found[s]) for s in range(model.nr_states)]
            states = model.initial_states if more["only_initial_states"] else range(model.nr_states)
            return {s: number(found.get_value(s)) for s in states}
        except RuntimeError as error:
            raise Refused(f"question: {error}") from None


def number(value):
    text = str(value)
    return math.inf if "inf" in text else Fraction(text)


def rows_of_storm(storm, states):
    """For every state, its choices: action, and where it leads with which chance."""
    model = storm.model
    matrix, found = model.transition_matrix, {}
    is_chain = not model.is_nondeterministic_model
    for s, name in enumerate(states):
        rows = Counter()
        for row in range(matrix.get_row_group_start(s), matrix.get_row_group_end(s)):
            labels = model.choice_labeling.get_labels_of_choice(row) - {"__no_label__"}
            action = "" if is_chain else "".join(labels)
            entries = matrix.get_row(row)
            outcomes = {(states[e.column], Fraction(str(e.value))) for e in entries}
            rows[action, frozenset(outcomes)] += 1
        found[name] = rows
    return found


def rows_of_ours(process, states):
    """The same of a process."""
    found = {}
    for s, name in enumerate(states):
        rows = Counter()
        for c in range(process.choice[s], process.choice[s + 1]):
            action = "" if process.action is None else process.actions[process.action[c]]
            edges = range(process.row[c], process.row[c + 1])
            outcomes = {(states[process.col[e]], process.chance.fraction(e)) for e in edges}
            rows["" if process.kind == "dtmc" else action, frozenset(outcomes)] += 1
        found[name] = rows
    return found


def ours(process, program, text, exact):
    """What Oddsmith says of the states asked about: fractions and infinity, or pairs of bounds."""
    found = check(
        process, text, exact=exact, constants=program.constants, formulas=program.formulas
    )
    answer = found.answer if isinstance(found.answer, tuple) else [("", found.answer)]
    values = [one for _, one in answer]
    if isinstance(values[0], bool):
        return values
    if exact:
        return [one.value if one.exact is None else one.exact for one in values]
    return [(one.lower, one.upper) for one in values]


def as_storm_earns(process):
    """The process with no rewards in deadlocks."""
    dead = process.labels["deadlock"]
    choices = dead[process.chooser]
    rewards = {
        name: Rewards(_zero(one.state, dead), _zero(one.choice, choices))
        for name, one in process.rewards.items()
    }
    return replace(process, rewards=rewards)


def _zero(amounts, where):
    if amounts is None:
        return None
    return Amounts.of([Fraction(0) if z else amounts.fraction(i) for i, z in enumerate(where)])


class Difference(AssertionError):  # noqa: N818
    """Where we and Storm do not agree."""


def compare(seed, folder, count):
    """Compare one model and some questions; counts what was compared and what Storm refused."""
    made = Model(seed)
    dice = Random(seed)
    questions = [question(made, dice) for _ in range(QUESTIONS)]
    program = parse_program(made.source)
    process = explore(program)
    count["models"] += 1
    try:
        storm = Storm(made.storm_source, [q.storm_text for q in questions], folder / "m.prism")
    except Refused as refused:
        count["refused models"] += 1
        count[f"refused {str(refused)[:90]}"] += 1
        return
    names = [v.name for v in program.variables]
    columns = [process.valuations.column(name).tolist() for name in names]
    mine, theirs = list(zip(*columns, strict=True)), storm.states(names)
    if len(mine) > 1:
        count["several states"] += 1
    assert rows_of_ours(process, mine) == rows_of_storm(storm, theirs), made.source
    assert process.transitions == storm.model.nr_transitions, made.source
    assert {mine[s] for s in process.initial} == {theirs[s] for s in storm.model.initial_states}
    if process.states > MOST_STATES:
        return
    order = [theirs.index(state) for state in mine]
    for q in questions:
        count["questions"] += 1
        try:
            same(process, program, storm, q, order, count)
        except Refused as refused:
            count["refused questions"] += 1
            count[f"refused {str(refused)[:90]}"] += 1
            if "undefined conditional" in str(refused):
                with pytest.raises(OddsmithError):
                    ours(process, program, q.ours, True)
        except Exception as error:
            asked = f"seed {seed}, {q.ours} | {q.storm_text}"
            raise Difference(f"{asked}: {error!r}\n{made.source}") from error


def same(process, program, storm, q, order, count):
    """Compare the answers to one question in all states, or in the initial ones."""
    theirs, slack = asked_of_storm(storm, q)
    if q.rewards:
        process = as_storm_earns(process)
    states = process.initial.tolist() if q.initial else range(process.states)
    theirs = [theirs[order[s]] for s in states]
    if q.begins is not None:
        begins = ours(process, program, f"filter(printall, {q.begins}, true)", True)
        theirs = [x if can else Fraction(0) for x, can in zip(theirs, begins, strict=True)]
    if q.complement:
        theirs = [1 - x for x in theirs]
    count["float questions" if slack else "exact questions"] += 1
    text = q.ours if q.initial else f"filter(printall, {q.ours}, true)"
    exact = None
    try:
        exact = ours(process, program, text, True)
        if slack:
            assert all(near(x, y) for x, y in zip(exact, theirs, strict=True)), (exact, theirs)
        else:
            assert exact == theirs, (exact[:9], theirs[:9])
    except LimitError as error:
        count[f"no fractions: {error}"] += 1
    for bounds, value in zip(ours(process, program, text, False), exact or theirs, strict=True):
        if isinstance(value, bool):
            assert bounds == value
        elif value == math.inf:
            assert bounds == (math.inf, math.inf), bounds
        else:
            low, high = bounds
            allowed = slack * max(1, abs(value))
            assert low - allowed <= value <= high + allowed, (bounds, value)
            assert high - low <= 1e-7 * max(1, abs(value)), (bounds, value)


def asked_of_storm(storm, q):
    """Storm's answer, in fractions if it has them; and how far it may be off."""
    model = storm.model
    long = "LRA" in q.storm and model.is_nondeterministic_model and model.nr_states > 20
    if long:
        raise Refused("question: a long-run mean that Storm may not come to an end with")
    try:
        return storm.values(q.storm_text, only_initial_states=q.initial), 0.0
    except Refused:
        return storm.values(q.storm_text, float, only_initial_states=q.initial), 1e-6


def near(x, y):
    return x == y or abs(x - y) <= 1e-6 * max(1, abs(x))


def compared(seeds, folder):
    count = Counter()
    for seed in seeds:
        compare(seed, folder, count)
    assert count["refused models"] <= 0.02 * count["models"], count
    assert count["refused questions"] <= 0.05 * count["questions"], count
    assert count["several states"] >= 0.8 * count["models"], count
    assert count["exact questions"] >= 0.9 * count["questions"], count


def test_states_chances_and_answers_are_those_of_storm(tmp_path):
    compared(range(20), tmp_path)


@pytest.mark.slow
def test_states_chances_and_answers_of_thousands_of_models(tmp_path):
    compared(range(20, 5300), tmp_path)


DEADLOCK = """dtmc
module m x : [0..1] init 0; [] x=0 -> (x'=1); endmodule
rewards "state" x=1 : 1; endrewards
rewards "loop" [] x=1 : 1; endrewards
"""


@pytest.mark.parametrize(("name", "earned"), [("state", 4), ("loop", 0)])
def test_a_deadlock_earns_as_in_prism(name, earned, tmp_path):
    """The state earns as long as play is there; the loop, no command, nothing. Storm: no more."""
    text = f'R{{"{name}"}}=? [ C<=5 ]'
    process = explore(parse_program(DEADLOCK))
    storm = Storm(DEADLOCK, [text], tmp_path / "m.prism")
    assert check(process, text, exact=True).answer.exact == earned
    assert storm.values(text, only_initial_states=False)[storm.model.initial_states[0]] == 0


LATE = """dtmc
module m x : [0..1] init 0; [] true -> (x'=1); endmodule
"""


def test_a_late_until_begins_in_its_left_side(tmp_path):
    text = "P=? [ x=1 U[1,2] x=0 ]"
    storm = Storm(LATE, [text], tmp_path / "m.prism")
    assert check(explore(parse_program(LATE)), text, exact=True).answer.exact == 0
    assert storm.values(text, only_initial_states=False)[storm.model.initial_states[0]] == 1


GOOSE = 0.39362513739375739
"""Of player 1; see test_storm_goose."""


@pytest.mark.parametrize(
    ("name", "options", "asked", "known"),
    [
        pytest.param("goose", {}, 'P=? [ F "win1" ]', GOOSE, marks=pytest.mark.slow),
        ("left-center-right", {"players": 3}, 'P=? [ F "win1" ]', None),
        ("first-orchard", {}, 'Pmax=? [ F "win1" ]', None),
        pytest.param(
            "pig", {"goal": 20}, '<<*>> Pmax=? [ F<=18 "win1" ]', None, marks=pytest.mark.slow
        ),
    ],
)
def test_a_game_survives_the_prism_language(name, options, asked, known):
    process = closed(explore_game(game(name, **options)))
    source = to_prism(process)
    read = explore(parse_program(source))
    answer, again = (check(one, asked).answer for one in (process, read))
    # stormpy has no games: all players together are one who decides.
    one_player = re.sub(r"player.*?endplayer", "", source, flags=re.DOTALL)
    storm = run(re.sub("^smg", "mdp", one_player, flags=re.M), [asked.removeprefix("<<*>> ")])
    assert read.states == process.states
    assert (read.transitions, again.value) == (process.transitions, pytest.approx(answer.value))
    assert storm["values"] == [pytest.approx(answer.value, rel=1e-9)]
    if known is not None:
        assert answer.lower <= known <= answer.upper
