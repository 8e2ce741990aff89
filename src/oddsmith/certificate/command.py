"""What `--certificate FILE` does: make a certificate, write it, and say so."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from oddsmith.certificate.make import Certificate, certify
from oddsmith.errors import OptionError
from oddsmith.questions.settings import Wanted
from oddsmith.rules.game import Game

SETTINGS = ("play", "endless", "engine", "symmetry", "max_states", "tolerance", "progress")


def write_of_game(game: Any, path: str, ask: str, keywords: dict[str, Any]) -> None:
    """The certificate of a game's odds, or of optimal play."""
    if not isinstance(game, Game):
        raise OptionError(
            "Odds are certified in a file for games only; for a model, check proves what it says: "
            "oddsmith check MODEL PROPERTY --certificate FILE."
        )
    method = keywords.get("method", "auto")
    given = {key: keywords[key] for key in SETTINGS if key in keywords}
    _write(certify(game, ask=ask, method=method, **given), path)


def write_of_properties(
    model: Any, found: Any, path: str, props: str | None, *, exact: bool, **given: Any
) -> None:
    """The certificate of the property that was checked."""
    from oddsmith.runtime.reading import read_text

    if len(found) != 1:
        raise OptionError("A certificate is that of one property, without ranges of constants.")
    definitions = "" if props is None else read_text(props)
    method: Wanted = "exact" if exact else "certified"
    _write(certify(model, found[0].text, method=method, definitions=definitions, **given), path)


def _write(certificate: Certificate, path: str) -> None:
    certificate.save(path)
    size = Path(path).stat().st_size
    claims = len(certificate.verdict.proved)
    plural = "" if claims == 1 else "s"
    print(f"{path}: a certificate of {claims} claim{plural}, {size:,} bytes", file=sys.stderr)
