// Steps of p-adic lifting (see lift.py), many in one launch: the whole grid works on one step at a
// time and waits for itself between levels (see levels.py). PHI numbers an unknown, Q right-hand
// sides. Unknowns are numbered as in the factors. Dense rests have slots in vectors that are padded
// so that rows of their inverses, padded with zeros, are read in pieces of 16 bytes.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define ROWS 2  // rows of the dense inverse that a warp works on together

__device__ __forceinline__ u32 residue(u64 low, u64 high, u32 p) {
    // low + high 2^32 modulo p, where both sums are below 2^63
    u64 upper = (high % p) << 32;
    return (u32)((upper % p + low % p) % p);
}

__device__ __forceinline__ u64 over_warp(u64 sum) {
    for (int offset = 16; offset; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    return sum;
}

// The sum over a sparse row of value * x modulo p, by a warp; the result is in its first lane.
__device__ __forceinline__ u32 row_sum(i64 first, i64 last, const int* col, const u32* value,
                                       const u32* x, int lane, u32 p) {
    u64 low = 0, high = 0;
    for (i64 e = first + lane; e < last; e += 32) {
        u64 product = (u64)value[e] * x[col[e]];
        low += product & 0xffffffffu;
        high += product >> 32;
    }
    low = over_warp(low);
    high = over_warp(high);
    return lane == 0 ? residue(low, high, p) : 0;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) lift(
    int steps, u32 p, i64 n, i64 padded, i64 inverse_size, int levels,
    const u32* there, const u32* back,                              // PHI x PHI each
    const u32* pivots,                                              // PHI x n
    const i64* low_row, const int* low_col, const u32* low_value, i64 low_entries,
    const i64* up_row, const int* up_col, const u32* up_value, i64 up_entries,
    const int* down, const int* down_level, const int* across, const int* across_level,
    const int* up, const int* up_level,                             // tasks, level by level
    const int* slot,                                                // of dense rows, else -1
    const i64* dense_first, const i64* dense_size, const i64* dense_stride,
    const i64* dense_slot, const i64* dense_begin,                  // of components
    const u32* inverse,                                             // PHI x inverse_size
    const i64* row, const int* col, const i64* value,               // the matrix, n PHI rows
    i64* residual,                                                  // (n PHI) x Q
    u32* image, u32* given,                                         // PHI x Q x n, x padded
    const int* places, int count, u32* digits,                      // steps x count x Q
    u32* every, int* wrong) {
    cg::grid_group grid = cg::this_grid();
    const i64 thread = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    const i64 threads = gridDim.x * (i64)blockDim.x;
    const int lane = threadIdx.x & 31;
    const i64 warp = thread >> 5, warps = threads >> 5;
    for (int step = 0; step < steps; step++) {
        // The residual at each root of unity.
        for (i64 at = thread; at < n * Q; at += threads) {
            i64 i = at / Q;
            int q = at % Q;
            u64 part[PHI];
            for (int j = 0; j < PHI; j++) {
                i64 r = residual[(i * PHI + j) * Q + q] % (i64)p;
                part[j] = r < 0 ? r + p : r;
            }
            for (int e = 0; e < PHI; e++) {
                u64 sum = 0;
                for (int j = 0; j < PHI; j++) sum = (sum + part[j] * there[e * PHI + j]) % p;
                image[(e * Q + q) * n + i] = (u32)sum;
            }
        }
        grid.sync();
        for (int level = 0; level < levels; level++) {
            // Down: rows of the lower factor.
            i64 first = down_level[level], size = down_level[level + 1] - first;
            for (i64 at = warp; at < size * PHI * Q; at += warps) {
                i64 i = down[first + at % size];
                int e = (at / size) / Q, q = (at / size) % Q;
                u32* x = image + (e * Q + q) * n;
                u32 sum = row_sum(low_row[i], low_row[i + 1], low_col,
                                  low_value + e * low_entries, x, lane, p);
                if (lane == 0) {
                    u64 left = x[i] >= sum ? x[i] - sum : x[i] + (u64)p - sum;
                    left = left * pivots[e * n + i] % p;
                    x[i] = (u32)left;
                    if (slot[i] >= 0) given[(e * Q + q) * padded + slot[i]] = (u32)left;
                }
            }
            // Across: dense inverses; the only task that moves much memory.
            for (int task = across_level[level]; task < across_level[level + 1]; task++) {
                int c = across[task];
                i64 rest = dense_size[c], stride = dense_stride[c];
                i64 groups = (rest + ROWS - 1) / ROWS;
                for (i64 at = warp; at < groups * PHI; at += warps) {
                    int e = at / groups;
                    i64 top = (at % groups) * ROWS;
                    u64 low[Q][ROWS], high[Q][ROWS];
                    for (int q = 0; q < Q; q++)
                        for (int r = 0; r < ROWS; r++) low[q][r] = high[q][r] = 0;
                    const u32* matrix =
                        inverse + e * inverse_size + dense_begin[c] + top * stride;
                    for (i64 j = lane * 4; j < stride; j += 128) {
                        uint4 a[ROWS];
#pragma unroll
                        for (int r = 0; r < ROWS; r++)
                            if (top + r < rest)
                                a[r] = __ldcs((const uint4*)(matrix + r * stride + j));
                            else
                                a[r] = make_uint4(0, 0, 0, 0);
#pragma unroll
                        for (int q = 0; q < Q; q++) {
                            uint4 x = __ldcg((const uint4*)(given + (e * Q + q) * padded +
                                                            dense_slot[c] + j));
#pragma unroll
                            for (int r = 0; r < ROWS; r++) {  // four products are below 2^64
                                u64 sum = (u64)a[r].x * x.x;
                                sum += (u64)a[r].y * x.y;
                                sum += (u64)a[r].z * x.z;
                                sum += (u64)a[r].w * x.w;
                                low[q][r] += sum & 0xffffffffu;
                                high[q][r] += sum >> 32;
                            }
                        }
                    }
                    for (int q = 0; q < Q; q++)
                        for (int r = 0; r < ROWS; r++) {
                            u64 l = over_warp(low[q][r]), h = over_warp(high[q][r]);
                            if (lane == 0 && top + r < rest)
                                image[(e * Q + q) * n + dense_first[c] + top + r] =
                                    residue(l, h, p);
                        }
                }
            }
            // Up: rows of the upper factor.
            first = up_level[level], size = up_level[level + 1] - first;
            for (i64 at = warp; at < size * PHI * Q; at += warps) {
                i64 i = up[first + at % size];
                int e = (at / size) / Q, q = (at / size) % Q;
                u32* x = image + (e * Q + q) * n;
                u32 sum = row_sum(up_row[i], up_row[i + 1], up_col, up_value + e * up_entries, x,
                                  lane, p);
                if (lane == 0) x[i] = x[i] >= sum ? x[i] - sum : (u32)(x[i] + (u64)p - sum);
            }
            grid.sync();
        }
        // Back from the roots of unity: a digit of every unknown.
        for (i64 at = thread; at < n * Q; at += threads) {
            i64 i = at / Q;
            int q = at % Q;
            for (int j = 0; j < PHI; j++) {
                u64 sum = 0;
                for (int e = 0; e < PHI; e++)
                    sum = (sum + (u64)image[(e * Q + q) * n + i] * back[j * PHI + e]) % p;
                every[(i * PHI + j) * Q + q] = (u32)sum;
            }
        }
        grid.sync();
        for (i64 at = thread; at < (i64)count * Q; at += threads)
            digits[(i64)step * count * Q + at] = every[places[at / Q] * (i64)Q + at % Q];
        // The next residual: a division without rest, or the step was wrong.
        for (i64 at = thread; at < n * PHI * Q; at += threads) {
            i64 i = at / Q;
            int q = at % Q;
            i64 sum = residual[at];
            for (i64 e = row[i]; e < row[i + 1]; e++) sum -= value[e] * every[col[e] * (i64)Q + q];
            i64 quotient = sum / (i64)p;
            if (quotient * (i64)p != sum) atomicAdd(wrong, 1);
            residual[at] = quotient;
        }
        grid.sync();
    }
}
