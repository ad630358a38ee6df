"""The parts of a training run: task, callbacks, loggers, trainer."""

import logging
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

import pytorch_lightning as pl
from hydra.errors import InstantiationException
from hydra.utils import instantiate
from omegaconf import DictConfig
from pytorch_lightning.loggers import Logger
from pytorch_lightning.utilities.exceptions import MisconfigurationException

from poselift.cli.config import plain_dict
from poselift.cli.run_record import RunRecord, train_command
from poselift.core.errors import InputError, reason
from poselift.core.files import remove_partial_of
from poselift.data.module import MotionData
from poselift.models import build_model, load_weights
from poselift.training.averaging import AverageLast
from poselift.training.callbacks import BestWeights
from poselift.training.checkpoints import AtomicCheckpointIO, describe_difference
from poselift.training.csv_log import CsvLog
from poselift.training.stopping import StopOnSignal
from poselift.training.task import LiftingTask
from poselift.training.warm_start import warm_start

_Part = TypeVar("_Part")

_NOISE = (
    # A thread makes the batches on the device, so worker processes cannot help; the sampler resumes at the right batch.
    ".*does not have many workers.*",
    ".*has `__len__` defined.*",
    ".*dataloader is not resumable.*",
    # Lightning's own use of a deprecated function.
    ".*LeafSpec.*",
)
"""Warnings of Lightning that do not apply here, or that the user cannot act on."""


def quiet_lightning() -> None:
    """Leaves out Lightning's notes, and its warnings that help nobody here."""
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    for message in _NOISE:
        warnings.filterwarnings("ignore", message=message)


@dataclass(frozen=True)
class RunParts:
    """The callbacks and loggers of a run, as its config names them.

    Attributes:
        callbacks: without those of every run.
        loggers: of the run.
    """

    callbacks: list[pl.Callback]
    loggers: list[Logger]

    @classmethod
    def build(cls, config: DictConfig, step: int) -> "RunParts":
        """A run's parts from a step on. Those that write weights know how it was started."""
        loggers = [instantiate(logger) for logger in config.logger.values() if logger]
        parts = cls([instantiate(callback) for callback in config.callbacks.values() if callback], loggers)
        if not loggers:  # without one, Lightning refuses the monitor of the learning rate
            for monitor in parts.of(pl.callbacks.LearningRateMonitor):
                parts.callbacks.remove(monitor)
        for log in parts.of(CsvLog):
            log.begin(step)
        writers: list[BestWeights | AverageLast] = [*parts.of(BestWeights), *parts.averages]
        for writer in writers:
            writer.description = {"command": train_command(), "seed": config.seed, "config": plain_dict(config)}
        return parts

    def of(self, kind: type[_Part]) -> list[_Part]:
        """The parts of a class."""
        return [part for part in (*self.callbacks, *self.loggers) if isinstance(part, kind)]

    @property
    def best(self) -> BestWeights | None:
        """What keeps the best weights; None where nothing does."""
        return next(iter(self.of(BestWeights)), None)

    @property
    def averages(self) -> list[AverageLast]:
        """What averages the last weights."""
        return self.of(AverageLast)

    def remove_partial(self, output: Path) -> None:
        """Removes what killed processes left of the run's files."""
        written = [output / name for name in ("run.json", "config.yaml", "curves.png", "curves.pdf")]
        paths = (getattr(part, "path", None) for part in (*self.callbacks, *self.loggers))
        written += [path for path in paths if isinstance(path, Path)]
        for path in written + [path for average in self.averages for path in average.partial()]:
            remove_partial_of(path)
            if path.suffix == ".safetensors":
                remove_partial_of(path.with_suffix(".json"))


def training_task(config: DictConfig, data: MotionData) -> LiftingTask:
    """The lifter with its optimizer, schedule and loss. Warm-started if `init` is given."""
    pelvis = data.pelvis
    optimizer = plain_dict(config.optimizer)
    weight_decay = optimizer.pop("weight_decay", 0.0)
    lifter = build_model(instantiate(config.model, _convert_="all"))
    if config.init is not None:
        weights = load_weights(config.init)
        pelvis = pelvis or weights.pelvis  # data without 3D does not move it
        try:
            warm_start(lifter, weights.lifter)
        except InputError as error:
            unlike = describe_difference(asdict(weights.lifter.config), asdict(lifter.config))
            raise InputError(f"init={config.init} does not fit this lifter: {unlike} ({error})") from error
    task = LiftingTask(
        lifter=lifter,
        optimizer=instantiate(optimizer, _convert_="all"),
        schedule=instantiate(config.schedule),
        loss=plain_dict(config.loss),
        weight_decay=weight_decay,
        window=config.frames,
        masking=instantiate(config.masking),
        seed=config.seed,
        pelvis=pelvis,
    )
    if config.compile:
        task.lifter.compile()
    return task


def build_trainer(config: DictConfig, parts: RunParts) -> pl.Trainer:
    """The trainer, with what every run has.

    Raises:
        InputError: it rejects its settings.
    """
    record = RunRecord(Path(config.output) / "run.json", config)
    try:
        trainer: pl.Trainer = instantiate(
            config.trainer,
            callbacks=[*parts.callbacks, record, StopOnSignal()],
            logger=parts.loggers,
            plugins=[AtomicCheckpointIO()],
            # Otherwise Lightning adds its own callbacks for those that the config leaves out.
            enable_checkpointing=bool(parts.of(pl.callbacks.Checkpoint)),
            enable_progress_bar=bool(parts.of(pl.callbacks.ProgressBar)),
            # Its table has one row, and 0 FLOPs, because it sees no window.
            enable_model_summary=False,
        )
    except InstantiationException as error:
        raise _explain_rejection(error.__cause__ or error) from error
    return trainer


@contextmanager
def explain_settings() -> Iterator[None]:
    """Turns Lightning's errors about settings into an `InputError`.

    It raises them when it meets the data. Errors of a step or a callback, or of their use of Lightning, have frames of
    other code.
    """
    try:
        yield
    except (ValueError, ZeroDivisionError, MisconfigurationException) as error:
        _, _, *frames = traceback.extract_tb(error.__traceback__)  # after those of the run itself
        if any("pytorch_lightning" not in frame.filename for frame in frames):
            raise
        raise _explain_rejection(error) from error


def _explain_rejection(error: BaseException) -> InputError:
    return InputError(f"the trainer rejects its settings ({reason(error)}); change trainer.*")
