"""Decisions: optimal play, best responses, policy against policy."""
