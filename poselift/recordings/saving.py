"""A recording as the files of a result's folder."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from poselift.export.csv_files import write_csv
from poselift.export.zero import start_at_zero
from poselift.recordings.motion_files import write_pair
from poselift.recordings.motion_json import describe_motion
from poselift.recordings.names import person_stem
from poselift.recordings.result_folder import open_results
from poselift.recordings.summary import describe_inputs, describe_weights, write_summary
from poselift.structures import Motion, Recording


def write_people(folder: Path, recording: Recording, csv: bool = True) -> list[str]:
    """Writes everybody's npz, JSON and CSV; returns the files' names.

    Args:
        folder: of the result.
        recording: the people.
        csv: whether each person gets a CSV.

    Raises:
        InputError: a file cannot be written.
    """
    return [name for motion in recording.people for name in _write_person(folder, recording, motion, csv)]


def save_recording(recording: Recording, folder: str | os.PathLike[str]) -> list[Path]:
    """Writes a result folder without overlay, in place of the previous run's.

    Raises:
        InputError: the folder cannot be used.
    """
    out, origin = Path(folder), recording.origin
    with open_results(out, origin.path, origin.video) as unfinished:
        names = write_people(unfinished, recording)
        write_summary(unfinished, recording, names)
    return [out / name for name in names]


def describe_person(recording: Recording, motion: Motion) -> dict[str, Any]:
    """The content of the JSON beside a person's arrays."""
    extra = {**describe_inputs(recording), "start_s": recording.clock.span[0]}
    return describe_motion(motion, recording.cameras, describe_weights(recording), recording.up_uncertainty, extra)


def _write_person(folder: Path, recording: Recording, motion: Motion, csv: bool) -> list[str]:
    stem = person_stem(motion.keypoints.person)
    write_pair(folder / f"{stem}.npz", motion, describe_person(recording, motion))
    if csv:
        write_csv(folder / f"{stem}.csv", start_at_zero(replace(recording, people=(motion,))))
    return [f"{stem}.npz", f"{stem}.json", *([f"{stem}.csv"] if csv else [])]
