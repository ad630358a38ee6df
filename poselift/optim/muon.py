"""Muon for the matrices, AdamW for all else, as one optimizer."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim import AdamW, Muon, Optimizer

_SMALLEST = 32
"""The shorter side of a matrix from which on turning its step into a rotation makes sense."""


class MuonAdamW(Optimizer):
    """Muon steps matrices in directions of one length (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/).

    Its steps are as long as AdamW's (Liu et al. 2025, https://arxiv.org/abs/2502.16982), so that one learning rate
    and one weight decay serve both. What is no matrix, or is narrower than 32, is AdamW's.

    Args:
        groups: mappings with "params" and, if wanted, their own "weight_decay".
        lr: the learning rate of both.
        betas: AdamW's.
        momentum: Muon's.
        weight_decay: of groups that do not say their own.
    """

    def __init__(
        self,
        groups: Iterable[dict[str, Any]],
        lr: float = 3e-3,
        betas: Sequence[float] = (0.9, 0.98),
        momentum: float = 0.95,
        weight_decay: float = 0.0,
    ) -> None:
        matrices, others = [], []
        for group in groups:
            params = list(group["params"])  # which may be a generator
            own = [p for p in params if _is_matrix(p)]
            rest = [p for p in params if not _is_matrix(p)]
            matrices += [{**group, "params": own}] if own else []
            others += [{**group, "params": rest}] if rest else []
        self._parts: list[Optimizer] = []
        if matrices:
            self._parts.append(
                Muon(matrices, lr, weight_decay=weight_decay, momentum=momentum, adjust_lr_fn="match_rms_adamw")
            )
        if others:
            self._parts.append(AdamW(others, lr, betas=(betas[0], betas[1]), weight_decay=weight_decay))
        super().__init__([group for part in self._parts for group in part.param_groups], {})

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """As of `Optimizer`, but for the groups that it was made of alone.

        Raises:
            RuntimeError: it has been made.
        """
        if len(self.param_groups) >= sum(len(part.param_groups) for part in self._parts):
            raise RuntimeError("give all groups of parameters when MuonAdamW is made")
        super().add_param_group(param_group)

    def __getstate__(self) -> dict[str, Any]:
        """For copies: with the parts."""
        return {**super().__getstate__(), "_parts": self._parts}

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step of both."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        first = 0
        for part in self._parts:
            # After a checkpoint was loaded, groups and state are new objects: the parts work on ours.
            last = first + len(part.param_groups)
            part.param_groups, part.state = self.param_groups[first:last], self.state
            part.step()
            first = last
        return loss


def _is_matrix(parameter: Tensor) -> bool:
    return parameter.ndim == 2 and min(parameter.shape) >= _SMALLEST
