"""The ONNX graph beside a lifter's weights.

With it onnxruntime lifts without PyTorch.

It takes the windows of `poselift.models.onnx_export`, without the mean with the mirrored keypoints, and gives the
uncertainty without calibration. Its weights are the bytes of the safetensors file: ONNX calls that external data.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.core.files import atomic_files, sha256, write_json
from poselift.core.optional import require
from poselift.core.publishing import find_published
from poselift.models.onnx_export import (
    TOLERANCE,
    PixelsToJoints,
    describe_weights,
    measure_difference,
    refuse,
    run_exporter,
)
from poselift.models.saved_weights import GRAPH_SUM, Weights, graph_path, seal_card

_INLINE = 64
"""Numbers of the largest tensor that the graph itself may hold although the weights have it too."""


def write_graph(weights: Weights) -> Path:
    """Writes the graph of a lifter beside its safetensors file.

    Returns:
        The graph's file.

    Raises:
        InputError: the extra `onnx` is not installed, the lifter cannot be exported, its weights are no file, or the
            file cannot be written.
    """
    onnx = require("onnx", "onnx")
    require("onnxscript", "onnx")
    if weights.path is None or weights.path.suffix != ".safetensors":
        raise InputError(f"{weights.name}: a graph lies beside a .safetensors file; give one")
    raw = {key: value for key, value in weights.card.items() if key != "uncertainty_factor"}
    plain = replace(weights, loaded=weights.lifter, card=raw)
    module = PixelsToJoints(plain, flip=False).eval()
    model = onnx.load_from_string(run_exporter(module, plain).model_proto.SerializeToString())
    _share_weights(onnx, model.graph, weights.path)
    model.ClearField("functions")
    model.producer_name = "poselift"
    config = json.dumps(weights.card["config"], sort_keys=True)
    about = {**describe_weights(weights, flip=False), "model": weights.card["model"], "config": config}
    onnx.helper.set_model_props(model, about)
    path, card = graph_path(weights.path), weights.path.with_suffix(".json")
    with atomic_files(path.parent, card.name) as folder:
        shutil.copyfile(find_published(weights.path), folder / weights.path.name)  # the graph finds it beside itself
        temporary = folder / path.name
        temporary.write_bytes(model.SerializeToString())
        far = measure_difference(module, str(temporary))
        if not far <= TOLERANCE:
            raise refuse(weights, f"its joints would differ by {far} m from PyTorch's")
        write_json(folder / card.name, seal_card({**weights.card, GRAPH_SUM: sha256(temporary)}))
    return path


def _share_weights(onnx: Any, graph: Any, path: Path) -> None:
    """Refers the graph's weights to the safetensors file.

    Drops notes of the exporter.
    """
    stored, places = _tensors(path)
    known: dict[bytes, tuple[str, bool]] = {}
    for name, value in stored.items():
        single = value.astype(np.float32)
        known[single.tobytes()] = name, False
        if single.ndim == 2:
            known.setdefault(single.T.tobytes(), (name, True))
    own, shared, nodes = [], {}, []
    for tensor in graph.initializer:
        content = onnx.numpy_helper.to_array(tensor).tobytes()
        if content not in known or np.prod(tensor.dims) <= _INLINE:
            own.append(tensor)
            continue
        name, turned = known[content]
        half = stored[name].dtype != np.float32
        shape = tuple(tensor.dims)[::-1] if turned else tuple(tensor.dims)
        shared[name] = _reference(onnx, name, shape, stored[name].dtype, path.name, places[name])
        last = tensor.name
        if half:
            cast = f"{last}.single" if turned else last
            nodes.append(onnx.helper.make_node("Cast", [name], [cast], to=onnx.TensorProto.FLOAT))
        if turned:
            nodes.append(onnx.helper.make_node("Transpose", [cast if half else name], [last], perm=[1, 0]))
        elif not half:
            nodes.append(onnx.helper.make_node("Identity", [name], [last]))
    nodes += graph.node
    for field, values in (("initializer", [*own, *shared.values()]), ("node", nodes)):
        graph.ClearField(field)
        getattr(graph, field).extend(values)
    shorten_names(graph, {*shared, *(value.name for value in (*graph.input, *graph.output))})


def shorten_names(graph: Any, kept: set[str]) -> None:
    """Drops the exporter's notes, and makes its names numbers.

    Both are most of a small file.
    """
    for node in graph.node:
        for field in ("name", "metadata_props", "doc_string"):
            node.ClearField(field)
    for field in ("value_info", "metadata_props"):
        graph.ClearField(field)
    short: dict[str, str] = {"": ""}  # an input that is left out
    for tensor in graph.initializer:
        tensor.name = short.setdefault(tensor.name, tensor.name if tensor.name in kept else f"{len(short):x}")
    for node in graph.node:
        for names in (node.input, node.output):
            names[:] = [short.setdefault(name, name if name in kept else f"{len(short):x}") for name in names]


def _reference(onnx: Any, name: str, shape: tuple[int, ...], dtype: np.dtype, file: str, place: tuple[int, int]) -> Any:
    """An initializer whose numbers lie at an offset in another file."""
    tensor = onnx.TensorProto(name=name, dims=shape, data_type=onnx.helper.np_dtype_to_tensor_dtype(dtype))
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", file), ("offset", place[0]), ("length", place[1])):
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def _tensors(path: Path) -> tuple[dict[str, np.ndarray], dict[str, tuple[int, int]]]:
    """A safetensors file's tensors, with their offsets and lengths in bytes."""
    from safetensors.numpy import load

    content = find_published(path).read_bytes()
    first = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:first])
    spans = {name: header[name]["data_offsets"] for name in header if name != "__metadata__"}
    return load(content), {name: (first + start, end - start) for name, (start, end) in spans.items()}
