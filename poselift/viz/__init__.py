"""Drawing: 2D skeletons on the picture, the 3D scene, and both side by side."""

from poselift.viz.bodies3d import Pose3D
from poselift.viz.colors import PersonColors, person_colors
from poselift.viz.draw2d import draw_skeleton_2d
from poselift.viz.live_view import LiveView
from poselift.viz.overlay import OverlayRenderer
from poselift.viz.scene3d import Scene3D
from poselift.viz.stage import Stage
from poselift.viz.window import Window

__all__ = [
    "LiveView",
    "OverlayRenderer",
    "PersonColors",
    "Pose3D",
    "Scene3D",
    "Stage",
    "Window",
    "draw_skeleton_2d",
    "person_colors",
]
