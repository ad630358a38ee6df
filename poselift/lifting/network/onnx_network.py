"""Runs a lifter's graph with onnxruntime, on the CPU, without PyTorch."""

import json
from functools import lru_cache
from pathlib import Path

import numpy as np

from poselift.core.errors import InputError
from poselift.core.onnx_runtime import onnxruntime
from poselift.detection.session import open_session
from poselift.geometry import pixels_to_rays, project
from poselift.lifting.network.protocol import EncodedWindows, Lifted
from poselift.models import Weights

_BATCH = 4
"""Windows lifted at once; the tokens of more exceed a CPU's cache."""

_FIXED = ("times", "K", "image_size")
"""Inputs of the graph that a mirror does not change."""

_MIRROR = np.array([-1, 1, 1], np.float32)
"""Turns points of the camera frame into those of a mirror."""


class OnnxNetwork:
    """Runs the graph beside weights; a `LifterNetwork`.

    Args:
        weights: with a graph.

    Attributes:
        batch: number of windows that are best lifted at once.

    Raises:
        InputError: the graph cannot be read, or was made from other weights.
    """

    batch = _BATCH

    def __init__(self, weights: Weights) -> None:
        assert weights.graph is not None, "choose_network has seen it"
        self._order_in = list(weights.skeleton_in.flip_indices)
        self._order_out = list(weights.skeleton_out.flip_indices)
        self._session = _open(weights.graph, weights.sha256)
        about = self._session.get_modelmeta().custom_metadata_map
        card = (weights.sha256, weights.card["model"], weights.card["config"])
        if (about.get("sha256"), about.get("model"), json.loads(about.get("config", "{}"))) != card:
            raise InputError(
                f"{weights.graph} was made from other weights than {weights.path} with its card; write it again: "
                f"poselift export-onnx --beside --weights {weights.path}; or remove it, to lift with PyTorch"
            )

    def lift(self, windows: EncodedWindows, flip: bool) -> Lifted:
        """The joints of windows."""
        if not flip and windows.distortion is None:
            return self._run(windows, windows.pixels, windows.scores)
        # The graph knows neither lenses nor mirrors: it gets the pixels of another picture.
        rays = _rays(windows)
        pixels, scores = _pixels(rays, windows), windows.scores
        if not flip:
            return self._run(windows, pixels, scores)
        order = self._order_in
        pixels = np.concatenate((pixels, _pixels(rays[:, :, order] * _MIRROR, windows)))
        out = self._run(windows, pixels, np.concatenate((scores, scores[:, :, order])))
        b, order = len(scores), self._order_out
        joints = 0.5 * (out.joints[:b] + out.joints[b:, :, order] * _MIRROR)
        if out.uncertainty is None:
            return Lifted(joints, None)
        return Lifted(joints, 0.5 * (out.uncertainty[:b] + out.uncertainty[b:, :, order]))

    def _run(self, windows: EncodedWindows, pixels: np.ndarray, scores: np.ndarray) -> Lifted:
        """The graph's joints of these pixels. All other inputs are repeated for mirrored windows."""
        copies = len(pixels) // len(windows.pixels)
        fixed = {name: np.concatenate([getattr(windows, name)] * copies) for name in _FIXED}
        given = {"pixels": pixels, "scores": scores, **fixed}
        joints, *more = self._session.run(None, {name: np.asarray(x, np.float32) for name, x in given.items()})
        return Lifted(joints, more[0] if more else None)


def _rays(windows: EncodedWindows) -> np.ndarray:
    """Undistorted rays (b, t, j, 3) of all pixels; NaN where unseen."""
    b, t, j = windows.scores.shape
    flat = pixels_to_rays(windows.pixels.reshape(b, t * j, 2), windows.K, windows.distortion)
    return flat.reshape(b, t, j, 3)


def _pixels(rays: np.ndarray, windows: EncodedWindows) -> np.ndarray:
    """Pixels (b, t, j, 2) of rays in a camera without distortion."""
    b, t, j = windows.scores.shape
    return project(rays.reshape(b, t * j, 3), windows.K).reshape(b, t, j, 2)


@lru_cache(maxsize=4)
def _open(path: Path, sha256: str | None) -> onnxruntime.InferenceSession:
    """The opened graph, kept.

    Opening takes as long as lifting ten seconds of video.

    Args:
        path: of the graph.
        sha256: of the weights, so that other weights of the same name are read again.
    """
    # One thread: the last digits depend on their number, and detectors use the other cores.
    return open_session(path, "cpu", threads=1)
