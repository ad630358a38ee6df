"""JTA (Joint Track Auto): crowds of the game GTA V.

It has all joints of all people.

Fabbri et al., "Learning to detect and track visible and occluded body joints in a virtual world", ECCV 2018
(https://github.com/fabbrimatteo/JTA-Dataset), whose README.md describes the files.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.safe_parsing import read_json
from poselift.data.loading import TRAIN_VAL_TEST, intrinsics, pick_split, recorded_view
from poselift.data.reading import Layout, numbers
from poselift.data.views import View
from poselift.skeleton import JTA22

LAYOUT = Layout(
    name="JTA",
    tree="""
ROOT/
  annotations/
    train/
      seq_0.json
      ...
    val/ ...
    test/ ...
""",
    url="https://aimagelab.ing.unimore.it/go/JTA",
    note="The videos are not needed.",
)

FPS = 30.0
IMAGE_SIZE = (1920, 1080)
K = intrinsics(1158.0, 1158.0, 960.0, 540.0)
_COLUMNS = 10
"""Frame, person, joint type, x, y in pixels, x, y, z in metres, occluded, self-occluded."""


def load_jta(root: str | Path, split: str = "test", sequences: Sequence[int] | None = None) -> list[View]:
    """The views of one split of JTA.

    A joint that is occluded or outside the picture has no keypoint (NaN, score 0), because no detector sees it. A
    self-occluded joint has its keypoint with score 1, because detectors infer it from the rest of the body. A joint
    without a row has neither 2D nor 3D (NaN). Segments without any visible joint are left out.

    Args:
        root: folder that contains `annotations`.
        split: "train", "val" or "test", as the files are divided; the paper's test set is val and test together.
        sequences: numbers of the sequences to read; None reads the whole split. One sequence takes seconds.

    Returns:
        A View for each unbroken segment of each person in a sequence, with the 22 joints of JTA. Its name is
        sequence, person and first frame, e.g. "seq_42/17/118", and its subject "seq_42/17". The root is the middle
        of the hips.

    Raises:
        InputError: the split or a sequence does not exist, or a file is malformed.
    """
    folder = Path(root) / "annotations" / pick_split(split, TRAIN_VAL_TEST, LAYOUT.name)
    if sequences is None:
        paths = sorted(LAYOUT.require_files(folder, "seq_*.json"), key=lambda path: (len(path.stem), path.stem))
    else:
        paths = [LAYOUT.require_file(folder / f"seq_{number}.json") for number in sequences]
    return [view for path in paths for view in _load_sequence(path)]


def _load_sequence(path: Path) -> list[View]:
    poses = _read_poses(path)
    frame, person = poses[:, 0, 0], poses[:, 0, 1]
    breaks = np.flatnonzero((np.diff(person) != 0) | (np.diff(frame) != 1)) + 1
    views = []
    for segment in np.split(poses, breaks):
        pixels, points, occluded = segment[..., 3:5], segment[..., 5:8], segment[..., 8] != 0
        inside = ((pixels >= 0) & (pixels <= IMAGE_SIZE)).all(-1) & (points[..., 2] > 0)  # False for NaN
        seen = inside & ~occluded
        if not seen.any():
            continue
        subject = f"{path.stem}/{segment[0, 0, 1]:.0f}"
        views.append(
            recorded_view(
                f"{subject}/{segment[0, 0, 0]:.0f}",
                subject,
                pixels,
                points,
                fps=FPS,
                K=K,
                image_size=IMAGE_SIZE,
                skeleton=JTA22,
                scores=seen.astype(np.float64),
            )
        )
    return views


def _read_poses(path: Path) -> Float[np.ndarray, "poses 22 10"]:
    """A file's rows by person, frame and joint.

    NaN where a joint has no row.
    """
    rows = numbers(path, "the list of rows", read_json(path), (None, _COLUMNS))
    joint = rows[:, 2]
    unknown = ~np.isin(joint, np.arange(len(JTA22)))
    if unknown.any():
        raise InputError(
            f"{path}: a row has joint {joint[unknown][0]:g}; joints are numbered from 0 to {len(JTA22) - 1}"
        )
    keys, pose = np.unique(rows[:, [1, 0]], axis=0, return_inverse=True)  # sorted by person, then frame
    place = pose.ravel() * len(JTA22) + joint.astype(np.int64)
    twice = np.flatnonzero(np.bincount(place) > 1)
    if len(twice):
        person, frame = keys[twice[0] // len(JTA22)]
        raise InputError(
            f"{path}: person {person:.0f} has joint {twice[0] % len(JTA22)} twice in frame {frame:.0f}; keep one row"
        )
    poses = np.full((len(keys), len(JTA22), _COLUMNS), np.nan)
    poses[..., 0], poses[..., 1] = keys[:, None, 1], keys[:, None, 0]
    poses.reshape(-1, _COLUMNS)[place] = rows
    return poses
