"""The convention of a step (`model/explorer/batch.py`), by a filler written in plain Python.

What is expected is computed with dictionaries and fractions; random models have few states, so that
outcomes meet the same ones again, and states of several words.
"""

import ctypes
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
from tests.rules.prism.random_programs import program_of

from oddsmith import Die, Game, explore, move
from oddsmith.errors import LimitError, RuleError
from oddsmith.model.explorer import batch
from oddsmith.model.explorer.driver import Explorer, Filler
from oddsmith.model.explorer.room import GrowingArray
from oddsmith.model.prism.explore import explore as explore_program
from oddsmith.runtime.progress import Silent

Outcome = tuple[int, int, int]
"""The state that it leads to, its weight, seats."""

Rules = list[list[tuple[int, list[Outcome]]]]
"""Of each state its choices: the action and the outcomes."""

BAD = batch.OWN + 3


def random_rules(seed: int, widest: int = 12) -> Rules:
    """Some dozens of states; one in four is an end, and one in ten goes wherever it likes."""
    draw = random.Random(seed)
    states = draw.randint(1, 60)

    def outcomes() -> list[Outcome]:
        many = draw.randint(1, widest)
        near = draw.randint(1, states)
        return [(draw.randrange(near), draw.randint(1, 9), draw.randrange(3)) for _ in range(many)]

    def choices(state: int) -> list[tuple[int, list[Outcome]]]:
        if state and draw.random() < 0.25:
            return []
        return [(draw.randrange(5), outcomes()) for _ in range(draw.randint(1, 4))]

    return [choices(state) for state in range(states)]


class Plain(Filler):
    """Rules in lists as a filler: the convention, read from its docstring."""

    name = "Plain"
    too_many = ": that is too many."
    too_little = "buy more."

    def __init__(self, rules: Rules, packing: Callable[[int], tuple[int, ...]], **how: Any) -> None:
        self.rules, self.packing, self.own = rules, packing, 0
        self.number = {packing(state): state for state in range(len(rules))}
        self.words = len(packing(0))
        self.bad = -1
        self.calls = 0
        vars(self).update(how)
        self._function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(ctypes.c_int64))(
            self._fill
        )
        self.address = ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def _fill(self, frame: Any) -> int:
        self.calls += 1
        where = (ctypes.c_int64 * (2 * len(batch.ARRAYS))).from_address(frame[2])
        arrays = {
            name: np.frombuffer(
                (ctypes.c_char * (where[2 * i + 1] * np.dtype(kind).itemsize)).from_address(
                    where[2 * i]
                ),
                kind,
            )
            if where[2 * i + 1]
            else np.empty(0, kind)
            for i, (name, kind) in enumerate(batch.ARRAYS)
        }
        first, last, words = frame[3], frame[4], self.words
        done = reason = outcomes = choices = 0
        for done in range(last - first + 1):
            if done == last - first:
                break
            key = arrays["keys"][(first + done) * words : (first + done + 1) * words]
            state = self.number[tuple(key.tolist())]
            rows = self.rules[state]
            if state == self.bad:
                reason = BAD
                break
            if outcomes + sum(len(row) for _, row in rows) > len(arrays["num"]):
                reason = batch.WIDE
                break
            arrays["player"][done] = state % 3
            for k in range(self.ends):
                arrays["ended"][done * self.ends + k] = 100 * k + state
            for action, row in rows:
                for target, weight, seats in row:
                    packed = self.packing(target)
                    arrays["packed"][outcomes * words : (outcomes + 1) * words] = packed
                    total = sum(w for _, w, _ in row)
                    if self.chances == batch.REALS:
                        arrays["num"].view(np.float64)[outcomes] = weight / total
                        arrays["den"][outcomes] = 0
                    else:
                        arrays["num"][outcomes], arrays["den"][outcomes] = weight, total
                    arrays["seats"][outcomes] = seats
                    outcomes += 1
                arrays["choice_end"][choices] = outcomes
                arrays["choice_action"][choices] = action
                choices += 1
            arrays["state_end"][done] = choices
        frame[1], frame[2], frame[3], frame[4], frame[5] = done, reason, outcomes, choices, 0
        return 0

    def failed(self, reason: int, explorer: Explorer) -> Exception:
        """What is wrong in a state."""
        state = self.number[tuple(explorer.key(explorer.done).tolist())]
        return RuleError(f"reason {reason} in {state}, from {explorer.came_from(explorer.done)}")


def expected(rules: Rules, loops: bool, turning: bool) -> tuple[list[int], list[Any]]:
    """The states in the order they are met, and of each its rows, merged."""
    met, rows, at = [0], [], 0
    while at < len(met):
        mine = []
        for action, outcomes in rules[met[at]]:
            total = sum(weight for _, weight, _ in outcomes)
            merged: dict[tuple[int, int], Fraction] = {}
            for target, weight, seats in outcomes:
                if target not in met:
                    met.append(target)
                key = met.index(target), seats if turning else 0
                merged[key] = merged.get(key, Fraction(0)) + Fraction(weight, total)
            mine.append((action, list(merged.items())))
        rows.append(mine or ([(0, [((at, 0), Fraction(1))])] if loops else []))
        at += 1
    return met, rows


def explored(filler: Plain) -> tuple[list[int], list[Any], Explorer]:
    """The same by an explorer."""
    explorer = Explorer(filler, None, Silent())
    first = np.array([filler.packing(0)], np.uint64)
    assert explorer.run(first).tolist() == [0]
    whole, real = filler.chances == batch.WHOLE, filler.chances == batch.REALS
    keys = explorer.column("keys").reshape(-1, filler.words)
    choice, row, col = (explorer.column(name).tolist() for name in ("choice", "row", "col"))
    action = explorer.column("action", np.uint8).tolist()
    chance = explorer.column("chance")
    shift = explorer.column("shift").tolist() if filler.turning else [0] * len(col)
    if whole:
        total = explorer.column("total").tolist()
        sums = [total[c] for c in range(len(row) - 1) for _ in range(row[c], row[c + 1])]
        chances = [Fraction(w, t) for w, t in zip(chance.tolist(), sums, strict=True)]
    else:
        amounts = explorer.numbers.amounts(chance)
        assert (amounts.exact is None) == real
        chances = amounts.floats.tolist() if real else [
            amounts.fraction(e) for e in range(len(col))
        ]  # fmt: skip

    def outcomes(c: int) -> Iterator[tuple[tuple[int, int], Any]]:
        for e in range(row[c], row[c + 1]):
            yield (col[e], shift[e]), chances[e]

    rows = [
        [(action[c], list(outcomes(c))) for c in range(choice[s], choice[s + 1])]
        for s in range(len(keys))
    ]
    return [filler.number[tuple(key)] for key in keys.tolist()], rows, explorer


PACKINGS: dict[str, Callable[[int], tuple[int, ...]]] = {
    "one word": lambda s: (s,),
    "far apart": lambda s: (s * 0x9E3779B97F4A7C15 % (1 << 64),),
    "three words": lambda s: (s % 4, 7, s * 0xBF58476D1CE4E5B9 % (1 << 64)),
}


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("chances", [batch.WHOLE, batch.EXACT, batch.REALS])
def test_random_rules_are_explored_as_they_say(packing: str, chances: int) -> None:
    for seed in range(25):
        loops, turning = bool(seed & 1), bool(seed & 2) and chances == batch.WHOLE
        loops &= chances != batch.WHOLE
        rules = random_rules(seed, widest=30)
        codes = (0, 64)[seed % 2 and packing == "one word"]
        filler = Plain(
            rules, PACKINGS[packing], chances=chances, loops=loops, turning=turning, codes=codes,
            actions=True, owners=True, ends=seed % 3,
            weights=(np.uint16, np.uint32, np.int64)[seed % 3],
        )  # fmt: skip
        met, wanted = expected(rules, loops, turning)
        states, rows, explorer = explored(filler)
        assert states == met
        if chances == batch.REALS:
            wanted = [
                [(a, [(t, pytest.approx(float(p), rel=1e-12)) for t, p in row]) for a, row in mine]
                for mine in wanted
            ]
        assert rows == wanted
        assert explorer.column("owner").tolist() == [s % 3 for s in met]
        ends = [100 * k + s for s in met for k in range(seed % 3)]
        assert explorer.column("end").tolist() == ends
        dead = [i for i, s in enumerate(met) if not rules[s]]
        assert explorer.column("dead").tolist() == (dead if loops else [])


def test_codes_beyond_the_table_make_it_longer() -> None:
    rules = random_rules(4)
    filler = Plain(rules, lambda s: (1000 * s,), chances=batch.EXACT, actions=True, codes=1)
    assert explored(filler)[:2] == expected(rules, False, False)


def test_a_choice_with_more_outcomes_than_a_batch() -> None:
    """Buffers grow to hold it, and states after it are expanded as ever."""
    wide = [(n % 500, 1, 0) for n in range(20_000)]
    rules: Rules = [[(0, wide)], *([(1, [(n // 2, 1, 0)])] for n in range(1, 500))]
    filler = Plain(rules, PACKINGS["far apart"], chances=batch.EXACT, actions=True)
    assert explored(filler)[:2] == expected(rules, False, False)


def test_many_states_make_all_arrays_grow() -> None:
    """A tree of 40,000 states: each has two successors, met in order."""
    size = 40_000
    rules: Rules = [
        [(s % 5, [(2 * s + 1, 1, 0), (2 * s + 2, 2, 0)])] if 2 * s + 2 < size else []
        for s in range(size - 1)
    ]
    filler = Plain(rules, PACKINGS["far apart"], chances=batch.EXACT, actions=True, loops=True)
    states, rows, explorer = explored(filler)
    assert states == list(range(size - 1))
    assert rows[1000] == [(0, [((2001, 0), Fraction(1, 3)), ((2002, 0), Fraction(2, 3))])]
    assert len(explorer.column("dead")) == size // 2
    assert filler.calls < size // 100


def test_an_error_is_that_of_the_first_state_that_has_one() -> None:
    rules: Rules = [[(0, [(n + 1, 1, 0)])] for n in range(50)] + [[]]
    filler = Plain(rules, PACKINGS["one word"], chances=batch.EXACT, bad=40)
    with pytest.raises(RuleError, match=f"reason {BAD} in 40, from 39"):
        Explorer(filler, None, Silent()).run(np.zeros((1, 1), np.uint64))


def test_two_states_in_one_place_are_noticed() -> None:
    """The first word is the place; the second must be the same whenever it is met."""
    rules: Rules = [[(0, [(1, 1, 0)])], [(0, [(2, 1, 0)])], []]
    filler = Plain(rules, lambda s: (min(s, 1), s), chances=batch.EXACT, codes=4)
    with pytest.raises(RuleError, match=f"reason {batch.CLASH} in 1"):
        Explorer(filler, None, Silent()).run(np.zeros((1, 2), np.uint64))


def test_limits_say_what_to_do() -> None:
    rules: Rules = [[(0, [(n + 1, 1, 0)])] for n in range(50)] + [[]]
    filler = Plain(rules, PACKINGS["one word"], chances=batch.EXACT)
    with pytest.raises(LimitError, match=r"^Plain has more than 20 states: that is too many\.$"):
        Explorer(filler, 20, Silent()).run(np.zeros((1, 1), np.uint64))


def test_sums_of_chances_beyond_64_bits_are_refused() -> None:
    """Denominators without a common factor whose product is beyond 2^63."""

    class Long(Plain):
        def _fill(self, frame: Any) -> int:
            where = (ctypes.c_int64 * (2 * len(batch.ARRAYS))).from_address(frame[2])
            said = super()._fill(frame)
            den = (ctypes.c_int64 * frame[3]).from_address(where[2 * batch.DEN])
            for o in range(frame[3]):
                den[o] = 4_000_000_007 + 2 * o
            return said

    filler = Long([[(0, [(0, 1, 0), (0, 1, 0), (0, 1, 0)])]], PACKINGS["one word"])
    with pytest.raises(RuleError, match=f"reason {batch.TOO_LONG}"):
        Explorer(filler, None, Silent()).run(np.zeros((1, 1), np.uint64))


# The fillers that there are -----------------------------------------------------------------------


class Graph(Game):
    """Random rules as a game for one: from a state either of two moves, by tables."""

    players: int = 1
    dice: ClassVar[Any] = ()
    to: ClassVar[Any] = ()
    moves: ClassVar[Any] = ()

    class State(NamedTuple):
        at: int = 0

    def winner(self, s):
        return 0 if self.moves[s.at] == 0 else None

    @move(dice=lambda self, s: self.dice[0][s.at])
    def a(self, s, face):
        return self.State(self.to[0][s.at][face])

    @move(when=lambda self, s: self.moves[s.at] == 2, dice=lambda self, s: self.dice[1][s.at])
    def b(self, s, face):
        return self.State(self.to[1][s.at][face])


def as_game(rules: Rules) -> Game:
    def outcomes(s: int, k: int) -> list[Outcome]:
        return rules[s][k][1] if k < len(rules[s]) else [(0, 1, 0)]

    n = range(len(rules))
    weights = [[[w for _, w, _ in outcomes(s, k)] for s in n] for k in range(2)]
    body = {
        "dice": tuple(tuple(Die(dict(enumerate(one))) for one in each) for each in weights),
        "to": tuple(
            tuple(tuple([t for t, _, _ in outcomes(s, k)] + [0] * 9)[:9] for s in n)
            for k in range(2)
        ),
        "moves": tuple(len(rules[s]) for s in n),
        "ranges": lambda self: {"at": range(len(rules))},
    }
    return type("Graph", (Graph,), body)()


def as_program(rules: Rules) -> str:
    lines = []
    for s, choices in enumerate(rules):
        for k, (_, outcomes) in enumerate(choices):
            total = sum(w for _, w, _ in outcomes)
            updates = " + ".join(f"{w}/{total} : (s'={t})" for t, w, _ in outcomes)
            lines.append(f"  [{'ab'[k]}] s={s} -> {updates};")
    body = "\n".join(lines)
    return f"mdp\nmodule m\n  s : [0..{max(1, len(rules) - 1)}];\n{body}\nendmodule\n"


@pytest.mark.parametrize("seed", range(8))
def test_a_game_and_a_program_of_the_same_rules_have_the_same_rows(seed: int) -> None:
    """By names, for the order of a program's commands is its own."""
    rules = [choices[:2] for choices in random_rules(seed, widest=9)]
    wanted = {}
    met, rows = expected(rules, False, False)
    for state, mine in zip(met, rows, strict=True):
        for k, (_, row) in enumerate(mine):
            wanted[state, "ab"[k]] = {met[t]: p for (t, _), p in row}
    for engine in ("compiled", "interpreted"):
        model = explore(as_game(rules), engine=engine)
        assert [model.state(i).at for i in range(model.states)] == met
        found = {}
        for i in range(model.states):
            for c in range(model.choice[i], model.choice[i + 1]):
                found[model.state(i).at, "ab"[model.action[c]]] = {
                    model.state(model.col[e]).at: Fraction(
                        int(model.weight[e]), int(model.total[c])
                    )
                    for e in range(model.row[c], model.row[c + 1])
                }
        assert found == wanted, engine
    process = explore_program(program_of(as_program(rules)))
    names = process.valuations.column(0).tolist()
    assert sorted(names) == sorted(met)
    assert process.action is not None
    found = {
        (names[i], process.actions[process.action[c]]): {
            names[process.col[e]]: process.chance.fraction(e)
            for e in range(process.row[c], process.row[c + 1])
        }
        for i in range(process.states)
        if rules[names[i]]  # others have the loop of a deadlock
        for c in range(process.choice[i], process.choice[i + 1])
    }
    assert found == wanted


# Arrays that grow ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [10, 3_000_000])
@pytest.mark.parametrize(("kind", "step"), [(None, 1), (np.int32, 1), (None, 2), (np.int64, 2)])
def test_an_array_is_made_narrower_where_it_is(size: int, kind: Any, step: int) -> None:
    room = GrowingArray(np.uint64)
    room.reserve(step * size)
    room.array[: step * size] = np.arange(step * size)
    finished = room.finish(size, kind, step)
    assert finished.dtype == (kind or np.uint64)
    np.testing.assert_array_equal(finished, np.arange(0, step * size, step))
