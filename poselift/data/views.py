"""Whole clips seen by one camera, to evaluate on."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.data.corpus import MotionCorpus
from poselift.data.dataset_skeletons import convert_skeleton, joint_mask
from poselift.data.noise import DetectorNoise, detect
from poselift.data.virtual_camera import CameraRange, render_view
from poselift.geometry import project
from poselift.skeleton import CMU28, Skeleton


@dataclass(frozen=True)
class View:
    """One clip of one person seen by one camera.

    Every dataset's loader returns views in the dataset's own skeletons; `convert` brings them into a lifter's.

    Attributes:
        name: name of the view.
        subject: the person.
        keypoints: pixels; NaN where missing.
        scores: 0 to 1; 0 where missing.
        times: seconds.
        K: intrinsics.
        image_size: width and height, pixels.
        joints: camera frame, metres, relative to the pelvis, or to the middle of the hips where the skeleton has no
            pelvis; NaN where unknown, and in frames that the dataset excludes.
        root: pelvis in the camera frame, metres; NaN where unknown.
        keypoint_skeleton: skeleton of `keypoints`.
        skeleton: skeleton of `joints`.
        action: the dataset's name of the action; "" where it has none.
        camera: the dataset's name of the camera; "" where it has none.
        distortion: k1, k2, p1, p2, k3 in OpenCV's order; None for a lens without distortion.
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

    def convert(self, keypoint_skeleton: Skeleton, skeleton: Skeleton) -> "View":
        """The view in other skeletons, by joint name.

        Joints that the dataset lacks are NaN.
        """
        own = self.keypoint_skeleton
        return replace(
            self,
            keypoints=convert_skeleton(self.keypoints, own, keypoint_skeleton),
            scores=convert_skeleton(self.scores[..., None], own, keypoint_skeleton, fill=0.0).squeeze(-1),
            joints=convert_skeleton(self.joints, self.skeleton, skeleton),
            keypoint_skeleton=keypoint_skeleton,
            skeleton=skeleton,
        )

    def show(self, skeleton: str, keypoints: str) -> "View":
        """The view with the 2D of some joints alone.

        Args:
            skeleton: name of the skeleton whose joints are visible.
            keypoints: "det" for the view's own 2D, "gt" for exact projections with score 1.
        """
        pixels, scores = self.keypoints, self.scores
        if keypoints == "gt":
            pixels = project(self.joints + self.root[:, None], self.K)
            scores = pixels.isfinite().all(-1).float()
        seen = joint_mask(skeleton, self.keypoint_skeleton)
        return replace(
            self, keypoints=torch.where(seen[:, None], pixels, torch.nan), scores=torch.where(seen, scores, 0.0)
        )


def render_views(corpus: MotionCorpus, seed: int) -> list[View]:
    """One view of each clip.

    A random camera and a simulated detector see it.

    Args:
        corpus: the motion.
        seed: equal seeds give equal views.
    """
    corpus = corpus.convert(CMU28)
    generator = torch.Generator(corpus.device).manual_seed(seed)
    views = []
    for index, (name, subject) in enumerate(zip(corpus.names, corpus.subjects, strict=True)):
        joints, root = corpus.clip(index)
        seen = render_view(joints[None], root[None], CameraRange(), generator)
        times = torch.arange(len(joints), device=corpus.device) / corpus.fps
        keypoints, scores = detect(seen.pixels, times[None], seen.image_size, DetectorNoise(), generator)
        views.append(
            View(
                name=name,
                subject=subject,
                keypoints=keypoints[0],
                scores=scores[0],
                times=times,
                K=seen.K[0],
                image_size=seen.image_size[0],
                joints=seen.joints[0],
                root=seen.root[0],
            )
        )
    return views
