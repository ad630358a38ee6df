"""What the commands that are configured by Hydra share."""

import sys
from collections.abc import Callable
from pathlib import Path

from hydra.errors import InstantiationException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from poselift.core.errors import InputError, describe

CONF = str(Path(__file__).parents[2] / "conf")
"""The folder of the configs."""


def run_configured(command: Callable[[DictConfig], None], config: DictConfig) -> None:
    """Runs a command; where what was given cannot be used, one line on stderr and exit code 2.

    Args:
        command: takes the composed config.
        config: from Hydra.
    """
    try:
        command(config)
    except (InputError, OmegaConfBaseException) as error:
        message = str(error).splitlines()[0]
    except OSError as error:
        message = describe(error)
    except InstantiationException as error:
        # Hydra wraps what a class raised while it was built.
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, InputError | OmegaConfBaseException):
            cause = cause.__cause__ or cause.__context__
        if cause is None:
            raise
        message = str(cause).splitlines()[0]
    else:
        return
    print(f"error: {message}", file=sys.stderr)
    raise SystemExit(2)
