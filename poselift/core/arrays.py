"""One code for numpy arrays and torch tensors. It follows the array API standard (https://data-apis.org/array-api)."""

from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor

    Array = TypeVar("Array", np.ndarray, Tensor)
else:
    # jaxtyping checks shape and dtype of any array; naming torch's would import torch.
    Array = Any

AnyArray = Any
"""An array of either kind, where the type variable would bind nothing: in classes, dictionaries and loops."""

_NUMPY = (np.ndarray, np.generic)
"""Arrays and scalars of numpy; a tuple, because torch.compile cannot follow a union."""


def array_namespace(array: Array) -> ModuleType:
    """The functions of the standard for an array, of numpy or torch.

    `array_api_compat.array_namespace` also knows other libraries, but torch.compile cannot follow it.
    """
    if isinstance(array, _NUMPY):
        return np  # array_api_compat's namespace of numpy loads numpy.ma and numpy.f2py
    from array_api_compat import torch as torch_namespace  # only where there is a tensor

    return torch_namespace


def device(array: Array) -> Any:
    """Where an array lies, for the functions that make another one there."""
    return "cpu" if isinstance(array, _NUMPY) else array.device


def detach(array: Array) -> Array:
    """The values without their gradients. A tensor is cut off from autograd; an array stays itself."""
    return array if isinstance(array, _NUMPY) else array.detach()


def constant(value: Any, like: Array) -> Array:
    """Numbers as an array of another one's kind, precision and device."""
    return array_namespace(like).asarray(value, dtype=like.dtype, device=device(like))


def exporting(array: Array) -> bool:
    """Whether torch is tracing an array's operations into a graph."""
    if isinstance(array, _NUMPY):
        return False
    from torch.compiler import is_exporting

    return is_exporting()
