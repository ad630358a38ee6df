"""`poselift stream`: 3D poses of people while they move."""

import argparse
import contextlib
import math
import queue
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poselift.cli.camera import add_camera_options
from poselift.cli.detector import add_detector_options, add_quality_option, make_detector_request
from poselift.cli.live_outputs import LiveOutputs, OutputRequest
from poselift.cli.request_fields import make_request
from poselift.cli.values import full_text, number_where
from poselift.cli.weights import add_lifter_option
from poselift.core.device import DEVICE_HELP
from poselift.export.json_lines import header_line
from poselift.lifting.live.live_people import Latencies
from poselift.lifting.live.live_stream import LiveStream, StreamRequest
from poselift.lifting.live.streaming import StreamingPeople
from poselift.lifting.request import DEFAULT_LIVE_LIFTER, QUICK_DETECTOR
from poselift.skeleton.hand import HAND21
from poselift.structures import LiveFrame
from poselift.video import Captured
from poselift.viz.window import check_display

_WAIT = 0.1
"""Seconds to wait for a frame before the window is handled, or the end is noticed."""
_MOST_LOOKAHEAD = 10


def add_command(commands: Any) -> None:
    """Adds `stream` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "stream",
        description="Detects, tracks and lifts the people of a camera, a video file at its own pace, or a URL. Shows "
        "the picture with 2D beside the 3D in a window, or writes JSON lines. Drops frames if it cannot keep up, so "
        "that the lag does not grow. Ctrl-C ends it.",
    )
    parser.add_argument(
        "source",
        type=full_text,
        nargs="?",
        default="0",
        metavar="0|FILE|URL",
        help="number of a camera, a video file, or a URL such as rtsp://HOST/PATH (default: camera 0)",
    )
    positive = number_where(lambda value: 0 < value < math.inf, "not a time; give seconds above 0")
    parser.add_argument("--duration", type=positive, metavar="S", help="end after this time, seconds")
    outputs = parser.add_argument_group("outputs")
    outputs.add_argument("--no-window", action="store_true", help="no window; JSON lines on stdout, unless --out")
    outputs.add_argument("--out", type=_lines_file, metavar="FILE.jsonl", help="write JSON lines to this file")
    outputs.add_argument(
        "--osc", type=_address, metavar="[HOST:]PORT", help="send OSC messages over UDP (default host: this computer)"
    )
    outputs.add_argument(
        "--websocket",
        type=_address,
        metavar="[HOST:]PORT",
        help="serve the JSON lines to WebSocket clients (default host: this computer only)",
    )
    add_camera_options(parser)
    how = parser.add_argument_group("how")
    add_lifter_option(how, DEFAULT_LIVE_LIFTER)
    add_quality_option(how)
    how.add_argument(
        "--lookahead",
        type=int,
        choices=range(_MOST_LOOKAHEAD + 1),
        default=0,
        metavar="N",
        help=f"detections that a pose waits for, 0 to {_MOST_LOOKAHEAD}: later, but steadier (default: %(default)s)",
    )
    how.add_argument(
        "--world",
        action="store_true",
        help="poses in the world frame, Y up from the ground, after the first seconds; needs a still camera",
    )
    how.add_argument(
        "--tilt",
        type=float,
        metavar="DEG",
        help="how far the camera looks down, for --world, as `lift` takes it (default: found from people)",
    )
    how.add_argument(
        "--hands",
        action="store_true",
        help="look at hands too, one hand a frame in turn: 21 joints of each that can be seen",
    )
    how.add_argument("--device", default="auto", help=DEVICE_HELP)
    add_detector_options(parser, QUICK_DETECTOR)
    parser.set_defaults(run=run)


@dataclass(frozen=True)
class StreamCommand:
    """A stream, where its poses go, and when it ends.

    Attributes:
        stream: what to stream.
        outputs: where the poses go.
        duration: seconds until the end; until the source ends if None.
    """

    stream: StreamRequest
    outputs: OutputRequest
    duration: float | None = None


def run(arguments: argparse.Namespace) -> None:
    """Streams as a command line asks.

    Raises:
        InputError: as of `stream`.
    """
    outputs = OutputRequest(not arguments.no_window, arguments.out, arguments.osc, arguments.websocket)
    wanted = make_request(StreamRequest, arguments, detector=make_detector_request(arguments, QUICK_DETECTOR))
    stream(StreamCommand(wanted, outputs, arguments.duration))


def stream(request: StreamCommand) -> None:
    """Streams until the source, the window, the time or Ctrl-C ends it.

    Raises:
        InputError: something that was given cannot be used, or the source cannot be opened.
        KeyboardInterrupt: of Ctrl-C, after the summary.
    """
    if request.outputs.window:
        check_display()
    live, wanted = LiveStream(request.stream, _notice), request.stream
    name, capture, camera = live.name, live.capture, live.camera
    header = header_line(
        source=name if "://" in name else Path(name).name,
        image_size=list(capture.image_size),
        intrinsics=camera.K[[0, 1, 0, 1], [0, 1, 2, 2]].tolist(),
        camera=camera.origin,
        weights=live.weights.name,
        detector=live.detector.name,
        quality=wanted.quality,
        lookahead=wanted.lookahead,
        frame="world" if wanted.world else "camera",
        skeleton=live.lifter.skeleton.name,
        joints=list(live.lifter.skeleton.joints),
        parents=list(live.lifter.skeleton.parents),
        **({"hand_joints": list(HAND21.joints)} if wanted.hands else {}),
    )
    latencies, interrupted = Latencies(), False
    with contextlib.ExitStack() as stack:
        outputs = stack.enter_context(
            LiveOutputs(request.outputs, header, capture.image_size, live.detector, live.lifter)
        )
        stack.enter_context(live)
        width, height = capture.image_size
        _notice(f"{name}, {width} x {height} pixels; {outputs.ending} ends")
        try:
            _stream(live, outputs, latencies, request.duration)
        except KeyboardInterrupt:
            interrupted = True
            outputs.keep_earlier()
    lost = f"; {outputs.lost} lines lost by a slow reader" if outputs.lost else ""
    _notice(
        f"{capture.seen} frames: {len(latencies)} processed, {capture.dropped} dropped; "
        f"latency {latencies.percentile(0.5)} ms (median), {latencies.percentile(0.99)} ms (99 %){lost}"
    )
    if interrupted:
        raise KeyboardInterrupt


def _stream(live: LiveStream, outputs: LiveOutputs, latencies: Latencies, duration: float | None) -> None:
    """Processes frames until the end. The next frame is processed while the window draws the last one."""
    capture, people = live.capture, live.people
    told: set[tuple[int, str]] = set()
    end = time.monotonic() + (math.inf if duration is None else duration)
    processed: queue.Queue[tuple[Captured, LiveFrame, set[tuple[int, str]]] | None] = queue.Queue(maxsize=1)
    closed = threading.Event()

    def process() -> None:
        try:
            while not (closed.is_set() or capture.ended or time.monotonic() >= end):
                captured = capture.newest(_WAIT)
                if captured is not None:
                    processed.put((captured, people.process(captured), list_exchanged(live.lifter)))
        finally:
            processed.put(None)

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="processing") as thread:
        work = thread.submit(process)
        try:
            while outputs.open:
                try:
                    done = processed.get(timeout=_WAIT)
                except queue.Empty:
                    outputs.poll()
                    continue
                if done is None:
                    break
                captured, frame, exchanged = done
                outputs.send(frame, captured.frame.image)
                latencies.add(time.monotonic() - captured.arrived)
                told |= _tell_exchanged(exchanged - told, captured.frame.timestamp)
        finally:
            closed.set()
            while not work.done():  # it may wait for a place in the queue
                with contextlib.suppress(queue.Empty):
                    processed.get(timeout=0.01)
        work.result()


def list_exchanged(people: StreamingPeople) -> set[tuple[int, str]]:
    """Numbers and parts of people whose sides were exchanged.

    The part is empty for a whole body. Only the thread that lifts may call it: it goes through sets that grow.

    Args:
        people: who is lifted.
    """
    return {(person, "") for person in people.exchanged} | people.exchanged_parts


def _tell_exchanged(people: set[tuple[int, str]], seconds: float) -> set[tuple[int, str]]:
    """Says whose sides, of which part, were exchanged; gives them back."""
    for person, part in sorted(people):
        whose = f"person {person}'s {part}" if part else f"person {person}"
        _notice(
            f"warning: left and right of {whose} were exchanged before {seconds:.2f} s; streams leave them, "
            "and the uncertainty covers both readings: `poselift lift` puts them back"
        )
    return people


def _notice(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _lines_file(text: str) -> Path:
    # A mistyped name must not overwrite a video.
    if not text.endswith(".jsonl"):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .jsonl; give a file such as poses.jsonl")
    return Path(text)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not (port.isdecimal() and 0 < int(port) < 65536):
        raise argparse.ArgumentTypeError(f"{text!r} is not an address; give PORT or HOST:PORT, PORT from 1 to 65535")
    return host.strip("[]") or "127.0.0.1", int(port)
