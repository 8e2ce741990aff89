"""Properties of models of any size, from paths at random."""
