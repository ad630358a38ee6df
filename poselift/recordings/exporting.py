"""Recordings in the formats of other programs, and recordings joined."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from poselift.core.choices import choose
from poselift.export.export_formats import FORMATS
from poselift.structures import Recording


def export_recording(
    recording: Recording, name: str, path: str | os.PathLike[str], people: Sequence[int] | None = None
) -> list[Path]:
    """Writes people in a format; see `Recording.export`."""
    format_ = choose("format", name, FORMATS)
    format_.check()
    chosen = [motion for motion in recording.people if motion.posed.any()]
    if people is not None:
        chosen = [recording.person(number) for number in people]
    out = Path(path)
    if format_.several or len(chosen) == 1:
        format_.write(out, replace(recording, people=tuple(chosen)))
        return [out]
    written = []
    for motion in chosen:
        own = out.with_name(f"{out.name.removesuffix(format_.ending)}_{motion.keypoints.person}{format_.ending}")
        format_.write(own, replace(recording, people=(motion,)))
        written.append(own)
    return written


def join_recordings(recordings: Sequence[Recording]) -> Recording:
    """The people of several recordings of one clip, in one recording. It lasts from the first start to the last end."""
    first = recordings[0]
    starts, ends = zip(*(recording.clock.span for recording in recordings), strict=True)
    people = tuple(motion for recording in recordings for motion in recording.people)
    return replace(first, people=people, clock=replace(first.clock, span=(min(starts), max(ends))))
