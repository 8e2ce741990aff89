"""Kernels over all numbers, which know no board: sums, copies, what is subtracted, the ledger.

A sum is compensated in a thread and a tree above, in the same order every time; every block leaves
its own, and the host adds those up.
"""

from __future__ import annotations

from oddsmith.rules.board.track import Track
from oddsmith.solve.lattice.cuda.layout import REAL, row_length

SOURCE = """
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

KERNELS = (
    "fill", "sum_up", "sum_sizes", "largest", "keep", "gap", "deflate", "gather", "advance"
)  # fmt: skip


def everywhere(track: Track, dtype: str, kept: str) -> str:
    """The source of the kernels over all numbers, copies being kept as `kept`."""
    row = row_length(track, dtype)
    return SOURCE.format(real=REAL[dtype], kept=REAL[kept], size=track.size, row=row)
