"""A PRISM model as it was written: declarations in their order, names not looked up yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from oddsmith.rules.prism.expression import Expression, Type
from oddsmith.rules.prism.program import Kind


@dataclass(frozen=True)
class ConstantDeclaration:
    """`const int N = 3;`; a value of None is to be given by the user."""

    name: str
    type: Type
    value: Expression | None
    at: int


@dataclass(frozen=True)
class FormulaDeclaration:
    """`formula name = value;`."""

    name: str
    value: Expression
    at: int


@dataclass(frozen=True)
class LabelDeclaration:
    """`label "name" = value;`."""

    name: str
    value: Expression
    at: int


@dataclass(frozen=True)
class VariableDeclaration:
    """`x : [low..high] init initial;`, or `b : bool init initial;` with no range."""

    name: str
    range: tuple[Expression, Expression] | None
    initial: Expression | None
    at: int


@dataclass(frozen=True)
class Assignment:
    """`(x'=value)`."""

    name: str
    value: Expression
    at: int


@dataclass(frozen=True)
class Branch:
    """`chance : assignments`; no chance means 1."""

    chance: Expression | None
    assignments: tuple[Assignment, ...]
    at: int


@dataclass(frozen=True)
class CommandDeclaration:
    """`[action] guard -> branches;`."""

    action: str
    guard: Expression
    branches: tuple[Branch, ...]
    at: int


@dataclass(frozen=True)
class ModuleDeclaration:
    """`module name … endmodule`."""

    name: str
    variables: tuple[VariableDeclaration, ...]
    commands: tuple[CommandDeclaration, ...]
    at: int


@dataclass(frozen=True)
class RenamedModule:
    """`module name = base [ old=new, … ] endmodule`."""

    name: str
    base: str
    renames: tuple[tuple[str, str, int], ...]
    """Old name, new name, offset."""
    at: int


@dataclass(frozen=True)
class RewardItemDeclaration:
    """`guard : value;` (action None) or `[action] guard : value;`."""

    action: str | None
    guard: Expression
    value: Expression
    at: int


@dataclass(frozen=True)
class RewardsDeclaration:
    """`rewards "name" … endrewards`."""

    name: str
    items: tuple[RewardItemDeclaration, ...]
    at: int


@dataclass(frozen=True)
class PlayerDeclaration:
    """`player name module, [action] endplayer`: what a player controls, with offsets."""

    name: str
    modules: tuple[tuple[str, int], ...]
    actions: tuple[tuple[str, int], ...]
    at: int


@dataclass(frozen=True)
class Term:
    """A part of `system … endsystem`."""

    at: int


@dataclass(frozen=True)
class ModuleTerm(Term):
    """A module by its name."""

    name: str


@dataclass(frozen=True)
class ParallelTerm(Term):
    """Operands side by side.

    `||` synchronises on all shared actions (actions None), `|||` on none, `|[a,b]|` on a and b.
    """

    operands: tuple[Term, ...]
    actions: frozenset[str] | None


@dataclass(frozen=True)
class HideTerm(Term):
    """`term / {a, b}`."""

    operand: Term
    actions: frozenset[str]


@dataclass(frozen=True)
class RenameTerm(Term):
    """`term {a<-b}`: what was a is b to the outside."""

    operand: Term
    renames: Mapping[str, str]


@dataclass
class Model:
    """A whole model; the parser adds to it as it reads."""

    kind: Kind | None = None
    constants: list[ConstantDeclaration] = field(default_factory=list)
    formulas: list[FormulaDeclaration] = field(default_factory=list)
    labels: list[LabelDeclaration] = field(default_factory=list)
    variables: list[VariableDeclaration] = field(default_factory=list)
    modules: list[ModuleDeclaration | RenamedModule] = field(default_factory=list)
    rewards: list[RewardsDeclaration] = field(default_factory=list)
    players: list[PlayerDeclaration] = field(default_factory=list)
    system: Term | None = None
    initial: Expression | None = None
