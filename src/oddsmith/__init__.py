"""Oddsmith: write the rules of a game, get its odds."""

from __future__ import annotations

from oddsmith.version import __version__

TYPE_CHECKING = False  # as `typing` has it, which takes time to import
if TYPE_CHECKING:
    from typing import Any

    from oddsmith.certificate.make import certify
    from oddsmith.certificate.verify import NotProvedError, verify
    from oddsmith.comparison import Comparison, compare
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
    from oddsmith.games import game
    from oddsmith.model.explore import explore
    from oddsmith.pictures import plot
    from oddsmith.properties.ask import check
    from oddsmith.result import Answer, Result
    from oddsmith.rules.game import DRAW, Game, move, policy
    from oddsmith.rules.prism.source import SourceError
    from oddsmith.rules.put import put
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
    "best_response": "oddsmith.solve.play.profile",
    "certify": "oddsmith.certificate.make",
    "check": "oddsmith.properties.ask",
    "coin": "oddsmith.dice",
    "compare": "oddsmith.comparison",
    "Comparison": "oddsmith.comparison",
    "ContradictionError": "oddsmith.errors",
    "d10": "oddsmith.dice",
    "d12": "oddsmith.dice",
    "d20": "oddsmith.dice",
    "d4": "oddsmith.dice",
    "d6": "oddsmith.dice",
    "d8": "oddsmith.dice",
    "Die": "oddsmith.dice",
    "DRAW": "oddsmith.rules.game",
    "Duel": "oddsmith.solve.play.tournament",
    "duel": "oddsmith.solve.play.tournament",
    "EndlessError": "oddsmith.errors",
    "estimate": "oddsmith.solve.simulate.check_paths",
    "explore": "oddsmith.model.explore",
    "game": "oddsmith.games",
    "Game": "oddsmith.rules.game",
    "learn": "oddsmith.solve.play.learn",
    "length": "oddsmith.solve.length",
    "LimitError": "oddsmith.errors",
    "MissingExtraError": "oddsmith.errors",
    "move": "oddsmith.rules.game",
    "NoEquilibriumError": "oddsmith.errors",
    "NotProvedError": "oddsmith.certificate.verify",
    "odds": "oddsmith.solve.odds",
    "OddsmithError": "oddsmith.errors",
    "optimal": "oddsmith.solve.play.profile",
    "OptionError": "oddsmith.errors",
    "plot": "oddsmith.pictures",
    "Policy": "oddsmith.solve.play.policy",
    "policy": "oddsmith.rules.game",
    "pool": "oddsmith.dice",
    "product": "oddsmith.dice",
    "put": "oddsmith.rules.put",
    "Result": "oddsmith.result",
    "RuleError": "oddsmith.errors",
    "sicherman": "oddsmith.dice",
    "simulate": "oddsmith.solve.simulate.run",
    "SourceError": "oddsmith.rules.prism.source",
    "StoppedError": "oddsmith.errors",
    "Table": "oddsmith.solve.play.table",
    "tournament": "oddsmith.solve.play.tournament",
    "Tournament": "oddsmith.solve.play.tournament",
    "values": "oddsmith.solve.values",
    "verify": "oddsmith.certificate.verify",
    "visits": "oddsmith.solve.visits",
}
"""Where names live: modules are imported when they are first used, so importing takes no time."""

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
        from importlib import import_module

        globals()[name] = getattr(import_module(_LAZY[name]), name)
        return globals()[name]
    raise AttributeError(f"module 'oddsmith' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
