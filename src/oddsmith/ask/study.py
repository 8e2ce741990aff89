"""Study: what can be known about a game while it is played, computed when it is first asked.

Against opponents who play optimally, a move is worth what optimal play makes of it; against
others, what the best response to them does. A game of pure chance has its chances to win from
every state. A game that is too large for all this is played on from where it stands, some seconds
long, which gives estimates.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from oddsmith.ask.match import Match, Playouts, play_on
from oddsmith.ask.values import values
from oddsmith.errors import EndlessError, LimitError, NoEquilibriumError, OptionError, RuleError
from oddsmith.model.explore import explore
from oddsmith.model.model import Model
from oddsmith.model.names import Names
from oddsmith.policies import regions
from oddsmith.policies.policy import Policy, as_policy, usual_policy
from oddsmith.policies.table import Advice, Table, ranked
from oddsmith.questions import limits
from oddsmith.questions.case import lattice_numbers
from oddsmith.questions.settings import Settings
from oddsmith.results.answer import Answer
from oddsmith.results.states import StateValues
from oddsmith.rules import interpret
from oddsmith.rules.game import Game
from oddsmith.rules.hidden import refuse_best_play
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.solve.play.chances import shared_by
from oddsmith.solve.play.profile import optimal_table, profile
from oddsmith.solve.simulate.decisions import has_decisions
from oddsmith.solve.simulate.stream import Stream

PLAYOUT_SECONDS = 3.0
"""How long games are played on for an estimate."""

TOO_MUCH = (LimitError, EndlessError, NoEquilibriumError, MemoryError)
"""Why a game is not solved."""

Watch = Callable[[], AbstractContextManager[Progress]]
T = TypeVar("T")


@dataclass(frozen=True)
class Outlook:
    """What a state is worth to each player: None for one of whom nothing is known alone."""

    worth: list[Answer | None]
    draw: Answer | None = None
    """The chance of a draw, where it is not part of the worth."""
    left: Answer | None = None
    """How many moves are expected to come."""
    games: int = 0
    """For an estimate: how many games were played."""


@contextmanager
def unwatched() -> Iterator[Progress]:
    """Nobody watches."""
    yield Silent()


class Study:
    """What is known of a game by the player in a seat; see the module's docstring.

    `against` says how the others play: a policy for all of them or one each, by name or as an
    object, as in `odds(play=…)`.
    """

    def __init__(
        self,
        game: Game,
        seat: int = 0,
        against: Any = None,
        *,
        max_states: int | None = None,
        seconds: float = PLAYOUT_SECONDS,
        say: Callable[[str], None] = lambda text: None,
        watch: Watch = unwatched,
    ) -> None:
        self.game, self.seat = game, seat
        self.max_states, self.seconds = max_states, seconds
        self.say, self.watch = say, watch
        self.refusal = ""
        """Why the game is not solved, once that is known."""
        self.size = 0
        """How many states were solved."""
        self._model: Model | None = None
        self._best: Table | None = None
        self._table: Table | None = None
        self._values: StateValues | None = None
        self._shared: tuple[bool, bool] | None = None
        self._seen = (False, False)
        begin = Match(game, interpret.first_state(game))
        self.chance = len(begin.legal) < 2 and not has_decisions(game)
        """Whether it looks like a game of pure chance."""
        self.against = None if against is None else self._policies_against(against)
        """The opponents that were asked for."""
        self.others: list[Policy] = []
        """How the other players play, by seat; empty until somebody has something to decide."""

    # The opponents ------------------------------------------------------------------------

    def prepare(self) -> None:
        """Let the opponents sit down, if there is anything to decide."""
        if self.against is not None:
            insisted = [each if isinstance(each, Policy) else None for each in self.against]
            self.others = [each or self.best(insist=True) for each in insisted]
        elif not self.chance:
            self.others = self._usual()

    def policies(self, mine: Any) -> list[Any]:
        """A policy for every seat; `mine` for the player's own."""
        if not self.others:
            self.others = self._usual()
        return [*self.others[: self.seat], mine, *self.others[self.seat :]]

    def _policies_against(self, against: Any) -> list[Policy | str]:
        game, count = self.game, self.game.players - 1
        if count == 0:
            raise OptionError(f"{game.name} is played alone: there is nobody to play against.")
        if self.chance:
            raise OptionError(f"{game.name} leaves nothing to decide: there is no way to play it.")
        parts = against.split(",") if isinstance(against, str) else against
        ways = list(parts) if isinstance(parts, Sequence) else [parts]
        if len(ways) not in (1, count):
            raise OptionError(
                f"You play against {count} other{'s' * (count > 1)}, but {len(ways)} ways to "
                f"play were given: give one for all, or one for each."
            )
        policies = [as_policy(game, each) for each in ways] * (count if len(ways) == 1 else 1)
        seats = [seat for seat in range(game.players) if seat != self.seat]
        for policy, seat in zip(policies, seats, strict=True):
            _check(policy, seat)
        return policies

    def _usual(self) -> list[Policy]:
        """Optimal opponents, or if the game is too large, a way to play that it names."""
        count = self.game.players - 1
        if count == 0:
            return []
        usual = usual_policy(self.game)
        if self.game.hidden:  # what is best is not known to them either
            return [usual] * count
        try:
            return [self.best()] * count
        except NoEquilibriumError as error:  # but there is a best response
            self.say(f"{error.finding} The others play {usual.name} instead.")
        except TOO_MUCH as error:
            self._refuse(error)
        return [usual] * count

    # Solving ------------------------------------------------------------------------------

    def best(self, insist: bool = False) -> Table:
        """Optimal play."""
        if self._best is None:
            self._best = self._solve(
                lambda progress: optimal_table(
                    self._explored(progress, insist), Settings(progress=progress)
                ),
                insist,
            )
        return self._best

    @property
    def solved(self) -> Table | None:
        """The table that values moves, if it is there already."""
        if self._table is None and self.others:
            first = self.others[0]
            alike = all(each is first for each in self.others)
            if alike and isinstance(first, Table) and first.player is None and not first.foreign:
                self._table = first
        return self._table

    def shared(self, games: int) -> tuple[bool, bool]:
        """Whether worth may count ends that nobody wins, and that several win; see `chances.py`.

        For an estimate from so many games: whether there were such among them.
        """
        if games:
            return self._seen
        table = self.solved
        if self._shared is None and table is not None and table.model is not None:
            model, solution = regions.parts(table)
            self._shared = shared_by(model, solution.picks)
        return self._shared or (True, True)

    def table(self) -> Table:
        """The table that values moves: optimal play, or the best response to the opponents."""
        table = self.solved
        if table is None and self.game.players == 1:
            table = self.best()
        elif table is None:
            play = self.policies("best-response")
            table = self.solved or self._solve(lambda progress: self._response(play, progress))
        self._table = table
        return table

    def _response(self, play: list[Any], progress: Progress) -> Table:
        settings = Settings(progress=progress)
        response = profile(self._explored(progress), play, settings).policies[self.seat]
        assert isinstance(response, Table)
        return response

    def chances(self) -> StateValues:
        """The chances from every state of a game of pure chance."""
        if self._values is None:
            self._values = self._solve(self._all_values)
        return self._values

    def _all_values(self, progress: Progress) -> StateValues:
        subject, positions = self.game, lattice_numbers(self.game)
        settings: dict[str, Any] = {"method": "float", "progress": progress}
        if positions > limits.STUDIED_POSITIONS:
            raise LimitError(f"{subject.name} has {positions:,} positions, too many to solve now.")
        if positions:
            self.size = positions
            found = values(subject, engine="lattice", tolerance=1e-6, **settings)
        else:
            found = values(self._explored(progress), **settings)
        assert found.values is not None
        return found.values

    def _explored(self, progress: Progress, insist: bool = False) -> Model:
        if self._model is None:
            if insist or self.max_states:
                self._model = explore(self.game, max_states=self.max_states, progress=progress)
            else:
                self._model = self._explored_within_limits(progress)
            self.size = self._model.full_states
        return self._model

    def _explored_within_limits(self, progress: Progress) -> Model:
        """The model, if exploring and solving it takes no longer than somebody waits."""
        game = self.game
        try:
            model = explore(game, max_states=limits.STUDIED_INTERPRETED, progress=progress)
        except LimitError as error:
            try:
                model = explore(
                    game, engine="compiled", max_states=limits.STUDIED_STATES, progress=progress
                )
            except RuleError:
                raise error from None
        if model.transitions > limits.STUDIED_TRANSITIONS:
            raise LimitError(
                f"{game.name} has {model.transitions:,} transitions, too many to solve now."
            )
        return model

    def _solve(self, work: Callable[[Progress], T], insist: bool = False) -> T:
        """Do some work, with a word before and after; an error if it is too much."""
        if self.refusal and not insist:
            raise LimitError(self.refusal)
        began = time.perf_counter()
        self.say(f"Solving {self.game.name} …")
        with self.watch() as progress:
            answer = work(progress)
        seconds = time.perf_counter() - began
        self.say(f"Solved: {self.size:,} states in {seconds:.1f} s.")
        return answer

    def _refuse(self, error: BaseException) -> None:
        """Keep why the game is not solved, and say it once."""
        if not self.refusal:
            self.refusal = str(error) or f"There is not enough memory to solve {self.game.name}."
            self.say(self.refusal)

    # Asking -------------------------------------------------------------------------------

    def advice(self, match: Match, stream: Stream) -> tuple[list[Advice], int]:
        """Every legal move with its worth, best first; and of how many games it is an estimate."""
        refuse_best_play(self.game)
        try:
            return self.table().advice(match.state), 0
        except TOO_MUCH as error:
            self._refuse(error)
        every = [Playouts(match, self._all_play, stream, action) for action in match.legal]
        self._played_on(every)
        names = [action.name for action in match.legal]
        worth = [playouts.estimate(match.mover) for playouts in every]
        return ranked(list(zip(names, worth, strict=True))), every[0].games

    def outlook(self, match: Match, stream: Stream) -> Outlook:
        """What the state is worth to each player, by the policies in play."""
        if self.game.hidden:
            raise OptionError(
                f"The odds from here would tell about {' and '.join(self.game.hidden)}, which "
                f"players do not see."
            )
        try:
            if self.chance and not self.game.has_score:
                return self._chances_from(match)
            return self._worth(match)
        except TOO_MUCH as error:
            self._refuse(error)
        playouts = Playouts(match, self._all_play, stream)
        self._played_on([playouts])
        worth = [playouts.estimate(player) for player in range(self.game.players)]
        return Outlook(list(worth), games=playouts.games)

    def _played_on(self, every: Sequence[Playouts]) -> None:
        play_on(every, self.seconds)
        self._seen = any(p.drawn for p in every), any(p.together for p in every)

    @property
    def stand_in(self) -> Policy:
        """How the player is taken to play on in an estimate: as the first opponent does."""
        first = self.others[0] if self.others else None
        bound = first is None or (isinstance(first, Table) and first.player is not None)
        return usual_policy(self.game) if first is None or bound else first

    @property
    def _all_play(self) -> list[Policy]:
        """Who plays how in an estimate; nobody does anything in a game of pure chance."""
        return [] if self.chance and not self.others else self.policies(self.stand_in)

    def _chances_from(self, match: Match) -> Outlook:
        found, state = self.chances(), match.state
        plain = isinstance(found.states, Names)
        named = found.answers(found.states.place(state)) if plain else found[state]
        answers = list(named.values())
        return Outlook(list(answers[:-2]), draw=answers[-2], left=answers[-1])

    def _worth(self, match: Match) -> Outlook:
        table, players = self.table(), self.game.players
        place = table.index(match.state)
        if table.worth.shape[1] == 1:
            worth: list[Answer | None] = [None] * players
            worth[self.seat] = _answer(table, place, 0)
            return Outlook(worth)
        seats = [(player - match.mover) % players for player in range(players)]
        return Outlook([_answer(table, place, seat) for seat in seats])


def _check(policy: Policy | str, seat: int) -> None:
    """Refuse an opponent who cannot sit in a seat."""
    if policy == "best-response":
        raise OptionError(
            "The best response would be to you, and nobody knows how you play: choose optimal."
        )
    if isinstance(policy, Table) and policy.player is not None and policy.player != seat:
        own = policy.player + 1
        raise OptionError(f"The policy {policy.name} is for player {own}, not for {seat + 1}.")


def _answer(table: Table, place: int, seat: int) -> Answer:
    if table.exact is not None:
        return Answer.of_fraction(table.exact[place][seat])
    return Answer(float(table.worth[place, seat]))
