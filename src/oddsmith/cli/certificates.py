"""Commands about certificates: verify."""

from typing import Annotated

import typer

from oddsmith.cli.arguments import Json, app
from oddsmith.cli.output import show


@app.command()
def verify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A certificate: result.cert.")],
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="GAME",
            help="The game or model that it is about, where the rules are not in the certificate "
            "(mygame.py:MyGame, model.drn).",
        ),
    ] = None,
    no_rules: Annotated[
        bool, typer.Option("--no-rules", help="Do not run the rules: check the model as it is.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check a certificate, without the solver that made it: the rules again, then the proof."""
    from oddsmith.certificate.verify import verify as verified
    from oddsmith.show.progress import progress_bar

    with progress_bar() as progress:
        found = verified(file, no_rules=no_rules, rules=rules, progress=progress)
    show(found, as_json)
