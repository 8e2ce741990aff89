"""A panel in space, drawn by matplotlib from one side."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.show.pictures.geometry import surface_faces, turned_to
from oddsmith.show.pictures.spec import Axis, Faces, Panel, Surface
from oddsmith.show.pictures.theme import Theme, mixed
from oddsmith.show.pictures.words import number


def draw_view(
    axes: Any, panel: Panel, view: tuple[float, float], paper: Theme, *, shape: float, first: bool
) -> None:
    """Draw a panel in space as it is seen from a side; its title over the first only.

    `shape` is how wide its place is for its height: in a wide one there is room for labels.

    All faces go into one collection, since matplotlib sorts the faces of a collection by depth,
    and they are stored as pixels: there may be a hundred thousand.
    """
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    nothing = Faces(np.zeros((0, 4, 3)), np.zeros((0, 3)))
    every = [nothing, *(_faces(layer, paper) for layer in panel.layers)]
    seen = [(faces, turned_to(faces, view)) for faces in every]
    colour = np.concatenate([faces.colour[kept] for faces, kept in seen])
    axes.add_collection3d(
        Poly3DCollection(
            np.concatenate([faces.corners[kept] for faces, kept in seen]),
            facecolors=colour,
            edgecolors=colour,  # or seams would show
            linewidths=0.35,
            rasterized=True,
        )
    )
    axes.view_init(*view)
    axes.set_box_aspect(panel.aspect, zoom=min(0.86 * shape, 0.96))
    axes.tick_params(labelsize=8, pad=1)
    corners = np.concatenate([faces.corners for faces in every])
    assert panel.z is not None
    for place, (letter, axis) in enumerate(zip("xyz", (panel.x, panel.y, panel.z), strict=True)):
        _axis(axes, letter, axis, corners[:, :, place], paper)
    if panel.title and first:
        axes.set_title(panel.title, loc="left", fontsize=10, weight="bold")


def _faces(layer: Any, paper: Theme) -> Faces:
    return surface_faces(layer, paper) if isinstance(layer, Surface) else layer


def _axis(axes: Any, letter: str, axis: Axis, drawn: Any, paper: Theme) -> None:
    from matplotlib.ticker import FuncFormatter

    low = float(drawn.min(initial=np.inf)) if axis.low is None else axis.low
    high = float(drawn.max(initial=-np.inf)) if axis.high is None else axis.high
    low, high = (low, high) if np.isfinite([low, high]).all() else (0.0, 1.0)
    getattr(axes, f"set_{letter}lim")(low, high if high > low else low + 1)
    getattr(axes, f"set_{letter}label")(axis.text, labelpad=4 if letter == "z" else 6)
    ruler = getattr(axes, f"{letter}axis")
    if axis.ticks is not None:
        ruler.set_ticks([at for at, _ in axis.ticks], [text for _, text in axis.ticks])
    else:
        ruler.set_major_formatter(FuncFormatter(lambda value, _: number(value, axis.format)))
    ruler.pane.set_facecolor(mixed(paper.paper, paper.faint, 0.3))
    ruler.pane.set_edgecolor(paper.faint)
    ruler._axinfo["grid"].update(color=paper.faint, linewidth=0.7)
