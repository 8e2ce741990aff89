"""Random questions about models, and their answers in fractions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from grind import decide, storm
from grind.decide import Number
from grind.models import PLAYERS, Program
from grind.plain import (
    Chain,
    Plain,
    Vector,
    chain_of,
    chances,
    closed_classes,
    reach,
    solve,
    totals,
)
from grind.tally import Tally
from oddsmith import check

ZERO, ONE = Fraction(0), Fraction(1)
KINDS = ("F", "F", "U", "X", "G", "F<=", "U<=", "G<=", "window", "R F", "R F", "R C<=", "R C",
         "R I", "S", "R S")  # fmt: skip
FILTERS = ("printall", "printall", "min", "max", "sum", "avg", "")
RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt,
}  # fmt: skip
CLOSE = 1e-9
HAIRS = (0, 0, Fraction(1, 10**17), Fraction(1, 10**9), Fraction(1, 7))
"""How far from the truth a bound is."""


def draw(dice: Random, modules: int) -> dict[str, Any]:
    """A random question."""

    def guard() -> list[list[int]]:
        many = dice.randint(1, 2)
        return [
            [dice.randrange(modules), dice.randrange(4), dice.randrange(4)] for _ in range(many)
        ]

    return {"kind": dice.randrange(len(KINDS)), "max": dice.random() < 0.5,
            "side": dice.randrange(4), "a": guard(), "b": guard(), "k": dice.randrange(7),
            "more": dice.randrange(4), "reward": dice.randrange(2),
            "filter": dice.randrange(len(FILTERS)), "relation": dice.randrange(len(RELATIONS)),
            "hair": dice.randint(1 - len(HAIRS), len(HAIRS) - 1)}  # fmt: skip


class Question:
    """One question about one model."""

    def __init__(self, program: Program, model: Plain, data: dict[str, Any]) -> None:
        self.program, self.model, self.data = program, model, data
        self.kind = KINDS[data["kind"] % len(KINDS)]
        self.filter = FILTERS[data["filter"] % len(FILTERS)]
        self.type = program.data["type"]
        self.a = {s for s, name in enumerate(model.names) if program.holds(data["a"], name)}  # type: ignore[arg-type]
        self.b = {s for s, name in enumerate(model.names) if program.holds(data["b"], name)}  # type: ignore[arg-type]
        self.k, self.most = data["k"], data["k"] + data["more"]
        self.reward = f"r{data['reward'] % len(program.data['rewards'])}" if (
            program.data["rewards"]) else "r0"  # fmt: skip

    @property
    def sides(self) -> list[bool]:
        """Which owners maximise."""
        if self.type != "smg":
            return [self.data["max"]] * 2
        mine = [bool(self.data["side"] >> p & 1) for p in range(2)]
        return mine if self.data["max"] else [not one for one in mine]

    @property
    def asked(self) -> str:
        """The question in the language of properties."""
        a, b = (f"({self.program.condition(self.data[key])})" for key in ("a", "b"))
        return self.phrase(a, b, self.reward)

    def phrase(self, a: str, b: str, reward: str) -> str:
        """The question with conditions and a reward structure by these names."""
        best = "" if self.type == "dtmc" else "max" if self.data["max"] else "min"
        who = ""
        if self.type == "smg":
            who = f"<<{','.join(n for p, n in enumerate(PLAYERS) if self.data['side'] >> p & 1)}>> "
        p, r = f"{who}P{best}=?", f'{who}R{{"{reward}"}}{best}=?'
        k, most = self.k, self.most
        return {
            "F": f"{p} [ F {a} ]", "U": f"{p} [ {b} U {a} ]", "X": f"{p} [ X {a} ]",
            "G": f"{p} [ G {a} ]", "F<=": f"{p} [ F<={k} {a} ]", "U<=": f"{p} [ {b} U<={k} {a} ]",
            "G<=": f"{p} [ G<={k} {a} ]", "window": f"{p} [ F[{k},{most}] {a} ]",
            "R F": f"{r} [ F {a} ]", "R C<=": f"{r} [ C<={k} ]", "R C": f"{r} [ C ]",
            "R I": f"{r} [ I={k} ]", "S": f"{who}S{best}=? [ {a} ]", "R S": f"{r} [ S ]",
        }[self.kind]  # fmt: skip

    @property
    def text(self) -> str:
        """The same, of all states by a filter or of the first state."""
        return f"filter({self.filter}, {self.asked}, true)" if self.filter else self.asked

    # Answers -----------------------------------------------------------------------------------

    def truth(self) -> Sequence[Number] | None:
        """The answer from every state; None where there is no reference."""
        if self.kind in ("X", "F<=", "U<=", "G<=", "window", "R C<=", "R I"):
            return self._bounded()
        return decide.value(self.model, self.sides, self._worth)

    def _bounded(self) -> Sequence[Number]:
        """Backward, step by step."""
        size, k = self.model.size, self.k
        inside = [ONE if s in self.a else ZERO for s in range(size)]
        state = self.model.state_rewards.get(self.reward, [ZERO] * size)
        if self.kind == "X":
            return self._step(inside)
        if self.kind == "R I":
            value = list(state)
            for _ in range(k):
                value = self._step(value)
            return value
        if self.kind == "R C<=":
            value = [ZERO] * size
            for _ in range(k):
                value = self._step(value, earned=True)
            return value
        if self.kind == "G<=":
            value = inside
            for _ in range(k):
                value = [v if s in self.a else ZERO for s, v in enumerate(self._step(value))]
            return value
        through = self.b if self.kind == "U<=" else set(range(size))
        value = inside
        steps = self.most - k if self.kind == "window" else k
        for _ in range(steps):
            after = self._step(value)
            value = [
                ONE if s in self.a else after[s] if s in through else ZERO for s in range(size)
            ]
        if self.kind == "window":
            for _ in range(k):
                value = self._step(value)
        return value

    def _step(self, value: Vector, earned: bool = False) -> Vector:
        found = []
        for s, choices in enumerate(self.model.choices):
            best = max if self.sides[self.model.owner[s]] else min
            own = self.model.state_rewards[self.reward][s] if earned else ZERO
            found.append(
                best(
                    sum((p * value[t] for p, t in c.outcomes), ZERO)
                    + (own + c.earns.get(self.reward, ZERO) if earned else ZERO)
                    for c in choices
                )
            )
        return found

    def _worth(self, picks: list[int]) -> Sequence[Number]:
        state = self.model.state_rewards.get(self.reward, [ZERO] * self.model.size)
        earned = [
            state[s] + c[picks[s]].earns.get(self.reward, ZERO)
            for s, c in enumerate(self.model.choices)
        ]
        return self.of_chain(chain_of(self.model, picks), earned, self.a, self.b)

    def of_chain(self, chain: Chain, earned: Vector, a: set[int], b: set[int]) -> Sequence[Number]:
        """The answer, without a bound on steps, in every state of a chain."""
        size = len(chain)
        if self.kind == "F":
            return reach(chain, a)
        if self.kind == "U":
            return reach(chain, a, b)
        if self.kind == "G":
            return [ONE - v for v in reach(chain, set(range(size)) - a)]
        if self.kind in ("S", "R S"):
            gain = [ONE if s in a else ZERO for s in range(size)] if self.kind == "S" else earned
            return _means(chain, gain)
        if self.kind == "R C":
            return [math.inf if v is None else v for v in totals(chain, earned, set())]
        sure = reach(chain, a)
        spent = totals(chain, earned, a)
        return [v if v is not None and sure[s] == 1 else math.inf for s, v in enumerate(spent)]


def _means(chain: list[Any], gain: Vector) -> Vector:
    """The mean of a step in the long run, from every state."""
    worth = {}
    for one in closed_classes(chain):
        states = sorted(one)
        place = {s: i for i, s in enumerate(states)}
        rows: list[dict[int, Fraction]] = [{} for _ in states]
        for s in states:  # π (P - I) = 0, with the last equation replaced by Σ π = 1
            rows[place[s]][place[s]] = rows[place[s]].get(place[s], ZERO) - 1
            for p, t in chain[s]:
                row = rows[place[t]]
                row[place[s]] = row.get(place[s], ZERO) + p
        rows[-1] = dict.fromkeys(range(len(states)), ONE)
        rows = [{c: v for c, v in row.items() if v} for row in rows]
        right = [[ZERO] for _ in states]
        right[-1] = [ONE]
        share = [v[0] for v in solve(rows, right)]
        mean = sum((share[place[s]] * gain[s] for s in states), ZERO)
        worth |= {s: [mean] for s in one}
    return [v[0] for v in chances(chain, worth)]


def texts(program: Program, data: dict[str, Any]) -> list[str]:
    """All questions as text."""
    model = program.plain()
    return [Question(program, model, one).text for one in data["questions"]]


def grind(data: dict[str, Any], tally: Tally) -> None:
    """Ask everything about one model."""
    program = Program(data)
    model = program.plain()
    if model.size > 12:
        return
    asked = []
    for one in data["questions"]:
        question = Question(program, model, one)
        if "{" in question.text and not data["rewards"]:
            continue
        try:
            truth = question.truth()
        except decide.TooMany:
            continue
        if truth is not None:
            asked.append((question, truth))
    if program.data["type"] != "smg":
        plain = [(q.kind, q.asked, t[model.start]) for q, t in asked if q.kind in storm.KINDS]
        tally.attempt(storm.ask_storm, program.text, plain, tally)
    for exact in (True, False):
        try:
            together = list(check(program.text, *(q.text for q, _ in asked), exact=exact))
        except Exception:  # each by itself, then
            together = [None] * len(asked)  # type: ignore[list-item]
        for (question, truth), found in zip(asked, together, strict=True):
            tally.attempt(ask_property, program, question, truth, exact, found, tally)
            if question.filter in ("", "printall"):
                tally.attempt(ask_strategy, program, question, truth, exact, tally)
            if question.filter in ("", "min"):
                tally.attempt(ask_bound, program, question, truth[model.start], exact, tally)
    if "file" in data:
        from grind.file_questions import ask_file

        tally.attempt(ask_file, program, model, data, tally)
    if data.get("wins"):
        from grind.played import ask_played

        tally.attempt(ask_played, program, model, data, tally)


def ask_property(
    program: Program,
    question: Question,
    truth: Sequence[Number],
    exact: bool,
    found: Any,
    tally: Tally,
) -> None:
    """One question, in fractions or with bounds, unless it has been asked already."""
    if found is None:
        [found] = check(program.text, question.text, exact=exact)
    name, model = f"{question.type} {question.kind}{'' if exact else ' certified'}", question.model
    if question.filter == "":
        tally.number(name, found.answer, truth[model.start])
        return
    if question.filter != "printall":
        combine: Callable[[Any], Any] = {"min": min, "max": max, "sum": sum, "avg": _average}[
            question.filter
        ]
        tally.number(f"filter {question.filter}", found.answer, combine(truth))
        return
    said = {tuple(_numbers(state)): answer for state, answer in found.answer}
    tally.same(f"{question.type} states", sorted(said), sorted(model.names))  # type: ignore[type-var]
    for state, value in zip(model.names, truth, strict=True):
        if state in said:
            tally.number(name, said[state], value)


def ask_bound(
    program: Program, question: Question, truth: Number, exact: bool, tally: Tally
) -> None:
    """Whether a number is above or below a bound that is the truth, or a hair beside it.

    The same inside of another question: the chance to be where it holds is 1 at once, or 0.
    """
    if math.isinf(truth) or (question.kind in ("S", "R S") and question.type != "dtmc"):
        return  # long-run means of decisions have no fractions to decide by
    hair = question.data["hair"]
    bound = truth + (HAIRS[hair] if hair >= 0 else -HAIRS[-hair])
    if bound < 0 or (question.kind[0] in "FUXGwS" and bound > 1):
        return
    if len(str(bound)) > 900:
        return  # the language has an end
    relation = list(RELATIONS)[question.data["relation"] % len(RELATIONS)]
    text = question.asked.replace("=?", f"{relation}{bound}")
    expected = RELATIONS[relation](truth, bound)
    [found] = check(program.text, text, exact=exact)
    tally.same(f"{question.type} bound{'' if exact else ' certified'}", found.answer, expected)
    best = "" if question.type == "dtmc" else "max"
    [found] = check(program.text, f"P{best}=? [ F<=0 {text} ]", exact=exact)
    tally.number(f"{question.type} nested", found.answer, ONE if expected else ZERO)


def ask_strategy(
    program: Program, question: Question, truth: Sequence[Number], exact: bool, tally: Tally
) -> None:
    """The best choices are worth what is claimed: in fractions, or but for 1e-9 of it."""
    if question.kind not in ("F", "U", "G", "R F", "R C") or question.type == "dtmc":
        return
    answers = check(program.text, question.asked, exact=exact, picks=True)
    picks, process = answers[0].picks, answers.experiments[0].loaded.process
    if picks is None:
        return
    names = [tuple(_numbers(process.describe(s))) for s in range(process.states)]
    chosen = [
        int(c) if first <= c < last else int(first)
        for c, first, last in zip(picks, process.choice[:-1], process.choice[1:], strict=True)
    ]
    chain = [
        [(process.chance.fraction(e), int(process.col[e]))
         for e in range(int(process.row[c]), int(process.row[c + 1]))]
        for c in chosen
    ]  # fmt: skip
    rewards = process.rewards[question.reward] if question.kind[0] == "R" else None
    earned = [ZERO] * process.states
    if rewards is not None and rewards.state is not None:
        earned = [rewards.state.fraction(s) for s in range(process.states)]
    if rewards is not None and rewards.choice is not None:
        earned = [e + rewards.choice.fraction(c) for e, c in zip(earned, chosen, strict=True)]
    a, b = (
        {s for s, name in enumerate(names) if program.holds(question.data[key], name)}
        for key in ("a", "b")
    )
    found = question.of_chain(chain, earned, a, b)
    kind = f"{question.type} {question.kind} strategy"
    worth = dict(zip(question.model.names, truth, strict=True))
    for name, value in zip(names, found, strict=True):
        if exact:
            tally.same(f"{kind}, exact", value, worth[name])
            continue
        off = CLOSE * max(1.0, float(worth[name]))
        near = value == worth[name] or abs(float(value) - float(worth[name])) <= off
        tally.same(kind, near or (float(value), float(worth[name])), True)


def _average(values: Sequence[Any]) -> Any:
    return sum(values) / len(values)


def _numbers(state: Any) -> list[int]:
    """The values of a state that is shown as text: x0=1, x1=2."""
    return [int(part.split("=")[1]) for part in str(state).split(",")]
