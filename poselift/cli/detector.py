"""The options that choose and configure a detector."""

import argparse
from collections.abc import Iterable

from poselift.core.download import quiet_downloads
from poselift.core.errors import InputError
from poselift.detection import DETECTORS, Detector, build_detector
from poselift.finding.finder import DEFAULT_QUALITY, QUALITIES

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
DEFAULT_DETECTOR = "movenet"
"""The default: it needs no download."""
_FOR_ALL = {"--offline"}
"""Options for any detector: one that downloads nothing respects them."""


def add_detector_options(parser: argparse.ArgumentParser) -> None:
    """Adds `--detector` and the options of each detector."""
    how = parser.add_argument_group("detector")
    how.add_argument("--detector", choices=list(DETECTORS), help=f"finds the people (default: {DEFAULT_DETECTOR})")
    how.add_argument(
        "--offline", action="store_true", default=None, help="download nothing; use weights from the cache only"
    )
    mmpose = parser.add_argument_group("detector mmpose", "see docs/mmpose.md for the installation")
    mmpose.add_argument("--mmpose-config", metavar="NAME|FILE", help="a top-down body config of mmpose")
    mmpose.add_argument(
        "--mmpose-checkpoint", metavar="FILE|NAME|URL", help="its weights (default: those published for the config)"
    )
    mmpose.add_argument("--mmpose-person-detector", metavar="NAME|FILE", help="a config of mmdet for detecting people")
    mmpose.add_argument("--mmpose-person-checkpoint", metavar="FILE|NAME|URL", help="its weights")
    mmpose.add_argument(
        "--trust-checkpoint",
        action="store_true",
        default=None,
        help="also read checkpoints that can run code",
    )
    rtmpose = parser.add_argument_group("detector rtmpose", "see docs/detectors.md for the files")
    rtmpose.add_argument("--model", metavar="FILE", help="an ONNX file of RTMPose")
    rtmpose.add_argument(
        "--person-model", metavar="FILE", help="an ONNX file of RTMDet or YOLOX for detecting people (default: MoveNet)"
    )


def add_quality_option(parser: argparse._ActionsContainer) -> None:
    """Adds `--quality`, which chooses how often the detector looks."""
    parser.add_argument(
        "--quality",
        choices=list(QUALITIES),
        default=DEFAULT_QUALITY,
        help="how often the detector looks: best looks at every frame, balanced up to 30 times a second, fast up to 15 "
        "(default: %(default)s)",
    )


def chosen_detector(options: argparse.Namespace) -> Detector:
    """The chosen detector on the chosen device.

    Raises:
        InputError: an option belongs to another detector, or the detector cannot be built.
    """
    detector = options.detector or DEFAULT_DETECTOR
    for name, arguments in _OPTIONS.items():
        strays = [option for option in _given(options, arguments.values()) if option not in _FOR_ALL]
        if strays and name != detector:
            raise InputError(f"{strays[0]} needs --detector {name}, not {detector}; add it")
    wanted = {key: _value(options, option) for key, option in _OPTIONS.get(detector, {}).items()}
    given = {key: value for key, value in wanted.items() if value is not None}
    with quiet_downloads(getattr(options, "quiet", False)):  # not every command has the option
        return build_detector(detector, options.device, **given)


def refuse_detector(options: argparse.Namespace, instead: str) -> None:
    """Checks that no option of a detector is given.

    Args:
        options: of the command line.
        instead: the option that replaces the detector.

    Raises:
        InputError: an option of a detector is given.
    """
    every = ["--detector", *(option for arguments in _OPTIONS.values() for option in arguments.values())]
    strays = [option for option in _given(options, every) if option not in _FOR_ALL]
    if strays:
        raise InputError(f"{strays[0]} configures a detector, but {instead} replaces it; choose one of the two")


def _given(options: argparse.Namespace, names: Iterable[str]) -> list[str]:
    return [name for name in names if _value(options, name) is not None]


def _value(options: argparse.Namespace, option: str) -> str | bool | None:
    value: str | bool | None = getattr(options, option.removeprefix("--").replace("-", "_"))
    return value
