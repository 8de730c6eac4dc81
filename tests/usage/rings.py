# SPDX-License-Identifier: Apache-2.0
"""
-o io_uring: the mount serves the bytes that it serves through /dev/fuse, switches `auto` under
readers, and ends under them. Where libfuse or the kernel has no io_uring, it says so in one line
and serves through /dev/fuse.
"""
import os
import signal
import subprocess
import sys
import threading

from auto import under_load
from mounted import Mount, Results, Work, lodfs, need_fuse
from small import (TREES, Foreground, daemons, end_under, files_below, make_store, read,
                   until)

READERS = 4


def rings(store):
    """Returns how many threads of io_uring serve the mount of this store."""
    names = [read(f"/proc/{pid}/task/{task}/comm") for pid in daemons(store)
             for task in os.listdir(f"/proc/{pid}/task")]
    return sum(name.startswith(b"fuse-ring") for name in names)


def bytes_of(point):
    """Returns the bytes of all files, by their names."""
    return {(tree, name): read(os.path.join(os.fsencode(f"{point}/{tree}"), name))
            for tree in TREES + ["tar"] for name in files_below(f"{point}/{tree}")}


def same_bytes(store, point):
    with Mount(store, point):
        wanted = bytes_of(point)
    with Mount(store, point, "-o", "io_uring"):
        found = bytes_of(point)
        if os.readlink(f"{point}/full/odd/link") != "../labels/train.csv":
            yield "a link leads elsewhere"
    yield from [f"{name}: other bytes" for name in wanted.keys() | found.keys()
                if wanted.get(name) != found.get(name)]


def says_so(store, point):
    """Prints one line if there are no rings, also in the background, and none if there are. A store
    that parallel requests read faster gets none, and neither does -s."""
    for options in ("io_uring", "io_uring,store_cache=private",
                    "io_uring,download_latency=1,download_parallel=4"):
        done = lodfs("mount", store, point, "-o", options)
        lines, count = done.stderr.decode().splitlines(), rings(store)
        if bool(lines) == bool(count) or any("io_uring" not in line for line in lines):
            yield f"{options}: with {count} threads of io_uring it prints {lines}"
        if count and options != "io_uring":
            yield f"{options}: io_uring is used"
        lodfs("umount", point)
    os.environ["FUSE_URING_ENABLE"] = "1"  # libfuse's variable
    for options in ((), ("-s", "-o", "io_uring")):
        with Mount(store, point, *options):
            if rings(store):
                yield f"{options}: io_uring is used"
    del os.environ["FUSE_URING_ENABLE"]


def switches(store, point):
    with Mount(store, point, "-o", "io_uring"):
        yield from under_load(point, 300)


def read_until_gone(point, names, turn):
    try:
        while True:
            for name in names[turn:] + names[:turn]:
                read(os.path.join(os.fsencode(f"{point}/q3"), name))
    except OSError:
        pass


def ends(store, point, log, number, *options):
    """Ends a mount with a signal while others read from it: no reader and no daemon hangs."""
    with Mount(store, point):
        names = list(files_below(f"{point}/q3"))
    for turn in range(5):
        with Foreground(store, point, log, "-o", ",".join(("io_uring", "cache=none") + options)
                        ) as mount:
            threads = [threading.Thread(target=read_until_gone, args=(point, names, reader),
                                        daemon=True) for reader in range(READERS)]
            wrong = list(end_under(mount, threads, turn, number))
        subprocess.run(["umount", "-l", point], check=False, stderr=subprocess.DEVNULL)
        if wrong:
            yield from wrong
            return


def dead(store, point):
    """A mount whose daemon was killed is replaced at once, while the kernel ends its requests."""
    for _ in range(5):
        lodfs("mount", store, point, "-o", "io_uring")
        for pid in daemons(store):
            os.kill(pid, signal.SIGKILL)
        until(lambda: not daemons(store))
        done = lodfs("mount", store, point, "-o", "io_uring", check=False)
        if done.returncode:
            yield f"exit {done.returncode}, {done.stderr!r}"
            return
        lodfs("umount", point)


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        _, store, point = make_store(work)
        results.add("io_uring is used, or a line says why not", says_so(store, point))
        with Mount(store, point, "-o", "io_uring"):
            count = rings(store)
        if not count:
            print("SKIP: libfuse is older than 3.18, or the kernel does not offer io_uring: the "
                  "mounts below are served through /dev/fuse")
        elif count != os.sysconf("SC_NPROCESSORS_CONF"):
            results.add("each processor has a thread", [f"{count} threads"])
        log = f"{work}/log"
        results.add("the bytes are those of /dev/fuse", same_bytes(store, point))
        results.add("300 switches of auto under readers", switches(store, point))
        results.add("SIGTERM ends a mount under readers", ends(store, point, log, signal.SIGTERM))
        results.add("SIGTERM ends it while the store is slow",
                    ends(store, point, log, signal.SIGTERM, "download_latency=300"))
        results.add("SIGKILL ends a mount under readers", ends(store, point, log, signal.SIGKILL))
        results.add("a dead mount is replaced", dead(store, point))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
