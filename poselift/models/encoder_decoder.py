"""The Transformer as it was first: an encoder, and a decoder that writes one piece of motion after the other."""

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.models.base import FrameFeatures, Lifter
from poselift.models.encoding import Encoded, pad_time
from poselift.nn.attention import attention_spec, build_attention
from poselift.nn.blocks import DecoderBlock, EncoderBlock, FeedForward
from poselift.nn.initialisation import initialise_
from poselift.nn.positions import SinusoidalTime
from poselift.skeleton import CMU28, H36M17


class EncoderDecoder(Lifter):
    """Encoder and autoregressive decoder (Vaswani et al. 2017, https://arxiv.org/abs/1706.03762).

    The encoder's tokens are `temporal_stride` frames of 2D each. The decoder writes the 3D of `temporal_stride` frames at a time: its
    tokens are the poses before, it sees those behind it alone, and looks across at all of the encoder's. In training
    it is fed the true poses, all at once (teacher forcing); in use its own, one token after the other.

    Times in seconds are coded in the tokens of both sides, so that the decoder finds in the encoder the frames that
    it writes.

    Args:
        skeleton_in: name of the joint set that goes in.
        skeleton_out: name of the joint set that comes out.
        dim: width of the tokens.
        depth: blocks of the encoder, and of the decoder.
        heads: of each attention.
        temporal_stride: frames in a token.
        dropout: share of each residual branch dropped in training.
        noise: standard deviation of what is added to the poses that are fed in training, metres. In use the decoder
            is fed its own errors; without noise it has never seen any.
        attention: mechanism of the encoder, by name with its options.
        decoder_attention: mechanism of the decoder among its own tokens.
        cross_attention: mechanism from the decoder to the encoder.
        norm: where the blocks have their norms, one of `poselift.nn.blocks.NORMS`.
        init: "default", PyTorch's; or "t_fixup", which goes with norm="none".
    """

    teacher_forced: ClassVar[bool] = True

    def __init__(
        self,
        skeleton_in: str = CMU28.name,
        skeleton_out: str = H36M17.name,
        dim: int = 256,
        depth: int = 3,
        heads: int = 8,
        temporal_stride: int = 4,
        dropout: float = 0.0,
        noise: float = 0.05,
        attention: Mapping[str, Any] | str = "scaled_dot",
        decoder_attention: Mapping[str, Any] | str = "scaled_dot",
        cross_attention: Mapping[str, Any] | str = "scaled_dot",
        norm: str = "pre",
        init: str = "default",
    ) -> None:
        super().__init__(
            skeleton_in,
            skeleton_out,
            dim=dim,
            depth=depth,
            heads=heads,
            temporal_stride=temporal_stride,
            dropout=dropout,
            noise=noise,
            attention=attention_spec(attention),
            decoder_attention=attention_spec(decoder_attention),
            cross_attention=attention_spec(cross_attention),
            norm=norm,
            init=init,
        )
        self.temporal_stride, self.noise = temporal_stride, noise
        channels = 3 * len(self.skeleton_out)
        self.time = SinusoidalTime(dim)
        self.features = FrameFeatures(len(self.skeleton_in), dim)
        self.encoder_in = nn.Linear(temporal_stride * dim, dim)
        self.encoder = nn.ModuleList(
            EncoderBlock(dim, attention=layer, feed_forward=FeedForward(dim, 4 * dim), dropout=dropout, norm=norm)
            for layer in build_attention(attention, dim, heads, depth)
        )
        self.encoder_norm = nn.LayerNorm(dim) if norm == "pre" else nn.Identity()
        self.start = nn.Parameter(torch.randn(dim) * 0.02)
        self.decoder_in = nn.Linear(temporal_stride * channels, dim)
        self.decoder = nn.ModuleList(
            DecoderBlock(
                dim,
                attention=own,
                cross_attention=across,
                feed_forward=FeedForward(dim, 4 * dim),
                dropout=dropout,
                norm=norm,
            )
            for own, across in zip(
                build_attention(decoder_attention, dim, heads, depth, causal=True),
                build_attention(cross_attention, dim, heads, depth, cross=True),
                strict=True,
            )
        )
        self.decoder_norm = nn.LayerNorm(dim) if norm == "pre" else nn.Identity()
        self.out = nn.Linear(dim, temporal_stride * channels)
        embeddings = [self.encoder_in, self.decoder_in]
        initialise_(init, norm, encoder=self.encoder, decoder=self.decoder, embeddings=embeddings)

    def forward(
        self, encoded: Encoded, target: Float[Tensor, "b t j_out 3"] | None = None
    ) -> Float[Tensor, "b t j_out 3"]:
        """Lifts a batch of windows.

        Args:
            encoded: of any number of frames.
            target: the true joints, camera frame, for teacher forcing in training; NaN where not known.
        """
        t = encoded.times.shape[1]
        padded = pad_time(encoded, -t % self.temporal_stride)
        b, n = len(padded.times), padded.times.shape[1] // self.temporal_stride
        valid = padded.valid.view(b, n, self.temporal_stride)
        # (b, t) -> (b, n): the time of a token is the mean of its frames'.
        times = (padded.times.view(b, n, self.temporal_stride) * valid).sum(-1) / valid.sum(-1).clamp(min=1)
        code, mask = self.time(times), valid.any(-1)

        memory = self.encoder_in(self.features(padded).view(b, n, -1)) + code
        for block in self.encoder:
            memory = block(memory, mask)
        memory = self.encoder_norm(memory)

        if self.training and target is not None:
            truth = self.from_camera(target, encoded)
            truth = torch.cat((truth, truth.new_zeros(b, padded.times.shape[1] - t, truth.shape[2])), 1)
            truth = truth + self.noise * torch.randn_like(truth)
            pieces = self._decode(self._fed(truth.view(b, n, -1)[:, :-1]) + code, mask, memory)
        else:
            pieces = self._generate(code, mask, memory)
        return self.to_camera(pieces.view(b, n * self.temporal_stride, -1)[:, :t], encoded)

    def _fed(self, pieces: Float[Tensor, "b n c"]) -> Float[Tensor, "b n1 d"]:
        """The decoder's tokens: a learned one for the beginning, then the pieces written so far."""
        start = self.start.expand(len(pieces), 1, -1)
        return torch.cat((start, self.decoder_in(pieces)), 1)

    def _decode(
        self, tokens: Float[Tensor, "b n d"], mask: Bool[Tensor, "b m"], memory: Float[Tensor, "b m d"]
    ) -> Float[Tensor, "b n c"]:
        """The pieces that follow each of the tokens."""
        for block in self.decoder:
            tokens = block(tokens, memory, mask)
        return self.out(self.decoder_norm(tokens))

    def _generate(
        self, code: Float[Tensor, "b n d"], mask: Bool[Tensor, "b n"], memory: Float[Tensor, "b n d"]
    ) -> Float[Tensor, "b n c"]:
        """One piece after the other, each from those before it."""
        pieces = memory.new_zeros(len(memory), 0, self.out.out_features)
        for count in range(1, code.shape[1] + 1):
            tokens = self._fed(pieces) + code[:, :count]
            pieces = torch.cat((pieces, self._decode(tokens, mask, memory)[:, -1:]), 1)
        return pieces
