"""Links between a clip's pictures by their background.

Each frame has a link to a key frame, and key frames have links to each other.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import cv2
import numpy as np
from jaxtyping import Float, Int

from poselift.camera_path.background_flow import (
    ENOUGH,
    Flow,
    apply_homography,
    follow,
    unit_determinant,
)
from poselift.camera_path.background_picture import BackgroundPicture, make_picture
from poselift.camera_path.people_boxes import PeopleBoxes
from poselift.video import Frame

_LEAVES = 0.85
"""Share of a key frame's picture that a frame must still show; below it there is a new key frame."""

_FOUND = 0.35
"""Share of a key frame's corners that a frame must still show; near things move apart when the camera walks."""

_OVERLAPS = 0.35
"""Share of its picture that a key frame must share with an older one to be linked with it."""

_LOOPS = 8
"""Older key frames that each key frame is linked with, at most."""

_MOST_KEYS = 400
"""Key frames whose pictures are kept, the newest ones; they take 50 MB."""

_LOST = 0.5
"""Longest time without a background until a shot ends, seconds. In between, the camera is interpolated."""

_DARK = 0.5
"""Share of a picture's corners that the first picture must have for the shot to begin there."""

_MOST_POINTS = 120
"""Points of a link that are kept."""


@dataclass(frozen=True)
class Link:
    """Points of the background that two frames share.

    Attributes:
        first: number of the key frame.
        second: number of the other frame, or of the other key frame.
        before: points in the first picture, pixels of the video.
        after: the same points in the second one.
        corners: numbers of the points among the first picture's corners.
        homography: from the first picture to the second, pixels of the video; determinant 1.
        agree: number of points that follow the homography, before points were left out.
        found: number of points that were found again, before points were left out.
    """

    first: int
    second: int
    before: Float[np.ndarray, "n 2"]
    after: Float[np.ndarray, "n 2"]
    corners: Int[np.ndarray, " n"]
    homography: Float[np.ndarray, "3 3"]
    agree: int
    found: int


@dataclass
class Shot:
    """Frames of one view, from a cut to the next.

    Attributes:
        first: number of its first frame.
        end: number of the frame after its last one.
        keys: numbers of its key frames, in order; links of key frames count within them.
        frames: links of a key frame with each frame.
        loops: links of key frames with each other.
        lost: whether the shot begins because the background was lost, and not by a cut.
    """

    first: int
    end: int
    keys: list[int] = field(default_factory=list)
    frames: list[Link] = field(default_factory=list)
    loops: list[Link] = field(default_factory=list)
    lost: bool = False


@dataclass(frozen=True)
class Links:
    """All links of a clip.

    Attributes:
        times: of all frames, seconds.
        shots: in order; together they are all frames.
        image_size: (width, height) of the video, pixels.
    """

    times: Float[np.ndarray, " t"]
    shots: list[Shot]
    image_size: tuple[int, int]


def link_frames(frames: Iterable[Frame], boxes: PeopleBoxes) -> Links:
    """Links of all frames, read once. Memory holds the pictures of key frames only.

    Args:
        frames: of the clip, in order.
        boxes: of the people, who are no background.
    """
    times: list[float] = []
    walk: _Walk | None = None
    shots: list[Shot] = []
    size = (1, 1)
    for number, frame in enumerate(frames):
        size = frame.image.shape[1], frame.image.shape[0]
        picture = make_picture(frame.image, boxes.at(frame.timestamp))
        times.append(frame.timestamp)
        if walk is None or (ended := walk.add(number, frame.timestamp, picture)):
            lost = walk is not None and ended == "lost"
            if walk is not None:
                walk.finish()
            walk = _Walk(number, frame.timestamp, picture, lost)
            shots.append(walk.shot)
    if walk is not None:
        walk.finish()
    for shot, after in zip(shots, [*shots[1:], None], strict=True):
        shot.end = len(times) if after is None else after.first
    return Links(np.array(times), shots, size)


class _Walk:
    """Goes through the frames of a shot."""

    def __init__(self, number: int, time: float, picture: BackgroundPicture, lost: bool) -> None:
        self.shot = Shot(number, number + 1, lost=lost)
        self._pictures: list[BackgroundPicture | None] = []
        self._views: list[np.ndarray] = []  # homographies from the first key frame to each
        self._key = 0
        self._last = picture  # last picture with a known view
        self._view = np.eye(3)  # homography from the first key frame to that picture
        self._time, self._number = time, number
        self._step = np.eye(3)  # homography between the last two pictures
        self._thumb = _thumbnail(picture)
        self._change = 0.0
        self._add_key(number, picture, np.eye(3))

    def add(self, number: int, time: float, picture: BackgroundPicture) -> str:
        """Links the next frame; tells "cut" or "lost". If it begins a new shot, else empty."""
        thumb = _thumbnail(picture)
        change = float(np.abs(thumb - self._thumb).mean())
        usual, self._thumb, self._change = self._change, thumb, change
        step = follow(self._last, picture) or follow(self._last, picture, self._step)
        view = None if step is None else unit_determinant(step.homography @ self._view)
        flow, key = self._link_to_key(picture, view if view is not None else self._view)
        if flow is None and step is not None and self._number != self.shot.keys[-1]:
            self._add_key(self._number, self._last, self._view)  # a key frame that this frame can be linked with
            flow, key = step, self._key
        if flow is None and view is None:
            if not self.shot.frames and len(self._last.corners) < _DARK * len(picture.corners):
                self._begin_again(number, picture)
            elif len(picture.corners) >= ENOUGH and len(self._last.corners) >= ENOUGH and change > max(_CUT, 3 * usual):
                return "cut"
            return "lost" if time - self._time > _LOST else ""
        if flow is not None:
            self._key = key
            view = unit_determinant(flow.homography @ self._views[key])
            self.shot.frames.append(_make_link(self.shot.keys[key], number, flow, picture))
        assert view is not None
        before = self._view
        self._last, self._view, self._time, self._number = picture, view, time, number
        self._step = unit_determinant(view @ np.linalg.inv(before)) if step is None else step.homography
        if flow is None or self._leaves(picture, view, flow):
            self._add_key(number, picture, view)
        return ""

    def _begin_again(self, number: int, picture: BackgroundPicture) -> None:
        """Begins again at a picture that shows more: a fade-in."""
        self.shot.keys.clear()
        self._pictures.clear()
        self._views.clear()
        self._last, self._number = picture, number
        self._add_key(number, picture, np.eye(3))

    def finish(self) -> None:
        """Makes the last frame a key frame if there are several. It links the last frames with older ones."""
        if len(self.shot.keys) > 1 and self.shot.keys[-1] != self._number:
            self._add_key(self._number, self._last, self._view)

    def _link_to_key(self, picture: BackgroundPicture, view: np.ndarray) -> tuple[Flow | None, int]:
        """The flow from a key frame to the picture, and which. The last one that was used, or the nearest."""
        nearest = self._nearest(picture, view)
        for key in dict.fromkeys((nearest, self._key)):
            flow = self._follow_key(key, picture, view)
            if flow is not None:
                return flow, key
        return None, nearest

    def _nearest(self, picture: BackgroundPicture, view: np.ndarray) -> int:
        """The key frame that shows most of the picture. The last one that was used unless another is much better."""
        shares = self._shares(picture, view)
        best = int(np.argmax(shares))
        return best if shares[best] > shares[self._key] + _BETTER else self._key

    def _shares(self, picture: BackgroundPicture, view: np.ndarray) -> list[float]:
        """How much of the picture each key frame shows. It is 0 for those whose pictures are not kept."""
        return [
            0.0 if kept is None else _share(picture.size, view @ np.linalg.inv(each))
            for each, kept in zip(self._views, self._pictures, strict=True)
        ]

    def _follow_key(self, key: int, picture: BackgroundPicture, view: np.ndarray) -> Flow | None:
        """The flow from a key frame to the picture. None if too few corners agree, or its picture is not kept."""
        kept = self._pictures[key]
        return None if kept is None else follow(kept, picture, unit_determinant(view @ np.linalg.inv(self._views[key])))

    def _leaves(self, picture: BackgroundPicture, view: Float[np.ndarray, "3 3"], flow: Flow) -> bool:
        """Whether the picture shows too little of its key frame."""
        kept = self._pictures[self._key]
        few = kept is not None and len(flow.before) < _FOUND * len(kept.corners)
        return few or _share(picture.size, view @ np.linalg.inv(self._views[self._key])) < _LEAVES

    def _add_key(self, number: int, picture: BackgroundPicture, view: np.ndarray) -> None:
        """Adds a key frame, linked with older ones that it overlaps."""
        index = len(self._pictures)
        shares = self._shares(picture, view)
        for older in np.argsort(-np.array(shares), kind="stable")[:_LOOPS].tolist():
            flow = self._follow_key(older, picture, view) if shares[older] >= _OVERLAPS else None
            if flow is not None:
                self.shot.loops.append(_make_link(self.shot.keys[older], number, flow, picture))
        self._pictures.append(picture)
        self._views.append(view)
        self.shot.keys.append(number)
        self._key = index
        if index >= _MOST_KEYS:
            self._pictures[index - _MOST_KEYS] = None


_CUT = 12.0
"""Least mean difference of gray values between two pictures with a cut between them, of 255."""

_BETTER = 0.15
"""Share of the picture that another key frame must show more to be used instead."""


def _thumbnail(picture: BackgroundPicture) -> np.ndarray:
    """A small picture, to compare."""
    return cv2.resize(picture.gray, (24, 16), interpolation=cv2.INTER_AREA).astype(np.float64)


def _share(size: tuple[int, int], H: Float[np.ndarray, "3 3"]) -> float:
    """Overlap of two pictures, the smaller share; 0 if none.

    Args:
        size: (width, height) of both.
        H: homography of determinant 1 from one to the other.
    """
    width, height = size
    across, down = (np.arange(8) + 0.5) / 8 * width, (np.arange(6) + 0.5) / 6 * height
    grid = np.stack(np.meshgrid(across, down), -1).reshape(-1, 2)
    shares = [
        ((moved >= 0) & (moved < [width, height])).all(-1).mean()
        for moved in (apply_homography(H, grid), apply_homography(np.linalg.inv(H), grid))
    ]
    return float(min(shares))


def _make_link(first: int, second: int, flow: Flow, picture: BackgroundPicture) -> Link:
    """A flow's link, with some of its points, spread out."""
    rows = np.arange(len(flow.before))
    if len(rows) > _MOST_POINTS:
        rows = rows[np.linspace(0, len(rows) - 1, _MOST_POINTS).astype(int)]
    shift = 0.5 / picture.scale - 0.5
    to_video = np.array([[1 / picture.scale, 0, shift], [0, 1 / picture.scale, shift], [0, 0, 1]])
    H = unit_determinant(to_video @ flow.homography @ np.linalg.inv(to_video))
    return Link(
        first,
        second,
        picture.to_video(flow.before[rows]),
        picture.to_video(flow.after[rows]),
        flow.corners[rows],
        H,
        int(flow.agree.sum()),
        len(flow.before),
    )
