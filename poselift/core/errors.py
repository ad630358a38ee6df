"""Errors that are meant for people."""


class InputError(ValueError):
    """Something that the user gave cannot be used.

    The message says what was wrong, which file or key, and what to do: in one line, or in several where a list or
    the tree of expected files belongs to it. Commands print it without a traceback and leave with exit code 2.
    """


def describe(error: OSError) -> str:
    """What the operating system refused, and for which file, in one line."""
    reason = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {reason}" if error.filename else reason


def why_unreadable(error: Exception) -> str:
    """What is wrong with a file that numpy could not read; what is no array to it, it takes for pickled objects."""
    return (
        "it is another kind of file, or has objects in it"
        if isinstance(error, ValueError) and "pickle" in str(error)
        else str(error)
    )
