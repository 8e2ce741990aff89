"""Random games as data: what is drawn, the `Game` that Oddsmith is given, and the plain model.

Two shapes. A *table* is any graph: states with an owner, moves with weights, ends with winners. A
*race* has a token a player, and players differ by their seat only, so it is asked with and without
symmetry. Both are read from nested lists in which every number is taken modulo what there is, so
that what shrinking leaves is a game too.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any, ClassVar, NamedTuple

from grind import round_trip
from grind.plain import Choice, Plain
from oddsmith import DRAW, Die, Game, move

WEIGHTS = (1, 1, 1, 1, 2, 3, 5, 7, 10**3, 10**6, 10**12, 10**17)


def draw(dice: Random) -> dict[str, Any]:
    """A random game."""
    data = draw_race(dice) if dice.random() < 0.3 else draw_table(dice)
    return data | {"file": round_trip.draw(dice)}


def draw_table(dice: Random) -> dict[str, Any]:
    """Any graph, some of it acyclic, some of it never ending."""
    players = dice.choice([1, 1, 2, 2, 2, 2, 3])
    size = dice.randint(3, 9)
    decisions = dice.choice([0, 0.3, 0.6])
    mostly = dice.choice([0.0, 0.5, 1.0])  # how much of it goes forward only
    uncounted = dice.choice([0, 0, 0.2, 0.6])
    states = []
    for s in range(size):
        ends = s == size - 1 or (s > 1 and dice.random() < 0.25)
        many = 0 if ends else 1 + (dice.random() < decisions) + (dice.random() < decisions / 3)
        moves = []
        for _ in range(many):
            outs = []
            for _ in range(dice.choice([1, 2, 2, 3])):
                forward = dice.random() < mostly and s + 1 < size
                target = dice.randint(s + 1, size - 1) if forward else dice.randrange(size)
                outs.append([target, dice.choice(WEIGHTS)])
            moves.append({"counts": dice.random() >= uncounted, "outs": outs})
        winners = dice.sample(range(players), dice.choice([0, 1, 1, 1, min(2, players)]))
        scores = [dice.randint(-2, 6) for _ in range(players)]
        states.append(
            {"owner": dice.randrange(players), "moves": moves, "end": winners, "scores": scores}
        )
    policy = [dice.randrange(6) for _ in range(size)]
    scored = dice.random() < 0.15
    return {"shape": "table", "players": players, "states": states, "policy": policy,
            "scored": scored}  # fmt: skip


def draw_race(dice: Random) -> dict[str, Any]:
    """Tokens on a ring of squares, the last of which is the goal."""
    players = dice.choice([2, 2, 2, 3])
    goal = dice.randint(1, 3 if players == 2 else 2)
    decisions = dice.choice([0, 0.2, 0.5])
    uncounted = dice.choice([0, 0, 0.2])
    squares = []
    for p in range(goal):
        moves = []
        for _ in range(1 + (dice.random() < decisions)):
            outs = [
                [dice.choice([p + 1, p + 1, dice.randint(0, goal)]), dice.choice(WEIGHTS),
                 int(dice.random() < 0.2)]
                for _ in range(dice.choice([1, 2, 2]))
            ]  # fmt: skip
            moves.append({"counts": dice.random() >= uncounted, "outs": outs})
        squares.append(moves)
    return {"shape": "race", "players": players, "squares": squares,
            "meet": dice.choice([0, 0, 1]), "ends": dice.choice([0, 0, 0, 1, 2]),
            "policy": [dice.randrange(6) for _ in range(5)], "scored": False}  # fmt: skip


# The game that Oddsmith is given ----------------------------------------------------------------


class Drawn(Game):
    """What both shapes share: moves by number, those that do not count named otherwise."""

    data: ClassVar[dict[str, Any]] = {}

    def moves_of(self, s: Any) -> list[dict[str, Any]]:
        """The moves in a state, each with outcomes."""
        raise NotImplementedError

    def legal(self, s: Any) -> list[str]:
        """The names of the moves in a state."""
        return [
            f"{'go' if one['counts'] else 'rest'} {i}" for i, one in enumerate(self.moves_of(s))
        ]

    def plan(self, s: Any) -> str:
        """A way to play, drawn with the game."""
        return self.legal(s)[planned(self.data, tuple(s)) % len(self.legal(s))]


def planned(data: dict[str, Any], state: Any) -> int:
    """The number that the drawn policy has for a state."""
    flat = [x for part in state for x in (part if isinstance(part, tuple) else (part,))]
    policy = data["policy"] or [0]
    return int(policy[sum((i + 1) * x for i, x in enumerate(flat)) % len(policy)])


def _may(counts: bool) -> Any:
    def when(self: Any, s: Any, number: int) -> bool:
        moves = self.moves_of(s)
        return number < len(moves) and bool(moves[number]["counts"]) == counts

    return when


def _dice(self: Any, s: Any, number: int) -> Die[int]:
    return Die({i: weight(out[1]) for i, out in enumerate(self.moves_of(s)[number]["outs"])})


def weight(given: int) -> int:
    """A weight as it counts: at least one."""
    return max(1, int(given))


class TableGame(Drawn):
    """A graph."""

    class State(NamedTuple):
        """A number, and whose turn it is."""

        at: int
        turn: int

    def start(self) -> Any:
        return self.State(0, owner_of(self.data, 0))

    def moves_of(self, s: Any) -> list[dict[str, Any]]:
        return moves_in(self.data, s.at)

    def winner(self, s: Any) -> Any:
        if moves_in(self.data, s.at):
            return None
        won = winners_in(self.data, s.at)
        return won if len(won) > 1 else won[0] if won else DRAW

    @move(each=range(4), when=_may(True), dice=_dice)
    def go(self, s: Any, number: int, roll: int) -> Any:
        """A move that counts."""
        target = self.moves_of(s)[number]["outs"][roll][0] % len(self.data["states"])
        return self.State(target, owner_of(self.data, target))

    @move(each=range(4), when=_may(False), dice=_dice, counts=False)
    def rest(self, s: Any, number: int, roll: int) -> Any:
        """A move that does not."""
        target = self.moves_of(s)[number]["outs"][roll][0] % len(self.data["states"])
        return self.State(target, owner_of(self.data, target))


class ScoredGame(TableGame):
    """A graph with scores."""

    def score(self, s: Any) -> Any:
        return scores_in(self.data, s.at)


class RaceGame(Drawn):
    """Tokens on squares."""

    interchangeable = ("squares",)

    class State(NamedTuple):
        """Where each token is, and whose turn it is."""

        squares: tuple[int, ...]
        turn: int

    def start(self) -> Any:
        return self.State((0,) * self.players, 0)

    def moves_of(self, s: Any) -> list[dict[str, Any]]:
        return race_moves(self.data, s.squares[s.turn])

    def winner(self, s: Any) -> Any:
        found = race_winners(self.data, s.squares)
        return found if found is None else found if found else DRAW

    @move(each=range(2), when=_may(True), dice=_dice)
    def go(self, s: Any, number: int, roll: int) -> Any:
        """A move that counts."""
        out = self.moves_of(s)[number]["outs"][roll]
        return self.State(*race_after(self.data, s.squares, s.turn, out))

    @move(each=range(2), when=_may(False), dice=_dice, counts=False)
    def rest(self, s: Any, number: int, roll: int) -> Any:
        """A move that does not."""
        out = self.moves_of(s)[number]["outs"][roll]
        return self.State(*race_after(self.data, s.squares, s.turn, out))


def game_of(data: dict[str, Any]) -> Drawn:
    """The game for Oddsmith."""
    race = data["shape"] == "race"
    base = RaceGame if race else ScoredGame if data["scored"] else TableGame
    body = {"data": data, "players": players_of(data), "__annotations__": {"players": int}}
    made: type[Drawn] = type("DrawnGame", (base,), body)
    return made()


# Reading the data -------------------------------------------------------------------------------


def players_of(data: dict[str, Any]) -> int:
    """How many play."""
    return min(3, max(2 if data["shape"] == "race" else 1, int(data["players"])))


def owner_of(data: dict[str, Any], s: int) -> int:
    """Who moves in a state."""
    return int(data["states"][s]["owner"]) % players_of(data)


def moves_in(data: dict[str, Any], s: int) -> list[dict[str, Any]]:
    """The moves of a state that lead somewhere."""
    return [one for one in data["states"][s]["moves"] if one["outs"]][:4]


def winners_in(data: dict[str, Any], s: int) -> tuple[int, ...]:
    """Who wins in an end."""
    return tuple(sorted({w % players_of(data) for w in data["states"][s]["end"]}))


def scores_in(data: dict[str, Any], s: int) -> tuple[int, ...]:
    """The scores in an end."""
    given = data["states"][s]["scores"]
    return tuple(given[p] if p < len(given) else 0 for p in range(players_of(data)))


def race_moves(data: dict[str, Any], square: int) -> list[dict[str, Any]]:
    """The moves from a square."""
    given = [one for one in data["squares"][square] if one["outs"]][:2]
    return given or [{"counts": True, "outs": [[square + 1, 1, 0]]}]


def race_winners(data: dict[str, Any], squares: tuple[int, ...]) -> tuple[int, ...] | None:
    """Who has won: nobody in a draw, None while it goes on."""
    goal = len(data["squares"])
    if goal not in squares:
        return None
    near = [p for p, at in enumerate(squares) if at >= goal - 1]
    if data["ends"] == 1:
        return tuple(near)
    if data["ends"] == 2 and len(near) > 1:
        return ()
    return (squares.index(goal),)


def race_after(
    data: dict[str, Any], squares: tuple[int, ...], turn: int, out: list[int]
) -> tuple[tuple[int, ...], int]:
    """The squares and the turn after an outcome."""
    goal, players = len(data["squares"]), len(squares)
    target, again = out[0] % (goal + 1), out[2] and out[0] % (goal + 1) != goal
    found = list(squares)
    found[turn] = target
    if data["meet"] and target != goal:
        for other in range(players):
            if other != turn and found[other] == target:
                found[other] = 0
    return tuple(found), turn if again else (turn + 1) % players


# The plain model ----------------------------------------------------------------------------------


def plain_of(data: dict[str, Any]) -> Plain:
    """The same game as lists, by the data alone."""
    players = players_of(data)
    race = data["shape"] == "race"
    start: Any = ((0,) * players, 0) if race else (0, owner_of(data, 0))
    number, states = {start: 0}, [start]
    model = Plain([], [], players=players, scores=[] if data["scored"] else None)
    for state in states:  # grows
        place, turn = state
        ended = race_winners(data, place) if race else None
        moves = [] if ended is not None else race_moves(data, place[turn]) if race else (
            moves_in(data, place)
        )  # fmt: skip
        if not race and not moves:
            ended = winners_in(data, place)
        choices = []
        for i, one in enumerate(moves):
            total = sum(weight(out[1]) for out in one["outs"])
            chances: dict[int, Fraction] = {}
            for out in one["outs"]:
                if race:
                    after: Any = race_after(data, place, turn, out)
                else:
                    after = out[0] % len(data["states"])
                    after = (after, owner_of(data, after))
                if after not in number:
                    number[after] = len(states)
                    states.append(after)
                t = number[after]
                chances[t] = chances.get(t, Fraction(0)) + Fraction(weight(out[1]), total)
            name = f"{'go' if one['counts'] else 'rest'} {i}"
            outcomes = [(p, t) for t, p in chances.items()]
            choices.append(Choice(outcomes, int(bool(one["counts"])), name))
        model.choices.append(choices)
        model.owner.append(turn)
        model.names.append(state)
        model.winners.append(ended)
        if model.scores is not None:
            model.scores.append(None if ended is None else scores_in(data, place))
    return model
