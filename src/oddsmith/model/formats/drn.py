"""DRN, Storm's explicit format: one text file with everything but the variables' ranges.

    @type: MDP
    @nr_states …
    state 0 [1,0] init
    //[x=0 & b=false]
        action roll [0,1/2]
            3 : 1/6

Chances and rewards are fractions where they are known as such: Storm reads them into floats as
well as exactly (`storm --explicit-drn model.drn --exact`). The variables are in comments, which
Storm skips and `read` reads.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from oddsmith.model.amounts import Amounts
from oddsmith.model.formats.flat import (
    decimal_notes,
    with_identifiers,
    without_players,
)
from oddsmith.model.formats.numerals import texts
from oddsmith.model.formats.ordered import in_order
from oddsmith.model.formats.spell import AT_ONCE, Pieces, Tokens, number
from oddsmith.model.model import Model
from oddsmith.runtime.whole_files import replacing

NO_NAME = "__NOLABEL__"
"""The action of a choice that has none."""
LABELS = "// labels:"
"""Begins the comment with all labels, also those that no state has."""


def write(process: Model, path: Path, *, fractions: bool = True) -> tuple[str, ...]:
    """Write a process as DRN; gives notes."""
    process, notes = without_players(process, "DRN")
    process, renamed = with_identifiers(in_order(process), "DRN", [NO_NAME])
    fractions = fractions and process.chance.exact is not None
    writer = _Writer(process, fractions)
    with replacing(path) as file:
        file.write(writer.header().encode())
        for first, last in writer.stretches():
            writer.pieces.write(file, writer.states(first, last))
    return (*notes, *renamed, *decimal_notes(process, fractions))


class _Writer:
    """The tokens of a process, some states at a time."""

    def __init__(self, process: Model, fractions: bool) -> None:
        self.process = process
        self.fractions = fractions
        self.pieces = pieces = Pieces()
        self.chance = pieces.all([f" : {text}\n" for text in texts(process.chance, fractions)])
        names = [f"\taction {name or NO_NAME}" for name in process.actions]
        self.action = pieces.all(names)[process.move]
        self.indent, self.state = pieces("\t\t"), pieces("state ")
        self.end, self.nothing = pieces("\n"), pieces("")
        self.close = pieces("]")
        self.label = pieces.all([f" {name}" for name in process.labels])
        self.rewards = list(process.rewards.values())

    def header(self) -> str:
        """Everything before the first state."""
        process = self.process
        names = " ".join(process.rewards)
        return (
            f"// {' '.join(process.name.split())}, written by Oddsmith\n"
            f"{LABELS} {' '.join(process.labels)}\n"
            f"@type: {process.kind.upper()}\n"
            f"@value_type: {'rational' if self.fractions else 'double'}\n"
            f"@parameters\n\n@reward_models\n{names}\n"
            f"@nr_states\n{process.states}\n@nr_choices\n{process.choices}\n@model\n"
        )

    def stretches(self) -> list[tuple[int, int]]:
        """States from and to, so that no stretch has many transitions."""
        cuts = np.arange(0, self.process.transitions, AT_ONCE)
        firsts = np.unique(np.searchsorted(self.process.state_row, cuts, side="right") - 1)
        return list(zip(firsts.tolist(), [*firsts[1:].tolist(), self.process.states], strict=True))

    def states(self, first: int, last: int) -> Tokens:
        """All the lines of some states: state, comment, and for each choice action and outcomes."""
        process = self.process
        c0, c1 = process.choice[first], process.choice[last]
        t0, t1 = process.row[c0], process.row[c1]
        top = np.concatenate([self._heads(first, last), self._comments(first, last)], axis=1)
        actions = self._actions(c0, c1)
        outcomes = np.stack(
            [
                np.full(t1 - t0, self.indent, np.int64),
                number(process.col[t0:t1]),
                self.chance[process.chance.index[t0:t1]],
            ],
            axis=1,
        )
        # Where each line goes: after all the tokens of the lines before it.
        wide_top, wide_action, wide_outcome = top.shape[1], actions.shape[1], outcomes.shape[1]
        chooser = process.chooser[c0:c1] - first
        before = np.arange(c1 - c0) * wide_action + (process.row[c0:c1] - t0) * wide_outcome
        at_action = before + (chooser + 1) * wide_top
        state_before = np.append(before, (c1 - c0) * wide_action + (t1 - t0) * wide_outcome)
        of_state = process.choice[first:last] - c0
        at_top = state_before[of_state] + np.arange(last - first) * wide_top
        width = np.diff(process.row[c0 : c1 + 1])
        place = np.arange(t1 - t0) - np.repeat(process.row[c0:c1] - t0, width)
        at_outcome = np.repeat(at_action + wide_action, width) + place * wide_outcome
        tokens = np.empty(top.size + actions.size + outcomes.size, np.int64)
        for lines, at in ((top, at_top), (actions, at_action), (outcomes, at_outcome)):
            for i in range(lines.shape[1]):
                tokens[at + i] = lines[:, i]
        return tokens

    def _heads(self, first: int, last: int) -> Tokens:
        count = last - first
        columns = [np.full(count, self.state, np.int64), number(np.arange(first, last))]
        columns += self._earned([r.state for r in self.rewards], first, last)
        for label, there in zip(self.label, self.process.labels.values(), strict=True):
            columns.append(np.where(there[first:last], label, self.nothing))
        columns.append(np.full(count, self.end, np.int64))
        return np.stack(columns, axis=1)

    def _actions(self, first: int, last: int) -> Tokens:
        columns = [self.action[first:last]]
        columns += self._earned([r.choice for r in self.rewards], first, last)
        columns.append(np.full(last - first, self.end, np.int64))
        return np.stack(columns, axis=1)

    def _earned(self, amounts: list[Amounts | None], first: int, last: int) -> list[Tokens]:
        """` [1, 0]`, what is earned in each structure; nothing where no structure is."""
        columns = []
        zero = Amounts(np.zeros(1, np.int32), np.zeros(1), None)
        for i, earned in enumerate(amounts):
            spelled = texts(earned or zero, self.fractions)
            pieces = self.pieces.all([f"{', ' if i else ' ['}{text}" for text in spelled])
            index = np.zeros(last - first, np.int32) if earned is None else earned.index[first:last]
            columns.append(pieces[index])
        if columns:
            columns.append(np.full(last - first, self.close, np.int64))
        return columns

    def _comments(self, first: int, last: int) -> Tokens:
        valuations = self.process.valuations
        packed = valuations.packed[first:last]
        columns = []
        for i, v in enumerate(valuations.variables):
            values, index = np.unique(valuations.layout.unpack(packed, i), return_inverse=True)
            mark = " & " if i else "//["
            shown = [str(bool(x)).lower() if v.is_bool else str(x) for x in values.tolist()]
            columns.append(self.pieces.all([f"{mark}{v.name}={x}" for x in shown])[index])
        if columns:
            columns.append(np.full(last - first, self.pieces("]\n"), np.int64))
        return np.stack(columns, axis=1) if columns else np.empty((last - first, 0), np.int64)
