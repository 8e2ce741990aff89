"""Policies: ways to play, as objects that can be composed, compared and asked.

A policy says which move to make in a state. `Rule` asks a function; `Random` takes every legal
move with the same chance; `Composed` asks one policy here and another there; `Table` (in
`table.py`) knows every state, and what it is worth.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import OptionError, RuleError
from oddsmith.model.condition import matching
from oddsmith.model.model import Model
from oddsmith.model.names import GameNames
from oddsmith.policies.restrict import RANDOM, UNKNOWN
from oddsmith.rules import interpret
from oddsmith.rules.game import Game
from oddsmith.rules.hidden import HiddenError, seen_by_players
from oddsmith.rules.layout import layout_of
from oddsmith.rules.moves import NamedPolicy
from oddsmith.rules.options import suggestion
from oddsmith.rules.origin import Origin

States = npt.NDArray[np.int64]
Rule_ = Callable[[Game, Any], Any]
Condition = str | Callable[[Game, Any], bool]

MOST_SHOWN = 8
"""Moves that an error lists."""


class Policy(ABC):
    """A way to play a game."""

    name: str = "a policy"
    any_seat: bool = False
    """Whether it sees a state as its mover does, so that every seat plays it alike."""

    @abstractmethod
    def move(self, game: Game, state: Any) -> int | None:
        """The number of the move to make in a state (`game.actions`); None: any, at random."""

    _answers: tuple[Model, States] | None = None
    """What it decided in the states of the model it was asked about last."""

    def decide(self, model: Model, states: States) -> States:
        """The number of the choice in each of some states of a model, or RANDOM."""
        if self._answers is None or self._answers[0] is not model:
            self._answers = model, np.full(model.states, UNKNOWN, np.int64)
        decided = self._answers[1]
        new = states[decided[states] == UNKNOWN]
        decided[new] = self._decide(model, new)
        return decided[states]

    def _decide(self, model: Model, states: States) -> States:
        game, move = model.origin, self.move
        numbers = [move(game, state) for state in model.names.take(states)]
        moves = np.array([RANDOM if number is None else number for number in numbers], np.int64)
        return self.choices(model, states, moves)

    def choices(self, model: Model, states: States, moves: States) -> States:
        """The choices of some states that make the moves, RANDOM where a move is."""
        choice = model.choice[states].astype(np.int64)
        end = model.choice[states + 1]
        wrong = np.nonzero((moves != RANDOM) & (model.move[choice] != moves))[0]
        while len(wrong):  # the choices of a state are few: step to the one with the move
            choice[wrong] += 1
            lost = wrong[choice[wrong] >= end[wrong]]
            if len(lost):
                number, actions = int(moves[lost[0]]), model.origin.actions
                called = actions[number].name if 0 <= number < len(actions) else number
                raise self.refusal(model.origin, model.state(int(states[lost[0]])), called)
            wrong = wrong[model.move[choice[wrong]] != moves[wrong]]
        return np.where(moves == RANDOM, RANDOM, choice)

    def check(self, game: Game) -> None:  # noqa: B027 - most policies are for any game
        """Refuse a game that the policy is not for."""

    def refusal(self, game: Game, state: Any, said: Any) -> RuleError:
        """The error for a policy that wants what is no legal move."""
        if isinstance(game, Origin):  # has no rules to ask what is legal
            names = list(game.action_numbers)
            shown = ", ".join(names[:MOST_SHOWN]) + ", …" * (len(names) > MOST_SHOWN)
            return RuleError(
                f"The policy {self.name} gave {said!r} in {state!r}, which is no move there; "
                f"{game.name} has {shown}."
            )
        legal = " or ".join(action.name for _, action in interpret.legal_actions(game, state))
        return RuleError(
            f"The policy {self.name} gave {said!r} in {state!r}: the legal moves are {legal}."
        )

    def where(self, condition: Condition, other: Policy) -> Policy:
        """This policy, but the other one in the states that satisfy a condition.

        The condition is a text such as `scores[0]>=80 & total<10`, or a function of the game and
        the state.
        """
        return Composed(self, condition, other)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Rule(Policy):
    """A policy by a function of the game and the state that gives the name of a move."""

    def __init__(self, function: Rule_, name: str | None = None) -> None:
        self.function = function
        self.name = name or getattr(function, "__name__", "a rule").replace("_", "-")
        self.asked = 0

    def move(self, game: Game, state: Any) -> int | None:
        """Ask the function; as long as it is new, again, for it must say the same."""
        try:
            said = self.function(game, seen_by_players(game, state))
            self._check_repeats(game, state, said)
        except HiddenError as error:
            raise RuleError(f"The policy {self.name} {error}: decide by what they see.") from None
        except RuleError:
            raise
        except SystemExit:
            raise RuleError(f"The policy {self.name} ends the program in {state!r}.") from None
        except Exception as error:
            raise RuleError(
                f"The policy {self.name} failed in {state!r}: {interpret.in_words(error)}."
            ) from error
        number = game.action_numbers.get(said) if isinstance(said, str) else None
        if number is None:
            raise self.refusal(game, state, said)
        return number

    def _check_repeats(self, game: Game, state: Any, said: Any) -> None:
        if self.asked >= interpret.ASKED_TWICE:
            return
        self.asked += 1
        for _ in range(interpret.TIMES if self.asked <= interpret.ASKED_OFTEN else 1):
            again = self.function(game, seen_by_players(game, state))
            if again != said:
                raise RuleError(
                    f"The policy {self.name} gave {said!r} in {state!r}, and {again!r} when "
                    "asked again: it must say the same every time in a state."
                )


class Random(Policy):
    """Every legal move with the same chance."""

    name = "random"
    any_seat = True

    def move(self, game: Game, state: Any) -> int | None:
        """Any."""
        return None

    def decide(self, model: Model, states: States) -> States:
        """Any, everywhere."""
        return np.full(len(states), RANDOM, np.int64)


class Composed(Policy):
    """One policy where a condition holds, another elsewhere."""

    def __init__(self, base: Policy, condition: Condition, other: Policy) -> None:
        self.base, self.condition, self.other = base, condition, other
        shown = condition if isinstance(condition, str) else condition.__name__
        self.name = f"{base.name}, but {other.name} where {shown}"

    def move(self, game: Game, state: Any) -> int | None:
        """Ask the one that the condition names."""
        return (self.other if self._holds(game, state) else self.base).move(game, state)

    def _decide(self, model: Model, states: States) -> States:
        if not isinstance(model.origin, Origin):
            return super()._decide(model, states)
        if isinstance(self.condition, str):
            inside = matching(model.names.subset(states), self.condition)
        else:
            game: Any = model.origin
            asked = [bool(self.condition(game, s)) for s in model.names.take(states)]
            inside = np.array(asked, np.bool_)
        decided = np.empty(len(states), np.int64)
        for policy, mine in ((self.other, inside), (self.base, ~inside)):
            if mine.any():
                decided[mine] = policy.decide(model, states[mine])
        return decided

    def _holds(self, game: Game, state: Any) -> bool:
        seen = seen_by_players(game, state)
        try:
            if not isinstance(self.condition, str):
                return bool(self.condition(game, seen))
            layout = layout_of(game, interpret.first_state(game))
            return bool(matching(GameNames(game, layout, objects=[seen]), self.condition)[0])
        except HiddenError as error:
            raise RuleError(f"The policy {self.name} {error}: decide by what they see.") from None

    def check(self, game: Game) -> None:
        """Both must be for the game."""
        self.base.check(game)
        self.other.check(game)


WORDS = ("optimal", "best-response", "random")
"""Policies that every game has."""


def as_policy(game: Game, policy: Any) -> Policy | str:
    """A policy from what a user gave: an object, a function, or a text (see `named`).

    `optimal` and `best-response` stay texts: what they are depends on the whole game.
    """
    if isinstance(policy, Policy):
        policy.check(game)
        return policy
    if isinstance(policy, NamedPolicy):
        return Rule(policy.rule)
    if callable(policy):
        return Rule(policy)
    if isinstance(policy, str):
        return named(game, policy)
    raise OptionError(f"{policy!r} is no policy: give its name, a function or a Policy.")


def named(game: Game, text: str) -> Policy | str:
    """A policy by text: `optimal`, `random`, one that the game names (`hold-at-25`), or a file.

    A file is one that `save` has written, or Python: `mine.py:cautious`.
    """
    spelled = text.strip()
    if spelled in ("optimal", "best-response"):
        return spelled
    if spelled == "random":
        return Random()
    if ".py" in spelled:
        return _from_file(spelled)
    rules = type(game).named_policies()
    fraction = re.fullmatch(r"(.+)-\d*\.\d+", spelled)
    if fraction and fraction[1] in rules:
        raise OptionError(f"The numbers of a policy are whole: {spelled!r} is none.")
    if "/" in spelled or "." in spelled:
        from oddsmith.policies.table import Table

        return Table.load(spelled, game)
    match = re.fullmatch(r"(.+?)((?:-\d+)*)", spelled)
    name, numbers = match.groups() if match else (spelled, "")
    if spelled in rules:
        name, numbers = spelled, ""
    if name not in rules:
        everything = [*WORDS, *rules]
        hint = suggestion(spelled, everything).replace("it has", "there are")
        raise OptionError(f"{game.name} has no policy {spelled!r}: {hint}")
    arguments = [int(number) for number in numbers.split("-")[1:]]
    return Rule(_with_numbers(game, name, rules[name], arguments), spelled)


def usual_policy(game: Game) -> Policy:
    """The first way to play that a game names and that needs no numbers, or random play."""
    for name in type(game).named_policies():
        try:
            policy = as_policy(game, name)
        except OptionError:
            continue
        if isinstance(policy, Policy):
            return policy
    return Random()


def _with_numbers(game: Game, name: str, policy: NamedPolicy, numbers: list[int]) -> Rule_:
    import inspect

    parameters = list(inspect.signature(policy.rule).parameters.values())[2:]
    least = sum(p.default is p.empty for p in parameters)
    if not least <= len(numbers) <= len(parameters):
        shown = "".join(f"-{p.name}" for p in parameters)
        raise OptionError(
            f"The policy {name} of {game.name} takes {len(parameters)} "
            f"number{'s' * (len(parameters) != 1)}: {name}{shown}."
        )

    def rule(game: Game, state: Any) -> Any:
        return policy.rule(game, state, *numbers)

    return rule


def _from_file(text: str) -> Policy:
    """The function in `file.py:name`."""
    from oddsmith.rules.loading import load_module

    path, _, name = text.partition(":")
    module = load_module(path)
    function = getattr(module, name, None) if name else None
    if isinstance(function, Policy):
        return function
    if not callable(function):
        names = [k for k, v in vars(module).items() if callable(v) and not k.startswith("_")]
        raise OptionError(
            f"{path} has no policy {name!r}: write {path}:NAME for a function of the game and the "
            f"state; {suggestion(name, names)}"
        )
    return Rule(function, text)
