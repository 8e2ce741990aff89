"""A program as machine code: a function that expands states, one for every label and reward.

`expand` looks at packed states one by one and writes a record for every command that is enabled
(a slot: a command as a part of a joint) and, where it is not known beforehand, what the command's
updates do: the change to every word of the state, and the chance. Everything that does not depend
on the state is in tables instead (`Slots`): an update such as `1/6 : (x'=3)` is a mask, a value and
a chance, and costs no instruction. How the parts of a joint combine is left to `filler.py`.

Functions are small, one for the updates of a command, and split where they would grow: the
compiler takes more than twice as long for twice as long a function.
"""

from __future__ import annotations

from functools import cached_property

from oddsmith.model.native.machine import Machine
from oddsmith.model.native.numbers import table
from oddsmith.model.prism.dispatch import Node, all_of, any_of, split, wanted_by
from oddsmith.model.prism.emit import Body
from oddsmith.model.prism.guards import Bounds, operands
from oddsmith.model.prism.jit import defined, sum_function, truth_function
from oddsmith.model.prism.slots import EXACT, REALS, Slots
from oddsmith.model.prism.updates import (
    ERRORS,
    OUTCOMES,
    RECORDS,
    RECORDS_AT,
    Updates,
    enter_function,
    expand_function,
    load,
    store,
    store_errors,
)
from oddsmith.model.variables import Layout
from oddsmith.model.variables import Variable as Field
from oddsmith.rules.prism.program import Program, RewardItem

CHUNK = 48
"""Guards tested in one function."""

LOOK_UP = 8
"""From so many cases on, a switch to one command each is a table."""


def layout_of(program: Program) -> Layout:
    """Where the variables of a program lie in packed states."""
    return Layout([Field(v.name, v.low, v.high, v.is_bool) for v in program.variables])


class Native:
    """A compiled program."""

    def __init__(self, program: Program, mode: int = EXACT, rewards: bool = True) -> None:
        self.program, self.mode = program, mode
        self.layout = layout_of(program)
        self.slots = Slots(program, self.layout, mode)
        self.functions: list[str] = []
        self._names = 0
        self._updates: dict[int, str] = {}
        self._writer = Updates(program, self.layout, self.slots.chances, mode)
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
        self.machine = Machine("\n".join(self.functions), speed=0)
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
        self.functions.append(enter_function(self.layout.words))
        self.functions.append(
            expand_function(root, self.layout.words, self.records_a_state, self.outcomes_a_state)
        )

    def _tree(self, node: Node[int], facts: Bounds) -> str:
        """A function that looks at the slots and joints of a tree; its name."""
        name = self._name()
        body = self._body(facts)
        self._node(body, node, facts)
        body.do("ret void")
        self.functions.append(defined(f"internal void @{name}(ptr %ctx, ptr %state)", body))
        return name

    def _node(self, body: Body, node: Node[int], facts: Bounds) -> None:
        if len(node.here) > CHUNK:
            for i in range(0, len(node.here), CHUNK):
                name = self._tree(Node(node.here[i : i + CHUNK]), facts)
                body.do(f"call void @{name}(ptr %ctx, ptr %state)")
        else:
            for item in node.here:
                self._item(body, item)
        if node.variable is not None:
            known = self._table(node, facts)
            if known is not None:
                self._look_up(body, node.variable, *known)
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
        body.do(f"switch i64 {number.ref}, label %{after} [{listed}]")
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

    def _table(self, node: Node[int], facts: Bounds) -> tuple[str, int, int, int] | None:
        """A table of slots, if every case is one known command: name, bits, least value, size."""
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
        low, size = values[0], values[-1] - values[0] + 1
        slots = [node.cases[x].here[0] if x in node.cases else -1 for x in range(low, low + size)]
        name = f"@{self._name()}"
        text, bits = table(name, slots)
        self.functions.append(text)
        return name, bits, low, size

    def _look_up(
        self, body: Body, variable: int, name: str, bits: int, low: int, size: int
    ) -> None:
        at = body.op(f"sub i64 {body.read(variable).ref}, {low}")
        inside = body.op(f"icmp ult i64 {at}, {size}")
        at = body.op(f"select i1 {inside}, i64 {at}, i64 0")
        slot = body.entry(name, bits, at)
        found = body.both(inside, body.op(f"icmp sge i64 {slot}, 0"))
        self._record(body, slot, found)

    def _item(self, body: Body, item: int) -> None:
        """Look at one slot, or at a joint of several parts (its complement)."""
        if item < 0:
            body.do(f"call void @{self._joint(~item)}(ptr %ctx, ptr %state)")
            return
        guard = body.truth(self.program.commands[self.slots.commands[item]].guard)
        store_errors(body)
        self._enter(body, item, guard)

    def _enter(self, body: Body, slot: int, guard: str = "true") -> None:
        """Write the record of a slot where its guard holds."""
        command = self.slots.commands[slot]
        if guard == "false":
            return
        if self.slots.known[command] is not None:
            self._record(body, str(slot), guard)
            return
        if command not in self._updates:
            self._updates[command] = f"u{command}"
            self.functions.append(self._writer.function(f"u{command}", command))
        call = f"call void @enter(ptr %ctx, ptr %state, i64 {slot}, ptr @{self._updates[command]})"
        if guard == "true":
            body.do(call)
            return
        yes, after = self._name(), self._name()
        body.do(f"br i1 {guard}, label %{yes}, label %{after}")
        body.do(f"{yes}:")
        body.do(call)
        body.do(f"br label %{after}")
        body.do(f"{after}:")

    def _record(self, body: Body, slot: str, when: str) -> None:
        """A record for what is in the tables; written always, counted where `when` holds."""
        used = load(body, RECORDS)
        base = load(body, RECORDS_AT)
        at = body.op(f"getelementptr [2 x i64], ptr {base}, i64 {used}")
        body.do(f"store i64 {slot}, ptr {at}")
        one = "1" if when == "true" else body.op(f"zext i1 {when} to i64")
        store(body, RECORDS, body.op(f"add i64 {used}, {one}"))

    def _joint(self, j: int) -> str:
        """A function for a joint of several parts: all of them have records, or none has."""
        name, none = self._name(), self._name()
        body = self._body()
        start = {field: load(body, field) for field in (RECORDS, OUTCOMES, ERRORS)}
        parts = self.slots.of_joint[j]
        alone = [part[0] for part in parts if len(part) == 1]
        if alone:
            guards = [self.program.commands[self.slots.commands[k]].guard for k in alone]
            self._leave_unless(body, body.conjunction(guards), none)
        for part in parts:
            if len(part) == 1:
                continue
            before = load(body, RECORDS)
            node = split([(k, self._guards[self.slots.commands[k]]) for k in part])
            self._node(body, node, {})
            found = body.op(f"icmp ne i64 {before}, {load(body, RECORDS)}")
            self._leave_unless(body, found, none)
        for k in alone:
            self._enter(body, k)
        body.do("ret void")
        body.do(f"{none}:")
        for field, value in start.items():
            store(body, field, value)
        body.do("ret void")
        self.functions.append(defined(f"internal void @{name}(ptr %ctx, ptr %state)", body))
        return name

    def _leave_unless(self, body: Body, test: str, none: str) -> None:
        store_errors(body)
        go = self._name()
        body.do(f"br i1 {test}, label %{go}, label %{none}")
        body.do(f"{go}:")

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
