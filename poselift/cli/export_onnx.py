"""`poselift export-onnx`: a lifter as an ONNX graph, from pixels to joints."""

import argparse
from pathlib import Path
from typing import Any

from poselift.cli.values import check_out_file, local_path
from poselift.cli.weights import add_lifter_option
from poselift.core.errors import InputError
from poselift.core.progress_text import show


def add_command(commands: Any) -> None:
    """Adds `export-onnx` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "export-onnx",
        description="Writes a lifter as one ONNX file for onnxruntime in any language, also in a browser. Inputs: "
        "pixels, scores, times, the camera's K and the size of the picture. Outputs: joints in the camera frame and "
        "their uncertainty, metres. The command compares the file with PyTorch before it ends. Takes a minute.",
    )
    parser.add_argument(
        "file", nargs="?", type=local_path, metavar="FILE", help="the file to write, such as small.onnx"
    )
    parser.add_argument(
        "--beside",
        action="store_true",
        help="instead of FILE, write the graph beside the weights that lets poselift lift with them without PyTorch; "
        "it reads its numbers from the .safetensors file",
    )
    add_lifter_option(parser)
    parser.add_argument("--no-flip", action="store_true", help="do not average with the mirrored input: twice as fast")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Writes the file, compares it with PyTorch, and prints the largest difference.

    Raises:
        InputError: an argument cannot be used, or the lifter cannot be exported.
    """
    from poselift.models import load_weights
    from poselift.models.onnx_export import export_onnx
    from poselift.models.weights_graph import write_graph

    if options.beside:
        if options.file is not None or options.no_flip:
            raise InputError("--beside takes no FILE and no --no-flip; leave them out")
        show(write_graph(load_weights(options.weights)))
        return
    if options.file is None:
        raise InputError("no FILE is given; give a name such as small.onnx, or --beside")
    file: Path = options.file
    check_out_file(file, (".onnx",), "FILE")
    difference = export_onnx(load_weights(options.weights), file, flip=not options.no_flip)
    size = file.stat().st_size / 1e6
    show(f"{file}: {size:.1f} MB; its joints differ from PyTorch's by at most {1000 * difference:.4f} mm")
