"""`poselift export` as a process of its own for `test_disturbed.py`."""

import ctypes
import os
import resource

from poselift.cli.main import main


def export(begun, motion, out, log, room=None, powerless=False):
    """Exports in this process, with its output in a file."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    if room is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    if powerless:  # capset(2), version 3 of its header: root cannot write everywhere
        ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)())
    begun.set()
    main(["export", motion, "--to", "trc,mot,bvh,angles,csv", "--out", out])
    os._exit(0)  # a signal after the end of the command is none of its own
