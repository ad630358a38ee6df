"""Joint rotations of a motion, computed once for all formats that need them."""

from poselift.kinematics.inverse import solve
from poselift.kinematics.rig import Rig, RiggedMotion

__all__ = ["Rig", "RiggedMotion", "solve"]
