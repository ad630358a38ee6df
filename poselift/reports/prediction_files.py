"""Files of predictions: our own JSON, and other projects' formats.

Our format is an npz without pickled objects. It has an array (t, j, 3) for each view by name: float32, metres, camera
frame, relative to the root. Its other keys are `joints`, the names of the joints; `unit`; `format`, which is
"poselift-predictions 1"; `about`, JSON that describes the model; and `partial`, True if frames are left out (all NaN),
because the formats of others cut the end of a clip.

The JSON form is {"joints": [names] or a skeleton, "unit": "m", "views": {name: nested lists}}.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError, reason
from poselift.core.files import atomic_path
from poselift.core.npz import npy_array, npz_arrays, npz_names
from poselift.core.safe_parsing import parse_json, read_json
from poselift.data.reading import load_object_npz, load_pickle
from poselift.data.views import View
from poselift.reports.prediction_layouts import clips_by_view, tree_by_view
from poselift.skeleton import SKELETONS, Skeleton, get_skeleton

FORMAT = "poselift-predictions 1"
UNITS = {"m": 1.0, "mm": 1e-3, "none": 1.0}
"""Units of length in metres; "none" is for predictions of unknown scale."""

_OWN_KEYS = ("joints", "unit", "format", "partial", "about")
_OBJECT_KEY = "positions_3d"
_FARTHEST = 1e9
_ABOUT: dict[str, Any] = {"name": str, "seed": int | None, "model": dict | None, "settings": dict}
"""The keys of `about` and their types."""


@dataclass(frozen=True)
class Predictions:
    """The predictions of one model for a benchmark's views.

    Attributes:
        poses: of each view by name, in metres if `lengths`.
        skeleton: of all poses.
        lengths: False if their unit is unknown.
        partial: whether frames with all joints NaN are left out on purpose, because the format cuts clips.
        layout: the name of the format.
        about: the "name", "seed" and "model" as in `metrics.json`, and the "settings" of its use, if the file has
            them.
    """

    poses: Mapping[str, Float[np.ndarray, "_t _j 3"]]
    skeleton: Skeleton
    lengths: bool = True
    partial: bool = False
    layout: str = "poselift"
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _Raw:
    """The content of a file before names and units are checked."""

    poses: Mapping[str, np.ndarray]
    layout: str
    joints: Any = None
    unit: Any = None
    partial: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)


def save_predictions(path: str | Path, predictions: Predictions) -> None:
    """Writes predictions in our own format.

    Raises:
        InputError: a view has the name of one of the format's keys.
    """
    for name in _OWN_KEYS:
        if name in predictions.poses:
            raise InputError(f"a view is called {name!r}, which is a key of the format of predictions; rename the view")
    arrays: dict[str, Any] = {name: np.asarray(pose, np.float32) for name, pose in predictions.poses.items()}
    about: dict[str, Any] = {
        "joints": np.array(predictions.skeleton.joints),
        "unit": np.array("m" if predictions.lengths else "none"),
        "format": np.array(FORMAT),
        "partial": np.array(predictions.partial),
        "about": np.array(json.dumps(predictions.about)),
    }
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **arrays, **about)


def read_predictions(
    path: str | Path,
    views: Sequence[View],
    *,
    joints: str | Sequence[str] | None = None,
    unit: str | None = None,
) -> Predictions:
    """Predictions from a file in any of the known formats.

    The ending and the content of the file decide which format it is.

    | file | content | default joints and unit |
    |---|---|---|
    | .npz | our own format | those in the file |
    | .npz with `positions_3d` | VideoPose3D's layout, {subject: {action: [a clip a camera]}} | h36m17, m |
    | .json | our own format as JSON | those in the file |
    | .npy (t, j, 3) | one clip, e.g. VideoPose3D's `--viz-export` or MotionBERT's `X3D.npy` | h36m17, m |
    | .npy or .pkl (n, t, j, 3) | MotionBERT's test clips, in the order of its data file | h36m17, mm |
    | .pkl of dicts | as VideoPose3D's layout | h36m17, m |
    | a folder | a .npy a view, `FOLDER/<view name>.npy` | h36m17, m |

    MotionBERT's `X3D.npy` has no unit of length: give "none" for it.

    Args:
        path: the file or folder.
        views: to score.
        joints: a skeleton, or the names of the joints in the order of the file.
        unit: one of `UNITS`.

    Raises:
        InputError: the file cannot be read, lacks a view, has another number of frames for a view, or has joints
            that are those of no skeleton.
    """
    path = Path(path)
    if unit is not None and unit not in UNITS:
        raise InputError(f"unit={unit} is unknown; choose one of {', '.join(UNITS)}")
    raw = _read(path, views)
    unit = unit or raw.unit or "m"
    if not isinstance(unit, str) or unit not in UNITS:
        raise InputError(f"{path}: the unit {unit!r} is unknown; it must be one of {', '.join(UNITS)}")
    skeleton, order = _joints(path, raw.joints, joints)
    missing = [view.name for view in views if view.name not in raw.poses]
    if missing:
        raise InputError(
            f"{path} has no prediction for {len(missing)} of {len(views)} views, e.g. {', '.join(missing[:3])}"
        )
    poses = {}
    for view in views:
        pose = np.asarray(raw.poses[view.name])
        if pose.dtype.kind not in "fiu" or pose.shape != (len(view), len(skeleton), 3):
            raise InputError(
                f"{path}: the prediction for view {view.name} has shape {pose.shape} ({pose.dtype}); for {len(view)} "
                f"frames of {skeleton.name} it must be ({len(view)}, {len(skeleton)}, 3)"
            )
        if (np.abs(pose.astype(np.float64)) > _FARTHEST).any():
            raise InputError(f"{path}: the prediction for view {view.name} has a joint beyond {_FARTHEST:g} {unit}")
        poses[view.name] = (pose[:, order] * UNITS[unit]).astype(np.float32)
    return Predictions(poses, skeleton, unit != "none", raw.partial, raw.layout, raw.about)


def _joints(path: Path, own: Any, asked: str | Sequence[str] | None) -> tuple[Skeleton, list[int]]:
    """A file's skeleton, and each joint's index in the arrays."""
    for joints in (own, asked):
        if joints is not None and not (isinstance(joints, Sequence) and all(isinstance(j, str) for j in joints)):
            raise InputError(f"{path}: joints are a skeleton or a list of joint names, not {joints!r:.60}")
    names = [
        None if joints is None else get_skeleton(joints).joints if isinstance(joints, str) else tuple(joints)
        for joints in (own, asked)
    ]
    if names[0] is not None and names[1] is not None and names[0] != names[1]:
        raise InputError(f"{path} says that its joints are {', '.join(names[0])}, but {', '.join(names[1])} were given")
    found = names[0] or names[1] or get_skeleton("h36m17").joints
    for skeleton in SKELETONS.values():
        if sorted(skeleton.joints) == sorted(found):
            return skeleton, [found.index(joint) for joint in skeleton.joints]
    known = {joint for skeleton in SKELETONS.values() for joint in skeleton.joints}
    strange = [joint for joint in found if joint not in known]
    what = (
        f"there is no joint {', '.join(strange)}"
        if strange
        else f"no skeleton has just these joints: {', '.join(found)}"
    )
    raise InputError(f"{path}: {what}; the skeletons are {', '.join(SKELETONS)}")


def _read(path: Path, views: Sequence[View]) -> _Raw:
    if path.is_dir():
        files = {view.name: path / f"{view.name}.npy" for view in views}
        return _Raw({name: npy_array(file) for name, file in files.items() if file.is_file()}, "folder")
    if not path.is_file():
        raise InputError(f"no such file: {path}; predictions are a .npz, .json, .npy or .pkl file, or a folder")
    if path.suffix == ".npz":
        return _npz(path, views)
    if path.suffix == ".json":
        return _json(path)
    if path.suffix == ".npy":
        return _layout(path, npy_array(path), views)
    if path.suffix == ".pkl":
        return _layout(path, load_pickle(path), views)
    raise InputError(f"{path}: predictions are a .npz, .json, .npy or .pkl file, or a folder of .npy files")


def _layout(path: Path, content: object, views: Sequence[View]) -> _Raw:
    """Recognises the formats of others by their shape."""
    if isinstance(content, Mapping):
        return _Raw(tree_by_view(path, content, views), "VideoPose3D")
    if isinstance(content, np.ndarray) and content.ndim == 4:
        return _Raw(clips_by_view(path, content, views), "MotionBERT", unit="mm", partial=True)
    if isinstance(content, np.ndarray) and content.ndim == 3:
        if len(views) != 1:
            raise InputError(f"{path} is one clip, but there are {len(views)} views; choose one by view=NAME")
        return _Raw({views[0].name: content}, "one clip")
    shape = f" of shape {content.shape}" if isinstance(content, np.ndarray) else ""
    raise InputError(
        f"{path} holds a {type(content).__name__}{shape}; expected (frames, joints, 3), (clips, frames, joints, 3) or "
        "{subject: {action: [a clip a camera]}}"
    )


def _npz(path: Path, views: Sequence[View]) -> _Raw:
    arrays: dict[str, Any] | None = None if _OBJECT_KEY in npz_names(path) else {**npz_arrays(path)}
    if arrays is None:
        return _layout(path, load_object_npz(path, _OBJECT_KEY), views)
    own = {key: arrays.pop(key, None) for key in _OWN_KEYS}
    if wrong := [key for key in own if key != "joints" and own[key] is not None and own[key].ndim]:
        raise InputError(f"{path}: {wrong[0]!r} has the shape {own[wrong[0]].shape}; write the file again")
    if own["format"] is not None and str(own["format"]) != FORMAT:
        raise InputError(f"{path} has the format {str(own['format'])!r}; only {FORMAT!r} can be read")
    return _Raw(
        arrays,
        "poselift",
        None if own["joints"] is None else own["joints"].tolist(),
        None if own["unit"] is None else str(own["unit"]),
        partial=own["partial"] is not None and bool(own["partial"]),
        about={} if own["about"] is None else _about(path, str(own["about"])),
    )


def _about(path: Path, text: str) -> dict[str, Any]:
    """The `about` of a file."""
    about = parse_json(text, f"{path}: 'about'")
    if not isinstance(about, dict) or not all(isinstance(about[key], _ABOUT[key]) for key in _ABOUT if key in about):
        raise InputError(f"{path}: 'about' is not a JSON object with a name, seed, model and settings, but {text:.60}")
    return about


def _json(path: Path) -> _Raw:
    content = read_json(path)
    if not isinstance(content, dict) or not isinstance(content.get("views"), dict):
        raise InputError(f'{path} has no "views", from their names to (frames, joints, 3) numbers in nested lists')
    try:
        poses = {name: np.array(pose, np.float64) for name, pose in content["views"].items()}
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(
            f"{path}: a view is not (frames, joints, 3) numbers in nested lists ({reason(error)})"
        ) from error
    return _Raw(poses, "JSON", content.get("joints"), content.get("unit"))
