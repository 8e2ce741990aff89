"""Rules to model: interpreted for any Python, compiled for speed; both give the same model.

States are found breadth first from the start and numbered in the order they are met; the choices
of a state come in the order of its moves, the outcomes of a choice in the order of the die's
faces, outcomes that lead to the same state merged into the first of them.

`auto` interprets the first outcomes, which is the whole work for a small game and costs no
compilation. A larger game is then compiled, if its rules are inside the compiler's part of Python
and its states are rows of whole numbers; if not, interpretation goes on and the model says why. How
far the interpreter goes is counted, not timed: the same game takes the same engine on any machine.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from oddsmith.errors import NotCompilable, OptionError, RuleError
from oddsmith.model.elsewhere import check_elsewhere
from oddsmith.model.explore_interpreted import Interpreted
from oddsmith.model.model import Model
from oddsmith.model.replay import replay
from oddsmith.model.seats import check_seats
from oddsmith.questions import limits
from oddsmith.questions.choice import by_name, choose
from oddsmith.questions.keywords import checked
from oddsmith.questions.settings import Settings
from oddsmith.results.offers import Offer
from oddsmith.rules import interpret
from oddsmith.rules.game import Game, check_game
from oddsmith.rules.layout import FREE, Layout, layout_of
from oddsmith.runtime.progress import Progress, Silent

Subject = Game | Model | str | Path
"""What questions take: a game, its model, or a file or text of a model."""

Engine = Literal["auto", "interpreted", "compiled"]
ENGINES = ("auto", "interpreted", "compiled")


@checked
def explore(
    game: Subject,
    *,
    engine: Engine = "auto",
    symmetry: bool = True,
    max_states: int | None = None,
    constants: Any = None,
    win: Any = None,
    progress: Progress | None = None,
) -> Model:
    """The model of a game: every state that can be reached, every choice, every chance.

    With `symmetry`, a game that declares its players interchangeable is explored as the mover
    sees it (see `Model`). In place of a game there may be a file with a model or the text of a
    program, with `constants` that it leaves open and what a `win` is, for each player.
    """
    check_engine(engine)
    if not isinstance(game, Game | type) or constants is not None or win is not None:
        from oddsmith.model.subject import subject_of

        how = Settings(max_states=max_states, constants=constants, win=win)
        how.progress = progress or Silent()
        found = subject_of(game, how, keep=True)
        assert isinstance(found, Model)
        return found
    start = interpret.first_state(check_game(game))
    layout = layout_of(game, start)
    search = Interpreted(game, layout, start, symmetry, max_states, progress or Silent())
    most = {"auto": _interpreted_first(layout), "interpreted": None, "compiled": 0}[engine]
    whole = search.run(most)
    if choose("explore", _offers(engine, most, whole)).engine == "interpreted":
        model = search.model("interpreted")
    else:
        model = _compiled(search, engine)
    replay(model, layout)
    check_elsewhere(model)
    check_seats(model)
    return model


def _compiled(search: Interpreted, engine: Engine) -> Model:
    """The model by compiled rules, or if they cannot be compiled, by the interpreter after all."""
    from oddsmith.model.explore_compiled import explore_compiled

    try:
        return explore_compiled(search)
    except NotCompilable as reason:
        if engine == "compiled":
            raise RuleError(f"{search.game.name} cannot be compiled: {reason}.") from None
        choose("explore", _offers(engine, None, True, str(reason)))
        search.run(None)
        return search.model(f"interpreted, some 100 times slower than compiled: {reason}")


def check_engine(engine: str) -> None:
    """Refuse an engine that does not exist."""
    if engine not in ENGINES:
        raise OptionError(f"There is no engine {engine!r}: choose one of {', '.join(ENGINES)}.")


def _offers(engine: str, most: int | None, whole: bool, why_not: str = "") -> list[Offer]:
    """Who could explore, once so many moves and outcomes were interpreted: the whole, or not."""
    if engine != "auto":
        return by_name(engine, [Offer("interpreted"), Offer("compiled")])
    interpreted, compiled = Offer("interpreted"), Offer("compiled", why_not=why_not)
    if why_not:
        return [compiled, replace(interpreted, because="the rules cannot be compiled")]
    if whole:
        because = f"no more than {most:,} moves and outcomes: compiling would take as long"
        return [replace(interpreted, because=because), compiled]
    because = f"more than {most:,} moves and outcomes"
    return [replace(interpreted, rather=because), replace(compiled, because=because)]


def _interpreted_first(layout: Layout | str) -> int:
    """How much to interpret first: less where ranges of fields promise many states."""
    known = isinstance(layout, Layout) and all(c.radix < FREE for c in layout.columns)
    large = known and not 0 < layout.codes < limits.LARGE_CODES  # type: ignore[union-attr]
    return limits.INTERPRETED_FIRST // 2 if large else limits.INTERPRETED_FIRST
