# SPDX-License-Identifier: Apache-2.0
"""lodfs.torch.loader on a mount: torchvision's pictures, without the request that open() costs."""
import json
import os
import subprocess
import sys

import stores
from mounted import Mount, Results, Work, need_fuse, skip

try:
    from torch.utils.data import DataLoader
    from torchvision.datasets import ImageFolder
    from torchvision.transforms.functional import pil_to_tensor
except ImportError as error:
    skip(f"{error}: python3-torch and python3-torchvision are not installed")

PACKAGE = os.path.join(os.environ["SOURCE_ROOT"], "src", "python")
sys.path.insert(0, PACKAGE)

import lodfs.torch

WORKERS = 2


def ioctls(point):
    """Returns the number of ioctls so far. os.open sends none, unlike Python's open()."""
    file = os.open(f"{point}/.lodfs/stats", os.O_RDONLY)
    try:
        return json.loads(os.read(file, 1 << 20))["requests"]["ioctl"]
    finally:
        os.close(file)


def epoch(folder, **options):
    data = ImageFolder(folder, transform=pil_to_tensor, **options)
    return list(DataLoader(data, batch_size=None, num_workers=WORKERS))


def compare(point):
    for fidelity in "q2", "full":
        asked = ioctls(point)
        usual = epoch(f"{point}/{fidelity}")
        before = ioctls(point)
        ours = epoch(f"{point}/{fidelity}", loader=lodfs.torch.loader)
        after = ioctls(point)
        if len(ours) != stores.PHOTOGRAPHS or any(
                a[1] != b[1] or not a[0].equal(b[0]) for a, b in zip(usual, ours)):
            yield f"{fidelity}: other pictures or labels"
        if after != before:
            yield f"{fidelity}: {after - before} ioctls for {len(ours)} files"
        if sys.version_info < (3, 14) and before - asked != len(usual):
            yield f"{fidelity}: open() asked {before - asked} times for {len(usual)} files"


def imports():
    heavy = ("torch", "torchvision", "PIL")
    for module, without in ("lodfs", heavy + ("lodfs.torch",)), ("lodfs.torch", heavy):
        code = (f"import sys; sys.path.insert(0, {PACKAGE!r}); import {module}; "
                f"print([name for name in {without!r} if name in sys.modules])")
        found = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE,
                               text=True).stdout.strip()
        if found != "[]":
            yield f"{module} imports {found}"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        stores.make_photographs(f"{work}/source")
        stores.pack(f"{work}/source", f"{work}/store")
        results.add("PyTorch is not imported before it is needed", imports())
        with Mount(f"{work}/store", f"{work}/mount", "-o", "gpu=off") as point:
            results.add("ImageFolder with lodfs.torch.loader", compare(point))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
