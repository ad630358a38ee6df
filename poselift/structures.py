"""What passes between the stages: detections of a frame, 2D keypoints of a person, 3D motion of a person or a frame.

One file for all of them, because each holds the others and all packages import them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.array_checks import check_bounded, check_scores, check_shapes, count_rows
from poselift.core.bounded import real_number, whole_number
from poselift.core.errors import InputError
from poselift.core.times import check_times, interpolate
from poselift.geometry.camera import check_image_size
from poselift.skeleton import Pelvis, Skeleton
from poselift.skeleton.skeleton import strip_side

FEET = ("left_foot", "right_foot")
"""Columns of `Motion.contacts`: the person's own left and right foot."""
THRESHOLD = 0.2
"""Least score of a joint that is lifted and drawn, if nobody says otherwise."""

MOST_PEOPLE = 999_999_999
"""Largest number of a person."""

BRIDGE = 0.15
"""Longest time without a look of the detector that is nothing to anybody who asks for what is seen, seconds."""

_NEARBY, _OFTEN = 0.5, 0.3
"""A joint is in sight if it is seen in this share of the frames, within so many seconds before and after: it may be
hidden for 0.7 s. Detectors report feet outside the picture in a tenth of the frames."""

ENDS = ({"big_toe", "small_toe", "heel"}, {"hand"}, {"nose", "eye", "ear", "head_top"})
"""Joints that move with each other: one of them shows all."""

TRUNK = ("left_hip", "right_hip", "left_shoulder", "right_shoulder", "pelvis", "neck_base", "mid_shoulders")
"""Joints that show where the back is."""

_FARTHEST = 10
"""Picture sizes from the origin beyond which a keypoint is a mistake, not a joint outside of the picture."""


def _count_joints(skeleton: object) -> int:
    """The number of joints, after checking that it is a skeleton."""
    if not isinstance(skeleton, Skeleton):
        raise InputError(f"skeleton is {skeleton!r:.60}; give a Skeleton, for example get_skeleton('coco17')")
    return len(skeleton)


@dataclass(frozen=True)
class Detections:
    """The people in one frame; n = 0 for an empty frame.

    Attributes:
        boxes: x0, y0, x1, y1 in pixels.
        box_scores: confidence of each person, 0 to 1.
        keypoints: pixels; NaN for undetected joints.
        scores: confidence of each keypoint, 0 to 1; 0 for undetected joints.
        skeleton: the detector's skeleton.

    Raises:
        InputError: an array is missing or has another shape, a keypoint is infinite, a score is not from 0 to 1, or a
            box is no box.

    Example:
        >>> from poselift.skeleton import COCO17
        >>> empty = Detections(np.zeros((0, 4)), np.zeros(0), np.zeros((0, 17, 2)), np.zeros((0, 17)), COCO17)
        >>> len(empty)
        0
    """

    boxes: Float[np.ndarray, "n 4"]
    box_scores: Float[np.ndarray, " n"]
    keypoints: Float[np.ndarray, "n j 2"]
    scores: Float[np.ndarray, "n j"]
    skeleton: Skeleton

    def __post_init__(self) -> None:
        """Checks the values: they may come from a detector of somebody's own."""
        people, joints = count_rows(self.keypoints), _count_joints(self.skeleton)
        check_shapes(
            self,
            f"{people} people of {self.skeleton.name}",
            keypoints=(people, joints, 2),
            boxes=(people, 4),
            box_scores=(people,),
            scores=(people, joints),
        )
        check_scores("box_scores", self.box_scores)
        check_scores("scores", self.scores)
        check_bounded("keypoints", self.keypoints)
        check_bounded("boxes", self.boxes)
        if not (self.boxes[:, :2] <= self.boxes[:, 2:]).all():
            raise InputError("a box has no size: give x0, y0, x1, y1 in pixels, with x0 <= x1 and y0 <= y1")

    def __len__(self) -> int:
        return len(self.boxes)

    def rows(self, rows: Sequence[int] | np.ndarray) -> "Detections":
        """Some of the people, by index."""
        chosen = np.asarray(rows, int)
        return Detections(
            self.boxes[chosen], self.box_scores[chosen], self.keypoints[chosen], self.scores[chosen], self.skeleton
        )

    @classmethod
    def join(cls, parts: "Sequence[Detections]") -> "Detections":
        """The people of one or several detections of one skeleton."""
        boxes, box_scores, keypoints, scores = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("boxes", "box_scores", "keypoints", "scores")
        )
        return cls(boxes, box_scores, keypoints, scores, parts[0].skeleton)


@dataclass(frozen=True)
class Keypoints2D:
    """One person's 2D keypoints over time.

    Attributes:
        keypoints: pixels; NaN for unseen joints.
        scores: 0 to 1; 0 for unseen joints.
        timestamps: seconds, from the video, strictly increasing.
        skeleton: skeleton of `keypoints`.
        image_size: (width, height) in pixels.
        person: number of the person, from 1.

    Raises:
        InputError: an array has another shape, a keypoint is infinite, a score is not from 0 to 1, the picture has no
            size, the person no number, or the timestamps do not increase or are not of one clip.

    Example:
        >>> from poselift.skeleton import COCO17
        >>> pixels, times = np.full((30, 17, 2), 100.0), np.arange(30) / 30
        >>> keypoints = Keypoints2D(pixels, np.ones((30, 17)), times, COCO17, image_size=(640, 480))
        >>> len(keypoints), len(keypoints[:10])
        (30, 10)
    """

    keypoints: Float[np.ndarray, "t j 2"]
    scores: Float[np.ndarray, "t j"]
    timestamps: Float[np.ndarray, " t"]
    skeleton: Skeleton
    image_size: tuple[int, int]
    person: int = 1

    def __post_init__(self) -> None:
        """Checks the values, because wrong ones give a wrong motion or an error deep inside."""
        frames, joints = count_rows(self.timestamps), _count_joints(self.skeleton)
        check_shapes(
            self,
            f"{frames} frames of {self.skeleton.name}",
            timestamps=(frames,),
            keypoints=(frames, joints, 2),
            scores=(frames, joints),
        )
        check_scores("scores", self.scores)
        check_bounded("keypoints", self.keypoints)
        object.__setattr__(self, "image_size", check_image_size(self.image_size))
        if (person := whole_number(real_number(self.person), 1, MOST_PEOPLE)) is None:
            raise InputError(f"person is {self.person!r:.40}; give a whole number from 1 to {MOST_PEOPLE:,}")
        object.__setattr__(self, "person", person)
        check_times(self.timestamps)

    @classmethod
    def from_frames(
        cls,
        frames: Sequence[int],
        keypoints: Sequence[Float[np.ndarray, "j 2"]],
        scores: Sequence[Float[np.ndarray, " j"]],
        timestamps: Float[np.ndarray, " t"],
        skeleton: Skeleton,
        image_size: tuple[int, int],
        person: int,
    ) -> "Keypoints2D":
        """The keypoints from the first to the last of the given frames; frames in between are NaN with score 0.

        Args:
            frames: increasing indices of frames of the clip, at least one.
            keypoints: pixels in each of these frames.
            scores: likewise.
            timestamps: of all frames of the clip, seconds.
            skeleton: skeleton of `keypoints`.
            image_size: (width, height) in pixels.
            person: number of the person.
        """
        first, end = frames[0], frames[-1] + 1
        rows = np.array(frames) - first
        all_keypoints = np.full((end - first, len(skeleton), 2), np.nan)
        all_scores = np.zeros(all_keypoints.shape[:2])
        all_keypoints[rows], all_scores[rows] = keypoints, scores
        return cls(all_keypoints, all_scores, timestamps[first:end], skeleton, image_size, person)

    def __len__(self) -> int:
        return len(self.timestamps)

    def __getitem__(self, frames: slice) -> "Keypoints2D":
        """The keypoints of some frames."""
        parts = {name: getattr(self, name)[frames] for name in ("keypoints", "scores", "timestamps")}
        return replace(self, **parts)

    @property
    def seen(self) -> Bool[np.ndarray, " t"]:
        """Frames with at least one seen joint."""
        return np.isfinite(self.keypoints).all(-1).any(-1)

    def used(self, threshold: float) -> Bool[np.ndarray, "t j"]:
        """Joints that are seen, score at least the threshold and lie no absurd distance outside of the picture."""
        # Also False for NaN.
        near = (np.abs(self.keypoints) <= _FARTHEST * max(self.image_size)).all(-1)
        return near & (self.scores >= threshold) & (self.scores > 0)

    def in_sight(self, threshold: float = THRESHOLD, *, of_found: bool = True) -> Bool[np.ndarray, "t j"]:
        """Joints that are used often enough around each frame.

        Args:
            threshold: keypoints with a lower score count as unseen.
            of_found: whether the share is that of the frames in which the person was found, or of all frames.
        """
        bridged, times = self.bridge(), self.timestamps
        low, high = (np.searchsorted(times, times + away) for away in (-_NEARBY - 1e-6, _NEARBY + 1e-6))

        def around(flags: np.ndarray) -> np.ndarray:
            total = np.pad(np.cumsum(flags.astype(int), axis=0), ((1, 0), (0, 0)))
            counted: np.ndarray = total[high] - total[low]
            return counted

        count = around(bridged.seen[:, None] if of_found else np.ones((len(times), 1)))
        often: np.ndarray = (around(bridged.used(threshold)) >= _OFTEN * count) & (count > 0)
        return often

    def bridge(self) -> "Keypoints2D":
        """The keypoints, interpolated where a detector did not look for `BRIDGE` seconds or less.

        For drawing, and for what asks whether a joint is in sight; the lifter takes the keypoints as they are. The
        scores are the lower ones of the two frames around; a joint that is missing in one of them stays missing.
        """
        rows = np.flatnonzero(self.seen)
        gaps = np.flatnonzero((np.diff(rows) > 1) & (np.diff(self.timestamps[rows]) <= BRIDGE))
        keypoints, scores = self.keypoints.copy(), self.scores.copy()
        for before, after in zip(rows[gaps], rows[gaps + 1], strict=True):
            between, ends = slice(before + 1, after), [before, after]
            keypoints[between] = interpolate(keypoints[ends], self.timestamps[ends], self.timestamps[between])
            scores[between] = np.minimum(scores[before], scores[after])
        return replace(self, keypoints=keypoints, scores=scores)


@dataclass(frozen=True)
class Height:
    """Standing height, without shoes.

    Attributes:
        metres: the height.
        spread: standard deviation of the error, metres; 0 for a given height.
        origin: "estimated" or "given".
    """

    metres: float
    spread: float
    origin: Literal["estimated", "given"] = "estimated"


@dataclass(frozen=True)
class Motion:
    """One person's 3D motion.

    Attributes:
        joints: metres, relative to the root joint (the first of the skeleton); NaN in empty frames.
        root: position of the root joint, metres; NaN in empty frames.
        timestamps: seconds.
        interpolated: frames without a detection, whose joints the lifter interpolated.
        skeleton: skeleton of `joints`.
        frame: "camera" (x right, y down, z forward) or "world" (right-handed, Y up).
        keypoints: the 2D keypoints of each frame.
        uncertainty: radius of the ball that holds the joint in 90 % of cases, metres; 0 for the root joint, NaN in
            empty frames. None if the lifter gives none.
        contacts: whether each foot of `FEET` is on the ground; None if unknown.
        pelvis: where the pelvis lies; None if unknown.
        height: standing height; None if unknown.
        threshold: keypoints with a lower score were not lifted.
        body_share: share of a joint's distance from the root that its uncertainty has for the body's size and tilt.

    Raises:
        InputError: an array has another shape, a position is infinite, the timestamps do not increase or are not of one
            clip, or the frame is another one.
    """

    joints: Float[np.ndarray, "t j 3"]
    root: Float[np.ndarray, "t 3"]
    timestamps: Float[np.ndarray, " t"]
    interpolated: Bool[np.ndarray, " t"]
    skeleton: Skeleton
    frame: str
    keypoints: Keypoints2D
    uncertainty: Float[np.ndarray, "t j"] | None = None
    contacts: Bool[np.ndarray, "t 2"] | None = None
    pelvis: Pelvis | None = None
    height: Height | None = None
    threshold: float = THRESHOLD
    body_share: float = 0.0

    def __post_init__(self) -> None:
        """Checks the values, which exports and measures take as they are."""
        frames, joints = count_rows(self.timestamps), _count_joints(self.skeleton)
        if not isinstance(self.keypoints, Keypoints2D) or len(self.keypoints) != frames:
            raise InputError(f"keypoints are {self.keypoints!r:.40}; give the Keypoints2D of the {frames} frames")
        shapes: dict[str, tuple[int, ...]] = {
            "timestamps": (frames,),
            "joints": (frames, joints, 3),
            "root": (frames, 3),
            "interpolated": (frames,),
            "uncertainty": (frames, joints),
            "contacts": (frames, len(FEET)),
        }
        given = {name: shape for name, shape in shapes.items() if getattr(self, name) is not None}
        check_shapes(self, f"{frames} frames of {self.skeleton.name}", **given)
        check_bounded("joints", self.joints)
        check_bounded("root", self.root)
        check_times(self.timestamps)
        if self.frame not in ("camera", "world"):
            raise InputError(f"frame is {self.frame!r:.40}; give camera or world")

    def __len__(self) -> int:
        return len(self.timestamps)

    def __getitem__(self, frames: slice) -> "Motion":
        """The motion of some frames."""
        names = ("joints", "root", "timestamps", "interpolated", "keypoints", "uncertainty", "contacts")
        values = {name: getattr(self, name) for name in names}
        return replace(self, **{name: value[frames] for name, value in values.items() if value is not None})

    @property
    def posed(self) -> Bool[np.ndarray, " t"]:
        """Frames in which root and all joints are known."""
        return np.isfinite(self.joints).all((1, 2)) & np.isfinite(self.root).all(1)

    def in_sight(self) -> Bool[np.ndarray, "t j"]:
        """Joints that keypoints show; the lifter gives the others too, from what is usual.

        A joint that the detector's skeleton lacks is in sight with others of the same foot, hand or head, or if it is
        one of the trunk with hips or shoulders. A motion without any keypoints has all joints in sight.
        """
        names, seen = self.keypoints.skeleton.joints, self.keypoints.in_sight(self.threshold)
        if not self.keypoints.seen.any():
            return np.ones(self.joints.shape[:2], bool)
        columns = []
        for joint in self.skeleton.joints:
            end = next((end for end in ENDS if strip_side(joint) in end), None)
            if end is not None:
                # A head has one joint of each name and side; a foot or hand has those of its own side.
                side = joint.removesuffix(strip_side(joint)) if "nose" not in end else ""
                shown = [name for name in names if strip_side(name) in end and name.startswith(side)]
            else:
                shown = [joint] if joint in names else [name for name in TRUNK if name in names]
            columns.append(seen[:, self.keypoints.skeleton.indices(shown)].any(1))
        return np.stack(columns, 1)

    def guessed(self) -> Bool[np.ndarray, "t j"]:
        """Joints that no keypoint shows: those out of sight, and all where the detector found nobody for a while.

        Everything that draws a motion draws these pale.
        """
        alone = self.interpolated & ~self.keypoints.bridge().seen
        return ~self.in_sight() | alone[:, None]

    def restrict(self, skeleton: Skeleton) -> "Motion":
        """The motion with the joints of a smaller skeleton that has the same root.

        Raises:
            InputError: the motion lacks one of the joints, or has another root.
        """
        missing = [joint for joint in skeleton.joints if joint not in self.skeleton.joints]
        if missing or skeleton.joints[0] != self.skeleton.joints[0]:
            lacks = ", ".join(missing) or f"the root {skeleton.joints[0]}"
            raise InputError(f"{self.skeleton.name} cannot be restricted to {skeleton.name}: it lacks {lacks}")
        joints = self.skeleton.indices(skeleton.joints)
        uncertainty = None if self.uncertainty is None else self.uncertainty[:, joints]
        return replace(self, joints=self.joints[:, joints], uncertainty=uncertainty, skeleton=skeleton)

    def body_axis(self) -> Float[np.ndarray, "t 3"] | None:
        """Vector from the middle of the ankles to the middle of the shoulders, metres; None without these joints."""
        return body_axis(self.joints, self.skeleton)


def body_axis(joints: Float[np.ndarray, "*t j 3"], skeleton: Skeleton) -> Float[np.ndarray, "*t 3"] | None:
    """Vector from the middle of the ankles to the middle of the shoulders, metres; None without these joints."""
    middles = []
    for joint in ("ankle", "shoulder"):
        pair = [f"left_{joint}", f"right_{joint}"]
        if not set(pair) <= set(skeleton.joints):
            return None
        middles.append(joints[..., skeleton.indices(pair), :].mean(-2))
    ankles, shoulders = middles
    return (shoulders - ankles).astype(np.float64)


@dataclass(frozen=True)
class StreamedPose:
    """One person in one frame of a stream.

    Attributes:
        timestamp: of the frame, seconds.
        joints: metres, relative to the root joint (the first of the lifter's `skeleton`).
        root: place of the root joint, metres.
        uncertainty: radius of the ball that holds the joint in 90 % of cases, metres; 0 for the root joint. None if
            the lifter gives none.
        interpolated: the detector did not find the person in this frame. The pose lies between those before and
            after, or is the last one.
        keypoints: of this frame as they were pushed, pixels; NaN for unseen joints. For an overlay.
        scores: of the keypoints.
        frame: "camera" (x right, y down, z forward) or "world" (right-handed, Y up).
        seen: joints that the keypoints of the last moments show (`Motion.in_sight`); the lifter gives the others too,
            from what is usual. No joint, if the detector has not found the person for 0.15 s. None if unknown.
    """

    timestamp: float
    joints: Float[np.ndarray, "j 3"]
    root: Float[np.ndarray, "3"]
    uncertainty: Float[np.ndarray, " j"] | None
    interpolated: bool
    keypoints: Float[np.ndarray, "j_in 2"]
    scores: Float[np.ndarray, " j_in"]
    frame: str = "camera"
    seen: Bool[np.ndarray, " j"] | None = None

    @property
    def guessed(self) -> Bool[np.ndarray, " j"]:
        """Joints that no keypoint shows, to be drawn pale."""
        hidden = np.zeros(len(self.joints), bool) if self.seen is None else ~self.seen
        return hidden | self.interpolated

    @property
    def positions(self) -> Float[np.ndarray, "j 3"]:
        """Places of the joints, metres."""
        return self.joints + self.root


Posed = TypeVar("Posed", Motion, StreamedPose)


def move(posed: Posed, R: Float[np.ndarray, "3 3"], t: Float[np.ndarray, "3"], frame: str) -> Posed:
    """The motion or pose in another frame, in which a place x is at R x + t.

    Args:
        posed: joints, which turn, and a root, which turns and moves.
        R: rotation.
        t: metres.
        frame: name of the frame, "camera" or "world".
    """
    joints, root = posed.joints @ R.T, posed.root @ R.T + t
    dtypes = posed.joints.dtype, posed.root.dtype
    return replace(posed, joints=joints.astype(dtypes[0]), root=root.astype(dtypes[1]), frame=frame)


@dataclass(frozen=True)
class LiveFrame:
    """One processed frame of a stream.

    Attributes:
        index: number of the frame, from 0; dropped frames count.
        timestamp: seconds from the first frame.
        dropped: number of frames so far that came too fast to be processed.
        latency: seconds from the arrival of the frame until its poses were ready.
        looked: whether the detector looked at somebody, or for people, in this frame. If not, `people` and `keypoints`
            are empty.
        present: numbers of the people who are there: found in this frame or a moment ago.
        people: new 3D poses by number of the person; not everybody who is there has one in each frame. A lifter with a
            lookahead gives poses of an earlier frame; each has its own timestamp.
        keypoints: keypoints in pixels and their scores in this frame, by number of the person.
    """

    index: int
    timestamp: float
    dropped: int
    latency: float
    looked: bool
    present: tuple[int, ...]
    people: Mapping[int, StreamedPose]
    keypoints: Mapping[int, tuple[Float[np.ndarray, "j 2"], Float[np.ndarray, " j"]]]
