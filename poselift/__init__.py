"""poselift: 2D keypoints of people in a video become 3D motion.

Importing this package has no side effects and pulls in neither OpenCV, matplotlib nor MMPose: each part is
imported from where it lives (`poselift.models`, `poselift.lifting`, ...).
"""

__version__ = "0.1.0"
