"""Hands at the wrists of lifted people."""

from poselift.lifting.hands.find_hands import find_hands
from poselift.lifting.hands.hand_motion import HandMotion

__all__ = ["HandMotion", "find_hands"]
