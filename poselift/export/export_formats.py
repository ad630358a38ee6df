"""The formats of `poselift export`, by name."""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from poselift.core.errors import InputError
from poselift.core.optional import require
from poselift.export.angle_files import write_angles_csv, write_angles_mot
from poselift.export.bvh import write_bvh
from poselift.export.c3d import MOST_FRAMES, write_c3d
from poselift.export.csv_files import write_csv
from poselift.export.export_options import ExportOptions
from poselift.export.glb import write_glb
from poselift.export.netcdf import write_netcdf
from poselift.export.opensim import write_opensim
from poselift.export.parquet import write_parquet
from poselift.export.rerun import write_rerun
from poselift.export.trc_markers import write_trc
from poselift.export.unseen import describe_guesses
from poselift.export.vrma import write_vrma
from poselift.export.zero import start_at_zero
from poselift.numerics.times import median_interval
from poselift.structures import Motion, Recording

_LOG = logging.getLogger(__name__)
_SPREADSHEET_ROWS = 1_048_575
"""Rows of a sheet of Excel and LibreOffice, without that of the names."""


@dataclass(frozen=True)
class Format:
    """A format of motions.

    Attributes:
        ending: of the file's name.
        writer: writes a file of a recording, which has one person unless `several`. `write` checks the people before;
            the writer does not.
        several: whether one file has room for several people.
        takes: the fields of `ExportOptions` that the writer reads.
        has_times: whether the file has time stamps; otherwise its first frame is the run's.
        unmarked: joints that the file has without a mark where no keypoint shows them: "all", or those that are hidden
            "at times"; None where it marks them or leaves them out.
        most_frames: largest number of frames that common readers take; None without a limit.
        package: the optional package that it needs, and the extra that installs it.
    """

    ending: str
    writer: Callable[[Path, Recording, ExportOptions], None]
    several: bool = False
    takes: tuple[str, ...] = ()
    has_times: bool = True
    unmarked: Literal["all", "at times"] | None = None
    most_frames: int | None = None
    package: tuple[str, str] | None = None

    def check(self) -> None:
        """Checks, before long work, that the format can be written.

        Raises:
            InputError: its package is not installed.
        """
        if self.package is not None:
            require(*self.package)

    def write(self, path: Path, recording: Recording, options: ExportOptions = ExportOptions()) -> str | None:
        """Writes a file, whose time 0 is the start of the recording.

        Args:
            path: the file.
            recording: one person, or several if the format has room for them.
            options: what its user chose.

        Returns:
            A warning if the file has more frames than its common readers take, or joints that the lifter guessed
            without a mark.

        Raises:
            InputError: the file cannot be written, the people do not fit together, or somebody has no pose or lacks
                joints.
        """
        _check_people(recording.people)
        recording = start_at_zero(recording)
        self.writer(path, recording, options)
        _LOG.debug("wrote %s", path)
        longest = max(recording.people, key=len).timestamps
        frames = len(longest) if self.has_times else round(longest[-1] / (median_interval(longest) or 1.0)) + 1
        warnings = []
        if self.most_frames is not None and frames > self.most_frames:
            warnings.append(
                f"{path.name} has {frames} frames, of which common readers take the first {self.most_frames}; lift "
                "shorter spans with --start and --end"
            )
        if self.unmarked and (guesses := describe_guesses(recording.people[0], never_seen=self.unmarked == "all")):
            warnings.append(f"{path.name} has no mark for what the lifter guessed, as no keypoint shows it: {guesses}")
        return "; ".join(warnings) or None


def _check_people(motions: Sequence[Motion]) -> None:
    """Refuses empty lists, people without poses, and people who do not fit. They have to fit into one file."""
    if not motions:
        raise InputError("there is no motion to write; give at least one person")
    for motion in motions:
        if not motion.posed.any():
            raise InputError(f"person {motion.keypoints.person} has no frame with a pose; choose another person")
    counts = Counter(motion.keypoints.person for motion in motions)
    if twice := [person for person, count in counts.items() if count > 1]:
        raise InputError(f"two motions are of person {twice[0]}; give each person of one clip once")
    for what, names in (
        ("in the frames", {motion.frame for motion in motions}),
        ("of the skeletons", {motion.skeleton.name for motion in motions}),
    ):
        if len(names) > 1:
            raise InputError(f"the motions are {what} {' and '.join(sorted(names))}; lift all in one run")


FORMATS = {
    "trc": Format(".trc", write_trc, several=True, takes=("up", "markers")),
    "mot": Format(".mot", write_angles_mot, unmarked="at times"),
    "opensim": Format(".opensim", write_opensim),
    "c3d": Format(
        ".c3d",
        write_c3d,
        several=True,
        takes=("up", "markers"),
        has_times=False,
        most_frames=MOST_FRAMES,
        package=("ezc3d", "c3d"),
    ),
    "bvh": Format(".bvh", write_bvh, takes=("up", "rigging"), has_times=False, unmarked="all"),
    "glb": Format(".glb", write_glb, several=True, takes=("rigging",), package=("pygltflib", "gltf")),
    "vrma": Format(".vrma", write_vrma, takes=("rigging",), package=("pygltflib", "gltf")),
    "angles": Format(".angles.csv", write_angles_csv, most_frames=_SPREADSHEET_ROWS),
    "csv": Format(".csv", write_csv, most_frames=_SPREADSHEET_ROWS),
    "parquet": Format(".parquet", write_parquet, several=True, package=("pyarrow", "tables")),
    "netcdf": Format(".nc", write_netcdf, several=True, package=("scipy", "netcdf")),
    "rerun": Format(".rrd", write_rerun, several=True, package=("rerun", "rerun")),
}
"""Each format by its name on the command line."""
