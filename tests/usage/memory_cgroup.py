# SPDX-License-Identifier: Apache-2.0
"""
A mount in a memory cgroup: it makes images of more bytes than the cgroup has, twice, and lives.
The first mount has a cache_size that fits. The second has none, so it has to find the limit itself.

The test fails if the cache passes its size, if a server keeps memory for each byte that it has
served, or if the usual size of the cache does not follow the limit of the cgroup.
"""
import os
import subprocess
import sys

from long import counted
from mounted import Results, Work, lodfs, need_fuse, skip
from small import SECONDS_MAX, read, until, write

MIB = 1 << 20
FILES, WIDTH, HEIGHT = 36, 1400, 1000
LIMIT = 64 * MIB
OPTIONS = ("gpu=off,cache_size=16M", "gpu=off", "gpu=off,store_cache=private")
PASSES, PASSES_LONG = 2, 20

# A shell that joins the cgroup and then executes the server.
JOIN = 'echo $$ >"$1" && shift && exec "$@"'


class Group:
    """A cgroup of its own with a limit, of version 2 or 1; None as its path: none can be made."""

    def __init__(self, limit):
        self.path = None
        for top, name in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
                          ("/sys/fs/cgroup", "memory.max")):
            path = f"{top}/lodfs-test-{os.getpid()}"
            try:
                os.mkdir(path)
            except OSError:
                continue
            try:
                with open(f"{path}/{name}", "w", encoding="ascii") as file:
                    file.write(str(limit))
                self.path = path
                return
            except OSError:
                os.rmdir(path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.path:
            until(lambda: not read(f"{self.path}/cgroup.procs"))
            os.rmdir(self.path)


def image(number):
    """A lossless image; the mount makes its file, and keeps it while the cache has room."""
    row = bytes((x * (number + 3) // 7) & 0xff for x in range(3 * WIDTH))
    return b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + \
        b"".join(row[3 * y:] + row[:3 * y] for y in range(HEIGHT))


def start(group, options, store, point, log):
    with open(log, "wb") as out:
        server = subprocess.Popen(
            ["sh", "-c", JOIN, "sh", f"{group.path}/cgroup.procs", os.environ["LODFS"], "mount",
             "-f", "-o", options, store, point], stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    until(lambda: os.path.ismount(point) or server.poll() is not None)
    return server


def read_all(source, point):
    for name in sorted(os.listdir(source)):
        file = os.open(f"{point}/full/{name}", os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)  # the next pass asks the server too
        os.close(file)
        try:
            if read(f"{point}/full/{name}") != read(f"{source}/{name}"):
                yield f"{name}: wrong bytes"
        except OSError as error:
            yield f"{name}: {error}"


def served(group, options, source, store, point, log):
    server = start(group, options, store, point, log)
    if server.poll() is not None:
        yield f"not mounted: {read(log)!r}"
        return
    for _ in range(counted(PASSES, PASSES_LONG)):
        yield from read_all(source, point)
    if server.poll() is not None:
        yield f"the server ended with {server.returncode}"
    lodfs("umount", point, check=False)
    if server.wait(SECONDS_MAX):
        yield f"the server ends with {server.returncode}"
    subprocess.run(["umount", "-l", point], check=False, stderr=subprocess.DEVNULL)


def main():
    need_fuse()
    results = Results()
    with Work() as work, Group(LIMIT) as group:
        if not group.path:
            skip("no memory cgroup can be made here")
        source, store, point = f"{work}/source", f"{work}/store", f"{work}/mount"
        for number in range(FILES):
            write(f"{source}/{number}.ppm", image(number))
        lodfs("pack", "-q", source, store)
        os.mkdir(point)
        for options in OPTIONS:
            results.add(f"{FILES * len(image(0)) // MIB} MiB through {LIMIT // MIB} MiB, {options}",
                        served(group, options, source, store, point, f"{work}/log"))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
