"""Random boards: their TOML text, and their rules played once more, as docs/boards.md tells them.

The rules here were written from the documentation, and share nothing with
`oddsmith.rules.board.game`: a token is a square and the turns it still rests, and every throw is
walked square by square.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from random import Random
from typing import Any

from grind.plain import Choice, Plain

OVERSHOOT = ("bounce", "stay", "win")
OCCUPIED = ("share", "return", "swap", "restart")
EFFECTS = ("goto", "again", "restart", "wait", "hold", "until", "extra", "none", "jump")
PASSED_ON = ("goto", "again", "restart", "jump")
"""Effects of squares on which no token stays."""
Token = tuple[int, int]
State = tuple[tuple[Token, ...], int]


class NoBoard(Exception):  # noqa: N818
    """A token that is sent on without an end."""


def draw(dice: Random) -> dict[str, Any]:
    """A random board."""
    players = dice.choice([1, 2, 2, 2, 3, 4])
    finish = dice.randint(2, {1: 12, 2: 7, 3: 4, 4: 3}[players])
    faces = dice.choice([[1, 2], [1, 2, 3], [1, 1, 2], [0, 1, 2], [1, 3], [1, 2, 3, 4, 5, 6]])
    squares = [
        [dice.randint(1, finish - 1), dice.randrange(len(EFFECTS)), dice.randint(0, finish),
         dice.random() < 0.2]
        for _ in range(dice.randint(0, 4))
    ]  # fmt: skip
    first = [
        [dice.randrange(3), dice.randint(1, 4), dice.randint(1, 4), dice.randint(1, finish),
         dice.randint(-1, finish)]
        for _ in range(dice.choice([0, 0, 0, 1, 2]))
    ]  # fmt: skip
    return {"finish": finish, "start": dice.choice([0, 0, 0, 1]), "players": players,
            "faces": faces, "number": dice.choice([1, 1, 2]), "overshoot": dice.randrange(3),
            "occupied": dice.randrange(4), "squares": squares, "first": first}  # fmt: skip


class Board:
    """A board from its data."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.finish = max(2, data["finish"])
        self.start = min(data["start"], self.finish - 1)
        self.players = max(1, data["players"])
        self.faces = [int(f) for f in data["faces"]] or [1]
        self.number = 1 + (data["number"] > 1)
        self.overshoot = OVERSHOOT[data["overshoot"] % 3]
        self.occupied = OCCUPIED[data["occupied"] % 4]
        self.effects: dict[int, tuple[str, int, bool]] = {}
        totals = sorted({sum(throw) for _, throw in self.throws()} - {0}) or [1]
        for at, effect, number, share in data["squares"]:
            if self.start <= at < self.finish:
                name = EFFECTS[effect % len(EFFECTS)] if at > self.start else "none"
                if name in ("goto", "jump"):
                    number = self.start + number % (self.finish - self.start + 1)
                if name == "wait":
                    number = 1 + number % 3
                if name == "until":  # a total, or the throws of `_leaves`
                    number = totals[number % len(totals)] if number % 3 or self.number < 2 else -1
                self.effects.setdefault(at, (name, number, bool(share) and name not in PASSED_ON))
        self.first = [one for one in data["first"] if self._possible(one)]

    def _possible(self, rule: list[int]) -> bool:
        """Whether some throw is the one of a rule, and it leads somewhere."""
        if rule[0] % 3 == 1 and self.number == 1:
            return False
        fits = any(self._fits(rule, throw) for _, throw in self.throws())
        return fits and self.start < rule[3] <= self.finish and rule[4] <= self.finish

    # Text ------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The board as a file."""
        lines = ["[board]", f"finish = {self.finish}", f"start = {self.start}",
                 f"players = {self.players}",
                 f"dice = {{ number = {self.number}, faces = {self.faces} }}",
                 f'overshoot = "{self.overshoot}"', f'occupied = "{self.occupied}"']  # fmt: skip
        lines.append("[squares]")
        for at, (effect, number, share) in self.effects.items():
            told = {"goto": f", goto = {number}", "wait": f", wait = {number}",
                    "until": f", until = {number}", "none": "", "jump": ""}  # fmt: skip
            if effect == "until" and number < 0:
                told["until"] = f', until = ["double", "{self._pair()}"]'
            if effect == "jump":
                continue
            shared = ", share = true" if share else ""
            lines.append(f"q{at} = {{ at = {at}{told.get(effect, f', {effect} = true')}{shared} }}")
        lines.append("[jumps]")
        lines += [f"{at} = {n}" for at, (effect, n, _) in self.effects.items() if effect == "jump"]
        lines.append("[first-throw]")
        seen = set()
        for kind, a, b, target, free in self.first:
            name = self._throw_name(kind % 3, a, b)
            if name in seen:
                continue
            seen.add(name)
            leads = f"{{ goto = {target}, free = {free} }}" if free >= self.start else f"{target}"
            lines.append(f"{name} = {leads}")
        return "\n".join(lines) + "\n"

    def _throw_name(self, kind: int, a: int, b: int) -> str:
        if kind == 0:
            return f"{a}"
        if kind == 1:
            return '"double"'
        return f'"{min(a, b)},{max(a, b)}"' if self.number == 2 else f'"{a}"'

    def _pair(self) -> str:
        """Two faces that a square may wait for beside a double."""
        return f"{min(self.faces)},{max(self.faces)}"

    # Rules -----------------------------------------------------------------------------------

    def throws(self) -> list[tuple[Fraction, tuple[int, ...]]]:
        """Every throw of the dice, in order."""
        every = list(itertools.product(self.faces, repeat=self.number))
        return [(Fraction(1, len(every)), one) for one in every]

    def _fits(self, rule: list[int], throw: tuple[int, ...]) -> bool:
        kind, a, b = rule[0] % 3, rule[1], rule[2]
        if kind == 1:
            return len(set(throw)) == 1
        if kind == 0 or self.number == 1:
            return sum(throw) == a
        return sorted(throw) == sorted((a, b))

    def _leaves(self, number: int, throw: tuple[int, ...]) -> bool:
        """Whether a throw is what a square waits for."""
        if number >= 0:
            return sum(throw) == number
        return throw[0] == throw[1] or sorted(throw) == [min(self.faces), max(self.faces)]

    def effect(self, square: int) -> tuple[str, int, bool]:
        """The effect of a square, its number, and whether tokens share it."""
        return self.effects.get(square, ("none", 0, False))

    def _rests(self, tokens: tuple[Token, ...], me: int) -> bool:
        square, rest = tokens[me]
        if rest:
            return True
        others = any(t[0] == square for p, t in enumerate(tokens) if p != me)
        return self.effect(square)[0] == "hold" and not others

    def _walk(self, square: int, total: int) -> int | None:
        """Where a walk ends, effects included; None if it is not played."""
        at: int | None = square
        direction = 1
        for _ in range(200):
            at, direction = self._go(at, total, direction)  # type: ignore[arg-type]
            if at is None:
                return None
            sent = self._sent(at)
            if sent is not None:
                return (
                    sent
                    if sent >= 0
                    else None
                    if sent == -1
                    else self._onwards(at, total, direction)
                )
        raise NoBoard

    def _go(self, at: int, total: int, direction: int) -> tuple[int | None, int]:
        new = at + direction * total
        if new > self.finish:
            if self.overshoot == "stay":
                return None, direction
            if self.overshoot == "win":
                return self.finish, direction
            new, direction = self.finish - (new - self.finish), -1
        return max(new, self.start), direction

    def _sent(self, at: int) -> int | None:
        """Where the token stops, or -2 if the square sends it on."""
        return at if self.effect(at)[0] not in PASSED_ON else -2

    def _onwards(self, at: int, total: int, direction: int) -> int | None:
        """Follow the effects from a square until the token stops."""
        place: int | None = at
        for _ in range(200):
            assert place is not None
            name, number, _share = self.effect(place)
            if place == self.finish:
                return place
            if name in ("goto", "jump"):
                place = number
            elif name == "restart":
                if place == self.start:
                    return place
                place = self.start
            elif name == "again":
                place, direction = self._go(place, total, direction)
                if place is None:
                    return None
            else:
                return place
        raise NoBoard

    def after(self, state: State, throw: tuple[int, ...]) -> State:
        """The state after a throw."""
        tokens, me = state
        square, _ = tokens[me]
        total, following = sum(throw), (me + 1) % self.players
        stay = (tokens, following)
        kept, what, _ = self.effect(square)
        if kept == "until" and not self._leaves(what, throw):
            return stay
        tested = True
        landed: int | None
        rule = next((r for r in self.first if self._fits(r, throw)), None)
        if square == self.start and rule is not None:
            target, free = rule[3], rule[4]
            if free >= self.start:
                if any(t[0] == free for p, t in enumerate(tokens) if p != me):
                    return stay
                tested = False
            landed = self._onwards(target, total, 1)
        elif total == 0:
            return stay
        else:
            landed = self._walk(square, total)
        if landed is None:
            return stay
        name, number, share = self.effect(landed)
        new = list(tokens)
        free_place = share or name == "hold" or landed == self.finish or self.occupied == "share"
        if landed == self.start and self.occupied in ("swap", "restart"):
            free_place = True
        if tested and not free_place:
            met = [p for p, t in enumerate(tokens) if p != me and t[0] == landed]
            if met and self.occupied == "return":
                return stay
            for p in met:
                new[p] = (square, 0) if self.occupied == "swap" else (self.start, 0)
        new[me] = (landed, number if name == "wait" else 0)
        return tuple(new), me if name == "extra" else following

    def plain(self, most: int) -> Plain | None:
        """The game as lists, if it has no more states than that."""
        first: State = (((self.start, 0),) * self.players, 0)
        number, states = {first: 0}, [first]
        model = Plain([], [], players=self.players)
        throws = self.throws()
        for state in states:  # grows
            tokens, me = state
            won = tuple(p for p, t in enumerate(tokens) if t[0] == self.finish)
            found: dict[State, Fraction] = {}
            rests = not won and self._rests(tokens, me)
            if rests:
                square, rest = tokens[me]
                new = list(tokens)
                new[me] = (square, max(0, rest - 1))
                found[tuple(new), (me + 1) % self.players] = Fraction(1)
            elif not won:
                for p, throw in throws:
                    after = self.after(state, throw)
                    found[after] = found.get(after, Fraction(0)) + p
            for after in found:
                if after not in number:
                    number[after] = len(states)
                    states.append(after)
            if len(states) > most:
                return None
            outcomes = [(p, number[after]) for after, p in found.items()]
            model.choices.append([Choice(outcomes, 0 if rests else 1)] if not won else [])
            model.owner.append(me)
            model.names.append(state)
            model.winners.append(won or None)
        return model


def source(data: dict[str, Any]) -> tuple[str, str]:
    """The file that shows a board to a person."""
    return ".toml", Board(data).text
