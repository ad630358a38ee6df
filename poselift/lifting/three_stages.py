"""The one way from keypoints to motion: prepare, network, finish."""

from poselift.core.annotations import check_annotations
from poselift.geometry.camera import Camera
from poselift.kinematics.whole_body import add_body_uncertainty
from poselift.lifting.finish.finish_stage import finish
from poselift.lifting.network.choose import choose_network
from poselift.lifting.network.overlapping_windows import lift_segments
from poselift.lifting.options import LiftOptions
from poselift.lifting.prepare.prepare_stage import prepare
from poselift.models import Weights
from poselift.structures import Keypoints2D, Motion


@check_annotations
def lift(keypoints: Keypoints2D, weights: Weights, camera: Camera, options: LiftOptions = LiftOptions()) -> Motion:
    """One person's 3D motion in the camera frame.

    Joints go in by name; the lifter ignores those that it does not know. Frames without keypoints are interpolated if
    the gap is at most `MAX_GAP` seconds, and are NaN in longer gaps, so a detector may look at some frames only
    (`poselift.lifting.prepare.gaps`).

    Args:
        keypoints: of one person, in any skeleton.
        weights: the lifter.
        camera: the camera of the keypoints.
        options: settings; the defaults are those of `poselift lift`.

    Returns:
        The motion; its `keypoints` are those given. The root is NaN where no joint was seen that the lifter gives.

    Raises:
        InputError: the camera is of pictures of another size, or the timestamps are not in seconds.

    Example:
        >>> import numpy as np
        >>> from poselift.lifting import camera_for, lift
        >>> from poselift.models import load_weights
        >>> from poselift.skeleton import COCO17
        >>> body = np.random.default_rng(0).uniform(200, 400, (1, 17, 2)).repeat(8, 0)
        >>> keypoints = Keypoints2D(body, np.ones((8, 17)), np.arange(8) / 30, COCO17, (640, 480))
        >>> lift(keypoints, load_weights("tiny"), camera_for((640, 480))).joints.shape
        (8, 28, 3)
    """
    return add_body_uncertainty(lift_pose(keypoints, weights, camera, options))


def lift_pose(keypoints: Keypoints2D, weights: Weights, camera: Camera, options: LiftOptions = LiftOptions()) -> Motion:
    """As `lift`, without the uncertainty of the body's size and tilt.

    `take_height` adds it by what is known of them.
    """
    prepared = prepare(keypoints, weights, camera, options)
    network = choose_network(weights)
    lifted = lift_segments(network, prepared.segments, options.window or weights.window, options.flip)
    return finish(prepared, lifted, weights, options)
