"""The numbers of a lift and of a stream stay: what a change of structure must not change, to a tenth of a millimetre.

Made keypoints go through the three stages. The test prints the new numbers, for changes that are meant to change them.
tests/cli/batch/test_batch.py holds the files of commands on a part of the demo clip.
"""

import numpy as np

from poselift.export.json_lines import frame_line
from poselift.geometry.camera import camera_for
from poselift.lifting import StreamingPeople, lift
from poselift.models import load_weights
from poselift.skeleton import H36M17
from poselift.structures import Keypoints2D, LiveFrame
from tests.golden import check_files
from tests.kinematics.walker import walker

SIZE, FRAME = (960, 540), 15

ROOT_AND_JOINTS = [
    [306.34, 4.94, 3413.2],
    [0.0, 0.0, 0.0],
    [-95.8, 102.14, -33.19],
    [-93.42, 571.9, -100.14],
    [-87.05, 939.81, 176.73],
    [89.62, 100.75, -40.26],
    [88.7, 396.48, -417.6],
    [76.56, 855.45, -508.81],
    [-1.29, -128.14, -9.7],
    [-5.25, -365.75, -51.6],
    [-5.18, -513.57, -63.53],
    [-9.25, -652.9, -108.09],
    [188.23, -397.3, -48.06],
    [197.71, -98.09, 8.31],
    [197.8, 157.15, -63.86],
    [-196.43, -399.65, -36.32],
    [-200.9, -97.77, -0.84],
    [-207.42, 146.28, -108.38],
    [-82.43, 1052.72, 18.31],
    [81.65, 866.58, -702.92],
    [-64.42, 958.69, 246.83],
    [53.57, 909.54, -464.99],
    [-222.82, 225.57, -142.86],
    [207.52, 242.5, -90.78],
    [-7.49, -507.58, -192.84],
    [-39.39, -532.45, -169.71],
    [24.48, -531.85, -171.55],
    [-80.88, -552.91, -88.13],
    [68.08, -551.79, -92.71],
]
"""Millimetres: the root in the camera frame, then the joints relative to it, in the skeleton's order."""


STREAMED = [
    [303.42, 9.3, 3307.37],
    [0.0, 0.0, 0.0],
    [-91.21, 94.63, -43.56],
    [-95.12, 482.82, -141.26],
    [-84.25, 874.25, 90.98],
    [81.43, 92.46, -60.74],
    [79.05, 402.86, -373.23],
    [88.54, 814.31, -320.52],
    [-4.17, -122.76, 2.74],
    [-5.8, -354.42, -13.48],
    [-7.3, -492.48, -2.78],
    [-10.36, -630.09, -33.6],
    [176.94, -379.84, -16.64],
    [179.15, -90.64, 0.06],
    [173.85, 140.6, -99.13],
    [-186.74, -384.89, 25.38],
    [-194.76, -91.67, 31.79],
    [-202.35, 126.82, -97.74],
    [-106.46, 960.4, -63.03],
    [92.91, 861.49, -474.53],
    [-56.97, 898.6, 149.58],
    [67.94, 851.4, -267.31],
    [-217.22, 197.58, -163.88],
    [183.23, 220.3, -146.4],
    [-16.48, -498.36, -126.43],
    [-45.63, -519.74, -102.46],
    [16.12, -519.52, -106.54],
    [-81.69, -531.86, -20.8],
    [65.17, -531.64, -30.08],
]
"""The same where the later frames are not there yet."""


def walk():
    """Keypoints of somebody who walks 4 m away, and the camera."""
    made, camera = walker(seconds=1.0), camera_for(SIZE, fov=60.0)
    places = (made.joints + made.root[:, None]) * [1, -1, -1] + [0.3, 1.0, 4.0]
    pixels = camera.project(places)
    scores = np.full(pixels.shape[:2], 0.9)
    scores[10:12, H36M17.index("left_wrist")] = 0.0
    return Keypoints2D(pixels, scores, made.timestamps, H36M17, SIZE), camera


def check_numbers(root, joints, known):
    found = 1000 * np.concatenate([root[None], joints])
    print(found.astype(float).round(2).tolist())
    np.testing.assert_allclose(found, known, atol=0.1)


def test_the_numbers_of_a_lift_stay():
    keypoints, camera = walk()
    motion = lift(keypoints, load_weights("small"), camera)
    check_numbers(motion.root[FRAME], motion.joints[FRAME], ROOT_AND_JOINTS)


def test_the_numbers_of_a_stream_stay(tmp_path):
    keypoints, camera = walk()
    people = StreamingPeople(load_weights("tiny"), camera, H36M17)
    pushed = zip(keypoints.keypoints, keypoints.scores, keypoints.timestamps.tolist(), strict=True)
    poses = [people.push({1: (pixels, scores)}, time)[1] for pixels, scores, time in list(pushed)[: FRAME + 1]]
    assert poses[-1].timestamp == keypoints.timestamps[FRAME]
    check_numbers(poses[-1].root, poses[-1].joints, STREAMED)
    frames = [LiveFrame(index, pose.timestamp, 0, 0.0, True, (1,), {1: pose}, {}) for index, pose in enumerate(poses)]
    (tmp_path / "lines.jsonl").write_text("".join(f"{frame_line(frame)}\n" for frame in frames))
    check_files("stream", tmp_path)
