"""One code for numpy arrays and torch tensors, by the array API standard (https://data-apis.org/array-api)."""

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from array_api_compat import array_namespace, device

if TYPE_CHECKING:
    from torch import Tensor

    Array = TypeVar("Array", np.ndarray, Tensor)
else:
    # jaxtyping checks shape and dtype of any array; naming torch's would import torch.
    Array = Any

__all__ = ["Array", "array_namespace", "detach", "device"]


def detach(array: Array) -> Array:
    """The values without their gradients: a tensor cut off from autograd, or the array itself."""
    return array if isinstance(array, np.ndarray) else array.detach()
