"""PRISM text to syntax.

The parser (lalr.py) calls the builders below while it reads, so that no tree of its own is made.
That, flat runs of operators (expression.lark) and a lexer of our own (lex.py) make it read some
hundred kilobytes a second.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

from oddsmith.rules.prism import syntax
from oddsmith.rules.prism.expression import (
    FUNCTIONS,
    Call,
    Conditional,
    Constant,
    Expression,
    Name,
)
from oddsmith.rules.prism.lalr import Parser, Unexpected
from oddsmith.rules.prism.lex import ModelLexer
from oddsmith.rules.prism.operators import fold
from oddsmith.rules.prism.program import Kind
from oddsmith.rules.prism.source import Rejected, Source, did_you_mean, without_collection
from oddsmith.rules.prism.tables import tables

MAX_DIGITS = 4000
MAX_EXPONENT = 400
"""Beyond what a double can hold; without a limit 1e999999999 would fill the memory."""

_ONE, _ZERO = Fraction(1), Fraction(0)


def number(text: str, at: int = 0) -> Constant:
    """A number as it is written, exactly: whole numbers are of type int, all others double."""
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > MAX_DIGITS:
        raise Rejected(f"A number of more than {MAX_DIGITS} digits is too long.", at)
    if exponent and (len(exponent) > 6 or abs(int(exponent)) > MAX_EXPONENT):
        raise Rejected(f"A number with an exponent beyond {MAX_EXPONENT} is too large.", at)
    return Constant(
        _fraction(text), at=at, type="int" if mantissa.isdecimal() and not exponent else "double"
    )


@lru_cache(maxsize=4096)
def _fraction(text: str) -> Fraction:
    """The same numbers come again and again."""
    return Fraction(text)


class ExpressionBuilder:
    """Builds expressions; its methods are named after the rules of expression.lark.

    A grammar that imports expression.lark makes a subclass. Methods raise `Rejected`, since they do
    not know which text they read.
    """

    def number(self, children: list[Any]) -> Expression:
        """A number."""
        return number(str(children[0]), children[0].start_pos)

    def true(self, children: list[Any]) -> Expression:
        """`true`."""
        return Constant(_ONE, at=children[0].start_pos, type="bool")

    def false(self, children: list[Any]) -> Expression:
        """`false`."""
        return Constant(_ZERO, at=children[0].start_pos, type="bool")

    def name(self, children: list[Any]) -> Expression:
        """A constant, variable or formula."""
        return Name(str(children[0]), at=children[0].start_pos)

    def call(self, children: list[Any]) -> Expression:
        """`min(a, b)` or `func(min, a, b)`."""
        function, arguments = children
        if function not in FUNCTIONS:
            hint = did_you_mean(function, FUNCTIONS)
            raise Rejected(f"There is no function {function}.{hint}", function.start_pos)
        return Call(str(function), arguments, at=function.start_pos)

    def arguments(self, children: list[Any]) -> tuple[Expression, ...]:
        """What is between the brackets of a call."""
        return tuple(children)

    def run(self, children: list[Any]) -> Expression:
        """Operands and operators in turn."""
        return fold(children)

    def conditional(self, children: list[Any]) -> Expression:
        """`test ? yes : no`."""
        test, yes, no = children
        return Conditional(test, yes, no, at=test.at)


_KINDS: dict[str, Kind] = {
    "dtmc": "dtmc",
    "probabilistic": "dtmc",
    "mdp": "mdp",
    "nondeterministic": "mdp",
    "smg": "smg",
}


def _inside(action: str) -> str:
    """`a` of `[a]`."""
    return action[1:-1].strip()


def _unquoted(quoted: Any) -> str:
    """The name between quotation marks, which has to be a word."""
    name = str(quoted)[1:-1]
    if not (name.isascii() and name.isidentifier()):
        raise Rejected(
            f"{quoted} is no name: a name is made of letters, digits and _.", quoted.start_pos
        )
    return name


class _Single(NamedTuple):
    """What a model says once: a field of it, its value, what to call it, and where it stands."""

    field: str
    value: Any
    called: str
    at: int


_LISTS = {
    syntax.ConstantDeclaration: "constants",
    syntax.FormulaDeclaration: "formulas",
    syntax.LabelDeclaration: "labels",
    syntax.VariableDeclaration: "variables",
    syntax.ModuleDeclaration: "modules",
    syntax.RenamedModule: "modules",
    syntax.RewardsDeclaration: "rewards",
    syntax.PlayerDeclaration: "players",
}
"""Where a model has its declarations."""


class ModelBuilder(ExpressionBuilder):
    """Builds a model; its methods are named after the rules of grammar.lark."""

    def start(self, children: list[Any]) -> syntax.Model:
        """The whole text: every item in its place."""
        model = syntax.Model()
        for item in children:
            if not isinstance(item, _Single):
                getattr(model, _LISTS[type(item)]).append(item)
            elif getattr(model, item.field) is not None:
                raise Rejected(f"{item.called} is given twice.", item.at)
            else:
                setattr(model, item.field, item.value)
        return model

    def kind(self, children: list[Any]) -> _Single:
        """`dtmc`, `mdp` or `smg`, or their old names."""
        written, at = str(children[0]), children[0].start_pos
        if written not in _KINDS:
            raise Rejected(
                f"Models of type {written} are not supported; dtmc, mdp and smg are.", at
            )
        return _Single("kind", _KINDS[written], "The type of the model", at)

    def type(self, children: list[Any]) -> str:
        """The type of a constant."""
        written = str(children[0])
        return "double" if written in ("rate", "prob") else written

    old_type = type

    def constant(self, children: list[Any]) -> syntax.ConstantDeclaration:
        """`const int N = 3;`."""
        type_, name, value = children
        return syntax.ConstantDeclaration(str(name), type_ or "int", value, name.start_pos)

    def formula(self, children: list[Any]) -> syntax.FormulaDeclaration:
        """`formula f = x+1;`."""
        name, value = children
        return syntax.FormulaDeclaration(str(name), value, name.start_pos)

    def label(self, children: list[Any]) -> syntax.LabelDeclaration:
        """`label "done" = x=3;`."""
        name, value = children
        return syntax.LabelDeclaration(_unquoted(name), value, name.start_pos)

    def variable(self, children: list[Any]) -> syntax.VariableDeclaration:
        """`x : [0..3] init 1;`."""
        name, low, high, initial = children
        return syntax.VariableDeclaration(str(name), (low, high), initial, name.start_pos)

    def truth(self, children: list[Any]) -> syntax.VariableDeclaration:
        """`b : bool init true;`."""
        name, initial = children
        return syntax.VariableDeclaration(str(name), None, initial, name.start_pos)

    def unbounded(self, children: list[Any]) -> None:
        """`x : int;`, which we do not support."""
        name = children[0]
        raise Rejected(
            f"Variables without bounds are not supported: give {name} a range, "
            f"such as {name} : [0..100].",
            name.start_pos,
        )

    def clock(self, children: list[Any]) -> None:
        """`x : clock;`, which we do not support."""
        raise Rejected("Clocks (x : clock) are not supported.", children[0].start_pos)

    def shared(self, children: list[Any]) -> syntax.VariableDeclaration:
        """`global x : [0..3];`."""
        return cast(syntax.VariableDeclaration, children[0])

    def module(self, children: list[Any]) -> syntax.ModuleDeclaration:
        """`module M … endmodule`."""
        name, *parts = children
        variables = tuple(x for x in parts if isinstance(x, syntax.VariableDeclaration))
        commands = tuple(x for x in parts if isinstance(x, syntax.CommandDeclaration))
        return syntax.ModuleDeclaration(str(name), variables, commands, name.start_pos)

    def renamed_module(self, children: list[Any]) -> syntax.RenamedModule:
        """`module B = A [ x=y ] endmodule`."""
        name, base, *renames = children
        return syntax.RenamedModule(str(name), str(base), tuple(renames), name.start_pos)

    def rename(self, children: list[Any]) -> tuple[str, str, int]:
        """`x=y`: x becomes y."""
        old, new = children
        return str(old), str(new), old.start_pos

    def command(self, children: list[Any]) -> syntax.CommandDeclaration:
        """`[a] guard -> branches;`."""
        action, guard, *branches = children
        return syntax.CommandDeclaration(_inside(action), guard, tuple(branches), action.start_pos)

    def branch_with_chance(self, children: list[Any]) -> syntax.Branch:
        """`1/6 : (x'=1)`."""
        chance, (assignments, _) = children
        return syntax.Branch(chance, assignments, chance.at)

    def branch(self, children: list[Any]) -> syntax.Branch:
        """`(x'=1)`, with certainty."""
        ((assignments, at),) = children
        return syntax.Branch(None, assignments, at)

    def update(self, children: list[Any]) -> tuple[tuple[syntax.Assignment, ...], int]:
        """`(x'=1) & (y'=2)`, and where it begins."""
        return tuple(children), children[0].at

    def no_change(self, children: list[Any]) -> tuple[tuple[syntax.Assignment, ...], int]:
        """`true`: nothing changes."""
        return (), children[0].start_pos

    def assignment(self, children: list[Any]) -> syntax.Assignment:
        """`(x'=1)`."""
        target, value = children
        name = target[1 : target.rindex("'")].strip()
        return syntax.Assignment(name, value, target.start_pos + target.index(name))

    def initial(self, children: list[Any]) -> _Single:
        """`init … endinit`."""
        return _Single("initial", children[0], "init … endinit", children[0].at)

    def rewards(self, children: list[Any]) -> syntax.RewardsDeclaration:
        """`rewards "name" … endrewards`."""
        begin, name, *items = children
        return syntax.RewardsDeclaration(
            _unquoted(name) if name else "",
            tuple(items),
            name.start_pos if name else begin.start_pos,
        )

    def state_reward(self, children: list[Any]) -> syntax.RewardItemDeclaration:
        """`guard : value;`."""
        guard, value = children
        return syntax.RewardItemDeclaration(None, guard, value, guard.at)

    def transition_reward(self, children: list[Any]) -> syntax.RewardItemDeclaration:
        """`[a] guard : value;`."""
        action, guard, value = children
        return syntax.RewardItemDeclaration(_inside(action), guard, value, action.start_pos)

    def player(self, children: list[Any]) -> syntax.PlayerDeclaration:
        """`player p M, [a] endplayer`."""
        _, name, *members = children
        members = [x for x in members if x is not None]
        actions = tuple((_inside(x), x.start_pos) for x in members if x.type == "ACTION")
        modules = tuple((str(x), x.start_pos) for x in members if x.type != "ACTION")
        return syntax.PlayerDeclaration(str(name), modules, actions, name.start_pos)

    def system(self, children: list[Any]) -> _Single:
        """`system … endsystem`."""
        return _Single("system", children[0], "system … endsystem", children[0].at)

    def module_term(self, children: list[Any]) -> syntax.Term:
        """A module in a system."""
        return syntax.ModuleTerm(children[0].start_pos, str(children[0]))

    def parallel(self, children: list[Any]) -> syntax.Term:
        """`A || B`."""
        return syntax.ParallelTerm(children[0].at, tuple(children), None)

    def interleaved(self, children: list[Any]) -> syntax.Term:
        """`A ||| B`."""
        return syntax.ParallelTerm(children[0].at, tuple(children), frozenset())

    def over_actions(self, children: list[Any]) -> syntax.Term:
        """`A |[a,b]| B`."""
        left, actions, right = children
        return syntax.ParallelTerm(left.at, (left, right), frozenset(actions))

    def hide(self, children: list[Any]) -> syntax.Term:
        """`A / {a,b}`."""
        term, actions = children
        return syntax.HideTerm(term.at, term, frozenset(actions))

    def rename_actions(self, children: list[Any]) -> syntax.Term:
        """`A {a<-b}`."""
        term, *pairs = children
        renames: dict[str, str] = {}
        for old, new, at in pairs:
            if old in renames:
                raise Rejected(f"Action {old} is renamed twice.", at)
            renames[old] = new
        return syntax.RenameTerm(term.at, term, renames)

    def names(self, children: list[Any]) -> list[str]:
        """`a, b`."""
        return [str(x) for x in children if x is not None]

    def action_rename(self, children: list[Any]) -> tuple[str, str, int]:
        """`a<-b`."""
        old, new = children
        return str(old), str(new), old.start_pos


@cache
def _parser() -> Parser:
    made = tables("rules/prism/grammar")
    return Parser(made, ModelBuilder(), ModelLexer(made).lex)


def parse_model(source: Source) -> syntax.Model:
    """A model as it was written; every error shows the place in it."""
    try:
        with without_collection():
            return cast(syntax.Model, _parser().parse(source.text))
    except Rejected as rejected:
        raise source.error(rejected.message, rejected.at) from None
    except Unexpected as unexpected:
        from oddsmith.rules.prism.explain import explain

        raise source.error(*explain(source.text, unexpected)) from None
