"""From several views' people to motions and cameras, step by step.

Clocks, who is who, cameras, joints, ground. Each step is a function of its own module; here is their order.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.geometry.camera import Camera
from poselift.kinematics.child_proportions import is_childlike
from poselift.kinematics.height import height_of
from poselift.kinematics.whole_body import CHILD_SIZE, SIZE
from poselift.numerics.times import median_interval
from poselift.several_views.calibration import Calibration, calibrate
from poselift.several_views.common_world import final_height, in_own_world, in_world, take_heights
from poselift.several_views.earlier_result import CameraUncertainty, of_a_board
from poselift.several_views.fusion import Fused, fuse, swap_sides
from poselift.several_views.joined_motions import make_motions, own_keypoints
from poselift.several_views.movement import shift_by_movement
from poselift.several_views.observations import Observations, ViewTrack, gather, sample_track
from poselift.several_views.report import Report, write_report
from poselift.several_views.view import LiftedView, ViewClock
from poselift.several_views.view_checks import check_common, check_pairings, check_views, describe_swaps
from poselift.several_views.who_is_who import People, find_people
from poselift.structures import Keypoints2D, Motion

_LATE_ROUNDS, _ON_TIME = 3, 0.003
"""Most times that the clocks are refined, and seconds from which that changes nothing."""

_LEAST_SPREAD, _SPREAD_FACTOR = 0.02, 2.0
"""Seconds, and factor, of a clock that movement tells: parts of one take err alike."""

_UNSURE_CLOCK = 0.04
"""Seconds of spread from which a clock is doubted."""


_GIVEN_HEIGHT = 0.01
"""Standard deviation of the log of the size of a body whose height is given."""


@dataclass(frozen=True)
class Reconstruction:
    """One motion of each person, and the cameras.

    Attributes:
        people: in the world, or in the frame of the first camera.
        cameras: with poses in the same frame.
        clocks: of the views against the first one.
        report: of the calibration.
        warnings: what is doubtful, one line each.
        up_uncertainty: standard deviation of the direction of up, radians; None in the camera frame.
        tracks: for each view the numbers of its people that each person had there.
        keypoints: for each view everybody's own keypoints there, by the number of the person, at the shared times.
    """

    people: tuple[Motion, ...]
    cameras: tuple[Camera, ...]
    clocks: tuple[ViewClock, ...]
    report: Report
    warnings: tuple[Caution, ...]
    up_uncertainty: float | None
    tracks: tuple[Mapping[int, tuple[int, ...]], ...]
    keypoints: tuple[Mapping[int, Keypoints2D], ...] = ()


def reconstruct(
    views: Sequence[LiftedView],
    *,
    clocks: Sequence[ViewClock] | None = None,
    calibrated: bool = False,
    uncertainty: CameraUncertainty | None = None,
    world: bool = True,
    heights: Mapping[int, float] | float | None = None,
    own_world: bool = False,
) -> Reconstruction:
    """One 3D motion of everybody in several videos of the same moment.

    Args:
        views: two to eight, the first of which has the clock; their motions have the heights that are given.
        clocks: of the views; found from movement where None.
        calibrated: whether the views' cameras have poses, in one world and in metres.
        uncertainty: of calibrated cameras; as of a board if None.
        world: whether the result is in the world, Y up from the ground; if not, in the frame of the first camera.
        heights: standing height of everybody, metres, or by the person's number in the first video.
        own_world: whether the result lies in the world of the calibration, turned so that Y is up.

    Raises:
        InputError: the views do not show the same people at the same time, or a view shows nobody.
    """
    check_views(views)
    warnings: list[Caution] = []
    found = list(clocks) if clocks is not None else _find_clocks(views, warnings)
    warnings += check_common(views, found)
    lenses = [replace(view.camera, name=view.camera.name or view.name) for view in views]
    times = _shared_times(views, found)
    skeleton = views[0].people[0].skeleton

    def sample(clocks: Sequence[ViewClock], cameras: Sequence[Camera]) -> list[list[ViewTrack]]:
        return [
            [sample_track(motion, camera, clock, times) for motion in view.people]
            for view, camera, clock in zip(views, cameras, clocks, strict=True)
        ]

    tracks = sample(found, lenses)
    poses = (np.stack([lens.R for lens in lenses]), np.stack([lens.t for lens in lenses])) if calibrated else None
    people = find_people(tracks, times, poses)
    check_pairings(views, people, tracks, lenses, warnings, calibrated)
    given = [height_of(number or 0, heights) for number in _first_numbers(people.owners[0], views[0])]
    seen = gather(tracks, people.owners, times, skeleton)
    # Known cameras stay; how their videos stand in time is found all the same, unless it is given or heard.
    if not calibrated or any(clock.origin == "movement" for clock in found):
        sizes = [_size_spread(views, people, person, height) for person, height in enumerate(given)]
        R, t = (people.R, people.t) if poses is None else poses
        calibration = calibrate(seen, lenses, found, R, t, sizes, fixed=calibrated)
        for _ in range(_LATE_ROUNDS):
            late = max(abs(new.offset - old.offset) for new, old in zip(calibration.clocks, found, strict=True))
            found = list(calibration.clocks)
            if late < _ON_TIME:
                break
            seen = gather(sample(found, lenses), people.owners, times, skeleton)
            R = np.stack([camera.R for camera in calibration.cameras])
            t = np.stack([camera.t for camera in calibration.cameras])
            calibration = calibrate(seen, lenses, found, R, t, sizes, fixed=calibrated)
        found = list(calibration.clocks)
    if calibrated:
        calibration = _known(seen, lenses, found, uncertainty or of_a_board(len(lenses)))
    cameras = calibration.cameras
    seen = gather(sample(calibration.clocks, cameras), people.owners, times, skeleton)
    fused = fuse(seen, cameras, calibration.size)
    turned, exchanged = swap_sides(seen, fused, cameras)
    if exchanged:
        seen, fused = turned, fuse(turned, cameras, calibration.size)
    report = write_report(seen, fused, calibration, people, [camera.name for camera in cameras], calibrated)
    warnings += [Caution(text, "camera") for text in report.doubts]
    warnings += describe_swaps(views, people)
    given_cameras = cameras
    if calibrated:
        # The first camera's frame, from which the ground is found.
        fused, cameras = _in_first_frame(fused, cameras)
    keypoints = tuple(own_keypoints(seen, view, camera, times) for view, camera in enumerate(cameras))
    motions = make_motions(seen, fused, cameras[0], views[0], times, calibration)
    if not motions:
        raise InputError("nobody is left in all videos together; look at each video with poselift lift")
    motions, cameras = take_heights(motions, cameras, given, calibrated)
    motions = [
        replace(motion, height=final_height(motion, height, calibration))
        for motion, height in zip(motions, given, strict=False)
    ]
    up = None
    if own_world:
        motions, cameras = in_own_world(motions, given_cameras)
    elif world:
        motions, cameras, up, feet_seen = in_world(motions, cameras)
        if not feet_seen:
            warnings.append(
                Caution("no feet were seen: up and the ground are guessed from usual camera poses", "ground")
            )
    numbers = tuple(_numbers(owner, view) for owner, view in zip(people.owners, views, strict=True))
    return Reconstruction(
        tuple(motions), tuple(cameras), calibration.clocks, report, tuple(warnings), up, numbers, keypoints
    )


def _find_clocks(views: Sequence[LiftedView], warnings: list[Caution]) -> list[ViewClock]:
    """The clocks by movement, against the first view."""
    clocks = [ViewClock()]
    for view in views[1:]:
        shift = shift_by_movement(views[0].people, view.people)
        if shift is None:
            raise InputError(
                f"{views[0].name} and {view.name} have no second with people in common; give videos of the same "
                "moment, or --offsets"
            )
        spread = max(_SPREAD_FACTOR * shift.spread, _LEAST_SPREAD)
        clocks.append(ViewClock(shift.offset, 0.0, spread, "movement"))
        if shift.spread > _UNSURE_CLOCK:
            text = (
                f"{view.name}: its start is only known to {1000 * shift.spread:.0f} ms, from movement; clap once in "
                "the next take, or give --offsets"
            )
            warnings.append(Caution(text, "clock"))
    return clocks


def _shared_times(views: Sequence[LiftedView], clocks: Sequence[ViewClock]) -> Float[np.ndarray, " t"]:
    """Times of the first video's frames, continued while anybody is seen."""
    own = np.unique(np.concatenate([motion.timestamps for motion in views[0].people]).astype(np.float64))
    interval = median_interval(own) or 1 / 30
    ends = [
        clock.to_shared(motion.timestamps[[0, -1]].astype(np.float64))
        for view, clock in zip(views, clocks, strict=True)
        for motion in view.people
    ]
    start, end = min(pair[0] for pair in ends), max(pair[1] for pair in ends)
    parts = [own[0] - interval * np.arange(int((own[0] - start) / interval + 1e-6), 0, -1)]
    for before, after in itertools.pairwise(own):
        missing = round((after - before) / interval) - 1
        parts.append(np.array([before]) if missing < 1 else np.linspace(before, after, missing + 2)[:-1])
    parts += [own[-1:], own[-1] + interval * np.arange(1, int((end - own[-1]) / interval + 1e-6) + 1)]
    return np.concatenate(parts)


def _first_numbers(owner: Int[np.ndarray, "t p"], view: LiftedView) -> list[int | None]:
    """Each person's number in the first video, or None."""
    return [next(iter(numbers), None) for numbers in _numbers(owner, view).values()]


def _numbers(owner: Int[np.ndarray, "t p"], view: LiftedView) -> dict[int, tuple[int, ...]]:
    """Each person's numbers in one view, most frequent first."""
    found = {}
    for person in range(owner.shape[1]):
        tracks, counts = np.unique(owner[owner[:, person] >= 0, person], return_counts=True)
        ordered = tracks[np.argsort(-counts, kind="stable")]
        found[person + 1] = tuple(view.people[track].keypoints.person for track in ordered)
    return found


def _size_spread(views: Sequence[LiftedView], people: People, person: int, height: float | None) -> float:
    """Standard deviation of log(true size / lifted size) of a person.

    It is more for a child in one of the views.
    """
    if height is not None:
        return _GIVEN_HEIGHT
    for owner, view in zip(people.owners, views, strict=True):
        own = (view.people[track] for track in np.unique(owner[owner[:, person] >= 0, person]))
        if any(is_childlike(motion, motion.height) for motion in own):
            return CHILD_SIZE
    return SIZE


def _known(
    seen: Observations, cameras: Sequence[Camera], clocks: Sequence[ViewClock], unsure: CameraUncertainty
) -> Calibration:
    """The calibration that was given."""
    people = int(seen.people.max()) + 1
    beside, alone = np.zeros(len(cameras)), np.full(people, np.nan)
    return Calibration(
        tuple(cameras), tuple(clocks), unsure.angle, unsure.place, unsure.size, beside, np.zeros(people), alone
    )


def _in_first_frame(fused: Fused, cameras: Sequence[Camera]) -> tuple[Fused, tuple[Camera, ...]]:
    first = cameras[0]
    moved = [camera.with_pose(first.R.T @ camera.R, first.R.T @ (camera.t - first.t)) for camera in cameras]
    return replace(fused, joints=(fused.joints - first.t) @ first.R), tuple(moved)
