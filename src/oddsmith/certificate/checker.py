"""The checker: whether a certificate proves what it claims. It trusts nobody and needs nobody.

It uses Python's standard library alone and runs alone (`python checker.py result.cert`); all
numbers are whole numbers of any length, so nothing is rounded. `docs/certificates.md` has the
format.

**The game.** Play goes from state to state. In a state s that does not stop it, one of its choices
c is taken, which earns g(c) ≥ 0 and leads to t with chance w(t) / W, w whole numbers and W their
sum. Where play stops it is worth something more, and play that never stops is worth e more (a
number, or infinitely much). With several seats this is asked for each of them: a state is seen
from seat q, 0 for who decides in it; a transition turns the view by k seats, so seat q becomes
q - k. All below is about nodes (s, q).

**Who decides.** Some states are *free*: there, seen from seat 0, any choice may be taken, in any
way, by memory or by chance. Everywhere else the choice is that of the policy in the certificate:
there is one, the same in all its claims, so that what is said of play "by the policy" is said of
the policy that another claim proves to be the best. With several seats only seat 0 of a free state
is free: the others keep to the policy.

**Theorem.** Let v be a number for each node. Whatever is done where it is free, a node is worth at
least v (at most v: read all relations in the other direction) if

    stop  v ≤ the worth of the node, where play stops;
    step  v(s) ≤ g(c) + Σ w(t) v(t) / W  for each choice c that is allowed in s;
    rank  wherever v(s) > e, each allowed c earns something or has an outcome of a lower rank, ranks
          being whole numbers ≥ 0, one for each node.

*Proof.* Let X be the node and G what has been earned after n steps. By `step`, v(X) + G is a
submartingale up to the stop, and v is bounded. If the mean of all that is ever earned is infinite,
so is the worth, and nothing is to be shown (for upper bounds it is finite, because v(X) + G is a
supermartingale that is bounded from below). Otherwise v(X) + G converges almost surely and G does,
so v(X) does. Play that never stops earns something only finitely often (there are finitely many
choices); from then on `rank` says that wherever v(X) > e the rank falls with at least some fixed
chance, and it can fall only so often in a row: so almost surely v(X) ≤ e again and again, and the
limit of v(X) is ≤ e. So the mean of v(X) + G, which never falls, has a limit that is at most the
mean of what play is worth. ∎ (Chances: e = 0, so an upper bound v ≥ 0 needs no rank, and a lower
bound needs one wherever it claims something: else it could lift itself by its bootstraps in an end
component. Expected rewards until a target: e is infinite, so upper bounds need ranks, unless all
earns. Compare Chatterjee, Quatmann, Schäffeler, Weininger, Winkler and Zilken, Fixed Point
Certificates for Reachability and Expected Rewards in MDPs, TACAS 2025.)

An infinite lower bound is proved by a second vector, the *doubt* d ≥ 0: it is 1 or more where play
stops, d(s) ≥ Σ w(t) d(t) / W for each allowed choice, and d < 1 where the bound is infinite. By the
same theorem, from there d stays below 1 for ever with a positive chance, so play does not stop. If
e is infinite, that is enough. If not, ranks of the doubt show that so long as d < 1, something is
earned again and again: each allowed choice earns, or has an outcome of a lower rank.

**What follows.** If nobody is free, both bounds are about the policy itself. If a lower bound
leaves one side of a game free and an upper bound the other, the value of the game is between them.
If nobody is free below and everybody above, no player does better by leaving the policy alone than
the upper bound says: with one who decides, the policy is the best; if the bounds are equal, it is
an equilibrium.
"""

from __future__ import annotations

import gzip
import json
import re
import stat
import sys
import zlib
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

FORMAT = "oddsmith certificate 1"
MOST_BYTES, MOST_RATIO = 1 << 30, 200
"""A file may unpack to so many bytes, and to so many times its size (or 16 MiB)."""
TIMES = 12
"""So many bytes of memory a byte of JSON takes when it is read, as far as it is numbers."""

HEX = re.compile(r"-?0x[0-9a-f]+")
HALF = re.compile(r"\\u[dD][89a-fA-F]")
LONG = 10**300
"""Numbers from here on are written as 1.2e+345."""
INFINITE = None
"""How an infinite entry of a vector is kept."""
Entries = list[Any]


class Refused(Exception):  # noqa: N818 - a verdict, not an accident
    """The certificate does not prove its claims, or is none; `state` is where, if anywhere."""

    def __init__(self, message: str, state: int | None = None) -> None:
        super().__init__(message)
        self.state = state


class Proved(NamedTuple):
    """One number that has been proved to lie between two bounds (None: no bound)."""

    about: str
    lower: Fraction | str | None
    upper: Fraction | str | None
    condition: str


@dataclass
class Verdict:
    """What a certificate proves."""

    title: str
    states: int
    transitions: int
    inequalities: int = 0
    proved: list[Proved] = field(default_factory=list)


# Reading -------------------------------------------------------------------------------------


def read(path: str) -> Any:
    """The content of a certificate's file: JSON, packed by gzip or not. Nothing is evaluated."""
    try:
        found = Path(path).stat()
        if not stat.S_ISREG(found.st_mode):  # a pipe would be waited for
            raise Refused(f"{path} cannot be read: it is no file.")
        with Path(path).open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        size = found.st_size
        most = min(MOST_BYTES, max(1 << 24, MOST_RATIO * size))
        with gzip.open(path) if packed else Path(path).open("rb") as stream:
            data = stream.read(most + 1)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or "it is damaged"
        raise Refused(f"{path} cannot be read: {reason}.") from None
    if len(data) > most:
        raise Refused(f"{path} unpacks to more than {most:,} bytes: no certificate is like that.")
    free = _free()
    if free is not None and TIMES * len(data) > free:
        raise Refused(
            f"{path} unpacks to {len(data):,} bytes: there is not enough memory to read it."
        )
    try:
        text = data.decode("utf-8")
        if HALF.search(text):
            raise ValueError("half a character")
        return json.loads(text, parse_float=_no, parse_constant=_no, object_pairs_hook=_once)
    except (ValueError, RecursionError, MemoryError):
        raise Refused(f"{path} is not a certificate: it is not the JSON that one has.") from None


def _free() -> int | None:
    """Bytes of memory that can be had, where the system says it."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(one.split()[1]) for one in lines if one.startswith("MemAvailable:")) << 10
    except (OSError, StopIteration, ValueError):
        return None


def _no(text: str) -> Any:
    raise ValueError(f"{text} has no place in a certificate")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found


def _part(of: Any, key: str, kind: type, what: str) -> Any:
    if not isinstance(of, dict) or not isinstance(of.get(key), kind):
        raise Refused(f"Not a certificate: {what} has no {key} as it should be.")
    return of[key]


def _text(of: Any, key: str, what: str) -> str:
    """A text for people, without what could disturb a terminal."""
    text = _part(of, key, str, what)[:200]
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _whole(number: Any, least: int | None, what: str) -> int:
    """A whole number: as it is, or in hexadecimal digits if it is long."""
    if isinstance(number, str) and HEX.fullmatch(number):
        number = int(number, 16)
    if type(number) is not int or (least is not None and number < least):
        raise Refused(f"Not a certificate: {what} must be whole numbers of the right size.")
    return int(number)


def _wholes(of: Any, key: str, length: int | None, least: int | None, what: str) -> list[int]:
    numbers: list[int] = _part(of, key, list, what)
    if length is not None and len(numbers) != length:
        wanted = f"{length:,}" if length < 1 << 62 else "as many as it should"
        raise Refused(
            f"Not a certificate: {key} of {what} has {len(numbers):,} entries, not {wanted}."
        )
    where = f"{key} of {what}"
    if all(type(n) is int for n in numbers) and (least is None or min(numbers, default=0) >= least):
        return numbers
    return [_whole(n, least, where) for n in numbers]


def _fraction(found: Any, what: str) -> Fraction | str | None:
    if found is None or found == "infinite":
        return found  # type: ignore[no-any-return]
    if not isinstance(found, list) or len(found) != 2:
        raise Refused(f"Not a certificate: {what} must be a fraction, as a list of two numbers.")
    return Fraction(_whole(found[0], None, what), _whole(found[1], 1, what))


class Model:
    """The model in a certificate: choices[s]:choices[s+1] are those of s, and so on."""

    def __init__(self, found: Any) -> None:
        counts = _wholes(found, "choices", None, 0, "the model")
        self.states = len(counts)
        self.choices = _pointers(counts)
        self.rows = _pointers(_wholes(found, "outcomes", self.choices[-1], 1, "the model"))
        self.to = _wholes(found, "to", self.rows[-1], 0, "the model")
        self.weight = _wholes(found, "weight", self.rows[-1], 1, "the model")
        self.turns = found.get("shift") is not None
        self.shift: list[int] = []
        if self.turns:
            self.shift = _wholes(found, "shift", self.rows[-1], 0, "the model")
        if max(self.to, default=0) >= self.states:
            raise Refused("The model has a transition to a state that it does not have.")


def _pointers(counts: list[int]) -> list[int]:
    found, total = [0], 0
    for count in counts:
        total += count
        found.append(total)
    return found


class Claim:
    """One question about the model, with its policy: what play is worth to each node."""

    def __init__(self, model: Model, found: Any) -> None:
        self.about = _text(found, "about", "a claim")
        what = f"the claim about {self.about}"
        self.seats = _whole(found.get("seats"), 1, f"the seats of {what}")
        if self.seats > 1 and not model.turns:
            raise Refused(f"Not a certificate: {what} has seats, but the model has no shift.")
        stop = _part(found, "stop", dict, what)
        states = _wholes(stop, "states", None, 0, what)
        worth = _wholes(stop, "worth", len(states) * self.seats, None, what)
        self.worth_over = _whole(stop.get("over"), 1, what)
        if len(set(states)) != len(states) or max(states, default=0) >= model.states:
            raise Refused(f"Not a certificate: {what} stops in states that there are not.")
        seats = self.seats
        self.stop = {s: worth[i * seats : (i + 1) * seats] for i, s in enumerate(states)}
        self.endless = _fraction(found.get("endless"), f"endless of {what}")
        if self.endless is None:
            raise Refused(f"Not a certificate: {what} does not say what endless play is worth.")
        self.gain: list[int] | None = None
        self.gain_over = 1
        if found.get("gain") is not None:
            gain = _part(found, "gain", dict, what)
            self.gain = _wholes(gain, "values", model.choices[-1], 0, what)
            self.gain_over = _whole(gain.get("over"), 1, what)
        self.policy: list[int] | None = None
        if found.get("policy") is not None:
            self.policy = _wholes(found, "policy", model.states, 0, what)
        self.results = _part(found, "results", list, what)
        self.bounds: dict[str, Bound] = {}
        for side in ("lower", "upper"):
            if found.get(side) is not None:
                self.bounds[side] = Bound(model, self, found[side], f"{side} of {what}")


class Bound:
    """A vector that is to be proved a bound, its ranks, and the states that are free."""

    def __init__(self, model: Model, claim: Claim, found: Any, what: str) -> None:
        nodes = model.states * claim.seats
        self.values: Entries
        self.over: int
        if isinstance(found, dict) and found.get("values") == "lower" and "lower" in claim.bounds:
            self.values, self.over = claim.bounds["lower"].values, claim.bounds["lower"].over
        else:
            listed = _part(found, "values", list, what)
            finite = {"values": [0 if x == "infinite" else x for x in listed]}
            numbers: Entries = list(_wholes(finite, "values", nodes, None, what))
            for i, x in enumerate(listed):
                if x == "infinite":
                    numbers[i] = INFINITE
            self.values, self.over = numbers, _whole(found.get("over"), 1, what)
        free = found.get("free")
        if free not in ("all", "none"):
            free = _wholes(found, "free", model.states, 0, what)
        self.free = free
        self.rank = [0] * nodes
        if found.get("rank") is not None:
            self.rank = _wholes(found, "rank", nodes, 0, what)
        self.doubt: Bound | None = None
        if found.get("doubt") is not None:
            doubt = _part(found, "doubt", dict, what)
            self.doubt = Bound(model, claim, {**doubt, "free": free, "doubt": None}, what)

    def is_free(self, s: int) -> bool:
        """Whether any choice may be taken in a state."""
        return self.free == "all" or (self.free != "none" and bool(self.free[s]))


# Proving -------------------------------------------------------------------------------------


def check(certificate: Any) -> Verdict:
    """Check all claims of a certificate (see the module's docstring); `Refused` if one fails."""
    if not isinstance(certificate, dict) or certificate.get("format") != FORMAT:
        raise Refused(f"Not a certificate: its format is not {FORMAT!r}.")
    model = Model(_part(certificate, "model", dict, "the file"))
    title = _text(certificate, "title", "the file")
    verdict = Verdict(title, model.states, len(model.to))
    first: Claim | None = None
    for found in _part(certificate, "claims", list, "the file"):
        claim = Claim(model, found)
        if claim.policy is not None:
            first = first or claim
            _compare_policies(first, claim)
        for side, bound in claim.bounds.items():
            if bound.doubt is not None:
                verdict.inequalities += Proof(model, claim, bound.doubt, "doubt").check()
            verdict.inequalities += Proof(model, claim, bound, side).check()
        verdict.proved += [_result(model, claim, one) for one in claim.results]
    if not verdict.proved:
        raise Refused("The certificate claims nothing.")
    return verdict


def _compare_policies(first: Claim, claim: Claim) -> None:
    """Refuse a claim that rests on another policy than the first one with a policy does."""
    if claim.policy == first.policy or claim.policy is None or first.policy is None:
        return
    pairs = zip(first.policy, claim.policy, strict=True)
    state = next(s for s, (a, b) in enumerate(pairs) if a != b)
    raise Refused(
        f"Not proved ({claim.about}): it rests on another policy than the claim about "
        f"{first.about}, in state {state:,}.",
        state,
    )


class Proof:
    """The conditions of the theorem for one vector: lower (sign 1), upper (-1), or a doubt (-1)."""

    def __init__(self, model: Model, claim: Claim, bound: Bound, side: str) -> None:
        self.model, self.claim, self.bound, self.side = model, claim, bound, side
        self.doubt = side == "doubt"
        self.sign = 1 if side == "lower" else -1
        self.count = 0

    def check(self) -> int:
        """Check all of it; how many inequalities there were."""
        seats, values = self.claim.seats, self.bound.values
        for s in range(self.model.states):
            mine, others = self.allowed(s)
            for q in range(seats):
                x = values[s * seats + q]
                if self.doubt and (x is INFINITE or x < 0):
                    raise self.failure(s, q, None, "the doubt is not a chance")
                if s in self.claim.stop:
                    self.end(s, q, x)
                elif x is INFINITE:
                    self.infinite(s, q)
                else:
                    ranked = self.needs_rank(x)
                    for c in mine if q == 0 else others:
                        self.step(s, q, c, x, ranked)
        return self.count

    def allowed(self, s: int) -> tuple[range, range]:
        """The choices in a state: as who decides in it sees it, and as the other seats do."""
        first, last = self.model.choices[s], self.model.choices[s + 1]
        everything = range(first, last)
        if s in self.claim.stop or last - first == 1:
            return everything, everything
        if first == last:
            raise self.failure(s, 0, None, "play neither stops nor goes on")
        free, policy = self.bound.is_free(s), self.claim.policy
        if free and self.claim.seats == 1:
            return everything, everything
        if policy is None or policy[s] >= last - first:
            raise self.failure(s, 0, None, "the policy has no choice")
        picked = range(first + policy[s], first + policy[s] + 1)
        return (everything if free else picked), picked

    def end(self, s: int, q: int, x: Any) -> None:
        """`stop`: the vector is not beyond the worth of an end (1, for a doubt)."""
        self.count += 1
        worth, over = (1, 1) if self.doubt else (self.claim.stop[s][q], self.claim.worth_over)
        if x is INFINITE:
            if self.sign == 1:
                raise self.failure(s, q, None, "lower is infinite where play stops")
        elif self.sign * (worth * self.bound.over - x * over) < 0:
            raise self.failure(s, q, None, f"{self.side} is beyond what the end is worth")

    def infinite(self, s: int, q: int) -> None:
        """An infinite lower bound needs a doubt below one; an upper one nothing."""
        doubt = self.bound.doubt
        if self.sign == 1 and (
            doubt is None or doubt.values[s * self.claim.seats + q] >= doubt.over
        ):
            raise self.failure(s, q, None, "lower is infinite, but no doubt below one says so")

    def needs_rank(self, x: int) -> bool:
        """Whether a node claims something that endless play would not give."""
        endless, over = self.claim.endless, self.bound.over
        if self.doubt:
            return endless != "infinite" and x < over
        if endless is None or isinstance(endless, str):
            return self.sign == -1
        return self.sign * (x * endless.denominator - endless.numerator * over) > 0

    def step(self, s: int, q: int, c: int, x: int, ranked: bool) -> None:
        """`step` and `rank`: the vector is not beyond what a choice gives; a rank falls."""
        model, claim, seats = self.model, self.claim, self.claim.seats
        values, rank, here = self.bound.values, self.bound.rank, self.bound.rank[s * seats + q]
        sum_, total, falls, unbounded = 0, 0, False, False
        for e in range(model.rows[c], model.rows[c + 1]):
            node = model.to[e]
            if seats > 1:
                node = node * seats + (q - model.shift[e]) % seats
            weight, there = model.weight[e], values[node]
            total += weight
            if there is INFINITE:
                unbounded = True
            else:
                sum_ += weight * there
            falls = falls or rank[node] < here
        self.count += 1
        if unbounded and self.sign == 1:
            return
        earned = 0 if claim.gain is None else claim.gain[c]
        given = 0 if self.doubt else earned * total * self.bound.over
        if unbounded or self.sign * ((sum_ - x * total) * claim.gain_over + given) < 0:
            raise self.failure(s, q, c, f"{self.side} is beyond what the choice gives")
        if ranked and not falls and not earned:
            text = f"{self.side} says more than endless play is worth, and no rank falls"
            raise self.failure(s, q, c, text)

    def failure(self, s: int, q: int, c: int | None, text: str) -> Refused:
        """The refusal that names a state and what fails in it."""
        seat = f", seat {q}" if self.claim.seats > 1 else ""
        choice = "" if c is None else f", choice {c - self.model.choices[s]}"
        about = self.claim.about
        return Refused(f"Not proved ({about}): in state {s:,}{seat}{choice}, {text}.", s)


def _result(model: Model, claim: Claim, found: Any) -> Proved:
    """The numbers that are claimed of one node, compared with the vectors that were proved."""
    about = _text(found, "about", "a result")
    state, seat = _whole(found.get("state"), 0, about), _whole(found.get("seat"), 0, about)
    node = state * claim.seats + seat
    if state >= model.states or seat >= claim.seats:
        raise Refused(f"Not a certificate: {about} is about a state that there is not.")
    said = {side: _fraction(found.get(side), f"{side} of {about}") for side in ("lower", "upper")}
    if said["lower"] is None and said["upper"] is None:
        raise Refused(f"The certificate claims nothing of {about}.")
    for side, number in said.items():
        sign = 1 if side == "lower" else -1
        if number is None or (number == "infinite" and side == "upper"):
            continue
        bound = claim.bounds.get(side)
        if bound is None:
            raise Refused(f"Not proved ({about}): there is no vector for its {side} bound.")
        v = bound.values[node]
        if v is INFINITE and sign == 1:
            continue
        if isinstance(number, str) or v is INFINITE or sign * (v - number * bound.over) < 0:
            text = f"Not proved ({about}): its {side} bound is claimed to be {_short(number)}"
            raise Refused(f"{text}, which the vector does not say.", state)
    return Proved(about, said["lower"], said["upper"], _condition(model, claim))


def _condition(model: Model, claim: Claim) -> str:
    """Under which play the claim holds, in words."""
    low, high = claim.bounds.get("lower"), claim.bounds.get("upper")
    free = {
        (low is not None and low.is_free(s), high is not None and high.is_free(s))
        for s in range(model.states)
        if s not in claim.stop and model.choices[s + 1] - model.choices[s] > 1
    }
    if not free:
        return ""
    if free == {(False, False)}:
        return "if all play by the policy"
    if claim.seats > 1 and free == {(False, True)}:
        return f"nobody gains {_regret(claim)}by leaving the policy alone, in any state"
    if claim.seats > 1:
        return "if no more than one player leaves the policy, where the file says"
    if free == {(True, True)}:
        return "however it is played"
    if free == {(False, True)}:
        return "the largest that is possible"
    if free == {(True, False)}:
        return "the least that is possible"
    if (False, False) not in free and (True, True) not in free:
        return "the value of the game of two sides"
    return "for the free states that the file names"


def _regret(claim: Claim) -> str:
    """The most by which the bounds of a node differ, for people."""
    low, high = claim.bounds.get("lower"), claim.bounds.get("upper")
    if low is None or high is None or INFINITE in low.values or INFINITE in high.values:
        return "beyond the upper bounds "
    pairs = zip(low.values, high.values, strict=True)
    most = max(above * low.over - below * high.over for below, above in pairs)
    if most == 0:
        return ""
    return f"more than {_scientific(Fraction(most, low.over * high.over), True, 1)} "


def _short(number: Fraction | str) -> str:
    return number if isinstance(number, str) else f"about {decimal(number, False)}"


# Alone ---------------------------------------------------------------------------------------


def decimal(number: Fraction | str | None, up: bool, digits: int = 15) -> str:
    """A bound for people: a decimal number, rounded outward."""
    if number is None or isinstance(number, str):
        return str(number or "?")
    if abs(number) >= LONG:
        return _scientific(number, up, digits)
    scale = 10**digits
    whole = number.numerator * scale // number.denominator
    whole += up and whole * number.denominator != number.numerator * scale
    sign, whole = "-" * (whole < 0), abs(whole)
    text = f"{sign}{whole // scale}.{whole % scale:0{digits}d}".rstrip("0")
    return text + "0" * text.endswith(".")


def _scientific(number: Fraction, up: bool, digits: int) -> str:
    """A number other than 0 as 1.2e+34, so many digits after the point, rounded outward."""
    size = abs(number)
    bits = size.numerator.bit_length() - size.denominator.bit_length()
    power = bits * 30103 // 100000 - 2
    while size >= _ten(power + 1):
        power += 1
    scaled = number / _ten(power - digits)
    whole = abs(-(-scaled.numerator // scaled.denominator) if up else scaled.__floor__())
    if whole >= 10 ** (digits + 1):
        whole, power = -(-whole // 10), power + 1
    sign = "-" * (number < 0)
    return f"{sign}{whole // 10**digits}.{whole % 10**digits:0{digits}d}e{power:+03d}"


def _ten(power: int) -> Fraction:
    return Fraction(10**power) if power >= 0 else Fraction(1, 10**-power)


def described(one: Proved) -> str:
    """What has been proved of one number, for people."""
    if one.lower is not None and one.lower == one.upper:
        short = isinstance(one.lower, str) or abs(one.lower) < LONG
        if short and (isinstance(one.lower, str) or one.lower.denominator < 10**18):
            return f"= {one.lower}"
        return f"= {decimal(one.lower, False)}…, exactly"
    low, high = decimal(one.lower, False), decimal(one.upper, True)
    if one.lower is None or one.upper is None:
        return f"≥ {low}" if one.upper is None else f"≤ {high}"
    return f"between {low} and {high}"


def main(paths: list[str]) -> int:
    """Check the files that are named; 0 if all of them prove what they claim."""
    for path in paths:
        try:
            verdict = check(read(path))
        except Refused as reason:
            print(f"{path}: {reason}", file=sys.stderr)
            return 1
        print(f"{verdict.title}: {verdict.states:,} states, {verdict.transitions:,} transitions")
        for one in verdict.proved:
            print(f"  {one.about} {described(one)}" + f" ({one.condition})" * bool(one.condition))
        print(f"  proved for the model in the file: {verdict.inequalities:,} inequalities hold")
    return 0 if paths else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
