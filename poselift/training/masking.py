"""Masked pretraining: parts of what goes in are hidden, and all is asked for."""

from dataclasses import dataclass, replace

import torch

from poselift.core.errors import InputError
from poselift.data.batches import Batch


@dataclass(frozen=True)
class Masking:
    """Hides keypoints from the lifter; the losses go on asking for the joints that are hidden.

    A lifter that has to fill in joints and whole frames learns how people move, from 2D alone too. The idea of
    P-STMO (Shan et al. 2022, https://arxiv.org/abs/2203.07628) and of MotionBERT (Zhu et al. 2023,
    https://arxiv.org/abs/2210.06551, which hides 5% of the joints and 10% of the frames). P-STMO has an encoder of
    its own that gives the hidden 2D back; here the lifter gives 3D at once, and where only 2D is known that 3D is
    held against it (the reprojection loss). No second network, and all weights go on into training.

    Attributes:
        joints: share of the joints that are hidden, each by itself.
        frames: share of the frames that are hidden whole.

    Raises:
        InputError: a share is not from 0 to 1.
    """

    joints: float = 0.0
    frames: float = 0.0

    def __post_init__(self) -> None:
        for name, share in (("joints", self.joints), ("frames", self.frames)):
            if not 0 <= share <= 1:
                raise InputError(f"masking.{name}={share} is not a share; give a number from 0 to 1")

    def hide(self, batch: Batch) -> Batch:
        """The batch with keypoints missing; draws from torch's own generator."""
        if not self.joints and not self.frames:
            return batch
        b, t, j = batch.scores.shape
        device = batch.scores.device
        hidden = torch.rand(b, t, j, device=device) < self.joints
        hidden = hidden | (torch.rand(b, t, 1, device=device) < self.frames)
        return replace(
            batch,
            keypoints=batch.keypoints.masked_fill(hidden[..., None], torch.nan),
            scores=batch.scores.masked_fill(hidden, 0.0),
        )
