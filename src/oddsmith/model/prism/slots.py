"""What is known of a program's commands before any state is seen, as tables.

A slot is a command as a part of a joint. Where what a command does depends on the state only by
what it keeps of it (`1/6 : (x'=3)`, `1/2 : (x'=x+1)` with a guard that keeps x in its range), its
updates are rows: a mask for the words of the state, what to add to them, and a chance.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np

from oddsmith.model.native.numbers import MOST
from oddsmith.model.prism.emit import Body
from oddsmith.model.prism.guards import Bounds, narrowed
from oddsmith.model.prism.instructions import Number, bits_of
from oddsmith.model.variables import Layout
from oddsmith.rules.prism.expression import Binary, Constant, Expression, Read
from oddsmith.rules.prism.program import Command, Program

EXACT, REAL_CHANCES, REALS = range(3)
"""What is a fraction: everything; all but the chances; nothing."""

Row = tuple[list[int], list[int], Fraction]


class Slots:
    """The tables of a program: what a command's number, as a part of a joint, stands for."""

    def __init__(self, program: Program, layout: Layout, mode: int) -> None:
        self.of_joint: list[list[list[int]]] = []
        joints: list[int] = []
        parts: list[int] = []
        commands: list[int] = []
        for j, joint in enumerate(program.synchronisations):
            numbers = []
            for p, part in enumerate(joint.parts):
                numbers.append(list(range(len(joints), len(joints) + len(part))))
                joints += [j] * len(part)
                parts += [p] * len(part)
                commands += part
            self.of_joint.append(numbers)
        self.commands = commands
        self.chances = [known_chances(command, layout, mode) for command in program.commands]
        """By command, the chance of every update that is a constant."""
        self.known = [
            _known_rows(command, chances, layout, mode)
            for command, chances in zip(program.commands, self.chances, strict=True)
        ]
        begin, end = np.zeros(len(self.known), np.int64), np.zeros(len(self.known), np.int64)
        rows: list[Row] = []
        for c, known in enumerate(self.known):
            begin[c] = len(rows)
            rows += known or ()
            end[c] = len(rows) if known is not None else -1
        self.joint = np.array(joints, np.int32)
        self.part = np.array(parts, np.int32)
        self.first = begin[commands] if commands else begin[:0]
        self.last = end[commands] if commands else end[:0]
        """Its rows in the tables; -1 for the last where there are none."""
        words = layout.words
        self.keep = np.array([r[0] for r in rows], np.uint64).reshape(-1, words)
        self.add = np.array([r[1] for r in rows], np.uint64).reshape(-1, words)
        self.chance = np.array([_words(r[2], mode) for r in rows], np.int64).reshape(-1, 2)
        self.parts = np.array([len(joint.parts) for joint in program.synchronisations], np.int32)


def _words(chance: Fraction, mode: int) -> tuple[int, int]:
    if mode == EXACT:
        return chance.numerator, chance.denominator
    return bits_of(float(chance)), 0


def known_chances(command: Command, layout: Layout, mode: int) -> list[Fraction | None]:
    """The chance of every update, where it is a constant that fits 64 bits."""
    body = Body(layout, reals=mode == REALS)
    found = []
    for update in command.updates:
        known = (
            update.chance.value
            if isinstance(update.chance, Constant)
            else _constant(body, update.chance)
        )
        if known is not None and not (0 <= known.numerator <= MOST >= known.denominator):
            known = None
        found.append(known)
    return found


def _known_rows(
    command: Command, chances: list[Fraction | None], layout: Layout, mode: int
) -> list[Row] | None:
    """What a command does if that is known beforehand, up to the state's words; else None."""
    if None in chances:
        return None
    bounds: Bounds | None = None
    body = Body(layout, reals=mode == REALS)
    rows = []
    for update, chance in zip(command.updates, chances, strict=True):
        if not chance:
            continue
        keep, add = [(1 << 64) - 1] * layout.words, [0] * layout.words
        for variable, e in update.assign:
            v, w, shift = layout.variables[variable], layout.word[variable], layout.shift[variable]
            if bounds is None:
                body.bounds = bounds = narrowed(command.guard, layout)
            change = _known_change(body, variable, e)
            if change is None:
                return None
            value, step = change
            if value is None:
                add[w] += step << shift
            elif v.low <= value <= v.high:
                keep[w] &= ~(((1 << v.bits) - 1) << shift)
                add[w] += (value - v.low) << shift
            else:
                return None
        rows.append((keep, [a % (1 << 64) for a in add], chance))
    if len(rows) == 1:
        return rows if rows[0][2] == 1 else None
    common = lcm(*(row[2].denominator for row in rows))
    total = sum(row[2].numerator * (common // row[2].denominator) for row in rows)
    return rows if total == common else None


def _known_change(body: Body, variable: int, e: Expression) -> tuple[int | None, int] | None:
    """(new value, 0) or (None, how much is added) where that is known and within the range."""
    if isinstance(e, Constant):
        return (int(e.value), 0) if e.value.denominator == 1 else None
    v = body.layout.variables[variable]
    lo, hi = body.bounds.get(variable, (v.low, v.high))
    match e:
        case Read(read) if read == variable:
            return None, 0
        case Binary(("+" | "-") as operator, Read(read), Constant(value)) if read == variable:
            if value.denominator == 1:
                step = int(value) if operator == "+" else -int(value)
                if v.low <= lo + step and hi + step <= v.high:
                    return None, step
    known = _constant(body, e)
    return None if known is None or known.denominator != 1 else (int(known), 0)


def _constant(body: Body, e: Expression) -> Fraction | None:
    """The value of an expression if there is only one it can have."""
    lines = len(body.lines)
    value = body.number(e)
    known = isinstance(value, Number) and len(body.lines) == lines and not body.errors
    if not known:
        del body.lines[lines:]
        body.forget()
    body.errors = {}
    return value.constant if known and isinstance(value, Number) else None
