"""Published figures, computed again and set beside the print.

A source is a TOML file in `oddsmith/published`: its `title`, its `source` in full, and tables
with the fields of `Table`; what else stands at its top holds for every table.

    [[table]]
    players = 2
    printed = { "win 1" = "0.3936", draw = "0.2265" }    # question = the text as printed
    differ  = { draw = "rounds to 0.2264" }              # known to differ, and why

A question is `win` and a player's number, `draw`, `length`, `score` (and a player's number, if
there are several), `states`, `decisions`, or, where players decide: `worth` and a state, such as
`worth scores=(0,1) total=1`, what it is worth to its mover when all play optimally. `play` says
who plays how; with `duel = ["one", "other"]` the questions are `first`, `second` and `coin`, what
one gets when it begins, when the other does, and when a coin decides.

A table about a model in PRISM's language names its file, beside the source, instead of a game. A
question is then `states` or a property; with `property` it gives values to that one's constants:

    [[table]]
    model    = "coin.prism"
    property = "const int k; P=? [ F<=k heads ]"
    printed  = { "k=1" = "0.5", "k=2" = "0.75" }

`remarks`, at the top, are sentences to print below the figures. A reading, of a question or of
`*` for all others, says what the print p, its last digit in units of u, claims of the truth x:

- `rounded` (a decimal, unless said otherwise): p - u/2 <= x < p + u/2;
- `truncated`: p <= x < p + u (where that is not rounded, too, a note says so);
- `exact` (a fraction or a number of states): x = p;
- `stretches` (a fraction in which … stands for what cannot be read): x in lowest terms, written
  out, has these digits in this order;
- `inside`: p lies within our bounds for x, for a print with more digits than those decide;
- `simulated`: p is itself an estimate, right to about its last digit: p - u <= x <= p + u is
  possible within our bounds.

With `method = "estimate"` ours is a simulation until every chance is known to `half_width`, with
a confidence of 95 %.

Where we know x by an interval, the claim must hold, or fail, for all of it; else the figure is
undecided, which is a failure whatever was expected.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from importlib.resources import as_file, files
from textwrap import fill
from typing import Any, Literal

from oddsmith import published
from oddsmith.ask.odds import odds
from oddsmith.ask.tournament import Duel, duel
from oddsmith.errors import LimitError, MissingExtraError, OptionError
from oddsmith.games import game
from oddsmith.properties.ask import Loaded, experiments
from oddsmith.properties.ask import load as load_model
from oddsmith.questions import door
from oddsmith.questions.settings import Wanted
from oddsmith.results.answer import Answer
from oddsmith.results.result import Result
from oddsmith.results.table import align
from oddsmith.rules.game import Game
from oddsmith.rules.options import suggestion
from oddsmith.rules.state_text import parse_state
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.solve.play.profile import optimal
from oddsmith.solve.simulate.run import simulate

Reading = Literal["rounded", "truncated", "exact", "stretches", "inside", "simulated"]
Verdict = Literal["agree", "differ", "undecided"]

CUT = "cut off in print, not rounded"
COUNTS = ("states", "decisions")
UNREADABLE = "…"  # in a printed fraction: digits that are damaged or missing
WIDTH = 100  # columns of remarks
MORE_DIGITS = 3  # of ours are shown beyond the printed ones, for the rounding to be seen
SHOWN = 13  # digits of a long number are shown at either end, its middle is left out


@dataclass(frozen=True)
class Table:
    """Printed figures about one game or model; dictionaries are by question."""

    printed: dict[str, str]
    game: str = ""
    players: int = 0
    model: str = ""
    property: str = ""
    where: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    reading: dict[str, Reading] = field(default_factory=dict)
    differ: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    method: Wanted = "auto"
    play: str | None = None
    duel: list[str] = field(default_factory=list)
    half_width: float | None = None
    full: bool = False  # takes long: computed only when asked

    def describe(self, question: str) -> str:
        """Which figure it is."""
        if self.model:
            asked = self.property.rpartition(";")[2].strip()
            about = ", ".join(filter(None, [self.where, asked]))
            return f"{about}: {question}" if about else question
        players = "1 player" if self.players == 1 else f"{self.players} players"
        words = [self.where, players, *(f"{name}={value}" for name, value in self.options.items())]
        words += [self.play or "", " v ".join(self.duel)]
        return ", ".join(filter(None, words)) + f": {question}"


@dataclass(frozen=True)
class Source:
    """A publication and its tables."""

    name: str
    title: str
    citation: str
    tables: tuple[Table, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A printed figure beside ours."""

    source: str
    what: str
    printed: str
    ours: str
    verdict: Verdict
    expect: Verdict
    note: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the print follows from the rules."""
        return self.verdict == "agree"

    @property
    def expected(self) -> bool:
        """Whether the figure behaves as its note says."""
        return self.verdict == self.expect

    @property
    def outcome(self) -> str:
        """The verdict in words; capitals for what should not be."""
        if self.expected:
            return "agree" if self.agrees else "differ as noted"
        return "AGREE AGAINST THE NOTE" if self.agrees else self.verdict.upper()


@dataclass(frozen=True)
class Reproduction:
    """Figures of some sources, each beside ours."""

    sources: tuple[Source, ...]
    figures: tuple[Figure, ...]
    left_out: int = 0  # figures not computed because they take long
    out_of_reach: tuple[str, ...] = ()  # tables this machine cannot compute, and why
    interrupted: bool = False

    @property
    def ok(self) -> bool:
        """Whether every figure was computed and behaves as its note says."""
        return not self.interrupted and all(figure.expected for figure in self.figures)

    @property
    def summary(self) -> str:
        """How many figures agree, and how the others do not."""
        counts = Counter(figure.outcome for figure in self.figures)
        tally = ", ".join(f"{counts[o]} {o}" for o in sorted(counts, key=lambda o: o.swapcase()))
        more = f" ({self.left_out} more with --full)" if self.left_out else ""
        if self.interrupted:
            more = f"; interrupted, {self.left_out} not computed"
        return f"{len(self.figures)} figures: {tally}{more}"

    def to_dict(self) -> dict[str, Any]:
        """The reproduction as JSON has it."""
        figures = [asdict(f) | {"agrees": f.agrees, "expected": f.expected} for f in self.figures]
        named = [
            {
                "name": s.name,
                "title": s.title,
                "source": s.citation,
                "remarks": list(s.remarks),
            }
            for s in self.sources
        ]
        return {
            "ok": self.ok,
            "summary": self.summary,
            "sources": named,
            "figures": figures,
            "out_of_reach": list(self.out_of_reach),
            "interrupted": self.interrupted,
        }

    def __str__(self) -> str:
        parts = []
        for source in self.sources:
            figures = [f for f in self.figures if f.source == source.name]
            if self.interrupted and not figures:
                continue
            notes = list(dict.fromkeys(f.note for f in figures if f.note))
            rows = [
                [
                    f.what,
                    _shortened(f.printed),
                    _shortened(f.ours),
                    f.outcome + (f" [{notes.index(f.note) + 1}]" if f.note else ""),
                ]
                for f in figures
            ]
            parts += [
                f"{source.title}\n{source.citation}",
                align(["", "printed", "ours", ""], rows),
            ]
            if notes:
                parts.append("\n".join(f"[{i}] {note}" for i, note in enumerate(notes, start=1)))
            parts += [fill(remark, WIDTH) for remark in source.remarks]
        return "\n\n".join([*parts, *self.out_of_reach, self.summary])


def sources() -> tuple[str, ...]:
    """The names of the sources."""
    names = [file.name for file in files(published).iterdir()]
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load(name: str) -> Source:
    """A source by name."""
    if name not in sources():
        hint = suggestion(name, sources()).replace("it has", "there are")
        raise OptionError(f"There is no published source {name!r}: {hint}")
    data = tomllib.loads((files(published) / f"{name}.toml").read_text(encoding="utf-8"))
    title, citation, tables = data.pop("title"), data.pop("source").strip(), data.pop("table")
    remarks = tuple(data.pop("remarks", ()))
    tables = tuple(Table(**(data | table)) for table in tables)
    return Source(name, title, citation, tables, remarks)


def reproduce(
    names: Iterable[str] = (), full: bool = False, progress: Progress | None = None
) -> Reproduction:
    """Compute the figures of the sources named, or of all; long ones only if `full`.

    >>> print(reproduce(["simple-game"]).summary)
    5 figures: 5 agree
    """
    chosen = tuple(load(name) for name in dict.fromkeys(names) or sources())
    wanted = [(s, t) for s in chosen for t in s.tables if full or not t.full]
    total = sum(len(table.printed) for source in chosen for table in source.tables)
    figures, solved, missing = [], dict[str, Any](), []
    interrupted = False
    try:
        for source, table in wanted:
            key = _key(table)
            try:
                if key not in solved:
                    solved[key] = _solve(table, progress or Silent())
            except LimitError as error:
                total -= len(table.printed)
                missing.append(f"{table.describe('left out')}. {error}")
                continue
            figures += [_figure(source, table, question, solved[key]) for question in table.printed]
    except KeyboardInterrupt:
        interrupted = True
        if not figures:
            raise
    left_out = total - len(figures)
    return Reproduction(chosen, tuple(figures), left_out, tuple(missing), interrupted)


def _key(table: Table) -> str:
    """The same for tables that one solution answers."""
    if table.model:
        return table.model
    key = f"{table.game} {table.players} {table.options} {table.method} {table.half_width}"
    key += f" {table.play} {table.duel} {any(q.startswith('worth') for q in table.printed)}"
    return key + " states" * ("states" in table.printed)


@door.whole()  # an interrupted answer has wide bounds, which would have anything inside
def _solve(table: Table, progress: Progress) -> Any:
    """What answers a table's questions: a result, a duel, optimal play, or a model."""
    if table.model:
        with as_file(files(published) / table.model) as path:
            return load_model(path, progress=progress)
    subject = game(table.game, players=table.players, **table.options)
    asked: Any = {"method": table.method, "progress": progress}
    if table.duel:
        one, other = table.duel
        return duel(subject, one, other, **asked)
    if any(question.startswith("worth") for question in table.printed):
        return optimal(subject, **asked)
    if table.method != "estimate":
        engine = "compiled" if "states" in table.printed else "auto"  # a lattice has no states
        return odds(subject, engine=engine, play=table.play, **asked)
    try:
        return _estimate(subject, table, progress, "cuda")
    except (MissingExtraError, OptionError):
        return _estimate(subject, table, progress, "auto")


def _estimate(subject: Game, table: Table, progress: Progress, engine: Any) -> Result:
    return simulate(
        subject,
        half_width=table.half_width,
        confidence=0.95,
        engine=engine,
        progress=progress,
    )


def _figure(source: Source, table: Table, question: str, result: Any) -> Figure:
    printed, answer = table.printed[question], _answer(table, result, question)
    reading = table.reading.get(question, table.reading.get("*", _usual(printed, question)))
    verdict: Verdict = compare(printed, answer, reading)
    ours = _ours(printed, answer, "inside" if verdict == "undecided" else reading)
    expect: Verdict = "differ" if question in table.differ else "agree"
    cut = verdict == "agree" and reading == "truncated" and compare(printed, answer) == "differ"
    note = (table.differ | table.notes).get(question, CUT if cut else "")
    return Figure(source.name, table.describe(question), printed, ours, verdict, expect, note)


def _usual(printed: str, question: str) -> Reading:
    """How a print is read unless its table says otherwise."""
    if UNREADABLE in printed:
        return "stretches"
    return "exact" if "/" in printed or question in COUNTS else "rounded"


def _answer(table: Table, result: Any, question: str) -> Answer:
    if isinstance(result, Loaded):
        return _checked(table, result, question)
    if isinstance(result, Duel):
        return getattr(result, question)  # type: ignore[no-any-return]
    if question.startswith("worth "):
        state = parse_state(result.game, question.removeprefix("worth "))
        return result.advice(state)[0].worth  # type: ignore[no-any-return]
    if question in COUNTS:
        return Answer.of_fraction(Fraction(getattr(result.evidence, question)))
    if question.startswith("score"):
        return result.score[int(question.removeprefix("score") or 1) - 1]  # type: ignore[no-any-return]
    if question.startswith("win "):
        return result.win[int(question.removeprefix("win ")) - 1]  # type: ignore[no-any-return]
    return {"draw": result.draw, "length": result.duration}[question]  # type: ignore[no-any-return]


def _checked(table: Table, model: Loaded, question: str) -> Answer:
    """What a model says to a question: its size, or a property's value."""
    from oddsmith.properties.check import check_file
    from oddsmith.properties.parse import parse_properties

    if question == "states":
        return Answer.of_fraction(Fraction(model.process.states))
    asked = parse_properties(table.property or question, table.model)
    [given] = experiments(question if table.property else None)
    [found] = check_file(
        model.process,
        asked,
        exact=table.method == "exact",
        constants=model.constants,
        formulas=model.formulas,
        given=given,
    )
    assert isinstance(found.answer, Answer), f"{found.text} is no number"
    return found.answer


def compare(printed: str, answer: Answer, reading: Reading = "rounded") -> Verdict:
    """Whether the print's claim holds for all, none or some of what the truth may be."""
    if reading == "stretches":
        if answer.exact is None:
            return "undecided"
        return "agree" if _has_stretches(printed, answer.exact) else "differ"
    number, places, scale = _parsed(printed)
    value, unit = number / scale, Fraction(1, 10**places * scale)
    if answer.exact is not None and reading != "inside":
        lower = upper = answer.exact
    elif answer.lower is not None and answer.upper is not None:
        if math.isinf(answer.lower):
            return "differ"  # for what is printed is a number
        if math.isinf(answer.upper):
            return "undecided"
        lower, upper = Fraction(answer.lower), Fraction(answer.upper)
    else:
        return "undecided"
    if reading == "simulated":
        return "agree" if lower <= value + unit and value - unit <= upper else "differ"
    if reading in ("inside", "exact"):
        possible: Verdict = "agree" if reading == "inside" or lower == upper else "undecided"
        return possible if lower <= value <= upper else "differ"
    low = value - unit / 2 if reading == "rounded" else value
    if low <= lower and upper < low + unit:
        return "agree"
    return "differ" if upper < low or low + unit <= lower else "undecided"


def _has_stretches(printed: str, value: Fraction) -> bool:
    """Whether a fraction, written out, has the digits that can be read, in their order."""
    pattern = ".*?".join(map(re.escape, printed.split(UNREADABLE)))
    return re.fullmatch(pattern, f"{value.numerator}/{value.denominator}") is not None


def _parsed(printed: str) -> tuple[Fraction, int, int]:
    """The number that is printed, its decimal places, and 100 for percent."""
    number = printed.replace(",", "").removesuffix("%")
    return Fraction(number), len(number.partition(".")[2]), 100 if printed.endswith("%") else 1


def _ours(printed: str, answer: Answer, reading: Reading) -> str:
    """Our number: its bounds, or as the print has it, with a few more digits if not exact."""
    if reading in ("inside", "simulated"):
        return str(answer)
    if math.isinf(answer.value):
        return "infinite"
    value = Fraction(answer.value) if answer.exact is None else answer.exact
    if reading in ("exact", "stretches") and answer.exact is not None:
        return f"{value.numerator:,}" if "," in printed else str(value)
    _, places, scale = _parsed(printed)
    places += MORE_DIGITS
    whole, part = divmod(round(value * scale * 10**places), 10**places)
    return f"{whole}.{part:0{places}d}" + ("%" if scale == 100 else "")


def _shortened(text: str) -> str:
    return text if len(text) <= 2 * SHOWN else f"{text[:SHOWN]}…{text[1 - SHOWN :]}"
