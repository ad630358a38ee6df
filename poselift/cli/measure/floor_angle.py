"""How cameras stand to the floor."""

import math
from dataclasses import dataclass

import numpy as np

from poselift.geometry.camera import Camera
from poselift.kinematics.whole_body import TO_90
from poselift.structures import Recording

_TURNS = 0.5
"""Degrees by which both angles of a camera may differ over the recording, up to which they are told as one."""


@dataclass(frozen=True)
class FloorAngle:
    """The floor as a camera sees it.

    Values are medians over the recording where the camera turns.

    Attributes:
        rise: by which a level line across the picture rises to the right, degrees: how far the camera is rolled.
        pitch: by which the camera looks down, degrees; negative upwards.
        half: half-width of the 90 % interval of both, degrees; NaN if unknown.
        turns: by how much rise and pitch change over the recording, degrees; 0 for a still camera.
        camera: its name, where there are several.
    """

    rise: float
    pitch: float
    half: float
    turns: tuple[float, float] = (0.0, 0.0)
    camera: str = ""

    def text(self) -> str:
        """One line for people."""
        around = f" ± {self.half:.1f}° (90 %)" if math.isfinite(self.half) else ""
        where = "down" if self.pitch >= 0 else "up"
        whose = f"Camera {self.camera}: floor angle" if self.camera else "Floor angle"
        turns = ""
        if max(self.turns) > _TURNS:
            turns = f" Medians: the camera turns, and they change by {self.turns[0]:.1f}° and {self.turns[1]:.1f}°."
        return (
            f"{whose} {self.rise:z.1f}° in the picture (positive: rises to the right); the camera looks "
            f"{abs(self.pitch):.1f}° {where}{around and ', both'}{around}.{turns}"
        )


def find_floor_angles(recording: Recording) -> tuple[FloorAngle, ...]:
    """Each camera's floor angle in a recording; none in the camera frame."""
    if any(motion.frame != "world" for motion in recording.people):
        return ()
    half = math.nan if recording.up_uncertainty is None else math.degrees(TO_90 * recording.up_uncertainty)
    several = len(recording.cameras) > 1
    return tuple(
        _find_floor_angle(camera, half, (camera.name or str(number)) if several else "")
        for number, camera in enumerate(recording.cameras, 1)
    )


def _find_floor_angle(camera: Camera, half: float, name: str) -> FloorAngle:
    R, _ = camera.extrinsics
    x, y, z = np.moveaxis(R.reshape(-1, 3, 3)[:, :, 1], -1, 0)  # up, in the camera frame
    rise, pitch = np.degrees(np.unwrap(np.arctan2(-x, -y))), np.degrees(np.arcsin(np.clip(-z, -1.0, 1.0)))
    turns = float(np.ptp(rise)), float(np.ptp(pitch))
    return FloorAngle(float(np.median(rise)), float(np.median(pitch)), half, turns, name)
