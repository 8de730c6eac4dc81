# SPDX-License-Identifier: Apache-2.0
"""Helpers of the mount tests: a small source and its store, and a daemon in the foreground."""
import errno
import os
import signal
import subprocess
import time

from mounted import lodfs

SECONDS_MAX = 120  # a busy machine takes long for a thing of milliseconds
NS = 10**9
TREES = [f"q{k}" for k in range(1, 11)] + ["full", "original"]


def write(path, data, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)
    os.chmod(path, mode)


def make_source(folder):
    """Writes photographs, a file of many frames, an empty one, a link, odd names and old times."""
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
    """Makes a source and packs it. Returns (source, store, mount point), folders of `work`."""
    source, store, point = (os.path.join(work, name) for name in ("source", "store", "mount"))
    os.chmod(work, 0o755)
    os.mkdir(source)
    make_source(source)
    lodfs("pack", "--scans=default", source, store)
    os.mkdir(point)
    return source, store, point


def files_below(folder):
    """Yields the relative paths, as bytes, of all regular files."""
    top = os.fsencode(folder)
    for path, _, names in os.walk(top):
        for name in names:
            full = os.path.join(path, name)
            if not os.path.islink(full):
                yield os.path.relpath(full, top)


def read(path):
    with open(path, "rb") as data:
        return data.read()


def flip(path, at):
    """Changes one bit of a byte. A second call changes it back."""
    with open(path, "r+b") as file:
        byte = os.pread(file.fileno(), 1, at)[0]
        os.pwrite(file.fileno(), bytes([byte ^ 4]), at)


def same(path, data):
    """Returns whether the file has these bytes; False is EIO. Raises on other bytes."""
    try:
        if read(path) != data:
            raise AssertionError(f"{path}: wrong bytes")
        return True
    except OSError as error:
        assert error.errno == errno.EIO, error
        return False


def forget_pages(folder):
    """The kernel forgets the bytes of the files below, so that they are read from the storage."""
    for name in files_below(folder):
        file = os.open(os.path.join(os.fsencode(folder), name), os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def until(condition, seconds=SECONDS_MAX):
    """Blocks until condition() is true, or `seconds` have passed. Returns the last condition()."""
    end = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < end:
        time.sleep(.02)
    return met


def processes(matches):
    """Returns the ids of the processes whose command line, as a list of words, matches."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if matches(read(f"/proc/{pid}/cmdline").split(b"\0")):
                found.append(int(pid))
        except OSError:  # it has ended meanwhile
            continue
    return found


def daemons(path):
    """Returns the ids of the processes of mounts that were started with this path."""
    return processes(lambda words: os.fsencode(path) in words and b"mount" in b" ".join(words[:2]))


def are_stopped(pid):
    """Returns whether all threads of a process are."""
    tasks = f"/proc/{pid}/task"
    return all(read(f"{tasks}/{task}/stat").rsplit(b") ", 1)[1][:1] == b"T"
               for task in os.listdir(tasks))


def stop(*pids):
    """
    Stops processes. Blocks until all their threads are stopped, and returns whether they are; False
    without a process. A thread that still runs can take a request, and no signal ends a program
    whose request was taken.
    """
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    return bool(pids) and until(lambda: all(map(are_stopped, pids)))


class Foreground:
    """
    with Foreground(store, point, log, options): `lodfs mount -f`, its stderr in file `log`.
    `under`: the program that starts it, such as nohup. `env`: variables beside the others.
    """

    def __init__(self, store, point, log, *options, under=(), env=()):
        self.store, self.point, self.log, self.options = store, point, log, options
        self.under, self.env = under, dict(os.environ, **dict(env))

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*self.under, os.environ["LODFS"], "mount", "-f", *self.options, self.store,
                 self.point],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env)
        if not until(lambda: os.path.ismount(self.point) or self.process.poll() is not None):
            raise RuntimeError("not mounted in time")
        return self

    def end(self, number, seconds=SECONDS_MAX):
        """Sends a signal. Returns the exit status, or None if the daemon does not end."""
        self.process.send_signal(number)
        try:
            return self.process.wait(seconds)
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


def end_under(mount, threads, turn, number):
    """Starts threads that use a mount in the foreground until it fails, and ends it with a signal,
    later in each turn. Yields what hangs."""
    for thread in threads:
        thread.start()
    time.sleep(.05 * turn)
    if mount.end(number) is None:
        yield f"turn {turn}: the daemon does not end after signal {number}"
        return
    for thread in threads:
        thread.join(SECONDS_MAX)
        if thread.is_alive():
            yield f"turn {turn}: a thread hangs"
