"""The tables of the CMU benchmark: each lifter with each skeleton, kind of 2D and knowledge of the camera.

    python -m benchmarks.cmu_table --corpus cmu50.npz --bench bench_test.npz [--weights NAME|FILE ...] [--out DIR]

Evaluates each of them as `poselift evaluate protocol=cmu_bench` does, into DIR/runs, and writes the report of
all to DIR. Overrides of the evaluation make ablations: `python -m benchmarks.cmu_table refine=false --corpus ...`.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

from benchmarks.command import add_bench, command_line
from poselift.cli.main import main as poselift


def main(arguments: Sequence[str] | None = None) -> None:
    """Evaluates, then reports."""
    parser = command_line(__doc__)
    add_bench(parser)
    parser.add_argument("--skeletons", nargs="+", default=["h36m17", "coco17", "halpe26"], help="of the 2D keypoints")
    parser.add_argument("--keypoints", nargs="+", default=["det", "gt"], help="det: detector-like 2D; gt: exact 2D")
    parser.add_argument("--camera", nargs="+", default=["known", "assumed"], help="intrinsics: true or assumed")
    parser.add_argument("--out", type=Path, default=Path("outputs/cmu_table"), help="default outputs/cmu_table")
    parser.add_argument("overrides", nargs="*", help="of the evaluation, for all rows; before the options")
    options = parser.parse_intermixed_args(arguments)
    names = [Path(weights).stem for weights in options.weights]
    if len(set(names)) < len(names):
        parser.error("two weights have the same file name, which names their rows; rename one")
    runs = []
    for weights, skeleton, keypoints, camera in product(
        options.weights, options.skeletons, options.keypoints, options.camera
    ):
        run = options.out / "runs" / f"{Path(weights).stem}_{skeleton}_{keypoints}_{camera}"
        files = {"data.corpus": options.corpus, "data.bench": options.bench, "weights": weights, "output": run}
        poselift(
            [
                *("evaluate", "protocol=cmu_bench", f"data.skeleton={skeleton}", f"data.keypoints={keypoints}"),
                *(f"{key}='{path}'" for key, path in files.items()),
                *(f"camera={camera}", *options.overrides),
            ]
        )
        runs.append(str(run))
    poselift(["report", *runs, "--out", str(options.out)])


if __name__ == "__main__":
    main()
