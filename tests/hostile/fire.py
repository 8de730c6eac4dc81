# SPDX-License-Identifier: Apache-2.0
"""
A mount whose store is cut, overwritten, unlinked and replaced under it, whose storage stalls, and
whose server is killed while it is read: right bytes or an error at once, never a hang.
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
from small import Foreground, files_below, read, until
from tiny import make_source

SECONDS_MAX = 30
GONE_MS_MAX = 1_000  # 100 ms on a machine that is not busy
NOTHING_STALLED = "nothing stalled, so nothing was tried"


def show(point):
    """failing.shown in a process of its own, so that a hang is seen."""
    return subprocess.Popen([sys.executable, __file__, "show", point], stdout=subprocess.PIPE)


def result(process):
    """What it saw; None: it hangs."""
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


FIRE = {
    "emptied": lambda path, _: os.truncate(path, 0),
    "cut": lambda path, _: os.truncate(path, os.stat(path).st_size * 2 // 3),
    "overwritten": overwrite,
    "unlinked": lambda path, _: os.unlink(path),
    "replaced": replace,
    "longer": lengthen,
}


def after(store, point, wanted, name, how, other):
    """One file is damaged under an idle mount; then all is read."""
    with Mount(store, point):
        read(f"{point}/full/large.bin")
        FIRE[how](f"{store}/{name}", other)
        found = result(show(point))
        if found is None:
            yield "a hang"
        else:
            yield from compare(found, wanted)
        if "full" not in os.listdir(point):
            yield "the server does not answer any more"


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
        results.add(f"{name} {', '.join(FIRE)}", wrong)


def during(work, store, other, point, wanted):
    """All of them at once, while three readers are at it."""
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
            yield from ["a hang"] if found is None else compare(found, wanted)


# ---------------------------------------------------------------------------- storage that stalls

def walk(point):
    for folder, _, names in os.walk(f"{point}/full"):
        for name in names:
            os.lstat(os.path.join(folder, name))


def stalled(work, store, point):
    """One pread takes seconds: its file waits, the others do not."""
    count = f"{work}/count"
    env = {"LD_PRELOAD": os.environ["FAIL_NTH"], "LODFS_FAIL_COUNT": count}
    os.environ.update(env)
    with Foreground(store, point, f"{work}/log"):
        walk(point)
    number = max(int(line.split()[1]) for line in read(count).decode().splitlines()
                 if line.startswith("pread ")) + 1  # the server's; umount counts too
    os.environ["LODFS_FAIL"] = f"pread:{number}:stall"
    try:
        with Foreground(store, point, f"{work}/log"):
            for name in env:
                del os.environ[name]
            walk(point)
            begin = time.monotonic()
            slow = subprocess.Popen(["cat", f"{point}/full/large.bin"], stdout=subprocess.PIPE)
            time.sleep(.3)
            read(f"{point}/full/photos/1.jpg")
            if time.monotonic() - begin > 3:
                yield "another file waits too"
            data, _ = slow.communicate(timeout=SECONDS_MAX)
            if len(data) != 150_001 or slow.returncode:
                yield f"{len(data)} bytes of the file whose storage stalled"
            if time.monotonic() - begin < 3:
                yield NOTHING_STALLED
    finally:
        del os.environ["LODFS_FAIL"]


def stalls(work, store, point):
    """How many preads an index takes depends on how fast they are: it may be another one."""
    wrong = []
    for _ in range(5):
        wrong = list(stalled(work, store, point))
        if wrong != [NOTHING_STALLED]:
            break
    return wrong


# ------------------------------------------------------------------------------- the server dies

# A read may be cut short where the server died, if what came is right and an error follows.
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
    with Foreground(store, point, log) as server:
        readers = [busy_reader(point) for _ in range(3)]
        time.sleep(.2)
        begin = time.monotonic()
        server.process.send_signal(number)
        status = server.process.wait(SECONDS_MAX)
        if status != (-number if number == signal.SIGKILL else 0):
            yield f"exit {status}"
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
            elif (float(when) - begin) * 1000 > GONE_MS_MAX:
                yield f"a reader waits {(float(when) - begin) * 1000:.0f} ms for its error"
        if number == signal.SIGKILL:
            lodfs("mount", store, point)  # over the dead one
            yield from [] if len(read(f"{point}/full/large.bin")) == 150_001 else ["not replaced"]
            lodfs("umount", point)


def unmounted_in_use(store, point):
    """umount is refused while files are read, umount -l is not, and nobody reads a wrong byte."""
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
        results.add("all files, with readers", during(work, store, other, point, wanted))
        if "FAIL_NTH" in os.environ:
            results.add("storage stalls", stalls(work, store, point))
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            results.add(f"{number.name} with readers", server_ends(store, point, log, number))
        results.add("umount with readers", unmounted_in_use(store, point))
        results.add("no server is left", [] if until(lambda: not os.path.ismount(point))
                    else ["still mounted"])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
