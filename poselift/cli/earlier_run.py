"""Files of an earlier run in a run's folder. The checkpoint to resume from, and files not to replace."""

from pathlib import Path

from omegaconf import DictConfig

from poselift.core.errors import InputError
from poselift.core.publishing import find_published


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
    earlier = [
        path.name for path in paths if path.suffix in (".safetensors", ".ckpt") and find_published(path).is_file()
    ]
    if earlier:
        resuming = "resume=auto to continue it, " if find_last_checkpoint(config) else ""
        raise InputError(
            f"{output} holds an earlier run ({', '.join(earlier)}); give another output=, {resuming}or overwrite=true "
            "to replace it"
        )
