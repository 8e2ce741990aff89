"""Commands that ask about a game: solve, length, visits, values, compare."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from oddsmith.cli.arguments import (
    Certified,
    Exact,
    Json,
    app,
    choose,
    explaining,
    exploring,
    formatted,
    method_of,
    playing,
    question,
    setting,
    solving,
    sweeping,
    the_game,
    the_subject,
)
from oddsmith.cli.output import show
from oddsmith.errors import OptionError
from oddsmith.questions.settings import Settings as Default
from oddsmith.results.digits import PLAIN, NumberFormat

if TYPE_CHECKING:
    from oddsmith.results.result import Result
    from oddsmith.rules.game import Game


@question(solving, explaining, playing, exploring, sweeping, subject=the_subject)
def solve(game: "Game", *, certificate: Certified = None, **keywords: Any) -> "Result":
    """Who wins, how often, and how long it takes."""
    from oddsmith.ask.odds import odds

    if certificate is not None:  # first: what it cannot be made of is refused before the work
        from oddsmith.certificate.command import write_of_game

        write_of_game(game, certificate, "odds", keywords)
    return odds(game, **keywords)


@question(solving, explaining, playing, exploring, sweeping, subject=the_subject)
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
    """How long a game lasts: mean, variance, quantiles and the whole distribution."""
    from oddsmith.ask.length import length

    own = {"turns": turns, "horizon": horizon, "generating_function": generating_function}
    return length(game, **own, **keywords)  # type: ignore[arg-type]


@question(solving, explaining, playing, exploring, sweeping, subject=the_subject)
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
    from oddsmith.ask.visits import visits

    return visits(game, player=player, of=of, where=where, **keywords)


@question(solving, explaining, playing, exploring, sweeping, subject=the_subject)
def values(game: "Game", **keywords: Any) -> "Result":
    """The odds from every state of the game."""
    from oddsmith.ask.values import values

    return values(game, **keywords)


@app.command()
@formatted
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
    number_format: NumberFormat = PLAIN,
    method: Annotated[str, setting("method")] = Default.method,
    endless: Annotated[str, setting("endless")] = Default.endless,
    as_json: Json = False,
) -> None:
    """What a change of rules does: two games side by side."""
    from oddsmith.ask.compare import compare
    from oddsmith.show.progress import progress_bar

    if b is None and not settings:
        raise OptionError(f"Compare {a} with what? Name a second game, or --set what to change.")
    choose("--endless", endless, ("error", "draw"))
    first = the_game(a, players, settings if b is not None else None)
    second = the_game(b if b is not None else a, players, settings)
    asked: dict[str, Any] = {"method": method_of(method, exact, number_format), "endless": endless}
    with progress_bar() as progress:
        found = compare(first, second, progress=progress, **asked)
    show(found, as_json, number_format)
