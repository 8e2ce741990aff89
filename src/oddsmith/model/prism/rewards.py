# mypy: disable-error-code="untyped-decorator"
"""The rewards of a program's states and choices, compiled, block by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.ahead import kernel
from oddsmith.errors import RuleError
from oddsmith.model.amounts import Bools, Rewards
from oddsmith.model.explorer.numbers import MANY, Numbers, add_fractions, times_fractions
from oddsmith.model.native.machine import Machine
from oddsmith.model.prism.evaluate import StateFailureError, amounts, call_each
from oddsmith.model.variables import Valuations
from oddsmith.rules.prism.interpret import describe_state, evaluate
from oddsmith.rules.prism.program import Program, RewardStructure
from oddsmith.rules.prism.source import Rejected, Source


@kernel
def add_means(merged: Any, pairs: Any, reals: Any, begin: Any, to: Any, to_reals: Any) -> None:
    """The mean of the rewards of choices merged into one: exact, or a double if too long."""
    i = 0
    while i < len(merged):
        choice, num, den, real, k = merged[i, 0], np.int64(0), np.int64(1), 0.0, 0
        exact = True
        while i < len(merged) and merged[i, 0] == choice:
            if pairs[2 * i + 1] == 0:
                exact = False
                real += reals[2 * i]
            else:
                real += pairs[2 * i] / pairs[2 * i + 1]
                if exact:
                    num, den, exact = add_fractions(num, den, pairs[2 * i], pairs[2 * i + 1])
            k += 1
            i += 1
        if exact:
            num, den, exact = times_fractions(num, den, 1, k)
        at = 2 * (choice - begin)
        if exact:
            to[at] = num
            to[at + 1] = den
        else:
            to_reals[at] = real / k
            to[at + 1] = 0


@dataclass(frozen=True)
class Earner:
    """What rewards are computed from: the compiled program and its choices."""

    program: Program
    machine: Machine
    functions: Mapping[tuple[int, str | None], str]
    """By structure and action (None: state rewards), the compiled sum of its items."""
    actions: Sequence[str]
    valuations: Valuations
    choice: npt.NDArray[np.int64]
    action: npt.NDArray[np.int32] | None
    """The action of every choice; -1 where several were merged into one."""
    merged: npt.NDArray[np.int64]
    """(choice, action) for every choice merged into another."""
    dead: Bools
    """Deadlocks: the loop that one gets is no command, and earns nothing but its state's reward."""

    def rewards(self, number: int) -> Rewards:
        """One reward structure."""
        structure = self.program.rewards[number]
        state = None
        if (number, None) in self.functions:
            packed = self.valuations.packed
            try:
                state, negative = amounts(self.machine, self.functions[number, None], packed)
            except StateFailureError as failure:
                raise self._error(structure, failure.state, None) from None
            if negative >= 0:
                raise self._error(structure, negative, None)
        acting = {a: f for (r, a), f in self.functions.items() if r == number and a is not None}
        if not any(action in self.actions for action in acting):
            return Rewards(state=state)
        return Rewards(state=state, choice=self._choice_rewards(structure, acting))

    def _choice_rewards(self, structure: RewardStructure, acting: dict[str, str]) -> Any:
        assert self.action is not None
        index = np.empty(len(self.action), np.int32)
        numbers = Numbers()
        packed = self.valuations.packed
        for first in range(0, len(packed), MANY):
            last = min(len(packed), first + MANY)
            begin, end = int(self.choice[first]), int(self.choice[last])
            states = np.repeat(np.arange(last - first), np.diff(self.choice[first : last + 1]))
            action = np.where(self.dead[first + states], -1, self.action[begin:end])
            pairs = np.zeros((end - begin, 2), np.int64)
            pairs[:, 1] = 1
            rows = slice(*np.searchsorted(self.merged[:, 0], (begin, end)))
            merged = self.merged[rows]
            parts = np.zeros((len(merged), 2), np.int64)
            parts[:, 1] = 1
            earned = np.empty((last - first, 2), np.int64)
            for name, function in acting.items():
                if name not in self.actions:
                    continue
                number = self.actions.index(name)
                chosen = np.flatnonzero(action == number)
                chosen_parts = np.flatnonzero(merged[:, 1] == number)
                if not len(chosen) and not len(chosen_parts):
                    continue
                whose, whose_parts = states[chosen], states[merged[chosen_parts, 0] - begin]
                acts = np.zeros(last - first, np.bool_)
                acts[whose] = acts[whose_parts] = True
                where = np.flatnonzero(acts)
                earned[where] = self._earned(function, structure, name, first + where)
                pairs[chosen] = earned[whose]
                parts[chosen_parts] = earned[whose_parts]
            flat, flat_parts = pairs.reshape(-1), parts.reshape(-1)
            add_means(
                merged, flat_parts, flat_parts.view(np.float64), begin, flat, flat.view(np.float64)
            )
            found = numbers.add(flat, index[begin:end])
            if found >= 0:
                raise self._error(structure, first + int(states[found]), "")
        return numbers.amounts(index)

    def _earned(
        self, function: str, structure: RewardStructure, action: str, states: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """What an action earns in some states that have it."""
        pairs = np.empty((len(states), 2), np.int64)
        try:
            call_each(self.machine, function, self.valuations.packed[states], pairs)
        except StateFailureError as failure:
            raise self._error(structure, int(states[failure.state]), action) from None
        return pairs

    def _error(self, structure: RewardStructure, state: int, action: str | None) -> RuleError:
        """What is wrong with the rewards of a state: an item without a value, or a negative one."""
        values = self.valuations.values(state)
        shown = describe_state(self.program, values)
        source = Source(self.program.text, self.program.source)
        for item in structure.items:
            if (item.action is None) != (action is None):
                continue
            try:
                if evaluate(item.guard, values) and (earned := evaluate(item.value, values)) < 0:
                    why = f"this reward is {earned}, below zero."
                    return source.error(f"In state {shown}: {why}", item.at)
            except Rejected as rejected:
                return source.error(f"In state {shown}: {rejected.message}", rejected.at)
        return RuleError(f"In state {shown} a reward has numbers beyond 64 bits.")
