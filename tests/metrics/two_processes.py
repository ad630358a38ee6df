"""One of two processes that measure together; run by test_classes.py as `two_processes.py RANK FOLDER`."""

import sys
from pathlib import Path

import torch
import torch.distributed as dist
from test_classes import CASES, PAIR, inputs, make_images

from poselift import metrics

SHARES = (slice(0, 2), slice(2, None))


def main() -> None:
    rank, folder = int(sys.argv[1]), Path(sys.argv[2])
    dist.init_process_group("gloo", f"file://{folder / 'meeting'}", rank=rank, world_size=2)
    mine, found = SHARES[rank], {}
    for name, (metric, _, kinds) in CASES.items():
        metric.update(*(x[mine] for x in inputs(*kinds)))
        found[name] = metric.compute()
    precision = metrics.OKSAP()
    precision.update(make_images()[3:] if rank else make_images()[:3])
    found["oks_ap"] = precision.compute()
    groups = metrics.PerGroup(metrics.MPJPE(), ["walk", "sit"])
    groups.update(groups.groups[rank], *(x[mine] for x in inputs(*PAIR)))
    found |= groups.compute()
    torch.save(found, folder / f"{rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
