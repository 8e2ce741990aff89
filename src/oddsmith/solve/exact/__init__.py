"""Exact answers: sparse linear systems in fractions, by p-adic lifting."""
