"""The work of a batch: lifts one video into its folder. Every engine calls this, in worker processes."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

from poselift.cli.batch.kept_detections import KeepingClip, KeptClip
from poselift.cli.batch.settings import Settings
from poselift.cli.batch.videos import Video
from poselift.cli.lift import lift_into
from poselift.cli.lift_request import CommandRequest
from poselift.core.errors import InputError, WriteError, make_printable
from poselift.core.files import sha256, write_json
from poselift.core.locks import BusyError
from poselift.core.safe_parsing import read_json
from poselift.core.storage import local_copy, read_objects, write_file
from poselift.core.threads import limit_cores, limit_torch
from poselift.finding import Clip
from poselift.lifting.lifter_device import choose_lifter_device
from poselift.models import load_weights
from poselift.recordings.batch_folders import KEPT, open_folder
from poselift.recordings.names import RECORD, SUMMARY

WORKERS_A_GPU = 4
"""Workers that share a GPU, where people are found on it: while one reads pictures, the GPU works for another."""


@dataclass(frozen=True)
class Task:
    """A video to lift.

    Attributes:
        video: the video.
        settings: of its request.
        out: path or URL of the folder of the batch.
    """

    video: Video
    settings: Settings
    out: str

    @property
    def record(self) -> dict[str, Any]:
        """What the results are made from; two equal records mean equal results."""
        settings = {"detection": self.settings.detection, "lifting": self.settings.lifting}
        return {"video": self.video.name, "stamp": self.video.stamp, "settings": settings}


@dataclass(frozen=True)
class Outcome:
    """What became of a try.

    Attributes:
        folder: name of the folder of the video.
        reason: why it failed, in one line; None if it did not.
        again: whether another try may succeed.
        lasting: whether the failure is the video's own, so that the next run need not try again.
    """

    folder: str
    reason: str | None = None
    again: bool = False
    lasting: bool = False


class VideoLifter:
    """Lifts one video after the other; the models are loaded once.

    Args:
        request: for all videos, which chooses the models.
        device: for lifter and detector.
        cores: CPU cores to use.

    Raises:
        InputError: the models cannot be loaded.
    """

    def __init__(self, request: CommandRequest, device: str, cores: int) -> None:
        limit_cores(cores)
        cv2.setNumThreads(cores)
        self._weights = load_weights(
            request.weights, choose_lifter_device(device, request.weights, request.detection.detector)
        )
        self._detector = request.detection.detector.build(device, quiet=True)
        limit_torch(cores)

    def __call__(self, task: Task) -> Outcome:
        """Lifts a video; errors are part of the outcome."""
        folder = task.video.folder
        try:
            self._lift(task)
        except BusyError as error:
            return Outcome(folder, str(error))
        except WriteError as error:
            return Outcome(folder, join_lines(error), again=True)
        except InputError as error:
            return Outcome(folder, join_lines(error), lasting=True)
        except (OSError, MemoryError) as error:  # of the machine, not of the video
            return Outcome(folder, f"{type(error).__name__}: {join_lines(error)}", again=True)
        except Exception as error:  # a video must not end the batch
            if type(error).__name__ == "OutOfMemoryError":  # PyTorch's, on a GPU
                return Outcome(folder, f"OutOfMemoryError: {join_lines(error)}", again=True)
            return Outcome(folder, f"unexpected {type(error).__name__}: {join_lines(error)}", lasting=True)
        return Outcome(folder)

    def _lift(self, task: Task) -> None:
        video = task.video
        if video.stamp is None:
            raise InputError(f"{video.path}: there is no such file; check the path of the video")
        with local_copy(video.path) as path, open_folder(task.out, video.folder) as folder:
            content = sha256(path)
            record = {**task.record, "sha256": content}
            place = f"{video.folder}/{RECORD}"
            earlier = read_objects(task.out, [place]).get(place, {})
            if all(earlier.get(key) == record[key] for key in ("sha256", "settings")):  # the file has another date only
                write_file(f"{task.out}/{place}", json.dumps(record, indent=2).encode())
                return
            try:
                clip = self._open_clip(task, path, folder / KEPT, content)
                lift_into(folder, clip, self._weights, video.request)
            except WriteError:
                raise
            except InputError as error:
                raise InputError(str(error).replace(str(path), video.path)) from error
            if str(path) != video.path:
                summary = read_json(folder / SUMMARY)
                write_json(folder / SUMMARY, {**summary, "path": video.path})
            write_json(folder / RECORD, record)

    def _open_clip(self, task: Task, path: Path, kept: Path, content: str) -> Clip:
        """The video with kept detections if they fit, else a detector.

        They fit if they are those of these settings.
        """
        key, wanted = task.settings.key(content, self._detector.weights), task.video.request.detection
        if kept.exists():
            try:
                clip = KeptClip(path, kept)
            except InputError:
                clip = None
            if clip is not None and clip.key == key:
                return clip
            kept.unlink()
        span = wanted.start, wanted.end
        return KeepingClip(path, self._detector, kept, key, *span, wanted.quality, wanted.fps, wanted.mirrored)


def join_lines(error: object) -> str:
    """An error's message, or another text, in one line."""
    text = make_printable(" ".join(str(error).split()))
    return "".join(character if character.isprintable() else "?" for character in text)
