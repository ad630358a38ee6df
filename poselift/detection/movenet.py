"""MoveNet, the shipped detector."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from jaxtyping import Float, UInt8

from poselift.core.registry import published
from poselift.core.threads import pool
from poselift.detection.crop import Crop
from poselift.detection.detector_protocol import Search
from poselift.detection.duplicates import keep_each_once, pose_nms
from poselift.detection.multipose import OFFSET, MultiPose
from poselift.detection.orientation import LEANING, SURE, body_angle, box_along, other_angles
from poselift.detection.outside import hide_outside
from poselift.detection.session import Session, wants_cuda
from poselift.skeleton import COCO17
from poselift.structures import Detections

_THUNDER_SIZE = 256
_MARGIN = 1.2
"""Side of Thunder's square over the longer side of the joints' bounding box. Tight squares around the joints give
higher scores and steadier joints than wider ones, or squares around MultiPose's boxes (1.1 to 1.4)."""
_TURNED = Search(turns=(1, 2, 3), fine_turns=True)
"""A single picture has no past that tells which way up people are."""
_SEEN_TURNED = 0.35
"""Least mean joint score of people who are turned: the best of several crops scores higher, also at nobody."""
_FITS = 2
"""Times that the box of a turned body is fitted again at most."""


class MoveNet:
    """Google's MoveNet: MultiPose, then Thunder on each person's crop.

    MultiPose's pose is kept if Thunder's mean score is less than half, or if Thunder shows somebody else, as happens
    when two people cross.

    Joints outside the picture are NaN with score 0. All others keep MoveNet's score, even a low one: the lifter's
    threshold decides.

    Quick searches and crop detections compute most of the networks in 8 bits on a CPU, in 60 and 50 % of the time
    (poselift/weights/movenet/README.md). On a GPU Thunder refines several people together.

    Source: https://www.tensorflow.org/hub/tutorials/movenet and the model cards linked there.

    Args:
        device: as in `MultiPose`.

    Raises:
        InputError: the weights are missing or damaged, or the device cannot be used.
    """

    name = "movenet"
    skeleton = COCO17

    def __init__(self, device: str = "auto") -> None:
        self._multipose = MultiPose(device)
        device = self._multipose.device
        self._together = wants_cuda(device)
        network = published("movenet_thunder")
        graph = published("movenet_thunder_batch" if self._together else "movenet_thunder_int8")
        self.weights = {**self._multipose.weights, **self._multipose.quick_weights}
        self.weights |= {each.path.name: each.sha256 for each in (network, graph)}
        path = network.get()
        # In 8 bits a second core saves less than it takes to open the network again.
        self._quick = self._quick_alone = self._thunder = self._thunder_alone = Session(graph.get(), device, threads=1)
        if not self._together:
            self._thunder, self._thunder_alone = Session(path, device, threads=1), Session(path, device)

    def detect(self, frames: Sequence[UInt8[np.ndarray, "_ _ 3"]]) -> list[Detections]:
        """The people in each frame; see `poselift.detection.Detector`."""
        return list(pool().map(self._detect_one, frames))

    def search(self, frame: UInt8[np.ndarray, "_ _ 3"], how: Search) -> Detections:
        """The people in a whole picture; see `poselift.detection.PlaceDetector`."""
        poses, boxes, scores = self._multipose.find(frame, how)
        kept = pose_nms(poses[..., :2], poses[..., 2], boxes, scores)
        return Detections(_find_boxes(poses[kept]), scores[kept], poses[kept, :, :2], poses[kept, :, 2], self.skeleton)

    def look(
        self,
        frame: UInt8[np.ndarray, "_ _ 3"],
        boxes: Float[np.ndarray, "n 4"],
        angles: Float[np.ndarray, " n"],
        quick: bool = False,
    ) -> Detections:
        """One person in each box; see `poselift.detection.PlaceDetector`."""
        thunder, alone = (self._quick, self._quick_alone) if quick else (self._thunder, self._thunder_alone)
        if len(boxes) == 1 or (self._together and len(boxes)):  # on all cores, or on a GPU
            poses = _thunder_poses(alone, frame, boxes, angles.tolist())
        else:  # several people are faster on a core each
            thunder.open()
            found = list(pool().map(partial(_thunder_pose, thunder, frame), boxes, angles.tolist()))
            poses = np.array(found).reshape(-1, len(self.skeleton), 3)
        keypoints, scores = hide_outside(poses[..., :2], poses[..., 2], frame.shape)
        return Detections(_find_boxes(poses), poses[..., 2].mean(-1), keypoints, scores, self.skeleton)

    def _detect_one(self, frame: UInt8[np.ndarray, "h w 3"]) -> Detections:
        poses, boxes, box_scores = self._multipose.find(frame)
        for person, box in enumerate(boxes):
            poses[person] = self._refine(frame, poses[person], box)
        turned, turned_scores = self._turned_people(frame)
        return keep_each_once(
            frame,
            np.concatenate([poses, turned]),
            np.concatenate([boxes, _find_boxes(turned)]),
            np.concatenate([box_scores, turned_scores]),
            self.skeleton,
        )

    def _turned_people(
        self, frame: UInt8[np.ndarray, "h w 3"]
    ) -> tuple[Float[np.ndarray, "n 17 3"], Float[np.ndarray, " n"]]:
        """Turned people's x, y, score, and box scores.

        They are far from upright. A search of a turned picture also finds people who are upright, in the wrong way, and
        bodies in things.
        """
        poses, boxes, box_scores = self._multipose.find(frame, _TURNED)
        for person, box in enumerate(boxes):
            poses[person] = self._refine(frame, poses[person], box)
        means = poses[..., 2].mean(-1)
        leaning = np.array([abs(_angle(pose)) > LEANING for pose in poses], bool)
        kept = leaning & (means >= _SEEN_TURNED)
        return poses[kept], np.maximum(box_scores, means)[kept]

    def _refine(
        self, frame: UInt8[np.ndarray, "h w 3"], found: Float[np.ndarray, "17 3"], box: Float[np.ndarray, "4"]
    ) -> Float[np.ndarray, "17 3"]:
        """A person's x, y, score from the best of Thunder's crops. MultiPose has found this person."""
        measured = _angle(found)
        start = measured if abs(measured) > LEANING else 0.0
        best, used = _thunder_pose(self._thunder, frame, box_along(found[:, :2], start), start), start
        if not start and best[:, 2].mean() >= SURE:
            return choose_pose(found, best, box)
        for other in other_angles(start, measured):
            tried = _thunder_pose(self._thunder, frame, box_along(found[:, :2], other), other)
            if tried[:, 2].mean() > best[:, 2].mean():
                best, used = tried, other
        if not used:
            return choose_pose(found, best, box)
        # The first pose may be a part of the body, so the box is fitted again.
        for _ in range(_FITS):
            used = _angle(best) or used
            again = _thunder_pose(self._thunder, frame, box_along(best[:, :2], used), used)
            if again[:, 2].mean() <= best[:, 2].mean():
                break
            best = again
        return best


class FastMoveNet:
    """One pass of MoveNet MultiPose at 256 pixels.

    Thunder does not run, so one person costs as much as six. It finds people whose height is at least a third of the
    longer side of the picture.

    Args:
        device: as in `MultiPose`.

    Raises:
        InputError: the weights are missing or damaged, or the device cannot be used.
    """

    name = "movenet-fast"
    skeleton = COCO17

    def __init__(self, device: str = "auto") -> None:
        self._multipose = MultiPose(device)
        self.weights = self._multipose.weights

    def detect(self, frames: Sequence[UInt8[np.ndarray, "_ _ 3"]]) -> list[Detections]:
        """The people in each frame; see `poselift.detection.Detector`."""
        found = self._multipose.find_large(frames)
        return [keep_each_once(frame, *people, self.skeleton) for frame, people in zip(frames, found, strict=True)]


def _thunder_pose(
    thunder: Session, frame: UInt8[np.ndarray, "h w 3"], box: Float[np.ndarray, "4"], angle: float
) -> Float[np.ndarray, "17 3"]:
    """Thunder's x, y, score of a person, in frame pixels. The crop is a box along the joints."""
    return _thunder_poses(thunder, frame, box[None], [angle])[0]


def _thunder_poses(
    thunder: Session, frame: UInt8[np.ndarray, "h w 3"], boxes: Float[np.ndarray, "n 4"], angles: Sequence[float]
) -> Float[np.ndarray, "n 17 3"]:
    """The same for each box."""
    crops = [Crop.square(frame, box, _THUNDER_SIZE, _MARGIN, angle) for box, angle in zip(boxes, angles, strict=True)]
    poses = thunder.run([crop.image for crop in crops])[:, 0]
    for crop, pose in zip(crops, poses, strict=True):
        pose[:, :2] = crop.to_picture(pose[:, [1, 0]] * _THUNDER_SIZE + OFFSET)
    return poses


def _angle(pose: Float[np.ndarray, "17 3"]) -> float:
    """A body's clockwise turn from upright, radians; 0 if unclear."""
    return body_angle(pose[:, :2], pose[:, 2], COCO17) or 0.0


def _find_boxes(poses: Float[np.ndarray, "n 17 3"]) -> Float[np.ndarray, "n 4"]:
    """Boxes around the joints."""
    return np.concatenate([poses[..., :2].min(1), poses[..., :2].max(1)], axis=-1)


def choose_pose(
    found: Float[np.ndarray, "17 3"], refined: Float[np.ndarray, "17 3"], box: Float[np.ndarray, "4"]
) -> Float[np.ndarray, "17 3"]:
    """The refined pose, or the first one if the refinement failed.

    Args:
        found: MultiPose's x, y, score.
        refined: Thunder's.
        box: the person's box, whose longer side is the scale.
    """
    collapsed = refined[:, 2].mean() < 0.5 * found[:, 2].mean()
    distance = np.median(np.linalg.norm(refined[:, :2] - found[:, :2], axis=-1))
    elsewhere = distance > 0.25 * (box[2:] - box[:2]).max()
    return found if collapsed or elsewhere else refined
