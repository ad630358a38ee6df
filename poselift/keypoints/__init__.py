"""Readers of 2D keypoints from other programs, one module per format, and clips made of them."""

from pathlib import Path
from typing import Protocol

from poselift.keypoints import alphapose, coco_json, deeplabcut, mmpose_json, openpose, poselift_npz, trc, videopose3d
from poselift.keypoints.clip import KeypointClip
from poselift.keypoints.content import KeypointFile, Observation
from poselift.keypoints.input_file import KeypointInput
from poselift.skeleton import Skeleton

__all__ = ["READERS", "KeypointClip", "KeypointFile", "Observation", "Reader", "read_keypoints"]


class Reader(Protocol):
    """A module that reads one format.

    Attributes:
        WHAT: the format in a few words, for messages.
    """

    WHAT: str

    def recognises(self, file: KeypointInput) -> bool:
        """Whether the file or folder is in this format, as far as its beginning tells."""
        ...

    def read(self, file: KeypointInput) -> KeypointFile:
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
    file = KeypointInput(path, skeleton)
    for reader in READERS.values():
        if reader.recognises(file):
            return reader.read(file)
    supported = "; ".join(reader.WHAT for reader in READERS.values())
    raise file.fail(f"not recognised{_why(file)}; supported are {supported}")


def _why(file: KeypointInput) -> str:
    """Why a file is in none of the formats, where that is easily told."""
    if file.path.is_dir() and not any(file.files(suffix) for suffix in (".json", ".npz", ".trc")):
        return " (there are no .json, .npz or .trc files in this folder)"
    if file.path.suffix == ".json" and not file.json:
        return " (there is nobody in it)"
    if file.path.suffix == ".json" and openpose.is_frame(file.json):
        return " (it is one frame of OpenPose's; give the folder that it is in)"
    return ""
