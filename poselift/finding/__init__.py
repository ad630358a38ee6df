"""Finding people: where and when a detector looks.

The same code serves files and live sources. It imports nothing of lifting. A `Clip` is what lifting takes: frames, the
people in each frame, a tracker, and what the camera does.
"""

from poselift.finding.people_finder import PeopleFinder, build_finder
from poselift.finding.qualities import DEFAULT_QUALITY, QUALITIES
from poselift.finding.video_clip import Clip, VideoClip

__all__ = ["DEFAULT_QUALITY", "QUALITIES", "Clip", "PeopleFinder", "VideoClip", "build_finder"]
