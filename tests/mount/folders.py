# SPDX-License-Identifier: Apache-2.0
"""Large folders are listed completely and in order, in time proportional to the number of names."""
import os
import sys
import time

from mounted import Mount, Results, Work, lodfs, need_fuse
from small import Foreground, daemons
from requests import count

WITH_ATTRIBUTES = 20_000  # READDIRPLUS returns the attributes of all
NAMES_ALONE = 70_000      # above the limit of folder.c: READDIR returns names only
CPU_S_MAX = 20            # of the mount; a listing that looks each name up takes minutes


def make(folder, names):
    os.makedirs(folder)
    for number in range(names):
        os.close(os.open(f"{folder}/{number:07}", os.O_CREAT | os.O_WRONLY, 0o644))


def cpu_s(store):
    """Returns the seconds of CPU that the mount of the store has taken; other programs add none."""
    pid, = daemons(store)
    return time.clock_gettime(~pid << 3 | 2)


def listed(store, folder, names):
    start = cpu_s(store)
    found = [entry.name for entry in os.scandir(folder)]
    if found != [f"{number:07}" for number in range(names)]:
        yield f"{len(found)} names of {names} are listed, or the order is wrong"
    took = cpu_s(store) - start
    if took > CPU_S_MAX:
        yield f"the listing took {took:.1f} s of CPU"


def looked_up(folder, names):
    for number in range(0, names, 97):
        if os.stat(f"{folder}/{number:07}").st_size != 0:
            yield f"{number}: the file is not empty"
    for name in (f"{names:07}", "0000000x", "!", "~"):
        if os.path.exists(f"{folder}/{name}"):
            yield f"{name} exists"


def attributes_come_along(store, point, log):
    """After a listing, stat of each name sends no request."""
    with Foreground(store, point, log, "-d"):
        yield from listed(store, f"{point}/full/middle", WITH_ATTRIBUTES)
        before = count(log)
        for number in range(WITH_ATTRIBUTES):
            os.stat(f"{point}/full/middle/{number:07}")
        sent = count(log) - before
        if sent:
            yield f"stat after the listing sent {dict(sent)}"
        if before["READDIRPLUS"] > WITH_ATTRIBUTES / 20:
            yield f"the listing took {before['READDIRPLUS']} requests"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = (f"{work}/{name}" for name in ("source", "store", "mount"))
        make(f"{source}/large", NAMES_ALONE)
        make(f"{source}/middle", WITH_ATTRIBUTES)
        lodfs("pack", source, store)
        with Mount(store, point):
            for name, names in (("large", NAMES_ALONE), ("middle", WITH_ATTRIBUTES)):
                for tree in ("q1", "full"):
                    results.add(f"{tree}/{name} is listed completely and in order",
                                listed(store, f"{point}/{tree}/{name}", names))
                results.add(f"lookups in {name} find its names and no others",
                            looked_up(f"{point}/q5/{name}", names))
        results.add("a listing returns the attributes too",
                    attributes_come_along(store, point, f"{work}/log"))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
