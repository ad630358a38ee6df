"""Writes the site's editor and a result as one HTML file.

The file needs no network and no server.
"""

import base64
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from poselift.core.errors import InputError
from poselift.core.files import write_text
from poselift.viz.page.page_video import write_small_video
from poselift.viz.site.site_writer import write_site

_LEFT_OUT = (".mp4", ".LICENSE.txt", ".html", ".css", "app.js", "sw.js")
"""Endings of files of a site that are in the page in another form, or that nobody reads there."""


def write_editor(
    path: str | os.PathLike[str],
    result: Mapping[str, Any],
    video: str | os.PathLike[str],
    runtime: Path | None = None,
    offline: bool = False,
) -> None:
    """Writes a page that corrects the keypoints of a result by hand.

    Args:
        path: the .html file to write.
        result: what the page reads as edit.json.
        video: of the result.
        runtime: folder `dist` of onnxruntime-web; downloaded if None.
        offline: download nothing; onnxruntime-web is in the cache.

    Raises:
        InputError: the video is too long for one file or cannot be read, onnxruntime-web or weights are missing, or the
            file cannot be written.
    """
    with tempfile.TemporaryDirectory() as name:
        small = Path(name) / "small.mp4"
        # The end is exclusive, and a time stamp is rounded.
        clip = write_small_video(video, small, max(0.0, result["times"][0] - 1e-3), result["times"][-1] + 1e-3)
        if not clip.inside:
            raise InputError(f"{video} is too long for one page; correct it with `poselift edit`")
        site = write_site(Path(name) / "site", runtime, offline)
        about = json.loads((site / "site.json").read_text("utf-8"))
        kept = {
            name: (site / name).read_bytes()
            for name in about["files"]
            if not name.endswith(_LEFT_OUT)
            and not name.startswith(("movenet", "pose_landmark", "hand_landmark", "ort.webgpu"))
            and "asyncify" not in name
        }
        about["files"] = {name: len(content) for name, content in kept.items()}
        kept["site.json"] = json.dumps(about).encode()
        kept["edit.json"] = json.dumps({**result, "start": float(clip.times[0])}).encode()
        kept["edit.video"] = small.read_bytes()
        write_text(Path(path), _html(site, kept))


def _html(site: Path, kept: Mapping[str, bytes]) -> str:
    """A site's page with style, script and other files inside."""
    page, style, script = ((site / name).read_text("utf-8") for name in ("index.html", "app.css", "app.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src 'sha256-{digest}' 'wasm-unsafe-eval' blob:",  # the worker and onnxruntime-web
            "worker-src blob:",
            "style-src 'unsafe-inline'",
            "img-src data:",
            "media-src blob:",
        )
    )
    holders = "".join(
        f'<script type="text/plain" data-file="{name}">{base64.b64encode(content).decode()}</script>\n'
        for name, content in kept.items()
    )
    for old, new in (
        (page.partition('Policy" content="')[2].partition('"')[0], policy),
        ('<link rel="stylesheet" href="app.css">', f"<style>{style}</style>"),
        ('<script type="module" src="app.js"></script>', f'{holders}<script type="module">{script}</script>'),
    ):
        assert page.count(old) == 1, old
        page = page.replace(old, new)
    return page
