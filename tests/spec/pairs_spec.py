# SPDX-License-Identifier: Apache-2.0
"""Counts in packed stores how many images stand in one extent with their mask, for the layouts of
datasets. Extents are found by order_spec.py, not by the code under test.
"""
import filecmp
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import order_spec
import store_spec as spec
import stores

COUNT = 80
# name, path of the image, path of the mask, lowest and highest share of pairs in per cent
LAYOUTS = (
    ("names", "JPEGImages/2007_{}.jpg", "SegmentationClass/2007_{}.pgm", 100, 100),
    ("folders", "s{}/image.jpg", "s{}/mask.pgm", 100, 100),
    ("suffixes", "leftImg8bit/{}_leftImg8bit.jpg", "gtFine/{}_gtFine.pgm", 0, 25),
    ("one-name", "s{}/image.jpg", None, 0, 0),
)


def mask(rng):
    """A picture of as many bytes as a small photograph, unlike any other."""
    return b"P5\n128 96\n255\n" + bytes(rng.randrange(256) for _ in range(128 * 96))


def make_source(source, photographs, image, other):
    rng = random.Random(5)
    for number, photograph in enumerate(photographs[:COUNT]):
        for pattern, contents in ((image, photograph.read_bytes()), (other, mask(rng))):
            if pattern:
                path = source / pattern.format(f"{number:05}")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(contents)


def pack(source, store, threads):
    subprocess.run([os.environ["LODFS"], "pack", "-q", "-j", str(threads), "--scans=default",
                    "--record-size=192K", source, store], check=True)


def same_bytes(a, b):
    files = stores.files_below(a)
    return files == stores.files_below(b) and filecmp.cmpfiles(a, b, files, shallow=False)[1:] == (
        [], [])


def count_pairs(store, image, other):
    """Returns the pairs of a hundred, and the number of extents."""
    records = [spec.Record(path) for path in sorted(pathlib.Path(store, "records").iterdir())]
    order = order_spec.Order(records)
    place = {bytes(order.paths[item]).decode(): extent
             for extent, (_, items) in enumerate(order.extents) for item in items}
    numbers = [f"{number:05}" for number in range(COUNT)]
    pairs = sum(place[image.format(n)] == place[other.format(n)] for n in numbers) if other else 0
    return 100 * pairs // COUNT, len(order.extents)


def check(work, photographs, name, image, other, least, most):
    source, one, four = work / name, work / f"{name}.1", work / f"{name}.4"
    make_source(source, photographs, image, other)
    pack(source, one, 1)
    pack(source, four, 4)
    assert same_bytes(one, four), f"{name}: two packs differ"
    pairs, extents = count_pairs(one, image, other)
    print(f"{name}: {pairs} of 100 images in one extent with their mask, {extents} extents")
    assert least <= pairs <= most, name
    assert extents >= 8, f"{name}: {extents} extents of {COUNT} samples"


def main():
    with tempfile.TemporaryDirectory(prefix="lodfs-spec-") as folder:
        work = pathlib.Path(folder)
        subprocess.run([os.environ["PHOTOGRAPHS"], work / "made", str(COUNT), "1"], check=True,
                       stdout=subprocess.DEVNULL)
        photographs = sorted((work / "made").rglob("*.jpg"))
        for layout in LAYOUTS:
            check(work, photographs, *layout)


if __name__ == "__main__":
    sys.exit(main())
