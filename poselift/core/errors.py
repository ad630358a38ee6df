"""Errors for users."""


class InputError(ValueError):
    """The user gave something that cannot be used.

    The message says what is wrong, which file or key it concerns and what to do. It takes one line, or several if a
    list or a tree of expected files belongs to it. Commands print it without a traceback and exit with code 2.
    """


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
