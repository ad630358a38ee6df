"""Names of the files in a result's folder."""

import re
from collections.abc import Iterable
from pathlib import Path

from poselift.export.export_formats import FORMATS

OVERLAY = "overlay.mp4"
"""Name of the video with 2D and 3D side by side."""

SUMMARY = "summary.json"
"""Name of the file that is written last: where it is, the results are complete."""
RECORD = "batch.json"
"""Name of the file in each folder of `poselift batch` that says what it was made from; it is written last."""
UNFINISHED = ".poselift_unfinished"
"""Name of the folder, in the folder of the results, that a run writes to before its results are complete."""

OVERLAY_VIEW = "overlay_{}.mp4"
"""Name of the same for one video of several, by its number from 1."""

CALIBRATION, CALIBRATION_REPORT = "calibration.toml", "calibration.json"
"""Names of the cameras of several videos, for other programs, and of how sure they are."""

VIEW_KEYPOINTS = "view_keypoints.npz"
"""Name of everybody's keypoints in each of several videos."""

PAGE = "html"
"""Name of the page among the formats."""

PAGE_FILES = ("page.html", "page_video.mp4")
"""The page of a folder, and its video if that is too large for it."""

OWN_ENDINGS = ("npz", "json", "csv")
"""Endings of the files of each person that a run writes without being asked."""

_PERSON = re.compile(r"person_\d+\.npz")
_ENDINGS = {*(f".{suffix}" for suffix in OWN_ENDINGS), *(form.ending for form in FORMATS.values())}
_OURS = re.compile(
    rf"person_\d+({'|'.join(map(re.escape, sorted(_ENDINGS)))})|overlay_\d+\.mp4|page_video_\d+\.mp4|"
    rf"{'|'.join(map(re.escape, (OVERLAY, CALIBRATION, CALIBRATION_REPORT, VIEW_KEYPOINTS, *PAGE_FILES)))}"
)
"""Names of the files beside the summary."""


def is_person(path: Path) -> bool:
    """Whether a file is named as a person's, such as person_1.npz.

    Not person_1_smooth.npz of `poselift smooth`, which is person 1 a second time.
    """
    return _PERSON.fullmatch(path.name) is not None


def is_ours(name: str) -> bool:
    """Whether a run writes files with this name."""
    return name == SUMMARY or _OURS.fullmatch(name) is not None


def plan_files(formats: Iterable[str], stem: str) -> list[str]:
    """Names of files that a run may write.

    Some are for a motion of this name, others for all motions.

    Args:
        formats: their names, `PAGE` among them.
        stem: name of the motion's files without their ending.
    """
    names = list(formats)
    own = [f"{stem}{FORMATS[name].ending}" for name in names if name in FORMATS]
    return own + list(PAGE_FILES if PAGE in names else ())


def person_stem(person: int) -> str:
    """The name of a person's files without their ending."""
    return f"person_{person}"
