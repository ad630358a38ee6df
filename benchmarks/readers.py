"""Files of `poselift export`, read by other people's programs.

    python -m benchmarks.readers [--only trc,bvh] [--python PATH ...] [--model Rajagopal2015.osim] [--out DIR]

Lifts the demo clip with `--world --skeleton cmu28`, exports every person, and reads each file with each program of
`READERS`, in a process of its own. What a program read is compared with the motion (for bvh and glb with the rig of
fixed bone lengths that `poselift.kinematics.solve` fits to it). Prints a Markdown table with the largest error of all
joints and frames.

A program is sought in this Python and in those of `--python`, as the large ones need environments of their own; a
missing one is a row with the command that installs it. docs/readers.md has the commands of all.
"""

import contextlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.command import command_line, errors_shown, print_table
from poselift.cli.main import main as poselift
from poselift.core.choices import choose
from poselift.export.export_formats import FORMATS
from poselift.kinematics import points_y_up, solve
from poselift.recordings import read_motion
from poselift.structures import Motion

_HERE = Path(__file__).parent / "reading"
_PATIENCE = 300
"""Seconds that a program may take."""

_ENDINGS = {"angles": ".angles.csv", "netcdf": ".nc", "rerun": ".rrd"}
"""Endings of files that are not the format's name."""

_TABLES = {"csv", "parquet", "netcdf"}
"""Formats in the axes of the motion; the others have Y up."""

_MODEL = {"mot", "opensim"}
"""Formats that OpenSim reads for a model."""


@dataclass(frozen=True)
class Reader:
    """A program that reads a format.

    Attributes:
        format: of `poselift export`.
        tool: module of the program.
        script: in benchmarks/reading, with the arguments before the file.
        call: what reads the file, as the table shows it.
        install: the command that installs the program, where it is not pip with the module's name.
    """

    format: str
    tool: str
    script: tuple[str, ...]
    call: str
    install: str = ""


READERS = (
    Reader("trc", "opensim", ("with_opensim.py",), "TimeSeriesTableVec3(FILE)"),
    Reader("trc", "pyomeca", ("with_pyomeca.py",), "Markers.from_trc(FILE)"),
    Reader("mot", "opensim", ("with_opensim.py",), "TimeSeriesTable(FILE)"),
    Reader("mot", "pyomeca", ("with_pyomeca.py",), "Analogs.from_mot(FILE)"),
    Reader("opensim", "opensim", ("with_opensim.py",), "ScaleTool, InverseKinematicsTool"),
    Reader("c3d", "ezc3d", ("with_ezc3d.py",), "ezc3d.c3d(FILE)"),
    Reader("c3d", "c3d", ("with_c3d.py",), "c3d.Reader(FILE)"),
    Reader("bvh", "bpy", ("with_blender.py",), "import_anim.bvh(global_scale=0.01)"),
    Reader("glb", "bpy", ("with_blender.py",), "import_scene.gltf"),
    Reader("glb", "gltf-validator", ("with_gltf_validator.js",), "validateBytes", "npm install gltf-validator"),
    Reader(
        "vrma",
        "@pixiv/three-vrm-animation",
        ("with_three_vrm.js",),
        "createVRMAnimationClip",
        "npm install three @pixiv/three-vrm-core @pixiv/three-vrm-animation",
    ),
    Reader("vrma", "gltf-validator", ("with_gltf_validator.js",), "validateBytes", "npm install gltf-validator"),
    Reader("csv", "pandas", ("with_tables.py", "pandas"), "read_csv"),
    Reader("csv", "polars", ("with_tables.py", "polars"), "read_csv"),
    Reader("angles", "pandas", ("with_tables.py", "pandas"), "read_csv"),
    Reader("parquet", "pandas", ("with_tables.py", "pandas"), "read_parquet", "pip install pandas pyarrow"),
    Reader("parquet", "polars", ("with_tables.py", "polars"), "read_parquet"),
    Reader("parquet", "duckdb", ("with_tables.py", "duckdb"), "select * from FILE"),
    Reader("netcdf", "xarray", ("with_netcdf.py", "xarray"), "load_dataset", "pip install xarray scipy"),
    Reader("rerun", "rerun", ("with_rerun.py",), "rerun.chunk.RrdReader(FILE)", "pip install rerun-sdk"),
    Reader("netcdf", "movement", ("with_netcdf.py", "movement"), "filter_by_confidence, compute_speed"),
)


def command_of(reader: Reader, pythons: Sequence[str]) -> list[str] | None:
    """The command that runs a reader's script; None if the program is not installed."""
    name, *arguments = reader.script
    if name.endswith(".js"):
        node = shutil.which("node")
        found = node and not subprocess.run([node, "-e", f"require({reader.tool!r})"], capture_output=True).returncode
        return [node, str(_HERE / name), *arguments] if node and found else None
    code = f"import importlib.util as u, sys; sys.exit(u.find_spec({reader.tool!r}) is None)"
    for python in pythons:
        if not subprocess.run([python, "-c", code], capture_output=True).returncode:
            return [python, str(_HERE / name), *arguments]
    return None


def lift_demo(out: Path) -> list[Path]:
    """Lifts the demo clip with the world and with feet, without an overlay; the people's files."""
    with contextlib.redirect_stdout(sys.stderr):
        poselift(["lift", "--world", "--skeleton", "cmu28", "--no-render", "--out", str(out)])
    return sorted(out.glob("person_*.npz"))


def exported(npz: Sequence[Path], format_: str, out: Path) -> str:
    """Writes the files of a format; the error if it cannot be written here."""
    told = io.StringIO()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(told):
            poselift(["export", *map(str, npz), "--to", format_, "--out", str(out)])
    except SystemExit as stopped:
        return told.getvalue().strip() if stopped.code else ""
    return ""


def seen(reader: Reader, found: dict, positions: np.ndarray, motion: Motion) -> str:
    """What a program saw in a person's file, as text."""
    parts = [found["note"]] if found["note"] else []
    if found["rate"]:
        parts.insert(0, f"{found['rate']:.5g} frames/s")
    if positions.size:
        rigged = reader.format in ("bvh", "glb")
        turned = points_y_up(motion) if reader.format not in _TABLES else motion.joints + motion.root[:, None]
        expected = solve(motion).positions() if rigged else turned
        # Markers are only of joints that keypoints show.
        marked = "markers" in FORMATS[reader.format].takes
        shown = motion.in_sight() if marked else np.ones(expected.shape[:2], bool)
        kept = np.flatnonzero(shown.any(axis=0))
        names = [motion.skeleton.joints[row] for row in kept]
        missing = set(names) - set(found["names"])
        if missing or len(positions) != len(motion):
            return f"LOST: {len(positions)} of {len(motion)} frames, joints {', '.join(sorted(missing)) or 'complete'}"
        read = positions[:, [found["names"].index(name) for name in names]]
        error = 1000 * float(np.linalg.norm(read - expected[:, kept], axis=-1)[shown[:, kept]].max())
        parts.insert(0, f"error at most {error:.1g} mm")
        if rigged:
            trunk = read[:, names.index("neck_base")] - read[:, names.index("pelvis")]
            tilt = float(np.degrees(np.arccos(trunk[:, 1] / np.linalg.norm(trunk, axis=-1))).max())
            low = float(np.median(read[..., 1].min(1)))
            parts.append(f"trunk at most {tilt:.0f} degrees from upright, lowest joint at {low:.2f} m (median)")
    return "; ".join(parts)


def read(reader: Reader, path: Path, motion: Motion, command: Sequence[str], model: Path | None) -> tuple[str, str]:
    """Version of a program, and what it saw in a person's file."""
    out = path.parent / f"{path.stem}.{reader.format}.{reader.tool.replace('/', '_')}.json"
    more = [str(model)] if reader.format in _MODEL and reader.tool == "opensim" else []
    arguments = [str(path), *more, str(out)]
    try:
        ran = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        return "", f"FAILED: no answer in {_PATIENCE} s"
    if ran.returncode or not out.is_file():
        return "", f"FAILED: {(ran.stderr.strip() or ran.stdout.strip() or 'no message').splitlines()[-1]}"
    found = json.loads(out.read_text("utf-8"))
    array = out.with_suffix(".npy")
    return found["version"], seen(reader, found, np.load(array) if array.is_file() else np.zeros(0), motion)


def row(reader: Reader, npz: Sequence[Path], out: Path, pythons: Sequence[str], model: Path | None) -> list[str]:
    """The cells of a reader's row."""
    head, ending = [reader.format, reader.tool, f"`{reader.call}`"], _ENDINGS.get(reader.format, f".{reader.format}")
    if error := exported(npz, reader.format, out):
        return [*head, f"not written: {error}"]
    command = command_of(reader, pythons)
    if command is None:
        return [*head, f"not installed; run: {reader.install or f'pip install {reader.tool}'}"]
    if reader.format in _MODEL and reader.tool == "opensim" and model is None:
        return [*head, "needs a model: give --model Rajagopal2015.osim"]
    answers: dict[str, list[str]] = {}
    versions = set()
    for source in npz:
        motion = read_motion(source)
        version, text = read(reader, out / f"{source.stem}{ending}", motion, command, model)
        versions.add(version)
        answers.setdefault(text, []).append(source.stem.replace("_", " "))
    cell = "<br>".join(f"{' and '.join(people)}: {text}" for text, people in answers.items())
    return [head[0], f"{head[1]} {max(versions)}".strip(), head[2], cell]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("--only", metavar="FORMAT,...", help="formats to read (default: all)")
    parser.add_argument("--python", nargs="+", default=[], metavar="PATH", help="more Pythons to seek programs in")
    parser.add_argument("--model", type=Path, metavar="FILE", help="Rajagopal2015.osim of OpenSim's models")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keeps files, and Blender's pictures, in this folder")
    options = parser.parse_args(arguments)
    formats = {reader.format: reader.format for reader in READERS}
    with errors_shown(parser), tempfile.TemporaryDirectory() as temporary:
        wanted = {choose("format", name, formats) for name in (options.only or ",".join(formats)).split(",")}
        out = options.out or Path(temporary)
        npz, pythons = lift_demo(out / "lifted"), [sys.executable, *options.python]
        chosen = (reader for reader in READERS if reader.format in wanted)
        rows = (row(reader, npz, out, pythons, options.model) for reader in chosen)
        print_table(["format", "program", "call", "seen"], rows)


if __name__ == "__main__":
    main()
