"""Measures of jumps, squats, standing up, a timed walk, balance."""

from poselift.kinematics.movements.balance import Sway, measure_sway
from poselift.kinematics.movements.centre_of_mass import find_centre_of_mass
from poselift.kinematics.movements.hips_in_picture import hips_as_seen
from poselift.kinematics.movements.jumps import Jump, find_jumps
from poselift.kinematics.movements.repetitions import Repetition, find_repetitions
from poselift.kinematics.movements.timed_up_and_go import UpAndGo, time_up_and_go

__all__ = [
    "Jump",
    "Repetition",
    "Sway",
    "UpAndGo",
    "find_centre_of_mass",
    "find_jumps",
    "find_repetitions",
    "hips_as_seen",
    "measure_sway",
    "time_up_and_go",
]
