"""Trains the lifters that `python -m benchmarks.lifters` compares, each under the same budget.

    D="data=cmu data.corpus=cmu50.npz data.bench=bench_val.npz"
    python -m benchmarks.train_baselines $D --seconds 3600 --seed 0 1 2
    python -m benchmarks.train_baselines $D --steps 5000 --rows temporal_convolution lstm
    python -m benchmarks.train_baselines $D --steps 5000 --also "deeper model=lifter model.depth=8"

Each row is a run of `tools/train.py` with the overrides that are given to all and its own, into OUT/ROW/seedN. With
--seconds each row has as many steps as fit, by the pace that a short run of it shows on this machine; validation, four
times in a run, comes on top. All rows see as many frames in a step: one of longer windows has fewer of them. Called
again, it goes on where it was stopped, and leaves out what is trained. Rows of mmpose need it (bash
tools/install_mmpose.sh).
"""

import argparse
import importlib.util
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hydra import compose, initialize_config_dir

from poselift.cli.config import CONF
from poselift.core.files import write_json

ROOT = Path(__file__).parents[1]
_PACE_SECONDS = 15
_VALIDATIONS = 4


@dataclass(frozen=True)
class Row:
    """A lifter to train.

    Attributes:
        overrides: of `tools/train.py`.
        frames: in a window; as given to all rows if None.
    """

    overrides: tuple[str, ...]
    frames: int | None = None

    @property
    def of_mmpose(self) -> bool:
        """Whether it needs mmpose."""
        return any(override.startswith("model=mmpose_") for override in self.overrides)


_MUON = ("optimizer=muon", "optimizer.lr=5e-3")  # for what is made of matrices; convolutions are not
ROWS = {
    "lifter": Row(("model=lifter", *_MUON)),
    "simple_baseline": Row(("model=martinez", "model.dim=512", *_MUON)),
    # Its reach of 243 frames is of use in windows as long alone.
    "temporal_convolution": Row(("model=tcn", "model.channels=256", "optimizer.lr=1e-3"), frames=243),
    "lstm": Row(("model=lstm", *_MUON)),
    "lstm_seq2seq": Row(("model=seq2seq_luong", *_MUON)),
    # Muon throws it about, even at 1e-3: its last layer sees 5,376 numbers.
    "mixste_shape": Row(("model=mixste", "optimizer.lr=1e-3")),
    # A sixteenth of the published width squared, so that it costs about what mixste_shape does.
    "mmpose_motionbert": Row(("model=mmpose_motionbert", "model.dim=128", "optimizer.lr=1e-3")),
    "mmpose_videopose3d": Row(("model=mmpose_videopose3d", "optimizer.lr=1e-3"), frames=243),
}


def main() -> None:
    """Trains row by row; a row that fails does not keep the others from being trained."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    budget = parser.add_mutually_exclusive_group(required=True)
    budget.add_argument("--seconds", type=float, help="of training, for each row and seed")
    budget.add_argument("--steps", type=int, help="of the optimizer, for each row and seed")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--also", action="append", default=[], metavar="'ROW OVERRIDE ...'", help="a row of your own")
    parser.add_argument("--seed", type=int, nargs="+", default=[0])
    parser.add_argument("--out", type=Path, default=Path("runs/baselines"))
    parser.add_argument("overrides", nargs="*", help="of tools/train.py, for all rows; before the options")
    options = parser.parse_intermixed_args()
    rows = {name: ROWS[name] for name in options.rows}
    for words in map(shlex.split, options.also):
        rows[words[0]] = Row(tuple(words[1:]))
    if importlib.util.find_spec("mmpose") is None:
        for name in [name for name, row in rows.items() if row.of_mmpose]:
            print(f"{name}: left out, as mmpose is not installed; run: bash tools/install_mmpose.sh")
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
    """A row's overrides; where its windows are longer than all others', with fewer of them in a batch."""
    overrides = list(row.overrides)
    if row.of_mmpose:
        overrides.append(f"hydra.searchpath=[file://{ROOT}/benchmarks/conf]")
    if row.frames is not None:
        with initialize_config_dir(CONF, version_base="1.3"):
            config = compose("train", list(common))
        windows = max(1, round(config.frames * config.data.batch_size / row.frames))
        overrides += [f"frames={row.frames}", f"data.batch_size={windows}"]
    return overrides


def budget_overrides(steps: int) -> list[str]:
    """So many steps, to a multiple of the validations, the last of which is at the end."""
    validations = min(_VALIDATIONS, steps)
    return [f"steps={steps // validations * validations}", f"data.batches={steps // validations}"]


def _steps_in(seconds: float, overrides: Sequence[str], folder: Path) -> int:
    """How many steps of a row fit into so many seconds on this machine; 0 where it cannot be trained."""
    path = folder / "pace.json"
    if not path.is_file():
        pace = f"+callbacks.pace={{_target_: benchmarks.pace.Pace, path: '{path}', seconds: {_PACE_SECONDS}}}"
        quiet = ["callbacks.last=null", "callbacks.lr=null", "logger.csv=null", "logger.tensorboard=null"]
        _run([*overrides, pace, *quiet, f"output='{folder}/pace'", "steps=1000000", "++trainer.limit_val_batches=0"])
    if not path.is_file():
        return 0
    return max(1, int(seconds / json.loads(path.read_text(encoding="utf-8"))["seconds_a_step"]))


def _train(name: str, overrides: list[str], folder: Path, seed: int) -> bool:
    """Trains a row with a seed, or goes on with it; whether it is trained."""
    output = folder / f"seed{seed}"
    record = output / "row.json"
    made = {"overrides": overrides, "trained": True}
    if record.is_file():
        earlier = json.loads(record.read_text(encoding="utf-8"))
        if earlier["overrides"] != overrides:
            print(f"{output} holds a run with other overrides; remove it or give another --out", file=sys.stderr)
            return False
        if earlier["trained"]:
            print(f"{name}, seed {seed}: is trained")
            return True
    write_json(record, {**made, "trained": False})
    if _run([*overrides, f"name={name}", f"output='{output}'", "resume=auto"]):
        write_json(record, made)
        return True
    return False


def _run(overrides: Sequence[str]) -> bool:
    """Runs `tools/train.py`; whether that went well."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, str(ROOT / "tools" / "train.py"), *overrides]
    print(shlex.join(command), flush=True)
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}).returncode == 0


if __name__ == "__main__":
    main()
