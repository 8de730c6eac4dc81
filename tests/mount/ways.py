# SPDX-License-Identifier: Apache-2.0
"""All ways to mount and to unmount. Each leaves no mount and no daemon behind."""
import contextlib
import os
import resource
import signal
import subprocess
import sys

from mounted import BESIDE, Mount, Results, Work, lodfs, need_fuse
from small import Foreground, TREES, daemons, make_store, processes, read, stop, until

SECONDS_MAX = 120
STACK_BYTES = (1024 if "ASAN_OPTIONS" in os.environ else 128) << 10


def mounts_at(point):
    with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as mounts:
        return [line.split() for line in mounts if line.split()[1] == point]


def look(point):
    """Returns a list of errors about the mount at `point`; empty if it is as it should be."""
    shown = mounts_at(point)
    if not shown:
        return ["the store is not mounted"]
    kind, words = shown[-1][2], shown[-1][3].split(",")
    wrong = [] if kind == "fuse.lodfs" else [f"its type is {kind}"]
    wrong += [f"it is not mounted {word}" for word in ("ro", "nosuid", "nodev",
                                                       "default_permissions") if word not in words]
    if sorted(os.listdir(point)) != sorted(TREES + BESIDE):
        wrong.append(f"its root lists {os.listdir(point)}")
    return wrong


def gone(store, point):
    """Returns a list of errors if the mount is still there or its daemon does not end."""
    wrong = ["the store is still mounted"] if mounts_at(point) else []
    if not until(lambda: not daemons(store)):
        wrong.append("its daemon did not end")
    return wrong


def command(store, point, *options):
    for _ in range(2):
        with Mount(store, point, *options):
            yield from look(point)
        if daemons(store):
            yield "umount returned before the daemon had ended"
        yield from gone(store, point)


def signals(store, point, log):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        with Foreground(store, point, log) as daemon:
            yield from look(point)
            held = os.open(f"{point}/full/large.bin", os.O_RDONLY)  # a signal ends a mount in use
            status = daemon.end(number)
            with contextlib.suppress(OSError):  # close fails once the daemon has ended
                os.close(held)
        if status != 0:
            yield f"{number.name}: exit {status}"
        yield from gone(store, point)
    if b"memory at most" not in read(log):
        yield "the peak of memory is not printed"


def hung_up(store, point, log):
    """A mount that nohup started outlives SIGHUP, in the foreground and as a daemon. The test
    fails if the server sets a handler for a signal that it inherits as ignored.
    """
    with Foreground(store, point, log, under=["nohup"]) as server:
        if server.end(signal.SIGHUP, seconds=.5) is not None:
            yield "SIGHUP ends a mount under nohup"
        else:
            yield from look(point)
    subprocess.run(["nohup", os.environ["LODFS"], "mount", store, point], check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=SECONDS_MAX)
    for pid in daemons(store):
        os.kill(pid, signal.SIGHUP)
    if until(lambda: not daemons(store), seconds=.5):
        yield "SIGHUP ends a daemon that was started under nohup"
    else:
        yield from look(point)
        lodfs("umount", point)
    yield from gone(store, point)


def background_signal(store, point):
    lodfs("mount", store, point)
    for pid in daemons(store):
        os.kill(pid, signal.SIGTERM)
    if not until(lambda: not mounts_at(point)):
        yield "SIGTERM does not end a daemon in the background"
    yield from gone(store, point)


def relative(store, point):
    """Paths may be relative to the caller's folder. The daemon leaves that folder."""
    here = os.path.dirname(store)
    done = subprocess.run([os.environ["LODFS"], "mount", os.path.basename(store),
                           "./" + os.path.basename(point) + "/"], cwd=here, check=False,
                          timeout=SECONDS_MAX)
    if done.returncode:
        yield f"mount with relative paths: exit {done.returncode}"
    yield from look(point)
    words = [os.environ["LODFS"].encode(), b"mount", os.fsencode(os.path.basename(store))]
    started = processes(lambda found: found[:3] == words)
    if not started:
        yield "the daemon is not found"
    for pid in started:
        if os.readlink(f"/proc/{pid}/cwd") != "/":
            yield "the daemon did not leave the folder it was started in"
        if os.readlink(f"/proc/{pid}/fd/2") != "/dev/null":
            yield "the daemon kept the caller's stderr"
    lodfs("umount", point)
    yield from ["the store is still mounted"] if mounts_at(point) else []


def small_stack(store, point):
    """The daemon's threads get the stack size of the limit.

    The test fails if a large struct is on a stack.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (STACK_BYTES, hard))
    try:
        with Mount(store, point):
            yield from look(point)
            for tree in ("original", "q1", "decoded/q1"):
                for folder, _, names in os.walk(f"{point}/{tree}"):
                    for name in names:
                        read(os.path.join(folder, name))
            lodfs("stats", point)
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
    yield from gone(store, point)


def busy(store, point):
    lodfs("mount", store, point)
    with open(f"{point}/full/labels/train.csv", "rb") as held:
        done = lodfs("umount", point, check=False)
        if done.returncode != 1 or b"in use; end the programs" not in done.stderr:
            yield f"umount of a mount in use: exit {done.returncode}, {done.stderr!r}"
        pids = daemons(store)
        if not stop(*pids):
            yield "the daemon does not stop"
        done = lodfs("umount", point, check=False)
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        if done.returncode != 1 or b"its daemon does not answer" not in done.stderr:
            yield f"umount in use, of a stopped daemon: exit {done.returncode}, {done.stderr!r}"
        lodfs("umount", "-l", point)
        if mounts_at(point):
            yield "after umount -l the store is still mounted"
        if len(held.read()) != 11 * 500:
            yield "after umount -l an open file can no longer be read"
    yield from gone(store, point)


def dead(store, point):
    """A daemon that was killed leaves a mount that answers ENOTCONN; the next one replaces it."""
    lodfs("mount", store, point)
    os.stat(point)  # the kernel's copy of these attributes outlives the daemon
    for pid in daemons(store):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not daemons(store))
    try:
        os.listdir(point)
        yield "the mount still answers after its daemon was killed"
    except OSError:
        pass
    done = lodfs("mount", store, point)
    if b"replaced a mount" not in done.stderr:
        yield f"the message does not mention the dead mount: {done.stderr!r}"
    yield from look(point)
    if len(mounts_at(point)) != 1:
        yield "the dead mount is still there, below the new one"
    for pid in daemons(store):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not daemons(store))
    lodfs("umount", point)
    yield from gone(store, point)


def ends(stopped, *words):
    """Runs a command while the daemons `stopped` are. Returns its exit code, or None if the command
    waits for a daemon."""
    with subprocess.Popen([os.environ["LODFS"], *words], stdout=subprocess.DEVNULL) as child:
        code = child.returncode if until(lambda: child.poll() is not None) else None
        for pid in stopped if code is None else ():
            os.kill(pid, signal.SIGCONT)
    return code


def hanging(store, point):
    """umount -l sends the daemon no request, so it also unmounts one that does not answer. `pack`,
    which looks up the stores of all mounts, does not wait for such a daemon."""
    lodfs("mount", store, point)
    stopped = daemons(store)
    if not stop(*stopped):
        yield "the daemon does not stop"
    for words in (("pack", "-q", "-n", os.path.dirname(__file__), f"{store}-beside"),
                  ("umount", "-l", point)):
        code = ends(stopped, *words)
        if code is None:
            yield f"{words[0]} waits for a daemon that does not answer"
        elif code:
            yield f"{words[0]} while a daemon does not answer: exit {code}"
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)
    if mounts_at(point):
        lodfs("umount", point)
    yield from gone(store, point)


def stopped(store, point):
    """umount without -l ends too: it waits two seconds for an answer of the daemon."""
    lodfs("mount", store, point)
    pids = daemons(store)
    if not stop(*pids):
        yield "the daemon does not stop"
    code = ends(pids, "umount", point)
    if code != 0 or mounts_at(point):
        yield f"umount while the daemon is stopped: exit {code}, mounts {mounts_at(point)}"
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    yield from gone(store, point)


def stacked(store, point):
    """A second mount needs -o nonempty. A first one may cover a folder that is not empty."""
    with open(f"{point}/there before", "wb"):
        pass
    with Mount(store, point):
        if os.path.exists(f"{point}/there before"):
            yield "a file of the folder below shows through the mount"
        for words, code in ((("mount",), 1), (("mount", "-f"), 1)):
            done = lodfs(*words, store, point, check=False)
            if done.returncode != code or b"is mounted there; unmount it first" not in done.stderr:
                yield f"a second {words}: exit {done.returncode}, {done.stderr!r}"
            if os.fsencode(store) not in done.stderr:
                yield f"the message does not name the mounted store: {done.stderr!r}"
        if len(mounts_at(point)) != 1:
            yield f"there are {len(mounts_at(point))} mounts"
        lodfs("mount", "-o", "nonempty,fidelity=q1", store, point)
        if os.readlink(f"{point}/auto") != "q1":
            yield "a mount with -o nonempty does not cover the first one"
        lodfs("umount", point)
        if os.readlink(f"{point}/auto") != "full":
            yield "after umount of the second mount the first one is not visible"
    for words in ("fsname=hidden", "fsname=hidden,subtype=other"):
        with Mount(store, point, "-o", words):
            done = lodfs("mount", store, point, check=False)
            if done.returncode != 1 or os.fsencode(store) + b" is mounted" not in done.stderr:
                yield f"a mount over one with -o {words}: exit {done.returncode}, {done.stderr!r}"
            lodfs("set", point, "auto=q2")
    if os.listdir(point) != ["there before"]:
        yield "after umount the folder has other files than before"
    os.remove(f"{point}/there before")


def in_namespace(links, script):
    """Runs `script` in a mount namespace with the bind mounts (ours, theirs) of `links`."""
    lines = [f"mount --bind '{ours}' {theirs}" for ours, theirs in links]
    return subprocess.run(["unshare", "-m", "sh", "-ec", "\n".join([*lines, script])], check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX)


def link(folder, name):
    os.makedirs(folder, exist_ok=True)
    if not os.path.lexists(f"{folder}/{name}"):
        os.symlink(os.environ["LODFS"], f"{folder}/{name}")


def mount8(work, store, point, kind):
    """mount(8) searches helpers in /sbin, and mount.fuse3 the program in standard folders, only."""
    link(f"{work}/local", "lodfs")
    link(f"{work}/sbin", "mount.lodfs")
    links = [(f"{work}/local", "/usr/local/bin")]
    if kind == "lodfs":
        links.append((f"{work}/sbin", "/usr/sbin"))
    for words in ("", "-o ro,noatime,nofail,noauto,_netdev,user,lazytime,sync,allow_other,"
                  "x-systemd.automount"):
        done = in_namespace(links, f"mount -t {kind} {words} '{store}' '{point}'\n"
                            f"ls '{point}'\ngrep '{point}' /proc/self/mounts\numount '{point}'")
        text = (done.stdout + done.stderr).decode(errors="replace")
        if done.returncode or "fuse.lodfs ro,nosuid,nodev" not in text or "q10" not in text:
            yield f"mount -t {kind} {words}: exit {done.returncode}: {text}"
        yield from gone(store, point)


def helper(work, store, point):
    """Runs mount.lodfs as mount(8) does, and checks its exit codes."""
    link(f"{work}/sbin", "mount.lodfs")
    program = f"{work}/sbin/mount.lodfs"
    for words, code, mounted in ((["-o", "rw,users,nofail"], 0, True), (["-f"], 0, False),
                                 (["-n", "-v", "-o", "uid=7"], 0, True), (["-o", "what"], 1, False),
                                 (["-s", "-o", "what"], 0, True), (["-x"], 1, False)):
        done = subprocess.run([program, store, point, *words], check=False, capture_output=True,
                              timeout=SECONDS_MAX)
        if done.returncode != code or bool(mounts_at(point)) != mounted:
            yield f"{words}: exit {done.returncode}, {done.stderr!r}"
        if mounts_at(point):
            lodfs("umount", point)
    done = subprocess.run([program, work + "/none", point], check=False, capture_output=True,
                          timeout=SECONDS_MAX)
    if done.returncode != 32:
        yield f"mount.lodfs of a missing store: exit {done.returncode}"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        _, store, point = make_store(work)
        results.add("lodfs mount and umount, twice", command(store, point))
        results.add("lodfs mount -s and umount, twice", command(store, point, "-s"))
        results.add("lodfs mount takes options of both spellings",
                    command(store, point, "-o", "allow-other,cache-size=1M,threads=2",
                            "-o", "umask=022,max_read=64K,noexec,relatime"))
        results.add("signals end a mount in the foreground", signals(store, point, f"{work}/log"))
        results.add("a mount under nohup outlives SIGHUP", hung_up(store, point, f"{work}/log"))
        results.add("SIGTERM ends a mount in the background", background_signal(store, point))
        results.add("paths may be relative", relative(store, point))
        results.add("a mount needs little stack", small_stack(store, point))
        results.add("umount of a mount in use needs -l", busy(store, point))
        results.add("a dead mount is replaced", dead(store, point))
        results.add("umount -l and pack do not wait for a daemon", hanging(store, point))
        results.add("umount of a stopped daemon ends", stopped(store, point))
        results.add("a second mount needs -o nonempty", stacked(store, point))
        results.add("mount.lodfs takes the words of mount(8)", helper(work, store, point))
        if os.geteuid() == 0:
            results.add("mount -t fuse.lodfs mounts", mount8(work, store, point, "fuse.lodfs"))
            results.add("mount -t lodfs mounts", mount8(work, store, point, "lodfs"))
        else:
            print("SKIP: mount(8) needs root")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
