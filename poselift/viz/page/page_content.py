"""A page's data: a JSON header and compressed small integers. The arrays are compressed together."""

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.kinematics import Angles
from poselift.kinematics.up import rotation_to_y_up
from poselift.numerics.times import median_interval
from poselift.skeleton import Skeleton
from poselift.skeleton.flesh import CORNERS
from poselift.skeleton.hand import HANDS
from poselift.structures import Motion
from poselift.viz.body_parts import parts_of
from poselift.viz.colors import person_colors
from poselift.viz.limbs import limbs_of
from poselift.viz.stage import Stage

_UNKNOWN = -(2**31)
"""In an array of whole numbers, what NaN is elsewhere."""
_METRES, _DEGREES, _PIXELS, _SHARE, _HAND_SCORE = 1e5, 1e2, 1e1, 1e3, 1e5
"""Steps per unit. Metres and the scores of hands are as fine as in the csv."""
_SIDES = {"middle": 0, "left": 1, "right": 2}


@dataclass(frozen=True)
class PageView:
    """Another video of the same moment, beside the first one.

    Attributes:
        name: of the camera.
        camera: as in `PageContent`, with the pose.
        video: the file.
        offset: a time x of the video is (1 + drift) x + offset of the motions, seconds.
        drift: seconds a second.
        keypoints: pixels and scores in it, frames x points x 3, at the times of each motion, by number of the person.
    """

    name: str
    camera: Mapping[str, Any]
    video: Path
    offset: float = 0.0
    drift: float = 0.0
    keypoints: Mapping[int, Float[np.ndarray, "t j 3"]] = field(default_factory=dict)


@dataclass(frozen=True)
class PageContent:
    """What a page shows besides motions.

    Attributes:
        title: its heading, such as the name of the video.
        camera: of the sidecar: `K`, `image_size`, and for the world frame `R` and `t`; with `times` if they change.
        about: the sidecar of each person by number; saved with the JSON of the page.
        angles: joint angles by number of the person, whose `left_` and `right_` of one name share a chart; without them
            the page has heights and uncertainty only.
        files: of each person by number, to save: what they hold by their ending, such as "bvh".
        views: further videos; their motions are in the world.
    """

    title: str
    camera: Mapping[str, Any]
    about: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    angles: Mapping[int, Angles] = field(default_factory=dict)
    files: Mapping[int, Mapping[str, bytes]] = field(default_factory=dict)
    views: Sequence[PageView] = ()


def encode(
    motions: Sequence[Motion],
    view: PageContent,
    times: Float[np.ndarray, " t"],
    video: Mapping[str, Any],
    start: float = 0.0,
    others: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The content of a page as base64 of gzip.

    A line of JSON comes first, and names the arrays. Each array follows as int32 in steps of 1 / `scale`: differences
    from frame to frame, their four bytes apart, which shrinks them to a third of float32. The files come last.

    Args:
        motions: everybody, in the same frame.
        view: title, camera and descriptions.
        times: of all frames, seconds.
        video: for the header.
        start: the time that becomes 0, seconds.
        others: likewise as `video` for each of `view.views`.
    """
    second = _steps_a_second(times)
    arrays: list[tuple[str, np.ndarray, float]] = [("times", times - start, second)]
    people = []
    floors = _floors(motions)
    for motion, floor in zip(motions, floors, strict=True):
        number = motion.keypoints.person
        angles = view.angles.get(number)
        colors, fingers = person_colors(number), motion.placed_hands()
        people.append(
            {
                "id": number,
                "names": motion.skeleton.joints,
                "limbs": lines_of(motion.skeleton),
                "points": motion.keypoints.skeleton.joints,
                "lines": lines_of(motion.keypoints.skeleton),
                "body": body_of(motion.skeleton),
                "color": colors.middle,
                "angles": list(angles.names) if angles else [],
                "floor": floor,
                "start": start,
                "about": view.about.get(number, {}),
                "interval": median_interval(motion.timestamps) or 1 / 30,
                "hands": None
                if fingers is None
                else {"names": HANDS.joints, "lines": lines_of(HANDS), "body": body_of(HANDS)},
                "files": {ending: len(file) for ending, file in view.files.get(number, {}).items()},
            }
        )
        arrays += [
            ("times", motion.timestamps - start, second),
            ("joints", motion.joints, _METRES),
            ("root", motion.root, _METRES),
            ("interpolated", motion.interpolated, 1.0),
            # 1 where nobody was found, 2 where the joint is out of sight.
            ("guessed", motion.guessed().astype(int) + ~motion.in_sight(), 1.0),
            # As the npz has them: a page of a result is that of the run, byte for byte.
            ("keypoints", motion.keypoints.keypoints.astype(np.float32), _PIXELS),
            ("scores", motion.keypoints.scores.astype(np.float32), _SHARE),
            ("degrees", angles.degrees if angles else np.zeros((len(motion), 0)), _DEGREES),
        ]
        for place, other in enumerate(view.views, start=2):
            if (own := other.keypoints.get(number)) is not None:
                arrays += [(f"keypoints_{place}", own[..., :2], _PIXELS), (f"scores_{place}", own[..., 2], _SHARE)]
        if motion.uncertainty is not None:
            arrays.append(("uncertainty", motion.uncertainty, _METRES))
        if motion.contacts is not None:
            arrays.append(("contacts", motion.contacts, 1.0))
        if motion.hands is not None and fingers is not None:
            arrays += [
                ("fingers", fingers.reshape(len(motion), -1, 3), _METRES),
                ("finger_keypoints", motion.hands.keypoints.reshape(len(motion), -1, 2), _PIXELS),
                ("hand_scores", motion.hands.scores, _HAND_SCORE),
            ]
        arrays.append(("end", np.zeros(0), 1.0))
    header = {
        "title": view.title,
        "world": motions[0].frame == "world",
        "up": rotation_to_y_up(motions).tolist(),
        **_camera(view.camera),
        "video": video,
        "views": [
            {"name": other.name, **_camera(other.camera), "video": own}
            for other, own in zip(view.views, others, strict=True)
        ],
        "people": people,
        "arrays": [[name, list(values.shape), scale] for name, values, scale in arrays],
    }
    line = json.dumps(header, separators=(",", ":"), default=np.ndarray.tolist).encode() + b"\n"
    whole = line + b"".join(_pack(values, scale) for _, values, scale in arrays)
    whole += b"".join(file for motion in motions for file in view.files.get(motion.keypoints.person, {}).values())
    return base64.b64encode(gzip.compress(whole, 6, mtime=0)).decode()


def _camera(camera: Mapping[str, Any]) -> dict[str, Any]:
    """What the page's header says of a camera."""
    keys = ("K", "R", "t", "times", "distortion", "fisheye")
    return {
        "camera": {key: np.asarray(camera[key]).tolist() for key in keys if key in camera},
        "size": list(camera["image_size"]),
    }


def _steps_a_second(times: np.ndarray) -> float:
    """Time steps a second: microseconds, or as fine as int32 allows.

    The finest power of ten in which all times fit: 1e5 for hours of video.
    """
    return float(min(1e6, 10 ** np.floor(np.log10(-(_UNKNOWN + 1) / np.abs(times).max(initial=1.0)))))


def _pack(values: np.ndarray, scale: float) -> bytes:
    """int32 differences along the first axis, all lowest bytes first."""
    steps = np.nan_to_num(np.round(values.astype(np.float64) * scale), nan=_UNKNOWN)
    whole = steps.clip(_UNKNOWN, -_UNKNOWN - 1).astype(np.int32)
    # int32 wraps around here and again where the page adds up.
    changes = np.diff(whole, axis=0, prepend=np.zeros_like(whole[:1])).astype("<i4")
    # One joint after the other: the changes of one are alike.
    joints = np.ascontiguousarray(np.moveaxis(changes, 0, -1))
    return joints.view(np.uint8).reshape(-1, 4).T.tobytes()


def lines_of(skeleton: Skeleton) -> list[list[int]]:
    """Each line's four joints, two for each end, and its side.

    Each end is in the middle of two joints; 0, 1 left, 2 right.
    """
    limbs = limbs_of(skeleton)
    return [[*ends.ravel().tolist(), _SIDES[side]] for ends, side in zip(limbs.joints, limbs.sides, strict=True)]


def body_of(skeleton: Skeleton) -> dict[str, Any]:
    """A body's solid parts: limbs, radii, head and trunk.

    Limbs as in `lines_of` and the radii of both ends, points of the head. The feet that `BodyParts` draws for a
    skeleton without any are left out.
    """
    parts = parts_of(skeleton)
    head = parts.head_points()
    limbs = [
        [*ends.ravel().tolist(), _SIDES[side], *np.round(radii, 4).tolist()]
        for ends, side, radii in zip(parts.ends, parts.sides, parts.radii, strict=True)
        if ends.max() < len(skeleton) + len(head)
    ]
    return {"limbs": limbs, "head": head, "trunk": parts.trunk, "corner": float(np.mean(CORNERS))}


def _floors(motions: Sequence[Motion]) -> list[float]:
    """Height of the ground under each person, metres, Y up.

    It is the height after the rotation, 0 in the world frame.
    """
    if motions[0].frame == "world":
        return [0.0] * len(motions)
    return [-float(offset) for offset in Stage.fit(motions).offsets[:, 1]]
