"""Reprojection refinement: moves lifted joints towards the rays of their keypoints.

A lifter gives the likeliest pose. For a movement or a body that it has not learnt, that pose lies beside the keypoints,
and by much the same distance from frame to frame.
"""

from jaxtyping import Float

from poselift.core.arrays import Array, array_namespace
from poselift.kinematics.filtering import gaussian_means
from poselift.lifting.finish.root_track import OUTLIER
from poselift.skeleton import Skeleton

_SHARE = 0.6
"""Part of the way to its ray that a joint is moved. 0.4 to 0.8 give about the same error on the CMU val views."""

_MEMORY = 0.15
"""Standard deviation in seconds of the Gaussian that averages the offsets over time. A keypoint's error changes from
frame to frame, a pose's does not: without the average, velocities get much worse. 0.1 to 0.2 are about the same."""

_DOUBT = 0.1
"""Weight of the parent's move in a joint's own, against scores: an unseen joint moves with its parent."""


def measure_offsets(
    joints: Float[Array, "t j 3"],
    rays: Float[Array, "t j 3"],
    ray_scores: Float[Array, "t j"],
    times: Float[Array, " t"],
    root: Float[Array, "t 3"],
    skeleton: Skeleton,
) -> Float[Array, "t j 3"]:
    """Vectors from joints to their rays, averaged over time, metres.

    They are in the camera frame.

    Args:
        joints: relative to the root, metres; finite.
        rays: of the same joints, of any length; ignored where the weight is 0.
        ray_scores: 0 where a joint was not seen; such a joint takes the offset of its parent.
        times: seconds, increasing.
        root: metres.
        skeleton: of `joints`.
    """
    xp = array_namespace(joints)
    length = xp.linalg.vector_norm(rays, axis=-1, keepdims=True)
    unit = xp.where(ray_scores[..., None] > 0, rays / xp.where(length > 1e-9, length, 1e-9), 0.0)
    placed = joints + root[:, None]
    offsets = unit * (unit * placed).sum(-1)[..., None] - placed
    weights = ray_scores / (1 + (xp.linalg.vector_norm(offsets, axis=-1) / OUTLIER) ** 2)
    smooth = gaussian_means(xp.concat((offsets * weights[..., None], weights[..., None]), axis=-1), times, _MEMORY)
    total = smooth[..., 3:] + _DOUBT
    mean, doubt = smooth[..., :3] / total, _DOUBT / total
    first, *others = skeleton.topological_order
    moves = {first: mean[:, first]}
    for joint in others:
        moves[joint] = mean[:, joint] + doubt[:, joint] * moves[skeleton.parent_indices[joint]]
    return xp.stack([moves[joint] for joint in range(len(skeleton))], axis=1)


def move_to_rays(joints: Float[Array, "t j 3"], offsets: Float[Array, "t j 3"]) -> Float[Array, "t j 3"]:
    """Joints moved partly to their rays, relative to the root.

    The lengths of bones change by it; `set_bone_lengths` evens them out.

    Args:
        joints: relative to the root, camera frame, metres.
        offsets: of the same joints (`measure_offsets`).
    """
    moved = joints + _SHARE * offsets
    return moved - moved[:, :1]
