"""Lifting while frames arrive: one pose for each push, for one person or for all people of a picture."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float

from poselift.lifting.camera_model import CameraModel
from poselift.lifting.live.pose_smoothing import PoseSmoother
from poselift.lifting.live.streamed_person import StreamedPerson
from poselift.lifting.options import LiftOptions
from poselift.lifting.prepare.quarter_turns import unrolled
from poselift.models import Weights, lift_windows
from poselift.skeleton import Skeleton
from poselift.structures import StreamedPose

LIVE = LiftOptions(flip=False, window=63)
"""Defaults of live use (benchmarks/stream.md has the errors and times of others)."""

FORGOTTEN = 3.0
"""Seconds without keypoints after which `StreamingPeople` forgets a person."""


class StreamingLifter:
    """Lifts one person while frames arrive.

    Each pose comes from a window of recent frames with keypoints. Its memory does not grow.

    Args:
        weights: the lifter.
        camera: the camera of the keypoints.
        skeleton: of the keypoints.
        lookahead: number of later pushes that a pose waits for. 0 gives the newest frame at once; n gives the frame
            of n pushes ago, more accurate and steadier.
        options: settings; `every_frame` has no effect here.
        smooth: smooth the poses over time (`poselift.lifting.live.pose_smoothing`).

    Attributes:
        skeleton: of the poses.

    Raises:
        InputError: `lookahead` is negative or not below the frames in a window.

    Example:
        >>> from poselift.lifting import camera_for
        >>> from poselift.models import load_weights
        >>> from poselift.skeleton import COCO17
        >>> lifter = StreamingLifter(load_weights("tiny"), camera_for((640, 480)), COCO17, lookahead=1)
        >>> body = np.random.default_rng(0).uniform(200, 400, (17, 2))
        >>> lifter.push(body, np.ones(17), 0.00) is None
        True
        >>> pose = lifter.push(body, np.ones(17), 0.04)
        >>> pose.timestamp, pose.joints.shape, lifter.skeleton.joints[0]
        (0.0, (28, 3), 'pelvis')
    """

    def __init__(
        self,
        weights: Weights,
        camera: CameraModel,
        skeleton: Skeleton,
        lookahead: int = 0,
        options: LiftOptions = LIVE,
        smooth: bool = True,
    ) -> None:
        self.skeleton = weights.lifter.skeleton_out
        self._network = Network(weights, camera, options.flip)
        self._recent = StreamedPerson(weights, camera, skeleton, lookahead, options)
        self._smooth = PoseSmoother(self.skeleton) if smooth else _unchanged

    def push(
        self, keypoints: Float[np.ndarray, "j 2"], scores: Float[np.ndarray, " j"], timestamp: float
    ) -> StreamedPose | None:
        """The pose at the frame of `lookahead` pushes ago.

        Call it once for each frame in which a detector looked for the person. Leave out frames in which nobody looked.

        Args:
            keypoints: pixels; NaN for unseen joints. All NaN: the detector looked and did not find the person.
            scores: 0 to 1; 0 for unseen joints.
            timestamp: of the frame, seconds; larger than that of the push before.

        Returns:
            The pose; None in the first `lookahead` pushes, and where the person was not seen for too long
            (`poselift.lifting.prepare.gaps.MAX_GAP`).

        Raises:
            InputError: an array has another shape, a score is not from 0 to 1, or the timestamp does not increase.
        """
        self._recent.add(keypoints, scores, timestamp)
        self._network.lift([self._recent])
        pose = self._recent.next_pose()
        return None if pose is None else self._smooth(pose)

    def flush(self) -> list[StreamedPose]:
        """The poses of the last `lookahead` pushes, for the end of a stream."""
        poses = []
        while self._recent.pending:
            self._network.lift([self._recent], last=True)
            poses.append(self._recent.next_pose(last=True))
        return [self._smooth(pose) for pose in poses if pose is not None]


class StreamingPeople:
    """Lifts all people of a picture while frames arrive; people come and go.

    A person begins with the first push that has keypoints for their number. After `FORGOTTEN` seconds without
    keypoints the person is forgotten, so that memory does not grow.

    Args:
        weights: the lifter.
        camera: the camera of the keypoints.
        skeleton: of the keypoints.
        lookahead: number of later pushes that a pose waits for, as in `StreamingLifter`.
        options: settings; `every_frame` has no effect here.
        smooth: smooth the poses over time (`poselift.lifting.live.pose_smoothing`).

    Attributes:
        skeleton: of the poses.

    Raises:
        InputError: `lookahead` is negative or not below the frames in a window.

    Example:
        >>> from poselift.lifting import camera_for
        >>> from poselift.models import load_weights
        >>> from poselift.skeleton import COCO17
        >>> people = StreamingPeople(load_weights("tiny"), camera_for((640, 480)), COCO17)
        >>> body = np.random.default_rng(0).uniform(200, 400, (17, 2))
        >>> sorted(people.push({1: (body, np.ones(17)), 7: (body + 50, np.ones(17))}, 0.0))
        [1, 7]
        >>> people.push({7: (body + 50, np.ones(17))}, 0.04)[1].interpolated
        True
    """

    def __init__(
        self,
        weights: Weights,
        camera: CameraModel,
        skeleton: Skeleton,
        lookahead: int = 0,
        options: LiftOptions = LIVE,
        smooth: bool = True,
    ) -> None:
        self.skeleton = weights.lifter.skeleton_out
        self._network = Network(weights, camera, options.flip)
        self._new = lambda: StreamedPerson(weights, camera, skeleton, lookahead, options)
        self._new()  # checks the arguments
        self._smoother = lambda: PoseSmoother(self.skeleton) if smooth else _unchanged
        self._people: dict[int, StreamedPerson] = {}
        self._smooth: dict[int, Callable[[StreamedPose], StreamedPose]] = {}
        self._lost = (np.full((len(skeleton), 2), np.nan), np.zeros(len(skeleton)))

    def push(
        self, people: Mapping[int, tuple[Float[np.ndarray, "j 2"], Float[np.ndarray, " j"]]], timestamp: float
    ) -> dict[int, StreamedPose]:
        """The poses of all people at the frame of `lookahead` pushes ago, by number.

        Call it once for each frame in which a detector looked for people, also if it found nobody.

        Args:
            people: keypoints and scores (as in `StreamingLifter.push`) of the people found, by number. Known people
                who are left out were not found.
            timestamp: of the frame, seconds; larger than that of the push before.

        Raises:
            InputError: an array has another shape, a score is not from 0 to 1, or the timestamp does not increase.
        """
        for number in people:
            if number not in self._people:
                self._people[number], self._smooth[number] = self._new(), self._smoother()
        for number, person in self._people.items():
            keypoints, scores = people.get(number, self._lost)
            person.add(keypoints, scores, timestamp)
        for number in [n for n, person in self._people.items() if timestamp - person.last_seen > FORGOTTEN]:
            del self._people[number], self._smooth[number]
        self._network.lift(list(self._people.values()))
        poses = {number: person.next_pose() for number, person in self._people.items()}
        return self._smoothed(poses)

    def flush(self) -> list[dict[int, StreamedPose]]:
        """The poses of the last `lookahead` pushes, one dict for each, for the end of a stream."""
        found = []
        while pending := max((person.pending for person in self._people.values()), default=0):
            people = {number: person for number, person in self._people.items() if person.pending == pending}
            self._network.lift(list(people.values()), last=True)
            poses = {number: person.next_pose(last=True) for number, person in people.items()}
            found.append(self._smoothed(poses))
        return found

    def _smoothed(self, poses: dict[int, StreamedPose | None]) -> dict[int, StreamedPose]:
        """The poses of those who have one."""
        return {number: self._smooth[number](pose) for number, pose in poses.items() if pose is not None}


def _unchanged(pose: StreamedPose) -> StreamedPose:
    return pose


class Network:
    """The lifter's network for the windows of several people: those of the same length are one batch."""

    def __init__(self, weights: Weights, camera: CameraModel, flip: bool) -> None:
        self.lifter, self.camera, self.flip = weights.lifter, camera, flip
        self.device = next(weights.lifter.parameters()).device

    def lift(self, people: Sequence[StreamedPerson], last: bool = False) -> None:
        """Lifts the windows that the next poses need."""
        windows = [(person, window) for person in people if (window := person.next_window(last)) is not None]
        for length in sorted({len(window.times) for _, window in windows}):
            batch = [(person, window) for person, window in windows if len(window.times) == length]
            # Seconds from the first frame: single precision rounds times of day to milliseconds.
            times = np.stack([window.times - window.times[0] for _, window in batch])
            turned = [unrolled(window.pixels, self.camera, window.turns) for _, window in batch]
            cameras = [camera for _, camera in turned]
            lenses = [camera.distortion for camera in cameras if camera.distortion is not None]
            with torch.inference_mode():
                out = lift_windows(
                    self.lifter,
                    torch.from_numpy(np.stack([pixels for pixels, _ in turned])).to(self.device),
                    torch.from_numpy(np.stack([window.scores for _, window in batch])).to(self.device),
                    torch.from_numpy(times).float().to(self.device),
                    torch.stack([camera.K for camera in cameras]).to(self.device),
                    torch.tensor([camera.image_size for camera in cameras], dtype=torch.float32, device=self.device),
                    None if not lenses else torch.stack(lenses).to(self.device),
                    self.flip,
                )
            joints = out.joints.float().cpu().numpy()
            uncertainty = None if out.uncertainty is None else out.uncertainty.float().cpu().numpy()
            for row, (person, window) in enumerate(batch):
                person.take(window, joints[row], None if uncertainty is None else uncertainty[row])


__all__ = ["FORGOTTEN", "LIVE", "StreamedPose", "StreamingLifter", "StreamingPeople"]
