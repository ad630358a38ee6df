"""Writes the site: page, networks, numbers, skeletons. In one flat folder; how skeletons are drawn."""

import hashlib
import json
import os
import shutil
from importlib.resources import files
from pathlib import Path

from poselift.core.files import atomic_folder, remove_partial_of, sha256
from poselift.core.registry import published
from poselift.samples import demo_video
from poselift.skeleton import SKELETONS
from poselift.skeleton.hand import HANDS
from poselift.viz.body_parts import parts_of
from poselift.viz.colors import PALETTE
from poselift.viz.page.page_content import body_of, lines_of
from poselift.viz.site.web_runtime import write_runtime

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "worker-src 'self' blob:",  # the threads of onnxruntime-web
        "connect-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src data:",
        "media-src blob:",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
"""Nothing leaves the machine: the browser stops every connection but those to the site's own files."""

HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",  # a page of another site embeds neither the page nor the video
}
"""What a server may send with each file. Where it does not, the page's service worker adds it after one visit."""

_DETECTOR = ("movenet_multipose", "movenet_thunder", "blazepose_full")
_HANDS = "hand_landmark"
"""The page loads it when somebody wants hands."""
_DRAWN = ("h36m17", "coco17", "coco_wholebody23")


def write_site(folder: str | os.PathLike[str], runtime: Path | None = None, offline: bool = False) -> Path:
    """Writes a site for any static host.

    Other files in the folder stay.

    Args:
        folder: where to write.
        runtime: folder `dist` of onnxruntime-web; downloaded if None.
        offline: download nothing; onnxruntime-web is in the cache.

    Returns:
        The folder.

    Raises:
        InputError: onnxruntime-web or weights are missing, or a file cannot be written.
    """
    built = Path(str(files(__package__)))
    remove_partial_of(Path(folder))
    with atomic_folder(folder) as place:
        write_runtime(place, runtime, offline)
        lifter = published(json.loads((built / "numbers" / "numbers.json").read_text("utf-8"))["lifter"]["name"]).get()
        detectors = [published(name).get() for name in _DETECTOR]
        networks = [*detectors, published(_HANDS).get(), lifter, lifter.with_suffix(".graph.onnx")]
        numbers = [path for path in (built / "numbers").iterdir() if path.suffix in (".onnx", ".json")]
        texts = [path for path in built.iterdir() if path.suffix in (".html", ".css", ".js", ".txt")]
        for path in [*networks, *numbers, *texts, demo_video(), demo_video().with_suffix(".LICENSE.txt")]:
            shutil.copy(path, place)
        sizes = {path.name: path.stat().st_size for path in sorted(place.iterdir())}
        about = {
            "files": sizes,
            "drawing": _drawing(),
            "detector": {"name": "movenet-blazepose", "weights": {path.name: sha256(path) for path in detectors}},
        }
        digest = hashlib.sha256(json.dumps([_POLICY, about]).encode())
        for name in sizes:
            digest.update((place / name).read_bytes())
        version = f"poselift-{digest.hexdigest()[:16]}"
        for name in ("index.html", "sw.js"):
            text = (place / name).read_text("utf-8").replace("$policy", _POLICY).replace("$version", version)
            (place / name).write_text(text, "utf-8")
        (place / "site.json").write_text(json.dumps({"version": version, **about}, separators=(",", ":")), "utf-8")
        (place / ".nojekyll").touch()  # GitHub's pages then leave the files as they are
    return Path(folder)


def _drawing() -> dict[str, object]:
    """How people are drawn: colours, lines and solid parts. Each skeleton has its own lines and parts."""
    skeletons = {
        name: {
            "lines": lines_of(SKELETONS[name]),
            "body": body_of(SKELETONS[name]),
            "sole": parts_of(SKELETONS[name]).sole,
        }
        for name in _DRAWN
    }
    hands = {"names": HANDS.joints, "lines": lines_of(HANDS), "body": body_of(HANDS)}
    return {"colors": PALETTE, "skeletons": skeletons, "hands": hands}
