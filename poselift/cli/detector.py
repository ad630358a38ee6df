"""The options by which a command's detector is chosen and set up."""

import argparse
from collections.abc import Iterable

from poselift.core.download import quiet_downloads
from poselift.core.errors import InputError
from poselift.detection import DETECTORS, Detector, build_detector

_OPTIONS = {
    "mmpose": {
        "config": "--mmpose-config",
        "checkpoint": "--mmpose-checkpoint",
        "person_detector": "--mmpose-person-detector",
        "person_checkpoint": "--mmpose-person-checkpoint",
        "trust_checkpoint": "--trust-checkpoint",
        "offline": "--offline",
    },
    "rtmpose": {"model": "--model", "person_model": "--person-model"},
}
"""For each detector that has options of its own: the argument that it is built with -> the option on the command
line. One that was not given is None there, and the detector's own default holds."""
DEFAULT_DETECTOR = "movenet"
"""The one that is used unless another is asked for: it needs no download."""
_FOR_ALL = {"--offline"}
"""Options that may be given with any detector, as one that fetches nothing does what they say."""


def add_detector_options(parser: argparse.ArgumentParser) -> None:
    """Adds `--detector` and what single detectors take."""
    how = parser.add_argument_group("detector")
    how.add_argument("--detector", choices=list(DETECTORS), help=f"finds the people (default: {DEFAULT_DETECTOR})")
    how.add_argument(
        "--offline", action="store_true", default=None, help="fetch no weights; take those in the cache, or none"
    )
    mmpose = parser.add_argument_group("detector mmpose", "docs/mmpose.md says how to install it")
    mmpose.add_argument("--mmpose-config", metavar="NAME|FILE", help="a top-down body config of mmpose's")
    mmpose.add_argument(
        "--mmpose-checkpoint", metavar="FILE|NAME|URL", help="its weights (default: those published for the config)"
    )
    mmpose.add_argument("--mmpose-person-detector", metavar="NAME|FILE", help="mmdet's config that finds the people")
    mmpose.add_argument("--mmpose-person-checkpoint", metavar="FILE|NAME|URL", help="its weights")
    mmpose.add_argument(
        "--trust-checkpoint",
        action="store_true",
        default=None,
        help="also read checkpoints that can run code when they are read",
    )
    rtmpose = parser.add_argument_group("detector rtmpose", "docs/detectors.md says where to get the files")
    rtmpose.add_argument("--model", metavar="FILE", help="an ONNX file of RTMPose's")
    rtmpose.add_argument(
        "--person-model", metavar="FILE", help="an ONNX file of RTMDet's or YOLOX's (default: MoveNet finds the people)"
    )


def chosen_detector(options: argparse.Namespace) -> Detector:
    """The detector that the options ask for, on the device that they name.

    Raises:
        InputError: an option is given that belongs to another detector, or the detector cannot be built.
    """
    detector = options.detector or DEFAULT_DETECTOR
    for name, arguments in _OPTIONS.items():
        strays = [option for option in _given(options, arguments.values()) if option not in _FOR_ALL]
        if strays and name != detector:
            raise InputError(f"{strays[0]} goes with --detector {name}, not with {detector}")
    wanted = {key: _value(options, option) for key, option in _OPTIONS.get(detector, {}).items()}
    given = {key: value for key, value in wanted.items() if value is not None}
    with quiet_downloads(getattr(options, "quiet", False)):  # not every command has the option
        return build_detector(detector, options.device, **given)


def refuse_detector(options: argparse.Namespace, instead: str) -> None:
    """For a command that was given something in the place of a detector.

    Args:
        options: of the command line.
        instead: the option that was given.

    Raises:
        InputError: a detector, or something of one, is asked for as well.
    """
    every = ["--detector", *(option for arguments in _OPTIONS.values() for option in arguments.values())]
    strays = [option for option in _given(options, every) if option not in _FOR_ALL]
    if strays:
        raise InputError(f"{strays[0]} is for a detector, and {instead} takes the place of one; choose one of the two")


def _given(options: argparse.Namespace, names: Iterable[str]) -> list[str]:
    return [name for name in names if _value(options, name) is not None]


def _value(options: argparse.Namespace, option: str) -> str | bool | None:
    value: str | bool | None = getattr(options, option.removeprefix("--").replace("-", "_"))
    return value
