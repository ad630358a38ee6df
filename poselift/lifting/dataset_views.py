"""Lifting the views of datasets, as videos are lifted."""

from poselift.data.views import View
from poselift.geometry.camera import Camera
from poselift.lifting.options import LiftOptions
from poselift.lifting.settled_sides import lift_settled
from poselift.models import Weights
from poselift.structures import Keypoints2D, Motion


def lift_view(view: View, weights: Weights, options: LiftOptions = LiftOptions()) -> Motion:
    """The motion that `poselift lift` gives for a dataset's view.

    Exchanged left and right are put back.

    Args:
        view: keypoints and camera; its 3D joints are not looked at.
        weights: the lifter.
        options: settings; the defaults are those of `poselift lift`.
    """
    return lift_settled(keypoints_of(view), weights, camera_of(view), options)[0]


def camera_of(view: View) -> Camera:
    """The camera of a view."""
    width, height = (int(size) for size in view.image_size)
    distortion = None if view.distortion is None else view.distortion.float().cpu().numpy()
    return Camera(view.K.cpu().numpy(), (width, height), "given", distortion)


def keypoints_of(view: View) -> Keypoints2D:
    """The keypoints of a view."""
    width, height = (int(size) for size in view.image_size)
    return Keypoints2D(
        view.keypoints.cpu().numpy(),
        view.scores.cpu().numpy(),
        # Float32 seconds; to the microsecond they are those that a file of keypoints would hold.
        view.times.double().cpu().numpy().round(6),
        view.keypoint_skeleton,
        (width, height),
    )
