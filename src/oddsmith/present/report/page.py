"""A report on a game as one page of HTML: asked, then laid out."""

from __future__ import annotations

from typing import Any

from oddsmith.present.report.sections import report_of
from oddsmith.present.report.subject import Limits
from oddsmith.rules.game import Game
from oddsmith.runtime.progress import Progress
from oddsmith.show.report.document import laid_out
from oddsmith.show.report.page import check_paper


def report_html(
    game: Game,
    *,
    theme: str = "auto",
    interactive: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
    **limits: Any,
) -> str:
    """A whole report on a game, as one HTML page that needs nothing else.

    - `theme`: auto (as the reader's system has it), light or dark;
    - `interactive`: pictures that turn and zoom are added, and the script that does it (5 MB);
    - `command`: how a command line names the game (`board.toml -n 3`), if not by its own name;
    - `limits`: those of `oddsmith.present.report.subject.Limits`, such as `states` or `games`.
    """
    paper = check_paper(theme)
    return laid_out(
        report_of(game, Limits(**limits), command=command, progress=progress), paper, interactive
    )
