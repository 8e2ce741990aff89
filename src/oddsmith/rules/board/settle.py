"""From the tables of a board file to its rules: values checked, mistakes with their place."""

from __future__ import annotations

import re
from typing import Any

from oddsmith.dice import Die
from oddsmith.rules.board.board_rules import BoardRules, FirstThrow, Square, Throw
from oddsmith.rules.board.effects import EFFECTS
from oddsmith.rules.board.file import (
    BOARD,
    LAYOUTS,
    OCCUPIED,
    OVERSHOOT,
    PROSE,
    BoardVariant,
    hint,
    shown,
)
from oddsmith.rules.game import MAX_PLAYERS

LONGEST_NAME = 200
MAX_FINISH, MAX_WAIT, MAX_POOLS, MAX_WAYS = 10_000, 100, 20_000, 2**53


def rules_of(board_variant: BoardVariant) -> BoardRules:
    """Check the tables and settle what they say."""
    return _Reader(board_variant).rules()


class _Reader:
    """Reads tables into BoardRules; every mistake is named with its place."""

    def __init__(self, board_variant: BoardVariant) -> None:
        self.tables, self.fail = board_variant.tables, board_variant.fail
        self.board = self.tables["board"]

    def check_prose(self, key: str, text: Any) -> None:
        """Refuse what is no text for people: it is shown at terminals."""
        if not isinstance(text, str):
            self.fail(("board", key), f"{key} must be a text, in quotes.")
        if not " ".join(text.split()).isprintable():
            self.fail(("board", key), f"{key} has letters that cannot be printed.")
        if key == "name" and len(text) > LONGEST_NAME:
            self.fail(("board", key), f"name is longer than {LONGEST_NAME} letters.")

    def rules(self) -> BoardRules:
        for key in self.board:
            if key not in BOARD:
                self.fail(("board", key), f"[board] has no {key!r}: {hint(key, BOARD)}")
            if key in PROSE:
                self.check_prose(key, self.board[key])
        if "finish" not in self.board:
            self.fail(("board",), "[board] must say which square is the finish, as in finish = 63.")
        self.whole(("board", "players"), self.board.get("players", 2), 1, MAX_PLAYERS)
        self.start = self.whole(("board", "start"), self.board.get("start", 0), 0, MAX_FINISH - 1)
        self.finish = self.whole(
            ("board", "finish"), self.board["finish"], self.start + 1, MAX_FINISH
        )
        self.count, self.die = self.dice(self.board.get("dice", "d6"))
        self.word("layout", LAYOUTS, LAYOUTS[0])
        squares = self.squares()
        rules = BoardRules(
            self.start, self.finish, self.count, self.die,
            self.word("overshoot", OVERSHOOT, "bounce"), self.word("occupied", OCCUPIED, "share"),
            squares, self.first_throw(),
        )  # fmt: skip
        self.check_round_trips(squares)
        return rules

    def whole(
        self, where: tuple[str, ...], value: Any, low: int, high: int, square: str = ""
    ) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            what = "A jump's end" if where[0] == "jumps" else where[-1]
            self.fail(
                where,
                f"{what} must be a whole number from {low} to {high}, not {shown(value)}.",
                square,
            )
        return value

    def flag(self, where: tuple[str, ...], value: Any, square: str) -> bool:
        if not isinstance(value, bool):
            self.fail(where, f"{where[-1]} must be true or false, not {shown(value)}.", square)
        return value

    def word(self, key: str, allowed: tuple[str, ...], default: str) -> str:
        value = self.board.get(key, default)
        if value not in allowed:
            self.fail(
                ("board", key), f"{key} must be one of {', '.join(allowed)}, not {shown(value)}."
            )
        return str(value)

    def dice(self, value: Any) -> tuple[int, Die[int]]:
        """How many dice, and which."""
        where = ("board", "dice")
        number, faces = self.number_and_faces(where, value)
        self.whole((*where, "number"), number, 1, 20)
        if not isinstance(faces, list) or not faces:
            self.fail(where, f"faces must be a list such as [1, 2, 3], not {shown(faces)}.")
        for face in faces:
            self.whole((*where, "faces"), face, 0, 1000)
        if max(faces) == 0:
            self.fail(where, "A die that always shows 0 moves nobody: give it another face.")
        die, pools = Die(faces), 1
        kinds = len(die.faces)
        for i in range(number):
            pools = pools * (kinds + i) // (i + 1)
        if pools > MAX_POOLS or die.total**number > MAX_WAYS:
            self.fail(where, f"{number} dice of {len(faces)} faces fall in too many ways.")
        return number, die

    def number_and_faces(self, where: tuple[str, ...], value: Any) -> tuple[Any, Any]:
        if isinstance(value, str):
            found = re.fullmatch(
                r"([0-9]{0,3})d(?:([0-9]{1,4})|\[([0-9, ]{1,9999})\])", value.strip()
            )
            if found and found[2]:
                return int(found[1] or 1), list(range(1, int(found[2]) + 1))
            parts = found[3].split(",") if found else []
            if found and all(re.fullmatch(r" *[0-9]{1,4} *", part) for part in parts):
                return int(found[1] or 1), [int(part) for part in parts]
        elif isinstance(value, dict):
            for key in value:
                if key not in ("number", "faces"):
                    self.fail((*where, key), f"dice have a number and faces, not {key!r}.")
            return value.get("number", 1), value.get("faces", [1, 2, 3, 4, 5, 6])
        return self.fail(
            where, f'dice must be written like "2d6" or {{ faces = [0, 1] }}, not {shown(value)}.'
        )

    # Squares ------------------------------------------------------------------------------

    def squares(self) -> dict[int, Square]:
        found: dict[int, Square] = {}
        for name, table in self.tables["squares"].items():
            where = ("squares", name)
            if not name.strip() or not name.isprintable():
                self.fail(where, f"A square needs a name, and {name!r} is none.")
            if not isinstance(table, dict) or "at" not in table:
                self.fail(where, f"{name} must be like {{ at = 19, wait = 1 }}, with its square.")
            at = table["at"] if isinstance(table["at"], list) else [table["at"]]
            if not at:
                self.fail((*where, "at"), f"{name} is nowhere: write its square, as in at = 19.")
            for number in at:
                label = f"{shown(number)} ({name})"
                self.whole((*where, "at"), number, self.start, self.finish - 1, label)
                self.add(found, where, self.square(where, name, number, table))
        for text, goto in self.tables["jumps"].items():
            where = ("jumps", text)
            if not re.fullmatch(r"[0-9]{1,6}", text):
                self.fail(where, f"A jump is from a square's number, not {shown(text)}.")
            number = int(text)
            if not self.start <= number < self.finish:
                self.fail(
                    where, f"A jump must begin on a square from {self.start} to {self.finish - 1}.",
                    text,
                )  # fmt: skip
            target = self.whole(where, goto, self.start, self.finish, text)
            self.add(found, where, Square(number, goto=target))
        return found

    def add(self, found: dict[int, Square], where: tuple[str, ...], square: Square) -> None:
        if square.number in found:
            other = found[square.number].name or "a jump"
            self.fail(where, f"The square is {other} already.", square.label)
        if square.number == self.start and square != Square(
            square.number, square.name, share=square.share
        ):
            self.fail(where, "The start can have no effect but share = true.", square.label)
        if square.goto == square.number:
            self.fail(where, "The square leads to itself.", square.label)
        found[square.number] = square

    def square(
        self, where: tuple[str, ...], name: str, number: int, table: dict[str, Any]
    ) -> Square:
        label = f"{number} ({name})"
        effects = [key for key in table if key in EFFECTS and table[key] is not False]
        for key in table:
            if key not in (*EFFECTS, "at", "share"):
                likely = hint(key, (*EFFECTS, "share"))
                self.fail((*where, key), f"There is no effect {key!r}: {likely}", label)
        if len(effects) > 1:
            self.fail(
                where, f"A square has one effect, not {' and '.join(effects)}: keep one.", label
            )
        share = self.flag((*where, "share"), table.get("share", False), label)
        effect = effects[0] if effects else ""
        if share and effect and EFFECTS[effect].company == "never":
            self.fail(where, f"Nobody stays on a square with {effect}, so none can share.", label)
        value = table.get(effect)
        at = (*where, effect)
        if effect == "goto":
            return Square(number, name, goto=self.whole(at, value, self.start, self.finish, label))
        if effect == "wait":
            turns = self.whole(at, value, 0, MAX_WAIT, label)
            return Square(number, name, wait=turns, share=share)
        if effect == "until":
            throws = value if isinstance(value, list) else [value]
            if not throws:
                self.fail(at, "until needs a throw, as in until = 6.", label)
            until = tuple(self.throw(at, throw, label) for throw in throws)
            return Square(number, name, until=until, share=share)
        if effect:
            self.flag(at, value, label)
        if effect == "restart":
            return Square(number, name, goto=self.start)
        flags: dict[str, Any] = {effect: True} if effect else {}
        return Square(number, name, share=share, **flags)

    def check_round_trips(self, squares: dict[int, Square]) -> None:
        """Squares that lead to each other in a circle never let a token stop."""
        for first in squares.values():
            way, at = [first], first.goto
            while at is not None and at in squares and squares[at].goto is not None:
                if squares[at] in way:
                    names = " → ".join(str(s.number) for s in [*way, squares[at]])
                    table = "squares" if first.name else "jumps"
                    where = (table, first.name or str(first.number))
                    self.fail(where, f"A token would go round for ever: {names}.", first.label)
                way.append(squares[at])
                at = squares[at].goto

    # Throws -------------------------------------------------------------------------------

    def throw(self, where: tuple[str, ...], value: Any, square: str = "") -> Throw:
        """A throw as a rule names it, known to be possible."""
        if value == "double":
            if self.count < 2:
                self.fail(where, "A double takes two dice.", square)
            return "double"
        numbers: list[int] = []
        if isinstance(value, int) and not isinstance(value, bool):
            numbers = [value]
        elif isinstance(value, str) and re.fullmatch(r" *\d{1,6} *(, *\d{1,6} *)*", value):
            numbers = [int(part) for part in value.split(",")]
        if len(numbers) == 1:
            if numbers[0] not in (self.count * self.die).faces:
                self.fail(where, f"No throw of these dice makes {shown(numbers[0])}.", square)
            return numbers[0]
        if len(numbers) != self.count or not all(n in self.die.faces for n in numbers):
            dice = "one die" if self.count == 1 else f"{self.count} dice"
            example = ",".join(str(f) for f in (self.die.faces * self.count)[: self.count])
            self.fail(
                where,
                f"{shown(value)} is no throw of {dice}: write a total such as "
                f'{self.count * max(self.die.faces)}, or the dice such as "{example}".',
                square,
            )
        return tuple(sorted(numbers))

    def first_throw(self) -> tuple[FirstThrow, ...]:
        found: list[FirstThrow] = []
        for text, rule in self.tables["first-throw"].items():
            where = ("first-throw", text)
            throw = self.throw(where, text)
            if throw in [other.throw for other in found]:
                self.fail(where, f"The throw {text} has an exception already.")
            table = rule if isinstance(rule, dict) else {"goto": rule}
            for key in table:
                if key not in ("goto", "free"):
                    self.fail((*where, key), f"A first throw has goto and free, not {key!r}.")
            if "goto" not in table:
                self.fail(where, "A first throw needs the square it leads to, as in goto = 26.")
            goto = self.whole((*where, "goto"), table["goto"], self.start, self.finish)
            free = table.get("free")
            if free is not None:
                free = self.whole((*where, "free"), free, self.start, self.finish - 1)
            found.append(FirstThrow(throw, goto, free))
        return tuple(found)
