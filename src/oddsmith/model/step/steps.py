"""What kernels call of a game: a handful of native functions over rows of numbers.

A state is a row of 64-bit numbers, as its layout has it. The functions, all of the C calling
convention, give `FAILED` where the rules raise or their numbers are beyond 64 bits:

- `winner(row)`: who has won, as in `Model.winners`
- `mover(row)`: whose turn it is
- `legal(move, row)`: whether a move may be played, 1 or 0
- `die(move, row)`: the number of the die that it throws among `Steps.dice`, -1 for none
- `play(move, row, roll, next)`: writes the state that the move leads to with a roll
- `score(row, scores)`: writes what each player has scored
- `rank(row)`, `unrank(number, row)`: the game's own numbers of states
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from oddsmith.dice import Die
from oddsmith.model.native.machine import Machine
from oddsmith.model.native.numbers import LEAST, MOST, Whole
from oddsmith.model.step import arithmetic, tuples
from oddsmith.model.step.code import Code, Unreachable
from oddsmith.model.step.program import Program
from oddsmith.model.step.values import (
    WHOLE,
    Known,
    Maybe,
    Pick,
    Refused,
    Several,
    Shape,
    Truth,
    Value,
    called,
    computed,
    items_of,
    joined,
    made_of,
    refs_of,
    shape_of,
    words_of,
)
from oddsmith.rules.game import DRAW, Game
from oddsmith.rules.layout import Layout, leaves
from oddsmith.rules.moves import Action

FAILED = LEAST
GOES_ON = -1
NAMES = ("winner", "mover", "legal", "die", "play", "score", "rank", "unrank")
SIGNATURES = {
    "winner": 1, "mover": 1, "legal": 2, "die": 2, "play": 4, "score": 2, "rank": 1, "unrank": 2,
}  # fmt: skip
"""The functions, and how many words each takes."""

SPEED = 2
"""How much LLVM tries with rules."""


@dataclass(frozen=True)
class Thrown:
    """A die as a move throws it: with what its rolls look like to the move's function."""

    die: Die[Any]
    shape: Shape

    @property
    def rows(self) -> list[list[int]]:
        """The words of each face."""
        return [[_word(ref) for ref in refs_of(Known(face), self.shape)] for face in self.die.faces]


def _word(ref: str) -> int:
    return {"true": 1, "false": 0}.get(ref) if ref in ("true", "false") else int(ref)  # type: ignore[return-value]


class Tables(NamedTuple):
    """All dice one after the other: faces as rows of words, weights and their sums, each die's
    first face, the sum of its weights."""

    faces: Any
    weights: Any
    cumulative: Any
    start: Any
    total: Any


class Steps:
    """A game as native functions; made by translating its rules, or `Refused`."""

    def __init__(self, game: Game, layout: Layout) -> None:
        for name, value in leaves(layout.template):
            if isinstance(value, Enum):
                raise Refused(f"field {name} holds members of {type(value).__name__}")
        self.game, self.layout = game, layout
        self.program = Program()
        self.dice: list[Thrown] = []
        self.thrown: dict[int, list[int]] = {}
        """The numbers of the dice that a move (by its first variant) may throw."""
        self.firsts = [
            k for k, a in enumerate(game.actions)
            if k == 0 or game.actions[k - 1].method != a.method
        ]  # fmt: skip
        self.names = self._translate()
        self.text = self.program.text()
        self.machine = Machine(self.text, SPEED)
        self.addresses = {name: self.machine.address(name) for name in self.names}

    def function(self, name: str) -> Callable[..., int]:
        """A function that Python can call: for tests, and to look at one state."""
        words = [ctypes.c_int64] * SIGNATURES[name]
        return ctypes.CFUNCTYPE(ctypes.c_int64, *words)(self.addresses[name])

    @cached_property
    def table(self) -> Any:
        """The addresses as kernels take them."""
        return np.array([self.addresses.get(name, 0) for name in NAMES], np.int64)

    @cached_property
    def tables(self) -> Tables:
        """The dice as arrays."""
        rows = [row for one in self.dice for row in one.rows] or [[0]]
        width = max(1, max(map(len, rows)))
        dice = [one.die for one in self.dice]
        sums = [np.cumsum(die.weights, dtype=np.int64) for die in dice]
        return Tables(
            faces=np.array([row + [0] * (width - len(row)) for row in rows], np.int64),
            weights=np.array([w for die in dice for w in die.weights] or [1], np.int64),
            cumulative=np.concatenate(sums) if sums else np.ones(1, np.int64),
            start=np.cumsum([0] + [len(die) for die in dice]).astype(np.int64),
            total=np.array([die.total for die in dice] or [1], np.int64),
        )

    @cached_property
    def widest(self) -> int:
        """How many outcomes a state may have at most, of all moves together."""
        longest = {
            first: max((len(self.dice[k].die) for k in numbers), default=1)
            for first, numbers in self.thrown.items()
        }
        first = 0
        total = 0
        for number in range(len(self.game.actions)):
            first = number if number in self.firsts else first
            total += longest.get(first, 1)
        return total

    # Translating ------------------------------------------------------------------------------

    def _translate(self) -> list[str]:
        game = self.game
        self._define("winner", "ptr %row", self._winner)
        self._define("mover", "ptr %row", self._mover)
        self._define("legal", "i64 %move, ptr %row", self._legal)
        self._define("die", "i64 %move, ptr %row", self._die)
        self._define("play", "i64 %move, ptr %row, ptr %roll, ptr %next", self._play)
        names = ["winner", "mover", "legal", "die", "play"]
        if game.has_score:
            self._define("score", "ptr %row, ptr %scores", self._score)
            names.append("score")
        if hasattr(game, "rank") and hasattr(game, "unrank"):
            self._define("rank", "ptr %row", self._rank)
            self._define("unrank", "i64 %number, ptr %next", self._unrank)
            names += ["rank", "unrank"]
        return names

    def _define(self, name: str, takes: str, body: Callable[[Code], str]) -> None:
        """One function: its body gives the word that it ends with."""
        code = Code()
        try:
            found = body(code)
        except Unreachable:
            pass
        else:
            assert code.at is not None
            code.at.end = f"ret i64 {found}"
        if code.fails:
            failed = code.block("failed")
            failed.end = f"ret i64 {FAILED}"
        self.program.texts.append(f"define i64 @{name}({takes}) {{\n{code.text()}\n}}")

    def _state(self, code: Code, template: Any = None, at: Iterator[int] | None = None) -> Value:
        """The state in %row."""
        if at is None:
            return self._state(code, self.layout.template, iter(range(len(self.layout.columns))))
        if isinstance(template, tuple):
            items = tuple(self._state(code, item, at) for item in template)
            return Several(items, type(template)) if items else Known(template)
        number = next(at)
        column = self.layout.columns[number]
        word = code.word("%row", number)
        if isinstance(template, bool):
            return Truth(code.op(f"icmp ne i64 {word}, 0"))
        return Whole(word, column.low, column.low + column.radix - 1)

    def _write(self, code: Code, value: Value) -> str:
        """Write a state to %next, if it is one."""
        words = list(_state_words(code, value, self.layout.template))
        for number, word in enumerate(words):
            code.put(word, "%next", number)
        return "0"

    def _call(self, code: Code, function: Callable[..., Any], *arguments: Value) -> Value:
        if not isinstance(function, FunctionType):
            raise Refused(f"a rule that is a {type(function).__name__} and no plain function")
        return self.program.call(code, function, [Known(self.game), *arguments])

    def _method(self, code: Code, name: str, *arguments: Value) -> Value:
        return self._call(code, getattr(type(self.game), name), *arguments)

    # The functions ------------------------------------------------------------------------------

    def _winner(self, code: Code) -> str:
        return self._winner_code(code, self._method(code, "winner", self._state(code)))

    def _winner_code(self, code: Code, value: Value) -> str:
        match value:
            case Known(None):
                return str(GOES_ON)
            case Known(known) if type(known) is int or isinstance(known, tuple | list | frozenset):
                found = self._code_of(known)
                if found is None:
                    code.fail()
                return str(found)
            case Maybe(none, inner):
                rest = self._winner_code(code, inner)
                return code.op(f"select i1 {none}, i64 {GOES_ON}, i64 {rest}")
            case Whole(ref):
                beyond = code.op(f"icmp sge i64 {ref}, {self.game.players}")
                code.fail_if(code.either(beyond, code.op(f"icmp slt i64 {ref}, {DRAW}")))
                bit = code.op(f"shl i64 1, {ref}")
                draw = code.op(f"icmp eq i64 {ref}, {DRAW}")
                return code.op(f"select i1 {draw}, i64 0, i64 {bit}")
            case Several(items):
                bits = "0"
                for item in items:
                    if not isinstance(item, Whole | Known):
                        break
                    number = arithmetic.number(code, item)
                    code.fail_if(
                        code.op(f"icmp uge i64 {arithmetic.ref(number)}, {self.game.players}")
                    )
                    bit = code.op(f"shl i64 1, {arithmetic.ref(number)}")
                    bits = code.op(f"or i64 {bits}, {bit}")
                else:
                    return bits
            case Pick(objects, ref):
                codes = [GOES_ON if one is None else self._code_of(one) for one in objects]
                if None not in codes:
                    found_value = tuples.of_objects(self.program, code, codes, ref)
                    return arithmetic.ref(arithmetic.number(code, found_value))
        raise Refused(f"a winner that is {called(shape_of(value))}")

    def _code_of(self, known: Any) -> int | None:
        """Winners that are known, as the bits of a number; None if they are none."""
        if type(known) is int and known == DRAW:
            return 0
        bits = 0
        for player in known if isinstance(known, tuple | list | frozenset) else (known,):
            if type(player) is not int or not 0 <= player < self.game.players:
                return None
            bits |= 1 << player
        return bits

    def _mover(self, code: Code) -> str:
        game = self.game
        if type(game).mover is not Game.mover:
            return _whole(code, self._method(code, "mover", self._state(code)), "mover")
        if "turn" in game.State._fields:
            state = self._state(code)
            assert isinstance(state, Several)
            return _whole(code, state.items[game.State._fields.index("turn")], "turn")
        return "0"

    def _rank(self, code: Code) -> str:
        return _whole(code, self._method(code, "rank", self._state(code)), "rank")

    def _unrank(self, code: Code) -> str:
        return self._write(code, self._method(code, "unrank", Whole("%number", 0)))

    def _score(self, code: Code) -> str:
        value = self._method(code, "score", self._state(code))
        each = items_of(value) if isinstance(value, Several) or _is_tuple(value) else (value,)
        if len(each) != self.game.players:
            code.fail()
        for player, one in enumerate(each):
            code.put(_whole(code, one, "score"), "%scores", player)
        return "0"

    # Moves --------------------------------------------------------------------------------------

    def _each_move(self, code: Code, body: Callable[[Action, list[Value], int], str]) -> str:
        """What a function says of a move, by the method that it was written as."""
        actions, found = self.game.actions, []
        arms = []
        entry = code.at
        assert entry is not None
        for first, end in zip(self.firsts, [*self.firsts[1:], len(actions)], strict=True):
            action, block = actions[first], code.block()
            arms += [f"i64 {move}, label %{block.label}" for move in range(first, end)]
            code.at = block
            own: list[Value] = []
            if action.variant is not None:
                low, high = action.variant, action.variant + end - first - 1
                number = code.op(f"add i64 %move, {low - first}")
                own = [Whole(number, low, high) if high > low else Known(low)]
            try:
                word = body(action, own, first)
            except Unreachable:
                continue
            assert code.at is not None
            found.append((code.at, word))
        none = code.block()
        none.end = "unreachable"
        entry.end = f"switch i64 %move, label %{none.label} [{' '.join(arms)}]"
        if not found:
            code.at = None
            raise Unreachable
        met = code.meet([(block, _number(word)) for block, word in found], WHOLE)
        return arithmetic.ref(met)  # type: ignore[arg-type]

    def _legal(self, code: Code) -> str:
        state = self._state(code)

        def legal(action: Action, own: list[Value], first: int) -> str:
            if action.when is None:
                return "1"
            value = self._call(code, action.when, state, *own)
            if not isinstance(value, Known | Truth | Whole):
                raise Refused(f"a rule that says {called(shape_of(value))} for yes or no")
            test = arithmetic.truth(code, value)
            return code.op(f"zext i1 {test} to i64")

        return self._each_move(code, legal)

    def _die(self, code: Code) -> str:
        state = self._state(code)
        self.rolls: dict[int, Shape] = {}

        def die(action: Action, own: list[Value], first: int) -> str:
            if not action.has_roll:
                return "-1"
            if action.die is not None:
                value: Value = self._fixed_die(code, first, own)
            else:
                assert action.dice is not None
                value = self._call(code, action.dice, state, *own)
            if isinstance(value, Known):
                objects, ref = (value.value,), "0"
            elif isinstance(value, Pick):
                objects, ref = value.objects, value.ref
            else:
                raise Refused(f"dice that are {called(shape_of(value))}")
            if not all(isinstance(one, Die) for one in objects):
                code.fail()
            shape = _roll_shape([face for one in objects for face in one.faces])
            self.rolls[first] = shape
            numbers = [self._number_of(Thrown(one, shape)) for one in objects]
            self.thrown[first] = numbers
            found = tuples.of_objects(self.program, code, numbers, ref)
            return arithmetic.ref(arithmetic.number(code, found))

        return self._each_move(code, die)

    def _fixed_die(self, code: Code, first: int, own: list[Value]) -> Value:
        """The die of a move whose dice do not depend on the state, or that of each variant."""
        actions = self.game.actions
        dice = [a.die for a in actions[first:] if a.method == actions[first].method]
        if all(die == dice[0] for die in dice):
            return Known(dice[0])
        at = code.op(f"sub i64 %move, {first}") if own else "0"
        return Pick(tuple(dice), at)

    def _number_of(self, thrown: Thrown) -> int:
        if thrown not in self.dice:
            if any(abs(word) > MOST for row in thrown.rows for word in row):
                raise Refused("a die with faces beyond 64 bits")
            self.dice.append(thrown)
        return self.dice.index(thrown)

    def _play(self, code: Code) -> str:
        state = self._state(code)

        def play(action: Action, own: list[Value], first: int) -> str:
            arguments = [state, *own]
            if action.has_roll:
                arguments.append(self._roll(code, self.rolls[first], action, first))
            return self._write(code, self._call(code, action.function, *arguments))

        return self._each_move(code, play)

    def _roll(self, code: Code, shape: Shape, action: Action, first: int) -> Value:
        """The roll in %roll, with the bounds of the faces there are."""
        refs = []
        for n, word in enumerate(words_of(shape)):
            loaded = code.word("%roll", n)
            refs.append(loaded if word == "i64" else code.op(f"icmp ne i64 {loaded}, 0"))
        rows = [row for one in self.dice if one.shape == shape for row in one.rows]
        columns = iter(list(zip(*rows, strict=True)))
        return _narrowed(made_of(shape, iter(refs)), columns)


def _narrowed(value: Value, columns: Iterator[Sequence[int]]) -> Value:
    match value:
        case Whole(ref):
            column = next(columns)
            return Whole(ref, min(column), max(column))
        case Several(items, kind):
            return Several(tuple(_narrowed(item, columns) for item in items), kind)
        case Truth() | Pick():
            next(columns)
    return value


def _roll_shape(faces: Sequence[Any]) -> Shape:
    """What rolls look like: numbers and tuples of them, or one of some objects."""
    shape = computed(shape_of(Known(faces[0])))
    try:
        for face in faces[1:]:
            shape = joined(shape, computed(shape_of(Known(face))))
    except Refused:
        raise Refused(
            f"a move whose rolls have several shapes, {faces[0]!r} and {face!r}, "
            f"(give all its dice faces of one shape)"
        ) from None
    return shape


def _is_tuple(value: Value) -> bool:
    return isinstance(value, Known) and isinstance(value.value, tuple)


def _number(word: str) -> Value:
    return Known(int(word)) if word.lstrip("-").isdigit() else Whole(word)


def _whole(code: Code, value: Value, name: str) -> str:
    """A value that has to be a whole number."""
    value = arithmetic.present(code, value)
    plain = isinstance(value, Whole) or (isinstance(value, Known) and type(value.value) is int)
    if not plain:
        raise Refused(f"a {name} that is {called(shape_of(value))}")
    return arithmetic.ref(arithmetic.number(code, value))


def _state_words(code: Code, value: Value, template: Any) -> Iterator[str]:
    """The words of a value that has to be like a template."""
    if isinstance(template, tuple):
        kind = value.kind if isinstance(value, Several) else type(getattr(value, "value", None))
        if kind is type(template):
            items = items_of(value)
            if len(items) == len(template):
                for item, part in zip(items, template, strict=True):
                    yield from _state_words(code, item, part)
                return
        like = called(computed(shape_of(Known(template))))
        raise Refused(f"a rule that gives {called(shape_of(value))} for {like}")
    wanted = bool if isinstance(template, bool) else int
    if isinstance(value, Known) and type(value.value) is wanted:
        yield str(int(value.value))
    elif isinstance(value, Truth) and wanted is bool:
        yield code.op(f"zext i1 {value.ref} to i64")
    elif isinstance(value, Whole) and wanted is int:
        yield value.ref
    else:
        like = called(computed(shape_of(Known(template))))
        raise Refused(f"a rule that gives {called(shape_of(value))} for {like}")
