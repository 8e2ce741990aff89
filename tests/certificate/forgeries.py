"""Ways to tamper with a certificate, each of which must be found out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Content = dict[str, Any]


def _long(number: Any) -> int:
    return int(number, 16) if isinstance(number, str) else number


def a_value(content: Content) -> bool:
    """One entry of a lower vector, raised beyond the truth."""
    bound = content["claims"][0]["lower"]
    place = content["claims"][0]["results"][0]["state"]
    bound["values"][place] = _long(bound["values"][place]) + max(1, _long(bound["over"]) // 1000)
    return True


def a_claim(content: Content) -> bool:
    """What is claimed, without the vector."""
    one = content["claims"][0]["results"][0]
    top, bottom = map(_long, one["lower"])
    one["lower"] = [1001 * max(top, 1), 1000 * bottom]
    return True


def an_upper_claim(content: Content) -> bool:
    """The same from the other side."""
    one = content["claims"][0]["results"][0]
    top, bottom = map(_long, one["upper"])
    one["upper"] = [999 * top, 1000 * bottom]
    return True


def no_ranks(content: Content) -> bool:
    """A lower bound without its ranks."""
    return any(claim["lower"].pop("rank", None) is not None for claim in content["claims"])


def a_rank(content: Content) -> bool:
    """The rank of one state, lowered to that of an end."""
    for claim in content["claims"]:
        rank = claim["lower"].get("rank")
        if rank is not None:
            rank[rank.index(max(rank))] = 0
            return True
    return False


def a_weight(content: Content) -> bool:
    """A transition that is a little likelier than the rules say."""
    content["model"]["weight"][0] += 1
    return True


def a_target(content: Content) -> bool:
    """A transition that leads elsewhere."""
    to = content["model"]["to"]
    to[0] = (to[0] + 1) % len(content["model"]["choices"])
    return True


def a_transition_to_nowhere(content: Content) -> bool:
    """A transition to a state that there is not."""
    content["model"]["to"][0] = len(content["model"]["choices"])
    return True


def a_chance_of_nothing(content: Content) -> bool:
    """A transition without weight."""
    content["model"]["weight"][0] = 0
    return True


def the_policy(content: Content) -> bool:
    """Another choice in the start state."""
    claim, counts = content["claims"][0], content["model"]["choices"]
    if claim.get("policy") is None:
        return False
    start = claim["results"][0]["state"]
    claim["policy"][start] = (claim["policy"][start] + 1) % counts[start]
    return True


def a_choice_that_is_not(content: Content) -> bool:
    """A policy with a choice that a state does not have."""
    claim = content["claims"][0]
    if claim.get("policy") is None:
        return False
    claim["policy"][claim["results"][0]["state"]] = 99
    return True


def a_state_less(content: Content) -> bool:
    """The last state removed from the model."""
    model = content["model"]
    choices = model["choices"].pop()
    for _ in range(choices):
        for _ in range(model["outcomes"].pop()):
            for key in ("to", "weight", "shift"):
                if key in model:
                    model[key].pop()
    return True


def a_choice_less(content: Content) -> bool:
    """A choice that nobody may take any more."""
    model = content["model"]
    for s, count in enumerate(model["choices"]):
        if count > 1:
            c = sum(model["choices"][:s])
            edge = sum(model["outcomes"][:c])
            width = model["outcomes"].pop(c)
            model["choices"][s] -= 1
            for key in ("to", "weight", "shift"):
                if key in model:
                    del model[key][edge : edge + width]
            return True
    return False


def another_worth(content: Content) -> bool:
    """An end that is worth more."""
    stop = content["claims"][0]["stop"]
    before = stop["worth"]
    stop["worth"] = [_long(stop["over"])] * len(before)
    return stop["worth"] != before


def another_end(content: Content) -> bool:
    """Endless play that is worth more."""
    claim = content["claims"][0]
    claim["endless"] = [claim["endless"][0] + 1, claim["endless"][1]]
    return True


def nobody_free(content: Content) -> bool:
    """An upper bound against nobody in particular."""
    upper = content["claims"][0]["upper"]
    if upper["free"] == "none":
        return False
    upper["free"] = "none"
    return True


def another_game(content: Content) -> bool:
    """The certificate of another game, or of other options."""
    if content["source"]["kind"] != "game":
        content["source"]["text"] = content["source"]["text"].replace("0.75", "0.8")
        content["source"]["text"] = content["source"]["text"].replace("0.25", "0.2")
    else:
        content["source"]["options"]["goal"] = "4"
    return True


def another_title(content: Content) -> bool:
    """The name of another game."""
    content["title"] = "Chess"
    return content["source"]["kind"] == "game"


def a_claim_less(content: Content) -> bool:
    """No claims."""
    content["claims"] = []
    return True


def infinity(content: Content) -> bool:
    """An infinite lower bound."""
    content["claims"][0]["lower"]["values"][0] = "infinite"
    return True


def other_seats(content: Content) -> bool:
    """More seats than vectors."""
    content["claims"][0]["seats"] += 1
    return True


def nobody_moves(content: Content) -> bool:
    """The view does not turn."""
    if "shift" not in content["model"]:
        return False
    content["model"]["shift"] = [0] * len(content["model"]["shift"])
    return True


FORGERIES: dict[str, Callable[[Content], bool]] = {
    function.__name__.replace("_", " "): function
    for function in (
        a_value, a_claim, an_upper_claim, no_ranks, a_rank, a_weight, a_target,
        a_transition_to_nowhere, a_chance_of_nothing, the_policy, a_choice_that_is_not,
        a_state_less, a_choice_less, another_worth, another_end, nobody_free, another_game,
        another_title, a_claim_less, infinity, other_seats, nobody_moves,
    )
}  # fmt: skip


def forge(name: str, content: Content) -> bool:
    """Tamper with a certificate; whether there was anything to tamper with."""
    return FORGERIES[name](content)
