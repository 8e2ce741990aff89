"""Random PRISM models as data: their text, and the plain model that the text means.

A module has one variable. A command has an action (0: none), a guard that is a conjunction, and
branches; the first of them may have a tiny chance. In a game (`smg`) one module has a second
variable that says whose turn it is. The plain model is made from the data, not from the text.
"""

from __future__ import annotations

import copy
import itertools
from fractions import Fraction
from random import Random
from typing import Any

from grind import round_trip
from grind.plain import Choice, Plain

OPERATORS = ("=", "!=", "<=", ">=")
PLAYERS = ("red", "blue")
TINY = (3, 6, 9, 12, 16, 30, 90, 160, 290)
"""Chances are down to 10 to the minus so much; those of several modules multiply."""
State = tuple[int, ...]


def draw(dice: Random) -> dict[str, Any]:
    """A random model and questions about it."""
    from grind.properties import draw as draw_question

    kind = dice.choice(["dtmc", "dtmc", "mdp", "mdp", "smg"])
    modules = 1 if kind == "smg" else dice.choice([1, 1, 2, 2, 3])
    tiny = dice.random() < 0.35
    made = []
    for _ in range(modules):
        high = dice.randint(2, 5) if modules == 1 else dice.randint(1, 2)
        commands = [_command(dice, modules, tiny) for _ in range(dice.randint(1, 2 + 2 * high))]
        if tiny and dice.random() < 0.6:  # a choice that comes to the same, but slowly, or nearly
            twin = copy.deepcopy(dice.choice(commands))
            twin["slow"] = dice.choice([0, 6, 12, 13])
            twin["branches"][0][0] += dice.choice([0, 1])
            commands.insert(dice.randrange(len(commands) + 1), twin)
        made.append({"high": high, "init": dice.randrange(2), "commands": commands})
    rewards = [[_reward(dice, modules) for _ in range(dice.randint(1, 3))] for _ in range(2)]
    data = {"type": kind, "modules": made, "rewards": rewards}
    data["questions"] = [draw_question(dice, modules) for _ in range(6)]
    file = round_trip.draw(dice)
    return data | {
        "file": file,
        "wins": [_guard(dice, modules, 2) for _ in range(dice.choice([1, 2]))],
    }


def _command(dice: Random, modules: int, tiny: bool) -> dict[str, Any]:
    branches = [
        [
            dice.randint(1, 5),
            dice.choice([0, 0, 1, 1, 1, 2, 3]),
            dice.randrange(6),
            dice.randrange(2),
        ]
        for _ in range(dice.choice([1, 2, 2, 3]))
    ]
    exponent = dice.choice(TINY) if tiny and dice.random() < 0.5 else 0
    return {"action": dice.choice([0, 0, 1, 2]), "guard": _guard(dice, modules, 2),
            "branches": branches, "tiny": exponent, "player": dice.randrange(2)}  # fmt: skip


def _reward(dice: Random, modules: int) -> dict[str, Any]:
    return {"state": dice.random() < 0.5, "action": dice.randrange(3),
            "guard": _guard(dice, modules, 1), "amount": dice.randrange(5),
            "over": dice.choice([1, 1, 2, 3, 7])}  # fmt: skip


def _guard(dice: Random, modules: int, most: int) -> list[list[int]]:
    many = dice.randint(0, most)
    return [[dice.randrange(modules), dice.randrange(4), dice.randrange(5)] for _ in range(many)]


class Program:
    """The data of a model, read."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data, self.game = data, data["type"] == "smg"
        self.modules = data["modules"][:1] if self.game else data["modules"]
        self.modules = self.modules or [{"high": 1, "init": 0, "commands": []}]
        self.highs = [min(6, max(1, one["high"])) for one in self.modules]

    # Text ------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The model in the PRISM language."""
        parts = [self.data["type"]]
        for m, one in enumerate(self.modules):
            first = min(one["init"], self.highs[m])
            lines = [f"x{m} : [0..{self.highs[m]}] init {first};"]
            if self.game:
                lines.append("t : [0..1] init 0;")
            lines += [self._command(m, i, c) for i, c in enumerate(self.commands(m))]
            parts.append(f"module m{m}\n  " + "\n  ".join(lines) + "\nendmodule")
        if self.game:
            for p, name in enumerate(PLAYERS):
                own = [f"[{self._action(0, i, c)}]" for i, c in enumerate(self.commands(0))
                       if c["player"] % 2 == p]  # fmt: skip
                if own:
                    parts.insert(1, f"player {name} {', '.join(own)} endplayer")
                else:
                    parts.insert(1, f"player {name} endplayer")
        parts += [self._rewards(r, items) for r, items in enumerate(self.data["rewards"])]
        return "\n".join(parts) + "\n"

    def _action(self, m: int, i: int, command: dict[str, Any]) -> str:
        if self.game:
            return f"c{i}"
        return "" if command["action"] % 3 == 0 else f"a{command['action'] % 3}"

    def _command(self, m: int, i: int, command: dict[str, Any]) -> str:
        guard = self.condition(command["guard"])
        if self.game:
            guard += f" & t={command['player'] % 2}"
        chances = self._chances(command)
        updates = [
            f"{chance} : {self._update(m, b)}"
            for (chance, _), b in zip(chances, _branches(command), strict=True)
        ]
        return f"[{self._action(m, i, command)}] {guard} -> {' + '.join(updates)};"

    def _chances(self, command: dict[str, Any]) -> list[tuple[str, Fraction]]:
        slow, found = command.get("slow", 0), self._quick(command)
        if not slow:
            return found
        share = Fraction(1, 10**slow)
        held = [(f"1e-{slow}*({text})", share * p) for text, p in found]
        return [*held, (f"1-1e-{slow}", 1 - share)]

    def _quick(self, command: dict[str, Any]) -> list[tuple[str, Fraction]]:
        weights = [max(1, b[0]) for b in command["branches"]]
        tiny = command["tiny"] if len(weights) > 1 else 0
        if not tiny:
            total = sum(weights)
            return [(f"{w}/{total}", Fraction(w, total)) for w in weights]
        small, total = Fraction(1, 10**tiny), sum(weights[1:])
        rest = [
            (f"(1-1e-{tiny})*{w}/{total}", (1 - small) * Fraction(w, total)) for w in weights[1:]
        ]
        return [(f"1e-{tiny}", small), *rest]

    def _update(self, m: int, branch: list[int]) -> str:
        high, x = self.highs[m], f"x{m}"
        kind, number = branch[1] % 4, branch[2]
        value = [f"{number % (high + 1)}", f"min({x}+{number % 3}, {high})", f"max({x}-1, 0)", x][
            kind
        ]
        text = "true" if kind == 3 else f"({x}'={value})"
        if self.game and branch[3]:
            text = "(t'=1-t)" if kind == 3 else f"{text} & (t'=1-t)"
        return text

    def _rewards(self, r: int, items: list[dict[str, Any]]) -> str:
        lines = []
        for one in items:
            action = f"[a{one['action'] % 3}] " if one["action"] % 3 else "[] "
            if self.game and self.commands(0):
                action = f"[c{one['action'] % len(self.commands(0))}] "
            elif not one["state"] and one["action"] % 3 and not self._used(one["action"] % 3):
                continue
            where = "" if one["state"] else action
            lines.append(
                f"{where}{self.condition(one['guard'])} : {one['amount']}/{max(1, one['over'])};"
            )
        lines = lines or ["false : 0;"]
        return f'rewards "r{r}" {" ".join(lines)} endrewards'

    def _used(self, action: int) -> bool:
        return not self.game and any(
            c["action"] % 3 == action for m in range(len(self.modules)) for c in self.commands(m)
        )

    def condition(self, guard: list[list[int]]) -> str:
        """A conjunction as text."""
        terms = [f"x{v % len(self.highs)}{OPERATORS[o % 4]}{n}" for v, o, n in guard]
        return " & ".join(terms) or "true"

    # Meaning ---------------------------------------------------------------------------------

    def commands(self, m: int) -> list[dict[str, Any]]:
        """The commands of a module that have branches."""
        return [c for c in self.modules[m]["commands"] if c["branches"]]

    def holds(self, guard: list[list[int]], state: State) -> bool:
        """Whether a conjunction is true in a state."""
        tests = {0: int.__eq__, 1: int.__ne__, 2: int.__le__, 3: int.__ge__}
        return all(tests[o % 4](state[v % len(self.highs)], n) for v, o, n in guard)

    def _enabled(self, m: int, state: State) -> list[dict[str, Any]]:
        return [
            c for c in self.commands(m)
            if self.holds(c["guard"], state) and (not self.game or c["player"] % 2 == state[-1])
        ]  # fmt: skip

    def _number(self, command: dict[str, Any]) -> int:
        """What rewards call a command without an action: nothing, or in a game its number."""
        return next(i for i, c in enumerate(self.commands(0)) if c is command) if self.game else 0

    def _after(self, m: int, branch: list[int], state: list[int], old: State) -> None:
        high, kind, number = self.highs[m], branch[1] % 4, branch[2]
        x = old[m]
        state[m] = [number % (high + 1), min(x + number % 3, high), max(x - 1, 0), x][kind]
        if self.game and branch[3]:
            state[-1] = 1 - old[-1]

    def _together(self, state: State) -> list[tuple[int, list[tuple[int, dict[str, Any]]]]]:
        """What can be done in a state: an action (0: none) and one command a module involved."""
        found = []
        for m in range(len(self.modules)):
            own = (c for c in self._enabled(m, state) if self.game or c["action"] % 3 == 0)
            found += [(self._number(c), [(m, c)]) for c in own]
        if self.game:
            return found
        for action in (1, 2):
            involved = [m for m in range(len(self.modules))
                        if any(c["action"] % 3 == action for c in self.commands(m))]  # fmt: skip
            ready = [[(m, c) for c in self._enabled(m, state) if c["action"] % 3 == action]
                     for m in involved]  # fmt: skip
            if involved:
                found += [(action, list(one)) for one in itertools.product(*ready)]
        return found

    def _choice(self, action: int, parts: Any, state: State, number: dict[State, int]) -> Choice:
        chances: dict[int, Fraction] = {}
        options = [
            [(p, m, b) for (_, p), b in zip(self._chances(c), _branches(c), strict=True)]
            for m, c in parts
        ]
        for one in itertools.product(*options):
            chance, after = Fraction(1), list(state)
            for p, m, b in one:
                chance *= p
                self._after(m, b, after, state)
            t = number.setdefault(tuple(after), len(number))
            chances[t] = chances.get(t, Fraction(0)) + chance
        earns = {}
        for r, items in enumerate(self.data["rewards"]):
            names = max(1, len(self.commands(0))) if self.game else 3
            mine = [i for i in items if not i["state"] and i["action"] % names == action
                    and self.holds(i["guard"], state)]  # fmt: skip
            earns[f"r{r}"] = sum(
                (Fraction(i["amount"], max(1, i["over"])) for i in mine), Fraction(0)
            )
        return Choice([(p, t) for t, p in chances.items()], 1, "", earns)

    def plain(self) -> Plain:
        """The model as lists; a deadlock has a loop that earns nothing."""
        start = tuple(min(one["init"], h) for one, h in zip(self.modules, self.highs, strict=True))
        start = (*start, 0) if self.game else start
        number = {start: 0}
        model = Plain([], [], players=2 if self.game else 1)
        states = [start]
        while len(model.choices) < len(number):
            states = list(number)
            s = len(model.choices)
            choices = [
                self._choice(a, parts, states[s], number) for a, parts in self._together(states[s])
            ]
            if not choices:
                choices = [Choice([(Fraction(1), s)])]
            if self.data["type"] == "dtmc" and len(choices) > 1:
                choices = [_mixed(choices)]
            model.choices.append(choices)
            model.owner.append(states[s][-1] if self.game else 0)
        model.names = list(number)
        for r, items in enumerate(self.data["rewards"]):
            model.state_rewards[f"r{r}"] = [
                sum((Fraction(i["amount"], max(1, i["over"])) for i in items
                     if i["state"] and self.holds(i["guard"], state)), Fraction(0))
                for state in number
            ]  # fmt: skip
        return model


def _branches(command: dict[str, Any]) -> list[list[int]]:
    """The branches of a command; a slow one mostly leaves everything as it is."""
    found: list[list[int]] = command["branches"]
    return [*found, [1, 3, 0, 0]] if command.get("slow", 0) else found


def _mixed(choices: list[Choice]) -> Choice:
    """Several commands of a chain, each as likely."""
    share = Fraction(1, len(choices))
    chances: dict[int, Fraction] = {}
    earns: dict[str, Fraction] = {}
    for choice in choices:
        for p, t in choice.outcomes:
            chances[t] = chances.get(t, Fraction(0)) + share * p
        for name, amount in choice.earns.items():
            earns[name] = earns.get(name, Fraction(0)) + share * amount
    return Choice([(p, t) for t, p in chances.items()], 1, "", earns)


def source(data: dict[str, Any]) -> tuple[str, str]:
    """The file that shows a model to a person."""
    from grind.properties import texts

    program = Program(data)
    asked = "".join(f"// {text}\n" for text in texts(program, data))
    return ".prism", asked + program.text
