"""What can be checked of a page's accessibility without anybody: names, labels, order, contrast."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FLAWS = (Path(__file__).parent / "flaws.js").read_text(encoding="utf-8")
"""Whatever is wrong, in words."""

COLOURS = """(names) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const probe = document.body.appendChild(document.createElement("i"));
  const found = {};
  for (const name of names) {
    probe.style.color = `var(${name})`;
    canvas.fillStyle = getComputedStyle(probe).color;
    canvas.fillRect(0, 0, 1, 1);
    found[name] = [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  }
  probe.remove();
  return found;
}"""
"""What CSS variables are, as red, green and blue."""


def flaws(page: Any) -> list[str]:
    """What a person who cannot see the page, or has no mouse, would stumble over."""
    found: list[str] = page.evaluate(FLAWS)
    return found


def colours(page: Any, *names: str) -> dict[str, tuple[int, int, int]]:
    """What CSS variables are in the theme in force."""
    found: dict[str, tuple[int, int, int]] = page.evaluate(COLOURS, list(names))
    return found


def luminance(colour: tuple[int, int, int]) -> float:
    """How bright a colour is, as WCAG 2 defines it.

    >>> luminance((255, 255, 255)), luminance((0, 0, 0))
    (1.0, 0.0)
    """
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in colour)
    )
    return round(0.2126 * red + 0.7152 * green + 0.0722 * blue, 12)


def contrast(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    """The contrast of two colours, from 1 to 21.

    >>> contrast((0, 0, 0), (255, 255, 255))
    21.0
    """
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
