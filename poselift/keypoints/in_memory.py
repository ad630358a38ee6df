"""Keypoints in memory: tracks, arrays, and other libraries' results."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poselift.camera_path.found_camera import CameraMode, FoundCamera, camera_without_pictures, find_camera
from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.core.stopwatch import Stopwatch
from poselift.finding.video_clip import ReadShare
from poselift.geometry.camera import Camera
from poselift.numerics.times import check_rate, median_interval
from poselift.skeleton import COCO17, COCO_WHOLEBODY23, MEDIAPIPE_LANDMARKS, Skeleton, get_skeleton
from poselift.structures import Detections, Hands, Keypoints2D
from poselift.video import Frame, VideoReader

_BLANK = 255
"""Grey value of the pictures without a video."""


class TrackClip:
    """People whose keypoints are given as tracks; see `poselift.finding.Clip`.

    Args:
        tracks: one for each person, with different numbers, of one video.
        video: the video, for pictures; blank ones if None.
        mirrored: whether the tracks were found in a mirror image: they, and the frames, are mirrored back.

    Raises:
        InputError: there is no track, two have one number, they are of pictures of different sizes, or the video cannot
            be read, or has another size.
    """

    def __init__(self, tracks: Sequence[Keypoints2D], video: Path | None = None, mirrored: bool = False) -> None:
        if not tracks or not all(isinstance(track, Keypoints2D) and len(track) for track in tracks):
            raise InputError("keypoints has no tracks; give the Keypoints2D of at least one person, with frames")
        if len({track.person for track in tracks}) < len(tracks):
            raise InputError("two tracks have one number; give each person another `person`")
        if len({track.image_size for track in tracks}) > 1:
            raise InputError("the tracks are of pictures of different sizes; give those of one video")
        self._tracks, self.mirrored = [track.mirror() if mirrored else track for track in tracks], mirrored
        self._times = np.unique(np.concatenate([track.timestamps for track in tracks]))
        self.path, self.video = video or Path("keypoints"), video
        self._video = None if video is None else VideoReader(video, mirrored=mirrored)
        info = None if self._video is None else self._video.info
        if info is not None and (info.width, info.height) != tracks[0].image_size:
            width, height = tracks[0].image_size
            raise InputError(
                f"{video}: has {info.width} x {info.height} pixels, the tracks say {width} x {height}; give the video "
                "that they were found in"
            )
        self.fov = None if info is None else info.fov
        self.detector_name, self.detector_weights = "keypoints", dict[str, str]()
        self.image_size = tracks[0].image_size
        interval = median_interval(self._times)
        self.fps: float | None = 1 / interval if interval else None
        self.video_fps: float | None = None
        self.duration: float | None = None
        self.span = (-np.inf, np.inf)
        self.warnings: list[Caution] = []

    def frames(self) -> Iterator[Frame]:
        """The video's frames, or blank ones at the tracks' times."""
        if self._video is not None:
            yield from self._video
            return
        blank = np.full((self.image_size[1], self.image_size[0], 3), _BLANK, np.uint8)
        for index, time in enumerate(self._times.tolist()):
            yield Frame(blank, time, index)

    def people(
        self, watch: Stopwatch | None = None, progress: ReadShare | None = None
    ) -> Iterator[tuple[Detections | None, float]]:
        """The people of each frame, by their tracks."""
        shown = list(self._people())
        if self.video is not None:
            from poselift.keypoints.video_check import check_on_video  # loads a detector

            self.warnings = check_on_video(shown, self.video, self.image_size, None, self.mirrored)
        yield from shown

    def _people(self) -> Iterator[tuple[Detections, float]]:
        for time in self._times.tolist():
            rows = [(track, int(np.searchsorted(track.timestamps, time))) for track in self._tracks]
            there = [(track, row) for track, row in rows if row < len(track) and track.timestamps[row] == time]
            keypoints = np.stack([track.keypoints[row] for track, row in there]).astype(float)
            scores = np.stack([track.scores[row] for track, row in there]).astype(float)
            seen = np.isfinite(keypoints).all(-1, keepdims=True)
            low, high = (np.where(seen, keypoints, far) for far in (np.inf, -np.inf))
            boxes = np.concatenate([low.min(1), high.max(1)], -1)
            boxes[~seen.any((1, 2))] = 0.0
            skeleton = self._tracks[0].skeleton
            yield Detections(boxes, scores.mean(1), keypoints, scores, skeleton), time

    def tracker(self) -> "_Known":
        """Gives the tracks back."""
        return _Known(self._tracks)

    def find_camera(
        self, span: tuple[float, float], tracks: Sequence[Keypoints2D], lens: Camera, mode: CameraMode
    ) -> FoundCamera:
        """What the camera does, from the background of a given video."""
        if self._video is None:
            return camera_without_pictures(self._times, mode)
        return find_camera(self.frames, span, tracks, lens, mode)

    def hands_of(self, track: Keypoints2D) -> Hands | None:
        """None: tracks are bodies only."""
        return None


class _Known:
    """A tracker for people who are tracked already."""

    def __init__(self, tracks: list[Keypoints2D]) -> None:
        self._tracks = tracks

    def update(self, detections: Detections | None, timestamp: float) -> list[int]:
        """The numbers are those of the tracks."""
        return [] if detections is None else list(range(1, len(detections) + 1))

    def tracks(self) -> list[Keypoints2D]:
        """The tracks that were given."""
        return self._tracks


def tracks_from_arrays(
    keypoints: np.ndarray,
    image_size: tuple[int, int],
    fps: float,
    skeleton: Skeleton | str = COCO17,
) -> list[Keypoints2D]:
    """Tracks from one array of everybody in all frames.

    Args:
        keypoints: (frames, people, joints, 2 or 3): pixels, and scores from 0 to 1 as a third channel if there is one.
            NaN where a joint was not seen.
        image_size: (width, height) in pixels.
        fps: frames per second.
        skeleton: of the joints.

    Raises:
        InputError: the array has another shape, or a value makes no sense.

    Example:
        >>> tracks = tracks_from_arrays(np.full((30, 2, 17, 2), 100.0), (640, 480), 30.0)
        >>> len(tracks), tracks[1].person
        (2, 2)
    """
    layout = get_skeleton(skeleton) if isinstance(skeleton, str) else skeleton
    values = np.asarray(keypoints, float)
    if values.ndim != 4 or values.shape[2] != len(layout) or values.shape[3] not in (2, 3):
        raise InputError(
            f"keypoints have the shape {values.shape}; give (frames, people, {len(layout)} joints, 2 or 3)"
        )
    times = np.arange(len(values)) / check_rate(fps, "fps")
    seen = np.isfinite(values).all(-1)
    scores = np.where(seen, values[..., 2] if values.shape[3] == 3 else 1.0, 0.0)
    pixels = np.where(seen[..., None], values[..., :2], np.nan)
    return [
        Keypoints2D(pixels[:, row], scores[:, row], times, layout, image_size, row + 1)
        for row in range(values.shape[1])
        if seen[:, row].any()
    ]


def tracks_from_ultralytics(results: Sequence[Any], fps: float) -> list[Keypoints2D]:
    """Tracks from an Ultralytics pose model's results, one per frame.

    Its `track` or `predict` gives the results. Without track numbers, the people of a frame keep their order, so give
    those of `track` for several people.

    Args:
        results: objects with `keypoints.data` (people, 17, 3), `orig_shape` (height, width), and `boxes.id`.
        fps: frames per second.

    Raises:
        InputError: there is no result, or nobody is in any.
    """
    if not results:
        raise InputError("there are no results; give those of all frames, in order")
    height, width = (int(side) for side in results[0].orig_shape)
    frames: list[dict[int, np.ndarray]] = []
    for result in results:
        found = (
            np.asarray(_on_cpu(result.keypoints.data), float) if result.keypoints is not None else np.zeros((0, 17, 3))
        )
        given = getattr(result.boxes, "id", None)
        numbers = range(1, len(found) + 1) if given is None else np.asarray(_on_cpu(given)).astype(int).tolist()
        frames.append(dict(zip(numbers, found, strict=False)))
    return _gather(frames, (width, height), fps, COCO17)


def tracks_from_mediapipe(results: Sequence[Any], image_size: tuple[int, int], fps: float) -> list[Keypoints2D]:
    """Tracks from the results of MediaPipe's PoseLandmarker, one for each frame.

    Args:
        results: objects with `pose_landmarks`: for each person 33 landmarks with x, y and visibility.
        image_size: (width, height) in pixels.
        fps: frames per second.

    Raises:
        InputError: nobody is in any result.
    """
    size = np.array(image_size, float)

    def row_of(person: Any, joint: str) -> list[float]:
        if joint not in MEDIAPIPE_LANDMARKS:  # small toes
            return [np.nan, np.nan, 0.0]
        mark = person[MEDIAPIPE_LANDMARKS[joint]]
        return [mark.x * size[0], mark.y * size[1], mark.visibility or 0.0]

    layout = COCO_WHOLEBODY23
    frames = [
        {
            number: np.array([row_of(person, joint) for joint in layout.joints])
            for number, person in enumerate(result.pose_landmarks, 1)
        }
        for result in results
    ]
    return _gather(frames, image_size, fps, layout)


def _gather(
    frames: Sequence[dict[int, np.ndarray]], image_size: tuple[int, int], fps: float, skeleton: Skeleton
) -> list[Keypoints2D]:
    """Tracks from each frame's people, by number. Each is from the first to the last frame with the person."""
    people = sorted({number for there in frames for number in there})
    if not people:
        raise InputError("nobody is in the results; look at the detector's threshold")
    times = np.arange(len(frames)) / check_rate(fps, "fps")
    tracks = []
    for number in people:
        rows = [row for row, there in enumerate(frames) if number in there]
        found = np.stack([frames[row][number] for row in rows])
        scores = np.where(np.isfinite(found).all(-1), found[..., 2], 0.0).clip(0, 1)
        pixels = np.where((scores > 0)[..., None], found[..., :2], np.nan)
        tracks.append(Keypoints2D.from_frames(rows, list(pixels), list(scores), times, skeleton, image_size, number))
    return tracks


def _on_cpu(values: Any) -> Any:
    """A tensor's values where numpy can read them."""
    return values.cpu() if hasattr(values, "cpu") else values
