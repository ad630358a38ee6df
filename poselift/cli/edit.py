"""`poselift edit`: corrects a result's keypoints by hand in the browser."""

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from poselift.cli.editable import read_result_for_page
from poselift.cli.values import local_path
from poselift.cli.web import add_site_options, serve_site
from poselift.recordings.reading import find_video
from poselift.viz.site import write_site


def add_command(commands: Any) -> None:
    """Adds `edit` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "edit",
        description="Opens a result of `poselift lift` in the page of `poselift web`, which lists the frames to look "
        "at first. Drag, hide or swap keypoints; the motion follows at once. The page saves a zip; unpack it, and "
        "`poselift lift --keypoints` reads the folder.",
    )
    parser.add_argument("results", type=local_path, metavar="DIR", help="folder that `poselift lift` wrote")
    parser.add_argument("--video", type=local_path, metavar="FILE", help="the video, if it is elsewhere by now")
    add_site_options(parser, 0)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Serves the page with the result until Ctrl-C.

    Raises:
        InputError: the folder has no results that the page can take, its video is missing, or the port is taken.
    """
    with tempfile.TemporaryDirectory() as name:
        site = Path(name) / "site"
        about = read_result_for_page(options.results, options.video or find_video(options.results))
        write_site(site, options.ort, options.offline)
        add_result(site, *about)
        serve_site(site, options.port, options.open, "/?edit")


def add_result(site: Path, result: dict[str, Any], video: Path) -> None:
    """Puts a result beside the page."""
    (site / "edit.json").write_text(json.dumps(result), "utf-8")
    try:
        (site / "edit.video").symlink_to(video.resolve())  # a copy of hours of video would fill the disk
    except OSError:  # a system without links
        shutil.copy(video, site / "edit.video")
