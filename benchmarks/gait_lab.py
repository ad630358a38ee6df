"""Errors of angles, gait events and steps against a gait laboratory's: Plug-in Gait and force plates.

    python -m benchmarks.gait_lab --children children50.npz [--split val] [--noise det|white|none]

The file has children who walk straight and with a turn: joint centres, the angles of Plug-in Gait, and strikes and
toe-offs of force plates (McGill MOTION Lab's biomechzoo, MIT licence; the arrays of `cmu50.npz` and `height`, `angles`,
`angle_names`, `event_clip`, `event`, `event_time`). What is chosen is chosen on the people of `train`; `val` is
reported.

Four level cameras of 60 degrees see each walk from ahead, at 45 degrees, from the side and from behind, with
detector-like 2D as in training (det), with white noise of 1 % of the height (white), or exactly (none). Each is lifted
as `poselift lift --world` does, from COCO-17 and with feet (halpe26), and with and without the height. Angles are those
of `poselift measure`, then those of `poselift measure --plug-in-gait`. Spine and thorax are not known, nose, eyes and
ears are placed on the head as for the CMU corpus.

First table: each angle less Plug-in Gait's. `bias` is the mean over all frames; then, by view, the mean and the
standard deviation of the frames about the means of their walk, view and side, and these of the straight walks from the
side; `between` is that of those means, `within` that of all frames about them; `size` the mean size of the error; `±`
the median half-width of the 90 % interval, and `inside` the share of the values that lie in it. `exact` has the angles
of the exact joints instead, where spine and thorax count nothing. Second table: events, steps and stance by view.

The file passes 300 lines with the walks, the cameras and the tables of one benchmark.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.gait import Events, differences, events_of, spread, stances
from poselift.core.errors import InputError
from poselift.data.cmu import load_cmu
from poselift.data.cmu_asf import FACE
from poselift.data.noise import DetectorNoise, detect
from poselift.data.reading import load_arrays
from poselift.data.views import View
from poselift.geometry import project
from poselift.kinematics import (
    Angles,
    add_uncertainty,
    as_plug_in_gait,
    measure_gait,
    measure_joint_angles,
    measure_segment_angles,
    turn_legs_to_picture,
)
from poselift.kinematics.height import take_height
from poselift.kinematics.plug_in_gait import side_view
from poselift.lifting import lift_view, to_world
from poselift.lifting.dataset_views import camera_of
from poselift.models import Weights, load_weights
from poselift.skeleton import CMU28
from poselift.skeleton.skeleton import strip_side
from poselift.structures import FEET, Keypoints2D, Motion

Part = tuple[str, bool, np.ndarray]
"""The view of a walk, whether it is straight, and values of its frames."""

NOISES = ("det", "white", "none")
"""Of the 2D: a detector's as in training, white noise, or exact projections."""

_WHITE = 0.01
"""Standard deviation of the white noise along each axis, as a share of the height in the picture."""

AZIMUTHS = {"front": 0.0, "oblique": 45.0, "side": 90.0, "back": 180.0}
"""Degrees from the way ahead to the camera, about the vertical."""

_FOV, _SIZE = 60.0, (1920, 1080)
"""Of the cameras: degrees across the longer side, and pixels."""

_HEIGHT, _DISTANCE = 1.1, 3.5
"""Of the cameras over the ground and from the nearest place of the person, metres."""

_HEAD = 0.2
"""Metres from `neck_base` to `head_top` where a walk does not show it; it then lies along the trunk."""

_SAME = 0.2
"""Seconds within which two steps are the same."""

_COURSE = ("view", "walks", "events", "missed", "extra", "strike ms", "toe-off ms", "step, share", "stance, points")

_ANGLES = {
    "hip_flexion": ("HipAngles", 0, 1),
    "hip_adduction": ("HipAngles", 1, 1),
    "knee_flexion": ("KneeAngles", 0, 1),
    "ankle_dorsiflexion": ("AnkleAngles", 0, 1),
    "pelvis_tilt": ("LPelvisAngles", 0, 1),
    "pelvis_list": ("LPelvisAngles", 1, 1),
    "trunk_lean_ahead": ("LThoraxAngles", 0, 1),
    "elbow_flexion": ("ElbowAngles", 0, 1),
}
"""Name, component and sign of Plug-in Gait's angle for each of ours; names without an L are of the angle's side. Those
with an L are about the axes of the laboratory, so they are a person's own only in straight walks."""


@dataclass(frozen=True)
class Walk:
    """A walk with the laboratory's own measurements.

    Attributes:
        name: of the clip.
        straight: whether its events are complete.
        height: of the person, metres.
        motion: exact, in the world; spine and thorax lie on the line from pelvis to neck.
        angles: Plug-in Gait's, degrees, by our name.
        events: of the force plates and markers.
    """

    name: str
    straight: bool
    height: float
    motion: Motion
    angles: dict[str, Float[np.ndarray, " t"]]
    events: Events


def walks(path: Path, split: str) -> list[Walk]:
    """The walks of a split.

    Raises:
        InputError: the file is missing or malformed, or has no such split.
    """
    shapes: dict[str, tuple[int | None, ...]] = {
        "clip_start": (None,),
        "split": (None,),
        "action": (None,),
        "height": (None,),
        "angles": (None, None, 3),
        "angle_names": (None,),
        "event_clip": (None,),
        "event": (None,),
        "event_time": (None,),
    }
    arrays = load_arrays(path, shapes, "give children50.npz as --children")
    corpus = load_cmu(path, split)
    numbers = np.flatnonzero(arrays["split"] == split).tolist()
    named = arrays["angle_names"].tolist()
    found = []
    for place, clip in enumerate(numbers):
        if not arrays["action"][clip].startswith("walking"):
            continue
        joints, root = (values.double().numpy() for values in corpus.clip(place))
        lab = arrays["angles"][slice(*arrays["clip_start"][clip : clip + 2])]
        straight = arrays["action"][clip] == "walking straight"
        angles = {}
        for name, (own, component, sign) in _ANGLES.items():
            for side in ("left", "right"):
                if own.startswith("L") and not straight:
                    continue
                angle = name if own.startswith("L") else f"{side}_{name}"
                column = named.index(own if own.startswith("L") else f"{side[0].upper()}{own}")
                angles[angle] = sign * lab[:, column, component].astype(np.float64)
        rows = arrays["event_clip"] == clip
        pairs = list(zip(arrays["event"][rows], arrays["event_time"][rows].astype(float), strict=True))
        events = {
            (foot, kind): np.array(sorted(time for name, time in pairs if name == f"{side[0]}_foot_{word}"))
            for foot, side in enumerate(FEET)
            for kind, word in (("strike", "strike"), ("toe-off", "off"))
        }
        times = np.arange(len(joints)) / corpus.fps
        motion = _motion(with_head_and_back(joints), root, times)
        found.append(Walk(corpus.names[place], straight, float(arrays["height"][clip]), motion, angles, events))
    if not found:
        raise InputError(f"{path} has no walk of split {split!r}; choose train or val")
    return found


def _motion(joints: np.ndarray, root: np.ndarray, times: np.ndarray) -> Motion:
    """An exact motion in the world."""
    shape = joints.shape[:2]
    keypoints = Keypoints2D(np.full((*shape, 2), 9.0), np.ones(shape), times, CMU28, _SIZE)
    return Motion(joints, root, times, np.zeros(len(times), bool), CMU28, "world", keypoints)


def with_head_and_back(joints: Float[np.ndarray, "t 28 3"]) -> Float[np.ndarray, "t 28 3"]:
    """The joints with a face of average size, a straight back from pelvis to neck, and a head in every frame."""
    out, index = joints.copy(), CMU28.index
    pelvis, neck, top = (joints[:, index(name)] for name in ("pelvis", "neck_base", "head_top"))
    for name, share in (("spine", 0.25), ("thorax", 0.55)):
        out[:, index(name)] = pelvis + share * (neck - pelvis)
    length = np.nanmedian(np.linalg.norm(top - neck, axis=-1)) if np.isfinite(top).any() else _HEAD
    trunk = neck - pelvis
    straight = length * trunk / np.linalg.norm(trunk, axis=-1, keepdims=True)
    up = np.where(np.isfinite(top), top - neck, straight)
    out[:, index("head_top")] = neck + up
    left = joints[:, index("left_shoulder")] - joints[:, index("right_shoulder")]
    ahead = np.cross(left, up)
    ahead /= np.linalg.norm(ahead, axis=-1, keepdims=True)
    across = np.cross(up, ahead)
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    for name, (to_left, share, to_front) in FACE.items():
        out[:, index(name)] = neck + to_left * across + share * up + to_front * ahead
    return out


def see(walk: Walk, azimuth: float, seed: int, noise: str = "det") -> tuple[View, np.ndarray]:
    """The walk in a level camera with a kind of noise of `NOISES`, and the rotation from its world to the camera."""
    motion, index = walk.motion, CMU28.index
    hips = motion.joints[:, index("left_hip")] - motion.joints[:, index("right_hip")]
    first = hips[: len(hips) // 3].mean(0)
    heading = np.arctan2(-first[2], first[0])  # of the way ahead, from +z to +x
    turned = heading + np.radians(azimuth)
    towards = np.array([np.sin(turned), 0.0, np.cos(turned)])
    centre = (motion.root.min(0) + motion.root.max(0)) / 2
    reach = np.max((motion.root - centre) @ towards)
    sideways = np.max(np.abs((motion.root - centre) @ np.cross([0.0, 1.0, 0.0], towards)))
    distance = max(_DISTANCE + reach, (sideways + 0.8) / np.tan(np.radians(_FOV / 2)) + reach)
    place = centre + distance * towards
    place[1] = _HEIGHT
    R = np.stack([np.cross(-towards, [0.0, 1.0, 0.0]), [0.0, -1.0, 0.0], -towards])
    focal = 0.5 * _SIZE[0] / np.tan(np.radians(_FOV / 2))
    K = torch.tensor([[focal, 0, _SIZE[0] / 2], [0, focal, _SIZE[1] / 2], [0, 0, 1]], dtype=torch.float32)
    joints = torch.from_numpy(motion.joints @ R.T).float()
    root = torch.from_numpy((motion.root - place) @ R.T).float()
    points = (joints + root[:, None]).reshape(-1, 3)
    pixels = project(points, K).view(1, len(joints), -1, 2)
    times, size = torch.from_numpy(motion.timestamps).float(), torch.tensor(_SIZE).float()
    generator = torch.Generator().manual_seed(seed)
    if noise == "det":
        keypoints, scores = detect(pixels, times[None], size[None], DetectorNoise(), generator)
    else:
        sigma = (_WHITE if noise == "white" else 0.0) * walk.height * focal / root[:, 2]
        errors = sigma[:, None, None] * torch.randn(pixels.shape[1:], generator=generator)
        keypoints, scores = pixels + errors, torch.ones(pixels.shape[:-1])
    view = View(walk.name, "", keypoints[0], scores[0], times, K, size, joints, root)
    return view, R


@dataclass(frozen=True)
class Lifted:
    """A lifted view of a walk.

    Attributes:
        walk: the true one.
        view: of `AZIMUTHS`.
        world: the motion in the world.
        seen: the same with legs turned to the picture, of which the angles are.
    """

    walk: Walk
    view: str
    world: Motion
    seen: Motion


def lifted(
    found: Sequence[Walk],
    weights: Weights,
    skeleton: str,
    known_height: bool,
    noise: str = "det",
    take: int = 0,
) -> Iterator[Lifted]:
    """Each walk in each view, as `poselift lift --world` gives it; each take has other noise."""
    for number, walk in enumerate(found):
        for place, (name, azimuth) in enumerate(AZIMUTHS.items()):
            view = see(walk, azimuth, 1000 * take + 10 * number + place, noise)[0].show(skeleton, "det")
            motion = take_height(lift_view(view, weights), walk.height if known_height else None)
            world = to_world([motion], camera_of(view))
            yield Lifted(walk, name, world.motions[0], turn_legs_to_picture(world.motions[0], world.camera))


def uncertain_angles(motion: Motion) -> list[Angles]:
    """Joint angles and those of segments, with their uncertainty."""
    measures: tuple[Callable[[Motion], Angles], ...] = (measure_joint_angles, measure_segment_angles)
    return [add_uncertainty(angles_of, motion) for angles_of in measures]


def angle_errors(
    walk: Walk, motion: Motion, angles: Sequence[Angles]
) -> Iterator[tuple[str, Float[np.ndarray, "t 3"]]]:
    """Each angle's name without side; error and half-width of its known frames, degrees, and how far from the side."""
    for own in angles:
        half = np.full_like(own.degrees, np.nan) if own.uncertainty is None else own.uncertainty
        for column, name in enumerate(own.names):
            if name in walk.angles:
                kind = strip_side(name)
                errors = own.degrees[:, column] - walk.angles[name]
                errors -= 360 * np.round(errors / 360)
                yield kind, np.stack([errors, half[:, column], side_view(motion)], 1)[np.isfinite(errors)]


def angle_rows(found: dict[str, list[Part]]) -> Iterator[list[str]]:
    """The cells of each angle, from the values of each walk."""
    for name in _ANGLES:
        parts = [part for part in found.get(name, []) if len(part[-1])]
        if not parts:
            continue
        every = np.concatenate([values for *_, values in parts])
        bias = every[:, 0].mean()
        by_view = []
        for view in AZIMUTHS:
            own = [values[:, 0] for place, _, values in parts if place == view]
            by_view.append(_spread(own) if own else "-")
        own = [values[:, 0] for place, straight, values in parts if place == "side" and straight]
        by_view.append(_spread(own) if own else "-")
        means = [values[:, 0].mean() for *_, values in parts]
        within = np.concatenate([values[:, 0] - values[:, 0].mean() for *_, values in parts])
        half, size = float(np.median(every[:, 1])), np.abs(every[:, 0])
        shown = [f"{bias:+.1f}", *by_view, f"{np.std(means):.1f}", f"{within.std():.1f}", f"{size.mean():.1f}"]
        share = f"{100 * (size <= every[:, 1]).mean():.0f}"
        yield [name.replace("_", " "), *shown, *([f"{half:.0f}", share] if np.isfinite(half) else 2 * ["-"])]


def _spread(walks_of: Sequence[np.ndarray]) -> str:
    """Mean, and standard deviation of the values about the mean of each walk."""
    within = np.concatenate([values - values.mean() for values in walks_of])
    return f"{np.concatenate(walks_of).mean():+.1f} ± {within.std():.1f}"


def true_steps(walk: Walk) -> list[tuple[int, float, float]]:
    """Foot, time and length of each step between true strikes, by the exact ankles, metres ahead."""
    motion = walk.motion
    places = motion.joints + motion.root[:, None]
    strikes = sorted((time, foot) for foot in range(2) for time in walk.events[foot, "strike"])
    out = []
    for (start, other), (end, foot) in pairwise(strikes):
        if foot != other and end - start < 1.5 and start >= 0 and end <= motion.timestamps[-1]:
            ankles = [CMU28.index(f"{FEET[each].removesuffix('_foot')}_ankle") for each in (other, foot)]
            at = [
                np.array([np.interp(time, motion.timestamps, column) for column in places[:, ankle].T])
                for time, ankle in zip((start, end), ankles, strict=True)
            ]
            out.append((foot, end, float(np.hypot(*(at[1] - at[0])[[0, 2]]))))
    return out


class Course:
    """Events, steps and stance of lifted walks, beside the true ones."""

    def __init__(self) -> None:
        self._views = self._true = self._extra = 0
        self._apart: dict[str, list[float]] = {"strike": [], "toe-off": []}
        self._lengths: list[float] = []
        self._stance: list[tuple[float, float]] = []

    def add(self, walk: Walk, motion: Motion) -> None:
        """Adds a walk."""
        gait, steps = measure_gait(motion), true_steps(walk)
        own = events_of(gait)
        self._views += 1
        first, last = motion.timestamps[motion.posed][[0, -1]]
        for kind, away in self._apart.items():
            near = differences(own, walk.events, kind)
            away += near
            if walk.straight:
                self._extra += sum(len(own[foot, kind]) for foot in range(2)) - len(near)
        self._true += sum(((first < times) & (times < last)).sum() for times in walk.events.values())
        for foot, end, length in steps:
            same = [step.length for step in gait.steps if step.foot == foot and abs(step.end - end) < _SAME]
            self._lengths += [found / length for found in same[:1] if np.isfinite(found)]
        if (found := stances(own)) and (true := stances(walk.events)):
            self._stance.append((float(np.mean(found)), float(np.mean(true))))

    def cells(self) -> list[str]:
        """Of the table."""
        same = sum(map(len, self._apart.values()))
        lengths, stance = np.array(self._lengths), 100 * np.array(self._stance).reshape(-1, 2)
        return [
            *map(str, (self._views, same, self._true - same, self._extra)),
            *map(spread, self._apart.values()),
            f"{lengths.mean():.2f} ± {lengths.std():.2f}" if len(lengths) else "-",
            f"{-np.diff(stance).mean():+.1f} ± {np.diff(stance).std():.1f}" if len(stance) else "-",
        ]


def course_rows(courses: dict[str, Course]) -> Iterator[list[str]]:
    """The cells of each view."""
    for name, course in courses.items():
        yield [name, *course.cells()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables."""
    parser = command_line(__doc__)
    parser.add_argument("--children", type=Path, required=True, metavar="FILE", help="children50.npz")
    parser.add_argument("--split", choices=["train", "val"], default="val", help="default val")
    parser.add_argument("--weights", default="small", metavar="NAME|FILE", help="default small")
    parser.add_argument("--skeletons", nargs="+", default=["coco17", "halpe26"], help="of the 2D; default both")
    parser.add_argument("--noise", choices=NOISES, default="det", help="of the 2D; default det")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        found, weights = walks(options.children, options.split), load_weights(options.weights)
        parts: dict[str, list[Part]] = defaultdict(list)
        course = Course()
        for walk in found:
            exact = measure_joint_angles(walk.motion), measure_segment_angles(walk.motion)
            for name, values in angle_errors(walk, walk.motion, exact):
                parts[name].append(("exact", walk.straight, values))
            course.add(walk, walk.motion)
        _print_angles(parts, f"Exact joints, {options.split}")
        print_table(_COURSE, course_rows({"exact": course}), "Events and steps of the exact joints")
        for skeleton in options.skeletons:
            for known in (False, True):
                tables: tuple[dict[str, list[Part]], ...] = (defaultdict(list), defaultdict(list))
                courses = {name: Course() for name in (*AZIMUTHS, "all")}
                for each in lifted(found, weights, skeleton, known, options.noise):
                    own = uncertain_angles(each.seen)
                    for parts, angles in zip(
                        tables, (own, [as_plug_in_gait(one, each.seen) for one in own]), strict=True
                    ):
                        for name, values in angle_errors(each.walk, each.seen, angles):
                            parts[name].append((each.view, each.walk.straight, values))
                    for name in (each.view, "all"):
                        courses[name].add(each.walk, each.world)
                size = "given" if known else "unknown"
                title = f"`{weights.name}`, {skeleton}, {options.split}, 2D {options.noise}, height {size}"
                _print_angles(tables[0], title)
                _print_angles(tables[1], f"{title}, as Plug-in Gait")
                print_table(_COURSE, course_rows(courses), f"Events and steps: {title}")


def _print_angles(parts: dict[str, list[Part]], title: str) -> None:
    heads = [
        "angle",
        "bias °",
        *(f"{view} °" for view in AZIMUTHS),
        "side, straight °",
        "between °",
        "within °",
        "size °",
        "± 90 % °",
        "inside %",
    ]
    print_table(heads, angle_rows(parts), title)


if __name__ == "__main__":
    main()
