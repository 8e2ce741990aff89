"""The rules of boards once more, written from the prose of `oddsmith.rules.board.game` alone.

Plain and slow: every throw of every die is played. A token is (square, turns still to wait).
Nothing of oddsmith is used here.
"""

import tomllib
from collections import Counter
from fractions import Fraction
from itertools import product

STAYS = None


class Reference:
    def __init__(self, text, players=None):
        data = tomllib.loads(text)
        board = data["board"]
        self.players = players or board.get("players", 2)
        self.start, self.finish = board.get("start", 0), board["finish"]
        self.overshoot = board.get("overshoot", "bounce")
        self.occupied = board.get("occupied", "share")
        dice = board.get("dice", "d6")
        if isinstance(dice, dict):
            self.number, self.faces = dice.get("number", 1), dice.get("faces", [1, 2, 3, 4, 5, 6])
        else:
            number, sides = dice.split("d")
            self.number, self.faces = int(number or 1), list(range(1, int(sides) + 1))
        self.effect = {}
        for table in data.get("squares", {}).values():
            at = table["at"] if isinstance(table["at"], list) else [table["at"]]
            for square in at:
                self.effect[square] = table
        for square, goto in data.get("jumps", {}).items():
            self.effect[int(square)] = {"goto": goto}
        self.first = list(data.get("first-throw", {}).items())

    def here(self, square, what):
        return self.effect.get(square, {}).get(what, False)

    # A turn -----------------------------------------------------------------------------------

    def rests(self, tokens, me):
        square, waiting = tokens[me]
        if waiting:
            return True
        alone = all(tokens[i][0] != square for i in range(self.players) if i != me)
        return bool(self.here(square, "hold") and alone)

    def turn(self, tokens, me):
        """Whether the turn is a throw, and the chance of each (tokens, who is next)."""
        after = (me + 1) % self.players
        if self.rests(tokens, me):
            square, waiting = tokens[me]
            rested = (*tokens[:me], (square, max(waiting - 1, 0)), *tokens[me + 1 :])
            return False, {(rested, after): Fraction(1)}
        found = Counter()
        throws = list(product(self.faces, repeat=self.number))
        for dice in throws:
            found[self.throw(list(tokens), me, dice)] += Fraction(1, len(throws))
        return True, dict(found)

    def throw(self, tokens, me, dice):
        after = (me + 1) % self.players
        stays = (tuple(tokens), after)
        old, total = tokens[me][0], sum(dice)
        until = self.here(old, "until")
        if until is not False:
            wanted = until if isinstance(until, list) else [until]
            if not any(self.shows(dice, one) for one in wanted):
                return stays
        rule = None
        if old == self.start:
            rule = next((rule for name, rule in self.first if self.shows(dice, name)), None)
        if rule is None:
            stop = self.walk(old + total, total) if total else STAYS
        else:
            stop = self.walk(rule["goto"] if isinstance(rule, dict) else rule, total)
        if stop is STAYS:
            return stays
        free = rule.get("free") if isinstance(rule, dict) else None
        others = [i for i in range(self.players) if i != me]
        if free is not None:
            if any(tokens[i][0] == free for i in others):
                return stays
        elif not self.holds_any(stop):
            for i in others:
                if tokens[i][0] == stop:
                    if self.occupied == "return":
                        return stays
                    tokens[i] = (old if self.occupied == "swap" else self.start, 0)
        tokens[me] = (stop, self.here(stop, "wait") or 0)
        return tuple(tokens), me if self.here(stop, "extra") else after

    def holds_any(self, square):
        if square == self.finish or self.occupied == "share":
            return True
        if square == self.start and self.occupied in ("swap", "restart"):
            return True
        return bool(self.here(square, "hold") or self.here(square, "share"))

    def walk(self, square, total):
        """Where a token stops that comes to a square, or STAYS where the throw is not played."""
        forwards = True
        while True:
            if square > self.finish:
                if self.overshoot == "stay":
                    return STAYS
                if self.overshoot == "win":
                    return self.finish
                square -= 2 * (square - self.finish)
                forwards = False
            if square < self.start:
                return self.start
            if self.here(square, "restart"):
                return self.start
            if self.here(square, "goto") is not False:
                square = self.here(square, "goto")
            elif self.here(square, "again"):
                square = square + total if forwards else square - total
            else:
                return square

    def shows(self, dice, name):
        if name == "double":
            return all(die == dice[0] for die in dice)
        numbers = [int(part) for part in str(name).split(",")]
        return sorted(numbers) == sorted(dice) if len(numbers) > 1 else sum(dice) == numbers[0]

    # Names --------------------------------------------------------------------------------------

    def position(self, token):
        """A token as a number: waiting rooms come after the finish, square by square."""
        square, waiting = token
        if not waiting:
            return square
        before = sum(e.get("wait") or 0 for s, e in self.effect.items() if s < square)
        return self.finish + before + waiting

    def positions(self, tokens):
        return tuple(self.position(token) for token in tokens)
