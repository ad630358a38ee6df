"""Warnings as values, for people and for programs."""

from typing import Literal

Kind = Literal[
    "input",  # the file is damaged, cut off or odd
    "clock",  # time stamps jump, or the rate is odd
    "missing",  # nobody was found, or somebody is seen rarely
    "confusion",  # two people may be mistaken for each other
    "person",  # somebody was not lifted, or the body is implausible
    "camera",  # the camera moves, or its lens does not fit
    "ground",  # up or the ground is a guess
    "filter",  # a motion could not be filtered
    "file",  # a file could not be written, or has less in it than the motion
]
"""What a caution is about; programs decide by it, people read the text."""


class Caution(str):
    """One line for people, with a kind for programs.

    Attributes:
        kind: what it is about.
        person: number of the person; None if it is not about one.

    Example:
        >>> caution = Caution("no feet were seen", "ground")
        >>> print(caution, caution.kind)
        no feet were seen ground
    """

    kind: Kind
    person: int | None

    def __new__(cls, text: str, kind: Kind, person: int | None = None) -> "Caution":
        """The line with its kind."""
        caution = super().__new__(cls, text)
        caution.kind, caution.person = kind, person
        return caution

    def __getnewargs__(self) -> tuple[str, Kind, int | None]:  # type: ignore[override]
        """So that processes can send it to each other."""
        return str(self), self.kind, self.person
