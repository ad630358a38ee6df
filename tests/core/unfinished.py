"""A publication that a killed process has not brought to its end, for tests of readers."""

import json

from poselift.core.publishing import COMMITTED


def leave_unfinished(folder, last, moved=()):
    """Brings the files of a folder to where SIGKILL leaves them after the publication.

    Args:
        folder: of the files.
        last: the file that moves last.
        moved: those that are in their places already.
    """
    (folder / COMMITTED).mkdir()
    for path in list(folder.iterdir()):
        if path.is_file() and path.name not in moved:
            path.rename(folder / COMMITTED / path.name)
    (folder / COMMITTED / ".poselift_plan.json").write_text(json.dumps({"last": last, "stale": []}))
