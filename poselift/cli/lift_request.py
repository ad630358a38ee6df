"""The request of `poselift lift` and `poselift batch`: run and files."""

import argparse
from dataclasses import dataclass

from poselift.cli.detector import make_detector_request
from poselift.cli.request_fields import set_fields
from poselift.core.errors import InputError
from poselift.lifting.request import LiftRequest
from poselift.several_views.one_camera import take_calibration


@dataclass(frozen=True)
class CommandRequest(LiftRequest):
    """A run and its files.

    `poselift batch` does again what an equal request has not done, so a field that changes no result has
    `compare=False`.

    Attributes:
        formats: names of the formats to write beside the npz.
        csv: whether to write a CSV of each person.
        overlay: whether to write the video with 2D and 3D.
        draw: "angles" to write the joint angles into it; None for none.
    """

    formats: tuple[str, ...] = ()
    csv: bool = True
    overlay: bool = True
    draw: str | None = None


def make_lift_request(arguments: argparse.Namespace) -> CommandRequest:
    """The request of a command line.

    Args:
        arguments: options of `add_lift_options` and `add_detector_options`.

    Raises:
        InputError: options contradict each other, or a value makes no sense.
    """
    detector = make_detector_request(arguments)
    request = set_fields(CommandRequest(), {**take_calibration(vars(arguments)), "detector": detector})
    if request.draw is not None and not request.overlay:
        raise InputError("--draw writes into the overlay, which is left out; remove --no-render, or add batch --render")
    return request
