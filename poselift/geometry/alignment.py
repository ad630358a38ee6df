"""The similarity transform that aligns one set of points with another."""

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.geometry.products import compose, cross_matrix, transform


def umeyama(
    source: Float[Tensor, "*batch n 3"],
    target: Float[Tensor, "*batch n 3"],
    weights: Float[Tensor, "*batch n"] | None = None,
    with_scale: bool = True,
) -> tuple[Float[Tensor, "*batch"], Float[Tensor, "*batch 3 3"], Float[Tensor, "*batch 3"]]:
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
        >>> source = torch.eye(3)
        >>> scale, R, t = umeyama(source, 2 * source + 1)
        >>> round(float(scale), 3), t.round()
        (2.0, tensor([1., 1., 1.]))
    """
    if weights is None:
        weights = torch.ones_like(source[..., 0])
    w = weights[..., None]
    source, target = source.where(w > 0, 0.0), target.where(w > 0, 0.0)
    total = weights.sum(-1)[..., None]
    w = w / total.where(total > 0, 1.0)[..., None]
    source_mean, target_mean = (w * source).sum(-2), (w * target).sum(-2)
    source_centred = source - source_mean[..., None, :]
    target_centred = target - target_mean[..., None, :]

    variance = (w * source_centred.square()).sum((-2, -1))
    size = (w * source.square()).sum((-2, -1))
    # The rounding error of the mean, for coincident points.
    coincident = variance <= (16 * torch.finfo(source.dtype).eps) ** 2 * size
    covariance = (w[..., None] * target_centred[..., :, None] * source_centred[..., None, :]).sum(-3)
    covariance = covariance.where(~coincident[..., None, None], 0.0)

    R = _best_rotation(covariance)
    scale = torch.ones_like(variance)
    if with_scale:
        explained = (R * covariance).sum((-2, -1))
        scale = (explained / variance.where(~coincident, 1.0)).where(~coincident, 1.0)
    t = target_mean - scale[..., None] * transform(R, source_mean[..., None, :]).squeeze(-2)
    return scale, R, t


def _best_rotation(covariance: Tensor) -> Tensor:
    """The rotation R that maximises tr(Rᵀ M); its first derivative avoids the SVD.

    The SVD's own derivative divides by differences of singular values and is infinite for symmetric or planar
    poses, where the rotation itself is smooth. At the optimum A = Rᵀ M is symmetric; the turn ω that restores
    this after a change of M solves (tr(A) I - A) ω = vee(A - Aᵀ), singular only if R is not unique.
    """
    finite = covariance.isfinite().all(-1).all(-1)[..., None, None]
    covariance = covariance.where(finite, 0.0)
    with torch.no_grad():
        U, S, Vh = torch.linalg.svd(covariance)
        sign = torch.linalg.det(U) * torch.linalg.det(Vh)
        signs = torch.stack((torch.ones_like(sign), torch.ones_like(sign), sign.sign()), -1)
        optimum = compose(U * signs[..., None, :], Vh)
        eye = torch.eye(3, dtype=S.dtype, device=S.device)
        tolerance = 64 * torch.finfo(S.dtype).eps
        optimum = torch.where((S[..., 0] > 0)[..., None, None], optimum, eye)
        unique = (S[..., 1] + signs[..., 2] * S[..., 2] > tolerance * S[..., 0])[..., None, None]

    A = compose(optimum.mT, covariance)
    stiffness = A.diagonal(dim1=-2, dim2=-1).sum(-1)[..., None, None] * eye - A
    skew = A - A.mT
    vee = torch.stack((skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]), -1)
    turn = torch.linalg.solve(stiffness.detach().where(unique, eye), vee.where(unique.squeeze(-1), 0.0))
    R = optimum + compose(optimum, cross_matrix(turn))
    return R.where(finite, torch.nan)


def apply_similarity(
    points: Float[Tensor, "*#batch n 3"],
    scale: Float[Tensor, "*#batch"],
    R: Float[Tensor, "*#batch 3 3"],
    t: Float[Tensor, "*#batch 3"],
) -> Float[Tensor, "... n 3"]:
    """The points moved by a similarity: scale R x + t."""
    return scale[..., None, None] * transform(R, points) + t[..., None, :]
