"""Board: the rules of a race along squares, read from a table.

A turn: the mover throws the dice and its token walks as many squares on. Past the finish it
bounces back, stays where it was, or wins (`overshoot`). On a square with an effect it is sent
on: `goto` another square, `again` the same throw in the same direction, `restart` at the start;
the effect of the square it comes to holds as well. Where it stops it may have to `wait` some
turns, be on `hold` until another token is there too, be kept `until` it throws a given throw
(with which it then moves), or have an `extra` turn. If another token is on that square
(`occupied`), the mover goes back to where it was (`return`), they `share` it, they `swap`, or the
other goes back to the start (`restart`); squares with `hold` or `share` hold any number. Throws
from the start may lead elsewhere (`[first-throw]`). The first on the finish wins. A turn spent
waiting or on hold has no throw and does not count towards the length of the game.

What happens where these rules meet:

- Walking. A bounce turns the throw round: what is `again` after it goes backwards. A token never
  goes back beyond the start: there it stops. Where `overshoot` is `stay`, a throw that leads past
  the finish at any point, by way of an `again` too, is not played at all. Only landing has
  effects: a throw of 0 leaves the token where it is, without another wait or extra turn, but one
  that walks away and bounces back to its own square has landed there.
- Throws. A throw is named by its total, by the numbers of all dice in any order, or as `double`:
  all dice alike. Of two first throws that both fit, the one written first holds. A first throw
  leads from the start as often as a token throws there; the square it leads to may send it on
  (`again` by the total thrown, forwards).
- The start. All tokens begin on it. With `return` it counts as occupied like any other square,
  unless it has `share`; with `swap` and `restart` it holds any number.
- Other tokens. Only the square where the mover stops is looked at, not those it came by; a square
  and its waiting turns are one. A mover that goes back stays what it was: it does not wait
  again and has no extra turn. A token swapped or sent away by another has not landed: it does
  not wait and has no extra turn, but a square with `hold` or `until` keeps it. Of several tokens
  on the square each is swapped or sent away.
- `free`. A first throw with `free` looks at that square instead of the one it leads to: if another
  token is there the throw is not played, whatever `occupied` says; if not, the token goes
  where it leads and shares the square with whoever is there.
- Sharing a `wait`: each token waits its own turns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from oddsmith.dice import Die
from oddsmith.rules.board.file import (
    LAYOUTS,
    OCCUPIED,
    OVERSHOOT,
    STANDARD,
    BoardFile,
    Edition,
    dice_text,
    merged,
    read_board,
)
from oddsmith.rules.board.plan import FirstThrow, Plan, Square, Throw
from oddsmith.rules.board.settle import plan_of
from oddsmith.rules.board.track import ANY, FINISH, Track
from oddsmith.rules.game import Game, move
from oddsmith.rules.put import put

NOT_PLAYED = -2
"""Where a throw leads that is not played, beside FINISH and the positions."""

MAX_TABLE = 1_000_000
"""Positions times throws that rules tell apart."""


@dataclass(frozen=True)
class Landing:
    """What a throw does: where the token lands, which square matters, and what then."""

    position: int
    tested: int = ANY
    """The square on which other tokens matter, or ANY."""
    blocks: bool = False
    """Whether another token there keeps the mover where it was."""
    grants: bool = False
    """Whether the mover has an extra turn."""


class Board(Game):
    """A game on a track of squares; each board file is a class of its own."""

    interchangeable = ("positions",)
    squares = "positions"

    file: ClassVar[BoardFile]
    _given: dict[str, Any]

    class State(NamedTuple):
        """Where each token stands (beyond the finish: in a waiting room), and whose turn it is."""

        positions: tuple[int, ...]
        turn: int

    def __init__(self, **options: Any) -> None:
        variant = options.get("variant", STANDARD)
        tables = merged(self.file, variant if isinstance(variant, str) else STANDARD)
        for name, (_, value) in _options(self.file, tables).items():
            self.__dict__[name] = value
        self.__dict__["_given"] = options
        super().__init__(**options)

    @classmethod
    def declared_options(cls) -> dict[str, tuple[Any, Any]]:
        """Players, the variant, what the [board] table says, and the number of every effect."""
        return _options(cls.file, merged(cls.file, STANDARD))

    def validate(self) -> None:
        """Settle the board: every mistake in its tables is found here."""
        _ = self.plan, self.track

    @property
    def described(self) -> dict[str, Any]:
        """The variant, and the options that differ from the file."""
        variant = self.options["variant"]
        own = _options(self.file, merged(self.file, variant))
        found = {"variant": variant} if variant != STANDARD else {}
        return found | {
            name: value
            for name, value in self.options.items()
            if name not in ("players", "variant") and name in own and value != own[name][1]
        }

    @property
    def identity(self) -> str:
        """The rules as they hold; what things are called does not count."""
        return f"{self.players} {self.plan.essence}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Board) and self.file == other.file and self.options == other.options
        )

    def __hash__(self) -> int:
        return hash((self.file.text, tuple(self.options.items())))

    def __repr__(self) -> str:
        players = {} if self.players == self._default_players else {"players": self.players}
        changed = players | self.described
        plain = [f"{name}={value!r}" for name, value in changed.items() if name.isidentifier()]
        dotted = {name: value for name, value in changed.items() if not name.isidentifier()}
        parts = [*plain, *([f"**{dotted}"] if dotted else [])]
        return f"{type(self).__name__}({', '.join(parts)})"

    @property
    def _default_players(self) -> int:
        return int(_options(self.file, merged(self.file, self.options["variant"]))["players"][1])

    def __reduce__(self) -> Any:
        return _again, (self.file.path, self.file.text, type(self).__name__, self._given)

    # The rules ----------------------------------------------------------------------------

    def start(self) -> Any:
        """Every token on the start."""
        return self.State((self.plan.start,) * self.players, 0)

    def ranges(self) -> dict[str, range]:
        """The squares, and the waiting rooms."""
        return {"positions": range(len(self.square_of))}

    def winner(self, s: Any) -> Any:
        """Whoever is on the finish."""
        for player in range(self.players):
            if s.positions[player] == self.goal:
                return player
        return None

    def shared(self, s: Any, square: Any) -> Any:
        """Whether a token other than the mover's is on a square."""
        for player in range(self.players):
            if player != s.turn and self.square_of[s.positions[player]] == square:
                return True
        return False

    def rests(self, s: Any) -> Any:
        """Whether the mover is in a waiting room, or on hold without company."""
        position = s.positions[s.turn]
        if self.resting[position] != position:
            return True
        return bool(self.held[position]) and not self.shared(s, self.square_of[position])

    def throws(self, s: Any) -> Any:
        """Whether the mover may throw."""
        return not self.rests(s)

    @move(dice=lambda self: self.die, when=throws)
    def throw(self, s: Any, roll: Any) -> Any:
        """Throw the dice and move."""
        me = s.turn
        old = s.positions[me]
        new, tested = int(self.landing[old, roll]), int(self.testing[old, roll])
        extra = bool(self.granting[old, roll])
        positions = s.positions
        if tested >= 0:
            for player in range(self.players):
                if player != me and self.square_of[positions[player]] == tested:
                    if self.blocking[old, roll]:
                        new, extra = old, False
                    elif self.swaps:
                        positions = put(positions, player, old)
                    else:
                        positions = put(positions, player, self.begin)
        turn = me if extra else (me + 1) % self.players
        return self.State(put(positions, me, new), turn)

    @move(when=rests, counts=False)
    def rest(self, s: Any) -> Any:
        """Rest a turn."""
        new = int(self.resting[s.positions[s.turn]])
        return self.State(put(s.positions, s.turn, new), (s.turn + 1) % self.players)

    # The tables behind them ---------------------------------------------------------------

    @cached_property
    def edition(self) -> Edition:
        """The file with the variant and the options given."""
        given = {k: v for k, v in self._given.items() if k not in ("players", "variant")}
        return Edition(self.file, self.options["variant"], given)

    @cached_property
    def plan(self) -> Plan:
        """The board with every option settled."""
        return plan_of(self.edition)

    @property
    def layout(self) -> str:
        """How the board is drawn: no rule, so not in the plan."""
        return str(self.edition.tables["board"].get("layout", LAYOUTS[0]))

    @cached_property
    def rooms(self) -> tuple[tuple[Square, int], ...]:
        """The waiting rooms: a square and how many turns to rest, numbered from finish + 1."""
        waits = sorted((s for s in self.plan.squares.values() if s.wait), key=lambda s: s.number)
        return tuple((square, turns) for square in waits for turns in range(1, square.wait + 1))

    @cached_property
    def entrance(self) -> dict[int, int]:
        """Where a token comes that must wait on a square: the last of its waiting rooms."""
        return {square.number: self.goal + 1 + i for i, (square, _) in enumerate(self.rooms)}

    @cached_property
    def throw_classes(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """Throws that no rule tells apart, as (one of them, weight)."""
        plan = self.plan
        named = [rule.throw for rule in plan.first_throw]
        for _, square in sorted(plan.squares.items()):
            named += square.until
        classes: dict[Any, list[Any]] = {}
        for dice, weight in plan.die.pool(plan.number_of_dice).items():
            told = tuple(_matches(throw, dice) for throw in named)
            found = classes.setdefault((sum(dice), told), [dice, 0])
            found[1] += weight
        return tuple((classes[key][0], classes[key][1]) for key in sorted(classes))

    @cached_property
    def die(self) -> Die[int]:
        """A throw, as the number of its class."""
        return Die({i: weight for i, (_, weight) in enumerate(self.throw_classes)})

    @cached_property
    def goal(self) -> int:
        """The finish."""
        return self.plan.finish

    @cached_property
    def begin(self) -> int:
        """The start."""
        return self.plan.start

    @cached_property
    def swaps(self) -> bool:
        """Whether tokens that meet swap."""
        return self.plan.occupied == "swap"

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
        for square in self.plan.squares.values():
            found[square.number] = square.hold
        return found

    @cached_property
    def landing(self) -> Any:
        """Where each throw leads from each position, others not regarded."""
        return self._table("position", np.int64)

    @cached_property
    def testing(self) -> Any:
        """The square on which others matter for each position and throw, or -1."""
        return self._table("tested", np.int64)

    @cached_property
    def blocking(self) -> Any:
        """Whether another token there keeps the mover where it was; if not, it has to give way."""
        return self._table("blocks", np.bool_)

    @cached_property
    def granting(self) -> Any:
        """Whether each throw from each position ends on a square that gives an extra turn."""
        return self._table("grants", np.bool_)

    def _table(self, what: str, kind: Any) -> Any:
        found = np.full((len(self.square_of), len(self.throw_classes)), kind(ANY))
        for position, landings in self.walks.items():
            found[position, : len(landings)] = [getattr(landing, what) for landing in landings]
        return found

    @cached_property
    def walks(self) -> dict[int, tuple[Landing, ...]]:
        """What each throw does from each position a token can come to; nothing while it rests."""
        if len(self.square_of) * len(self.throw_classes) > MAX_TABLE:
            self.edition.fail(
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

    def _landing(self, square: int, dice: tuple[int, ...]) -> Landing:
        """What a token's throw on a square does."""
        here, total = self.plan.squares.get(square, Square(square)), sum(dice)
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
        stop = self.plan.squares.get(int(self.square_of[new]), Square(new))
        if free is not None:
            return Landing(new, free, blocks=True, grants=stop.extra)
        tested = self._tested(int(self.square_of[new]))
        return Landing(new, tested, self.plan.occupied == "return", stop.extra)

    def _first_throw(self, dice: tuple[int, ...]) -> FirstThrow | None:
        """The exception for a throw from the start."""
        return next((rule for rule in self.plan.first_throw if _matches(rule.throw, dice)), None)

    def _tested(self, square: int) -> int:
        """The square, unless it can hold any number of tokens."""
        found = self.plan.squares.get(square, Square(square))
        crowd = found.hold or found.share or self.plan.occupied == "share" or square == self.goal
        if square == self.begin and self.plan.occupied in ("swap", "restart"):
            crowd = True
        return ANY if crowd else square

    def _land(self, square: int, step: int, origin: int, dice: tuple[int, ...]) -> int:
        """Follow effects from a square until the token stops: a position, FINISH, or not played."""
        seen: set[tuple[int, int]] = set()
        while True:
            if square > self.goal:
                if self.plan.overshoot == "stay":
                    return NOT_PLAYED
                if self.plan.overshoot == "win":
                    return FINISH
                square, step = 2 * self.goal - square, -abs(step)
            if square == self.goal:
                return FINISH
            square = max(square, self.begin)
            effect = self.plan.squares.get(square, Square(square))
            if (square, step) in seen:
                thrown = " and ".join(str(number) for number in dice)
                self.edition.fail(
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

    # Names --------------------------------------------------------------------------------

    def place(self, position: int) -> str:
        """A position as people call it; a square and its waiting rooms are one place."""
        square = int(self.square_of[position])
        if square == self.goal:
            return f"{square} (finish)"
        if square in self.plan.squares:
            return self.plan.squares[square].label
        return f"{square} (start)" if square == self.begin else str(square)

    def roll_name(self, roll: Any) -> str:
        """The total, and the dice where a rule asks for them."""
        dice = self.throw_classes[roll][0]
        same = [other for other, _ in self.throw_classes if sum(other) == sum(dice)]
        return f"{sum(dice)}" + (f": {' '.join(map(str, dice))}" if len(same) > 1 else "")

    # One token --------------------------------------------------------------------------

    @cached_property
    def more_than_mover(self) -> str:
        """Why a turn changes more than the mover's token, or who moves next; empty if not."""
        if self.plan.occupied in ("swap", "restart"):
            return f"a turn can move another token (occupied = {self.plan.occupied!r})"
        for square in self.plan.squares.values():
            if square.extra:
                return f"the turn does not always pass on (extra turn on square {square.label})"
        return ""

    @cached_property
    def track(self) -> Track:
        """One token's walk as tables; also proves that the finish can be reached from anywhere."""
        self._check_finish()
        codes = sorted(self.walks)
        number = {code: i for i, code in enumerate(codes)}
        squares = sorted({int(self.square_of[code]) for code in codes})
        index = {square: i for i, square in enumerate(squares)}
        entries: dict[tuple[int, int, int], int] = {}
        for code in codes:
            if code > self.goal:
                continue
            for roll, (_, weight) in enumerate(self.throw_classes):
                landing = self.walks[code][roll]
                end = FINISH if landing.position == self.goal else number[landing.position]
                stays = end == number[code]  # whoever is there
                key = (number[code], end, ANY if stays else index.get(landing.tested, ANY))
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
            for position, landings in self.walks.items()
        }
        good: set[int] = set()
        more = {self.goal}
        while more:
            good |= more
            more = {p for p, found in after.items() if p not in good and found & good}
        stuck = sorted({int(self.square_of[position]) for position in set(after) - good})
        if stuck:
            named = [square for square in stuck if square in self.plan.squares]
            square = (named or stuck)[0]
            effect = self.plan.squares.get(square)
            self.edition.fail(
                _where(effect) if effect else ("board", "finish"),
                f"No throw ever leads from here to the finish ({self.goal}): change an effect, the "
                f"dice or overshoot.",
                self.place(square),
            )


def _where(square: Square) -> tuple[str, str]:
    """The place of a square in the tables."""
    return ("squares", square.name) if square.name else ("jumps", str(square.number))


def _matches(throw: Throw, dice: tuple[int, ...]) -> bool:
    """Whether the dice show a throw."""
    if throw == "double":
        return len(set(dice)) == 1
    return sum(dice) == throw if isinstance(throw, int) else tuple(sorted(dice)) == throw


def _options(file: BoardFile, tables: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Options of a board: name -> (type, default)."""
    board = tables["board"]
    variants = (STANDARD, *file.data.get("variants", {}))
    found: dict[str, tuple[Any, Any]] = {
        "players": (int, board.get("players", 2)),
        "variant": (Literal[variants], STANDARD),
        "finish": (int, board.get("finish")),
        "dice": (str, dice_text(board.get("dice", "d6"))),
        "overshoot": (Literal[OVERSHOOT], board.get("overshoot", OVERSHOOT[0])),
        "occupied": (Literal[OCCUPIED], board.get("occupied", "share")),
    }
    for name, table in tables["squares"].items():
        if isinstance(table, dict):
            for key in ("goto", "wait"):
                if table.get(key, False) is not False:
                    found[f"{name}.{key}"] = (int, table[key])
    for square, goto in tables["jumps"].items():
        found[f"jumps.{square}"] = (int, goto)
    return found


def board_class(path: str, text: str | None = None, name: str = "") -> type[Board]:
    """The class of games that a board file describes."""
    file = read_board(path, text)
    called = name or str(merged(file, STANDARD)["board"].get("name", ""))
    words = re.findall(r"\w+", called.replace("_", " "))
    title = "".join(word[0].upper() + word[1:] for word in words)
    return _board_class(path, file.text, title or "Board")


@lru_cache(256)
def _board_class(path: str, text: str, name: str) -> type[Board]:
    file = read_board(path, text)
    for variant in (STANDARD, *file.data.get("variants", {})):
        plan_of(Edition(file, variant))
    board = merged(file, STANDARD)["board"]
    title = " ".join(board.get("name", "").split()) or path
    source = board.get("source", "").strip()
    prose = [board.get("rules", "").strip(), f"Source: {source}" if source else ""]
    members = {"title": title, "file": file, "__doc__": "\n\n".join(filter(None, prose)) or title}
    members["__module__"] = "oddsmith.boards"  # no rules of its own: they are in the plan
    members |= {key: value for key, (_, value) in _options(file, merged(file, STANDARD)).items()}
    return type(name, (Board,), members)


def _again(path: str, text: str, name: str, options: dict[str, Any]) -> Board:
    """A board from what pickle keeps of it."""
    return _board_class(path, text, name)(**options)
