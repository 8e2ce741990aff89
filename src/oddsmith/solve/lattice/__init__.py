"""Lattice sweeps: the joint distribution of all tokens as one dense array."""
