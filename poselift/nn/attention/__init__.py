"""Attention mechanisms, one a file.

All have one interface: `forward(tokens (b, n, d), mask (b, n) or None, rotation or None) -> (b, n, d)`; the
module owns its projections. `mask` is True where a token is there; a token that is not changes nothing.
"""

from poselift.nn.attention.scaled_dot import ScaledDotAttention

__all__ = ["ScaledDotAttention"]
