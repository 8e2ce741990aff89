"""From what was written to a program: names looked up, types checked, constants computed.

Formulas are expanded before modules are renamed, as in PRISM: where a renamed module uses a
formula, the names inside the formula are renamed as well. Constant parts of an expression become
numbers, exact ones; what cannot be exact (log, roots) stays a call, so that everyone after can see
that it is not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite

from oddsmith.errors import OptionError
from oddsmith.rules.prism import syntax
from oddsmith.rules.prism.arithmetic import short
from oddsmith.rules.prism.compose import assign_players, compose, expect_action, known_actions
from oddsmith.rules.prism.expression import Constant, Expression, Type
from oddsmith.rules.prism.interpret import evaluate, variables_read
from oddsmith.rules.prism.program import (
    Command,
    Program,
    RewardItem,
    RewardStructure,
    Update,
    Variable,
)
from oddsmith.rules.prism.resolve import Names, Renames
from oddsmith.rules.prism.source import Rejected, Source, did_you_mean, without_collection
from oddsmith.rules.prism.types import fits, in_words

Given = Mapping[str, Fraction | bool | int | float]
"""Values of constants, from the user."""

MAX_VALUE = 2**31 - 1
"""PRISM's whole numbers have 32 bits; ranges beyond that are mistakes."""

_NO_RENAMES: Renames = {}
_CERTAIN = Constant(Fraction(1), type="int")


@dataclass(frozen=True)
class _Instance:
    """A module after renaming: the text it copies and how its names change."""

    name: str
    body: syntax.ModuleDeclaration
    renames: Renames
    at: int


def undefined(model: syntax.Model) -> dict[str, Type]:
    """The constants that a model leaves to its user, with their types."""
    return {x.name: x.type for x in model.constants if x.value is None}


def elaborate(
    model: syntax.Model,
    source: Source,
    constants: Given | None = None,
    *,
    others: Collection[str] = (),
) -> Program:
    """The program of a model; `others` are given constants that belong to someone else."""
    try:
        with without_collection():
            return _Elaboration(model, source, constants or {}, others).program()
    except Rejected as rejected:
        raise source.error(rejected.message, rejected.at) from None
    except RecursionError:
        raise source.error("The model is nested too deeply.", 0) from None


class _Elaboration:
    """One elaboration: the steps share the tables of names."""

    def __init__(
        self, model: syntax.Model, source: Source, given: Given, others: Collection[str]
    ) -> None:
        self.model = model
        self.source = source
        self.warnings: list[str] = []
        self.instances = _instances(model)
        values = _given_values(model, given, others, source)
        self.names = Names(model.constants, model.formulas, values)

    def program(self) -> Program:
        """All the steps, in the order in which they depend on each other."""
        model, names = self.model, self.names
        kind = model.kind
        if kind is None:
            kind = "mdp"
            self.warnings.append("The model does not say its type; mdp is assumed, as in PRISM.")
        variables = self._variables()
        constants = {x.name: _plain(names.constant(x.name)) for x in model.constants}
        formulas = {x.name: names.expression(x.value) for x in model.formulas}
        commands = self._commands(variables)
        modules = tuple(instance.name for instance in self.instances)
        actions = known_actions(commands, model.system)
        synchronisations = compose(modules, commands, model.system)
        if kind == "smg":
            if not model.players:
                raise Rejected("A game (smg) needs its players: player … endplayer.", 0)
            _distinct("Player", [(x.name, x.at) for x in model.players])
            synchronisations = assign_players(synchronisations, commands, modules, model.players)
        elif model.players:
            raise Rejected(f"Players belong to games: write smg for {kind}.", model.players[0].at)
        _distinct("Label", [(x.name, x.at) for x in model.labels])
        _distinct("Rewards", [(x.name, x.at) for x in model.rewards if x.name])
        return Program(
            kind=kind,
            text=self.source.text,
            source=self.source.name,
            constants=constants,
            formulas=formulas,
            variables=variables,
            modules=modules,
            commands=commands,
            synchronisations=tuple(synchronisations),
            initial=self._initial(),
            labels={x.name: self._condition(x.value, "A label") for x in model.labels},
            rewards=tuple(self._rewards(x, actions) for x in model.rewards),
            players=tuple(x.name for x in model.players),
            warnings=tuple(self.warnings),
        )

    # Variables.

    def _variables(self) -> tuple[Variable, ...]:
        """All variables, the global ones first, numbered in this order."""
        declared: list[tuple[syntax.VariableDeclaration, str, int | None, Renames, int]] = [
            (x, x.name, None, _NO_RENAMES, x.at) for x in self.model.variables
        ]
        for number, instance in enumerate(self.instances):
            for x in instance.body.variables:
                name = instance.renames.get(x.name, x.name)
                if instance.renames is not _NO_RENAMES and name == x.name:
                    raise Rejected(
                        f"Module {instance.name} must rename variable {name} of module "
                        f"{instance.body.name}, or both would have it.",
                        instance.at,
                    )
                at = x.at if instance.renames is _NO_RENAMES else instance.at
                declared.append((x, name, number, instance.renames, at))
        for number, (x, name, _, _, at) in enumerate(declared):
            self.names.add_variable(name, number, "bool" if x.range is None else "int", at)
        return tuple(
            self._variable(x, name, module, renames) for x, name, module, renames, _ in declared
        )

    def _variable(
        self, x: syntax.VariableDeclaration, name: str, module: int | None, renames: Renames
    ) -> Variable:
        if x.initial is not None and self.model.initial is not None:
            raise Rejected(
                f"{name} has an initial value, and the model has init … endinit: use one of them.",
                x.initial.at,
            )
        if x.range is None:
            initial = 0
            if x.initial is not None:
                what = f"The initial value of {name}"
                initial = int(self._value(x.initial, "bool", what, renames))
            return Variable(name, 0, 1, initial, is_bool=True, module=module)
        low = self._value(x.range[0], "int", f"The lower end of {name}", renames)
        high = self._value(x.range[1], "int", f"The upper end of {name}", renames)
        for end, written in ((low, x.range[0]), (high, x.range[1])):
            if abs(end) > MAX_VALUE:
                raise Rejected(f"The range of {name} goes beyond 32 bits.", written.at)
        if low > high:
            raise Rejected(
                f"The range of {name} is empty: {low} is more than {high}.", x.range[0].at
            )
        initial = low
        if x.initial is not None:
            initial = self._value(x.initial, "int", f"The initial value of {name}", renames)
            if not low <= initial <= high:
                raise Rejected(
                    f"{name} begins at {short(initial)}, outside its range [{low}..{high}].",
                    x.initial.at,
                )
        return Variable(name, low, high, initial, module=module)

    def _value(self, written: Expression, wanted: Type, what: str, renames: Renames) -> int:
        """The value of an expression that has to be constant."""
        expression = self.names.expression(written, renames)
        _want(expression, wanted, what, written.at)
        if variables_read(expression):
            raise Rejected(f"{what} must be constant: it cannot use variables.", written.at)
        return int(evaluate(expression, ()))

    # Commands.

    def _commands(self, variables: tuple[Variable, ...]) -> tuple[Command, ...]:
        return tuple(
            self._command(x, number, instance.renames, variables)
            for number, instance in enumerate(self.instances)
            for x in instance.body.commands
        )

    def _command(
        self,
        x: syntax.CommandDeclaration,
        module: int,
        renames: Renames,
        variables: tuple[Variable, ...],
    ) -> Command:
        action = renames.get(x.action, x.action) if x.action else ""
        guard = self._condition(x.guard, "A guard", renames)
        updates = []
        for branch in x.branches:
            chance: Expression = _CERTAIN
            if branch.chance is not None:
                chance = self.names.expression(branch.chance, renames)
                _want(chance, "double", "A chance", branch.chance.at)
            assign = tuple(
                self._assignment(y, module, action, renames, variables) for y in branch.assignments
            )
            if len(assign) > 1 and len({number for number, _ in assign}) < len(assign):
                _reject_double(assign, branch, variables)
            updates.append(Update(chance, assign, branch.at))
        return Command(module, action, guard, tuple(updates), x.at)

    def _assignment(
        self,
        x: syntax.Assignment,
        module: int,
        action: str,
        renames: Renames,
        variables: tuple[Variable, ...],
    ) -> tuple[int, Expression]:
        name = renames.get(x.name, x.name)
        number = self.names.variable(name, x.at)
        variable = variables[number]
        if variable.module is not None and variable.module != module:
            owner, writer = self.instances[variable.module].name, self.instances[module].name
            raise Rejected(
                f"Module {writer} cannot change {name}, which belongs to module {owner}; "
                "a global variable can be changed by all.",
                x.at,
            )
        if variable.module is None and action:
            raise Rejected(
                f"A command with an action ([{action}]) cannot change the global variable {name}.",
                x.at,
            )
        value = self.names.expression(x.value, renames)
        what = f"The new value of {name}"
        _want(value, "bool" if variable.is_bool else "int", what, x.value.at)
        if isinstance(value, Constant) and not variable.low <= value.value <= variable.high:
            self._warn_range(variable, value.value, x.at)
        return number, value

    def _warn_range(self, variable: Variable, value: Fraction, at: int) -> None:
        line, _ = self.source.position(at)
        self.warnings.append(
            f"Line {line}: {variable.name} would become {short(value)}, outside its range "
            f"[{variable.low}..{variable.high}]."
        )

    # The rest.

    def _condition(
        self, written: Expression, what: str, renames: Renames = _NO_RENAMES
    ) -> Expression:
        expression = self.names.expression(written, renames)
        _want(expression, "bool", what, written.at)
        return expression

    def _initial(self) -> Expression | None:
        written = self.model.initial
        return None if written is None else self._condition(written, "init … endinit")

    def _rewards(
        self, x: syntax.RewardsDeclaration, actions: Mapping[str, None]
    ) -> RewardStructure:
        items = []
        for item in x.items:
            if item.action:
                what = f'rewards "{x.name}"' if x.name else "rewards"
                expect_action(item.action, actions, item.at, what)
            guard = self._condition(item.guard, "The condition of a reward")
            value = self.names.expression(item.value)
            _want(value, "double", "A reward", item.value.at)
            items.append(RewardItem(item.action, guard, value, item.at))
        return RewardStructure(x.name, tuple(items))


def _want(expression: Expression, wanted: Type, what: str, at: int) -> None:
    if not fits(expression.type, wanted):
        hint = "; floor(…) or round(…) make it whole" if wanted == "int" else ""
        hint = hint if expression.type == "double" else ""
        wanted_words = "a number" if wanted == "double" else in_words(wanted)
        raise Rejected(
            f"{what} must be {wanted_words}, and is {in_words(expression.type)}{hint}.", at
        )


def _plain(expression: Expression) -> Fraction | bool:
    """The value of a constant, a float as the fraction it is."""
    value = evaluate(expression, ())
    return value if isinstance(value, bool) else Fraction(value)


def _distinct(what: str, names: list[tuple[str, int]]) -> None:
    seen: set[str] = set()
    for name, at in names:
        if name in seen:
            raise Rejected(f"{what} {name} is declared twice.", at)
        seen.add(name)


def _reject_double(
    assign: tuple[tuple[int, Expression], ...],
    branch: syntax.Branch,
    variables: tuple[Variable, ...],
) -> None:
    seen: set[int] = set()
    for (number, _), written in zip(assign, branch.assignments, strict=True):
        if number in seen:
            raise Rejected(
                f"{variables[number].name} is given two values in one update.", written.at
            )
        seen.add(number)


def _given_values(
    model: syntax.Model, given: Given, others: Collection[str], source: Source
) -> dict[str, Constant]:
    """The user's values, as constants of the declared types."""
    declared = {x.name: x for x in model.constants}
    values: dict[str, Constant] = {}
    for name, value in given.items():
        if name in declared and declared[name].value is None:
            values[name] = _given_value(name, declared[name].type, value)
        elif name in declared:
            line, _ = source.position(declared[name].at)
            raise OptionError(
                f"Constant {name} has a value already, in line {line} of {source.name}; "
                f"write only const {declared[name].type} {name}; there to give it another."
            )
        elif name not in others:
            open_ = undefined(model)
            hint = did_you_mean(name, open_)
            raise OptionError(f"There is no constant {name!r} in {source.name}.{hint}")
    missing = [name for name in undefined(model) if name not in given]
    if missing:
        example = ",".join(f"{name}=…" for name in missing)
        raise OptionError(
            f"{'Constant' if len(missing) == 1 else 'Constants'} {', '.join(missing)} of "
            f"{source.name} {'has' if len(missing) == 1 else 'have'} no value; "
            f"give {'it' if len(missing) == 1 else 'them'} with --const {example}."
        )
    return values


def _given_value(name: str, wanted: Type, value: Fraction | bool | int | float) -> Constant:
    """One value from the user; a float is taken as it is written, 0.1 as a tenth."""
    if isinstance(value, bool) and wanted != "bool":
        raise OptionError(f"Constant {name} is {in_words(wanted)}, and was given a truth value.")
    if not isinstance(value, bool) and wanted == "bool":
        raise OptionError(f"Constant {name} is a truth value: give true or false.")
    if isinstance(value, float) and not isfinite(value):
        raise OptionError(f"Constant {name} must be a finite number, not {value}.")
    exact = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    if wanted == "int" and exact.denominator > 1:
        raise OptionError(f"Constant {name} is a whole number, and was given {short(value)}.")
    return Constant(exact, type=wanted)


def _instances(model: syntax.Model) -> list[_Instance]:
    """Every module with the text it has in the end, renamed ones as a copy with new names."""
    _distinct("Module", [(x.name, x.at) for x in model.modules])
    by_name = {x.name: x for x in model.modules}
    if not model.modules:
        raise Rejected("The model has no module.", 0)
    done: dict[str, _Instance] = {}
    for declared in model.modules:
        chain: list[syntax.RenamedModule] = []
        x = declared
        while isinstance(x, syntax.RenamedModule) and x.name not in done:
            if any(x is y for y in chain):
                raise Rejected(f"Module {x.name} is a copy of itself.", x.at)
            chain.append(x)
            if x.base not in by_name:
                hint = did_you_mean(x.base, by_name)
                raise Rejected(f"There is no module {x.base}.{hint}", x.at)
            x = by_name[x.base]
        if isinstance(x, syntax.ModuleDeclaration):
            done.setdefault(x.name, _Instance(x.name, x, _NO_RENAMES, x.at))
        for copy in reversed(chain):
            done[copy.name] = _copy(copy, done[copy.base])
    return [done[x.name] for x in model.modules]


def _copy(x: syntax.RenamedModule, base: _Instance) -> _Instance:
    """A renamed module; all names change at once, so that two can be swapped."""
    renames: dict[str, str] = {}
    for old, new, at in x.renames:
        if old in renames:
            raise Rejected(f"{old} is renamed twice.", at)
        renames[old] = new
    earlier = {old: renames.get(new, new) for old, new in base.renames.items()}
    return replace(base, name=x.name, renames={**renames, **earlier}, at=x.at)
