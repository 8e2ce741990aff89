"""Learning to play by self-play, for games too large to solve.

The players play against themselves, mostly the move that looks best so far. When a game is over it
is looked back upon, move by move: each state it met gets the best worth that one step ahead has,
with the dice enumerated (real-time dynamic programming: A. G. Barto, S. J. Bradtke and S. P. Singh,
Artif. Intell. 72 (1995) 81-138). States that have not been met are guessed: each is the sum of the
weights of some tiles, ever coarser sets of states, and the weights follow what the rest of the game
brought, cut off where a move was not the best (Monte Carlo, or TD(1): R. S. Sutton and A. G. Barto,
Reinforcement Learning, 2nd ed. 2018, 9.5.4 and 12.10). Nothing of it is proved: what is learned is
a policy like any other, and where the game can be solved its worth can be computed exactly.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import asdict, dataclass
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from oddsmith.errors import NotCompilable, OptionError, RuleError
from oddsmith.model.explore import explore as explored
from oddsmith.model.explore_interpreted import Interpreted
from oddsmith.model.model import Model
from oddsmith.model.names import GameNames
from oddsmith.model.replay import row_of_rules
from oddsmith.policies.learned import Learned
from oddsmith.questions import door
from oddsmith.questions.settings import nothing_to_decide
from oddsmith.results.shown import Shown
from oddsmith.rules import interpret
from oddsmith.rules.game import Game, check_game
from oddsmith.rules.hidden import refuse_best_play
from oddsmith.rules.layout import Layout, layout_of
from oddsmith.runtime import memory
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.runtime.watch import new_signals, watched
from oddsmith.solve.simulate.stream import seed_of_batch

STATES = 4_000_000
"""States that are kept unless another number is given."""

DIRECT_CODES = 1 << 24
"""Up to so many codes of states the table is indexed by the code itself."""

TILES, LEVELS, FEW_VALUES = 1 << 20, 5, 8
"""Slots of tiles; levels of them; numbers with so few values are never made coarser."""

LONGEST = 5_000
"""Games with more moves are cut off."""


@door.question
def learn(
    game: Game,
    *,
    games: int = 100_000,
    seconds: float | None = None,
    seed: int = 1,
    states: int = STATES,
    explore: float = 0.1,
    rate: float = 1 / 30,
    progress: Progress | None = None,
) -> Learned:
    """A policy that a game was learned by, playing against itself.

    Plays `games` games, or for so many `seconds` if that is over first; keeps at most `states`
    states (the memory for them is taken at once); plays a move at random with the chance
    `explore`; guesses follow what was seen at a `rate`. The same seed and number of games learn
    the same. Ctrl-C ends it early with what was learned so far.

    >>> from oddsmith import game, learn, odds
    >>> piglet = game("piglet", goal=3)
    >>> learned = learn(piglet, games=2000)
    >>> odds(piglet, play=[learned, "optimal"]).win[0].value > 0.5
    True
    """
    refuse_best_play(check_game(game))
    if games < 1 or states < 1:
        raise OptionError(
            f"Learning needs a game or more, and room for a state or more, not {games:,} games and "
            f"{states:,} states."
        )
    if seconds is not None and not seconds > 0:
        raise OptionError(f"Learning takes more than no time, not {seconds} seconds.")
    if not 0 <= explore <= 1 or not 0 < rate <= 1:
        raise OptionError(f"explore and rate are chances, not {explore} and {rate}.")
    needed = states * (8 + 8 * game.players + 9) + 8 * game.players * TILES
    memory.require(needed, f"Learning {game.name} with {states:,} states", "ask for fewer states")
    return _Learner(game, states, seed, explore, rate, progress or Silent()).run(games, seconds)


def _not_learned(game: Game, reason: object) -> RuleError:
    return RuleError(
        f"{game.name} cannot be learned, since its rules cannot be compiled: {reason}."
    )


class _Learner:
    """What has been learned so far, as arrays that kernels fill."""

    def __init__(
        self, game: Game, states: int, seed: int, explore: float, rate: float, progress: Progress
    ) -> None:
        from oddsmith.model.compiled import steps_of

        start = interpret.first_state(game)
        layout = layout_of(game, start)
        search = Interpreted(game, layout, start, False, None, Silent())
        search.run(0)
        if all(b - a < 2 for a, b in zip(search.choice, search.choice[1:], strict=False)):
            raise nothing_to_decide(game)
        try:
            self.steps = steps_of(game, layout)
        except NotCompilable as reason:
            raise _not_learned(game, reason) from None
        assert isinstance(layout, Layout)
        self.game, self.layout, self.progress = game, layout, progress
        self.explore, self.rate = explore, rate
        self.relative = bool(game.interchangeable and game.players > 1)
        self.seats = layout.seats() if self.relative else np.zeros((0, 1), np.int64)
        names = [column.name for column in layout.columns]
        self.turn = names.index("turn") if self.relative else 0
        self.direct = layout.words == 1 and 0 < layout.codes <= DIRECT_CODES
        states = min(states, layout.codes) if self.direct else states
        size = layout.codes if self.direct else 1 << math.ceil(math.log2(2 * states))
        self.keys = np.zeros((states, layout.words), np.int64)
        self.table = np.zeros(size, np.int32)
        self.worth = np.zeros((states, game.players))
        self.action = np.zeros(states, np.uint8)
        self.tiles = np.zeros((TILES, game.players))
        wide = layout.radix > FEW_VALUES
        levels = np.arange(1, LEVELS + 1)[:, None]
        self.shift: npt.NDArray[np.int64] = np.where(wide[None, :], levels, 0).astype(np.int64)
        self.prior = 0.0 if game.has_score else 1 / max(2, game.players)
        self.start = np.array(layout.row(start), np.int64)
        self.last = self.start.copy()
        self.stream = seed_of_batch(seed, 0)
        self.counts = np.zeros(5)
        self.began = time.perf_counter()

    def run(self, games: int, seconds: float | None) -> Learned:
        """Play so many games, or for so long."""
        self._play(0)  # compiles the kernel, or loads it
        self.began = time.perf_counter()
        interrupted = False
        try:
            while self.counts[0] < games and not interrupted:
                spent = time.perf_counter() - self.began
                if seconds is not None and spent >= seconds:
                    break
                # Short turns at first, so that a limit of seconds is kept; never by the clock else.
                ahead = max(64, int(self.counts[0]) // 8) if seconds is not None else games
                self._play(min(ahead, games - int(self.counts[0])), games)
        except KeyboardInterrupt:
            if not self.counts[0]:
                raise
            interrupted = True
        return self._policy(interrupted)

    def _play(self, games: int, of: int = 0) -> None:
        from oddsmith.ask import learn_kernels as kernels

        layout, dice, signals = self.layout, self.steps.tables, new_signals()

        def work() -> Any:
            return kernels.learn(
                self.steps.table, self.game.players, self.relative, self.game.has_score, self.turn,
                self.seats, layout.low, layout.radix, layout.word, len(self.game.actions),
                dice.faces, dice.weights, dice.start, dice.total, self.keys, self.table,
                self.direct, self.worth, self.tiles, self.shift, self.prior, dice.cumulative,
                self.action, self.start, self.stream, games, LONGEST,
                self.explore, self.rate, self.counts, self.last, signals,
            )  # fmt: skip

        def look() -> None:
            done, spent = self.counts[0], time.perf_counter() - self.began
            facts = f"{self.counts[1]:,.0f} states, {done / max(spent, 1e-9):,.0f} games/s"
            self.progress.update("learning", done, of or None, facts)

        if watched(work, signals, look) != kernels.DONE:
            self._raise("a number beyond 64 bits")

    def _raise(self, why: str) -> NoReturn:
        """Say what is wrong in the state that play is in."""
        state = self.layout.state(self.last)
        row_of_rules(self.game, self.layout, state, symmetric=False)
        raise _not_learned(self.game, f"{why or 'an error'} in {state!r}")

    def _policy(self, interrupted: bool) -> Learned:
        met = int(self.counts[1])
        seconds = time.perf_counter() - self.began
        how = f"learned from {self.counts[0]:,.0f} games in {seconds:.1f} s: {met:,} states met"
        if met == len(self.keys) and met < self.layout.codes:
            how += " (as many as are kept: others are guessed)"
        if self.counts[3]:
            how += f"; {self.counts[3]:,.0f} games cut off after {LONGEST:,} moves"
        if interrupted:
            how += "; interrupted"
        names = GameNames(self.game, self.layout, packed=self.keys[:met].copy())
        return Learned(
            self.game,
            names,
            self.action[:met].copy(),
            self.worth[:met].copy(),
            relative=self.relative,
            name="learned",
            how=(how,),
            tiles=self.tiles,
            shift=self.shift,
            prior=self.prior,
        )


@dataclass(frozen=True)
class Progressed:
    """How good a policy is, where the game can be solved: what it gets against optimal play."""

    gets: float
    """Of two, its share against optimal play when a coin decides who begins; alone, its worth."""
    random: float
    """The same of random play."""
    best: float
    """The same of optimal play."""

    @property
    def closed(self) -> float:
        """The share of the gap between random and optimal play that it closes."""
        return (self.gets - self.random) / (self.best - self.random)


def measure(model: Model, policy: Any, optimal: Any = "optimal") -> Progressed:
    """A policy beside random and optimal play, exactly, in a game of one or two players."""
    from oddsmith.ask.odds import odds
    from oddsmith.ask.tournament import duel_on

    game = model.origin
    if game.players == 2 and not game.has_score:
        gets, low = (duel_on(model, each, optimal).coin.value for each in (policy, "random"))
        return Progressed(gets, low, 0.5)
    if game.players > 1:
        raise OptionError("How much of the gap is closed is known for one or two players.")
    results = [odds(model, play=each, method="certified") for each in (policy, "random", optimal)]
    worth = [(r.score or r.win)[0].value for r in results]
    return Progressed(*worth)


@dataclass(frozen=True, repr=False)
class Lesson(Shown):
    """What was learned, for people."""

    policy: Learned
    measured: Progressed | None
    saved: str | None
    interrupted: bool = False

    @classmethod
    def of(cls, policy: Learned, compare: bool, saved: str | None, progress: Progress) -> Lesson:
        """What is to be said; with `compare`, the game is solved to say how good it is."""
        interrupted = policy.how[0].endswith("interrupted")
        measured = None
        if compare and not interrupted:
            measured = measure(explored(policy.game, progress=progress), policy)
        return cls(policy, measured, saved, interrupted)

    def to_dict(self) -> dict[str, Any]:
        """The lesson as JSON has it."""
        data: dict[str, Any] = {"game": self.policy.game.key(), "how": list(self.policy.how)}
        data |= {"states": len(self.policy), "saved": self.saved}
        if self.measured is not None:
            data |= asdict(self.measured) | {"closed": self.measured.closed}
        return data

    def to_json(self) -> str:
        """The lesson as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        lines = [f"{self.policy.game.name}: {self.policy.how[0]}"]
        if self.measured is not None:
            m = self.measured
            against = "against optimal play it gets" if self.policy.game.players == 2 else "it gets"
            lines.append(
                f"{against} {m.gets:.6f}, where random play gets {m.random:.6f} and optimal play "
                f"{m.best:.6f}: {m.closed:.2%} of the gap is closed (computed, not simulated)"
            )
        if self.saved is not None:
            lines.append(f"saved as {self.saved}: --play ./{self.saved} plays it")
        return "\n".join(lines)
