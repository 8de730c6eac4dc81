# SPDX-License-Identifier: Apache-2.0
"""-o gpu=: a device computes the same bytes as the host, and mount does not wait for a device."""
import json
import os
import random
import sys

import png_files
from mounted import Mount, Results, Work, lodfs, need_fuse
from small import forget_pages, read, until, write

PICTURES = 40
TURNS_MAX = 30  # units are made on a device if several are missing at a time, which is chance


def make_source(folder):
    rng = random.Random(11)
    for number in range(PICTURES):
        colour, depth = png_files.KINDS[number % len(png_files.KINDS)]
        write(f"{folder}/{number:02}.png", png_files.make(rng, colour, depth, 0, 90, 70 + number))
    write(f"{folder}/tall.png", png_files.make(rng, 2, 8, 0, 300, 1500))


def device_of(point):
    return json.loads(read(f"{point}/.lodfs/stats"))["gpu"]


def chosen(point):
    """Waits until a device is chosen. Returns the device."""
    until(lambda: device_of(point)["device"] not in ("untried", "measuring"))
    return device_of(point)


def contents(point):
    """Reads all files in the order of names, as the store has them. Returns {path: bytes}."""
    return {f"{tree}/{name}": read(f"{point}/{tree}/{name}")
            for tree in ("full", "decoded/full") for name in sorted(os.listdir(f"{point}/{tree}"))}


def check_device(store, point, choice, expected):
    with Mount(store, point, "-o", f"gpu={choice},cache_size=1M"):
        if choice != "off" and device_of(point)["device"] != "untried":
            yield "a device was opened before the first read"
        read(f"{point}/full/tall.png")
        device = chosen(point)
        for turn in range(TURNS_MAX):
            for tree in ("full", "decoded/full"):
                forget_pages(f"{point}/{tree}")
            if contents(point) != expected:
                yield f"bytes differ from those of the host: {device}"
            after = device_of(point)
            if turn and (after["device"] == "host" or after["units"]):
                break
        print(f"    gpu={choice}: {after['device']} {after['name']} {after['why']}, "
              f"{after['units']:.0f} units in {after['batches']:.0f} batches, host "
              f"{after['host_bytes_per_second'] / 1e6:.0f} MB/s, device "
              f"{after['device_bytes_per_second'] / 1e6:.0f} MB/s")
        if choice == "off" and (after["device"] != "host" or after["batches"]):
            yield f"gpu=off uses a device: {after}"
        if after["device"] not in ("host", "opencl", "cuda"):
            yield f"no device was chosen: {after}"
        if choice in ("opencl", "cuda") and after["device"] not in (choice, "host"):
            yield f"gpu={choice} uses another device: {after}"
        if after["device"] == "host" and not after["why"]:
            yield "the statistics do not say why the host was chosen"
        if after["device"] != "host" and not after["units"]:
            yield "the device that was chosen made no unit"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = (f"{work}/{name}" for name in ("source", "store", "mount"))
        os.mkdir(source)
        make_source(source)
        lodfs("pack", "-q", "--order=path", source, store)
        with Mount(store, point, "-o", "gpu=off"):
            expected = contents(point)
        for choice in "off", "opencl", "cuda", "auto":
            results.add(f"gpu={choice} serves the bytes of the host",
                        check_device(store, point, choice, expected))
        refused = lodfs("mount", "-o", "gpu=abacus", store, point, check=False)
        results.add("an unknown device is refused", [] if refused.returncode == 2 else [refused])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
