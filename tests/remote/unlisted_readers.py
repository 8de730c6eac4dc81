# SPDX-License-Identifier: Apache-2.0
"""Validation beside a job: while a reader of a record that no job has listed waits for the server,
listed records are loaded by one small request at a time. Without such a reader they are not.
"""
import json
import sys
import time

from held import HELD, LOAD_S, make_store, mounted
from mounted import HANG_S, Results, Work, need_fuse
from small import read, until
from tier_lists import ask

FIRST = "listed/0.bin"       # in record 2
LISTED = range(3, 13)        # records
SMALL = (1 << 20) + 300_000  # bytes of a request, with a frame that begins in its last bytes
JOB = 7


def side_by_side(loads):
    """Returns the most loads that were in flight together."""
    return max((sum(other.begun <= load.begun < other.ended for other in loads) for load in loads),
               default=0)


def ready(point, done=0):
    return ask(point, JOB, len(LISTED), [], done)[0]


def alone(web, point):
    """Only the job reads."""
    ask(point, JOB, 0, LISTED[:5], 0)
    if not until(lambda: ask(point, JOB, 5, [], 0)[0] == 5):
        yield "the first records of the list were not loaded"
    if side_by_side(web.loads) < 2 or max(load.bytes for load in web.loads) <= SMALL:
        yield f"without a reader outside the list: {web.loads}"


def beside(web, point, reader):
    reader.start()
    web.waiting.wait(HANG_S)
    until(lambda: json.loads(read(f"{point}/.lodfs/stats"))["ahead"]["reads_outside"])
    time.sleep(LOAD_S)  # its load begins
    web.loads.clear()
    ask(point, JOB, 5, LISTED[5:], 0)
    time.sleep(8 * LOAD_S)
    loads = list(web.loads)
    if len(loads) < 2:
        yield f"the list waits for the reader: {loads}"
    if side_by_side(loads) > 1:
        yield f"{side_by_side(loads)} requests side by side: {loads}"
    if any(load.bytes > SMALL for load in loads):
        yield f"large requests: {loads}"


def afterwards(web, work, point, reader):
    web.released.set()
    reader.join(HANG_S)
    if not until(lambda: ready(point) == len(LISTED)):
        yield f"{ready(point)} of {len(LISTED)} listed records were loaded"
    for name in HELD, FIRST, "listed/9.bin":
        if read(f"{point}/full/{name}") != read(f"{work}/source/{name}"):
            yield f"{name} differs"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        make_store(work, 4_000_000, (f"listed/{i}.bin" for i in range(len(LISTED) + 1)))
        with mounted(work, "cache_size=128M,cache=none") as (web, point, reader):
            read(f"{point}/full/{FIRST}")  # the speed is known from here on
            web.loads.clear()
            results.add("a list alone", alone(web, point))
            results.add("a list beside a reader outside it", beside(web, point, reader))
            results.add("both get their bytes", afterwards(web, work, point, reader))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
