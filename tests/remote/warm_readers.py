# SPDX-License-Identifier: Apache-2.0
"""lodfs warmup leaves the line to the readers of its mount: while one waits for the server, it has
one load at a time and pauses after each. With -j it has as many as the user says.
"""
import json
import os
import sys

from held import LOAD_S, make_store, mounted
from mounted import HANG_S, Results, Work, lodfs, need_fuse
from small import files_below, read, until
from tier import make_tier

PAUSE_S = 3 * LOAD_S  # at least; it is 4 times the load, as the program sees it


def gaps(web):
    """Returns the times from the end of each load to the begin of the next one."""
    loads = sorted(web.loads)
    web.loads.clear()
    return [after.begun - before.ended for before, after in zip(loads, loads[1:])]


def beside(web, point):
    lodfs("warmup", point, "two")
    found = gaps(web)
    if len(found) < 3 or min(found) < PAUSE_S:
        yield f"pauses between loads of {LOAD_S} s beside a reader: {found}"


def chosen(web, point):
    lodfs("warmup", "-j3", point, "others")
    found = gaps(web)
    if len(found) < 2 or min(found) > 0:
        yield f"pauses between loads with -j3: {found}"


def undisturbed(web, work, point, reader):
    web.released.set()
    reader.join(HANG_S)
    for name in files_below(f"{work}/source"):
        name = os.fsdecode(name)
        if read(f"{point}/full/{name}") != read(f"{work}/source/{name}"):
            yield f"{name} differs"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        make_store(work, 2_000_000, (*(f"others/{i}.bin" for i in range(3)),
                                     *(f"two/{i}.bin" for i in range(2))))
        with mounted(work, f"tier_dir={make_tier(work, 'tier')},tier_size=1G") as (web, point,
                                                                                   reader):
            reader.start()
            web.waiting.wait(HANG_S)
            until(lambda: json.loads(read(f"{point}/.lodfs/stats"))["loads"]["in_flight"])
            web.loads.clear()
            results.add("a warmup beside a reader pauses", beside(web, point))
            results.add("with -j it does not", chosen(web, point))
            results.add("the reader gets its bytes", undisturbed(web, work, point, reader))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
