# SPDX-License-Identifier: Apache-2.0
"""
failing.py pack|readers|mount: makes the N-th call of a kind fail (fail_nth.c), for every N in turn.
A short run chooses some N of the calls that are made very often. The result must be the right bytes
or a clean error, never a hang, a crash, a wrong byte or a wrong store.
"""
import errno
import os
import re
import shutil
import signal
import subprocess
import sys

from long import is_long, shared
from mounted import Results, Work, lodfs, need_fuse
from small import Foreground, files_below, read, until
from tiny import PACKED, make_source

SECONDS_MAX = 120
EACH_SHORT = 25  # values of N for one call and one way to fail, in a short run
BESIDE = 5       # readers at the same time
EACH_PATIENT = 12  # one mount of this many is read until the failure has passed
TREES = ("q1", "q6", "full", "decoded/q1", "native/full")
RETRIED = (f":{errno.EINTR}", ":short")  # not errors: the program must try the rest again


def run(command, count=None, fail=None):
    env = dict(os.environ, LD_PRELOAD=os.environ["FAIL_NTH"])
    if count:
        env["LODFS_FAIL_COUNT"] = count
    if fail:
        env["LODFS_FAIL"] = fail
    try:
        return subprocess.run([os.environ["LODFS"], *command], env=env, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return None


def counts(work, command):
    """Returns {call: how often a run without failures makes it}."""
    path = f"{work}/count"
    if os.path.exists(path):
        os.remove(path)
    done = run(command, count=path)
    if done is None or done.returncode:
        raise SystemExit(f"{command} fails although no call was made to fail: {done}")
    found = {}
    for line in read(path).decode().splitlines():
        name, number = line.split()
        found[name] = found.get(name, 0) + int(number)
    return found


def numbers(count):
    """Returns every N, or in a short run the first, the last and some between."""
    if is_long() or count <= EACH_SHORT:
        return shared(range(1, count + 1))
    return sorted({1 + i * (count - 1) // (EACH_SHORT - 1) for i in range(EACH_SHORT)})


def ways(found, kinds):
    """Yields (call, N, way) to try, where `way` is the value of LODFS_FAIL."""
    for call, *hows in kinds:
        for how in hows:
            name = how if isinstance(how, str) else str(how)
            for number in numbers(found.get(call, 0)):
                yield call, number, f"{call}:{number}:{name}"


def clean_error(done, way=""):
    """Returns a list of errors about a failed command: it must exit with a message and a known
    code, and must not fail at all if the call was only interrupted or short."""
    if done is None:
        return ["the command hangs"]
    if way.endswith(RETRIED):
        return [f"the call is not tried again: {done.stderr[-200:]!r}"]
    if done.returncode < 0:
        return [f"the command dies of signal {-done.returncode}: {done.stderr[-500:]!r}"]
    if done.returncode not in (1, 3, 10) or not (done.stderr + done.stdout).strip():
        return [f"exit {done.returncode}, prints {done.stderr[-500:]!r}"]
    return []


# ------------------------------------------------------------------------------------------ pack

PACK = (("open", errno.EIO, errno.EMFILE), ("pread", errno.EIO, errno.EINTR, "short"),
        ("pwrite", errno.ENOSPC, errno.EIO, errno.EINTR, "short", "kill"),
        ("fsync", errno.EIO, errno.EINTR, "kill"), ("rename", errno.EIO, errno.ENOSPC, "kill"),
        ("mkdir", errno.ENOSPC, "kill"), ("unlink", errno.EIO, "kill"), ("stat", errno.EIO),
        ("flock", errno.ENOLCK), ("malloc", errno.ENOMEM))


def contents(folder):
    return {name: read(os.path.join(os.fsencode(folder), name)) for name in files_below(folder)}


def committed(store):
    """Returns what a store has, without what a pack leaves that is killed behind its commit."""
    found = contents(store)
    for name in (b"pack.journal", b"pack.plan", b"pack.parts"):
        found.pop(name, None)
    return found


def pack_command(source, store):
    return ["pack", "-q", "-j1", "--scans=default", *PACKED, source, store]


def pack_once(source, store, wanted, way):
    shutil.rmtree(store, ignore_errors=True)
    done = run(pack_command(source, store), fail=way)
    killed = way.endswith(":kill") and done is not None and done.returncode == -9
    if done is not None and done.returncode == 0:
        got = committed(store) if b"stays" in done.stderr else contents(store)
        return [] if got == wanted else ["pack succeeds, but the store differs"]
    wrong = [] if killed else clean_error(done, way)
    if os.path.exists(f"{store}/manifest.json"):
        return wrong + ([] if committed(store) == wanted else ["a wrong store is committed"])
    again = lodfs(*pack_command(source, store), check=False)
    if again.returncode:
        return wrong + [f"a second pack fails: {again.stderr!r}"]
    return wrong + ([] if contents(store) == wanted else ["a second pack makes a different store"])


def pack(work, results):
    source, store = f"{work}/source", f"{work}/store"
    make_source(source, 3, 4)
    found = counts(work, pack_command(source, store))
    wanted = contents(store)
    for call, *hows in PACK:
        wrong, tried = [], 0
        for _, _, way in ways(found, [(call, *hows)]):
            wrong += [f"{way}: {what}" for what in pack_once(source, store, wanted, way)]
            tried += 1
        results.add(f"pack with failing {call} makes the store or an error: {tried} runs", wrong)
        if call in ("pwrite", "pread", "fsync", "rename", "open", "malloc") and not found.get(call):
            results.add(f"pack calls {call}", ["it does not, so no failure was tried"])


# ----------------------------------------------------------------------------- ls, info, verify

READERS = (("open", errno.EIO, errno.EMFILE, errno.ENOENT), ("pread", errno.EIO, errno.EINTR,
           "short"), ("stat", errno.EIO), ("malloc", errno.ENOMEM))


def timeless(output):
    """Returns the output of verify without the time it took."""
    return re.sub(rb" checked in .*", b" checked", output)


def reader_once(command, wanted, way):
    done = run(command, fail=way)
    if done is None or done.returncode:
        return clean_error(done, way)
    return [] if timeless(done.stdout) == wanted else ["it succeeds, but prints other text"]


def readers(work, results):
    source, store = f"{work}/source", f"{work}/store"
    make_source(source, 3, 4)
    lodfs(*pack_command(source, store))
    for command in (["ls", "-lR", store], ["info", store], ["verify", "-j1", store],
                    ["info", "--json", store]):
        wanted = timeless(lodfs(*command).stdout)
        found = counts(work, command)
        wrong, tried = [], 0
        for _, _, way in ways(found, READERS):
            wrong += [f"{way}: {what}" for what in reader_once(command, wanted, way)]
            tried += 1
        results.add(f"{command[0]} with failing calls is right or fails: {tried} runs", wrong)


# ----------------------------------------------------------------------------------------- mount

MOUNT = (("pread", errno.EIO, errno.EINTR, "short"), ("open", errno.EIO, errno.EMFILE),
         ("stat", errno.EIO), ("malloc", errno.ENOMEM))
# ECONNREFUSED: the first request, INIT, failed, so the kernel sends no more.
ERRORS = (errno.EIO, errno.ENOMEM, errno.EMFILE, errno.EINTR, errno.ECONNREFUSED)


def shown(point):
    """Returns {path: bytes or errno; folder: names or errno} of a mount."""
    found = {}
    for tree in TREES:
        folders = [os.fsencode(f"{point}/{tree}")]
        while folders:
            folder = folders.pop()
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
                found[folder] = [entry.name for entry in entries]
            except OSError as error:
                found[folder] = error.errno
                continue
            for entry in entries:
                try:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        found[entry.path] = read(entry.path)
                except OSError as error:
                    found[entry.path] = error.errno
    return found


def is_mounted(point):
    """Returns whether something is mounted; os.path.ismount is wrong if the root cannot be read."""
    return f" {point} ".encode() in read("/proc/self/mounts")


def look(point):
    """Returns shown(point) of a process of its own, which a hang ends."""
    reader = subprocess.run([sys.executable, __file__, "show", point], check=False,
                            stdout=subprocess.PIPE, timeout=2 * SECONDS_MAX)
    return eval(reader.stdout)  # our own process wrote a dict of bytes and numbers


def unmounts(point):
    """Unmounts. Returns False while a program uses it, such as one that looks at all mounts."""
    return subprocess.run(["umount", point], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def mount_once(store, point, fail=None, count=None, wanted=None, beside=0):
    """Mounts, reads all files and unmounts. Returns (result of the server, shown(point) or None).
    With `wanted` it repeats the reading for a while until the result equals it. `beside` other
    readers run at the same time."""
    env = dict(os.environ, LD_PRELOAD=os.environ["FAIL_NTH"])
    env.update({"LODFS_FAIL": fail} if fail else {"LODFS_FAIL_COUNT": count} if count else {})
    # gpu=off: a GPU driver may abort the server when memory runs out.
    server = subprocess.Popen([os.environ["LODFS"], "mount", "-f", "-o",
                               f"gpu=off,threads={1 + beside}", store, point], env=env,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    found = None
    if until(lambda: is_mounted(point) or server.poll() is not None):
        if server.poll() is None:
            others = [subprocess.Popen([sys.executable, __file__, "show", point],
                                       stdout=subprocess.DEVNULL) for _ in range(beside)]
            seen = [look(point)]
            for other in others:
                other.wait(SECONDS_MAX)
            until(lambda: wanted in (None, seen[-1]) or errno.ECONNREFUSED in seen[-1].values()
                  or seen.append(look(point)))
            found = seen[-1]
            until(lambda: unmounts(point) or server.poll() is not None)
    try:
        _, err = server.communicate(timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        server.kill()
        server.communicate()
        return None, found
    finally:
        subprocess.run(["umount", "-l", point], check=False, stderr=subprocess.DEVNULL)
    return subprocess.CompletedProcess([], server.returncode, b"", err), found


def is_refused(done, found):
    """Returns whether the server ended with an error before it served anything."""
    return found is None or (done is not None and done.returncode == 1 and
                             all(isinstance(data, int) for data in found.values()))


def refusal(done, way=""):
    """As clean_error. A mount prints other lines than errors too."""
    return clean_error(done, way) or ([] if b"error: " in done.stderr else ["prints no error"])


def count_mounted(work, store, point, beside=0):
    """Returns ({call: how often it is made}, shown(point)) of a mount without a failure."""
    done, wanted = mount_once(store, point, count=f"{work}/count{beside}", beside=beside)
    if done is None or done.returncode or not wanted or list(compare(wanted, wanted)):
        raise SystemExit(f"the mount fails although no call was made to fail: {done}")
    return {line.split()[0]: int(line.split()[1])
            for line in read(f"{work}/count{beside}").decode().splitlines()}, wanted


def threads(work, store, point):
    """The server starts threads while it serves. Without memory for one it has fewer, and lives."""
    alone, _ = count_mounted(work, store, point)
    found, wanted = count_mounted(work, store, point, BESIDE)
    if found["large"] == alone["large"]:
        yield "the readers were served by one thread"
    for number in range(1, found["large"] + 1):
        done, got = mount_once(store, point, fail=f"large:{number}:{errno.ENOMEM}", beside=BESIDE)
        wrong = refusal(done) if is_refused(done, got) else list(compare(got, wanted))
        if number > alone["large"] and (done is None or done.returncode):
            wrong.append(f"the server exits with {done}")
        yield from (f"large:{number}: {line}" for line in wrong)


def signalled(store, point):
    """A signal that comes just before the server waits for a request ends it."""
    for number in (1, 2):
        for threads_max in (1, 4):
            env = dict(os.environ, LD_PRELOAD=os.environ["FAIL_NTH"],
                       LODFS_FAIL=f"read:{number}:term", LODFS_FAIL_FILE="/dev/fuse")
            with subprocess.Popen([os.environ["LODFS"], "mount", "-f", "-o",
                                   f"gpu=off,threads={threads_max}", store, point], env=env,
                                  stderr=subprocess.DEVNULL) as server:
                if not until(lambda: server.poll() is not None):
                    yield f"read {number}, {threads_max} threads: the server does not end"
                    server.kill()
                elif server.returncode:
                    yield f"read {number}, {threads_max} threads: exit {server.returncode}"
            subprocess.run(["umount", "-l", point], check=False, stderr=subprocess.DEVNULL)


def takers(store, point, log):
    """Yields threads that could take SIGTERM instead of the first thread, which waits for it. Such
    a thread would get the signal rarely, only while the first one does not wait. So the test reads
    the signal masks of the threads."""
    with Foreground(store, point, log, "-o", "gpu=off") as server:
        for name in files_below(f"{point}/full"):
            read(os.path.join(os.fsencode(f"{point}/full"), name))
        pid = str(server.process.pid)
        tasks = [task for task in os.listdir(f"/proc/{pid}/task") if task != pid]
        if not tasks:
            yield "one thread does all"
        for task in tasks:
            mask = re.search(rb"SigBlk:\s*(\w+)", read(f"/proc/{pid}/task/{task}/status"))[1]
            if not int(mask, 16) >> signal.SIGTERM - 1 & 1:
                yield f"a thread takes SIGTERM: it blocks {mask}"


def passes(store, point, way, wanted):
    """Yields files that cannot be read although the call failed only once. A failure is remembered
    for some seconds, and no longer. Without an answer to its first request, INIT, a mount ends."""
    _, got = mount_once(store, point, fail=way, wanted=wanted)
    if got and errno.ECONNREFUSED not in got.values():
        yield from (f"{path} stays {got.get(path)!r:.40}" for path, right in wanted.items()
                    if got.get(path) != right)


def compare(found, wanted):
    for path, right in wanted.items():
        got = found.get(path)
        if got is None:
            parents = [path[:i] for i in range(len(path)) if path[i:i + 1] == b"/"]
            if not any(isinstance(found.get(parent), int) for parent in parents):
                yield f"{path} is missing"
        elif got != right and got not in ERRORS:
            yield f"{path}: errno {got}" if isinstance(got, int) else f"{path}: wrong bytes"


def mount(work, results):
    need_fuse()
    source, store, point = f"{work}/source", f"{work}/store", f"{work}/mount"
    make_source(source, 3, 4)
    lodfs(*pack_command(source, store))
    os.mkdir(point)
    found, wanted = count_mounted(work, store, point)
    results.add("a mount without memory for a thread goes on", threads(work, store, point))
    results.add("a signal between two requests ends a mount", signalled(store, point))
    results.add("one thread takes the signals that end a mount",
                takers(store, point, f"{work}/log"))
    for call, *hows in MOUNT:
        wrong, tried, refused = [], 0, 0
        for _, _, way in ways(found, [(call, *hows)]):
            done, got = mount_once(store, point, fail=way)
            if is_refused(done, got):
                what = refusal(done, way)
                refused += 1
            else:
                what = list(compare(got, wanted))
                what += ["the call is not tried again"] \
                    if way.endswith(RETRIED) and got != wanted else []
                what += [] if done and done.returncode == 0 else [f"the server exits with {done}"]
                if tried % EACH_PATIENT == 5 and got != wanted and not what:
                    what = list(passes(store, point, way, wanted))
            wrong += [f"{way}: {line}" for line in what]
            tried += 1
        results.add(f"a mount with failing {call} shows right bytes or errors: {tried} runs, "
                    f"{refused} not mounted", wrong)


def main():
    if sys.argv[1] == "show":
        sys.stdout.write(repr(shown(sys.argv[2])))
        return 0
    results = Results()
    with Work() as work:
        {"pack": pack, "readers": readers, "mount": mount}[sys.argv[1]](work, results)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
