"""Writes the page: template, style, scripts, content and video in one file."""

import base64
import contextlib
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
from poselift.core.files import atomic_pair, write_text
from poselift.numerics.times import check_span
from poselift.structures import Motion
from poselift.viz.page.page_content import PageContent, encode
from poselift.viz.page.page_video import write_small_video


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
    `<page>_video.mp4`.

    Args:
        path: the .html file to write.
        motions: everybody of a clip, in the same frame.
        view: title, camera and descriptions.
        video: the video; None for a page without one.
        span: first and last moment of the video to show, seconds; None for those of the motions.
        fps: true frames per second of the video, if they are not those of the file.
        mirrored: whether the video shows a mirror image, which is mirrored back.

    Returns:
        The files that were written: the page, and perhaps its video.

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
    data, written, page = "", [path], path
    with contextlib.ExitStack() as stack:
        if video is not None:
            place = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "video.mp4"
            # The end is exclusive, and a time stamp in a JSON is rounded.
            start, end = max(0.0, float(first) - 1e-3), float(last) + 1e-3
            clip = write_small_video(video, place, start, end, fps, mirrored)
            moments = np.concatenate([moments, clip.times])
            about = {"start": float(clip.times[0] - first)}
            if clip.inside:
                data = base64.b64encode(place.read_bytes()).decode()
            else:
                about["file"] = beside.name
                written.append(beside)
                temporary, page = stack.enter_context(atomic_pair(beside, path))
                shutil.copyfile(place, temporary)
        times = np.unique(moments.round(6))
        write_text(page, _html(view.title, encode(motions, view, times, about, float(first)), data))
    return written


def _check(path: Path, motions: Sequence[Motion]) -> None:
    if not motions:
        raise InputError(f"{path}: there is no motion to show; give at least one person")
    if len({motion.keypoints.person for motion in motions}) < len(motions):
        raise InputError(f"{path}: two motions are of the same person; give each person of one clip once")
    if len({motion.frame for motion in motions}) > 1:
        raise InputError(f"{path}: some motions are in the camera frame and some in the world; lift all in one run")
    if not any(motion.posed.any() for motion in motions):
        raise InputError(f"{path}: all frames of the motions are empty; lift a video in which somebody is seen")


def _html(title: str, content: str, video: str) -> str:
    """The page. Its policy allows only this very script, so no text in the data can run."""
    room = files(__package__)
    script = (room / "page.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return Template((room / "page.html").read_text("utf-8")).substitute(
        title=escape(title),
        digest=digest,
        style=(room / "page.css").read_text("utf-8"),
        content=content,
        video=video,
        script=script,
    )
