# SPDX-License-Identifier: Apache-2.0
"""
Reads files in every way of programs: read, pread backwards, preadv2, RWF_NOWAIT, O_DIRECT, mmap,
sendfile, splice, copy_file_range, aio and io_uring (read_ways.c), each from a cold file.

The test fails if the answer to a request of any size or place has wrong bytes, or is short.
"""
import os
import random
import subprocess
import sys

import png_files
from mounted import Mount, Results, SKIP, Work, lodfs, need_fuse
from small import files_below, make_source, read, write

FILES = ("original/large.bin", "q1/large.bin", "full/image.png", "decoded/full/image.ppm",
         "full/labels/empty", "q2/labels/train.csv")
OPTIONS = ("gpu=off", "cache=none,gpu=off", "cache_size=64K,threads=2,gpu=off")


# A kernel may not have these; a mount with cache=none has no MAP_SHARED.
ABSENT = ("copy_file_range", "aio", "io_uring", "RWF_NOWAIT")


def may_be_absent(way, options):
    return way in ABSENT or (way == "mmap" and "cache=none" in options)


def ways():
    return subprocess.run([os.environ["READ_WAYS"]], check=True,
                          stdout=subprocess.PIPE).stdout.decode().split()


def copy(way, path):
    """(bytes, None), or (None, why the way is not there), or (None, '') when it failed."""
    done = subprocess.run([os.environ["READ_WAYS"], way, path], check=False, capture_output=True,
                          timeout=240)
    if done.returncode == 0:
        return done.stdout, None
    return None, done.stderr.decode() if done.returncode == SKIP else ""


def compare(way, options, point, truth, skipped):
    for name, right in truth.items():
        got, why = copy(way, f"{point}/{name}")
        if why and may_be_absent(way, options):
            skipped.add(f"{way}, {options}: {why.strip()}")
        elif got != right:
            yield f"{name}: {'failed' if got is None else f'{len(got)} bytes, {len(right)} wanted'}"


def make_truth(source, store, point):
    """The source's own bytes, and else what one read of a mount of its own gives."""
    photo = min(map(os.fsdecode, files_below(f"{source}/photos")))
    names = [*FILES, f"q4/photos/{photo}", f"original/photos/{photo}"]
    with Mount(store, point, "-o", "gpu=off"):
        truth = {name: read(f"{point}/{name}") for name in names}
    for name in names:
        if name.startswith("original/") or name.endswith(("large.bin", ".csv")):
            truth[name] = read(f"{source}/{name.partition('/')[2]}")
    return truth


def main():
    need_fuse()
    results, skipped = Results(), set()
    with Work() as work:
        source, store, point = f"{work}/source", f"{work}/store", f"{work}/mount"
        os.mkdir(source)
        make_source(source)
        write(f"{source}/image.png", png_files.make(random.Random(1), 2, 8, 0, 150, 200))
        lodfs("pack", "-q", "--scans=default", source, store)
        truth = make_truth(source, store, point)
        for options in OPTIONS:
            with Mount(store, point, "-o", options):
                for way in ways():
                    results.add(f"{options}: {way}", compare(way, options, point, truth, skipped))
    for why in sorted(skipped):
        print(f"SKIP: {why}")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
