"""What the efficient mechanisms cost as the sequence grows, counted in operations and in numbers that are made."""

import math

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from poselift.nn.attention import ATTENTION, AttentionContext, build_attention

LENGTHS = (128, 256)
DIM, HEADS = 32, 2
LINEAR = {
    "local": {"block": 8, "reach": 8},
    "adaptive_span": {"max_span": 16, "ramp": 2},
    "longformer": {"window": 8, "dilations": [1, 2], "global_tokens": [0, 5]},
    "transformer_xl": {"segment": 8},
    "lsh": {"chunk": 4, "rounds": 2},
    "linformer": {"max_length": 512, "rank": 16},
    "performer": {"features": 16},
    "fnet": {},
    "fastformer": {},
}


class Made(TorchDispatchMode):
    """Counts the numbers of the largest tensor that any operation makes."""

    def __init__(self):
        super().__init__()
        self.largest = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        if isinstance(out, torch.Tensor):
            self.largest = max(self.largest, out.untyped_storage().size() // out.element_size())
        return out


def cost(spec, n, **options):
    """Operations without the projections of each token by itself, and the largest tensor; of one pass."""
    torch.manual_seed(0)
    (layer,) = build_attention(spec, DIM, HEADS, 1, **options)
    tokens, projections = torch.randn(1, n, DIM), []

    def project(module, arguments, _):
        projections.append(2 * arguments[0].numel() * module.out_features)

    for module in layer.eval().modules():
        if isinstance(module, torch.nn.Linear):
            module.register_forward_hook(project)
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter, Made() as made:
        layer(AttentionContext(tokens))
    return counter.get_total_flops() - sum(projections), made.largest


def growth(short, long):
    """How many times greater operations and largest tensor are for the longer sequence."""
    return [later / earlier if earlier else 1.0 for earlier, later in zip(short, long, strict=True)]


def test_exact_attention_grows_with_the_square():
    costs = [cost("scaled_dot", n) for n in LENGTHS]
    assert [operations for operations, _ in costs] == [4 * n * n * DIM for n in LENGTHS]
    assert growth(*costs) == [4, 4]


@pytest.mark.parametrize(
    ("name", "causal"),
    [(name, causal) for name in LINEAR for causal in (False, True) if ATTENTION[name].can_be_causal or not causal],
)
def test_cost_grows_with_the_length(name, causal):
    # A few numbers do not grow at all (distances, weights), so that the factor may be below 2.
    assert max(growth(*(cost({"name": name, **LINEAR[name]}, n, causal=causal) for n in LENGTHS))) < 2.15


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("name", "option"), [("strided", "stride"), ("fixed", "block")])
def test_cost_grows_with_the_length_times_its_root(name, option, causal):
    # Lengths whose roots are whole: 4 times the length, so 8 times the cost, where the square would be 16 times.
    short, long = (cost({"name": name, option: math.isqrt(n)}, n, causal=causal) for n in (64, 256))
    operations, largest = growth(short, long)
    assert 7 < operations < 9
    assert largest < 9
