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
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from oddsmith.dice import Die
from oddsmith.rules.board.board_rules import BoardRules
from oddsmith.rules.board.file import (
    LAYOUTS,
    OCCUPIED,
    OVERSHOOT,
    STANDARD,
    BoardFile,
    BoardVariant,
    dice_text,
    merged,
    read_board,
)
from oddsmith.rules.board.settle import rules_of
from oddsmith.rules.board.track import Track
from oddsmith.rules.board.walk import Walk
from oddsmith.rules.game import Game
from oddsmith.rules.moves import move
from oddsmith.rules.put import put


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
        _ = self.rules, self.track

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
        return f"{self.players} {self.rules.identity}"

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
        return _unpickled, (self.file.path, self.file.text, type(self).__name__, self._given)

    # The rules ----------------------------------------------------------------------------

    def start(self) -> Any:
        """Every token on the start."""
        return self.State((self.rules.start,) * self.players, 0)

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
    def board_variant(self) -> BoardVariant:
        """The file with the variant and the options given."""
        given = {k: v for k, v in self._given.items() if k not in ("players", "variant")}
        return BoardVariant(self.file, self.options["variant"], given)

    @cached_property
    def rules(self) -> BoardRules:
        """The board with every option settled."""
        return rules_of(self.board_variant)

    @property
    def layout(self) -> str:
        """How the board is drawn: no rule, so not among them."""
        return str(self.board_variant.tables["board"].get("layout", LAYOUTS[0]))

    @cached_property
    def walk(self) -> Walk:
        """How a token walks, others not regarded."""
        return Walk(self.rules, self.board_variant)

    @cached_property
    def die(self) -> Die[int]:
        """A throw, as the number of its class."""
        return Die({i: weight for i, (_, weight) in enumerate(self.walk.throw_classes)})

    @cached_property
    def goal(self) -> int:
        """The finish."""
        return self.rules.finish

    @cached_property
    def begin(self) -> int:
        """The start."""
        return self.rules.start

    @cached_property
    def swaps(self) -> bool:
        """Whether tokens that meet swap."""
        return self.rules.occupied == "swap"

    @cached_property
    def square_of(self) -> Any:
        """The square of each position."""
        return self.walk.square_of

    @cached_property
    def resting(self) -> Any:
        """Where a rest leads from each position."""
        return self.walk.resting

    @cached_property
    def held(self) -> Any:
        """Which positions are on hold."""
        return self.walk.held

    @cached_property
    def landing(self) -> Any:
        """Where each throw leads from each position, others not regarded."""
        return self.walk.table("position", np.int64)

    @cached_property
    def testing(self) -> Any:
        """The square on which others matter for each position and throw, or -1."""
        return self.walk.table("testing", np.int64)

    @cached_property
    def blocking(self) -> Any:
        """Whether another token there keeps the mover where it was; if not, it has to give way."""
        return self.walk.table("blocking", np.bool_)

    @cached_property
    def granting(self) -> Any:
        """Whether each throw from each position ends on a square that gives an extra turn."""
        return self.walk.table("granting", np.bool_)

    # Names --------------------------------------------------------------------------------

    def place(self, position: int) -> str:
        """A position as people call it; a square and its waiting rooms are one place."""
        return self.rules.place(int(self.square_of[position]))

    def roll_name(self, roll: Any) -> str:
        """The total, and the dice where a rule asks for them."""
        classes = self.walk.throw_classes
        dice = classes[roll][0]
        same = [other for other, _ in classes if sum(other) == sum(dice)]
        return f"{sum(dice)}" + (f": {' '.join(map(str, dice))}" if len(same) > 1 else "")

    # One token --------------------------------------------------------------------------

    @cached_property
    def why_no_lattice(self) -> str:
        """Why a turn changes more than the mover's token, or who moves next; empty if not."""
        if self.rules.occupied in ("swap", "restart"):
            return f"a turn can move another token (occupied = {self.rules.occupied!r})"
        for square in self.rules.squares.values():
            if square.extra:
                return f"the turn does not always pass on (extra turn on square {square.label})"
        return ""

    @cached_property
    def track(self) -> Track:
        """One token's walk as tables; also proves that the finish can be reached from anywhere."""
        return self.walk.track


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
        rules_of(BoardVariant(file, variant))
    board = merged(file, STANDARD)["board"]
    title = " ".join(board.get("name", "").split()) or path
    source = board.get("source", "").strip()
    prose = [board.get("rules", "").strip(), f"Source: {source}" if source else ""]
    members = {"title": title, "file": file, "__doc__": "\n\n".join(filter(None, prose)) or title}
    members["__module__"] = "oddsmith.boards"  # no rules of its own: they are in `rules`
    members |= {key: value for key, (_, value) in _options(file, merged(file, STANDARD)).items()}
    return type(name, (Board,), members)


def _unpickled(path: str, text: str, name: str, options: dict[str, Any]) -> Board:
    """A board from what pickle keeps of it."""
    return _board_class(path, text, name)(**options)
