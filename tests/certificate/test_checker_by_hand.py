"""Certificates of two or three states, written by hand: each condition of the theorem by itself."""

from __future__ import annotations

from typing import Any

import pytest

from oddsmith.certificate import checker

LOOP = {"choices": [1], "outcomes": [1], "to": [0], "weight": [1]}
"""A state that is never left."""

CIRCLE = {"choices": [2, 1, 0], "outcomes": [1, 1, 1], "to": [1, 2, 0], "weight": [1, 1, 1]}
"""State 0 can go round by state 1 for ever, or to the end, state 2."""


def certificate(model, endless, lower=None, upper=None, **claim: Any) -> dict[str, Any]:
    """A certificate of one claim, about state 0 (seat 0)."""
    result: dict[str, Any] = {"about": "it", "state": 0, "seat": 0, "lower": None, "upper": None}
    content: dict[str, Any] = {"about": "it", "seats": 1, "endless": endless, "results": [result]}
    content["stop"] = {"states": [], "worth": [], "over": 1}
    for side, bound in (("lower", lower), ("upper", upper)):
        if bound is not None:
            content[side] = {"free": "all", "over": 1} | bound
            value = bound["values"][0]
            result[side] = "infinite" if value == "infinite" else [value, bound.get("over", 1)]
    content |= claim
    return {"format": checker.FORMAT, "title": "by hand", "model": model, "claims": [content]}


def accepted(content: dict[str, Any]) -> bool:
    try:
        checker.check(content)
    except checker.Refused:
        return False
    return True


END = {"states": [2], "worth": [1], "over": 1}


def test_a_circle_does_not_hold_itself_up():
    assert not accepted(certificate(LOOP, [0, 1], lower={"values": [1]}))
    assert not accepted(certificate(LOOP, [0, 1], lower={"values": [1], "rank": [5]}))
    assert accepted(certificate(LOOP, [1, 1], lower={"values": [1]}))
    chosen = {"values": [1, 1, 1], "rank": [1, 2, 0], "free": "none"}
    assert accepted(certificate(CIRCLE, [0, 1], lower=chosen, stop=END, policy=[1, 0, 0]))
    assert not accepted(certificate(CIRCLE, [0, 1], lower=chosen, stop=END, policy=[0, 0, 0]))
    assert not accepted(certificate(CIRCLE, [0, 1], lower=chosen | {"free": "all"}, stop=END))


def test_upper_bounds_need_ranks_where_endless_play_is_worth_more():
    nothing = {"values": [0]}
    assert accepted(certificate(LOOP, [0, 1], upper=nothing))
    assert not accepted(certificate(LOOP, [1, 1], upper=nothing))
    free = {"values": [0], "over": 1}
    assert not accepted(certificate(LOOP, "infinite", upper=nothing, gain=free))
    finite = {"values": [2, 1, 0], "free": "none", "rank": [1, 2, 0]}
    gain = {"values": [1, 1, 1], "over": 1}
    ends = END | {"worth": [0]}
    shared = {"stop": ends, "policy": [1, 0, 0]}
    assert accepted(certificate(CIRCLE, "infinite", upper=finite | {"values": [1, 2, 0]},
                                gain=gain, **shared))  # fmt: skip
    assert not accepted(certificate(CIRCLE, "infinite", upper=finite, gain=gain, **shared))


def test_an_upper_bound_does_not_lead_to_infinity():
    step = {"choices": [1, 1], "outcomes": [1, 1], "to": [1, 1], "weight": [1, 1]}
    gain = {"values": [1, 1], "over": 1}
    for value in (1, 5, 10**9):
        upper = {"values": [value, "infinite"], "rank": [1, 0]}
        assert not accepted(certificate(step, "infinite", upper=upper, gain=gain))
    upper = {"values": ["infinite", "infinite"]}
    assert accepted(certificate(step, "infinite", upper=upper, gain=gain))


def test_infinity_is_earned():
    sure = {"values": ["infinite"], "doubt": {"values": [0], "over": 1}}
    ranked = {"values": ["infinite"], "doubt": {"values": [0], "over": 1, "rank": [3]}}
    nothing, one = {"values": [0], "over": 1}, {"values": [1], "over": 1}
    assert accepted(certificate(LOOP, [0, 1], lower=sure, gain=one))
    assert not accepted(certificate(LOOP, [0, 1], lower=sure, gain=nothing))
    assert not accepted(certificate(LOOP, [0, 1], lower=ranked, gain=nothing))
    assert not accepted(certificate(LOOP, [0, 1], lower=ranked))
    assert accepted(certificate(LOOP, "infinite", lower=sure, gain=nothing))
    assert not accepted(certificate(LOOP, "infinite", lower={"values": ["infinite"]}, gain=one))


@pytest.mark.parametrize("seats", [1, 2])
def test_who_is_free_is_not_bound_by_the_policy(seats):
    """State 0: to the win (state 1) or to the loss (state 2) of who decides."""
    model = {"choices": [2, 0, 0], "outcomes": [1, 1], "to": [1, 2], "weight": [1, 1]}
    model["shift"] = [0, 0]
    win, loss = [1, 0][:seats], [0, 1][:seats]
    stop = {"states": [1, 2], "worth": win + loss, "over": 1}
    for policy, worth in (([0, 0, 0], win), ([1, 0, 0], loss)):
        values = worth + win + loss
        ranks = [1] * seats + [0] * (2 * seats)
        own = {"values": values, "rank": ranks, "free": "none"}
        claim: dict[str, Any] = {"seats": seats, "stop": stop, "policy": policy}
        assert accepted(certificate(model, [0, 1], own, own, **claim))
        best = own | {"free": "all"}
        found = accepted(certificate(model, [0, 1], own, best, **claim))
        assert found == (worth == win)


def test_seats_turn():
    """State 0 hands the dice on, and the next to decide has won: seat 1 before, 0 after."""
    model = {"choices": [1, 0], "outcomes": [1], "to": [1], "weight": [1], "shift": [1]}
    stop = {"states": [1], "worth": [1, 0, 0], "over": 1}
    for first, true in (([0, 1, 0], True), ([1, 0, 0], False), ([0, 0, 1], False)):
        bound = {"values": [*first, 1, 0, 0], "rank": [1, 1, 1, 0, 0, 0]}
        claim: dict[str, Any] = {"seats": 3, "stop": stop}
        assert accepted(certificate(model, [0, 1], bound, bound, **claim)) == true


def test_every_number_counts():
    """A fair coin until heads: two throws on average."""
    model = {"choices": [1, 0], "outcomes": [2], "to": [0, 1], "weight": [1, 1]}
    stop = {"states": [1], "worth": [0], "over": 1}
    gain = {"values": [3], "over": 3}
    for value, low, high in ((20, True, True), (19, True, False), (21, False, True)):
        bound = {"values": [value, 0], "over": 10}
        claim: dict[str, Any] = {"stop": stop, "gain": gain}
        assert accepted(certificate(model, "infinite", bound, None, **claim)) == low
        assert accepted(certificate(model, "infinite", None, bound, **claim)) == high
    content = certificate(model, "infinite", {"values": [20, 0], "over": 10}, **claim)
    content["claims"][0]["results"][0]["lower"] = [21, 10]
    assert not accepted(content)
