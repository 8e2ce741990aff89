"""Oddsmith: write the rules of a game, get its odds."""

from __future__ import annotations

import os

from oddsmith.version import __version__

os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
"""Threads of OpenBLAS, which NumPy and SciPy each start, sleep when they have nothing to do. As
they come they spin for 2^26 cycles first: a quarter of what a small answer took of processors."""

TYPE_CHECKING = False  # as `typing` has it, which takes time to import
if TYPE_CHECKING:
    from typing import Any

    from oddsmith.ask.compare import Comparison, compare
    from oddsmith.ask.learn import learn
    from oddsmith.ask.length import length
    from oddsmith.ask.odds import odds
    from oddsmith.ask.tournament import Duel, Tournament, duel, tournament
    from oddsmith.ask.values import values
    from oddsmith.ask.visits import visits
    from oddsmith.certificate.make import certify
    from oddsmith.certificate.verify import NotProvedError, verify
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
    from oddsmith.policies.policy import Policy
    from oddsmith.policies.table import Table
    from oddsmith.present.pictures.by_name import plot
    from oddsmith.properties.ask import check
    from oddsmith.properties.statistical.check_paths import estimate
    from oddsmith.results.answer import Answer
    from oddsmith.results.result import Result
    from oddsmith.rules.game import DRAW, Game
    from oddsmith.rules.moves import move, policy
    from oddsmith.rules.prism.source import SourceError
    from oddsmith.rules.put import put
    from oddsmith.solve.play.profile import best_response, optimal
    from oddsmith.solve.simulate.run import simulate

_LAZY = {
    "Answer": "oddsmith.results.answer",
    "best_response": "oddsmith.solve.play.profile",
    "certify": "oddsmith.certificate.make",
    "check": "oddsmith.properties.ask",
    "coin": "oddsmith.dice",
    "compare": "oddsmith.ask.compare",
    "Comparison": "oddsmith.ask.compare",
    "ContradictionError": "oddsmith.errors",
    "d10": "oddsmith.dice",
    "d12": "oddsmith.dice",
    "d20": "oddsmith.dice",
    "d4": "oddsmith.dice",
    "d6": "oddsmith.dice",
    "d8": "oddsmith.dice",
    "Die": "oddsmith.dice",
    "DRAW": "oddsmith.rules.game",
    "Duel": "oddsmith.ask.tournament",
    "duel": "oddsmith.ask.tournament",
    "EndlessError": "oddsmith.errors",
    "estimate": "oddsmith.properties.statistical.check_paths",
    "explore": "oddsmith.model.explore",
    "game": "oddsmith.games",
    "Game": "oddsmith.rules.game",
    "learn": "oddsmith.ask.learn",
    "length": "oddsmith.ask.length",
    "LimitError": "oddsmith.errors",
    "MissingExtraError": "oddsmith.errors",
    "move": "oddsmith.rules.moves",
    "NoEquilibriumError": "oddsmith.errors",
    "NotProvedError": "oddsmith.certificate.verify",
    "odds": "oddsmith.ask.odds",
    "OddsmithError": "oddsmith.errors",
    "optimal": "oddsmith.solve.play.profile",
    "OptionError": "oddsmith.errors",
    "plot": "oddsmith.present.pictures.by_name",
    "Policy": "oddsmith.policies.policy",
    "policy": "oddsmith.rules.moves",
    "pool": "oddsmith.dice",
    "product": "oddsmith.dice",
    "put": "oddsmith.rules.put",
    "Result": "oddsmith.results.result",
    "RuleError": "oddsmith.errors",
    "sicherman": "oddsmith.dice",
    "simulate": "oddsmith.solve.simulate.run",
    "SourceError": "oddsmith.rules.prism.source",
    "StoppedError": "oddsmith.errors",
    "Table": "oddsmith.policies.table",
    "tournament": "oddsmith.ask.tournament",
    "Tournament": "oddsmith.ask.tournament",
    "values": "oddsmith.ask.values",
    "verify": "oddsmith.certificate.verify",
    "visits": "oddsmith.ask.visits",
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
