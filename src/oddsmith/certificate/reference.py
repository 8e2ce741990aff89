"""A PRISM program as a process, by the reference interpreter: one state at a time, in fractions.

States are numbered as a certificate numbers them, by the values of their variables, so that the two
can be compared. Slow, and independent of all that is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from oddsmith.errors import OddsmithError
from oddsmith.model.amounts import Amounts, Bools, Rewards
from oddsmith.model.model import Model
from oddsmith.model.variables import Layout, Valuations, Variable
from oddsmith.rules.prism import interpret
from oddsmith.rules.prism.expression import Expression
from oddsmith.rules.prism.program import Program
from oddsmith.runtime.progress import Progress

State = tuple[int, ...]


def reference_process(program: Program, states: Sequence[State], progress: Progress) -> Model:
    """The process on these states; an error if play leaves them."""
    number = {state: i for i, state in enumerate(states)}
    if len(number) != len(states):
        raise OddsmithError("The certificate has a state twice.")
    choice, row, col, action = [0], [0], [], []
    chance: list[Fraction] = []
    owner: list[int] = []
    dead = np.zeros(len(states), bool)
    earned: dict[str, list[Fraction]] = {one.name: [] for one in program.rewards}
    for s, state in enumerate(states):
        if s % 1000 == 999:
            progress.update("running the rules", s, len(states))
        options = interpret.choices(program, state)
        dead[s] = not options
        rows = [(option.action, _merged(option.outcomes)) for option in options]
        gains = {
            one.name: [Fraction(interpret.choice_reward(program, one, state, a)) for a, _ in rows]
            for one in program.rewards
        }
        if not rows:  # the loop of a deadlock is no command and earns nothing
            rows = [("", {state: Fraction(1)})]
            gains = {one.name: [Fraction(0)] for one in program.rewards}
        if program.kind == "dtmc":
            share = Fraction(1, len(rows))
            together = _merged([(p * share, t) for _, found in rows for t, p in found.items()])
            rows = [("", together)]
            gains = {name: [sum(each, Fraction(0)) * share] for name, each in gains.items()}
        for called, found in rows:
            for target, p in found.items():
                if target not in number:
                    shown = interpret.describe_state(program, target)
                    raise OddsmithError(f"The rules lead to {shown}, which the certificate lacks.")
                col.append(number[target])
                chance.append(p)
            row.append(len(col))
            action.append(called)
        for name, each in gains.items():
            earned[name] += each
        choice.append(len(row) - 1)
        owner.append(options[0].player if options else 0)
    initial = [number.get(state, -1) for state in interpret.initial_states(program)]
    if min(initial, default=-1) < 0:
        raise OddsmithError("The certificate lacks a state in which play can begin.")
    marked = np.zeros(len(states), bool)
    marked[initial] = True
    labels = {name: holds(e, states) for name, e in program.labels.items()}
    return Model(
        program.kind,
        np.array(choice, np.int64),
        np.array(row, np.int64),
        np.array(col, np.int32),
        Amounts.of(chance),
        np.sort(np.array(initial, np.int64)),
        _valuations(program, states),
        labels | {"init": marked, "deadlock": dead},
        {
            one.name: Rewards(
                Amounts.of([Fraction(interpret.state_reward(program, one, s)) for s in states]),
                Amounts.of(earned[one.name]),
            )
            for one in program.rewards
        },
        players=program.players,
        owner=np.array(owner, np.int8) if program.kind == "smg" else None,
        name=program.source,
    )


def _merged(outcomes: Sequence[tuple[interpret.Chance, State]]) -> dict[State, Fraction]:
    """Outcomes with those that lead to the same state together."""
    found: dict[State, Fraction] = {}
    for p, target in outcomes:
        if isinstance(p, float):
            raise OddsmithError("The chances of the model are not fractions.")
        found[target] = found.get(target, Fraction(0)) + p
    return found


def _valuations(program: Program, states: Sequence[State]) -> Valuations:
    layout = Layout([Variable(v.name, v.low, v.high, v.is_bool) for v in program.variables])
    columns = [np.array(column, np.int64) for column in zip(*states, strict=True)]
    return Valuations(layout, layout.pack(columns))


def holds(e: Expression, states: Sequence[Sequence[int]]) -> Bools:
    """Where an expression of variables holds."""
    return np.array([bool(interpret.evaluate(e, state)) for state in states], bool)


def plainly(process: Model) -> Callable[[Expression], Bools]:
    """How to say where an expression of a process's variables holds, by the interpreter."""
    states = process.valuations.rows.tolist()
    return lambda e: holds(e, states)
