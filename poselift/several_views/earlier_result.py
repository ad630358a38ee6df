"""How sure an earlier result is of its cameras, which others borrow."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.publishing import find_published
from poselift.core.safe_parsing import read_json, real_number
from poselift.geometry.camera import Camera
from poselift.recordings.names import CALIBRATION, CALIBRATION_REPORT
from poselift.several_views.report import is_unsure

_KNOWN_SIZE = 0.005
"""Standard deviation of the log of the size of everything under a calibration with a board."""


@dataclass(frozen=True)
class CameraUncertainty:
    """The uncertainty of known cameras.

    Attributes:
        angle: standard deviation about each axis of each camera's rotation, radians.
        place: likewise of its place, metres.
        size: standard deviation of the log of the size of everything.
    """

    angle: Float[np.ndarray, " v"]
    place: Float[np.ndarray, " v"]
    size: float


def of_a_board(count: int) -> CameraUncertainty:
    """The uncertainty of cameras that a board calibrated.

    Args:
        count: number of cameras.
    """
    return CameraUncertainty(np.zeros(count), np.zeros(count), _KNOWN_SIZE)


def uncertainty_of(files: Sequence[Path], cameras: Sequence[Camera]) -> CameraUncertainty:
    """The uncertainty of a calibration's cameras, as its own result says.

    Cameras of other programs have none.

    Args:
        files: of the calibration.
        cameras: those that are used; they have the file's names.
    """
    known = of_a_board(len(cameras))
    angle, place, size = known.angle, known.place, known.size
    for file in files:
        said = _read_report(file)
        for own in _entries(said.get("cameras")):
            keys = "rotation_uncertainty_degrees", "place_uncertainty_m"
            turned, moved = (_spread(own.get(key)) for key in keys)
            for view, camera in enumerate(cameras):
                if camera.name == own.get("name") and turned is not None and moved is not None:
                    angle[view], place[view] = np.radians(turned), moved
                    size = max(size, (_spread(said.get("size_uncertainty_percent")) or 0.0) / 100)
    return CameraUncertainty(angle, place, size)


def doubt_earlier(file: Path) -> str | None:
    """What a calibration's own result says of it.

    None if that is sure, or if it is none of ours.

    Args:
        file: the calibration.
    """
    said = _read_report(file)
    turned, sized = (_spread(said.get(key)) for key in ("rotations_within_degrees", "size_within_percent"))
    if turned is None or sized is None or not is_unsure(turned, sized):
        return None
    return (
        f"the cameras of {file} may be turned by up to {turned:.2g} degrees, and all sizes may be off by up to "
        f"{sized:.2g} % (nine takes of ten are within that); calibrate with --height, in a longer take in which people "
        "walk through the space and turn"
    )


def _read_report(file: Path) -> dict[str, Any]:
    """The report beside a calibration of ours; empty if there is none."""
    beside = find_published(file.with_name(CALIBRATION_REPORT))
    if file.name != CALIBRATION or not beside.is_file():
        return {}
    try:
        found = read_json(beside)
    except InputError:  # another program's
        return {}
    return found if isinstance(found, dict) else {}


def _spread(value: Any) -> float | None:
    """A finite number from 0 on, or None.

    Another program may write any value.
    """
    number = real_number(value)
    return number if number is not None and 0 <= number < np.inf else None


def _entries(value: Any) -> list[dict[str, Any]]:
    """The mappings of a list."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
