"""Peak memory of `poselift lift` for a short and for a long video.

    python -m benchmarks.memory [--repeats 20] [--seconds 3] [--detector movenet-fast]

Takes the first seconds of the demo video once, and repeated to a long video. Lifts each in a process of its own,
rendering included, and prints both peaks of resident memory. The peak should not grow with the video.
"""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.command import command_line
from poselift.samples import demo_video
from poselift.video import VideoReader, VideoWriter

_MEASURE = (
    "import resource, sys; from poselift.cli.main import main; main(sys.argv[1:]);"
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
)


def repeat(video: Path, target: Path, times: int, seconds: float) -> None:
    """Writes the first seconds of a video several times in a row."""
    reader = VideoReader(video, end=seconds)
    offset = 0.0
    with VideoWriter(target, reader.info.width, reader.info.height) as writer:
        for _ in range(times):
            last = before = 0.0
            for frame in reader:
                writer.write(frame.image, offset + frame.timestamp)
                before, last = last, frame.timestamp
            offset += 2 * last - before


def peak(video: Path, detector: str, out: Path) -> int:
    """Peak resident memory of lifting a video, KiB."""
    command = ["lift", str(video), "--out", str(out), "--detector", detector, "--quiet"]
    done = subprocess.run([sys.executable, "-c", _MEASURE, *command], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1])


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the two peaks and their ratio."""
    parser = command_line(__doc__)
    parser.add_argument("--repeats", type=int, default=20, help="of the short video in the long one; default 20")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of the short video; default 3")
    parser.add_argument("--detector", default="movenet-fast", help="default movenet-fast")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        peaks = []
        for times in (1, options.repeats):
            video = folder / f"{times}.mp4"
            repeat(demo_video(), video, times, options.seconds)
            peaks.append(peak(video, options.detector, folder / f"out{times}"))
            print(f"{times} x {options.seconds:g} s: peak {peaks[-1] / 1024:.0f} MiB", flush=True)
    print(f"Ratio: {peaks[1] / peaks[0]:.3f}")


if __name__ == "__main__":
    main()
