"""A panel in space, drawn by plotly: it turns."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.show.pictures.geometry import eye, merged
from oddsmith.show.pictures.interactive_panel import DrawnPanel, digits, plain
from oddsmith.show.pictures.spec import Axis, Faces, Key, Surface
from oddsmith.show.pictures.theme import hexadecimal, mixed

NEAR, FAR = 2.1, 3.0
"""How far the eye is from the middle: at least, and where a panel is as high as wide."""

ROOM = 0.004
"""By which share an axis goes on, or faces at its very end would be cut to dust."""


class SpacePanel(DrawnPanel):
    """Surfaces and faces."""

    def draw(self) -> None:
        """Draw it, seen as in the first of its views."""
        panel = self.panel
        assert panel.z is not None
        bar = False
        for layer in panel.layers:
            if isinstance(layer, Surface):
                self.surface(layer, not bar)
                bar |= layer.scale.bar
            elif isinstance(layer, Faces):
                self.faces(layer)
        x, y, z = max(NEAR, FAR / self.domain.shape) * eye(panel.views[0])
        self.figure.update_layout(
            {
                self._scene: {
                    "domain": {"x": self.inner(bar), "y": list(self.domain.y)},
                    "xaxis": self._axis(panel.x),
                    "yaxis": self._axis(panel.y),
                    "zaxis": self._axis(panel.z),
                    "aspectmode": "manual",
                    "aspectratio": dict(zip("xyz", panel.aspect, strict=True)),
                    "camera": {"eye": {"x": x, "y": y, "z": z}, "center": {"z": -0.08}},
                    "dragmode": "turntable",
                }
            }
        )
        self.title()

    @property
    def _scene(self) -> str:
        return f"scene{self.place + 1 if self.place else ''}"

    def _axis(self, axis: Axis) -> dict[str, Any]:
        found = self.axis(axis) | {
            "backgroundcolor": mixed(self.paper.paper, self.paper.faint, 0.3),
            "showbackground": True,
        }
        if axis.low is not None and axis.high is not None:
            room = ROOM * (axis.high - axis.low)
            found["range"] = [axis.low - room, axis.high + room]
        return found

    def add(self, trace: Any) -> None:
        """A trace of this scene."""
        trace.scene = self._scene
        self.figure.add_trace(trace)

    def sign(self, key: Key) -> None:
        """An entry of the legend."""
        from plotly.graph_objects import Scatter3d

        nowhere = {"x": [None], "y": [None], "z": [None]}
        self.add(Scatter3d(**nowhere, **self.look_of(key), **self.named(key.name, key.colour)))

    def _told(self) -> str:
        """What a pointer is told of a place."""
        panel = self.panel
        assert panel.z is not None
        lines = [
            f"{plain(axis.text or letter)}: %{{{letter}:{digits(axis)}}}"
            for letter, axis in zip("xyz", (panel.x, panel.y, panel.z), strict=True)
        ]
        return "<br>".join(lines) + "<extra></extra>"

    def surface(self, layer: Surface, bar: bool) -> None:
        """Heights over a grid."""
        from plotly.graph_objects import Surface as Drawn

        colours, low, high = self.colours(layer.scale, layer.z)
        self.add(
            Drawn(
                x=np.asarray(layer.x, float), y=np.asarray(layer.y, float),
                z=np.asarray(layer.z, np.float32), colorscale=colours, cmin=low, cmax=high,
                showscale=bar and layer.scale.bar, colorbar=self.bar(layer.scale),
                lighting={"ambient": 0.85, "diffuse": 0.3, "specular": 0},
                hovertemplate=self._told(),
            )
        )  # fmt: skip

    def faces(self, layer: Faces) -> None:
        """Faces as two triangles each, as few as possible; they are lit already."""
        from plotly.graph_objects import Mesh3d

        few = merged(layer)
        points, corner = np.unique(few.corners.reshape(-1, 3), axis=0, return_inverse=True)
        a, b, c, d = corner.reshape(-1, 4).T.astype(np.int32)
        x, y, z = points.T.astype(np.float32)
        self.add(
            Mesh3d(
                x=x, y=y, z=z,
                i=np.concatenate([a, a]), j=np.concatenate([b, c]), k=np.concatenate([c, d]),
                facecolor=hexadecimal(few.colour) * 2,
                flatshading=True, hovertemplate=self._told(),
                lighting={"ambient": 1, "diffuse": 0, "specular": 0, "fresnel": 0},
            )
        )  # fmt: skip
