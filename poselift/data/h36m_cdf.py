"""Makes VideoPose3D's npz from Human3.6M's own CDF files.

They are in the download "Poses, D3 Positions".

http://vision.imar.ro/human3.6m/; the npz is VideoPose3D's `data_3d_h36m.npz`
(https://github.com/facebookresearch/VideoPose3D, DATASETS.md), which its code and this package read.
"""

from collections import Counter
from pathlib import Path

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError, reason
from poselift.core.files import atomic_path, check_writable
from poselift.core.isolated_reader import read_isolated
from poselift.core.optional import require
from poselift.core.safe_parsing import limit_unpacked
from poselift.data.h36m import ACTIONS, FRAMES, GUIDE, SUBJECTS, URL, action_name
from poselift.data.h36m_cameras import CAMERAS
from poselift.data.reading import Layout, check_shape
from poselift.data.scientific_files import cdf_variable
from poselift.skeleton import H36M32

LAYOUT = Layout(
    name="Human3.6M as downloaded",
    tree="""
RAW/
  S1/
    MyPoseFeatures/
      D3_Positions/
        Directions 1.cdf
        Directions.cdf
        ...                  (30 files: two takes of each action)
  S5/ S6/ S7/ S8/ S9/ S11/   (the same)
""",
    url=URL,
    note=f"Extract Poses_D3_Positions_S1.tgz and those of S5, S6, S7, S8, S9 and S11 into one folder. {GUIDE}",
)

TAKES = 2
"""Takes of each action by each subject."""


def read_cdf(path: str | Path) -> Float[np.ndarray, "t 32 3"]:
    """The 32 joints of one take in the world (Z up), metres.

    Raises:
        InputError: the file is missing or no CDF, its `Pose` has another shape, or cdflib is not installed.
    """
    require("cdflib", "datasets")
    path = LAYOUT.require_file(path)
    try:
        pose = read_isolated(cdf_variable, path, limit_unpacked(path.stat().st_size), "Pose")
    except Exception as error:  # a damaged file can raise any exception
        raise InputError(f"{path} cannot be read as a CDF with a variable 'Pose' ({reason(error)})") from error
    check_shape(path, "Pose", pose, (1, None, 3 * len(H36M32)))
    return (pose.reshape(-1, len(H36M32), 3) / 1000).astype(np.float32)


def prepare(raw: str | Path, root: str | Path) -> str:
    """Writes `data_3d_h36m.npz` from the download; a summary comes back.

    S11's first take of Directions is left out, because its video is corrupted.

    Args:
        raw: folder of the download, which contains S1, S5, S6, S7, S8, S9 and S11.
        root: folder to write to; the file is written atomically.

    Returns:
        A line for each split: its number of frames of the four cameras, and the published one.

    Raises:
        InputError: the download is incomplete or malformed, or the folder cannot be written to.
    """
    check_writable(root)
    positions = {subject: _read_subject(Path(raw), subject) for split in SUBJECTS.values() for subject in split}
    with atomic_path(Path(root) / "data_3d_h36m.npz") as temporary:
        np.savez_compressed(temporary, positions_3d=np.array(positions, object))
    lines = []
    for split, subjects in SUBJECTS.items():
        poses = sum(len(take) for subject in subjects for take in positions[subject].values())
        found, published = len(CAMERAS) * poses, FRAMES[split]
        verdict = (
            "as published"
            if found == published
            else f"but {published} are published; check that the download is complete"
        )
        lines.append(f"{split}: {found} frames of {len(CAMERAS)} cameras, {verdict}")
    return "\n".join(lines)


def _read_subject(folder: Path, subject: str) -> dict[str, np.ndarray]:
    """A subject's takes, (t, 32, 3), metres, by name.

    The field's names: "Photo", "WalkDog".
    """
    place = folder / subject / "MyPoseFeatures" / "D3_Positions"
    files = [file for file in LAYOUT.require_files(place, "*.cdf") if not file.name.startswith("_")]
    found = Counter(action_name(file.stem) for file in files)
    wrong = [f"{found[action]} of {action}" for action in ACTIONS if found[action] != TAKES]
    if wrong:
        raise InputError(f"{place}: expected {TAKES} takes of each action, found {', '.join(wrong)}")
    takes = {}
    for file in files:
        first, *rest = file.stem.split()
        if (subject, file.stem) != ("S11", "Directions"):
            takes[" ".join((action_name(first), *rest))] = read_cdf(file)
    return takes
