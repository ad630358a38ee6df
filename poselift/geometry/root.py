"""The position of a pose that best matches its keypoints."""

import torch
from jaxtyping import Float
from torch import Tensor

_STABILISER = 1e-6
"""Pull towards the camera, in units of one joint's weight: keeps poses without rays solvable."""


def root_from_rays(
    joints: Float[Tensor, "*#batch n 3"], rays: Float[Tensor, "*#batch n 3"], weights: Float[Tensor, "*#batch n"]
) -> Float[Tensor, "... 3"]:
    """The root that brings the joints closest to their rays.

    It minimises the weighted sum of |(I - d dᵀ) (x + r)|² over the root r, where x is a joint and d its unit ray, in
    closed form: the normal equations of three unknowns. With fewer than two rays the depth is undetermined, and is
    then near 0.

    Args:
        joints: camera frame, metres, relative to the root.
        rays: viewing direction of each joint, of any length.
        weights: not negative; joints of weight 0 are ignored and may be NaN.

    Returns:
        Root in the camera frame, metres; behind the camera where the pose fits its rays upside down.
    """
    seen = (weights > 0)[..., None]
    rays = rays.where(seen, rays.new_tensor([0.0, 0.0, 1.0]))
    rays = rays / rays.norm(dim=-1, keepdim=True)
    joints = joints.where(seen, 0.0)
    w = weights[..., None]
    # (I - d dᵀ) x, by sums of products: autocast would cut a matrix product to bfloat16.
    across = joints - rays * (rays * joints).sum(-1, keepdim=True)
    outer = (w[..., None] * rays[..., :, None] * rays[..., None, :]).sum(-3)
    eye = torch.eye(3, dtype=outer.dtype, device=outer.device)
    pull = (weights.sum(-1)[..., None, None] + _STABILISER) * eye - outer
    return -torch.linalg.solve(pull, (w * across).sum(-2))
