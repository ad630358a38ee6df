"""What passes between the stages, and what a run makes.

Detections of a frame, 2D keypoints of a person, 3D motion of a person, poses of a stream, and the recording of a clip.
"""

from poselift.core.caution import Caution
from poselift.geometry.camera import Camera
from poselift.structures.detections import Detections
from poselift.structures.hands import Hands
from poselift.structures.keypoints import BRIDGE, MOST_PEOPLE, THRESHOLD, Keypoints2D
from poselift.structures.motion import ENDS, FEET, TRUNK, Height, Motion, body_axis
from poselift.structures.moving import move, see_from_camera
from poselift.structures.recording import Clock, Origin, Recording
from poselift.structures.streamed import LiveFrame, StreamedPose

__all__ = [
    "BRIDGE",
    "ENDS",
    "FEET",
    "MOST_PEOPLE",
    "THRESHOLD",
    "TRUNK",
    "Camera",
    "Caution",
    "Clock",
    "Detections",
    "Hands",
    "Height",
    "Keypoints2D",
    "LiveFrame",
    "Motion",
    "Origin",
    "Recording",
    "StreamedPose",
    "body_axis",
    "move",
    "see_from_camera",
]
