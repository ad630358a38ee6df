"""Reading and writing of videos, with the timestamp of each frame."""

from poselift.video.probe import VideoInfo, probe
from poselift.video.reader import Frame, VideoReader
from poselift.video.writer import VideoWriter

__all__ = ["Frame", "VideoInfo", "VideoReader", "VideoWriter", "probe"]
