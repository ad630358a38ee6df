"""A result's folder for every command: names, writing, publishing, reading."""

from typing import TYPE_CHECKING

from poselift.core.on_demand import names_on_demand

if TYPE_CHECKING:
    from poselift.recordings.motion_arrays import read_npz, write_npz
    from poselift.recordings.motion_files import read_motion, write_motion
    from poselift.recordings.motion_json import read_sidecar
    from poselift.recordings.reading import read_recording
    from poselift.recordings.saving import save_recording

__all__ = [
    "read_motion",
    "read_npz",
    "read_recording",
    "read_sidecar",
    "save_recording",
    "write_motion",
    "write_npz",
]

if not TYPE_CHECKING:
    __getattr__ = names_on_demand(
        __name__,
        {
            "read_motion": "motion_files",
            "read_npz": "motion_arrays",
            "read_recording": "reading",
            "read_sidecar": "motion_json",
            "save_recording": "saving",
            "write_motion": "motion_files",
            "write_npz": "motion_arrays",
        },
    )
