"""What a report on a game says: every question asked once, each answer a section.

A game is explored once and, where players decide, solved once; all questions are about that. One
that is too large is simulated instead, and every number is then an estimate with its interval. A
section that cannot be made says why in a sentence; the others are not harmed.
"""

from __future__ import annotations

import inspect
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from oddsmith.errors import LimitError, OddsmithError
from oddsmith.present.report.subject import Limits, ReportSubject, telling_section
from oddsmith.questions import door
from oddsmith.questions.case import most_states
from oddsmith.results.answer import Answer
from oddsmith.results.digits import short_fraction
from oddsmith.results.distribution import quantile_text
from oddsmith.results.result import Result
from oddsmith.results.table import METHOD_NOTES, interval
from oddsmith.rules.board.game import Board
from oddsmith.rules.game import Game, check_game
from oddsmith.rules.options import describe_options
from oddsmith.runtime import memory
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.show.drawings.heading import setting, small_print
from oddsmith.show.report.document import Code, Grid, Note, Part, Report, Section, Shown, Words

SHORT_TABLE = 14
"""Rows of a table that is shown as it is; a longer one is folded."""

NAMED_MOVES = 12

SEATS_UP_TO = 5
"""The most players for whom seats are compared."""


@door.whole()
def report_of(
    game: Game,
    limits: Limits | None = None,
    *,
    command: str | None = None,
    progress: Progress | None = None,
) -> Report:
    """All sections of a report on a game.

    >>> from oddsmith import game
    >>> [section.title for section in report_of(game("coin-race")).sections][:3]
    ['The rules', 'Who wins', 'How long it takes']
    """
    asked = _Sections(check_game(game), limits or Limits(), progress or Silent())
    ways: dict[str, Callable[[], Iterator[Part]]] = {"The rules": asked.rules}
    ways |= {"Who wins": asked.winners, "How long it takes": asked.lengths}
    if game.squares:
        ways["Where the pieces land"] = asked.squares
    if isinstance(game, Board) and game.players > 1:
        ways["Chances by square"] = asked.chances
    if asked.decides:
        ways["How to play"] = asked.play
    ways["How the answer converges"] = asked.convergence
    ways["Method and evidence"] = lambda: asked.evidence(command)
    sections = []
    for number, (title, way) in enumerate(ways.items()):
        asked.progress.update("report", number, len(ways), title)
        section = Section(title)
        with _said(section):
            for part in way():
                section.parts.append(part)  # one by one: what was made before a failure stays
        sections.append(section)
    lead = [setting(game.players, game.described)]
    with suppress(OddsmithError, MemoryError):  # its section has said why
        lead.append(asked.in_short())
    return Report(game.name, lead, sections)


@contextmanager
def _said(section: Section) -> Iterator[None]:
    """What cannot be shown is a sentence in its section."""
    try:
        yield
    except OddsmithError as error:
        section.parts.append(Note(f"Left out: {error}"))
    except MemoryError:
        section.parts.append(Note("Left out: there is not enough memory for this."))


class _Sections(ReportSubject):
    """The sections of a report, each as its parts."""

    def in_short(self) -> str:
        """The main answers in a sentence."""
        told = []
        for name, answer in self.odds.rows():
            chance = "wins" in name or name in ("draw", "player 1 loses")
            shown = f"{100 * answer.value:.2f} %" if chance else f"{answer.value:.4g}"
            told.append(f"{name}: {shown}" + " moves" * (name == "expected length"))
        about = "About: " if self.odds.method == "estimate" else ""
        return about + ", ".join(told) + "."

    # Sections -------------------------------------------------------------------------------

    def rules(self) -> Iterator[Part]:
        """The docstring of the game, its options, and its board."""
        game = self.game
        yield Words(inspect.getdoc(type(game)) or "")
        if isinstance(game, Board):
            from oddsmith.present.pictures.by_name import plot

            yield Shown(plot(game, "board", progress=self.progress))
        declared = game.declared_options()
        rows = [
            [name, takes, default, str(game.options[name])]
            for name, takes, default in describe_options(declared)
        ]
        if rows:
            few = len(rows) <= SHORT_TABLE
            header = ["option", "takes", "usually", "here"]
            yield Grid(header, rows, "Options" if few else f"All {len(rows)} options", not few)

    def winners(self) -> Iterator[Part]:
        """Chances with their bounds, and seats compared."""
        from oddsmith.show.drawings.seats import seats

        found = self.odds
        yield from self._estimated()
        yield _answers("", found.rows())
        if found.win or found.score:
            yield Shown(seats([found]))
        others = self._other_numbers()
        if len(others) > 1:
            yield Shown(seats(others))

    def _estimated(self) -> Iterator[Part]:
        if self.odds.method != "estimate":
            return
        games = self.odds.evidence.games or 0
        played = next((line for line in self.odds.evidence.how if "play:" in line), "")
        how = f" ({played[played.index('play:') :].split(',')[0]})" if played else ""
        yield Note(
            f"These are estimates: the game is too large to be solved here, for "
            f"{self.why_simulated}. {games:,} games were played{how}; the truth is within each "
            f"interval with a confidence of 95 %, of lengths and scores approximately."
        )

    def _other_numbers(self) -> list[Result]:
        """The odds for other numbers of players, where they cost little."""
        from oddsmith.ask.odds import odds
        from oddsmith.present.pictures.answers import games_of_players

        if self.decides or self.odds.method == "estimate" or self.game.players == 1:
            return []
        found = []
        for other in games_of_players(self.game, SEATS_UP_TO):
            if other.players == self.game.players:
                found.append(self.odds)
                continue
            try:
                found.append(odds(self._small(other), progress=self.progress))
            except OddsmithError:
                continue
        return found

    def _small(self, game: Game) -> Any:
        """A game that costs little: its model, or the board; else a LimitError."""
        from oddsmith.model.explore import explore

        if most_states(game) > self.limits.seats:
            raise LimitError(f"{game.name} for {game.players} players costs too much here.")
        if most_states(game):
            return game
        return explore(game, max_states=self.limits.cheap, progress=self.progress)

    def lengths(self) -> Iterator[Part]:
        """The distribution of the length, its mean, deviation and quantiles."""
        from oddsmith.ask.length import length
        from oddsmith.show.drawings.lengths import lengths

        if self.subject is None or self.lattice > self.limits.squares:
            found = self.simulated
            if self.subject is not None:
                yield Note(
                    f"Estimated from {found.evidence.games:,} games; see above for the mean."
                )
        else:
            found = length(self.subject, **self.settings)
        if found.duration is not None:
            named = [("mean", found.duration), ("standard deviation", found.deviation)]
            yield _answers("moves", [(name, one) for name, one in named if one is not None])
        quantiles = found.quantiles.items()
        rows = [[f"{100 * level:g} %", quantile_text(at)] for level, at in quantiles]
        if rows:
            yield Grid(["of games", "last at most"], rows)
        if found.distribution:
            yield Shown(lengths([found]))

    def squares(self) -> Iterator[Part]:
        """How often a piece comes to each square."""
        from oddsmith.ask.visits import visits
        from oddsmith.present.pictures.answers import visits_drawn

        self._solvable()
        self._quick(f"visits {self.game.key()} --engine lattice")
        large = self.lattice and self.game.players > 2  # it counts arrivals only, but fast
        subject = self.game if large else self.subject
        engine = "lattice" if large else "auto"
        found = visits(subject, engine=engine, **self.settings)
        yield Shown(visits_drawn(self.game, found))
        rows = [
            [v.where, "–" if v.ever is None else f"{v.ever.value:.6f}", f"{v.times.value:.6f}"]
            for v in found.visits
        ]
        header = ["place", "ever", "times"]
        if all(v.ever is None for v in found.visits):
            rows, header = [[where, times] for where, _, times in rows], ["place", "times"]
        yield Grid(header, rows, "Player 1's piece, place by place", len(rows) > SHORT_TABLE)

    def chances(self) -> Iterator[Part]:
        """Player 1's chance from each square."""
        from oddsmith.present.pictures.by_name import plot

        self._solvable()
        self._quick(f"plot {self.game.key()} chances")
        yield Shown(plot(self.game, "chances", progress=self.progress))

    def play(self) -> Iterator[Part]:
        """Optimal play in a few numbers, what to do first, and a section of it."""
        from oddsmith.policies.report import Report as PolicyReport
        from oddsmith.rules import interpret
        from oddsmith.show.drawings.policy import section
        from oddsmith.show.drawings.policy_space import surface

        table = self.table
        told = PolicyReport(table).to_dict()
        rows = [["states" + " as the mover sees them" * table.relative, f"{told['states']:,}"]]
        rows.append(["of those, with a decision", f"{told['decisions']:,}"])
        moves = list(told["moves"].items())
        rows += [[f"best move: {name}", f"{count:,}"] for name, count in moves[:NAMED_MOVES]]
        if len(moves) > NAMED_MOVES:
            left = sum(count for _, count in moves[NAMED_MOVES:])
            rows.append([f"best move: one of {len(moves) - NAMED_MOVES} others", f"{left:,}"])
        rows += [
            ["not proved to have one best move only", f"{told['undecided']:,}"],
            ["reached if everybody plays so", f"{told['reached_by_all']:,}"],
        ]
        yield Grid(["optimal play", "states"], rows)
        if told["closest"]:
            margin, state = told["closest"]["margin"], told["closest"]["state"]
            yield Words(f"The closest decision is worth {margin:.2g}, in `{state}`.")
        start = interpret.first_state(self.game)
        advice = table.advice(start)
        if len(advice) > 1:
            best = advice[0].worth.value
            moves_worth = [(a.move, a.worth) for a in advice[:SHORT_TABLE]]
            costs = [f"{best - worth.value:.6g}" for _, worth in moves_worth]
            yield _answers("first move", moves_worth, "costs", costs)
        along = telling_section(table)
        if along is not None:
            x, y, where = along
            yield Shown(section(table, x, y, where=where or None))
        with suppress(OddsmithError):  # not every game has three numbers to be drawn along
            yield Shown(surface(table))

    def convergence(self) -> Iterator[Part]:
        """How the bounds close, turn by turn and by method."""
        from oddsmith.ask.convergence import convergence
        from oddsmith.show.drawings.convergence import convergence_picture

        self._solvable()
        most = self.limits.converged
        if self.lattice > most:
            raise LimitError(
                f"convergence is shown for up to {most:,} states, and this board's lattice has "
                f"{self.lattice:,} numbers."
            )
        found = convergence(self.subject, most_states=most, **self.settings)
        picture = convergence_picture(found, self.game.name, small_print(self.odds))
        yield Words(
            "After so many turns, what has been won is certain and what goes on might be won by "
            "anybody: the truth is in between. Every solver is held to the same bounds, computed "
            "afresh from what it has."
        )
        yield Shown(picture)

    def evidence(self, command: str | None) -> Iterator[Part]:
        """How the answers were found, and how to find them again."""
        found = self.odds.evidence
        yield Words(f"{METHOD_NOTES[found.method][0].upper()}{METHOD_NOTES[found.method][1:]}.")
        how = [*found.how, *(self.table.how if self.decides and self.subject is not None else ())]
        if how:
            yield Words("\n".join(f"- {line}" for line in how))
        rows = [["version", f"Oddsmith {found.version}"], ["digest of the rules", found.digest]]
        counts = {"states": found.states, "transitions": found.transitions}
        counts |= {"states with a decision": found.decisions, "numbers held": found.numbers}
        rows += [[name, f"{count:,}"] for name, count in counts.items() if count]
        if found.games is not None:
            rows.append(["games played", f"{found.games:,}, seed {found.seed}"])
        rows.append(["seconds for who wins", f"{found.seconds:.2f}"])
        rows.append(["seconds for this page", f"{time.perf_counter() - self.began:.2f}"])
        rows.append(["memory at most", f"{memory.peak_mb():,.0f} MiB"])
        yield Grid(["", "evidence"], rows)
        about = command or command_of(self.game)
        yield Words("To find the answers again, and to make this page:")
        yield Code(f"oddsmith solve {about}\noddsmith report {about}")

    def _solvable(self) -> None:
        if self.subject is None:
            raise LimitError(
                "this is not simulated, and the game is too large to be solved here: take fewer "
                "players, or options that make it smaller."
            )

    def _quick(self, command: str) -> None:
        if self.lattice > self.limits.squares:
            raise LimitError(
                f"it takes minutes for a lattice of {self.lattice:,} numbers; "
                f"`oddsmith {command} -n {self.game.players}` finds it."
            )


def _answers(
    first: str, named: Sequence[tuple[str, Answer]], last: str = "", more: Sequence[str] = ()
) -> Grid:
    """Answers with their bounds, or their fractions where all are known exactly."""
    exact = all(answer.exact is not None for _, answer in named)
    rows = [[name, *(_exactly(a) if exact else _known(a))] for name, a in named]
    if last:
        rows = [[*row, cell] for row, cell in zip(rows, more, strict=True)]
    header = [first, "value", *(["exactly"] if exact else ["from", "to"]), *filter(None, [last])]
    return Grid(header, rows)


def _exactly(answer: Answer) -> list[str]:
    """A number and its fraction, shortened where it is long."""
    assert answer.exact is not None
    return [f"{answer.value:.12g}", short_fraction(answer.exact)]


def _known(answer: Answer) -> list[str]:
    """A number and its bounds, as far as they are known."""
    if answer.lower is None or answer.upper is None:
        return [f"{answer.value:.12g}", "", ""]
    return [str(answer).split(" ± ")[0], *interval(answer)]


def command_of(game: Game) -> str:
    """The arguments of a command about a game: its name, its players, its options."""
    usual = game.declared_options()
    words = [game.key()]
    if "players" in usual and game.players != usual["players"][1]:
        words += ["-n", str(game.players)]
    for name, value in game.options.items():
        if name != "players" and value != usual[name][1]:
            words += ["--set", f"{name}={value}"]
    return shlex.join(words)
