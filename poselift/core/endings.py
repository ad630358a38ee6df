"""Endings of the names of videos and pictures."""

VIDEO_ENDINGS = (
    ".mp4",
    ".mov",
    ".m4v",
    ".mkv",
    ".webm",
    ".avi",
    ".mpg",
    ".mpeg",
    ".ts",
    ".mts",
    ".m2ts",
    ".wmv",
    ".flv",
)
"""Of the videos that a folder is searched for; case does not count."""

PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff")
"""Of pictures that can stand for frames of a video; case does not count."""

HEIF_ENDINGS = (".heic", ".heif", ".avif")
"""Of pictures that only other programs read."""
