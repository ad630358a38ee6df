"""Sequence to sequence with attention, frame after frame: Bahdanau's and Luong's decoders as lifters.

The encoder reads the 2D of all frames; the decoder writes the 3D of one frame after the other, and looks at the
encoder's states anew for each. In training it is fed the true joints of the frame before (teacher forcing), in use
its own. A sentence is read by its order alone; frames have time stamps, so both sides know the time of what they
read and write.
"""

from abc import abstractmethod
from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.models.base import FrameFeatures, Lifter
from poselift.models.encoding import Encoded
from poselift.models.recurrent import run_valid
from poselift.nn.positions import SinusoidalTime
from poselift.skeleton import CMU28, H36M17

State = tuple[Tensor, ...]


class SequenceToSequence(Lifter):
    """What the two have in common: the loop over frames, and what is fed back.

    Args:
        skeleton_in: name of the joint set that goes in.
        skeleton_out: name of the joint set that comes out.
        dim: width of the states.
        teacher_forcing: share of frames in training that are fed the truth and not the model's own output: 1 in the
            papers, whose models then never meet their own errors; mixed, as in scheduled sampling (Bengio et al.
            2015, https://arxiv.org/abs/1506.03099), they do.
        **config: of the subclass.
    """

    teacher_forced: ClassVar[bool] = True

    def __init__(self, skeleton_in: str, skeleton_out: str, dim: int, teacher_forcing: float, **config: object) -> None:
        super().__init__(skeleton_in, skeleton_out, dim=dim, teacher_forcing=teacher_forcing, **config)
        self.teacher_forcing = teacher_forcing
        self.features = FrameFeatures(len(self.skeleton_in), dim)
        self.time = SinusoidalTime(dim)
        self.attended = WeightedMean()

    def forward(
        self, encoded: Encoded, target: Float[Tensor, "b t j_out 3"] | None = None
    ) -> Float[Tensor, "b t j_out 3"]:
        """Lifts a batch of windows, frame after frame.

        Args:
            encoded: of any number of frames.
            target: the true joints, camera frame, for teacher forcing in training; NaN where not known.
        """
        code = self.time(encoded.times)
        memory = self.encode(self.features(encoded) + code, encoded)
        truth = None if target is None or not self.training else self.from_camera(target, encoded)
        previous = memory.new_zeros(len(memory), 3 * len(self.skeleton_out))
        state = self.start(memory, encoded)
        outputs = []
        for frame in range(code.shape[1]):
            joints, state = self.step(previous, code[:, frame], state, memory, encoded.valid)
            outputs.append(joints)
            previous = joints
            if truth is not None:
                forced = torch.rand(len(joints), 1, device=joints.device) < self.teacher_forcing
                previous = torch.where(forced, truth[:, frame].to(joints.dtype), joints)
        return self.to_camera(torch.stack(outputs, 1), encoded)

    @abstractmethod
    def encode(self, frames: Float[Tensor, "b t d"], encoded: Encoded) -> Float[Tensor, "b t m"]:
        """The encoder's state at each frame."""

    @abstractmethod
    def start(self, memory: Float[Tensor, "b t m"], encoded: Encoded) -> State:
        """The decoder's state before its first frame."""

    @abstractmethod
    def step(
        self,
        previous: Float[Tensor, "b c"],
        code: Float[Tensor, "b d"],
        state: State,
        memory: Float[Tensor, "b t m"],
        valid: Bool[Tensor, "b t"],
    ) -> tuple[Float[Tensor, "b c"], State]:
        """One frame's joints, side by side, and the state after it.

        Args:
            previous: joints of the frame before.
            code: of the frame's time.
            state: after the frame before.
            memory: the encoder's states.
            valid: frames that belong to the clip.
        """


def additive_scores(query: Float[Tensor, "b a"], keys: Float[Tensor, "b t a"], v: nn.Linear) -> Float[Tensor, "b t"]:
    """The additive score v' tanh(query + key), with both projected already."""
    return v(torch.tanh(query[:, None] + keys))[..., 0]


def weights_over(scores: Float[Tensor, "b t"], valid: Bool[Tensor, "b t"]) -> Float[Tensor, "b t"]:
    """Softmax over the frames of the clip."""
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~valid, lowest).softmax(-1)


class WeightedMean(nn.Module):
    """The mean of the memory under the weights; a module, so that `attention_maps` can watch it."""

    def forward(self, weights: Float[Tensor, "b t"], memory: Float[Tensor, "b t m"]) -> Float[Tensor, "b m"]:
        """What the decoder takes from the encoder's states."""
        return (weights[:, None] @ memory)[:, 0]


def _last(memory: Float[Tensor, "b t m"], encoded: Encoded) -> Float[Tensor, "b m"]:
    """The encoder's state at the clip's last frame."""
    last = encoded.valid.sum(1).clamp(min=1) - 1
    return memory[torch.arange(len(memory), device=memory.device), last]


class BahdanauLifter(SequenceToSequence):
    """Attention as an alignment (Bahdanau et al. 2015, https://arxiv.org/abs/1409.0473).

    A bidirectional GRU encodes. Before each frame the decoder's last state s asks all encoder states h,
    e_j = v' tanh(W s + U h_j), and the GRU takes in their mean under softmax(e) with the joints of the frame before.
    The output is linear in state, context and previous joints; the paper's maxout serves a choice of words.

    Args:
        skeleton_in: name of the joint set that goes in.
        skeleton_out: name of the joint set that comes out.
        dim: width of the states; even.
        teacher_forcing: share of frames in training that are fed the truth.
    """

    def __init__(
        self,
        skeleton_in: str = CMU28.name,
        skeleton_out: str = H36M17.name,
        dim: int = 256,
        teacher_forcing: float = 0.5,
    ) -> None:
        super().__init__(skeleton_in, skeleton_out, dim, teacher_forcing)
        channels = 3 * len(self.skeleton_out)
        self.encoder = nn.GRU(dim, dim // 2, batch_first=True, bidirectional=True)
        self.initial = nn.Linear(dim, dim)
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim, bias=False)
        self.v = nn.Linear(dim, 1, bias=False)
        self.cell = nn.GRUCell(channels + 2 * dim, dim)
        self.out = nn.Linear(2 * dim + channels, channels)

    def encode(self, frames: Float[Tensor, "b t d"], encoded: Encoded) -> Float[Tensor, "b t m"]:
        """States of both directions side by side."""
        return run_valid(self.encoder, frames, encoded)

    def start(self, memory: Float[Tensor, "b t m"], encoded: Encoded) -> State:
        """From the backward encoder's state at the first frame, as in the paper; the keys are projected once."""
        return torch.tanh(self.initial(memory[:, 0])), self.key(memory)

    def step(
        self,
        previous: Float[Tensor, "b c"],
        code: Float[Tensor, "b d"],
        state: State,
        memory: Float[Tensor, "b t m"],
        valid: Bool[Tensor, "b t"],
    ) -> tuple[Float[Tensor, "b c"], State]:
        """Attends first, then steps."""
        hidden, keys = state
        weights = weights_over(additive_scores(self.query(hidden + code), keys, self.v), valid)
        context = self.attended(weights, memory)
        hidden = self.cell(torch.cat((previous, context, code), -1), hidden)
        return self.out(torch.cat((hidden, context, previous), -1)), (hidden, keys)


REACHES = ("global", "local_monotonic", "local_predictive")
"""Which encoder states Luong's decoder looks at."""


class LuongLifter(SequenceToSequence):
    """Attention after the step, with input feeding (Luong et al. 2015, https://arxiv.org/abs/1508.04025).

    An LSTM encodes. The decoder's LSTM steps first; its state h asks the encoder states, and
    h~ = tanh(W [context; h]) gives the joints and is fed back into the next step. Scores are h' s (dot), h' W s
    (general) or v' tanh(W [h; s]) (concat). It looks at all frames, or at those within `reach` of a place: the frame
    itself (local_monotonic), or S sigmoid(v' tanh(W h)) with a Gaussian of deviation reach / 2 (local_predictive).

    Args:
        skeleton_in: name of the joint set that goes in.
        skeleton_out: name of the joint set that comes out.
        dim: width of the states.
        score: "dot", "general" or "concat".
        looks: "global", "local_monotonic" or "local_predictive".
        reach: frames to each side, where it looks locally.
        teacher_forcing: share of frames in training that are fed the truth.

    Raises:
        InputError: there is no such score, or no such place to look.
    """

    def __init__(
        self,
        skeleton_in: str = CMU28.name,
        skeleton_out: str = H36M17.name,
        dim: int = 256,
        score: str = "general",
        looks: str = "global",
        reach: int = 10,
        teacher_forcing: float = 0.5,
    ) -> None:
        super().__init__(skeleton_in, skeleton_out, dim, teacher_forcing, score=score, looks=looks, reach=reach)
        if score not in ("dot", "general", "concat"):
            raise InputError(f"no score is called {score!r}; there are dot, general and concat")
        if looks not in REACHES:
            raise InputError(f"looks={looks} is not known; choose {', '.join(REACHES)}")
        self.score, self.looks, self.reach = score, looks, reach
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
            self.place = nn.Sequential(nn.Linear(dim, dim, bias=False), nn.Tanh(), nn.Linear(dim, 1, bias=False))
        self.combine = nn.Linear(2 * dim, dim, bias=False)
        self.out = nn.Linear(dim, channels)

    def encode(self, frames: Float[Tensor, "b t d"], encoded: Encoded) -> Float[Tensor, "b t m"]:
        """States of the LSTM."""
        return run_valid(self.encoder, frames, encoded)

    def start(self, memory: Float[Tensor, "b t m"], encoded: Encoded) -> State:
        """From the encoder's last state: hidden, cell, what is fed back, the keys, and the frame's number."""
        hidden, cell = torch.tanh(self.initial(_last(memory, encoded))).chunk(2, -1)
        keys = memory if self.score == "dot" else self.key(memory)
        return hidden, cell, torch.zeros_like(hidden), keys, torch.zeros(len(memory), device=memory.device)

    def step(
        self,
        previous: Float[Tensor, "b c"],
        code: Float[Tensor, "b d"],
        state: State,
        memory: Float[Tensor, "b t m"],
        valid: Bool[Tensor, "b t"],
    ) -> tuple[Float[Tensor, "b c"], State]:
        """Steps first, then attends."""
        hidden, cell, fed, keys, frame = state
        hidden, cell = self.cell(torch.cat((previous, fed, code), -1), (hidden, cell))
        if self.score == "concat":
            scores = additive_scores(self.query(hidden), keys, self.v)
        else:
            scores = (keys @ hidden[..., None])[..., 0]
        weights = self._localised(scores, hidden, frame, valid)
        fed = torch.tanh(self.combine(torch.cat((self.attended(weights, memory), hidden), -1)))
        return self.out(fed), (hidden, cell, fed, keys, frame + 1)

    def _localised(
        self, scores: Float[Tensor, "b t"], hidden: Float[Tensor, "b d"], frame: Float[Tensor, " b"], valid: Tensor
    ) -> Float[Tensor, "b t"]:
        """The weights over the frames that are looked at."""
        if self.looks == "global":
            return weights_over(scores, valid)
        index = torch.arange(scores.shape[1], device=scores.device, dtype=frame.dtype)
        last = valid.sum(1).clamp(min=1) - 1
        if self.looks == "local_monotonic":
            place = torch.minimum(frame, last.to(frame.dtype))
        else:
            place = last * torch.sigmoid(self.place(hidden))[:, 0].float()
        near = (index - place[:, None]).abs() <= self.reach
        weights = weights_over(scores, valid & near)
        if self.looks == "local_predictive":
            weights = weights * torch.exp(-2 * ((index - place[:, None]) / self.reach) ** 2).to(weights.dtype)
        return weights
