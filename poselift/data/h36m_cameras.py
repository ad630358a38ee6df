"""The four cameras of Human3.6M.

The calibration is that of the dataset's metadata.xml, in VideoPose3D's form
(https://github.com/facebookresearch/VideoPose3D, common/h36m_dataset.py), with the nine digits of a float32. All
subjects share the intrinsics; between subjects the cameras moved a little.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.geometry import quaternion_to_matrix
from poselift.geometry.camera import Camera

# name: (width, height), focal lengths, principal point, k1 k2 k3, p
_INTRINSICS = {
    "54138969": (
        (1000, 1002),
        (1145.04944, 1143.78113),
        (512.541504, 515.451477),
        (-0.207098917, 0.247775182, -0.00307515031),
        (-0.000975698873, -0.00142447161),
    ),
    "55011271": (
        (1000, 1000),
        (1149.67566, 1147.59167),
        (508.848633, 508.064911),
        (-0.194213629, 0.24040854, 0.00681997556),
        (-0.00161902665, -0.00274089444),
    ),
    "58860488": (
        (1000, 1000),
        (1149.14075, 1148.79895),
        (519.815857, 501.402649),
        (-0.208338186, 0.255488008, -0.00246049743),
        (0.00148438697, -0.000759999326),
    ),
    "60457274": (
        (1000, 1002),
        (1145.51135, 1144.77393),
        (514.968201, 501.882019),
        (-0.198384091, 0.218323678, -0.00894780736),
        (-0.000587205577, -0.001813362),
    ),
}

# The four cameras of each subject, in the order above: rotation from camera to world as a quaternion (w, x, y, z), and
# position of the camera in the world (Z up) in mm.
_EXTRINSICS = {
    "S1": (
        ((0.140705645, -0.150070176, -0.755240798, 0.622328043), (1841.10706, 4955.28467, 1563.44543)),
        ((0.615718782, -0.764836311, -0.148338258, 0.117947407), (1761.27856, -5078.00684, 1606.26501)),
        ((0.146514729, -0.146478519, 0.76530236, -0.609417558), (-1846.77771, 5215.04639, 1491.97241)),
        ((0.583400846, -0.785316229, 0.145488232, -0.14749594), (-1794.78967, -3722.69897, 1574.8927)),
    ),
    "S5": (
        ((0.146737725, -0.162370965, -0.7551893, 0.617893875), (2097.3916, 4880.94482, 1605.73242)),
        ((0.615975857, -0.762679219, -0.15728192, 0.118981503), (2031.7008, -5167.93311, 1612.9231)),
        ((0.142913714, -0.129078418, 0.767838478, -0.611014307), (-1620.59485, 5171.65869, 1496.43701)),
        ((0.592047989, -0.781421781, 0.127474859, -0.150364175), (-1637.17371, -3867.31738, 1547.03320)),
    ),
    "S6": (
        ((0.133789778, -0.156923965, -0.757109046, 0.619887948), (1935.45178, 4950.24561, 1618.08386)),
        ((0.614719748, -0.762881279, -0.161747679, 0.118192449), (1969.80396, -5128.73877, 1632.77881)),
        ((0.152994812, -0.135291308, 0.764609635, -0.611278117), (-1769.59644, 5185.36133, 1476.9934)),
        ((0.591610134, -0.780477405, 0.128322706, -0.156159386), (-1721.66870, -3884.13135, 1540.48792)),
    ),
    "S7": (
        ((0.143524185, -0.163133681, -0.754832864, 0.618882477), (1974.51294, 4926.35449, 1597.83264)),
        ((0.614167273, -0.763826251, -0.159664556, 0.117792994), (1937.05847, -5119.79004, 1631.56653)),
        ((0.1455006, -0.128748164, 0.76605165, -0.612713933), (-1741.81116, 5208.24951, 1464.82458)),
        ((0.591284811, -0.782176435, 0.124454737, -0.151964873), (-1734.71057, -3832.42139, 1548.58301)),
    ),
    "S8": (
        ((0.141105875, -0.155898675, -0.75619173, 0.619644046), (2150.65186, 4896.16113, 1611.90466)),
        ((0.616960168, -0.764766812, -0.148463503, 0.111581579), (2219.96558, -5148.45312, 1613.04407)),
        ((0.147144407, -0.133771196, 0.767012835, -0.610036969), (-1571.22156, 5137.01855, 1498.17615)),
        ((0.592782438, -0.782587051, 0.121478163, -0.146319956), (-1476.91333, -3896.74121, 1547.97217)),
    ),
    "S9": (
        ((0.155405879, -0.155482158, -0.753209531, 0.61995947), (2044.4585, 4935.11719, 1481.22754)),
        ((0.618784487, -0.763473511, -0.141322389, 0.119339682), (1990.95972, -5123.81055, 1568.80481)),
        ((0.133578271, -0.136710048, 0.768945456, -0.610073864), (-1670.99219, 5211.98584, 1528.38794)),
        ((0.587939918, -0.782340705, 0.142761439, -0.147948697), (-1696.04346, -3827.09985, 1591.41272)),
    ),
    "S11": (
        ((0.152324721, -0.154423207, -0.754756331, 0.619107008), (2098.44019, 4926.55469, 1500.27856)),
        ((0.618944943, -0.760091722, -0.15300633, 0.125525832), (2083.18237, -4912.17285, 1561.07861)),
        ((0.149432287, -0.156502277, 0.768123388, -0.602630436), (-1609.81531, 5177.33594, 1537.89673)),
        ((0.589425147, -0.78188771, 0.139912114, -0.147153616), (-1590.73804, -3854.16895, 1578.01758)),
    ),
}

CAMERAS = tuple(_INTRINSICS)
"""The names of the cameras, in the order of the dataset's files."""


@dataclass(frozen=True, eq=False)
class H36MLens:
    """A lens of Human3.6M.

    Its distortion is the dataset's own model on the plane z = 1, with r² = x² + y², and alike for y:
    x' = x (1 + k1 r² + k2 r⁴ + k3 r⁶ + p · (x, y)) + p_x r².

    Attributes:
        image_size: width and height, pixels.
        focal: horizontal and vertical focal length, pixels.
        centre: principal point, pixels.
        radial: k1, k2, k3.
        tangential: p, horizontal then vertical.
    """

    image_size: tuple[int, int]
    focal: Float[Tensor, " 2"]
    centre: Float[Tensor, " 2"]
    radial: Float[Tensor, " 3"]
    tangential: Float[Tensor, " 2"]

    def project(self, points: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 2"]:
        """Pixels of points in the camera frame, with Human3.6M's own distortion."""
        plane = points[..., :2] / points[..., 2:]
        r2 = plane.square().sum(-1, keepdim=True)
        k1, k2, k3 = self.radial
        factor = 1 + r2 * (k1 + r2 * (k2 + r2 * k3)) + (plane * self.tangential).sum(-1, keepdim=True)
        return self.focal * (plane * factor + self.tangential * r2) + self.centre

    def camera(self, name: str) -> Camera:
        """A camera with OpenCV's closest model of the lens.

        k1, k2, p1, p2, k3. It is within 0.4 pixels in the corners of the picture. OpenCV has 2xy and r² + 2x² where
        Human3.6M has xy and r² + x², so that no p fits both; three quarters of Human3.6M's p is a compromise.
        """
        K = torch.eye(3, dtype=torch.float64)
        K[[0, 1], [0, 1]] = self.focal
        K[:2, 2] = self.centre
        k1, k2, k3 = self.radial
        across, down = 0.75 * self.tangential
        return Camera(K.numpy(), self.image_size, distortion=torch.stack((k1, k2, down, across, k3)).numpy(), name=name)


def h36m_lens(name: str) -> H36MLens:
    """The lens of one of the four cameras.

    Args:
        name: one of `CAMERAS`.

    Raises:
        InputError: the camera is unknown; the message lists the known ones.
    """
    if name not in _INTRINSICS:
        raise InputError(f"Human3.6M has no camera {name!r}; it has {', '.join(CAMERAS)}")
    image_size, *values = _INTRINSICS[name]
    return H36MLens(image_size, *(torch.tensor(each, dtype=torch.float64) for each in values))


@cache
def h36m_camera(subject: str, name: str) -> Camera:
    """One of the four cameras, as for a subject; Z is up.

    Args:
        subject: "S1", "S5", "S6", "S7", "S8", "S9" or "S11".
        name: one of `CAMERAS`.

    Raises:
        InputError: the subject or camera is unknown; the message lists the known ones.
    """
    if subject not in _EXTRINSICS:
        raise InputError(f"Human3.6M has no subject {subject!r} with 3D; it has {', '.join(_EXTRINSICS)}")
    camera = h36m_lens(name).camera(name)
    rotation, place = _EXTRINSICS[subject][CAMERAS.index(name)]
    R = quaternion_to_matrix(torch.tensor(rotation, dtype=torch.float64))
    return camera.with_pose(R.numpy(), np.array(place) / 1000)
