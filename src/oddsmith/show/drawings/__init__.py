"""Drawings: from results, and a game's geometry, to Pictures. They import no solver."""
