"""People as formats write them, and what must come back."""

import json

import numpy as np
import pytest


@pytest.fixture
def body():
    """`body(joints, seed)`: x, y and score of a person's joints, all seen, in a picture of 640 x 480."""

    def make(joints=17, seed=0):
        rng = np.random.default_rng(seed)
        return np.column_stack([rng.uniform([100, 50], [400, 450], (joints, 2)), rng.uniform(0.3, 1, joints)]).round(3)

    return make


@pytest.fixture
def write(tmp_path):
    """`write(name, content)`: a file with JSON, or text as it is; its path."""

    def to(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return to
