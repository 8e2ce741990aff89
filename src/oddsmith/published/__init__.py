"""Figures from the literature, one TOML file a source; `oddsmith.reproduce` says how to read it."""
