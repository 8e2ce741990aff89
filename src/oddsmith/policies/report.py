"""Report: what is to be said about a policy, in a few numbers or in one state."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddsmith.model.model import ROUNDED
from oddsmith.policies import regions
from oddsmith.policies.table import NO_MOVE, Advice, Table
from oddsmith.results.answer import Answer
from oddsmith.results.answered import Answered
from oddsmith.results.digits import PLAIN, NumberFormat


@dataclass(frozen=True, repr=False)
class Report(Answered):
    """A policy in a few numbers, its advice in a state, and the files that were written."""

    table: Table
    summary: bool = True
    state: Any = None
    written: tuple[str, ...] = ()
    interrupted = False

    # Numbers --------------------------------------------------------------------------------

    def worth(self) -> dict[int, Answer]:
        """What the start of the game is worth to each player (0 for the first) who is known."""
        table = self.table
        model, solution = regions.parts(table)
        start, worths = model.start, {}
        seats = table.worth.shape[1]
        first = model.start_lane if model.shift is not None else int(model.mover[start])
        for q in range(seats):
            player = table.player if table.player is not None else (first + q) % seats
            if table.exact is not None:
                worths[player] = Answer.of_fraction(table.exact[start][q])
                continue
            value, bounds = float(table.worth[start, q]), solution.interval(start, q)
            finite = all(map(math.isfinite, bounds))
            worths[player] = Answer(value, *bounds) if finite else Answer(value)
        return dict(sorted(worths.items()))

    def moves(self) -> dict[str, int]:
        """In how many states each move is made, the most frequent first."""
        live = regions.decided(self.table)
        counts = np.bincount(self.table.action[live], minlength=NO_MOVE)
        order = [int(i) for i in np.argsort(-counts, kind="stable") if counts[i]]
        return {self.table.game.actions[i].name: int(counts[i]) for i in order}

    def closest(self) -> tuple[Any, float] | None:
        """The decision that matters least, and by how much it does."""
        solution = regions.parts(self.table)[1]
        margin = np.abs(np.where(regions.decided(self.table), solution.margin, np.inf))
        narrow = int(np.argmin(margin))
        if not np.isfinite(margin[narrow]):
            return None
        return self.table.names[narrow], float(margin[narrow])

    def advice(self) -> list[Advice]:
        """Every legal move in the state, the best first."""
        return self.table.advice(self.state)

    def named_answers(self) -> list[tuple[str, Answer]]:
        """What the start is worth, and every move in the state."""
        named = [(f"worth to player {p + 1}", answer) for p, answer in self.worth().items()]
        if self.state is not None:
            named += [(f"worth of {a.move} in {self.state!r}", a.worth) for a in self.advice()]
        return named

    def to_dict(self, number_format: NumberFormat = PLAIN) -> dict[str, Any]:
        """All of it with names, as JSON has it."""
        table, game = self.table, self.table.game
        data: dict[str, Any] = {
            "game": game.key(),
            "players": game.players,
            "options": {name: str(value) for name, value in game.described.items()},
            "policy": table.name,
            "player": None if table.player is None else table.player + 1,
        }
        if self.summary:
            data |= self._summary(number_format)
        if self.state is not None:
            data["state"] = repr(self.state)
            data["advice"] = [
                {
                    "move": a.move,
                    "worth": a.worth.to_dict(number_format),
                    "margin": _finite(a.margin),
                }
                for a in self.advice()
            ]
        if self.written:
            data["written"] = list(self.written)
        return data

    def _summary(self, number_format: NumberFormat = PLAIN) -> dict[str, Any]:
        solution = regions.parts(self.table)[1]
        mine = regions.decided(self.table)
        closest = self.closest()
        return {
            "states": len(self.table),
            "mover_relative": self.table.relative,
            "decisions": int(np.count_nonzero(mine & np.isfinite(solution.margin))),
            "moves": self.moves(),
            "undecided": int(np.count_nonzero(mine & ~solution.certain)),
            "closest": closest and {"state": repr(closest[0]), "margin": closest[1]},
            "reached_by_all": int(np.count_nonzero(regions.reachable(self.table, "all"))),
            "reached_by_one": int(np.count_nonzero(regions.reachable(self.table, "one"))),
            "worth": {
                str(p + 1): answer.to_dict(number_format) for p, answer in self.worth().items()
            },
            "how": list(self.table.how),
        }

    # Text -----------------------------------------------------------------------------------

    def __str__(self) -> str:
        return self.text()

    def text(self, number_format: NumberFormat = PLAIN) -> str:
        """All of it for people, exact worths as the format has them."""
        parts = [self._title()]
        if self.summary:
            parts += [self._numbers(), self._values(number_format)]
        if self.state is not None:
            parts.append(self._advised(number_format))
        if self.table.model is not None and self.table.model.rounded:
            parts.append(ROUNDED)
        parts += [f"written: {path}" for path in self.written]
        return "\n\n".join(parts)

    def _title(self) -> str:
        game = self.table.game
        players = "1 player" if game.players == 1 else f"{game.players} players"
        options = [f"{name} {value}" for name, value in game.described.items()]
        whose = "" if self.table.player is None else f", player {self.table.player + 1}"
        return f"{game.name}, {', '.join([players, *options])}\nplay: {self.table.name}{whose}"

    def _numbers(self) -> str:
        from oddsmith.results.table import align

        summary = self._summary()
        seen = " (as the mover sees them)" if summary["mover_relative"] else ""
        rows = [["states" + seen, f"{summary['states']:,}"]]
        rows.append(["with a decision", f"{summary['decisions']:,}"])
        shown = list(summary["moves"].items())
        rows += [[f"  {name}", f"{count:,}"] for name, count in shown[:8]]
        if len(shown) > 8:
            rows.append(["  other moves", f"{sum(count for _, count in shown[8:]):,}"])
        rows += [
            ["not proved to be the only best", f"{summary['undecided']:,}"],
            ["reached if everybody plays so", f"{summary['reached_by_all']:,}"],
            ["reached by one who does, to move", f"{summary['reached_by_one']:,}"],
        ]
        text = align(["", "states"], rows)
        closest = self.closest()
        if closest is not None:
            text += f"\n\nclosest decision: by {closest[1]:.2g}, in {closest[0]!r}"
        return text

    def _values(self, number_format: NumberFormat) -> str:
        rows = [
            [f"player {p + 1}", *_cells(answer, number_format)]
            for p, answer in self.worth().items()
        ]
        score = self.table.game.has_score
        return _aligned(["expected score" if score else "worth at the start"], rows)

    def _advised(self, number_format: NumberFormat) -> str:
        advice = self.advice()
        if not advice:
            return f"{self.state!r}: the game is over."
        rows = [
            [
                a.move,
                *_cells(a.worth, number_format),
                "" if math.isinf(a.margin) else f"{a.margin:+.3g}",
            ]
            for a in advice
        ]
        text = f"{self.state!r}\n\n" + _aligned(["move"], rows, ["margin"])
        picked = self.table.game.actions[self.table.move(self.table.game, self.state) or 0].name
        if picked != advice[0].move:
            text += f"\n\n{self.table.name} makes the move: {picked}"
        return text


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _cells(answer: Answer, number_format: NumberFormat) -> list[str]:
    """A number and its bounds, or its fraction."""
    from oddsmith.results.table import interval

    if answer.exact is not None:
        return [f"{answer.value:.12g}", number_format(answer.exact), ""]
    bounds = interval(answer) if answer.lower is not None else ["", ""]
    return [f"{answer.value:.12f}", *bounds]


def _aligned(first: Sequence[str], rows: list[list[str]], last: Sequence[str] = ()) -> str:
    """A table of worths, without the columns that nothing is in."""
    from oddsmith.results.table import align

    exact = all(row[3] == "" and row[2] for row in rows)
    header = [*first, "worth", "exact" if exact else "from", "" if exact else "to", *last]
    kept = [i for i in range(len(header)) if i == 0 or any(row[i] for row in rows)]
    return align([header[i] for i in kept], [[row[i] for i in kept] for row in rows])
