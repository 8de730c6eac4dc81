# SPDX-License-Identifier: Apache-2.0
"""
A machine whose /proc is not mounted, and one whose kernel has no PSI. Commands work on it, and an
automatic cache still gives memory back.

Fails if a command without the table of mounts fails or does not recognise a mount; if two threads
of unpack need /proc at once; or if the mount notices only by PSI that memory is short.
"""
import os
import subprocess
import sys

from memory_cgroup import JOIN, LIMIT, Group, start
from mounted import Results, Work, lodfs, need_fuse, skip
from small import SECONDS_MAX, make_store, read, until, write

PRESSURE = "/proc/pressure"

# argv: the files of the group. Uses memory until less than 600 KiB are left, and keeps it.
HOG = """
import os, sys, time
group = sys.argv[1]
v1 = os.path.exists(f"{group}/memory.usage_in_bytes")
names = ("limit_in_bytes", "usage_in_bytes") if v1 else ("max", "current")
kept = []
while True:
    limit, usage = (int(open(f"{group}/memory.{name}").read()) for name in names)
    stat = dict(line.split() for line in open(f"{group}/memory.stat"))
    if limit - usage + int(stat["inactive_file"]) > 600 << 10:
        kept.append(bytearray(128 << 10))
    time.sleep(.005)
"""


def wrong(code, words, *arguments):
    """Runs lodfs; yields an error unless it exits with `code` and prints these words."""
    done = lodfs(*arguments, check=False)
    text = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode != code or words not in text:
        yield f"lodfs {' '.join(arguments)}: exit {done.returncode}: {text}"


def commands(source, store, point, target):
    """Yields what fails in this namespace, whose /proc is empty."""
    yield from wrong(0, "", "pack", "-q", "--scans=default", source, f"{target}.store")
    yield from wrong(0, "", "mount", store, point)
    yield from wrong(1, "is mounted there", "mount", store, point)
    yield from wrong(0, "fidelity", "info", point)
    if read(f"{point}/original/large.bin") != read(f"{source}/large.bin"):
        yield "the mount has wrong bytes"
    yield from wrong(0, "", "umount", point)
    yield from wrong(1, "no lodfs is mounted there", "umount", point)
    for turn in range(8):  # repeated, since two threads meet only by chance
        yield from wrong(0, "", "unpack", "-q", "-j4", f"{target}.store",
                         f"{target}.{turn}")
    yield from wrong(0, "is sound", "verify", store)


def gives_back(store, point, log):
    """In this namespace, without PSI, the mount notices that other processes of its cgroup leave no
    memory.
    """
    with Group(LIMIT) as group:
        if not group.path:
            print("not tested: no memory cgroup can be made here", file=sys.stderr)
            return
        server = start(group, "gpu=off", store, point, log)
        with subprocess.Popen(["sh", "-c", JOIN, "sh", f"{group.path}/cgroup.procs",
                               sys.executable, "-c", HOG, group.path]) as hog:
            if not until(lambda: b"memory is short: the cache is limited to" in read(log)):
                yield f"the cache keeps its size: {read(log)!r}, hog {hog.poll()}"
            hog.kill()
        if server.poll() is not None:
            yield f"the server ended with {server.returncode}"
        lodfs("umount", point)
        if server.wait(SECONDS_MAX):
            yield f"the server ends with {server.returncode}"


INSIDE = {"commands": commands, "gives_back": gives_back}


def hidden(hide, name, *arguments):
    """Runs a function of INSIDE where `hide` hides files of the kernel. Other programs see them:
    this one has a namespace of its own."""
    done = subprocess.run(["unshare", "-m", "sh", "-ec", f'{hide} && exec "$@"', "sh",
                           sys.executable, __file__, name, *arguments], check=False,
                          capture_output=True, text=True)
    print(done.stderr, end="")
    yield from done.stdout.splitlines()
    if done.returncode:
        yield f"{name}: exit {done.returncode}"


def main():
    need_fuse()
    if os.geteuid() != 0:
        skip("only root can hide files of the kernel")
    results = Results()
    no_psi = f"mount -t tmpfs none {PRESSURE}" if os.path.isdir(PRESSURE) else "true"
    with Work() as work:
        source, store, point = make_store(work)
        for number in range(64):  # so that all threads of unpack have one at a time
            write(f"{source}/many/{number}", os.urandom(2000))
        results.add("without /proc", hidden("umount -l /proc", "commands", source, store, point,
                                            f"{work}/out"))
        results.add("without PSI", hidden(no_psi, "gives_back", store, point, f"{work}/log"))
    return results.finish()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for error in INSIDE[sys.argv[1]](*sys.argv[2:]):
            print(error)
        sys.exit(0)
    sys.exit(main())
