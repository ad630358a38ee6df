"""One of several videos: its people, its lens, its clock."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from poselift.geometry.camera import Camera
from poselift.structures import Motion


@dataclass(frozen=True)
class LiftedView:
    """What one video gives.

    Attributes:
        name: of the video.
        people: everybody in it, camera frame.
        camera: its lens; the pose does not count.
        span: time stamps of its first and last frame, seconds.
    """

    name: str
    people: tuple[Motion, ...]
    camera: Camera
    span: tuple[float, float]


@dataclass(frozen=True)
class ViewClock:
    """A video's clock: (1 + drift) x + offset is shared time.

    The shared clock is that of the first video.

    Attributes:
        offset: seconds; positive for a video that started later than the first one.
        drift: seconds a second.
        spread: standard deviation of the offset, seconds.
        origin: how the clock was found.
    """

    offset: float = 0.0
    drift: float = 0.0
    spread: float = 0.0
    origin: Literal["first", "given", "sound", "movement"] = "first"

    def to_shared(self, times: Float[np.ndarray, " t"]) -> Float[np.ndarray, " t"]:
        """Times of the video on the shared clock."""
        return (1 + self.drift) * times + self.offset

    def to_video(self, times: Float[np.ndarray, " t"]) -> Float[np.ndarray, " t"]:
        """Times of the shared clock on the video's."""
        return (times - self.offset) / (1 + self.drift)
