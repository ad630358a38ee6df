"""The hands of people whose bodies are lifted. A file gives them, or a model finds them in pictures."""

from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float

from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.core.threads import pool
from poselift.core.unchecked import replace_unchecked
from poselift.detection.hands import Hand, HandModel
from poselift.finding import Clip
from poselift.geometry.camera import Camera
from poselift.skeleton import Skeleton
from poselift.skeleton.hand import HAND21, SIDES
from poselift.structures import THRESHOLD, Hands, Keypoints2D, Motion
from poselift.video import Frame

SAME = 0.25
"""Least mean distance of two hands' joints, of the hand's size: nearer ones are one hand, seen from two wrists."""
OWN = "poselift"
"""The format of earlier results: hands are placed, sides are settled, and a user may have corrected them by hand."""
_SOON = 1e-4
"""Seconds by which the times of a frame may differ."""
_NEEDED = [f"{side}_{joint}" for side in SIDES for joint in ("elbow", "wrist")]


def find_hands(frames: Iterable[Frame], tracks: Sequence[Keypoints2D], camera: Camera, model: HandModel) -> list[Hands]:
    """The hands of each person, looked for at the wrists.

    They are made steady over time. A hand's metric joints are those of the model, turned into the axes of the camera
    frame: the model sees a hand as if it were in the middle of the picture.

    Args:
        frames: of the video, in order.
        tracks: of its people.
        camera: of the video.
        model: of hands.

    Raises:
        InputError: the keypoints of somebody have no elbows or wrists.

    Example:
        >>> from poselift.geometry.camera import camera_for
        >>> find_hands([], [], camera_for((640, 480)), HandModel())
        []
    """
    for track in tracks:
        arm_indices(track.skeleton)
    if not tracks:
        return []
    people = [_Person(track) for track in tracks]
    for frame in frames:
        due = [(person, row) for person in people if (row := person.row_at(frame.timestamp)) is not None]
        tasks = [(person, row, side) for person, row in due for side in range(len(SIDES))]
        found = pool().map(lambda task: task[0].look(frame, model, task[1], task[2]), tasks)  # noqa: B023 - used at once
        detections = [(*task, hand) for task, hand in zip(tasks, list(found), strict=True) if hand is not None]
        for person, row, side, hand in _drop_others_hands(detections):
            person.note(row, side, hand, camera)
    return [person.hands() for person in people]


def arm_indices(skeleton: Skeleton) -> list[int]:
    """Indices of elbow and wrist, left and then right.

    Raises:
        InputError: the skeleton lacks one of them.
    """
    if missing := [joint for joint in _NEEDED if joint not in skeleton.joints]:
        raise InputError(f"hands need a {missing[0]}, which keypoints of {skeleton.name} lack; use another detector")
    return list(skeleton.indices(_NEEDED))


def take_given_hands(
    clip: Clip, tracks: Sequence[Keypoints2D], camera: Camera, wanted: bool
) -> tuple[Sequence[Hands | None], list[Caution]]:
    """Each person's hands in a file of keypoints, and what they lack.

    Args:
        clip: the file's, or of a video, which gives no hands.
        tracks: the people.
        camera: of the pictures.
        wanted: whether hands in 3D are asked for.

    Raises:
        InputError: they are, nobody has any, and there is no video in which to look for them.
    """
    given = [clip.hands_of(track) for track in tracks]
    if wanted and clip.video is None and given and not any(own is not None and own.in_3d for own in given):
        if all(own is None for own in given):
            raise InputError(f"{clip.path} has keypoints without hands, and hands are looked for in a video; add it")
        raise InputError(f"{clip.path} has hands in 2D only, and --hands looks for them in a video; add it")
    hands = [
        own if own is None or clip.detector_name == OWN else _place(own, track.timestamps, camera)
        for own, track in zip(given, tracks, strict=True)
    ]
    if wanted or all(own is None or own.in_3d for own in given):
        return hands, []
    text = f"{clip.path.name} has hands in 2D, which stay in hand_keypoints; the video and --hands give them in 3D"
    return hands, [Caution(text, "input")]


def with_hands(motion: Motion, hands: Hands | None, R: Float[np.ndarray, "t 3 3"] | None) -> Motion:
    """The motion with hands in its own axes.

    Args:
        motion: in the still view of a person.
        hands: in the axes of the camera of each frame.
        R: rotation from these to the motion's axes; None if they are the same.
    """
    return replace_unchecked(motion, hands=hands if hands is None or R is None else hands.turn(R))


def _place(hands: Hands, timestamps: Float[np.ndarray, " t"], camera: Camera) -> Hands:
    """Hands of a file of keypoints. In 3D they are in the camera's axes and smoothed over time.

    Args:
        hands: whose joints are as of a hand in the middle of the picture.
        timestamps: of the frames, seconds.
        camera: of the pictures.
    """
    if not hands.in_3d:
        return hands
    joints = hands.joints.copy()
    for row, side in np.argwhere(hands.seen).tolist():
        joints[row, side] = joints[row, side] @ turn_to_ray(hands.keypoints[row, side, 0], camera).T
    return replace_unchecked(hands, joints=joints).steady(timestamps)


def _drop_others_hands(detections: "list[_HandDetection]") -> "list[_HandDetection]":
    """A frame's hands without those nearer to another person's wrist."""
    kept: list[_HandDetection] = []
    for detection in sorted(detections, key=_off_wrist):
        hand = detection[3].keypoints
        size = float(np.ptp(hand, axis=0).max())
        if all(np.linalg.norm(hand - other[3].keypoints, axis=-1).mean() > SAME * size for other in kept):
            kept.append(detection)
    return kept


def _off_wrist(detection: "_HandDetection") -> float:
    """Distance of a hand's wrist from the body's, pixels."""
    person, row, side, hand = detection
    return float(np.linalg.norm(hand.keypoints[0] - person.wrist(row, side)))


class _Person:
    """Somebody's hands so far."""

    def __init__(self, keypoints: Keypoints2D) -> None:
        track = keypoints.bridge()
        self._times = track.timestamps
        rows = arm_indices(track.skeleton)
        seen = track.used(THRESHOLD)[:, rows]
        self._arms = np.where(seen[..., None], track.keypoints[:, rows], np.nan).reshape(-1, 2, 2, 2)
        low, high = (extreme(track.keypoints, axis=1) for extreme in (_least, _most))
        self._sizes = (high - low).max(-1)
        shape = len(self._times), 2, len(HAND21)
        self._keypoints, self._joints = np.full((*shape, 2), np.nan), np.full((*shape, 3), np.nan)
        self._scores = np.zeros(shape[:2])

    def row_at(self, time: float) -> int | None:
        """The row of a time in seconds, or None."""
        row = int(np.searchsorted(self._times, time - _SOON))
        return row if row < len(self._times) and abs(self._times[row] - time) <= _SOON else None

    def look(self, frame: Frame, model: HandModel, row: int, side: int) -> Hand | None:
        """The hand at one wrist, if the model finds it."""
        elbow, wrist = self._arms[row, side]
        return model.look_at(frame.image, elbow, wrist, float(self._sizes[row]))

    def wrist(self, row: int, side: int) -> Float[np.ndarray, "2"]:
        """The body's wrist, pixels."""
        place: np.ndarray = self._arms[row, side, 1]
        return place

    def note(self, row: int, side: int, hand: Hand, camera: Camera) -> None:
        """Takes over a hand."""
        self._keypoints[row, side], self._scores[row, side] = hand.keypoints, hand.score
        self._joints[row, side] = hand.joints @ turn_to_ray(hand.keypoints[0], camera).T

    def hands(self) -> Hands:
        """All hands, made steady."""
        return Hands(self._keypoints, self._joints, self._scores).steady(self._times)


_HandDetection = tuple[_Person, int, int, Hand]
"""Whose hand it is, in which frame, at which side, and the hand."""


def turn_to_ray(pixel: Float[np.ndarray, "2"], camera: Camera) -> Float[np.ndarray, "3 3"]:
    """The smallest rotation from the optical axis to a pixel's ray."""
    ray = camera.rays(pixel[None])[0].astype(np.float64)
    x, y, z = ray / np.linalg.norm(ray)
    cross = np.array([[0, 0, x], [0, 0, y], [-x, -y, 0]])
    turned: np.ndarray = np.eye(3) + cross + cross @ cross / (1 + z)
    return turned


def _least(values: np.ndarray, axis: int) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.inf).min(axis)


def _most(values: np.ndarray, axis: int) -> np.ndarray:
    return np.where(np.isfinite(values), values, -np.inf).max(axis)
