"""Reading and writing of videos, with the timestamp of each frame."""

from poselift.video.newest_frame import Captured, LiveCapture
from poselift.video.probe import VideoInfo, probe
from poselift.video.reader import Frame, VideoReader
from poselift.video.source import Source, source_opener
from poselift.video.writer import VideoWriter

__all__ = [
    "Captured",
    "Frame",
    "LiveCapture",
    "Source",
    "VideoInfo",
    "VideoReader",
    "VideoWriter",
    "probe",
    "source_opener",
]
