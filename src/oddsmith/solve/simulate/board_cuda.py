"""Play of boards from tables on a graphics card: the same games as `board_kernels.py` plays.

A thread plays game after game; a block of threads has a range of games, and whoever has ended one
takes the next. All lanes of a warp play in step: four turns, then those that have ended a game
count it and begin another, and those that have used up a block of random numbers draw the next.
So nobody waits for the longest game, and random numbers cost a fourth of a block a turn.

A token's position and its square are lanes of 8 bits (16 on large boards) of words in registers.
The mover is always the first lane: after its turn all lanes move on by one and it comes last.
Whether one of the others is on a square s is whether a lane of x = words ^ (s, s, …) is zero,
which it is if and only if (x - 1…1) & ~x has the highest bit of some lane (H. S. Warren, Hacker's
Delight, section 6-1). A word that must be drawn again costs its player no turn, only the word.

Everything counted is a whole number, and the order of sums does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from typing import Any

import numpy as np

from oddsmith.errors import MissingExtraError, OptionError
from oddsmith.rules.board.game import Board
from oddsmith.solve.simulate.board import (
    FIRST_LOOK,
    KEY_STEPS,
    MULTIPLIERS,
    ROUNDS,
    UNLIMITED,
    BoardTable,
    Tables,
    jobs,
    key_of,
    tables_of,
)
from oddsmith.solve.simulate.run import HISTOGRAM, Tally

THREADS = 256
"""Threads a block."""

BLOCKS = 8
"""The most blocks that a multiprocessor can hold: 2048 threads."""

REGISTERS, RESERVED_BYTES = 1 << 16, 1 << 10
"""Registers of a multiprocessor, and shared memory that the system keeps for itself a block."""

FEW_BITS = 4 * 32
"""So many bits of tokens leave registers for all of these blocks."""

NEAR_BYTES = 24 << 10
"""Tables up to this size are copied to the memory that the threads of a block share."""

LEAST, MOST = 1 << 22, 1 << 27
"""Games a launch."""

KERNEL = "play_games"

SOURCE = r"""
typedef unsigned int u32;
typedef unsigned long long u64;

#define LANES (32 / LANE)                          // tokens in a word
#define WORDS ((PLAYERS + LANES - 1) / LANES)
#define LANE_MASK ((1u << LANE) - 1u)
#define ONES (LANE == 8 ? 0x01010101u : 0x00010001u)
#define HIGHS (ONES << (LANE - 1))
#define BACK ((PLAYERS - 1) % LANES * LANE)        // shift of the last token in the last word
#define BEFORE_BACK ((1u << BACK) - 1u)
#define NEAR_LENGTHS 1024u                         // lengths counted by the block
#define DRAW PLAYERS
#define TOO_LONG (PLAYERS + 1)
#define GOES_ON (PLAYERS + 2)

__device__ __forceinline__ void philox(u32 a, u32 b, u32 c, u32 low, u32 high, u32* words) {
    u32 d = 0;
    #pragma unroll
    for (int i = 0; i < ROUNDS; i++) {
        u64 p = (u64)a * MULTIPLIER_A, q = (u64)c * MULTIPLIER_B;
        a = (u32)(q >> 32) ^ b ^ low;
        b = (u32)q;
        c = (u32)(p >> 32) ^ d ^ high;
        d = (u32)p;
        low += STEP_A;
        high += STEP_B;
    }
    words[0] = a;
    words[THREADS] = b;
    words[2 * THREADS] = c;
    words[3 * THREADS] = d;
}

// Whether a lane of the words is this square.
__device__ __forceinline__ bool among(const u32* words, u32 square) {
    u32 found = 0, all = square * ONES;
    #pragma unroll
    for (int i = 0; i < WORDS; i++) {
        u32 x = words[i] ^ all;
        found |= (x - ONES) & ~x;
    }
    return (found & HIGHS) != 0;
}

// All tokens one lane further without the first, zero after them.
__device__ __forceinline__ void advance(const u32* words, u32* moved) {
    #pragma unroll
    for (int i = 0; i < WORDS - 1; i++)
        moved[i] = words[i] >> LANE | words[i + 1] << (32 - LANE);
    moved[WORDS - 1] = words[WORDS - 1] >> LANE & BEFORE_BACK;
}

__device__ __forceinline__ u32 find(const u32* row, const u32* last, u32 position, u32 number) {
    if (DIRECT) return position * (u32)TOTAL + number;
    u32 low = row[position], high = row[position + 1] - 1;
    while (low < high) {
        u32 middle = (low + high) >> 1;
        if (last[middle] >= number) high = middle;
        else low = middle + 1;
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) play_games(
    u64 first, u64 games, u32 low, u32 high, u64 max_moves,
    const ENTRY* far_entries, const u32* last, const u32* row,
    u64* wins, u64* lengths, u64* sums, u64* failed
) {
    __shared__ u32 words[8 * THREADS];             // a ring of two blocks of random words a thread
    __shared__ u32 near_wins[PLAYERS + 1];
    __shared__ u32 near_lengths[NEAR_LENGTHS];
    __shared__ u32 taken;
#if NEAR
    __shared__ ENTRY entries[ENTRIES];
    for (u32 i = threadIdx.x; i < ENTRIES; i += THREADS) entries[i] = far_entries[i];
#else
    const ENTRY* entries = far_entries;
#endif
    for (u32 i = threadIdx.x; i <= PLAYERS; i += THREADS) near_wins[i] = 0;
    for (u32 i = threadIdx.x; i < NEAR_LENGTHS; i += THREADS) near_lengths[i] = 0;
    if (threadIdx.x == 0) taken = 0;
    __syncthreads();

    u64 share = games / gridDim.x, more = games % gridDim.x, block_number = blockIdx.x;
    u64 mine = share * block_number + (block_number < more ? block_number : more);
    share += block_number < more;

    u32* ring = words + threadIdx.x;
    u32 place[WORDS], spot[WORDS];                 // positions and squares, the mover's first
    u32 player = 0, outcome = GOES_ON, used = 0, block = 0, idle = 0;
    u64 game = 0, turns = 0, length = 0;
    bool fresh = true;

    for (;;) {
        if (fresh || outcome != GOES_ON) {
            if (outcome < TOO_LONG) {
                atomicAdd(&near_wins[outcome], 1u);
                if (length < NEAR_LENGTHS) atomicAdd(&near_lengths[length], 1u);
                else atomicAdd(&lengths[length < LONGEST ? length : LONGEST], (u64)1);
                if (length >= LONGEST) {
                    atomicAdd(&sums[0], length);
                    atomicAdd(&sums[1], length * length);
                }
            } else if (outcome == TOO_LONG) {
                atomicMin(failed, game);
            }
            u32 next = atomicAdd(&taken, 1u);
            if (next >= share) break;
            game = first + mine + next;
            #pragma unroll
            for (int i = 0; i < WORDS; i++) {
                place[i] = START * ONES;
                spot[i] = START_SQUARE * ONES;
            }
            place[WORDS - 1] &= BEFORE_BACK | LANE_MASK << BACK;
            if (PLAYERS % LANES != 0)
                spot[WORDS - 1] = (spot[WORDS - 1] & (BEFORE_BACK | LANE_MASK << BACK))
                    | ((AWAY * ONES) & ~(BEFORE_BACK | LANE_MASK << BACK));
            player = used = block = idle = 0;
            turns = length = 0;
            outcome = GOES_ON;
            fresh = false;
        }
        if (4 * block - used <= 4) {
            u32* half = ring + (block & 1u) * 4 * THREADS;
            philox((u32)game, (u32)(game >> 32), block, low, high, half);
            block++;
        }
        #pragma unroll
        for (int step = 0; step < 4; step++) {
            if (outcome == GOES_ON) {
                u64 product = (u64)ring[(used & 7u) * THREADS] * TOTAL;
                u32 position = place[0] & LANE_MASK, square = spot[0] & LANE_MASK;
                u32 places[WORDS], spots[WORDS];   // the others, then all
                advance(place, places);
                advance(spot, spots);
                spots[WORDS - 1] |= (AWAY * ONES) & ~BEFORE_BACK;
                bool held = FIRST_HOLD < FIRST_ROOM && position >= FIRST_HOLD
                    && position < FIRST_ROOM && !among(spots, square);
                bool throws = position < FIRST_ROOM && !held;
                used += throws;
                if (!throws || (u32)product >= LEAST) {
                    ENTRY entry = entries[find(row, last, position, (u32)(product >> 32))];
                    u32 target = entry & LANE_MASK, stop = entry >> LANE & LANE_MASK;
                    bool stays = held || (TESTS && among(spots, entry >> 2 * LANE & LANE_MASK));
                    target = stays ? position : target;
                    stop = stays ? square : stop;
                    #pragma unroll
                    for (int i = 0; i < WORDS; i++) {
                        place[i] = places[i];
                        spot[i] = spots[i];
                    }
                    place[WORDS - 1] |= target << BACK;
                    spot[WORDS - 1] ^= (stop ^ AWAY) << BACK;
                    length += throws;
                    turns++;
                    idle = held ? idle + 1 : 0;
                    if (target == FINISH) outcome = player;
                    else if (idle == PLAYERS) outcome = DRAW;
                    else if (turns == max_moves) outcome = TOO_LONG;
                    player = player + 1 == PLAYERS ? 0 : player + 1;
                }
            }
        }
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i <= PLAYERS; i += THREADS)
        if (near_wins[i]) atomicAdd(&wins[i], (u64)near_wins[i]);
    for (u32 i = threadIdx.x; i < NEAR_LENGTHS; i += THREADS)
        if (near_lengths[i]) atomicAdd(&lengths[i], (u64)near_lengths[i]);
}
"""


def lane_of(tables: Tables) -> int:
    """Bits of a token: as many as the finish and its square need."""
    largest = max(tables.finish, tables.away)
    if largest >= 1 << 16:
        raise OptionError(
            f"The board has {tables.finish:,} positions, more than the engine 'cuda' can play: "
            f"choose the engine 'board'."
        )
    return 8 if largest < 1 << 8 else 16


def entries_of(tables: Tables) -> Any:
    """The entries as the kernel reads them."""
    lane = lane_of(tables)
    return tables.packed(lane, np.uint32 if lane == 8 else np.uint64)


def source_of(tables: Tables, players: int, threads: int = THREADS) -> str:
    """The kernel for a board and a number of players."""
    lane, entries = lane_of(tables), entries_of(tables)
    constants = {
        "PLAYERS": f"{players}u",
        "THREADS": f"{threads}u",
        "RESIDENT": BLOCKS if players * lane <= FEW_BITS else 1,
        "LANE": lane,
        "ENTRY": "u32" if entries.itemsize == 4 else "u64",
        "ENTRIES": f"{len(entries)}u",
        "NEAR": int(entries.nbytes <= NEAR_BYTES),
        "DIRECT": int(tables.direct),
        "TESTS": int((tables.tested != tables.nowhere).any()),
        "START": f"{tables.start}u",
        "START_SQUARE": f"{int(tables.square[tables.start])}u",
        "AWAY": f"{tables.away}u",
        "FIRST_HOLD": f"{tables.first_hold}u",
        "FIRST_ROOM": f"{tables.first_room}u",
        "FINISH": f"{tables.finish}u",
        "TOTAL": f"{tables.total}ull",
        "LEAST": f"{tables.least}u",
        "LONGEST": f"{HISTOGRAM - 1}ull",
        "ROUNDS": ROUNDS,
        "MULTIPLIER_A": f"{MULTIPLIERS[0]}u",
        "MULTIPLIER_B": f"{MULTIPLIERS[1]}u",
        "STEP_A": f"{KEY_STEPS[0]}u",
        "STEP_B": f"{KEY_STEPS[1]}u",
    }
    return "".join(f"#define {name} {value}\n" for name, value in constants.items()) + SOURCE


def tally_of(wins: Any, lengths: Any, sums: Any) -> Tally:
    """The tally of what a launch has counted: sums of lengths are those of the histogram.

    Lengths that the histogram counts together are in `sums` themselves.
    """
    each = np.arange(HISTOGRAM - 1)
    counts = lengths[:-1]
    totals = np.array([(each * counts).sum(), (each * each * counts).sum()], np.int64)
    return Tally(wins, lengths, totals + sums, int(wins.sum()))


class CudaTable:
    """Games by the kernel, a launch at a time."""

    look, round = FIRST_LOOK, UNLIMITED

    def __init__(self, game: Board, seed: int, max_moves: int) -> None:
        self.game, self.seed, self.max_moves = game, seed, max_moves
        self.tables = tables_of(game.track)
        source = source_of(self.tables, game.players)
        self.cupy, properties = _device()
        self.kernel = self.cupy.RawModule(code=source, options=("--std=c++17",)).get_function(
            KERNEL
        )
        self.grid = properties["multiProcessorCount"] * _resident(self.kernel, properties)
        arrays = (entries_of(self.tables), self.tables.last, self.tables.row)
        dtypes = (arrays[0].dtype, np.uint32, np.uint32)
        self.arrays = [
            self.cupy.asarray(array.astype(dtype))
            for array, dtype in zip(arrays, dtypes, strict=True)
        ]
        self.how = f"board kernel, on {properties['name'].decode()} (CUDA)"

    def play(self, first: int, games: int) -> Iterator[Tally]:
        """Play games first, first + 1, …, launch by launch."""
        for start, size in jobs(first, games, LEAST, MOST):
            yield self.launch(start, size)

    def launch(self, first: int, games: int) -> Tally:
        """Play some games."""
        zeros, low_high = self.cupy.zeros, key_of(self.seed)
        wins, lengths, sums = (zeros(n, np.uint64) for n in (self.game.players + 1, HISTOGRAM, 2))
        failed = self.cupy.full(1, UNLIMITED, np.uint64)
        numbers = (
            np.uint64(first), np.uint64(games), np.uint32(low_high[0]), np.uint32(low_high[1]),
            np.uint64(self.max_moves),
        )  # fmt: skip
        arguments = (*numbers, *self.arrays, wins, lengths, sums, failed)
        self.kernel((self.grid,), (THREADS,), arguments)
        failure = int(failed.get()[0])
        if failure != UNLIMITED:  # the same game on this machine's cores says where it was
            with closing(BoardTable(self.game, self.seed, self.max_moves)) as table:
                table.play_some(failure, 1)
        return tally_of(*(counted.get().astype(np.int64) for counted in (wins, lengths, sums)))

    def close(self) -> None:
        """Nothing is left to stop."""


def _resident(kernel: Any, properties: Any) -> int:
    """How many blocks a multiprocessor holds at once."""
    by_registers = REGISTERS // (-(-kernel.num_regs // 8) * 8 * THREADS)
    shared = properties["sharedMemPerMultiprocessor"] // (kernel.shared_size_bytes + RESERVED_BYTES)
    return int(max(1, min(BLOCKS, by_registers, shared)))


def _device() -> tuple[Any, Any]:
    """CuPy, and the properties of the device."""
    try:
        cupy = import_module("cupy")
    except ImportError:
        raise MissingExtraError(
            "The engine 'cuda' needs CuPy: pip install 'oddsmith[gpu]', or choose the engine "
            "'board'."
        ) from None
    try:
        return cupy, cupy.cuda.runtime.getDeviceProperties(cupy.cuda.runtime.getDevice())
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise OptionError(
            f"The engine 'cuda' finds no device to play on ({error}): choose the engine 'board'."
        ) from None
