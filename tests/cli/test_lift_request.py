"""From a command line to the request: every option arrives in a field of its name."""

import argparse
from dataclasses import fields, is_dataclass

import pytest

from poselift.cli.detector import add_detector_options
from poselift.cli.lift_options import add_lift_options
from poselift.cli.lift_request import CommandRequest, make_lift_request
from poselift.lifting import LiftOptions
from poselift.lifting.request import DetectionRequest


@pytest.fixture
def parser():
    parser = argparse.ArgumentParser()
    add_lift_options(parser)
    add_detector_options(parser)
    return parser


def names(request):
    """Of all fields, at any depth."""
    for each in fields(request):
        value = getattr(request, each.name)
        yield from names(value) if is_dataclass(value) else [each.name]


def test_without_options_the_defaults_are_those_of_the_request(parser):
    assert make_lift_request(parser.parse_args([])) == CommandRequest()


def test_every_option_has_a_field():
    parser = argparse.ArgumentParser(add_help=False)
    add_lift_options(parser)
    assert {action.dest for action in parser._actions} - {"device", "calibration"} <= set(names(CommandRequest()))


def test_options_arrive(parser):
    given = (
        "--start 1 --end 2 --fps 240 --person 1,3 --height 1:1.8 --intrinsics 5,6,7,8 --skeleton cmu28 --threshold 0.2"
    )
    given += " --quality best --no-flip --no-constant-bones --world --formats trc,html --weights tiny"
    given += " --detector movenet-fast"
    request = make_lift_request(parser.parse_args(given.split()))
    assert request == CommandRequest(
        detection=DetectionRequest(1.0, 2.0, 240.0, "best", detector=request.detection.detector),
        weights="tiny",
        people=(1, 3),
        height={1: 1.8},
        intrinsics=(5.0, 6.0, 7.0, 8.0),
        options=LiftOptions(threshold=0.2, flip=False, constant_bones=False),
        skeleton="cmu28",
        world=True,
        formats=("trc", "html"),
    )
    assert request.detection.detector.name == "movenet-fast"
