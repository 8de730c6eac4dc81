# SPDX-License-Identifier: Apache-2.0
"""
A soak test: eight threads read random parts of a mount and compare each byte. The cache is much
smaller than the files. The server's open files and memory are measured after each quarter of the
reads. A long run makes 10 million reads.

The test fails if a byte is wrong, if a frame is used after its release, or if the server leaks
memory or open files.
"""
import os
import subprocess
import sys

import png_files
import random
from long import span
from mounted import Mount, Results, Work, lodfs, need_fuse
from small import Foreground, files_below, make_source, read, write

READS, READS_LONG = 24_000, 10_000_000
THREADS = 8
VIEWS = ("q1", "q5", "full", "original", "decoded/q3", "native/full")
OPTIONS = ("gpu=off,cache_size=256K", "gpu=off,cache_size=64K,cache=none",
           "gpu=off,cache_size=1M,threads=1")
# The reads come in parts. A leak grows in each of them; a server that is still reaching its size
# does not: that is when each of its threads has worked beside the others, and on a busy machine
# this takes 4,000 reads or more. Heaps of 14 MiB after 1,000 reads had 19 after 4,000, and 20 to
# 22 up to 200,000.
PARTS = 4
GROWTH_KIB_MAX = 2_000


def make_copy(source, store, point, copy):
    """Copies the views of an idle mount. Yields originals that differ from the source."""
    with Mount(store, point, "-o", "gpu=off"):
        for view in VIEWS:
            os.makedirs(os.path.dirname(f"{copy}/{view}"), exist_ok=True)
            subprocess.run(["cp", "-r", f"{point}/{view}", f"{copy}/{view}"], check=True)
    for name in files_below(f"{copy}/original"):
        if read(os.path.join(os.fsencode(f"{copy}/original"), name)) != \
                read(os.path.join(os.fsencode(source), name)):
            yield f"{name}: not the source's bytes"


def state(pid):
    """(open files, resident KiB)."""
    status = dict(line.split(b":", 1) for line in read(f"/proc/{pid}/status").splitlines())
    return len(os.listdir(f"/proc/{pid}/fd")), int(status[b"VmRSS"].split()[0])


def soak(copy, point, reads, seed):
    done = subprocess.run([os.environ["SOAK_READS"], copy, point, str(reads), str(THREADS),
                           str(seed)], check=False, capture_output=True)
    return done.returncode, done.stdout.decode(errors="replace").strip()


def served(copy, store, point, log, options, reads, seed):
    with Foreground(store, point, log, "-o", options) as server:
        states = []
        for part in range(PARTS):
            code, text = soak(copy, point, reads // PARTS, seed + part)
            print(f"    {text}")
            if code:
                yield f"exit {code}: {text}"
            states.append(state(server.process.pid))
    if states[-1][0] > states[1][0]:
        yield f"{states[-1][0] - states[1][0]} open files more"
    growth = min(after[1] - before[1] for before, after in zip(states, states[1:]))
    if growth > GROWTH_KIB_MAX:
        yield f"{growth} KiB more, or worse, after each part"
    print(f"    open files, resident KiB: {states}")


def main():
    need_fuse()
    results = Results()
    first, reads = span(READS, READS_LONG)
    with Work() as work:
        source, store, point, copy = (f"{work}/{name}" for name in ("source", "store", "mount",
                                                                    "copy"))
        os.mkdir(source)
        make_source(source)
        write(f"{source}/image.png", png_files.make(random.Random(1), 2, 8, 0, 150, 200))
        lodfs("pack", "-q", "--scans=default", "--record-size=256K", source, store)
        results.add("a copy", make_copy(source, store, point, copy))
        for number, options in enumerate(OPTIONS):
            results.add(f"{reads // len(OPTIONS)} reads, {options}",
                        served(copy, store, point, f"{work}/log", options, reads // len(OPTIONS),
                               first + 10 * number))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
