"""Processes as files: what other tools read and write."""
