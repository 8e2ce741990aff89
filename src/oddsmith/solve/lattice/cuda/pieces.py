"""Pieces of the kernels of turns that are the same for every board, as CUDA and as templates.

A kernel begins with PRELUDE, then what reads and writes: a fibre along the last axis by way of a
tile in shared memory (PLACES, TILED), any other from where it is (ACCESS, STRIDED).
"""

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
