"""What the results of a video depend on: every field of its request, by the content of files."""

from dataclasses import fields, is_dataclass, replace

from poselift.cli.batch.settings import Settings, find_settings
from poselift.cli.lift_request import CommandRequest
from poselift.lifting import LiftOptions
from poselift.lifting.request import DetectionRequest, DetectorRequest


def changed_once(request):
    """The request with one field changed, for each field at any depth, and whether that field counts."""
    for each in fields(request):
        value = getattr(request, each.name)
        if is_dataclass(value):
            yield from ((replace(request, **{each.name: inner}), counts) for inner, counts in changed_once(value))
        elif each.name not in ("fisheye", "tilt"):  # these need another field: below
            other = {bool: not value, str: f"another {value}", dict: {"some": "thing"}, tuple: ("trc",)}
            sensible = {
                "people": (1,),
                "camera": "still",
                "window": 81,
                "fov": 60.0,
                "intrinsics": (900.0, 900.0, 480.0, 270.0),
                "distortion": (0.1, 0.0, 0.0, 0.0),
                "lens_size": (960, 540),
            }
            changed = sensible.get(each.name, other.get(type(value), 1.0))
            yield replace(request, **{each.name: changed}), each.compare


def test_every_field_counts_unless_it_changes_no_result():
    before, requests = find_settings(CommandRequest()), list(changed_once(CommandRequest()))
    assert [request for request, counts in requests if not counts] == [CommandRequest()], "what a detector may do"
    for request, counts in requests:
        assert (find_settings(request) != before) == counts, request
    base = replace(CommandRequest(), fov=120.0, world=True)
    for other in (replace(base, fisheye=(0.1, 0.0, 0.0, 0.0)), replace(base, tilt=10.0)):
        assert find_settings(other) != find_settings(base)


def test_only_what_is_looked_for_and_how_needs_new_detections():
    before = find_settings(CommandRequest())
    again = find_settings(replace(CommandRequest(), fov=60.0, options=LiftOptions(threshold=0.5)))
    assert again.detection == before.detection
    assert again.lifting != before.lifting
    assert find_settings(CommandRequest(DetectionRequest(quality="best"))).detection != before.detection


def test_a_file_with_the_name_of_an_option_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fast").write_text("a file")
    (tmp_path / "pose.onnx").write_text("a network")
    detector = DetectorRequest("rtmpose", {"model": "pose.onnx", "person_model": "gone.onnx"})
    detection = find_settings(CommandRequest(DetectionRequest(quality="fast", detector=detector))).detection
    assert detection["quality"] == "fast"
    assert detection["detector"]["files"]["person_model"] == "gone.onnx"
    assert len(detection["detector"]["files"]["model"]) == 64, "the SHA-256 of the file"


def test_detections_depend_on_the_weights_of_the_detector():
    settings = Settings({"quality": "best"}, {})
    keys = {settings.key(video, {"m.onnx": digest}) for video in ("a", "b") for digest in ("1", "2")}
    assert len(keys) == 4
