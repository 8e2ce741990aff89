"""PRISM source: a process as a program that PRISM and Storm build into the same process.

The program has the variables of the process and one module. Choices that do the same are one
command: the same action, the same chances, the same effects on the variables, where an effect
leaves a variable as it is, sets it to a number, or adds a number to it. For each variable that is
tried three ways: always set, always added, or whichever of the two, number by number, is met from
more values of the variable (a throw adds, a jump sets); the fewest commands win. The guard of a
command is found by `guards`; it is right for every state of the process. Labels and rewards are
conditions on variables in the same way.

- States that are deadlocks, with a loop that earns nothing, get no command: the tool makes the loop
  and the label "deadlock" there. Other states with that label keep their commands, and the label
  gets another name.
- Several initial states are `init … endinit`, a condition that no other values satisfy.
- In a game every action belongs to a player, so it is named after both: `roll_player1`.
- Several choices of a state with the same action are told apart: `roll`, `roll_2`.
- Where two states have the same variables, a variable `copy` tells them apart.

Chances are fractions where they are known, so `-exact` and `--exact` give exact answers. A program
has the states that are reached from the initial ones, and whole numbers of 32 bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

from oddsmith.errors import LimitError, OddsmithError
from oddsmith.model import graph
from oddsmith.model.amounts import Amounts
from oddsmith.model.dense import Int64s, dense
from oddsmith.model.formats.flat import with_identifiers
from oddsmith.model.formats.guards import condition, conditions, exactly
from oddsmith.model.formats.identifiers import identifiers
from oddsmith.model.formats.numerals import program_text, texts
from oddsmith.model.formats.ordered import in_order
from oddsmith.model.model import Model
from oddsmith.model.variables import Variable
from oddsmith.runtime.whole_files import replacing

LARGEST = (1 << 31) - 1
"""The largest whole number of PRISM."""
LEAST = Fraction(1, 10**300)
"""Chances below are lost where a program is explored in floating point."""


def write(process: Model, path: Path) -> tuple[str, ...]:
    """Write a process as PRISM source; gives notes."""
    program = _Program(process)
    with replacing(path) as file:
        file.writelines(f"{line}\n".encode() for line in program.lines())
    return program.notes


def to_prism(process: Model) -> str:
    """A process as PRISM source; see the module's docstring."""
    return "\n".join([*_Program(process).lines(), ""])


class _Program:
    """A process on its way to source."""

    def __init__(self, process: Model) -> None:
        if not len(process.initial):
            raise OddsmithError(f"{process.name} has no initial state; a PRISM program needs one.")
        process, renamed = with_identifiers(in_order(process), "PRISM")
        self.process, losses = _without_losses(process)
        self.variables = list(process.valuations.variables)
        self._check_numbers()
        self.columns = [process.valuations.column(i) for i in range(len(self.variables))]
        self._tell_apart()
        self.chance = _spelled(process.chance)
        self.silent = self._silent()
        self.labels, dead = self._labels()
        self.commands = self._families()
        self.notes = (*renamed, *losses, *dead, *self._unreached())

    def _check_numbers(self) -> None:
        """Refuse what a program, explored in floating point and 32 bits, cannot have."""
        exact = self.process.chance.exact or ()
        if any(0 < x < LEAST for x in exact):
            raise LimitError(
                f"{self.process.name} has a chance below 1e-300, which PRISM programs lose: write "
                "another format, such as .drn or .umb."
            )
        for v in self.variables:
            if v.low < -LARGEST or v.high > LARGEST:
                raise LimitError(
                    f"{v.name} goes from {v.low} to {v.high}, and PRISM's whole numbers have 32 "
                    "bits: write another format, such as .drn or .umb."
                )

    def _labels(self) -> tuple[dict[str, npt.NDArray[np.bool_]], tuple[str, ...]]:
        """The labels to declare; "deadlock" by another name where it is not what PRISM means."""
        p = self.process
        labels = {name: x for name, x in p.labels.items() if name not in ("init", "deadlock")}
        if np.array_equal(p.labels["deadlock"], self.silent):
            return labels, ()
        (name,) = identifiers(["deadlock_label"], labels)
        note = (
            'In PRISM the label "deadlock" is that of states without commands; that of '
            f"{p.name} has others, and is called {name}."
        )
        return {**labels, name: p.labels["deadlock"]}, (note,)

    def _unreached(self) -> tuple[str, ...]:
        """A program has the states that are reached, and no others."""
        p = self.process
        count = p.states - int(graph.reachable(p.state_row, p.col, p.initial).sum())
        if not count:
            return ()
        return (f"Not in the program: {count:,} states that no initial one leads to.",)

    def _tell_apart(self) -> None:
        """One more variable where states share all their values."""
        packed = np.ascontiguousarray(self.process.valuations.packed)
        if not self.variables:
            packed = np.zeros((self.process.states, 1), np.uint64)
        _, same = np.unique(packed, axis=0, return_inverse=True)
        same = same.reshape(-1)
        order = np.argsort(same, kind="stable")
        begin = np.append(True, np.diff(same[order]) > 0)
        place = np.arange(len(order)) - np.maximum.accumulate(
            np.where(begin, np.arange(len(order)), 0)
        )
        copy = np.empty(len(order), np.int64)
        copy[order] = place
        if copy.any() or not self.variables:
            name = identifiers(["copy"], [v.name for v in self.variables])[0]
            self.variables.append(Variable(name, 0, int(copy.max())))
            self.columns.append(copy)

    def lines(self) -> Iterator[str]:
        """The program, line by line."""
        p = self.process
        yield f"// {' '.join(p.name.split())}, written by Oddsmith"
        yield p.kind
        yield ""
        yield from self._players()
        yield "module model"
        for v, column in zip(self.variables, self.columns, strict=True):
            begin = ""
            if len(p.initial) == 1:
                first = int(column[p.initial[0]])
                begin = f" init {str(bool(first)).lower() if v.is_bool else first}"
            yield f"  {v.name} : {'bool' if v.is_bool else f'[{v.low}..{v.high}]'}{begin};"
        yield ""
        for family in self.commands:
            yield from family.lines()
        for player in range(len(p.players) if p.kind == "smg" else 0):
            if all(family.player != player for family in self.commands):
                yield f"  [{self._idle(player)}] false -> true;"
        yield "endmodule"
        if len(p.initial) > 1:
            yield ""
            yield f"init {exactly(self.variables, self.columns, p.initial)} endinit"
        yield ""
        for name, there in self.labels.items():
            yield f'label "{name}" = {self._where(there)};'
        for name in p.rewards:
            yield from self._rewards(name)

    def _where(self, there: npt.NDArray[np.bool_]) -> str:
        return condition(self.variables, self.columns, there)

    def _players(self) -> Iterator[str]:
        p = self.process
        if p.kind != "smg":
            return
        for player, name in enumerate(p.players):
            theirs = [f"[{family.name}]" for family in self.commands if family.player == player]
            theirs = theirs or [f"[{self._idle(player)}]"]
            yield f"player {name}"
            yield f"  {', '.join(theirs)}"
            yield "endplayer"
            yield ""

    def _idle(self, player: int) -> str:
        """The action of a player who never decides: Storm wants every player to have one."""
        taken = [v.name for v in self.variables] + [family.name for family in self.commands]
        return identifiers([f"idle_{self.process.players[player]}"], taken)[0]

    def _families(self) -> list[_Family]:
        """The choices by action, by player, and by their place among those of the same action."""
        p = self.process
        action = p.move.astype(np.int64)
        behaviour = _Behaviour(self)
        player = np.zeros(p.choices, np.int64)
        if p.kind == "smg" and p.owner is not None:
            player = p.owner[p.chooser].astype(np.int64)
        order = np.lexsort((behaviour.kind, action, p.chooser))
        key = p.chooser[order].astype(np.int64) * len(p.actions) + action[order]
        begin = np.append(True, key[1:] != key[:-1])
        at = np.arange(len(order))
        rank = np.empty(len(order), np.int64)
        rank[order] = at - np.maximum.accumulate(np.where(begin, at, 0))
        found = []
        for a, who, place in sorted(
            set(zip(action.tolist(), player.tolist(), rank.tolist(), strict=True))
        ):
            mine = (action == a) & (player == who) & (rank == place) & ~self.silent[p.chooser]
            if mine.any():
                found.append(_Family(self, a, who, place, np.flatnonzero(mine), behaviour))
        self._name(found)
        return found

    def _silent(self) -> npt.NDArray[np.bool_]:
        """Deadlocks: loops that earn nothing, which the tool makes itself."""
        p = self.process
        alone = (np.diff(p.choice) == 1) & (np.diff(p.state_row) == 1)
        alone &= p.col[p.state_row[:-1]] == np.arange(p.states)
        silent: npt.NDArray[np.bool_] = np.logical_and(p.labels["deadlock"], alone)
        for rewards in p.rewards.values():
            if rewards.choice is not None:
                silent &= rewards.choice.floats[p.choice[:-1]] == 0
        return silent

    def _name(self, families: list[_Family]) -> None:
        p = self.process
        wanted = []
        for f in families:
            name = p.actions[f.action]
            if p.kind == "smg":
                name = f"{name or 'move'}_{p.players[f.player]}"
            wanted.append(f"{name or 'choice'}_{f.place + 1}" if f.place else name)
        taken = [v.name for v in self.variables]
        legal = iter(identifiers([name for name in wanted if name], taken))
        for f, name in zip(families, wanted, strict=True):
            f.name = next(legal) if name else ""

    def _rewards(self, name: str) -> Iterator[str]:
        rewards = self.process.rewards[name]
        yield ""
        yield f'rewards "{name}"'
        lines: list[str] = []
        if rewards.state is not None:
            everywhere = np.arange(self.process.states)
            lines += self._earned(rewards.state, everywhere, everywhere, "")
        if rewards.choice is not None:
            for f in self.commands:
                lines += self._earned(rewards.choice, f.choices, f.states, f"[{f.name}] ")
        yield from lines or ["  true : 0;"]  # Storm wants at least one
        yield "endrewards"

    def _earned(self, amounts: Amounts, items: Int64s, states: Int64s, mark: str) -> Iterator[str]:
        spelled = _spelled(amounts)
        columns = [column[states] for column in self.columns]
        found = conditions(self.variables, columns, amounts.index[items])
        for kind, guard in found.items():
            if amounts.values[kind] != 0:
                yield f"  {mark}{guard} : {spelled[kind]};"


class _Family:
    """The choices that one action of one player has, at most one in a state."""

    def __init__(
        self,
        program: _Program,
        action: int,
        player: int,
        place: int,
        choices: Int64s,
        behaviour: _Behaviour,
    ) -> None:
        self.program, self.action, self.player, self.place = program, action, player, place
        self.choices = choices
        self.states = program.process.chooser[choices].astype(np.int64)
        self.behaviour = behaviour
        self.name = ""

    def lines(self) -> Iterator[str]:
        """A command for each different behaviour."""
        program, kinds = self.program, self.behaviour.kind[self.choices]
        classes = np.full(program.process.states, -1, np.int64)
        classes[self.states] = kinds
        first = dict(zip(kinds[::-1].tolist(), self.choices[::-1].tolist(), strict=True))
        for kind, guard in conditions(program.variables, program.columns, classes).items():
            if kind >= 0:
                yield f"  [{self.name}] {guard} -> {self.behaviour.updates(first[kind])};"


class _Behaviour:
    """What choices do: equal numbers mean equal chances and equal effects on the variables."""

    def __init__(self, program: _Program) -> None:
        self.program = program
        p = program.process
        self.source = np.repeat(p.chooser, np.diff(p.row))
        self.adds = [np.zeros(p.transitions, bool) for _ in program.variables]
        self.kind, count = self._kinds()
        for v, variable in enumerate(program.variables):
            if variable.is_bool:
                continue
            for adds in (np.ones(p.transitions, bool), self._mixed(v)):
                before, self.adds[v] = self.adds[v], adds
                kind, fewer = self._kinds()
                if fewer < count:
                    self.kind, count = kind, fewer
                else:
                    self.adds[v] = before

    def _ends(self, v: int) -> tuple[Int64s, Int64s]:
        """What a variable is before and after each transition."""
        column = self.program.columns[v]
        return column[self.source], column[self.program.process.col]

    def _mixed(self, v: int) -> npt.NDArray[np.bool_]:
        """Where what is added is met from more values of the variable than what is set."""
        before, after = self._ends(v)
        return _spread(before, after - before) >= _spread(before, after)

    def _kinds(self) -> tuple[Int64s, int]:
        """A number for what each choice does, and how many there are.

        Choices are told apart by sums of random numbers that stand for their outcomes; two such
        sums make 126 bits, so different choices do not meet.
        """
        p = self.program.process
        code = p.chance.index.astype(np.int64)
        for v in range(len(self.adds)):
            effect = self._effect(v)
            low = int(effect.min())
            _, code = dense(code * (int(effect.max()) - low + 1) + (effect - low))
        marks = np.random.default_rng(1).integers(0, 1 << 63, (2, int(code.max()) + 1), np.uint64)
        kind = np.zeros(p.choices, np.int64)
        for mark in marks:
            _, found = np.unique(np.add.reduceat(mark[code], p.row[:-1]), return_inverse=True)
            _, kind = dense(kind * (int(found.max()) + 1) + found)
        return kind, int(kind.max()) + 1

    def _effect(self, v: int) -> Int64s:
        """A number for what each transition does to a variable; 0 leaves it as it is."""
        before, after = self._ends(v)
        set_to = 2 * (after - self.program.variables[v].low) + 1
        effect: Int64s = np.where(self.adds[v], 2 * (after - before), set_to)
        effect[after == before] = 0
        return effect

    def updates(self, choice: int) -> str:
        """The right side of a command."""
        p = self.program.process
        shown = []
        for t in range(p.row[choice], p.row[choice + 1]):
            effects = [text for v in range(len(self.adds)) if (text := self._shown(v, t))]
            shown.append((self.program.chance[p.chance.index[t]], " & ".join(effects) or "true"))
        if len(shown) == 1:
            return shown[0][1]
        return " + ".join(f"{chance}:{effect}" for chance, effect in shown)

    def _shown(self, v: int, transition: int) -> str:
        """What a transition does to a variable; nothing if it leaves it as it is."""
        column, variable = self.program.columns[v], self.program.variables[v]
        before = int(column[self.source[transition]])
        after = int(column[self.program.process.col[transition]])
        if before == after:
            return ""
        if variable.is_bool:
            return f"({variable.name}'={'true' if after else 'false'})"
        if self.adds[v][transition]:
            return f"({variable.name}'={variable.name}{after - before:+d})"
        return f"({variable.name}'={after})"


def _spread(before: Int64s, found: Int64s) -> Int64s:
    """From how many values of a variable each number is met."""
    low, wide = int(before.min()), int(before.max()) - int(before.min()) + 1
    numbers, place = dense(found)
    pairs, _ = dense(place * wide + (before - low))
    return np.bincount(pairs // wide, minlength=len(numbers))[place]


def _without_losses(process: Model) -> tuple[Model, tuple[str, ...]]:
    """The process without structures that have rewards below zero, which a program cannot say."""
    losing = [
        name
        for name, r in process.rewards.items()
        if any(a is not None and a.floats.min(initial=0.0) < 0 for a in (r.state, r.choice))
    ]
    if not losing:
        return process, ()
    kept = {name: r for name, r in process.rewards.items() if name not in losing}
    note = f"PRISM has no rewards below zero; left out: {', '.join(losing)}."
    return replace(process, rewards=kept), (note,)


def _spelled(amounts: Amounts) -> list[str]:
    """Numbers as they stand in a program."""
    if amounts.exact is None:
        return texts(amounts, fractions=False)
    return [program_text(value) for value in amounts.exact]
