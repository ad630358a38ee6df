"""Performer: softmax attention by random features (FAVOR+)."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from poselift.core.annotations import Count
from poselift.core.errors import InputError
from poselift.nn.attention.blockwise import join_blocks, split_into_blocks
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.heads import join_heads, split_heads, split_parts
from poselift.nn.attention.mechanism import Attention
from poselift.nn.positions import rotate

_BLOCK = 64
"""Tokens that causal attention sums at once; any number gives the same result."""


class PerformerAttention(Attention):
    """The softmax kernel by positive orthogonal random features (Choromanski et al. 2020).

    https://arxiv.org/abs/2009.14794. exp(q k) is the mean over Gaussian w of f_w(q) f_w(k). With f fixed random w, keys
    and values can be summed before any query comes, and no matrix of tokens by tokens is needed.

        phi(x) = exp(W x - |x|^2 / 2) / sqrt(f),   x = q / c^(1/4) or k / c^(1/4),   rows of W orthogonal
        out_i = phi(q_i)' sum_j phi(k_j) v_j' / phi(q_i)' sum_j phi(k_j)

    Cost: n f, linear in n. With `causal` the sums run over j <= i, as prefix sums over blocks. The error against exact
    attention falls as 1 / sqrt(f). A masked token does not see itself either.

    The rotary code turns the features of the numerator and not those of the denominator (Su et al. 2021,
    https://arxiv.org/abs/2104.09864, equation 19). An estimate from features of turned vectors would depend on more
    than differences in time. Every c features are turned by the angles of a head, so c must divide f.

    As in the paper, training draws W anew every `redraw_every` passes, so that no layer adapts to one draw. In eval
    mode W stays, and it is saved with the weights.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        features: f, the number of random features; m in the paper.
        redraw_every: training passes between two draws of W.
        options: `causal` and `cross` of `Attention`. With `causal`, later tokens enter a common factor that keeps exp
            in range, and so change the rounding.
    """

    takes_rotation = True
    directions: Tensor

    def __init__(
        self, dim: int, heads: int, *, features: Count = 64, redraw_every: Count = 1000, **options: Any
    ) -> None:
        super().__init__(dim, heads, **options)
        self.redraw_every, self._passes = redraw_every, 0
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * dim)
        self.out = nn.Linear(dim, dim)
        self.register_buffer("directions", orthogonal_gaussian(features, torch.empty(0, dim // heads)))

    def get_extra_state(self) -> Tensor:
        """Training passes so far.

        A resumed run draws W when an uninterrupted one would.
        """
        return torch.tensor(self._passes)

    def set_extra_state(self, state: Tensor) -> None:
        """Restores the count of training passes."""
        self._passes = int(state)

    def _attend(self, context: AttentionContext) -> Float[Tensor, "b n d"]:
        if self.training:
            self._passes += 1
            if self._passes % self.redraw_every == 0:
                self.directions = orthogonal_gaussian(len(self.directions), self.directions)
        q, k, v = self._features(context)
        turned = self._turn(context, q, k)
        if turned is None:
            # A column of ones among the values makes the denominator.
            mixed = self._mix(q, k, F.pad(v, (0, 1), value=1.0))
            mixed, total = mixed[..., :-1], mixed[..., -1:]
        else:
            mixed, total = self._mix(*turned, v), self._mix(q, k, torch.ones_like(v[..., :1]))
        return self.out(join_heads(_divide(mixed, total)))

    def _mix(
        self, q: Float[Tensor, "b h n f"], k: Float[Tensor, "b h m f"], v: Float[Tensor, "b h m c"]
    ) -> Float[Tensor, "b h n c"]:
        """q_i' sum_j k_j v_j'."""
        return _causal(q, k, v) if self.causal else q @ (k.mT @ v)

    def _turn(
        self, context: AttentionContext, q: Float[Tensor, "b h n f"], k: Float[Tensor, "b h m f"]
    ) -> tuple[Float[Tensor, "b h n f"], Float[Tensor, "b h m f"]] | None:
        """The features turned by the rotary code; None without one."""
        if context.rotation is None or context.memory is not None:
            return None
        width = 2 * context.rotation.shape[2]
        if q.shape[-1] % width:
            raise InputError(
                f"rotary positions turn features in groups of a head's width, and {width} does not divide features="
                f"{q.shape[-1]}; choose a multiple of {width}, or sinusoidal positions"
            )
        rotation = context.rotation.repeat(1, 1, q.shape[-1] // width, 1)
        return rotate(q, rotation), rotate(k, rotation)

    def _map(self, context: AttentionContext) -> Float[Tensor, "b h n m"]:
        q, k, _ = self._features(context)
        turned_q, turned_k = self._turn(context, q, k) or (q, k)
        shares, total = turned_q @ turned_k.mT, q @ k.mT
        if self.causal:
            shares, total = shares.tril(), total.tril()
        return _divide(shares, total.sum(-1, keepdim=True))

    def _features(
        self, context: AttentionContext
    ) -> tuple[Float[Tensor, "b h n f"], Float[Tensor, "b h m f"], Float[Tensor, "b h m c"]]:
        """Features of queries and keys, and the values.

        Each feature is times a factor that cancels.
        """
        q = split_heads(self.q(context.tokens), self.heads)
        k, v = split_parts(self.kv(context.source), 2, self.heads)
        present = context.present[:, None, :, None]
        log_q, log_k = self._log_features(q), self._log_features(k)
        # A common factor of the features of one query cancels, and so does one of the features of all keys.
        peak_q = log_q.detach().amax(-1, keepdim=True)
        peak_k = log_k.detach().masked_fill(~present, -torch.inf).amax((-2, -1), keepdim=True)
        # The smallest feature: a query and a key with different peaks would have a sum of 0 otherwise.
        least = torch.finfo(log_q.dtype).eps ** 2
        q, k = (log_q - peak_q).exp() + least, (log_k - peak_k).clamp(max=0).exp() + least
        return q.to(v.dtype), (k * present).to(v.dtype), v

    def _log_features(self, x: Float[Tensor, "b h n c"]) -> Float[Tensor, "b h n f"]:
        """W x - |x|^2 / 2, in float32 at least."""
        x = x.to(torch.promote_types(x.dtype, torch.float32)) * x.shape[-1] ** -0.25
        return x @ self.directions.to(x.dtype).mT - x.square().sum(-1, keepdim=True) / 2


def orthogonal_gaussian(rows: int, like: Float[Tensor, "_ c"]) -> Float[Tensor, "rows c"]:
    """Gaussian vectors, of which every c in a row are orthogonal.

    Each vector alone has the distribution of a Gaussian vector: a uniform direction, and the length of another draw.

    Args:
        rows: number of vectors.
        like: gives the width, type and device.
    """
    c = like.shape[-1]
    bases = []
    for _ in range(-(-rows // c)):
        basis, triangle = torch.linalg.qr(torch.randn(c, c, dtype=like.dtype, device=like.device))
        bases.append(basis.mT * triangle.diagonal().sign()[:, None])
    lengths = torch.randn(rows, c, dtype=like.dtype, device=like.device).norm(dim=-1, keepdim=True)
    return torch.cat(bases)[:rows] * lengths


def _causal(
    q: Float[Tensor, "b h n f"], k: Float[Tensor, "b h n f"], v: Float[Tensor, "b h n c"]
) -> Float[Tensor, "b h n c"]:
    """q_i' sum over j <= i of k_j v_j', in blocks.

    The sum before the block, and the sum within it.
    """
    n = q.shape[-2]
    q, k, v = (split_into_blocks(x, min(_BLOCK, n)) for x in (q, k, v))
    sums = (k.mT @ v).cumsum(2)  # (b, h, blocks, f, c)
    before = F.pad(sums, (0, 0, 0, 0, 1, 0))[:, :, :-1]
    return join_blocks((q @ k.mT).tril() @ v + q @ before, n)


def _divide(shares: Tensor, total: Tensor) -> Tensor:
    """Shares of the total; zeros where the total is zero."""
    return shares / torch.where(total == 0, 1, total)
