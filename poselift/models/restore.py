"""A lifter from its config and weights, which may be damaged."""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from poselift.core.errors import InputError, reason
from poselift.models.base import Lifter
from poselift.models.build import model_from_dict

_NAMED = 3
"""Names of tensors in a message."""


def restore(name: str, config: Mapping[str, Any], state: Mapping[str, Tensor]) -> Lifter:
    """The lifter in eval mode.

    It is first built without memory and compared with the weights, so that wrong sizes in a config cost nothing.

    Args:
        name: class name of the model.
        config: as plain data.
        state: the weights by name.

    Raises:
        InputError: the config builds no model, the weights are not those of this model, or a weight is no finite
            number.
    """
    if not isinstance(config, Mapping):
        raise InputError(f"its config is a {type(config).__name__}, not keys and values")
    with contextlib.suppress(NotImplementedError):  # a model of others that looks at its numbers while it is built
        _build(name, config, state, "meta")
    lifter = _build(name, config, state, "cpu")
    lifter.load_state_dict(state)
    for key, value in lifter.state_dict().items():
        if value.is_floating_point() and not bool(value.isfinite().all()):
            raise InputError(
                f"the weights {key!r} have NaN or infinity; take weights of an earlier step of the training"
            )
    return lifter.eval()


class _Shapes(TorchFunctionMode):
    """Draws no numbers where there is no memory.

    For them PyTorch imports its compiler, which takes over a second.
    """

    def __torch_function__(self, func: Callable, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.Tensor.normal_:
            return args[0]
        if func is torch.randn:
            func, kwargs = torch.empty, {key: value for key, value in (kwargs or {}).items() if key != "generator"}
        return func(*args, **(kwargs or {}))


def _build(name: str, config: Mapping[str, Any], state: Mapping[str, Tensor], device: str) -> Lifter:
    try:
        with torch.device(device), _Shapes() if device == "meta" else contextlib.nullcontext():
            lifter = model_from_dict(name, config)
    except InputError:
        raise
    except Exception as error:  # a wrong value can fail anywhere inside a model
        if device == "meta" and "meta tensor" in str(error):
            raise NotImplementedError(str(error)) from error
        raise InputError(f"its config builds no {name} ({type(error).__name__}: {reason(error)})") from error
    wanted = {key: tuple(value.shape) for key, value in lifter.state_dict().items()}
    found = {key: tuple(value.shape) for key, value in state.items()}
    if wrong := [key for key in {**wanted, **found} if wanted.get(key) != found.get(key)]:
        what = [
            f"{key} is {found.get(key, 'missing')}, expected {wanted.get(key, 'nothing')}" for key in wrong[:_NAMED]
        ]
        raise InputError(f"the weights do not fit the lifter that the config describes: {'; '.join(what)}")
    return lifter
