"""A page to look at, in one HTML file. It has the video, the 3D scene, and curves over time."""

from poselift.viz.page.page_content import PageContent, PageView
from poselift.viz.page.page_video import PageVideo, write_small_video
from poselift.viz.page.page_writer import write_page

__all__ = ["PageContent", "PageVideo", "PageView", "write_page", "write_small_video"]
