"""`python tools/train.py`: from a Hydra config to trained weights."""

import logging
import sys
import warnings

import pytorch_lightning as pl
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

from poselift.cli.config import run_configured
from poselift.training.callbacks import BestWeights
from poselift.training.task import LiftingTask


def train(config: DictConfig) -> None:
    """Trains as the config says, and prints where the weights are.

    Raises:
        InputError: something that the config names cannot be used.
    """
    # Lightning asks for worker processes; batches are made on the device, where workers cannot help.
    warnings.filterwarnings("ignore", message=".*does not have many workers.*")
    warnings.filterwarnings("ignore", message=".*`IterableDataset` has `__len__` defined.*")
    pl.seed_everything(config.seed, verbose=False)
    data = instantiate(config.data, _convert_="all")
    optimizer = dict(OmegaConf.to_container(config.optimizer, resolve=True))  # type: ignore[arg-type]
    weight_decay = optimizer.pop("weight_decay", 0.0)
    task = LiftingTask(
        lifter=instantiate(config.model),
        optimizer=instantiate(optimizer, _convert_="all"),
        schedule=instantiate(config.schedule),
        loss=OmegaConf.to_container(config.loss, resolve=True),  # type: ignore[arg-type]
        weight_decay=weight_decay,
        window=config.frames,
    )
    callbacks = [instantiate(callback) for callback in config.callbacks.values()]
    for callback in callbacks:
        if isinstance(callback, BestWeights):
            callback.description = {
                "command": "python " + " ".join(["tools/train.py", *sys.argv[1:]]),
                "seed": config.seed,
                "config": OmegaConf.to_container(config, resolve=True),
            }
    loggers = [instantiate(logger) for logger in config.logger.values()]
    trainer: pl.Trainer = instantiate(config.trainer, callbacks=callbacks, logger=loggers)
    trainer.fit(task, datamodule=data, ckpt_path=config.resume, weights_only=True if config.resume else None)
    print(f"Weights: {config.output}/{config.name}.safetensors")


def run(config: DictConfig) -> None:
    """`train` for the command line."""
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    run_configured(train, config)
