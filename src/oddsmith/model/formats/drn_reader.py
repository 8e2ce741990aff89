"""DRN, read: chains and decision processes without parameters, every line checked.

The variables come from the comments after the states, where all of them say `//[x=0 & b=true]`;
otherwise the process has one variable, `s`. Names of actions that are numbers are Storm's way to
say that there are none.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

import numpy as np

from oddsmith.model.amounts import Amounts, Bools, Rewards
from oddsmith.model.formats.checked import (
    chances,
    check_count,
    check_memory,
    initial_states,
    ints,
    is_int64,
    loop_notes,
    numbered,
    valuations_of,
)
from oddsmith.model.formats.drn import LABELS, NO_NAME
from oddsmith.model.formats.numerals import Table, amounts, rounding_notes
from oddsmith.model.formats.ordered import in_order
from oddsmith.model.model import Kind, Model
from oddsmith.model.variables import Valuations
from oddsmith.runtime.whole_files import FormatError, lines, size_of

KINDS: dict[str, Kind] = {"dtmc": "dtmc", "mdp": "mdp"}
MOST_REWARDS = 1_000
TRUTHS = ("false", "true")
_VALUE = re.compile(r"([A-Za-z_]\w*)=(true|false|-?[0-9]{1,19})")


def read(path: Path) -> Model:
    """The process in a DRN file."""
    size = size_of(path)
    content = lines(path)
    reader = _Reader(path, size)
    reader.header(content)
    reader.model(content)
    return in_order(reader.process())


class _Reader:
    """A DRN file on its way to a process."""

    def __init__(self, path: Path, size: int) -> None:
        self.path, self.size = path, size
        self.kind: Kind | None = None
        self.states = 0
        self.rewards: list[str] = []
        self.table = Table()
        self.placeholders: dict[str, int] = {}
        self.actions: dict[str, int] = {}
        self.labels: dict[str, list[int]] = {"init": [], "deadlock": []}

    def fail(self, line: int, what: str) -> NoReturn:
        """Say what is wrong in a line."""
        raise FormatError(f"{self.path}:{line}: {what}.")

    def header(self, content: Iterator[tuple[int, str]]) -> None:
        """Everything up to `@model`."""
        line = 1
        section = ""
        for line, text in content:
            if text.startswith(LABELS):
                self.labels |= {name: [] for name in text[len(LABELS) :].split()}
            if text.startswith("//"):
                continue
            if text.startswith("@"):
                section, _, rest = text.partition(":")
                if section == "@model":
                    break
                self._said(line, section, rest.strip())
            elif text.strip():
                self._section(line, section, text.strip())
        else:
            self.fail(line, "the file ends before @model")
        if self.kind is None:
            self.fail(line, "@type is missing")
        if not self.states:
            self.fail(line, "@nr_states is missing, or there are none")
        check_memory(self.path, len(self.rewards) + len(self.labels), self.states)

    def _said(self, line: int, section: str, rest: str) -> None:
        if section == "@type":
            self.kind = KINDS.get(rest.lower())
            if self.kind is None:
                self.fail(line, f"a model of type {rest[:40]!r} is neither a DTMC nor an MDP")
        elif section == "@value_type":
            if rest not in ("double", "rational"):
                self.fail(line, f"values of type {rest[:40]!r} are neither double nor rational")
        elif section not in (
            "@parameters",
            "@placeholders",
            "@reward_models",
            "@nr_states",
            "@nr_choices",
        ):
            self.fail(line, f"{section[:40]!r} is not known")

    def _section(self, line: int, section: str, text: str) -> None:
        if section == "@parameters":
            self.fail(line, "models with parameters are not read")
        elif section == "@nr_states":
            self.states = self._count(line, text)
            check_count(f"{self.path}:{line}", self.states, "states", self.size, 8)
        elif section == "@nr_choices":
            check_count(f"{self.path}:{line}", self._count(line, text), "choices", self.size, 4)
        elif section == "@reward_models":
            self.rewards = text.split()
            if len(set(self.rewards)) != len(self.rewards) or len(self.rewards) > MOST_REWARDS:
                self.fail(line, "a reward structure is there twice, or there are too many")
        elif section == "@placeholders":
            name, _, value = text.partition(" : ")
            self.placeholders[name] = self._number(line, value)
        else:
            self.fail(line, f"{text[:40]!r} belongs to nothing")

    def _count(self, line: int, text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 19):
            self.fail(line, f"{text[:40]!r} is not a count")
        return int(text)

    def _number(self, line: int, text: str) -> int:
        known = text.startswith("$")
        place = self.placeholders.get(text, -1) if known else self.table(text)
        if place < 0:
            self.fail(line, f"{text[:40]!r} is not a number")
        return place

    def model(self, content: Iterator[tuple[int, str]]) -> None:
        """All the states."""
        self.choice, self.row = array("q"), array("q")
        self.target, self.place = array("q"), array("q")
        self.line, self.action = array("q"), array("q")
        self.loops: list[int] = []
        self.state_rewards = [array("q") for _ in self.rewards]
        self.choice_rewards = [array("q") for _ in self.rewards]
        self.comments: list[str] | None = []
        states = self.states
        line = 0
        for line, text in content:
            if text.startswith("//"):
                self._comment(text)
                continue
            text = text.strip()
            target, colon, value = text.partition(" : ")
            if colon:
                if not (target.isascii() and target.isdigit() and len(target) < 11):
                    self.fail(line, f"{target[:40]!r} is not the number of a state")
                if int(target) >= states:
                    self.fail(line, f"state {target} is too large: the largest is {states - 1}")
                if len(self.choice) == 0:
                    self.fail(line, "a transition before the first state")
                if self.choice[-1] == len(self.row):
                    self._choice(line, "")
                self.target.append(int(target))
                self.place.append(self._number(line, value.strip()))
            elif text.startswith("action "):
                if len(self.choice) == 0:
                    self.fail(line, "an action before the first state")
                self._choice(line, text[7:])
            elif text.startswith("state "):
                self._close()
                self._state(line, text[6:])
            elif text:
                self.fail(line, f"{text[:40]!r} is no state, no action and no transition")
        self._close()
        if len(self.choice) != states:
            self.fail(max(line, 1), f"{states:,} states announced, {len(self.choice):,} found")

    def _close(self) -> None:
        """After a state: a loop if it has no choices, an error if a choice has no outcomes."""
        if not len(self.choice):
            return
        if self.choice[-1] == len(self.row):
            state = len(self.choice) - 1
            self.loops.append(state)
            self._choice(0, "")
            self.target.append(state)
            self.place.append(self.table.add(Fraction(1)))
        self._check_outcomes()

    def _check_outcomes(self) -> None:
        if len(self.row) and self.row[-1] == len(self.target):
            self.fail(int(self.line[-1]), "this action leads nowhere")

    def _state(self, line: int, text: str) -> None:
        number, _, rest = text.partition(" ")
        state = len(self.choice)
        if number != str(state) or state >= self.states:
            self.fail(line, f"state {state} of {self.states} is expected, not {number[:40]!r}")
        self.choice.append(len(self.row))
        rest = self._earned(line, rest, self.state_rewards)
        for quoted, plain in re.findall(r'"([^"]+)"|([^\s"]+)', rest):
            name = quoted or plain
            if name not in self.labels:
                self.labels[name] = []
                check_memory(self.path, len(self.labels), self.states)
            self.labels[name].append(state)

    def _choice(self, line: int, text: str) -> None:
        if self.choice[-1] < len(self.row):
            self._check_outcomes()
        if self.kind == "dtmc" and self.choice[-1] < len(self.row):
            self.fail(line, "a state of a DTMC has one action")
        name, _, rest = text.partition(" ")
        if name == NO_NAME or name.isdigit():
            name = ""
        self.action.append(self.actions.setdefault(name, len(self.actions)))
        self.row.append(len(self.target))
        self.line.append(line)
        if self._earned(line, rest, self.choice_rewards).strip():
            self.fail(line, f"{rest[:40]!r} after an action are no rewards")

    def _earned(self, line: int, text: str, into: list[array[int]]) -> str:
        """Rewards in square brackets, as far as there are; gives the rest."""
        given: list[str] = []
        if text.startswith("["):
            inside, bracket, text = text[1:].partition("]")
            if not bracket:
                self.fail(line, "] is missing")
            given = inside.split(",")
        while len(self.rewards) < len(given):
            if len(given) > MOST_REWARDS:
                self.fail(line, "there are too many rewards")
            self._unnamed()
        for i, rewards in enumerate(into):
            rewards.append(self._number(line, given[i].strip()) if i < len(given) else -1)
        return text

    def _unnamed(self) -> None:
        """One more reward structure, which the header does not name."""
        check_memory(self.path, len(self.rewards) + 1, self.states)
        self.rewards.append(f"rew{len(self.rewards)}")
        self.state_rewards.append(array("q", [-1]) * max(len(self.choice) - 1, 0))
        self.choice_rewards.append(array("q", [-1]) * max(len(self.row) - 1, 0))

    def _comment(self, text: str) -> None:
        if self.comments is None:
            return
        found = text[3:-1] if text.startswith("//[") and text.endswith("]") else ""
        if found and len(self.comments) == len(self.choice) - 1:
            self.comments.append(found)
        elif found:
            self.comments = None

    def process(self) -> Model:
        """The process that was read."""
        assert self.kind is not None
        choice = np.append(ints(self.choice), len(self.row)).astype(np.int64)
        row = np.append(ints(self.row), len(self.target)).astype(np.int64)
        chooser = np.repeat(np.arange(self.states), np.diff(choice))
        chance, notes = chances(
            row,
            ints(self.place),
            self.table.exact,
            chooser,
            lambda c: f"{self.path}:{self.line[c]}",
        )
        labels = {name: _set(self.states, found) for name, found in self.labels.items()}
        labels["deadlock"][self.loops] = True
        initial = initial_states(self.path, labels)
        notes += loop_notes(len(self.loops)) + rounding_notes(self.table)
        rewards = {
            name: Rewards(self._amounts(state), self._amounts(of_choice))
            for name, state, of_choice in zip(
                self.rewards, self.state_rewards, self.choice_rewards, strict=True
            )
        }
        return Model(
            kind=self.kind,
            choice=choice,
            row=row,
            col=ints(self.target).astype(np.int32),
            chances=chance,
            initial=initial,
            names=self._valuations(),
            labels=labels,
            rewards=rewards,
            actions=tuple(self.actions),
            action=ints(self.action).astype(np.int32),
            name=self.path.name,
            notes=notes,
            rounded=bool(self.table.suspect),
        )

    def _amounts(self, places: array[int]) -> Amounts | None:
        """What is earned; None where it is nothing everywhere."""
        table = Table()
        zero = table.add(Fraction(0))
        found = ints(places)
        used, index = np.unique(found, return_inverse=True)
        renumbered = [zero if k < 0 else table.add(self.table.exact[k]) for k in used.tolist()]
        if len(table.exact) == 1:
            return None
        return amounts(np.array(renumbered, np.int32)[index], table.exact)

    def _valuations(self) -> Valuations:
        """The variables in the comments, if all states have the same ones."""
        if self.comments is None or len(self.comments) != self.states:
            return numbered(self.states)
        kinds: list[tuple[str, bool]] = []
        values = array("q")
        for state, comment in enumerate(self.comments):
            found = [_VALUE.fullmatch(part.strip()) for part in comment.split("&")]
            said = [(one[1], one[2]) for one in found if one]
            shown = [(name, text in TRUTHS) for name, text in said]
            if not state:
                kinds = shown
            right = all(text in TRUTHS or is_int64(text) for _, text in said)
            if len(said) != len(found) or shown != kinds or not right:
                return numbered(self.states)
            values.extend(TRUTHS.index(x) if x in TRUTHS else int(x) for _, x in said)
        names, truths = [name for name, _ in kinds], [truth for _, truth in kinds]
        if len(set(names)) != len(names):
            return numbered(self.states)
        table = ints(values).reshape(self.states, len(names))
        return valuations_of(names, [table[:, i] for i in range(len(names))], truths)


def _set(states: int, members: list[int]) -> Bools:
    found = np.zeros(states, bool)
    found[members] = True
    return found
