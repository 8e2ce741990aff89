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

_NAMES = {
    "ask.compare": "compare Comparison",
    "ask.learn": "learn",
    "ask.length": "length",
    "ask.odds": "odds",
    "ask.tournament": "duel tournament Duel Tournament",
    "ask.values": "values",
    "ask.visits": "visits",
    "certificate.make": "certify",
    "certificate.verify": "verify NotProvedError",
    "dice": "coin pool product sicherman d4 d6 d8 d10 d12 d20 Die",
    "errors": "ContradictionError EndlessError LimitError MissingExtraError NoEquilibriumError "
    "OddsmithError OptionError RuleError StoppedError",
    "games": "game",
    "model.explore": "explore",
    "policies.policy": "Policy",
    "policies.table": "Table",
    "present.pictures.by_name": "plot",
    "properties.ask": "check",
    "properties.statistical.check_paths": "estimate",
    "results.answer": "Answer",
    "results.result": "Result",
    "rules.game": "DRAW Game",
    "rules.moves": "move policy",
    "rules.prism.source": "SourceError",
    "rules.put": "put",
    "solve.play.profile": "best_response optimal",
    "solve.simulate.run": "simulate",
}
"""What modules give: they are imported when it is first used, so importing takes no time."""

_HOME = {name: f"oddsmith.{module}" for module, names in _NAMES.items() for name in names.split()}

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
    if name in _HOME:
        from importlib import import_module

        globals()[name] = getattr(import_module(_HOME[name]), name)
        return globals()[name]
    raise AttributeError(f"module 'oddsmith' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
