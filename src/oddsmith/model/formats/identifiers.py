"""Identifiers: names as PRISM and Storm accept them.

A name there is letters, digits and underscores, does not begin with a digit, and is no word of
the language (PRISM manual, section "Modules and Variables"). Storm keeps names that begin with two
underscores for itself, and takes "endmodule" in a name for the end of a module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORDS = """A bool clock const ctmc C double dtmc E endinit endinvariant endmodule endobservables
    endplayer endrewards endsystem false formula filter func F global G init invariant I int label
    ma max mdp min module X nondeterministic observable observables of player Pmax Pmin P pomdp
    popta probabilistic prob pta rate rewards Rmax Rmin R S smg stochastic system true U W
    ceil floor log mod pow round atLeastOneOf atMostOneOf exactlyOneOf"""
KEYWORDS = frozenset(_WORDS.split())
"""Words that PRISM, PRISM-games or Storm keep for themselves."""


def is_identifier(text: str) -> bool:
    """Whether a name can be used as it is."""
    plain = re.fullmatch(r"(?!__)[A-Za-z_][A-Za-z0-9_]*", text) is not None
    return plain and text not in KEYWORDS and "endmodule" not in text


def identifier(text: str) -> str:
    """A name made legal.

    >>> identifier("positions[0]"), identifier("pick red"), identifier("max"), identifier("2x")
    ('positions_0', 'pick_red', 'max_', '_2x')
    """
    legal = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_") if not is_identifier(text) else text
    legal = legal.replace("endmodule", "end_module")
    if not legal or legal[0].isdigit():
        legal = f"_{legal}" if legal else "name"
    return f"{legal}_" if legal in KEYWORDS else legal


def identifiers(texts: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Names made legal and different from each other.

    >>> identifiers(["a b", "a_b", "a-b"])
    ['a_b_2', 'a_b', 'a_b_3']
    """
    wanted = list(texts)
    used = set(taken)
    kept = {text for text in wanted if is_identifier(text) and text not in used}
    found = []
    for text in wanted:
        name = legal = identifier(text)
        number = 1
        while name in used or (name in kept and name != text):
            number += 1
            name = f"{legal}_{number}"
        used.add(name)
        found.append(name)
    return found
