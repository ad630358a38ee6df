"""Files of 3D motion for other programs, one format per module."""

from poselift.export.angle_files import write_angles_csv, write_angles_mot
from poselift.export.csv_files import write_csv
from poselift.export.export_formats import FORMATS, ExportOptions, Format

__all__ = ["FORMATS", "ExportOptions", "Format", "write_angles_csv", "write_angles_mot", "write_csv"]
