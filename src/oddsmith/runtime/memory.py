"""Memory: what there is, what was used, and the refusal to start what does not fit."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

from oddsmith.errors import LimitError

MIB = 1 << 20
GIB = 1 << 30

_limit: int | None = None


def limit_to(size: int | None) -> None:
    """Let this process have so many bytes at most, or all there are: `available` then says so."""
    global _limit
    _limit = size


def available() -> int | None:
    """Bytes of memory that can still be had, or None where the system does not say."""
    free = free_here()
    limit, taken = address_limit(), _entry("/proc/self/status", "VmSize:")
    if limit is None or taken is None:
        return free
    room = max(0, limit - taken)
    return room if free is None else min(free, room)


def free_here() -> int | None:
    """Bytes of memory that are free on this machine, for this process; else as `available`."""
    free = _entry("/proc/meminfo", "MemAvailable:")
    if free is None or _limit is None:
        return free
    return max(0, min(free, _limit - (held() or 0)))


def address_limit() -> int | None:
    """Bytes of addresses that this process may take (`ulimit -v`), if that is limited."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def spare() -> None:
    """Where addresses are few, have linear algebra take no more of them than it needs.

    OpenBLAS takes a good hundred MiB for the threads of each of its copies as it is loaded, and
    interrupts the process where it cannot.
    """
    if address_limit() is not None:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


TOO_LITTLE = (
    "There is too little memory for this: simulate instead, use --max-states, or let it have more."
)


def ran_out(error: BaseException) -> bool:
    """Whether an error says that memory ran out: libraries have several ways to say so."""
    if address_limit() is not None and isinstance(error, ImportError | OSError):
        return getattr(error, "errno", None) in (None, errno.ENOMEM)  # a library does not load
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    said = str(error)
    return isinstance(error, MemoryError) or any(words in said for words in RAN_OUT)


RAN_OUT = ("can't start new thread", "Unable to allocate", "bad_alloc", "failed to map segment")


def held(process: int | str = "self") -> int | None:
    """Bytes of memory that a process holds now, or None where the system does not say."""
    return _entry(f"/proc/{process}/status", "VmRSS:")


def share(process: int) -> int | None:
    """Bytes that a process holds, what it shares with others divided among them."""
    return _entry(f"/proc/{process}/smaps_rollup", "Pss:")


def _entry(path: str, name: str) -> int | None:
    try:
        lines = Path(path).read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1024
    except (OSError, StopIteration, ValueError):
        return None


def peak_mb() -> float:
    """The most memory this process has held so far, in MiB."""
    # Linux: ru_maxrss of a child starts at its parent's; VmHWM is this program's own.
    most = _entry("/proc/self/status", "VmHWM:")
    if most is not None:
        return most / MIB
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / MIB if sys.platform == "darwin" else peak / 1024


def shown(size: int) -> str:
    """A number of bytes for people.

    >>> shown(39_037_448), shown(5 * 2**30)
    ('37 MiB', '5.0 GiB')
    >>> shown(7**99), shown(10**400)
    ('10^74 GiB', '10^390 GiB')
    """
    if size >= GIB << 20:  # no machine has that, and no float perhaps
        return f"10^{((size // GIB).bit_length() - 1) * 30103 // 100000} GiB"
    return f"{size / GIB:.1f} GiB" if size >= GIB else f"{size / MIB:.0f} MiB"


def require(needed: int, what: str, advice: str) -> None:
    """Refuse work that needs more memory than there is, saying what would help."""
    free = available()
    if free is not None and needed > free:
        raise LimitError(
            f"{what} needs about {shown(needed)} of memory and {shown(free)} are free: {advice}."
        )


def release(library: str) -> None:
    """Tell the system that a library's code is not needed for now; it comes back when it is.

    The compiler behind Numba takes 50 MiB that nobody uses once kernels are loaded.
    """
    dont_need = 4  # MADV_DONTNEED: pages of code are read from the file again when they are used
    try:
        maps = Path("/proc/self/maps").read_text().splitlines()
        madvise = ctypes.CDLL(None).madvise
    except (OSError, AttributeError):  # not Linux
        return
    for fields in (line.split() for line in maps):
        if len(fields) > 5 and library in fields[5] and fields[1] == "r-xp":
            start, stop = (int(edge, 16) for edge in fields[0].split("-"))
            madvise(ctypes.c_void_p(start), ctypes.c_size_t(stop - start), dont_need)
