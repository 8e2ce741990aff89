"""What differs between the rules of two boards, in words."""

from __future__ import annotations

from oddsmith.rules.board.board_rules import BoardRules, FirstThrow, Square, Throw
from oddsmith.rules.board.effects import FLAGS

NOTHING = "nothing"


def changes(a: BoardRules, b: BoardRules) -> list[str]:
    """A short line for each rule of board `a` that board `b` changes, such as `finish: 63 → 50`."""
    rules = [
        ("start", str(a.start), str(b.start)),
        ("finish", str(a.finish), str(b.finish)),
        ("dice", dice(a), dice(b)),
        ("overshoot", a.overshoot, b.overshoot),
        ("occupied", a.occupied, b.occupied),
        *_squares(a, b),
    ]
    throws = {rule.throw: None for rule in (*a.first_throw, *b.first_throw)}
    for throw in throws:
        old, new = (_exception(rules.first_throw, throw) for rules in (a, b))
        rules.append((f"first throw {_throw(throw)}", old, new))
    return [f"{what}: {old} → {new}" for what, old, new in rules if old != new]


def dice(rules: BoardRules) -> str:
    """The dice as a board file writes them."""
    number = "" if rules.number_of_dice == 1 else str(rules.number_of_dice)
    faces = [face for face, weight in rules.die.items() for _ in range(weight)]
    sides = len(faces)
    plain = faces == list(range(1, sides + 1))
    return f"{number}d{sides}" if plain else f"{number}d[{','.join(map(str, faces))}]"


def _squares(a: BoardRules, b: BoardRules) -> list[tuple[str, str, str]]:
    """Squares whose effect differs; those of one name with the same change are one line."""
    found: dict[tuple[str, str, str], list[int]] = {}
    for number in sorted({*a.squares, *b.squares}):
        old, new = (rules.squares.get(number, Square(number)) for rules in (a, b))
        key = (new.name or old.name, effect(old, a), effect(new, b))
        if key[1] != key[2]:
            found.setdefault(key, []).append(number)
    named = {key: ", ".join(map(str, at)) for key, at in found.items()}
    return [
        (f"{name} ({at})" if name else f"square {at}", old, new)
        for (name, old, new), at in named.items()
    ]


def effect(square: Square, rules: BoardRules) -> str:
    """What happens on a square, in words."""
    words = []
    if square.goto is not None:
        words.append("restart" if square.goto == rules.start else f"goto {square.goto}")
    if square.wait:
        words.append(f"wait {square.wait}")
    if square.until:
        words.append("until " + " or ".join(_throw(throw) for throw in square.until))
    words += [name for name in (*FLAGS, "share") if getattr(square, name)]
    return ", ".join(words) or NOTHING


def first_throws(rules: BoardRules) -> list[str]:
    """The exceptions for throws from the start, each in words."""
    return [f"{_throw(r.throw)}: {_exception((r,), r.throw)}" for r in rules.first_throw]


def _throw(throw: Throw) -> str:
    return ",".join(map(str, throw)) if isinstance(throw, tuple) else str(throw)


def _exception(rules: tuple[FirstThrow, ...], throw: Throw) -> str:
    for rule in rules:
        if rule.throw == throw:
            free = "" if rule.free is None else f" if {rule.free} is free"
            return f"goto {rule.goto}{free}"
    return NOTHING
