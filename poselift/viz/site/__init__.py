"""The site that lifts videos in a browser."""

from poselift.viz.site.one_file import write_editor
from poselift.viz.site.site_writer import HEADERS, write_site

__all__ = ["HEADERS", "write_editor", "write_site"]
