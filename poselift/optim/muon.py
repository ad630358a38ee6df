"""Muon for matrices and AdamW for all other parameters, as one optimizer."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.optim import AdamW, Optimizer

_SMALLEST = 32
"""Shorter side of the smallest matrix that Muon steps."""
_COEFFICIENTS = 3.4445, -4.7750, 2.0315
"""Of the polynomial whose iteration makes a matrix orthogonal (Jordan et al. 2024)."""
_ITERATIONS = 5
"""Of this polynomial, as in that paper."""


class MuonAdamW(Optimizer):
    """Muon for matrices (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/), AdamW for the rest.

    Muon's steps are scaled to the length of AdamW's (Liu et al. 2025, https://arxiv.org/abs/2502.16982), so one
    learning rate and one weight decay serve both. AdamW also steps matrices with a side below 32.

    Args:
        groups: mappings with "params" and, optionally, "weight_decay".
        lr: learning rate of both.
        betas: of AdamW.
        momentum: of Muon.
        weight_decay: of groups without their own.
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
            params = list(group["params"])  # it may be a generator
            own = [p for p in params if _is_matrix(p)]
            rest = [p for p in params if not _is_matrix(p)]
            matrices += [{**group, "params": own}] if own else []
            others += [{**group, "params": rest}] if rest else []
        self._parts: list[Optimizer] = []
        if matrices:
            self._parts.append(_Muon(matrices, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay}))
        if others:
            self._parts.append(AdamW(others, lr, betas=(betas[0], betas[1]), weight_decay=weight_decay))
        super().__init__([group for part in self._parts for group in part.param_groups], {})

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group while the optimizer is being made, and only then.

        Raises:
            RuntimeError: the optimizer is made already.
        """
        if len(self.param_groups) >= sum(len(part.param_groups) for part in self._parts):
            raise RuntimeError("MuonAdamW takes no more groups of parameters; give all groups when you make it")
        super().add_param_group(param_group)

    def __getstate__(self) -> dict[str, Any]:
        """State for copies, with both optimizers."""
        return {**super().__getstate__(), "_parts": self._parts}

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Steps all parameters, and returns the loss of the closure."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        first = 0
        for part in self._parts:
            # Loading a checkpoint replaces groups and state; the parts must work on the new ones.
            last = first + len(part.param_groups)
            part.param_groups, part.state = self.param_groups[first:last], self.state
            part.step()
            first = last
        return loss


class _Muon(Optimizer):
    """Muon with Nesterov's momentum.

    As `torch.optim.Muon`, which always makes matrices orthogonal in bfloat16.

    On a CPU this one does it in float32: many CPUs have no products of bfloat16, and emulate them much more slowly.
    """

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Steps all parameters; the whole optimizer calls the closure."""
        for group in self.param_groups:
            lr, momentum, decay = group["lr"], group["momentum"], group["weight_decay"]
            # On a GPU, starting the operations takes longer than the products, so matrices of one shape go together.
            together: dict[torch.Size | Tensor, list[tuple[Tensor, Tensor, Tensor]]] = {}
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if "momentum_buffer" not in state:
                    state["momentum_buffer"] = torch.zeros_like(parameter.grad)
                key = parameter.shape if parameter.is_cuda else parameter
                together.setdefault(key, []).append((parameter, parameter.grad, state["momentum_buffer"]))
            for alike in together.values():
                parameters, gradients, buffers = zip(*alike, strict=True)
                torch._foreach_lerp_(buffers, gradients, 1 - momentum)
                updates = _orthogonal(torch.stack(torch._foreach_lerp(gradients, buffers, momentum)))
                rate = lr * 0.2 * max(updates.shape[1:]) ** 0.5
                torch._foreach_mul_(parameters, 1 - lr * decay)
                torch._foreach_add_(parameters, updates.to(parameters[0].dtype).unbind(), alpha=-rate)


def _orthogonal(matrices: Float[Tensor, "n a b"]) -> Float[Tensor, "n a b"]:
    """Matrices with the same singular vectors and singular values near 1.

    Very small singular values stay smaller.
    """
    first, third, fifth = _COEFFICIENTS
    wide = matrices if matrices.shape[1] <= matrices.shape[2] else matrices.mT
    x = wide.to(torch.float32 if matrices.device.type == "cpu" else torch.bfloat16)
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    for _ in range(_ITERATIONS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=third, alpha=fifth), x, beta=first)
    return x if wide is matrices else x.mT


def _is_matrix(parameter: Tensor) -> bool:
    return parameter.ndim == 2 and min(parameter.shape) >= _SMALLEST
