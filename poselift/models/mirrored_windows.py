"""Windows are lifted with their mirror images, and averaged."""

from jaxtyping import Float
from torch import Tensor

from poselift.models.base import Estimate, Lifter
from poselift.models.encoding import encode, join_windows, mirror


def lift_windows(
    lifter: Lifter,
    keypoints: Float[Tensor, "b t j 2"],
    scores: Float[Tensor, "b t j"],
    times: Float[Tensor, "b t"],
    K: Float[Tensor, "b 3 3"],
    image_size: Float[Tensor, "b 2"],
    distortion: Float[Tensor, "b k"] | None = None,
    flip: bool = True,
) -> Estimate:
    """The estimate of one batch of windows.

    Args:
        lifter: in eval mode, on the device of the other tensors.
        keypoints: pixels, joints in the order of the lifter's input skeleton; NaN where missing.
        scores: 0 to 1.
        times: seconds, increasing.
        K: intrinsics, pixels.
        image_size: width and height, pixels.
        distortion: k1, k2, p1, p2, k3 in OpenCV's order, or k1 to k4 of a fisheye lens; None if there is none.
        flip: also lift the mirrored keypoints, and average.
    """
    encoded = encode(keypoints, scores, times, K, image_size, distortion=distortion)
    if not flip:
        return lifter.estimate(encoded)
    # One pass of twice as many windows: short windows take two thirds of the time of two passes.
    out = lifter.estimate(join_windows(encoded, mirror(encoded, lifter.skeleton_in)))
    order, sign = list(lifter.skeleton_out.flip_indices), out.joints.new_tensor([-1.0, 1.0, 1.0])
    b = keypoints.shape[0]  # not len(), which would fix the batch of an exported graph
    joints = 0.5 * (out.joints[:b] + out.joints[b:, :, order] * sign)
    if out.uncertainty is None:
        return Estimate(joints)
    return Estimate(joints, 0.5 * (out.uncertainty[:b] + out.uncertainty[b:, :, order]))
