"""Performer: softmax attention by random features (FAVOR+)."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.attention import Attention
from poselift.nn.attention.sparse import blocks, everything_visible, join_heads, split_heads

_BLOCK = 64
"""Tokens that are summed at once where attention is causal; any number gives the same."""


class PerformerAttention(Attention):
    """The softmax kernel by positive orthogonal random features (Choromanski et al. 2020).

    https://arxiv.org/abs/2009.14794. exp(q k) is the mean over Gaussian w of f_w(q) f_w(k); with so many w drawn once,
    keys and values can be summed before any query comes, and no matrix of tokens by tokens is needed.

        f(x) = exp(W x - |x|^2 / 2) / sqrt(m),   x = q / c^(1/4) or k / c^(1/4),   rows of W orthogonal
        out_i = f(q_i)' sum_j f(k_j) v_j' / f(q_i)' sum_j f(k_j)

    Cost: n m, linear in n; where it is causal the sums run over j <= i, as prefix sums over blocks. The error against
    exact attention falls as 1 / sqrt(m). It ignores the rotary code: an estimate by features of turned queries and keys
    would depend on more than time differences. A masked token is not seen by itself either.

    As in the paper, W is drawn anew every so many training passes, so that no layer learns to live with one draw; in
    use it stays as it was last, and is saved with the weights.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: a token sees itself and those before it alone. Later tokens then enter the common factor that keeps
            exp in range, and so the rounding.
        cross: queries come from the tokens, keys and values from a memory of another length.
        features: m, the number of random features.
        redraw_every: training passes between two draws of W.
    """

    directions: Tensor

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        causal: bool = False,
        cross: bool = False,
        features: int = 64,
        redraw_every: int = 1000,
    ) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        if features < 1 or redraw_every < 1:
            raise InputError(f"performer: features and redraw_every must be 1 or more, not {features}, {redraw_every}")
        self.redraw_every, self._passes = redraw_every, 0
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * dim)
        self.out = nn.Linear(dim, dim)
        self.register_buffer("directions", orthogonal_gaussian(features, torch.empty(0, dim // heads)))

    def get_extra_state(self) -> Tensor:
        """The training passes so far, saved so that a run that goes on draws when one that never stopped would."""
        return torch.tensor(self._passes)

    def set_extra_state(self, state: Tensor) -> None:
        """Takes up the count."""
        self._passes = int(state)

    def forward(  # noqa: D102 - the interface says it
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        if self.training:
            self._passes += 1
            if self._passes % self.redraw_every == 0:
                self.directions = orthogonal_gaussian(len(self.directions), self.directions)
        q, k, v = self._features(tokens, mask, memory, memory_mask)
        # A column of ones among the values makes the denominator.
        v = F.pad(v, (0, 1), value=1.0)
        mixed = _causal(q, k, v) if self.causal else q @ (k.mT @ v)
        return self.out(join_heads(_divide(mixed[..., :-1], mixed[..., -1:])))

    def attention_map(  # noqa: D102
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b heads n m"]:
        q, k, _ = self._features(tokens, mask, memory, memory_mask)
        shares = q @ k.mT
        if self.causal:
            shares = shares.tril()
        return _divide(shares, shares.sum(-1, keepdim=True))

    def _features(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None,
        memory: Float[Tensor, "b m d"] | None,
        memory_mask: Bool[Tensor, "b m"] | None,
    ) -> tuple[Float[Tensor, "b heads n f"], Float[Tensor, "b heads m f"], Float[Tensor, "b heads m c"]]:
        """Features of queries and of keys, each times a factor that cancels; and the values."""
        source = self.source(tokens, memory)
        q = split_heads(self.q(tokens), self.heads)
        k, v = (split_heads(x, self.heads) for x in self.kv(source).chunk(2, -1))
        visible = everything_visible(source, memory_mask if self.cross else mask)[:, None, :, None]
        log_q, log_k = self._log_features(q), self._log_features(k)
        # The common factor of a query's features cancels, and that of all keys' features too.
        peak_q = log_q.detach().amax(-1, keepdim=True)
        peak_k = log_k.detach().masked_fill(~visible, -torch.inf).amax((-2, -1), keepdim=True)
        # The least that a feature can be, so that no sum of them is 0 where the largest of query and keys differ.
        least = torch.finfo(log_q.dtype).eps ** 2
        q, k = (log_q - peak_q).exp() + least, (log_k - peak_k).clamp(max=0).exp() + least
        return q.to(v.dtype), (k * visible).to(v.dtype), v

    def _log_features(self, x: Float[Tensor, "b heads n c"]) -> Float[Tensor, "b heads n f"]:
        """W x - |x|^2 / 2, in float32 at least."""
        x = x.to(torch.promote_types(x.dtype, torch.float32)) * x.shape[-1] ** -0.25
        return x @ self.directions.to(x.dtype).mT - x.square().sum(-1, keepdim=True) / 2


def orthogonal_gaussian(rows: int, like: Float[Tensor, "_ c"]) -> Float[Tensor, "rows c"]:
    """Gaussian vectors, orthogonal to each other within every c of them; of the type and on the device of `like`.

    Each by itself is distributed as a Gaussian vector is: the direction uniform, the length that of another draw.
    """
    c = like.shape[-1]
    bases = []
    for _ in range(-(-rows // c)):
        basis, triangle = torch.linalg.qr(torch.randn(c, c, dtype=like.dtype, device=like.device))
        bases.append(basis.mT * triangle.diagonal().sign()[:, None])
    lengths = torch.randn(rows, c, dtype=like.dtype, device=like.device).norm(dim=-1, keepdim=True)
    return torch.cat(bases)[:rows] * lengths


def _causal(
    q: Float[Tensor, "b heads n f"], k: Float[Tensor, "b heads n f"], v: Float[Tensor, "b heads n c"]
) -> Float[Tensor, "b heads n c"]:
    """q_i' sum over j <= i of k_j v_j', block by block: the sums before the block, and those in it."""
    n = q.shape[-2]
    q, k, v = (blocks(x, min(_BLOCK, n)) for x in (q, k, v))
    sums = (k.mT @ v).cumsum(2)  # (b, heads, blocks, f, c)
    before = F.pad(sums, (0, 0, 0, 0, 1, 0))[:, :, :-1]
    return ((q @ k.mT).tril() @ v + q @ before).flatten(2, 3)[:, :, :n]


def _divide(shares: Tensor, total: Tensor) -> Tensor:
    """Shares of the total; zeros where there is nothing to look at."""
    return shares / torch.where(total == 0, 1, total)
