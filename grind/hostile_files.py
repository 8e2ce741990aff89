"""The files of hostile cases: how one is made, how it is changed, and what may come of it."""

from __future__ import annotations

import copy
import gzip
import io
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from grind import boards, games, models, mutate
from grind.claims import bound, false_claims
from grind.plain import Plain
from grind.properties import Question
from grind.walk import walk
from oddsmith import Table, certify, explore, game, odds, optimal, verify
from oddsmith.certificate import checker
from oddsmith.errors import OddsmithError, StoppedError
from oddsmith.model.prism.explore import explore as explore_program
from oddsmith.rules.prism import parse_program
from oddsmith.show.fractions import read_fractions, write_fractions
from oddsmith.solve.exact.lifted import LiftingPlan
from oddsmith.solve.exact.linear import solve_at
from oddsmith.solve.exact.system import Matrix

MOST_STATES = 2000
Wrong = list[str]
"""What is wrong with what was made of a file."""


@dataclass
class Base:
    """A valid file."""

    path: Path
    judge: Callable[[Path], Wrong]
    """Reads a changed file; what was believed that is false."""
    data: Any = None
    """What is in it, for changes that keep to its form."""
    write: Callable[[Any], bytes] | None = None
    """A file with other data in it."""
    content: bytes = field(init=False)

    def __post_init__(self) -> None:
        self.content = self.path.read_bytes()

    def change(self, changes: Any, other: Base) -> bytes:
        """The file with changes to its data; of a text, to its letters."""
        if self.write is None:
            return mutate.change_bytes(self.content, [7, *changes[0][1:]], other.content)
        data = copy.deepcopy(self.data)
        for change in changes:
            mutate.change_data(data, change, other.data)
        return self.write(data)


# Certificates ---------------------------------------------------------------------------------


def certificate(dice: Random, folder: Path) -> Base:
    """Of a model with a property, of a board, or of a game."""
    method, path = dice.choice(["exact", "certified"]), folder / "drawn.cert"
    which = dice.choice(["model", "model", "board", "game"])
    if which == "model":
        drawn = models.draw(dice)
        program = models.Program(drawn)
        asked = Question(program, program.plain(), drawn["questions"][0]).asked
        made = certify(program.text, asked, method=method)
    elif which == "board":
        toml = folder / "drawn.toml"
        toml.write_text(boards.Board(boards.draw(dice)).text)
        made = certify(game(str(toml)), method=method, endless="draw", max_states=120)
    else:
        rules = games.game_of(games.draw(dice))
        ask = dice.choice(["odds", "play"])
        made = certify(rules, method=method, ask=ask, endless="draw", engine="interpreted")
    made.save(path)
    packed = dice.random() < 0.5

    def write(data: Any) -> bytes:
        text = mutate.spelled(data)
        return gzip.compress(text, mtime=0) if packed else text

    return Base(path, lambda changed: judge_certificate(changed, made.content), made.content, write)


def judge_certificate(path: Path, base: Any) -> Wrong:
    """Claims that are not true: of the model in the file; of the rules, where they were run."""
    wrong: Wrong = []
    refused: OddsmithError | None = None
    for no_rules in (True, False):
        try:
            found = verify(path, no_rules=no_rules)
        except OddsmithError as error:
            refused = error
            continue
        content = checker.read(str(path))
        assert str(found)
        assert json.loads(found.to_json())
        if no_rules:
            wrong += list(false_claims(content, Random(1)))
        elif content["source"] == base["source"]:
            wrong += list(_other_claims(content, base))
    if refused is not None and not wrong:
        raise refused
    return wrong


def _other_claims(content: Any, base: Any) -> Wrong:
    """Claims that the valid certificate of the same question contradicts."""
    pairs = [
        (one, true)
        for mine, theirs in zip(content["claims"], base["claims"], strict=True)
        for one, true in zip(mine["results"], theirs["results"], strict=True)
    ]
    wrong = []
    for one, true in pairs:
        said = [bound(side.get(key)) for side in (one, true) for key in ("lower", "upper")]
        low, high, least, most = said
        if (low is not None and most is not None and low > most) or (
            high is not None and least is not None and high < least
        ):
            wrong.append(f"{one['about']}: from {low} to {high}, and it is from {least} to {most}")
    return wrong


# Policies -------------------------------------------------------------------------------------


def policy(dice: Random, folder: Path) -> Base:
    """Optimal play of a drawn game, with the user's seal."""
    path, drawn = folder / "drawn.policy", games.draw(dice)
    rules, plain = games.game_of(drawn), games.plain_of(drawn)
    optimal(rules, engine="interpreted", method="certified").save(path)
    with np.load(path) as loaded:
        arrays = {name: loaded[name] for name in loaded.files}
    data = {name: array.tolist() for name, array in arrays.items() if name != "meta"}
    data["meta"] = json.loads(str(arrays["meta"]))

    def write(data: Any) -> bytes:
        """As arrays of the types that they have, as far as that can be."""
        made: dict[str, Any] = {}
        for name, part in data.items() if isinstance(data, dict) else ():
            try:
                if name == "meta":
                    made[name] = np.array(mutate.spelled(part).decode())
                elif name in arrays:
                    made[name] = np.array(part, arrays[name].dtype)
                else:
                    made[name] = np.array(part)
            except (ValueError, TypeError, OverflowError):
                made[name] = np.array(str(part)[:50])
        file = io.BytesIO()
        np.savez(file, **{name: one for name, one in made.items() if one.dtype != object})
        return file.getvalue()

    return Base(path, lambda changed: judge_policy(changed, rules, plain, arrays), data, write)


def judge_policy(path: Path, rules: Any, plain: Plain, arrays: Any) -> Wrong:
    """Odds that are not those of the file's moves, or bounds that only the file speaks for."""
    table = Table.load(path, rules)
    if not table.foreign:
        with np.load(path) as loaded:
            same = all(np.array_equal(loaded[name], arrays[name]) for name in arrays)
        return [] if same else ["a changed file bears the user's seal"]
    wrong = []
    start = rules.start()
    if plain.winners[0] is None and (table.player is None or table.player == start.turn):
        wrong = [
            f"{one.move} is worth {one.worth} by a file of nobody knows whom"
            for one in table.advice(start)
            if one.worth.lower is not None
        ]
    found = odds(rules, play=table, engine="interpreted", method="exact", endless="draw")
    picks = []
    for state, choices in zip(plain.names, plain.choices, strict=True):
        names = [one.name for one in choices]
        try:
            number = table.move(rules, rules.State(*state)) if len(choices) > 1 else None
        except OddsmithError:  # a state that play by the file never comes to
            number = None
        called = None if number is None else rules.actions[number].name
        picks.append(names.index(called) if called in names else 0)
    truth = walk(plain, picks).odds[0]
    said = [one.exact for one in (*found.win, found.draw)]
    if said[:-1] != list(truth[: plain.players]):
        wrong.append(f"odds {said}, and the moves of the file give {truth}")
    return wrong


# Checkpoints ----------------------------------------------------------------------------------


class After:
    """Becomes true after it has been asked so many times."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __bool__(self) -> bool:
        self.left -= 1
        return self.left < 0


LEAST_DIGITS = 6


def digits(dice: Random, folder: Path) -> Base:
    """The digits of a solution, half of them."""
    size = dice.randint(155, 240)
    row, col, weight, total = [0], list[int](), list[int](), list[int]()
    for i in range(size):
        steps = {i - 1: dice.randint(1, 9), i + 1: dice.randint(1, 9)}
        if dice.random() < 0.3:
            steps[dice.randrange(size)] = dice.randint(1, 9)
        steps.pop(i, None)
        inside = {j: w for j, w in steps.items() if 0 <= j < size}
        col += inside
        weight += inside.values()
        total.append(sum(steps.values()))
        row.append(len(col))
    matrix = Matrix(np.array(row), np.array(col), np.array(weight), np.array(total))
    right = np.zeros((size, 1), np.int64)
    right[-1] = total[-1] - sum(weight[row[-2] :])
    right[0] = 1
    at = [dice.randrange(size)]
    name, path = str(folder / "drawn"), folder / "drawn.1"
    truth = solve_at(matrix, right, at)
    first, head, rest, end = b"", b"", b"", 0
    for times in range(4, 80, 2):  # how often it looks depends on the cores
        path.unlink(missing_ok=True)
        plan = LiftingPlan(checkpoint=name, interrupt=After(times))
        with suppress(StoppedError):
            solve_at(matrix, right, at, plan=plan)
            raise OddsmithError("It was over too soon.")
        if path.exists():
            first, head, rest = path.read_bytes().split(b"\n", 2)
            end = len(rest) - 8 * size
        if end > 4 * LEAST_DIGITS:
            break
    data = {
        "head": json.loads(head),
        "digits": np.frombuffer(rest[:end], "<u4").tolist(),
        "residual": np.frombuffer(rest[end:], "<i8").tolist(),
    }

    def write(data: Any) -> bytes:
        parts = data if isinstance(data, dict) else {}
        numbers = [
            b"".join(_word(x, size) for x in (part if isinstance(part, list) else [part]))
            for part, size in ((parts.get("digits"), 4), (parts.get("residual"), 8))
        ]
        return b"\n".join([first, mutate.spelled(parts.get("head")), b"".join(numbers)])

    def judge(changed: Path) -> Wrong:
        found = solve_at(matrix, right, at, plan=LiftingPlan(checkpoint=str(changed)[:-2]))
        return [] if found == truth else ["a solution that is none"]

    return Base(path, judge, data, write)


def _word(number: Any, size: int) -> bytes:
    whole = int(number) if type(number) is int else 0
    return (whole & (1 << 8 * size) - 1).to_bytes(size, "little")


def sweep(dice: Random, folder: Path) -> Base:
    """A sweep of a board's lattice, somewhere on its way."""
    from oddsmith.runtime.interrupt import Interrupt
    from oddsmith.runtime.progress import Silent
    from oddsmith.solve.lattice.checkpoint import Checkpoint
    from oddsmith.solve.lattice.cpu import CpuSweeper
    from oddsmith.solve.lattice.sweep import Sums, forward

    track = game("goose").track
    sweeper, sums = CpuSweeper(track, 2, threads=1), Sums.begin(track, 2, dice.random() < 0.5)
    sweeper.place_start()
    interrupt, turns = Interrupt(), 2 * dice.randint(2, 70)

    def stop(sums: Any) -> None:
        interrupt.wished = sums.turns >= turns

    sums.turn_bound = 100.0
    forward(sweeper, sums, 1e-12, Silent(), interrupt, save=stop)
    path = folder / "drawn.checkpoint"
    Checkpoint(str(path), "rules").write(sweeper, sums)
    first, head, numbers = path.read_bytes().split(b"\n", 2)
    seal, text = head.split(b" ", 1)
    data = {"head": json.loads(text), "numbers": np.frombuffer(numbers, "<f8")[:500].tolist()}

    def write(data: Any) -> bytes:
        """As somebody would who knows everything but the key."""
        parts = data if isinstance(data, dict) else {}
        listed = parts.get("numbers")
        some = [x for x in listed if isinstance(x, float)] if isinstance(listed, list) else []
        rest = np.array(some, "<f8").tobytes() + numbers[4000:]
        return first + b"\n" + seal + b" " + mutate.spelled(parts.get("head")) + b"\n" + rest

    def judge(changed: Path) -> Wrong:
        other = CpuSweeper(track, 2, threads=1)
        again = Checkpoint(str(changed), "rules").read(other)
        same = (other.array == sweeper.array).all() and again.turns == sums.turns
        same = same and [one.value for one in again.win] == [one.value for one in sums.win]
        return [] if same else ["another sweep"]

    return Base(path, judge, data, write)


# Texts ----------------------------------------------------------------------------------------


def board(dice: Random, folder: Path) -> Base:
    """A board: read, and explored."""
    path = folder / "drawn.toml"
    path.write_text(boards.Board(boards.draw(dice)).text)
    game(str(path))

    def judge(changed: Path) -> Wrong:
        made = game(str(changed))
        explore(made, engine="interpreted", max_states=MOST_STATES)
        return []

    return Base(path, judge)


def model(dice: Random, folder: Path) -> Base:
    """A PRISM model: read, and explored."""
    path = folder / "drawn.prism"
    path.write_text(models.Program(models.draw(dice)).text)

    def judge(changed: Path) -> Wrong:
        text = changed.read_bytes().decode("utf-8", "replace")
        explore_program(parse_program(text), max_states=MOST_STATES)
        return []

    return Base(path, judge)


def fractions(dice: Random, folder: Path) -> Base:
    """Answers in a file: numbers, whatever they are."""
    path = folder / "drawn.txt"
    found = [(f"player {p} wins", Fraction(dice.randrange(100), 101)) for p in range(3)]
    write_fractions(path, found, "drawn")

    def judge(changed: Path) -> Wrong:
        again = read_fractions(changed)
        return [] if all(isinstance(x, Fraction) for x in again.values()) else ["no fractions"]

    return Base(path, judge)
