"""The position of a pose that best matches its keypoints."""

from jaxtyping import Float

from poselift.core.arrays import Array, array_namespace, device

_STABILISER = 1e-6
"""Pull towards the camera, in units of one joint's weight: keeps poses without rays solvable."""


def root_from_rays(
    joints: Float[Array, "*#batch n 3"], rays: Float[Array, "*#batch n 3"], weights: Float[Array, "*#batch n"]
) -> Float[Array, "... 3"]:
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
    xp = array_namespace(joints)
    seen, w = (weights > 0)[..., None], weights[..., None]
    rays = xp.where(seen, rays, xp.asarray([0.0, 0.0, 1.0], dtype=rays.dtype, device=device(rays)))
    rays = rays / xp.linalg.vector_norm(rays, axis=-1, keepdims=True)
    joints = xp.where(seen, joints, 0.0)
    # (I - d dᵀ) x, by sums of products: autocast would cut a matrix product to bfloat16.
    across = joints - rays * (rays * joints).sum(-1)[..., None]
    outer = (w[..., None] * rays[..., :, None] * rays[..., None, :]).sum(-3)
    eye = xp.eye(3, dtype=outer.dtype, device=device(outer))
    pull = (weights.sum(-1)[..., None, None] + _STABILISER) * eye - outer
    return -xp.linalg.solve(pull, (w * across).sum(-2)[..., None])[..., 0]
