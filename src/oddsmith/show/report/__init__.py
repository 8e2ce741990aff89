"""A report as a page of HTML. Its public `report_html` asks, and so it lives in `present`."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "report_html":
        from oddsmith.present.report.page import report_html

        return report_html
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
