# SPDX-License-Identifier: Apache-2.0
"""
The clock of the machine is set back by a day while a job has a list on a mount, as when a wrong
clock is mended. The list is kept and dropped as before, the counters stay right, a switch of `auto`
is seen, and the mount ends at once. SET_BACK names the library that stands for the clock.
"""
import importlib.util
import json
import os
import signal
import sys

from mounted import Results, Work, need_fuse, skip
from small import Foreground, files_below, make_store, read, until

if not importlib.util.find_spec("numpy"):
    skip("there is no NumPy, which the Python package needs")
sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))

import lodfs

KEPT_S = 2


def stats(point):
    return json.loads(read(f"{point}/.lodfs/stats"))


def set_back(client, point, signal_file):
    before = client.ahead(1, "q4", 0, [1], keep_s=600)
    open(signal_file, "w", encoding="ascii").close()
    uptime = stats(point)["mount"]["uptime_seconds"]
    if not 0 <= uptime < 3600:
        yield f"the mount began {uptime} seconds ago"
    if client.ahead(1, "q4", 1, [], keep_s=600).total != before.total:
        yield "a list is dropped when the clock is set back"
    client.ahead(1, "q4", 1, [], keep_s=KEPT_S)
    if not until(lambda: stats(point)["ahead"]["lists"] == 0):
        yield f"a list that is kept for {KEPT_S} seconds is still there"


def reads(client, source, point):
    for level in "q1", "full":
        client.auto = level
        if os.readlink(f"{point}/auto") != level:
            yield f"auto leads to {os.readlink(f'{point}/auto')}, not {level}"
    for name in files_below(source):
        path = os.fsencode(point) + b"/auto/" + name
        if os.access(path, os.R_OK) and read(path) != read(os.fsencode(source) + b"/" + name):
            yield f"{name} has other bytes"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = make_store(work)
        shim = {"LD_PRELOAD": os.environ["SET_BACK"], "LODFS_SET_BACK": f"{work}/set-back"}
        with Foreground(store, point, f"{work}/log", "-o", "gpu=off", env=shim) as mount:
            client = lodfs.Mount(point)
            results.add("set back", set_back(client, point, shim["LODFS_SET_BACK"]))
            results.add("reads and switches", reads(client, source, point))
            code = mount.end(signal.SIGTERM)
            results.add("the end", [] if code == 0 else [f"exit {code}"])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
