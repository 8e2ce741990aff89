"""Numba's compiler, with somewhere to keep machine code wherever this runs.

Numba keeps machine code beside the source or in the user's folder of caches. Where neither can be
written (a container, a user without a home) it refuses to define a function at all; here a
temporary folder is taken then, which is said once, and where there is none, machine code is not
kept. A disk that is full when machine code is to be kept costs the next run time, and this one
nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numba
from numba.core.caching import FunctionCache

from oddsmith.runtime.data_folder import private_folder


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit`, which keeps machine code where it can."""

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            compiled = numba.njit(**options)(function)
        except RuntimeError as error:
            if "cannot cache" not in str(error):
                raise
            return numba.njit(**{**options, "cache": False})(function)
        if options.get("cache"):
            compiled._cache.save_overload = _where_possible(compiled._cache.save_overload)
        return compiled

    return decorate


def _where_possible(save: Callable[..., None]) -> Callable[..., None]:
    def saved(*arguments: Any) -> None:
        try:
            save(*arguments)
        except OSError as error:
            _say_once(f"machine code cannot be kept ({error.strerror}): the next run compiles anew")

    return saved


def _find_a_place() -> None:
    """Have machine code kept in a temporary folder where it can be kept nowhere else."""
    try:
        FunctionCache(_find_a_place)
    except RuntimeError:
        place = private_folder()
        if place is None:
            _say_once("machine code can be kept nowhere: every run compiles anew")
        else:
            numba.config.CACHE_DIR = str(place)
            _say_once(
                f"machine code is kept in {place}, for neither the installation nor the home "
                f"folder can be written; NUMBA_CACHE_DIR names another place"
            )


_said: set[str] = set()


def _say_once(what: str) -> None:
    if what not in _said:
        _said.add(what)
        print(f"note: {what}.", file=sys.stderr)


_find_a_place()
