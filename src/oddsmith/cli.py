"""The command line: thin, no mathematics."""

import contextlib
import difflib
import functools
import inspect
import json
import os
import re
import shlex
import sys
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oddsmith import interrupt, memory, remains
from oddsmith.digits import PLAIN, Face
from oddsmith.errors import OddsmithError, OptionError
from oddsmith.show.plain import forgiving
from oddsmith.solve.settings import ENGINES, KEYWORDS
from oddsmith.solve.settings import Settings as Default

if TYPE_CHECKING:
    from oddsmith.result import Result
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


def setting_texts(
    players: int | None, settings: list[str] | None, option: str = "--set"
) -> dict[str, str]:
    """The options given, by name."""
    texts: dict[str, str] = {}
    for setting in settings or []:
        key, equals, value = setting.partition("=")
        if not equals:
            raise OptionError(f"{option} takes NAME=VALUE, not {setting!r}.")
        texts[key.strip()] = value.strip()
    if players is not None:
        texts["players"] = str(players)
    return texts


def exploring(
    engine: Annotated[str, setting("engine")] = Default.engine,
    symmetry: Annotated[bool, setting("symmetry")] = Default.symmetry,
    max_states: Annotated[int | None, setting("max_states")] = Default.max_states,
) -> dict[str, Any]:
    """How the states are generated."""
    choose("--engine", engine, ENGINES)
    return {"engine": engine, "symmetry": symmetry, "max_states": max_states}


Exact = Annotated[bool, typer.Option("--exact", help="Answers as fractions: --method exact.")]
Digits = Annotated[
    int | None,
    typer.Option(metavar="N", help="Exact answers to N digits after the point, rounded."),
]
Continued = Annotated[
    bool, typer.Option("--continued", help="Exact answers as continued fractions.")
]


def to_write(help: str, *names: str) -> Any:
    """An option that names a file to be written: it is tried before the work."""
    return typer.Option(*names, metavar="FILE", help=help, callback=writable)


def writable(path: str | None) -> str | None:
    """The file, if it can be written."""
    if path is not None:
        from oddsmith.written import try_to_write

        try_to_write(path)
    return path


Fractions = Annotated[str | None, to_write("Write the exact answers in full to a file.")]


def written_as(
    digits: int | None, continued: bool, fractions: str | None, method: str = "auto"
) -> Face:
    """How exact answers are to be shown; all three need exact answers."""
    given = {"--digits": digits is not None, "--continued": continued, "--fractions": fractions}
    asked = [name for name, value in given.items() if value]
    if asked and method not in ("auto", "exact"):
        raise OptionError(f"{asked[0]} is for exact answers, and --method {method} gives none.")
    if digits is not None and continued:
        raise OptionError("A number is written in one way: give --digits or --continued.")
    if digits is not None and not 0 <= digits <= MOST_DIGITS:
        most = f"from 0 to {MOST_DIGITS:,}"
        raise OptionError(f"--digits takes a number of digits, {most}, not {digits}.")
    return Face(digits=digits, continued=continued, file=fractions)


def method_of(method: str, exact: bool, face: Face) -> str:
    """The method that is asked for; --exact is one way to say so, a face of fractions another."""
    if exact and method not in ("auto", "exact"):
        raise OptionError(f"Either --exact or --method {method}: they contradict each other.")
    return "exact" if exact or face != PLAIN else method


def solving(
    exact: Exact = False,
    digits: Digits = None,
    continued: Continued = False,
    fractions: Fractions = None,
    method: Annotated[str, setting("method")] = Default.method,
    solver: Annotated[str, setting("solver")] = Default.solver,
    tolerance: Annotated[float, setting("tolerance")] = Default.tolerance,
    endless: Annotated[str, setting("endless")] = Default.endless,
) -> dict[str, Any]:
    """How the question is answered."""
    choose("--endless", endless, ("error", "draw"))
    face = written_as(digits, continued, fractions, method)
    given = {"method": method_of(method, exact, face), "solver": solver, "tolerance": tolerance}
    return {**given, "endless": endless, "face": face}


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


def question(*groups: Callable[..., dict[str, Any]]) -> Callable[[Callable[..., Any]], Any]:
    """Make a command of a function (game, **keywords): arguments of all groups become its own.

    The command takes the game's arguments, the function's keywords, those of the groups (whose
    results are passed on as keywords) and --json; it shows progress and prints what comes back.
    """

    def decorate(ask: Callable[..., Any]) -> Any:
        parts: list[Callable[..., Any]] = [the_game, *groups]
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
            game = taken(the_game)
            for group in groups:
                arguments |= taken(group)
            face = arguments.pop("face", PLAIN)
            with progress_bar() as progress:
                found = ask(game, progress=progress, **arguments)
            show(found, as_json, face)

        command.__name__, command.__doc__ = ask.__name__, ask.__doc__
        parameters = [p.replace(kind=kind) for p in [shared[0], *own, *shared[1:], last]]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return app.command()(command)

    return decorate


def show(found: Any, as_json: bool, face: Face = PLAIN) -> None:
    """Print what was found; an interrupted result ends with the code of an interrupt."""
    failed = None
    if face.file is not None:
        from oddsmith.show.fractions import write_fractions

        try:
            write_fractions(face.file, found.fractions(), shlex.join(["oddsmith", *sys.argv[1:]]))
        except OddsmithError as error:  # the answers themselves are not lost
            failed, face = error, replace(face, file=None)
    if face == PLAIN:
        put(found.to_json() if as_json else str(found), as_json)
    else:
        put(found.to_json(face) if as_json else found.text(face), as_json)
    if failed is not None:
        raise failed
    if found.interrupted:
        raise typer.Exit(130)


def put(text: str, as_json: bool = False) -> None:
    """Print a text; JSON stays valid whatever the encoding of the output is."""
    global _printed
    forgiving(as_json)
    print(text)
    _printed = True


_printed = False


@app.command()
def games(
    name: Annotated[str | None, typer.Argument(metavar="GAME", help="One game's rules.")] = None,
    as_json: Json = False,
) -> None:
    """List the catalogue, or the rules and options of one game."""
    from oddsmith.games import catalogue, game_class
    from oddsmith.rules.options import describe_options, describe_policies
    from oddsmith.show.table import align

    found = {key: game_class(key) for key in (catalogue() if name is None else (name,))}
    if as_json:
        listing = [
            {
                "game": cls.key(),
                "title": cls.title or cls.__name__,
                "rules": inspect.getdoc(cls),
                "options": {k: str(v[1]) for k, v in cls.declared_options().items()},
            }
            for cls in found.values()
        ]
        put(json.dumps(listing, indent=2, ensure_ascii=False), as_json)
    elif name is None:
        rows = [
            [key, (inspect.getdoc(cls) or "").split("\n")[0], option_names(cls)]
            for key, cls in found.items()
        ]
        print(align(["game", "", "options"], rows))
    else:
        (cls,) = found.values()
        print(f"{cls.title or cls.__name__}\n\n{inspect.getdoc(cls)}\n")
        options = [list(row) for row in describe_options(cls.declared_options())]
        print(align(["option", "takes", "default"], options))
        if cls.named_policies():
            print()
            policies = [list(row) for row in describe_policies(cls.named_policies())]
            print(align(["policy", ""], policies))


def option_names(cls: type["Game"]) -> str:
    """The options of a game as far as a table has room for them."""
    return textwrap.shorten(", ".join(cls.declared_options()), 30, placeholder=" …")


@app.command()
def new(
    path: Annotated[str, typer.Argument(metavar="FILE", help="The file to write: board.toml.")],
) -> None:
    """Write a board to start from: a text file that explains itself."""
    from oddsmith.rules.new import write_template

    write_template(path)
    shown = shlex.quote(path)
    print(f"{path} is a board of thirty squares: open it in any editor. Then try")
    print(f"  oddsmith solve {shown}")
    print(f"  oddsmith compare {shown} --set inn.wait=3")


@app.command()
def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A game, by name or file.")],
    b: Annotated[
        str | None,
        typer.Argument(metavar="B", help="Another; without it, A as written and as --set."),
    ] = None,
    players: Annotated[
        int | None, typer.Option("--players", "-n", help="Number of players, in both.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Set an option: of both games, or to change A."
        ),
    ] = None,
    exact: Exact = False,
    digits: Digits = None,
    continued: Continued = False,
    fractions: Fractions = None,
    method: Annotated[str, setting("method")] = Default.method,
    endless: Annotated[str, setting("endless")] = Default.endless,
    as_json: Json = False,
) -> None:
    """What a change of rules does: two games side by side."""
    from oddsmith.comparison import compare
    from oddsmith.show.progress import progress_bar

    if b is None and not settings:
        raise OptionError(f"Compare {a} with what? Name a second game, or --set what to change.")
    choose("--endless", endless, ("error", "draw"))
    first = the_game(a, players, settings if b is not None else None)
    second = the_game(b if b is not None else a, players, settings)
    face = written_as(digits, continued, fractions, method)
    asked: dict[str, Any] = {"method": method_of(method, exact, face), "endless": endless}
    with progress_bar() as progress:
        found = compare(first, second, progress=progress, **asked)
    show(found, as_json, face)


def replaced(path: str) -> str:
    """What to say of a file that is written, if there was one of its name."""
    return " (in place of the file that was there)" if Path(path).exists() else ""


Certified = Annotated[
    str | None, to_write("Write a proof of the answer, for oddsmith verify.", "--certificate")
]


@question(solving, playing, exploring, sweeping)
def solve(game: "Game", *, certificate: Certified = None, **keywords: Any) -> "Result":
    """Who wins, how often, and how long it takes."""
    from oddsmith.solve.odds import odds

    if certificate is not None:  # first: what it cannot be made of is refused before the work
        from oddsmith.certificate.command import write_of_game

        write_of_game(game, certificate, "odds", keywords)
    return odds(game, **keywords)


@question(solving, playing, exploring, sweeping)
def length(
    game: "Game",
    *,
    turns: Annotated[
        bool, typer.Option("--turns", help="Count turns without a throw (a rest) too.")
    ] = False,
    horizon: Annotated[
        int | None,
        typer.Option(metavar="K", help="The chances of lengths up to K as fractions."),
    ] = None,
    generating_function: Annotated[
        bool,
        typer.Option("--generating-function", help="All lengths as one fraction of polynomials."),
    ] = False,
    **keywords: Any,
) -> "Result":
    """How long a game lasts: mean, quantiles and the whole distribution."""
    from oddsmith.solve.length import length

    own = {"turns": turns, "horizon": horizon, "generating_function": generating_function}
    return length(game, **own, **keywords)  # type: ignore[arg-type]


@question(solving, playing, exploring, sweeping)
def visits(
    game: "Game",
    *,
    player: Annotated[
        int | None, typer.Option(help="Whose piece; default: 1, the first player's.")
    ] = None,
    of: Annotated[
        str | None, typer.Option(help="A number of the state, such as positions[0].")
    ] = None,
    where: Annotated[
        str | None, typer.Option(help="A condition, such as 'positions[0]=31 & turn=1'.")
    ] = None,
    **keywords: Any,
) -> "Result":
    """Where the pieces land: the chance of ever being there, and how often."""
    from oddsmith.solve.visits import visits

    return visits(game, player=player, of=of, where=where, **keywords)


@question(solving, playing, exploring, sweeping)
def values(game: "Game", **keywords: Any) -> "Result":
    """The odds from every state of the game."""
    from oddsmith.solve.values import values

    return values(game, **keywords)


@question(solving, exploring)
def tournament(
    game: "Game",
    *,
    policies: Annotated[
        list[str],
        typer.Argument(metavar="POLICY", help="Two or more: optimal, random, hold-at-20, …"),
    ],
    games: Annotated[
        int | None, typer.Option("--games", help="Simulate so many games a duel, do not solve.")
    ] = None,
    **keywords: Any,
) -> Any:
    """Policies against each other: from both seats, and when a coin decides who begins."""
    from oddsmith.solve.play.tournament import duel as a_duel
    from oddsmith.solve.play.tournament import tournament

    if len(policies) == 2:
        one, other = policies
        return a_duel(game, one, other, games=games, **keywords)
    return tournament(game, policies, games=games, **keywords)


@question(solving, exploring)
def duel(
    game: "Game",
    *,
    one: Annotated[str, typer.Argument(metavar="POLICY", help="optimal, random, hold-at-20, …")],
    other: Annotated[str, typer.Argument(metavar="POLICY", help="Whom it plays against.")],
    games: Annotated[
        int | None, typer.Option("--games", help="Simulate so many games, do not solve.")
    ] = None,
    **keywords: Any,
) -> Any:
    """One policy against another: from both seats, and when a coin decides who begins."""
    from oddsmith.solve.play.tournament import duel

    return duel(game, one, other, games=games, **keywords)


@question(solving, playing, exploring)
def policy(
    game: "Game",
    *,
    player: Annotated[
        int | None,
        typer.Option(help="Whose policy; default: the best response's player, or the first (1)."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(metavar="STATE", help="What to do in a state: 'scores=(41,49) total=27'."),
    ] = None,
    save: Annotated[str | None, to_write("Keep the policy; --play FILE plays it.")] = None,
    csv: Annotated[str | None, to_write("Write every state as a line.")] = None,
    certificate: Certified = None,
    **keywords: Any,
) -> Any:
    """What to do in every state: in short, in one state, or as data."""
    from oddsmith.rules.state_text import parse_state
    from oddsmith.solve.play.judge import table_of
    from oddsmith.solve.play.regions import write_csv
    from oddsmith.solve.play.report import Report

    if player is not None and not 1 <= player <= game.players:
        raise OptionError(f"{game.name} has no player {player}: they are 1 to {game.players}.")
    state = None if at is None else parse_state(game, at)
    if certificate is not None:
        from oddsmith.certificate.command import write_of_game

        write_of_game(game, certificate, "play", keywords)
    table = table_of(game, player=None if player is None else player - 1, **keywords)
    written = [path for path in (save, csv) if path is not None]
    if save is not None:
        table.save(save)
    if csv is not None:
        write_csv(table, csv)
    return Report(table, summary=not written and at is None, state=state, written=tuple(written))


@question()
def learn(
    game: "Game",
    *,
    games: Annotated[int, typer.Option("--games", help="How many games to learn from.")] = 100_000,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after so many seconds, if that is first.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed learns the same.")] = 1,
    states: Annotated[int, typer.Option(help="The most states to keep.")] = 4_000_000,
    compare: Annotated[
        bool, typer.Option("--compare", help="Solve the game too: how much of the gap is closed?")
    ] = False,
    save: Annotated[str | None, to_write("Keep the policy; --play FILE plays it.")] = None,
    **keywords: Any,
) -> Any:
    """Learn to play a game by self-play, where it is too large to solve."""
    from oddsmith.solve.play.learn import Lesson, learn

    given = {"games": games, "seconds": seconds, "seed": seed, "states": states}
    policy = learn(game, **given, **keywords)  # type: ignore[arg-type]
    if save is not None:
        policy.save(save)
    return Lesson.of(policy, compare, save, **keywords)


@question(exploring)
def explore(game: "Game", **keywords: Any) -> Any:
    """Generate the states of a game and say what they look like."""
    from oddsmith.model.explore import explore
    from oddsmith.model.summary import Summary

    return Summary(explore(game, **keywords))


@app.command()
def play(
    game: GameName,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY[,POLICY...]",
            help="How the others play: one way for all, or one each. Default: optimal, if the "
            "game is small enough.",
        ),
    ] = None,
    seat: Annotated[int, typer.Option(help="Where you sit, 1 for the first player.")] = 1,
    seed: Annotated[
        int | None, typer.Option(help="The same seed throws the same dice; default: by chance.")
    ] = None,
    players: Players = None,
    settings: Settings = None,
    max_states: Annotated[
        int | None, typer.Option(help="Solve games up to so many states for odds and advice.")
    ] = None,
) -> None:
    """Play a game here, with odds and advice when you ask."""
    from oddsmith.show.play import Session, line_of_input
    from oddsmith.show.progress import progress_bar

    session = Session(
        the_game(game, players, settings),
        seat=seat,
        against=against,
        ask=line_of_input,
        seed=seed,
        max_states=max_states,
        watch=progress_bar,
    )
    if session.play() == "interrupted":
        interrupt.answered()  # which it has said, where it is played
        raise typer.Exit(130)


@app.command()
def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="SOURCE", help="Default: all of them.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="The long computations too.")] = False,
    figures: Annotated[
        bool, typer.Option("--figures", help="The pictures of the papers, as files and a page.")
    ] = False,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="DIR", help="Where figures go; default: figures."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Recompute published numbers beside the print, or draw the papers' figures again."""
    from oddsmith.show.progress import progress_bar

    if figures:
        from oddsmith.gallery import make_gallery

        if full:
            raise OptionError("--full is for numbers: --figures draws all figures anyway.")
        with progress_bar() as progress:
            gallery = make_gallery(out or "figures", names or (), progress)
        put(gallery.to_json() if as_json else str(gallery), as_json)
        if not gallery.ok:
            raise typer.Exit(130 if gallery.interrupted else 1)
        return
    from oddsmith.reproduce import reproduce as reproduced

    if out is not None:
        raise OptionError("--out is for figures: give --figures too.")
    with progress_bar() as progress:
        found = reproduced(names or (), full=full, progress=progress)
    text = json.dumps(found.to_dict(), indent=2, ensure_ascii=False) if as_json else str(found)
    put(text, as_json)
    if not found.ok:
        raise typer.Exit(130 if found.interrupted else 1)


from oddsmith import cli_certificates as cli_certificates  # noqa: E402 - add their commands
from oddsmith import cli_models as cli_models  # noqa: E402
from oddsmith import cli_pictures as cli_pictures  # noqa: E402
from oddsmith import cli_report as cli_report  # noqa: E402
from oddsmith import cli_web as cli_web  # noqa: E402


def main() -> None:
    """Run the command line; every error is one sentence and a non-zero code."""
    try:
        interrupt.listen()
        forgiving()
        memory.spare()
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except OddsmithError as error:
        fail(str(error), 1)
    except KeyboardInterrupt:
        stopped()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        leave(1)
    except Exception as error:
        if memory.ran_out(error):
            fail(memory.TOO_LITTLE, 1)
        if isinstance(error, OSError):
            fail(f"{error.filename or 'output'}: {error.strerror or error}", 1)
        if not hasattr(error, "exit_code"):
            raise
        if hasattr(error, "show"):  # a mistake in the arguments
            _refuse_number(error)
            error.show()
            fail(_hint(error), error.exit_code)
        stopped()  # the only other one: typer's Abort
    if interrupt.heard:
        stopped()
    leave(code if isinstance(code, int) else 0)


def _refuse_number(error: Any) -> None:
    """Say in our words what an option takes that was given something else than a number."""
    said, options = str(getattr(error, "message", "")), getattr(error, "param", None)
    kinds = {"integer": "a whole number", "number": "a number", "float": "a number"}
    kind = next((words for word, words in kinds.items() if f"valid {word}" in said), None)
    if kind is None or options is None:
        return
    names = [name for name in options.opts if name.startswith("-")]
    words = [word.partition("=") for word in sys.argv]
    after = [*sys.argv[1:], ""]
    given = [end or after[i] for i, (one, _, end) in enumerate(words) if one in names]
    value = f", not {given[-1]!r}" if given else ""
    with contextlib.suppress(ValueError, OverflowError):
        if kind == "a whole number" and given and float(given[-1]).is_integer():
            value += f": write {int(float(given[-1]))}"
    fail(f"{names[0] if names else options.name} takes {kind}{value}.", error.exit_code)


def _hint(error: Any) -> str:
    """What is likely meant by an option that a command has not."""
    unknown = str(getattr(error, "option_name", "")).lstrip("-")
    if not unknown:
        return ""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    have = [
        name
        for name, command in commands.items()
        if any(f"--{unknown}" in parameter.opts for parameter in command.params)
    ]
    if unknown == "play" and have:
        return "policies that are compared stand after the game, without --play."
    if have:
        return f"--{unknown} is an option of {', '.join(have)}."
    near = difflib.get_close_matches(f"--{unknown}", getattr(error, "possibilities", None) or [])
    if near:
        return f"did you mean {near[0]}?"
    return f"options of a game are given as --set {unknown}=VALUE."


def stopped() -> None:
    """Leave after Ctrl-C; who watches this process, and has heard it too, says the sentence."""
    said = remains.words(_printed)
    if remains.watched():
        remains.last_word(said)
        leave(130)
    fail(said, 130)


def fail(message: str, code: int) -> None:
    """Print an error and leave."""
    if message:  # which may quote a file: nothing of it is to disturb the terminal
        message = re.sub(r"\d{80,}", _shortened, message)
        safe = "".join(c if c.isprintable() or c in "\n\t" else "?" for c in message)
        print(f"oddsmith: {safe}", file=sys.stderr)
    leave(code)


def _shortened(number: re.Match[str]) -> str:
    digits = number[0]
    return f"{digits[:10]}…{digits[-10:]} ({len(digits):,} digits)"


def leave(code: int) -> None:
    """Exit at once: a kernel that hangs in a thread must not keep the process alive."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
