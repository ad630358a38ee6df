"""From the lifted people of several views to one motion of each person, and the cameras: the order of the steps.

Clocks, who is who, cameras, joints, ground. Each step is a function of its own module; here is their order, and what is
refused or doubted.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.geometry import project
from poselift.geometry.camera import Camera
from poselift.kinematics.foot_contacts import find_contacts
from poselift.kinematics.ground import find_ground
from poselift.kinematics.height import Height, enlarge, estimate_height
from poselift.kinematics.up import level_axes
from poselift.kinematics.whole_body import TO_90
from poselift.numerics.times import usual_interval
from poselift.several_views.calibration import Calibration, calibrate
from poselift.several_views.fusion import Fused, fuse, swap_sides
from poselift.several_views.movement import shift_by_movement
from poselift.several_views.observations import Observations, Track, gather, sample_track
from poselift.several_views.report import Report, write_report
from poselift.several_views.view_clock import ViewClock
from poselift.several_views.who_is_who import People, find_people
from poselift.structures import Keypoints2D, Motion, move

MOST_VIEWS = 8
"""Most videos of one recording."""

_LATE_ROUNDS, _ON_TIME = 3, 0.003
"""Most times that the clocks are refined, and seconds from which that changes nothing."""

_LEAST_SPREAD, _SPREAD_FACTOR = 0.02, 2.0
"""Seconds, and factor, of a clock that movement tells: parts of one take err alike."""

_GIVEN_SPREAD = 0.01
"""Seconds of error of offsets that somebody gives."""

_LEAST_COMMON = 0.5
"""Seconds that every video must share with another one."""

_EARLY, _EARLY_SHARE = 1.0, 0.1
"""Seconds, and share of the longest video, by which a video may end before the others without a word."""

_LEAST_SHARE, _MOST_APART = 0.35, 0.17
"""Least share of the time in which two views must agree on somebody, and most distance of their poses, metres."""

_UNSURE_CLOCK = 0.04
"""Seconds of spread from which a clock is doubted."""

_SAME = 1.5
"""Pixels between the keypoints of two views that are one."""

_TILT = 0.02
"""Standard deviation of whole-body rotation beyond that of the cameras, radians."""


@dataclass(frozen=True)
class View:
    """What one video gives.

    Attributes:
        name: of the video.
        people: everybody in it, camera frame.
        camera: its lens; the pose does not count.
        span: time stamps of its first and last frame, seconds.
    """

    name: str
    people: tuple[Motion, ...]
    camera: Camera
    span: tuple[float, float]


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
    views: Sequence[View],
    *,
    clocks: Sequence[ViewClock] | None = None,
    calibrated: bool = False,
    world: bool = True,
    heights: Mapping[int, float] | float | None = None,
    own_world: bool = False,
) -> Reconstruction:
    """One 3D motion of everybody in several videos of the same moment.

    Args:
        views: two to eight, the first of which has the clock; their motions have the heights that are given.
        clocks: of the views; found from movement where None.
        calibrated: whether the views' cameras have poses, in one world and in metres.
        world: whether the result is in the world, Y up from the ground; if not, in the frame of the first camera.
        heights: standing height of everybody, metres, or by the person's number in the first video.
        own_world: whether the result lies in the world of the calibration, turned so that Y is up.

    Raises:
        InputError: the views do not show the same people at the same time, or a view shows nobody.
    """
    _check_views(views)
    warnings: list[Caution] = []
    found = list(clocks) if clocks is not None else _find_clocks(views, warnings)
    warnings += _check_common(views, found)
    lenses = [replace(view.camera, name=view.camera.name or view.name) for view in views]
    times = _shared_times(views, found)
    skeleton = views[0].people[0].skeleton

    def look(clocks: Sequence[ViewClock], cameras: Sequence[Camera]) -> list[list[Track]]:
        return [
            [sample_track(motion, camera, clock, times) for motion in view.people]
            for view, camera, clock in zip(views, cameras, clocks, strict=True)
        ]

    tracks = look(found, lenses)
    poses = (np.stack([lens.R for lens in lenses]), np.stack([lens.t for lens in lenses])) if calibrated else None
    people = find_people(tracks, times, poses)
    _check_pairings(views, people, tracks, lenses, warnings)
    given = [_given_height(number, heights) for number in _first_numbers(people.owners[0], views[0])]
    seen = gather(tracks, people.owners, times, skeleton)
    if calibrated:
        calibration = _known(seen, lenses, found)
    else:
        known_height = [height is not None for height in given]
        calibration = calibrate(seen, lenses, found, people.R, people.t, known_height)
        for _ in range(_LATE_ROUNDS):
            late = max(abs(new.offset - old.offset) for new, old in zip(calibration.clocks, found, strict=True))
            if late < _ON_TIME:
                break
            found = list(calibration.clocks)
            seen = gather(look(found, lenses), people.owners, times, skeleton)
            R = np.stack([camera.R for camera in calibration.cameras])
            t = np.stack([camera.t for camera in calibration.cameras])
            calibration = calibrate(seen, lenses, found, R, t, known_height)
    cameras = calibration.cameras
    seen = gather(look(calibration.clocks, cameras), people.owners, times, skeleton)
    fused = fuse(seen, cameras, calibration.size)
    turned, exchanged = swap_sides(seen, fused, cameras)
    if exchanged:
        seen, fused = turned, fuse(turned, cameras, calibration.size)
    report = write_report(seen, fused, calibration, people, [camera.name for camera in cameras], calibrated)
    warnings += [Caution(text, "camera") for text in report.doubts]
    warnings += _describe_swaps(views, people)
    given_cameras = cameras
    if calibrated:
        # The first camera's frame, from which the ground is found.
        fused, cameras = _in_first_frame(fused, cameras)
    own_keypoints = tuple(_own_keypoints(seen, view, camera, times) for view, camera in enumerate(cameras))
    motions = _make_motions(seen, fused, cameras[0], views[0], times, calibration)
    if not motions:
        raise InputError("nobody is left in all videos together; look at each video with poselift lift")
    motions, cameras = _take_heights(motions, cameras, given, calibrated)
    motions = [
        replace(motion, height=_height(motion, height, calibration))
        for motion, height in zip(motions, given, strict=False)
    ]
    up = None
    if own_world:
        motions, cameras = _in_own_world(motions, given_cameras)
    elif world:
        motions, cameras, up, feet_seen = _in_world(motions, cameras)
        if not feet_seen:
            warnings.append(
                Caution("no feet were seen: up and the ground are guessed from usual camera poses", "ground")
            )
    numbers = tuple(_numbers(owner, view) for owner, view in zip(people.owners, views, strict=True))
    return Reconstruction(
        tuple(motions), tuple(cameras), calibration.clocks, report, tuple(warnings), up, numbers, own_keypoints
    )


def _check_views(views: Sequence[View]) -> None:
    if not 2 <= len(views) <= MOST_VIEWS:
        some = "one video is" if len(views) == 1 else f"{len(views)} videos are"
        advice = "; for one video: poselift lift" if len(views) == 1 else ""
        raise InputError(f"{some} given; give 2 to {MOST_VIEWS} videos of the same moment{advice}")
    for view in views:
        if not any(motion.posed.any() for motion in view.people):
            raise InputError(f"{view.name} shows nobody; leave it out, or check it with poselift lift")


def _find_clocks(views: Sequence[View], warnings: list[Caution]) -> list[ViewClock]:
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


def _check_common(views: Sequence[View], clocks: Sequence[ViewClock]) -> list[Caution]:
    """Warnings about videos that end early; raises an InputError where one shares no time with any other."""
    spans = [clock.to_shared(np.array(view.span)) for view, clock in zip(views, clocks, strict=True)]
    for index, own in enumerate(spans):
        common = max(
            min(own[1], other[1]) - max(own[0], other[0]) for place, other in enumerate(spans) if place != index
        )
        if common < _LEAST_COMMON:
            raise InputError(
                f"{views[index].name} shares no time with the other videos: it runs from {own[0]:.2f} to "
                f"{own[1]:.2f} s of the first one's clock; give videos of the same moment, or other --offsets"
            )
    last = max(end for _, end in spans)
    early = max(_EARLY, _EARLY_SHARE * max(end - start for start, end in spans))
    return [
        Caution(
            f"{view.name} ends at {end:.2f} s, {last - end:.1f} s before the others: from there on the motion comes "
            "from the others alone",
            "clock",
        )
        for view, (_, end) in zip(views, spans, strict=True)
        if last - end > early
    ]


def _shared_times(views: Sequence[View], clocks: Sequence[ViewClock]) -> Float[np.ndarray, " t"]:
    """Times of the first video's frames, continued to where any video has people."""
    own = np.unique(np.concatenate([motion.timestamps for motion in views[0].people]).astype(np.float64))
    interval = usual_interval(own) or 1 / 30
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


def _check_pairings(
    views: Sequence[View],
    people: People,
    tracks: Sequence[Sequence[Track]],
    cameras: Sequence[Camera],
    warnings: list[Caution],
) -> None:
    """Refuses other people, and the same view twice."""
    for index, view in enumerate(views):
        own = [pairing for pair, pairing in people.pairings.items() if index in pair]
        best = max(own, key=lambda pairing: pairing.share)
        if index in people.apart or best.share < _LEAST_SHARE or not best.pose < _MOST_APART:
            raise InputError(
                f"{view.name} does not show the same people at the same moment as the other videos: poses and places "
                f"agree for {100 * best.share:.0f} % of the time; leave it out, or give --offsets if its start is wrong"
            )
    for (a, b), pairing in people.pairings.items():
        if _is_same(tracks[a], tracks[b], cameras[a], cameras[b]):
            raise InputError(f"{views[a].name} and {views[b].name} are the same view; give videos from two places")
        if pairing.share < _LEAST_SHARE:
            names = f"{views[a].name} and {views[b].name}"
            text = f"{names} agree on people for {100 * pairing.share:.0f} % of their time only"
            warnings.append(Caution(text, "confusion"))


def _is_same(first: Sequence[Track], other: Sequence[Track], a: Camera, b: Camera) -> bool:
    """Whether the keypoints of two views are the same, as those of one video and its copy."""
    if a.image_size != b.image_size:
        return False
    for x in first:
        for y in other:
            off = np.linalg.norm(x.plane - y.plane, axis=-1) * float(a.K[0, 0])
            off = off[np.isfinite(off)]
            if len(off) > 50 and np.median(off) < _SAME:
                return True
    return False


def _first_numbers(owner: Int[np.ndarray, "t p"], view: View) -> list[int | None]:
    """The number in the first video of each person; None for people whom it does not show."""
    return [next(iter(numbers), None) for numbers in _numbers(owner, view).values()]


def _numbers(owner: Int[np.ndarray, "t p"], view: View) -> dict[int, tuple[int, ...]]:
    """The numbers that each person, from 1, has in one view, the most frequent one first."""
    found = {}
    for person in range(owner.shape[1]):
        tracks, counts = np.unique(owner[owner[:, person] >= 0, person], return_counts=True)
        ordered = tracks[np.argsort(-counts, kind="stable")]
        found[person + 1] = tuple(view.people[track].keypoints.person for track in ordered)
    return found


def _given_height(number: int | None, heights: Mapping[int, float] | float | None) -> float | None:
    return heights.get(number or 0) if isinstance(heights, Mapping) else heights


def _known(seen: Observations, cameras: Sequence[Camera], clocks: Sequence[ViewClock]) -> Calibration:
    """The calibration that was given."""
    count, people = len(cameras), int(seen.people.max()) + 1
    zero = np.zeros(count)
    return Calibration(tuple(cameras), tuple(clocks), zero, zero, 0.005, zero, np.zeros(people))


def _in_first_frame(fused: Fused, cameras: Sequence[Camera]) -> tuple[Fused, tuple[Camera, ...]]:
    first = cameras[0]
    moved = [camera.with_pose(first.R.T @ camera.R, first.R.T @ (camera.t - first.t)) for camera in cameras]
    return replace(fused, joints=(fused.joints - first.t) @ first.R), tuple(moved)


def _describe_swaps(views: Sequence[View], people: People) -> list[Caution]:
    return [
        Caution(f"{view.name}: people changed their numbers {count} times, which the other videos mended", "confusion")
        for view, count in zip(views, people.swaps, strict=True)
        if count
    ]


def _make_motions(
    seen: Observations,
    fused: Fused,
    camera: Camera,
    view: View,
    times: Float[np.ndarray, " t"],
    calibration: Calibration,
) -> list[Motion]:
    """A motion of each person in the frame of the first camera, from the first to the last time with a pose."""
    count, motions = len(times), []
    angle = float(np.sqrt((calibration.angle**2).mean()))
    share = float(TO_90 * np.hypot(calibration.size, np.hypot(angle, _TILT)))
    example = view.people[0]
    for person in range(int(seen.people.max()) + 1):
        block = slice(person * count, (person + 1) * count)
        joints = fused.joints[block]
        rows = np.flatnonzero(np.isfinite(joints).all((1, 2)))
        if not len(rows):
            continue
        span = slice(int(rows[0]), int(rows[-1]) + 1)
        joints = joints[span]
        relative = joints - joints[:, :1]
        far = np.linalg.norm(relative, axis=-1)
        radius = np.sqrt(fused.radius[block][span] ** 2 + (share * far) ** 2)
        radius[:, 0] = np.where(np.isfinite(far[:, 0]), 0.0, np.nan)
        scores = seen.scores[:, block][:, span]
        motions.append(
            Motion(
                relative.astype(np.float32),
                joints[:, 0].astype(np.float32),
                times[span],
                ~np.any(scores > 0, axis=(0, 2)),
                seen.skeleton,
                "camera",
                _joined_keypoints(seen, joints, block, span, camera, times[span], person + 1),
                radius.astype(np.float32),
                pelvis=example.pelvis,
                threshold=example.threshold,
                body_share=share,
            )
        )
    return motions


def _joined_keypoints(
    seen: Observations,
    joints: Float[np.ndarray, "t j 3"],
    block: slice,
    span: slice,
    camera: Camera,
    times: Float[np.ndarray, " t"],
    person: int,
) -> Keypoints2D:
    """Keypoints in the first view: its own where it has them, else where the joint lies that another view shows.

    Their scores are the best of all views, so that a joint which any view shows is in sight.
    """
    plane, scores = seen.plane[0, block][span], seen.scores[:, block][:, span]
    lens = None if camera.lens is None else camera.lens.astype(np.float64)
    K = camera.K.astype(np.float64)
    own = project(np.concatenate([np.nan_to_num(plane), np.ones_like(plane[..., :1])], -1), K, lens)
    from_others = project(joints, K, lens)
    pixels = np.where((scores[0] > 0)[..., None], own, from_others)
    best = scores.max(0)
    known = (best > 0) & np.isfinite(pixels).all(-1)
    pixels = np.where(known[..., None], np.clip(pixels, -1e6, 1e6), np.nan)
    return Keypoints2D(pixels, np.where(known, best, 0.0), times, seen.skeleton, camera.image_size, person)


def _own_keypoints(
    seen: Observations, view: int, camera: Camera, times: Float[np.ndarray, " t"]
) -> dict[int, Keypoints2D]:
    """Everybody's keypoints in one view, pixels, by the number of the person."""
    count, found = len(times), {}
    lens = None if camera.lens is None else camera.lens.astype(np.float64)
    for person in range(int(seen.people.max()) + 1):
        block = slice(person * count, (person + 1) * count)
        plane, scores = seen.plane[view, block], seen.scores[view, block]
        pixels = project(
            np.concatenate([np.nan_to_num(plane), np.ones_like(plane[..., :1])], -1), camera.K.astype(np.float64), lens
        )
        known = (scores > 0) & np.isfinite(pixels).all(-1)
        found[person + 1] = Keypoints2D(
            np.where(known[..., None], pixels, np.nan),
            np.where(known, scores, 0.0),
            times,
            seen.skeleton,
            camera.image_size,
            person + 1,
        )
    return found


def _in_own_world(motions: Sequence[Motion], cameras: Sequence[Camera]) -> tuple[list[Motion], tuple[Camera, ...]]:
    """Motions and cameras in the world of the calibration, with its axis that is nearest to up as Y."""
    first = cameras[0]
    ground = find_ground(motions)
    up = first.R @ ground.up
    axis = int(np.abs(up).argmax())
    turn = np.eye(3)
    if axis != 1 or up[1] < 0:
        y = np.sign(up[axis]) * np.eye(3)[axis]
        x = np.eye(3)[0] if axis != 0 else np.eye(3)[1]
        turn = np.stack([x, y, np.cross(x, y)])
    placed = []
    for motion in motions:
        down = find_contacts(motion, ground.up)
        contacts = None if down is None else np.any(down, axis=-1)
        placed.append(replace(move(motion, turn @ first.R, turn @ first.t, "world"), contacts=contacts))
    return placed, tuple(camera.with_pose(turn @ camera.R, turn @ camera.t) for camera in cameras)


def _take_heights(
    motions: list[Motion], cameras: Sequence[Camera], given: Sequence[float | None], calibrated: bool
) -> tuple[list[Motion], tuple[Camera, ...]]:
    """Everything scaled so that people with a given height have it on the mean; a given calibration keeps its size."""
    ratios = [
        height / estimate_height(motion.joints, motion.skeleton).metres
        for motion, height in zip(motions, given, strict=False)
        if height is not None
    ]
    if calibrated or not ratios:
        return motions, tuple(cameras)
    scale = float(np.exp(np.mean(np.log(ratios))))
    grown = [enlarge(motion, scale) for motion in motions]
    return grown, tuple(camera.with_pose(camera.R, camera.t * scale) for camera in cameras)


def _height(motion: Motion, given: float | None, calibration: Calibration) -> Height | None:
    if given is not None:
        return Height(given, 0.0, "given")
    try:
        found = estimate_height(motion.joints, motion.skeleton)
    except InputError:
        return None
    return Height(found.metres, min(found.spread, float(np.hypot(calibration.size, 0.03)) * found.metres))


def _in_world(
    motions: Sequence[Motion], cameras: Sequence[Camera]
) -> tuple[list[Motion], tuple[Camera, ...], float, bool]:
    """Motions and cameras in the world, with contacts; the uncertainty of up; and whether feet were seen."""
    ground = find_ground(motions)
    R = level_axes(ground.up)
    first = next((motion.root[known.argmax()] for motion in motions if (known := motion.posed).any()), np.zeros(3))
    below = first.astype(np.float64) + (ground.height - first @ ground.up) * ground.up
    t = -R @ below
    placed = []
    for motion in motions:
        down = find_contacts(motion, ground.up)
        contacts = None if down is None else np.any(down, axis=-1)
        placed.append(replace(move(motion, R, t, "world"), contacts=contacts))
    moved = tuple(camera.with_pose(R @ camera.R, R @ camera.t + t) for camera in cameras)
    return placed, moved, ground.uncertainty, ground.feet_seen
