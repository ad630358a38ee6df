"""Scores a lifter or saved predictions: python tools/evaluate.py protocol=NAME data.<key>=VALUE ... [overrides]."""

import hydra
from omegaconf import DictConfig

from poselift.cli.config import CONF, run_hydra
from poselift.cli.evaluate import run


@hydra.main(version_base="1.3", config_path=CONF, config_name="evaluate")
def main(config: DictConfig) -> None:
    """Hydra's entry point."""
    run(config)


if __name__ == "__main__":
    run_hydra(main, "evaluate")
