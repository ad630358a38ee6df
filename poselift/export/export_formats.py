"""The formats of `poselift export`, by name."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from poselift.core.optional import require
from poselift.core.times import usual_interval
from poselift.export.angle_files import write_angles_csv, write_angles_mot
from poselift.export.bvh import write_bvh
from poselift.export.c3d import MOST_FRAMES, write_c3d
from poselift.export.character import Rigging
from poselift.export.csv_files import write_csv
from poselift.export.glb import write_glb
from poselift.export.netcdf import write_netcdf
from poselift.export.opensim import write_opensim
from poselift.export.parquet import write_parquet
from poselift.export.people_check import check_people
from poselift.export.rerun import write_rerun
from poselift.export.sidecar_camera import SidecarCamera
from poselift.export.trc_markers import write_trc
from poselift.export.unseen import describe_guesses
from poselift.export.vrma import write_vrma
from poselift.export.zero import count_from_zero
from poselift.structures import Motion

_LOG = logging.getLogger(__name__)
_SPREADSHEET_ROWS = 1_048_575
"""Rows of a sheet of Excel and LibreOffice, without that of the names."""


@dataclass(frozen=True)
class Format:
    """A format of motions.

    Attributes:
        ending: of the file's name.
        writer: writes a file: of a list of people if `several`, else of one motion.
        several: whether one file has room for several people.
        turns: whether the writer can make Z point up, with up="z".
        camera: whether the writer takes the camera of the sidecar.
        marked: whether the writer can give markers the names of other programs, with names_of="pose2sim".
        bones: whether the writer takes a `Rigging`.
        untimed: whether the file has no time stamps, so that its first frame has to be the run's.
        unmarked: joints that the file has without a mark where no keypoint shows them: "all", or those that are hidden
            "at times"; None where it marks them or leaves them out.
        most_frames: largest number of frames that common readers take; None without a limit.
        package: the optional package that it needs, and the extra that installs it.
    """

    ending: str
    writer: Callable[..., None]
    several: bool = False
    turns: bool = False
    camera: bool = False
    marked: bool = False
    bones: bool = False
    untimed: bool = False
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

    def write(
        self,
        path: Path,
        motions: list[Motion],
        up: str = "y",
        camera: SidecarCamera | None = None,
        start: float | None = None,
        *,
        names_of: str | None = None,
        rigging: Rigging | None = None,
    ) -> str | None:
        """Writes a file, whose time 0 is the start of the run.

        Args:
            path: the file.
            motions: one person, or several if the format has room for them.
            up: "z" if the format can have Z up.
            camera: of the sidecar, for formats with room for it.
            start: time of the run's first frame by the clock of the motions, seconds; their own first frame if None.
            names_of: one of `MARKER_SETS`, if the format has markers.
            rigging: the bones, for formats that have them; None for the motion's own joints.

        Returns:
            A warning if the file has more frames than its common readers take, or joints that the lifter guessed
            without a mark.

        Raises:
            InputError: the file cannot be written, or the motions have no pose or lack joints.
        """
        # For the tables of `poselift lift` too, which may be empty themselves.
        check_people(motions)
        motions = count_from_zero(motions, start)
        given = motions if self.several else motions[0]
        options: dict[str, Any] = {
            **({"up": up} if self.turns else {}),
            **({"camera": camera} if self.camera else {}),
            **({"names_of": names_of} if self.marked else {}),
            **({"rigging": rigging} if self.bones else {}),
            **({"start": 0.0} if self.untimed else {}),
        }
        self.writer(path, given, **options)
        _LOG.debug("wrote %s", path)
        longest = max(motions, key=len).timestamps
        frames = round(longest[-1] / (usual_interval(longest) or 1.0)) + 1 if self.untimed else len(longest)
        warnings = []
        if self.most_frames is not None and frames > self.most_frames:
            warnings.append(
                f"{path.name} has {frames} frames, of which common readers take the first {self.most_frames}; lift "
                "shorter spans with --start and --end"
            )
        if self.unmarked and (guesses := describe_guesses(motions[0], never_seen=self.unmarked == "all")):
            warnings.append(f"{path.name} has no mark for what the lifter guessed, as no keypoint shows it: {guesses}")
        return "; ".join(warnings) or None


FORMATS = {
    "trc": Format(".trc", write_trc, several=True, turns=True, marked=True),
    "mot": Format(".mot", write_angles_mot, unmarked="at times"),
    "opensim": Format(".opensim", write_opensim),
    "c3d": Format(
        ".c3d",
        write_c3d,
        several=True,
        turns=True,
        marked=True,
        untimed=True,
        most_frames=MOST_FRAMES,
        package=("ezc3d", "c3d"),
    ),
    "bvh": Format(".bvh", write_bvh, turns=True, bones=True, untimed=True, unmarked="all"),
    "glb": Format(".glb", write_glb, several=True, bones=True, package=("pygltflib", "gltf")),
    "vrma": Format(".vrma", write_vrma, bones=True, package=("pygltflib", "gltf")),
    "angles": Format(".angles.csv", write_angles_csv, most_frames=_SPREADSHEET_ROWS),
    "csv": Format(".csv", write_csv, most_frames=_SPREADSHEET_ROWS),
    "parquet": Format(".parquet", write_parquet, several=True, package=("pyarrow", "tables")),
    "netcdf": Format(".nc", write_netcdf, several=True, package=("scipy", "netcdf")),
    "rerun": Format(".rrd", write_rerun, several=True, camera=True, package=("rerun", "rerun")),
}
"""Each format by its name on the command line."""
