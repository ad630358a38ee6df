"""A clip of any length is lifted in overlapping windows, which are blended without a seam."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.models.base import Estimate, Lifter
from poselift.models.encoding import encode, join_windows, mirror

_BATCH_CPU, _BATCH_GPU = 4, 16
"""Windows lifted at once; on a CPU, the tokens of more exceed its cache."""


def window_starts(frames: int, window: int, overlap: int) -> list[int]:
    """First frames of overlapping windows that cover the clip; the last window ends with it.

    Args:
        frames: in the clip.
        window: frames in a window.
        overlap: least number of frames that neighbours share.
    """
    if frames <= window:
        return [0]
    count = -(-(frames - overlap) // (window - overlap))
    return [round(k * (frames - window) / (count - 1)) for k in range(count)]


def estimate_sequence(
    lifter: Lifter,
    keypoints: Float[Tensor, "t j 2"],
    scores: Float[Tensor, "t j"],
    times: Float[Tensor, " t"],
    K: Float[Tensor, "3 3"],
    image_size: Float[Tensor, " 2"],
    *,
    window: int,
    flip: bool = True,
    distortion: Float[Tensor, " 5"] | None = None,
) -> Estimate:
    """One person's joints in the camera frame, with uncertainty if the lifter gives it.

    Windows overlap by half, and each frame is the weighted mean over the windows that contain it. The weight falls
    linearly from the middle of a window to its ends. Only one batch of windows is in memory at a time: half as many
    from there on if the GPU's memory is too small for them.

    Args:
        lifter: in eval mode, on the device of the other tensors.
        keypoints: pixels, joints in the order of the lifter's input skeleton; NaN where missing.
        scores: 0 to 1.
        times: seconds, increasing.
        K: intrinsics.
        image_size: width and height, pixels.
        window: frames in a window.
        flip: also lift the mirrored keypoints, and average.
        distortion: k1, k2, p1, p2, k3 in OpenCV's order; None if there is none.

    Returns:
        The clip as one window: joints (1, t, j_out, 3), and their uncertainty (1, t, j_out) or None. Uncertainties are
        averaged as the joints are. They come out slightly too large, because a mean of joints is better than each.

    Raises:
        InputError: there is no frame, or the GPU has no memory for a single window.
    """
    frames = len(keypoints)
    if not frames:
        raise InputError("there is no frame to lift; give keypoints of at least one frame")
    dtype = next((parameter.dtype for parameter in lifter.parameters()), keypoints.dtype)
    if times.dtype != dtype:  # single precision rounds times of day to milliseconds
        times = (times - times[0]).to(dtype)
    keypoints, scores, K, image_size = (value.to(dtype) for value in (keypoints, scores, K, image_size))
    distortion = None if distortion is None else distortion.to(dtype)
    starts = window_starts(frames, window, window // 2)
    length = min(window, frames)
    ramp = torch.arange(1, length + 1, device=keypoints.device)
    fade = torch.minimum(ramp, ramp.flip(0)).to(keypoints.dtype)

    joints: Tensor | None = None
    uncertainty: Tensor | None = None
    weight = keypoints.new_zeros(frames)
    with torch.inference_mode():
        size = _BATCH_CPU if keypoints.device.type == "cpu" else _BATCH_GPU
        while starts:
            chunk = starts[:size]
            index = torch.tensor(chunk, device=keypoints.device)[:, None] + torch.arange(length).to(keypoints.device)
            try:
                out = lift_windows(
                    lifter,
                    keypoints[index],
                    scores[index],
                    times[index],
                    K.expand(len(chunk), 3, 3),
                    image_size.expand(len(chunk), 2),
                    None if distortion is None else distortion.expand(len(chunk), 5),
                    flip,
                )
            except torch.OutOfMemoryError as error:
                if len(chunk) == 1:
                    raise InputError(
                        f"the GPU has too little memory for one window of {length} frames; choose a shorter window, "
                        "other weights, or the CPU"
                    ) from error
                size = len(chunk) // 2
                continue
            starts = starts[len(chunk) :]
            if joints is None:
                joints = keypoints.new_zeros(frames, *out.joints.shape[2:])
                uncertainty = None if out.uncertainty is None else keypoints.new_zeros(frames, out.uncertainty.shape[2])
            joints.index_put_((index,), out.joints * fade[:, None, None], accumulate=True)
            if uncertainty is not None and out.uncertainty is not None:
                uncertainty.index_put_((index,), out.uncertainty * fade[:, None], accumulate=True)
            weight.index_put_((index,), fade.expand(len(chunk), -1), accumulate=True)
    assert joints is not None, "window_starts gives at least one window"
    return Estimate(
        (joints / weight[:, None, None])[None], None if uncertainty is None else (uncertainty / weight[:, None])[None]
    )


def lift_sequence(lifter: Lifter, *clip: Tensor, **options: Any) -> Float[Tensor, "t j_out 3"]:
    """The joints of `estimate_sequence`, with the same arguments: relative to the root, camera frame, metres."""
    return estimate_sequence(lifter, *clip, **options).joints[0]


def lift_windows(
    lifter: Lifter,
    keypoints: Float[Tensor, "b t j 2"],
    scores: Float[Tensor, "b t j"],
    times: Float[Tensor, "b t"],
    K: Float[Tensor, "b 3 3"],
    image_size: Float[Tensor, "b 2"],
    distortion: Float[Tensor, "b 5"] | None = None,
    flip: bool = True,
) -> Estimate:
    """The estimate of one batch of windows; with `flip`, averaged with the mirrored windows.

    The arguments are those of `encode`, and of `estimate_sequence`.
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
