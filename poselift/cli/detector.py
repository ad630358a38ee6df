"""The options that choose and configure a detector."""

import argparse
from collections.abc import Iterable

from poselift.cli.values import full_text
from poselift.core.errors import InputError
from poselift.detection import DETECTORS
from poselift.finding import DEFAULT_QUALITY, QUALITIES
from poselift.lifting.request import DEFAULT_DETECTOR, QUICK_DETECTOR, DetectorRequest, default_detector

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
"""Constructor argument -> command line option, for each detector with its own options. An option that is not given is
None, and the default of the detector applies."""
_FOR_ALL = {"--offline"}
"""Options for any detector: one that downloads nothing respects them."""


def add_detector_options(
    parser: argparse.ArgumentParser, default: str = f"{DEFAULT_DETECTOR}; {QUICK_DETECTOR} with --quality fast"
) -> None:
    """Adds `--detector` and the options of each detector.

    Args:
        parser: of the command.
        default: the default as the help has it.
    """
    how = parser.add_argument_group("detector")
    how.add_argument("--detector", choices=list(DETECTORS), help=f"finds the people (default: {default})")
    how.add_argument(
        "--offline", action="store_true", default=None, help="download nothing; use weights from the cache only"
    )
    mmpose = parser.add_argument_group("detector mmpose", "see docs/mmpose.md for the installation")
    mmpose.add_argument("--mmpose-config", metavar="NAME|FILE", help="a top-down body config of mmpose")
    mmpose.add_argument(
        "--mmpose-checkpoint",
        type=full_text,
        metavar="FILE|NAME|URL",
        help="its weights (default: those published for the config)",
    )
    mmpose.add_argument("--mmpose-person-detector", metavar="NAME|FILE", help="a config of mmdet for detecting people")
    mmpose.add_argument("--mmpose-person-checkpoint", type=full_text, metavar="FILE|NAME|URL", help="its weights")
    mmpose.add_argument(
        "--trust-checkpoint",
        action="store_true",
        default=None,
        help="also read checkpoints that can run code",
    )
    rtmpose = parser.add_argument_group("detector rtmpose", "see docs/detectors.md for the files")
    rtmpose.add_argument("--model", type=full_text, metavar="FILE", help="an ONNX file of RTMPose")
    rtmpose.add_argument(
        "--person-model",
        type=full_text,
        metavar="FILE",
        help="an ONNX file of RTMDet or YOLOX for detecting people (default: MoveNet)",
    )


def add_quality_option(parser: argparse._ActionsContainer) -> None:
    """Adds `--quality`, which chooses how often the detector looks."""
    parser.add_argument(
        "--quality",
        choices=list(QUALITIES),
        help="how often the detector looks: best looks at every frame, balanced up to 30 times a second, fast up to 15 "
        f"(default: {DEFAULT_QUALITY})",
    )


def make_detector_request(arguments: argparse.Namespace, default: str | None = None) -> DetectorRequest:
    """The detector that a command line asks for.

    Args:
        arguments: of the command line.
        default: the detector that it need not name; by quality if None.

    Raises:
        InputError: an option belongs to another detector.
    """
    quality = getattr(arguments, "quality", None) or DEFAULT_QUALITY
    detector = arguments.detector or default or default_detector(quality)
    for name, options in _OPTIONS.items():
        strays = _list_given(arguments, options.values())
        if strays and name != detector:
            raise InputError(f"{strays[0]} needs --detector {name}, not {detector}; add it")
    wanted = {key: _value(arguments, option) for key, option in _OPTIONS.get(detector, {}).items()}
    return DetectorRequest(
        detector,
        {key: value for key, value in wanted.items() if isinstance(value, str)},
        {key: value for key, value in wanted.items() if isinstance(value, bool)},
    )


def refuse_detector(arguments: argparse.Namespace, instead: str) -> None:
    """Checks that no option of a detector is given.

    Args:
        arguments: of the command line.
        instead: the option that replaces the detector.

    Raises:
        InputError: an option of a detector is given.
    """
    every = ["--detector", "--quality", *(option for options in _OPTIONS.values() for option in options.values())]
    if strays := _list_given(arguments, every):
        raise InputError(f"{strays[0]} configures a detector, but {instead} replaces it; choose one of the two")


def _list_given(arguments: argparse.Namespace, names: Iterable[str]) -> list[str]:
    """The given options, without those that serve every detector."""
    return [name for name in names if name not in _FOR_ALL and _value(arguments, name) is not None]


def _value(arguments: argparse.Namespace, option: str) -> str | bool | None:
    value: str | bool | None = getattr(arguments, option.removeprefix("--").replace("-", "_"))
    return value
