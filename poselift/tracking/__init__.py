"""Tracking: assigns detections to people from frame to frame."""

from poselift.tracking.tracker import Tracker

__all__ = ["Tracker"]
