"""`poselift train`: from a Hydra config to trained weights."""

from pathlib import Path

import pytorch_lightning as pl
from hydra.utils import instantiate
from omegaconf import DictConfig
from pytorch_lightning.utilities import rank_zero_only

from poselift.cli.config import output_folder, run_configured
from poselift.cli.earlier_run import check_earlier, find_checkpoint
from poselift.cli.train_end import explain_end, finish, report_finished, say_what_comes
from poselift.cli.train_parts import RunParts, build_trainer, explain_settings, quiet_lightning, training_task
from poselift.cli.train_settings import check_settings, follow_command_line
from poselift.data.module import MotionData
from poselift.training.checkpoints import explain_damage, read_resumed


def run(config: DictConfig) -> float | None:
    """Runs `train` for the command line; each sweep job has its folder."""
    follow_command_line(config)
    return run_configured(train, config)


def train(config: DictConfig, data: MotionData | None = None) -> float | None:
    """The best validation error after training.

    Prints where the weights are and how to evaluate them.

    Args:
        config: of `poselift train`.
        data: to train on, if it is already there; made from `config.data` if None.

    Returns:
        The best validation error in mm, which sweepers minimise; None if no validation ran.

    Raises:
        InputError: a value of the config cannot be used, or a file cannot be written.
    """
    quiet_lightning()
    check_settings(config)
    # The other processes of trainer=ddp run this too.
    with output_folder(config, first=not getattr(rank_zero_only, "rank", 0)):
        return _train(config, data)


def _train(config: DictConfig, data: MotionData | None) -> float | None:
    """Trains in a folder that no other run uses; see `train`."""
    checkpoint = find_checkpoint(config)
    check_earlier(config, checkpoint)
    pl.seed_everything(config.seed, verbose=False)
    data = data or instantiate(config.data, _convert_="all")
    task = training_task(config, data)
    saved = read_resumed(checkpoint, task) if checkpoint else {}
    step = saved.get("global_step", 0)
    parts = RunParts.build(config, step)
    trainer = build_trainer(config, parts)
    if trainer.is_global_zero:
        parts.remove_partial(Path(config.output))
    with explain_damage(checkpoint, step, trainer), explain_end(config, trainer, data):
        if 0 < trainer.max_steps <= step:
            return report_finished(config, trainer, task, parts, saved)
        if trainer.is_global_zero:
            say_what_comes(config, task, trainer, step)
        with explain_settings():
            trainer.fit(task, datamodule=data, ckpt_path=checkpoint, weights_only=True if checkpoint else None)
    return finish(config, trainer, parts) if trainer.is_global_zero else None
