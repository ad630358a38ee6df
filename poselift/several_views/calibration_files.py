"""Calibrations that other programs made: Pose2Sim, Anipose, FreeMoCap, Qualisys, OpenCap and OpenCV.

All become cameras whose world is that of the file, in metres. Sources: Pose2Sim's documentation of Calib.toml and its
converters (github.com/perfanalytics/pose2sim), aniposelib's and freemocap's TOML of the same layout in millimetres,
Qualisys' .qca.txt as Pose2Sim reads it, the pickles of OpenCap (github.com/stanfordnmbl/opencap-core), and the YAML of
OpenCV's FileStorage (docs.opencv.org/4.x/da/d56/classcv_1_1FileStorage.html) with the names of its calibration sample.

It passes 300 lines with one reader for each format: they share what they return and what can be wrong.
"""

import math
import pickle
import re
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.files import atomic_path
from poselift.core.publishing import find_published
from poselift.core.unpickling import RestrictedUnpickler
from poselift.geometry import axis_angle_to_matrix
from poselift.geometry.camera import Camera

_LARGEST = 20_000_000
"""Bytes: no calibration is larger."""

_MILLIMETRES = 60.0
"""Distance of cameras from the middle of them all from which a file without a unit is in millimetres."""

_SUBPIXELS = 64.0
"""Qualisys' units in a pixel."""


def read_calibration(paths: Sequence[Path], placed: bool = True) -> dict[str, Camera]:
    """The cameras of one calibration, by name.

    Args:
        paths: one file, or one for each camera where a format has one camera a file.
        placed: whether the places of the cameras are needed; without, intrinsics alone will do.

    Raises:
        InputError: a file is missing, of no known format, or does not describe cameras, or their places.
    """
    cameras: dict[str, Camera] = {}
    for path in paths:
        for name, camera in _read_file(path, placed).items():
            if name in cameras:
                name = f"{path.parent.name or path.stem}_{name}"
            if name in cameras:
                raise InputError(f"{path}: the camera {name} is in two files; give each camera once")
            cameras[name] = camera
    return _in_metres(cameras)


def _read_file(path: Path, placed: bool) -> dict[str, Camera]:
    try:
        place = find_published(path)
        if place.stat().st_size > _LARGEST:
            raise InputError(f"{path} is too large for a calibration; give the calibration file")
        content = place.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; give a calibration file") from error
    suffix = path.name.lower()
    try:
        if suffix.endswith((".pickle", ".pkl")):
            return {_opencap_name(path): _read_opencap(path, placed)}
        text = content.decode("utf-8-sig")
        if suffix.endswith(".toml"):
            return _read_toml(text, placed)
        if "<camera" in text and suffix.endswith((".txt", ".xml", ".qca")):
            return _read_qualisys(text)
        if suffix.endswith((".yml", ".yaml")):
            return _read_opencv(text, path.stem, placed)
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        pickle.UnpicklingError,
        ET.ParseError,
        yaml.YAMLError,
    ) as error:
        if isinstance(error, InputError):
            raise InputError(f"{path}: {error}") from error
        raise InputError(
            f"{path} is no calibration that poselift reads ({type(error).__name__}: {error!s:.80}); give Pose2Sim's or "
            "Anipose's .toml, Qualisys' .qca.txt, OpenCap's .pickle or OpenCV's .yaml"
        ) from error
    raise InputError(
        f"{path} is no calibration that poselift reads; give Pose2Sim's or Anipose's .toml, Qualisys' .qca.txt, "
        "OpenCap's .pickle or OpenCV's .yaml"
    )


def _camera(
    K: Any, size: Any, R: Any, t: Any, distortion: Any, name: str, fisheye: bool = False, placed: bool = True
) -> Camera:
    """A camera of a file: X_cam = R X + t.

    R is a matrix or a rotation vector; R and t are None where the file lacks them.
    """
    if placed and (R is None or t is None):
        raise InputError(f"camera {name} lacks its rotation or translation; intrinsics alone do not place a camera")
    if R is None or t is None:
        R, t = np.eye(3), np.zeros(3)
    turn, move = np.asarray(R, np.float64), np.asarray(t, np.float64).reshape(-1)
    rotation = axis_angle_to_matrix(turn.reshape(-1)) if turn.size == 3 else turn.reshape(3, 3)
    lens = np.zeros(5)
    given = np.asarray([] if distortion is None else distortion, np.float64).reshape(-1)
    if fisheye and len(given) != 4:
        raise InputError(f"camera {name} has {len(given)} numbers of a fisheye lens; poselift takes k1, k2, k3, k4")
    if len(given) > 5 and np.any(given[5:]):
        raise InputError(f"camera {name} has {len(given)} numbers of distortion; poselift takes k1, k2, p1, p2, k3")
    lens[: min(len(given), 5)] = given[:5]
    width, height = (round(float(side)) for side in np.asarray(size).reshape(-1))
    matrix = np.asarray(K, np.float64).reshape(3, 3)
    if fisheye:
        return Camera.from_extrinsics(matrix, (width, height), rotation, move, name=name, fisheye=given)
    return Camera.from_extrinsics(matrix, (width, height), rotation, move, lens if lens.any() else None, name)


def _read_toml(text: str, placed: bool) -> dict[str, Camera]:
    """Pose2Sim's, Anipose's and FreeMoCap's layout: a table a camera."""
    cameras = {}
    for key, table in tomllib.loads(text).items():
        if not isinstance(table, Mapping) or "matrix" not in table:
            continue
        name = str(table.get("name", key))
        distortion = table.get("distortions", table.get("distortion"))
        cameras[name] = _camera(
            table["matrix"],
            table["size"],
            table.get("rotation"),
            table.get("translation"),
            distortion,
            name,
            bool(table.get("fisheye")),
            placed,
        )
    if not cameras:
        raise InputError("it has no table of a camera, with size and matrix")
    return cameras


def _opencap_name(path: Path) -> str:
    """OpenCap keeps each camera's pickle in a folder of its name."""
    return path.parent.name if path.stem.lower().startswith("cameraintrinsics") else path.stem


def _read_opencap(path: Path, placed: bool) -> Camera:
    """OpenCap's pickle: a dictionary, sizes as (height, width), millimetres."""
    with path.open("rb") as file:
        content = RestrictedUnpickler(file).load()
    height, width = (float(side) for side in np.asarray(content["imageSize"]).reshape(-1))
    R, t = (content.get(key) for key in ("rotation", "translation"))
    move = None if t is None else np.asarray(t, np.float64).reshape(-1) / 1000
    K, distortion = content["intrinsicMat"], content["distortion"]
    return _camera(K, (width, height), R, move, distortion, _opencap_name(path), placed=placed)


def _read_qualisys(text: str) -> dict[str, Camera]:
    """Qualisys' .qca.txt: XML, millimetres, y up and z backwards. These axes are the camera frame's."""
    cameras: dict[str, Camera] = {}
    found = ET.fromstring(text).findall("cameras/camera")
    video = [camera for camera in found if "video" in camera.get("model", "").lower()]
    for camera in video or found:
        name = camera.get("serial", str(len(cameras)))
        lines = re.match(r"\d+", camera.get("video_resolution", ""))
        share = float(lines.group()) / 1080 if lines else 1.0
        field, inside, place = (camera.find(tag) for tag in ("fov_video", "intrinsic", "transform"))
        if field is None or inside is None or place is None:
            raise InputError(f"camera {name} lacks fov_video, intrinsic or transform")
        left, top, right, bottom = (float(field.attrib[side]) for side in ("left", "top", "right", "bottom"))

        def pixels(key: str, start: float = 0.0, values: ET.Element = inside, share: float = share) -> float:
            return (float(values.attrib[key]) / _SUBPIXELS - start) * share

        K = np.array(
            [
                [pixels("focalLengthU"), 0.0, pixels("centerPointU", left)],
                [0.0, pixels("focalLengthV"), pixels("centerPointV", top)],
                [0.0, 0.0, 1.0],
            ]
        )
        keys = ("radialDistortion1", "radialDistortion2", "tangentalDistortion1", "tangentalDistortion2")
        lens = [float(inside.attrib[key]) / _SUBPIXELS for key in keys]
        turn = np.array([[float(place.attrib[f"r{row}{column}"]) for column in (1, 2, 3)] for row in (1, 2, 3)])
        where = np.array([float(place.attrib[axis]) for axis in "xyz"]) / 1000
        R = np.diag([1.0, -1.0, -1.0]) @ turn
        size = ((right - left + 1) * share, (bottom - top + 1) * share)
        cameras[name] = _camera(K, size, R, -R @ where, lens, name)
    if not cameras:
        raise InputError("it has no camera")
    return cameras


class _OpenCVLoader(yaml.SafeLoader):
    """Reads OpenCV's matrices; everything else is plain YAML."""


def _matrix(loader: yaml.SafeLoader, node: yaml.MappingNode) -> Float[np.ndarray, "rows columns"]:
    values = loader.construct_mapping(node, deep=True)
    return np.array(values["data"], np.float64).reshape(int(values["rows"]), int(values["cols"]))


_OpenCVLoader.add_constructor("tag:yaml.org,2002:opencv-matrix", _matrix)

_OPENCV = {
    "K": ("camera_matrix", "K", "cameraMatrix", "intrinsic_matrix"),
    "distortion": ("distortion_coefficients", "D", "dist", "distCoeffs"),
    "R": ("R", "rotation", "rotation_matrix", "rvec"),
    "t": ("T", "t", "translation", "tvec", "translation_vector"),
    "width": ("image_width", "width"),
    "height": ("image_height", "height"),
}
"""Names that files have for each value."""


def _read_opencv(text: str, stem: str, placed: bool) -> dict[str, Camera]:
    """OpenCV's YAML: one camera at the top, or one a mapping."""
    lines = [line for line in text.splitlines() if not line.startswith("%YAML")]
    content = yaml.load("\n".join(lines), _OpenCVLoader)
    if not isinstance(content, Mapping):
        raise InputError("it is no mapping of names to matrices")
    groups = {str(name): value for name, value in content.items() if isinstance(value, Mapping)}
    cameras = {}
    for name, values in (groups or {stem: content}).items():
        known = {key: next((values[own] for own in names if own in values), None) for key, names in _OPENCV.items()}
        needed = ("K", "width", "height", *(("R", "t") if placed else ()))
        if missing := [_OPENCV[key][0] for key in needed if known[key] is None]:
            alone = "; intrinsics alone do not place a camera" if set(missing) <= {"R", "T"} else ""
            raise InputError(f"camera {name} lacks {', '.join(missing)}{alone}")
        size = (known["width"], known["height"])
        fisheye = bool(values.get("fisheye_model"))  # as OpenCV's calibration sample writes it
        cameras[name] = _camera(known["K"], size, known["R"], known["t"], known["distortion"], name, fisheye, placed)
    return cameras


def _in_metres(cameras: dict[str, Camera]) -> dict[str, Camera]:
    """The cameras in metres: rooms are not 60 m wide. Such numbers are millimetres."""
    places = np.array([camera.t for camera in cameras.values()])
    far = np.linalg.norm(places - places.mean(0), axis=-1).max() if len(places) > 1 else np.linalg.norm(places[0])
    if far < _MILLIMETRES:
        return cameras
    return {name: camera.with_pose(camera.R, camera.t / 1000) for name, camera in cameras.items()}


def write_pose2sim(path: Path, cameras: Iterable[Camera]) -> None:
    """Writes Pose2Sim's Calib.toml: pixels = K (R X + t), metres.

    R is a rotation vector.

    Args:
        path: the file.
        cameras: with poses and names.
    """

    def numbers(values: Iterable[Any]) -> str:
        return f"[ {', '.join(repr(float(value)) for value in values)}]"

    lines, keys = [], {"metadata"}
    for index, camera in enumerate(cameras):
        R, t = camera.extrinsics
        name = camera.name or f"cam_{index + 1:02d}"
        lens = np.zeros(5) if camera.lens is None else np.append(camera.lens, 0.0)[:5]
        key = re.sub(r"[^A-Za-z0-9_-]", "_", name)
        while key in keys:  # names of other alphabets are underscores alone
            key += f"_{index + 1}"
        keys.add(key)
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        lines += [
            f"[{key}]",
            f'name = "{quoted}"',
            f"size = {numbers(camera.image_size)}",
            f"matrix = [ {', '.join(numbers(row) for row in camera.K)}]",
            f"distortions = {numbers(lens if lens[4] else lens[:4])}",
            f"rotation = {numbers(rotation_vector(R))}",
            f"translation = {numbers(t)}",
            f"fisheye = {str(camera.fisheye is not None).lower()}",
            "",
        ]
    lines += ["[metadata]", "adjusted = false", "error = 0.0", ""]
    with atomic_path(path) as unfinished:
        unfinished.write_text("\n".join(lines), encoding="utf-8")


def rotation_vector(R: Float[np.ndarray, "3 3"]) -> Float[np.ndarray, "3"]:
    """The axis of a rotation times its angle, radians."""
    cosine = np.clip((np.trace(R) - 1) / 2, -1.0, 1.0)
    angle = math.acos(cosine)
    axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if angle < 1e-8:
        return 0.5 * axis
    if math.pi - angle > 1e-4:
        vector: np.ndarray = angle / (2 * math.sin(angle)) * axis
        return vector
    # Near half a turn the axis is an eigenvector of R with the eigenvalue 1.
    values, vectors = np.linalg.eigh(0.5 * (R + R.T))
    along: np.ndarray = vectors[:, values.argmax()]
    return angle * (along if along @ axis >= 0 else -along)


def match_cameras(cameras: Mapping[str, Camera], videos: Sequence[str]) -> tuple[list[Camera], list[str]]:
    """Each video's camera, by name, else in the file's order.

    Names decide if the videos' names hold the cameras'; the videos without such a name have the other cameras.

    Args:
        cameras: of the calibration.
        videos: names of the videos, without folder and ending.

    Returns:
        The cameras, and warnings.

    Raises:
        InputError: there are fewer cameras than videos, or names fit more than one.
    """

    def plain(name: str) -> str:
        return re.sub(r"[\W_]", "", name.lower())

    named = {plain(name): camera for name, camera in cameras.items()}
    found: list[Camera | None] = []
    for video in videos:
        own = plain(video)
        if (same := cameras.get(video, named.get(own))) is not None:
            found.append(same)
            continue
        fits = [name for name in named if name and own and (name in own or own in name)]
        longest = [name for name in fits if len(name) == max(map(len, fits))]
        found.append(named[longest[0]] if len(longest) == 1 else None)
    if all(camera is not None for camera in found) and len({id(camera) for camera in found}) == len(videos):
        return [camera for camera in found if camera is not None], []
    if len(cameras) < len(videos):
        raise InputError(
            f"the calibration has {len(cameras)} cameras for {len(videos)} videos; give the calibration of all of them"
        )
    if len(cameras) > len(videos):
        raise InputError(
            f"the calibration has {len(cameras)} cameras, {', '.join(cameras)}, and the videos' names do not say which "
            "are meant; name the videos after their cameras"
        )
    # A video whose name tells its camera keeps it; the others have the rest.
    kept = [camera if sum(camera is other for other in found) == 1 else None for camera in found]
    rest = iter([camera for camera in cameras.values() if not any(camera is taken for taken in kept)])
    matched = [camera or next(rest) for camera in kept]
    order = ", ".join(f"{video} is {camera.name}" for video, camera in zip(videos, matched, strict=True))
    return matched, [f"not every video is named after a camera of the calibration: by their order, {order}"]
