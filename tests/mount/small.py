# SPDX-License-Identifier: Apache-2.0
"""A small source and its store, for the tests of mounting; and a daemon held in the foreground."""
import os
import subprocess
import time

from mounted import lodfs

SECONDS_MAX = 20
NS = 10**9
TREES = [f"q{k}" for k in range(1, 11)] + ["full", "original"]


def write(path, data, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)
    os.chmod(path, mode)


def make_source(folder):
    """Photographs, a file of many frames, an empty one, links, odd names, times before 1970."""
    subprocess.run([os.environ["PHOTOGRAPHS"], os.path.join(folder, "photos"), "8"], check=True,
                   stdout=subprocess.DEVNULL)
    write(f"{folder}/large.bin", os.urandom(700_001))
    write(f"{folder}/labels/train.csv", b"name,label\n" * 500)
    write(f"{folder}/labels/empty", b"")
    write(f"{folder}/labels/secret", b"only for its owner\n", 0o600)
    write(os.fsencode(folder) + b"/odd/new\nline \\ \xff.bin", b"odd\n")
    os.symlink("../labels/train.csv", f"{folder}/odd/link")
    os.mkdir(f"{folder}/odd/nothing here")
    os.utime(f"{folder}/labels/empty", ns=(0, -1_500_000_001))
    os.utime(f"{folder}/large.bin", ns=(0, 1_700_000_000 * NS + 123_456_789))


def make_store(work):
    """(source, store, mount point) below `work`."""
    source, store, point = (os.path.join(work, name) for name in ("source", "store", "mount"))
    os.chmod(work, 0o755)
    os.mkdir(source)
    make_source(source)
    lodfs("pack", "--scans=default", source, store)
    os.mkdir(point)
    return source, store, point


def files_below(folder):
    """Relative paths, as bytes, of all regular files."""
    top = os.fsencode(folder)
    for path, _, names in os.walk(top):
        for name in names:
            full = os.path.join(path, name)
            if not os.path.islink(full):
                yield os.path.relpath(full, top)


def read(path):
    with open(path, "rb") as data:
        return data.read()


def until(condition):
    """Waits for condition(); whether it came true."""
    end = time.monotonic() + SECONDS_MAX
    while not condition() and time.monotonic() < end:
        time.sleep(.02)
    return condition()


class Foreground:
    """with Foreground(store, point, log, options): `lodfs mount -f`, its stderr in file `log`."""

    def __init__(self, store, point, log, *options):
        self.store, self.point, self.log, self.options = store, point, log, options

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [os.environ["LODFS"], "mount", "-f", *self.options, self.store, self.point],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        if not until(lambda: os.path.ismount(self.point) or self.process.poll() is not None):
            raise RuntimeError("not mounted in time")
        return self

    def end(self, number):
        """Sends a signal; the exit status, or None if it goes on."""
        self.process.send_signal(number)
        try:
            return self.process.wait(SECONDS_MAX)
        except subprocess.TimeoutExpired:
            return None

    def __exit__(self, *_):
        if self.process.poll() is None:
            lodfs("umount", self.point, check=False)
            try:
                self.process.wait(SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
