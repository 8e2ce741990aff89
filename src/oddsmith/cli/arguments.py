"""Arguments that commands share, and how a question becomes a command. No mathematics here."""

import functools
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from oddsmith.cli.output import show
from oddsmith.errors import OptionError
from oddsmith.questions.settings import ENGINES, KEYWORDS
from oddsmith.questions.settings import Settings as Default
from oddsmith.results.digits import FORMATS, PLAIN, NumberFormat

if TYPE_CHECKING:
    from oddsmith.rules.game import Game

MOST = 1 << 63
"""What whole numbers on the command line are below."""
MOST_DIGITS = 1_000_000


class Commands(typer.Typer):
    """The commands; none is given a number that no machine word holds."""

    def command(self, *arguments: Any, **options: Any) -> Callable[[Any], Any]:
        """Make a command of a function."""
        register = super().command(*arguments, **options)

        def decorate(function: Any) -> Any:
            @functools.wraps(function)
            def command(**given: Any) -> None:
                for name, value in given.items():
                    if isinstance(value, int) and abs(value) >= MOST:
                        option = name.replace("_", "-")
                        raise OptionError(f"--{option} takes a number below 2^63, not {value}.")
                function(**given)

            register(command)
            return function

        return decorate


app = Commands(
    name="oddsmith",
    help="What are the odds? Write the rules of a game, get its odds.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def setting(name: str, *flags: str, metavar: str | None = None) -> Any:
    """An option that is a setting of every question: what is said of it stands in `Keywords`."""
    return typer.Option(*flags, metavar=metavar, help=f"{KEYWORDS[name].says}.")


Play = Annotated[str | None, setting("play", metavar="POLICY[,POLICY…]")]
GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME", help="A game's name, or a file of your own: board.toml, mygame.py:MyGame."
    ),
]
Players = Annotated[int | None, typer.Option("--players", "-n", help="Number of players.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Set an option of the game; may be repeated."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def the_game(game: GameName, players: Players = None, settings: Settings = None) -> "Game":
    """The game that the arguments describe."""
    from oddsmith.games import files_called, game_class

    found = game_class(game)
    for file in files_called(game):  # it has the whole name of a game of the catalogue
        print(f"note: {game} is the catalogue's; for the file here, write {file}.", file=sys.stderr)
    return found.from_text(setting_texts(players, settings))


SubjectName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game's name, a file of your own (board.toml, mygame.py:MyGame), or a model of "
        "PRISM's language or another tool (model.prism, model.drn, …).",
    ),
]
Const = Annotated[list[str] | None, setting("constants", "--const", metavar="NAME=VALUE,…")]
Win = Annotated[list[str] | None, setting("win", "--win", metavar="LABEL|CONDITION")]


def the_subject(game: SubjectName, players: Players = None, settings: Settings = None) -> Any:
    """The game that the arguments describe, or the name of a model's file."""
    from oddsmith.model.reading import is_model_file

    if not is_model_file(game):
        return the_game(game, players, settings)
    if players is not None or settings:
        raise OptionError(f"--players and --set are for games; {game} takes --const and --win.")
    return game


def setting_texts(
    players: int | None, settings: list[str] | None, option: str = "--set"
) -> dict[str, str]:
    """The options given, by name."""
    texts: dict[str, str] = {}
    for setting in settings or []:
        key, equals, value = setting.partition("=")
        if not equals:
            raise OptionError(f"{option} takes NAME=VALUE, not {setting!r}.")
        if key.strip() in texts:
            raise OptionError(f"{option} {key.strip()} is given twice: which one is meant?")
        texts[key.strip()] = value.strip()
    if players is not None and texts.setdefault("players", str(players)) != str(players):
        raise OptionError(f"There are {players} players or {texts['players']}: say it once.")
    return texts


def exploring(
    engine: Annotated[str, setting("engine")] = Default.engine,
    symmetry: Annotated[bool, setting("symmetry")] = Default.symmetry,
    max_states: Annotated[int | None, setting("max_states")] = Default.max_states,
    constants: Const = None,
    win: Win = None,
) -> dict[str, Any]:
    """How the states are generated."""
    choose("--engine", engine, ENGINES)
    given = {"engine": engine, "symmetry": symmetry, "max_states": max_states}
    return {**given, "constants": ",".join(constants or []) or None, "win": win}


Exact = Annotated[bool, typer.Option("--exact", help="Answers as fractions: --method exact.")]


def to_write(help: str, *names: str) -> Any:
    """An option that names a file to be written: it is tried before the work."""
    return typer.Option(*names, metavar="FILE", help=help, callback=writable)


def writable(path: str | None) -> str | None:
    """The file, if it can be written."""
    if path is not None:
        from oddsmith.runtime.written import try_to_write

        try_to_write(path)
    return path


Fractions = Annotated[str | None, to_write("Write the exact answers in full to a file.")]


def check_format(number_format: NumberFormat, method: str) -> None:
    """Refuse to write what is not exact, or in two ways."""
    chosen, digits = [f"--{name}" for name in number_format.chosen], number_format.digits
    asked = [*chosen, "--fractions"] if number_format.file else chosen
    if asked and method not in ("auto", "exact"):
        raise OptionError(f"{asked[0]} is for exact answers, and --method {method} gives none.")
    if len(chosen) > 1:
        raise OptionError(f"A number is written in one way: give {' or '.join(chosen)}.")
    if digits is not None and not 0 <= digits <= MOST_DIGITS:
        most = f"from 0 to {MOST_DIGITS:,}"
        raise OptionError(f"--digits takes a number of digits, {most}, not {digits}.")


def formatted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function with a parameter `number_format` the options of all formats instead of it."""
    kind, types = inspect.Parameter.POSITIONAL_OR_KEYWORD, get_type_hints(NumberFormat)
    options = list[inspect.Parameter]()
    for one in FORMATS:
        annotation: Any = Annotated.__class_getitem__(  # type: ignore[attr-defined]
            (types[one.name], typer.Option(f"--{one.name}", **one.metadata))
        )
        option = inspect.Parameter(one.name, kind, default=one.default, annotation=annotation)
        options.append(option)
    options.append(inspect.Parameter("fractions", kind, default=None, annotation=Fractions))

    @functools.wraps(function)
    def call(**given: Any) -> Any:
        formats = {one.name: given.pop(one.name) for one in FORMATS}
        number_format = NumberFormat(**formats, file=given.pop("fractions"))
        check_format(number_format, given.get("method", "auto"))
        return function(**given, number_format=number_format)

    parameters = list[inspect.Parameter]()
    for own in inspect.signature(function).parameters.values():
        parameters += options if own.name == "number_format" else [own]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def method_of(method: str, exact: bool, number_format: NumberFormat) -> str:
    """The method that is asked for; --exact is one way to say so, a format of fractions another."""
    if exact and method not in ("auto", "exact"):
        raise OptionError(f"Either --exact or --method {method}: they contradict each other.")
    return "exact" if exact or number_format != PLAIN else method


@formatted
def solving(
    exact: Exact = False,
    number_format: NumberFormat = PLAIN,
    method: Annotated[str, setting("method")] = Default.method,
    solver: Annotated[str, setting("solver")] = Default.solver,
    tolerance: Annotated[float, setting("tolerance")] = Default.tolerance,
    endless: Annotated[str, setting("endless")] = Default.endless,
) -> dict[str, Any]:
    """How the question is answered."""
    choose("--endless", endless, ("error", "draw"))
    given = {
        "method": method_of(method, exact, number_format),
        "solver": solver,
        "tolerance": tolerance,
    }
    return {**given, "endless": endless, "number_format": number_format}


def explaining(
    explain: Annotated[bool, setting("explain", "--explain")] = Default.explain,
) -> dict[str, Any]:
    """Whether the plan is shown."""
    return {"explain": explain}


def playing(play: Play = None) -> dict[str, Any]:
    """Who plays how, where players decide."""
    return {"play": play}


def sweeping(
    precision: Annotated[str, setting("precision")] = Default.precision,
    checkpoint: Annotated[
        str | None, to_write(f"{KEYWORDS['checkpoint'].says}.")
    ] = Default.checkpoint,
    cluster: Annotated[str | None, setting("cluster", metavar="ADDRESS")] = Default.cluster,
    scratch: Annotated[str | None, setting("scratch", metavar="DIR")] = Default.scratch,
) -> dict[str, Any]:
    """How a board's lattice is swept."""
    given = {"precision": precision, "checkpoint": checkpoint}
    return {**given, "cluster": cluster, "scratch": scratch}


def choose(what: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a word that is none of the allowed ones."""
    if value not in allowed:
        raise OptionError(f"{what} cannot be {value!r}: choose one of {', '.join(allowed)}.")


def question(
    *groups: Callable[..., dict[str, Any]], subject: Callable[..., Any] = the_game
) -> Callable[[Callable[..., Any]], Any]:
    """Make a command of a function (game, **keywords): arguments of all groups become its own.

    The command takes the arguments of its subject (a game, or a model too), the function's
    keywords, those of the groups (whose results are passed on as keywords) and --json; it shows
    progress and prints what comes back.
    """

    def decorate(ask: Callable[..., Any]) -> Any:
        parts: list[Callable[..., Any]] = [subject, *groups]
        own = [p for p in inspect.signature(ask).parameters.values() if p.kind is p.KEYWORD_ONLY]
        kind = inspect.Parameter.KEYWORD_ONLY
        last = inspect.Parameter("as_json", kind, default=False, annotation=Json)
        shared = [p for part in parts for p in inspect.signature(part).parameters.values()]

        def command(**arguments: Any) -> None:
            from oddsmith.show.progress import progress_bar

            def taken(part: Callable[..., Any]) -> Any:
                return part(
                    **{name: arguments.pop(name) for name in inspect.signature(part).parameters}
                )

            as_json = arguments.pop("as_json")
            about = taken(subject)
            for group in groups:
                arguments |= taken(group)
            number_format = arguments.pop("number_format", PLAIN)
            with progress_bar() as progress:
                found = ask(about, progress=progress, **arguments)
            show(found, as_json, number_format)

        command.__name__, command.__doc__ = ask.__name__, ask.__doc__
        command.__module__ = ask.__module__
        parameters = [p.replace(kind=kind) for p in [shared[0], *own, *shared[1:], last]]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return app.command()(command)

    return decorate


def replaced(path: str) -> str:
    """What to say of a file that is written, if there was one of its name."""
    return " (in place of the file that was there)" if Path(path).exists() else ""


Certified = Annotated[
    str | None, to_write("Write a proof of the answer, for oddsmith verify.", "--certificate")
]
