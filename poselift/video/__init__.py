"""Reading and writing videos, each frame with its time stamp."""

from poselift.video.probe import VideoInfo, probe
from poselift.video.reader import Frame, VideoReader, read_frames
from poselift.video.writer import VideoWriter

__all__ = ["Frame", "VideoInfo", "VideoReader", "VideoWriter", "probe", "read_frames"]
