"""The Transformer with an encoder and an autoregressive decoder."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.annotations import Share
from poselift.models.base import FrameFeatures, Lifter
from poselift.models.encoding import Encoded, pad_time
from poselift.models.model_config import AttentionSpec, Depth, ModelConfig, Size
from poselift.nn.attention import build_attention
from poselift.nn.blocks import DecoderBlock, EncoderBlock, FeedForward
from poselift.nn.initialisation import initialise_
from poselift.nn.positions import SinusoidalTime


@dataclass(frozen=True, kw_only=True)
class EncoderDecoderConfig(ModelConfig):
    """What builds an `EncoderDecoder`.

    Attributes:
        dim: width of the tokens.
        depth: number of blocks in the encoder, and in the decoder.
        heads: heads of each attention.
        temporal_stride: frames in a token.
        dropout: share of each residual branch dropped in training.
        noise: standard deviation of the noise on the poses fed in training, metres. In use the decoder is fed its own
            errors; the noise prepares it for them.
        attention: mechanism of the encoder.
        decoder_attention: mechanism of the decoder among its own tokens.
        cross_attention: mechanism from the decoder to the encoder.
        positions: how tokens know their time; the decoder finds its frames in the encoder by a code in the tokens.
        norm: place of the blocks' norms, one of `poselift.nn.blocks.NORMS`.
        init: initial weights, one of `poselift.nn.initialisation.INITS`; "t_fixup" needs norm="none".
    """

    dim: Size = 256
    depth: Depth = 3
    heads: Size = 8
    temporal_stride: Size = 4
    dropout: Share = 0.0
    noise: Annotated[float, 0.0, 1.0] = 0.05
    attention: AttentionSpec = "scaled_dot"
    decoder_attention: AttentionSpec = "scaled_dot"
    cross_attention: AttentionSpec = "scaled_dot"
    positions: Literal["sinusoidal"] = "sinusoidal"
    norm: str = "pre"
    init: str = "default"


class EncoderDecoder(Lifter):
    """Encoder and autoregressive decoder (Vaswani et al. 2017, https://arxiv.org/abs/1706.03762).

    A token of the encoder holds the 2D of `temporal_stride` frames. The decoder writes the 3D of as many frames at a
    time. Its tokens are the poses before; each sees the tokens before it, and all tokens of the encoder. In training
    the decoder is fed all true poses at once (teacher forcing); in use it is fed its own, one token after the other.

    The tokens of both sides carry a code of their time in seconds, by which the decoder finds its frames in the
    encoder.

    Raises:
        InputError: a mechanism refuses its options, or two values do not go together.
    """

    config: EncoderDecoderConfig
    teacher_forced: ClassVar[bool] = True

    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__(config)
        dim, heads, depth, norm = config.dim, config.heads, config.depth, config.norm
        self.temporal_stride = config.temporal_stride
        channels = 3 * len(self.skeleton_out)
        self.time = SinusoidalTime(dim)
        self.features = FrameFeatures(len(self.skeleton_in), dim)
        self.encoder_in = nn.Linear(self.temporal_stride * dim, dim)
        self.encoder = nn.ModuleList(
            EncoderBlock(
                dim, attention=layer, feed_forward=FeedForward(dim, 4 * dim), dropout=config.dropout, norm=norm
            )
            for layer in build_attention(config.attention, dim, heads, depth)
        )
        self.encoder_norm = nn.LayerNorm(dim) if norm == "pre" else nn.Identity()
        self.start = nn.Parameter(torch.randn(dim) * 0.02)
        self.decoder_in = nn.Linear(self.temporal_stride * channels, dim)
        self.decoder = nn.ModuleList(
            DecoderBlock(
                dim,
                attention=own,
                cross_attention=across,
                feed_forward=FeedForward(dim, 4 * dim),
                dropout=config.dropout,
                norm=norm,
            )
            for own, across in zip(
                build_attention(config.decoder_attention, dim, heads, depth, causal=True),
                build_attention(config.cross_attention, dim, heads, depth, cross=True),
                strict=True,
            )
        )
        self.decoder_norm = nn.LayerNorm(dim) if norm == "pre" else nn.Identity()
        self.out = nn.Linear(dim, self.temporal_stride * channels)
        embeddings = [self.encoder_in, self.decoder_in]
        initialise_(config.init, norm, encoder=self.encoder, decoder=self.decoder, embeddings=embeddings)

    def forward(
        self, encoded: Encoded, target: Float[Tensor, "b t j_out 3"] | None = None
    ) -> Float[Tensor, "b t j_out 3"]:
        """The joints of a batch of windows.

        Args:
            encoded: any number of frames.
            target: true joints in the camera frame, for teacher forcing in training; NaN where unknown.
        """
        t = encoded.times.shape[1]
        padded = pad_time(encoded, -t % self.temporal_stride)
        b, n = len(padded.times), padded.times.shape[1] // self.temporal_stride
        valid = padded.valid.view(b, n, self.temporal_stride)
        # (b, t) -> (b, n): the time of a token is the mean over its frames.
        times = (padded.times.view(b, n, self.temporal_stride) * valid).sum(-1) / valid.sum(-1).clamp(min=1)
        code, mask = self.time(times), valid.any(-1)

        # (b, n * temporal_stride, d) -> (b, n, temporal_stride * d): frames side by side in their token.
        memory = self.encoder_in(self.features(padded).view(b, n, -1)) + code
        for block in self.encoder:
            memory = block(memory, mask)
        memory = self.encoder_norm(memory)

        if self.training and target is not None:
            truth = self.from_camera(target, encoded)
            truth = torch.cat((truth, truth.new_zeros(b, padded.times.shape[1] - t, truth.shape[2])), 1)
            truth = truth + self.config.noise * torch.randn_like(truth)
            # (b, n * temporal_stride, c) -> (b, n, temporal_stride * c)
            pieces = self._decode(self._feed(truth.view(b, n, -1)[:, :-1]) + code, mask, memory)
        else:
            pieces = self._generate(code, mask, memory)
        # (b, n, temporal_stride * c) -> (b, n * temporal_stride, c)
        return self.to_camera(pieces.view(b, n * self.temporal_stride, -1)[:, :t], encoded)

    def _feed(self, pieces: Float[Tensor, "b n c"]) -> Float[Tensor, "b n1 d"]:
        """The decoder's tokens: a learned start token, then the pieces before."""
        start = self.start.expand(len(pieces), 1, -1)
        return torch.cat((start, self.decoder_in(pieces)), 1)

    def _decode(
        self, tokens: Float[Tensor, "b n d"], mask: Bool[Tensor, "b m"], memory: Float[Tensor, "b m d"]
    ) -> Float[Tensor, "b n c"]:
        """The piece after each token."""
        for block in self.decoder:
            tokens = block(tokens, memory, mask)
        return self.out(self.decoder_norm(tokens))

    def _generate(
        self, code: Float[Tensor, "b n d"], mask: Bool[Tensor, "b n"], memory: Float[Tensor, "b n d"]
    ) -> Float[Tensor, "b n c"]:
        """The pieces, each written from the pieces before it."""
        pieces = memory.new_zeros(len(memory), 0, self.out.out_features)
        for count in range(1, code.shape[1] + 1):
            tokens = self._feed(pieces) + code[:, :count]
            pieces = torch.cat((pieces, self._decode(tokens, mask, memory)[:, -1:]), 1)
        return pieces
