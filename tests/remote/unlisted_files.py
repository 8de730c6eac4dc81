# SPDX-License-Identifier: Apache-2.0
"""Validation beside a job on a slow folder: while single files that no job has listed are read,
listed records are loaded in small requests. unlisted_readers.py has whole records, of a server.
"""
import json
import os
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse
from small import files_below, read, until, write
from tier_lists import ask, by_record

OPTIONS = "download_limit=8M,cache=none,cache_size=4M,xattr"  # there is no room for two records
LISTED = 1, 2, 3
SMALL = 300_000  # bytes of a small request, with a frame that begins in its last bytes
LARGE = 700_000
JOB = 7


def loads(point):
    """Returns the number of loads so far, and their bytes."""
    store = json.loads(read(f"{point}/.lodfs/stats"))["store"]
    return store["prefix_reads"], store["prefix_bytes"]


def mean_load(point, names=()):
    """Lists one record after the other, and reads a file before each. Returns the mean bytes of a
    load meanwhile."""
    before, names = loads(point), list(names)
    for record in LISTED:
        if names:
            read(f"{point}/full/{names.pop()}")
        if not until(lambda: ask(point, JOB, 0, [record], 0)[0] == 1):
            return 0
    after = loads(point)
    return (after[1] - before[1]) / max(1, after[0] - before[0])


def beside(source, point, names):
    """Reads files of a record that is not listed."""
    before = loads(point)
    for name in names[:2]:
        if read(f"{point}/full/{name}") != read(f"{source}/{name}"):
            yield f"{name} differs"
    if loads(point) != before:
        yield "a whole record was loaded for a file"
    mean = mean_load(point, names[2:])
    if not 0 < mean <= SMALL:
        yield f"beside a reader outside the list, loads of {mean:.0f} bytes"
    outside = json.loads(read(f"{point}/.lodfs/stats"))["ahead"]["reads_outside"]
    if outside < 4:
        yield f"{outside} reads outside the list, not 4"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = (f"{work}/{name}" for name in ("source", "store", "mount"))
        for number in range(60):
            write(f"{source}/{number}.bin", os.urandom(200_000))
        lodfs("pack", "-q", "--record-size=2M", source, store)
        with Mount(store, point, "-o", OPTIONS):
            records = by_record(point, map(os.fsdecode, files_below(source)))
            mean_load(point)  # the speed is known from here on
            mean = mean_load(point)
            results.add("a list alone",
                        [] if mean >= LARGE else [f"loads of {mean:.0f} bytes"])
            results.add("a list beside a reader outside it",
                        beside(source, point, records[max(LISTED) + 1]))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
