"""What a certificate claims, held against the model that is in it: by elimination in fractions.

The checker proves claims by vectors and ranks. Here they are tried: for ways to play from each free
state, the chain that they make is solved. A claim that one of them breaks is false. Nothing of the
checker is used, nor of the program.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from grind.plain import Chain, chances, closed_classes, reaches, totals

MOST_NODES, MOST_WAYS = 60, 40
Value = Fraction | float


def whole(x: Any) -> int:
    """A whole number, perhaps in hexadecimal digits."""
    return int(x, 16) if isinstance(x, str) else int(x)


def wholes(listed: Any) -> list[int]:
    """Some of them."""
    return [whole(x) for x in listed]


def bound(said: Any) -> Value | None:
    """A bound that is claimed; None where there is none."""
    if said is None:
        return None
    return math.inf if said == "infinite" else Fraction(whole(said[0]), whole(said[1]))


def false_claims(content: Any, dice: Random) -> Iterator[str]:
    """The claims of a certificate (of the right form) that are not true of its model."""
    model = content["model"]
    for claim in content["claims"]:
        if len(model["choices"]) * claim["seats"] > MOST_NODES:
            continue
        for side in ("lower", "upper"):
            if not isinstance(claim.get(side), dict):
                continue
            for value in _values(model, claim, claim[side]["free"], dice):
                for one in claim["results"]:
                    said = bound(one.get(side))
                    truth = value[whole(one["state"]) * claim["seats"] + whole(one["seat"])]
                    if said is not None and (said > truth if side == "lower" else said < truth):
                        yield f"{one['about']}: {side} {said}, and play can be worth {truth}"


def _values(model: Any, claim: Any, free: Any, dice: Random) -> Iterator[list[Value]]:
    """What every node is worth by some ways to play where it is free."""
    counts = wholes(model["choices"])
    stop = set(wholes(claim["stop"]["states"]))
    policy = wholes(claim["policy"]) if claim.get("policy") is not None else [0] * len(counts)
    marks = {"all": [1] * len(counts), "none": [0] * len(counts)}.get(free) if isinstance(
        free, str) else wholes(free)  # fmt: skip
    open_ = [s for s, n in enumerate(counts) if n > 1 and s not in stop and marks and marks[s]]
    ways = math.prod(counts[s] for s in open_)
    drawn: Any = itertools.product(*(range(counts[s]) for s in open_))
    if ways > MOST_WAYS:
        drawn = ([dice.randrange(counts[s]) for s in open_] for _ in range(MOST_WAYS))
    for way in drawn:
        yield _value(model, claim, dict(zip(open_, way, strict=True)), policy, stop)


def _value(
    model: Any, claim: Any, own: dict[int, int], policy: list[int], stop: set[int]
) -> list[Value]:
    """What every node is worth: seat 0 has its own way where it is free, all else the policy's."""
    seats, counts = claim["seats"], wholes(model["choices"])
    first = [0, *itertools.accumulate(counts)]
    row = [0, *itertools.accumulate(wholes(model["outcomes"]))]
    to, weight = wholes(model["to"]), wholes(model["weight"])
    shift = wholes(model["shift"]) if seats > 1 else []
    gain, over = claim.get("gain"), 1
    gains = [0] * first[-1]
    if gain is not None:
        gains, over = wholes(gain["values"]), whole(gain["over"])
    chain: Chain = []
    earned: list[Fraction] = []
    for s, count in enumerate(counts):
        for q in range(seats):
            if s in stop:
                chain.append([])
                earned.append(Fraction(0))
                continue
            picked = own.get(s, policy[s]) if q == 0 else policy[s]
            c = first[s] + (picked if count > 1 else 0)
            edges = range(row[c], row[c + 1])
            total = sum(weight[e] for e in edges)
            chain.append([
                (Fraction(weight[e], total),
                 to[e] * seats + ((q - shift[e]) % seats if seats > 1 else 0))
                for e in edges
            ])  # fmt: skip
            earned.append(Fraction(gains[c], over))
    listed = wholes(claim["stop"]["states"])
    worth, scale = wholes(claim["stop"]["worth"]), whole(claim["stop"]["over"])
    ends = {
        s * seats + q: [Fraction(worth[i * seats + q], scale)]
        for i, s in enumerate(listed) for q in range(seats)
    }  # fmt: skip
    endless = bound(claim["endless"])
    infinite: set[int] = set()
    quiet = dict(ends)
    for one in closed_classes(chain):
        if one & set(ends):
            continue
        if endless == math.inf:
            infinite |= one
        elif not any(earned[n] for n in one):
            quiet |= {n: [Fraction(endless or 0)] for n in one}
    lost = reaches(chain, infinite)
    got = totals(chain, earned, set(ends))
    mean = chances(chain, quiet)
    return [
        math.inf if n in lost or got[n] is None else mean[n][0] + (got[n] or 0)
        for n in range(len(chain))
    ]
