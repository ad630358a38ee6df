"""Files of 3D motion for other programs, one format per module."""

from typing import TYPE_CHECKING

from poselift.core.on_demand import names_on_demand
from poselift.export.angle_files import write_angles_csv, write_angles_mot
from poselift.export.csv_files import write_csv
from poselift.export.export_options import ExportOptions

if TYPE_CHECKING:
    from poselift.export.export_formats import FORMATS, Format

__all__ = ["FORMATS", "ExportOptions", "Format", "write_angles_csv", "write_angles_mot", "write_csv"]

if not TYPE_CHECKING:
    __getattr__ = names_on_demand(__name__, dict.fromkeys(("FORMATS", "Format"), "export_formats"))
