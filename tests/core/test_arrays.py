import numpy as np
import pytest
import torch

from poselift.core.arrays import array_namespace, detach, device


@pytest.mark.parametrize("array", [np.ones(3), np.float64(1.0), torch.ones(3)], ids=["numpy", "scalar", "torch"])
def test_one_call_serves_both_libraries(array):
    xp = array_namespace(array)
    made = xp.zeros(3, dtype=array.dtype, device=device(array))
    assert type(xp.stack((made, made))) is (torch.Tensor if isinstance(array, torch.Tensor) else np.ndarray)


def test_a_detached_tensor_has_no_gradient_and_an_array_is_itself():
    tensor, array = torch.ones(3, requires_grad=True), np.ones(3)
    assert not detach(2 * tensor).requires_grad
    assert detach(array) is array
