"""A checker by definition, for processes of a handful of states, in fractions.

Unbounded questions try every memoryless policy, which is enough for probabilities and expected
rewards of reaching a set; the chain under a policy is a linear system. Questions with a number of
steps follow the definition of the operator backward in time.
"""

import itertools
import math
from fractions import Fraction


class Reference:
    def __init__(self, process):
        self.n = process.states
        rows = []
        for c in range(process.choices):
            edges = range(process.row[c], process.row[c + 1])
            rows.append([(int(process.col[e]), process.chance.fraction(e)) for e in edges])
        self.choices = [
            [rows[c] for c in range(process.choice[s], process.choice[s + 1])]
            for s in range(self.n)
        ]
        self.first = process.choice.tolist()

    def policies(self):
        return itertools.product(*(range(len(options)) for options in self.choices))

    def best(self, values, maximise):
        """The best over policies, state by state (one policy is best everywhere)."""
        pick = max if maximise else min
        return [pick(column) for column in zip(*values, strict=True)]

    # Without bounds

    def until(self, left, right, maximise):
        return self.best((self._until(p, left, right) for p in self.policies()), maximise)

    def _until(self, policy, left, right):
        rows = [self.choices[s][policy[s]] for s in range(self.n)]
        open_states = [s for s in range(self.n) if left[s] and not right[s]]
        can = {s for s in range(self.n) if right[s]}
        for _ in range(self.n):
            can |= {s for s in open_states if any(t in can for t, _ in rows[s])}
        unknown = [s for s in open_states if s in can]
        known = {s: Fraction(bool(right[s])) for s in range(self.n) if s not in unknown}
        return self._solved(rows, unknown, known, [Fraction(0)] * self.n)

    def reach_reward(self, gain, target, maximise):
        """`gain` of a state and the number of its choice."""
        return self.best((self._reward(p, gain, target) for p in self.policies()), maximise)

    def _reward(self, policy, gain, target):
        rows = [self.choices[s][policy[s]] for s in range(self.n)]
        sure = self._until(policy, [True] * self.n, target)
        unknown = [s for s in range(self.n) if sure[s] == 1 and not target[s]]
        known = {
            s: Fraction(0) if target[s] else math.inf for s in range(self.n) if s not in unknown
        }
        earned = [gain(s, self.first[s] + policy[s]) for s in range(self.n)]
        return self._solved(rows, unknown, known, earned)

    def _solved(self, rows, unknown, known, gain):
        """x = gain + rows x on the unknown states, by elimination."""
        place = {s: i for i, s in enumerate(unknown)}
        size = len(unknown)
        table = []
        for s in unknown:
            line = [Fraction(0)] * (size + 1)
            line[place[s]] += 1
            line[size] = gain[s]
            for t, p in rows[s]:
                if t in place:
                    line[place[t]] -= p
                else:
                    line[size] += p * known[t]
            table.append(line)
        for i in range(size):
            j = next(j for j in range(i, size) if table[j][i] != 0)
            table[i], table[j] = table[j], table[i]
            table[i] = [x / table[i][i] for x in table[i]]
            for j in range(size):
                if j != i and table[j][i] != 0:
                    table[j] = [
                        x - table[j][i] * y for x, y in zip(table[j], table[i], strict=True)
                    ]
        found = dict(known) | {s: table[i][size] for s, i in place.items()}
        return [found[s] for s in range(self.n)]

    # Step by step

    def bounded_until(self, left, right, low, high, maximise):
        """At time t: done if right and t >= low; lost if not left; otherwise one step more."""
        later = [Fraction(0)] * self.n
        for t in range(high, -1, -1):
            moved = self.step(later, maximise)
            later = [
                Fraction(1) if right[s] and t >= low else moved[s] if left[s] else Fraction(0)
                for s in range(self.n)
            ]
        return later

    def until_from(self, left, right, low, maximise):
        """`left U>=low right`."""
        later = self.until(left, right, maximise)
        for _ in range(low):
            moved = self.step(later, maximise)
            later = [moved[s] if left[s] else Fraction(0) for s in range(self.n)]
        return later

    def cumulative(self, gain, steps, maximise):
        later = [Fraction(0)] * self.n
        for _ in range(steps):
            later = self.step(later, maximise, gain)
        return later

    def instant(self, reward, steps, maximise):
        later = list(reward)
        for _ in range(steps):
            later = self.step(later, maximise)
        return later

    def step(self, values, maximise, gain=lambda s, c: Fraction(0)):
        pick = max if maximise else min
        return [
            pick(
                gain(s, self.first[s] + i) + sum(p * values[t] for t, p in row)
                for i, row in enumerate(options)
            )
            for s, options in enumerate(self.choices)
        ]
