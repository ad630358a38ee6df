"""Cameras from people: poses, lenses and clocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.geometry.camera import Camera
from poselift.several_views.bundle import Fit, adjust
from poselift.several_views.calibration_files import rotation_vector
from poselift.several_views.observations import Observations
from poselift.several_views.rods import rods_of
from poselift.several_views.shared_unknowns import Known, Shared, UnknownColumns
from poselift.several_views.view import ViewClock

SAMPLES = 160
"""Most samples for the cameras: more frames of one take hardly tell more, because their errors are alike."""

_ZOOM = 0.15
"""Standard deviation of the log of an unknown focal length over the assumed one: phones have 50 to 75 degrees."""

_LIFTS = 0.04
"""Weight of lifted poses beside keypoints. They are off by much the same from frame to frame."""

_ALIKE = 0.05
"""Distance of the joints of two lifted poses, metres, within which a detector errs alike."""

_OFTEN = 0.02
"""Share of the samples that must show a joint in two views, for the joint to count."""

_LEAST = 8
"""Fewest samples that two views must share."""


_FEW_PEOPLE = (1.61, 1.26, 1.16, 1.12)
"""Factor of the jackknife's standard deviation for 2, 3, 4 and 5 people: few differences tell a spread poorly. With it,
`TO_SPREAD` times the standard deviation holds 90 % of errors in three directions, by the F distribution with 3 degrees
of freedom, and 3 for each person after the first one. Over 63 pairs of virtual cameras with two people, each with
keypoints 20 mm aside for the take, 90 % are then within what is said, instead of 87 (by hand)."""

_ROUNDS, _REST_ROUNDS = 40, 8
"""Most steps for everybody, and from there for all but one person."""


@dataclass(frozen=True)
class Calibration:
    """A recording's cameras in the first one's frame, with their doubt.

    Attributes:
        cameras: with lens and pose.
        clocks: of each view.
        angle: standard deviation about each axis of each camera's rotation against the first one, radians. `TO_SPREAD`
            times as much held the error of 90 % of 60 pairs of virtual cameras around CMU's train people, and of 89 %
            of 19 around val people.
        place: likewise of its place, metres.
        size: standard deviation of the log of the size of everything.
        beside: median distance of joints from their rays in each view, metres.
        lengths: log of the length of each person's rods over the lifted one, on the mean.
        without: largest turn of a camera where each person is left out, radians; NaN where the others do not suffice.
    """

    cameras: tuple[Camera, ...]
    clocks: tuple[ViewClock, ...]
    angle: Float[np.ndarray, " v"]
    place: Float[np.ndarray, " v"]
    size: float
    beside: Float[np.ndarray, " v"]
    lengths: Float[np.ndarray, " p"]
    without: Float[np.ndarray, " p"]


def first_joints(
    seen: Observations, R: Float[np.ndarray, "v 3 3"], t: Float[np.ndarray, "v 3"]
) -> Float[np.ndarray, "n j 3"]:
    """Mean of the views' lifted joints; NaN where none has one. The frame is that of the cameras' poses."""
    placed = np.einsum("vik,vnjk->vnji", R, seen.lifted + seen.roots[:, :, None]) + t[:, None, None]
    there = seen.present[:, :, None, None]
    total = np.where(there, placed, 0.0).sum(0)
    count = there.sum(0)
    mean: np.ndarray = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return mean


def lifted_lengths(seen: Observations) -> Float[np.ndarray, "p b"]:
    """Log of each person's median rod lengths, in all views."""
    lengths = np.linalg.norm(rods_of(seen.skeleton).vectors(seen.lifted), axis=-1)
    found = np.full((int(seen.people.max()) + 1, lengths.shape[-1]), np.nan)
    for person in range(len(found)):
        own = lengths[:, seen.people == person].reshape(-1, lengths.shape[-1])
        own = own[np.isfinite(own).all(-1)]
        if len(own):
            found[person] = np.median(own, axis=0)
    # Somebody whom no view has lifted is as large as the others.
    known = found[np.isfinite(found).all(-1)]
    mean = known.mean(0) if len(known) else np.full(lengths.shape[-1], 0.3)
    return np.log(np.maximum(np.where(np.isfinite(found), found, mean), 1e-3))


def choose_samples(seen: Observations) -> np.ndarray:
    """Samples over the whole take that most keypoints show. Each is seen in at least two views."""
    shown = seen.visible.sum((0, 2)) * (seen.present.sum(0) >= 2)
    rows = np.flatnonzero(shown > 0)
    if len(rows) <= SAMPLES:
        return rows
    parts = np.array_split(rows, SAMPLES)
    return np.array([part[shown[part].argmax()] for part in parts])


def weigh_samples(seen: Observations) -> Float[np.ndarray, " n"]:
    """Each sample's weight: one over the count of alike poses.

    A detector errs alike where a pose is alike, so a person who stands still for 100 frames tells as much of the
    cameras as one frame does.

    Args:
        seen: the samples.
    """
    weights = np.ones(len(seen.people))
    present = seen.present
    poses = np.where(present[:, :, None, None], seen.lifted, 0.0)
    for person in np.unique(seen.people):
        rows = np.flatnonzero(seen.people == person)
        total, count = np.zeros((len(rows), len(rows))), np.zeros((len(rows), len(rows)))
        for own, here in zip(poses[:, rows].reshape(len(poses), len(rows), -1), present[:, rows], strict=True):
            both = here[:, None] & here[None]
            squares = (own**2).sum(-1)
            apart = squares[:, None] + squares[None] - 2 * own @ own.T
            total += np.where(both, np.maximum(apart, 0.0) / len(seen.skeleton), 0.0)
            count += both
        apart = np.where(count > 0, total / np.maximum(count, 1), np.inf)
        np.fill_diagonal(apart, 0.0)
        weights[rows] = 1 / np.exp(-0.5 * apart / _ALIKE**2).sum(1)
    return weights


def calibrate(
    seen: Observations,
    cameras: Sequence[Camera],
    clocks: Sequence[ViewClock],
    R: Float[np.ndarray, "v 3 3"],
    t: Float[np.ndarray, "v 3"],
    sizes: Sequence[float],
    fixed: bool = False,
) -> Calibration:
    """Lenses, poses and clocks of the cameras, from people seen.

    Args:
        seen: everybody at all times.
        cameras: with the first lens of each view; an assumed focal length is refined.
        clocks: of each view.
        R: first guess of the rotations to the frame of the first view.
        t: likewise of the places, metres.
        sizes: standard deviation of log(true size / lifted size) of each person.
        fixed: whether lenses and poses are known, so that only the clocks are found.

    Raises:
        InputError: too few samples are seen by two views.
    """
    rows = choose_samples(seen)
    if len(rows) < _LEAST:
        raise InputError(
            f"only {len(rows)} frames show somebody in two videos at once; give longer videos of the same moment, or "
            "--offsets if their common time is wrong"
        )
    chosen = seen.samples(rows)
    often = (chosen.visible.sum(0) >= 2).mean(0) >= _OFTEN
    if often.sum() < 4:
        raise InputError("no four joints are seen by two cameras at once; give videos that show the same body parts")
    # A skeleton has both sides of a joint.
    often |= often[list(chosen.skeleton.flip_indices)]
    kept = np.flatnonzero(often)
    chosen = chosen.joints(kept)
    rods = rods_of(chosen.skeleton)
    lifted = lifted_lengths(seen.joints(kept))
    free = np.full(len(cameras), not fixed)
    free[0] = False
    known = Known(
        lengths=lifted,
        size=np.array(sizes),
        zoom=np.array([_ZOOM if camera.origin == "assumed" and not fixed else 0.0 for camera in cameras]),
        cameras=free,
        late=np.array([0.0, *(clock.spread for clock in clocks[1:])]),
    )
    count = len(cameras)
    start = Shared(R, t, np.zeros(count), lifted, np.zeros(count))
    weights = weigh_samples(chosen)

    def solve(rows: np.ndarray, joints: np.ndarray, start: Shared, rounds: int) -> Fit:
        return adjust(chosen.samples(rows), joints[rows], start, known, rods, rounds, _LIFTS, weights[rows])

    fit = solve(np.arange(len(rows)), first_joints(chosen, R, t), start, _ROUNDS)
    others = {}
    for person in range(0 if fixed else len(lifted)):
        rest = np.flatnonzero(chosen.people != person)
        if len(rest) < len(chosen.people) and _suffice(chosen.samples(rest)):
            others[person] = solve(rest, fit.joints, fit.shared, _REST_ROUNDS).shared
    return _describe(fit, others, known, cameras, clocks)


def _suffice(seen: Observations) -> bool:
    """Whether each view shares enough samples with another one."""
    shared = seen.present & (seen.present.sum(0) >= 2)
    return bool((shared.sum(1) >= _LEAST).all())


def _describe(
    fit: Fit, others: Mapping[int, Shared], known: Known, cameras: Sequence[Camera], clocks: Sequence[ViewClock]
) -> Calibration:
    """The calibration of a fit, and of fits that lack one person.

    The spread of these is the jackknife's (Efron, "The jackknife, the bootstrap and other resampling plans", 1982). It
    knows what no covariance does: a detector errs alike on one person for a whole take.
    """
    layout, shared = UnknownColumns(known), fit.shared
    # Weights of alike poses leave about as many keypoints as have independent errors.
    covariance = fit.covariance
    found, late, angle, place = [], [], [], []
    for view, (camera, clock) in enumerate(zip(cameras, clocks, strict=True)):
        K = camera.K.astype(np.float64).copy()
        K[0, :2] *= np.exp(shared.zoom[view]) if known.zoom[view] > 0 else 1.0
        K[1, 1] *= np.exp(shared.zoom[view]) if known.zoom[view] > 0 else 1.0
        found.append(replace(camera, K=K, R=shared.R[view], t=shared.t[view]))
        late.append(replace(clock, offset=clock.offset - float(shared.late[view])))
        pose = layout.pose(view)
        spread = np.zeros(6) if pose is None else np.sqrt(np.maximum(np.diag(covariance)[pose], 0.0))
        turns = [rotation_vector(shared.R[view].T @ other.R[view]) for other in others.values()]
        moves = [other.t[view] - shared.t[view] for other in others.values()]
        angle.append(max(float(np.linalg.norm(spread[:3])), _jackknife(turns)) / np.sqrt(3))
        place.append(max(float(np.linalg.norm(spread[3:])), _jackknife(moves)) / np.sqrt(3))
    bodies = [layout.body(person) for person in range(layout.people)]
    sizes = [covariance[body, body].mean() for body in bodies]
    beside = np.array([np.nanmedian(own) if np.isfinite(own).any() else np.nan for own in fit.beside])
    grown = (shared.lengths - known.lengths).mean(1)
    size = min(float(np.sqrt(max(min(sizes), 0.0))), float(known.size.max()))
    without = np.full(layout.people, np.nan)
    for person, other in others.items():
        without[person] = max(
            np.linalg.norm(rotation_vector(shared.R[view].T @ other.R[view])) for view in range(len(cameras))
        )
    return Calibration(tuple(found), tuple(late), np.array(angle), np.array(place), size, beside, grown, without)


def _jackknife(values: Sequence[np.ndarray]) -> float:
    """Standard deviation of a vector by the jackknife; 0 below two groups.

    The values are those where each group of data is left out.
    """
    if len(values) < 2:
        return 0.0
    people = len(values)
    off = np.stack(values) - np.mean(values, axis=0)
    factor = _FEW_PEOPLE[min(people - 2, len(_FEW_PEOPLE) - 1)]
    return factor * float(np.sqrt((people - 1) / people * (off**2).sum()))
