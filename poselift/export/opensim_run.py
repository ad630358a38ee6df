"""Runs OpenSim in a folder of `write_opensim`. The package `opensim` does scaling and inverse kinematics."""

import contextlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poselift.core.errors import InputError
from poselift.core.optional import require
from poselift.export.opensim import MODEL, SCALED

_ERRORS = "_ik_marker_errors.sto"
"""End of the name of the file in which OpenSim writes the distances of the markers in each frame."""

MOTION = "inverse_kinematics.mot"
"""What inverse kinematics writes."""

_LOG = "opensim.log"
"""What OpenSim prints, in the folder that it runs in."""


@dataclass(frozen=True)
class MarkerErrors:
    """Distances of the model's markers from the motion's joints, metres.

    Attributes:
        mean: over the frames, of the root mean square over the markers.
        worst: the largest one of any marker and frame.
        frames: number of them.
    """

    mean: float
    worst: float
    frames: int


def find_model(name: str) -> Path:
    """The file of a model.

    Args:
        name: a path, or "pose2sim" for the model that the installed package Pose2Sim brings.

    Raises:
        InputError: there is no such file, or Pose2Sim is not installed.
    """
    if name == "pose2sim":
        spec = importlib.util.find_spec("Pose2Sim")
        folders = list(spec.submodule_search_locations or []) if spec is not None else []
        found = [path for folder in folders for path in sorted(Path(folder).rglob("Model_Pose2Sim*.osim"))]
        if not found:
            raise InputError(
                "--model pose2sim: the package pose2sim is not installed; install it, or give the file of a model"
            )
        return min(found, key=lambda path: (len(path.name), path.name))
    path = Path(name)
    if not path.is_file():
        raise InputError(f"--model {name}: no such file; give {MODEL} of OpenSim's models, or pose2sim")
    if path.suffix != ".osim":
        raise InputError(f"--model {name}: not a model of OpenSim, whose name ends with .osim")
    return path


def run_opensim(folder: Path, model: Path) -> MarkerErrors:
    """Scales the model, solves inverse kinematics, returns the markers' errors.

    Args:
        folder: of `write_opensim`; the scaled model and `MOTION` are written into it.
        model: with the bodies of Rajagopal et al. (2016).

    Raises:
        InputError: the package opensim is missing, or OpenSim cannot scale the model or solve the motion.
    """
    opensim = require("opensim", "opensim")
    shutil.copyfile(model, folder / MODEL)
    opensim.Logger.removeFileSink()  # it stays with the first folder
    with _inside(folder), _printed_to(Path(_LOG)):
        try:
            if not opensim.ScaleTool("scale.xml").run() or not Path(SCALED).is_file():
                raise InputError(f"OpenSim cannot scale {model}; see {_LOG} in {folder}")
            if not opensim.InverseKinematicsTool("inverse_kinematics.xml").run():
                raise InputError(f"OpenSim cannot solve the motion in {folder}; see {_LOG} there")
        except RuntimeError as error:
            said = " ".join(str(error).split("': ", 1)[-1].splitlines()[:2]).strip().rstrip(".")
            raise InputError(f"OpenSim cannot use {model}: {said}; its bodies must be those of {MODEL}") from error
    return _read_errors(folder)


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Makes a folder the working one: OpenSim seeks and writes files there."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def _printed_to(path: Path) -> Iterator[None]:
    """Sends what a library in C++ prints to a file. OpenSim prints a description of the whole model."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(number) for number in (1, 2)]
    with path.open("w", encoding="utf-8") as file:
        try:
            for number in (1, 2):
                os.dup2(file.fileno(), number)
            yield
        finally:
            for number, before in zip((1, 2), kept, strict=True):
                os.dup2(before, number)
                os.close(before)


def _read_errors(folder: Path) -> MarkerErrors:
    """The errors in the file that inverse kinematics wrote."""
    files = sorted(folder.glob(f"*{_ERRORS}"))
    if not files:
        raise InputError(f"OpenSim wrote no {_ERRORS} in {folder}; see {_LOG} there")
    lines = files[0].read_text(encoding="utf-8").splitlines()
    head = next(row for row, line in enumerate(lines) if line.startswith("endheader")) + 1
    names = lines[head].split("\t")
    rows = np.array([[float(cell) for cell in line.split("\t")] for line in lines[head + 1 :] if line.strip()])
    columns = dict(zip([name.strip() for name in names], rows.T, strict=True))
    return MarkerErrors(float(columns["marker_error_RMS"].mean()), float(columns["marker_error_max"].max()), len(rows))
