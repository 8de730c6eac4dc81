# SPDX-License-Identifier: Apache-2.0
"""
A server is stopped (SIGSTOP) while files are read, as by a debugger or a job scheduler. The kernel
still serves names, attributes and pages from its caches. A waiting reader can be killed. After
SIGCONT all readers continue with right bytes.

The test fails if a pause causes an error in a reader, if the kernel does not cache names,
attributes and pages, or if a waiting reader cannot be killed.
"""
import os
import signal
import subprocess
import sys

from long import counted
from mounted import Results, Work, need_fuse
from small import Foreground, files_below, make_store, read, stop, until

PAUSES, PAUSES_LONG = 8, 80
WAIT_S = 120
WAITS = "what the kernel knows waits for the server"

# Reads the file at random places past the page cache and compares, until it is told to end.
READER = """
import os, random, signal, sys
right = open(sys.argv[1], "rb").read()
file = os.open(sys.argv[2], os.O_RDONLY)
ended = []
signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
chance, count = random.Random(int(sys.argv[3])), 0
print("reading", flush=True)
while not ended:
    at, size = chance.randrange(len(right)), chance.randrange(1, 100_000)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    if os.pread(file, size, at) != right[at:at + size]:
        sys.exit(f"wrong bytes at {at}")
    count += 1
print(count)
"""


def start_reader(source, point, tree, seed):
    reader = subprocess.Popen([sys.executable, "-c", READER, f"{source}/large.bin",
                               f"{point}/{tree}/large.bin", str(seed)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    reader.stdout.readline()
    return reader


def end_reader(reader):
    """Returns complaints about it."""
    reader.send_signal(signal.SIGTERM)
    try:
        text, _ = reader.communicate(timeout=WAIT_S)
    except subprocess.TimeoutExpired:
        reader.kill()
        return ["a reader hangs after SIGCONT"]
    return [] if reader.returncode == 0 and int(text) > 0 else [f"a reader ends with {text}"]


# Operations that the kernel answers from its caches, since it has asked for all of it before. They
# use os.open, since Python's open() sends an ioctl.
KNOWN = """
import os, sys
os.stat(sys.argv[1] + "/full/labels/train.csv")
os.readlink(sys.argv[1] + "/auto")
os.path.exists(sys.argv[1] + "/full/labels/none")
file = os.open(sys.argv[1] + "/full/labels/train.csv", os.O_RDONLY)
if len(os.read(file, 10_000)) != 5500:
    sys.exit("wrong bytes")
"""


def known(point):
    """Returns what is wrong in answers that need no server."""
    try:
        done = subprocess.run([sys.executable, "-c", KNOWN, point], check=False,
                              stderr=subprocess.PIPE, timeout=WAIT_S)
    except subprocess.TimeoutExpired:
        return [WAITS]
    return [] if done.returncode == 0 else [f"what the kernel knows: {done.stderr!r}"]


def waits(pid):
    """Returns whether a process waits for an answer of a FUSE server."""
    return read(f"/proc/{pid}/wchan") in (b"request_wait_answer", b"fuse_request_wait_answer") or \
        b"D" == read(f"/proc/{pid}/stat").rsplit(b") ", 1)[1][:1]


def killed(path):
    """A reader that waits for a stopped server dies of SIGKILL."""
    reader = subprocess.Popen(["cat", path], stdout=subprocess.DEVNULL)
    waited = until(lambda: waits(reader.pid) or reader.poll() is not None)
    if reader.poll() is not None:
        yield f"{path} was read without a server"
    elif not waited:
        yield "a reader does not wait, so nothing is tried"
    reader.kill()
    try:
        reader.wait(WAIT_S)
    except subprocess.TimeoutExpired:
        yield "a reader that waits cannot be killed"


def pauses(source, store, point, log):
    forgotten = 0
    with Foreground(store, point, log, "-o", "gpu=off,cache_size=64K") as server:
        known(point)
        readers = [start_reader(source, point, tree, seed)
                   for seed, tree in enumerate(("q1", "full", "original"))]
        cold = [f"{point}/q{k}/photos/{os.fsdecode(name)}" for k in range(1, 11)
                for name in sorted(files_below(f"{source}/photos"))]
        for path in cold[:counted(PAUSES, PAUSES_LONG)]:
            if not stop(server.process.pid):
                yield "the server does not stop"
            wrong = known(point)
            # The kernel drops caches when it needs memory: sometimes, not in each pause.
            forgotten += wrong == [WAITS]
            if wrong == [WAITS] and forgotten == 1:
                wrong = []
            wrong += killed(path)
            server.process.send_signal(signal.SIGCONT)
            read(path)
            if wrong:
                yield from wrong
                break
        for reader in readers:
            yield from end_reader(reader)


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = make_store(work)
        results.add(f"{counted(PAUSES, PAUSES_LONG)} pauses of a server with readers",
                    pauses(source, store, point, f"{work}/log"))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
