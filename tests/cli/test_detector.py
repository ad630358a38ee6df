import argparse

import pytest

from poselift.cli.detector import DetectorRequest, add_detector_options, add_quality_option, make_detector_request
from poselift.core import download
from poselift.core.errors import InputError
from poselift.skeleton import COCO17


class Nobody:
    """A detector that finds nobody, and remembers what it was built with."""

    name, skeleton, weights = "nobody", COCO17, {}

    def __init__(self, *built, **options):
        self.built = (*built, options)

    def detect(self, frames):
        return []


def chosen(monkeypatch, *arguments):
    """What the detector would be built with."""
    monkeypatch.setattr("poselift.lifting.request.build_detector", Nobody)
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    add_detector_options(parser)
    add_quality_option(parser)
    options = parser.parse_args(arguments)
    return make_detector_request(options).build(options.device).built


def test_only_what_was_given_is_passed_on(monkeypatch):
    assert chosen(monkeypatch) == ("movenet-blazepose", "cpu", {})
    assert chosen(monkeypatch, "--quality", "fast") == ("movenet", "cpu", {})
    assert chosen(monkeypatch, "--detector", "mmpose", "--device", "cuda") == ("mmpose", "cuda", {})
    given = ["--mmpose-config", "a", "--mmpose-checkpoint", "b", "--mmpose-person-detector", "c"]
    given += ["--mmpose-person-checkpoint", "d", "--trust-checkpoint"]
    _, _, options = chosen(monkeypatch, "--detector", "mmpose", *given)
    assert options == {
        "config": "a",
        "checkpoint": "b",
        "person_detector": "c",
        "person_checkpoint": "d",
        "trust_checkpoint": True,
    }
    files = ["--model", "a.onnx", "--person-model", "b.onnx"]
    built = chosen(monkeypatch, "--detector", "rtmpose", *files)
    assert built == ("rtmpose", "cpu", {"model": "a.onnx", "person_model": "b.onnx"})


def test_offline_goes_with_every_detector(monkeypatch):
    assert chosen(monkeypatch, "--offline") == ("movenet-blazepose", "cpu", {})
    assert chosen(monkeypatch, "--detector", "mmpose", "--offline") == ("mmpose", "cpu", {"offline": True})


@pytest.mark.parametrize("quiet", [True, False])
def test_a_quiet_command_shows_no_download(quiet, monkeypatch):
    monkeypatch.setattr("poselift.lifting.request.build_detector", lambda *_: Nobody(download._QUIET.get()))
    detector = DetectorRequest().build("cpu", quiet)
    assert detector.built == (quiet, {})
    assert not download._QUIET.get(), "only while it is built"


@pytest.mark.parametrize(
    ("option", "owner"),
    [(["--mmpose-config", "a"], "mmpose"), (["--trust-checkpoint"], "mmpose"), (["--model", "a"], "rtmpose")],
)
def test_an_option_of_another_detector_is_refused(option, owner, monkeypatch):
    with pytest.raises(InputError, match=f"{option[0]} needs --detector {owner}, not movenet"):
        chosen(monkeypatch, *option)
