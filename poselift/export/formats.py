"""The formats of `poselift export`, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poselift.core.optional import require
from poselift.export.angles import write_angles_csv, write_angles_mot
from poselift.export.bvh import write_bvh
from poselift.export.c3d import write_c3d
from poselift.export.camera import SidecarCamera
from poselift.export.character import Rigging
from poselift.export.csv import write_csv
from poselift.export.glb import write_glb
from poselift.export.netcdf import write_netcdf
from poselift.export.opensim import write_opensim
from poselift.export.parquet import write_parquet
from poselift.export.people import check_people
from poselift.export.rerun import write_rerun
from poselift.export.trc import write_trc
from poselift.export.vrma import write_vrma
from poselift.structures import Motion


@dataclass(frozen=True)
class Format:
    """A format of motions.

    Attributes:
        ending: of the file's name.
        writer: writes a file: of a list of people if `several`, else of one motion.
        several: whether one file has room for several people.
        turns: whether the writer can make Z point up, with up="z".
        camera: whether the writer takes the camera of the sidecar.
        bones: whether the writer takes a `Rigging`.
        package: the optional package that it needs, and the extra that installs it.
    """

    ending: str
    writer: Callable[..., None]
    several: bool = False
    turns: bool = False
    camera: bool = False
    bones: bool = False
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
        rigging: Rigging | None = None,
    ) -> None:
        """Writes a file.

        Args:
            path: the file.
            motions: one person, or several if the format has room for them.
            up: "z" if the format can have Z up.
            camera: of the sidecar, for formats with room for it.
            rigging: the bones, for formats that have them; None for the motion's own joints.

        Raises:
            InputError: the file cannot be written, or the motions have no pose or lack joints.
        """
        # For the tables of `poselift lift` too, which may be empty themselves.
        check_people(motions)
        given = motions if self.several else motions[0]
        options: dict[str, Any] = ({"up": up} if self.turns else {}) | ({"camera": camera} if self.camera else {})
        options |= {"rigging": rigging} if self.bones else {}
        self.writer(path, given, **options)


FORMATS = {
    "trc": Format(".trc", write_trc, several=True, turns=True),
    "mot": Format(".mot", write_angles_mot),
    "opensim": Format(".opensim", write_opensim),
    "c3d": Format(".c3d", write_c3d, several=True, turns=True, package=("ezc3d", "c3d")),
    "bvh": Format(".bvh", write_bvh, turns=True, bones=True),
    "glb": Format(".glb", write_glb, several=True, bones=True, package=("pygltflib", "gltf")),
    "vrma": Format(".vrma", write_vrma, bones=True, package=("pygltflib", "gltf")),
    "angles": Format(".angles.csv", write_angles_csv),
    "csv": Format(".csv", write_csv),
    "parquet": Format(".parquet", write_parquet, several=True, package=("pyarrow", "tables")),
    "netcdf": Format(".nc", write_netcdf, several=True),
    "rerun": Format(".rrd", write_rerun, several=True, camera=True, package=("rerun", "rerun")),
}
"""Each format by its name on the command line."""
