"""Rounding: what one operation on floats loses.

Where nothing over- or underflows, fl(a ∘ b) = (a ∘ b)(1 + δ) with |δ| ≤ u, the unit roundoff
(Higham, Accuracy and Stability of Numerical Algorithms, 2.2).
"""

from __future__ import annotations

UNIT = 2.0**-53
"""Unit roundoff of float64."""
