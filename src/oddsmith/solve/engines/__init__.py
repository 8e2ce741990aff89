"""The engines, each with its offer and its answers; `solve/plan.py` lists them and chooses."""
