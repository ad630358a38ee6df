"""Evaluates weights: python tools/evaluate.py data=cmu_bench data.corpus=FILE data.bench=FILE [overrides]."""

import hydra
from omegaconf import DictConfig

from poselift.cli.config import CONF
from poselift.cli.evaluate import run


@hydra.main(version_base="1.3", config_path=CONF, config_name="evaluate")
def main(config: DictConfig) -> None:
    """Hydra's entry point."""
    run(config)


if __name__ == "__main__":
    main()
