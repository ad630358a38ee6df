"""Loggers of optional packages."""

from typing import Any

from pytorch_lightning.loggers import Logger, MLFlowLogger, TensorBoardLogger, WandbLogger

from poselift.core.optional import require


def tensorboard_logger(**options: Any) -> Logger:
    """A logger of TensorBoard (https://www.tensorflow.org/tensorboard).

    Args:
        **options: of `pytorch_lightning.loggers.TensorBoardLogger`.

    Raises:
        InputError: tensorboard is not installed.
    """
    require("tensorboard", "tensorboard")
    return TensorBoardLogger(**options)


def wandb_logger(**options: Any) -> Logger:
    """A logger of Weights & Biases (https://docs.wandb.ai).

    Args:
        **options: of `pytorch_lightning.loggers.WandbLogger`.

    Raises:
        InputError: wandb is not installed.
    """
    require("wandb", "wandb")
    return WandbLogger(**options)


def mlflow_logger(**options: Any) -> Logger:
    """A logger of MLflow (https://mlflow.org).

    Args:
        **options: of `pytorch_lightning.loggers.MLFlowLogger`.

    Raises:
        InputError: mlflow is not installed.
    """
    require("mlflow", "mlflow")
    return MLFlowLogger(**options)
