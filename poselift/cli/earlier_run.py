"""Files of an earlier run in a run's folder. The checkpoint to resume from, and files not to replace."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from poselift.core.errors import InputError
from poselift.training.checkpoints import read_checkpoint
from poselift.training.task import LiftingTask


def find_checkpoint(config: DictConfig) -> str | None:
    """The checkpoint to resume from; None for a new run."""
    if config.resume != "auto":
        return config.resume
    return find_last_checkpoint(config)


def find_last_checkpoint(config: DictConfig) -> str | None:
    """The last checkpoint in the run's folder; None if there is none."""
    last = config.callbacks.last
    return last.path if last and Path(last.path).is_file() else None


def check_earlier(config: DictConfig, checkpoint: str | None) -> None:
    """Refuses to replace the weights or the checkpoint of an earlier run.

    Other files of an earlier run, such as its log, may be replaced.

    Args:
        config: of the run.
        checkpoint: to resume from.

    Raises:
        InputError: the folder holds an earlier run, and the config sets neither `resume` nor `overwrite`.
    """
    output = Path(config.output)
    resumes = checkpoint is not None and (
        config.resume == "auto" or Path(checkpoint).resolve().is_relative_to(output.resolve())
    )
    if config.overwrite or resumes:
        return
    paths = [Path(callback.get("path") or "") for callback in config.callbacks.values() if callback]
    earlier = [path.name for path in paths if path.suffix in (".safetensors", ".ckpt") and path.is_file()]
    if earlier:
        resuming = "resume=auto to continue it, " if find_last_checkpoint(config) else ""
        raise InputError(
            f"{output} holds an earlier run ({', '.join(earlier)}); give another output=, {resuming}or overwrite=true "
            "to replace it"
        )


def read_resumed(path: str, task: LiftingTask) -> dict[str, Any]:
    """The content of a checkpoint from which this task can resume.

    Raises:
        InputError: the file is no checkpoint, or one of another lifter or optimizer.
    """
    checkpoint = read_checkpoint(path)
    config = asdict(task.lifter.config)
    theirs = checkpoint["model"].get("config")
    if theirs != config:
        unlike = describe_difference(theirs, config)
        raise InputError(f"{path} belongs to another lifter: {unlike}; give the model= of that run, or another output=")
    # Checkpoints of earlier versions lack it.
    optimizer = checkpoint.get("optimizer", task.optimizer_settings)
    if optimizer != task.optimizer_settings:
        unlike = describe_difference(optimizer, task.optimizer_settings)
        raise InputError(
            f"{path} has another optimizer: {unlike}; a resumed run keeps its optimizer: set optimizer= and "
            "optimizer.* back, or start anew with init=FILE.safetensors and another output="
        )
    return checkpoint


def describe_difference(there: Any, here: dict[str, Any]) -> str:
    """Keys in which two configs differ, with both values. One is as a file has it."""
    if not isinstance(there, dict):
        return f"{there!r:.40} there, which is no config"
    keys = [key for key in {**there, **here} if there.get(key) != here.get(key)]
    return ", ".join(f"{key} is {there.get(key)} there and {here.get(key)} here" for key in keys) or "another class"
