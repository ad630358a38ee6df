"""Readers of tests/core/test_apart.py, which another process imports."""

import os
import signal

import numpy as np


def values(path, most, *shape):
    cells = np.empty((2, 1), object)
    cells[:, 0] = [np.arange(6.0).reshape(2, 3).T, np.array(["left", "right_hip"])]
    return {"cells": cells, "empty": np.empty((0, 3)), "big": np.ones(shape, ">i2"), "list": [1, None, ("a", 2.5)]}


def crash(path, most):
    os.kill(os.getpid(), signal.SIGSEGV)


def loop(path, most):
    while True:
        pass


def allocate(path, most, size):
    return len(bytearray(size))


def fail(path, most):
    raise KeyError("no such thing in " + os.path.basename(path))


def return_something(path, most, what):
    return {"object": object(), "struct": np.zeros(2, [("a", "f8")]), "much": np.zeros(10**6), "U": _bad_text()}[what]


def _bad_text():
    return np.array([0x7F7F7F7F], np.uint32).view("U1")


def pid(path, most):
    print("libraries may print")
    return os.getpid()
