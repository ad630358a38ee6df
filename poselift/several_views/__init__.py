"""Several videos of the same moment become one 3D motion."""

from poselift.several_views.calibration import Calibration, calibrate
from poselift.several_views.calibration_files import match_cameras, read_calibration, write_pose2sim
from poselift.several_views.fusion import Fused, fuse
from poselift.several_views.movement import Shift, shift_by_movement
from poselift.several_views.observations import Observations, ViewTrack, gather, sample_track
from poselift.several_views.reconstruction import Reconstruction, reconstruct
from poselift.several_views.report import Report
from poselift.several_views.sound import read_sound, shift_by_sound
from poselift.several_views.view import LiftedView, ViewClock
from poselift.several_views.who_is_who import People, find_people

__all__ = [
    "Calibration",
    "Fused",
    "LiftedView",
    "Observations",
    "People",
    "Reconstruction",
    "Report",
    "Shift",
    "ViewClock",
    "ViewTrack",
    "calibrate",
    "find_people",
    "fuse",
    "gather",
    "match_cameras",
    "read_calibration",
    "read_sound",
    "reconstruct",
    "sample_track",
    "shift_by_movement",
    "shift_by_sound",
    "write_pose2sim",
]
