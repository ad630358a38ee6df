"""Drawing: 2D skeletons on the picture, the 3D scene, and both side by side."""

from poselift.viz.colors import PersonColors, person_colors
from poselift.viz.draw2d import draw_skeleton_2d
from poselift.viz.overlay import OverlayRenderer
from poselift.viz.scene3d import Pose3D, Scene3D
from poselift.viz.stage import Stage

__all__ = [
    "OverlayRenderer",
    "PersonColors",
    "Pose3D",
    "Scene3D",
    "Stage",
    "draw_skeleton_2d",
    "person_colors",
]
