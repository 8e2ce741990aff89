"""A game at the terminal: a person against policies, with odds and advice on request.

A session asks and answers in plain lines: it is given a function that asks for a line and one that
says some, so that a script can play as well as a person.
"""

from __future__ import annotations

import inspect
import secrets
import sys
from collections.abc import Callable, Sequence
from typing import Any, Literal

from oddsmith.ask.match import Match, Step
from oddsmith.ask.study import PLAYOUT_SECONDS, Study, Watch, unwatched
from oddsmith.errors import OddsmithError, OptionError
from oddsmith.policies.policy import Random
from oddsmith.present.position import WIDTH, Words, paragraphs, wrapped
from oddsmith.present.worth import Decision, advice_text, mistakes_text, outlook_text
from oddsmith.rules import interpret
from oddsmith.rules.game import Game, check_game
from oddsmith.rules.hidden import seen_by_players
from oddsmith.rules.moves import Action
from oddsmith.solve.simulate.play import chosen
from oddsmith.solve.simulate.stream import Stream

Ended = Literal["over", "quit", "interrupted"]

COMMANDS = {
    "advice": "what each of your moves is worth; or just ?",
    "odds": "who wins how often from here",
    "state": "where the game stands; also as the program has it",
    "undo": "take back your last move and all that came after it",
    "rules": "the rules of the game",
    "help": "the moves, and these words",
    "quit": "leave the game",
}
OTHER_WORDS = {"?": "advice", "exit": "quit", "bye": "quit"}


class Session:
    """One game between a person, in a seat numbered from 1, and policies."""

    def __init__(
        self,
        game: Game,
        *,
        seat: int = 1,
        against: Any = None,
        ask: Callable[[str], str] = input,
        say: Callable[[str], None] = print,
        seed: int | None = None,
        max_states: int | None = None,
        playout_seconds: float = PLAYOUT_SECONDS,
        watch: Watch = unwatched,
    ) -> None:
        check_game(game)
        if not 1 <= seat <= game.players:
            raise OptionError(f"{game.name} has no seat {seat}: choose 1 to {game.players}.")
        if seed is not None and seed < 0:
            raise OptionError(f"The seed must not be negative, as {seed} is.")
        self.game, self.seat = game, seat - 1
        self.ask, self.say = ask, say
        self.words = Words(game, self.seat)
        self.match = Match(game, interpret.first_state(game))
        self.study = Study(
            game,
            self.seat,
            against,
            max_states=max_states,
            seconds=playout_seconds,
            say=lambda text: say(wrapped(text)),
            watch=watch,
        )
        seed = secrets.randbits(63) if seed is None else seed
        self.stream, self.playout_stream = Stream(seed, 0), Stream(seed, 1)
        self.quiet = False
        """Whether the state need not be shown: the person's own moves have told it."""
        self.decisions: list[Decision] = []
        self.before: list[tuple[Match, int]] = []
        """Where the match stood before each of the person's moves, and the decisions by then."""

    # Playing ------------------------------------------------------------------------------

    def play(self) -> Ended:
        """Play the game, to its end or until the person leaves it."""
        try:
            self._introduce()
            while not self.match.over:
                if self.match.mover != self.seat:
                    self._opponent_moves()
                elif not self._person_moves():
                    self.say("Bye. The game was not over.")
                    return "quit"
            self._end()
        except KeyboardInterrupt:
            self.say("Bye. The game was not over.")
            return "interrupted"
        return "over"

    def _introduce(self) -> None:
        about = (inspect.getdoc(self.game) or "").split("\n\n")[0]
        self.say(wrapped(f"{self.game.name}. {' '.join(about.split())}"))
        self.study.prepare()
        if self.game.players > 1:
            self.say(wrapped(self._seats()))
        chance = self.study.chance
        how = "Enter makes your move" if chance else "A move by its number or name; ? for advice"
        self.say(f"{how}; odds, undo, rules, help, quit.")

    def _seats(self) -> str:
        """Who sits where, and how they play."""
        others = [p for p in range(self.game.players) if p != self.seat]
        ways = [policy.name for policy in self.study.others]
        text = f"You are player {self.seat + 1} of {self.game.players}"
        if len(others) > 1 and len(set(ways)) == 1:
            return f"{text}; the others play {ways[0]}."
        if not ways:
            return f"{text}."
        named = zip(others, ways, strict=True)
        return f"{text}; " + ", ".join(f"player {p + 1} plays {way}" for p, way in named) + "."

    def _opponent_moves(self) -> None:
        legal = self.match.legal
        policies = self.study.policies(Random()) if len(legal) > 1 else [Random()]
        self._make(chosen(self.game, self.match.state, policies, self.stream))
        self.quiet = False

    def _person_moves(self) -> bool:
        """Ask until there is a move, and make it; whether there was one."""
        if not self.quiet:
            self.say(f"\n{self.words.state(self.match.state)}")
        menu = menu_of(self.match.legal)
        while True:
            try:
                line = self.ask(self._prompt(menu)).strip()
            except EOFError:
                return False
            found = understood(line, menu)
            if isinstance(found, Action):
                self.before.append((self.match, len(self.decisions)))
                if len(menu) > 1:
                    self.decisions.append(Decision(self.match.state, found.name))
                self._make(found)
                self.quiet = self.game.players > 1
                return True
            if found == "quit":
                return False
            if found == "undo" and self.before:
                self.match, count = self.before.pop()
                del self.decisions[count:]
                self.quiet = False
                return True
            self.say(self._answer(found) if found in COMMANDS else wrapped(found))

    def _make(self, action: Action) -> None:
        self.match, step = self.match.made(action, self.stream)
        self.say(self._told(step))

    def _told(self, step: Step) -> str:
        """A move that was made, on a line."""
        move = step.action.name
        roll = self.words.roll(step.action, step.roll, step.before)
        if roll:
            move += f" [{roll}]"
        came = self.words.change(step.before, step.after, step.player)
        return self.words.line(step.player, f"{move:14}  {came}")

    # Asking -------------------------------------------------------------------------------

    def _prompt(self, menu: dict[str, Action]) -> str:
        """What can be typed, on one line if it fits."""
        text = menu_text(menu)
        if len(text) > WIDTH - 10:
            self.say(wrapped(text))
            text = ""
        return f"{text} > ".lstrip()

    def _answer(self, command: str) -> str:
        """What a command has to say."""
        try:
            if command == "advice" and not self.study.chance:
                advice, games = self.study.advice(self.match, self.playout_stream)
                return advice_text(self.study, advice, games)
            if command in ("advice", "odds"):
                found = self.study.outlook(self.match, self.playout_stream)
                nothing = "There is nothing to decide. " if command == "advice" else ""
                return nothing + outlook_text(self.study, self.words, found)
        except KeyboardInterrupt:
            return "Stopped."
        except OddsmithError as error:
            return wrapped(str(error))
        if command == "state":
            raw = wrapped(repr(seen_by_players(self.game, self.match.state)), 2)
            return f"{self.words.state(self.match.state)}\n{raw}"
        if command == "rules":
            return paragraphs(inspect.getdoc(self.game) or f"{self.game.name} does not say.")
        return help_text(self.match.legal) if command == "help" else "There is no move to undo."

    # The end ------------------------------------------------------------------------------

    def _end(self) -> None:
        self.say("")
        if not self.match.endless:
            self.say(self.words.state(self.match.state))
        count = self.match.length
        self.say(f"{self._outcome()}, after {count:,} move{'s' * (count != 1)}.")
        if self.study.solved is not None and self.decisions:
            self.say(mistakes_text(self.words, self.study.solved, self.decisions))

    def _outcome(self) -> str:
        """Who has won, or what was scored."""
        game, bits = self.game, self.match.winners
        alone = game.players == 1
        scores = interpret.scores(game, self.match.state) if game.has_score else ()
        if alone and scores:
            return f"You score {scores[0]:,}"
        points = ", ".join(f"{self.words.player(p)} {n:,}" for p, n in enumerate(scores))
        told = f"Scores: {points}. " if scores else ""
        if self.match.endless:
            return told + "From here nobody can ever move again: a draw"
        if bits == 0:
            return told + ("You lose" if alone else "A draw")
        won = [p for p in range(game.players) if bits >> p & 1]
        if won == [self.seat]:
            return told + "You win"
        names = " and ".join(self.words.player(p) for p in won)
        return told + f"{names[0].upper()}{names[1:]} win{'s' * (len(won) == 1)}"


def line_of_input(prompt: str) -> str:
    """A line that a person types, or that a script does: then it is shown as if typed."""
    try:
        line = input(prompt)
    except (EOFError, KeyboardInterrupt):
        print()
        raise
    if not sys.stdin.isatty():
        print(line)
    return line


def menu_of(legal: Sequence[Action]) -> dict[str, Action]:
    """The moves by what is typed for them.

    Variants of one move by numbers (`keep 1`, `keep 3`) go by those, other moves are counted.
    """
    endings = [_ending(action) for action in legal]
    alike = len({action.method for action in legal}) == 1
    if alike and all(ending.isdigit() for ending in endings):
        return dict(zip(endings, legal, strict=True))
    return {str(number): action for number, action in enumerate(legal, 1)}


def menu_text(menu: dict[str, Action]) -> str:
    """The moves, to choose from."""
    first = next(iter(menu.values()))
    if len(menu) == 1:
        return f"Enter: {first.name}"
    if all(key == _ending(action) for key, action in menu.items()):
        numbers = [int(key) for key in menu]
        run = len(menu) > 3 and numbers == list(range(numbers[0], numbers[-1] + 1))
        return f"{first.method}: " + (f"{numbers[0]} to {numbers[-1]}" if run else ", ".join(menu))
    return ", ".join(f"{key} {action.name}" for key, action in menu.items())


def _ending(action: Action) -> str:
    """What tells a variant of a move from the others."""
    return action.name[len(action.method) :].strip()


def understood(line: str, menu: dict[str, Action]) -> Action | str:
    """The move or the command that a line means, or a sentence that says why it means neither."""
    text = " ".join(line.lower().split())
    actions = list(menu.values())
    if not text:
        return actions[0] if len(actions) == 1 else f"Which one? {menu_text(menu)}"
    if text in menu:
        return menu[text]
    for action in actions:
        if text == action.name.lower():
            return action
    if text in COMMANDS or text in OTHER_WORDS:
        return OTHER_WORDS.get(text, text)
    meant = [action for action in actions if _begins(action, text)]
    if len(meant) == 1:
        return meant[0]
    words = [command for command in COMMANDS if command.startswith(text)]
    if not meant and len(words) == 1:
        return words[0]
    if meant or words:
        both = [action.name for action in meant] + ([] if meant else words)
        return f"{line!r} could be {' or '.join(both)}: write more of it."
    return f"There is no move {line!r} now: {menu_text(menu)} (or help)."


def _begins(action: Action, text: str) -> bool:
    return action.name.lower().startswith(text) or _ending(action).lower().startswith(text)


def help_text(legal: Sequence[Action]) -> str:
    """The moves and the commands, with what they do."""
    rows = {}
    for action in legal:
        doc = " ".join((inspect.getdoc(action.function) or "").split("\n\n")[0].split())
        rows[action.name] = doc
    width = max(map(len, [*rows, *COMMANDS]))
    lines = [f"  {name:{width}}  {text}".rstrip() for name, text in (rows | COMMANDS).items()]
    lines.insert(len(rows), "")
    return "\n".join(wrapped(line, width + 4) for line in lines)
