"""What a question is about: a game, a model, or a file or program that becomes one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from oddsmith.errors import OptionError
from oddsmith.model.explore import explore
from oddsmith.model.model import Model
from oddsmith.model.reading import is_model_file, model_of_program, program_of
from oddsmith.questions.settings import Settings
from oddsmith.rules.game import Game, check_game
from oddsmith.rules.origin import Origin


def subject_of(subject: Any, settings: Settings, keep: bool = False) -> Game | Model:
    """The game or the model that is meant; files are read, programs explored.

    With `keep`, the model that was opened remembers what it was, which takes as much memory again.
    """
    if isinstance(subject, Model):
        return _if_explored_so(subject.opened(settings.wins), settings)
    if isinstance(subject, Game | type):
        game = check_game(subject)
        _refuse_model_settings(game, settings)
        return game
    given = settings.constant_values
    program = program_of(subject, given)
    if program is not None:
        found = model_of_program(
            program, max_states=settings.max_states, progress=settings.progress
        )
    elif isinstance(subject, str | Path) and is_model_file(subject):
        from oddsmith.model.formats import read

        if given:
            raise OptionError(f"{subject} has no constants: {', '.join(given)} cannot be given.")
        found = read(subject)
    else:
        return check_game(subject)
    opened = found.opened(settings.wins)
    origin = replace(opened.origin, described=given)
    return replace(opened, origin=origin, source=found if keep else None)


def _if_explored_so(model: Model, settings: Settings) -> Model:
    """A model that is there already, if it is the one that the settings speak of."""
    origin, constants = model.origin, settings.constant_values
    if not isinstance(origin, Origin):
        _refuse_model_settings(origin, settings)
    elif settings.wins and settings.wins != origin.wins:
        wins = " and ".join(origin.wins) or "nothing"
        raise OptionError(f"In this model of {model.name} {wins} is winning: explore it again.")
    elif constants and constants != origin.described:
        raise OptionError(f"{model.name} has been explored: its constants have their values.")
    return model


def _refuse_model_settings(game: Any, settings: Settings) -> None:
    """What winning is, and constants, are asked for models only."""
    for name, value in (("what winning is", settings.win), ("constants", settings.constants)):
        if value:
            called = getattr(game, "name", game)
            raise OptionError(f"{called} is a game: {name} can be given for models in files only.")


def model_of(subject: Any, settings: Settings) -> Model:
    """The model of a game, by the settings' engine; a model as it is."""
    found = subject_of(subject, settings)
    if isinstance(found, Model):
        return found
    # A device that lifts digits does not explore.
    lifts = settings.method == "exact" and settings.engine == "cuda"
    return explore(
        found,
        engine="auto" if lifts else settings.engine,  # type: ignore[arg-type]
        symmetry=settings.symmetry,
        max_states=settings.max_states,
        progress=settings.progress,
    )
