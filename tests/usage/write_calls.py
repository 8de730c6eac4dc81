# SPDX-License-Identifier: Apache-2.0
"""
Every call that writes (write_calls.c, about 130) fails on a mount, and changes neither the files of
the mount nor the store. If root makes the mount writable by a remount, calls that reach the server
fail too.

The test fails if a mount is not read-only, if a call has another errno than on other read-only file
systems, or if a file looks shorter after an open with O_TRUNC.
"""
import ctypes
import errno
import os
import subprocess
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse
from small import files_below, read, write

MS_NOSUID, MS_NODEV, MS_REMOUNT = 2, 4, 32


def make_source(source):
    write(f"{source}/file", os.urandom(20_000))
    write(f"{source}/folder/inner", b"inner\n")
    os.symlink("file", f"{source}/link")


def shown(top):
    """path -> all that stat shows but atime, and the bytes."""
    found = {}
    for path, folders, names in os.walk(os.fsencode(top)):
        for name in folders + names:
            full = os.path.join(path, name)
            st = os.lstat(full)
            found[full] = (st.st_mode, st.st_uid, st.st_gid, st.st_nlink, st.st_size,
                           st.st_mtime_ns, st.st_ino,
                           os.readlink(full) if os.path.islink(full) else
                           None if os.path.isdir(full) else read(full))
    return found


def stored(store):
    return {name: read(os.path.join(os.fsencode(store), name)) for name in files_below(store)}


def all_calls(point, outside, tree):
    before = shown(f"{point}/{tree}")
    done = subprocess.run([os.environ["WRITE_CALLS"], f"{point}/{tree}", outside], check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=240)
    lines = (done.stdout + done.stderr).decode().splitlines()
    for line in lines:
        if line.startswith("SKIP: "):
            print(line)
    if done.returncode:
        yield from [line for line in lines if not line.startswith("SKIP: ")]
    if shown(f"{point}/{tree}") != before:
        yield "the mount shows something else"
    if os.listdir(outside):
        yield f"something is left outside: {os.listdir(outside)}"


def remounted(point):
    """Root may take the `ro` off a mount; the server has no call that writes."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = shown(f"{point}/full")
    if libc.mount(b"none", os.fsencode(point), None, MS_REMOUNT | MS_NOSUID | MS_NODEV, None):
        print(f"SKIP: remount: {errno.errorcode[ctypes.get_errno()]}")
        return
    for flags in (os.O_TRUNC | os.O_WRONLY, os.O_TRUNC, os.O_RDWR, os.O_RDWR | os.O_APPEND):
        try:
            file = os.open(f"{point}/full/file", flags)
        except OSError:
            continue
        try:
            os.write(file, b"other")
        except OSError:
            pass
        else:
            yield f"a write to a file opened with {flags:#x} succeeds"
        os.close(file)
    for call in (os.truncate, lambda path, _: os.remove(path), os.chmod):
        try:
            call(f"{point}/full/file", 0)
        except OSError:
            pass
        else:
            yield "a call that writes succeeds"
    if shown(f"{point}/full") != before:
        yield "the mount shows something else"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point, outside = (f"{work}/{name}" for name in ("source", "store", "mount",
                                                                       "outside"))
        make_source(source)
        os.mkdir(outside)
        lodfs("pack", "-q", source, store)
        before = stored(store)
        for options in ("gpu=off", "gpu=off,cache=none"):
            with Mount(store, point, "-o", options):
                for tree in ("full", "original"):
                    results.add(f"{options}, {tree}", all_calls(point, outside, tree))
        if os.geteuid() == 0:
            with Mount(store, point, "-o", "gpu=off"):
                results.add("remounted", remounted(point))
        else:
            print("SKIP: remount needs root")
        results.add("the store", [] if stored(store) == before else ["it has changed"])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
