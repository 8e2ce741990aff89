"""Three geese as fractions, against an independent computation to a hundred decimals.

The fractions in docs/ were lifted p-adically on a CUDA device. Here the same chain is solved the
other way round, in real numbers: a floating-point solution, corrected again and again by the
residual it leaves, which is computed in whole numbers of 400 bits. No prime, no reconstruction.
"""

import lzma
from pathlib import Path

import numpy as np
import pytest
from flint import fmpq, fmpz

from oddsmith import explore, game
from oddsmith.runtime.progress import Silent
from oddsmith.solve.chain import make_chain
from oddsmith.solve.sweeps import backward

KEPT = Path(__file__).parents[3] / "docs" / "three-geese.txt.xz"
BITS = 400


def kept_fractions():
    lines = lzma.decompress(KEPT.read_bytes()).decode().splitlines()
    parts = (line.split(" = ") for line in lines if not line.startswith("#"))
    return {name: fmpq(*map(fmpz, fraction.split("/"))) for name, fraction in parts}


def test_the_kept_fractions_are_in_order():
    kept = kept_fractions()
    wins = [kept[f"player {i} wins"] for i in (1, 2, 3)]
    assert sum(wins) == 1  # three geese never draw
    printed = [(34596, 5), (33290, 5), (32114, 5), (3942, 2)]  # Table 5.1 of the Goose paper
    for value, (digits, places) in zip([*wins, kept["expected length"]], printed, strict=True):
        assert abs(value * 10**places - digits) <= fmpq(1, 2)  # it rounds to what is printed


@pytest.mark.slow
def test_a_hundred_decimals_by_iterative_refinement():
    chain = make_chain(explore(game("goose", players=3)), "draw").unfolded()
    model = chain.model
    total = model.total[model.choice[chain.order]].astype(object)
    won = (chain.outcome == 1).astype(object)  # winner bits: the first player alone
    row = model.state_row
    counts = (row[chain.order + 1] - row[chain.order]).astype(np.int64)
    begin = np.concatenate([[0], np.cumsum(counts)])
    edges = np.repeat(row[chain.order] - begin[:-1], counts) + np.arange(begin[-1])
    target, weight = model.col[edges], model.weight[edges].astype(object)
    one = 1 << BITS
    value = won * one  # of every state, times 2^400
    length = 0 * won
    for _ in range(12):
        for x, gained in ((value, 0), (length, one)):
            known = np.add.reduceat(weight * x[target], begin[:-1])
            counted = chain.length.astype(np.int64).astype(object) * gained
            left = known + total * (counted - x[chain.order])  # the residual, times the total
            size = max(1, int(np.abs(left).max()))
            if size.bit_length() < 40:
                continue
            shift = max(0, size.bit_length() - 60)
            b = (left >> shift).astype(np.float64) / total.astype(np.float64)
            scale = np.abs(b).max()
            found = backward(
                chain, (b / scale)[:, None], tolerance=1e-12, solver="auto", progress=Silent(),
                certify=False,
            )  # fmt: skip
            fine = np.rint(found.x[:, 0] * 2.0**50)
            x[chain.order] += np.array(
                [int(d) * int(scale * 2**20) << shift >> 70 for d in fine], object
            )
    start, kept = model.start, kept_fractions()
    for x, name in ((value, "player 1 wins"), (length, "expected length")):
        difference = kept[name] - fmpq(int(x[start]), one)
        assert abs(difference) < fmpq(1, 10**100), name
