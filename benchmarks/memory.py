"""Whether memory grows with the length of the video.

    python benchmarks/memory.py [--repeats 20] [--seconds 3] [--detector movenet-fast]

Makes a clip of the demo video's first seconds and one that repeats it, lifts each in a process of its own,
rendering and all, and prints both peaks of resident memory.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from poselift.samples import demo_video
from poselift.video import VideoReader, VideoWriter

_MEASURE = (
    "import resource, sys; from poselift.cli.main import main; main(sys.argv[1:]);"
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
)


def repeat(source: Path, target: Path, times: int, seconds: float) -> None:
    """Writes the first seconds of a video several times over."""
    reader = VideoReader(source, end=seconds)
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


def main() -> None:
    """Prints the two peaks and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--detector", default="movenet-fast")
    options = parser.parse_args()
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
