"""2D keypoints that were made elsewhere, one format a module, and how they go where a detector's do."""

from pathlib import Path
from typing import Protocol

from poselift.keypoints import alphapose, coco_json, deeplabcut, mmpose_json, openpose, poselift_npz, trc, videopose3d
from poselift.keypoints.content import KeypointFile, Sight
from poselift.keypoints.source import Source
from poselift.keypoints.stream import FileDetections
from poselift.skeleton import Skeleton

__all__ = ["READERS", "FileDetections", "KeypointFile", "Reader", "Sight", "read_keypoints"]


class Reader(Protocol):
    """A module that reads one format.

    Attributes:
        WHAT: the format in a few words, for messages.
    """

    WHAT: str

    def recognises(self, source: Source) -> bool:
        """Whether the file or folder is in this format, as far as its beginning tells."""
        ...

    def read(self, source: Source) -> KeypointFile:
        """Reads it.

        Raises:
            InputError: it is damaged, or its joint set is not known.
        """
        ...


READERS: dict[str, Reader] = {
    "openpose": openpose,
    "alphapose": alphapose,
    "coco": coco_json,
    "mmpose": mmpose_json,
    "deeplabcut": deeplabcut,
    "videopose3d": videopose3d,
    "trc": trc,
    "poselift": poselift_npz,
}
"""Every format by name, in the order in which they are tried."""


def read_keypoints(path: str | Path, skeleton: Skeleton | None = None) -> KeypointFile:
    """Reads 2D keypoints in any of the formats, which is recognised by what is in the file.

    Args:
        path: a file, or a folder of them.
        skeleton: the joint set that it has; recognised by number or names where left out.

    Raises:
        InputError: there is nothing at the path, no format is recognised, or the file is damaged; the message says
            which file and which key.
    """
    source = Source(path, skeleton)
    for reader in READERS.values():
        if reader.recognises(source):
            return reader.read(source)
    supported = "; ".join(reader.WHAT for reader in READERS.values())
    raise source.fail(f"not recognised{_why(source)}; supported are {supported}")


def _why(source: Source) -> str:
    """Why a file is in none of the formats, where that is easily told."""
    if source.path.is_dir() and not any(source.files(suffix) for suffix in (".json", ".npz", ".trc")):
        return " (there are no .json, .npz or .trc files in this folder)"
    if source.path.suffix == ".json" and not source.json:
        return " (there is nobody in it)"
    if source.path.suffix == ".json" and openpose.is_frame(source.json):
        return " (it is one frame of OpenPose's; give the folder that it is in)"
    return ""
