"""The kernels of turns, written for one board.

The joint distribution of N tokens is one array of S^N numbers, an axis a token. A turn of player
p multiplies each fibre along axis p by a matrix that depends only on the squares `occ` of the
other tokens. With the integer weights w of the throws, D their total, and z the part of the
fibre that throws, a forward turn is

    y[q] = (sum of w(o -> q) z[o] over throws whose tested square is free + n[q] z[q]) / D
           + what rests and ends in q,

where n[q] = sum over the squares s in occ of the weight of throws from q that s blocks. A backward
turn is the transpose. The kernels are written for one board: weights are constants, a fibre is in
the registers of one thread, and n comes packed, several counts a word, from a table in shared
memory. Division by D is a multiplication by 1/D in two parts, so that no constant is rounded.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from oddsmith.rules.board.track import ANY, FINISH, Track
from oddsmith.solve.lattice.cuda.layout import REAL, Tuning, in_registers, row_length
from oddsmith.solve.lattice.cuda.pieces import (
    ACCESS,
    FAR_COUNTS,
    FENCE,
    NEAR_COUNTS,
    PLACES,
    PRELUDE,
    STRIDED,
    TABLES,
    TILED,
    TILED_END,
)

MOST_COUNTS = 4096
"""A larger table of counts is read where it is."""

Kind = Literal["forward", "visits", "backward"]


class Source:
    """Writes the kernels of one board."""

    def __init__(self, track: Track, players: int, dtype: str, tuning: Tuning) -> None:
        self.track = track
        self.others = players - 1
        self.row = row_length(track, dtype)
        self.real = REAL[dtype]
        self.item = np.dtype(dtype).itemsize
        self.tuning = tuning
        self.registers = in_registers(track, dtype)
        self.wide = self.fibres(last=False) >= 1 << 31
        total = track.total
        self.bits = next(bits for bits in (8, 16, 32, 64) if total < 1 << bits)
        self.fields = max(1, 32 // self.bits)
        self.entries = [
            (int(s), int(t), int(tested), int(weight))
            for s, t, tested, weight in zip(
                track.source, track.target, track.tested, track.weight, strict=True
            )
        ]

    def fibres(self, last: bool) -> int:
        """How many fibres a turn has; across padded rows, those of padding are among them."""
        count = int(self.track.size**self.others)
        return count if last or not self.others else count // self.track.size * self.row

    def inner(self, behind: int) -> int:
        """Numbers from one number of a fibre to the next, so many axes behind the mover's."""
        return int(self.track.size ** (behind - 1)) * self.row if behind else 1

    def shared_bytes(self, kind: Kind, last: bool) -> int:
        """Dynamic shared memory of a kernel, a tile and what else there is a number and thread."""
        threads, size = self.tuning.threads, self.track.size
        if last and self.registers:
            tile = threads * (size | 1) * self.item
        else:
            tile = threads * size * self.item if kind == "backward" or not self.registers else 0
        tile = -(-tile // 16) * 16
        return tile + (threads * size * 8 if kind == "visits" else 0)

    def kernel(self, kind: Kind, last: bool) -> str:
        """The source of one kernel, named `turn`, for a mover whose axis is the last, or is not.

        Fibres along the last axis lie in one piece, and go by way of a tile in shared memory.
        """
        forward = kind != "backward"
        tiled = last and self.registers
        arguments = (
            "double* __restrict__ partial" if forward else "real win_reward, real throw_reward"
        )
        body = self._forward(kind == "visits") if forward else self._backward(last)
        return "\n".join(
            [
                self._prelude(last),
                self._places(last),
                f'extern "C" __global__ void __launch_bounds__(T, {self.tuning.blocks})',
                f"turn(real* __restrict__ a, int behind, step_t inner, {arguments})",
                "{",
                NEAR_COUNTS if len(self._counts()) <= MOST_COUNTS else FAR_COUNTS,
                TABLES,
                *self._declarations(kind, last),
                TILED if tiled else STRIDED,
                *self._others(last),
                *([] if tiled else [self._base(last)]),
                "const step_t step = steps;",
                *body,
                TILED_END if tiled else "    }",
                *self._sums(kind),
                "}",
            ]
        )

    def _prelude(self, last: bool) -> str:
        exact = Fraction(1, self.track.total)
        high = float(np.dtype(f"float{8 * self.item}").type(1 / self.track.total))
        low = float(exact - Fraction(high))
        high_text, low_text = self._literal(high), self._literal(low)
        magic = self.real == "double" and self.bits < 64
        return PRELUDE.format(
            real=self.real,
            fibre="unsigned long long" if self.wide else "unsigned",
            word="unsigned long long" if self.bits == 64 else "unsigned",
            size=self.track.size,
            row=self.row,
            pitch=self.track.size | 1,
            threads=self.tuning.threads,
            fibres=self.fibres(last),
            fma="fma" if self.real == "double" else "fmaf",
            masks=", ".join(f"{mask:#x}ull" for mask in self._mask_words()),
            counts=", ".join(f"{count}u" + "ll" * (self.bits == 64) for count in self._counts()),
            divided=f"FMA(sum, {high_text}, sum * {low_text})" if low else f"sum * {high_text}",
            unpacked="__hiloint2double(0x43300000, (int) count) - 4503599627370496.0"
            if magic
            else "(real) count",
        )

    def _mask_words(self) -> list[int]:
        """The occupancy mask of each position, and of no token: word after word of 64 squares."""
        square = [int(number) for number in self.track.square]
        found = []
        for word in range(-(-self.track.squares // 64)):
            found += [1 << s % 64 if s // 64 == word else 0 for s in square]
            found.append(0)
        return found

    def _counts(self) -> list[int]:
        """Weights blocked by a token in each position, packed; the column S is of no token."""
        track = self.track
        blocked = np.zeros((track.size, track.squares), np.int64)
        for source, _, tested, weight in self.entries:
            if tested != ANY:
                blocked[source, tested] += weight
        found = []
        for first in range(0, track.size, self.fields):
            rows = blocked[first : first + self.fields]
            columns = rows[:, track.square].T
            found += [sum(int(n) << self.bits * i for i, n in enumerate(c)) for c in columns]
            found.append(0)
        return found

    def _places(self, last: bool) -> str:
        """Macros: where numbers are read, written and set aside."""
        if last and self.registers:
            lines = [
                PLACES.format(period=self.row // math.gcd(self.row, self.tuning.threads)),
                "#define READ(q) tile[threadIdx.x * PITCH + q]",
                "#define WRITE(q, v) tile[threadIdx.x * PITCH + q] = v",
                "#define ASIDE(q) tile[threadIdx.x * PITCH + q]",
            ]
        else:
            lines = [
                self._access(),
                "#define READ(q) load(ahead(base, step, q * sizeof(real)))",
                "#define WRITE(q, v) store(ahead(base, again, q * sizeof(real)), v)",
                "#define ASIDE(q) tile[q * T + threadIdx.x]",
            ]
        offset = self.shared_bytes("forward", last)
        lines.append(f"#define SEEN ((double*) (room + {offset}) + threadIdx.x)")
        return "\n".join(lines)

    def _access(self) -> str:
        double = self.real == "double"
        return ACCESS.format(
            mad="lo.u64" if self.wide else "wide.u32",
            step="l" if self.wide else "r",
            ptx="f64" if double else "f32",
            x="d" if double else "f",
        )

    def _declarations(self, kind: Kind, last: bool) -> list[str]:
        lines = []
        if self.shared_bytes("backward" if kind == "backward" else "forward", last):
            volatile = "" if self.registers else "volatile "
            lines.append(f"    {volatile}real* const tile = ({volatile}real*) room;")
        if kind != "backward":
            lines += [
                "    __shared__ double sums[6 * T];",
                "    for (unsigned i = threadIdx.x; i < 6 * T; i += T) sums[i] = 0;",
                "    double* const finished = sums + threadIdx.x;",
                "    double* const threw = finished + T, *const rested = threw + T;",
            ]
        if kind == "visits":
            lines.append("    for (unsigned q = 0; q < S; ++q) SEEN[q * T] = 0;")
        return lines

    def _others(self, last: bool) -> list[str]:
        """Where the others stand: occupied squares, columns of the counts, the fibre's place.

        A fibre of padding is one where the last token stands nowhere.
        """
        words = range(-(-self.track.squares // 64))
        lines = ["fibre_t left = f, above = 0;"]
        lines.append("mask_t " + ", ".join(f"occ{word} = 0" for word in words) + ";")
        for k in range(self.others):
            seen = " | ".join(f"(occ{word} & m{word})" for word in words)
            row = "S" if k or last else "ROW"
            lines += [
                f"if (behind == {k}) above = left;",
                f"unsigned at{k} = (unsigned) (left % {row}); left /= {row};",
                *(["if (at0 > S) at0 = S;"] if row == "ROW" else []),
                "{ "
                + " ".join(
                    f"const mask_t m{word} = masks[{word} * (S + 1) + at{k}];" for word in words
                ),
                f"  if ({seen}) at{k} = S; "
                + " ".join(f"occ{word} |= m{word};" for word in words)
                + " }",
            ]
        return lines

    def _base(self, last: bool) -> str:
        """The address of a fibre's first number."""
        place = "(address_t) f * ROW" if last else "f + (address_t) above * inner * (S - 1)"
        return f"const address_t base = (address_t) __cvta_generic_to_global(a + ({place}));"

    def _forward(self, visits: bool) -> list[str]:
        track = self.track
        lines = [*(self._read(o) for o in range(track.size)), FENCE]
        for o in _where(track.hold):
            alone = f"{self._taken(track.square[o])} ? (real) 0 : {self._x(o)}"
            lines += [f"const real held{o} = {alone};", f"{self._x(o)} -= held{o};"]
        lines += self._forward_sums()
        for q in range(track.size):
            lines += [*self._count_word(q), *self._landing(q, visits)]
        return lines

    def _forward_sums(self) -> list[str]:
        track = self.track
        waiting = _where(track.rest >= 0)
        threw = [f"(double) {self._x(o)}" for o in range(track.size) if o not in waiting]
        rested = [f"(double) {self._x(o)}" for o in waiting]
        rested += [f"(double) held{o}" for o in _where(track.hold)]
        groups = self._groups(FINISH, None)
        return [
            "{",
            *self._gathered("double", "done", groups),
            f"add(finished, done * {1 / track.total!r});",
            "}",
            f"add(threw, {_tree(threw)});",
            *([f"add(rested, {_tree(rested)});"] if rested else []),
        ]

    def _landing(self, q: int, visits: bool) -> list[str]:
        """What comes to position q: throws from elsewhere, then what stays."""
        track = self.track
        lines = ["{", *self._gathered("real", "sum", self._groups(q, q))]
        if visits:
            lines.append(f"SEEN[{q} * T] += (double) divided(sum);")
        if self._blockable(q):
            lines.append(f"sum = FMA({self._count(q)}, {self._x(q)}, sum);")
        for source, target, tested, weight in self.entries:
            if source == target == q:
                stays = f"FMA({self._literal(weight)}, {self._x(q)}, sum)"
                free = f"{self._taken(tested)} ? sum : " if tested != ANY else ""
                lines.append(f"sum = {free}{stays};")
        more = [f" + {self._x(o)}" for o in _where(track.rest == q)]
        more += [f" + held{q}"] if track.hold[q] else []
        return [*lines, f"WRITE({q}, divided(sum){''.join(more)});", "}"]

    def _groups(self, target: int, but: int | None) -> dict[int, list[tuple[str, int]]]:
        """Throws to a target, by tested square, as (what throws, weight)."""
        found: dict[int, list[tuple[str, int]]] = {}
        for source, entry_target, tested, weight in self.entries:
            if entry_target == target and source != but:
                found.setdefault(tested, []).append((self._x(source), weight))
        return found

    def _gathered(
        self, real: str, name: str, groups: dict[int, list[tuple[str, int]]]
    ) -> list[str]:
        """Declare the sum of weight * value over groups whose tested square is free."""
        fma = "FMA" if real == "real" else "fma"
        lines = [f"{real} {name} = 0;"]
        for tested, terms in sorted(groups.items(), reverse=True):
            if tested != ANY:
                lines.append(f"{{ {real} part = 0;")
            chain = "part" if tested != ANY else name
            for value, weight in terms:
                literal = self._literal(weight) if real == "real" else f"{weight}.0"
                lines.append(f"{chain} = {fma}({literal}, ({real}) {value}, {chain});")
            if tested != ANY:
                lines.append(f"{name} += {self._taken(tested)} ? ({real}) 0 : part; }}")
        return lines

    def _backward(self, last: bool) -> list[str]:
        track = self.track
        paid = "" if last or self.row == track.size else "at0 == S ? (real) 0 : "
        lines = [f"const real win = {paid}win_reward, reward = {paid}throw_reward;"]
        for q in range(track.size):
            lines.append(self._read(q))
            if self.registers and self._masked(q):
                taken = self._taken(track.square[q])
                lines += [
                    f"ASIDE({q}) = x{q};",
                    f"const real free{q} = {taken} ? (real) 0 : x{q};",
                ]
        lines.append(FENCE)
        for o in range(track.size):
            lines += [*self._count_word(o), *self._value(o)]
        return lines

    def _value(self, o: int) -> list[str]:
        """What a position is worth before its turn."""
        track = self.track
        if track.rest[o] >= 0:
            return [f"WRITE({o}, {self._x(track.rest[o])});"]
        own = f"ASIDE({o})" if self.registers and self._masked(o) else self._x(o)
        lines = ["{", f"const real own = {own};", "real sum = 0;"]
        for source, target, tested, weight in self.entries:
            if source == o:
                value = self._worth(o, target, tested)
                lines.append(f"sum = FMA({self._literal(weight)}, {value}, sum);")
        if self._blockable(o):
            lines.append(f"sum = FMA({self._count(o)}, own, sum);")
        value = "reward + divided(sum)"
        if track.hold[o]:
            value = f"{self._taken(track.square[o])} ? {value} : own"
        return [*lines, f"WRITE({o}, ({value}));", "}"]

    def _worth(self, o: int, target: int, tested: int) -> str:
        """What a throw from o is worth if it is played, else 0."""
        track = self.track
        if target == FINISH:
            value = "win"
        elif self.registers and target >= 0 and tested == track.square[target]:
            return f"free{target}"
        else:
            value = "own" if target == o else self._x(target)
        return value if tested == ANY else f"({self._taken(tested)} ? (real) 0 : {value})"

    def _masked(self, q: int) -> bool:
        square = int(self.track.square[q])
        return any(target == q and tested == square for _, target, tested, _ in self.entries)

    def _blockable(self, o: int) -> bool:
        return self.others > 0 and any(s == o and t != ANY for s, _, t, _ in self.entries)

    def _read(self, q: int) -> str:
        return f"real x{q} = READ({q});" if self.registers else f"ASIDE({q}) = READ({q});"

    def _x(self, q: int) -> str:
        return f"x{q}" if self.registers else f"ASIDE({q})"

    def _taken(self, square: int) -> str:
        return f"(occ{square // 64} & {1 << int(square) % 64:#x}ull)"

    def _literal(self, value: float) -> str:
        return repr(float(value)) + "f" * (self.real == "float")

    def _count_word(self, o: int) -> list[str]:
        """Load the counts of a position and its neighbours, added up over the others."""
        fields = range(o, min(o + self.fields, self.track.size))
        if o % self.fields or not any(self._blockable(field) for field in fields):
            return []
        row = o // self.fields * (self.track.size + 1)
        words = " + ".join(f"counts[{row} + at{k}]" for k in range(self.others))
        return [f"const word_t word{o // self.fields} = {words};"]

    def _count(self, o: int) -> str:
        word, field = f"word{o // self.fields}", o % self.fields
        if self.fields == 1:
            return f"unpacked({word})"
        limit = (1 << self.bits) - 1
        return f"unpacked(({word} >> {self.bits * field}) & {limit}u)"

    def _sums(self, kind: Kind) -> list[str]:
        """Leave a block's sums: finished, threw, rested, and the arrivals."""
        if kind == "backward":
            return []
        width = 3 + self.track.size * (kind == "visits")
        columns, seen = f"partial + blockIdx.x * {width}", "SEEN - threadIdx.x"
        lines = [f"    for (unsigned i = 0; i < 3; ++i) leave(sums + i * T, {columns} + i);"]
        if kind == "visits":
            leave = f"leave({seen} + q * T, {columns} + 3 + q)"
            lines.append(f"    for (unsigned q = 0; q < S; ++q) {leave};")
        return lines


def _where(chosen: Any) -> list[int]:
    return [int(position) for position in np.nonzero(chosen)[0]]


def _tree(terms: list[str]) -> str:
    """A sum as a balanced tree."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return f"({_tree(terms[:half])} + {_tree(terms[half:])})"
