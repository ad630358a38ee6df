"""A still clip as a virtual camera sees it that turns, shakes and zooms, maybe with a rolling shutter.

Each frame is warped by K_t R_t' K⁻¹, and the border is mirrored, so that the background goes with the picture. From a
larger video the virtual camera takes smaller pictures: then a zoom finds pixels as sharp as those of a real lens.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Bool, Float

from poselift.camera_path.found_camera import CameraMode, FoundCamera, find_camera
from poselift.detection import Detector
from poselift.finding import VideoClip
from poselift.geometry import axis_angle_to_matrix
from poselift.geometry.camera import Camera
from poselift.keypoints.in_memory import TrackClip
from poselift.structures import Keypoints2D
from poselift.video import Frame

_FINER = 2
"""Factor by which pictures from a larger video are drawn larger, and then averaged, against aliasing."""

_BAND, _ROUNDS = 4, 4
"""Rows of a rolling shutter that are warped together, and rounds that find the row of a keypoint."""


@dataclass(frozen=True)
class Move:
    """What the virtual camera does, by share of the clip, 0 to 1.

    Attributes:
        turn: tilt, pan and roll, degrees.
        zoom: focal length over that of the clip.
        readout: time from the picture's first row to its last one, seconds. 0 for a global shutter.
    """

    turn: Callable[[float], tuple[float, float, float]]
    zoom: Callable[[float], float] = lambda share: 1.0
    readout: float = 0.0


def _pan(degrees: float) -> Callable[[float], tuple[float, float, float]]:
    return lambda share: (0.0, degrees * share, 0.0)


def _across(tilt: float, pan: float) -> Callable[[float], tuple[float, float, float]]:
    """From one side of the clip's view to the other, by so many degrees."""
    return lambda share: (tilt * (share - 0.5), pan * (share - 0.5), 0.0)


def _shake(share: float) -> tuple[float, float, float]:
    """A hand: one to one and a half degrees, at up to three times a second in four seconds."""
    turns = 2 * math.pi * share
    return (
        0.5 * math.sin(7 * turns) + 0.3 * math.sin(13 * turns),
        0.8 * math.sin(3 * turns) + 0.7 * math.sin(5 * turns),
        0.5 * math.sin(9 * turns),
    )


def _closer(share: float) -> float:
    return 1 + 0.4 * share


STILL = Move(lambda share: (0.0, 0.0, 0.0))
"""The camera stands."""

MOVES: dict[str, Move] = {
    "turned once, 0.05 degrees": Move(lambda share: (0.035, 0.05, 0.0)),
    "turned once, 5 degrees": Move(lambda share: (0.0, 5.0, 0.0)),
    "pan 5": Move(_pan(5)),
    "pan 10": Move(_pan(10)),
    "pan 25": Move(_pan(25)),
    "pan 4 to each side": Move(lambda share: (0.0, 4 * math.sin(2 * math.pi * share), 0.0)),
    "hand shake": Move(_shake),
    "roll 10 to each side": Move(lambda share: (0.0, 0.0, 10 * math.sin(2 * math.pi * share))),
    "zoom 1 to 1.4": Move(lambda share: (0.0, 0.0, 0.0), _closer),
    "pan 5, zoom": Move(_pan(5), _closer),
    "pan 10, zoom": Move(_pan(10), _closer),
    "pan 5, zoom 1.2": Move(_pan(5), lambda share: 1 + 0.2 * share),
    "pan 10, zoom 1.2": Move(_pan(10), lambda share: 1 + 0.2 * share),
    "pan 40 about the middle": Move(_across(0, 40)),
    **{f"pan 40, readout {ms} ms": Move(_across(0, 40), readout=ms / 1000) for ms in (10, 20, 30, 60, 90)},
    "tilt 20 about the middle": Move(_across(20, 0)),
    **{f"tilt 20, readout {ms} ms": Move(_across(20, 0), readout=ms / 1000) for ms in (20, 60)},
    "pan 10, shake": Move(lambda share: tuple(a + b for a, b in zip(_pan(10)(share), _shake(share), strict=True))),  # type: ignore[return-value,arg-type]
}
"""The moves by name."""


@dataclass(frozen=True)
class Warp:
    """A move of a clip.

    Attributes:
        move: of the virtual camera.
        camera: lens of the virtual camera before it zooms. It sees what the clip's lens sees, maybe in fewer pixels.
        end: time of the last frame, seconds.
    """

    move: Move
    camera: Camera
    end: float

    def pose(self, time: float) -> tuple[Float[np.ndarray, "3 3"], float]:
        """Rotation from the virtual camera to the still one, and zoom."""
        share = time / self.end
        return axis_angle_to_matrix(np.radians(self.move.turn(share))), self.move.zoom(share)

    def homography(self, time: float) -> Float[np.ndarray, "3 3"]:
        """From pixels of the still virtual camera to those of the one that moves."""
        R, zoom = self.pose(time)
        K = self.camera.K.astype(np.float64)
        return K @ np.diag([zoom, zoom, 1.0]) @ R.T @ np.linalg.inv(K)

    def picture(self, frame: Frame) -> Frame:
        """The frame as the virtual camera sees it; beyond its edge it is mirrored."""
        width, height = self.camera.image_size
        fine = 1 if frame.image.shape[1] == width else _FINER
        rows = _BAND if self.move.readout else height
        scale = np.array([width / frame.image.shape[1], height / frame.image.shape[0]])
        smaller, finer = _resized(scale), _resized(np.full(2, float(fine)))
        image = np.empty((fine * height, fine * width, 3), np.uint8)
        for first in range(0, height, rows):
            end = min(first + rows, height)
            up = np.array([[1, 0, 0], [0, 1, -fine * first], [0, 0, 1]])
            moved = self.homography(float(self._row_time(frame.timestamp, (first + end - 1) / 2)))
            image[fine * first : fine * end] = cv2.warpPerspective(
                frame.image,
                up @ finer @ moved @ smaller,
                (fine * width, fine * (end - first)),
                flags=cv2.INTER_CUBIC,
                borderMode=cv2.BORDER_REFLECT_101,
            )
        # OpenCV gives the pixels themselves where the size stays.
        return replace(frame, image=cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA))

    def keypoints(self, track: Keypoints2D) -> Keypoints2D:
        """A person's keypoints as the virtual camera sees them."""
        points = np.concatenate([track.keypoints, np.ones((*track.keypoints.shape[:2], 1))], -1)
        moved = track.keypoints
        for _ in range(_ROUNDS):  # the row at which a point is seen tells when
            times = self._row_time(track.timestamps[:, None], moved[..., 1])
            H = np.array([[self.homography(float(time)) for time in row] for row in times])
            seen = np.einsum("tjxy,tjy->tjx", H, points)
            moved = seen[..., :2] / seen[..., 2:]
        return replace(track, keypoints=moved)  # NaN stays NaN where nobody looked

    def shows(self, track: Keypoints2D) -> Bool[np.ndarray, " t"]:
        """Frames in which the virtual camera sees all joints that the still clip's keypoints have."""
        seen = np.isfinite(track.keypoints).all(-1)
        return np.asarray((self._inside(self.keypoints(track)) | ~seen).all(-1) & seen.any(-1))

    def cut(self, warped: Keypoints2D) -> Keypoints2D:
        """A person's keypoints without those beyond the edge of the picture."""
        seen = self._inside(warped)
        pixels = np.where(seen[..., None], warped.keypoints, np.nan)
        return replace(warped, keypoints=pixels, scores=np.where(seen, warped.scores, 0.0))

    def _inside(self, warped: Keypoints2D) -> Bool[np.ndarray, "t j"]:
        return np.asarray(((warped.keypoints >= 0) & (warped.keypoints < self.camera.image_size)).all(-1))

    def _row_time(self, time: np.ndarray | float, row: np.ndarray | float) -> np.ndarray:
        """When a row is seen; the middle one at the frame's own time."""
        return np.asarray(time + self.move.readout * (np.nan_to_num(row) / self.camera.image_size[1] - 0.5))


def _resized(scale: Float[np.ndarray, "2"]) -> Float[np.ndarray, "3 3"]:
    """From pixels of a picture to those of it in another size. Pixel centres are whole numbers."""
    return np.array([[scale[0], 0, (scale[0] - 1) / 2], [0, scale[1], (scale[1] - 1) / 2], [0, 0, 1]])


class WarpedClip(VideoClip):
    """A video as a virtual camera sees it. Its time begins at 0.

    Args:
        video: the still clip.
        detector: finds the people.
        quality: how often it looks.
        warp: of the pictures.
        start: of the span, seconds; the beginning if None.
        end: of the span, seconds; the end of the video if None.
    """

    def __init__(
        self,
        video: Path,
        detector: Detector,
        quality: str,
        warp: Warp,
        start: float | None = None,
        end: float | None = None,
    ) -> None:
        super().__init__(video, detector, start, end, quality=quality)
        self._warp, self.image_size = warp, warp.camera.image_size

    def frames(self) -> Iterator[Frame]:
        """The warped frames."""
        first: float | None = None
        for frame in super().frames():
            first = frame.timestamp if first is None else first
            yield self._warp.picture(replace(frame, timestamp=frame.timestamp - first))


class WarpedTracks(TrackClip):
    """The people of the still clip, with the warped pictures.

    Args:
        tracks: of the still clip.
        clip: the warped pictures.
        warp: of both.
        cut: whether keypoints outside of the warped picture are left out.
    """

    def __init__(self, tracks: Sequence[Keypoints2D], clip: WarpedClip, warp: Warp, cut: bool = False) -> None:
        warped = [warp.keypoints(track) for track in tracks]
        super().__init__([warp.cut(track) for track in warped] if cut else warped)
        self._clip = clip

    def frames(self) -> Iterator[Frame]:
        """The warped frames."""
        return self._clip.frames()

    def find_camera(
        self, span: tuple[float, float], tracks: Sequence[Keypoints2D], lens: Camera, mode: CameraMode
    ) -> FoundCamera:
        """What the camera does, from the background of the warped pictures."""
        return find_camera(self.frames, span, tracks, lens, mode)
