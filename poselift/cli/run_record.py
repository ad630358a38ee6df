"""The record of a training run, and the commands that follow it.

They repeat it, continue it and evaluate its weights.
"""

import copy
import hashlib
import shlex
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from hydra import compose
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, ListConfig, OmegaConf

from poselift.cli.config import plain_dict
from poselift.cli.overrides import override
from poselift.core.errors import describe
from poselift.core.files import atomic_files, sha256, write_json, write_text
from poselift.data.batches import Batch
from poselift.reports.environment import environment
from poselift.reports.protocols import PROTOCOLS

_PACKAGES = ("torch", "pytorch-lightning", "torchmetrics", "hydra-core", "omegaconf", "numpy", "safetensors")

_READ_AT_MOST = 2 * 1024**3
"""Most bytes of a folder that the fingerprint reads, which takes seconds; a dataset's videos have far more."""


class RunRecord(pl.Callback):
    """Writes `run.json` and `config.yaml` when training starts.

    Args:
        path: of `run.json`; `config.yaml` goes next to it.
        config: of the run.
    """

    def __init__(self, path: Path, config: DictConfig) -> None:
        self.path, self.config = path, config

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Writes the environment, versions, seed, config and fingerprints of the data."""
        if not trainer.is_global_zero:
            return
        first = copy.copy(trainer.datamodule.training)  # type: ignore[attr-defined]  # not in Lightning's types
        first.epoch = 0
        made = environment()
        record = {
            **made,
            "dirty": (made["commit"] or "").endswith("-dirty"),
            "packages": {package: version(package) for package in _PACKAGES},
            "threads": torch.get_num_threads(),
            "processes": trainer.world_size,
            "first_step": trainer.global_step,
            "seed": self.config.seed,
            "config": plain_dict(self.config),
            "data": {
                **{key: _fingerprint(path) for key, path in _find_paths(self.config.data, "data")},
                # Equal in two runs only if their data, seed and settings are equal.
                "first_batch": {"sha256": _sha256_of_tensors(first.make(0))},
            },
        }
        with atomic_files(self.path.parent, self.path.name) as folder:
            write_json(folder / self.path.name, record)
            write_text(folder / "config.yaml", OmegaConf.to_yaml(self.config))


def _find_paths(config: DictConfig | ListConfig, key: str) -> Iterator[tuple[str, Path]]:
    """Files and folders in the config, with their keys. Elements of a list are numbered from 0."""
    for name, value in config.items() if isinstance(config, DictConfig) else enumerate(config):
        if isinstance(value, DictConfig | ListConfig):
            yield from _find_paths(value, f"{key}.{name!s}")
        elif isinstance(value, str) and value and Path(value).exists():
            yield f"{key}.{name!s}", Path(value)


def _fingerprint(path: Path) -> dict[str, Any]:
    """The SHA-256 of a file, or of a folder's files. For a large folder it is the one of the files' names and sizes."""
    if path.is_file():
        return {"path": str(path.absolute()), "bytes": path.stat().st_size, "sha256": sha256(path)}
    sizes = {file: size for file in sorted(path.rglob("*")) if (size := _size(file)) is not None}
    small = sum(sizes.values()) <= _READ_AT_MOST
    listing = [(str(file.relative_to(path)), _sha256(file) if small else size) for file, size in sizes.items()]
    return {
        "path": str(path.absolute()),
        "files": len(sizes),
        "bytes": sum(sizes.values()),
        "sha256_of_files" if small else "sha256_of_names_and_sizes": hashlib.sha256(repr(listing).encode()).hexdigest(),
    }


def _size(file: Path) -> int | None:
    """A file's bytes; None for a folder or a missing file. Others may write to a folder while training starts."""
    try:
        return file.stat().st_size if file.is_file() else None
    except OSError:
        return None


def _sha256(file: Path) -> str:
    """The SHA-256 of a file, or why it cannot be read."""
    try:
        return sha256(file)
    except OSError as error:
        return describe(error)


def _sha256_of_tensors(batch: Batch) -> str:
    digest = hashlib.sha256()
    for value in vars(batch).values():
        if isinstance(value, torch.Tensor):
            digest.update(value.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def train_command() -> str:
    """The command of this run."""
    return shlex.join(["poselift", "train", *_own_configs(), *HydraConfig.get().overrides.task])


def _own_configs() -> list[str]:
    """The option --config-dir of this run, if it was given."""
    sources = HydraConfig.get().runtime.config_sources
    return [word for source in sources if source.provider == "command-line" for word in ("--config-dir", source.path)]


def resume_command(config: DictConfig, **changes: object) -> str:
    """The command that continues this run, as its user wrote it.

    In a sweep it continues this job alone.

    Args:
        config: of the run.
        changes: overrides to add, or to change where the user gave them.
    """
    begin = ["python", sys.argv[0]] if sys.argv[0].endswith("train.py") else ["poselift", "train"]
    hydra = HydraConfig.get()
    replaced = ["resume", "overwrite", *changes]
    place = [override(key, value) for key, value in changes.items()]
    if hydra.mode == RunMode.MULTIRUN:
        replaced += ["output", "name", "search"]
        place += [override("output", config.output), override("name", config.name)]
    kept = [given for given in hydra.overrides.task if given.split("=")[0].lstrip("+") not in replaced]
    return shlex.join([*begin, *_own_configs(), *kept, *place, "resume=auto"])


def evaluation_command(config: DictConfig, choices: Mapping[str, str | None], weights: Path) -> str:
    """The command that scores weights on their run's validation views.

    On made people if it has none.

    Args:
        config: of the run.
        choices: of the run, by config group (`HydraConfig.get().runtime.choices`).
        weights: the safetensors file.
    """
    data, dataset = config.data, choices["data"]
    if "validate" in data:
        data, dataset = data.datasets[data.validate], choices.get(f"data@data.datasets.{data.validate}")
    views, val = data.get("views") or {}, data.get("val") or {}
    if not str(data.get("_target_")).endswith(".RecordedData"):
        views = {}  # of pictures, which have no 3D
    # The dataset's first protocol, for example h36m_p1 for h36m and h36m_mmpose.
    first = (name for name in PROTOCOLS if name.split("_")[0] == str(dataset).split("_")[0])
    protocol = next(first, "all_views" if views else None)
    made_people = shlex.join(["poselift", "evaluate", override("weights", str(weights))])
    if protocol is None:
        return made_people
    ours = {**data, **views, **val}
    if protocol == "cmu_bench" and isinstance(ours.get("corpus"), ListConfig):
        ours["corpus"] = ours["corpus"][0]  # which has the clips of the bench
    chosen = [f"protocol={protocol}"]
    read = compose("evaluate", chosen).data
    if views and views["_target_"] != read["_target_"]:
        chosen.append(f"views@data={dataset}")
        read = compose("evaluate", chosen).data
    if any(OmegaConf.is_missing(read, key) and ours.get(key) is None for key in read):
        return made_people
    changed = [
        override(f"data.{key}", ours[key])
        for key in read
        if key in ours and key != "_target_" and (OmegaConf.is_missing(read, key) or read[key] != ours[key])
    ]
    return shlex.join(["poselift", "evaluate", *chosen, *changed, override("weights", str(weights))])
