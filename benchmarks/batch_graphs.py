"""Makes the graphs that run MoveNet on several pictures at once, for GPUs (poselift/weights/movenet/README.md).

    python -m benchmarks.batch_graphs [--out FOLDER]

Convolutions take any number of pictures, but what reads people off their outputs takes one. So the graph runs all
convolutions on the batch, and the rest in a loop over its pictures. Weights stay in the file in float16 beside it.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from onnx import NodeProto, TensorProto, helper

from benchmarks.command import command_line
from benchmarks.quantize import NETWORKS, Graph
from poselift.core.registry import published


def needs(nodes: Sequence[NodeProto], wanted: set[str]) -> set[str]:
    """The names of tensors, and of all from which they are computed."""
    for node in reversed(nodes):
        if wanted & set(node.output):
            wanted = wanted | set(node.input)
    return wanted


def loop_over_pictures(graph: Graph) -> None:
    """Gives the input and the output a batch axis; see the head of this file."""
    convolved = {node.output[0] for node in graph.nodes if node.op_type == "Conv"}
    shared = needs(graph.nodes, convolved) | {name for name in graph.constants if name}
    together = [node for node in graph.nodes if shared & set(node.output)]
    each = [node for node in graph.nodes if not shared & set(node.output)]
    given = {name for node in together for name in node.output} - set(graph.constants)
    taken = sorted(given & {name for node in each for name in node.input})
    first = graph.add("first_axis", np.array([0]))
    output = graph.model.graph.output[0].name
    for node in each:
        node.input[:] = [f"{name}_whole" if name in taken else name for name in node.input]
        node.output[:] = [f"{name}_each" if name == output else name for name in node.output]
    opened = [helper.make_node("Unsqueeze", [f"{name}_one", first], [f"{name}_whole"]) for name in taken]
    closed = helper.make_node("Squeeze", [f"{output}_each", first], [f"{output}_one"])
    body = helper.make_graph(
        [*opened, *each, closed],
        "picture",
        [helper.make_tensor_value_info(f"{name}_one", TensorProto.FLOAT, None) for name in taken],
        [helper.make_tensor_value_info(f"{output}_one", TensorProto.FLOAT, None)],
    )
    loop = helper.make_node("Scan", taken, [output], body=body, num_scan_inputs=len(taken))
    graph.nodes = [*together, loop]
    for value in (graph.model.graph.input[0], graph.model.graph.output[0]):
        value.type.tensor_type.shape.dim[0].dim_param = "pictures"


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes a graph for each network."""
    parser = command_line(__doc__)
    parser.add_argument("--out", type=Path, help="folder; default: where poselift's weights are")
    options = parser.parse_args(arguments)
    for network in NETWORKS:
        graph = Graph(published(network).path)
        loop_over_pictures(graph)
        path = (options.out or graph.path.parent) / f"{network}_batch.onnx"
        graph.write(path)
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
