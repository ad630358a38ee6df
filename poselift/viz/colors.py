"""Colours of people and body sides, RGB from 0 to 255."""

from dataclasses import dataclass
from functools import cache

Color = tuple[int, int, int]

BACKGROUND: Color = (22, 25, 31)
GRID: Color = (74, 81, 93)
SHADOW: Color = (11, 12, 16)
TEXT: Color = (222, 226, 232)
WHITE: Color = (255, 255, 255)
BLACK: Color = (0, 0, 0)

PALE = 0.5
"""Opacity of what no keypoint shows (`Motion.guessed`), in pictures as on the page."""

# Okabe and Ito's palette for colour-blind viewers (https://jfly.uni-koeln.de/color/). The most distant hues come
# first; the two dark ones are lightened for the dark background.
PALETTE: tuple[Color, ...] = (
    (86, 180, 233),
    (240, 152, 20),
    (20, 190, 140),
    (224, 130, 184),
    (240, 228, 66),
    (232, 100, 40),
    (70, 130, 220),
)


@dataclass(frozen=True)
class PersonColors:
    """One person's colours: the right side darker, the left lighter."""

    middle: Color
    left: Color
    right: Color

    def of_side(self, side: str) -> Color:
        """The colour of "left", "right" or "middle"."""
        return {"left": self.left, "right": self.right}.get(side, self.middle)


@cache
def person_colors(person: int) -> PersonColors:
    """The colours of a person by number; they repeat after seven people."""
    base = PALETTE[(person - 1) % len(PALETTE)]
    return PersonColors(middle=base, left=mix(base, WHITE, 0.55), right=mix(base, BLACK, 0.3))


def mix(color: Color, other: Color, amount: float) -> Color:
    """The mixture of two colours; `amount`, 0 to 1, is the second's."""
    red, green, blue = (round(a + (b - a) * amount) for a, b in zip(color, other, strict=True))
    return red, green, blue
