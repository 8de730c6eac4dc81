# SPDX-License-Identifier: Apache-2.0
"""
A mount under fire: its store is cut, overwritten, unlinked and replaced; its storage stalls; its
server is killed while files are read. Reads give the right bytes or an error at once, never a hang.
"""
import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from failing import compare, pack_command, shown
from mounted import Mount, Results, Work, lodfs, need_fuse
from small import Foreground, files_below, forget_pages, read, until
from tiny import make_source

SECONDS_MAX = 120
STORE_CACHES = ("store_cache=shared", "store_cache=private")
# 100 ms on a machine that is not busy. On a busy machine readers are sometimes delayed, so the
# quickest of several tries is used.
GONE_MS_MAX, GONE_TRIES = 1_000, 5


def show(point):
    """Starts a process that runs failing.shown, so that a hang can be detected."""
    return subprocess.Popen([sys.executable, __file__, "show", point], stdout=subprocess.PIPE)


def result(process):
    """Returns the result of a process of `show`, or None if it hangs."""
    try:
        out, _ = process.communicate(timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        return None
    return eval(out)  # our own process wrote a dict of bytes and numbers


# ------------------------------------------------------------------------- the store under fire

def overwrite(path, _):
    size = os.stat(path).st_size
    with open(path, "r+b") as file:
        file.write(random.Random(1).randbytes(size))


def replace(path, other):
    shutil.copy(other, path + ".new")
    os.rename(path + ".new", path)


def lengthen(path, _):
    with open(path, "ab") as file:
        file.write(b"more")


def instead(make):
    """Returns a function that removes a file and makes something else in its place."""
    return lambda path, _: (os.unlink(path), make(path))


FIRE = {
    "emptied": lambda path, _: os.truncate(path, 0),
    "cut": lambda path, _: os.truncate(path, os.stat(path).st_size * 2 // 3),
    "overwritten": overwrite,
    "unlinked": lambda path, _: os.unlink(path),
    "replaced": replace,
    "longer": lengthen,
    "linked": lambda path, other: (os.unlink(path), os.link(other, path)),
    "a pipe": instead(os.mkfifo),
    "a folder": instead(os.mkdir),
    "a loop of links": instead(lambda path: os.symlink(os.path.basename(path), path)),
}


def after(store, point, wanted, name, how, other):
    """Damages one file of the store under an idle mount, then reads all files."""
    with Mount(store, point):
        read(f"{point}/full/large.bin")
        FIRE[how](f"{store}/{name}", other)
        found = result(show(point))
        if found is None:
            yield "a reader hangs"
        else:
            yield from compare(found, wanted)
        if "full" not in os.listdir(point):
            yield "the server no longer answers"


def under_fire(work, store, other, point, wanted, results):
    for name in sorted(map(os.fsdecode, files_below(store))):
        wrong = []
        for how in FIRE:
            copy = f"{work}/copy"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(store, copy)
            twin = name if os.path.exists(f"{other}/{name}") else "index"
            wrong += [f"{how}: {line}" for line in
                      after(copy, point, wanted, name, how, f"{other}/{twin}")]
        results.add(f"{name} {', '.join(FIRE)}: right bytes or errors", wrong)


def during(work, store, other, point, wanted):
    """Damages all files of the store while three processes read the mount."""
    copy = f"{work}/copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(store, copy)
    with Mount(copy, point, "-o", "cache_size=64K"):
        processes = [show(point) for _ in range(3)]
        for number, name in enumerate(sorted(map(os.fsdecode, files_below(copy)))):
            time.sleep(.01)
            twin = name if os.path.exists(f"{other}/{name}") else "index"
            FIRE[list(FIRE)[number % len(FIRE)]](f"{copy}/{name}", f"{other}/{twin}")
        for process in processes:
            found = result(process)
            yield from ["a reader hangs"] if found is None else compare(found, wanted)


# ---------------------------------------------------------------------------- storage that stalls

def beside_a_stall(work, point, stall):
    """A file of a record whose reads stall waits; a file of another record does not."""
    with open(f"{work}/slow", "wb") as out:
        slow = subprocess.Popen(["cat", f"{point}/full/large.bin"], stdout=out)
    until(lambda: os.path.exists(stall) or slow.poll() is not None)
    if not os.path.exists(stall):
        yield "no pread stalled, so the case was not tried"
        return
    other = subprocess.Popen(["cat", f"{point}/full/photos/1.jpg"], stdout=subprocess.DEVNULL)
    if not until(lambda: other.poll() is not None):
        yield "a read of another file waits too"
    if slow.poll() is not None:
        yield "the read whose storage stalls does not wait"
    os.remove(stall)
    other.wait(SECONDS_MAX)
    if slow.wait(SECONDS_MAX) or os.path.getsize(f"{work}/slow") != 150_001:
        yield f"after the stall only {os.path.getsize(f'{work}/slow')} bytes were read"


def stalls(work, store, point, options):
    """Every read of the records of raw files stalls until the file `stall` is removed."""
    stall = f"{work}/stall"
    env = {"LD_PRELOAD": os.environ["FAIL_NTH"], "LODFS_FAIL": "pread:1+:stall",
           "LODFS_FAIL_FILE": ".raw", "LODFS_FAIL_STALL": stall}
    forget_pages(store)
    with Foreground(store, point, f"{work}/log", "-o", options, env=env):
        yield from beside_a_stall(work, point, stall)
        if os.path.exists(stall):
            os.remove(stall)


# ------------------------------------------------------------------------------- the server dies

# When the server dies, a read may be short, if its bytes are right and the next read fails.
READER = """
import os, sys, time
file = os.open(sys.argv[1], os.O_RDONLY)
wanted = os.pread(file, 1 << 17, 0)
print("reading", flush=True)
at = 0
try:
    while True:
        if at == 0:
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        data = os.pread(file, len(wanted) - at, at)
        if not data or data != wanted[at:at + len(data)]:
            print("wrong", at, len(data))
            break
        at = (at + len(data)) % len(wanted)
except OSError as error:
    print(error.errno, time.monotonic())
"""


def busy_reader(point):
    reader = subprocess.Popen([sys.executable, "-c", READER, f"{point}/full/large.bin"],
                              stdout=subprocess.PIPE, text=True)
    reader.stdout.readline()
    return reader


def state(pid):
    try:
        return read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[0].decode()
    except OSError:
        return "gone"


def server_ends(store, point, log, number):
    """Its readers get an error at once."""
    waits = []
    while len(waits) < GONE_TRIES and min(waits, default=GONE_MS_MAX + 1) > GONE_MS_MAX:
        waits.append(0)
        for line in end_of_server(store, point, log, number):
            if isinstance(line, str):
                yield line
            else:
                waits[-1] = max(waits[-1], line)
    if min(waits) > GONE_MS_MAX:
        yield f"readers wait {waits} ms for their errors"


def end_of_server(store, point, log, number):
    """Yields what is wrong, and how many ms each reader waits for its error."""
    with Foreground(store, point, log) as server:
        readers = [busy_reader(point) for _ in range(3)]
        time.sleep(.2)
        begin = time.monotonic()
        server.process.send_signal(number)
        status = server.process.wait(SECONDS_MAX)
        if status != (-number if number == signal.SIGKILL else 0):
            yield f"the server exits with {status}"
        for reader in readers:
            try:
                text, _ = reader.communicate(timeout=SECONDS_MAX)
            except subprocess.TimeoutExpired:
                yield f"a reader hangs in state {state(reader.pid)}"
                reader.kill()
                continue
            what, _, when = text.strip().partition(" ")
            if what not in map(str, (errno.ENOTCONN, errno.ECONNABORTED, errno.EIO)):
                yield f"a reader ends with {text.strip()}"
            else:
                yield (float(when) - begin) * 1000
        if number == signal.SIGKILL:
            lodfs("mount", store, point)  # replaces the dead mount
            yield from [] if len(read(f"{point}/full/large.bin")) == 150_001 else \
                ["the dead mount is not replaced"]
            lodfs("umount", point)


def unmounted_in_use(store, point):
    """While files are read, umount is refused and umount -l succeeds. Both leave the reads
    going."""
    lodfs("mount", store, point)
    readers = [busy_reader(point) for _ in range(3)]
    for _ in range(20):
        done = lodfs("umount", point, check=False)
        if done.returncode != 1:
            yield f"umount while files are read: exit {done.returncode}"
            break
    if any(reader.poll() is not None for reader in readers):
        yield "a refused umount ended a read"
    lodfs("umount", "-l", point)
    time.sleep(.2)
    for reader in readers:
        if reader.poll() is not None:
            yield f"umount -l ended a read: {reader.communicate()[0]}"
        reader.kill()
        reader.wait()


def main():
    if sys.argv[1:2] == ["show"]:
        sys.stdout.write(repr(shown(sys.argv[2])))
        return 0
    need_fuse()
    results = Results()
    with Work() as work:
        stores = []
        for seed in (3, 4):
            make_source(f"{work}/source{seed}", seed, 4)
            lodfs(*pack_command(f"{work}/source{seed}", f"{work}/store{seed}"))
            stores.append(f"{work}/store{seed}")
        store, other = stores
        point, log = f"{work}/mount", f"{work}/log"
        with Mount(store, point):
            wanted = result(show(point))
        under_fire(work, store, other, point, wanted, results)
        results.add("all files damaged during reads: right bytes or errors",
                    during(work, store, other, point, wanted))
        if "FAIL_NTH" in os.environ:
            for options in STORE_CACHES:
                results.add(f"a stall of storage delays only reads of its record, {options}",
                            stalls(work, store, point, options))
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            results.add(f"after {number.name} readers get an error at once",
                        server_ends(store, point, log, number))
        results.add("umount during reads is refused, umount -l is not",
                    unmounted_in_use(store, point))
        results.add("no mount is left", [] if until(lambda: not os.path.ismount(point))
                    else ["the store is still mounted"])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
