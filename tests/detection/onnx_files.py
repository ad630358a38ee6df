"""Small real ONNX files for tests: networks that answer with the places of coloured marks, or with given boxes."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MEAN = np.array([123.675, 116.28, 103.53], np.float32)
STD = np.array([58.395, 57.12, 57.375], np.float32)
SHARPNESS = 0.0035
"""Of the response to a colour, by its squared distance."""


def write(path, nodes, inputs, outputs, constants):
    initializers = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "test", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def mark_finder(path, colours, size=(192, 256), batch="batch", order=("simcc_x", "simcc_y"), split=2):
    """A network in RTMPose's form that finds for each joint the middle of the mark of its colour (RGB 0 to 255).

    It undoes RTMPose's normalisation, and weighs each pixel by how much it is of the colour: the mean over them, which
    may lie between pixels, is where simcc_x and simcc_y are largest, `split` places to a pixel.
    """
    width, height = size
    node = helper.make_node
    columns, rows = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)
    constants = {
        "mean": MEAN.reshape(1, 3, 1, 1),
        "std": STD.reshape(1, 3, 1, 1),
        "colours": np.asarray(colours, np.float32)[None, :, :, None, None],
        "one": np.array([1], np.int64),
        "channel": np.array([2], np.int64),
        "pixels": np.array([2, 3], np.int64),
        "sharpness": np.float32(-SHARPNESS),
        "columns": columns.reshape(1, 1, 1, -1),
        "rows": rows.reshape(1, 1, -1, 1),
        "places_x": np.arange(width * split, dtype=np.float32).reshape(1, 1, -1) / split,
        "places_y": np.arange(height * split, dtype=np.float32).reshape(1, 1, -1) / split,
        "last": np.array([2], np.int64),
        "tiny": np.float32(1e-9),
        "score": np.float32(0.8),
    }
    nodes = [
        node("Mul", ["input", "std"], ["scaled"]),
        node("Add", ["scaled", "mean"], ["rgb"]),
        node("Unsqueeze", ["rgb", "one"], ["rgb1"]),
        node("Sub", ["rgb1", "colours"], ["off"]),
        node("Mul", ["off", "off"], ["off2"]),
        node("ReduceSum", ["off2", "channel"], ["distance"], keepdims=0),
        node("Mul", ["distance", "sharpness"], ["closeness"]),
        node("Exp", ["closeness"], ["weights"]),
        node("ReduceSum", ["weights", "pixels"], ["bare_total"], keepdims=0),
        node("Add", ["bare_total", "tiny"], ["total"]),
    ]
    for axis, of in (("x", "columns"), ("y", "rows")):
        nodes += [
            node("Mul", ["weights", of], [f"weighed_{axis}"]),
            node("ReduceSum", [f"weighed_{axis}", "pixels"], [f"sum_{axis}"], keepdims=0),
            node("Div", [f"sum_{axis}", "total"], [f"middle_{axis}"]),
            node("Unsqueeze", [f"middle_{axis}", "last"], [f"at_{axis}"]),
            node("Sub", [f"places_{axis}", f"at_{axis}"], [f"away_{axis}"]),
            node("Mul", [f"away_{axis}", f"away_{axis}"], [f"away2_{axis}"]),
            node("Neg", [f"away2_{axis}"], [f"near_{axis}"]),
            node("Exp", [f"near_{axis}"], [f"peak_{axis}"]),
            node("Mul", [f"peak_{axis}", "score"], [f"simcc_{axis}"]),
        ]
    joints = len(colours)
    lengths = {"simcc_x": width * split, "simcc_y": height * split}
    outputs = [value(name, [batch, joints, lengths[name]]) for name in order]
    return write(path, nodes, [value("input", [batch, 3, height, width])], outputs, constants)


def box_finder(path, boxes, labels, size=(64, 64), dtype=np.int64):
    """A network in the form of mmdeploy's detectors that always answers with the same boxes (x0, y0, x1, y1, score)."""
    node = helper.make_node
    constants = {"boxes": np.asarray(boxes, np.float32).reshape(1, -1, 5), "classes": np.asarray([labels], dtype)}
    constants["nothing"] = np.float32(0)
    nodes = [
        # The answer hangs on the input, so that the input is one.
        node("ReduceMean", ["input"], ["mean"], keepdims=0),
        node("Mul", ["mean", "nothing"], ["zero"]),
        node("Add", ["boxes", "zero"], ["dets"]),
        node("Identity", ["classes"], ["labels"]),
    ]
    kind = TensorProto.INT64 if dtype == np.int64 else TensorProto.INT32
    count = constants["boxes"].shape[1]
    outputs = [value("dets", [1, count, 5]), value("labels", [1, count], kind)]
    return write(path, nodes, [value("input", [1, 3, size[1], size[0]])], outputs, constants)


def blue_finder(path, threshold, size=(320, 320)):
    """A detector whose one box holds what is above the threshold in the first channel of its input."""
    node = helper.make_node
    constants = {
        "first": np.array([0], np.int64),
        "second": np.array([1], np.int64),
        "channels": np.array([1], np.int64),
        "threshold": np.float32(threshold),
        "score": np.full((1, 1), 0.9, np.float32),
        "last": np.array([1], np.int64),
        "labels_": np.zeros((1, 1), np.int64),
    }
    nodes = [
        node("Slice", ["input", "first", "second", "channels"], ["blue"]),
        node("Greater", ["blue", "threshold"], ["above"]),
        node("Cast", ["above"], ["is_person"], to=TensorProto.FLOAT),
    ]
    for edge, axes, last in (("x0", [1, 2], 0), ("y0", [1, 3], 0), ("x1", [1, 2], 1), ("y1", [1, 3], 1)):
        nodes += [
            node("ReduceMax", ["is_person"], [f"line_{edge}"], axes=axes, keepdims=0),
            node("ArgMax", [f"line_{edge}"], [f"index_{edge}"], axis=1, keepdims=1, select_last_index=last),
            node("Cast", [f"index_{edge}"], [edge], to=TensorProto.FLOAT),
        ]
    nodes += [
        node("Concat", ["x0", "y0", "x1", "y1", "score"], ["box"], axis=1),
        node("Unsqueeze", ["box", "last"], ["dets"]),
        node("Identity", ["labels_"], ["labels"]),
    ]
    outputs = [value("dets", [1, 1, 5]), value("labels", [1, 1], TensorProto.INT64)]
    return write(path, nodes, [value("input", [1, 3, size[1], size[0]])], outputs, constants)


def passing_on(path, shape, outputs=("simcc_x", "simcc_y"), kind=TensorProto.FLOAT):
    """A network that gives its input as it is, under other names."""
    nodes = [helper.make_node("Identity", ["input"], [name]) for name in outputs]
    return write(path, nodes, [value("input", shape, kind)], [value(name, shape, kind) for name in outputs], {})


def pose_finder(path, points, size=(48, 64)):
    """A network in RTMPose's form that finds the joints at the same points (pixels of its input) in every crop."""
    node = helper.make_node
    constants = {"nothing": np.float32(0), "to_three": np.array([1, 2], np.int64)}
    nodes = [
        # The answer hangs on the input, and there is one for each crop.
        node("ReduceMean", ["input"], ["mean"], axes=[1, 2, 3], keepdims=0),
        node("Unsqueeze", ["mean", "to_three"], ["mean3"]),
        node("Mul", ["mean3", "nothing"], ["zero"]),
    ]
    for axis, (name, length) in enumerate(zip(("simcc_x", "simcc_y"), size, strict=True)):
        places = np.arange(2 * length, dtype=np.float32) / 2
        constants[f"answer_{name}"] = np.exp(-((places - np.asarray(points)[:, axis, None]) ** 2))[None].astype(
            np.float32
        )
        nodes.append(node("Add", [f"answer_{name}", "zero"], [name]))
    outputs = [
        value(name, ["b", len(points), 2 * length]) for name, length in zip(("simcc_x", "simcc_y"), size, strict=True)
    ]
    return write(path, nodes, [value("input", ["b", 3, size[1], size[0]])], outputs, constants)
