"""Settings: how a question is to be answered."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, dataclass, field, fields
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypedDict,
    get_args,
    get_type_hints,
)

from oddsmith.errors import OptionError
from oddsmith.runtime.progress import Progress, Silent

if TYPE_CHECKING:
    pass

Wanted = Literal["auto", "exact", "certified", "float", "estimate"]
METHODS: tuple[Wanted, ...] = ("auto", "exact", "certified", "float", "estimate")
Solver = Literal["auto", "gauss-seidel", "lu", "idr", "bicgstab", "gmres"]
SOLVERS: tuple[Solver, ...] = ("auto", "gauss-seidel", "lu", "idr", "bicgstab", "gmres")
LATTICE_ENGINES = ("lattice", "cuda")
ENGINES = ("auto", "interpreted", "compiled", *LATTICE_ENGINES)
PRECISIONS = ("float64", "float32")


def nothing_to_decide(game: Any) -> OptionError:
    """The error for a policy that was given for a game of pure chance."""
    return OptionError(f"{game.name} leaves nothing to decide, so there is no policy for it.")


class Solving(TypedDict, total=False):
    """The keywords of every question, each with what is said of it wherever it is shown.

    That is by `help`, on the command line and in the guide.
    """

    method: Annotated[
        Wanted,
        "auto picks; exact: fractions; certified: intervals that contain the truth; float: plain "
        "numbers; estimate: a simulation (odds only)",
    ]
    solver: Annotated[
        Solver, "auto, gauss-seidel, lu, idr, bicgstab or gmres, for certified and float"
    ]
    tolerance: Annotated[float, "how far from the truth a certified chance may be"]
    endless: Annotated[
        Literal["error", "draw"], "what play that can go on for ever is: an error or a draw"
    ]
    engine: Annotated[
        str,
        "auto; interpreted or compiled rules; for boards also lattice, and cuda for one on a CUDA "
        "device; for exact answers cuda lifts the digits there",
    ]
    symmetry: Annotated[
        bool, "explore as the mover sees it, where players are declared interchangeable"
    ]
    max_states: Annotated[int | None, "stop with an error at so many states"]
    precision: Annotated[str, "float64 or float32: the numbers of a board's lattice"]
    checkpoint: Annotated[
        str | None,
        "a file that keeps a long sweep of a lattice, or the digits of a long exact answer, and "
        "from which they go on",
    ]
    cluster: Annotated[
        str | None, "local, or the address of a Dask scheduler: a lattice on many machines"
    ]
    scratch: Annotated[str | None, "a directory that all machines of a cluster share"]
    win: Annotated[
        Any,
        "of a model in a file: where each player wins, a label or a condition such as x=3 & y>1; "
        "without it the labels win1, win2, …",
    ]
    constants: Annotated[
        Any, "of a model in a file: the constants that it leaves open, such as N=3,p=1/2"
    ]
    progress: Annotated[Progress, "who watches; the command line shows a bar"]


class Keywords(Solving, total=False):
    """The keywords of questions about a game that is played in one way."""

    play: Annotated[
        Any,
        "who plays how, one policy for all or one each: optimal (the default), best-response, "
        "random, one that the game names (oddsmith games GAME), a saved policy, file.py:function",
    ]
    explain: Annotated[bool, "show what every engine offered, what it would have cost, and why not"]


@dataclass
class Settings:
    """How a question is to be answered; what each of these says is in `Keywords`."""

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
    win: Any = None
    constants: Any = None
    explain: bool = False
    progress: Progress = field(default_factory=Silent)

    def __post_init__(self) -> None:
        self.progress = self.progress or Silent()
        for what, value, allowed in (
            ("method", self.method, METHODS),
            ("solver", self.solver, SOLVERS),
            ("engine", self.engine, ENGINES),
            ("precision", self.precision, PRECISIONS),
            ("endless", self.endless, ("error", "draw")),
        ):
            if value not in allowed:
                raise OptionError(
                    f"{what} cannot be {value!r}: choose one of {', '.join(allowed)}."
                )
        if not 0 < self.tolerance < 1:
            raise OptionError(
                f"The tolerance must be between 0 and 1, such as 1e-12, not {self.tolerance}."
            )

    @property
    def wins(self) -> tuple[str, ...]:
        """Where each player wins, in a model that comes from a file."""
        wins = [self.win] if isinstance(self.win, str) else self.win or []
        if not isinstance(wins, list | tuple) or not all(isinstance(one, str) for one in wins):
            raise OptionError(
                f"Winning is a label or a condition, or a list with one for each player, not "
                f"{self.win!r}."
            )
        return tuple(wins)

    @property
    def constant_values(self) -> dict[str, Any]:
        """The constants that are given, by name; one value each."""
        from oddsmith.rules.prism.constants import given_constants

        first, *others = given_constants(self.constants)
        if others:
            raise OptionError(
                f"The constants {self.constants} have several values; this question is asked of "
                f"one model: give one value each."
            )
        return dict(first)


@dataclass(frozen=True)
class Keyword:
    """A setting as it is shown: what is said of it, and its place in a signature."""

    says: str
    parameter: inspect.Parameter


def _keywords() -> dict[str, Keyword]:
    hints = get_type_hints(Keywords, include_extras=True)
    found = {}
    for one in fields(Settings):
        kind, says = get_args(hints[one.name])
        default = one.default if one.default is not MISSING else Silent()
        text = str(kind).replace("typing.", "") if not isinstance(kind, type) else kind.__name__
        found[one.name] = Keyword(
            says,
            inspect.Parameter(
                one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=text
            ),
        )
    return found


KEYWORDS = _keywords()
"""The settings in order."""
