"""Errors for users."""

import unicodedata

_ODD = ("Cc", "Cs")
"""Unicode's categories of control characters and of halves of letters, which stand for bytes that are not UTF-8."""


class InputError(ValueError):
    """The user gave something that cannot be used.

    The message says what is wrong, which file or key it concerns and what to do. It takes one line, or several if a
    list or a tree of expected files belongs to it. Commands print it without a traceback and exit with code 2.
    """


def printable(text: str) -> str:
    """The text for a console: control characters and bytes that are not UTF-8 are escaped, except line ends.

    Example:
        >>> printable("clip" + chr(7) + ".mp4") == "clip" + chr(92) + "x07.mp4"
        True
    """
    return "".join(
        letter.encode("unicode_escape").decode() if unicodedata.category(letter) in _ODD and letter != "\n" else letter
        for letter in text
    )


def describe(error: OSError) -> str:
    """One line with the file and the reason that the operating system gave."""
    reason = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {reason}" if error.filename else reason


def why_unreadable(error: Exception) -> str:
    """Why numpy could not read a file; numpy takes everything that is no array for pickled objects."""
    return (
        "it is another kind of file, or contains objects"
        if isinstance(error, ValueError) and "pickle" in str(error)
        else str(error)
    )
