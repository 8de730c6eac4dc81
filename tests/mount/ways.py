# SPDX-License-Identifier: Apache-2.0
"""All ways to mount and to unmount, twice each, with nothing left behind."""
import contextlib
import os
import signal
import subprocess
import sys

from mounted import BESIDE, Mount, Results, Work, lodfs, need_fuse
from small import Foreground, TREES, make_store, read, until

SECONDS_MAX = 30


def mounts_at(point):
    with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as mounts:
        return [line.split() for line in mounts if line.split()[1] == point]


def daemons(store):
    """Process ids that were started with this store's path."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = read(f"/proc/{pid}/cmdline").split(b"\0")
        except OSError:
            continue
        if os.fsencode(store) in words and b"mount" in b" ".join(words[:2]):
            found.append(int(pid))
    return found


def look(point):
    """What is wrong with a mount that should be there."""
    shown = mounts_at(point)
    if not shown:
        return ["nothing is mounted"]
    kind, words = shown[-1][2], shown[-1][3].split(",")
    wrong = [] if kind == "fuse.lodfs" else [f"its type is {kind}"]
    wrong += [f"not mounted {word}" for word in ("ro", "nosuid", "nodev", "default_permissions")
              if word not in words]
    if sorted(os.listdir(point)) != sorted(TREES + BESIDE):
        wrong.append(f"it shows {os.listdir(point)}")
    return wrong


def gone(store, point):
    wrong = ["still mounted"] if mounts_at(point) else []
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
            held = os.open(f"{point}/full/large.bin", os.O_RDONLY)  # in use: it ends all the same
            status = daemon.end(number)
            with contextlib.suppress(OSError):  # the close of a file whose server is gone
                os.close(held)
        if status != 0:
            yield f"{number.name}: exit {status}"
        yield from gone(store, point)
    if b"memory at most" not in read(log):
        yield "the peak of memory is not printed"


def background_signal(store, point):
    lodfs("mount", store, point)
    for pid in daemons(store):
        os.kill(pid, signal.SIGTERM)
    if not until(lambda: not mounts_at(point)):
        yield "SIGTERM does not end the background"
    yield from gone(store, point)


def relative(store, point):
    """Paths relative to the caller, who then goes elsewhere; the daemon keeps no folder busy."""
    here = os.path.dirname(store)
    done = subprocess.run([os.environ["LODFS"], "mount", os.path.basename(store),
                           "./" + os.path.basename(point) + "/"], cwd=here, check=False,
                          timeout=SECONDS_MAX)
    if done.returncode:
        yield f"exit {done.returncode}"
    yield from look(point)
    words = [os.environ["LODFS"].encode(), b"mount", os.fsencode(os.path.basename(store))]
    for pid in [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
                if cmdline(pid)[:3] == words]:
        if os.readlink(f"/proc/{pid}/cwd") != "/":
            yield "the daemon did not leave the folder it was started in"
        if os.readlink(f"/proc/{pid}/fd/2") != "/dev/null":
            yield "the daemon kept the caller's stderr"
    lodfs("umount", point)
    yield from ["still mounted"] if mounts_at(point) else []


def cmdline(pid):
    try:
        return read(f"/proc/{pid}/cmdline").split(b"\0")
    except OSError:
        return []


def busy(store, point):
    lodfs("mount", store, point)
    with open(f"{point}/full/labels/train.csv", "rb") as held:
        done = lodfs("umount", point, check=False)
        if done.returncode != 1 or b"in use" not in done.stderr:
            yield f"a mount in use: exit {done.returncode}, {done.stderr!r}"
        lodfs("umount", "-l", point)
        if mounts_at(point):
            yield "umount -l: still mounted"
        if len(held.read()) != 11 * 500:
            yield "umount -l: an open file is not served any more"
    yield from gone(store, point)


def dead(store, point):
    """A daemon that was killed leaves a mount that answers ENOTCONN; the next one replaces it."""
    lodfs("mount", store, point)
    os.stat(point)  # the kernel keeps these attributes longer than the daemon lives
    for pid in daemons(store):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not daemons(store))
    try:
        os.listdir(point)
        yield "the mount is not dead, so nothing is tried"
    except OSError:
        pass
    done = lodfs("mount", store, point)
    if b"replaced a mount" not in done.stderr:
        yield f"nothing is said of the dead mount: {done.stderr!r}"
    yield from look(point)
    if len(mounts_at(point)) != 1:
        yield "the dead mount is still below"
    for pid in daemons(store):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not daemons(store))
    lodfs("umount", point)
    yield from gone(store, point)


def ends(stopped, *words):
    """The exit code of a command that does not wait for the daemons `stopped`; None: it does."""
    with subprocess.Popen([os.environ["LODFS"], *words], stdout=subprocess.DEVNULL) as child:
        code = child.returncode if until(lambda: child.poll() is not None) else None
        for pid in stopped if code is None else ():
            os.kill(pid, signal.SIGCONT)
    return code


def hanging(store, point):
    """umount -l asks nothing of a daemon, so one that does not answer loses its mount too; what
    asks which stores are mounted does not wait for it."""
    lodfs("mount", store, point)
    stopped = daemons(store)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    for words in (("pack", "-q", "-n", os.path.dirname(__file__), f"{store}-beside"),
                  ("umount", "-l", point)):
        code = ends(stopped, *words)
        if code is None:
            yield f"{words[0]} waits for a daemon that hangs"
        elif code:
            yield f"{words[0]} beside a daemon that hangs: exit {code}"
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)
    if mounts_at(point):
        lodfs("umount", point)
    yield from gone(store, point)


def stacked(store, point):
    """A second mount is refused, unless it is asked for; a folder that is not empty is covered."""
    with open(f"{point}/there before", "wb"):
        pass
    with Mount(store, point):
        if os.path.exists(f"{point}/there before"):
            yield "what was in the folder is not covered"
        for words, code in ((("mount",), 1), (("mount", "-f"), 1)):
            done = lodfs(*words, store, point, check=False)
            if done.returncode != code or b"is mounted there; unmount it first" not in done.stderr:
                yield f"{words} once more: exit {done.returncode}, {done.stderr!r}"
            if os.fsencode(store) not in done.stderr:
                yield f"it does not say what is mounted: {done.stderr!r}"
        if len(mounts_at(point)) != 1:
            yield f"{len(mounts_at(point))} mounts"
        lodfs("mount", "-o", "nonempty,fidelity=q1", store, point)
        if os.readlink(f"{point}/auto") != "q1":
            yield "-o nonempty does not cover the first one"
        lodfs("umount", point)
        if os.readlink(f"{point}/auto") != "full":
            yield "the first one is not seen again"
    for words in ("fsname=hidden", "fsname=hidden,subtype=other"):
        with Mount(store, point, "-o", words):
            done = lodfs("mount", store, point, check=False)
            if done.returncode != 1 or os.fsencode(store) + b" is mounted" not in done.stderr:
                yield f"once more, -o {words}: exit {done.returncode}, {done.stderr!r}"
            lodfs("set", point, "auto=q2")
    if os.listdir(point) != ["there before"]:
        yield "the folder is not as it was"
    os.remove(f"{point}/there before")


def in_namespace(links, script):
    """Runs `script` where the folders of `links` hold our program; nothing else sees that."""
    lines = [f"mount --bind '{ours}' {theirs}" for ours, theirs in links]
    return subprocess.run(["unshare", "-m", "sh", "-ec", "\n".join([*lines, script])], check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX)


def link(folder, name):
    os.makedirs(folder, exist_ok=True)
    if not os.path.lexists(f"{folder}/{name}"):
        os.symlink(os.environ["LODFS"], f"{folder}/{name}")


def mount8(work, store, point, kind):
    """mount(8) finds its helpers in /sbin and mount.fuse3 the program in standard folders only."""
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
    """mount.lodfs as mount(8) calls it, and its exit codes."""
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
        yield f"no store: exit {done.returncode}"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        _, store, point = make_store(work)
        results.add("lodfs mount", command(store, point))
        results.add("lodfs mount -s", command(store, point, "-s"))
        results.add("options", command(store, point, "-o", "allow-other,cache-size=1M,threads=2",
                                       "-o", "umask=022,max_read=64K,noexec,relatime"))
        results.add("-f and signals", signals(store, point, f"{work}/log"))
        results.add("SIGTERM in the background", background_signal(store, point))
        results.add("relative paths", relative(store, point))
        results.add("in use", busy(store, point))
        results.add("a dead mount", dead(store, point))
        results.add("a hanging daemon", hanging(store, point))
        results.add("one over another", stacked(store, point))
        results.add("mount.lodfs", helper(work, store, point))
        if os.geteuid() == 0:
            results.add("mount -t fuse.lodfs", mount8(work, store, point, "fuse.lodfs"))
            results.add("mount -t lodfs", mount8(work, store, point, "lodfs"))
        else:
            print("SKIP: mount(8) needs root")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
