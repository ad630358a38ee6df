"""Windows of a dataset's own 2D and 3D."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import torch
from jaxtyping import Bool
from torch import Tensor

from poselift.core.annotations import Amount, Count, Share
from poselift.core.errors import InputError
from poselift.data.batches import Batch
from poselift.data.dataset_skeletons import SkeletonSampler, shared_joints, spread
from poselift.data.module import LoaderOptions, MotionData
from poselift.data.views import View
from poselift.skeleton import Pelvis, Skeleton


class RecordedSampler:
    """Draws windows of views, evenly over their frames.

    The views lie end to end in one tensor each for keypoints, scores and joints, reduced to the joints that dataset
    and lifter share. A window longer than its view ends in invalid frames: single pictures give windows of one valid
    frame.

    Args:
        views: views of one dataset, with equal skeletons.
        frames: frames per window.
        skeleton_in: the lifter's input skeleton.
        skeleton_out: the lifter's output skeleton.
        device: device of the batches.
        stride: frames of the view per frame of the window.
        mirror: share of windows to mirror left to right.
        skeletons: how often to show each skeleton, by name; None shows all joints of the dataset.

    Raises:
        InputError: there is no view, the views differ in their skeletons, or share no keypoint with the lifter.
    """

    def __init__(
        self,
        views: Sequence[View],
        frames: int,
        skeleton_in: Skeleton,
        skeleton_out: Skeleton,
        device: torch.device,
        stride: int = 1,
        mirror: float = 0.5,
        skeletons: dict[str, float] | None = None,
    ) -> None:
        if len(views) == 0:
            raise InputError("the dataset has no views to train on; check the split and other choices in data.train")
        keypoint_skeleton, skeleton = views[0].keypoint_skeleton, views[0].skeleton
        if any((view.keypoint_skeleton, view.skeleton) != (keypoint_skeleton, skeleton) for view in views):
            raise InputError("the views to train on differ in their skeletons; add each dataset to data=mix by itself")
        seen, self._places_in = shared_joints(keypoint_skeleton, skeleton_in)
        known, self._places_out = shared_joints(skeleton, skeleton_out)
        if not seen:
            raise InputError(
                f"keypoints of {keypoint_skeleton.name} share no joint with {skeleton_in.name}; set skeleton_in"
            )
        self.frames, self.stride, self.mirror, self.device = frames, stride, mirror, device
        self.skeleton_in, self.skeleton_out = skeleton_in, skeleton_out
        self.skeletons = None if skeletons is None else SkeletonSampler(skeletons, skeleton_in)

        lengths = torch.tensor([len(view) for view in views])
        self._end = lengths.cumsum(0).to(device)
        self._length = lengths.to(device)
        self._keypoints = torch.cat([view.keypoints[:, seen] for view in views]).float().to(device)
        self._scores = torch.cat([view.scores[:, seen] for view in views]).float().to(device)
        self._times = torch.cat([view.times - view.times[0] for view in views]).float().to(device)
        self._joints = torch.cat([view.joints[:, known] for view in views]).float().to(device)
        self._root = torch.cat([view.root for view in views]).float().to(device)
        self._K = torch.stack([view.K for view in views]).float().to(device)
        self._image_size = torch.stack([view.image_size for view in views]).float().to(device)
        self._distortion: Tensor | None = None
        if any(view.distortion is not None for view in views):
            none = torch.zeros(5)
            distortions = [none if view.distortion is None else view.distortion for view in views]
            self._distortion = torch.stack(distortions).float().to(device)

    def sample(self, count: int, generator: torch.Generator) -> Batch:
        """`count` random windows, some of them mirrored."""
        device = self.device
        # Draw a frame and take its view, so that long views are drawn more often; then draw a start in the view.
        frame = torch.randint(len(self._keypoints), (count,), generator=generator, device=device)
        view = torch.searchsorted(self._end, frame, right=True)
        length = self._length[view]
        starts = (length - self.stride * (self.frames - 1)).clamp(min=1)
        start = (torch.rand(count, generator=generator, device=device) * starts).long()
        place = start[:, None] + self.stride * torch.arange(self.frames, device=device)
        valid = place < length[:, None]
        index = (self._end[view] - length)[:, None] + torch.minimum(place, length[:, None] - 1)

        keypoints = spread(self._keypoints[index], self._places_in, len(self.skeleton_in), torch.nan)
        scores = spread(self._scores[index][..., None], self._places_in, len(self.skeleton_in), 0.0).squeeze(-1)
        if self.skeletons is not None:
            keypoints, scores = self.skeletons.hide(keypoints, scores, generator)
        batch = Batch(
            keypoints=keypoints,
            scores=scores,
            times=self._times[index],
            valid=valid,
            K=self._K[view],
            image_size=self._image_size[view],
            joints=spread(self._joints[index], self._places_out, len(self.skeleton_out), torch.nan),
            root=self._root[index],
            distortion=None if self._distortion is None else self._distortion[view],
        )
        chosen = torch.rand(count, generator=generator, device=device) < self.mirror
        return mirror(batch, chosen, self.skeleton_in, self.skeleton_out)


def mirror(batch: Batch, chosen: Bool[Tensor, " b"], skeleton_in: Skeleton, skeleton_out: Skeleton) -> Batch:
    """The batch with some windows mirrored left to right, including their cameras.

    x becomes width - x, for keypoints and for the principal point; the skew and the tangential distortion p2 change
    sign. The mirrored camera then sees the mirrored motion at the mirrored keypoints.

    Args:
        batch: windows.
        chosen: True for the windows to mirror.
        skeleton_in: skeleton of the keypoints.
        skeleton_out: skeleton of the joints.
    """

    def pick(mirrored: Tensor, plain: Tensor) -> Tensor:
        return torch.where(chosen.view(-1, *[1] * (plain.ndim - 1)), mirrored, plain)

    across = batch.joints.new_tensor([-1.0, 1.0, 1.0])
    width = batch.image_size[:, 0]
    keypoints = batch.keypoints[:, :, list(skeleton_in.flip_indices)].clone()
    keypoints[..., 0] = width[:, None, None] - keypoints[..., 0]
    K = batch.K.clone()
    K[:, 0, 1] = -K[:, 0, 1]
    K[:, 0, 2] = width - K[:, 0, 2]
    distortion = batch.distortion
    if distortion is not None:
        distortion = pick(distortion * distortion.new_tensor([1.0, 1.0, 1.0, -1.0, 1.0]), distortion)
    return replace(
        batch,
        keypoints=pick(keypoints, batch.keypoints),
        scores=pick(batch.scores[:, :, list(skeleton_in.flip_indices)], batch.scores),
        K=pick(K, batch.K),
        joints=pick(batch.joints[:, :, list(skeleton_out.flip_indices)] * across, batch.joints),
        root=pick(batch.root * across, batch.root),
        distortion=distortion,
    )


class RecordedData(MotionData):
    """The views of a dataset, to train and to validate on.

    Args:
        root: the dataset's folder or file.
        views: the dataset's loader, called with `root` and with `train` or `val`.
        train: the loader's arguments for training.
        val: the loader's arguments for validation.
        pelvis: place of the dataset's pelvis; None if it has no 3D.
        stride: frames of the view per frame of the window.
        mirror: share of windows to mirror.
        skeletons: how often to show each skeleton, by name; None shows all joints of the dataset.
        **common: as for `MotionData`.
    """

    def __init__(
        self,
        root: str | Path,
        views: Callable[..., Sequence[View]],
        train: Mapping[str, Any],
        val: Mapping[str, Any],
        pelvis: Pelvis | None,
        stride: Count = 1,
        mirror: Share = 0.5,
        skeletons: dict[str, Amount] | None = None,
        **common: Unpack[LoaderOptions],
    ) -> None:
        super().__init__(**common)
        self.root, self.views, self.train, self.val, self.pelvis = root, views, train, val, pelvis
        self.stride, self.mirror, self.skeletons = stride, mirror, skeletons

    def training_sampler(self, device: torch.device) -> RecordedSampler:
        """A sampler of the views to train on."""
        return RecordedSampler(
            self.views(root=self.root, **self.train),
            self.frames,
            self.skeleton_in,
            self.skeleton_out,
            device,
            self.stride,
            self.mirror,
            self.skeletons,
        )

    def validation_views(self) -> Sequence[View]:
        """The views to validate on."""
        return self.views(root=self.root, **self.val)
