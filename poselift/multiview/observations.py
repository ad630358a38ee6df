"""What several views show of everybody, at shared times."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from poselift.skeleton import Skeleton


@dataclass(frozen=True)
class Observations:
    """Keypoints and lifted poses of n samples, each one person at one time, in v views.

    Attributes:
        plane: keypoints on the plane z = 1 of each view's first lens, without distortion; NaN where unseen.
        scores: of the keypoints, 0 to 1; 0 where unseen.
        lifted: joints relative to the root in the view's camera frame, metres; NaN where the view lacks the person.
        roots: in the view's camera frame, metres; NaN likewise.
        spread: of the lifted joints, metres (standard deviation along each axis); NaN likewise.
        people: the person of each sample, from 0.
        times: of each sample, seconds.
        skeleton: of the joints.
    """

    plane: Float[np.ndarray, "v n j 2"]
    scores: Float[np.ndarray, "v n j"]
    lifted: Float[np.ndarray, "v n j 3"]
    roots: Float[np.ndarray, "v n 3"]
    spread: Float[np.ndarray, "v n j"]
    people: Int[np.ndarray, " n"]
    times: Float[np.ndarray, " n"]
    skeleton: Skeleton

    def samples(self, rows: np.ndarray | slice) -> "Observations":
        """Some of the samples."""
        own = {name: getattr(self, name)[:, rows] for name in ("plane", "scores", "lifted", "roots", "spread")}
        return replace(self, **own, people=self.people[rows], times=self.times[rows])

    def views(self, rows: np.ndarray | list[int]) -> "Observations":
        """Some of the views."""
        own = {name: getattr(self, name)[rows] for name in ("plane", "scores", "lifted", "roots", "spread")}
        return replace(self, **own)

    @property
    def present(self) -> np.ndarray:
        """Views that have a pose of a sample; (v, n)."""
        found: np.ndarray = np.isfinite(self.lifted).all((2, 3)) & np.isfinite(self.roots).all(-1)
        return found
