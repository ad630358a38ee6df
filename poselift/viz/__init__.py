"""Drawing: 2D skeletons, the 3D scene, and both side by side."""

from poselift.viz.live_view import LiveView
from poselift.viz.overlay import OverlayRenderer
from poselift.viz.window import Window

__all__ = ["LiveView", "OverlayRenderer", "Window"]
