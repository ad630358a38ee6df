"""Hands of a stream's people, one crop detection a frame."""

from collections import deque
from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, UInt8

from poselift.detection.hands import Hand, HandModel
from poselift.geometry.camera import Camera
from poselift.lifting.find_hands import SAME, arm_indices, turn_to_ray
from poselift.lifting.live.pose_smoothing import OneEuro
from poselift.skeleton import Skeleton
from poselift.skeleton.hand import HAND21, SIDES
from poselift.structures import THRESHOLD, Hands
from poselift.structures.hands import JUMP, measure_changes

_HELD = 0.5
"""Seconds for which a hand stands: hands take turns, and the body is not looked at in every frame."""
_REMEMBERED = 64
"""Frames whose hands are remembered for poses that wait for later frames."""
_FORGOTTEN = 3.0
"""Seconds without a body after which its hands are forgotten."""
_CUTOFF = (2.0, 8.0)
"""Of the One Euro filter: Hz at rest, and Hz per m/s; those of a body's joints."""


class LiveHands:
    """Finds the hands of a stream's people, at their wrists.

    Each frame has time for one crop: of the hand that waited longest. A hand is given when two crops in a row agree
    (`Hands.steady` has the measure), then until a crop shows none or another one, or until half a second has passed.
    Between its crops it moves with the body's wrist.

    Args:
        model: of hands.
        camera: of the pictures.
        skeleton: of the keypoints.

    Raises:
        InputError: the skeleton has no elbows or wrists.

    Example:
        >>> from poselift.geometry.camera import camera_for
        >>> from poselift.skeleton import COCO17
        >>> hands = LiveHands(HandModel(), camera_for((640, 480)), COCO17)
        >>> hands.look(np.zeros((480, 640, 3), np.uint8), {1: (np.full((17, 2), np.nan), np.zeros(17))}, 0.0)[1].in_3d
        False
    """

    def __init__(self, model: HandModel, camera: Camera, skeleton: Skeleton) -> None:
        self._model, self._camera, self._arms = model, camera, arm_indices(skeleton)
        self._people: dict[int, _LivePerson] = {}

    def warm_up(self) -> None:
        """Runs the model once, so that the first frames come in time."""
        self._model.look_at(np.zeros((64, 64, 3), np.uint8), np.array([32.0, 60.0]), np.array([32.0, 30.0]), 64.0)

    def look(
        self,
        image: UInt8[np.ndarray, "h w 3"],
        people: Mapping[int, tuple[Float[np.ndarray, "j 2"], Float[np.ndarray, " j"]]],
        time: float,
    ) -> dict[int, Hands]:
        """Everybody's hands in one frame, in the axes of the camera frame.

        Args:
            image: RGB.
            people: keypoints, pixels, and scores of those found, by number.
            time: of the frame, seconds.
        """
        for number, (keypoints, scores) in people.items():
            seen = np.where((scores >= THRESHOLD)[:, None], keypoints, np.nan)
            self._people.setdefault(number, _LivePerson()).see(seen[self._arms].reshape(2, 2, 2), keypoints, time)
        self._people = {n: person for n, person in self._people.items() if time - person.seen <= _FORGOTTEN}
        sides = [side for number in people for side in self._people[number].sides if np.isfinite(side.arm).all()]
        if sides:
            side = min(sides, key=lambda each: each.looked)
            side.take(self._look_at(image, side, [each for each in sides if each is not side], time), time)
        return {number: self._people[number].note(time, self._camera) for number in people}

    def at(self, number: int, time: float) -> Hands:
        """The hands of an earlier frame, for a pose that waited.

        Unseen ones, if nobody was found there.
        """
        person = self._people.get(number)
        return next((hands for at, hands in person.past if at == time), _unseen()) if person else _unseen()

    def _look_at(
        self, image: UInt8[np.ndarray, "h w 3"], side: "_Side", others: "list[_Side]", time: float
    ) -> Hand | None:
        """The hand at a wrist; None if a nearer wrist has it."""
        elbow, wrist = side.arm
        hand = self._model.look_at(image, elbow, wrist, side.body)
        if hand is None:
            return None
        off, size = np.linalg.norm(hand.keypoints[0] - wrist), float(np.ptp(hand.keypoints, axis=0).max())
        for other in others:
            held = other.keypoints(time)
            if held is not None and np.linalg.norm(hand.keypoints - held, axis=-1).mean() <= SAME * size:
                if np.linalg.norm(held[0] - other.arm[1]) <= off:
                    return None
                other.take(None, other.looked)
        return hand


class _LivePerson:
    """Both hands of somebody, and those of the last frames."""

    def __init__(self) -> None:
        self.sides = [_Side() for _ in SIDES]
        self.past: deque[tuple[float, Hands]] = deque(maxlen=_REMEMBERED)
        self.seen = -np.inf

    def see(self, arms: Float[np.ndarray, "2 2 2"], keypoints: Float[np.ndarray, "j 2"], time: float) -> None:
        """Takes elbow and wrist of each side, NaN where unseen."""
        self.seen = time
        known = keypoints[np.isfinite(keypoints).all(-1)]
        body = float(np.ptp(known, axis=0).max()) if len(known) else np.nan
        for side, arm in zip(self.sides, arms, strict=True):
            side.arm, side.body = arm, body

    def note(self, time: float, camera: Camera) -> Hands:
        """The hands of this frame, which are remembered."""
        none = _unseen()
        keypoints, metres, scores = none.keypoints.copy(), none.joints.copy(), none.scores.copy()
        for row, side in enumerate(self.sides):
            pixels, joints = side.keypoints(time), side.joints
            if pixels is not None and joints is not None:
                keypoints[0, row], scores[0, row] = pixels, side.score
                metres[0, row] = joints @ turn_to_ray(pixels[0], camera).T
        hands = Hands(keypoints, metres, scores)
        self.past.append((time, hands))
        return hands


class _Side:
    """One hand so far."""

    def __init__(self) -> None:
        self.arm, self.body = np.full((2, 2), np.nan), np.nan
        self.looked = -np.inf
        self.joints: np.ndarray | None = None
        self.score = 0.0
        self._last: Hand | None = None
        self._offset = np.zeros((len(HAND21), 2))
        self._smooth = OneEuro(*_CUTOFF)

    def take(self, hand: Hand | None, time: float) -> None:
        """Takes a detection.

        A hand shows from the second one on that agrees with the one before.
        """
        last = self._last if time - self.looked <= _HELD else None
        self.looked, self._last = time, hand
        change = np.inf
        if hand is not None and last is not None:
            change = float(measure_changes(np.stack([last.joints, hand.joints]))[0])
        if hand is None or not np.isfinite(change):
            self.joints, self.score, self._smooth = None, 0.0, OneEuro(*_CUTOFF)
            return
        self._offset, self.score = hand.keypoints - self.arm[1], hand.score * (1 - change / JUMP)
        self.joints = self._smooth(hand.joints.astype(np.float64), time)

    def keypoints(self, time: float) -> Float[np.ndarray, "21 2"] | None:
        """Where the hand is now, pixels; None if no detection stands."""
        if self.joints is None or time - self.looked > _HELD or not np.isfinite(self.arm[1]).all():
            return None
        moved: np.ndarray = self._offset + self.arm[1]
        return moved


def _unseen() -> Hands:
    """One frame without hands."""
    shape = 1, len(SIDES), len(HAND21)
    return Hands(np.full((*shape, 2), np.nan), np.full((*shape, 3), np.nan), np.zeros(shape[:2]))
