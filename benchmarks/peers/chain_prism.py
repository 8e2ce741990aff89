"""Chains given state by state as PRISM source: one command a state."""

from benchmarks.models.chains import LOST, WON, Row


def chain_prism(rows: list[Row]) -> str:
    """PRISM source of a chain with the start 0, the labels "won" and "lost", and a reward a step.

    >>> print(chain_prism([{0: 1, WON: 2}]))
    dtmc
    module chain
      s : [0..2] init 0;
      [] s=0 -> 1/3 : (s'=0) + 2/3 : (s'=1);
      [] s>=1 -> true;
    endmodule
    label "won" = s=1;
    label "lost" = s=2;
    label "over" = s>=1;
    rewards "steps" s<1 : 1; endrewards
    <BLANKLINE>
    """
    states = len(rows)
    ends = {WON: states, LOST: states + 1}
    lines = ["dtmc", "module chain", f"  s : [0..{states + 1}] init 0;"]
    for s, row in enumerate(rows):
        total = sum(row.values())
        updates = (f"{w}/{total} : (s'={ends.get(target, target)})" for target, w in row.items())
        lines.append(f"  [] s={s} -> {' + '.join(updates)};")
    lines += [f"  [] s>={states} -> true;", "endmodule"]
    lines += [f'label "won" = s={states};', f'label "lost" = s={states + 1};']
    lines += [f'label "over" = s>={states};', f'rewards "steps" s<{states} : 1; endrewards', ""]
    return "\n".join(lines)
