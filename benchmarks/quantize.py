"""Makes the graphs that run MoveNet's backbones in 8 bits (poselift/weights/movenet/README.md).

    python -m benchmarks.quantize VIDEO ... [--frames N] [--network movenet_thunder] [--out FOLDER]

A graph has no weights of its own. It takes them from the file in float16 beside it, and onnxruntime quantises them when
it opens the graph: 8 bits, a scale for each channel. Activations have 8 bits too; their ranges are those of the people
and pictures of the videos, without the 0.01 % at either end. The first convolution, the feature pyramid and the heads
stay in float32.

Two changes cost no accuracy: a factor that three channels share is one number, and MultiPose finds the best place of a
joint by rows and columns, because onnxruntime is slow at finding it in the whole picture.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import onnx
from onnx import FunctionProto, NodeProto, TensorProto, helper, numpy_helper

from benchmarks.command import command_line
from poselift.core.onnx_runtime import onnxruntime
from poselift.core.registry import published
from poselift.detection import MoveNet, Search
from poselift.detection.crop import Crop
from poselift.video import VideoReader

NETWORKS = ("movenet_multipose", "movenet_thunder")
_LEAST_SHARED = 64
"""Bytes of a weight from which it stays in the file in float16."""
_LEFT_OUT = 0.01
"""Percent of an activation's values at either end that are beyond its range."""
_BACKBONE = ("expanded_conv", "block_", "Conv__", "out_relu")
"""Parts of the names of its convolutions, but the first one."""
_DOMAIN, _OPSET = "p", 13
"""Domain of the graphs' own functions, and the version of the standard operators."""


class Graph:
    """A network of MoveNet that is changed step by step.

    Args:
        path: the ONNX file with weights in float16.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.model = onnx.load(path)
        self.nodes: list[NodeProto] = list(self.model.graph.node)
        self.constants = {each.name: numpy_helper.to_array(each) for each in self.model.graph.initializer}
        for node in self.nodes:
            if node.op_type == "Cast" and node.input[0] in self.constants:
                self.constants[node.output[0]] = self.constants[node.input[0]].astype(np.float32)

    def add(self, name: str, value: np.ndarray | np.generic) -> str:
        """Adds a constant; its name."""
        self.model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def users(self, tensor: str) -> list[NodeProto]:
        """The nodes that take a tensor."""
        return [node for node in self.nodes if tensor in node.input]

    def session(self, outputs: Sequence[str]) -> onnxruntime.InferenceSession:
        """The network, which also gives some of its tensors."""
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        del model.graph.node[:]
        model.graph.node.extend(self.nodes)
        model.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs)
        return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])

    def write(self, path: Path) -> None:
        """Writes the graph; large weights stay in the first file. Short names make it small."""
        graph, whole = self.model.graph, self.path.read_bytes()
        bodies = [each.g for node in self.nodes for each in node.attribute if each.name == "body"]
        nodes = [*self.nodes, *(node for body in bodies for node in body.node)]
        used = {name for node in nodes for name in node.input}
        constants = [each for each in graph.initializer if each.name in used]
        for each in constants:
            if each.data_type == TensorProto.FLOAT16 and len(each.raw_data) >= _LEAST_SHARED:
                place = {"location": self.path.name, "offset": whole.index(each.raw_data), "length": len(each.raw_data)}
                each.ClearField("raw_data")
                each.data_location = TensorProto.EXTERNAL
                for key, value in place.items():
                    each.external_data.add(key=key, value=str(value))
        short: dict[str, str] = {each.name: each.name for each in [*graph.input, *graph.output]} | {"": ""}
        for node in nodes:
            node.name = ""
            for names in (node.input, node.output):
                names[:] = [short.setdefault(name, np.base_repr(len(short), 36)) for name in names]
        for named in (*constants, *(value for body in bodies for value in (*body.input, *body.output))):
            named.name = short[named.name]
        for field, content in ((graph.node, self.nodes), (graph.initializer, constants), (graph.value_info, [])):
            kept = list(content)
            del field[:]
            field.extend(kept)
        path.write_bytes(self.model.SerializeToString())


def simplify(graph: Graph) -> None:
    """Replaces what is slow in onnxruntime by what gives the same."""
    renamed: dict[str, str] = {}
    nodes = []
    for node in graph.nodes:
        node.input[:] = [renamed.get(name, name) for name in node.input]
        factor = graph.constants.get(node.input[1]) if len(node.input) > 1 else None
        if factor is not None and factor.size == 3 and node.op_type == "Sub" and not factor.any():
            renamed[node.output[0]] = node.input[0]
            continue
        if factor is not None and factor.size == 3 and node.op_type == "Mul" and np.ptp(factor) == 0:
            node.input[1] = graph.add(f"{node.input[1]}_one", factor[:1])
        nodes.append(node)
    graph.nodes = nodes
    for node in [each for each in nodes if each.op_type == "ArgMax" and len(graph.users(each.output[0])) == 1]:
        _by_rows_and_columns(graph, node)


def _by_rows_and_columns(graph: Graph, argmax: NodeProto) -> None:
    """The places of the largest values in (height, width, person, joint), without the one in height x width."""
    reshape = next(each for each in graph.nodes if argmax.input[0] in each.output)
    (cast,) = graph.users(argmax.output[0])
    row = next((each for each in graph.users(cast.output[0]) if each.op_type == "Div"), None)
    column = next((each for each in graph.users(cast.output[0]) if each.op_type == "Sub"), None)
    if graph.constants.get(reshape.input[1], np.zeros(0)).tolist() != [-1, 102] or row is None or column is None:
        return
    values, shape = reshape.input
    made = []
    for node, axis in ((row, 1), (column, 0)):
        name = node.output[0]
        made += [
            helper.make_node("ReduceMax", [values], [f"{name}_best"], axes=[axis], keepdims=0),
            helper.make_node("Reshape", [f"{name}_best", shape], [f"{name}_flat"]),
            helper.make_node("ArgMax", [f"{name}_flat"], [f"{name}_long"], axis=0, keepdims=0),
            helper.make_node("Cast", [f"{name}_long"], [name], to=TensorProto.INT32),
        ]
    at = graph.nodes.index(argmax)
    back = next(each for each in graph.users(row.output[0]) if each.op_type == "Mul")
    left_out = [reshape, argmax, cast, row, column, back]
    kept = [[node for node in part if node not in left_out] for part in (graph.nodes[:at], graph.nodes[at:])]
    graph.nodes = [*kept[0], *made, *kept[1]]


def quantize(graph: Graph, pictures: Sequence[np.ndarray]) -> None:
    """Puts the backbone's convolutions and sums between quantised tensors.

    Args:
        graph: the network.
        pictures: inputs whose activations set the ranges.
    """
    convolutions = [node for node in graph.nodes if node.op_type == "Conv" and any(p in node.name for p in _BACKBONE)]
    clips = {}
    for node in convolutions:
        (*_, after) = graph.users(node.output[0])
        if after.op_type == "Clip":
            # Its range does the same.
            clips[node.output[0]] = after
    tensors = {node.input[0] for node in convolutions}
    tensors |= {clips[node.output[0]].output[0] if node.output[0] in clips else node.output[0] for node in convolutions}
    sums = [node for node in graph.nodes if node.op_type == "Add" and set(node.input) <= tensors]
    names = sorted(tensors | {node.output[0] for node in sums})
    for name, (low, high) in zip(names, _ranges(graph, names, pictures), strict=True):
        scale = np.float32((high - low) / 255)
        graph.add(f"{name}_scale", scale)
        graph.add(f"{name}_zero", np.uint8(np.clip(round(-low / scale), 0, 255)))
    graph.model.functions.extend([_WEIGHTS, _VALUES])
    graph.model.opset_import.append(helper.make_opsetid(_DOMAIN, 1))
    graph.model.ir_version = 8  # the first one with functions
    stored = {node.output[0]: node.input[0] for node in graph.nodes if node.op_type == "Cast"}
    nodes = []
    for node in graph.nodes:
        if any(node is clip for clip in clips.values()):
            continue
        node.input[:] = [f"{name}_near" if name in names else name for name in node.input]
        if node in convolutions:
            if node.output[0] in clips:
                node.output[0] = clips[node.output[0]].output[0]
            nodes.append(_quantised_weights(node, stored))
        nodes.append(node)
        for name in set(names) & set(node.output):
            takes = [name, f"{name}_scale", f"{name}_zero"]
            nodes.append(helper.make_node(_VALUES.name, takes, [f"{name}_near"], domain=_DOMAIN))
    # The functions take what is stored, so most casts are useless.
    used = {name for node in nodes for name in node.input}
    graph.nodes = [node for node in nodes if node.op_type != "Cast" or node.output[0] in used]


def _ranges(graph: Graph, names: Sequence[str], pictures: Sequence[np.ndarray]) -> list[tuple[float, float]]:
    """The least and the largest value of each tensor, 0 among them."""
    session, low, high = graph.session(names), np.zeros(len(names)), np.zeros(len(names))
    for picture in pictures:
        values = session.run(list(names), {session.get_inputs()[0].name: picture[None].astype(np.int32)})
        ends = np.array([np.percentile(value, [_LEFT_OUT, 100 - _LEFT_OUT]) for value in values])
        low, high = np.minimum(low, ends[:, 0]), np.maximum(high, ends[:, 1])
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _quantised_weights(node: NodeProto, stored: Mapping[str, str]) -> NodeProto:
    """What quantises the weights and the bias of a convolution; onnxruntime folds it when it opens the file."""
    inside, *given = node.input
    weights, bias = (stored.get(name, name) for name in given)
    node.input[1:] = [f"{weights}_near", f"{bias}_near_{node.output[0]}"]
    scale = f"{inside.removesuffix('_near')}_scale"
    return helper.make_node(_WEIGHTS.name, [weights, bias, scale], node.input[1:], domain=_DOMAIN)


def _function(name: str, inputs: Sequence[str], outputs: Sequence[str], steps: Sequence[NodeProto]) -> FunctionProto:
    """Steps that a graph names in one node, which makes it small."""
    return helper.make_function(_DOMAIN, name, inputs, outputs, steps, [helper.make_opsetid("", _OPSET)])


_WEIGHTS = _function(
    "W",
    ["stored", "stored_bias", "scale"],
    ["weights_near", "bias_near"],
    [
        helper.make_node("Cast", ["stored"], ["weights"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["stored_bias"], ["bias"], to=TensorProto.FLOAT),
        helper.make_node("Constant", [], ["most"], value_float=127.0),
        helper.make_node("Constant", [], ["least"], value_float=1e-12),
        helper.make_node("Constant", [], ["nothing"], value_float=0.0),
        helper.make_node("Abs", ["weights"], ["sizes"]),
        helper.make_node("ReduceMax", ["sizes"], ["largest"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Max", ["largest", "least"], ["some"]),
        helper.make_node("Div", ["some", "most"], ["step"]),
        helper.make_node("Mul", ["step", "nothing"], ["zeros"]),
        helper.make_node("Cast", ["zeros"], ["zero"], to=TensorProto.INT8),
        helper.make_node("QuantizeLinear", ["weights", "step", "zero"], ["bits"], axis=0),
        helper.make_node("DequantizeLinear", ["bits", "step", "zero"], ["weights_near"], axis=0),
        helper.make_node("Mul", ["step", "scale"], ["bias_step"]),
        helper.make_node("Div", ["bias", "bias_step"], ["bias_share"]),
        helper.make_node("Round", ["bias_share"], ["bias_whole"]),
        helper.make_node("Cast", ["bias_whole"], ["bias_bits"], to=TensorProto.INT32),
        helper.make_node("DequantizeLinear", ["bias_bits", "bias_step"], ["bias_near"], axis=0),
    ],
)
_VALUES = _function(
    "Q",
    ["values", "step", "zero"],
    ["near"],
    [
        helper.make_node("QuantizeLinear", ["values", "step", "zero"], ["bits"]),
        helper.make_node("DequantizeLinear", ["bits", "step", "zero"], ["near"]),
    ],
)


def inputs(videos: Sequence[Path], frames: int) -> Iterator[tuple[str, np.ndarray]]:
    """Pictures as the networks get them, with the name of the network."""
    detector = MoveNet("cpu")
    for video in videos:
        reader = VideoReader(video)
        total = round((reader.info.duration or 1.0) * (reader.info.fps or 30.0))
        for frame in islice(reader, 0, None, max(1, total // frames)):
            found = detector.search(frame.image, Search())
            for box in found.boxes[found.box_scores > 0.35]:
                yield NETWORKS[1], Crop.square(frame.image, box, 256, 1.2).image
            for side in (256, 768):
                yield NETWORKS[0], Crop.whole(frame.image, (side, side), multiple=32).image


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the graph."""
    parser = command_line(__doc__)
    parser.add_argument("videos", nargs="+", type=Path, metavar="VIDEO", help="with people")
    parser.add_argument("--frames", type=int, default=8, help="of each video; default 8")
    parser.add_argument("--network", choices=NETWORKS, default=NETWORKS[0], help="default: %(default)s")
    parser.add_argument("--out", type=Path, help="folder; default: where poselift's weights are")
    options = parser.parse_args(arguments)
    made = [picture for network, picture in inputs(options.videos, options.frames) if network == options.network]
    graph = Graph(published(options.network).path)
    simplify(graph)
    quantize(graph, made)
    path = (options.out or graph.path.parent) / f"{options.network}_int8.onnx"
    graph.write(path)
    print(f"{path}: {path.stat().st_size} bytes, from {len(made)} pictures")


if __name__ == "__main__":
    main()
