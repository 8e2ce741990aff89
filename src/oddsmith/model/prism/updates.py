"""The functions that write what commands do in a state, and the frame they write to."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from oddsmith.model.native.numbers import fixed, literal
from oddsmith.model.prism.arithmetic import NotRationalError
from oddsmith.model.prism.emit import Body
from oddsmith.model.prism.guards import narrowed
from oddsmith.model.prism.instructions import Number, Real, known_number
from oddsmith.model.prism.jit import defined, store_number
from oddsmith.model.prism.slots import EXACT, REALS
from oddsmith.model.variables import Layout
from oddsmith.rules.prism.program import Program, Update

RECORDS, OUTCOMES, ERRORS, RECORDS_AT, OUTCOMES_AT, RECORDS_ROOM, OUTCOMES_ROOM, ENDS_AT = range(8)
"""The frame that `expand` shares with its caller, an array of i64: how many records and outcomes
there are, error bits, the buffers and their sizes, and where each state's last record is noted.

A record is two words: the slot with the first outcome shifted by 32, and the end of the outcomes
(only where they are not in the tables). An outcome is the changes of all words, then the chance:
numerator and denominator, or the bits of a double and 0."""


def load(body: Body, number: int) -> str:
    """Read from the frame."""
    kind = "ptr" if number in (RECORDS_AT, OUTCOMES_AT, ENDS_AT) else "i64"
    return body.op(f"load {kind}, ptr {body.place('%ctx', number)}")


def store(body: Body, number: int, value: str) -> None:
    """Write to the frame."""
    body.put(value, "%ctx", number)


def store_errors(body: Body) -> None:
    """Add the errors so far to those in the frame."""
    errors = body.take_errors()
    if errors is not None:
        before = load(body, ERRORS)
        store(body, ERRORS, body.op(f"or i64 {before}, {errors}"))


class Updates:
    """Writes a function for the updates of every command that the tables do not have."""

    def __init__(
        self,
        program: Program,
        layout: Layout,
        chances: Sequence[Sequence[Fraction | None]],
        mode: int,
    ) -> None:
        self.program, self.layout, self.chances, self.mode = program, layout, chances, mode

    def function(self, name: str, number: int) -> str:
        """A function that writes the outcomes of a command to %out; it returns how many."""
        command, chances = self.program.commands[number], self.chances[number]
        body = Body(self.layout, reals=self.mode == REALS)
        body.bounds = narrowed(command.guard, self.layout)
        common = None
        if self.mode == EXACT and None not in chances:
            # One denominator for all, so that they are summed without a multiplication.
            common = lcm(*(chance.denominator for chance in chances if chance is not None))
        begin, used, passed = "%out", "0", 0
        for update, known in zip(command.updates, chances, strict=True):
            chance = self._chance(body, update, known, common)
            some = self._some(body, chance)
            if some == "false":
                continue
            self._outcome(body, update, chance, some, begin, passed)
            if some == "true":
                passed += 1
            else:
                one = body.op(f"zext i1 {some} to i64")
                used = body.op(f"add i64 {used}, {one}")
                used = body.op(f"add i64 {used}, {passed}") if passed else used
                stride = self.layout.words + 2
                begin = body.op(f"getelementptr [{stride} x i64], ptr %out, i64 {used}")
                passed = 0
        store_errors(body)
        if used == "0":
            used = str(passed)
        elif passed:
            used = body.op(f"add i64 {used}, {passed}")
        body.do(f"ret i64 {used}")
        return defined(f"internal i64 @{name}(ptr %ctx, ptr %state, ptr %out)", body)

    def _chance(
        self, body: Body, update: Update, known: Fraction | None, common: int | None
    ) -> Number | Real:
        if known is not None and common is not None and common < 1 << 31:
            n = known.numerator * (common // known.denominator)
            return known_number(n, common)
        chance = body.number(update.chance)
        if self.mode != EXACT:
            return body.real(chance)
        if isinstance(chance, Real):
            raise NotRationalError
        return chance

    @staticmethod
    def _some(body: Body, chance: Number | Real) -> str:
        """Whether there is a chance at all; a negative one is an error."""
        if isinstance(chance, Number):
            body.fail_if(body.compare("slt", chance.num, fixed(0)))
            return body.holds(chance.num)
        positive = body.op(f"fcmp oge double {chance.ref}, {literal(0.0)}")
        body.fail_if(body.negate(positive))
        return body.op(f"fcmp ogt double {chance.ref}, {literal(0.0)}")

    def _outcome(
        self, body: Body, update: Update, chance: Number | Real, some: str, begin: str, passed: int
    ) -> None:
        """Write one outcome, the next after `passed` others from `begin` on."""
        words = self.layout.words
        changes = body.under(some, lambda: self._changes(body, update))
        where = [begin] * (words + 2)
        for k in range(words + 2):
            if offset := passed * (words + 2) + k:
                where[k] = body.op(f"getelementptr i64, ptr {begin}, i64 {offset}")
        for w in range(words):
            body.do(f"store i64 {changes[w]}, ptr {where[w]}")
        store_number(body, chance, where[words], where[words + 1])

    def _changes(self, body: Body, update: Update) -> list[str]:
        """What an update adds to every word of the state."""
        layout = self.layout
        known, changes = [0] * layout.words, [""] * layout.words
        for variable, e in update.assign:
            v, w, shift = layout.variables[variable], layout.word[variable], layout.shift[variable]
            number = body.number(e)
            if isinstance(number, Real) or not number.whole:
                body.fail_if("true")
                continue
            value = number.num
            if value.low < v.low or value.high > v.high:
                above = body.op(f"sub i64 {value.ref}, {v.low}")
                body.fail_if(body.op(f"icmp ugt i64 {above}, {v.high - v.low}"))
            old = body.read(variable)
            if old.low == old.high:
                known[w] -= old.low << shift
                if value.low == value.high:
                    known[w] += value.low << shift
                    continue
                change = value.ref
            elif value.ref == old.ref:
                continue
            else:
                change = body.op(f"sub i64 {value.ref}, {old.ref}")
            if shift:
                change = body.op(f"shl i64 {change}, {shift}")
            changes[w] = body.op(f"add i64 {changes[w]}, {change}") if changes[w] else change
        for w in range(layout.words):
            signed = (known[w] + (1 << 63)) % (1 << 64) - (1 << 63)
            if not changes[w]:
                changes[w] = str(signed)
            elif signed:
                changes[w] = body.op(f"add i64 {changes[w]}, {signed}")
        return changes


def enter_function(words: int) -> str:
    """The function that writes the record of a slot, and has its outcomes written."""
    return f"""define internal void @enter(ptr %ctx, ptr %state, i64 %slot, ptr %update) {{
entry:
%p1 = getelementptr i64, ptr %ctx, i64 {OUTCOMES}
%used = load i64, ptr %p1
%p2 = getelementptr i64, ptr %ctx, i64 {OUTCOMES_AT}
%base = load ptr, ptr %p2
%out = getelementptr [{words + 2} x i64], ptr %base, i64 %used
%many = call i64 %update(ptr %ctx, ptr %state, ptr %out)
%end = add i64 %used, %many
store i64 %end, ptr %p1
%p3 = getelementptr i64, ptr %ctx, i64 {RECORDS}
%records = load i64, ptr %p3
%p4 = getelementptr i64, ptr %ctx, i64 {RECORDS_AT}
%first = load ptr, ptr %p4
%at = getelementptr [2 x i64], ptr %first, i64 %records
%high = shl i64 %used, 32
%record = or i64 %high, %slot
store i64 %record, ptr %at
%at2 = getelementptr i64, ptr %at, i64 1
store i64 %end, ptr %at2
%more = add i64 %records, 1
store i64 %more, ptr %p3
ret void
}}
"""


def expand_function(root: str, words: int, records: int, outcomes: int) -> str:
    """The function that expands the states from first to last; it returns how many it did.

    It stops early before a state for which the buffers may be too small, and at one with an error.
    `root` looks at one state; a state has so many words, and at most so many records and outcomes.
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
        f"%records2 = add i64 %records, {records}",
        f"%outcomes2 = add i64 %outcomes, {outcomes}",
        "%fit1 = icmp sle i64 %records2, %records_room",
        "%fit2 = icmp sle i64 %outcomes2, %outcomes_room",
        "%fit = and i1 %fit1, %fit2",
        "br i1 %fit, label %go, label %end",
        "go:",
        f"%at = mul i64 %s, {words}",
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
