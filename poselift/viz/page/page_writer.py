"""Writes the page: template, style, scripts, content and video in one file."""

import base64
import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.core.files import atomic_files, named_in_errors, write_text
from poselift.numerics.times import check_span
from poselift.structures import Motion
from poselift.viz.page.page_content import PageContent, PageView, encode
from poselift.viz.page.page_video import LONGER_SIDE, ONE_OF_SEVERAL, write_small_video


def write_page(
    path: str | os.PathLike[str],
    motions: Sequence[Motion],
    view: PageContent,
    video: str | os.PathLike[str] | None = None,
    span: tuple[float, float] | None = None,
    fps: float | None = None,
    mirrored: bool = False,
) -> list[Path]:
    """Writes one file that shows motions beside their video.

    It needs no other file and no network. A video of more than 9.5 MB after encoding stays beside the page, as
    `<page>_video.mp4`, and further ones as `<page>_video_2.mp4` and so on.

    Args:
        path: the .html file to write.
        motions: everybody of a clip, in the same frame.
        view: title, camera and descriptions.
        video: the video; None for a page without one.
        span: first and last moment of the video to show, seconds; None for those of the motions.
        fps: true frames per second of the video, if they are not those of the file.
        mirrored: whether the video shows a mirror image, which is mirrored back.

    Returns:
        The files that were written: the page, and perhaps its videos.

    Raises:
        InputError: there is no motion or no pose in them, they are in different frames or far apart in time, the video
            cannot be read, or a file cannot be written.
    """
    path = Path(path)
    _check(path, motions)
    moments = np.concatenate([motion.timestamps for motion in motions])
    check_span(np.unique(moments))
    first, last = (moments.min(), moments.max()) if span is None else span
    beside = path.with_name(f"{path.stem}_video.mp4")
    about: dict[str, Any] = {}
    data, written, others = "", [path], []
    side = ONE_OF_SEVERAL if view.views else LONGER_SIDE
    with atomic_files(path.parent, path.name) as folder, tempfile.TemporaryDirectory() as apart:
        if video is not None:
            place = Path(apart) / "video.mp4"
            # The end is exclusive, and a time stamp in a JSON is rounded.
            start, end = max(0.0, float(first) - 1e-3), float(last) + 1e-3
            with named_in_errors(video, place):
                clip = write_small_video(video, place, start, end, fps, mirrored, side)
            moments = np.concatenate([moments, clip.times])
            about = {"start": float(clip.times[0] - first)}
            if clip.inside:
                data = base64.b64encode(place.read_bytes()).decode()
            else:
                about["file"] = beside.name
                written.append(beside)
                shutil.copyfile(place, folder / beside.name)
        for number, other in enumerate(view.views, start=2):
            beside = path.with_name(f"{path.stem}_video_{number}.mp4")
            others.append(_add_view(other, (float(first), float(last)), folder / beside.name))
            if "file" in others[-1][0]:
                written.append(beside)
        times = np.unique(moments.round(6))
        content = encode(motions, view, times, about, float(first), [about for about, _ in others])
        write_text(folder / path.name, _html(view.title, content, [data, *(own for _, own in others)]))
    return written


def _add_view(other: PageView, span: tuple[float, float], beside: Path) -> tuple[dict[str, Any], str]:
    """Another video's header entry, and the video as base64. A large video is written beside the page instead."""
    start, end = ((moment - other.offset) / (1 + other.drift) for moment in span)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "video.mp4"
        clip = write_small_video(other.video, place, max(0.0, start - 1e-3), end + 1e-3, longer_side=ONE_OF_SEVERAL)
        rate = 1 + other.drift
        about = {"start": float(rate * clip.times[0] + other.offset - span[0]), "rate": rate}
        if clip.inside:
            return about, base64.b64encode(place.read_bytes()).decode()
        shutil.copyfile(place, beside)
    return {**about, "file": beside.name}, ""


def _check(path: Path, motions: Sequence[Motion]) -> None:
    if not motions:
        raise InputError(f"{path}: there is no motion to show; give at least one person")
    if len({motion.keypoints.person for motion in motions}) < len(motions):
        raise InputError(f"{path}: two motions are of the same person; give each person of one clip once")
    if len({motion.frame for motion in motions}) > 1:
        raise InputError(f"{path}: some motions are in the camera frame and some in the world; lift all in one run")
    if not any(motion.posed.any() for motion in motions):
        raise InputError(f"{path}: all frames of the motions are empty; lift a video in which somebody is seen")


def _html(title: str, content: str, videos: Sequence[str]) -> str:
    """The page. Its policy allows only this very script, so no text in the data can run.

    Args:
        title: of the page.
        content: as `encode` gives it.
        videos: each as base64; empty for one that is not in the page.
    """
    room = files(__package__)
    script = (room / "page.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return Template((room / "page.html").read_text("utf-8")).substitute(
        title=escape(title),
        digest=digest,
        style=(room / "page.css").read_text("utf-8"),
        content=content,
        videos="\n".join(videos),
        script=script,
    )
