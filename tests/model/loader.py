#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training loader on a mount: torchvision's ImageFolder with two workers, compared with the
source.

LODFS and PHOTOGRAPHS name the programs.
"""
import os
import subprocess
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse, skip

try:
    import torch
    from torch.utils.data import DataLoader
    from torchvision.datasets import ImageFolder
    from torchvision.transforms import functional
except ImportError as error:
    skip(f"{error}: python3-torch and python3-torchvision are not installed")

FIDELITIES = ("q1", "auto", "full")  # auto leads to q5
SIDE = 224


def sample(image):
    """Returns an image's size, a checksum of all its pixels, and the tensor for a model."""
    pixels = functional.pil_to_tensor(image).to(torch.int64)
    places = torch.arange(1, pixels.numel() + 1, dtype=torch.int64)
    checksum = (pixels.flatten() * (places % 65521)).sum()
    small = functional.to_tensor(functional.resize(image, [SIDE, SIDE]))
    return torch.tensor(image.size), checksum, small


def epoch(folder):
    """Returns (classes, [(path, label)], sizes, checksums, tensors) of a pass with two workers."""
    data = ImageFolder(folder, transform=sample)
    loader = DataLoader(data, batch_size=16, num_workers=2)
    sizes, checksums, tensors, labels = [], [], [], []
    for (size, checksum, small), label in loader:
        sizes.append(size)
        checksums.append(checksum)
        tensors.append(small)
        labels.append(label)
    names = [(os.path.relpath(path, folder), label) for path, label in data.samples]
    assert torch.cat(labels).tolist() == [label for _, label in names]
    return data.classes, names, torch.cat(sizes), torch.cat(checksums), torch.cat(tensors)


def compare(results, source, point):
    want = epoch(source)
    error_before = None
    for fidelity in FIDELITIES:
        got = epoch(os.path.join(point, fidelity))
        error = (got[4] - want[4]).square().mean().sqrt().item()
        print(f"{fidelity}: {len(got[1])} images, error {error:.4f}")
        results.add(f"{fidelity}: the same classes", [] if got[0] == want[0] else [got[0]])
        results.add(f"{fidelity}: the same files and labels",
                    (f"{a} {b}" for a, b in zip(want[1], got[1]) if a != b))
        results.add(f"{fidelity}: the same number of images",
                    [] if len(got[1]) == len(want[1]) else [len(got[1])])
        results.add(f"{fidelity}: the same sizes",
                    [] if torch.equal(got[2], want[2]) else ["they differ"])
        if fidelity == "full":
            results.add("full: the same pixels",
                        [] if torch.equal(got[3], want[3]) else ["they differ"])
        elif error_before is None:
            results.add("q1: pixels are similar, not equal", [] if .002 < error < .2 else [error])
        else:
            results.add(f"{fidelity}: pixels are closer than those of q1",
                        [] if error < error_before else [error])
        error_before = error


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store = os.path.join(work, "source"), os.path.join(work, "store")
        subprocess.run([os.environ["PHOTOGRAPHS"], source, "32", "5"], check=True)
        lodfs("pack", "--scans=default", source, store)
        with Mount(store, os.path.join(work, "mount"), "-o", "fidelity=q5") as point:
            compare(results, source, point)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
