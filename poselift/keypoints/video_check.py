"""Whether keypoints lie on the people of their video. MoveNet searches a few of its pictures.

Keypoints alone do not tell a resized picture while nobody is at its edge. So MoveNet looks at up to four pictures of
the first seconds in which the keypoints show somebody. Where they lie beside its people, and on them if turned,
mirrored, resized or moved, a warning says how. Where MoveNet finds nobody, or other people only, nothing is said.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float

from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.detection.detector_protocol import Search
from poselift.detection.multipose import MultiPose
from poselift.keypoints.picture_fit import turn_points
from poselift.skeleton import COCO17, Skeleton
from poselift.structures import Detections
from poselift.video import VideoReader

_LOOKS, _SECONDS = 4, 2.0
"""Pictures that are looked at, and seconds from the first to the last."""

_SURE, _FEWEST = 0.3, 6
"""Least score of a joint of MoveNet's, and least number of joints that a body of the file has in common with it."""

_LIES, _FITS = 0.08, 0.05
"""Median distance of joints, in heights of the body, up to which keypoints lie on people as they are, and by another
reading. MoveNet alone and with the second model are 0.01 to 0.02 apart."""

_BETTER = 0.4
"""Largest ratio of these distances for the other reading to be right."""

_LEAST = 3
"""Bodies that must lie on people by that reading, in as many pictures."""

_MOST = 4
"""Bodies compared in a picture, the largest."""

Poses = list[Float[np.ndarray, "j 3"]]


@dataclass(frozen=True)
class _Reading:
    """What picture the keypoints may be of. It may be turned, mirrored, moved, or of another size.

    Attributes:
        kind: "turned", "mirrored", "resized", "stretched" or "moved"; empty for the picture itself.
        turns: quarter turns clockwise from the keypoints' picture to the video's.
        mirrored: whether it is the mirror image.
        scale: factors from its pixels to the video's.
        shift: of its corner in the video's picture, pixels.
    """

    kind: str
    turns: int = 0
    mirrored: bool = False
    scale: tuple[float, float] = (1.0, 1.0)
    shift: tuple[float, float] = (0.0, 0.0)

    def place(self, pose: Float[np.ndarray, "j 3"], size: tuple[int, int]) -> Float[np.ndarray, "j 3"]:
        """The pose in pixels of the video's picture."""
        points = turn_points(pose[:, :2], self.turns, size)
        scores = pose[:, 2:]
        if self.mirrored:
            points = points * [-1, 1] + [size[0] - 1, 0]
            points, scores = points[list(COCO17.flip_indices)], scores[list(COCO17.flip_indices)]
        return np.concatenate([points * self.scale + self.shift, scores], -1)


def check_on_video(
    people: Sequence[tuple[Detections, float]],
    video: Path,
    image_size: tuple[int, int],
    fps: float | None = None,
    mirrored: bool = False,
) -> list[Caution]:
    """A warning where only another reading puts keypoints on people.

    Args:
        people: keypoints and timestamp of each frame, in pixels of the upright video, mirrored back if it is a mirror
            image.
        video: that they are said to be of.
        image_size: (width, height) of the keypoints' picture, pixels.
        fps: true frames per second of the video, if they are not those of its time stamps.
        mirrored: whether the video is a mirror image.
    """
    skeleton = people[0][0].skeleton if people else COCO17
    if sum(joint in skeleton.joints for joint in COCO17.joints) < _FEWEST:
        return []
    shown = {time: poses for there, time in people if (poses := _poses(there, skeleton))}
    if len(shown) < _LEAST:
        return []
    first = min(shown)
    times = sorted(time for time in shown if time <= first + _SECONDS)
    picks = sorted({times[row] for row in np.linspace(0, len(times) - 1, _LOOKS).round().astype(int).tolist()})
    try:
        found = dict(_look(video, picks, fps, mirrored))
    except InputError:  # of a damaged video; whoever lifts it says so
        return []
    pairs = [(shown[time], found[time]) for time in picks if found.get(time)]
    reading = _find_reading(pairs, image_size)
    return [] if reading is None else [Caution(_describe(reading, image_size), "input")]


def _poses(there: Detections, skeleton: Skeleton) -> Poses:
    """The largest people as COCO-17 with x, y, score. Joints that the skeleton lacks have score 0."""
    poses = []
    for points, scores in zip(there.keypoints, there.scores, strict=True):
        pose = np.zeros((len(COCO17), 3))
        for row, joint in enumerate(COCO17.joints):
            if joint in skeleton.joints and scores[at := skeleton.index(joint)] > 0 and np.isfinite(points[at]).all():
                pose[row] = *points[at], 1.0
        if pose[:, 2].sum() >= _FEWEST:
            poses.append(pose)
    return sorted(poses, key=_size)[-_MOST:]


def _size(pose: Float[np.ndarray, "j 3"]) -> float:
    """Longer side of the box of the joints in sight, pixels."""
    seen = pose[:, 2] > 0
    return float(np.ptp(pose[seen, :2], axis=0).max()) if seen.any() else 0.0


def _look(video: Path, times: Sequence[float], fps: float | None, mirrored: bool) -> Iterator[tuple[float, Poses]]:
    """MoveNet's people at some times of a video."""
    detector, left = MultiPose("cpu"), list(times)
    for frame in VideoReader(video, start=max(left[0] - 1e-3, 0.0), fps=fps, mirrored=mirrored):
        if frame.timestamp > left[0] - 1e-3:
            poses, _, _ = detector.find(frame.image, Search(quick=True))
            sure = poses[..., 2] >= _SURE
            kept = [np.where(one[:, None], pose, 0.0) for pose, one in zip(poses, sure, strict=True)]
            yield left.pop(0), [pose.astype(np.float64) for pose in kept if (pose[:, 2] > 0).sum() >= _FEWEST]
        if not left:
            return


def _find_reading(pairs: Sequence[tuple[Poses, Poses]], size: tuple[int, int]) -> _Reading | None:
    """The reading by which the keypoints lie on people. None for the picture itself, or if none is sure.

    Args:
        pairs: people of the file and of MoveNet in each picture.
        size: (width, height) of the picture.
    """
    if len(pairs) < _LEAST:
        return None
    as_it_is = _Reading("")
    off = _distance(pairs, as_it_is, size)
    if off <= _LIES:
        return None
    for kind in ("turned", "mirrored", "resized", "stretched", "moved"):
        tried = [(_distance(pairs, reading, size), reading) for reading in _candidates(kind, pairs)]
        best, reading = min(tried, key=lambda one: one[0], default=(np.inf, as_it_is))
        if best <= _FITS and best <= _BETTER * off and _is_whole(pairs, reading, size):
            return reading
    return None


def _candidates(kind: str, pairs: Sequence[tuple[Poses, Poses]]) -> Iterator[_Reading]:
    """Readings of one kind. They are all turns, or what maps a person of the file to one of MoveNet's."""
    if kind == "turned":
        yield from (_Reading(kind, turns=turns) for turns in (1, 2, 3))
        return
    if kind == "mirrored":
        yield _Reading(kind, mirrored=True)
        return
    for own, found in pairs:
        for pose in own:
            for other in found:
                both = (pose[:, 2] > 0) & (other[:, 2] > 0)
                if both.sum() >= _FEWEST:
                    yield _fit(kind, pose[both, :2], other[both, :2])


def _fit(kind: str, points: Float[np.ndarray, "n 2"], places: Float[np.ndarray, "n 2"]) -> _Reading:
    """The reading of a kind that brings points nearest to their places."""
    if kind == "moved":
        middle, goal = points.mean(0), places.mean(0)
        scale = float(((points - middle) * (places - goal)).sum() / max(((points - middle) ** 2).sum(), 1e-9))
        shift = goal - scale * middle
        return _Reading(kind, scale=(scale, scale), shift=(float(shift[0]), float(shift[1])))
    across, square = points * places, points**2
    if kind == "resized":
        scale = float(across.sum() / max(square.sum(), 1e-9))
        return _Reading(kind, scale=(scale, scale))
    x, y = (across.sum(0) / np.maximum(square.sum(0), 1e-9)).tolist()
    return _Reading(kind, scale=(x, y))


def _distances(own: Poses, found: Poses, reading: _Reading, size: tuple[int, int]) -> Float[np.ndarray, "m n"]:
    """Median joint distances between the file's people and MoveNet's, in body heights."""
    off = np.full((len(own), len(found)), np.inf)
    for row, pose in enumerate(own):
        placed = reading.place(pose, size)
        for column, other in enumerate(found):
            both = (placed[:, 2] > 0) & (other[:, 2] > 0)
            if both.sum() >= _FEWEST:
                apart = np.linalg.norm(placed[both, :2] - other[both, :2], axis=-1)
                off[row, column] = np.median(apart) / max(_size(other), 1.0)
    return off


def _distance(pairs: Sequence[tuple[Poses, Poses]], reading: _Reading, size: tuple[int, int]) -> float:
    """Median distance of the file's people to the nearest of MoveNet's."""
    return float(np.median([off for own, found in pairs for off in _distances(own, found, reading, size).min(1)]))


def _is_whole(pairs: Sequence[tuple[Poses, Poses]], reading: _Reading, size: tuple[int, int]) -> bool:
    """Whether enough people lie on others. Where the picture was moved, nobody may be left over on either side."""
    off = [_distances(own, found, reading, size) for own, found in pairs]
    if sum(bool((one.min(1) <= _FITS).any()) for one in off) < _LEAST:
        return False
    everybody = np.concatenate([np.concatenate([one.min(1), one.min(0)]) for one in off])
    return reading.kind != "moved" or bool((everybody <= 2 * _FITS).mean() > 0.8)


def _describe(reading: _Reading, size: tuple[int, int]) -> str:
    """The warning."""
    width, height = size
    beside = "the keypoints do not lie on the people of the video"
    advice = "write the keypoints in pixels of the upright video, or give the video that they were found in"
    if reading.kind == "turned":
        return f"{beside}, but do if turned clockwise by {90 * reading.turns} degrees: {advice}"
    if reading.kind == "mirrored":
        return f"{beside}, but do in its mirror image, left and right exchanged: {advice}"
    x, y = reading.scale
    other = f"{width / x:.0f} x {height / y:.0f}"
    if reading.kind == "moved":
        right, down = reading.shift
        return (
            f"{beside}, but do if multiplied by {x:.2f} and moved by {right:.0f} and {down:.0f} pixels (right, down), "
            f"as if found in a part of the picture, in one with edges, or in other frames; {advice}"
        )
    factor = f"{x:.2f}" if reading.kind == "resized" else f"{x:.2f} across and {y:.2f} down"
    return (
        f"{beside}, but do if multiplied by {factor}: they are of a picture of about {other}, the video has {width} x "
        f"{height}; {advice}"
    )
