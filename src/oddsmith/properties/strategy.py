"""The best choices that answer a property, written to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.runtime.whole_files import rows_in

if TYPE_CHECKING:
    from oddsmith.model.model import Model
    from oddsmith.properties.answer import Checked


def write_strategy(process: Model, checked: Checked, path: str | Path) -> None:
    """Write the choices as a table (.csv), or what they make of the process (other formats).

    The table has a line for every state in which something is decided: its variables, the choice
    (its number among those of the state, from 0 on), its action and where it leads.
    """
    if checked.picks is None:
        reason = "nothing is decided" if process.is_chain else "the best choice is no matter of the"
        raise OptionError(
            f"{checked.text} has no strategy to write: {reason}"
            + ("." if process.is_chain else " state alone (steps count, or formulas are nested).")
        )
    path = Path(path)
    if path.suffix.lower() == ".csv":
        _write_table(process, checked.picks, path)
        return
    from oddsmith.model.formats import write
    from oddsmith.solve.process.picks import keep

    everywhere = np.ones(process.states, bool)
    chain, _ = keep(process, checked.picks, everywhere)
    write(chain, path)


def _write_table(
    process: Model, picks: np.ndarray[tuple[int], np.dtype[np.int64]], path: Path
) -> None:
    variables = process.valuations.variables
    deciding = np.flatnonzero(np.diff(process.choice) > 1)
    with rows_in(path) as out:
        out.writerow([*(v.name for v in variables), "choice", "action", "leads to"])
        for s in deciding.tolist():
            c = int(picks[s])
            action = "" if process.action is None else process.actions[int(process.action[c])]
            ends = process.col[process.row[c] : process.row[c + 1]].tolist()
            leads = " | ".join(process.describe(t) for t in ends)
            values = process.valuations.rows[s].tolist()
            out.writerow([*values, c - int(process.choice[s]), action, leads])
