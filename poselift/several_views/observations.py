"""What several views show of everybody, at shared times."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.geometry.camera import Camera
from poselift.lifting.prepare.lifter_joints import select_lifter_joints
from poselift.numerics.times import interpolate
from poselift.several_views.view import ViewClock
from poselift.skeleton import Skeleton
from poselift.structures import BRIDGE, Motion

TO_SPREAD = 2.5
"""Radius of the ball that holds a joint in 90 % of cases, over the standard deviation along each axis."""

_SLOPE = 0.02
"""Seconds before and after a time between which a keypoint's speed is measured."""


@dataclass(frozen=True)
class ViewTrack:
    """One number of one view, at the shared times.

    Attributes:
        plane: keypoints on the plane z = 1 of the view's lens, without distortion; NaN where unseen.
        flow: their change per second; 0 where unknown.
        scores: of the keypoints, 0 to 1; 0 where unseen.
        lifted: joints relative to the root, camera frame, metres; NaN where the view lacks the person.
        root: camera frame, metres; NaN likewise.
        spread: of the lifted joints, metres (standard deviation along each axis); NaN likewise.
    """

    plane: Float[np.ndarray, "t j 2"]
    flow: Float[np.ndarray, "t j 2"]
    scores: Float[np.ndarray, "t j"]
    lifted: Float[np.ndarray, "t j 3"]
    root: Float[np.ndarray, "t 3"]
    spread: Float[np.ndarray, "t j"]

    @property
    def present(self) -> Bool[np.ndarray, " t"]:
        """Times with a pose."""
        found: np.ndarray = np.isfinite(self.lifted).all((1, 2)) & np.isfinite(self.root).all(-1)
        return found


def sample_track(motion: Motion, camera: Camera, clock: ViewClock, times: Float[np.ndarray, " t"]) -> ViewTrack:
    """A motion and its keypoints at shared times.

    What no two neighbouring frames show is unseen.

    Args:
        motion: in the camera frame.
        camera: of the view.
        clock: of the view.
        times: on the shared clock, seconds, increasing.
    """
    own = clock.to_shared(motion.timestamps.astype(np.float64))
    pixels, scores = select_lifter_joints(motion.keypoints, motion.skeleton, motion.threshold, motion.pelvis)
    plane = camera.rays(pixels.astype(np.float64))[..., :2]
    scores = np.where(np.isfinite(plane).all(-1), scores, 0.0)
    # A quick detector does not look at each frame; the frames at which it looked are the neighbours.
    looked = motion.keypoints.seen
    looked = looked if looked.any() else np.ones(len(own), bool)

    def at(values: np.ndarray, wanted: np.ndarray, rows: Bool[np.ndarray, " n"] | slice = slice(None)) -> np.ndarray:
        known = own[rows]
        outside = (wanted < known[0] - 1e-6) | (wanted > known[-1] + 1e-6)
        found = np.array(interpolate(values[rows].astype(np.float64), known, wanted, BRIDGE))
        found[outside] = np.nan
        return found

    def seen_at(wanted: np.ndarray) -> np.ndarray:
        return at(plane, wanted, looked)

    placed, sure = seen_at(times), np.nan_to_num(at(scores, times, looked))
    shown = np.isfinite(placed).all(-1) & (sure > 0)
    flow = np.nan_to_num((seen_at(times + _SLOPE) - seen_at(times - _SLOPE)) / (2 * _SLOPE))
    spread = motion.uncertainty if motion.uncertainty is not None else np.full(motion.joints.shape[:2], 0.15)
    return ViewTrack(
        np.where(shown[..., None], placed, np.nan),
        np.where(shown[..., None], flow, 0.0),
        np.where(shown, sure, 0.0),
        at(motion.joints, times),
        at(motion.root, times),
        at(spread, times) / TO_SPREAD,
    )


@dataclass(frozen=True)
class Observations:
    """Keypoints and lifted poses of n samples in v views.

    Each sample is one person at one time.

    Attributes:
        plane: see `ViewTrack`, also for the arrays below.
        flow: see `ViewTrack`.
        scores: see `ViewTrack`.
        lifted: see `ViewTrack`.
        roots: see `ViewTrack`.
        spread: see `ViewTrack`.
        people: the person of each sample, from 0.
        times: of each sample, seconds.
        skeleton: of the joints.
    """

    plane: Float[np.ndarray, "v n j 2"]
    flow: Float[np.ndarray, "v n j 2"]
    scores: Float[np.ndarray, "v n j"]
    lifted: Float[np.ndarray, "v n j 3"]
    roots: Float[np.ndarray, "v n 3"]
    spread: Float[np.ndarray, "v n j"]
    people: Int[np.ndarray, " n"]
    times: Float[np.ndarray, " n"]
    skeleton: Skeleton

    def samples(self, rows: np.ndarray | slice) -> "Observations":
        """Some of the samples."""
        own = {name: getattr(self, name)[:, rows] for name in _ARRAYS}
        return replace(self, **own, people=self.people[rows], times=self.times[rows])

    def joints(self, rows: np.ndarray) -> "Observations":
        """Some of the joints, by index, as a skeleton without bones."""
        own = {name: getattr(self, name)[:, :, rows] for name in _ARRAYS if name != "roots"}
        names = tuple(self.skeleton.joints[row] for row in rows)
        return replace(self, **own, skeleton=Skeleton("shown", names, (None,) * len(names)))

    @property
    def visible(self) -> Bool[np.ndarray, "v n j"]:
        """Keypoints that are seen."""
        found: np.ndarray = np.isfinite(self.plane).all(-1) & (self.scores > 0)
        return found

    @property
    def present(self) -> Bool[np.ndarray, "v n"]:
        """Views that have a pose of a sample."""
        found: np.ndarray = np.isfinite(self.lifted).all((2, 3)) & np.isfinite(self.roots).all(-1)
        return found


_ARRAYS = ("plane", "flow", "scores", "lifted", "roots", "spread")


def gather(
    tracks: Sequence[Sequence[ViewTrack]],
    owners: Sequence[Int[np.ndarray, "t p"]],
    times: Float[np.ndarray, " t"],
    skeleton: Skeleton,
) -> Observations:
    """The samples of everybody at the shared times, person by person.

    Args:
        tracks: of each view.
        owners: for each view the index of each person's track at each time; -1 where the view lacks the person.
        times: seconds.
        skeleton: of the joints.
    """
    count, people, j = len(times), owners[0].shape[1], len(skeleton)
    shapes = {"plane": (j, 2), "flow": (j, 2), "scores": (j,), "lifted": (j, 3), "root": (3,), "spread": (j,)}
    arrays = {}
    for name, shape in shapes.items():
        fill = 0.0 if name in ("scores", "flow") else np.nan
        filled = np.full((len(tracks), people, count, *shape), fill)
        for view, (own, owner) in enumerate(zip(tracks, owners, strict=True)):
            for number, track in enumerate(own):
                for person in range(people):
                    rows = owner[:, person] == number
                    filled[view, person, rows] = getattr(track, name)[rows]
        arrays["roots" if name == "root" else name] = filled.reshape(len(tracks), people * count, *shape)
    return Observations(
        **arrays, people=np.repeat(np.arange(people), count), times=np.tile(times, people), skeleton=skeleton
    )
