"""The command line: thin, no mathematics."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oddsmith.errors import OddsmithError, OptionError

if TYPE_CHECKING:
    from oddsmith.result import Result
    from oddsmith.rules.game import Game

app = typer.Typer(
    name="oddsmith",
    help="What are the odds? Write the rules of a game, get its odds.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

GameName = Annotated[
    str,
    typer.Argument(metavar="GAME", help="A game's name, or a file of your own: mygame.py:MyGame."),
]
Players = Annotated[int | None, typer.Option("--players", "-n", help="Number of players.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Set an option of the game; may be repeated."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Method = Annotated[str, typer.Option(help="auto, exact, certified, float or estimate.")]
Solver = Annotated[str, typer.Option(help="auto, gauss-seidel, lu, idr, bicgstab or gmres.")]
Tolerance = Annotated[float, typer.Option(help="How far a certified chance may be off.")]
Endless = Annotated[str, typer.Option(help="Play that can go on for ever: error or draw.")]
Engine = Annotated[str, typer.Option(help="auto, interpreted or compiled rules.")]
Symmetry = Annotated[
    bool, typer.Option(help="Explore as the mover sees it, where players are interchangeable.")
]
MaxStates = Annotated[int | None, typer.Option(help="Stop with an error at so many states.")]


def chosen_game(name: str, players: int | None, settings: list[str] | None) -> Game:
    """The game that the arguments describe."""
    from oddsmith.games import game_class

    texts: dict[str, str] = {}
    for setting in settings or []:
        key, equals, value = setting.partition("=")
        if not equals:
            raise OptionError(f"--set takes NAME=VALUE, not {setting!r}.")
        texts[key.strip()] = value.strip()
    if players is not None:
        texts["players"] = str(players)
    return game_class(name).from_text(texts)


def show(result: Result, as_json: bool) -> None:
    """Print a result; an interrupted one ends with the code of an interrupt."""
    print(result.to_json() if as_json else result)
    if result.evidence.interrupted:
        raise typer.Exit(130)


def choose(what: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a word that is none of the allowed ones."""
    if value not in allowed:
        raise OptionError(f"{what} cannot be {value!r}: choose one of {', '.join(allowed)}.")


def keywords(
    method: str,
    solver: str,
    tolerance: float,
    endless: str,
    engine: str,
    symmetry: bool,
    max_states: int | None,
) -> dict[str, Any]:
    """The keywords that every question takes."""
    choose("--endless", endless, ("error", "draw"))
    choose("--engine", engine, ("auto", "interpreted", "compiled"))
    return {
        "method": method,
        "solver": solver,
        "tolerance": tolerance,
        "endless": endless,
        "engine": engine,
        "symmetry": symmetry,
        "max_states": max_states,
    }


@app.command()
def games(
    name: Annotated[str | None, typer.Argument(metavar="[GAME]", help="One game's rules.")] = None,
    as_json: Json = False,
) -> None:
    """List the catalogue, or the rules and options of one game."""
    import inspect

    from oddsmith.games import catalogue, game_class
    from oddsmith.rules.options import describe_options
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
        print(json.dumps(listing, indent=2, ensure_ascii=False))
    elif name is None:
        rows = [
            [key, (inspect.getdoc(cls) or "").split("\n")[0], ", ".join(cls.declared_options())]
            for key, cls in found.items()
        ]
        print(align(["game", "", "options"], rows))
    else:
        (cls,) = found.values()
        print(f"{cls.title or cls.__name__}\n\n{inspect.getdoc(cls)}\n")
        options = [list(row) for row in describe_options(cls.declared_options())]
        print(align(["option", "takes", "default"], options))


@app.command()
def solve(
    game: GameName,
    players: Players = None,
    settings: Settings = None,
    method: Method = "auto",
    solver: Solver = "auto",
    tolerance: Tolerance = 1e-12,
    endless: Endless = "error",
    engine: Engine = "auto",
    symmetry: Symmetry = True,
    max_states: MaxStates = None,
    as_json: Json = False,
) -> None:
    """Who wins, how often, and how long it takes."""
    from oddsmith.show.progress import progress_bar
    from oddsmith.solve.odds import odds

    asked = keywords(method, solver, tolerance, endless, engine, symmetry, max_states)
    with progress_bar() as progress:
        result = odds(chosen_game(game, players, settings), progress=progress, **asked)
    show(result, as_json)


@app.command()
def length(
    game: GameName,
    players: Players = None,
    settings: Settings = None,
    method: Method = "auto",
    solver: Solver = "auto",
    tolerance: Tolerance = 1e-12,
    endless: Endless = "error",
    engine: Engine = "auto",
    symmetry: Symmetry = True,
    max_states: MaxStates = None,
    as_json: Json = False,
) -> None:
    """How long a game lasts: mean, quantiles and the whole distribution."""
    from oddsmith.show.progress import progress_bar
    from oddsmith.solve.length import length as length_of

    asked = keywords(method, solver, tolerance, endless, engine, symmetry, max_states)
    with progress_bar() as progress:
        result = length_of(chosen_game(game, players, settings), progress=progress, **asked)
    show(result, as_json)


@app.command()
def visits(
    game: GameName,
    players: Players = None,
    settings: Settings = None,
    player: Annotated[int, typer.Option(help="Whose piece, 1 for the first player.")] = 1,
    of: Annotated[
        str | None, typer.Option(help="A number of the state, such as positions[0].")
    ] = None,
    where: Annotated[
        str | None, typer.Option(help="A condition, such as 'positions[0]=31 & turn=1'.")
    ] = None,
    method: Method = "auto",
    solver: Solver = "auto",
    tolerance: Tolerance = 1e-12,
    endless: Endless = "error",
    engine: Engine = "auto",
    symmetry: Symmetry = True,
    max_states: MaxStates = None,
    as_json: Json = False,
) -> None:
    """Where the pieces land: the chance of ever being there, and how often."""
    from oddsmith.show.progress import progress_bar
    from oddsmith.solve.visits import visits as visits_of

    asked = keywords(method, solver, tolerance, endless, engine, symmetry, max_states)
    with progress_bar() as progress:
        result = visits_of(
            chosen_game(game, players, settings),
            of=of,
            where=where,
            player=player,
            progress=progress,
            **asked,
        )
    show(result, as_json)


@app.command()
def values(
    game: GameName,
    players: Players = None,
    settings: Settings = None,
    solver: Solver = "auto",
    tolerance: Tolerance = 1e-12,
    endless: Endless = "error",
    engine: Engine = "auto",
    symmetry: Symmetry = True,
    max_states: MaxStates = None,
    as_json: Json = False,
) -> None:
    """The odds from every state of the game."""
    from oddsmith.show.progress import progress_bar
    from oddsmith.solve.values import values as values_of

    asked = keywords("certified", solver, tolerance, endless, engine, symmetry, max_states)
    with progress_bar() as progress:
        result = values_of(chosen_game(game, players, settings), progress=progress, **asked)
    show(result, as_json)


@app.command()
def simulate(
    game: GameName,
    players: Players = None,
    settings: Settings = None,
    number: Annotated[int | None, typer.Option("--games", help="How many games.")] = None,
    half_width: Annotated[
        float | None, typer.Option(help="Play until every chance is known to ± this.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="The same seed plays the same games.")] = 1,
    engine: Engine = "auto",
    as_json: Json = False,
) -> None:
    """Play games at random: an estimate with its confidence interval."""
    from oddsmith.show.progress import progress_bar
    from oddsmith.solve.simulate.run import simulate as simulated

    choose("--engine", engine, ("auto", "interpreted", "compiled"))
    with progress_bar() as progress:
        result = simulated(
            chosen_game(game, players, settings),
            games=number,
            half_width=half_width,
            confidence=confidence,
            seed=seed,
            engine=engine,  # type: ignore[arg-type]
            progress=progress,
        )
    show(result, as_json)


@app.command()
def explore(
    game: GameName,
    players: Players = None,
    settings: Settings = None,
    engine: Engine = "auto",
    symmetry: Symmetry = True,
    max_states: MaxStates = None,
    as_json: Json = False,
) -> None:
    """Generate the states of a game and say what they look like."""
    from oddsmith.model.explore import explore as explored
    from oddsmith.model.summary import summary
    from oddsmith.show.progress import progress_bar
    from oddsmith.show.table import align

    choose("--engine", engine, ("auto", "interpreted", "compiled"))
    with progress_bar() as progress:
        model = explored(
            chosen_game(game, players, settings),
            engine=engine,  # type: ignore[arg-type]
            symmetry=symmetry,
            max_states=max_states,
            progress=progress,
        )
    found = summary(model)
    if as_json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        rows = [[k, f"{v:,}" if isinstance(v, int) else str(v)] for k, v in found.items()]
        print(align(["", model.game.name], rows))


@app.command()
def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE]...", help="Default: all of them.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="The long computations too.")] = False,
    as_json: Json = False,
) -> None:
    """Recompute published figures and print them side by side with ours."""
    from oddsmith.reproduce import reproduce as reproduced
    from oddsmith.show.progress import progress_bar

    with progress_bar() as progress:
        found = reproduced(names or (), full=full, progress=progress)
    print(json.dumps(found.to_dict(), indent=2, ensure_ascii=False) if as_json else found)
    if not found.ok:
        raise typer.Exit(1)


def main() -> None:
    """Run the command line; every error is one sentence and a non-zero code."""
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except OddsmithError as error:
        fail(str(error), 1)
    except KeyboardInterrupt:
        fail("interrupted", 130)
    except MemoryError:
        fail("There is not enough memory for this: simulate instead, or use --max-states.", 1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        leave(1)
    except OSError as error:
        fail(f"{error.filename or 'output'}: {error.strerror}", 1)
    except Exception as error:
        if not hasattr(error, "exit_code"):
            raise
        if hasattr(error, "show"):  # a mistake in the arguments
            error.show()
            fail("", error.exit_code)
        fail("interrupted", 130)  # the only other one: typer's Abort
    leave(code if isinstance(code, int) else 0)


def fail(message: str, code: int) -> None:
    """Print an error and leave."""
    if message:
        print(f"oddsmith: {message}", file=sys.stderr)
    leave(code)


def leave(code: int) -> None:
    """Exit at once: a kernel that hangs in a thread must not keep the process alive."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
