"""A picture drawn by plotly, as HTML that turns, zooms and answers a pointer.

The title, the small print and the words for who cannot see are HTML around the plot. A page that
stands alone has all of plotly.js in it and forbids itself to load anything: it works from a disk
without a network.
"""

from __future__ import annotations

import hashlib
import json
from html import escape
from typing import Any

from oddsmith.errors import MissingExtraError
from oddsmith.show.pictures.interactive_flat import FlatPanel
from oddsmith.show.pictures.interactive_panel import Domain
from oddsmith.show.pictures.interactive_space import SpacePanel
from oddsmith.show.pictures.spec import Picture
from oddsmith.show.pictures.theme import Theme

FONT = "system-ui, 'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif"
PIXELS = 96
"""An inch of a picture on a screen."""

BESIDE, BELOW, TITLE = 84, 60, 28
"""Room between panels for what stands beside and below an axis, and over a panel, in pixels."""

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; worker-src blob:"
)
"""What the page may do: nothing from elsewhere."""

CONFIG = {
    "responsive": True,
    "displaylogo": False,
    "typesetMath": False,
    "modeBarButtonsToRemove": [
        "sendChartToCloud",  # nothing leaves the page
        *("select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetCameraLastSave3d"),
    ],
}


def figure_of(picture: Picture, paper: Theme) -> Any:
    """The picture as a plotly figure, without its title."""
    try:
        from plotly.graph_objects import Figure
    except ImportError:
        raise MissingExtraError(
            "An interactive picture needs plotly, which is not installed: "
            "pip install 'oddsmith[plot]'."
        ) from None
    figure = Figure()
    figure.update_layout(
        template="none",
        autosize=True,
        paper_bgcolor=paper.paper,
        plot_bgcolor=paper.paper,
        font={"family": FONT, "size": 13, "color": paper.line},
        margin={"l": 16, "r": 16, "t": 8, "b": 16},
        hovermode="closest",
        hoverlabel={"bgcolor": paper.paper, "font": {"color": paper.line}},
        barmode="overlay",
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.01, "xanchor": "left", "yanchor": "bottom"},
    )
    names: set[tuple[str, str]] = set()
    panels = [
        (FlatPanel if panel.z is None else SpacePanel)(figure, panel, paper, place, domain, names)
        for place, (panel, domain) in enumerate(zip(picture.panels, _domains(picture), strict=True))
    ]
    for drawn in panels:
        drawn.draw()
    for key in picture.legend:
        panels[0].sign(key)
    return figure


def _domains(picture: Picture) -> list[Domain]:
    """Where each panel is, from 0 to 1 in both directions."""
    width, height = (PIXELS * inches for inches in picture.size)
    columns = min(max(picture.columns, 1), len(picture.panels))
    rows = -(-len(picture.panels) // columns)
    title = TITLE / height if any(panel.title for panel in picture.panels) else 0.0
    wide = (1 - (columns - 1) * BESIDE / width) / columns
    high = (1 - (rows - 1) * BELOW / height) / rows
    found = []
    for index in range(len(picture.panels)):
        row, column = divmod(index, columns)
        left = column * (wide + BESIDE / width)
        top = 1 - row * (high + BELOW / height)
        x, y = (left, min(left + wide, 1.0)), (max(top - high, 0.0), top - title)
        found.append(Domain(x, y, width, height))
    return found


def fragment(picture: Picture, paper: Theme) -> str:
    """The picture as a piece of a page that has plotly.js already."""
    plot = figure_of(picture, paper).to_json().replace("<", "\\u003c")
    name = "picture-" + hashlib.sha256((picture.title + plot).encode()).hexdigest()[:12]
    words = escape(picture.alt or picture.title)
    small = f"<p>{escape(picture.small)}</p>" if picture.small else ""
    height = round(PIXELS * picture.size[1])
    return f"""<figure class="oddsmith-picture">
<figcaption><strong>{escape(picture.title)}</strong>{small}</figcaption>
<div id="{name}" role="img" aria-label="{words}" style="width:100%;height:{height}px"></div>
<script>
(function () {{
  var plot = {plot};
  Plotly.newPlot("{name}", plot.data, plot.layout, {json.dumps(CONFIG)});
}})();
</script>
</figure>
"""


def page(picture: Picture, paper: Theme) -> str:
    """The picture as a page with all that it needs."""
    inside = fragment(picture, paper)
    from plotly.offline import get_plotlyjs

    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="{paper.name}">
<meta name="description" content="{escape(picture.alt or picture.title)}">
<title>{escape(picture.title)}</title>
<style>
body {{ margin: 0; background: {paper.paper}; color: {paper.line}; font-family: {FONT}; }}
.oddsmith-picture {{ max-width: {round(1.6 * PIXELS * picture.size[0])}px; margin: 0 auto;
  padding: 1rem 1.2rem; }}
.oddsmith-picture strong {{ font-size: 1.35rem; }}
.oddsmith-picture p {{ margin: 0.3rem 0 0.6rem; font-size: 0.9rem; color: {paper.muted}; }}
.oddsmith-picture > div {{ min-height: calc(100vh - 8rem); }}
</style>
<script>{get_plotlyjs()}</script>
</head>
<body>
{inside}</body>
</html>
"""
