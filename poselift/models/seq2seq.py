"""Sequence to sequence: a decoder without attention, Bahdanau's and Luong's, as lifters.

The encoder reads the 2D of all frames. The decoder writes the 3D of one frame after the other. With attention it looks
at the encoder's states for each; without, it has their last one alone. In training it is fed the true joints of the
previous frame (teacher forcing), in use its own. Both sides know the time of their frames by a code of the seconds.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.annotations import Share
from poselift.models.base import FrameFeatures, Lifter
from poselift.models.encoding import Encoded
from poselift.models.model_config import ModelConfig, Size
from poselift.models.recurrent import run_valid
from poselift.nn.attention.centred_window import build_centre, weigh_window
from poselift.nn.attention.distributions import softmax
from poselift.nn.positions import SinusoidalTime

State = tuple[Tensor, ...]
Step = tuple[Float[Tensor, "b c"], State]
"""The joints of one frame, flat, and the decoder's state after it."""


class Memory(NamedTuple):
    """The encoder's states, and which frames belong to the clip."""

    states: Float[Tensor, "b t m"]
    valid: Bool[Tensor, "b t"]


@dataclass(frozen=True, kw_only=True)
class SequenceToSequenceConfig(ModelConfig):
    """What builds any `SequenceToSequence`.

    Attributes:
        dim: width of the states; even.
        teacher_forcing: share of frames in training that are fed the true joints instead of the model's own: 1 in the
            papers. Below 1 the model also meets its own errors (scheduled sampling: Bengio et al. 2015,
            https://arxiv.org/abs/1506.03099).
    """

    dim: Size = 256
    teacher_forcing: Share = 0.5


class SequenceToSequence(Lifter):
    """Base of the three: the loop over frames and the teacher forcing."""

    config: SequenceToSequenceConfig
    teacher_forced: ClassVar[bool] = True

    def __init__(self, config: SequenceToSequenceConfig) -> None:
        super().__init__(config)
        self.features = FrameFeatures(len(self.skeleton_in), config.dim)
        self.time = SinusoidalTime(config.dim)
        self.attended = WeightedMean()

    def forward(
        self, encoded: Encoded, target: Float[Tensor, "b t j_out 3"] | None = None
    ) -> Float[Tensor, "b t j_out 3"]:
        """The joints of a batch of windows, written frame after frame.

        Args:
            encoded: any number of frames.
            target: true joints in the camera frame, for teacher forcing in training; NaN where unknown.
        """
        code = self.time(encoded.times)
        memory = self.encode(self.features(encoded) + code, encoded)
        truth = None if target is None or not self.training else self.from_camera(target, encoded)
        previous = memory.new_zeros(len(memory), 3 * len(self.skeleton_out))
        state, seen = self.start(memory, encoded), Memory(memory, encoded.valid)
        outputs = []
        for frame in range(code.shape[1]):
            joints, state = self.step(previous, code[:, frame], state, seen)
            outputs.append(joints)
            previous = joints
            if truth is not None:
                forced = torch.rand(len(joints), 1, device=joints.device) < self.config.teacher_forcing
                previous = torch.where(forced, truth[:, frame].to(joints.dtype), joints)
        return self.to_camera(torch.stack(outputs, 1), encoded)  # (b, t, 3 * j_out)

    @abstractmethod
    def encode(self, frames: Float[Tensor, "b t d"], encoded: Encoded) -> Float[Tensor, "b t m"]:
        """The encoder's state at each frame."""

    @abstractmethod
    def start(self, memory: Float[Tensor, "b t m"], encoded: Encoded) -> State:
        """The decoder's state before its first frame."""

    @abstractmethod
    def step(self, previous: Float[Tensor, "b c"], code: Float[Tensor, "b d"], state: State, memory: Memory) -> Step:
        """The joints of one frame. They follow from those of the frame before, the code of its time, and the state."""


def additive_scores(query: Float[Tensor, "b a"], keys: Float[Tensor, "b t a"], v: nn.Linear) -> Float[Tensor, "b t"]:
    """The additive score v' tanh(query + key) of projected queries and keys."""
    return v(torch.tanh(query[:, None] + keys))[..., 0]


class WeightedMean(nn.Module):
    """The weighted mean of the memory.

    A module, so that `attention_maps` can hook into it.
    """

    def forward(self, weights: Float[Tensor, "b t"], memory: Float[Tensor, "b t m"]) -> Float[Tensor, "b m"]:
        """The context that the decoder takes from the encoder's states."""
        return (weights[:, None] @ memory)[:, 0]


def _last(memory: Float[Tensor, "b t m"], encoded: Encoded) -> Float[Tensor, "b m"]:
    """The encoder's state at the clip's last frame."""
    last = encoded.valid.sum(1).clamp(min=1) - 1
    return memory[torch.arange(len(memory), device=memory.device), last]


@dataclass(frozen=True, kw_only=True)
class PlainSequenceConfig(SequenceToSequenceConfig):
    """What builds a `PlainSequenceLifter`."""


class PlainSequenceLifter(SequenceToSequence):
    """Sequence to sequence without attention (Sutskever et al. 2014, https://arxiv.org/abs/1409.3215).

    One vector, the state of the encoder's LSTM after the last frame, is all that the decoder's LSTM knows of the 2D.
    Deviations: one layer instead of four, as in the lifters with attention, and frames are read forwards; a linear
    layer lies between the two states.
    """

    config: PlainSequenceConfig

    def __init__(self, config: PlainSequenceConfig) -> None:
        super().__init__(config)
        channels = 3 * len(self.skeleton_out)
        self.encoder = nn.LSTM(config.dim, config.dim, batch_first=True)
        self.initial = nn.Linear(config.dim, 2 * config.dim)
        self.cell = nn.LSTMCell(channels + config.dim, config.dim)
        self.out = nn.Linear(config.dim, channels)

    def encode(self, frames: Float[Tensor, "b t d"], encoded: Encoded) -> Float[Tensor, "b t m"]:
        """The states of the LSTM."""
        return run_valid(self.encoder, frames, encoded)

    def start(self, memory: Float[Tensor, "b t m"], encoded: Encoded) -> State:
        """Hidden and cell state from the encoder's last state."""
        return torch.tanh(self.initial(_last(memory, encoded))).chunk(2, -1)

    def step(self, previous: Float[Tensor, "b c"], code: Float[Tensor, "b d"], state: State, memory: Memory) -> Step:
        """The joints, from the state alone."""
        hidden, cell = self.cell(torch.cat((previous, code), -1), (state[0], state[1]))
        return self.out(hidden), (hidden, cell)


@dataclass(frozen=True, kw_only=True)
class BahdanauConfig(SequenceToSequenceConfig):
    """What builds a `BahdanauLifter`."""


class BahdanauLifter(SequenceToSequence):
    """Attention as an alignment (Bahdanau et al. 2015, https://arxiv.org/abs/1409.0473).

    The encoder is a bidirectional GRU with states h. Before each frame the decoder's last state s scores them,
    e_j = v' tanh(W s + U h_j). Their mean under softmax(e) and the joints of the previous frame go into the GRU. The
    output is linear in state, context and previous joints; the paper's maxout serves a choice of words.
    """

    config: BahdanauConfig

    def __init__(self, config: BahdanauConfig) -> None:
        super().__init__(config)
        dim = config.dim
        channels = 3 * len(self.skeleton_out)
        self.encoder = nn.GRU(dim, dim // 2, batch_first=True, bidirectional=True)
        self.initial = nn.Linear(dim, dim)
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim, bias=False)
        self.v = nn.Linear(dim, 1, bias=False)
        self.cell = nn.GRUCell(channels + 2 * dim, dim)
        self.out = nn.Linear(2 * dim + channels, channels)

    def encode(self, frames: Float[Tensor, "b t d"], encoded: Encoded) -> Float[Tensor, "b t m"]:
        """The states of both directions, concatenated."""
        return run_valid(self.encoder, frames, encoded)

    def start(self, memory: Float[Tensor, "b t m"], encoded: Encoded) -> State:
        """The decoder's state from the encoder's, and its keys."""
        return torch.tanh(self.initial(memory[:, 0])), self.key(memory)

    def step(self, previous: Float[Tensor, "b c"], code: Float[Tensor, "b d"], state: State, memory: Memory) -> Step:
        """The joints: attend first, then step."""
        hidden, keys = state
        weights = softmax(additive_scores(self.query(hidden + code), keys, self.v), memory.valid)
        context = self.attended(weights, memory.states)
        hidden = self.cell(torch.cat((previous, context, code), -1), hidden)
        return self.out(torch.cat((hidden, context, previous), -1)), (hidden, keys)


@dataclass(frozen=True, kw_only=True)
class LuongConfig(SequenceToSequenceConfig):
    """What builds a `LuongLifter`.

    Attributes:
        score: h' s (dot), h' W s (general) or v' tanh(W [h; s]) (concat).
        looks: which frames it attends to: all (global), those around the frame itself (local_monotonic), or those
            around a predicted place (local_predictive).
        reach: frames to each side, if it attends locally.
    """

    score: Literal["dot", "general", "concat"] = "general"
    looks: Literal["global", "local_monotonic", "local_predictive"] = "global"
    reach: Size = 10


class LuongLifter(SequenceToSequence):
    """Attention after the step, with input feeding (Luong et al. 2015, https://arxiv.org/abs/1508.04025).

    The encoder is an LSTM with states s. The decoder's LSTM steps first. Its state h scores the encoder's states, and
    h~ = tanh(W [context; h]) gives the joints and is fed into the next step. Local attention looks at the frames
    within `reach` of a place: the frame itself, or S sigmoid(v' tanh(W h)) with a Gaussian of deviation reach / 2.
    """

    config: LuongConfig

    def __init__(self, config: LuongConfig) -> None:
        super().__init__(config)
        dim, score, looks = config.dim, config.score, config.looks
        channels = 3 * len(self.skeleton_out)
        self.encoder = nn.LSTM(dim, dim, batch_first=True)
        self.initial = nn.Linear(dim, 2 * dim)
        self.cell = nn.LSTMCell(channels + 2 * dim, dim)
        if score != "dot":
            self.key = nn.Linear(dim, dim, bias=False)
        if score == "concat":
            self.query = nn.Linear(dim, dim)
            self.v = nn.Linear(dim, 1, bias=False)
        if looks == "local_predictive":
            self.place = build_centre(dim, 1)
        self.combine = nn.Linear(2 * dim, dim, bias=False)
        self.out = nn.Linear(dim, channels)

    def encode(self, frames: Float[Tensor, "b t d"], encoded: Encoded) -> Float[Tensor, "b t m"]:
        """The states of the LSTM."""
        return run_valid(self.encoder, frames, encoded)

    def start(self, memory: Float[Tensor, "b t m"], encoded: Encoded) -> State:
        """The decoder's state from the encoder's, and its keys."""
        hidden, cell = torch.tanh(self.initial(_last(memory, encoded))).chunk(2, -1)
        keys = memory if self.config.score == "dot" else self.key(memory)
        return hidden, cell, torch.zeros_like(hidden), keys, torch.zeros(len(memory), device=memory.device)

    def step(self, previous: Float[Tensor, "b c"], code: Float[Tensor, "b d"], state: State, memory: Memory) -> Step:
        """The joints: step first, then attend."""
        hidden, cell, fed, keys, frame = state
        hidden, cell = self.cell(torch.cat((previous, fed, code), -1), (hidden, cell))
        if self.config.score == "concat":
            scores = additive_scores(self.query(hidden), keys, self.v)
        else:
            scores = (keys @ hidden[..., None])[..., 0]
        weights = self._localise(scores, hidden, frame, memory.valid)
        fed = torch.tanh(self.combine(torch.cat((self.attended(weights, memory.states), hidden), -1)))
        return self.out(fed), (hidden, cell, fed, keys, frame + 1)

    def _localise(
        self, scores: Float[Tensor, "b t"], hidden: Float[Tensor, "b d"], frame: Float[Tensor, " b"], valid: Tensor
    ) -> Float[Tensor, "b t"]:
        """The weights over the frames in reach."""
        if self.config.looks == "global":
            return softmax(scores, valid)
        index = torch.arange(scores.shape[1], device=scores.device, dtype=frame.dtype)
        last = valid.sum(1).clamp(min=1) - 1
        if self.config.looks == "local_monotonic":
            place = torch.minimum(frame, last.to(frame.dtype))
        else:
            place = last * torch.sigmoid(self.place(hidden))[:, 0].float()
        fades = self.config.looks == "local_predictive"
        return weigh_window(softmax, scores, index - place[:, None], self.config.reach, valid, fades)
