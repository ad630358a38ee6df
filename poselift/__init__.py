"""poselift: 2D keypoints of people in a video become 3D motion.

    recording = poselift.lift("walk.mp4", world=True, height=1.8)
    recording.people[0].joints

`lift`, `read` and `open_stream` are loaded when they are first used: importing this package has no side effects and
pulls in neither OpenCV, matplotlib nor MMPose. All else is imported from where it lives (`poselift.models`,
`poselift.lifting`, ...). docs/stability.md says which names stay.

Each package logs under its own name, such as "poselift.video". Nothing is shown unless the program configures logging.
"""

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poselift.api import lift, multiview, open_stream, read
    from poselift.structures import Recording

__version__ = "0.1.0"
__all__ = ["Recording", "__version__", "lift", "multiview", "open_stream", "read"]

# Without a handler of its own, Python would print a library's warnings.
logging.getLogger(__name__).addHandler(logging.NullHandler())

if not TYPE_CHECKING:  # type checkers see the names above, and no others

    def __getattr__(name: str) -> object:
        from poselift.core.on_demand import names_on_demand

        # One module for all: threads that ask for different names at once wait for each other.
        return names_on_demand(__name__, dict.fromkeys([*__all__], "api"))(name)
