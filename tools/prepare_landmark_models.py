"""MediaPipe's landmark models as ONNX graphs, from the packages in which Google publishes them.

python tools/prepare_landmark_models.py poselift/weights/mediapipe [--packages FOLDER] [--models NAME ...]

Needs an environment with poselift, onnx, tf2onnx 1.17.0 and tensorflow-cpu 2.21.0; `npm pack` fetches the packages into
FOLDER, unless they are there. Each graph differs from its original in five ways, none of which changes a number that
poselift reads:

- It takes RGB from 0 to 255 as int32, of any number of pictures, and divides by 255 itself.
- It has one output, with the original's outputs side by side that poselift uses; the others are left out.
- Weights are stored in 16 bits, as in the original, and cast to 32 when onnxruntime opens the file.
- Padding is part of the convolutions, as far as onnxruntime allows.
- Of the full model of the body, landmarks and depths that poselift does not read are constant: zeros take no space in
  the wheel.

Each graph is compared with its original, in TensorFlow Lite's own interpreter, on crops of people of poselift's demo
clip; a difference of half a pixel is an error.
"""

import argparse
import hashlib
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from jaxtyping import Float, UInt8
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx.utils import Extractor

from poselift.core.errors import InputError
from poselift.core.files import atomic_path, sha256
from poselift.core.onnx_runtime import onnxruntime
from poselift.detection import MoveNet, Search
from poselift.detection.crop import Crop
from poselift.samples import demo_video
from poselift.skeleton import MEDIAPIPE_LANDMARKS
from poselift.video import VideoReader

_POSE = "@mediapipe/pose@0.5.1675469404", "8bb349a7b3a3ba699df23be804ddd3b3eab810b50b15406894be257859388a84"
_HANDS = "@mediapipe/hands@0.4.1675469240", "bdd5be939c60cbd72a49f4b6141407683cf2a67263598e1a44757d70b3dfcb8a"
"""Packages of npm with their version, and the SHA-256 of their archives."""
_STORED = 16
"""Numbers of a weight from which it is stored in 16 bits."""
_MOST_APART = 0.5
"""Largest difference from the original, pixels of the crop."""
_EVERY = 8
"""Each such frame of the demo clip has its people compared."""


@dataclass(frozen=True)
class Model:
    """A model of a package.

    Attributes:
        package: name and version of the package, and the SHA-256 of its archive.
        file: in the package.
        size: side of its square input, pixels.
        outputs: those that are kept, in this order.
        places: columns of the output that are places in pixels.
        read: columns of the first output that are read; None for all.
    """

    package: tuple[str, str]
    file: str
    size: int
    outputs: tuple[str, ...]
    places: tuple[int, ...]
    read: tuple[int, ...] | None = None


_LANDMARKS, _HAND = 39, 21
_XY = tuple(5 * row + axis for row in range(_LANDMARKS) for axis in (0, 1))
_USED = sorted(MEDIAPIPE_LANDMARKS.values())
MODELS = {
    "pose_landmark_full": Model(
        _POSE,
        "pose_landmark_full.tflite",
        256,
        ("Identity", "Identity_1"),
        tuple(5 * row + axis for row in _USED for axis in (0, 1)),
        tuple(5 * row + value for row in _USED for value in (0, 1, 3, 4)),
    ),
    "pose_landmark_heavy": Model(_POSE, "pose_landmark_heavy.tflite", 256, ("Identity", "Identity_1"), _XY),
    "hand_landmark_full": Model(
        _HANDS,
        "hand_landmark_full.tflite",
        224,
        ("Identity", "Identity_1", "Identity_2", "Identity_3"),
        tuple(3 * row + axis for row in range(_HAND) for axis in (0, 1)),
    ),
}


def fetch(model: Model, folder: Path) -> bytes:
    """The model in TensorFlow Lite's format.

    Args:
        model: which one.
        folder: where archives of packages are kept.

    Raises:
        InputError: the archive cannot be fetched, or is another one.
    """
    name, digest = model.package
    archive = folder / f"{name.removeprefix('@').replace('/', '-').replace('@', '-')}.tgz"
    if not archive.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["npm", "pack", name], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise InputError(f"npm pack {name} failed in {folder}: {done.stderr.strip()[-200:]}")
    if sha256(archive) != digest:
        raise InputError(f"{archive}: its SHA-256 is not {digest}; remove it, and try again")
    with tarfile.open(archive) as packed:
        member = packed.extractfile(f"package/{model.file}")
        if member is None:
            raise InputError(f"{archive} has no file {model.file}")
        return member.read()


def convert(original: bytes, model: Model) -> ModelProto:
    """The model as an ONNX graph; see the head of this file."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / model.file, Path(folder) / "made.onnx"
        given.write_bytes(original)
        command = [sys.executable, "-m", "tf2onnx.convert", "--tflite", given, "--output", made, "--opset", "13"]
        subprocess.run([str(part) for part in command], check=True, capture_output=True)
        graph = onnx.load(made)
    graph = Extractor(graph).extract_model(["input_1"], list(model.outputs))
    _open_batch(graph)
    _take_bytes(graph)
    _join_outputs(graph, model.outputs)
    if model.read is not None:
        _forget_others(graph, model.outputs[0], model.read)
    _merge_padding(graph)
    _halve_weights(graph)
    _shorten_names(graph)
    onnx.checker.check_model(graph)
    return graph


def _open_batch(graph: ModelProto) -> None:
    """Lets the graph take any number of pictures."""
    shapes = {node.input[1] for node in graph.graph.node if node.op_type == "Reshape"}
    for constant in graph.graph.initializer:
        if constant.name in shapes:
            shape = numpy_helper.to_array(constant).copy()
            shape[0] = 0 if shape[0] == 1 else shape[0]
            constant.CopyFrom(numpy_helper.from_array(shape, constant.name))
    # A resize by sizes would fix the batch; by factors it does not.
    known = {each.name: [d.dim_value for d in each.type.tensor_type.shape.dim] for each in graph.graph.value_info}
    for node in graph.graph.node:
        if node.op_type == "Resize" and len(node.input) == 4 and node.input[3]:
            sizes = next(numpy_helper.to_array(c) for c in graph.graph.initializer if c.name == node.input[3])
            before = known[node.input[0]]
            factors = np.array([1, 1, *(sizes[axis] / before[axis] for axis in (2, 3))], np.float32)
            graph.graph.initializer.append(numpy_helper.from_array(factors, f"{node.name}_factors"))
            node.input[2], node.input[3] = f"{node.name}_factors", ""
    for value in (*graph.graph.input, *graph.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = "pictures"
    del graph.graph.value_info[:]


def _take_bytes(graph: ModelProto) -> None:
    """Makes the input int32 from 0 to 255."""
    (given,) = graph.graph.input
    given.type.tensor_type.elem_type = TensorProto.INT32
    for node in graph.graph.node:
        node.input[:] = ["shares" if name == given.name else name for name in node.input]
    graph.graph.initializer.append(numpy_helper.from_array(np.array(255, np.float32), "most"))
    graph.graph.node.insert(0, helper.make_node("Cast", [given.name], ["numbers"], to=TensorProto.FLOAT))
    graph.graph.node.insert(1, helper.make_node("Div", ["numbers", "most"], ["shares"]))


def _join_outputs(graph: ModelProto, outputs: tuple[str, ...]) -> None:
    """Puts the outputs side by side."""
    width = sum(value.type.tensor_type.shape.dim[1].dim_value for value in graph.graph.output)
    del graph.graph.output[:]
    graph.graph.output.append(helper.make_tensor_value_info("joined", TensorProto.FLOAT, ["pictures", width]))
    graph.graph.node.append(helper.make_node("Concat", list(outputs), ["joined"], axis=1))


def _forget_others(graph: ModelProto, output: str, read: tuple[int, ...]) -> None:
    """Sets the weights of an output's other columns to zero."""
    makers = {name: node for node in graph.graph.node for name in node.output}
    node = makers[output]
    while node.op_type != "Conv":
        node = makers[node.input[0]]
    (weights,) = [each for each in graph.graph.initializer if each.name == node.input[1]]
    values = numpy_helper.to_array(weights).copy()
    values[np.setdiff1d(np.arange(len(values)), read)] = 0
    weights.CopyFrom(numpy_helper.from_array(values, weights.name))


def _merge_padding(graph: ModelProto) -> None:
    """Gives the padding with zeros before a convolution to it."""
    constants = {each.name: numpy_helper.to_array(each) for each in graph.graph.initializer}
    pads = {node.output[0]: node for node in graph.graph.node if node.op_type == "Pad"}
    users: dict[str, list[Any]] = {}
    for node in graph.graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)
    for output, pad in pads.items():
        amounts = constants[pad.input[1]].tolist()
        zero = len(pad.input) < 3 or not constants[pad.input[2]].any()
        if any((*amounts[:2], *amounts[4:6])) or not zero or {node.op_type for node in users[output]} != {"Conv"}:
            continue
        for node in users[output]:
            own = next((each for each in node.attribute if each.name == "pads"), None)
            if own is None:
                node.attribute.append(helper.make_attribute("pads", [0, 0, 0, 0]))
                own = node.attribute[-1]
            own.ints[:] = [a + b for a, b in zip(own.ints, (*amounts[2:4], *amounts[6:8]), strict=True)]
            kept = [each for each in node.attribute if each.name != "auto_pad"]
            del node.attribute[:]
            node.attribute.extend(kept)
            node.input[0] = pad.input[0]
        graph.graph.node.remove(pad)


def _halve_weights(graph: ModelProto) -> None:
    """Stores weights in 16 bits where that changes no number."""
    casts = []
    for constant in graph.graph.initializer:
        values = numpy_helper.to_array(constant)
        half = values.astype(np.float16) if values.dtype == np.float32 else values
        if values.dtype == np.float32 and values.size >= _STORED and (half.astype(np.float32) == values).all():
            name = constant.name
            constant.CopyFrom(numpy_helper.from_array(half, f"{name}_half"))
            casts.append(helper.make_node("Cast", [f"{name}_half"], [name], to=TensorProto.FLOAT))
    for cast in reversed(casts):
        graph.graph.node.insert(0, cast)


def _shorten_names(graph: ModelProto) -> None:
    """Short names make the file small; unused constants go."""
    used = {name for node in graph.graph.node for name in node.input}
    kept = [each for each in graph.graph.initializer if each.name in used]
    short = {value.name: value.name for value in (*graph.graph.input, *graph.graph.output)} | {"": ""}
    for node in graph.graph.node:
        node.name = ""
        for names in (node.input, node.output):
            names[:] = [short.setdefault(name, np.base_repr(len(short), 36)) for name in names]
    for each in kept:
        each.name = short[each.name]
    del graph.graph.initializer[:]
    graph.graph.initializer.extend(kept)
    del graph.graph.value_info[:]


def crops(size: int) -> Iterator[UInt8[np.ndarray, "size size 3"]]:
    """Squares about the people of the demo clip, and about the upper left quarter of each."""
    detector = MoveNet("cpu")
    for frame in islice(VideoReader(demo_video()), 0, None, _EVERY):
        found = detector.search(frame.image, Search())
        for box in found.boxes[found.box_scores > 0.3]:
            yield Crop.square(frame.image, box, size, 1.3).image
            yield Crop.square(
                frame.image, np.concatenate([box[:2], box[:2] + (box[2:] - box[:2]) / 4]), size, 1.3
            ).image


def measure_difference(original: bytes, made: Path, model: Model) -> tuple[float, float, int]:
    """The largest difference from the original in pixels, that of the other numbers, and the number of crops."""
    import tensorflow as tf  # a large package, which this command alone needs

    interpreter = tf.lite.Interpreter(model_content=original)
    interpreter.allocate_tensors()
    given, places = interpreter.get_input_details()[0]["index"], interpreter.get_output_details()
    session = onnxruntime.InferenceSession(made, providers=["CPUExecutionProvider"])
    pictures = np.stack(list(crops(model.size)))
    ours = np.concatenate([session.run(None, {"input_1": pictures.astype(np.int32)})[0]])
    theirs: list[Float[np.ndarray, " n"]] = []
    for picture in pictures:
        interpreter.set_tensor(given, (picture / np.float32(255))[None].astype(np.float32))
        interpreter.invoke()
        by_name = {place["name"]: interpreter.get_tensor(place["index"]) for place in places}
        theirs.append(np.concatenate([by_name[name].ravel() for name in model.outputs]))
    apart = np.abs(ours - np.stack(theirs))
    others = np.setdiff1d(np.arange(apart.shape[1]), model.places)
    if model.read is not None:
        last = np.arange(_LANDMARKS * 5, apart.shape[1])
        others = np.setdiff1d([*model.read, *last.tolist()], model.places)
    return float(apart[:, list(model.places)].max()), float(apart[:, others].max()), len(pictures)


def main() -> None:
    """Writes the graphs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder of the graphs")
    parser.add_argument(
        "--packages", type=Path, default=Path("build/packages"), help="folder of the packages' archives"
    )
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS), help="default: all")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        for name in options.models:
            original = fetch(MODELS[name], options.packages)
            path = options.out / f"{name}.onnx"
            with atomic_path(path) as temporary:
                onnx.save(convert(original, MODELS[name]), temporary)
                pixels, rest, count = measure_difference(original, temporary, MODELS[name])
                if pixels >= _MOST_APART:
                    raise InputError(f"{name}: places differ from the original's by {pixels:.2f} pixels")
            print(
                f"{path}: {path.stat().st_size} bytes, SHA-256 {sha256(path)}\n  from {MODELS[name].file}, SHA-256 "
                f"{hashlib.sha256(original).hexdigest()}\n  on {count} crops: places differ by {pixels:.1e} pixels at "
                f"most, other numbers by {rest:.1e}"
            )
    except InputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
