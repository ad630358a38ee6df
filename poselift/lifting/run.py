"""A run: from a clip of people to a recording in 3D.

It is the same for every command, a batch, a page and Python. The order of the steps stands here, once: find and follow
people, settle left and right, take hands, lift each person, take heights, place all in the world, keep the joints that
are wanted, filter.
"""

import logging
from collections.abc import Callable
from dataclasses import replace

from poselift.camera_path.leaving_people import describe_left_out, without_cut_off
from poselift.camera_path.still_view import see_still, shot_of, split_tracks
from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.core.stopwatch import Stopwatch
from poselift.detection.hands import HandModel
from poselift.finding.tracked_people import track_people
from poselift.finding.video_clip import Clip
from poselift.geometry.camera import Camera, camera_for
from poselift.kinematics import butterworth
from poselift.kinematics.height import height_of, take_height
from poselift.lifting.clips.clip_warnings import find_bent_lens, find_warnings
from poselift.lifting.find_hands import OWN, find_hands, take_given_hands, with_hands
from poselift.lifting.network.choose import network_name
from poselift.lifting.request import LiftRequest
from poselift.lifting.settled_sides import as_given, settle_sides
from poselift.lifting.three_stages import lift_pose
from poselift.lifting.world.place_people import place_people
from poselift.models import Weights
from poselift.skeleton import H36M17, Skeleton, get_skeleton
from poselift.structures import Motion, Origin, Recording

_LOG = logging.getLogger(__name__)

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
        clip: frames, people, a tracker, and what the camera does.
        weights: the lifter; `request.weights` is not read.
        request: what to lift and how; the clip has its own span and detector.
        progress: receives the progress of each stage.

    Raises:
        InputError: the input cannot be used, the camera or a height makes no sense, a person in `people` or `height`
            is missing, or the weights lack a joint of the skeleton.
    """
    watch = Stopwatch()
    skeleton = choose_skeleton(request.skeleton, weights)
    origin, camera = _describe_origin(clip, weights), _choose_camera(clip, request)
    # Before the long work, because its file may be missing.
    model = HandModel() if request.hands and clip.video is not None else None
    seen = track_people(clip, request.named, watch, lambda done: progress("Finding people", done))
    tracks, found, path, left_out = seen.tracks, None, None, []
    if request.world:
        with watch.time("camera"):
            found = clip.find_camera(seen.span, tracks, camera, request.camera)
        path = found.path
        if path is not None:
            parts, threshold = split_tracks(tracks, path), request.options.threshold
            tracks = [
                part if shot_of(part, path).kind == "still" else without_cut_off(part, threshold) for part in parts
            ]
            left_out = [text for pair in zip(parts, tracks, strict=True) for text in describe_left_out(*pair)]
    chosen = [track for track in tracks if request.people is None or track.person in request.people]
    with watch.time("lift"):
        sides = [
            as_given(track) if clip.detector_name == OWN else settle_sides(track, weights, camera, request.options)
            for track in chosen
        ]
    cautions = [text for text in left_out if request.people is None or text.person in request.people]
    cautions += find_bent_lens(camera) + [caution for each in sides for caution in each.cautions()]
    hands, lacking = take_given_hands(clip, chosen, camera, request.hands)
    if model is not None:
        with watch.time("hands"):
            hands = find_hands(clip.frames(), [each.keypoints for each in sides], camera, model)
    motions, views = [], []
    for done, (each, own) in enumerate(zip(sides, hands, strict=True)):
        progress("Lifting", done / len(sides))
        height, shown, lifted = height_of(each.keypoints.person, request.height), [], []
        with watch.time("lift"):
            for reading in each.readings:
                view = see_still(reading, path, camera)
                posed = lift_pose(view.keypoints, weights, view.camera, request.options)
                lifted.append(take_height(posed, height))
                shown.append(view)
            motion = each.cover(lifted)
        motions.append(with_hands(motion, own, shown[0].R))
        views.append(shown[0])
    progress("Lifting", 1.0)
    _LOG.debug("%s: lifted %d people in %d frames", clip.path, len(motions), len(seen.times))
    warnings = [*find_warnings(clip.warnings, seen, tracks, motions, weights.skeleton_in), *cautions, *lacking]
    up_uncertainty, report = None, {}
    if found is not None:
        with watch.time("world"):
            world, said = place_people(path, motions, views, camera, request.tilt)
        warnings += [*found.cautions(), *said]
        motions, camera, up_uncertainty = world.motions, world.camera, world.uncertainty
        report = found.report()
    motions = [smooth_motion(motion.restrict(skeleton), request.smooth, warnings) for motion in motions]
    for warning in warnings:
        _LOG.warning("%s: %s", clip.path, warning)
    return Recording(
        tuple(motions),
        (camera,),
        seen.clock(clip),
        origin,
        tuple(warnings),
        watch.seconds,
        up_uncertainty,
        report,
    )


def _choose_camera(clip: Clip, request: LiftRequest) -> Camera:
    """The lens that the request or video names, or an assumed one."""
    if request.lens_size not in (None, tuple(clip.image_size)):
        sizes = " and ".join(f"{width} x {height}" for width, height in (request.lens_size or (0, 0), clip.image_size))
        raise InputError(f"the calibration and {clip.path} have pictures of {sizes} pixels; give that of this size")
    camera = camera_for(clip.image_size, request.fov, request.intrinsics, request.distortion, request.fisheye)
    if camera.origin == "given" or clip.fov is None:
        return camera
    # Still called assumed: stabilisation and digital zoom narrow what the lens sees.
    return replace(camera, K=camera_for(clip.image_size, clip.fov).K)


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


def smooth_motion(motion: Motion, cutoff: float | None, warnings: list[Caution]) -> Motion:
    """The motion, filtered if its frames are enough.

    Otherwise it stays as it is, and a warning says so. The timestamps give the frame rate, because a file names only an
    average and phones change theirs.
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
