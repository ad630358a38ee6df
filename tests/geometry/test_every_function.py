"""Each function of the package: it runs, refuses wrong shapes, takes any leading axes and has gradients."""

import itertools
import subprocess
import sys

import jaxtyping
import numpy as np
import pytest
import torch

from poselift import geometry


def test_every_public_function_is_a_case(cases):
    functions = {name for name in geometry.__all__ if callable(getattr(geometry, name))}
    assert {case.name for case in cases} | {"intrinsics_from_fov", "Camera", "camera_for"} == functions


def test_wrong_shape_is_refused(case):
    first, *others = case.tensors()
    wrong = first[..., :-1] if first.ndim else torch.zeros((), dtype=torch.long)
    with pytest.raises(jaxtyping.TypeCheckError):
        case.call(wrong, *others)


@pytest.mark.parametrize("leading", [(2, 3), (0,)])
def test_any_leading_axes_give_what_single_calls_give(case, leading):
    tensors = case.tensors(*leading)
    outs = case.call(*tensors)
    singles = case.tensors()
    for out, single in zip(outs, case.call(*singles), strict=True):
        assert out.shape == (*leading, *single.shape)
    for index in itertools.product(*(range(n) for n in leading)):
        for out, single in zip(outs, case.call(*(x[index] for x in tensors)), strict=True):
            torch.testing.assert_close(out[index], single)


@pytest.mark.slow
def test_gradients(case):
    tensors = [x.requires_grad_() for x in case.tensors(2)]
    assert torch.autograd.gradcheck(case.call, tensors)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_numpy_arrays_give_what_tensors_give(case, dtype):
    tensors = case.tensors(2, dtype=dtype)
    for array, tensor in zip(case.call(*(x.numpy() for x in tensors)), case.call(*tensors), strict=True):
        assert isinstance(array, np.ndarray)
        tolerance = 1e-4 if dtype == torch.float32 else 1e-9
        torch.testing.assert_close(torch.from_numpy(array), tensor, rtol=tolerance, atol=tolerance)


@pytest.mark.slow
def test_a_compiled_lifter_has_no_breaks_at_geometry():
    """In another process, because shape checks cannot be compiled."""
    code = (
        "import torch\nfrom poselift.geometry import pixels_to_rays, rotation_towards\n"
        "made = torch.compile(lambda x, K: rotation_towards(pixels_to_rays(x, K)), backend='eager', fullgraph=True)\n"
        "made(torch.ones(2, 4, 2), torch.eye(3).expand(2, 3, 3))"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
