"""The command that serves the page."""

from pathlib import Path
from typing import Annotated

import typer

from oddsmith.cli.arguments import app
from oddsmith.errors import OptionError


@app.command()
def serve(
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Default: 8765, or the next one that is free."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen at; others than 127.0.0.1 can be reached.")
    ] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A name by which browsers call this server; may be repeated."
        ),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where jobs are kept; default: your own data folder."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=256, help="Jobs at a time; default: one a core.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, help="How long a job may run.")] = 600,
    memory_mb: Annotated[int, typer.Option(min=512, help="MiB that a worker may hold.")] = 4096,
    max_states: Annotated[
        int, typer.Option(min=1, help="The most states that a job explores.")
    ] = 5_000_000,
) -> None:
    """Serve the page: games, a board workshop, play, a model bench, in the browser."""
    from oddsmith.runtime.data_folder import data_folder
    from oddsmith.web.serve import is_loopback, serve
    from oddsmith.web.settings import Limits, ServerSettings, default_workers

    if not is_loopback(host) and not allow_host:
        raise OptionError(
            f"Who may call a server at {host}? Name it as browsers will, by --allow-host NAME."
        )
    settings = ServerSettings(
        data=(data or data_folder()).absolute(),
        host=host,
        allowed_hosts=tuple(allow_host or ()),
        workers=workers or default_workers(),
        limits=Limits(seconds=seconds, memory_mb=memory_mb, states=max_states),
    )
    serve(settings, port, browser=not no_open)
