"""Play: a game as far as it has been played, replayed from its seed.

The server keeps no game between two moves: a request holds all of them. Move k throws dice from a
stream seeded by (seed, 2k), and a policy that chooses at random draws from (seed, 2k + 1), so
that the same moves give the same game, whoever replays it. What a worker does keep is what it has
solved: the next move of the same game is answered at once.
"""

from __future__ import annotations

import inspect
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from oddsmith.ask.match import Match, Step
from oddsmith.ask.study import TOO_MUCH, Outlook, Study
from oddsmith.errors import OptionError
from oddsmith.policies.policy import Policy, Random, as_policy, usual_policy
from oddsmith.policies.table import Advice
from oddsmith.present.position import Words
from oddsmith.present.worth import as_good, mistake
from oddsmith.results.answer import Answer
from oddsmith.rules import interpret
from oddsmith.rules.board.game import Board
from oddsmith.rules.game import Game
from oddsmith.rules.moves import Action
from oddsmith.runtime.progress import Progress
from oddsmith.show.board_json import drawing_of
from oddsmith.solve.simulate.play import chosen
from oddsmith.solve.simulate.stream import Stream
from oddsmith.web.tasks import Watcher
from oddsmith.web.tasks.kept import kept
from oddsmith.web.tasks.requested import Bounds, policy_name, requested_game

PERSON = "person"
MOST_MOVES = 5000
"""A game is not played on beyond so many moves in one request."""
GLANCE = 1.0
"""Seconds that games are played on for an estimate."""


def play(request: dict[str, Any], watcher: Watcher, bounds: Bounds) -> dict[str, Any]:
    """The match after the moves made, and those of policies until a person is to move."""
    sitting = _sitting(request, bounds)
    sitting.watch_by(watcher)
    replay = Replay(sitting, request.get("seed", 1))
    for name in request.get("moves", []):
        replay.make(_named(replay.match, name))
    while not replay.match.over and len(replay.steps) < MOST_MOVES:
        policy = sitting.policy(replay.match)
        if policy is None:
            break
        replay.choose(policy)
        watcher.update("playing", len(replay.steps), None)
    found = replay.told() | {"odds": None, "advice": None, "review": None}
    stream = Stream(replay.seed, 2 * len(replay.steps) + 1)
    if request.get("odds") and not replay.match.over:
        outlook = sitting.study(replay.match.mover).outlook(replay.match, stream)
        found["odds"] = _outlook(sitting.game, outlook)
    if request.get("advice") and len(replay.match.legal) > 1 and not replay.match.over:
        study = sitting.study(replay.match.mover)
        found["advice"] = _advice(study.advice(replay.match, stream)[0])
    if request.get("review"):
        found["review"] = replay.review()
    found["how"] = sitting.how()
    return found


def _named(match: Match, name: str) -> Action:
    """The legal move of a name."""
    if match.over:
        raise OptionError(f"The game is over: there is no move {name!r} to make.")
    for action in match.legal:
        if action.name == name:
            return action
    legal = ", ".join(action.name for action in match.legal)
    raise OptionError(f"There is no move {name!r} here: the legal moves are {legal}.")


# Who sits at the table ----------------------------------------------------------------------


class Sitting:
    """A game, who plays it, and what is known of it."""

    def __init__(self, game: Game, seats: list[str], bounds: Bounds) -> None:
        self.game, self.seats, self.bounds = game, seats, bounds
        self.best = self._study(0, None)
        """What optimal play says, to any seat."""
        if self.best.chance and (
            wrong := [s for s in seats if s not in (PERSON, "random", "optimal")]
        ):
            raise OptionError(f"{game.name} leaves nothing to decide: {wrong[0]} cannot play it.")
        self.given = {
            seat: _policy(game, name)
            for seat, name in enumerate(seats)
            if name not in (PERSON, "optimal")
        }
        """Policies of seats that play neither their best nor as a person likes."""
        self.studies: dict[int, Study] = {}

    def _study(self, seat: int, against: Any) -> Study:
        states = min(self.bounds.states, 5_000_000)
        return Study(self.game, seat, against, max_states=states, seconds=GLANCE)

    def watch_by(self, progress: Progress) -> None:
        """Let somebody watch what is solved from now on."""

        def watch() -> AbstractContextManager[Progress]:
            return nullcontext(progress)

        for study in (self.best, *self.studies.values()):
            study.watch = watch
        self._watch = watch

    def study(self, seat: int) -> Study:
        """What is known by the player in a seat: others play their best, or as they are given."""
        others = {p: policy for p, policy in self.given.items() if p != seat}
        if not others or self.best.chance:
            return self.best
        if seat not in self.studies:
            against = [others.get(p, "optimal") for p in range(self.game.players) if p != seat]
            study = self._study(seat, against)
            study.watch = self._watch
            study.prepare()
            self.studies[seat] = study
        return self.studies[seat]

    def policy(self, match: Match) -> Policy | None:
        """Who makes the next move; nobody, if that is up to a person."""
        seat = match.mover
        if self.seats[seat] == PERSON:
            return None
        if len(match.legal) == 1:
            return Random()
        if seat in self.given:
            return self.given[seat]
        try:
            return self.best.best()
        except TOO_MUCH as error:
            self.best.refusal = self.best.refusal or str(error)
            return usual_policy(self.game)

    def how(self) -> str:
        """Where the numbers come from, as far as any were asked for."""
        studies = [self.best, *self.studies.values()]
        refusal = next((study.refusal for study in studies if study.refusal), "")
        if refusal:
            usual = "" if self.best.chance else f" by {usual_policy(self.game).name}"
            return f"{refusal} Numbers are estimates, from games played on{usual}."
        size = max(study.size for study in studies)
        return f"Solved: {size:,} states." if size else ""


def _policy(game: Game, name: str) -> Policy:
    found = as_policy(game, policy_name(game, name))
    if not isinstance(found, Policy):
        raise OptionError(
            "The best response would be to a person, and nobody knows how a person plays: choose "
            "optimal."
        )
    return found


def _sitting(request: dict[str, Any], bounds: Bounds) -> Sitting:
    game, seats = requested_game(request), list(request["seats"])
    if len(seats) != game.players:
        raise OptionError(
            f"{game.name} has {game.players} players, but {len(seats)} seats were given."
        )
    key = f"{type(game).__name__} {game.identity} {seats}"
    found: Sitting = kept(key, bounds, lambda: Sitting(game, seats, bounds))
    return found


# The game -----------------------------------------------------------------------------------


class Replay:
    """A match from its first move on."""

    def __init__(self, sitting: Sitting, seed: int) -> None:
        self.sitting, self.seed, self.game = sitting, seed, sitting.game
        self.match = Match(self.game, interpret.first_state(self.game))
        self.words = Words(self.game, seat=-1)  # nobody is "you": several may look on
        self.steps: list[Step] = []
        self.decisions: list[int] = []
        """The numbers of the moves that persons chose among several."""

    def make(self, action: Action) -> None:
        """Make a move."""
        number = len(self.steps)
        if len(self.match.legal) > 1 and self.sitting.seats[self.match.mover] == PERSON:
            self.decisions.append(number)
        self.match, step = self.match.made(action, Stream(self.seed, 2 * number))
        self.steps.append(step)

    def choose(self, policy: Policy) -> None:
        """Make the move of a policy."""
        stream = Stream(self.seed, 2 * len(self.steps) + 1)
        policies = [policy] * self.game.players
        self.make(chosen(self.game, self.match.state, policies, stream))

    def told(self) -> dict[str, Any]:
        """The match as data; players are numbered from 1."""
        game, match = self.game, self.match
        over = match.over
        bits = match.winners if over else 0
        return {
            "game": game.key(),
            "title": game.name,
            "players": game.players,
            "seats": self.sitting.seats,
            "seed": self.seed,
            "moves": [step.action.name for step in self.steps],
            "steps": [self._step(number, step) for number, step in enumerate(self.steps, start=1)],
            "position": self._position(match.state),
            "board": self._board(),
            "mover": None if over else match.mover + 1,
            "legal": [] if over else [_legal(action) for action in match.legal],
            "over": over,
            "winners": [p + 1 for p in range(game.players) if bits >> p & 1],
            "endless": match.endless,
            "scores": list(interpret.scores(game, match.state)) if over and game.has_score else [],
        }

    def _step(self, number: int, step: Step) -> dict[str, Any]:
        return {
            "number": number,
            "player": step.player + 1,
            "move": step.action.name,
            "roll": self.words.roll(step.action, step.roll, step.before),
            "words": _plain(self.words.change(step.before, step.after, step.player)),
        }

    def _position(self, state: Any) -> list[list[str]]:
        return [[name, _plain(value)] for name, value in self.words.parts(state)]

    def _board(self) -> dict[str, Any] | None:
        """The board as it is played, which options may have changed, and the tokens on it."""
        if not isinstance(self.game, Board):
            return None
        tokens = [int(self.game.square_of[p]) for p in self.match.state.positions]
        return {"tokens": tokens, "drawing": drawing_of(self.game)}

    def review(self) -> dict[str, Any] | None:
        """What the decisions of persons have cost; nothing, where nobody can say."""
        mistakes: list[dict[str, Any]] = []
        try:
            for number in self.decisions:
                step = self.steps[number]
                table = self.sitting.study(step.player).table()
                if pair := mistake(table, step.before, step.action.name):
                    made, best = pair
                    found = {"number": number + 1, "player": step.player + 1, "move": made.move}
                    found |= {"better": best.move, "loss": made.loss}
                    mistakes.append(found | {"position": self._position(step.before)})
        except TOO_MUCH:
            return None
        cost = sum(mistake["loss"] for mistake in mistakes)
        return {"decisions": len(self.decisions), "mistakes": mistakes, "cost": cost}


def _legal(action: Action) -> dict[str, str]:
    says = (inspect.getdoc(action.function) or "").split("\n\n")[0]
    return {"move": action.name, "says": " ".join(says.split())}


def _plain(text: str) -> str:
    return text.replace("\xa0", " ")


def _outlook(game: Game, found: Outlook) -> dict[str, Any]:
    worth = list(found.worth)
    known = [answer for answer in worth if answer is not None]
    if game.players == 2 and len(known) == 1 and not game.has_score:  # a win is the other's loss
        worth = [Answer(1 - known[0].value) if answer is None else answer for answer in worth]
    return {
        "worth": [None if answer is None else answer.to_dict() for answer in worth],
        "draw": None if found.draw is None else found.draw.to_dict(),
        "left": None if found.left is None else found.left.to_dict(),
        "games": found.games,
    }


def _advice(found: list[Advice]) -> list[dict[str, Any]]:
    return [
        {
            "move": one.move,
            "worth": one.worth.to_dict(),
            "loss": one.loss,
            "best": as_good(one),
        }
        for one in found
    ]
