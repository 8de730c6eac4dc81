# SPDX-License-Identifier: Apache-2.0
"""What a loader gets: photographs opened and decoded by PIL in two processes, from a folder and at
each fidelity of a mount, warm. Decoding is most of it; the way to the bytes must not show."""
import multiprocessing
import os
import random
import sys
import time

from photographs import jpegs
from results import Part, cell, ratios
from systems import Server

WORKERS = 2
FIDELITIES = ("q1", "q4", "q5", "full", "original")
INTRO = (f"Photographs a second that PIL opens and decodes to RGB in {WORKERS} processes, in a"
         " shuffled order, the files warm. q1 .. q10 and full are progressive JPEGs; original/ and"
         " the folder are what the photographs were.")


def decode(paths):
    """In a process of its own."""
    from PIL import Image
    for path in paths:
        with Image.open(path) as image:
            image.convert("RGB")
    return len(paths)


def epoch(pool, root, names):
    paths = [os.path.join(root, name) for name in names]
    from_s = time.monotonic()
    done = sum(pool.imap_unordered(decode, [paths[i:i + 16] for i in range(0, len(paths), 16)]))
    return done / (time.monotonic() - from_s)


def measure_set(bench, part, data, pool):
    names = jpegs(data.folder, data.files)
    names = names[::max(1, len(names) // bench.decoded)]
    if not names:
        part.skip(data.name, "there are no JPEGs among the files")
        return
    mount = Server("lodfs", "ours", [bench.options.lodfs, "mount", "-f", bench.pack(data)],
                   os.path.join(bench.work, "decoding"))
    roots = [("folder", data.folder)] + [(f"lodfs {f}", os.path.join(mount.point, f))
                                         for f in FIDELITIES]
    mount.start()
    try:
        for number in range(bench.rounds + 1):
            for name, root in roots:
                random.Random(number).shuffle(names)
                rate = epoch(pool, root, names)
                if number > 0:
                    part.sample(f"{data.name}|{name}", rate)
    finally:
        mount.stop()
    rows = [(name, "plain" if name == "folder" else "ours", [
        cell(part.samples(f"{data.name}|{name}")),
        cell(ratios(part.samples(f"{data.name}|{name}"), part.samples(f"{data.name}|folder")),
             "{:.2f}")]) for name, _ in roots]
    part.table(f"{data.name}: decoded by PIL", ["photographs/s", "of the folder"], rows)
    part.bars(f"{data.name}: decoded by PIL in {WORKERS} processes, warm", "photographs/s", [""],
              [(name, role, cells[:1]) for name, role, cells in rows])


def measure(bench):
    part = Part("decoding", "A loader that decodes", INTRO)
    try:
        import PIL.Image
        assert PIL.Image
    except ImportError:
        part.skip("decoding", "python3-pil is not installed")
        return part.data
    with multiprocessing.Pool(WORKERS) as pool:
        for data in bench.data:
            measure_set(bench, part, data, pool)
            print(f"decoding: {data.name}", file=sys.stderr, flush=True)
    return part.data
