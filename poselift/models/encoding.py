"""2D keypoints become the lifter's input, in training and in use alike.

The camera's intrinsics turn pixels into rays. The rays of a window are rotated until the person is straight ahead, and
divided by the person's apparent size. Rotation and size go in beside them, as context. So the lifter need not learn
the size of the picture, the person's place in it, or the zoom.
"""

from dataclasses import dataclass, fields, replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.geometry import pixels_to_rays, rotation_towards
from poselift.geometry.products import transform
from poselift.skeleton import Skeleton

CONTEXT_CHANNELS = 4
"""Numbers in `Encoded.context`."""

_MIN_DEPTH = 0.1
"""Rotated rays are divided by their depth; rays that point almost sideways get this depth."""

_MIN_SIZE = 1e-3
"""Below this apparent size the rays are not scaled: a single joint has no size."""


@dataclass(frozen=True)
class Encoded:
    """A batch of windows as the lifter sees them.

    Attributes:
        coordinates: of each joint in the rotated, scaled image plane; 0 where masked.
        scores: 0 to 1; 0 where masked.
        mask: True where a joint was seen.
        times: seconds from the middle of the window.
        valid: True for frames of the clip, False for padding.
        context: tangents of the angles by which the rays were rotated (right, down), log of the apparent size, log of
            the focal length over the picture's longer side.
        rotation: from the camera frame to the lifter's frame; its transpose takes the output back.
    """

    coordinates: Float[Tensor, "b t j 2"]
    scores: Float[Tensor, "b t j"]
    mask: Bool[Tensor, "b t j"]
    times: Float[Tensor, "b t"]
    valid: Bool[Tensor, "b t"]
    context: Float[Tensor, "b 4"]
    rotation: Float[Tensor, "b 3 3"]


def encode(
    keypoints: Float[Tensor, "b t j 2"],
    scores: Float[Tensor, "b t j"],
    times: Float[Tensor, "b t"],
    K: Float[Tensor, "b 3 3"],
    image_size: Float[Tensor, "b 2"],
    valid: Bool[Tensor, "b t"] | None = None,
    distortion: Float[Tensor, "b k"] | None = None,
) -> Encoded:
    """The lifter's input for windows of 2D keypoints.

    Args:
        keypoints: pixels, joints in the order of the lifter's input skeleton; NaN where a joint is missing.
        scores: 0 to 1; a joint with score 0 is missing too.
        times: seconds, increasing.
        K: intrinsics.
        image_size: width and height in pixels.
        valid: True for frames of the clip, False for padding; None if there is no padding.
        distortion: k1, k2, p1, p2, k3 in OpenCV's order, or k1 to k4 of a fisheye lens; None if there is none.
    """
    if valid is None:
        valid = torch.ones_like(times, dtype=torch.bool)
    mask = keypoints.isfinite().all(-1) & (scores > 0) & valid[..., None]
    b, t, j = mask.shape
    pixels = torch.where(mask[..., None], keypoints, K[:, None, None, :2, 2])
    rays = pixels_to_rays(pixels.reshape(b, t * j, 2), K, distortion).view(b, t, j, 3)  # through (b, t * j, 3)
    # A pixel that the distortion cannot reach has no ray: mask it too.
    mask = mask & rays.isfinite().all(-1)
    rays = torch.where(mask[..., None], rays, rays.new_tensor([0.0, 0.0, 1.0]))
    weights = mask[..., None].to(rays.dtype)
    centre = (rays * weights).sum((1, 2)) / weights.sum((1, 2)).clamp(min=1)
    nobody = ~mask.flatten(1).any(1)
    centre = torch.where(nobody[:, None], torch.tensor([0.0, 0.0, 1.0]).to(rays), centre)
    rotation = rotation_towards(centre)
    turned = transform(rotation[:, None], rays)
    plane = turned[..., :2] / turned[..., 2:].clamp(min=_MIN_DEPTH)

    # Apparent size: the median distance of a joint from the middle of its frame's joints. A mean would shrink the
    # person when a detector jumps to another place.
    middle = (plane * weights).sum(2, keepdim=True) / weights.sum(2, keepdim=True).clamp(min=1)
    distance = torch.where(mask, (plane - middle).norm(dim=-1), torch.nan)
    size = _nanmedian(distance.flatten(1))
    size = torch.where(size > _MIN_SIZE, size, torch.ones_like(size))

    focal = 0.5 * (K[:, 0, 0] + K[:, 1, 1]) / image_size.amax(1)
    context = torch.stack((centre[:, 0] / centre[:, 2], centre[:, 1] / centre[:, 2], size.log(), focal.log()), 1)
    start = torch.where(valid, times, torch.inf).amin(1, keepdim=True)
    end = torch.where(valid, times, -torch.inf).amax(1, keepdim=True)
    return Encoded(
        coordinates=torch.where(mask[..., None], plane / size[:, None, None, None], 0.0),
        scores=torch.where(mask, scores, 0.0),
        mask=mask,
        times=torch.where(valid, times - 0.5 * (start + end), 0.0),
        valid=valid,
        context=context,
        rotation=rotation,
    )


def mirror(encoded: Encoded, skeleton: Skeleton) -> Encoded:
    """The mirrored windows: x changes sign, left and right joints change places.

    Args:
        encoded: windows.
        skeleton: the lifter's input skeleton.
    """
    order = list(skeleton.flip_indices)
    side = encoded.coordinates.new_tensor([-1.0, 1.0])
    across = encoded.rotation.new_tensor([-1.0, 1.0, 1.0])
    return replace(
        encoded,
        coordinates=encoded.coordinates[:, :, order] * side,
        scores=encoded.scores[:, :, order],
        mask=encoded.mask[:, :, order],
        context=encoded.context * encoded.context.new_tensor([-1.0, 1.0, 1.0, 1.0]),
        # With the mirror M = diag(-1, 1, 1), M Q M rotates mirrored camera-frame vectors.
        rotation=across[:, None] * encoded.rotation * across,
    )


def join_windows(first: Encoded, second: Encoded) -> Encoded:
    """Both batches of windows as one."""
    return Encoded(
        **{each.name: torch.cat((getattr(first, each.name), getattr(second, each.name))) for each in fields(Encoded)}
    )


def pad_time(encoded: Encoded, frames: int | torch.SymInt) -> Encoded:
    """The windows with this many frames of padding at the end."""
    # While a lifter is exported, the number is a symbol: the graph must pad by any number, also by none.
    if isinstance(frames, int) and frames == 0:
        return encoded

    def pad(x: Tensor) -> Tensor:
        return torch.cat((x, x.new_zeros(x.shape[0], frames, *x.shape[2:])), 1)

    over_time = ("coordinates", "scores", "mask", "times", "valid")
    return replace(encoded, **{name: pad(getattr(encoded, name)) for name in over_time})


def _nanmedian(values: Float[Tensor, "b n"]) -> Float[Tensor, " b"]:
    """The median of the numbers in each row, or NaN."""
    if not torch.compiler.is_exporting():
        return values.nanmedian(1).values
    # Other runtimes have no median, but they sort.
    known = values.isfinite()
    ordered = torch.where(known, values, torch.inf).sort(1).values
    count = known.sum(1, keepdim=True)
    return torch.where(count > 0, ordered.gather(1, (count - 1).clamp(min=0) // 2), torch.nan)[:, 0]
