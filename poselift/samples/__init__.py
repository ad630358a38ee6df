"""The demo video of the package, described by README.md beside it."""

from pathlib import Path


def demo_video() -> Path:
    """A video of four seconds with two people. 960 x 540, 30 frames a second, 120 frames."""
    return Path(__file__).with_name("two_people.mp4")
