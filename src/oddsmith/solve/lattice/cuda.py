"""Lattice sweeps on a CUDA device: one turn of one player, in place, at the speed of its memory.

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

On the device the rows of the last axis are padded with zeros to whole sectors, the pieces in which
memory moves: rows of S = 47 numbers begin in the middle of one, which costs a third of the speed
on every other axis. Padding stays zero (a forward turn is linear, a backward turn gains nothing
there), and indices are those of the S^N numbers.

Sums are added in the same order every time, so results have the same bits in every run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, Literal

import numpy as np

from oddsmith.errors import LimitError, MissingExtraError
from oddsmith.rules.board.track import ANY, FINISH, Track

SCRATCH = 16 << 20
"""Bytes beside the array: partial sums, the ledger of turns."""
LEDGER = 8192
"""Turns whose sums are kept on the device between two synchronizations."""
GRAPH_TURNS = 64
"""About as many turns are launched at once."""
REGISTERS = 65536
SHARED = 227 << 10
"""Registers and bytes of shared memory of a multiprocessor."""
FEW_FIBRES = 1 << 15
"""Up to here blocks are small, so that more multiprocessors have one."""
SECTOR = 32
"""Bytes of memory that move as one."""
MOST_POSITIONS = 384
"""Fibres longer than this do not fit into shared memory."""
MOST_COUNTS = 4096
"""A larger table of counts is read where it is."""

Kind = Literal["forward", "visits", "backward"]


@dataclass(frozen=True)
class Tuning:
    """How a turn is laid out: threads a block, and blocks that share a multiprocessor."""

    threads: int
    blocks: int


def row_length(track: Track, dtype: str) -> int:
    """Numbers from one row of the last axis to the next: S, rounded up to whole sectors."""
    sector = SECTOR // np.dtype(dtype).itemsize
    return -(-track.size // sector) * sector


def padded_size(track: Track, players: int, dtype: str) -> int:
    """Numbers in the array on the device, padding and all."""
    return int(track.size ** (players - 1)) * row_length(track, dtype)


def tuning_for(track: Track, players: int, dtype: str) -> Tuning:
    """A layout for a board: as many threads as have their fibres in registers at once."""
    item = np.dtype(dtype).itemsize
    threads = 32 if track.size ** (players - 1) <= FEW_FIBRES else 128
    if not in_registers(track, dtype):
        while threads > 32 and 2 * threads * track.size * item > SHARED // 2:
            threads //= 2
        return Tuning(threads, 1)
    registers = track.size * item // 4 + (34 if item == 8 else 46)
    return Tuning(threads, max(1, min(1024 // threads, REGISTERS // (threads * registers))))


def in_registers(track: Track, dtype: str) -> bool:
    """Whether a fibre fits into the registers of a thread."""
    return track.size * np.dtype(dtype).itemsize <= 768


PRELUDE = """
typedef {real} real;
typedef {fibre} fibre_t;
typedef unsigned long long mask_t, address_t;
typedef fibre_t step_t;
typedef {word} word_t;
#define S {size}
#define ROW {row}
#define PITCH {pitch}
#define T {threads}
#define FIBRES (({fibre}) {fibres}ull)
#define FMA {fma}

__device__ const mask_t MASKS[] = {{{masks}}};
__device__ const word_t COUNTS[] = {{{counts}}};

__device__ __forceinline__ void add(double* sum, double x) {{
    const double value = sum[0], more = x - sum[3 * T], next = value + more;
    sum[3 * T] = (next - value) - more;
    sum[0] = next;
}}

__device__ __forceinline__ real divided(real sum) {{
    return {divided};
}}

__device__ __forceinline__ real unpacked(word_t count) {{
    return {unpacked};
}}

__device__ __forceinline__ void leave(double* column, double* place) {{
    for (unsigned half = T / 2; half; half /= 2) {{
        __syncthreads();
        if (threadIdx.x < half) column[threadIdx.x] += column[threadIdx.x + half];
    }}
    if (threadIdx.x == 0) *place = column[0];
}}
"""

FENCE = 'asm volatile("" ::: "memory"); const step_t again = steps;'
"""Keeps the compiler from holding addresses, and what was set aside, in registers."""

PLACES = """
#define PERIOD {period}

__device__ __forceinline__ bool padding(unsigned k) {{
    return (k % PERIOD * T + threadIdx.x) % ROW >= S;
}}

__device__ __forceinline__ unsigned place(unsigned k) {{
    const unsigned i = k % PERIOD * T + threadIdx.x, column = i % ROW < S ? i % ROW : S - 1;
    return k / PERIOD * (PERIOD * T / ROW * PITCH) + i / ROW * PITCH + column;
}}
"""
"""Where the number k T + threadIdx.x of T padded rows is in a tile: PERIOD T are whole rows.

For padding it is the number before, so that all threads may read.
"""

ACCESS = """
__device__ __forceinline__ unsigned long long ahead(address_t base, step_t step, step_t bytes) {{
    address_t place;
    asm("mad.{mad} %0, %1, %2, %3;" : "=l"(place) : "{step}"(step), "{step}"(bytes), "l"(base));
    return place;
}}

__device__ __forceinline__ real load(address_t place) {{
    real x;
    asm volatile("ld.global.{ptx} %0, [%1];" : "={x}"(x) : "l"(place));
    return x;
}}

__device__ __forceinline__ void store(address_t place, real x) {{
    asm volatile("st.global.{ptx} [%0], %1;" :: "l"(place), "{x}"(x) : "memory");
}}
"""

TABLES = """
    __shared__ mask_t masks[sizeof(MASKS) / sizeof(mask_t)];
    extern __shared__ __align__(16) unsigned char room[];
    for (unsigned i = threadIdx.x; i < sizeof(MASKS) / sizeof(mask_t); i += T) masks[i] = MASKS[i];
    __shared__ volatile step_t steps;
    if (threadIdx.x == 0) steps = inner;
    __syncthreads();
"""

NEAR_COUNTS = """
    __shared__ word_t counts[sizeof(COUNTS) / sizeof(word_t)];
    for (unsigned i = threadIdx.x; i < sizeof(COUNTS) / sizeof(word_t); i += T)
        counts[i] = COUNTS[i];
"""

FAR_COUNTS = """
    const word_t* const counts = COUNTS;
"""

STRIDED = """
    for (fibre_t f = (fibre_t) blockIdx.x * T + threadIdx.x; f < FIBRES;
         f += (fibre_t) gridDim.x * T) {
"""

TILED = """
    for (fibre_t first = (fibre_t) blockIdx.x * T; first < FIBRES;
         first += (fibre_t) gridDim.x * T) {
        real* const line = a + (unsigned long long) first * ROW + threadIdx.x;
        const unsigned count = (FIBRES - first < T ? (unsigned) (FIBRES - first) : T) * ROW;
        if (count == T * ROW) {
            real loaded[ROW];
            #pragma unroll
            for (unsigned k = 0; k < ROW; ++k) loaded[k] = line[k * T];
            #pragma unroll
            for (unsigned k = 0; k < ROW; ++k)
                if (!padding(k)) tile[place(k)] = loaded[k];
        } else {
            for (unsigned k = 0; k * T + threadIdx.x < count; ++k)
                if (!padding(k)) tile[place(k)] = line[k * T];
        }
        __syncthreads();
        const fibre_t f = first + threadIdx.x;
        if (f < FIBRES) {
"""

TILED_END = """
        }
        __syncthreads();
        #pragma unroll
        for (unsigned k = 0; k < ROW; ++k) {
            const real x = tile[place(k)];
            if (k * T + threadIdx.x < count) line[k * T] = padding(k) ? (real) 0 : x;
        }
        __syncthreads();
    }
"""

COMMON = """
typedef {real} real;
typedef {kept} kept_t;
#define S {size}
#define ROW {row}
#define T 256

struct Sum {{
    double value, error;
    __device__ Sum() : value(0), error(0) {{}}
    __device__ void add(double x) {{
        const double more = x - error, sum = value + more;
        error = (sum - value) - more;
        value = sum;
    }}
}};

__device__ void leave(double value, bool largest, double* partial) {{
    __shared__ double room[T];
    room[threadIdx.x] = value;
    for (unsigned half = T / 2; half; half /= 2) {{
        __syncthreads();
        if (threadIdx.x < half) {{
            const double other = room[threadIdx.x + half];
            room[threadIdx.x] = largest ? fmax(room[threadIdx.x], other)
                                        : room[threadIdx.x] + other;
        }}
    }}
    if (threadIdx.x == 0) *partial = room[0];
    __syncthreads();
}}

#define EACH(i) \\
    for (unsigned long long i = (unsigned long long) blockIdx.x * T + threadIdx.x; i < size; \\
         i += (unsigned long long) gridDim.x * T)

extern "C" __global__ void fill(real* a, unsigned long long size, double value) {{
    EACH(i) a[i] = i % ROW < S ? (real) value : (real) 0;
}}

extern "C" __global__ void sum_up(const real* __restrict__ a, unsigned long long size,
                                  double* partial) {{
    Sum sum;
    #pragma unroll 4
    EACH(i) sum.add(a[i]);
    leave(sum.value, false, partial + blockIdx.x);
}}

extern "C" __global__ void sum_sizes(const real* __restrict__ a, unsigned long long size,
                                double* partial) {{
    Sum sum;
    #pragma unroll 4
    EACH(i) sum.add(fabs((double) a[i]));
    leave(sum.value, false, partial + blockIdx.x);
}}

extern "C" __global__ void largest(const real* __restrict__ a, unsigned long long size,
                                   double* partial) {{
    double most = a[0];
    #pragma unroll 4
    EACH(i) if (i % ROW < S) most = fmax(most, (double) a[i]);
    leave(most, true, partial + blockIdx.x);
}}

extern "C" __global__ void keep(real* __restrict__ a, unsigned long long size,
                                kept_t* __restrict__ kept, double* partial) {{
    Sum sum;
    #pragma unroll 4
    EACH(i) {{
        const real before = a[i];
        const kept_t after = (kept_t) before;
        kept[i] = after;
        a[i] = after;
        sum.add(fabs((double) before - after));
    }}
    leave(sum.value, false, partial + blockIdx.x);
}}

extern "C" __global__ void gap(const real* __restrict__ a, unsigned long long size,
                               const kept_t* __restrict__ kept, double factor, double* partial) {{
    Sum sum;
    #pragma unroll 4
    EACH(i) sum.add(fabs(fma(-factor, (double) kept[i], (double) a[i])));
    leave(sum.value, false, partial + blockIdx.x);
}}

extern "C" __global__ void deflate(real* __restrict__ a, unsigned long long size,
                                   const kept_t* __restrict__ kept, double factor) {{
    #pragma unroll 4
    EACH(i) a[i] = (real) fma(-factor, (double) kept[i], (double) a[i]);
}}

extern "C" __global__ void gather(const double* __restrict__ partial, int blocks, int width,
                                  double* __restrict__ rows, const int* __restrict__ row) {{
    partial += (unsigned long long) blockIdx.x * blocks * width;
    for (int column = 0; column < width; ++column) {{
        double sum = 0;
        for (int block = threadIdx.x; block < blocks; block += T)
            sum += partial[block * width + column];
        leave(sum, false, rows + (unsigned long long) (*row + blockIdx.x) * width + column);
    }}
}}

extern "C" __global__ void advance(int* row, int turns) {{
    *row += turns;
}}
"""


COMMON_KERNELS = (
    "fill", "sum_up", "sum_sizes", "largest", "keep", "gap", "deflate", "gather", "advance"
)  # fmt: skip


class Source:
    """Writes the kernels of one board."""

    def __init__(self, track: Track, players: int, dtype: str, tuning: Tuning) -> None:
        self.track = track
        self.others = players - 1
        self.row = row_length(track, dtype)
        self.real = {"float64": "double", "float32": "float"}[dtype]
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

    def common(self, kept: str) -> str:
        """The source of the kernels over all numbers, copies being kept as `kept`."""
        kept = "double" if kept == "float64" else "float"
        return COMMON.format(real=self.real, kept=kept, size=self.track.size, row=self.row)

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


def _cupy() -> Any:
    """CuPy, if it is installed and finds a device."""
    try:
        cupy = import_module("cupy")
    except ImportError:
        raise MissingExtraError("Sweeps on a GPU need CuPy: pip install 'oddsmith[gpu]'.") from None
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        count = 0
    if not count:
        raise MissingExtraError("Sweeps on a GPU need a CUDA device, and none was found.")
    return cupy


def device_memory() -> tuple[int, int]:
    """Bytes of the device: free, and in all."""
    free, total = _cupy().cuda.runtime.memGetInfo()
    return int(free), int(total)


def device_name() -> str:
    """What the device calls itself."""
    cupy = _cupy()
    device = cupy.cuda.Device().id
    return str(cupy.cuda.runtime.getDeviceProperties(device)["name"].decode())


def _gib(size: int) -> str:
    return f"{size / 2**30:,.1f} GiB"


class CudaSweeper:
    """The joint distribution of all tokens on a CUDA device, and its turns."""

    name = "CUDA"

    def __init__(
        self, track: Track, players: int, dtype: str = "float64", tuning: Tuning | None = None
    ) -> None:
        self._cp = _cupy()
        self.track = track
        self.players = players
        self.dtype = dtype
        self.sum_terms = track.size + 64  # compensated in a thread, trees above
        self._check_board()
        self._check_fits(self.needed(track, players, dtype), "The joint distribution")
        self._source = Source(track, players, dtype, tuning or tuning_for(track, players, dtype))
        self._row_length = self._source.row
        self._padded = padded_size(track, players, dtype)
        self._array = self._allocate(self._padded, dtype)
        self._kept: Any = None
        processors = self._cp.cuda.Device().attributes["MultiProcessorCount"]
        layout = self._source.tuning
        fibres = self._source.fibres(last=False)
        self._grid = min(processors * layout.blocks, -(-fibres // layout.threads))
        self._wide_grid = min(processors * 8, -(-self._padded // 256))
        self._rounds = max(1, GRAPH_TURNS // players)
        slots = max(self._rounds * players, 1)
        width = 3 + track.size
        most = max(slots * self._grid * 3, self._grid * width, self._wide_grid)
        self._partial = self._allocate(most, "float64")
        self._rows = self._allocate(LEDGER * 3 + width, "float64")
        self._row = self._allocate(1, "int32")
        self._stream = self._cp.cuda.Stream()
        self._kernels: dict[tuple[Kind, bool], Any] = {}
        self._graphs: dict[int, Any] = {}
        self._kept_type = self._copy_type()
        self.keep_error = 2.0**-24 if self._kept_type != dtype else 0.0
        common = self._module(self._source.common(self._kept_type))
        self._common = {name: common.get_function(name) for name in COMMON_KERNELS}

    @staticmethod
    def needed(track: Track, players: int, dtype: str = "float64") -> int:
        """Bytes on the device."""
        return padded_size(track, players, dtype) * np.dtype(dtype).itemsize + SCRATCH

    @property
    def size(self) -> int:
        """How many numbers the array has: S^N."""
        return int(self.track.size**self.players)

    # The array ------------------------------------------------------------------------------

    def place_start(self) -> None:
        """All mass on the start of all tokens."""
        self.fill(0.0)
        start = sum(self.track.start * self.track.size**axis for axis in range(self.players))
        self.set(start, 1.0)

    def fill(self, value: float) -> None:
        """The same number everywhere."""
        self._everywhere("fill", np.float64(value))
        self._stream.synchronize()

    def read(self, start: int, stop: int) -> Any:
        """Numbers start to stop - 1 of the flat array, which comes row by row without padding."""
        size, row = self.track.size, self._row_length
        first, last = start // size, -(-stop // size)
        self._stream.synchronize()
        rows = self._array[first * row : last * row].get().reshape(-1, row)
        return rows[:, :size].reshape(-1)[start - first * size : stop - first * size]

    def write(self, start: int, values: Any) -> None:
        """Put numbers into the flat array: the end of a row, whole rows, the start of a row."""
        size, row = self.track.size, self._row_length
        values = np.ascontiguousarray(values, self.dtype).ravel()
        head = min(-start % size, len(values))
        tail = head + (len(values) - head) // size * size
        rows = np.zeros(((tail - head) // size, row), self.dtype)
        rows[:, :size] = values[head:tail].reshape(-1, size)
        self._stream.synchronize()
        self._put(start, values[:head])
        self._put(start + head, rows.ravel())
        self._put(start + tail, values[tail:])
        self._cp.cuda.runtime.deviceSynchronize()

    def _put(self, index: int, numbers: Any) -> None:
        """Put numbers side by side into the padded array, where the number `index` is."""
        above, at = divmod(index, self.track.size)
        place = above * self._row_length + at
        if len(numbers):
            self._array[place : place + len(numbers)].set(numbers)

    def get(self, index: int) -> float:
        """One number of the flat array."""
        return float(self.read(index, index + 1)[0])

    def set(self, index: int, value: float) -> None:
        """Put one number into the flat array."""
        self.write(index, [value])

    def total(self) -> float:
        """The sum of all numbers."""
        return math.fsum(self._reduced("sum_up"))

    def norm(self) -> float:
        """The sum of absolute values."""
        return math.fsum(self._reduced("sum_sizes"))

    def maximum(self) -> float:
        """The largest number."""
        return float(self._reduced("largest").max())

    def take(self, indices: Any) -> float:
        """The sum of the numbers at some places, which are then zero."""
        above, at = np.divmod(np.asarray(indices, np.int64), self.track.size)
        if not len(at):
            return 0.0
        places = self._cp.asarray(above * self._row_length + at)
        self._stream.synchronize()
        found = self._array[places].get()
        self._array[places] = 0
        self._cp.cuda.runtime.deviceSynchronize()
        return math.fsum(found)

    def _copy_type(self) -> str:
        """What a copy can be kept in: the numbers' own type if there is room, else float32."""
        free, _ = device_memory()
        item = np.dtype(self.dtype).itemsize
        return self.dtype if free > item * self._padded + SCRATCH else "float32"

    def can_keep(self) -> bool:
        """Whether there is room for a copy."""
        free, _ = device_memory()
        item = np.dtype(self._kept_type).itemsize
        return self._kept is not None or free > item * self._padded + SCRATCH

    def keep(self) -> float:
        """Keep a copy, and make the numbers equal to it: the 1-norm of the change."""
        if self._kept is None:
            self._kept = self._allocate(self._padded, self._kept_type)
        return math.fsum(self._reduced("keep", self._kept)) * (1 + 2.0**-40)

    def gap(self, factor: float) -> float:
        """The 1-norm of the numbers minus factor × the copy."""
        return math.fsum(self._reduced("gap", self._kept, np.float64(factor)))

    def deflate(self, factor: float) -> None:
        """Subtract factor × the copy."""
        self._everywhere("deflate", self._kept, np.float64(factor))
        self._stream.synchronize()

    def close(self) -> None:
        """Let the numbers go."""
        self._array = self._kept = self._partial = self._rows = None
        self._graphs.clear()

    # Turns ----------------------------------------------------------------------------------

    def forward(self, mover: int, visits: bool = False) -> tuple[float, float, float, Any]:
        """One turn; returns the mass that finished, threw and rested, and arrivals if asked."""
        width = 3 + self.track.size if visits else 3
        self._launch("visits" if visits else "forward", mover, self._partial)
        self._first_row()
        self._gather(1, width)
        row = self._rows_read(width)
        return float(row[0]), float(row[1]), float(row[2]), row[3:] if visits else None

    def forward_many(self, first_mover: int, turns: int) -> Any:
        """Turns of one player after another; returns a row (finished, threw, rested) each."""
        found = np.empty((turns, 3))
        for begin in range(0, turns, LEDGER):
            count = min(LEDGER, turns - begin)
            self._forward_some((first_mover + begin) % self.players, count)
            found[begin : begin + count] = self._rows_read(3 * count).reshape(count, 3)
        return found

    def backward(self, mover: int, win_reward: float, throw_reward: float) -> None:
        """One turn of the values, in place: what each state is worth before it."""
        real = np.dtype(self.dtype).type
        self._launch("backward", mover, real(win_reward), real(throw_reward))
        self._stream.synchronize()

    def _forward_some(self, mover: int, turns: int) -> None:
        """Launch turns whose sums fit into the ledger."""
        block = self._rounds * self.players
        self._first_row()
        for _ in range(turns // block):
            self._graph(mover).launch(self._stream)
        self._launch_block(mover, turns % block)

    def _graph(self, mover: int) -> Any:
        """Some rounds as one CUDA graph."""
        if mover not in self._graphs:
            for player in range(self.players):
                self._kernel("forward", player == self.players - 1)
            self._stream.synchronize()
            self._stream.begin_capture()
            self._launch_block(mover, self._rounds * self.players)
            self._graphs[mover] = self._stream.end_capture()
        return self._graphs[mover]

    def _launch_block(self, mover: int, turns: int) -> None:
        """Some turns, then their sums into the ledger."""
        if not turns:
            return
        for turn in range(turns):
            slot = self._partial[turn * self._grid * 3 :]
            self._launch("forward", (mover + turn) % self.players, slot)
        self._gather(turns, 3)

    def _launch(self, kind: Kind, mover: int, *arguments: Any) -> None:
        behind = self.players - 1 - mover
        last = behind == 0
        step = np.uint64 if self._source.wide else np.uint32
        position = (np.int32(behind), step(self._source.inner(behind)))
        with self._stream:
            self._kernel(kind, last)(
                (self._grid,),
                (self._source.tuning.threads,),
                (self._array, *position, *arguments),
                shared_mem=self._source.shared_bytes(kind, last),
            )

    def _gather(self, turns: int, width: int) -> None:
        """Add up the sums of blocks, into the next rows of the ledger."""
        shape = (np.int32(self._grid), np.int32(width))
        with self._stream:
            rows = (self._partial, *shape, self._rows, self._row)
            self._common["gather"]((turns,), (256,), rows)
            self._common["advance"]((1,), (1,), (self._row, np.int32(turns)))

    def _first_row(self) -> None:
        self._row.data.memset_async(0, 4, self._stream)

    def _rows_read(self, count: int) -> Any:
        self._stream.synchronize()
        return self._rows[:count].get()

    def _everywhere(self, name: str, *arguments: Any) -> None:
        with self._stream:
            numbers = (self._array, np.uint64(self._padded), *arguments)
            self._common[name]((self._wide_grid,), (256,), numbers)

    def _reduced(self, name: str, *arguments: Any) -> Any:
        """A kernel over all numbers; returns what its blocks leave."""
        self._everywhere(name, *arguments, self._partial)
        self._stream.synchronize()
        return self._partial[: self._wide_grid].get()

    # The device -----------------------------------------------------------------------------

    def _kernel(self, kind: Kind, last: bool) -> Any:
        if (kind, last) not in self._kernels:
            kernel = self._module(self._source.kernel(kind, last)).get_function("turn")
            shared = self._source.shared_bytes(kind, last)
            kernel.max_dynamic_shared_size_bytes = shared
            if shared:
                kernel.preferred_shared_memory_carveout = 100
            self._kernels[kind, last] = kernel
        return self._kernels[kind, last]

    def _module(self, text: str) -> Any:
        return self._cp.RawModule(code=text, options=("-std=c++17",), backend="nvrtc")

    def _allocate(self, count: int, dtype: str) -> Any:
        """An array in memory of its own, outside CuPy's pool."""
        memory = self._cp.cuda.Memory(max(1, count) * np.dtype(dtype).itemsize)
        pointer = self._cp.cuda.MemoryPointer(memory, 0)
        return self._cp.ndarray((count,), dtype, pointer)

    def _check_board(self) -> None:
        """Refuse boards too large for shared memory."""
        if self.track.size > MOST_POSITIONS:
            raise LimitError(
                f"A board of {self.track.size} positions is too large for sweeps on a GPU, which "
                f"take {MOST_POSITIONS}: use the CPU."
            )

    def _check_fits(self, needed: int, what: str) -> None:
        free, total = device_memory()
        if needed <= free:
            return
        cards = max(2, math.ceil(needed / (0.95 * total)))
        raise LimitError(
            f"{what} of {self.players} tokens in {self.track.size} positions each needs "
            f"{_gib(needed)} on the device, and {device_name()} has {_gib(free)} free of "
            f"{_gib(total)}: split it over {cards} such cards with --cluster, use float32, or "
            f"fewer players."
        )
