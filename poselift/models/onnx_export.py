"""A lifter as an ONNX graph from pixels to joints.

Other programs then need no code of poselift.

The graph holds the encoding (`poselift.models.encoding`), the lifter, the mean with the mirrored keypoints and the
calibration of the uncertainty. All its operators are of ONNX's standard domain.
"""

import contextlib
import json
import logging
import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from poselift import __version__
from poselift.core.errors import InputError
from poselift.core.files import atomic_path
from poselift.core.onnx_runtime import onnxruntime
from poselift.core.optional import require
from poselift.core.registry import registry
from poselift.models.mirrored_windows import lift_windows
from poselift.models.saved_weights import Weights

OPSET = 21
"""The newest that onnxruntime 1.18 knows, the oldest onnxruntime that poselift takes."""

INPUTS = ("pixels", "scores", "times", "K", "image_size")
OUTPUTS = ("joints", "uncertainty")

TOLERANCE = 1e-4
"""Largest difference of a graph's joints from PyTorch's, metres."""


class PixelsToJoints(nn.Module):
    """What the exported graph computes: `lift_windows`, with calibrated uncertainty.

    Args:
        weights: the lifter.
        flip: average with the mirrored keypoints.
    """

    def __init__(self, weights: Weights, flip: bool = True) -> None:
        super().__init__()
        self.lifter, self.factor, self.flip = weights.lifter, weights.uncertainty_factor, flip

    def forward(
        self,
        pixels: Float[Tensor, "b t j 2"],
        scores: Float[Tensor, "b t j"],
        times: Float[Tensor, "b t"],
        K: Float[Tensor, "b 3 3"],
        image_size: Float[Tensor, "b 2"],
    ) -> tuple[Tensor, ...]:
        """The joints (b, t, j_out, 3), and uncertainty if given; metres.

        Uncertainty is (b, t, j_out).
        """
        out = lift_windows(self.lifter, pixels, scores, times, K, image_size, flip=self.flip)
        return (out.joints,) if out.uncertainty is None else (out.joints, self.factor * out.uncertainty)


def export_onnx(weights: Weights, path: str | Path, flip: bool = True) -> float:
    """Writes a lifter as an ONNX graph.

    Inputs, float32: `pixels` (b, t, j, 2), NaN where a joint is missing; `scores` (b, t, j), 0 where missing; `times`
    (b, t), seconds; `K` (b, 3, 3); `image_size` (b, 2), width and height. Outputs: `joints` (b, t, j_out, 3), metres,
    camera frame, relative to the root; `uncertainty` (b, t, j_out), metres, if the lifter gives it. b and t are free.

    Args:
        weights: the lifter, on the CPU.
        path: of the .onnx file.
        flip: average with the mirrored keypoints, as `poselift lift` does; False halves the cost.

    Returns:
        The largest difference of the graph's joints from PyTorch's, in windows of random keypoints, metres.

    Raises:
        InputError: the extra `onnx` is not installed, the lifter cannot be exported, or the file cannot be written.
    """
    for package in ("onnx", "onnxscript"):
        require(package, "onnx")
    module = PixelsToJoints(weights, flip).eval()
    program = run_exporter(module, weights)
    program.model.metadata_props.update(describe_weights(weights, flip))
    program.model.producer_name, program.model.producer_version = "poselift", __version__
    with atomic_path(path) as temporary:
        program.save(temporary, external_data=False)
        far = measure_difference(module, temporary.read_bytes())
        if not far <= TOLERANCE:
            raise refuse(weights, f"its joints would differ by {far} m from PyTorch's")
    return far


def describe_weights(weights: Weights, flip: bool) -> dict[str, str]:
    """What the file says about itself; lists and numbers are JSON."""
    skeleton_in, skeleton_out = weights.skeleton_in, weights.skeleton_out
    # The licence of shipped weights, by their SHA-256; other weights may have one in their card.
    licences = [entry.licence for entry in registry().values() if entry.sha256 == weights.sha256]
    known = {
        "weights": weights.name,
        "sha256": weights.sha256,
        "licence": next(iter(licences), weights.card.get("licence")),
        "poselift": __version__,
        "window": json.dumps(weights.window),
        "flip": json.dumps(flip),
        "pelvis": weights.pelvis,
        "skeleton_in": skeleton_in.name,
        "joints_in": json.dumps(skeleton_in.joints),
        "skeleton_out": skeleton_out.name,
        "joints_out": json.dumps(skeleton_out.joints),
        "parents_out": json.dumps(skeleton_out.parent_indices),
    }
    return {key: value for key, value in known.items() if value is not None}


def random_windows(b: int, t: int, j: int) -> tuple[Tensor, ...]:
    """The inputs of b windows of random keypoints; some joints are missing."""
    generator = torch.Generator().manual_seed(b * t)
    pixels, scores = 400 * torch.rand(b, t, j, 2, generator=generator), torch.rand(b, t, j, generator=generator)
    pixels[scores < 0.1] = torch.nan
    scores[(scores > 0.1) & (scores < 0.2)] = 0
    times = (torch.arange(t) / 30).repeat(b, 1)
    K = torch.tensor([[500.0, 0, 320], [0, 510, 240], [0, 0, 1]]).repeat(b, 1, 1)
    return pixels, scores, times, K, torch.tensor([[640.0, 480]]).repeat(b, 1)


def run_exporter(module: PixelsToJoints, weights: Weights) -> Any:
    """The exporter's program.

    Raises:
        InputError: the lifter cannot be exported.
    """
    free = {name: {0: "batch", 1: "frames"} if name in INPUTS[:3] else {0: "batch"} for name in INPUTS}
    try:
        with quiet(), torch.no_grad():
            return torch.onnx.export(
                module,
                random_windows(2, 10, len(module.lifter.skeleton_in)),
                dynamic_shapes=free,
                opset_version=OPSET,
                input_names=INPUTS,
                output_names=OUTPUTS[: 1 + module.lifter.gives_uncertainty],
                dynamo=True,
                verbose=False,
            )
    except Exception as error:  # the exporter's exceptions have no common base
        raise refuse(weights, _cause(error)) from error


def measure_difference(module: PixelsToJoints, graph: str | bytes) -> float:
    """The largest difference between the graph's and PyTorch's joints.

    NaN if only one has a number.

    Args:
        module: the lifter.
        graph: the content of an ONNX file, or the path of one that reads a file beside it.
    """
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    worst = 0.0
    for b, t in ((1, 1), (3, 8), (1, 30)):
        windows = random_windows(b, t, len(module.lifter.skeleton_in))
        # The graph of a lifter that does not look at an input does not have it.
        used = {given.name for given in session.get_inputs()}
        try:
            joints = session.run(["joints"], {k: v.numpy() for k, v in zip(INPUTS, windows, strict=True) if k in used})
        except Exception:  # a graph for other sizes than these; onnxruntime's exceptions have no common base
            return math.nan
        with torch.no_grad():
            worst = max(worst, float((module(*windows)[0] - torch.from_numpy(joints[0])).norm(dim=-1).max()))
    return worst


def refuse(weights: Weights, why: str) -> InputError:
    """The error of a lifter that does not become a graph."""
    model = type(weights.lifter).__name__
    return InputError(
        f"{weights.name}: a {model} cannot become an ONNX graph for any number of frames ({why}); use other weights, "
        "such as small"
    )


def _cause(error: BaseException) -> str:
    """The first line of the innermost cause."""
    while error.__cause__ is not None:
        error = error.__cause__
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hides what the exporter tells its own developers."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
