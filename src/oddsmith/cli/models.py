"""Commands about models as model checkers know them: check, simulate and export."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from oddsmith.cli.arguments import (
    Certified,
    Json,
    app,
    choose,
    formatted,
    the_game,
    to_write,
)
from oddsmith.cli.output import show
from oddsmith.errors import OptionError
from oddsmith.results.digits import PLAIN, NumberFormat

TheModel = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A PRISM file (model.prism), explicit files of another tool (.tra, .drn, .umb), or a "
        "game, by name or file.",
    ),
]
Players = Annotated[
    int | None, typer.Option("--players", "-n", help="Number of players, if it is a game.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Set an option of a game; may be repeated."),
]
Const = Annotated[
    list[str] | None,
    typer.Option(
        "--const",
        metavar="NAME=VALUE,…",
        help="Constants that the model or the properties leave open; a range low:high or "
        "low:step:high makes experiments. May be repeated.",
    ),
]
MaxStates = Annotated[int | None, typer.Option(help="Stop with an error at so many states.")]


def the_model(model: str, players: int | None, settings: list[str] | None) -> Any:
    """A model's file as it is, or the game that the arguments describe."""
    from oddsmith.model.reading import PRISM_SUFFIXES, is_model_file

    if not is_model_file(model):
        beside = [f"{model}{s}" for s in PRISM_SUFFIXES if Path(f"{model}{s}").is_file()]
        if beside:
            raise OptionError(f"There is no model {model}, but a file {beside[0]}: name it whole.")
        return the_game(model, players, settings)
    if players is not None or settings:
        raise OptionError(f"--players and --set are for games; {model} takes --const.")
    return model


@app.command()
@formatted
def check(
    model: TheModel,
    properties: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROPERTY", help="Such as 'P=? [ F w=1 ]'."),
    ] = None,
    props: Annotated[
        str | None, typer.Option(metavar="FILE", help="A property file; all of it is checked.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--property", metavar="NAME", help="Of the file, this one; may be repeated."),
    ] = None,
    const: Const = None,
    exact: Annotated[bool, typer.Option("--exact", help="Answers as fractions.")] = False,
    number_format: NumberFormat = PLAIN,
    tolerance: Annotated[
        float, typer.Option(help="How far apart the bounds of an answer may be.")
    ] = 1e-9,
    strategy: Annotated[
        str | None,
        to_write(
            "Write the best choices: a .csv table, or what they make of the model (.drn, .tra, "
            ".dot, …)."
        ),
    ] = None,
    plot: Annotated[str | None, to_write("Draw experiments: a png, svg, pdf or html file.")] = None,
    certificate: Certified = None,
    players: Players = None,
    settings: Settings = None,
    max_states: MaxStates = None,
    as_json: Json = False,
) -> None:
    """Check properties of a model, in PRISM's language: chances, rewards, games."""
    from oddsmith.properties.ask import check
    from oddsmith.show.progress import progress_bar

    if only and props is None:
        raise OptionError("--property names properties of a file: give it by --props.")
    if not 0 < tolerance < 1:
        raise OptionError(f"The tolerance must be between 0 and 1, such as 1e-9, not {tolerance}.")
    if plot is not None:
        from oddsmith.show.pictures.files import drawable

        drawable(plot)
    written: list[str] = []
    if strategy is not None and not strategy.lower().endswith(".csv"):
        from oddsmith.model.formats import format_of

        format_of(Path(strategy))
    with progress_bar() as progress:
        found = check(
            the_model(model, players, settings),
            *(properties or []),
            file=props,
            names=only,
            constants=",".join(const or []),
            exact=exact or number_format != PLAIN,
            tolerance=tolerance,
            picks=strategy is not None,
            max_states=max_states,
            progress=progress,
        )
        if strategy is not None:
            from oddsmith.properties.strategy import write_strategy

            write_strategy(found.experiments[0].loaded.process, found[0], strategy)
            written.append(f"{strategy}: the best choices")
        if plot is not None:
            from oddsmith.show.drawings.experiments import experiments as drawn

            picture = drawn(found)
            picture.save(plot)
            written.append(f"{plot}: {picture.title}")
        if certificate is not None:
            from oddsmith.certificate.command import write_of_properties

            source = the_model(model, players, settings)
            given: dict[str, Any] = {"constants": ",".join(const or [])}
            given |= {"exact": exact or number_format != PLAIN}
            given |= {"max_states": max_states, "progress": progress}
            write_of_properties(source, found, certificate, props, **given)
    show(found, as_json, number_format)
    for line in written:
        print(line, file=sys.stderr)


@app.command()
def simulate(
    model: TheModel,
    properties: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROPERTY",
            help="Such as 'P=? [ F<=100 x=3 ]'; without one, a game is played to its end.",
        ),
    ] = None,
    props: Annotated[
        str | None, typer.Option(metavar="FILE", help="A property file; all of it is estimated.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--property", metavar="NAME", help="Of the file, this one; may be repeated."),
    ] = None,
    games: Annotated[
        int | None, typer.Option("--games", help="How many games, or paths of a model.")
    ] = None,
    half_width: Annotated[
        float | None, typer.Option(help="Play until every chance is known to ± this.")
    ] = None,
    confidence: Annotated[
        float, typer.Option(help="Confidence of the intervals and tests.")
    ] = 0.95,
    seed: Annotated[int, typer.Option(help="The same seed plays the same games.")] = 1,
    steps: Annotated[
        int | None,
        typer.Option(
            help="Give a path up after so many steps; what has no bound needs it. Of a game: the "
            "most moves that it may take (1,000,000)."
        ),
    ] = None,
    indifference: Annotated[
        float, typer.Option(help="How near to a bound, as in P>=0.9, either answer will do.")
    ] = 0.01,
    engine: Annotated[
        str, typer.Option(help="auto, interpreted, compiled; for boards also board or cuda.")
    ] = "auto",
    cluster: Annotated[
        str | None,
        typer.Option(help="Play on a Dask cluster: its scheduler's address, or local."),
    ] = None,
    play: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY[,POLICY…]",
            help="Who plays a game how, as in solve; paths of a model with choices are walked by "
            "random only, each choice of a state as likely.",
        ),
    ] = None,
    const: Const = None,
    players: Players = None,
    settings: Settings = None,
    max_states: MaxStates = None,
    as_json: Json = False,
) -> None:
    """Play games, or walk paths of a model, at random: estimates with confidence intervals."""
    from oddsmith.show.progress import progress_bar

    shared: dict[str, Any] = {"games": games, "half_width": half_width, "confidence": confidence}
    shared |= {"seed": seed, "play": play}
    source = the_model(model, players, settings)
    if isinstance(source, str) or properties or props is not None:
        from oddsmith.properties.statistical.check_paths import estimate

        if only and props is None:
            raise OptionError("--property names properties of a file: give it by --props.")
        if engine != "auto" or cluster is not None:
            raise OptionError("--engine and --cluster are for games, not for properties.")
        shared |= {"file": props, "names": only, "constants": ",".join(const or []), "steps": steps}
        shared |= {"indifference": indifference, "max_states": max_states}
        with progress_bar() as progress:
            found: Any = estimate(source, *(properties or []), progress=progress, **shared)
    else:
        from oddsmith.solve.simulate.run import ENGINES
        from oddsmith.solve.simulate.run import simulate as play_games

        if const is not None or max_states is not None:
            raise OptionError("--const and --max-states are for properties: give one.")
        choose("--engine", engine, ENGINES)
        with progress_bar() as progress:
            found = play_games(
                source,
                engine=engine,  # type: ignore[arg-type]
                cluster=cluster,
                progress=progress,
                **shared | ({} if steps is None else {"max_moves": steps}),
            )
    show(found, as_json)


@app.command()
def export(
    model: TheModel,
    out: Annotated[str | None, to_write("Default: standard output.", "--out", "-o")] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", help="prism, explicit, drn, umb, aut or dot; default: by the file's name."
        ),
    ] = None,
    fractions: Annotated[
        bool | None,
        typer.Option(
            "--fractions/--decimals",
            help="How chances are written where a format has both; default: fractions in .drn, "
            "decimals in .tra, where PRISM reads fractions only by -exact.",
        ),
    ] = None,
    const: Const = None,
    players: Players = None,
    settings: Settings = None,
    max_states: MaxStates = None,
) -> None:
    """Write a model or a game for other tools: PRISM, Storm, mCRL2, Graphviz."""
    from oddsmith.model.formats import FORMATS, format_of, write
    from oddsmith.properties.ask import experiments, load
    from oddsmith.runtime import remains
    from oddsmith.show.progress import progress_bar

    if out is None and form is None:
        raise OptionError("Export as what? Give --format, or a file by --out.")
    if form is not None and form not in FORMATS:
        raise OptionError(f"There is no format {form!r}: choose one of {', '.join(FORMATS)}.")
    if out is None and form in ("explicit", "umb"):
        raise OptionError(f"The format {form} is not one text: name a file by --out.")
    if out is not None:
        format_of(Path(out), form)
    (constants,) = _one(experiments(",".join(const or [])))
    with progress_bar() as progress:
        source = the_model(model, players, settings)
        process = load(source, constants, max_states=max_states, progress=progress).process
    if out is not None:
        notes = write(process, out, form, fractions=fractions)
        choices = "" if process.is_chain else f" {process.choices:,} choices,"
        written = f"{out}: {process.states:,} states,{choices} {process.transitions:,} transitions"
        print("\n".join([written, *(f"note: {note}" for note in notes)]))
        return
    with remains.folder() as folder:
        notes = write(process, folder / "model", form, fractions=fractions)
        sys.stdout.flush()
        sys.stdout.buffer.write((folder / "model").read_bytes())  # formats are UTF-8 everywhere
    for note in notes:
        print(f"note: {note}", file=sys.stderr)


def _one(found: list[Any]) -> list[Any]:
    if len(found) != 1:
        raise OptionError("One model is exported at a time: give one value for every constant.")
    return found
