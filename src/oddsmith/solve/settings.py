"""Settings: how a question is to be answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from oddsmith.errors import OptionError
from oddsmith.progress import Progress, Silent
from oddsmith.rules.options import suggestion

if TYPE_CHECKING:
    from oddsmith.rules.game import Game

Wanted = Literal["auto", "exact", "certified", "float", "estimate"]
METHODS: tuple[Wanted, ...] = ("auto", "exact", "certified", "float", "estimate")
Solver = Literal["auto", "gauss-seidel", "lu", "idr", "bicgstab", "gmres"]
SOLVERS: tuple[Solver, ...] = ("auto", "gauss-seidel", "lu", "idr", "bicgstab", "gmres")
LATTICE_ENGINES = ("lattice", "cuda")
ENGINES = ("auto", "interpreted", "compiled", *LATTICE_ENGINES)
PRECISIONS = ("float64", "float32")


def nothing_to_decide(game: Game) -> OptionError:
    """The error for a policy that was given for a game of pure chance."""
    return OptionError(f"{game.name} leaves nothing to decide: give no way to play it.")


@dataclass
class Settings:
    """How a question is to be answered; every question takes these as keywords.

    - `method`: auto, exact, certified, float, or (for odds) estimate;
    - `play`: who plays how, where players decide: a policy for all, or one each, by name
      (optimal, best-response, random, one that the game names, a file) or as an object;
    - `solver`: auto, gauss-seidel, lu, idr, bicgstab or gmres, for certified and float;
    - `tolerance`: how far from the truth a certified chance may be;
    - `endless`: what a play that can go on for ever is: an error, or a draw;
    - `engine`: auto; interpreted or compiled rules (see `explore`); for boards also lattice, and
      cuda for a lattice on a CUDA device; for exact answers cuda lifts the digits there;
    - `symmetry`, `max_states`: see `explore`;
    - `precision`: float64 or float32, for the numbers of a lattice;
    - `checkpoint`: a file in which a long sweep of a lattice, or the digits of a long exact
      answer, are kept, and from which it goes on;
    - `cluster`: local, or the address of a Dask scheduler, for a lattice on many machines;
    - `scratch`: a directory that all machines of a cluster share;
    - `progress`: who watches.
    """

    method: Wanted = "auto"
    play: Any = None
    solver: Solver = "auto"
    tolerance: float = 1e-12
    endless: Literal["error", "draw"] = "error"
    engine: str = "auto"
    symmetry: bool = True
    max_states: int | None = None
    precision: str = "float64"
    checkpoint: str | None = None
    cluster: str | None = None
    scratch: str | None = None
    progress: Progress = field(default_factory=Silent)

    def __new__(cls, *_: Any, **given: Any) -> Settings:
        """Refuse a keyword that there is not, with the one that was meant."""
        for name in given:
            if name not in cls.__dataclass_fields__:
                known = suggestion(name, cls.__dataclass_fields__).replace("it has", "there are")
                raise OptionError(f"There is no setting {name!r}: {known}")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for what, value, allowed in (
            ("method", self.method, METHODS),
            ("solver", self.solver, SOLVERS),
            ("engine", self.engine, ENGINES),
            ("precision", self.precision, PRECISIONS),
        ):
            if value not in allowed:
                raise OptionError(
                    f"There is no {what} {value!r}: choose one of {', '.join(allowed)}."
                )
        if self.endless not in ("error", "draw"):
            raise OptionError(f"Endless play is an error or a draw, not {self.endless!r}.")
        if not 0 < self.tolerance < 1:
            raise OptionError(
                f"The tolerance must be between 0 and 1, such as 1e-12, not {self.tolerance}."
            )
