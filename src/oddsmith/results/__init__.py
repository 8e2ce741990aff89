"""Answers: numbers with their evidence, and the gate that each one passes."""
