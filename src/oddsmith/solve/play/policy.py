"""The name by which the documentation knew `oddsmith.policies.policy` before there were rooms."""

from typing import Any

from oddsmith.policies import policy


def __getattr__(name: str) -> Any:
    return getattr(policy, name)
