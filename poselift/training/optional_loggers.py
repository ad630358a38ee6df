"""Loggers of optional packages."""

from typing import Any, Literal

from pytorch_lightning.loggers import Logger, MLFlowLogger, TensorBoardLogger, WandbLogger

from poselift.core.optional import require

_LOGGERS = {"tensorboard": TensorBoardLogger, "wandb": WandbLogger, "mlflow": MLFlowLogger}


def build_logger(package: Literal["tensorboard", "wandb", "mlflow"], **options: Any) -> Logger:
    """The logger of a package.

    Args:
        package: https://www.tensorflow.org/tensorboard, https://docs.wandb.ai or https://mlflow.org.
        **options: of Lightning's logger.

    Raises:
        InputError: the package is not installed.
    """
    require(package, package)
    return _LOGGERS[package](**options)
