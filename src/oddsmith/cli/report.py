"""The command report."""

import shlex
from typing import Annotated

import typer

from oddsmith.cli.arguments import (
    GameName,
    Players,
    Settings,
    app,
    replaced,
    the_game,
    to_write,
    writable,
)


@app.command()
def report(
    game: GameName,
    players: Players = None,
    settings: Settings = None,
    out: Annotated[str | None, to_write("The page to write.", "--out", "-o")] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", help="Pictures that turn and zoom too (5 MB more).")
    ] = False,
    theme: Annotated[str, typer.Option(help="auto, light or dark.")] = "auto",
) -> None:
    """All there is to say about a game, as one page that needs nothing else."""
    from oddsmith.present.report.page import report_html
    from oddsmith.runtime.whole_files import write_whole
    from oddsmith.show.progress import progress_bar
    from oddsmith.show.report.page import check_paper

    check_paper(theme)
    about = the_game(game, players, settings)
    path = out if out is not None else f"{about.key()}.html"
    writable(path)
    named = [game, *([] if players is None else ["-n", str(players)])]
    command = shlex.join([*named, *(word for each in settings or [] for word in ("--set", each))])
    before = replaced(path)
    with progress_bar() as progress:
        text = report_html(
            about, theme=theme, interactive=interactive, command=command, progress=progress
        )
    write_whole(path, text)
    print(f"{path}{before} is the report: open it in any browser.")
