"""Benchmarks of oddsmith against its peers."""
