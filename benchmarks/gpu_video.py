"""Where a GPU spends its time on MoveNet and BlazePose, and what batches of crops from many frames give.

    python -m benchmarks.gpu_video [VIDEO] [--device cuda] [--frames 240] [--batch 32] [--seconds 20] [--models NAME]

For a few minutes of a lent GPU: no run of the path takes longer than `--seconds`. It prints three tables, of the demo
clip enlarged to 1920 x 1080 where no video is given:

- decoding: frames a second with FFmpeg on the CPU, and with the decoder of an NVIDIA GPU (NVDEC) where PyAV has it;
- a profile by onnxruntime of one run of each model with 1 crop and with a batch: seconds by kind of operation, on which
  provider they run, and how often tensors are copied between CPU and GPU;
- the path: frames decoded ahead by a thread, one crop of each cut on the CPU's cores, and `--batch` crops in one run,
  in float32 and in float16, with nothing coming back but joints. Joints are compared with those of the CPU: one crop a
  run, float32. The aim is ten times the frames a second of the CPU's path, with joints within one pixel.

Places of the first person come from MoveNet on the CPU beforehand: what is measured is what such a path could give. The
file is long because its three tables share the models, their crops and the video.
"""

import argparse
import importlib
import json
import os
import queue
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter

import av
import cv2
import numpy as np
import onnx
from jaxtyping import Float, UInt8

from benchmarks.clips import demo
from benchmarks.command import command_line, errors_shown, print_table
from poselift.core.errors import InputError, reason
from poselift.core.onnx_runtime import onnxruntime
from poselift.core.registry import published
from poselift.core.stopwatch import Stopwatch
from poselift.core.threads import core_limit, pool
from poselift.detection import MoveNet, Search
from poselift.detection.blazepose import place, read_landmarks
from poselift.detection.crop import Crop
from poselift.detection.multipose import OFFSET
from poselift.detection.session import open_session, wants_cuda
from poselift.video import VideoReader, VideoWriter

MODELS = ("movenet_thunder_batch", "blazepose_heavy")
_LEADING = 64
"""Most frames that are decoded before they are needed."""
_OPERATIONS = 4
"""Kinds of operations in a row of the profile."""
_RUNS = 5
"""Profiled runs; the first one prepares and does not count."""


@dataclass(frozen=True)
class Look:
    """Where a model looks in a frame.

    Attributes:
        box: x0, y0, x1, y1, pixels, before it is turned about its middle.
        angle: radians.
    """

    box: Float[np.ndarray, "4"]
    angle: float


@dataclass(frozen=True)
class Model:
    """A model of crops.

    Attributes:
        path: the ONNX file.
        size: side of its crops, pixels.
        look: where it looks at somebody with these joints and scores.
        read: joints in the picture, of an output, its crop and the frame's shape.
    """

    path: Path
    size: int
    look: Callable[[np.ndarray, np.ndarray], Look]
    read: Callable[[np.ndarray, Crop, Sequence[int]], np.ndarray]


def open_model(name: str) -> Model:
    """A model by its name among `MODELS`."""
    path = published(name).get()
    if name == "blazepose_heavy":
        return Model(path, 256, _place_landmarks, _read_landmarks)
    return Model(path, 256, _place_thunder, _read_thunder)


def _place_landmarks(points: np.ndarray, scores: np.ndarray) -> Look:
    found = place(points, scores)
    if found is None:
        raise InputError("the first person has no trunk in some frame; take another video")
    return Look(*found)


def _read_landmarks(output: np.ndarray, crop: Crop, shape: Sequence[int]) -> np.ndarray:
    """Joints of BlazePose's landmarks."""
    joints: np.ndarray = read_landmarks(output, crop, shape).keypoints[0]
    return joints


def _place_thunder(points: np.ndarray, scores: np.ndarray) -> Look:
    middle, half = (points.min(0) + points.max(0)) / 2, 0.6 * np.ptp(points, axis=0).max()
    return Look(np.concatenate([middle - half, middle + half]), 0.0)


def _read_thunder(output: np.ndarray, crop: Crop, shape: Sequence[int]) -> np.ndarray:
    """Joints of Thunder's y, x and score, each a share of the crop's side."""
    rows = output.reshape(-1, 3)
    return crop.to_picture(rows[:, 1::-1] * len(crop.image) + OFFSET)


def enlarged_demo(folder: Path) -> Path:
    """The demo clip in 1920 x 1080."""
    path = folder / "demo_1080p.mp4"
    with VideoWriter(path, 1920, 1080) as writer:
        for picture, time in demo():
            writer.write(cv2.resize(picture, (1920, 1080), interpolation=cv2.INTER_LINEAR), time)
    return path


def decode_rows(video: Path, frames: int) -> Iterator[list[str]]:
    """Frames a second of each way to decode."""
    start = perf_counter()
    count = sum(1 for _ in islice(VideoReader(video), frames))
    yield ["poselift's reader, to RGB", f"{count / (perf_counter() - start):,.0f}"]
    for name, how in (("FFmpeg, CPU", {}), ("NVDEC", {"hwaccel": "cuda"})):
        try:
            yield [f"{name}, to RGB", f"{_decode(video, frames, how):,.0f}"]
        except Exception as error:  # PyAV's errors have no common base
            yield [name, f"not here: {reason(error)}"]


def _decode(video: Path, frames: int, how: dict[str, str]) -> float:
    """Frames a second of PyAV itself."""
    accelerator = None
    if how:
        from av.codec.hwaccel import HWAccel

        accelerator = HWAccel(device_type=how["hwaccel"], allow_software_fallback=False)
    with av.open(str(video), hwaccel=accelerator) as container:
        container.streams.video[0].thread_type = "AUTO"
        start, count = perf_counter(), 0
        for frame in islice(container.decode(video=0), frames):
            frame.to_ndarray(format="rgb24")
            count += 1
        return count / (perf_counter() - start)


def find_person(video: Path, frames: int) -> list[tuple[Float[np.ndarray, "17 2"], Float[np.ndarray, " 17"]]]:
    """The joints and scores of the first person in each frame, by MoveNet on the CPU."""
    detector, found, box = MoveNet("cpu"), [], None
    for frame in islice(VideoReader(video), frames):
        if box is None:
            people = detector.search(frame.image, Search())
            if not len(people):
                raise InputError(f"{video}: nobody is in the first frame; take another video")
            box = people.boxes[:1]
        seen = detector.look(frame.image, box, np.zeros(1), quick=True)
        box = seen.boxes
        found.append((seen.keypoints[0], seen.scores[0]))
    return found


def write_half(path: Path, folder: Path) -> Path:
    """The model in float16, with its inputs and outputs as they are."""
    # onnxruntime itself was imported with its telemetry off.
    convert = importlib.import_module("onnxruntime.transformers.float16").convert_float_to_float16
    half = folder / f"{path.stem}_half.onnx"
    onnx.save(convert(onnx.load(path), keep_io_types=True, disable_shape_infer=True), half)
    return half


def profile_row(path: Path, size: int, batch: int, device: str) -> list[str]:
    """The cells of a model's profile with crops of one batch size."""
    with tempfile.TemporaryDirectory() as name:
        settings = onnxruntime.SessionOptions()
        settings.enable_profiling, settings.profile_file_prefix = True, f"{name}/profile"
        settings.log_severity_level, settings.intra_op_num_threads = 4, core_limit()
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
        opened = open_session(path, device)  # loads CUDA's libraries, or says why not
        session = onnxruntime.InferenceSession(
            str(path), settings, providers=opened.get_providers(), provider_options=_provider_options(opened)
        )
        given = session.get_inputs()[0].name
        crops = np.random.default_rng(0).integers(0, 256, (batch, size, size, 3)).astype(np.int32)
        start = perf_counter()
        session.run(None, {given: crops})
        first, start = perf_counter() - start, perf_counter()
        for _ in range(_RUNS):
            session.run(None, {given: crops})
        each = (perf_counter() - start) / _RUNS
        events = json.loads(Path(session.end_profiling()).read_text())
    spent: defaultdict[tuple[str, str], float] = defaultdict(float)
    counts: Counter[str] = Counter()
    for event in events:
        about = event.get("args", {})
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            where = about.get("provider", "").removesuffix("ExecutionProvider")
            spent[about.get("op_name", "?"), where] += event["dur"] / 1e6 / (_RUNS + 1)
            counts[where] += 1
            counts["copies"] += about.get("op_name", "").startswith("Memcpy")
    most = sorted(spent.items(), key=lambda each: -each[1])[:_OPERATIONS]
    told = ", ".join(f"{kind} ({where}) {1000 * seconds:.1f}" for (kind, where), seconds in most)
    nodes = ", ".join(f"{where} {count // (_RUNS + 1)}" for where, count in counts.items() if where != "copies")
    copies = str(counts["copies"] // (_RUNS + 1))
    return [f"{path.stem}, {batch} crops", f"{1000 * first:.0f}", f"{1000 * each:.1f}", told, nodes, copies]


def _provider_options(session: onnxruntime.InferenceSession) -> list[dict[str, str]]:
    """The options of a session's providers, in their order."""
    options = session.get_provider_options()
    return [options[name] for name in session.get_providers()]


class AheadReader:
    """Frames that a thread decodes before they are needed. Iterate once."""

    def __init__(self, video: Path, frames: int) -> None:
        self._queue: queue.Queue[UInt8[np.ndarray, "h w 3"] | None] = queue.Queue(_LEADING)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._read, args=(video, frames), daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[UInt8[np.ndarray, "h w 3"]]:
        while (picture := self._queue.get()) is not None:
            yield picture

    def close(self) -> None:
        """Ends the thread."""
        self._closed.set()
        while self._thread.is_alive():
            if not self._queue.empty():
                self._queue.get_nowait()
            self._thread.join(0.01)

    def _read(self, video: Path, frames: int) -> None:
        for frame in islice(VideoReader(video), frames):
            if self._closed.is_set():
                break
            self._queue.put(frame.image)
        self._queue.put(None)


@dataclass
class PathRun:
    """What a run of the path gave.

    Attributes:
        joints: of each frame, pixels.
        seconds: in all, without the first batch.
        stages: seconds that the path waited for decoding, cropping and the model.
        counted: frames within `seconds`.
    """

    joints: list[np.ndarray]
    seconds: float
    stages: dict[str, float]
    counted: int


def run_path(
    video: Path, looks: Sequence[Look], model: Model, path: Path, device: str, batch: int, limit: float
) -> PathRun:
    """Decodes ahead, crops, runs batches of a fixed size, and reads joints.

    Args:
        video: the file.
        looks: where to look in each frame.
        model: of crops.
        path: its file, or that of its half.
        device: as in `open_session`.
        batch: crops in one run; the last ones are filled up with blank ones.
        limit: seconds at most.
    """
    session, frames = open_session(path, device), AheadReader(video, len(looks))
    name, pictures = session.get_inputs()[0].name, iter(frames)
    joints, watch, begun, counted = list[np.ndarray](), Stopwatch(), perf_counter(), 0
    try:
        for start in range(0, len(looks), batch):
            where = looks[start : start + batch]
            with watch.time("decode"):
                some = list(islice(pictures, len(where)))
            if not some:
                break
            with watch.time("crop"):
                crops = list(pool().map(partial(_cut, size=model.size), some, where[: len(some)]))
                blank = [np.zeros_like(crops[0].image)] * (batch - len(crops))
                block = np.stack([*(crop.image for crop in crops), *blank]).astype(np.int32)
            with watch.time("model"):
                found = session.run(None, {name: block})[0].astype(np.float64)
            with watch.time("read"):
                joints += [model.read(found[row], crop, some[0].shape) for row, crop in enumerate(crops)]
            if start == 0 and len(looks) > batch:  # the first batch prepares
                begun, watch = perf_counter(), Stopwatch()
            else:
                counted += len(some)
            if perf_counter() - begun > limit:
                break
        return PathRun(joints, perf_counter() - begun, dict(watch.seconds), counted)
    finally:
        frames.close()


def _cut(picture: UInt8[np.ndarray, "h w 3"], look: Look, size: int) -> Crop:
    """The crop of a look."""
    return Crop.square(picture, look.box, size, 1.0, look.angle)


def path_rows(
    video: Path, people: Sequence[tuple[np.ndarray, np.ndarray]], name: str, options: argparse.Namespace
) -> Iterator[list[str]]:
    """The cells of the CPU's path and of the device's, in both precisions."""
    model = open_model(name)
    looks = [model.look(*person) for person in people]
    alone = run_path(video, looks, model, model.path, "cpu", 1, options.seconds)
    ways: list[tuple[str, Callable[[], Path], str, int]] = [
        ("CPU, batches", lambda: model.path, "cpu", options.batch),
        (f"{options.device}, float32", lambda: model.path, options.device, options.batch),
        (
            f"{options.device}, float16",
            lambda: write_half(model.path, Path(options.folder)),
            options.device,
            options.batch,
        ),
    ]
    yield [f"{name}, CPU, one by one", *_told(alone, alone), "1.00"]
    for label, made, device, batch in ways:
        try:
            done = run_path(video, looks, model, made(), device, batch, options.seconds)
        except Exception as error:  # of the conversion and of onnxruntime, without a common base
            yield [f"{name}, {label}", f"not possible: {reason(error)}", "", "", "", ""]
            continue
        ratio = done.counted / done.seconds / (alone.counted / alone.seconds)
        yield [f"{name}, {label}", *_told(done, alone), f"{ratio:.2f}"]


def _told(run: PathRun, reference: PathRun) -> list[str]:
    """Frames a second, milliseconds a frame by stage, and how far joints are from those of a reference."""
    both = min(len(run.joints), len(reference.joints))
    apart = np.linalg.norm(np.array(run.joints[:both]) - np.array(reference.joints[:both]), axis=-1)
    stages = ", ".join(f"{name} {1000 * spent / max(run.counted, 1):.1f}" for name, spent in run.stages.items())
    far = [f"{np.nanmedian(apart):.3f}", f"{np.nanquantile(apart, 0.99):.2f}"]
    return [f"{run.counted / run.seconds:,.0f}", stages, *far]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = command_line(__doc__)
    parser.add_argument("video", type=Path, nargs="?", help="default: the demo clip in 1920 x 1080")
    parser.add_argument("--device", default="auto", help="cpu, cuda or cuda:N; default: a GPU if there is one")
    parser.add_argument("--frames", type=int, default=240, help="most frames; default 240")
    parser.add_argument("--batch", type=int, default=32, help="crops at once; default 32")
    parser.add_argument("--seconds", type=float, default=20.0, help="longest measurement of a path; default 20")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS), help="default: all")
    options = parser.parse_args(arguments)
    with errors_shown(parser), tempfile.TemporaryDirectory() as options.folder:
        options.device = options.device if options.device != "auto" else "cuda" if wants_cuda("auto") else "cpu"
        open_session(open_model(options.models[0]).path, options.device)  # says what is missing before the long work
        video = options.video or enlarged_demo(Path(options.folder))
        about = f"{options.device}, onnxruntime {onnxruntime.__version__}, {core_limit() or os.cpu_count()} cores"
        print_table(["decoding", "frames a second"], decode_rows(video, options.frames), about)
        people = find_person(video, options.frames)
        rows = (
            profile_row(open_model(each).path, open_model(each).size, batch, options.device)
            for each in options.models
            for batch in (1, options.batch)
        )
        heads = ["profile", "first run, ms", "a run, ms", "most time, ms a run", "nodes", "copies"]
        print_table(heads, rows, about)
        heads = ["path", "frames a second", "ms a frame", "joints off, px: median", "99 %", "times the CPU's"]
        print_table(heads, (row for each in options.models for row in path_rows(video, people, each, options)), about)


if __name__ == "__main__":
    main()
