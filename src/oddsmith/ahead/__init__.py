"""Kernels made ahead: compiled when the package is made, loaded when it runs.

A kernel is a small function over numbers and arrays, written in the part of Python that Numba
compiles, so that it can be run and stepped through as it is. `make kernels` compiles each for
every kind of arguments that the program calls it with (`declared.txt`), and keeps the result as
LLVM text, a file for each module of kernels (`text/`). From that `llvmlite` makes machine code for
any machine in seconds, without Numba: when a wheel is built, when a checkout is installed, or,
where neither was done, at first use. Running never imports Numba.

    kernel.py     kernels as Python calls them
    signature.py  kinds of arguments, as text and as numbers in a row
    library.py    machine code: found, made from text, loaded
    text.py       LLVM text and what it holds, as files
    fallback.py   arguments for which no kernel was made
    declared.py   what kernels are made for
    make.py       from kernels to LLVM text, by Numba (for developers)
    build.py      from LLVM text to machine code, for this machine or others
"""

from oddsmith.ahead.kernel import Stand, array_at, intrinsic, kernel

__all__ = ["Stand", "array_at", "intrinsic", "kernel"]
