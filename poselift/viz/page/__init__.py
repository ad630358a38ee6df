"""A page to look at: one HTML file with the video, the 3D scene, and curves over time."""

from poselift.viz.page.clip import PageVideo, small_video
from poselift.viz.page.content import View
from poselift.viz.page.writer import write_page

__all__ = ["PageVideo", "View", "small_video", "write_page"]
