"""Trains the lifters that `python -m benchmarks.lifters` compares, each under the same budget.

    D="data=cmu data.corpus=cmu50.npz data.bench=bench_val.npz"
    python -m benchmarks.train_baselines $D --seconds 3600 --seed 0 1 2
    python -m benchmarks.train_baselines $D --steps 5000 --rows temporal_convolution lstm
    python -m benchmarks.train_baselines $D --steps 5000 --also "deeper model=lifter model.depth=8"

Each row is a run of `poselift train` with its own overrides and those for all rows, into OUT/ROW/seedN. With --seconds
each row gets as many steps as fit, by the pace of a short run on this machine; four validations come on top. All rows
see the same number of frames in a step, so longer windows mean fewer of them. A second call resumes unfinished rows
and skips finished ones. The rows of mmpose need it: bash tools/install_mmpose.sh.
"""

import importlib.util
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.command import command_line, composed
from poselift.core.files import write_json

ROOT = Path(__file__).parents[1]
_PACE_SECONDS = 15
_VALIDATIONS = 4


@dataclass(frozen=True)
class Row:
    """A lifter to train.

    Attributes:
        overrides: of `poselift train`.
        frames: in a window; None for that of all rows.
    """

    overrides: tuple[str, ...]
    frames: int | None = None

    @property
    def of_mmpose(self) -> bool:
        """Whether the row needs mmpose."""
        return any(override.startswith("model=mmpose_") for override in self.overrides)


_MUON = ("optimizer=muon", "optimizer.lr=5e-3")  # for lifters whose weights are matrices; convolutions are not
ROWS = {
    "lifter": Row(("model=lifter", *_MUON)),
    "simple_baseline": Row(("model=martinez", "model.dim=512", *_MUON)),
    # It sees 243 frames, so its windows are as long.
    "temporal_convolution": Row(("model=tcn", "model.channels=256", "optimizer.lr=1e-3"), frames=243),
    "lstm": Row(("model=lstm", *_MUON)),
    "lstm_seq2seq": Row(("model=seq2seq_luong", *_MUON)),
    # It diverges with Muon, even at 1e-3.
    "mixste_shape": Row(("model=mixste", "optimizer.lr=1e-3")),
    # A quarter of the published width, so that it costs about what mixste_shape does.
    "mmpose_motionbert": Row(("model=mmpose_motionbert", "model.dim=128", "optimizer.lr=1e-3")),
    "mmpose_videopose3d": Row(("model=mmpose_videopose3d", "optimizer.lr=1e-3"), frames=243),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains row by row; after a row that fails, the others go on."""
    parser = command_line(__doc__)
    budget = parser.add_mutually_exclusive_group(required=True)
    budget.add_argument("--seconds", type=float, help="of training, for each row and seed")
    budget.add_argument("--steps", type=int, help="of the optimizer, for each row and seed")
    parser.add_argument(
        "--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW", help=f"default all: {', '.join(ROWS)}"
    )
    parser.add_argument("--also", action="append", default=[], metavar="'ROW OVERRIDE ...'", help="another row")
    parser.add_argument("--seed", type=int, nargs="+", default=[0], help="default 0")
    parser.add_argument("--out", type=Path, default=Path("runs/baselines"), help="default runs/baselines")
    parser.add_argument("overrides", nargs="*", help="of poselift train, for all rows; before the options")
    options = parser.parse_intermixed_args(arguments)
    rows = {name: ROWS[name] for name in options.rows}
    for words in map(shlex.split, options.also):
        rows[words[0]] = Row(tuple(words[1:]))
    if importlib.util.find_spec("mmpose") is None:
        for name in [name for name, row in rows.items() if row.of_mmpose]:
            print(f"{name}: left out, because mmpose is not installed; run: bash tools/install_mmpose.sh")
            del rows[name]

    failed = []
    for name, row in rows.items():
        overrides = [*options.overrides, *own_overrides(row, options.overrides)]
        steps = options.steps or _steps_in(options.seconds, overrides, options.out / name)
        for seed in options.seed if steps else ():
            if not _train(name, [*overrides, *budget_overrides(steps), f"seed={seed}"], options.out / name, seed):
                failed.append(f"{name}, seed {seed}")
        failed += [] if steps else [name]
    if failed:
        raise SystemExit(f"not trained: {'; '.join(failed)}")


def own_overrides(row: Row, common: Sequence[str]) -> list[str]:
    """A row's overrides; its batch has fewer windows where they are longer than those of other rows."""
    overrides = list(row.overrides)
    if row.of_mmpose:
        overrides.append(f"hydra.searchpath=[file://{ROOT}/benchmarks/conf]")
    if row.frames is not None:
        config = composed("train", common)
        windows = max(1, round(config.frames * config.data.batch_size / row.frames))
        overrides += [f"frames={row.frames}", f"data.batch_size={windows}"]
    return overrides


def budget_overrides(steps: int) -> list[str]:
    """The overrides for this many steps, rounded down so that the last validation is at the end."""
    validations = min(_VALIDATIONS, steps)
    return [f"steps={steps // validations * validations}", f"data.batches={steps // validations}"]


def _steps_in(seconds: float, overrides: Sequence[str], folder: Path) -> int:
    """The number of steps of a row in these seconds on this machine; 0 if its training fails."""
    path = folder / "pace.json"
    if not path.is_file():
        pace = f"+callbacks.pace={{_target_: benchmarks.pace.Pace, path: '{path}', seconds: {_PACE_SECONDS}}}"
        quiet = ["callbacks.last=null", "callbacks.lr=null", "logger.csv=null"]
        _run([*overrides, pace, *quiet, f"output='{folder}/pace'", "steps=1000000", "++trainer.limit_val_batches=0"])
    if not path.is_file():
        return 0
    return max(1, int(seconds / json.loads(path.read_text(encoding="utf-8"))["seconds_a_step"]))


def _train(name: str, overrides: list[str], folder: Path, seed: int) -> bool:
    """Whether a row is trained with a seed, after training or resuming it."""
    output = folder / f"seed{seed}"
    record = output / "row.json"
    made = {"overrides": overrides, "trained": True}
    if record.is_file():
        earlier = json.loads(record.read_text(encoding="utf-8"))
        if earlier["overrides"] != overrides:
            print(f"{output} has a run with other overrides; remove it or give another --out", file=sys.stderr)
            return False
        if earlier["trained"]:
            print(f"{name}, seed {seed}: already trained")
            return True
    write_json(record, {**made, "trained": False})
    if _run([*overrides, f"name={name}", f"output='{output}'", "resume=auto"]):
        write_json(record, made)
        return True
    return False


def _run(overrides: Sequence[str]) -> bool:
    """Whether a run of `poselift train` succeeded."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, str(ROOT / "tools" / "train.py"), *overrides]
    print(shlex.join(command), flush=True)
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}).returncode == 0


if __name__ == "__main__":
    main()
