"""Games from tables of moves, and their solution by plain enumeration, in fractions.

Nothing here shares code with the solver. A policy is one move in every state; the chain that a
choice of policies makes of a game is solved by Gaussian elimination; optimal play is found by
trying every policy. That is enough: where play without an end has a fixed worth, a game of one
player or of two with opposite interests has optimal policies without memory and without chance
(it is a mean-payoff game: Liggett and Lippman, SIAM Review 11 (1969) 604-607).
"""

from fractions import Fraction
from itertools import product
from typing import NamedTuple

from hypothesis import strategies as st

from oddsmith import DRAW, Die, Game, move

NAMES = ("a", "b", "c")


class Tables:
    """A game as tables.

    `moves[s][name][t]` is the weight with which a move leads from s to t, `owner[s]` whose turn it
    is, `ends[s]` who has won where it is over and `scores[s]` what everybody then has scored, if
    the game is played for scores. Moves whose names are `quiet` do not count. The game begins in
    state 0.
    """

    def __init__(self, moves, ends, owner=None, *, players=1, scores=None, quiet=()):
        self.moves, self.ends, self.players, self.scores = moves, ends, players, scores
        self.quiet = quiet
        self.owner = dict.fromkeys(moves, 0) if owner is None else owner
        self.game = tables_game(self)

    def __repr__(self):
        return (
            f"Tables({self.moves}, {self.ends}, {self.owner}, players={self.players}, "
            f"scores={self.scores}, quiet={self.quiet})"
        )

    def state(self, s):
        return self.game.State(s, self.owner.get(s, 0))

    @property
    def reached(self):
        """The states that some play comes to, the first one first."""
        found = [0]
        for s in found:
            for row in self.moves.get(s, {}).values():
                found += [t for t in row if t not in found]
        return found

    # What an end is worth ---------------------------------------------------------------------

    def worth(self, s):
        """What each player gets where the game is over."""
        if self.scores is not None:
            return tuple(Fraction(x) for x in self.scores[s])
        won, players = self.ends[s], self.players
        if won == DRAW:
            return (Fraction(0),) if players == 1 else (Fraction(1, players),) * players
        winners = won if isinstance(won, tuple) else (won,)
        return tuple(Fraction(int(p in winners), len(winners)) for p in range(players))

    @property
    def endless(self):
        """What play without an end is worth to everybody."""
        if self.scores is not None:
            reached = set(self.reached)
            return Fraction(min([0, *(min(x) for s, x in self.scores.items() if s in reached)]))
        return Fraction(0) if self.players == 1 else Fraction(1, self.players)

    # Policies ---------------------------------------------------------------------------------

    def policies(self, player):
        """Every policy of a player: a move's name in each of his states."""
        mine = [s for s in self.moves if self.owner[s] == player]
        for names in product(*(self.moves[s] for s in mine)):
            yield dict(zip(mine, names, strict=True))

    def profiles(self):
        """Every choice of a policy by everybody."""
        for names in product(*self.moves.values()):
            yield dict(zip(self.moves, names, strict=True))

    def row(self, s, name):
        """The chances of a move."""
        row = self.moves[s][name]
        total = sum(row.values())
        return {t: Fraction(w, total) for t, w in row.items()}

    def mixed_row(self, s):
        """The chances if every move is as likely."""
        found = {}
        for name in self.moves[s]:
            for t, p in self.row(s, name).items():
                found[t] = found.get(t, 0) + p / len(self.moves[s])
        return found

    def values(self, profile):
        """What every state is worth to everybody under a profile, as a tuple of fractions.

        The profile gives a move's name for a state, or None for any move at random.
        """
        worth = {s: self.worth(s) for s in self.ends}
        return chain_values(self.rows(profile), worth, (self.endless,) * self.players)

    def rows(self, profile):
        """The chain of a profile: the chances of every state's move."""
        return {
            s: self.mixed_row(s) if profile[s] is None else self.row(s, profile[s])
            for s in self.moves
        }

    # Chances ----------------------------------------------------------------------------------

    def chances(self, profile):
        """From every state: how often each player is among the winners, and how often nobody is."""
        nobody = (Fraction(0),) * self.players + (Fraction(1),)
        ends = {}
        for s, won in self.ends.items():
            winners = () if won == DRAW else won if isinstance(won, tuple) else (won,)
            ends[s] = tuple(Fraction(int(p in winners)) for p in range(self.players))
            ends[s] += (Fraction(int(not winners)),)
        return chain_values(self.rows(profile), ends, nobody)

    def goes_on(self, profile):
        """Whether play from the start may come to where moves count for ever."""
        rows = self.rows(profile)
        closed = [c for s in _reached(rows, 0) if (c := _reached(rows, s)).isdisjoint(self.ends)]
        least = [c for c in closed if not any(other < c for other in closed)]
        return any(profile[s] not in self.quiet for c in least for s in c)

    # Optimal play -----------------------------------------------------------------------------

    def best(self):
        """The value of every state to the only player."""
        assert self.players == 1
        every = [self.values(profile) for profile in self.profiles()]
        return {s: max(values[s][0] for values in every) for s in every[0]}

    def best_response(self, player, others):
        """The most that a player can get in every state against moves that the others make."""
        every = [self.values(others | mine) for mine in self.policies(player)]
        return {s: max(values[s][player] for values in every) for s in every[0]}

    def value(self):
        """The value of every state of a game of two to its first player: max min, and min max."""
        assert self.players == 2
        table = [
            [self.values(mine | theirs) for theirs in self.policies(1)] for mine in self.policies(0)
        ]
        return {
            s: (
                max(min(values[s][0] for values in row) for row in table),
                min(max(row[k][s][0] for row in table) for k in range(len(table[0]))),
            )
            for s in table[0][0]
        }

    def gain(self, profile):
        """The most that a player can gain anywhere by leaving a profile alone."""
        now = self.values(profile)
        most = Fraction(0)
        for player in range(self.players):
            best = self.best_response(player, profile)
            most = max(most, *(best[s] - now[s][player] for s in best))
        return most


def _reached(rows, s):
    """The states that a chain can come to from one."""
    found = [s]
    for t in found:
        found += [u for u in rows.get(t, {}) if u not in found]
    return set(found)


def chain_values(rows, worth, endless):
    """Expected worth of every state of a chain (a tuple each): its ends' worth, or `endless`."""
    leads, grew = set(worth), True
    while grew:
        more = {s for s, row in rows.items() if s not in leads and not leads.isdisjoint(row)}
        leads |= more
        grew = bool(more)
    found = dict(worth) | {s: endless for s in rows if s not in leads}
    open_ = [s for s in rows if s in leads]
    place = {s: i for i, s in enumerate(open_)}
    width = len(endless)
    matrix = []
    for s in open_:
        line = [Fraction(0)] * (len(open_) + width)
        line[place[s]] += 1
        for t, p in rows[s].items():
            if t in place:
                line[place[t]] -= p
            else:
                for q in range(width):
                    line[len(open_) + q] += p * found[t][q]
        matrix.append(line)
    for s, line in zip(open_, eliminated(matrix), strict=True):
        found[s] = tuple(line)
    return found


def eliminated(rows):
    """Gauss and Jordan, in fractions: the right sides of [A | b] once A is the identity."""
    size = len(rows)
    for i in range(size):
        pivot = next(k for k in range(i, size) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        head = rows[i][i]
        if head != 1:
            rows[i] = [x / head if x else x for x in rows[i]]
        for k in range(size):
            factor = rows[k][i]
            if k != i and factor:
                rows[k] = [
                    x - factor * y if y else x for x, y in zip(rows[k], rows[i], strict=True)
                ]
    return [row[size:] for row in rows]


def tables_game(tables):
    """The game of some tables: state `at`, and whose turn it is."""
    dice = {(s, name): Die(row) for s, named in tables.moves.items() for name, row in named.items()}
    owner, ends, scores = tables.owner, tables.ends, tables.scores
    counted = {name: name not in tables.quiet for name in NAMES}
    first_turn = owner.get(0, 0)

    class Tabled(Game):
        players: int = tables.players

        class State(NamedTuple):
            at: int = 0
            turn: int = first_turn

        def winner(self, s):
            return ends.get(s.at)

        @move(
            dice=lambda self, s: dice[s.at, "a"],
            when=lambda self, s: (s.at, "a") in dice,
            counts=counted["a"],
        )
        def a(self, s, to):
            return self.State(to, owner.get(to, 0))

        @move(
            dice=lambda self, s: dice[s.at, "b"],
            when=lambda self, s: (s.at, "b") in dice,
            counts=counted["b"],
        )
        def b(self, s, to):
            return self.State(to, owner.get(to, 0))

        @move(
            dice=lambda self, s: dice[s.at, "c"],
            when=lambda self, s: (s.at, "c") in dice,
            counts=counted["c"],
        )
        def c(self, s, to):
            return self.State(to, owner.get(to, 0))

    class Scored(Tabled):
        def score(self, s):
            return scores[s.at]

    return (Tabled if scores is None else Scored)()


# Random games -------------------------------------------------------------------------------


@st.composite
def tabled(draw, players=1, most=6, profiles=128, scored=False, weights=None, ending=False):
    """Random games: moves that stay, cycles with and without a way out, ties, ends of all kinds.

    With `ending`, every move may lead onward, so that nobody can keep play for ever.
    """
    weights = st.integers(1, 5) if weights is None else weights
    live = draw(st.integers(1, most))
    ends = draw(st.integers(1, 3))
    size = live + ends
    moves, count = {}, 1
    for s in range(live):
        allowed = 3 if count * 3 <= profiles else 2 if count * 2 <= profiles else 1
        options = draw(st.integers(1, allowed))
        count *= options
        named = draw(st.permutations(NAMES))[:options]
        moves[s] = {}
        for name in sorted(named):
            kind = draw(st.sampled_from(["certain", "certain", "two", "some"]))
            if kind == "certain":  # to stay where one is among them
                row = [draw(st.integers(0, size - 1))]
            elif kind == "two":
                row = draw(st.lists(st.integers(0, size - 1), min_size=2, max_size=2))
            else:
                row = draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=4))
            if ending:
                row.append(draw(st.integers(s + 1, size - 1)))
            moves[s][name] = {t: draw(weights) for t in dict.fromkeys(row)}
    owner = {s: draw(st.integers(0, players - 1)) for s in range(live)}
    everybody = tuple(range(players))
    kinds = [*everybody, DRAW, everybody, *([(0, 1)] if players > 2 else [])]
    ended = {live + i: draw(st.sampled_from(kinds)) for i in range(ends)}
    scores = None
    if scored:
        score = st.integers(-3, 6)
        scores = {s: tuple(draw(score) for _ in everybody) for s in ended}
    return Tables(moves, ended, owner, players=players, scores=scores)


CHANCES = [*[(1,), (1, 1), (1, 2), (3, 1, 2)] * 3, (1, 10**6), (10**9, 1), (1, 10**12, 1)]
"""Weights of a move's outcomes: ordinary ones, and such as make play nearly endless."""


def anything(rng, players, most=5, profiles=48):
    """A random game of all kinds: moves that do not count, waiting, cycles, several winners.

    The tables of `tabled` without its shrinking, so that many thousands can be tried.
    """
    live, over = rng.randint(1, most), rng.randint(1, 3)
    moves, count = {}, 1
    for s in range(live):
        options = rng.choice([n for n in (1, 2, 2, 3) if count * n <= profiles])
        count *= options
        moves[s] = {}
        for name in sorted(rng.sample(NAMES, options)):
            weights = rng.choice(CHANCES)
            near = rng.random() < 0.5  # to stay, or to go round a few states
            to = [
                min(max(0, s + rng.randint(-1, 1)), live - 1)
                if near and rng.random() < 0.7
                else rng.randrange(live + over)
                for _ in weights
            ]
            row = moves[s][name] = {}
            for t, weight in zip(to, weights, strict=True):
                row[t] = row.get(t, 0) + weight
    everybody = tuple(range(players))
    kinds = [*everybody, *everybody, DRAW, everybody, *([(0, 1), (1, 2)] if players > 2 else [])]
    ends = {live + i: rng.choice(kinds) for i in range(over)}
    quiet = tuple(name for name in NAMES if rng.random() < 0.3)
    owner = {s: rng.randrange(players) for s in moves}
    return Tables(moves, ends, owner, players=players, quiet=quiet)


def larger(rng, live, players=1):
    """A random game of so many states, most of which lead to states near them."""
    size = live + 4
    moves = {}
    for s in range(live):
        moves[s] = {}
        for name in NAMES[: rng.choice([1, 2, 2, 3])]:
            count = 1 if rng.random() < 0.35 else rng.choice([2, 2, 3, 5])
            low, high = (max(0, s - 4), min(size, s + 5)) if rng.random() < 0.7 else (0, size)
            row = dict.fromkeys(rng.randrange(low, high) for _ in range(count))
            moves[s][name] = {t: rng.choice([1, 1, 2, 5, 50]) for t in row}
    kinds = [*range(players), DRAW, tuple(range(players)), 0]
    ends = {live + i: rng.choice(kinds) for i in range(4)}
    return Tables(moves, ends, {s: rng.randrange(players) for s in moves}, players=players)


class Round:
    """A game in which players differ by their seat only, as tables of what the mover sees.

    A view is where everybody stands, the mover first. `moves[view][name][after, step]` is the
    weight with which a move leads to another view (of the same mover), whereupon the turn passes
    on by some seats; `ends[view]` is who has won, counted from the mover.
    """

    def __init__(self, moves, ends, players):
        self.moves, self.ends, self.players = moves, ends, players
        self.game = round_game(self)

    def __repr__(self):
        return f"Round({self.moves}, {self.ends}, {self.players})"

    def plain(self):
        """The same as plain tables, and the number of every state (everybody's place, turn)."""
        players = self.players
        numbers = {((0,) * players, 0): 0}
        moves, ends, owner = {}, {}, {}
        for (at, turn), s in _growing(numbers):
            view = at[turn:] + at[:turn]
            if view in self.ends:
                won = self.ends[view]
                seats = won if isinstance(won, tuple) else (won,)
                ends[s] = DRAW if won == DRAW else tuple((q + turn) % players for q in seats)
                continue
            owner[s], moves[s] = turn, {}
            for name, row in self.moves[view].items():
                found = moves[s][name] = {}
                for (after, step), weight in row.items():
                    places = tuple(after[(p - turn) % players] for p in range(players))
                    there = places, (turn + step) % players
                    t = numbers.setdefault(there, len(numbers))
                    found[t] = found.get(t, 0) + weight
        return Tables(moves, ends, owner, players=players), numbers


def _growing(numbers):
    """The items of a dictionary that grows while they are visited."""
    visited = 0
    while visited < len(numbers):
        for item in list(numbers.items())[visited:]:
            visited += 1
            yield item


def round_game(tables):
    """The game of a round: where everybody stands, and whose turn it is."""
    players = tables.players
    dice = {(v, name): Die(row) for v, named in tables.moves.items() for name, row in named.items()}
    ends = tables.ends

    def view(s):
        return s.at[s.turn :] + s.at[: s.turn]

    def onward(s, face):
        after, step = face
        at = tuple(after[(p - s.turn) % players] for p in range(players))
        return type(s)(at, (s.turn + step) % players)

    class Circle(Game):
        interchangeable = ("at",)

        class State(NamedTuple):
            at: tuple[int, ...] = (0,) * players
            turn: int = 0

        def winner(self, s):
            won = ends.get(view(s))
            if won is None or won == DRAW:
                return won
            seats = won if isinstance(won, tuple) else (won,)
            return tuple((q + s.turn) % players for q in seats)

        @move(dice=lambda self, s: dice[view(s), "a"], when=lambda self, s: (view(s), "a") in dice)
        def a(self, s, face):
            return onward(s, face)

        @move(dice=lambda self, s: dice[view(s), "b"], when=lambda self, s: (view(s), "b") in dice)
        def b(self, s, face):
            return onward(s, face)

        @move(dice=lambda self, s: dice[view(s), "c"], when=lambda self, s: (view(s), "c") in dice)
        def c(self, s, face):
            return onward(s, face)

    return Circle(players=players)


@st.composite
def rounds(draw, players=2, most=3, options=2):
    """Random games of players who differ by their seat only."""
    views = list(product(range(2), repeat=players))
    first = views[0]
    live = draw(st.integers(1, most))
    playing = [first, *draw(st.permutations(views[1:]))[: live - 1]]
    everybody = tuple(range(players))
    kinds = [*everybody, DRAW, everybody]
    # A view and the same view from another seat may both occur, each with an end of its own.
    ends = {view: draw(st.sampled_from(kinds)) for view in views if view not in playing}
    moves = {}
    outcome = st.tuples(st.sampled_from(views), st.integers(0, players - 1))
    for view in playing:
        named = draw(st.permutations(NAMES))[: draw(st.integers(1, options))]
        moves[view] = {
            name: {
                face: draw(st.integers(1, 4))
                for face in dict.fromkeys(draw(st.lists(outcome, min_size=1, max_size=3)))
            }
            for name in sorted(named)
        }
    return Round(moves, ends, players)
