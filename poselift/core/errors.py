"""Errors for users."""

import errno
import unicodedata

_LONGEST = 300
"""Letters of another library's message."""
_WIDEST = 2000
"""Letters of a line on a console: values and names from a damaged file have any length."""
_NO_MEMORY = (
    *("failed to map segment", "cannot allocate memory", "bad_alloc", "bad allocation", "insufficient memory"),
    *("failed to allocate memory", "can't start new thread"),
)
"""What loaders of libraries, PyTorch, onnxruntime and OpenCV say, instead of a MemoryError."""
_ODD = ("Cc", "Cs")
"""Unicode's categories of control characters and of halves of letters, which stand for bytes that are not UTF-8."""


class InputError(ValueError):
    """The user gave something that cannot be used.

    The message says what is wrong, which file or key it concerns and what to do. It takes one line, or several if a
    list or a tree of expected files belongs to it. Commands print it without a traceback and exit with code 2.
    """


class WriteError(InputError):
    """A file cannot be written: disk full or broken, or no permission.

    The inputs are good, so another try may succeed.
    """


def reason(error: BaseException) -> str:
    """What went wrong, in one short line, for errors of other libraries.

    Example:
        >>> reason(RecursionError("...")), reason(ValueError("no"))
        ('it nests too deeply', 'no')
    """
    if isinstance(error, RecursionError):
        return "it nests too deeply"
    if isinstance(error, MemoryError):
        return "it takes more memory than there is"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return shorten(" ".join(str(error).split()) or type(error).__name__)


def lacks_memory(error: BaseException) -> bool:
    """Whether an error, of any library, means too little memory.

    No room for another thread counts too.

    Example:
        >>> lacks_memory(MemoryError()), lacks_memory(RuntimeError("std::bad_alloc")), lacks_memory(ValueError("no"))
        (True, True, False)
    """
    lacking = isinstance(error, OSError) and error.errno in (errno.ENOMEM, errno.EAGAIN)
    return lacking or isinstance(error, MemoryError) or any(words in str(error).lower() for words in _NO_MEMORY)


def first_line(error: BaseException) -> str:
    """The first line of an error's message, or its type without one.

    Example:
        >>> first_line(ValueError("one" + chr(10) + "two")), first_line(KeyError())
        ('one', 'KeyError')
    """
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def shorten(text: str) -> str:
    """The text, cut off after 300 letters.

    Example:
        >>> shorten("abc"), len(shorten("abc" * 200))
        ('abc', 303)
    """
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def make_printable(text: str) -> str:
    """The text for a console.

    Control characters and bytes that are not UTF-8 are escaped, except line ends. Lines of more than 2,000 letters lose
    their middle, because an error's end says what to do.

    Example:
        >>> make_printable("clip" + chr(7) + ".mp4") == "clip" + chr(92) + "x07.mp4", len(make_printable("a" * 100_000))
        (True, 2005)
    """
    return "\n".join(map(_escape_line, text.split("\n")))


def _escape_line(line: str) -> str:
    if len(line) > _WIDEST:
        line = f"{line[: _WIDEST // 2]} ... {line[-_WIDEST // 2 :]}"
    return "".join(
        letter.encode("unicode_escape").decode() if unicodedata.category(letter) in _ODD else letter for letter in line
    )


def describe(error: OSError) -> str:
    """One line with the file and the operating system's reason."""
    return f"{error.filename}: {reason(error)}" if error.filename else reason(error)
