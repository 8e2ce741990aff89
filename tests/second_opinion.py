"""A second opinion on every answer that a test asks for; `conftest.py` hangs it onto the gate.

Whatever a public question (`door.question`) answers about a chain, a process or a policy of up to
`MOST_STATES` states is asked again as claims of a certificate, which the independent checker
(`certificate/checker.py`: the standard library, whole numbers, its theorem in its docstring) has to
accept; the answer has to meet the bounds that it proves. Odds, lengths, scores, values of all
states, visits and optimal play are claims; the distribution of lengths is played forward here, and
their variance comes from second moments, in fractions or by sparse LU; estimates have to be within
seven standard errors of what is proved. A part of a `Result` that nobody here knows is an error, so
that a new question is covered the day it is written.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import time
from collections import Counter
from fractions import Fraction

import numpy as np

from oddsmith.certificate import make
from oddsmith.certificate.arrange import arranged
from oddsmith.certificate.bounds import NotInductiveError
from oddsmith.certificate.checker import FORMAT
from oddsmith.certificate.claim import Claim, ClaimedNumber, graph_of_model, graph_of_process
from oddsmith.certificate.game_claims import game_claims
from oddsmith.certificate.nodes import nodes_of
from oddsmith.certificate.property_claims import property_claim
from oddsmith.certificate.values import NodeValues, solve
from oddsmith.errors import OddsmithError, OptionError
from oddsmith.results.answer import Answer
from oddsmith.results.result import Result
from oddsmith.runtime.progress import Silent
from oddsmith.solve.process.aim import Aim

MOST_STATES, MOST_TRANSITIONS = 10_000, 60_000
PER_TEST = 40
"""Claims that are proved for one test, at most: tests that draw games have references of theirs."""
MOST_SOLVED, FEW = 5_000, 12
"""States up to which second moments are solved for, and up to which in fractions."""
STEPS = 2_000_000
"""Transitions that are played forward for one distribution, at most."""
FAR = 7.0
"""Standard errors that an estimate may be off."""

ZERO, ONE = Fraction(0), Fraction(1)
PARTS = {"win", "draw", "duration", "score", "visits", "values", "distribution"}
PARTS |= {"variance", "deviation"}
BESIDE = {
    *("game", "title", "players", "options", "evidence", "several_winners"),  # no numbers
    *("quantiles", "unresolved", "off", "endless"),  # the gate compares them with the distribution
    *("exact_distribution", "generating_function"),  # compared with it below, and by the gate
}
assert {field.name for field in dataclasses.fields(Result)} == PARTS | BESIDE


class DisagreesError(AssertionError):
    """An answer that the checker's bounds do not meet."""


class Opinions:
    """What has been compared, and what is known already."""

    def __init__(self):
        self.count = Counter()
        self.seconds = 0.0
        self.known = {}
        self.left = PER_TEST

    def __call__(self, asking, found):
        """Compare an answer; `door.leaves` calls this."""
        began = time.perf_counter()
        about, question = asking.about, asking.question
        try:
            if isinstance(found, Result) and about is not None:
                self.result(asking, about, found)
            elif question in ("optimal", "best_response") and about is None:
                self.table(found)
            elif question == "check" and isinstance(about, tuple):
                self.checked(asking, *about, found)
            else:
                self.count[f"{question}: not asked"] += 1
        finally:
            self.seconds += time.perf_counter() - began

    # Chains --------------------------------------------------------------------------------

    def result(self, asking, asked, found):
        """Odds, lengths, visits and values of the chain that policies leave."""
        model = asked.chain.model
        if model.states > MOST_STATES or model.transitions > MOST_TRANSITIONS:
            self.count[f"{asking.question}: too large"] += 1
            return
        if found.win or found.score or found.duration is not None:
            graph, claims = game_claims(model, "odds")  # with the length, be it infinite
            parts = {f"player {p + 1} wins": one for p, one in enumerate(found.win)}
            parts |= {f"score of player {p + 1}": one for p, one in enumerate(found.score)}
            parts |= {"a draw": found.draw}
            if not asking.options.get("turns"):
                parts["length"] = found.duration
            for claim in claims:
                wanted = [parts.get(one.about) for one in claim.numbers]
                if any(one is not None for one in wanted):
                    proved = self.proved(graph, claim)
                    for one, answer in zip(claim.numbers, wanted, strict=True):
                        node = one.state * claim.seats + one.seat
                        self.compare(f"{asking.question}: {one.about}", answer, proved, node)
        if found.visits:
            self.visits(asking, asked, found)
        if found.values is not None:
            self.values(asked, found)
        if found.distribution and not asking.options.get("turns"):
            self.lengths(asked, found)
        if found.variance is not None:
            self.spread(asked, found, bool(asking.options.get("turns")))

    def values(self, asked, found):
        """The answers from every state."""
        model = asked.chain.unfolded().model
        graph, claims = game_claims(model, "odds")
        names = {f"player {p + 1} wins": p for p in range(model.origin.players)}
        names |= {"a draw": model.origin.players, "length": model.origin.players + 1}
        for claim in claims:
            column = names.get(claim.about)
            if column is None:
                continue
            proved, name = self.proved(graph, claim), found.values.columns[column]
            for s in range(0, model.states, max(1, model.states // 200)):
                answer = found.values.answers(s)[name]
                self.compare(f"values: {claim.about}", answer, proved, s)

    def visits(self, asking, asked, found):
        """A place or two: ever there, and how many times play comes there."""
        from oddsmith.ask.visits import _sets

        model = asked.chain.unfolded().model
        options = {"of": None, "where": None, "player": 1}
        options |= {k: v for k, v in asking.options.items() if k in options}
        group, _ = _sets(model, **options)
        graph = graph_of_model(model)
        over = _over(graph, model)  # elsewhere play goes on, if need be for ever
        for number in sorted({0, len(found.visits) // 2, len(found.visits) - 1}):
            inside = group == number
            visit, start = found.visits[number], (ClaimedNumber("", model.start),)
            if visit.ever is not None:
                stop = over | inside
                worth = [(Fraction(int(x)),) for x in inside[stop]]
                ever = Claim(f"ever {visit.where}", start, stop, worth, ZERO)
                self.compare("visits: ever", visit.ever, self.proved(graph, ever), model.start)
            gain = [
                Fraction(sum(w for t, w in outcomes if inside[t]), sum(w for _, w in outcomes))
                if not inside[s] and not over[s]
                else ZERO
                for s, outcomes in _choices(graph)
            ]
            begins = int(inside[model.start])
            ends = [(ZERO,)] * int(over.sum())
            times = Claim(f"times {visit.where}", start, over, ends, ZERO, gain=gain)
            proved = self.proved(graph, times)
            if proved is not None:
                proved = [(None if x is None else x + begins for x in pair) for pair in proved]
                proved = [tuple(pair) for pair in proved]
            self.compare("visits: times", visit.times, proved, model.start)

    def lengths(self, asked, found):
        """The distribution of the length, played forward in floats."""
        import scipy.sparse as sparse
        from scipy.sparse.linalg import splu

        model = asked.chain.model
        graph, counted = graph_of_model(model), np.asarray(model.counts)
        lengths = [length for length, _ in found.distribution]
        if len(graph.col) * lengths[-1] > STEPS:
            self.count["distribution: too long"] += 1
            return
        over, counting = np.asarray(model.winners) >= 0, np.zeros(model.states, bool)
        counting[[s for c, (s, _) in enumerate(_choices(graph)) if counted[c]]] = True
        over = over | ~_leading_to(graph, over | counting)  # a deadlock is an end
        source = [s for s, outcomes in _choices(graph) for _ in outcomes]
        weight = [
            w / sum(v for _, v in outcomes) for _, outcomes in _choices(graph) for _, w in outcomes
        ]
        counts = [counted[c] for c, (_, outcomes) in enumerate(_choices(graph)) for _ in outcomes]
        counts, weight = np.array(counts, bool), np.array(weight)
        shape = (model.states, model.states)

        def moves(which):
            return sparse.csr_array(
                (weight[which], (graph.col[which], np.array(source)[which])), shape=shape
            )

        slow, fast, x = moves(counts), moves(~counts), np.zeros(model.states)
        x[model.start] = 1.0
        at_once = None  # all that moves that do not count lead to, before one does or play ends
        if fast.nnz:
            going = sparse.diags_array((~over).astype(float))
            at_once = splu(sparse.csc_matrix(sparse.eye_array(model.states) - fast @ going))
        told = dict(found.distribution)
        for length in range(lengths[-1] + 1):
            if at_once is not None:
                x = at_once.solve(x)
            ended = float(x[over].sum())
            if abs(ended - told.get(length, 0.0)) > 1e-9:
                raise DisagreesError(f"a length of {length}: {told.get(length)}, and it is {ended}")
            exact = found.exact_distribution
            if exact is not None and length <= exact.horizon:
                assert abs(float(exact[length]) - ended) < 1e-9
            x = slow @ np.where(over, 0.0, x)
        self.count["length: distribution"] += 1

    def spread(self, asked, found, turns):
        """The variance by its second moment: x = g + P x, m = 2 g x - g² + P m."""
        model = asked.chain.model
        if model.states > MOST_SOLVED:
            self.count["variance: too large"] += 1
            return
        graph = graph_of_model(model)
        over = _over(graph, model)
        live = np.flatnonzero(~over & _leading_to(graph, over)).tolist()
        place = {s: i for i, s in enumerate(live)}
        if model.start not in place:
            assert found.variance.value == found.deviation.value == 0
            return
        gain, moves = [0] * len(live), [{} for _ in live]
        for c, (s, outcomes) in enumerate(_choices(graph)):
            if s in place:
                gain[place[s]] = 1 if turns else int(model.counts[c])
                total, row = sum(w for _, w in outcomes), moves[place[s]]
                for t, w in outcomes:
                    if t in place:
                        row[place[t]] = row.get(place[t], 0) + Fraction(w, total)
        solve = _in_fractions(moves) if len(live) <= FEW else _by_lu(moves)
        x = solve(gain)
        m = solve([2 * g * mean - g * g for g, mean in zip(gain, x, strict=True)])
        at = place[model.start]
        variance, near = m[at] - x[at] ** 2, 0 if len(live) <= FEW else 1e-7 * (1 + m[at])
        low, high = max(0, variance - near), variance + near
        self.compare("variance", found.variance, {0: (low, high)}, 0)
        root = (math.sqrt(low) * (1 - 1e-15), math.sqrt(high) * (1 + 1e-15))
        self.compare("deviation", found.deviation, {0: root}, 0)

    # Policies and properties ---------------------------------------------------------------

    def table(self, found):
        """Optimal play, or the best response: nobody does better by leaving it."""
        solution = getattr(found, "solution", None)
        if solution is None or solution.problem.model.states > MOST_STATES:
            self.count["optimal: too large"] += 1
            return
        model = solution.problem.model
        if model.is_chain or model.transitions > MOST_TRANSITIONS:
            return
        graph, (claim,) = game_claims(model, "play")
        if solution.problem.seats < claim.seats:
            claim = _response(model, found.player, solution.problem.endless)
        flat = None if found.exact is None else [x for row in found.exact for x in row]
        policy = np.maximum(solution.picks - model.choice[:-1], 0)
        proved = self.proved(graph, claim, NodeValues(solution.x.ravel(), flat), policy)
        if proved is None:
            return
        for node, worth in enumerate(solution.x.ravel().tolist()):
            exact = None if flat is None else flat[node]
            seat = node % claim.seats
            near = 1e-9 + (found.error if math.isfinite(found.error) else 1.0)
            one = Answer(worth) if exact is None else Answer.of_fraction(exact)
            if exact is None:
                one = Answer(worth, worth - near, worth + near)
            self.compare(f"optimal: seat {seat}", one, proved, node, counted=node == 0)

    def checked(self, asking, work, one, found):
        """A property, if it is one that has a certificate."""
        process, options = work.process, asking.options
        if process.states > MOST_STATES or len(process.col) > MOST_TRANSITIONS:
            self.count["check: too large"] += 1
            return
        answer = found.value if isinstance(found.answer, bool) else found.answer
        if not isinstance(answer, Answer):
            self.count["check: no single number"] += 1
            return
        file = options.get("file")
        try:
            process = arranged(process)
            claim, senses = property_claim(
                process,
                one.text,
                definitions="" if file is None else file.text,
                constants=options.get("constants"),
                formulas=options.get("formulas"),
                given=options.get("given"),
            )
            graph = graph_of_process(process)
        except (OptionError, OddsmithError):
            self.count["check: no certificate of that kind"] += 1
            return
        key = self.key(graph, claim, senses.tobytes())
        if key not in self.known:
            if self.left <= 0:
                self.count["check: enough for one test"] += 1
                return
            self.left -= 1
            self.known[key] = None
            try:
                made = make.certify_process(process, claim, senses, False, "", {"kind": "file"})
                (proof,) = made.verdict.proved
                self.known[key] = [(_end(proof.lower), _end(proof.upper))]
            except (OddsmithError, ValueError):
                self.count["check: not proved"] += 1
        self.compare("check", answer, self.known[key], 0)

    # Proofs ----------------------------------------------------------------------------------

    def key(self, graph, claim, more=b""):
        """What tells a claim from others."""
        digest = hashlib.sha256(more)
        for array in (graph.choice, graph.row, graph.col, graph.weight, graph.shift, claim.stop):
            digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
        free = [np.asarray(x).tobytes() for x in (claim.lower_free, claim.upper_free)]
        digest.update(repr((claim.about, claim.worth, claim.endless, claim.gain, free)).encode())
        return digest.hexdigest()

    def proved(self, graph, claim, worth=None, policy=None):
        """Bounds on every node that the checker has proved; None where there are none."""
        more = b"" if policy is None else policy.tobytes()
        key = self.key(graph, claim, more)
        if key in self.known:
            return self.known[key]
        if self.left <= 0:
            self.count["enough for one test"] += 1
            return None
        self.left -= 1
        self.known[key] = None
        exact = worth is not None and worth.exact is not None
        if worth is None:
            exact = graph.states <= 30
            nodes = nodes_of(graph, claim, policy, claim.free(1))
            worth = solve(nodes, claim, Aim(exact=exact, progress=Silent()))
        content = {"format": FORMAT, "title": "", "model": graph.to_json()}
        try:
            proof = make._Work(graph, exact, Silent()).proof(claim, worth, policy)
            written, _ = make._accepted(content, graph, proof)
        except (NotInductiveError, OddsmithError) as error:
            self.count[f"{claim.about.split()[0]}: not proved"] += 1
            self.known[key] = None
            if exact:
                raise DisagreesError(f"{claim.about}: {error}") from None
            return None
        low, high = written["lower"], written["upper"]
        if high.get("values") == "lower":
            high = high | {"values": low["values"], "over": low["over"]}
        self.known[key] = list(zip(_vector(low), _vector(high), strict=True))
        return self.known[key]

    def compare(self, what, answer, proved, node, counted=True):
        """Refuse an answer that does not meet its bounds."""
        if answer is None or proved is None:
            return
        low, high = proved[node]
        if answer.exact is not None:
            mine = (answer.exact, answer.exact)
        elif answer.lower is None or answer.upper is None:
            near = 1e-6 * max(1.0, abs(answer.value))
            mine = (answer.value - near, answer.value + near)
        else:
            mine = (answer.lower, answer.upper)
        if (low is not None and mine[1] < low) or (high is not None and high < mine[0]):
            raise DisagreesError(
                f"{what} is {mine[0]} to {mine[1]}, and proved to be {low} to {high}"
            )
        if counted:
            self.count[what.partition(":")[0]] += 1


def _in_fractions(moves):
    """Solves x = g + P x by Gauss and Jordan."""

    def solve(right):
        n = len(moves)
        rows = [[Fraction(int(i == j)) - moves[i].get(j, 0) for j in range(n)] for i in range(n)]
        for row, value in zip(rows, right, strict=True):
            row.append(Fraction(value))
        for i in range(n):
            rows[i] = [value / rows[i][i] for value in rows[i]]
            for j in range(n):
                if j != i and rows[j][i]:
                    factor = rows[j][i]
                    rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
        return [row[-1] for row in rows]

    return solve


def _by_lu(moves):
    """Solves x = g + P x by sparse LU."""
    import scipy.sparse as sparse
    from scipy.sparse.linalg import splu

    n = len(moves)
    entries = [(i, j, float(p)) for i, row in enumerate(moves) for j, p in row.items()]
    rows, columns, chances = zip(*entries, strict=True) if entries else ((), (), ())
    within = sparse.csc_array((chances, (rows, columns)), shape=(n, n))
    lu = splu(sparse.csc_matrix(sparse.eye_array(n) - within))
    return lambda right: lu.solve(np.array(right, float)).tolist()


def _response(model, player, endless):
    """What a player gets at best where all others keep to their policies."""
    over, players = np.asarray(model.winners) >= 0, model.origin.players
    worth = []
    for s in np.flatnonzero(over).tolist():
        bits = int(model.winners[s])
        if model.scores is not None:
            worth.append((Fraction(int(model.scores[s][player])),))
        elif bits:
            worth.append((Fraction(bits >> player & 1, bits.bit_count()),))
        else:
            worth.append((Fraction(1, players) if players > 1 else ZERO,))
    endless = Fraction(endless).limit_denominator(1000)
    start = (ClaimedNumber("", model.start),)
    return Claim("best response", start, over, worth, endless, upper_free=True)


def _vector(bound):
    over = bound["over"]
    over = int(over, 16) if isinstance(over, str) else over
    for value in bound["values"]:
        if value == "infinite":
            yield math.inf
        else:
            yield Fraction(int(value, 16) if isinstance(value, str) else value, over)


def _end(number):
    return math.inf if number == "infinite" else number


def _choices(graph):
    """Every choice: its state, and (target, weight) for each outcome."""
    row, col, weight = graph.row.tolist(), graph.col.tolist(), graph.weight.tolist()
    choice = graph.choice.tolist()
    for s in range(graph.states):
        for c in range(choice[s], choice[s + 1]):
            yield s, list(zip(col[row[c] : row[c + 1]], weight[row[c] : row[c + 1]], strict=True))


def _over(graph, model):
    """Where the game has ended: by its rules, or in a deadlock (a closed class, no move counts)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    over, counts = np.asarray(model.winners) >= 0, np.asarray(model.counts) > 0
    source = np.array([s for s, outcomes in _choices(graph) for _ in outcomes], np.int64)
    shape = (graph.states, graph.states)
    edges = csr_array((np.ones(len(source)), (source, graph.col)), shape=shape)
    _, component = connected_components(edges, connection="strong")
    goes_on = np.zeros(graph.states, bool)
    goes_on[component[source[component[source] != component[graph.col]]]] = True
    goes_on[component[[s for c, (s, _) in enumerate(_choices(graph)) if counts[c]]]] = True
    return over | ~goes_on[component]


def _leading_to(graph, targets):
    """The states from which play may come to some states."""
    before = [[] for _ in range(graph.states)]
    for s, outcomes in _choices(graph):
        for t, _ in outcomes:
            before[t].append(s)
    found, front = targets.copy(), np.flatnonzero(targets).tolist()
    while front:
        for s in before[front.pop()]:
            if not found[s]:
                found[s] = True
                front.append(s)
    return found
