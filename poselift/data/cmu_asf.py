"""Makes `cmu50.npz` from a download of the CMU motion capture database.

mocap.cs.cmu.edu: the data is free for all uses, but must not be resold directly, even in converted form. The data was
obtained from mocap.cs.cmu.edu; the database was created with funding from NSF EIA-0196217.
"""

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.core.files import atomic_path, check_writable
from poselift.core.progress_text import Output, track
from poselift.data.asf_amc import AsfSkeleton, pose_bones, read_amc, read_asf
from poselift.data.cmu import MISSING
from poselift.data.reading import Layout
from poselift.skeleton import CMU28, H36M17

LAYOUT = Layout(
    name="The CMU motion capture database",
    tree="""
RAW/
  subjects/
    01/
      01.asf
      01_01.amc
      ...
    02/ ...
""",
    url="http://mocap.cs.cmu.edu",
    note="Its page of questions and answers has one archive of all .asf and .amc files (allasfamc.zip).",
)

FPS = 50.0
FASTEST = 14.0
"""Metres per second; a faster joint means a lost or confused marker."""
SHORTEST = 0.5
"""Seconds; shorter segments of a trial are dropped."""

SUBJECTS = {
    "train": (
        *("01", "02", "06", "09", "10", "13", "14", "16", "26", "27", "32", "35", "37", "38", "39", "43", "46", "49"),
        *("55", "60", "61", "93", "94", "105", "118"),
    ),
    "val": ("03", "12", "17", "135"),
    "test": ("07", "08", "29"),
}
"""The subject numbers of each split. One person can have several numbers, so nearly equal skeletons are in one split.
The other subjects of the database are left out, because their identity is unknown."""
_SPLIT_OF = {subject: split for split, subjects in SUBJECTS.items() for subject in subjects}

BONES = {
    "pelvis": "root",
    "right_hip": "rhipjoint",
    "right_knee": "rfemur",
    "right_ankle": "rtibia",
    "left_hip": "lhipjoint",
    "left_knee": "lfemur",
    "left_ankle": "ltibia",
    "spine": "lowerback",
    "thorax": "thorax",
    "neck_base": "upperneck",
    "head_top": "head",
    "left_shoulder": "lclavicle",
    "left_elbow": "lhumerus",
    "left_wrist": "lradius",
    "right_shoulder": "rclavicle",
    "right_elbow": "rhumerus",
    "right_wrist": "rradius",
    "right_big_toe": "rtoes",
    "left_big_toe": "ltoes",
    "right_hand": "rfingers",
    "left_hand": "lfingers",
}
"""The bone whose end each joint is."""

FACE = {
    "nose": (0.0, 0.4, 0.125),
    "left_eye": (0.032, 0.55, 0.095),
    "right_eye": (-0.032, 0.55, 0.095),
    "left_ear": (0.075, 0.45, 0.01),
    "right_ear": (-0.075, 0.45, 0.01),
}
"""Average positions on the head, relative to the base of the neck: metres to the left, share of the distance to the top
of the head, metres to the front."""
HEEL = (0.0, -0.055, -0.045)
"""Average position relative to the ankle, metres to the left, up and to the front, for the skeleton at rest, which
stands with its legs apart. It moves with the foot."""


@dataclass(frozen=True)
class _Clip:
    """An unbroken segment of a trial."""

    name: str
    subject: str
    points: Float[np.ndarray, "t 28 3"]


def cmu_joints(
    skeleton: AsfSkeleton, ends: Float[Tensor, "t b 3"], orientations: Float[Tensor, "t b 3 3"]
) -> Float[Tensor, "t 28 3"]:
    """The joints of CMU-28 from the posed bones of a skeleton.

    Twenty-one are the ends of bones. Nose, eyes and ears have a fixed average position on the head, the heels on the
    feet: good enough as training input, not for evaluation.

    Args:
        skeleton: the skeleton at rest, with the database's axes: x to the left, y up, z to the front.
        ends: end of each bone, world, metres.
        orientations: rotation of each bone from rest.

    Raises:
        InputError: the skeleton lacks a bone.
    """
    for bone in (*BONES.values(), "rfoot", "lfoot"):
        if bone not in skeleton.tree.joints:
            raise InputError(
                f"{skeleton.tree.name}.asf has no bone {bone!r}, unlike the database; "
                f"it has {', '.join(skeleton.tree.joints)}"
            )
    bones = skeleton.tree.indices(list(BONES.values()))
    places = dict(zip(BONES, ends[:, bones].unbind(1), strict=True))

    head = skeleton.tree.index("head")
    along = skeleton.bones[head].vector
    up = torch.nn.functional.normalize(along, dim=0)
    x = torch.tensor([1.0, 0.0, 0.0], dtype=ends.dtype)
    left = torch.nn.functional.normalize(x - (x @ up) * up, dim=0)
    front = torch.linalg.cross(left, up)
    for joint, (to_left, share, to_front) in FACE.items():
        places[joint] = places["neck_base"] + orientations[:, head] @ (
            to_left * left + share * along + to_front * front
        )
    for side in ("right", "left"):
        foot = orientations[:, skeleton.tree.index(f"{side[0]}foot")]
        places[f"{side}_heel"] = places[f"{side}_ankle"] + foot @ torch.tensor(HEEL, dtype=ends.dtype)
    return torch.stack([places[joint] for joint in CMU28.joints], 1)


def resample(points: Float[Tensor, "t j 3"], fps: float) -> Float[Tensor, "t_out j 3"]:
    """Points at `FPS` frames per second, by linear interpolation over time."""
    count = int((len(points) - 1) / fps * FPS + 1e-6) + 1
    position = torch.arange(count, dtype=points.dtype) * (fps / FPS)
    low = position.long().clamp(max=len(points) - 1)
    high = (low + 1).clamp(max=len(points) - 1)
    return torch.lerp(points[low], points[high], (position - low)[:, None, None])


def split_at_jumps(points: Float[Tensor, "t j 3"]) -> list[Float[Tensor, "t_segment j 3"]]:
    """The segments of a clip between joints faster than `FASTEST`.

    Args:
        points: joints of CMU-28 at `FPS` frames per second; toes, hands and the face do not count.

    Returns:
        The segments of at least `SHORTEST` seconds, in order.
    """
    body = points[:, CMU28.indices(H36M17.joints)]
    speed = body.diff(dim=0).norm(dim=-1).amax(-1) * FPS
    cuts = (speed > FASTEST).nonzero().squeeze(-1) + 1
    return [segment for segment in points.tensor_split(cuts.tolist()) if len(segment) >= SHORTEST * FPS]


def prepare(raw: str | Path, path: str | Path, fps: float = 120.0, at_60: Collection[str] = ()) -> str:
    """Writes `cmu50.npz` from the download; a summary comes back.

    Args:
        raw: folder that contains `subjects`. Some of the corpus's subjects are enough.
        path: the file to write; it is written atomically.
        fps: frame rate of the trials, which AMC files do not state.
        at_60: subjects ("60") and trials ("60_08") with 60 frames per second.

    Returns:
        A line for each split with its frames, clips and subjects, and a line with the missing subjects.

    Raises:
        InputError: no subject of the corpus exists, a file is missing or malformed, or the file cannot be written.
    """
    check_writable(Path(path).parent)
    if not fps > 0:
        raise InputError(f"a frame rate of {fps} is impossible; give a number above 0")
    trials = _find_trials(Path(raw) / "subjects")
    _check_names(at_60, trials)
    skeletons = {subject: read_asf(trials[subject][0].with_name(f"{subject}.asf")) for subject in trials}
    clips: list[_Clip] = []
    files = [(subject, file) for subject in trials for file in trials[subject]]
    for subject, file in track(files, description="Converting", output=Output(sys.stderr)):
        clips += _convert(subject, file, skeletons[subject], 60.0 if {subject, file.stem} & set(at_60) else fps)
    _write(path, clips)
    lines = []
    for split, subjects in SUBJECTS.items():
        own = [clip for clip in clips if clip.subject in subjects]
        frames, people = sum(len(clip.points) for clip in own), len({clip.subject for clip in own})
        lines.append(f"{split}: {frames} frames in {len(own)} clips of {people} of {len(subjects)} subjects")
    absent = [subject for subject in _SPLIT_OF if subject not in trials]
    return "\n".join([*lines, f"missing: {', '.join(absent)}"] if absent else lines)


def _find_trials(folder: Path) -> dict[str, list[Path]]:
    """Each existing subject's AMC files.

    Each subject has its ASF file.
    """
    trials = {subject: sorted((folder / subject).glob(f"{subject}_*.amc")) for subject in _SPLIT_OF}
    trials = {subject: files for subject, files in trials.items() if files}
    if not trials:
        raise LAYOUT.missing(folder / "01" / "01_01.amc")
    skeletons = [folder / subject / f"{subject}.asf" for subject in trials]
    missing = [str(path) for path in skeletons if not path.is_file()]
    if missing:
        raise LAYOUT.missing(", ".join(missing))
    return trials


def _check_names(names: Collection[str], trials: Mapping[str, list[Path]]) -> None:
    known = {*trials, *(file.stem for files in trials.values() for file in files)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(
            f"no subject or trial of the corpus is called {', '.join(unknown)}; give names such as 60 or 60_08"
        )


def _convert(subject: str, path: Path, skeleton: AsfSkeleton, fps: float) -> list[_Clip]:
    """The unbroken segments of one trial."""
    ends, orientations = pose_bones(skeleton, read_amc(path, skeleton))
    segments = split_at_jumps(resample(cmu_joints(skeleton, ends, orientations), fps))
    names = [path.stem] if len(segments) == 1 else [f"{path.stem}-{number}" for number in range(len(segments))]
    return [_Clip(name, subject, segment.numpy()) for name, segment in zip(names, segments, strict=True)]


def _write(path: str | Path, clips: list[_Clip]) -> None:
    """Writes cmu50.npz.

    Positions are relative to the pelvis, in whole tenths of a millimetre.
    """
    if not clips:
        raise InputError(f"no trial has {SHORTEST} s without a joint faster than {FASTEST} m/s; check the frame rate")
    points = np.concatenate([clip.points for clip in clips])
    root = points[:, CMU28.index("pelvis")]
    tenths = np.rint((points - root[:, None]) * 1e4)
    if np.abs(tenths).max() >= -MISSING:
        raise InputError("a joint is more than 3.2 m from the pelvis; check the unit of length in the .asf files")
    count = len(clips)
    with atomic_path(path) as temporary:
        np.savez_compressed(
            temporary,
            root_relative=tenths.astype(np.int16),
            root=root.astype(np.float32),
            clip_start=np.cumsum([0, *(len(clip.points) for clip in clips)]),
            clip=np.array([clip.name for clip in clips]),
            subject=np.array([clip.subject for clip in clips]),
            tier=np.array(["A"] * count),
            split=np.array([_SPLIT_OF[clip.subject] for clip in clips]),
            source=np.array(["mocap.cs.cmu.edu"] * count),
            action=np.array([""] * count),
            joints=np.array(CMU28.joints),
            fps=np.float32(FPS),
        )
