# SPDX-License-Identifier: Apache-2.0
"""A loader: PIL opens and decodes photographs in two processes, from a folder and at each fidelity
of a mount. Decoding takes most of the time; the mount must not show."""
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
PHASES = ("first", "warm")
GOALS = (("lodfs full", .97), ("lodfs original", .97), ("lodfs q4", 1.1), ("lodfs q1", 1.5))
INTRO = (f"Photographs that PIL opens and decodes to RGB in {WORKERS} processes, in a shuffled"
         " order. First: on a fresh mount whose data is in RAM. Warm: once more. CPU is that of"
         " readers and server, and varies less than photographs a second.")


def decode(paths):
    """Runs in a process of its own."""
    from PIL import Image
    from_s = time.process_time()
    for path in paths:
        with Image.open(path) as image:
            image.convert("RGB")
    return time.process_time() - from_s


def epoch(pool, mount, root, names):
    """Photographs a second, and CPU time of readers and server."""
    paths = [os.path.join(root, name) for name in names]
    from_s, server_s = time.monotonic(), mount.server_cpu_s()
    cpu_s = sum(pool.imap_unordered(decode, [paths[i:i + 16] for i in range(0, len(paths), 16)]))
    return {"per_s": len(paths) / (time.monotonic() - from_s),
            "cpu_ms": (cpu_s + mount.server_cpu_s() - server_s) * 1e3 / len(paths)}


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
    for number in range(bench.rounds):
        for name, root in roots[::1 if number % 2 else -1]:
            random.Random(number).shuffle(names)
            mount.start()
            try:
                for phase in PHASES:
                    part.sample(f"{data.name}|{name}|{phase}", epoch(pool, mount, root, names))
            finally:
                mount.stop()
    report(part, data, [name for name, _ in roots])


def report(part, data, names):
    def samples(name, phase, field):
        return part.samples(f"{data.name}|{name}|{phase}", field)

    def of_folder(name, phase, field):
        return ratios(samples(name, phase, field), samples(names[0], phase, field))
    rows = [(name, "plain" if name == names[0] else "ours",
             [cell(samples(name, "warm", "per_s"))] +
             [cell(of_folder(name, phase, field), "{:.2f}")
              for field in ("per_s", "cpu_ms") for phase in PHASES]) for name in names]
    part.table(f"{data.name}: decoded by PIL, times the folder's",
               ["photographs/s, warm"] + [f"{words}, {phase}" for words in ("photographs/s", "CPU")
                                          for phase in PHASES], rows)
    part.bars(f"{data.name}: decoded by PIL in {WORKERS} processes, warm", "photographs/s", [""],
              [(name, role, cells[:1]) for name, role, cells in rows])
    for name, least in GOALS:
        for phase in PHASES:
            part.goal(f"{data.name}: {name}, {phase}: CPU, times the folder's",
                      of_folder(name, phase, "cpu_ms"), at_most=1 / least)


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
