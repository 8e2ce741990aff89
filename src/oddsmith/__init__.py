"""Oddsmith: write the rules of a game, get its odds."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from oddsmith.dice import Die, coin, d4, d6, d8, d10, d12, d20, pool, product, sicherman
from oddsmith.errors import (
    ContradictionError,
    EndlessError,
    LimitError,
    MissingExtraError,
    NoEquilibriumError,
    OddsmithError,
    OptionError,
    RuleError,
    StoppedError,
)
from oddsmith.rules.game import DRAW, Game, move, policy
from oddsmith.rules.put import put
from oddsmith.version import __version__

if TYPE_CHECKING:
    from oddsmith.certificate.make import certify
    from oddsmith.certificate.verify import NotProvedError, verify
    from oddsmith.comparison import Comparison, compare
    from oddsmith.games import game
    from oddsmith.model.explore import explore
    from oddsmith.pictures import plot
    from oddsmith.properties.ask import check
    from oddsmith.result import Answer, Result
    from oddsmith.rules.prism.source import SourceError
    from oddsmith.solve.length import length
    from oddsmith.solve.odds import odds
    from oddsmith.solve.play.learn import learn
    from oddsmith.solve.play.policy import Policy
    from oddsmith.solve.play.profile import best_response, optimal
    from oddsmith.solve.play.table import Table
    from oddsmith.solve.play.tournament import Duel, Tournament, duel, tournament
    from oddsmith.solve.simulate.check_paths import estimate
    from oddsmith.solve.simulate.run import simulate
    from oddsmith.solve.values import values
    from oddsmith.solve.visits import visits

_LAZY = {
    "Answer": "oddsmith.result",
    "NotProvedError": "oddsmith.certificate.verify",
    "SourceError": "oddsmith.rules.prism.source",
    "Comparison": "oddsmith.comparison",
    "Policy": "oddsmith.solve.play.policy",
    "Result": "oddsmith.result",
    "Table": "oddsmith.solve.play.table",
    "best_response": "oddsmith.solve.play.profile",
    "certify": "oddsmith.certificate.make",
    "duel": "oddsmith.solve.play.tournament",
    "tournament": "oddsmith.solve.play.tournament",
    "Duel": "oddsmith.solve.play.tournament",
    "Tournament": "oddsmith.solve.play.tournament",
    "check": "oddsmith.properties.ask",
    "compare": "oddsmith.comparison",
    "estimate": "oddsmith.solve.simulate.check_paths",
    "explore": "oddsmith.model.explore",
    "game": "oddsmith.games",
    "learn": "oddsmith.solve.play.learn",
    "length": "oddsmith.solve.length",
    "odds": "oddsmith.solve.odds",
    "optimal": "oddsmith.solve.play.profile",
    "plot": "oddsmith.pictures",
    "simulate": "oddsmith.solve.simulate.run",
    "values": "oddsmith.solve.values",
    "verify": "oddsmith.certificate.verify",
    "visits": "oddsmith.solve.visits",
}
"""Names whose modules are heavy: imported when they are first used."""

__all__ = [
    "DRAW",
    "Answer",
    "Comparison",
    "ContradictionError",
    "Die",
    "Duel",
    "EndlessError",
    "Game",
    "LimitError",
    "MissingExtraError",
    "NoEquilibriumError",
    "NotProvedError",
    "OddsmithError",
    "OptionError",
    "Policy",
    "Result",
    "RuleError",
    "SourceError",
    "StoppedError",
    "Table",
    "Tournament",
    "__version__",
    "best_response",
    "certify",
    "check",
    "coin",
    "compare",
    "d4",
    "d6",
    "d8",
    "d10",
    "d12",
    "d20",
    "duel",
    "estimate",
    "explore",
    "game",
    "learn",
    "length",
    "move",
    "odds",
    "optimal",
    "plot",
    "policy",
    "pool",
    "product",
    "put",
    "sicherman",
    "simulate",
    "tournament",
    "values",
    "verify",
    "visits",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'oddsmith' has no attribute {name!r}")
