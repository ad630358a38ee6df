"""JTA (Joint Track Auto): crowds of the game GTA V, with every joint of every person known.

Fabbri et al., "Learning to detect and track visible and occluded body joints in a virtual world", ECCV 2018
(https://github.com/fabbrimatteo/JTA-Dataset), whose README.md says what the files hold.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.data.loading import intrinsics, pick_split, recorded_view
from poselift.data.reading import Source, check_shape, load_json
from poselift.data.views import View
from poselift.skeleton import JTA22

SOURCE = Source(
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
    note="The videos are not read.",
)

FPS = 30.0
IMAGE_SIZE = (1920, 1080)
K = intrinsics(1158.0, 1158.0, 960.0, 540.0)
_COLUMNS = 10
"""Frame, person, joint type, x, y in pixels, x, y, z in metres, occluded, occluded by the person's own body."""


def load_jta(root: str | Path, split: str = "test", sequences: Sequence[int] | None = None) -> list[View]:
    """Reads one split of JTA.

    A joint that is occluded, or outside the picture, has no keypoint (NaN, score 0): no detector sees it. One that is
    only self-occluded has its keypoint, with score 1 as others have: detectors place those from the rest of the body.
    The 3D of all of them is known. Spells in which nothing of a person is seen are left out.

    Args:
        root: the folder that holds `annotations`.
        split: "train", "val" or "test", as the files are divided; the paper's test set is val and test together.
        sequences: which of the split's sequences, by number; all if left out. One takes seconds to read.

    Returns:
        A View for each unbroken spell of each person in a sequence, named "seq_42/17/118" by sequence, person and
        first frame, in the 22 joints of JTA; the subject is "seq_42/17". The root is the middle of the hips.

    Raises:
        InputError: there is no such split or sequence, or a file is malformed.
    """
    folder = Path(root) / "annotations" / pick_split(split, {"train": "train", "val": "val", "test": "test"}, "JTA")
    if sequences is None:
        paths = sorted(folder.glob("seq_*.json"), key=lambda path: (len(path.stem), path.stem))
    else:
        paths = [SOURCE.require_file(folder / f"seq_{number}.json") for number in sequences]
    if not paths:
        raise SOURCE.missing(folder / "seq_*.json")
    return [view for path in paths for view in _sequence(path)]


def _sequence(path: Path) -> list[View]:
    poses = _poses(path)
    frame, person = poses[:, 0, 0], poses[:, 0, 1]
    breaks = np.flatnonzero((np.diff(person) != 0) | (np.diff(frame) != 1)) + 1
    views = []
    for spell in np.split(poses, breaks):
        pixels, points, occluded = spell[..., 3:5], spell[..., 5:8], spell[..., 8] != 0
        inside = ((pixels >= 0) & (pixels <= IMAGE_SIZE)).all(-1) & (points[..., 2] > 0)
        seen = inside & ~occluded
        if not seen.any():
            continue
        subject = f"{path.stem}/{spell[0, 0, 1]:.0f}"
        views.append(
            recorded_view(
                f"{subject}/{spell[0, 0, 0]:.0f}",
                subject,
                pixels,
                points,
                fps=FPS,
                K=K,
                image_size=IMAGE_SIZE,
                keypoint_skeleton=JTA22,
                skeleton=JTA22,
                scores=seen.astype(np.float64),
            )
        )
    return views


def _poses(path: Path) -> Float[np.ndarray, "poses 22 10"]:
    """The rows of a file by person, frame and joint."""
    content = load_json(path)
    try:
        rows = np.array(content, np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(f"{path}: expected a list of rows of {_COLUMNS} numbers, one a joint ({error})") from error
    check_shape(path, "the list of rows", rows, (None, _COLUMNS))
    rows = rows[np.lexsort((rows[:, 2], rows[:, 0], rows[:, 1]))]
    count = len(JTA22)
    poses = rows[: len(rows) // count * count].reshape(-1, count, _COLUMNS)
    of_one = (poses[..., :2] == poses[:, :1, :2]).all((1, 2))
    whole = of_one & (poses[..., 2] == np.arange(count)).all(1)
    if not whole.all() or poses.size < rows.size:
        frame, person = poses[~whole][0, 0, :2] if not whole.all() else rows[poses.size // _COLUMNS, :2]
        raise InputError(
            f"{path}: person {person:.0f} in frame {frame:.0f} has not each of the joints 0 to {count - 1} exactly once"
        )
    return poses
