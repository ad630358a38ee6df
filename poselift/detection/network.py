"""OpenMMLab's ONNX networks, provided by the user. They take pictures of one size, and give named arrays."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Shaped, UInt8

from poselift.core.errors import InputError, reason
from poselift.detection.session import open_session

IMAGENET_MEAN = (123.675, 116.28, 103.53)
IMAGENET_STD = (58.395, 57.12, 57.375)
"""Normalisation of RGB from 0 to 255 in OpenMMLab's models."""

_AT_ONCE = 32
"""Largest batch of pictures."""


class Network:
    """An ONNX network of float32 pictures (batch, 3, height, width).

    It has one input, of a fixed size. If the file fixes the batch size, blank pictures fill incomplete batches;
    otherwise batches have up to 32.

    Args:
        path: the ONNX file.
        device: "cpu", "cuda", or "auto" for CUDA if onnxruntime offers it.
        outputs: names of the outputs to return.

    Attributes:
        path: the ONNX file.
        size: (width, height) of the pictures.

    Raises:
        InputError: the file is missing or is another kind of network, or the device cannot be used.
    """

    def __init__(self, path: Path, device: str, outputs: Sequence[str]) -> None:
        self.path = path
        self._session = open_session(path, device)
        self._outputs = list(outputs)
        given = [output.name for output in self._session.get_outputs()]
        if not set(outputs) <= set(given):
            raise InputError(
                f"model {path} has the outputs {', '.join(given)}, not {', '.join(outputs)}; export it with mmdeploy"
            )
        inputs = self._session.get_inputs()
        shape = inputs[0].shape if len(inputs) == 1 else []
        if len(shape) != 4 or shape[1] != 3 or inputs[0].type != "tensor(float)":
            described = ", ".join(f"{each.name}: {each.type} {each.shape}" for each in inputs)
            raise InputError(
                f"model {path} has the input {described}; export it with one tensor(float) [batch, 3, height, width]"
            )
        if not all(isinstance(length, int) for length in shape[2:]):
            raise InputError(f"model {path} has no fixed picture size; export it with one")
        self._input = inputs[0].name
        self.size = (int(shape[3]), int(shape[2]))
        self._batch = shape[0] if isinstance(shape[0], int) else None

    def run(
        self, pictures: Sequence[UInt8[np.ndarray, "h w 3"]], mean: Sequence[float], std: Sequence[float]
    ) -> list[Shaped[np.ndarray, "..."]]:
        """The outputs for one or more pictures.

        Args:
            pictures: of the network's size, with channels in its order.
            mean: mean of each channel, subtracted.
            std: standard deviation of each channel, by which it is divided.

        Raises:
            InputError: onnxruntime could not run the network.
        """
        step = self._batch or _AT_ONCE
        shift, scale = np.asarray(mean, np.float32), np.asarray(std, np.float32)
        parts = []
        for start in range(0, len(pictures), step):
            some = np.stack(pictures[start : start + step]).astype(np.float32)
            batch = ((some - shift) / scale).transpose(0, 3, 1, 2)
            if self._batch:
                batch = np.concatenate([batch, np.zeros((step - len(batch), *batch.shape[1:]), np.float32)])
            try:
                found = self._session.run(self._outputs, {self._input: np.ascontiguousarray(batch)})
            except Exception as error:  # onnxruntime's exceptions have no common base
                raise InputError(f"model {self.path} failed on {len(some)} pictures: {reason(error)}") from error
            parts.append([output[: len(some)] for output in found])
        return [np.concatenate(output) for output in zip(*parts, strict=True)]
