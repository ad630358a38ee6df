"""The demo video that comes with the package; README.md beside it says where it is from."""

from pathlib import Path


def demo_video() -> Path:
    """A video of four seconds in which two people move: 960 x 540, 30 frames a second, 120 frames."""
    return Path(__file__).with_name("two_people.mp4")
