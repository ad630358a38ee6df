"""Recurrent networks over the frames."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from poselift.core.annotations import Share
from poselift.models.base import FrameFeatures, Lifter
from poselift.models.encoding import Encoded
from poselift.models.model_config import DEEPEST, ModelConfig, Size

_CELLS: dict[str, Callable[..., nn.RNNBase]] = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}


@dataclass(frozen=True, kw_only=True)
class RecurrentConfig(ModelConfig):
    """What builds a `RecurrentLifter`.

    Attributes:
        cell: kind of recurrent network.
        dim: width of the state.
        depth: number of layers.
        bidirectional: also run backwards in time.
        dropout: share of each layer's outputs dropped in training; the last layer has none.
    """

    cell: Literal["rnn", "lstm", "gru"] = "lstm"
    dim: Size = 512
    depth: Annotated[int, 1, DEEPEST] = 2
    bidirectional: bool = False
    dropout: Share = 0.1


class RecurrentLifter(Lifter):
    """A recurrent network over frames, with a linear output layer.

    The unidirectional network lifts a frame from itself and the frames before it, so it can run on a live video. The
    bidirectional one (Schuster and Paliwal 1997) sees the whole window.

    - rnn: h_t = tanh(W x_t + U h_(t-1) + b) (Elman 1990)
    - lstm: input, forget and output gates (Hochreiter and Schmidhuber 1997)
    - gru: two gates (Cho et al. 2014, https://arxiv.org/abs/1406.1078)
    """

    config: RecurrentConfig

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__(config)
        dim = config.dim
        self.features = FrameFeatures(len(self.skeleton_in), dim)
        self.network = _CELLS[config.cell](
            dim,
            dim,
            config.depth,
            batch_first=True,
            dropout=config.dropout if config.depth > 1 else 0.0,
            bidirectional=config.bidirectional,
        )
        self.out = nn.Linear(dim * (1 + config.bidirectional), 3 * len(self.skeleton_out))

    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """The joints of a batch of windows."""
        states = run_valid(self.network, self.features(encoded), encoded)
        return self.to_camera(self.out(states), encoded)


def run_valid(network: nn.RNNBase, frames: Float[Tensor, "b t d"], encoded: Encoded) -> Float[Tensor, "b t e"]:
    """The states of a recurrent network that never sees padding."""
    # A unidirectional network never sees what follows. Packed sequences are slow, so use them only where needed. An
    # exported graph has no padding here: only time tokens need it.
    if not network.bidirectional or torch.compiler.is_exporting() or bool(encoded.valid.all()):
        return network(frames)[0]
    lengths = encoded.valid.sum(1).clamp(min=1).cpu()
    packed = pack_padded_sequence(frames, lengths, batch_first=True, enforce_sorted=False)
    states, _ = pad_packed_sequence(network(packed)[0], batch_first=True, total_length=frames.shape[1])
    return states
