"""Round trips: a model is written to a file, read again, and is the same model.

A process is first dressed in what files have trouble with: names that are words of a format or no
words at all, several initial states, states labelled "deadlock" that go on. Then it is written in
one format and read back. Everything is compared state by state, states being known by the values of
their variables; and whoever called asks the file what he has asked the model.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from grind.tally import Tally
from oddsmith.model.amounts import Amounts
from oddsmith.model.formats import write
from oddsmith.model.model import Model
from oddsmith.model.variables import Layout, Valuations
from oddsmith.properties.ask import load

FILES = ("m.drn", "m.umb", "m.prism", "m.tra", "decimals.tra")
BUILTIN = ("init", "deadlock")
ODD = ("goal", "a b", "a_b", "max", "P", "state", "action", "tau", "true", "0", "2x", "ä", "x,y",
       "s[0]", "module", "label", "deadlock_label", "model", "copy", "init_", "choice_2", "inf",
       "__NOLABEL__", "//", "@model", "[1]", "a&b", "=", "U", "endmodule", "s", "rewards", "R",
       "multi", "inf_", "sin", "exactlyOneOf", "const_", "player", "__x", "action 0", "*", "d'",
       "line\nbreak", "tab\t", "back\\slash", "e1", "1e5", "_", "init ", "F", "ceil")  # fmt: skip
NEAR = Fraction(1, 10**14)


def draw(dice: Random) -> dict[str, Any]:
    """Which file, and how the model is dressed."""
    return {"file": dice.randrange(len(FILES)), "names": dice.randrange(1 << 16),
            "initial": [dice.randrange(12) for _ in range(dice.choice([0, 0, 1, 3]))],
            "dead": [dice.randrange(12) for _ in range(dice.choice([0, 0, 1, 2]))]}  # fmt: skip


@dataclass(frozen=True)
class Trip:
    """A process before, and after."""

    before: Model
    after: Model
    path: Path
    rewards: tuple[int, ...]
    """Which reward structures, by their numbers, the file has room for."""

    @property
    def name(self) -> str:
        """The kind of file."""
        return self.path.name

    @property
    def is_exact(self) -> bool:
        """Whether fractions survive."""
        return self.name != "decimals.tra"

    @property
    def names(self) -> list[tuple[int, ...]]:
        """The values of the variables in the states of the file."""
        count, values = len(self.before.valuations.variables), self.after.valuations.values
        return [tuple(values(s)[:count]) for s in range(self.after.states)]

    def label(self, number: int) -> str:
        """What a label, by its number, is called in the file."""
        return [name for name in self.after.labels if name not in BUILTIN][number]

    def reward(self, number: int) -> str:
        """What a reward structure is called in the file; nothing if it has no room for it."""
        if number not in self.rewards:
            return ""
        return list(self.after.rewards)[self.rewards.index(number)]


def dressed(process: Model, how: dict[str, Any]) -> Model:
    """The process with odd names, other initial states, and live deadlocks."""
    dice = Random(how["names"])
    names = iter(dice.sample(ODD, len(ODD)))
    old = process.valuations.variables
    layout = Layout([replace(v, name=_called(dice, names, v.name)) for v in old])
    initial = sorted({s % process.states for s in how["initial"]}) or process.initial.tolist()
    marked = np.isin(np.arange(process.states), initial)
    dead = process.labels["deadlock"].copy()
    dead[[s % process.states for s in how["dead"]]] = True
    labels = {_called(dice, names, n): x for n, x in process.labels.items() if n not in BUILTIN}
    return replace(
        process,
        initial=np.array(initial, np.int64),
        labels={"init": marked, "deadlock": dead, **labels},
        rewards={_called(dice, names, n): r for n, r in process.rewards.items()},
        actions=tuple(_called(dice, names, n) if n else "" for n in process.actions),
        names=Valuations(layout, process.valuations.packed),
    )


def _called(dice: Random, names: Iterator[str], name: str) -> str:
    return next(names, name) if dice.random() < 0.5 else name


@contextmanager
def trip(process: Model, how: dict[str, Any], tally: Tally) -> Iterator[Trip]:
    """Write a process and read it again; compares all that there is."""
    before = dressed(process, how)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILES[how["file"] % len(FILES)]
        if path.suffix == ".tra":
            write(before, path, fractions=path.name == "m.tra")
        else:
            write(before, path)
        found = arrived(before, load(str(path)).process, path)
        compare(found, tally)
        yield found


def arrived(before: Model, after: Model, path: Path) -> Trip:
    """A trip, where PRISM source has no rewards below zero."""
    kept = [
        i
        for i, r in enumerate(before.rewards.values())
        if path.suffix != ".prism"
        or all(a is None or all(x >= 0 for x in a.exact or ()) for a in (r.state, r.choice))
    ]
    rewards = {n: r for i, (n, r) in enumerate(before.rewards.items()) if i in kept}
    return Trip(replace(before, rewards=rewards), after, path, tuple(kept))


def compare(found: Trip, tally: Tally) -> None:
    """Every state with its choices, chances, rewards and labels."""
    before, after, name = found.before, found.after, found.name
    same_kind = after.kind == before.kind or (before.kind == "smg" and after.kind == "mdp")
    tally.same(f"{name}: kind", same_kind, True)
    labels = sum(one not in BUILTIN for one in before.labels)
    players = after.kind == "smg"
    wanted, said = (_states(one, labels, players) for one in (before, after))
    if name == "m.prism":
        wanted = {s: wanted[s] for s in _reached(before, wanted)}
        dead = "deadlock_label"
        shown = [x for x in after.labels if x.startswith(dead)]
        if len(after.labels) > labels + 2 and shown:  # the label has another name there
            for one in said.values():
                one["deadlock"] = bool(after.labels[shown[-1]][one["number"]])
    tally.same(f"{name}: states", sorted(said), sorted(wanted))
    for s in wanted.keys() & said.keys():
        for part in wanted[s].keys() - {"number"}:
            ours, theirs = wanted[s][part], said[s][part]
            if not found.is_exact and part == "choices":
                paired = all(any(_near(a, b) for b in theirs) for a in ours)
                paired = paired and all(any(_near(a, b) for a in ours) for b in theirs)
                tally.same(f"{name}: {part}", paired or (s, theirs), True)
            elif not found.is_exact and part == "earned":
                tally.same(f"{name}: {part}", _near(ours, theirs) or (s, theirs), True)
            else:
                tally.same(f"{name}: {part}", (s, theirs), (s, ours))


def _states(process: Model, labels: int, players: bool) -> dict[Any, dict[str, Any]]:
    """All that is known of each state, by the values of its variables."""
    names = [tuple(process.valuations.values(s)) for s in range(process.states)]
    bits = [x for n, x in process.labels.items() if n not in BUILTIN][:labels]
    initial, owned = set(process.initial.tolist()), players and process.owner is not None
    found = {}
    for s, name in enumerate(names):
        choices = range(process.choice[s], process.choice[s + 1])
        found[name] = {
            "number": s,
            "init": s in initial and bool(process.labels["init"][s]),
            "deadlock": bool(process.labels["deadlock"][s]),
            "labels": [bool(x[s]) for x in bits],
            "earned": [_amount(r.state, s) for r in process.rewards.values()],
            "choices": sorted({_choice(process, c, names) for c in choices}),
            "owner": int(process.owner[s]) if owned and len(choices) > 1 else 0,  # type: ignore[index]
        }
    return found


def _choice(process: Model, c: int, names: list[Any]) -> Any:
    """Where a choice leads, and what it earns."""
    outcomes: dict[Any, Fraction] = {}
    for t in range(process.row[c], process.row[c + 1]):
        target = names[process.col[t]]
        outcomes[target] = outcomes.get(target, Fraction(0)) + process.chance.fraction(t)
    return (
        tuple(sorted(outcomes.items())),
        tuple(_amount(r.choice, c) for r in process.rewards.values()),
    )


def _amount(amounts: Amounts | None, i: int) -> Fraction:
    return Fraction(0) if amounts is None else amounts.fraction(i)


def _near(ours: Any, theirs: Any) -> bool:
    """Whether nested numbers are the same but for rounding, and all else is the same."""
    if isinstance(ours, Fraction):
        return isinstance(theirs, Fraction) and abs(ours - theirs) <= NEAR * abs(ours)
    if isinstance(ours, list | tuple):
        return len(ours) == len(theirs) and all(map(_near, ours, theirs))
    return bool(ours == theirs)


def _reached(process: Model, states: dict[Any, dict[str, Any]]) -> set[Any]:
    """The states that an initial one leads to, found without the program's own search."""
    todo = [name for name, one in states.items() if one["init"]]
    found = set(todo)
    while todo:
        for outcomes, _ in states[todo.pop()]["choices"]:
            for target, _ in outcomes:
                if target not in found:
                    found.add(target)
                    todo.append(target)
    return found
