"""The CUDA device, by CuPy: whether there is one, its memory and its name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from oddsmith.errors import MissingExtraError


def cupy_here() -> Any:
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
    free, total = cupy_here().cuda.runtime.memGetInfo()
    return int(free), int(total)


def device_name() -> str:
    """What the device calls itself."""
    cupy = cupy_here()
    device = cupy.cuda.Device().id
    return str(cupy.cuda.runtime.getDeviceProperties(device)["name"].decode())
