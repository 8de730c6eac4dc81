# SPDX-License-Identifier: Apache-2.0
"""
Every file comes whole through every way of reading: direct I/O, a store kept slow, next to no
cache; and a daemon that was read at random for long holds what it said it would.
"""
import os
import random
import sys
import time

from mounted import Results, Work, need_fuse
from small import Foreground, files_below, make_store, read

MIB = 1 << 20
PASSES = 6


def shown(point):
    """{path: bytes} of every file at a low, the full and the source's own fidelity."""
    return {name: read(os.path.join(os.fsencode(point), name))
            for tree in ("q3", "full", "original")
            for name in (os.path.join(os.fsencode(tree), below)
                         for below in files_below(f"{point}/{tree}"))}


def differing(truth, point):
    found = shown(point)
    if found.keys() != truth.keys():
        yield f"other files: {sorted(found.keys() ^ truth.keys())[:4]}"
    yield from (f"{name!r} differs" for name in truth if truth[name] != found.get(name))


def through(options, truth, store, point, log):
    with Foreground(store, point, log, "-o", options):
        yield from differing(truth, point)
        yield from differing(truth, point)


def limited(source, store, point, log):
    """A file of 700 KB at 1 MiB/s, less what the bucket has saved up."""
    with Foreground(store, point, log, "-o", "download_limit=1M"):
        start = time.monotonic()
        if len(read(f"{point}/full/large.bin")) != os.path.getsize(f"{source}/large.bin"):
            yield "a file is cut short"
        took = time.monotonic() - start
        if took < .45:
            yield f"700 KB came in {took:.2f} s"


def direct(truth, store, point, log):
    """The page cache keeps nothing, so a second pass asks again."""
    counts = []
    with Foreground(store, point, log, "-d", "-o", "cache=none"):
        for _ in range(2):
            before = read(log).count(b"opcode: READ ")
            yield from differing(truth, point)
            counts.append(read(log).count(b"opcode: READ ") - before)
    if counts[1] < counts[0] or counts[0] == 0:
        yield f"READ requests of two passes: {counts}"


def resident(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) << 10


def memory(truth, store, point, log):
    """cache 4, index and records 32, 2 threads of 6, base 32 MiB; the makers are done."""
    names, chance = sorted(truth), random.Random(5)
    with Foreground(store, point, log, "-o", "cache=none,cache_size=4M,threads=2") as daemon:
        for _ in range(PASSES):
            chance.shuffle(names)
            for name in names:
                read(os.path.join(os.fsencode(point), name))
        held = resident(daemon.process.pid)
    sanitized = os.environ.get("ASAN_OPTIONS") or os.environ.get("TSAN_OPTIONS")
    if held > (4 + 32 + 12 + 32) * MIB and not sanitized:
        yield f"{held / MIB:.0f} MiB are held"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = make_store(work)
        log = f"{work}/log"
        with Foreground(store, point, log):
            truth = shown(point)
        for options in ("cache=none", "cache=none,cache_size=0", "cache=kernel,cache_size=100K",
                        "download_limit=64M,download_latency=2",
                        "store_cache=kernel,download_latency=1",
                        "download_latency=1,cache_size=1M,threads=1"):
            results.add(f"every file through -o {options}",
                        through(options, truth, store, point, log))
        results.add("bytes a second are limited", limited(source, store, point, log))
        results.add("direct I/O keeps no pages", direct(truth, store, point, log))
        results.add("memory after random epochs", memory(truth, store, point, log))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
