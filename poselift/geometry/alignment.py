"""The similarity transform that aligns one set of points with another."""

import numpy as np
from jaxtyping import Float

from poselift.core.arrays import Array, array_namespace, constant, detach, device, exporting
from poselift.geometry.products import compose, cross_matrix, rotate, stack_matrix, transform, transpose
from poselift.geometry.rotation import quaternion_to_matrix

_SQUARINGS = 10
"""Times that Horn's matrix is squared: its second eigenvector has vanished then, unless the rotation is not unique."""


def umeyama(
    source: Float[Array, "*batch n 3"],
    target: Float[Array, "*batch n 3"],
    weights: Float[Array, "*batch n"] | None = None,
    with_scale: bool = True,
) -> tuple[Float[Array, "*batch"], Float[Array, "*batch 3 3"], Float[Array, "*batch 3"]]:
    """Scale, rotation and translation that align source with target by least squares.

    Umeyama, "Least-squares estimation of transformation parameters between two point patterns", PAMI 1991.
    The rotation is proper: it never mirrors the points.

    The result is finite for degenerate points too. Coincident source points, or weights that are all zero, give
    scale 1 and no rotation. Coincident target points give scale 0 and no rotation. Points on a line are aligned with
    an arbitrary turn about that line, which has no gradient. Elsewhere first derivatives are exact, also for planar
    points.

    Args:
        source: points to move.
        target: the place of each.
        weights: not negative; points of weight 0 are ignored and may be NaN. Equal by default.
        with_scale: False keeps the size of the source.

    Returns:
        scale, R and t, so that scale R source + t is closest to target; NaN where a point with weight is not finite.

    Example:
        >>> import numpy as np
        >>> source = np.eye(3)
        >>> scale, R, t = umeyama(source, 2 * source + 1)
        >>> round(float(scale), 3), t.round().tolist()
        (2.0, [1.0, 1.0, 1.0])
    """
    xp = array_namespace(source)
    if weights is None:
        weights = xp.ones_like(source[..., 0])
    w = weights[..., None]
    source, target = xp.where(w > 0, source, 0.0), xp.where(w > 0, target, 0.0)
    total = weights.sum(-1)[..., None]
    w = w / xp.where(total > 0, total, 1.0)[..., None]
    source_mean, target_mean = (w * source).sum(-2), (w * target).sum(-2)
    source_centred = source - source_mean[..., None, :]
    target_centred = target - target_mean[..., None, :]

    variance = (w * source_centred**2).sum((-2, -1))
    size = (w * source**2).sum((-2, -1))
    # The rounding error of the mean, for coincident points.
    coincident = variance <= (16 * xp.finfo(source.dtype).eps) ** 2 * size
    covariance = (w[..., None] * target_centred[..., :, None] * source_centred[..., None, :]).sum(-3)
    covariance = xp.where(coincident[..., None, None], 0.0, covariance)

    R = _best_rotation(covariance)
    scale = xp.ones_like(variance)
    if with_scale:
        explained = (R * covariance).sum((-2, -1))
        scale = xp.where(coincident, 1.0, explained / xp.where(coincident, 1.0, variance))
    t = target_mean - scale[..., None] * rotate(R, source_mean)
    return scale, R, t


def _best_rotation(covariance: Array) -> Array:
    """The rotation R that maximises tr(Rᵀ M).

    Its first derivative avoids the SVD. The SVD's own derivative divides by differences of singular values and is
    infinite for symmetric or planar poses, where the rotation itself is smooth. At the optimum A = Rᵀ M is symmetric;
    the turn ω that restores this after a change of M solves (tr(A) I - A) ω = vee(A - Aᵀ), singular only if R is not
    unique.
    """
    xp = array_namespace(covariance)
    if exporting(covariance):
        return _rotation_by_squaring(covariance)
    finite = xp.all(xp.isfinite(covariance), axis=(-2, -1))[..., None, None]
    covariance = xp.where(finite, covariance, 0.0)
    U, S, Vh = xp.linalg.svd(detach(covariance))
    sign = xp.sign(xp.linalg.det(U) * xp.linalg.det(Vh))
    signs = xp.stack((xp.ones_like(sign), xp.ones_like(sign), sign), axis=-1)
    eye = xp.eye(3, dtype=S.dtype, device=device(S))
    tolerance = 64 * xp.finfo(S.dtype).eps
    optimum = xp.where((S[..., 0] > 0)[..., None, None], compose(U * signs[..., None, :], Vh), eye)
    unique = (S[..., 1] + signs[..., 2] * S[..., 2] > tolerance * S[..., 0])[..., None, None]

    A = compose(transpose(optimum), covariance)
    stiffness = xp.linalg.trace(A)[..., None, None] * eye - A
    skew = A - transpose(A)
    vee = xp.stack((skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]), axis=-1)[..., None]
    turn = xp.linalg.solve(xp.where(unique, detach(stiffness), eye), xp.where(unique, vee, 0.0))
    R = optimum + compose(optimum, cross_matrix(turn[..., 0]))
    return xp.where(finite, R, xp.nan)


def _rotation_by_squaring(covariance: Array) -> Array:
    """The best rotation by Horn's quaternion, for graphs without an SVD.

    Horn, "Closed-form solution of absolute orientation using unit quaternions", JOSA A 1987. Squared often enough, the
    matrix is the product of its first eigenvector with itself.
    """
    xp = array_namespace(covariance)
    (xx, yx, zx), (xy, yy, zy), (xz, yz, zz) = (xp.unstack(row, axis=-1) for row in xp.unstack(covariance, axis=-2))
    matrix = stack_matrix(
        (xx + yy + zz, yz - zy, zx - xz, xy - yx),
        (yz - zy, xx - yy - zz, xy + yx, zx + xz),
        (zx - xz, xy + yx, yy - xx - zz, yz + zy),
        (xy - yx, zx + xz, yz + zy, zz - xx - yy),
    )
    size = xp.sqrt((matrix**2).sum((-2, -1)))[..., None, None]
    # Its eigenvalues lie between -size and size; with size added, the first one is the largest.
    matrix = matrix / xp.where(size > 0, size, 1.0) + constant(np.eye(4), matrix)
    for _ in range(_SQUARINGS):
        matrix = matrix @ matrix
        matrix = matrix / xp.linalg.vector_norm(matrix, axis=(-2, -1), keepdims=True)
    # All rows are multiples of the eigenvector.
    longest = (matrix**2).sum(-1).argmax(-1)[..., None] == constant(np.arange(4.0), matrix)
    return quaternion_to_matrix(xp.where(longest[..., None], matrix, 0.0).sum(-2))


def apply_similarity(
    points: Float[Array, "*#batch n 3"],
    scale: Float[Array, "*#batch"],
    R: Float[Array, "*#batch 3 3"],
    t: Float[Array, "*#batch 3"],
) -> Float[Array, "... n 3"]:
    """The points moved by a similarity: scale R x + t."""
    return scale[..., None, None] * transform(R, points) + t[..., None, :]
