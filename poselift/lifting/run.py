"""A run: from a clip of people to a recording in 3D.

It is the same for every command, a batch, a page and Python. The order of the steps stands here, once: find and follow
people, settle left and right, lift each one, take heights, place all in the world, keep the joints that are wanted,
filter.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.core.stopwatch import Stopwatch
from poselift.detection.hands import HandModel
from poselift.finding.video_clip import Clip, ReadShare, frames_within
from poselift.geometry.camera import Camera, camera_for
from poselift.kinematics import butterworth
from poselift.kinematics.height import height_of, take_height
from poselift.lifting.clips.clip_warnings import find_warnings
from poselift.lifting.find_hands import find_hands, place_given_hands
from poselift.lifting.network.choose import network_name
from poselift.lifting.request import LiftRequest
from poselift.lifting.settled_sides import as_given, settle_sides
from poselift.lifting.three_stages import lift
from poselift.lifting.world.found_camera import find_camera, split_tracks
from poselift.lifting.world.moving_world import see_still
from poselift.lifting.world.place_people import place_people
from poselift.models import Weights
from poselift.numerics.times import median_interval
from poselift.skeleton import H36M17, Skeleton, get_skeleton
from poselift.structures import Clock, Hands, Keypoints2D, Motion, Origin, Recording
from poselift.video.focal_length import read_field_of_view

_LOG = logging.getLogger(__name__)

_OWN = "poselift"
"""The format of earlier results: their sides are settled, and a user may have corrected them by hand."""

Progress = Callable[[str, float], None]
"""Receives the name of a stage and its finished share, 0 to 1."""


def lift_clip(
    clip: Clip,
    weights: Weights,
    request: LiftRequest = LiftRequest(),
    progress: Progress = lambda stage, done: None,
) -> Recording:
    """The 3D motion of everybody in a clip. Memory grows with the keypoints only, not with the pictures.

    Args:
        clip: frames, people and a tracker.
        weights: the lifter; `request.weights` is not read.
        request: what to lift and how; the clip has its own span and detector.
        progress: receives the progress of each stage.

    Raises:
        InputError: the input cannot be used, the camera or a height makes no sense, a person in `people` or `height`
            is missing, or the weights lack a joint of the skeleton.
    """
    watch = Stopwatch()
    skeleton = choose_skeleton(request.skeleton, weights)
    if request.lens_size not in (None, tuple(clip.image_size)):
        sizes = " and ".join(f"{width} x {height}" for width, height in (request.lens_size or (0, 0), clip.image_size))
        raise InputError(f"the calibration and {clip.path} have pictures of {sizes} pixels; give that of this size")
    camera = camera_for(clip.image_size, request.fov, request.intrinsics, request.distortion, request.fisheye)
    if camera.origin == "assumed" and clip.video is not None and (fov := read_field_of_view(clip.video)) is not None:
        # Still called assumed: stabilisation and digital zoom narrow what the lens sees.
        camera = replace(camera, K=camera_for(clip.image_size, fov).K)
    # Before the long work, because its file may be missing.
    model = HandModel() if request.hands and clip.video is not None else None
    tracks, times, best = _track(clip, watch, lambda done: progress("Finding people", done))
    if tracks:
        named = [*(request.people or []), *(request.height if isinstance(request.height, Mapping) else [])]
        _check_present(named, tracks, clip)
    span = float(times[0]), float(times[-1])
    found = None
    if request.world:
        with watch.time("camera"):
            found = find_camera(lambda: frames_within(clip), span, tracks, camera, request.camera)
        tracks = split_tracks(tracks, found.path)
    chosen = [track for track in tracks if request.people is None or track.person in request.people]
    given = [clip.hands_of(track) for track in chosen]
    if request.hands and clip.video is None and chosen:
        _check_hands(clip, given)
    path = None if found is None else found.path
    with watch.time("lift"):
        sides = [
            as_given(track) if clip.detector_name == _OWN else settle_sides(track, weights, camera, request.options)
            for track in chosen
        ]
    views = [see_still(each.keypoints, path, camera) for each in sides]
    motions = []
    for done, view in enumerate(views):
        progress("Lifting", done / len(views))
        with watch.time("lift"):
            motion = sides[done].widen(lift(view.keypoints, weights, view.camera, request.options))
            motions.append(take_height(motion, height_of(view.seen.person, request.height)))
    progress("Lifting", 1.0)
    _LOG.debug("%s: lifted %d people in %d frames", clip.path, len(motions), len(times))
    warnings = find_warnings(clip.warnings, tracks, times, best, motions, weights.skeleton_in)
    warnings += [caution for each in sides for caution in each.cautions()]
    interval = median_interval(times)
    clock = Clock(1 / interval if interval else clip.fps, len(times), span, clip.video_fps)
    hands: Sequence[Hands | None] = [
        None if own is None else place_given_hands(own, track.timestamps, camera)
        for own, track in zip(given, chosen, strict=True)
    ]
    if any(own is not None and not own.in_3d for own in hands) and not request.hands:
        text = f"{clip.path.name} has hands in 2D, which stay in hand_keypoints; the video and --hands give them in 3D"
        warnings.append(Caution(text, "input"))
    if model is not None:
        with watch.time("hands"):
            seen = [replace(motion, keypoints=view.seen) for motion, view in zip(motions, views, strict=True)]
            hands = find_hands(frames_within(clip), seen, camera, model)
    up_uncertainty, report = None, {}
    if found is not None:
        with watch.time("world"):
            world, said = place_people(found, motions, views, camera, request.tilt)
        warnings += said
        motions, camera, up_uncertainty = world.motions, world.camera, world.uncertainty
        report = found.report()
    motions = [_with_hands(motion, own, camera) for motion, own in zip(motions, hands, strict=True)]
    motions = [smooth_motion(motion.restrict(skeleton), request.smooth, warnings) for motion in motions]
    for warning in warnings:
        _LOG.warning("%s: %s", clip.path, warning)
    return Recording(
        tuple(motions),
        (camera,),
        clock,
        _describe_origin(clip, weights),
        tuple(warnings),
        watch.seconds,
        up_uncertainty,
        report,
    )


def choose_skeleton(name: str | None, weights: Weights) -> Skeleton:
    """The joints of a result, checked before the long work.

    Args:
        name: of the skeleton; Human3.6M's if None, or all joints of weights that lack one of these.
        weights: the lifter.

    Raises:
        InputError: the weights lack one of the joints.
    """
    given = weights.skeleton_out
    if name is None:
        return H36M17 if set(H36M17.joints) <= set(given.joints) else given
    wanted = get_skeleton(name)
    if missing := [joint for joint in wanted.joints if joint not in given.joints]:
        raise InputError(
            f"--skeleton {wanted.name}: the weights {weights.name} give {given.name}, without {', '.join(missing)}"
        )
    return wanted


def _track(
    clip: Clip, watch: Stopwatch, progress: ReadShare
) -> tuple[list[Keypoints2D], Float[np.ndarray, " t"], list[float]]:
    """Everybody's keypoints, all frames' timestamps, and each look's best score."""
    tracker = clip.tracker()
    times: list[float] = []
    best: list[float] = []
    for detections, timestamp in clip.people(watch, progress):
        with watch.time("track"):
            tracker.update(detections, timestamp)
        times.append(timestamp)
        if detections is not None:
            best.append(float(detections.scores.max(initial=0.0)))
    progress(1.0)
    with watch.time("track"):
        return tracker.tracks(), np.array(times), best


def _check_present(people: Iterable[int], tracks: Sequence[Keypoints2D], clip: Clip) -> None:
    """Raises an InputError where somebody is not in the clip."""
    present = sorted(track.person for track in tracks)
    absent = [str(number) for number in dict.fromkeys(people) if number not in present]
    if absent:
        there = ", ".join(map(str, present))
        raise InputError(f"no person {', '.join(absent)} in {clip.path}; choose from {there}")


def _check_hands(clip: Clip, given: Sequence[Hands | None]) -> None:
    """Raises an InputError where no hands are or can be found.

    Nobody has hands in 3D, and there is no video in which to look for them.
    """
    if all(own is None for own in given):
        raise InputError(f"{clip.path} has keypoints without hands, and hands are looked for in a video; add it")
    if not any(own is not None and own.in_3d for own in given):
        raise InputError(f"{clip.path} has hands in 2D only, and --hands looks for them in a video; add it")


def _with_hands(motion: Motion, hands: Hands | None, camera: Camera) -> Motion:
    """The motion with hands that are in the axes of the camera."""
    if hands is not None and motion.frame == "world":
        R = camera.at(motion.timestamps).R
        assert R is not None
        hands = hands.turn(R)
    return replace(motion, hands=hands)


def smooth_motion(motion: Motion, cutoff: float | None, warnings: list[Caution]) -> Motion:
    """The motion, filtered if its frames are enough.

    Otherwise it stays, with a warning. Only the timestamps tell their rate: that of the file is an average, and phones
    change theirs.
    """
    if cutoff is None:
        return motion
    try:
        return butterworth(motion, cutoff)
    except InputError as error:
        person = motion.keypoints.person
        warnings.append(Caution(f"person {person} is not smoothed: {error}", "filter", person))
        return motion


def _describe_origin(clip: Clip, weights: Weights) -> Origin:
    """Where the recording comes from. Window and factor of a lifter are not part of its checksum."""
    lifter = {
        "name": weights.name,
        "sha256": weights.sha256,
        "window": weights.window,
        "uncertainty_factor": weights.uncertainty_factor,
    }
    network = network_name(weights)
    return Origin(
        clip.path, clip.video, clip.detector_name, clip.detector_weights, lifter, network, mirrored=clip.mirrored
    )
