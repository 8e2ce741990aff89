"""Program: a PRISM model after elaboration, ready to be explored.

Nothing here has a name that must be looked up: constants are numbers, formulas are expanded,
renamed modules are copied, variables are numbered. How modules act together is a
list of synchronisations: each says which commands may join in one choice. The whole algebra of
`system … endsystem` (and the default, in which all modules synchronise on the actions they share)
comes down to that list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from typing import Literal, NamedTuple

from oddsmith.rules.prism.expression import Expression

Kind = Literal["dtmc", "mdp", "smg"]


class Variable(NamedTuple):
    """A variable and its range; a truth value has the range 0 to 1."""

    name: str
    low: int
    high: int
    initial: int
    is_bool: bool = False
    module: int | None = None
    """The module that declares it; None for a global variable."""


class Update(NamedTuple):
    """One outcome of a command: its chance, and what it assigns (variable, expression)."""

    chance: Expression
    assign: tuple[tuple[int, Expression], ...]
    at: int = 0


class Command(NamedTuple):
    """`[action] guard -> updates;` of one module."""

    module: int
    action: str
    """Empty for a command without an action."""
    guard: Expression
    updates: tuple[Update, ...]
    at: int = 0


class Synchronisation(NamedTuple):
    """Commands that act together: one enabled command of every part makes a choice.

    The chance of an outcome is the product of the chances of its updates, which are all
    evaluated in the state before and write different variables. `action` is what the outside
    sees: empty where it is hidden or where there was none.
    """

    action: str
    parts: tuple[tuple[int, ...], ...]
    """For every module that takes part, the numbers of its commands with the action."""
    player: int = -1
    """Whose choice it is, in a game; -1 elsewhere."""


class RewardItem(NamedTuple):
    """`guard : value;` for states, `[action] guard : value;` for transitions."""

    action: str | None
    """None for a state reward; empty for transitions without an action."""
    guard: Expression
    value: Expression
    at: int = 0


class RewardStructure(NamedTuple):
    """A reward structure: what it is called (empty without a name) and its items."""

    name: str
    items: tuple[RewardItem, ...]


@dataclass(frozen=True)
class Program:
    """A PRISM model; see the module's docstring."""

    kind: Kind
    text: str
    """The source, for messages."""
    source: str
    """What the source is called: a file's name."""
    constants: Mapping[str, Fraction | bool]
    formulas: Mapping[str, Expression]
    variables: tuple[Variable, ...]
    modules: tuple[str, ...]
    commands: tuple[Command, ...]
    synchronisations: tuple[Synchronisation, ...]
    initial: Expression | None
    """The condition of `init … endinit`; None where the initial values say it all."""
    labels: Mapping[str, Expression]
    rewards: tuple[RewardStructure, ...]
    players: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that stand for the text and its constants."""
        constants = sorted((name, str(value)) for name, value in self.constants.items())
        said = repr((self.kind, self.text, constants))
        return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]
