"""The parsers of the package, each with a small valid file and the way to change it."""

import importlib
import io
import json
import pickle
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import torch
import yaml

from benchmarks.mutations import (
    Mutation,
    bytes_changed,
    json_changed,
    npy_changed,
    npz_changed,
    pickle_changed,
    text_changed,
    value_changed,
    yaml_changed,
)
from poselift.data.reading import load_arrays, load_object_npz, load_pickle
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import View, render_views
from poselift.keypoints import KeypointClip, read_keypoints
from poselift.models import LifterConfig, SpatioTemporalLifter, load_weights, save_weights
from poselift.models.checkpoint import load_checkpoint
from poselift.recordings import read_motion, read_sidecar
from poselift.reports.cost import read_costs
from poselift.reports.entries import sections
from poselift.reports.prediction_files import Predictions, read_predictions, save_predictions
from poselift.reports.published import DEFAULT_PUBLISHED, read_published
from poselift.reports.runs import read_runs
from poselift.reports.training_log import read_log
from poselift.skeleton import H36M17


def of_tests(place: str) -> ModuleType:
    """A module of the tests, such as "keypoints.writers", also if another package brings `tests` along."""
    ours = str(Path(__file__).parents[1] / "tests")
    if ours not in getattr(sys.modules.get("tests"), "__path__", ()):
        sys.modules["tests"] = ModuleType("tests")
        sys.modules["tests"].__path__ = [ours]
    return importlib.import_module(f"tests.{place}")


_WRITERS = of_tests("keypoints.writers")

_FRAMES = 3
_SIZE = 640, 480


@dataclass(frozen=True)
class Parser:
    """A parser, a valid file for it and the way to change that.

    Attributes:
        write: writes the file, or a folder, at a path without suffix; returns where it is.
        read: parses it.
        change: a mutation.
        suffixes: of the files in a folder that are changed.
        inside: name of the file in the folder that `read` takes; empty for the folder itself.
    """

    write: Callable[[Path], Path]
    read: Callable[[Path], object]
    change: Mutation
    suffixes: tuple[str, ...] = ()
    inside: str = ""


def _keypoints(name: str) -> Parser:
    form = _WRITERS.FORMATS[name]
    skeleton = form.skeletons[0]

    def write(path: Path) -> Path:
        rng = np.random.default_rng(0)
        body = rng.uniform([100, 50], [400, 450], (len(skeleton), 2))
        frames = [
            [
                _WRITERS.Person(body + 30 * who + frame, rng.uniform(0.3, 1, len(skeleton)), who)
                for who in range(1, 2 + form.crowd)
            ]
            for frame in range(_FRAMES)
        ]
        return form.write(path, frames, skeleton, _SIZE, 30.0)

    suffixes = {"openpose": ".json", "trc": ".trc", "poselift": ".npz"}
    changes = {
        ".json": json_changed,
        ".csv": text_changed,
        ".trc": text_changed,
        ".h5": bytes_changed,
        ".npz": npz_changed,
    }
    suffix = suffixes.get(name) or {"deeplabcut_csv": ".csv", "deeplabcut_h5": ".h5", "detectron": ".npz"}.get(
        name, ".npz" if name == "videopose3d_custom" else ".json"
    )
    return Parser(write, _read_keypoints, changes[suffix], (suffix,))


def _read_keypoints(path: Path) -> None:
    """What a command does with a file before it lifts."""
    file = read_keypoints(path)
    fps, size = None if file.timestamps else 30, None if file.image_size else _SIZE
    clip = KeypointClip(file, fps=fps, image_size=size)
    tracker = clip.tracker()
    for number, (people, time) in enumerate(clip.people()):
        tracker.update(people, time)
        if number > 100:  # frames that are far apart have empty ones in between
            break


def _read_motion(path: Path) -> None:
    read_motion(path)
    read_sidecar(path.with_suffix(".json"))


def _write_motion(path: Path) -> Path:
    folder = _keypoints("poselift").write(path)
    for other in folder.glob("person_2.*"):
        other.unlink()
    return folder


def _lifter() -> SpatioTemporalLifter:
    torch.manual_seed(0)
    return SpatioTemporalLifter(LifterConfig(joint_dim=8, frame_dim=16, dim=16, depth=1, heads=2))


def _write_weights(path: Path, checksum: bool) -> Path:
    save_weights(path / "w.safetensors", _lifter(), 81, {"seed": 1}, pelvis="spine")
    if not checksum:
        card = path / "w.json"
        card.write_text(
            json.dumps({key: value for key, value in json.loads(card.read_text()).items() if key != "sha256"})
        )
    return path


def _write_checkpoint(path: Path) -> Path:
    lifter = _lifter()
    content = {
        "state_dict": {f"lifter.{key}": value for key, value in lifter.state_dict().items()},
        "model": {"name": "SpatioTemporalLifter", "config": asdict(lifter.config), "window": 16, "pelvis": "hips"},
        "epoch": 3,
        "global_step": 40,
    }
    torch.save(content, path.with_suffix(".ckpt"))
    return path.with_suffix(".ckpt")


def _checkpoint_changed(data: bytes, rng: Random) -> bytes:
    """A checkpoint of changed values, or with changed bytes."""
    if rng.random() < 0.5:
        return bytes_changed(data, rng)
    file = io.BytesIO()
    torch.save(value_changed(torch.load(io.BytesIO(data), weights_only=True), rng), file)
    return file.getvalue()


def _views() -> list[View]:
    return [replace(view, name=f"view{at}") for at, view in enumerate(render_views(synthetic_corpus(2, 4, seed=0), 0))]


def _write_predictions(path: Path, suffix: str) -> Path:
    path = path.with_suffix(suffix)
    poses = {view.name: np.zeros((len(view), len(H36M17), 3), np.float32) for view in _views()}
    if suffix == ".npz":
        save_predictions(path, Predictions(poses, H36M17, about={"name": "a", "seed": 1}))
    else:
        views = {name: pose.tolist() for name, pose in poses.items()}
        path.write_text(json.dumps({"joints": "h36m17", "unit": "m", "views": views}))
    return path


def _tree() -> dict[str, Any]:
    return {
        "S1": {"Walking 1": [np.zeros((4, 32, 3), np.float32)], "Photo": [np.ones((3, 32, 3))]},
        "fps": np.float64(50),
        "names": ["a", ("b", 2)],
    }


def file(suffix: str, write: Callable[[Path], object]) -> Callable[[Path], Path]:
    """Writes a file with a suffix."""

    def to(path: Path) -> Path:
        path = path.with_suffix(suffix)
        write(path)
        return path

    return to


_VIEWS = _views()
_ARRAYS: dict[str, Any] = {"x": np.zeros((5, 3), np.float32), "names": np.array(["a", "bc"]), "fps": np.array(50.0)}
_SHAPES: dict[str, Any] = {"x": (None, 3), "names": (None,), "fps": ()}
_COSTS = {"a window=27 joints=coco17": {"parameters": 10, "macs": 1.5, "ms": 0.1, "memory": 4000}}

PARSERS: dict[str, Parser] = {
    **{f"keypoints: {name}": _keypoints(name) for name in _WRITERS.FORMATS},
    "motion: npz": Parser(_write_motion, _read_motion, npz_changed, (".npz",), "person_1.npz"),
    "motion: json": Parser(_write_motion, _read_motion, json_changed, (".json",), "person_1.npz"),
    "weights: card": Parser(
        partial(_write_weights, checksum=True), load_weights, json_changed, (".json",), "w.safetensors"
    ),
    "weights: safetensors": Parser(
        partial(_write_weights, checksum=True), load_weights, bytes_changed, (".safetensors",), "w.safetensors"
    ),
    "weights: safetensors, no check sum": Parser(
        partial(_write_weights, checksum=False), load_weights, bytes_changed, (".safetensors",), "w.safetensors"
    ),
    "checkpoint": Parser(_write_checkpoint, load_checkpoint, _checkpoint_changed),
    "predictions: npz": Parser(
        partial(_write_predictions, suffix=".npz"), lambda path: read_predictions(path, _VIEWS), npz_changed
    ),
    "predictions: json": Parser(
        partial(_write_predictions, suffix=".json"), lambda path: read_predictions(path, _VIEWS), json_changed
    ),
    "predictions: npy": Parser(
        file(".npy", lambda path: np.save(path, np.zeros((len(_VIEWS[0]), 17, 3), np.float32))),
        lambda path: read_predictions(path, _VIEWS[:1]),
        npy_changed,
    ),
    "metrics.json": Parser(
        file(".json", lambda path: path.write_text(json.dumps(of_tests("reports.results").results()))),
        lambda path: sections(read_runs([path])),
        json_changed,
    ),
    "cost.json": Parser(
        file(
            ".json",
            lambda path: path.write_text(json.dumps({"format": "poselift-cost", "version": 1, "costs": _COSTS})),
        ),
        read_costs,
        json_changed,
    ),
    "published rows: yaml": Parser(
        file(
            ".yaml",
            lambda path: path.write_text(
                yaml.safe_dump({"rows": yaml.safe_load(DEFAULT_PUBLISHED.read_text())["rows"][:3]})
            ),
        ),
        read_published,
        yaml_changed,
    ),
    "training log: csv": Parser(
        file(".csv", lambda path: path.write_text("step,loss,val,epoch\n1,0.5,,0\n2,0.25,1.5,0\n3,0.125,,1\n")),
        read_log,
        text_changed,
    ),
    "data: npz": Parser(
        file(".npz", lambda path: np.savez_compressed(path, **_ARRAYS)),
        lambda path: load_arrays(path, _SHAPES, "help"),
        npz_changed,
    ),
    "data: npz of objects": Parser(
        file(".npz", lambda path: np.savez_compressed(path, positions_3d=np.array(_tree(), object))),
        lambda path: load_object_npz(path, "positions_3d"),
        npz_changed,
    ),
    "data: pickle": Parser(
        file(".pkl", lambda path: path.write_bytes(pickle.dumps(_tree()))), load_pickle, pickle_changed
    ),
}
"""All parsers by name."""
