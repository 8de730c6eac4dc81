# SPDX-License-Identifier: Apache-2.0
"""
A store behind a server that makes faults. A fault that passes is not seen by readers; one that
stays gives an error in time. No reader ever gets a wrong byte.
"""
import glob
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from faults import ALWAYS, Faults
from long import counted, shared
from mounted import Mount, Results, Work, need_fuse
from remote_files import differing, fails, prepared, shown, timed, wrong_bytes
from small import Foreground, read

PASSING = ("late", "status500", "status503", "status429", "status404", "reset", "close", "empty",
           "headers", "short", "shifted", "whole", "gzip", "long", "flip", "garbage", "nowhere")
STAYING = ("status404", "status403", "short", "shifted", "whole", "gzip", "total", "flip",
           "garbage", "etag", "redirect")
TREES = ("q2", "full")
FAULTS, FAULTS_LONG = 50, 1_000  # of each passing kind; a tenth as many of kinds that take seconds
MOST = 15  # faults in one mount: more would use up its budget of retries
SIDE_BY_SIDE = 6  # they mostly wait
LONGEST_S = 60
END_S, END_TRIES = 5, 4  # the shortest of some tries counts: a busy machine delays the daemon


def passing(kind, server, point, truth):
    """From the first request of a mount on, each range is answered wrongly once."""
    made = mounts = 0
    longest = 0.
    while made < counted(FAULTS, FAULTS_LONG) / (10 if kind == "late" else 1):
        server.set(kind, rate=1 if mounts == 0 else .5, most=MOST)
        with Mount(server.url, point, "-o", f"cache_size={mounts % 2}M"):
            found, seconds = timed(point, TREES)
        yield from differing(truth, found)
        made, mounts, longest = made + server.made, mounts + 1, max(longest, seconds)
        if not made:
            yield "no fault was made"
            return
    print(f"    {kind}: {made} faults in {mounts} mounts, {longest:.1f} s at most")
    if longest > LONGEST_S:
        yield f"a reader waited {longest:.0f} s"


def passed(kind, store, work, truth):
    """(kind, the findings), behind a server of its own."""
    point = f"{work}/{kind}"
    os.mkdir(point)
    with Faults(store) as server:
        return kind, list(passing(kind, server, point, truth))


def staying(kind, server, point, truth):
    """All answers are wrong from some moment on, then right again."""
    server.set("none")
    with Mount(server.url, point, "-o", "cache_size=0"):
        os.listdir(f"{point}/full/photos")
        server.set(kind, ALWAYS)
        start = time.monotonic()
        found = shown(point, TREES)
        took = time.monotonic() - start
        yield from wrong_bytes(truth, found)
        if not any(isinstance(data, int) for data in found.values()):
            yield "no reader saw an error"
        if took > LONGEST_S * len(found):
            yield f"{took:.0f} s for {len(found)} files"


def dead(server, point, log, truth):
    """A server that fails for long: an error in time, then at once, and right when it is back."""
    server.set("none")
    with Foreground(server.url, point, log):
        names = sorted(name for name in truth if name.startswith(b"full/photos"))
        server.set("status500", ALWAYS)
        seconds = []
        for name in names[:3]:
            start = time.monotonic()
            try:
                read(os.path.join(os.fsencode(point), name))
                yield "a dead server served"
            except OSError:
                seconds.append(time.monotonic() - start)
        if max(seconds) > LONGEST_S:
            yield f"a reader waited {max(seconds):.0f} s"
        server.set("none")
        end = time.monotonic() + LONGEST_S
        while time.monotonic() < end:
            found = shown(point, TREES)
            if not list(differing(truth, found)):
                break
            time.sleep(.2)
        else:
            yield "it is not right again"
    if b"HTTP 500" not in read(log):
        yield f"the log does not say why: {read(log)[:400]!r}"


def stopped(server, point, log):
    """A mount whose server does not answer any more ends at a signal."""
    ends = []
    while len(ends) < END_TRIES and not any(0 <= took < END_S for took in ends):
        ends.append(end_while_hung(server, point, log))
    if min(ends) < 0 or min(ends) >= END_S:
        yield f"it ended after {ends} s; -1 is not at all"


def end_while_hung(server, point, log):
    """Returns how long a signalled mount takes to end; -1: it does not."""
    server.set("none")
    with Foreground(server.url, point, log) as daemon:
        server.set("hang", ALWAYS)
        reader = os.fork()
        if reader == 0:
            try:
                shown(point, ("full",))
            finally:
                os._exit(0)
        time.sleep(.3)
        start = time.monotonic()
        status = daemon.end(15)
        took = time.monotonic() - start
        os.waitpid(reader, 0)
    return -1 if status is None else took


def flipped(store, copy):
    """A copy of the store with one wrong byte in its largest record."""
    shutil.copytree(store, copy)
    name = max(glob.glob(f"{copy}/records/*"), key=os.path.getsize)
    with open(name, "r+b") as file:
        file.seek(-100, os.SEEK_END)
        byte = file.read(1)
        file.seek(-100, os.SEEK_END)
        file.write(bytes([byte[0] ^ 4]))
    return copy


def verified(server, damaged):
    """A flip on the way is read again, and one in a record is reported."""
    for among in "index", "records/":
        server.set("flip", among=among)
        yield from fails(("verify", server.url), 0, "is sound")
        if not server.made:
            yield f"no answer of {among} was changed"
    with Faults(damaged) as other:
        yield from fails(("verify", other.url), 1, "damage")


def at_mount(results, server):
    for kind, code, text in (("status403", 1, "HTTP 403"), ("status404", 10, "no manifest.json"),
                             ("html", 1, "ranges"), ("garbage", 1, "damaged"),
                             ("redirect", 1, "redirects"), ("total", 1, "does not match"),
                             ("nested", 1, "HTTP 403"), ("escapes", 1, "HTTP 403"),
                             ("endless", 1, "HTTP 403"), ("blank", 1, "is empty"),
                             ("unsatisfiable", 1, "is empty")):
        server.set(kind, ALWAYS)
        results.add(f"refused at once: {kind}", fails(("info", server.url), code, text))


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        store, point, truth = prepared(work, TREES)
        log = f"{work}/log"
        with Faults(store) as server:
            with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
                for kind, wrong in pool.map(lambda kind: passed(kind, store, work, truth),
                                            shared(PASSING)):
                    results.add(f"once: {kind}", wrong)
            for kind in STAYING:
                results.add(f"always: {kind}", staying(kind, server, point, truth))
            results.add("a server that is dead for a while", dead(server, point, log, truth))
            results.add("SIGTERM while requests hang", stopped(server, point, log))
            results.add("verify", verified(server, flipped(store, f"{work}/flipped")))
            at_mount(results, server)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
