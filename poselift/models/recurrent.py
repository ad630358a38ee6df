"""Recurrent networks from frame to frame: what there was before attention."""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from poselift.core.errors import InputError
from poselift.models.base import FrameFeatures, Lifter
from poselift.models.encoding import Encoded
from poselift.skeleton import CMU28, H36M17

CELLS: dict[str, Callable[..., nn.RNNBase]] = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}
"""The networks by name: Elman 1990; Hochreiter and Schmidhuber 1997; Cho et al. 2014."""


class RecurrentLifter(Lifter):
    """A recurrent network over the frames, and a linear layer on its state.

    One way, a frame is lifted from itself and those before it: it can run on a live picture. Both ways
    (Schuster and Paliwal 1997), it sees the whole window.

    - rnn: h_t = tanh(W x_t + U h_(t-1) + b) (Elman 1990)
    - lstm: gates for what is taken in, kept and given out (Hochreiter and Schmidhuber 1997)
    - gru: two gates (Cho et al. 2014, https://arxiv.org/abs/1406.1078)

    Args:
        skeleton_in: name of the joint set that goes in.
        skeleton_out: name of the joint set that comes out.
        cell: "rnn", "lstm" or "gru".
        dim: width of the state.
        depth: layers.
        bidirectional: run both ways.
        dropout: share of each layer's outputs but the last one's dropped in training.

    Raises:
        InputError: there is no such cell.
    """

    def __init__(
        self,
        skeleton_in: str = CMU28.name,
        skeleton_out: str = H36M17.name,
        cell: str = "lstm",
        dim: int = 512,
        depth: int = 2,
        bidirectional: bool = False,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(
            skeleton_in, skeleton_out, cell=cell, dim=dim, depth=depth, bidirectional=bidirectional, dropout=dropout
        )
        if cell not in CELLS:
            raise InputError(f"no recurrent cell is called {cell!r}; there are {', '.join(CELLS)}")
        self.features = FrameFeatures(len(self.skeleton_in), dim)
        self.network = CELLS[cell](
            dim, dim, depth, batch_first=True, dropout=dropout if depth > 1 else 0.0, bidirectional=bidirectional
        )
        self.out = nn.Linear(dim * (1 + bidirectional), 3 * len(self.skeleton_out))

    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """Lifts a batch of windows."""
        states = run_valid(self.network, self.features(encoded), encoded)
        return self.to_camera(self.out(states), encoded)


def run_valid(network: nn.RNNBase, frames: Float[Tensor, "b t d"], encoded: Encoded) -> Float[Tensor, "b t e"]:
    """The states of a recurrent network that begins and ends with the clip: it never sees the padding after it."""
    # One way, what comes after the clip's end is never seen. Packed sequences are slow: many times for an LSTM.
    if not network.bidirectional or bool(encoded.valid.all()):
        return network(frames)[0]
    lengths = encoded.valid.sum(1).clamp(min=1).cpu()
    packed = pack_padded_sequence(frames, lengths, batch_first=True, enforce_sorted=False)
    states, _ = pad_packed_sequence(network(packed)[0], batch_first=True, total_length=frames.shape[1])
    return states
