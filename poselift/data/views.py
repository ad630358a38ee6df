"""Whole clips seen by one camera, to evaluate on."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.data.corpus import MotionCorpus
from poselift.data.noise import DetectorNoise, detect
from poselift.data.virtual_camera import CameraRange, shoot
from poselift.skeleton import CMU28, Skeleton, convert


@dataclass(frozen=True)
class View:
    """One clip of one person seen by one camera.

    Every dataset's loader gives these, in the dataset's own joint sets; `converted` brings them to a lifter's.

    Attributes:
        name: of the view.
        subject: who moves.
        keypoints: pixels; NaN where missing.
        scores: 0 to 1; 0 where missing.
        times: seconds.
        K: intrinsics.
        image_size: width and height, pixels.
        joints: camera frame, metres, relative to the pelvis (the middle of the hips where the joint set has
            none); NaN where not known, or where the dataset says that a frame is not to be counted.
        root: the pelvis, camera frame, metres; NaN where not known.
        keypoint_skeleton: the joint set of `keypoints`.
        skeleton: the joint set of `joints`.
        action: what the subject does, by the dataset's name; "" where it has none.
        camera: by the dataset's name; "" where it has none.
        distortion: k1, k2, p1, p2, k3 in OpenCV's order; None where the lens has none.
    """

    name: str
    subject: str
    keypoints: Float[Tensor, "t j_in 2"]
    scores: Float[Tensor, "t j_in"]
    times: Float[Tensor, " t"]
    K: Float[Tensor, "3 3"]
    image_size: Float[Tensor, " 2"]
    joints: Float[Tensor, "t j 3"]
    root: Float[Tensor, "t 3"]
    keypoint_skeleton: Skeleton = CMU28
    skeleton: Skeleton = CMU28
    action: str = ""
    camera: str = ""
    distortion: Float[Tensor, " 5"] | None = None

    def __len__(self) -> int:
        return len(self.times)

    def converted(self, keypoint_skeleton: Skeleton, skeleton: Skeleton) -> "View":
        """The view in other joint sets, by joint name; a joint that the dataset does not truly have is NaN."""
        keypoints = _rename(self.keypoints, self.keypoint_skeleton, keypoint_skeleton)
        scores = _rename(self.scores[..., None], self.keypoint_skeleton, keypoint_skeleton)[..., 0]
        return replace(
            self,
            keypoints=keypoints,
            scores=scores.nan_to_num(0.0),
            joints=_rename(self.joints, self.skeleton, skeleton),
            keypoint_skeleton=keypoint_skeleton,
            skeleton=skeleton,
        )


def _rename(values: Float[Tensor, "t j c"], source: Skeleton, target: Skeleton) -> Float[Tensor, "t j_out c"]:
    """Values of the joints that both sets have; NaN for the others, combinations of other joints too."""
    if source == target:
        return values
    converted = convert(values.numpy(), source, target)
    return torch.from_numpy(converted.values).where(~torch.from_numpy(converted.derived)[:, None], torch.nan)


def film(corpus: MotionCorpus, seed: int) -> list[View]:
    """Each clip of a corpus seen by one random camera and a detector; the same seed gives the same views."""
    corpus = corpus.converted(CMU28)
    generator = torch.Generator(corpus.device).manual_seed(seed)
    views = []
    for index, (name, subject) in enumerate(zip(corpus.names, corpus.subjects, strict=True)):
        joints, root = corpus.clip(index)
        shot = shoot(joints[None], root[None], CameraRange(), generator)
        times = torch.arange(len(joints), device=corpus.device) / corpus.fps
        keypoints, scores = detect(shot.pixels, times[None], shot.image_size, DetectorNoise(), generator)
        views.append(
            View(
                name,
                subject,
                keypoints[0],
                scores[0],
                times,
                shot.K[0],
                shot.image_size[0],
                shot.joints[0],
                shot.root[0],
            )
        )
    return views
