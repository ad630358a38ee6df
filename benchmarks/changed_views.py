"""Views of the CMU benchmark at other frame rates, with joints hidden, or with the pelvis between the hips.

A change draws from a generator, so the same seed gives the same view. Lower frame rates take some of the benchmark's
frames. Higher and variable rates are rendered: the true motion is interpolated and projected, and gets the noise of a
virtual detector.
"""

from collections.abc import Callable
from dataclasses import replace

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from poselift.data.noise import DetectorNoise, detect
from poselift.data.views import View
from poselift.geometry import project
from poselift.numerics.times import interpolate
from poselift.skeleton import get_skeleton

Change = Callable[[View, torch.Generator], View]

RENDERED_FPS = 600
"""Frames a second of rendered views before thinning: a multiple of all rates in use."""


def unchanged(view: View, generator: torch.Generator) -> View:
    """The view itself."""
    return view


def take(view: View, frames: Int[Tensor, " n"]) -> View:
    """Some frames of a view."""
    rows = {key: getattr(view, key)[frames] for key in ("keypoints", "scores", "times", "joints", "root")}
    return replace(view, **rows)


def thinned(fps: float) -> Change:
    """The frames nearest to the ticks of a lower frame rate, with their own time stamps."""

    def change(view: View, generator: torch.Generator) -> View:
        interval = 1 / float(view.times.diff().median())
        ticks = torch.arange(0, len(view) - 1 + 1e-3, interval / fps)
        return take(view, ticks.round().long().clamp(max=len(view) - 1))

    return change


def dropped(share: float) -> Change:
    """The view without a random share of its frames."""

    def change(view: View, generator: torch.Generator) -> View:
        kept = torch.rand(len(view), generator=generator) >= share
        kept[0] = True
        return take(view, kept.nonzero().squeeze(1))

    return change


def rendered(fps: float, skeleton: str, uneven: float = 0.0, lost: float = 0.0) -> Change:
    """The view rendered at another frame rate.

    Every rate is taken from the same `RENDERED_FPS` frames a second, so the same seed gives the same noise at each.

    Args:
        fps: frames a second; `RENDERED_FPS` must be a multiple.
        skeleton: of the keypoints.
        uneven: largest distance of a frame from its tick, as a share of the interval; time stamps are right.
        lost: share of the frames that are dropped.
    """

    def change(view: View, generator: torch.Generator) -> View:
        every = _render(view, skeleton, generator)
        ticks = torch.arange(0, len(every), RENDERED_FPS / fps)
        ticks = ticks + uneven * RENDERED_FPS / fps * (2 * torch.rand(len(ticks), generator=generator) - 1)
        ticks = ticks.round().long().clamp(0, len(every) - 1).unique()
        kept = torch.rand(len(ticks), generator=generator) >= lost
        return take(every, ticks[kept])

    return change


def _render(view: View, skeleton: str, generator: torch.Generator) -> View:
    """A view as a camera of `RENDERED_FPS` frames a second and a virtual detector see it."""
    times = torch.arange(0, float(view.times[-1]) + 1e-6, 1 / RENDERED_FPS)
    known, wanted = view.times.numpy(), times.numpy()
    joints, root = (torch.from_numpy(interpolate(values.numpy(), known, wanted)) for values in (view.joints, view.root))
    points = joints + root[:, None]
    pixels = project(points.reshape(-1, 3), view.K).view(1, len(times), -1, 2)
    keypoints, scores = detect(pixels, times[None], view.image_size[None], DetectorNoise(), generator)
    every = replace(view, keypoints=keypoints[0], scores=scores[0], times=times, joints=joints, root=root)
    unknown = [joint not in get_skeleton(skeleton).joints for joint in view.keypoint_skeleton.joints]
    return hide(every, torch.tensor(unknown).expand(len(times), -1))


def hide(view: View, hidden: Bool[Tensor, "t j"]) -> View:
    """A view without some of its keypoints."""
    return replace(
        view,
        keypoints=view.keypoints.masked_fill(hidden[..., None], torch.nan),
        scores=view.scores.masked_fill(hidden, 0.0),
    )


def pelvis_between_hips(view: View, generator: torch.Generator) -> View:
    """The view with the pelvis keypoint in the middle of the hip keypoints, as most detectors have it."""
    skeleton, keypoints = view.keypoint_skeleton, view.keypoints.clone()
    keypoints[:, skeleton.index("pelvis")] = keypoints[:, skeleton.indices(["left_hip", "right_hip"])].mean(1)
    return hide(replace(view, keypoints=keypoints), ~keypoints.isfinite().all(-1))


def without(*parts: str) -> Change:
    """The view without joints whose names start or end like this: "knee" means both, "left_" a whole side."""

    def change(view: View, generator: torch.Generator) -> View:
        gone = [joint.startswith(parts) or joint.endswith(parts) for joint in view.keypoint_skeleton.joints]
        return hide(view, torch.tensor(gone).expand(len(view), -1))

    return change


def seen_every(frames: int) -> Change:
    """The view with keypoints in every n-th frame only, as by a detector that looks there."""

    def change(view: View, generator: torch.Generator) -> View:
        empty = torch.arange(len(view)) % frames != 0
        return hide(view, empty[:, None].expand_as(view.scores))

    return change


def seen_at_random(share: float) -> Change:
    """The view with keypoints in the first frame and in a random share of the others."""

    def change(view: View, generator: torch.Generator) -> View:
        empty = torch.rand(len(view), generator=generator) >= share
        empty[0] = False
        return hide(view, empty[:, None].expand_as(view.scores))

    return change


def hidden_segments(seconds: float, every: float, share: float) -> Change:
    """The view with a random share of the joints hidden in regular segments.

    Args:
        seconds: length of a segment.
        every: seconds from one segment to the next; the first lies in the middle of the first such interval.
        share: of the view's joints; each segment hides others.
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


FRAMES_WITHOUT_KEYPOINTS: dict[str, Change] = {
    "all seen": unchanged,
    "every second frame empty": seen_every(2),
    "two of three frames empty": seen_every(3),
    "three of four frames empty": seen_every(4),
    "half of the frames empty, at random": seen_at_random(0.5),
    **{f"{seconds:g} s empty in every 4 s": hidden_segments(seconds, 4.0, 1.0) for seconds in (0.1, 0.25, 0.5, 1.0)},
}
"""Rows of tables about frames without keypoints."""
