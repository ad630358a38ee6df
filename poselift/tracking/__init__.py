"""Who is who from frame to frame."""

from poselift.tracking.tracker import Tracker

__all__ = ["Tracker"]
