"""Random programs, and what the reference interpreter makes of them."""

from collections import defaultdict
from fractions import Fraction
from random import Random
from typing import Any

from oddsmith.model.model import Model
from oddsmith.rules.prism import interpret
from oddsmith.rules.prism.elaborate import elaborate
from oddsmith.rules.prism.parse import parse_model
from oddsmith.rules.prism.program import Program
from oddsmith.rules.prism.source import Source


def program_of(text: str, **constants: Any) -> Program:
    source = Source(text, "model.prism")
    return elaborate(parse_model(source), source, constants)


class Writer:
    """Writes the source of a random program."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        pick = self.random
        self.kind = pick.choice(["dtmc", "mdp", "mdp", "smg"])
        self.modules = 1 if self.kind == "smg" else pick.randint(1, 3)
        self.numbers: list[tuple[str, int, int, int]] = []
        self.truths: list[tuple[str, int]] = []

    def source(self) -> str:
        pick = self.random
        bodies = []
        for m in range(self.modules):
            for i in range(pick.randint(1, 3)):
                low = pick.choice([0, 0, 1, -3, -100000])
                high = low + pick.choice([0, 1, 2, 3, 5, 2**30])
                self.numbers.append((f"v{m}{i}", low, high, m))
            if pick.random() < 0.6:
                self.truths.append((f"b{m}", m))
        actions = ["", "", "a", "b", "c"]
        for m in range(self.modules):
            lines = [
                f"  {name} : [{low}..{high}] init {min(high, low + 1)};"
                for name, low, high, owner in self.numbers
                if owner == m
            ]
            lines += [f"  {name} : bool init false;" for name, owner in self.truths if owner == m]
            for _ in range(pick.randint(1, 8)):
                lines.append(f"  [{pick.choice(actions)}] {self.guard()} -> {self.updates(m)};")
            if self.kind == "smg":
                lines += [f"  [{action}] false -> true;" for action in "abc"]
            bodies.append(f"module m{m}\n" + "\n".join(lines) + "\nendmodule")
        labels = "".join(f'label "l{i}" = {self.guard()};\n' for i in range(2))
        players = "player p\n m0, [a]\nendplayer\nplayer q\n [b], [c]\nendplayer\n"
        named = next((action for action in "abc" if f"[{action}]" in "".join(bodies)), "")
        rewards = (
            f'rewards "r"\n {self.guard()} : {self.fraction()};\n true : {self.fraction()};\n'
            f" [{named}] {self.guard()} : {self.fraction()};\n [] true : 1/3;\nendrewards\n"
        )
        players = players if self.kind == "smg" else ""
        return f"{self.kind}\n{players}" + "\n".join(bodies) + "\n" + labels + rewards

    def guard(self) -> str:
        pick = self.random
        kind = pick.randrange(9)
        if kind < 4 or (kind < 6 and not self.truths):
            name, low, high, _ = pick.choice(self.numbers)
            value = pick.randint(low - 1, min(high, low + 5) + 1)
            return f"{name}{pick.choice(['=', '=', '!=', '<', '<=', '>', '>='])}{value}"
        if kind < 6:
            return pick.choice(["", "!"]) + pick.choice(self.truths)[0]
        if kind == 6:
            return f"({self.guard()} {pick.choice(['&', '|', '=>', '<=>', '&'])} {self.guard()})"
        if kind == 7:
            return f"({self.guard()} ? {self.guard()} : {self.guard()})"
        operator = pick.choice(["=", "<", ">="])
        return f"{self.fraction()} {operator} {self.fraction()}"

    def whole(self) -> str:
        pick = self.random
        name, low, _, _ = pick.choice(self.numbers)
        return pick.choice(
            [
                name,
                f"({name}-{low})",
                str(pick.randint(-2, 3)),
                f"mod({name}, {pick.randint(1, 4)})",
                f"min({name}, {pick.choice(self.numbers)[0]})",
                f"max({name}, {pick.choice(self.numbers)[0]}, 1)",
                f"floor({name}/{pick.choice([2, 3, -2])})",
                f"ceil(({name}+1)/2)",
                f"round({name}/4)",
            ]
        )

    def fraction(self) -> str:
        pick = self.random
        name, low, _, _ = pick.choice(self.numbers)
        return pick.choice(
            [
                f"({name}-{low})/{pick.randint(1, 7)}",
                f"1/(1+{name}-{low})",
                f"({name}={low} ? 0 : 2/({name}-{low}))",
                "0.125",
                f"pow(1/(2+{name}-{low}), 2)",
                f"max(1/3, 1/(1+{name}-{low}))",
            ]
        )

    def updates(self, module: int) -> str:
        pick = self.random
        many = pick.choice([1, 1, 2, 2, 3])
        if many == 1:
            return pick.choice(["", "1 : "]) + self.assignments(module)
        chances = {
            2: ["0.25", "0.75"],
            3: ["1/6", "1/2", "1/3"],
        }[many]
        if many == 2 and pick.random() < 0.6:
            name, low, high, _ = pick.choice(self.numbers)
            size = min(high - low, 9) + 1
            chance = pick.choice(
                [
                    f"min({name}-{low}, {size})/{size}",
                    f"1/(1+{name}-{low})",
                    f"({name}>0 ? 1 : 0.5)",
                ]
            )
            chances = [chance, f"1-{chance}"]
        return " + ".join(f"{chance} : {self.assignments(module)}" for chance in chances)

    def assignments(self, module: int) -> str:
        pick = self.random
        parts = []
        for name, low, high, owner in self.numbers:
            if owner == module and pick.random() < 0.7:
                size = min(high - low, 4)
                parts.append(
                    pick.choice(
                        [
                            f"({name}'={pick.randint(low, low + size)})",
                            f"({name}'=min({low + size}, {name}+{pick.randint(0, 2)}))",
                            f"({name}'=max({low}, {name}-{pick.randint(0, 2)}))",
                            f"({name}'={low}+mod({self.whole()}, {size + 1}))",
                            f"({name}'={name})",
                        ]
                    )
                )
        for name, owner in self.truths:
            if owner == module and pick.random() < 0.6:
                value = pick.choice(["true", "false", f"!{name}", self.guard()])
                parts.append(f"({name}'={value})")
        return "&".join(parts) or "true"


Choices = list[tuple[str, dict[tuple[int, ...], Any]]]


def reference(program: Program, most: int = 400) -> dict[tuple[int, ...], Any] | None:
    """By state: its choices (action, outcomes), and who decides; None if there are too many."""
    found: dict[tuple[int, ...], Any] = {}
    todo = list(interpret.initial_states(program))
    while todo:
        state = todo.pop()
        if state in found:
            continue
        if len(found) > most:
            return None
        options = interpret.choices(program, state)
        found[state] = options
        todo += [after for option in options for _, after in option.outcomes]
    return found


def merged(options: Any, state: tuple[int, ...], kind: str) -> list[Any]:
    """The choices in a state as a process has them, sorted."""
    rows = []
    for option in options:
        outcomes: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for chance, after in option.outcomes:
            outcomes[after] += chance
        rows.append((option.action, sorted(outcomes.items())))
    if not rows:
        rows = [("", [(state, Fraction(1))])]
    if kind == "dtmc":
        together: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for _, outcomes_of in rows:
            for after, chance in outcomes_of:
                together[after] += chance / len(rows)
        rows = [("", sorted(together.items()))]
    return sorted(rows)


def rows_of(process: Model, state: int, names: list[tuple[int, ...]]) -> list[Any]:
    """The choices in a state of a process, sorted."""
    rows = []
    for c in range(process.choice[state], process.choice[state + 1]):
        action = "" if process.action is None else process.actions[process.action[c]]
        outcomes = [
            (names[process.col[e]], process.chance.fraction(e))
            for e in range(process.row[c], process.row[c + 1])
        ]
        rows.append((action, sorted(outcomes)))
    return sorted(rows)
