"""Trains a lifter: python tools/train.py [overrides]."""

import hydra
from omegaconf import DictConfig

from poselift.cli.config import CONF, run_hydra
from poselift.cli.train import run


@hydra.main(version_base="1.3", config_path=CONF, config_name="train")
def main(config: DictConfig) -> float | None:
    """Hydra's entry point."""
    return run(config)


if __name__ == "__main__":
    run_hydra(main, "train")
