"""The page bends the 3D onto the picture of a wide lens as Python does."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from poselift.geometry import project
from tests.web.page_corrections import WEB

BENT = """
import { lensOf } from "./src/viewer/places.js";
const { lens, plane } = JSON.parse(process.argv[1]), bend = lensOf(lens);
console.log(JSON.stringify(plane.map(([x, y]) => bend ? bend(x, y) : [x, y])));
"""


@pytest.mark.parametrize(
    "lens", [{"distortion": [-0.3, 0.1, 0.003, -0.002, 0.01]}, {"fisheye": [0.05, -0.02, 0.003, -0.001]}, {}]
)
def test_points_lie_where_the_lens_shows_them(lens):
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    plane = [[0.0, 0.0], [0.4, -0.2], [-0.7, 0.6], [0.01, 0.9]]
    request = json.dumps({"lens": lens, "plane": plane})
    command = ["node", "--input-type=module", "-e", BENT, request]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    points = np.column_stack([plane, np.ones(len(plane))])
    numbers = [np.array(values) for values in lens.values()]
    np.testing.assert_allclose(json.loads(done.stdout), project(points, np.eye(3), *numbers), atol=1e-12)
