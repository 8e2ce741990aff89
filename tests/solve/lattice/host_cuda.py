"""Runs generated CUDA kernels on the CPU: the same source, compiled as C++ with a small shim."""

import ctypes
import re
import subprocess
from pathlib import Path
from typing import Any

SHIM = """
#include <cmath>
#include <ucontext.h>
#include <vector>
#define __device__
#define __global__
#define __forceinline__ inline
#define __align__(n)
#define __launch_bounds__(...)
struct Index { unsigned x; };
static Index threadIdx, blockIdx, gridDim;
alignas(16) unsigned char room[1 << 20];
static const unsigned long long STACK = 1 << 18;
static ucontext_t host;
static std::vector<ucontext_t> contexts;
static void __syncthreads() { swapcontext(&contexts[threadIdx.x], &host); }
static double __hiloint2double(int high, int low) {
    const unsigned long long bits = (unsigned long long) (unsigned) high << 32 | (unsigned) low;
    double x;
    __builtin_memcpy(&x, &bits, 8);
    return x;
}
template <class P> static unsigned long long __cvta_generic_to_global(P p) {
    return (unsigned long long) p;
}
using std::fabs; using std::fma; using std::fmaf; using std::fmax;
"""

LAUNCH = """
static void (*work)();
static std::vector<char> done;
static void thread() { work(); done[threadIdx.x] = 1; }
static void launch(unsigned grid, unsigned threads) {
    std::vector<char> stacks(threads * STACK);
    gridDim.x = grid;
    for (blockIdx.x = 0; blockIdx.x < grid; ++blockIdx.x) {
        contexts.assign(threads, ucontext_t());
        done.assign(threads, 0);
        for (unsigned t = 0; t < threads; ++t) {
            getcontext(&contexts[t]);
            contexts[t].uc_stack.ss_sp = &stacks[t * STACK];
            contexts[t].uc_stack.ss_size = STACK;
            contexts[t].uc_link = &host;
            makecontext(&contexts[t], thread, 0);
        }
        for (bool more = true; more;) {
            more = false;
            for (unsigned t = 0; t < threads; ++t) {
                if (done[t]) continue;
                threadIdx.x = t;
                swapcontext(&host, &contexts[t]);
                more = more || !done[t];
            }
        }
    }
}
"""


def on_host(source: str) -> str:
    """The source with what only a device knows replaced."""
    source = source.replace("extern __shared__", "extern").replace("__shared__", "static")
    source = re.sub(r'asm\("mad.*', "place = base + (address_t) step * bytes;", source)
    source = re.sub(r'asm volatile\("ld\.global.*', "x = *(real*) place;", source)
    return re.sub(r'asm volatile\("st\.global.*', "*(real*) place = x;", source)


def build(source: str, folder: Path) -> ctypes.CDLL:
    """Compile a source; each kernel is then a function of (grid, threads, its arguments)."""
    source = on_host(source)
    calls = []
    for name, text in re.findall(r"__global__ void (?:[^(]*\([^)]*\)\s*)?(\w+)\(([^)]*)\)", source):
        parameters = [" ".join(part.split()) for part in text.split(",")]
        names = [part.split()[-1].lstrip("*") for part in parameters]
        stored = "".join(
            f"static {p.replace('__restrict__', '')[: -len(n)]} {name}_{n};\n"
            for p, n in zip(parameters, names, strict=True)
        )
        assigned = "".join(f"{name}_{n} = {n}; " for n in names)
        passed = ", ".join(f"{name}_{n}" for n in names)
        calls.append(
            f"{stored}static void {name}_work() {{ {name}({passed}); }}\n"
            f'extern "C" void host_{name}(unsigned grid, unsigned threads, {", ".join(parameters)})'
            f" {{ {assigned}work = {name}_work; launch(grid, threads); }}\n"
        )
    path = folder / "kernel.cpp"
    path.write_text(SHIM + source + LAUNCH + "".join(calls))
    library = folder / "kernel.so"
    flags = ["-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-Wl,-Bsymbolic"]
    subprocess.run(["g++", *flags, "-o", library, path], check=True)
    return ctypes.CDLL(str(library))


def address(array: Any) -> Any:
    """A pointer to an array's numbers."""
    return ctypes.c_void_p(array.ctypes.data)
