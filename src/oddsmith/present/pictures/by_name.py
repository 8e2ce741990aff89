"""Pictures by name: `plot(game("goose"), "visits")` asks what it takes and gives a Picture.

Each picture is a function `(game, *, progress, own options) -> Picture` that asks the solvers and
has the answer drawn by `show/drawings`; it is imported when it is asked for. Names and options are
checked before anything is solved.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Literal

from oddsmith.errors import OptionError
from oddsmith.model.explore import Subject
from oddsmith.model.model import Model
from oddsmith.model.reading import is_model_file
from oddsmith.model.subject import subject_of
from oddsmith.questions import door
from oddsmith.questions.keywords import checked
from oddsmith.questions.settings import Settings
from oddsmith.rules.board.game import Board
from oddsmith.rules.game import Game
from oddsmith.rules.options import FALSE, TRUE, suggestion
from oddsmith.rules.origin import Origin
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.show.pictures.spec import Picture

Of = Literal["games", "boards", "choices"]
"""What can be drawn so: every game, boards, games in which somebody chooses."""


@dataclass(frozen=True)
class Kind:
    """A kind of picture: where its function is, and what it shows in a line."""

    target: str
    """`module:function`."""
    says: str
    of: Of

    @property
    def function(self) -> Callable[..., Picture]:
        """The function that makes it."""
        module, _, name = self.target.partition(":")
        found: Callable[..., Picture] = getattr(import_module(module), name)
        return found

    @property
    def options(self) -> dict[str, Any]:
        """The options it takes, with their types; every picture has a title."""
        types = typing.get_type_hints(self.function)
        names = list(inspect.signature(self.function).parameters)[1:]
        return {"title": str} | {name: types[name] for name in names if name != "progress"}


def _kinds(module: str, of: Of, **says: str) -> dict[str, Kind]:
    return {name: Kind(f"{__package__}.{module}:{name}", text, of) for name, text in says.items()}


PICTURES: dict[str, Kind] = {
    **_kinds(
        "answers",
        "boards",
        board="the board, and what its squares do",
        visits="how often a piece comes to each square",
        chances="player 1's chance to win from each square",
        tokens="the chances of two tokens, as surfaces",
    ),
    **_kinds(
        "answers",
        "games",
        length="how long games last, with quantiles",
        seats="who wins, by seat and number of players",
        sensitivity="the odds as one rule varies",
    ),
    **_kinds(
        "policy",
        "choices",
        section="best moves along two numbers of the state",
        surface="where best moves change, in space",
        reachable="states that play can come to, in space",
        moves="reachable states in which a move is best",
        contours="what states are worth, as faces in space",
    ),
    **_kinds("solving", "games", convergence="how bounds close while it is solved"),
    **_kinds(
        "solving",
        "choices",
        iteration="value iteration, a line a state",
        fold="an equation of optimal play as a folded plane",
    ),
    **_kinds("solving", "games", states="the states of a small game as a graph"),
}


OF_MODELS = ("length", "seats", "visits", "section", "surface", "reachable", "moves", "contours")
"""The pictures of models that come from a program or a file."""


@door.whole()
@checked
def plot(
    subject: Subject,
    picture: str | None = None,
    *,
    constants: Any = None,
    win: Any = None,
    progress: Progress | None = None,
    **options: Any,
) -> Picture:
    """A picture of a game, by the picture's name; without one, the board, or who wins.

    The names are those of `PICTURES`; each takes options of its own, and `title`. Models of
    programs and files have those of `OF_MODELS`, with `constants` and what a `win` is as in `odds`.

    >>> from oddsmith import plot
    >>> drawn = plot("snakes-and-ladders", "board")
    >>> drawn.title
    'Snakes and Ladders'
    """
    if isinstance(subject, str) and "\n" not in subject and not is_model_file(subject):
        from oddsmith.games import game as named

        subject = named(subject)
    progress = progress or Silent()
    asked = Settings(constants=constants, win=win, progress=progress)
    game = subject_of(subject, asked)
    name = default_picture(game) if picture is None else picture
    check_options(name, options)
    if isinstance(game, Model) and isinstance(game.origin, Origin) and name not in OF_MODELS:
        raise OptionError(
            f"The picture {name} is of games; of a model there are {', '.join(OF_MODELS)}."
        )
    title = options.pop("title", None)
    drawn = PICTURES[name].function(game, progress=progress, **options)
    return drawn if title is None else replace(drawn, title=title)


def default_picture(game: Any) -> str:
    """The picture of a game when none is named."""
    return "board" if isinstance(game, Board) else "seats"


def pictures_of(game: Game, choices: bool) -> list[str]:
    """The pictures that may suit a game; `choices`: whether somebody chooses in it.

    Whether the game is too large for one is found when it is drawn.
    """
    kinds = {"games": True, "boards": isinstance(game, Board), "choices": choices}
    return [name for name, kind in PICTURES.items() if kinds[kind.of]]


def check_options(picture: str, options: Mapping[str, Any]) -> None:
    """Refuse a picture that there is not, or an option that it does not have."""
    if picture not in PICTURES:
        hint = suggestion(picture, PICTURES).replace("it has", "there are")
        raise OptionError(f"There is no picture {picture!r}: {hint}")
    known = PICTURES[picture].options
    for option in options:
        if option not in known:
            raise OptionError(
                f"The picture {picture} has no option {option!r}: {suggestion(option, known)}"
            )


def options_from_text(picture: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """The options of a picture from texts, as the command line and the page give them.

    >>> options_from_text("seats", {"up_to": "3"})
    {'up_to': 3}
    """
    check_options(picture, texts)
    types = PICTURES[picture].options
    return {name: _parsed(picture, name, types[name], text) for name, text in texts.items()}


def _parsed(picture: str, name: str, wanted: Any, text: str) -> Any:
    """The value that a text stands for, by the type of the option."""
    kinds = {typing.get_origin(kind) or kind for kind in (typing.get_args(wanted) or (wanted,))}
    try:
        if bool in kinds:
            if text.lower() not in TRUE + FALSE:
                raise ValueError
            return text.lower() in TRUE
        if int in kinds:
            return int(text)
        if Sequence in kinds:
            return [float(part) for part in text.split(",")]
        if Mapping in kinds:
            pairs = [part.split("=", 1) for part in text.split(";")]
            return {key.strip(): value.strip() for key, value in pairs}
    except ValueError:
        takes = "a whole number" if int in kinds else "true or false" if bool in kinds else ""
        takes = takes or ("numbers such as 0.03,0.09" if Sequence in kinds else "NAME=TEXT")
        raise OptionError(
            f"The option {name} of the picture {picture} is {takes}, not {text!r}."
        ) from None
    return text
