"""Where a video's lifter runs: on a GPU, or the CPU."""

from pathlib import Path

from poselift.core.device import check_device, choose_device
from poselift.core.publishing import find_published
from poselift.detection.session import wants_cuda
from poselift.lifting.request import DetectorRequest
from poselift.models.saved_weights import graph_path, shipped_weights


def choose_lifter_device(device: str, weights: str, detector: DetectorRequest) -> str:
    """The device of a lifter: "cpu", "cuda" or a GPU by number.

    With "auto", weights with a graph go to a GPU only if the detector is there too. Finding people takes most of the
    time, and PyTorch and CUDA take as long to start as the CPU takes to lift two people for a minute
    (benchmarks/gpu.md).

    Args:
        device: of the command line.
        weights: the lifter: a name, or a file.
        detector: finds the people.

    Raises:
        InputError: the device is unknown, or cannot be used.
    """
    check_device(device)
    if device == "auto" and not _finds_on_gpu(detector):
        has_graph = find_published(graph_path(Path(shipped_weights().get(weights, weights)))).is_file()
        return "cpu" if has_graph else choose_device(device)
    return choose_device(device)


def _finds_on_gpu(detector: DetectorRequest) -> bool:
    """Whether this detector takes a GPU without being told."""
    if detector.name == "mmpose":
        return choose_device("auto") != "cpu"
    return not detector.prefers_cpu and wants_cuda("auto")
