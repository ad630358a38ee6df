"""Views of the CMU benchmark at other frame rates, with joints hidden, and with the pelvis between the hips.

A change draws from a generator, so that the same seed gives the same view. Frame rates below the benchmark's take of
its frames; higher and variable ones are filmed anew: the true motion is interpolated, projected, and seen by the
package's own model of a detector.
"""

from collections.abc import Callable
from dataclasses import replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from poselift.data.noise import DetectorNoise, detect
from poselift.data.skeletons import joint_mask
from poselift.data.views import View
from poselift.geometry import project

Change = Callable[[View, torch.Generator], View]

FILM = 600
"""Frames a second: a multiple of all rates that are looked at."""


def take(view: View, frames: Int[Tensor, " n"]) -> View:
    """Some frames of a view."""
    rows = {key: getattr(view, key)[frames] for key in ("keypoints", "scores", "times", "joints", "root")}
    return replace(view, **rows)


def thinned(fps: float) -> Change:
    """The frames nearest to the ticks of a lower frame rate, with their own time stamps."""

    def change(view: View, generator: torch.Generator) -> View:
        own = 1 / float(view.times.diff().median())
        ticks = torch.arange(0, len(view) - 1 + 1e-3, own / fps)
        return take(view, ticks.round().long().clamp(max=len(view) - 1))

    return change


def dropped(share: float) -> Change:
    """A share of the frames lost at random."""

    def change(view: View, generator: torch.Generator) -> View:
        kept = torch.rand(len(view), generator=generator) >= share
        kept[0] = True
        return take(view, kept.nonzero().squeeze(1))

    return change


def misstamped(share: float) -> Change:
    """Time stamps that are wrong by up to a share of the time between frames."""

    def change(view: View, generator: torch.Generator) -> View:
        off = 2 * torch.rand(len(view), generator=generator) - 1
        return replace(view, times=view.times + share * off * float(view.times.diff().median()))

    return change


def filmed(fps: float, joint_set: str, uneven: float = 0.0, lost: float = 0.0) -> Change:
    """The view filmed anew at another frame rate.

    Every rate is taken out of one film of `FILM` frames a second, so that the same seed has the same noise at each.

    Args:
        fps: frames a second; `FILM` must be a multiple.
        joint_set: what is seen.
        uneven: how far a frame may be from its tick, as a share of the time between ticks; its time stamp is right.
        lost: share of the frames that are dropped.
    """

    def change(view: View, generator: torch.Generator) -> View:
        film = _film(view, joint_set, generator)
        ticks = torch.arange(0, len(film), FILM / fps)
        ticks = ticks + uneven * FILM / fps * (2 * torch.rand(len(ticks), generator=generator) - 1)
        ticks = ticks.round().long().clamp(0, len(film) - 1).unique()
        kept = torch.rand(len(ticks), generator=generator) >= lost
        return take(film, ticks[kept])

    return change


def _film(view: View, joint_set: str, generator: torch.Generator) -> View:
    """A view as a camera of `FILM` frames a second and a detector would see it."""
    times = torch.arange(0, float(view.times[-1]) + 1e-6, 1 / FILM)
    joints, root = (_at(values, view.times, times) for values in (view.joints, view.root))
    points = joints + root[:, None]
    pixels = project(points.reshape(-1, 3), view.K).view(1, len(times), -1, 2)
    keypoints, scores = detect(pixels, times[None], view.image_size[None], DetectorNoise(), generator)
    film = replace(view, keypoints=keypoints[0], scores=scores[0], times=times, joints=joints, root=root)
    return hide(film, ~joint_mask(joint_set).expand(len(times), -1))


def _at(values: Float[Tensor, "t *c"], known: Float[Tensor, " t"], times: Float[Tensor, " n"]) -> Float[Tensor, "n *c"]:
    """Values at other times, linearly interpolated."""
    after = torch.searchsorted(known, times).clamp(1, len(known) - 1)
    share = (times - known[after - 1]) / (known[after] - known[after - 1])
    return torch.lerp(values[after - 1], values[after], share.view(-1, *[1] * (values.ndim - 1)))


def hide(view: View, hidden: Bool[Tensor, "t j"]) -> View:
    """A view without some of its keypoints."""
    return replace(
        view,
        keypoints=view.keypoints.masked_fill(hidden[..., None], torch.nan),
        scores=view.scores.masked_fill(hidden, 0.0),
    )


def pelvis_between_hips(view: View, generator: torch.Generator) -> View:
    """The keypoint of the pelvis where most detectors have it: in the middle of the hips' keypoints."""
    skeleton, keypoints = view.keypoint_skeleton, view.keypoints.clone()
    keypoints[:, skeleton.index("pelvis")] = keypoints[:, skeleton.indices(["left_hip", "right_hip"])].mean(1)
    return hide(replace(view, keypoints=keypoints), ~keypoints.isfinite().all(-1))


def without(*parts: str) -> Change:
    """The joints whose names end or begin so are never seen: "knee" means both, "left_" a whole side."""

    def change(view: View, generator: torch.Generator) -> View:
        gone = [joint.startswith(parts) or joint.endswith(parts) for joint in view.keypoint_skeleton.joints]
        return hide(view, torch.tensor(gone).expand(len(view), -1))

    return change


def spells(seconds: float, every: float, share: float) -> Change:
    """Now and then a share of the joints, others each time, is hidden for a while.

    Args:
        seconds: that a spell lasts.
        every: seconds from one to the next; the first is in the middle of the first such time.
        share: of the joints that the view has.
    """

    def change(view: View, generator: torch.Generator) -> View:
        there = view.keypoints.isfinite().all(-1).any(0).nonzero().squeeze(1)
        hidden = torch.zeros_like(view.scores, dtype=torch.bool)
        start = (every - seconds) / 2
        while start < float(view.times[-1]):
            frames = (view.times >= start) & (view.times < start + seconds)
            order = torch.randperm(len(there), generator=generator)
            joints = there[order[: round(share * len(there))]]
            hidden[frames[:, None] & torch.isin(torch.arange(hidden.shape[1]), joints)] = True
            start += every
        return hide(view, hidden)

    return change
