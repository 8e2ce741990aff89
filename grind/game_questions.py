"""Questions about random games, asked with every method, and their answers in fractions."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from grind import decide, round_trip
from grind.games import Drawn, game_of, plain_of, planned
from grind.plain import Plain, reach
from grind.tally import Tally
from grind.walk import Walk, random_walk, walk
from oddsmith import (
    best_response,
    certify,
    check,
    duel,
    length,
    odds,
    optimal,
    values,
    verify,
    visits,
)
from oddsmith.errors import OddsmithError
from oddsmith.model.closed import closed
from oddsmith.model.explore import explore

METHODS = ("exact", "certified")
SOLVERS = ("auto", "gauss-seidel", "lu", "idr", "bicgstab", "gmres")
LEVELS = {0.05: Fraction(1, 20), 0.5: Fraction(1, 2), 0.95: Fraction(19, 20)}
HORIZON = 9
CLOSE = 1e-9
LONGEST = 1000
"""Turns on average, beyond which distributions of lengths are not asked for."""

ALMOST_ENDLESS = 10**12
"""Turns on average, beyond which floating point need not find a certificate."""


def grind(data: dict[str, Any], tally: Tally) -> None:
    """Ask everything about one game."""
    game, model = game_of(data), plain_of(data)
    dice = Random(repr(sorted(data)) + str(len(repr(data))))
    for method in METHODS:
        one = Asker(data, game, model, tally, method, dice)
        tally.attempt(one.of_chance if all(len(c) < 2 for c in model.choices) else one.of_decisions)


class Asker:
    """Questions about one game by one method."""

    def __init__(
        self, data: Any, game: Drawn, model: Plain, tally: Tally, method: str, dice: Random
    ) -> None:
        self.data, self.game, self.model, self.tally = data, game, model, tally
        self.method, self.dice = method, dice
        self.settings: dict[str, Any] = {"method": method, "engine": "interpreted"}
        if data["shape"] == "race" and dice.random() < 0.5:
            self.settings["symmetry"] = False
        if method == "certified" and dice.random() < 0.2:
            self.settings["solver"] = dice.choice(SOLVERS)

    def of_chance(self) -> None:
        """Nobody decides."""
        found = walk(self.model, [0] * self.model.size)
        self.tally.attempt(self.ask_walk, found, "", {})
        self.tally.attempt(self.ask_properties, found)
        start = found.model.start
        plain = found.odds[start]
        self.tally.attempt(
            self.ask_file,
            [
                ('P=? [ F "{win1}" ]', plain[0]),
                ('R{{"{length}"}}=? [ F "{over}" ]', found.length[start]),
                ('P=? [ F "{draw}" ]', plain[-2] - plain[-1]),
            ],
        )
        if self.dice.random() < 0.1:
            self.tally.attempt(self.ask_certificate, found)

    def of_decisions(self) -> None:
        """Somebody does: at random, by a policy, as well as possible."""
        self.tally.attempt(self.ask_walk, random_walk(self.model), " at random", {"play": "random"})
        plan = [
            planned(self.data, name) % max(1, len(c))
            for name, c in zip(self.model.names, self.model.choices, strict=True)
        ]
        self.tally.attempt(self.ask_walk, walk(self.model, plan), " by a policy", {"play": _plan})
        self.tally.attempt(self.ask_optimal)
        if self.model.players == 2 and self.model.scores is None:
            self.tally.attempt(self.ask_duel, plan)
        self.tally.attempt(self.ask_responses, plan)
        self.tally.attempt(self.ask_decided_properties)

    # Chains ---------------------------------------------------------------------------------

    def ask_walk(self, found: Walk, how: str, play: dict[str, Any]) -> None:
        """Odds, lengths, visits and values of a chain."""
        settings = self.settings | play
        never = found.odds[found.model.start][-1]
        if never:
            self.refused(f"odds{how}", lambda: odds(self.game, **settings))
        settings["endless"] = "draw" if never else self.dice.choice(["draw", "error"])
        self.tally.attempt(self.ask_odds, found, how, settings)
        if found.ends_within(LONGEST):
            self.tally.attempt(self.ask_length, found, how, settings)
        self.tally.attempt(self.ask_visits, found, how, settings)
        if self.model.scores is None:
            self.tally.attempt(self.ask_values, found, how, settings)

    def ask_odds(self, found: Walk, how: str, settings: dict[str, Any]) -> None:
        """Who wins, and how long it takes."""
        start, players = found.model.start, found.model.players
        result = odds(self.game, **settings)
        for p in range(players):
            self.tally.number(f"odds{how}", result.win[p], found.odds[start][p])
            if self.model.scores is not None and not found.odds[start][-1]:
                self.tally.number(f"score{how}", result.score[p], found.scores[start][p])
        self.tally.number(f"odds{how}: draw", result.draw, found.odds[start][players])
        self.tally.number(f"odds{how}: length", result.duration, found.length[start])

    def ask_length(self, found: Walk, how: str, settings: dict[str, Any]) -> None:
        """The distribution of the length, its mean and its quantiles."""
        exact = self.method == "exact"
        result = length(self.game, **settings, **({"horizon": HORIZON} if exact else {}))
        self.tally.number(f"length{how}: mean", result.duration, found.length[found.model.start])
        self.tally.spread(f"length{how}", result, found.variance)
        truth = found.distribution(HORIZON)
        said = dict(result.distribution)
        for k, p in enumerate(truth):
            if exact:
                self.tally.same(f"length{how}: chance", result.exact_distribution[k], p)
            elif abs(said.get(k, 0.0) - p) > 1e-12:
                self.tally.differs(f"length{how}: chance", f"of {k} says {said.get(k)}, truth {p}")
        reached = Fraction(0)
        least = {}
        for k, p in enumerate(truth):
            reached += p
            for level, share in LEVELS.items():
                if reached >= share:
                    least.setdefault(level, k)
        for level, k in least.items():
            self.tally.same(f"length{how}: quantile", result.quantiles[level], k)

    def ask_visits(self, found: Walk, how: str, settings: dict[str, Any]) -> None:
        """How often play comes to a set of states, by a predicate and by a number."""
        names = self.model.names
        which = self.dice.randrange(4)

        def where(s: Any) -> bool:
            return planned({"policy": [0, 1, 2, 3]}, tuple(s)) == which

        inside = [where(name) for name in names] + [False] * (found.model.size - len(names))
        result = visits(self.game, where=where, **settings)
        ever, times = _through(found, len(names)).visits(lambda s: inside[s])
        self.tally.number(f"visits{how}: ever", result.visits[0].ever, ever)
        self.tally.number(f"visits{how}: times", result.visits[0].times, times)

    def ask_values(self, found: Walk, how: str, settings: dict[str, Any]) -> None:
        """The odds from every state."""
        table = values(self.game, **settings).values
        number = {tuple(name): i for i, name in enumerate(table.states)}
        players = self.model.players
        for s, name in enumerate(self.model.names):
            said = table.answers(number[tuple(name)])  # type: ignore[arg-type]
            for p in range(players):
                self.tally.number(f"values{how}", said[f"win {p + 1}"], found.odds[s][p])
            self.tally.number(f"values{how}: draw", said["draw"], found.odds[s][players])
            self.tally.number(f"values{how}: length", said["length"], found.length[s])

    def ask_properties(self, found: Walk) -> None:
        """The same in the language of properties."""
        exact, start = self.method == "exact", found.model.start
        asked = ['P=? [ F "win1" ]', 'R{"length"}=? [ F "over" ]', 'P=? [ F "draw" ]']
        answers = check(self.game, *asked, exact=exact)
        plain = found.odds[start]
        self.tally.number("check P", answers[0].answer, plain[0])
        self.tally.number("check length", answers[1].answer, found.length[start])
        self.tally.number("check draw", answers[2].answer, plain[-2] - plain[-1])

    def ask_certificate(self, found: Walk) -> None:
        """A certificate is made, verified, and proves the truth."""
        start = found.model.start
        if found.odds[start][-1]:
            return
        try:
            proved = certify(self.game, method=self.method)
        except OddsmithError as error:
            if self.method == "exact" or found.ends_within(ALMOST_ENDLESS):
                raise
            self.tally.refusal(error)  # nothing that floating point can prove
            return
        truth = {f"player {p + 1} wins": found.odds[start][p] for p in range(self.model.players)}
        truth |= {"a draw": found.odds[start][-2], "length": found.length[start]}  # type: ignore[dict-item]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "proof.cert")
            proved.save(path)
            verified = verify(path, no_rules=True)
        for one in verified.verdict.proved:
            if one.about in truth:
                self.within("certificate", one, truth[one.about])

    def within(self, question: str, one: Any, truth: Any) -> None:
        """A claim that is proved holds."""
        low = one.lower is None or (one.lower != "inf" and one.lower <= truth)
        high = one.upper is None or one.upper == "inf" or one.upper >= truth
        self.tally.same(f"{question}: {one.about}", low and high, True)

    # Decisions ------------------------------------------------------------------------------

    def ask_optimal(self) -> None:
        """Optimal play: forced by nobody else for one player or two, an equilibrium for more."""
        model = self.model
        zero_sum = model.players == 1 or (model.players == 2 and model.scores is None)
        settings = self.settings | {"endless": "draw"}
        try:
            table = optimal(self.game, **settings)
        except OddsmithError as error:
            if zero_sum or "not found" not in str(error):
                raise
            self.tally.refusal(error)
            return
        if not zero_sum:
            self.ask_equilibrium(table)
            return
        try:
            side = [True, False][: model.players]
            truth = decide.value(model, side, lambda picks: _worths(walk(model, picks), 0))
        except decide.TooMany:
            return
        if truth is None:
            return
        self.tally.attempt(self.ask_advice, table, truth)
        picks = self.picks(table)
        self.tally.attempt(
            self.ask_odds_only, walk(model, picks), " of optimal play", settings | {"play": table}
        )
        if self.unproved(table):
            return
        self.tally.attempt(
            self.ask_worth, odds(self.game, **settings), truth[model.start], " optimal",
            self.loss(table, model.names[model.start]),
        )  # fmt: skip
        said = values(self.game, **settings).values if model.scores is None else None
        if said is not None:
            number = {tuple(name): i for i, name in enumerate(said.states)}
            for s, name in enumerate(model.names):
                if tuple(name) not in number:  # type: ignore[arg-type]
                    continue  # optimal play does not come to this seat
                answers = said.answers(number[tuple(name)])  # type: ignore[arg-type]
                win = [answers[f"win {p + 1}"] for p in range(model.players)]
                self.ask_share("values optimal", win, truth[s], self.loss(table, name))

    def ask_odds_only(self, found: Walk, how: str, settings: dict[str, Any]) -> None:
        """The odds of play by a table."""
        start, result = found.model.start, odds(self.game, **settings)
        for p in range(found.model.players):
            self.tally.number(f"odds{how}", result.win[p], found.odds[start][p])
        self.tally.number(f"odds{how}: draw", result.draw, found.odds[start][-2])
        self.tally.number(f"odds{how}: length", result.duration, found.length[start])

    def ask_advice(self, table: Any, truth: Sequence[Any]) -> None:
        """What every move in every state is worth to its mover."""
        if self.unproved(table):  # said beside the answer, as it should be
            return
        for s, name in enumerate(self.model.names):
            choices = self.model.choices[s]
            listed = table.advice(self.game.State(*name))  # type: ignore[misc,call-overload]
            said = {one.move: one.worth for one in listed}
            for choice in choices:
                first = sum((p * truth[t] for p, t in choice.outcomes), Fraction(0))
                second = self.model.players == 2 and self.model.owner[s] == 1
                self.tally.number("advice", said[choice.name], 1 - first if second else first)
            if self.method == "exact" and listed:
                best = max(one.worth.exact for one in listed)
                self.tally.same("advice: the best first", listed[0].worth.exact, best)

    def unproved(self, table: Any) -> bool:
        """Whether it is said beside a table that nothing is proved about it, as it should be."""
        said = [line for line in table.how if line.startswith("no bounds: ")]
        if said:
            self.tally.refusal(said[0])
        return bool(said)

    def state(self, name: Any) -> Any:
        """The state with some values."""
        return self.game.State(*name)

    def loss(self, table: Any, name: Any) -> Fraction:
        """How much less than the best a table's moves may be worth: as wide as its bounds are.

        Moves that are too close to call are said to be so, and their odds are those of the moves.
        """
        if self.method == "exact":
            return Fraction(0)
        listed = table.advice(self.state(name))
        widths = [Fraction(one.worth.upper) - Fraction(one.worth.lower) for one in listed]
        wide = max(widths, default=Fraction(0))
        if wide > CLOSE and len(listed) > 1 and listed[1].worth.upper >= listed[0].worth.lower:
            self.tally.same("too close to call is said", "too close" in str(table.how), True)
        return wide

    def ask_worth(self, result: Any, truth: Any, how: str, loss: Fraction = Fraction(0)) -> None:
        """What a result is worth to the first player."""
        if self.model.scores is not None:
            if result.draw.value == 0:
                self.tally.number(f"score{how}", result.score[0], truth)
        else:
            self.ask_share(f"odds{how}", result.win, truth, loss)

    def ask_share(
        self, question: str, win: Sequence[Any], truth: Any, loss: Fraction = Fraction(0)
    ) -> None:
        """A player's share from the chances to win: alone the chance, of two (1 + a - b) / 2."""
        if self.model.players == 1:
            self.tally.number(question, win[0], truth)
            return
        a, b = win[0], win[1]
        if a.exact is not None and b.exact is not None:
            self.tally.same(question, (1 + a.exact - b.exact) / 2, truth)
            return
        for one in (a, b):
            if not one.lower <= one.value <= one.upper:
                self.tally.differs(question, f"from {one.lower} to {one.upper}: no interval")
                return
        low = (1 + Fraction(a.lower) - Fraction(b.upper)) / 2
        high = (1 + Fraction(a.upper) - Fraction(b.lower)) / 2
        self.tally.answers[f"{self.tally.kind}: {question}"] += 1
        if not low - loss <= truth <= high + loss:
            self.tally.differs(
                question, f"is worth {float(low)!r} to {float(high)!r}, truth {truth}"
            )

    def picks(self, table: Any) -> list[int]:
        """The choices that a table makes."""
        names = [a.name for a in self.game.actions]
        found = []
        for s, name in enumerate(self.model.names):
            choices = [c.name for c in self.model.choices[s]]
            state = self.game.State(*name)  # type: ignore[misc,call-overload]
            found.append(choices.index(names[table.move(self.game, state)]) if choices else 0)
        return found

    def ask_equilibrium(self, table: Any) -> None:
        """Nobody gains by leaving it alone, and it is worth what it says."""
        model = self.model
        if decide.count(model) > 600 or self.unproved(table):
            return
        picks = self.picks(table)
        settled = walk(model, picks).worth()
        for p in range(model.players):
            best = list(settled)
            for other in decide.policies(model, [q == p for q in range(model.players)]):
                mine = list(picks)
                for s, c in other.items():
                    mine[s] = c
                tried = walk(model, mine).worth()
                best = [[max(x, y) for x, y in zip(a, b, strict=True)]
                        for a, b in zip(best, tried, strict=True)]  # fmt: skip
            gain = max(b[p] - a[p] for a, b in zip(settled, best, strict=True))
            if self.method == "exact":
                self.tally.same("equilibrium: gain", gain, 0)
            elif gain > 1e-9:
                self.tally.differs("equilibrium: gain", f"player {p + 1} gains {float(gain)}")
        for s, name in enumerate(model.names):
            listed = table.advice(self.game.State(*name))  # type: ignore[misc,call-overload]
            said = {one.move: one.worth for one in listed}
            for choice in model.choices[s]:
                truth = sum(
                    (p * settled[t][model.owner[s]] for p, t in choice.outcomes), Fraction(0)
                )
                self.tally.number("advice of an equilibrium", said[choice.name], truth)

    def ask_responses(self, plan: list[int]) -> None:
        """The best response to a drawn policy."""
        model, game = self.model, self.game
        if model.players == 1:
            return
        for player in range(model.players):
            left = Plain([list(c) for c in model.choices], model.owner, model.start, model.names,
                         model.winners, model.scores, model.players)  # fmt: skip
            for s, choices in enumerate(left.choices):
                if choices and model.owner[s] != player:
                    left.choices[s] = [choices[plan[s]]]
            if all(len(c) < 2 for c in left.choices):
                continue
            mine = [q == player for q in range(model.players)]
            try:
                truth = decide.value(
                    left, mine, lambda picks, m=left, q=player: _worths(walk(m, picks), q)
                )
            except decide.TooMany:
                continue
            if truth is None:
                continue
            table = best_response(game, _plan, player, **self.settings)
            if self.unproved(table):
                continue
            play = [_plan] * model.players
            play[player] = table
            reached = _reachable(left)
            for s in reached:
                if model.owner[s] != player or not model.choices[s]:
                    continue
                listed = table.advice(game.State(*model.names[s]))  # type: ignore[misc,call-overload]
                for one in listed:
                    choice = next(c for c in model.choices[s] if c.name == one.move)
                    if any(t not in reached for _, t in choice.outcomes):
                        continue
                    worth = sum((p * truth[t] for p, t in choice.outcomes), Fraction(0))
                    self.tally.number("best response", one.worth, worth)
            if model.players == 2 and model.scores is None:
                play = [_plan, _plan]
                play[player] = "best-response"  # type: ignore[call-overload]
                result = odds(game, play=play, **self.settings | {"endless": "draw"})
                win = [result.win[player], result.win[1 - player]]
                loss = max((self.loss(table, model.names[s]) for s in reached
                            if model.owner[s] == player and model.choices[s]),
                           default=Fraction(0))  # fmt: skip
                self.ask_share("odds of a best response", win, truth[model.start], loss)

    def ask_duel(self, plan: list[int]) -> None:
        """Policy against policy, from both seats."""
        settings = self.settings | {"endless": "draw"}
        settings.pop("solver", None)
        found = duel(self.game, _plan, "random", **settings)
        for seat, said in ((0, found.first), (1, found.second)):
            mixed = _mixed(self.model, plan, seat)
            self.tally.number("duel", said, mixed.worth()[self.model.start][seat])

    def ask_decided_properties(self) -> None:
        """Chances that a player, or all together, can force or prevent."""
        model, exact = self.model, self.method == "exact"
        deciding = sorted({model.owner[s] for s, c in enumerate(model.choices) if len(c) > 1})
        goal = {s for s, won in enumerate(model.winners) if won is not None and 0 in won}
        if len(deciding) == 1:
            questions = [("Pmax", [True] * 3), ("Pmin", [False] * 3)]
        else:
            p = self.dice.choice(deciding)
            side = [q == p for q in range(3)]
            questions = [
                (f"<<player{p + 1}>> Pmax", side),
                (f"<<player{p + 1}>> Pmin", [not one for one in side]),
                ("<<*>> Pmax", [True] * 3),
            ]
        asked: list[tuple[str, Any]] = []
        for text, side in questions:
            try:
                truth = decide.value(
                    model, side, lambda picks: reach(walk(model, picks).chain, goal), 300
                )
            except decide.TooMany:
                continue
            if truth is not None:
                [answer] = check(self.game, f'{text}=? [ F "win1" ]', exact=exact)
                self.tally.number("check decided P", answer.answer, truth[model.start])
                asked.append((f'{text}=? [ F "{{win1}}" ]', truth[model.start]))
        self.tally.attempt(self.ask_file, asked)

    def ask_file(self, asked: list[tuple[str, Any]]) -> None:
        """The same of the game, written to a file and read again."""
        if "file" not in self.data or self.method != "exact":
            return
        process = closed(explore(self.game))
        labels = [name for name in process.labels if name not in round_trip.BUILTIN]
        with round_trip.trip(process, self.data["file"] | {"initial": []}, self.tally) as trip:
            called = {name: trip.label(i) for i, name in enumerate(labels)}
            called |= {name: trip.reward(i) for i, name in enumerate(process.rewards)}
            for text, truth in asked:
                if trip.after.kind != "smg":  # no players: all in one hand
                    text = text.replace("<<*>> ", "")
                asks = text.format(**called)
                unplayed = "<<" in text and trip.after.kind != "smg"
                if unplayed or not trip.is_exact or "\n" in asks:  # a name no question can say
                    continue
                [found] = check(trip.after, asks, exact=True)
                self.tally.number(f"{trip.name} {text.split()[0]}", found.answer, truth)

    def refused(self, question: str, ask: Callable[[], Any]) -> None:
        """A question that must be refused, in a sentence."""
        try:
            ask()
        except OddsmithError as error:
            self.tally.refusal(error)
            return
        self.tally.differs(question, "is answered, though play may never end")


def _plan(game: Any, s: Any) -> str:
    return game.plan(s)  # type: ignore[no-any-return]


def _worths(found: Walk, player: int) -> list[Fraction]:
    return [one[player] for one in found.worth()]


def _reachable(model: Plain) -> set[int]:
    found, todo = {model.start}, [model.start]
    while todo:
        for choice in model.choices[todo.pop()]:
            for p, t in choice.outcomes:
                if p and t not in found:
                    found.add(t)
                    todo.append(t)
    return found


def _mixed(model: Plain, plan: list[int], seat: int) -> Walk:
    """One player by the plan, the others at random."""
    mixed = Plain([list(c) for c in model.choices], model.owner, model.start, model.names,
                  model.winners, model.scores, model.players)  # fmt: skip
    for s, choices in enumerate(mixed.choices):
        if choices and model.owner[s] == seat:
            mixed.choices[s] = [choices[plan[s]]]
    return random_walk(mixed)


def _through(found: Walk, names: int) -> Walk:
    """A walk in which no choice is a state of its own, for the counting of entries."""
    if found.model.size == names:
        return found
    chain, size = [], names
    for s in range(size):
        merged: dict[int, Fraction] = {}
        for p, c in found.chain[s]:
            for q, t in found.chain[c]:
                merged[t] = merged.get(t, Fraction(0)) + p * q
        chain.append([(p, t) for t, p in merged.items()])
    counts = [int(any(found.counts[c] for _, c in found.chain[s])) for s in range(size)]
    model = found.model
    small = Plain([[] for _ in range(size)], [0] * size, model.start, model.names,
                  model.winners[:size], None, model.players)  # fmt: skip
    return Walk(small, chain, counts)
