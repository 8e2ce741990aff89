"""A program as machine code: a function that expands states, one for every label and reward.

`expand` looks at packed states one by one and writes a record for every command that is enabled
(a slot: a command as a part of a joint) and, where it is not known beforehand, what the command's
updates do: the change to every word of the state, and the chance. Everything that does not depend
on the state is in tables instead (`Slots`): an update such as `1/6 : (x'=3)` is a mask, a value and
a chance, and costs no instruction. How the parts of a joint combine is left to `kernels.py`.

Functions are small, one for the updates of a command, and split where they would grow: the
compiler takes more than twice as long for twice as long a function.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

from oddsmith.model.process import Layout
from oddsmith.model.process import Variable as Field
from oddsmith.rules.prism.dispatch import Node, all_of, any_of, split, wanted_by
from oddsmith.rules.prism.emit import (
    MOST,
    WRONG,
    Body,
    Bounds,
    NotRationalError,
    Number,
    Real,
    bits_of,
    fixed,
    literal,
    narrowed,
    operands,
)
from oddsmith.rules.prism.expression import Binary, Constant, Expression, Read
from oddsmith.rules.prism.jit import Machine, defined, store_number, sum_function, truth_function
from oddsmith.rules.prism.program import Command, Program, RewardItem, Update

EXACT, REAL_CHANCES, REALS = range(3)
"""What is a fraction: everything; all but the chances; nothing."""

RECORDS, OUTCOMES, ERRORS, RECORDS_AT, OUTCOMES_AT, RECORDS_ROOM, OUTCOMES_ROOM, ENDS_AT = range(8)
"""The frame that `expand` shares with its caller, an array of i64: how many records and outcomes
there are, error bits, the buffers and their sizes, and where each state's last record is noted.

A record is two words: the slot with the first outcome shifted by 32, and the end of the outcomes
(only where they are not in the tables). An outcome is the changes of all words, then the chance:
numerator and denominator, or the bits of a double and 0."""

CHUNK = 48
"""Guards tested in one function."""

LOOK_UP = 8
"""From so many cases on, a switch to one command each is a table."""

Row = tuple[list[int], list[int], Fraction]


def layout_of(program: Program) -> Layout:
    """Where the variables of a program lie in packed states."""
    return Layout([Field(v.name, v.low, v.high, v.is_bool) for v in program.variables])


class Slots:
    """The tables of a program: what a command's number, as a part of a joint, stands for."""

    def __init__(self, program: Program, layout: Layout, mode: int) -> None:
        self.of_joint: list[list[list[int]]] = []
        joints: list[int] = []
        parts: list[int] = []
        commands: list[int] = []
        for j, joint in enumerate(program.joints):
            numbers = []
            for p, part in enumerate(joint.parts):
                numbers.append(list(range(len(joints), len(joints) + len(part))))
                joints += [j] * len(part)
                parts += [p] * len(part)
                commands += part
            self.of_joint.append(numbers)
        self.commands = commands
        self.known = [_known_rows(command, layout, mode) for command in program.commands]
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
        self.parts = np.array([len(joint.parts) for joint in program.joints], np.int32)


def _words(chance: Fraction, mode: int) -> tuple[int, int]:
    if mode == EXACT:
        return chance.numerator, chance.denominator
    return bits_of(float(chance)), 0


def _known_rows(command: Command, layout: Layout, mode: int) -> list[Row] | None:
    """What a command does if that is known beforehand, up to the state's words; else None."""
    bounds: Bounds | None = None
    body = Body(layout, reals=mode == REALS)
    rows = []
    for update in command.updates:
        if isinstance(update.chance, Constant):
            chance: Fraction | None = update.chance.value
        else:
            chance = _constant(body, update.chance)
        if chance is None or chance < 0 or max(chance.numerator, chance.denominator) > MOST:
            return None
        if chance == 0:
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
    known = isinstance(value, Number) and len(body.lines) == lines
    if not known:
        del body.lines[lines:]
        body.forget()
    body.errors = {}
    return value.constant if known and isinstance(value, Number) else None


class Native:
    """A compiled program."""

    def __init__(self, program: Program, mode: int = EXACT, rewards: bool = True) -> None:
        self.program, self.mode = program, mode
        self.layout = layout_of(program)
        self.slots = Slots(program, self.layout, mode)
        self.functions: list[str] = []
        self._names = 0
        self._updates: dict[int, str] = {}
        self._write_expand()
        reals = mode == REALS
        for i, e in enumerate(program.labels.values()):
            self.functions.append(truth_function(f"label{i}", self.layout, e, reals))
        self.init_terms = [] if program.initial is None else operands(program.initial, "&")
        for i, e in enumerate(self.init_terms):
            self.functions.append(truth_function(f"init{i}", self.layout, e, reals))
        self.reward_names: dict[tuple[int, str | None], str] = {}
        if rewards:
            self._write_rewards()
        self.machine = Machine(self.functions)
        self.expand = self.machine.address("expand")

    @cached_property
    def records_a_state(self) -> int:
        """The most records a state can have."""
        return len(self.slots.commands) + 1

    @cached_property
    def outcomes_a_state(self) -> int:
        """The most outcomes a state can have that are not in the tables."""
        commands, known = self.program.commands, self.slots.known
        return 1 + sum(len(commands[c].updates) for c in self.slots.commands if known[c] is None)

    # The functions.

    def _body(self, facts: Bounds | None = None) -> Body:
        body = Body(self.layout, reals=self.mode == REALS)
        body.bounds = facts or {}
        return body

    def _name(self) -> str:
        self._names += 1
        return f"f{self._names}"

    def _write_expand(self) -> None:
        program, slots = self.program, self.slots
        guards = [wanted_by(command.guard) for command in program.commands]
        items = []
        for j, parts in enumerate(slots.of_joint):
            if len(parts) == 1:
                items += [(k, guards[slots.commands[k]]) for k in parts[0]]
            elif all(parts):
                wanted = all_of(
                    [any_of([guards[slots.commands[k]] for k in part]) for part in parts]
                )
                items.append((~j, wanted))
        self._guards = guards
        root = self._tree(split(items), {})
        self.functions.append(_expand(root, self))

    def _tree(self, node: Node[int], facts: Bounds) -> str:
        """A function that looks at the slots and joints of a tree; its name."""
        name = self._name()
        body = self._body(facts)
        self._node(body, node, facts, outer=True)
        body.do("ret void")
        self.functions.append(defined(f"internal void @{name}(ptr %ctx, ptr %state)", body))
        return name

    def _node(self, body: Body, node: Node[int], facts: Bounds, outer: bool = False) -> None:
        if len(node.here) > CHUNK:
            for i in range(0, len(node.here), CHUNK):
                name = self._tree(Node(node.here[i : i + CHUNK]), facts)
                body.do(f"call void @{name}(ptr %ctx, ptr %state)")
        else:
            for item in node.here:
                self._item(body, item)
        if node.variable is not None:
            table = self._table(node, facts)
            if table is not None:
                self._look_up(body, node.variable, *table)
            else:
                self._switch(body, node, facts)
        if node.rest is not None:
            self._node(body, node.rest, facts)

    def _switch(self, body: Body, node: Node[int], facts: Bounds) -> None:
        assert node.variable is not None
        number, after = body.read(node.variable), self._name()
        v = self.layout.variables[node.variable]
        cases = {x: case for x, case in node.cases.items() if v.low <= x <= v.high}
        labels = {x: self._name() for x in cases}
        listed = " ".join(f"i64 {x}, label %{label}" for x, label in labels.items())
        body.do(f"switch i64 {number.num}, label %{after} [{listed}]")
        for x, case in cases.items():
            body.do(f"{labels[x]}:")
            body.forget()
            inner = facts | {node.variable: (x, x)}
            if case.plain and len(case.here) <= 4:
                body.bounds = inner
                self._node(body, case, inner)
            else:
                name = self._tree(case, inner)
                body.do(f"call void @{name}(ptr %ctx, ptr %state)")
            body.do(f"br label %{after}")
        body.do(f"{after}:")
        body.forget()
        body.bounds = facts

    def _table(self, node: Node[int], facts: Bounds) -> tuple[str, int, int] | None:
        """(name, lowest value, size) of a table of slots, if every case is one known command."""
        assert node.variable is not None
        values = sorted(node.cases)
        if len(values) < LOOK_UP or values[-1] - values[0] > 16 * len(values):
            return None
        for x, case in node.cases.items():
            if not case.plain or len(case.here) != 1 or case.here[0] < 0:
                return None
            command = self.slots.commands[case.here[0]]
            if self.slots.known[command] is None:
                return None
            body = self._body(facts | {node.variable: (x, x)})
            if body.truth(self.program.commands[command].guard) != "true" or body.errors:
                return None
        name, low, size = self._name(), values[0], values[-1] - values[0] + 1
        slots = [node.cases[x].here[0] if x in node.cases else -1 for x in range(low, low + size)]
        listed = ", ".join(f"i64 {k}" for k in slots)
        self.functions.append(f"@{name} = private constant [{size} x i64] [{listed}]")
        return name, low, size

    def _look_up(self, body: Body, variable: int, table: str, low: int, size: int) -> None:
        at = body.op(f"sub i64 {body.read(variable).num}, {low}")
        inside = body.op(f"icmp ult i64 {at}, {size}")
        at = body.op(f"select i1 {inside}, i64 {at}, i64 0")
        slot = body.op(f"load i64, ptr {body.op(f'getelementptr i64, ptr @{table}, i64 {at}')}")
        found = body.both(inside, body.op(f"icmp sge i64 {slot}, 0"))
        self._record(body, slot, found)

    def _item(self, body: Body, item: int) -> None:
        """Look at one slot, or at a joint of several parts (its complement)."""
        if item < 0:
            body.do(f"call void @{self._joint(~item)}(ptr %ctx, ptr %state)")
            return
        guard = body.truth(self.program.commands[self.slots.commands[item]].guard)
        self._store_errors(body)
        self._enter(body, item, guard)

    def _enter(self, body: Body, slot: int, guard: str = "true") -> None:
        """Write the record of a slot where its guard holds."""
        command = self.slots.commands[slot]
        if guard == "false":
            return
        if self.slots.known[command] is not None:
            self._record(body, str(slot), guard)
            return
        call = f"call void @{self._update(command)}(ptr %ctx, ptr %state, i64 {slot})"
        if guard == "true":
            body.do(call)
            return
        yes, after = self._name(), self._name()
        body.do(f"br i1 {guard}, label %{yes}, label %{after}")
        body.do(f"{yes}:")
        body.do(call)
        body.do(f"br label %{after}")
        body.do(f"{after}:")

    @staticmethod
    def _field(body: Body, number: int) -> str:
        return body.op(f"getelementptr i64, ptr %ctx, i64 {number}") if number else "%ctx"

    def _load(self, body: Body, number: int) -> str:
        kind = "ptr" if number in (RECORDS_AT, OUTCOMES_AT, ENDS_AT) else "i64"
        return body.op(f"load {kind}, ptr {self._field(body, number)}")

    def _store(self, body: Body, number: int, value: str) -> None:
        body.do(f"store i64 {value}, ptr {self._field(body, number)}")

    def _record(self, body: Body, slot: str, when: str) -> None:
        """A record for what is in the tables; written always, counted where `when` holds."""
        used = self._load(body, RECORDS)
        base = self._load(body, RECORDS_AT)
        at = body.op(f"getelementptr [2 x i64], ptr {base}, i64 {used}")
        body.do(f"store i64 {slot}, ptr {at}")
        one = "1" if when == "true" else body.op(f"zext i1 {when} to i64")
        self._store(body, RECORDS, body.op(f"add i64 {used}, {one}"))

    def _store_errors(self, body: Body) -> None:
        errors = body.take_errors()
        if errors is not None:
            before = self._load(body, ERRORS)
            self._store(body, ERRORS, body.op(f"or i64 {before}, {errors}"))

    def _joint(self, j: int) -> str:
        """A function for a joint of several parts: all of them have records, or none has."""
        name, none = self._name(), self._name()
        body = self._body()
        start = {field: self._load(body, field) for field in (RECORDS, OUTCOMES, ERRORS)}
        parts = self.slots.of_joint[j]
        alone = [part[0] for part in parts if len(part) == 1]
        if alone:
            guards = [self.program.commands[self.slots.commands[k]].guard for k in alone]
            self._leave_unless(body, body.conjunction(guards), none)
        for part in parts:
            if len(part) == 1:
                continue
            before = self._load(body, RECORDS)
            node = split([(k, self._guards[self.slots.commands[k]]) for k in part])
            self._node(body, node, {})
            found = body.op(f"icmp ne i64 {before}, {self._load(body, RECORDS)}")
            self._leave_unless(body, found, none)
        for k in alone:
            self._enter(body, k)
        body.do("ret void")
        body.do(f"{none}:")
        for field, value in start.items():
            self._store(body, field, value)
        body.do("ret void")
        self.functions.append(defined(f"internal void @{name}(ptr %ctx, ptr %state)", body))
        return name

    def _leave_unless(self, body: Body, test: str, none: str) -> None:
        self._store_errors(body)
        go = self._name()
        body.do(f"br i1 {test}, label %{go}, label %{none}")
        body.do(f"{go}:")

    def _update(self, number: int) -> str:
        """A function that writes the record and the outcomes of a command; its name."""
        if number in self._updates:
            return self._updates[number]
        command = self.program.commands[number]
        name = self._updates[number] = f"u{number}"
        body = self._body(narrowed(command.guard, self.layout))
        first = used = self._load(body, OUTCOMES)
        base = self._load(body, OUTCOMES_AT)
        common = self._common_denominator(command)
        begin, passed = self._outcome_at(body, base, used), 0
        for update in command.updates:
            some = self._outcome(body, update, begin, passed, common)
            if some == "true":
                passed += 1
            elif some != "false":
                used = body.op(f"add i64 {used}, {passed}") if passed else used
                used = body.op(f"add i64 {used}, {body.op(f'zext i1 {some} to i64')}")
                begin, passed = self._outcome_at(body, base, used), 0
        used = body.op(f"add i64 {used}, {passed}") if passed else used
        self._store(body, OUTCOMES, used)
        self._store_errors(body)
        records = self._load(body, RECORDS)
        at = self._load(body, RECORDS_AT)
        at = body.op(f"getelementptr [2 x i64], ptr {at}, i64 {records}")
        high = body.op(f"shl i64 {first}, 32")
        body.do(f"store i64 {body.op(f'or i64 {high}, %slot')}, ptr {at}")
        body.do(f"store i64 {used}, ptr {body.op(f'getelementptr i64, ptr {at}, i64 1')}")
        self._store(body, RECORDS, body.op(f"add i64 {records}, 1"))
        body.do("ret void")
        self.functions.append(
            defined(f"internal void @{name}(ptr %ctx, ptr %state, i64 %slot)", body)
        )
        return name

    def _outcome_at(self, body: Body, base: str, number: str) -> str:
        return body.op(f"getelementptr [{self.layout.words + 2} x i64], ptr {base}, i64 {number}")

    def _common_denominator(self, command: Command) -> int | None:
        """The denominator of all chances if they are constants: sums are then simple."""
        body = self._body()
        chances = [_constant(body, update.chance) for update in command.updates]
        if self.mode != EXACT or any(chance is None for chance in chances):
            return None
        common = lcm(*(chance.denominator for chance in chances if chance is not None))
        return common if common < 1 << 31 else None

    def _outcome(
        self, body: Body, update: Update, begin: str, passed: int, common: int | None
    ) -> str:
        """Write one outcome, the next after `passed` others; whether it has a chance at all."""
        chance = body.number(update.chance)
        if isinstance(chance, Real) and self.mode == EXACT:
            raise NotRationalError
        some = self._check_chance(body, chance)
        if some == "false":
            return some
        if self.mode != EXACT:
            chance = body.real(chance)
        elif common is not None and isinstance(chance, Number) and chance.constant is not None:
            n = int(chance.constant * common)
            chance = Number(str(n), n, n, str(common), common, common)
        words = self.layout.words
        changes = body.under(some, lambda: self._changes(body, update))
        where = [begin, *("" for _ in range(words + 1))]
        for k in range(words + 2):
            offset = passed * (words + 2) + k
            if offset:
                where[k] = body.op(f"getelementptr i64, ptr {begin}, i64 {offset}")
        for w in range(words):
            body.do(f"store i64 {changes[w]}, ptr {where[w]}")
        store_number(body, chance, where[words], where[words + 1])
        return some

    @staticmethod
    def _check_chance(body: Body, chance: Number | Real) -> str:
        """Whether there is a chance at all; a negative one is an error."""
        if isinstance(chance, Number):
            if chance.lo < 0:
                body.fail(
                    body.compare("<", chance._replace(den="1", den_lo=1, den_hi=1), fixed(0)), WRONG
                )
            return body.compare("!=", chance._replace(den="1", den_lo=1, den_hi=1), fixed(0))
        positive = body.op(f"fcmp oge double {chance.ref}, {literal(0.0)}")
        body.fail(body.negate(positive), WRONG)
        return body.op(f"fcmp ogt double {chance.ref}, {literal(0.0)}")

    def _changes(self, body: Body, update: Update) -> list[str]:
        """What an update adds to every word of the state."""
        layout = self.layout
        fixed_changes, changes = [0] * layout.words, [""] * layout.words
        for variable, e in update.assign:
            v, w, shift = layout.variables[variable], layout.word[variable], layout.shift[variable]
            value = body.number(e)
            if isinstance(value, Real) or not value.whole:
                body.fail("true", WRONG)
                continue
            if value.lo < v.low or value.hi > v.high:
                above = body.op(f"sub i64 {value.num}, {v.low}")
                body.fail(body.op(f"icmp ugt i64 {above}, {v.high - v.low}"), WRONG)
            old = body.read(variable)
            if old.lo == old.hi:
                fixed_changes[w] -= old.lo << shift
                change = value.num
                if value.lo == value.hi:
                    fixed_changes[w] += value.lo << shift
                    continue
            elif value.num == old.num:
                continue
            else:
                change = body.op(f"sub i64 {value.num}, {old.num}")
            if shift:
                change = body.op(f"shl i64 {change}, {shift}")
            changes[w] = body.op(f"add i64 {changes[w]}, {change}") if changes[w] else change
        for w, fixed_change in enumerate(fixed_changes):
            known = (fixed_change + (1 << 63)) % (1 << 64) - (1 << 63)
            if not changes[w]:
                changes[w] = str(known)
            elif known:
                changes[w] = body.op(f"add i64 {changes[w]}, {known}")
        return changes

    def _write_rewards(self) -> None:
        for r, structure in enumerate(self.program.rewards):
            grouped: dict[str | None, list[RewardItem]] = {}
            for item in structure.items:
                grouped.setdefault(item.action, []).append(item)
            for action, items in grouped.items():
                name = f"reward{len(self.reward_names)}"
                self.reward_names[r, action] = name
                pairs = [(item.guard, item.value) for item in items]
                self.functions.append(sum_function(name, self.layout, pairs, self.mode == REALS))


def _expand(root: str, native: Native) -> str:
    """The function that expands the states from first to last; it returns how many it did.

    It stops early before a state for which the buffers may be too small, and at one with an error.
    """
    field = [f"%p{k} = getelementptr i64, ptr %ctx, i64 {k}" for k in range(8)]
    lines = [
        "entry:",
        *field,
        f"%records_room = load i64, ptr %p{RECORDS_ROOM}",
        f"%outcomes_room = load i64, ptr %p{OUTCOMES_ROOM}",
        f"%ends = load ptr, ptr %p{ENDS_AT}",
        "br label %head",
        "head:",
        "%s = phi i64 [%first, %entry], [%s2, %next]",
        "%done = sub i64 %s, %first",
        "%more = icmp slt i64 %s, %last",
        "br i1 %more, label %room, label %end",
        "room:",
        f"%records = load i64, ptr %p{RECORDS}",
        f"%outcomes = load i64, ptr %p{OUTCOMES}",
        f"%records2 = add i64 %records, {native.records_a_state}",
        f"%outcomes2 = add i64 %outcomes, {native.outcomes_a_state}",
        "%fit1 = icmp sle i64 %records2, %records_room",
        "%fit2 = icmp sle i64 %outcomes2, %outcomes_room",
        "%fit = and i1 %fit1, %fit2",
        "br i1 %fit, label %go, label %end",
        "go:",
        f"%at = mul i64 %s, {native.layout.words}",
        "%state = getelementptr i64, ptr %states, i64 %at",
        f"call void @{root}(ptr %ctx, ptr %state)",
        f"%errors = load i64, ptr %p{ERRORS}",
        "%bad = icmp ne i64 %errors, 0",
        "br i1 %bad, label %end, label %next",
        "next:",
        "%to = getelementptr i64, ptr %ends, i64 %done",
        f"%now = load i64, ptr %p{RECORDS}",
        "store i64 %now, ptr %to",
        "%s2 = add i64 %s, 1",
        "br label %head",
        "end:",
        "ret i64 %done",
    ]
    text = "\n".join(lines)
    head = "i64 @expand(ptr %ctx, ptr %states, i64 %first, i64 %last)"
    return f"define {head} {{\n{text}\n}}\n"
