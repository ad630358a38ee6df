"""Masked pretraining: parts of the input are hidden.

The loss is over all joints.
"""

from dataclasses import dataclass, replace

import torch

from poselift.core.annotations import Share
from poselift.data.batches import Batch


@dataclass(frozen=True)
class Masking:
    """Hides keypoints from the lifter; the losses include the hidden joints.

    A lifter that predicts hidden joints and frames learns how people move, also from 2D alone. The idea is that of
    P-STMO (Shan et al. 2022, https://arxiv.org/abs/2203.07628) and MotionBERT (Zhu et al. 2023,
    https://arxiv.org/abs/2210.06551, which hides 5% of the joints and 10% of the frames). P-STMO has a separate
    encoder that restores the hidden 2D. Here the lifter outputs 3D, and the reprojection loss compares it with the 2D
    where only 2D is known. So there is no second network, and training continues with all weights.

    Attributes:
        joints: the share of hidden joints, drawn independently.
        frames: the share of hidden frames.
    """

    joints: Share = 0.0
    frames: Share = 0.0

    def hide(self, batch: Batch) -> Batch:
        """The batch with hidden keypoints, drawn from torch's global generator."""
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
