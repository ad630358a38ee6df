"""The table of the CMU benchmark: each lifter with each joint set, each kind of 2D and each knowledge of the camera.

    python benchmarks/cmu_table.py [rays=true constant_bones=true] --corpus cmu50.npz --bench bench_test.npz
        [--weights NAME|FILE ...] [--out DIR]

Evaluates each of them as `python tools/evaluate.py protocol=cmu_bench` does, into DIR/runs, and makes the report of
all as `python tools/report.py` does, into DIR. `--joints`, `--source` and `--camera` take fewer rows. With
`rays=true constant_bones=true` the lifters' joints are drawn to their rays and given steady bones, as `poselift lift` does.
"""

import argparse
import subprocess
import sys
from itertools import product
from pathlib import Path

_TOOLS = Path(__file__).parents[1] / "tools"


def main() -> None:
    """Evaluates, then reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="cmu50.npz")
    parser.add_argument("--bench", type=Path, required=True, help="bench_test.npz or bench_val.npz")
    parser.add_argument("--weights", nargs="+", default=["small"], help="shipped weights by name, or files")
    parser.add_argument("--joints", nargs="+", default=["h36m17", "coco17", "halpe26"], help="joint sets that are seen")
    parser.add_argument("--source", nargs="+", default=["det", "gt"], help="det: detector-like 2D; gt: exact")
    parser.add_argument("--camera", nargs="+", default=["known", "assumed"], help="the intrinsics: true, or assumed")
    parser.add_argument("--out", type=Path, default=Path("outputs/cmu_table"))
    parser.add_argument("overrides", nargs="*", help="of the evaluation, for all rows; before the options")
    options = parser.parse_intermixed_args()
    names = [Path(weights).stem for weights in options.weights]
    if len(set(names)) < len(names):
        parser.error("two weights have the same file name, which is what the table calls them")
    runs = []
    for (weights, name), joints, source, camera in product(
        zip(options.weights, names, strict=True), options.joints, options.source, options.camera
    ):
        runs.append(options.out / "runs" / f"{name}_{joints}_{source}_{camera}")
        _run(
            "evaluate.py",
            "protocol=cmu_bench",
            f"data.corpus='{options.corpus}'",
            f"data.bench='{options.bench}'",
            f"data.skeleton={joints}",
            f"data.keypoints={source}",
            f"camera={camera}",
            f"weights='{weights}'",
            f"output='{runs[-1]}'",
            *options.overrides,
        )
    _run("report.py", *map(str, runs), "--out", str(options.out))


def _run(tool: str, *arguments: str) -> None:
    """Runs a tool; where that fails, leaves with its exit code, as it has said why."""
    done = subprocess.run([sys.executable, str(_TOOLS / tool), *arguments])
    if done.returncode:
        raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
