# SPDX-License-Identifier: Apache-2.0
"""Mini-epochs: a paced reader of a slow store, by shuffled epochs and by lodfs.MiniEpochs."""
import collections
import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from results import Part, cell, ratios

COUNT = 500             # photographs of 50 KB
LIMIT = 2_500_000       # bytes a second of the store
CACHE = "12M"           # three quarters of it hold 30 % of the photographs
EPOCHS = 8
READERS, AHEAD = 4, 16  # files that are read at once, and that wait to be used
WANTED = (2, 4, 8)      # the reader's rate, in those of the store
NOTICED_S = .02         # a shorter wait is the scheduler's
INTRO = (f"A reader that uses {COUNT} photographs at full, and takes four times the bytes that the"
         f" store gives ({LIMIT / 1e6} MB/s by -o download_limit; cache=none, cache_size={CACHE},"
         " records of 256 KiB). A shuffled folder for one epoch, whose rate does not change, and"
         f" mini-epochs for {EPOCHS}; the first loads are included.")


def size_of(path):
    with open(path, "rb", buffering=0) as file:
        return len(file.read())


def paced(paths, rate):
    """Reads files ahead in threads, and uses them no faster than `rate` bytes a second."""
    paths, waiting, files, used = iter(paths), collections.deque(), 0, 0
    begin = free = time.monotonic()
    waits = []
    with ThreadPoolExecutor(READERS) as pool:
        while True:
            while len(waiting) < AHEAD and (path := next(paths, None)) is not None:
                waiting.append(pool.submit(size_of, path))
            if not waiting:
                break
            size = waiting.popleft().result()
            now = time.monotonic()
            if now - free > NOTICED_S:
                waits.append((now - begin, now - free))
                free = now
            free += size / rate
            files, used = files + 1, used + size
            time.sleep(max(0, free - time.monotonic()))
    seconds = time.monotonic() - begin
    third = seconds / 3  # by then the first window is loaded
    return {"files_per_s": files / seconds, "used": used, "seconds": seconds,
            "late": sum(wait for at, wait in waits if at > third) / (seconds - third)}


def store_bytes(point):
    with open(f"{point}/.lodfs/stats", "rb", buffering=0) as file:
        return json.loads(file.read(1 << 20))["store"]["bytes"]


def shuffled(point):
    names = [os.path.join(at, name) for at, _, found in os.walk(f"{point}/full") for name in found]
    random.Random(1).shuffle(names)
    return names


def repeated(lodfs, point, rf):
    met = lodfs.MiniEpochs(f"{point}/full", rf=rf)
    for _ in range(EPOCHS):
        yield from met.paths()


def one(bench, lodfs, store, kind, wanted):
    """Runs one reader on a mount of its own."""
    point = os.path.join(bench.work, "met")
    os.makedirs(point, exist_ok=True)
    subprocess.run([bench.options.lodfs, "mount", store, point, "-o",
                    f"download_limit={LIMIT},cache=none,cache_size={CACHE}"], check=True)
    try:
        paths = shuffled(point) if kind == "shuffled" else repeated(lodfs, point, kind)
        found = paced(paths, wanted * LIMIT)
        return found | {"rf": found["used"] / store_bytes(point)}
    finally:
        subprocess.run([bench.options.lodfs, "umount", point], check=True)


def report(part):
    def row(name):
        def of(field, form):
            return cell(part.samples(name, field), form)
        speed = cell(ratios(part.samples(name, "files_per_s"),
                            part.samples("shuffled", "files_per_s")), "{:.2f}")
        return [of("files_per_s", "{:.0f}"), speed, of("rf", "{:.1f}"), of("late", "{:.3f}")]
    names = ("shuffled", "rf 4", "auto")
    part.table("A reader that wants four times the store's rate",
               ["photographs/s", "of the shuffled folder's", "bytes used / bytes of the store",
                "share of time waited after the first third"],
               [(name, "plain" if name == "shuffled" else "ours", row(name)) for name in names])
    rows = [(f"wants {wanted} times", "ours",
             [cell(part.samples(f"auto {wanted}", "rf"), "{:.1f}")]) for wanted in WANTED]
    part.table("Repeats of auto", ["bytes used / bytes of the store"], rows)
    for name in names[1:]:
        part.goal(f"mini-epochs, {name}, of the shuffled folder",
                  ratios(part.samples(name, "files_per_s"),
                         part.samples("shuffled", "files_per_s")), at_least=3.5)


def measure(bench):
    part = Part("met", "Mini-epochs on a slow store", INTRO)
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "src", "python"))
    os.environ.setdefault("LODFS_LIBRARY", bench.options.library)
    try:
        import lodfs
        lodfs.MiniEpochs  # pylint: disable=pointless-statement
    except ImportError:
        part.skip("mini-epochs", "there is no NumPy")
        return part.data
    source, store = (os.path.join(bench.work, name) for name in ("met-source", "met-store"))
    subprocess.run([bench.options.photographs, source, str(COUNT), "5", "0", "100"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([bench.options.lodfs, "pack", "-q", "--scans=default", "--record-size=256K",
                    source, store], check=True)
    for number in range(1 if bench.quick else 3):
        for name, kind in (("shuffled", "shuffled"), ("rf 4", 4), ("auto", "auto")):
            part.sample(name, one(bench, lodfs, store, kind, 4))
        for wanted in WANTED if number == 0 else ():
            part.sample(f"auto {wanted}", one(bench, lodfs, store, "auto", wanted))
        print(f"met: round {number + 1}", file=sys.stderr, flush=True)
    report(part)
    return part.data
