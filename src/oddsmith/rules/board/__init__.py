"""Boards: races along squares, as tables and as TOML files."""
