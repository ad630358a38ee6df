"""How the camera stands to the floor."""

import math
from dataclasses import dataclass

from poselift.kinematics.whole_body import TO_90
from poselift.structures import Recording


@dataclass(frozen=True)
class FloorAngle:
    """The floor as a still camera sees it.

    Attributes:
        rise: by which a level line across the picture rises to the right, degrees: how far the camera is rolled.
        pitch: by which the camera looks down, degrees; negative upwards.
        half: half-width of the 90 % interval of both, degrees; NaN if unknown.
    """

    rise: float
    pitch: float
    half: float

    def text(self) -> str:
        """One line for people."""
        around = f" ± {self.half:.1f}° (90 %)" if math.isfinite(self.half) else ""
        where = "down" if self.pitch >= 0 else "up"
        return (
            f"Floor angle {self.rise:z.1f}° in the picture (positive: rises to the right); the camera looks "
            f"{abs(self.pitch):.1f}° {where}{around and ', both'}{around}."
        )


def find_floor_angle(recording: Recording) -> FloorAngle | None:
    """A recording's floor angle, or None.

    None in the camera frame, with several cameras, and for a camera that turns.
    """
    if len(recording.cameras) != 1 or any(motion.frame != "world" for motion in recording.people):
        return None
    R, _ = recording.camera.extrinsics
    if R.ndim != 2:
        return None
    x, y, z = R[:, 1].tolist()  # up, in the camera frame
    half = math.nan if recording.up_uncertainty is None else math.degrees(TO_90 * recording.up_uncertainty)
    return FloorAngle(math.degrees(math.atan2(-x, -y)), math.degrees(math.asin(max(-1.0, min(1.0, -z)))), half)
