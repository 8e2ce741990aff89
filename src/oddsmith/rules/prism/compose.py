"""How modules act together: the algebra of `system … endsystem` as a list of synchronisations.

Every term has an alphabet and a list of vectors: an action and, for every module that takes part
in it, that module's commands. Side by side, terms that synchronise on an action join each vector of
one with each vector of the other; everything else is either's own. Hiding empties the action's
name, renaming changes it. Without `system`, all modules stand side by side and synchronise on the
actions they share. So a module with an action in its alphabet, and no command for it enabled,
blocks the action.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from oddsmith.rules.prism import syntax
from oddsmith.rules.prism.program import Command, Synchronisation
from oddsmith.rules.prism.source import Rejected, did_you_mean

MOST_SYNCHRONISATIONS = 1_000_000

Vector = tuple[str, tuple[tuple[int, ...], ...]]


@dataclass(frozen=True)
class _Composed:
    """A term: its alphabet in order of appearance, its vectors, and the modules inside."""

    alphabet: dict[str, None]
    vectors: list[Vector]
    modules: dict[str, int]


def known_actions(commands: Sequence[Command], system: syntax.Term | None) -> dict[str, None]:
    """The actions of a model: those of its commands, and the new names that `system` gives.

    A name in `system` that is no action is a mistake.
    """
    known = {command.action: None for command in commands if command.action}
    used: list[tuple[str, int]] = []
    waiting = [] if system is None else [system]
    while waiting:
        term = waiting.pop()
        if isinstance(term, syntax.ParallelTerm):
            waiting += term.operands
            used += [(action, term.at) for action in sorted(term.actions or ())]
        elif isinstance(term, syntax.HideTerm):
            waiting.append(term.operand)
            used += [(action, term.at) for action in sorted(term.actions)]
        elif isinstance(term, syntax.RenameTerm):
            waiting.append(term.operand)
            used += [(action, term.at) for action in term.renames]
            known |= dict.fromkeys(term.renames.values())
    for action, at in used:
        expect_action(action, known, at, "system … endsystem")
    return known


def expect_action(action: str, known: Mapping[str, None], at: int, where: str) -> None:
    """Refuse a name that is no action of the model."""
    if action not in known:
        hint = did_you_mean(action, known) or (
            f" The model has {', '.join(known)}." if known else " The model's commands have none."
        )
        raise Rejected(f"There is no action {action}, which {where} names.{hint}", at)


def compose(
    modules: Sequence[str], commands: Sequence[Command], system: syntax.Term | None
) -> list[Synchronisation]:
    """The synchronisations of a program: commands without an action first, then by action."""
    basic = _basic(modules, commands)
    if system is None:
        composed = _parallel(list(basic.values()), None)
    else:
        composed = _term(system, basic)
        missing = [name for name in modules if name not in composed.modules]
        if missing:
            raise Rejected(
                f"system … endsystem leaves out module {missing[0]}: every module must occur.",
                system.at,
            )
    synchronisations = [Synchronisation(action, parts) for action, parts in composed.vectors]
    return sorted(synchronisations, key=lambda sync: _rank(sync, commands))


def _rank(sync: Synchronisation, commands: Sequence[Command]) -> tuple[int, int]:
    first = commands[sync.parts[0][0]]
    return (1, 0) if first.action else (0, first.module)


def _basic(modules: Sequence[str], commands: Sequence[Command]) -> dict[str, _Composed]:
    """Each module on its own."""
    by_action: list[dict[str, list[int]]] = [{} for _ in modules]
    for number, command in enumerate(commands):
        by_action[command.module].setdefault(command.action, []).append(number)
    return {
        name: _Composed(
            {action: None for action in actions if action},
            [(action, (tuple(numbers),)) for action, numbers in actions.items()],
            {name: 0},
        )
        for name, actions in zip(modules, by_action, strict=True)
    }


def _term(term: syntax.Term, basic: Mapping[str, _Composed]) -> _Composed:
    if isinstance(term, syntax.ModuleTerm):
        if term.name not in basic:
            hint = did_you_mean(term.name, basic)
            raise Rejected(f"There is no module {term.name}.{hint}", term.at)
        return replace(basic[term.name], modules={term.name: term.at})
    if isinstance(term, syntax.ParallelTerm):
        return _parallel([_term(operand, basic) for operand in term.operands], term.actions)
    if isinstance(term, syntax.HideTerm):
        return _relabel(_term(term.operand, basic), dict.fromkeys(term.actions, ""))
    if isinstance(term, syntax.RenameTerm):
        return _relabel(_term(term.operand, basic), term.renames)
    raise TypeError(term)


def _relabel(composed: _Composed, names: Mapping[str, str]) -> _Composed:
    """Hiding (a new name that is empty) and renaming."""
    relabelled = (names.get(action, action) for action in composed.alphabet)
    return _Composed(
        {action: None for action in relabelled if action},
        [(names.get(action, action), parts) for action, parts in composed.vectors],
        composed.modules,
    )


def _parallel(operands: Sequence[_Composed], actions: frozenset[str] | None) -> _Composed:
    """Terms side by side, synchronised on `actions`; None is all that they share."""
    alphabet: dict[str, None] = {}
    modules: dict[str, int] = {}
    for operand in operands:
        alphabet |= operand.alphabet
        for name, at in operand.modules.items():
            if name in modules:
                raise Rejected(f"Module {name} occurs twice in system … endsystem.", at)
            modules[name] = at
    vectors: list[Vector] = [
        vector for operand in operands for vector in operand.vectors if not vector[0]
    ]
    own = [_by_action(operand) for operand in operands]
    for action in alphabet:
        if actions is None:
            taking_part = [
                lists.get(action, [])
                for lists, operand in zip(own, operands, strict=True)
                if action in operand.alphabet
            ]
        elif action in actions:
            taking_part = [lists.get(action, []) for lists in own]
        else:
            vectors += [(action, parts) for lists in own for parts in lists.get(action, [])]
            continue
        for joined in product(*taking_part):
            vectors.append((action, tuple(part for parts in joined for part in parts)))
            if len(vectors) > MOST_SYNCHRONISATIONS:
                raise Rejected(
                    f"The modules can act together in more than {MOST_SYNCHRONISATIONS:,} ways.",
                    next(iter(modules.values())),
                )
    return _Composed(alphabet, vectors, modules)


def _by_action(composed: _Composed) -> dict[str, list[tuple[tuple[int, ...], ...]]]:
    found: dict[str, list[tuple[tuple[int, ...], ...]]] = {}
    for action, parts in composed.vectors:
        found.setdefault(action, []).append(parts)
    return found


def assign_players(
    synchronisations: Sequence[Synchronisation],
    commands: Sequence[Command],
    modules: Sequence[str],
    players: Sequence[syntax.PlayerDeclaration],
) -> list[Synchronisation]:
    """Give each its player: who controls its action, or its module where it has none."""
    known = {action for sync in synchronisations for action in (sync.action,) if action}
    known |= {command.action for command in commands if command.action}
    of_action: dict[str, int] = {}
    of_module: dict[str, int] = {}
    for number, player in enumerate(players):
        for action, at in player.actions:
            if action not in known:
                hint = did_you_mean(action, known)
                raise Rejected(f"There is no action {action}.{hint}", at)
            _claim(of_action, action, number, f"Action {action}", at, players)
        for module, at in player.modules:
            if module not in modules:
                hint = did_you_mean(module, modules)
                raise Rejected(f"There is no module {module}.{hint}", at)
            _claim(of_module, module, number, f"Module {module}", at, players)
    return [_controlled(sync, commands, modules, of_action, of_module) for sync in synchronisations]


def _claim(
    owners: dict[str, int],
    name: str,
    player: int,
    what: str,
    at: int,
    players: Sequence[syntax.PlayerDeclaration],
) -> None:
    if name in owners:
        raise Rejected(f"{what} belongs to player {players[owners[name]].name} already.", at)
    owners[name] = player


def _controlled(
    sync: Synchronisation,
    commands: Sequence[Command],
    modules: Sequence[str],
    of_action: Mapping[str, int],
    of_module: Mapping[str, int],
) -> Synchronisation:
    command = commands[sync.parts[0][0]]
    action = sync.action or command.action
    module = modules[command.module]
    if action:
        owner, what = of_action.get(action), f"Action {action} is controlled by no player"
        how = f"add [{action}] to one"
    else:
        owner, what = of_module.get(module), f"Module {module} is controlled by no player"
        how = f"add {module} to one"
    if owner is None:
        raise Rejected(f"{what}: {how}.", command.at)
    return sync._replace(player=owner)
