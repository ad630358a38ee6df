"""A batch's run: videos done, left and failed, and their tables."""

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from poselift.cli.batch.batch_tables import make_clip_row, write_tables
from poselift.cli.batch.video_task import Outcome, Task, join_lines
from poselift.core.files import check_writable
from poselift.core.locks import hold_lock
from poselift.core.progress_text import MinuteLines, Output
from poselift.core.storage import file_system, is_local, read_objects, remove_file, write_file
from poselift.recordings.batch_folders import remove_leftovers
from poselift.recordings.names import RECORD, SUMMARY

_TRIES = 3
"""Tries of a video where another one may succeed."""
_FAILED = ".failed"
"""Name of the folder with a JSON file for each video that failed."""

Lift = Callable[[Sequence[Task]], Iterator[Outcome]]
"""Lifts videos in processes: the outcomes, in the order in which they are ready."""


class BatchRun:
    """A batch in its folder.

    No other run of the same shard uses it meanwhile.

    Args:
        out: path or URL of the folder.
        shard: part of the names of the tables.
        tasks: all videos of the batch or shard.
        output: for progress and failures.

    Raises:
        InputError: another run uses the folder, or it is not writable.
        ConnectionError: it is in an object store that does not take files.
    """

    def __init__(self, out: str, shard: str, tasks: Sequence[Task], output: Output) -> None:
        self._out, self._shard, self._tasks, self._output = out, shard, tasks, output
        self._resources = contextlib.ExitStack()

    def __enter__(self) -> "BatchRun":
        files, root = file_system(self._out)
        if is_local(files):
            check_writable(root)
            Path(root).mkdir(parents=True, exist_ok=True)
            busy = f"another run is writing to {self._out}; wait for its end, or choose another --out"
            self._resources.enter_context(hold_lock(Path(root) / f".batch{self._shard}.lock", busy))
        else:  # hours of work end here, so try at once whether they may
            trial = f"{self._out}/.batch{self._shard}.trial"
            write_file(trial, b"")
            remove_file(trial)
        return self

    def __exit__(self, *error: object) -> None:
        self._resources.close()

    def list_waiting(self, retry: bool) -> list[Task]:
        """The tasks that are not done.

        Args:
            retry: those too that failed for a reason that stays.
        """
        lifted, failed = self._read_records()
        remove_leftovers(self._out, lifted)
        kept = {} if retry else {folder for folder, record in failed.items() if record["lasting"]}
        return [task for task in self._tasks if task.video.folder not in lifted and task.video.folder not in kept]

    def lift(self, tasks: Sequence[Task], lift: Lift) -> None:
        """Lifts videos; shows the progress and the time left.

        Args:
            tasks: of the videos.
            lift: of an engine.

        Raises:
            InputError: the engine cannot load the models.
        """
        done = len(self._tasks) - len(tasks)
        if done:
            self._output.print(f"{done} of {len(self._tasks)} videos were done before")
        look = "{desc} {bar:40} {n_fmt}/{total_fmt}{postfix} {elapsed} left: {remaining}"
        with self._output.open_bar("Lifting videos", len(tasks), look) as bar:
            lines, failures = MinuteLines(self._output), 0
            for done, (task, outcome, tries) in enumerate(_try_all(tasks, lift), 1):
                record = f"{self._out}/{_FAILED}/{task.video.folder}.json"
                if outcome.reason is None:
                    remove_file(record)
                else:
                    failures += 1
                    facts = {"reason": outcome.reason, "tries": tries, "lasting": outcome.lasting}
                    write_file(record, json.dumps({**task.record, **facts}, indent=2).encode())
                    self._output.print(join_lines(f"failed: {task.video.name}: {outcome.reason}"))
                    bar.set_postfix_str(f"{failures} failed", refresh=False)
                bar.update()
                lines.report("Lifting videos", done / len(tasks))

    def write_tables(self) -> tuple[int, int, int]:
        """Writes the tables; returns how many videos are lifted, empty, failed.

        Empty ones are lifted, but show nobody.
        """
        lifted, failed = self._read_records()
        paths = {f"{folder}/{SUMMARY}": folder for folder in lifted}
        summaries = {paths[path]: found for path, found in read_objects(self._out, list(paths)).items()}
        clips, people = [], []
        for task in self._tasks:
            video, folder = task.video.name, task.video.folder
            summary: dict[str, Any] = {}
            if folder in lifted:
                summary = summaries.get(folder, {})
                status, more = "lifted", {"sha256": lifted[folder]["sha256"], "tries": None}
            elif folder in failed:
                status, more = "failed", {key: failed[folder][key] for key in ("reason", "tries")}
            else:
                status, more = "waiting", {}
            clips.append(make_clip_row(video, folder, status, more, summary))
            people += [{"video": video, "folder": folder, **person} for person in summary.get("people", [])]
        write_tables(self._out, self._shard, clips, people)
        return len(lifted), sum(not summary.get("people") for summary in summaries.values()), len(failed)

    def _read_records(self) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Records of the videos lifted and failed with these settings."""
        lifted = self._read_current({f"{task.video.folder}/{RECORD}": task for task in self._tasks})
        failed = self._read_current({f"{_FAILED}/{task.video.folder}.json": task for task in self._tasks})
        return lifted, {folder: record for folder, record in failed.items() if folder not in lifted}

    def _read_current(self, paths: dict[str, Task]) -> dict[str, dict[str, Any]]:
        """The records that belong to their task, by the video's folder."""
        records = {}
        for path, record in read_objects(self._out, list(paths)).items():
            task = paths[path]
            if all(record.get(key) == value for key, value in task.record.items()):
                records[task.video.folder] = record
        return records


def _try_all(tasks: Sequence[Task], lift: Lift) -> Iterator[tuple[Task, Outcome, int]]:
    """Each task's last outcome and number of tries. Tasks are tried again after all others."""
    by_folder = {task.video.folder: task for task in tasks}
    tries: Counter[str] = Counter()
    while tasks:
        again = []
        for outcome in lift(tasks):
            task = by_folder[outcome.folder]
            tries[outcome.folder] += 1
            if outcome.again and tries[outcome.folder] < _TRIES:
                again.append(task)
            else:
                yield task, outcome, tries[outcome.folder]
        tasks = again
