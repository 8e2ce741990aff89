"""Pictures by name: `plot(game("goose"), "visits")` asks what it takes and gives a Picture.

Each picture is a function under `@picture` that asks the solvers and has the answer drawn by
`show/drawings`; it is imported when it is asked for. Names and options are checked before anything
is solved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, get_args, get_origin

from oddsmith.errors import OptionError
from oddsmith.model.explore import Subject
from oddsmith.model.model import Model
from oddsmith.model.reading import is_model_file
from oddsmith.model.subject import subject_of
from oddsmith.present.pictures.kind import Kind, Of
from oddsmith.questions import door
from oddsmith.questions.keywords import checked
from oddsmith.questions.settings import Settings
from oddsmith.rules.board.game import Board
from oddsmith.rules.game import Game
from oddsmith.rules.options import FALSE, TRUE, suggestion
from oddsmith.rules.origin import Origin
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.show.pictures.spec import Picture

MODULES = ("answers", "policy", "solving")


class Pictures(Mapping[str, Kind]):
    """The functions under `@picture`; modules are imported until one has the name."""

    def __getitem__(self, name: str) -> Kind:
        for one, kind in self._all():
            if one == name:
                return kind
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._all())

    def __len__(self) -> int:
        return sum(1 for _ in self._all())

    def _all(self) -> Iterator[tuple[str, Kind]]:
        for module in MODULES:
            for name, function in vars(import_module(f"{__package__}.{module}")).items():
                kind = getattr(function, "kind", None)
                if isinstance(kind, Kind):
                    yield name, kind


PICTURES = Pictures()


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
    programs and files have some of them, with `constants` and what a `win` is as in `odds`.

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
    of_model = isinstance(game, Model) and isinstance(game.origin, Origin)
    if of_model and not PICTURES[name].of_models:
        known = sorted(PICTURES.items(), key=lambda one: get_args(Of).index(one[1].of))
        others = ", ".join(other for other, kind in known if kind.of_models)
        raise OptionError(f"The picture {name} is of games; of a model there are {others}.")
    if isinstance(game, Model) and not PICTURES[name].of_models:
        game = game.origin
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
    kinds = {get_origin(kind) or kind for kind in (get_args(wanted) or (wanted,))}
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
