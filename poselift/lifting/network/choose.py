"""Which network lifts."""

from poselift.lifting.network.onnx_network import OnnxNetwork
from poselift.lifting.network.protocol import LifterNetwork
from poselift.models import Weights


def network_name(weights: Weights) -> str:
    """What lifts with these weights: "torch" or "onnxruntime". torch on a GPU and for weights without a graph."""
    return "torch" if weights.device != "cpu" or weights.graph is None else "onnxruntime"


def choose_network(weights: Weights) -> LifterNetwork:
    """The network for these weights, by `network_name`.

    Raises:
        InputError: the weights need PyTorch, which is not installed, or their graph cannot be used.
    """
    if network_name(weights) == "onnxruntime":
        return OnnxNetwork(weights)
    lifter = weights.lifter
    from poselift.lifting.network.torch_network import TorchNetwork  # imports torch

    return TorchNetwork(lifter)
