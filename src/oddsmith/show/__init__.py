"""How answers are shown: tables, progress."""
