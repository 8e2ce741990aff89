"""How a token walks: where each throw leads from every position, others not regarded.

Positions are numbers: a square its own, and the waiting rooms of squares those beyond the finish,
one for each turn that is still to rest. Throws that no rule tells apart are one. The rules are in
the prose of `game.py`; with these tables play is looking things up, and on most boards they are
one token's `Track`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from oddsmith.rules.board.board_rules import BoardRules, FirstThrow, Square, Throw
from oddsmith.rules.board.file import BoardVariant
from oddsmith.rules.board.track import ANY, FINISH, Track

NOT_PLAYED = -2
"""Where a throw leads that is not played, beside FINISH and the positions."""

MAX_TABLE = 1_000_000
"""Positions times throws that rules tell apart."""


@dataclass(frozen=True)
class Landing:
    """What a throw does: where the token lands, which square matters, and what then."""

    position: int
    testing: int = ANY
    """The square on which other tokens matter, or ANY."""
    blocking: bool = False
    """Whether another token there keeps the mover where it was."""
    granting: bool = False
    """Whether the mover has an extra turn."""


class Walk:
    """The positions and throws of a board, and where they lead."""

    def __init__(self, rules: BoardRules, board_variant: BoardVariant) -> None:
        self.rules, self.board_variant = rules, board_variant
        self.begin, self.goal = rules.start, rules.finish

    @cached_property
    def rooms(self) -> tuple[tuple[Square, int], ...]:
        """The waiting rooms: a square and how many turns to rest, numbered from finish + 1."""
        waits = sorted((s for s in self.rules.squares.values() if s.wait), key=lambda s: s.number)
        return tuple((square, turns) for square in waits for turns in range(1, square.wait + 1))

    @cached_property
    def entrance(self) -> dict[int, int]:
        """Where a token comes that must wait on a square: the last of its waiting rooms."""
        return {square.number: self.goal + 1 + i for i, (square, _) in enumerate(self.rooms)}

    @cached_property
    def throw_classes(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """Throws that no rule tells apart, as (one of them, weight)."""
        rules = self.rules
        named = [rule.throw for rule in rules.first_throw]
        for _, square in sorted(rules.squares.items()):
            named += square.until
        classes: dict[Any, list[Any]] = {}
        for dice, weight in rules.die.pool(rules.number_of_dice).items():
            told = tuple(_matches(throw, dice) for throw in named)
            found = classes.setdefault((sum(dice), told), [dice, 0])
            found[1] += weight
        return tuple((classes[key][0], classes[key][1]) for key in sorted(classes))

    @cached_property
    def square_of(self) -> Any:
        """The square of each position."""
        rooms = [square.number for square, _ in self.rooms]
        return np.array([*range(self.goal + 1), *rooms], np.int64)

    @cached_property
    def resting(self) -> Any:
        """Where a rest leads from each position."""
        after = list(range(self.goal + 1))
        for room, (square, turns) in enumerate(self.rooms, start=self.goal + 1):
            after.append(square.number if turns == 1 else room - 1)
        return np.array(after, np.int64)

    @cached_property
    def held(self) -> Any:
        """Which positions are on hold."""
        found = np.zeros(len(self.square_of), np.bool_)
        for square in self.rules.squares.values():
            found[square.number] = square.hold
        return found

    @cached_property
    def landings(self) -> dict[int, tuple[Landing, ...]]:
        """What each throw does from each position a token can come to; nothing while it rests."""
        if len(self.square_of) * len(self.throw_classes) > MAX_TABLE:
            self.board_variant.fail(
                ("board", "finish"),
                f"The board is too large: {len(self.square_of):,} places times "
                f"{len(self.throw_classes):,} different throws.",
            )
        found: dict[int, tuple[Landing, ...]] = {}
        reached = [self.begin]
        for position in reached:
            if position not in found and position != self.goal:
                resting = position > self.goal
                throws = [] if resting else [dice for dice, _ in self.throw_classes]
                found[position] = tuple(self._landing(position, dice) for dice in throws)
                reached += [landing.position for landing in found[position]]
                reached += [int(self.resting[position])] if resting else []
        return found

    def table(self, what: str, kind: Any) -> Any:
        """One of the fields of `Landing` for each position and throw."""
        found = np.full((len(self.square_of), len(self.throw_classes)), kind(ANY))
        for position, landings in self.landings.items():
            found[position, : len(landings)] = [getattr(landing, what) for landing in landings]
        return found

    def _landing(self, square: int, dice: tuple[int, ...]) -> Landing:
        """What a token's throw on a square does."""
        here, total = self.rules.squares.get(square, Square(square)), sum(dice)
        stays = Landing(square)
        if here.until and not any(_matches(throw, dice) for throw in here.until):
            return stays
        free = None
        if square == self.begin and (rule := self._first_throw(dice)):
            new, free = self._land(rule.goto, total, square, dice), rule.free
        elif total == 0:
            return stays
        else:
            new = self._land(square + total, total, square, dice)
        if new == NOT_PLAYED:
            return stays
        new = self.goal if new == FINISH else new
        stop = self.rules.squares.get(int(self.square_of[new]), Square(new))
        if free is not None:
            return Landing(new, free, blocking=True, granting=stop.extra)
        tested = self._tested(int(self.square_of[new]))
        return Landing(new, tested, self.rules.occupied == "return", stop.extra)

    def _first_throw(self, dice: tuple[int, ...]) -> FirstThrow | None:
        """The exception for a throw from the start."""
        return next((rule for rule in self.rules.first_throw if _matches(rule.throw, dice)), None)

    def _tested(self, square: int) -> int:
        """The square, unless it can hold any number of tokens."""
        found = self.rules.squares.get(square, Square(square))
        crowd = found.hold or found.share or self.rules.occupied == "share" or square == self.goal
        if square == self.begin and self.rules.occupied in ("swap", "restart"):
            crowd = True
        return ANY if crowd else square

    def _land(self, square: int, step: int, origin: int, dice: tuple[int, ...]) -> int:
        """Follow effects from a square until the token stops: a position, FINISH, or not played."""
        seen: set[tuple[int, int]] = set()
        while True:
            if square > self.goal:
                if self.rules.overshoot == "stay":
                    return NOT_PLAYED
                if self.rules.overshoot == "win":
                    return FINISH
                square, step = 2 * self.goal - square, -abs(step)
            if square == self.goal:
                return FINISH
            square = max(square, self.begin)
            effect = self.rules.squares.get(square, Square(square))
            if (square, step) in seen:
                thrown = " and ".join(str(number) for number in dice)
                self.board_variant.fail(
                    _where(effect),
                    f"A token on square {origin} that throws {thrown} goes round for ever.",
                    effect.label,
                )
            seen.add((square, step))
            if effect.goto is not None:
                square = effect.goto
            elif effect.again:
                square += step
            elif effect.wait:
                return self.entrance[square]
            else:
                return square

    @cached_property
    def track(self) -> Track:
        """One token's walk as tables; also proves that the finish can be reached from anywhere."""
        self._check_finish()
        codes = sorted(self.landings)
        number = {code: i for i, code in enumerate(codes)}
        squares = sorted({int(self.square_of[code]) for code in codes})
        index = {square: i for i, square in enumerate(squares)}
        entries: dict[tuple[int, int, int], int] = {}
        for code in codes:
            if code > self.goal:
                continue
            for roll, (_, weight) in enumerate(self.throw_classes):
                landing = self.landings[code][roll]
                end = FINISH if landing.position == self.goal else number[landing.position]
                stays = end == number[code]  # whoever is there
                key = (number[code], end, ANY if stays else index.get(landing.testing, ANY))
                entries[key] = entries.get(key, 0) + weight
        source, target, tested = (np.array(part, np.int64) for part in zip(*entries, strict=True))
        rest = [number[int(self.resting[c])] if c > self.goal else -1 for c in codes]
        return Track(
            np.array(codes, np.int64),
            np.array([index[int(self.square_of[code])] for code in codes], np.int64),
            len(squares),
            number[self.begin],
            source, target, tested,
            np.array(list(entries.values()), np.int64),
            sum(weight for _, weight in self.throw_classes),
            np.array(rest, np.int64),
            np.array([bool(self.held[code]) for code in codes]),
        )  # fmt: skip

    def _check_finish(self) -> None:
        """Every position must have a way to the finish."""
        after = {
            position: {landing.position for landing in landings} or {int(self.resting[position])}
            for position, landings in self.landings.items()
        }
        good: set[int] = set()
        more = {self.goal}
        while more:
            good |= more
            more = {p for p, found in after.items() if p not in good and found & good}
        stuck = sorted({int(self.square_of[position]) for position in set(after) - good})
        if stuck:
            named = [square for square in stuck if square in self.rules.squares]
            square = (named or stuck)[0]
            effect = self.rules.squares.get(square)
            self.board_variant.fail(
                _where(effect) if effect else ("board", "finish"),
                f"No throw ever leads from here to the finish ({self.goal}): change an effect, the "
                f"dice or overshoot.",
                self.rules.place(square),
            )


def _where(square: Square) -> tuple[str, str]:
    """The place of a square in the tables."""
    return ("squares", square.name) if square.name else ("jumps", str(square.number))


def _matches(throw: Throw, dice: tuple[int, ...]) -> bool:
    """Whether the dice show a throw."""
    if throw == "double":
        return len(set(dice)) == 1
    return sum(dice) == throw if isinstance(throw, int) else tuple(sorted(dice)) == throw
