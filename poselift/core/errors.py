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
