"""Which lifter: variants of it, each trained on the CMU corpus with the same data and as many steps, on the val views.

    python benchmarks/lifter_search.py --corpus cmu50.npz --bench bench_val.npz [--steps 600] [--seeds 0 1 2]
        [--only NAME ...] [--out DIR]

Each run is a `tools/train.py` of its own in DIR, and is left out where it has been done; the table goes to
DIR/table.md. The figures are of the val views, without flip averaging.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from hydra.utils import instantiate

from poselift.reports.cost import example_window
from poselift.reports.counting import multiply_adds
from poselift.training.csv_log import read_log

_ROOT = Path(__file__).parents[1]
_VARIANTS = "model._target_=benchmarks.lifter_variants."

VARIANTS: dict[str, tuple[str, ...]] = {
    "frame tokens, 4 to a time token": (),
    "2 frames to a time token": ("model.temporal_stride=2", "model.dim=192", "model.heads=6"),
    "8 frames to a time token": ("model.temporal_stride=8", "model.dim=352", "model.heads=11"),
    "a time token a frame": ("model.temporal_stride=1", "model.dim=128", "model.heads=4"),
    "joint tokens, factorised": ("model=mixste", "model.dim=48", "model.depth=2", "model.heads=4"),
    "no attention over joints": ("model.joint_depth=0",),
    "two blocks over joints": ("model.joint_depth=2",),
    "each joint over time too": ("model.joint_time=true", "model.depth=4"),
    "joints of all frames at once": (_VARIANTS + "Mixed", "model.depth=2"),
    "two blocks over frames, three over time tokens": ("model.depth=3", "model.frame_depth=2", "model.frame_dim=128"),
    "the same, time tokens interpolated": (
        *("model.depth=3", "model.frame_depth=2", "model.frame_dim=128", "model.temporal_upsampling=interpolate"),
    ),
    "frequencies of 8 frames": (
        _VARIANTS + "Frequencies",
        "model.temporal_stride=8",
        "model.dim=352",
        "model.heads=11",
    ),
    "time tokens interpolated to frames": ("model.temporal_upsampling=interpolate",),
    "means of 4 frames, interpolated": (_VARIANTS + "MeansIn", "model.temporal_upsampling=interpolate"),
    "a bias for each pair of joints": (_VARIANTS + "GraphBias",),
    "a bias for each number of bones between joints": (_VARIANTS + "KinematicBias",),
    "a decoder for each limb": (_VARIANTS + "LimbDecoder",),
    "bones out, summed along the tree": (_VARIANTS + "BoneOutput",),
    "no camera beside the rays": (_VARIANTS + "NoContext",),
}
"""What is held against what: overrides of the training's config, by what they are."""


def main() -> None:
    """Trains what is missing, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="cmu50.npz")
    parser.add_argument("--bench", type=Path, required=True, help="bench_val.npz")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--only", nargs="+", choices=list(VARIANTS), default=list(VARIANTS), metavar="NAME")
    parser.add_argument("--out", type=Path, default=Path("outputs/lifter_search"))
    parser.add_argument(
        "overrides", nargs="*", help="of the training, for all of them: e.g. trainer.precision=bf16-mixed"
    )
    options = parser.parse_args()
    rows = []
    for name in options.only:
        done = [_run(name, seed, options) for seed in options.seeds]
        rows.append(_row(name, done))
        print(rows[-1], flush=True)
    table = ["| lifter | MMAC a frame | MPJPE | P-MPJPE | MPJVE |", "|---|---|---|---|---|", *rows]
    (options.out / "table.md").write_text("\n".join(table) + "\n", encoding="utf-8")


def _run(name: str, seed: int, options: argparse.Namespace) -> Path:
    """The folder of one training."""
    key = name.replace(" ", "_").replace(",", "")
    output = (options.out / f"{key}_{seed}").absolute()
    if not (output / "variant.safetensors").is_file():
        command = [
            *(sys.executable, str(_ROOT / "tools" / "train.py"), "name=variant", "data=cmu", *VARIANTS[name]),
            *(f"data.corpus='{options.corpus.absolute()}'", f"data.bench='{options.bench.absolute()}'"),
            *(
                f"steps={options.steps}",
                f"data.batches={options.steps}",
                f"seed={seed}",
                f"output='{output}'",
                "overwrite=true",
            ),
            *options.overrides,
        ]
        path = os.pathsep.join([str(_ROOT), os.environ.get("PYTHONPATH", "")])
        output.mkdir(parents=True, exist_ok=True)
        with open(output / "output.txt", "w") as file:
            done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, stdout=file, stderr=file)
        if done.returncode:
            raise SystemExit(f"{name} with seed {seed} failed; see {output}/output.txt")
    return output


def _row(name: str, runs: list[Path]) -> str:
    """A line of the table: the mean over seeds, and the spread where there are several."""
    logs = [read_log(run / "metrics.csv") for run in runs]
    cells = []
    for metric in ("mpjpe", "p_mpjpe", "mpjve"):
        values = [log[max(log)][f"val/{metric}_subjects"] for log in logs]
        digits = 2 if metric == "mpjve" else 1
        spread = f" ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else ""
        cells.append(f"{statistics.mean(values):.{digits}f}{spread}")
    return f"| {name} | {_cost(runs[0])} | {' | '.join(cells)} |"


def _cost(run: Path) -> str:
    """Multiply-adds of a frame with Human3.6M's joints in, attention counted, in millions."""
    sys.path.insert(0, str(_ROOT))
    config = json.loads((run / "run.json").read_text(encoding="utf-8"))["config"]
    lifter = instantiate(config["model"], _convert_="all").eval()
    encoded = example_window(lifter.skeleton_in, config["frames"], "h36m17")
    return f"{multiply_adds(lambda: lifter(encoded)) / config['frames'] / 1e6:.2f}"


if __name__ == "__main__":
    main()
