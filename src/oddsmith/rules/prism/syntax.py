"""A PRISM model as it was written: declarations in their order, names not looked up yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from oddsmith.rules.prism.expression import Expression, Type
from oddsmith.rules.prism.program import Kind


class ConstantDeclaration(NamedTuple):
    """`const int N = 3;`; a value of None is to be given by the user."""

    name: str
    type: Type
    value: Expression | None
    at: int


class FormulaDeclaration(NamedTuple):
    """`formula name = value;`."""

    name: str
    value: Expression
    at: int


class LabelDeclaration(NamedTuple):
    """`label "name" = value;`."""

    name: str
    value: Expression
    at: int


class VariableDeclaration(NamedTuple):
    """`x : [low..high] init initial;`, or `b : bool init initial;` with no range."""

    name: str
    range: tuple[Expression, Expression] | None
    initial: Expression | None
    at: int


class Assignment(NamedTuple):
    """`(x'=value)`."""

    name: str
    value: Expression
    at: int


class Branch(NamedTuple):
    """`chance : assignments`; no chance means 1."""

    chance: Expression | None
    assignments: tuple[Assignment, ...]
    at: int


class CommandDeclaration(NamedTuple):
    """`[action] guard -> branches;`."""

    action: str
    guard: Expression
    branches: tuple[Branch, ...]
    at: int


class ModuleDeclaration(NamedTuple):
    """`module name … endmodule`."""

    name: str
    variables: tuple[VariableDeclaration, ...]
    commands: tuple[CommandDeclaration, ...]
    at: int


class RenamedModule(NamedTuple):
    """`module name = base [ old=new, … ] endmodule`."""

    name: str
    base: str
    renames: tuple[tuple[str, str, int], ...]
    """Old name, new name, offset."""
    at: int


class RewardItemDeclaration(NamedTuple):
    """`guard : value;` (action None) or `[action] guard : value;`."""

    action: str | None
    guard: Expression
    value: Expression
    at: int


class RewardsDeclaration(NamedTuple):
    """`rewards "name" … endrewards`."""

    name: str
    items: tuple[RewardItemDeclaration, ...]
    at: int


class PlayerDeclaration(NamedTuple):
    """`player name module, [action] endplayer`: what a player controls, with offsets."""

    name: str
    modules: tuple[tuple[str, int], ...]
    actions: tuple[tuple[str, int], ...]
    at: int


class ModuleTerm(NamedTuple):
    """A module by its name."""

    at: int
    name: str


class ParallelTerm(NamedTuple):
    """Operands side by side.

    `||` synchronises on all shared actions (actions None), `|||` on none, `|[a,b]|` on a and b.
    """

    at: int
    operands: tuple[Term, ...]
    actions: frozenset[str] | None


class HideTerm(NamedTuple):
    """`term / {a, b}`."""

    at: int
    operand: Term
    actions: frozenset[str]


class RenameTerm(NamedTuple):
    """`term {a<-b}`: what was a is b to the outside."""

    at: int
    operand: Term
    renames: Mapping[str, str]


Term = ModuleTerm | ParallelTerm | HideTerm | RenameTerm
"""A part of `system … endsystem`."""


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
