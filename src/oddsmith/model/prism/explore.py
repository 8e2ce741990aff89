"""Exploration of a program: all states that play can reach, as a `Model`.

The program is compiled (`native.py`, `filler.py`) and explored as all rules are (`explorer/`); this
file words errors and adds labels and rewards: a byte a state for every label, 4 for every reward,
once the table of states is gone.

Chances are exact. Where they are not fractions (logarithms), or fractions too long for 64 bits,
the program is compiled again with chances in floating point, and all is explored anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import RuleError
from oddsmith.model.amounts import Bools, Rewards
from oddsmith.model.explorer import batch
from oddsmith.model.explorer.driver import BATCH, ROOM, Explorer, Filler
from oddsmith.model.model import Model
from oddsmith.model.prism import filler
from oddsmith.model.prism.arithmetic import NotRationalError
from oddsmith.model.prism.evaluate import StateFailureError, TooLongError, failed, truths
from oddsmith.model.prism.initial import initial_states
from oddsmith.model.prism.long_numbers import in_fractions
from oddsmith.model.prism.native import Native
from oddsmith.model.prism.rewards import Earner
from oddsmith.model.prism.slots import EXACT, REAL_CHANCES, REALS
from oddsmith.model.variables import Valuations
from oddsmith.rules.prism import interpret
from oddsmith.rules.prism.program import Program
from oddsmith.rules.prism.source import Source, without_collection
from oddsmith.runtime.progress import Progress, Silent

KINDS = {"dtmc": filler.DTMC, "mdp": filler.MDP, "smg": filler.SMG}


def explore(
    program: Program,
    *,
    max_states: int | None = None,
    progress: Progress | None = None,
    rewards: bool = True,
) -> Model:
    """All states of a program that play can reach, its labels, and (if wished) its rewards.

    Raises `LimitError` at more than `max_states` states, and where memory runs out.
    """
    for mode in (EXACT, REAL_CHANCES, REALS):
        try:
            with without_collection():
                native = Native(program, mode, rewards)
            initial = initial_states(native)
            if not len(initial):
                raise RuleError(f"init … endinit in {program.source}: no state satisfies it.")
            explorer = Explorer(ProgramFiller(native), max_states, progress or Silent())
            model = _model(native, explorer, explorer.run(initial), rewards)
            return in_fractions(program, model, decided=mode == REALS)
        except (NotRationalError, TooLongError):
            continue
    raise RuleError(f"{program.source} computes with numbers beyond 64 bits.")


class ProgramFiller(Filler):
    """A compiled program, and the tables and buffers that `filler.fill` needs besides."""

    loops = True
    too_many = ": raise the limit or make the model smaller."
    too_little = "use a machine with more memory or make the model smaller."

    def __init__(self, native: Native) -> None:
        self.native, self.program = native, native.program
        self.name, self.words = self.program.source, native.layout.words
        self.address = filler.fill.address
        self.chances = batch.EXACT if native.mode == EXACT else batch.REALS
        self.owners = self.program.kind == "smg"
        by_action = any(action is not None for _, action in native.reward_names)
        self.actions = self.program.kind != "dtmc" or by_action
        joints, slots = self.program.synchronisations, native.slots
        self.action_names = ("", *sorted({joint.action for joint in joints} - {""}))
        numbers = {name: i for i, name in enumerate(self.action_names)}
        self.numbers = np.zeros(filler.OF_PROGRAM, np.int64)
        self.numbers[:2] = native.expand, KINDS[self.program.kind]
        records = 2 * native.records_a_state + BATCH * 4
        outcomes = 2 * native.outcomes_a_state + ROOM
        parts = int(slots.parts.max(initial=1))
        arrays: dict[str, npt.NDArray[Any]] = {
            "program": self.numbers, "slot_joint": slots.joint, "slot_part": slots.part,
            "slot_first": slots.first, "slot_last": slots.last, "row_keep": slots.keep,
            "row_add": slots.add, "row_chance": slots.chance, "joint_parts": slots.parts,
            "joint_action": np.array([numbers[j.action] for j in joints], np.int32),
            "joint_player": np.array([j.player for j in joints], np.int32),
            "records": np.zeros(2 * records, np.int64),
            "outcomes": np.zeros(outcomes * (self.words + 2), np.int64),
            "ends": np.zeros(BATCH, np.int64), "group": np.zeros(parts + 1, np.int64),
            "odometer": np.zeros(parts, np.int64), "old": np.zeros(self.words, np.uint64),
        }  # fmt: skip
        at = {name: arrays[name].ctypes.data for name in ("records", "outcomes", "ends")}
        arrays["ctx"] = np.array(
            [0, 0, 0, at["records"], at["outcomes"], records, outcomes, at["ends"]], np.int64
        )
        self.arrays, self.table = arrays, batch.table_of(filler.OWN, arrays)
        self.own = self.table.ctypes.data

    def failed(self, reason: int, explorer: Explorer) -> Exception:
        """What is wrong in a state, by the interpreter, or that this mode is given up."""
        if reason == batch.TOO_LONG:
            return TooLongError()
        values = values_of(self.native, explorer.key(explorer.done))
        options = interpret.choices(self.program, values)
        if reason != filler.MIXED:
            return TooLongError()  # right in fractions of any length: too long for 64 bits
        shown = interpret.describe_state(self.program, values)
        players = sorted({option.player for option in options})
        names = " and ".join(self.program.players[p] if p >= 0 else "nobody" for p in players)
        return RuleError(
            f"In state {shown} there are choices of {names}: in a turn-based game one player "
            f"decides in each state."
        )


def values_of(native: Native, packed: npt.NDArray[np.uint64]) -> list[int]:
    """The values of the variables in a packed state."""
    return Valuations(native.layout, packed.reshape(1, -1)).values(0)


def _model(
    native: Native, explorer: Explorer, initial: npt.NDArray[np.int64], rewards: bool
) -> Model:
    """What was explored, with labels, rewards and warnings."""
    program, rules = native.program, explorer.filler
    assert isinstance(rules, ProgramFiller)
    packed = explorer.column("keys").reshape(-1, rules.words)
    dead, count = explorer.column("dead"), len(packed)
    valuations = Valuations(native.layout, packed)
    choice = explorer.column("choice")
    action = explorer.column("action") if rules.actions else None
    extra = explorer.column("extra").reshape(-1, 2)
    labels = _labels(native, valuations)
    labels["init"] = _marked(count, initial)
    labels["deadlock"] = _marked(count, dead)
    earned: dict[str, Rewards] = {}
    if rewards:
        earner = Earner(
            program, native.machine, native.reward_names, rules.action_names, valuations, choice,
            action, extra, labels["deadlock"],
        )  # fmt: skip
        for r, structure in enumerate(program.rewards):
            earned[structure.name] = earner.rewards(r)
    decides = program.kind != "dtmc"
    made = Model(
        kind=program.kind,
        choice=choice,
        row=explorer.column("row"),
        col=explorer.column("col"),
        chances=explorer.numbers.amounts(explorer.column("chance")),
        initial=np.sort(initial),
        names=valuations,
        labels=labels,
        rewards=earned,
        actions=rules.action_names if decides else ("",),
        action=action if decides else None,
        players=program.players,
        owner=explorer.column("owner") if rules.owners else None,
        name=program.source,
        notes=_notes(native, rules.numbers, packed, dead),
    )
    vars(made)["digest"] = program.digest  # it takes no look at the states
    return made


def _labels(native: Native, valuations: Valuations) -> dict[str, Bools]:
    labels = {}
    for i, (name, expression) in enumerate(native.program.labels.items()):
        try:
            labels[name] = truths(native.machine, f"label{i}", valuations.packed)
        except StateFailureError as failure:
            raise failed(expression, valuations, failure.state) from None
    return labels


def _notes(
    native: Native, numbers: npt.NDArray[np.int64], packed: npt.NDArray[np.uint64],
    dead: npt.NDArray[np.int32],
) -> tuple[str, ...]:  # fmt: skip
    """Warnings: what was mended."""
    program = native.program
    source, notes = Source(program.text, program.source), list(program.warnings)

    def values(state: int) -> Sequence[int]:
        return values_of(native, packed[state])

    def shown(state: int) -> str:
        return interpret.describe_state(program, values(state))

    if numbers[filler.UNEVEN]:
        command = program.commands[native.slots.commands[int(numbers[filler.UNEVEN_SLOT])]]
        notes.append(
            f"The chances of the command in line {source.position(command.at)[0]} do not sum "
            f"to exactly 1 in state {shown(int(numbers[filler.FIRST_UNEVEN]))}; they were scaled."
        )
    if overlaps := int(numbers[filler.OVERLAPS]):
        first = int(numbers[filler.FIRST_OVERLAP])
        lines = sorted(
            {
                source.position(program.commands[c].at)[0]
                for option in interpret.choices(program, values(first))
                for c in option.commands
            }
        )
        notes.append(
            f"In {overlaps:,} {'state' if overlaps == 1 else 'states'} several commands are "
            f"enabled, and each is taken with the same chance: in {shown(first)} those "
            f"in {_lines(lines)}."
        )
    if deadlocks := len(dead):
        notes.append(
            f"{deadlocks:,} {'deadlock state' if deadlocks == 1 else 'deadlock states'} got a "
            f"loop: {shown(int(dead[0]))}{' is one' if deadlocks > 1 else ''}."
        )
    return tuple(notes)


def _lines(lines: Sequence[int]) -> str:
    """Line numbers in words.

    >>> _lines([3]), _lines([3, 5, 9])
    ('line 3', 'lines 3, 5 and 9')
    """
    if len(lines) == 1:
        return f"line {lines[0]}"
    return f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"


def _marked(count: int, states: npt.NDArray[Any]) -> Bools:
    marks = np.zeros(count, np.bool_)
    marks[states] = True
    return marks
