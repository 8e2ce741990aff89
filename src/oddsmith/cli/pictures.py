"""The command that draws: plot."""

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from oddsmith.cli.arguments import (
    Const,
    Play,
    Players,
    Settings,
    SubjectName,
    Win,
    app,
    replaced,
    the_subject,
    to_write,
    writable,
)


def text(help: str, metavar: str | None = None) -> Any:
    """An option that is a text; the picture parses it."""
    return Annotated[str | None, typer.Option(metavar=metavar, help=help)]


OPTIONS: dict[str, Any] = {
    "cumulative": Annotated[
        bool, typer.Option("--cumulative", help="length: the chance of at most each length.")
    ],
    "up_to": text("seats, length: for 2 players up to N.", "N"),
    "vary": text(
        "sensitivity: an option and its values: inn.wait=0..5, goal=20..100:20, goal=20,50.",
        "NAME=VALUES",
    ),
    "quantity": text("tokens: first, second (whose turn it is) or draw; default: all."),
    "player": text("visits: whose piece; of policies: whose. 1 is the first player.", "N"),
    "of": text("visits: a number of the state, such as scores[0]."),
    "x": text("A number of the state for the axis, such as scores[0]."),
    "y": text("The same for the second axis."),
    "z": text("The same for the third axis."),
    "where": text("Draw only states with this, such as 'scores[1]=30'."),
    "compare": text("section: another policy, dotted.", "POLICY"),
    "move": text("moves, surface: the move that they are about."),
    "levels": text("contours: worths, such as 0.03,0.09,0.27,0.81."),
    "by": text("Reachable if one (default) or all play the policy."),
    "state": text("fold: the state whose equation it is, such as 'scores=(0,0) total=1'."),
    "unknowns": text("fold: two states that it depends on, with ; between."),
    "endless": text("convergence: play that can go on for ever is an error or a draw."),
    "label": Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=TEXT", help="What to call an axis; may be repeated."),
    ],
    "title": text("The title of the picture."),
    "play": Play,
}
"""What some pictures take, and others refuse."""


class PictureCommand(TyperCommand):
    """A command whose help ends with the pictures there are."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Say what each picture shows."""
        from oddsmith.present.pictures.by_name import PICTURES

        with formatter.section("Pictures"):
            formatter.write_dl([(name, kind.says) for name, kind in PICTURES.items()])


def plot(
    game: SubjectName,
    picture: Annotated[
        str | None,
        typer.Argument(metavar="PICTURE", help="See below; default: the board, or who wins."),
    ] = None,
    *,
    out: Annotated[
        str | None,
        to_write(
            "A png, svg or pdf file, or html, which turns and zooms; default: GAME-PICTURE.png.",
            "--out",
            "-o",
        ),
    ] = None,
    theme: Annotated[str, typer.Option(help="The paper: light or dark.")] = "light",
    players: Players = None,
    settings: Settings = None,
    constants: Const = None,
    win: Win = None,
    **given: Any,
) -> None:
    """Draw a game, or an answer about it, into a file."""
    from oddsmith.present.pictures.by_name import default_picture, options_from_text
    from oddsmith.present.pictures.by_name import plot as drawn
    from oddsmith.show.pictures.files import drawable
    from oddsmith.show.progress import progress_bar

    subject = the_subject(game, players, settings)
    name = default_picture(subject) if picture is None else picture
    options = options_from_text(name, _texts(given))
    key = Path(subject).stem if isinstance(subject, str) else subject.key()
    path = f"{key}-{name}.png" if out is None else out
    drawable(path, theme)
    writable(path)
    before = replaced(path)
    with progress_bar() as progress:
        found = drawn(
            subject,
            name,
            progress=progress,
            constants=",".join(constants or []) or None,
            win=win,
            **options,
        )
        found.save(path, theme)
    print(f"{path}{before}: {found.title}")


def _texts(given: dict[str, Any]) -> dict[str, str]:
    """The options that were given, as texts."""
    labels = given.pop("label")
    texts = {name: str(value) for name, value in given.items() if value not in (None, False)}
    return texts | ({"labels": ";".join(labels)} if labels else {})


own = [p for p in inspect.signature(plot).parameters.values() if p.kind is not p.VAR_KEYWORD]
kind = inspect.Parameter.KEYWORD_ONLY
more = [
    inspect.Parameter(name, kind, default=False if name == "cumulative" else None, annotation=what)
    for name, what in OPTIONS.items()
]
plot.__signature__ = inspect.Signature([*own, *more])  # type: ignore[attr-defined]
app.command(cls=PictureCommand, no_args_is_help=True)(plot)
