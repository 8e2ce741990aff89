"""The name by which the documentation knew `oddsmith.policies.regions` before there were rooms."""

from typing import Any

from oddsmith.policies import regions


def __getattr__(name: str) -> Any:
    return getattr(regions, name)
