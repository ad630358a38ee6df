"""A pose prior after the lifter: does it help along the ray?

    python -m benchmarks.pose_prior --corpus cmu50.npz --bench bench_val.npz --data mhad_s02.npz

Takes limb joints of the lifted motion in the body's frame (hips and shoulders), finds the poses of the training corpus
that are nearest when errors along the ray count less, and takes the mean of the posterior of their Gaussian under the
lifter's errors. `k` 0 is one Gaussian of all poses. Prints MPJPE and P-MPJPE of limbs, mm.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from scipy.ndimage import gaussian_filter1d
from torch import Tensor

from benchmarks.command import command_line, table_head, table_row
from benchmarks.real import LIMBS, OPTIONS, frame_errors, takes
from poselift.data.cmu import load_corpora
from poselift.data.cmu_bench import CmuBench
from poselift.lifting import lift_view
from poselift.models import load_weights

_STEP = 6
"""Every so many frames of the corpus are in the prior."""
_CHUNK = 32
_SIZE = 0.25


def body(points: Tensor) -> Tensor:
    """Rotations (t, 3, 3) whose columns are the axes of the body, from limb joints (t, 12, 3)."""
    hips, shoulders = points[:, :2], points[:, 6:8]
    side = (hips[:, 0] - hips[:, 1]) + (shoulders[:, 0] - shoulders[:, 1])
    up = shoulders.mean(1) - hips.mean(1)
    x = torch.nn.functional.normalize(side, dim=-1)
    y = torch.nn.functional.normalize(up - (up * x).sum(-1, keepdim=True) * x, dim=-1)
    return torch.stack([x, y, torch.linalg.cross(x, y)], -1)


def sizes(points: Tensor) -> Tensor:
    """Mean length of the bones of the limbs, metres."""
    pairs = [(0, 2), (2, 4), (1, 3), (3, 5), (6, 8), (8, 10), (7, 9), (9, 11)]
    return torch.stack([(points[:, a] - points[:, b]).norm(dim=-1) for a, b in pairs], -1).mean(-1)


def standard(points: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Points in the body's frame at one size, the rotations and the sizes."""
    points = points - points[:, :2].mean(1, keepdim=True)
    rotation, size = body(points), sizes(points) / _SIZE
    return torch.einsum("tjx,txy->tjy", points, rotation) / size[:, None, None], rotation, size


def posterior(q: Tensor, rays: Tensor, prior: Tensor, k: int, along: float, across: float) -> Tensor:
    """The mean of the posterior of poses (t, 12, 3), with rays in the body's frame."""
    result = []
    for first in range(0, len(q), _CHUNK):
        own, r = q[first : first + _CHUNK], rays[first : first + _CHUNK]
        if k:
            # |d|^2 - (1 - across^2 / along^2) (d.r)^2, expanded, so that no difference of all pairs is stored.
            e = 1 - (across / along) ** 2
            sums = torch.cdist(own.flatten(1), prior.flatten(1)) ** 2
            for joint in range(12):
                ray = (r[:, joint] * own[:, joint]).sum(-1, keepdim=True) - r[:, joint] @ prior[:, joint].T
                sums -= e * ray**2
            near = prior.flatten(1)[sums.topk(k, largest=False).indices]
        else:
            near = prior.flatten(1)[None].expand(len(own), -1, -1)
        mean = near.mean(1)
        if k:
            d = near - mean[:, None]
            C = d.mT @ d / (d.shape[1] - 1)
        else:
            C = torch.cov(prior.flatten(1).T)[None].expand(len(own), -1, -1)
        C = C + 0.005**2 * torch.eye(36)
        R = torch.zeros(len(own), 36, 36)
        for joint in range(12):
            outer = r[:, joint, :, None] * r[:, joint, None]
            part = slice(3 * joint, 3 * joint + 3)
            R[:, part, part] = across**2 * torch.eye(3) + (along**2 - across**2) * outer
        gain = C @ torch.linalg.inv(C + R)
        moved = mean + (gain @ (own.flatten(1) - mean)[..., None])[..., 0]
        result.append(moved.unflatten(1, (12, 3)))
    return torch.cat(result)


def main() -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    for name in ("corpus", "bench", "data"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--weights", default="small")
    options = parser.parse_args()
    corpus = load_corpora([options.corpus], "train")
    limbs = [corpus.skeleton.index(name) for name in LIMBS]
    prior = standard(corpus.joints[::_STEP, limbs].float())[0]
    prior = prior[prior.isfinite().all(-1).all(-1)]
    weights = load_weights(options.weights)
    bench = CmuBench(options.corpus, options.bench, "coco17")
    sets = {"real": takes(options.data), "bench_val": [bench[index] for index in range(0, len(bench), 6)]}
    print(f"{len(prior)} poses")
    print(table_head(["set", "k", "along mm", "across mm", "share", "MPJPE", "P-MPJPE"]))
    for name, views in sets.items():
        motions = [lift_view(view, weights, OPTIONS) for view in views]
        places = motions[0].skeleton.indices(LIMBS)
        lifted = []
        for motion in motions:
            absolute = torch.from_numpy(motion.joints + motion.root[:, None])[:, places].float()
            known = absolute.isfinite().all(-1).all(-1)
            q, rotation, size = standard(absolute[known])
            rays = torch.einsum("tjx,txy->tjy", torch.nn.functional.normalize(absolute[known], dim=-1), rotation)
            lifted.append((known, q, rays, rotation, size))

        def show(moved: list[Tensor] | None, share: float, *cells: str) -> None:
            errors = []
            for index, (view, motion) in enumerate(zip(views, motions, strict=True)):
                joints = motion.joints.copy()
                if moved is not None:
                    known, q, _, rotation, size = lifted[index]
                    step = torch.einsum("tjy,txy->tjx", moved[index] - q, rotation) * size[:, None, None]
                    rate = 1 / np.median(np.diff(motion.timestamps))
                    smooth = gaussian_filter1d(step.numpy(), 0.1 * rate, axis=0, mode="nearest")
                    change = joints[known.numpy()]
                    change[:, places] += share * smooth
                    joints[known.numpy()] = change
                errors.append(frame_errors(view, replace(motion, joints=joints)))
            mpjpe, aligned, _ = np.nanmean(np.concatenate(errors), 0)
            print(table_row([name, *cells, f"{share:g}", f"{mpjpe:.2f}", f"{aligned:.2f}"]), flush=True)

        show(None, 0.0, "", "", "")
        for k in (0, 100, 400):
            for along in (0.03, 0.06, 0.12):
                moved = [posterior(q, rays, prior, k, along, along / 3) for _, q, rays, _, _ in lifted]
                for share in (0.5, 1.0):
                    show(moved, share, str(k), f"{1000 * along:.0f}", f"{1000 * along / 3:.0f}")


if __name__ == "__main__":
    main()
