"""Readers of 2D keypoints from other programs, and their clips. One module per format."""

import logging
from pathlib import Path
from typing import Protocol

from poselift.core.annotations import check_annotations
from poselift.keypoints import (
    alphapose,
    coco_json,
    deeplabcut,
    mediapipe,
    mmpose_json,
    movement,
    openpose,
    poselift_npz,
    sleap,
    trc,
    ultralytics,
    videopose3d,
)
from poselift.keypoints.clip import KeypointClip
from poselift.keypoints.content import KeypointFile, Observation
from poselift.keypoints.input_file import KeypointInput
from poselift.keypoints.other_programs import advise
from poselift.keypoints.which_skeleton import choose_skeleton_by_shape
from poselift.skeleton import Skeleton

__all__ = ["READERS", "KeypointClip", "KeypointFile", "Observation", "Reader", "read_keypoints"]

_LOG = logging.getLogger(__name__)


class Reader(Protocol):
    """A module that reads one format.

    Attributes:
        WHAT: short name of the format, for messages.
    """

    WHAT: str

    def recognises(self, file: KeypointInput) -> bool:
        """Whether a file or folder is in this format, by its beginning."""
        ...

    def read(self, file: KeypointInput) -> KeypointFile:
        """The keypoints of the file or folder.

        Raises:
            InputError: it is damaged, or its skeleton is unknown.
        """
        ...


READERS: dict[str, Reader] = {
    "poselift": poselift_npz,  # before the files of other formats that may lie beside
    "openpose": openpose,
    "alphapose": alphapose,
    "coco": coco_json,
    "ultralytics": ultralytics,
    "mmpose": mmpose_json,
    "mediapipe": mediapipe,
    "sleap": sleap,
    "movement": movement,
    "deeplabcut": deeplabcut,
    "videopose3d": videopose3d,
    "trc": trc,
}
"""Readers by name of the format, in the order in which they are tried."""


@check_annotations
def read_keypoints(path: str | Path, skeleton: Skeleton | None = None) -> KeypointFile:
    """The 2D keypoints of a file or folder, in any known format.

    Its content tells the format.

    Args:
        path: a file, or a folder of files.
        skeleton: skeleton of the keypoints; recognised by names or number of the joints if None, and by the shape of
            the people where two skeletons have this number.

    Raises:
        InputError: the path does not exist, the format is unknown, the file is damaged, or its skeleton cannot be
            told from another; the message names the file and the key.

    Example:
        >>> import json, tempfile
        >>> path = Path(tempfile.mkdtemp()) / "results.json"
        >>> person = {"image_id": 0, "category_id": 1, "keypoints": [100.0, 200.0, 0.9] * 17, "score": 0.9}
        >>> _ = path.write_text(json.dumps([person]))
        >>> file = read_keypoints(path)
        >>> file.format, file.skeleton.name, len(file.frames[0])
        ('coco', 'coco17', 1)
    """
    file = KeypointInput(path, skeleton)
    for name, reader in READERS.items():
        if reader.recognises(file):
            content = reader.read(file).drop_unseen_people()
            _LOG.debug("%s: %s, %d frames of %s", path, name, len(content.frames), content.skeleton.name)
            return choose_skeleton_by_shape(content) if file.counted else content
    supported = "; ".join(reader.WHAT for reader in READERS.values())
    raise file.fail(advise(file) or f"the format is unknown; supported are {supported}")
