# SPDX-License-Identifier: Apache-2.0
"""
Every file is read correctly in every mode: direct I/O, a slowed store, almost no cache. After many
random reads the daemon's memory is within its stated bound.
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
    """Returns {path: bytes} of every file at q3, full and original."""
    return {name: read(os.path.join(os.fsencode(point), name))
            for tree in ("q3", "full", "original")
            for name in (os.path.join(os.fsencode(tree), below)
                         for below in files_below(f"{point}/{tree}"))}


def differing(truth, point):
    found = shown(point)
    if found.keys() != truth.keys():
        yield f"other files are listed: {sorted(found.keys() ^ truth.keys())[:4]}"
    yield from (f"{name!r} differs" for name in truth if truth[name] != found.get(name))


def through(options, truth, store, point, log):
    with Foreground(store, point, log, "-o", options):
        yield from differing(truth, point)
        yield from differing(truth, point)


def limited(source, store, point, log):
    """A file of 700 KB at 1 MiB/s takes at least 0.45 s; the token bucket starts filled."""
    with Foreground(store, point, log, "-o", "download_limit=1M"):
        start = time.monotonic()
        if len(read(f"{point}/full/large.bin")) != os.path.getsize(f"{source}/large.bin"):
            yield "a file is short"
        took = time.monotonic() - start
        if took < .45:
            yield f"700 KB were read in {took:.2f} s"


def direct(truth, store, point, log):
    """The kernel caches no pages, so a second pass sends as many READ requests."""
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
    """The bound: cache 4, index and records 32, 2 threads of 6, base 32 MiB. Makers have ended."""
    names, chance = sorted(truth), random.Random(5)
    with Foreground(store, point, log, "-o", "cache=none,cache_size=4M,threads=2") as daemon:
        for _ in range(PASSES):
            chance.shuffle(names)
            for name in names:
                read(os.path.join(os.fsencode(point), name))
        held = resident(daemon.process.pid)
    sanitized = os.environ.get("ASAN_OPTIONS") or os.environ.get("TSAN_OPTIONS")
    if held > (4 + 32 + 12 + 32) * MIB and not sanitized:
        yield f"the daemon has {held / MIB:.0f} MiB resident"


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
                        "store_cache=shared,download_latency=1",
                        "download_latency=1,cache_size=1M,threads=1",
                        "download_latency=3,download_parallel=8,store_cache=private"):
            results.add(f"every file is right with -o {options}",
                        through(options, truth, store, point, log))
        results.add("download_limit limits bytes a second", limited(source, store, point, log))
        results.add("direct I/O caches no pages", direct(truth, store, point, log))
        results.add("memory stays within its bound", memory(truth, store, point, log))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
