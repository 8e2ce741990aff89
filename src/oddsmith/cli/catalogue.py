"""Commands about what there is: games, new, explore, reproduce."""

import inspect
import json
import shlex
import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oddsmith.cli.arguments import Json, app, exploring, question, the_subject
from oddsmith.cli.output import put
from oddsmith.errors import OptionError

if TYPE_CHECKING:
    from oddsmith.rules.game import Game


@app.command()
def games(
    name: Annotated[str | None, typer.Argument(metavar="GAME", help="One game's rules.")] = None,
    as_json: Json = False,
) -> None:
    """List the catalogue, or the rules and options of one game."""
    from oddsmith.games import catalogue, game_class
    from oddsmith.results.table import align
    from oddsmith.rules.options import describe_options, describe_policies

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
    from oddsmith.rules.board.new import write_template

    write_template(path)
    shown = shlex.quote(path)
    print(f"{path} is a board of thirty squares: open it in any editor. Then try")
    print(f"  oddsmith solve {shown}")
    print(f"  oddsmith compare {shown} --set inn.wait=3")


@question(exploring, subject=the_subject)
def explore(game: Any, **keywords: Any) -> Any:
    """Generate the states of a game or a model and say what they look like."""
    from oddsmith.model.explore import explore
    from oddsmith.model.summary import Summary

    return Summary(explore(game, **keywords))


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
        from oddsmith.present.gallery import make_gallery

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
