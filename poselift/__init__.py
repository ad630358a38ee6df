"""poselift: 2D keypoints of people in a video become 3D motion.

Importing this package has no side effects and pulls in neither OpenCV, matplotlib nor MMPose: each part is
imported from where it lives (`poselift.models`, `poselift.lifting`, ...). docs/stability.md says which names stay.

Each package logs under its own name, such as "poselift.video". Nothing is shown unless the program configures logging.
"""

import logging

__version__ = "0.1.0"

# Without a handler of its own, Python would print a library's warnings.
logging.getLogger(__name__).addHandler(logging.NullHandler())
