"""Results of `poselift lift` as keypoints.

The input is `person_1.npz` with `person_1.json` beside it, or a folder of them. They have the 2D keypoints as detected,
with timestamps, skeleton and picture size.
"""

from pathlib import Path

import numpy as np

from poselift.keypoints.content import KeypointFile, Observation, frames_by_time
from poselift.keypoints.input_file import KeypointInput
from poselift.keypoints.videopose3d import arrays_of
from poselift.recordings import read_motion, read_sidecar
from poselift.recordings.names import is_person
from poselift.recordings.reading import require_camera
from poselift.structures import Hands, Keypoints2D, Motion, see_from_camera

WHAT = "poselift's own npz with its JSON, or its folder of them"


def _is_ours(path: Path) -> bool:
    return arrays_of(path).issuperset(("keypoints", "keypoint_scores", "timestamps"))


def _people(file: KeypointInput) -> list[Path]:
    """The people of a folder."""
    return [path for path in file.files(".npz") if is_person(path) and _is_ours(path)]


def recognises(file: KeypointInput) -> bool:
    """Whether it is such a file, or a folder with such files."""
    return _is_ours(file.path) or len(_people(file)) > 0


def read(file: KeypointInput) -> KeypointFile:
    """The keypoints of the file, or of all people of the folder.

    Raises:
        InputError: a file or its JSON is damaged, or the files are not of one video.
    """
    files = _people(file) or [file.path]
    tracks: dict[str, Keypoints2D] = {}
    hands: dict[str, tuple[np.ndarray, Hands]] = {}
    for path in files:
        motion = read_motion(path)
        track = motion.keypoints
        first = next(iter(tracks.values()), track)
        if (track.skeleton, track.image_size) != (first.skeleton, first.image_size) or str(track.person) in tracks:
            raise file.fail(
                f"{path.name} has the person, skeleton or picture size of another clip; give the files of one clip"
            )
        tracks[str(track.person)] = track
        if motion.hands is not None:
            hands[str(track.person)] = track.timestamps, _in_camera_frame(motion, path)
    if file.skeleton not in (None, first.skeleton):
        raise file.fail(f"its JSON names the skeleton {first.skeleton.name}; leave --keypoint-set out")
    frames, timestamps = frames_by_time(
        {
            person: (
                track.timestamps,
                [Observation(*frame, person) for frame in zip(track.keypoints, track.scores, strict=True)],
            )
            for person, track in tracks.items()
        }
    )
    mirrored = read_sidecar(files[0].with_suffix(".json")).get("mirrored") is True
    return KeypointFile(
        file.path,
        "poselift",
        first.skeleton,
        frames,
        first.image_size,
        timestamps,
        mirrored_back=mirrored,
        placed_hands=hands,
    )


def _in_camera_frame(motion: Motion, path: Path) -> Hands:
    """The hands of a result, which may be in the world frame."""
    if motion.frame == "world":
        motion = see_from_camera(motion, require_camera(read_sidecar(path.with_suffix(".json")), path))
    assert motion.hands is not None
    return motion.hands
