"""The site that lifts videos in a browser."""

from poselift.viz.site.site_writer import HEADERS, write_site

__all__ = ["HEADERS", "write_site"]
