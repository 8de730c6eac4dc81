# SPDX-License-Identifier: Apache-2.0
"""A mount as a service: it notifies its service manager, logs to a file, and takes variables."""
import errno
import os
import re
import signal
import socket
import subprocess
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse
from small import TREES, Foreground, daemons, make_store, read, until

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ lodfs: .+")


def told(listener):
    return dict(line.split("=", 1) for line in listener.recv(4096).decode().splitlines())


def notified(store, point, work, name):
    """READY comes once the mount answers, STOPPING at the end, in both ways to run.

    The test fails if READY is sent before the session is mounted, or without the daemon's process
    id.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.settimeout(20)
        listener.bind(name.replace("@", "\0"))
        with Foreground(store, point, f"{work}/log", env=[("NOTIFY_SOCKET", name)]) as daemon:
            words = told(listener)
            if words != {"READY": "1", "MAINPID": str(daemon.process.pid)}:
                yield f"in the foreground it says {words}"
            if not os.path.exists(f"{point}/q1"):
                yield "it is not mounted when it says that it is ready"
            if daemon.end(signal.SIGTERM) != 0 or told(listener) != {"STOPPING": "1"}:
                yield "its end is not told"
        subprocess.run([os.environ["LODFS"], "mount", store, point], check=True,
                       env=dict(os.environ, NOTIFY_SOCKET=name))
        words, pid = told(listener), next(iter(daemons(store)), None)
        if words != {"READY": "1", "MAINPID": str(pid)}:
            yield f"in the background it says {words}, and is process {pid}"
        lodfs("umount", point)
        if told(listener) != {"STOPPING": "1"}:
            yield "the end in the background is not told"


def unheard(store, point, work):
    """Without a manager that listens, the mount works and the log says so."""
    for name in (f"{work}/nobody", "vsock:2:1234", "@" + "x" * 200):
        with Foreground(store, point, f"{work}/log", env=[("NOTIFY_SOCKET", name)]) as daemon:
            if not os.path.exists(f"{point}/q1"):
                yield f"{name}: not mounted"
            daemon.end(signal.SIGTERM)
        if b"NOTIFY_SOCKET" not in read(f"{work}/log"):
            yield f"{name}: the log does not mention it"


def logged(store, point, work):
    log = f"{work}/lines"
    with open(log, "wb") as before:
        before.write(b"2026-01-01T00:00:00Z lodfs: before\n")
    with Mount(store, point, "-v", f"--log-file={log}"):
        lines = read(log).decode().splitlines()
    if len(lines) < 2 or not lines[0].endswith("before"):
        yield f"lines are not appended: {lines}"
    yield from [f"not a line of the log: {line}" for line in lines if not LINE.fullmatch(line)]
    if not any("memory" in line for line in lines):
        yield f"-v does not log what -f shows: {lines}"
    os.remove(log)
    with Mount(store, point, f"--log-file={log}"):
        if read(log) or os.stat(log).st_mode & 0o777 != 0o600:
            yield f"without -v, the new log has {read(log)!r}, mode {os.stat(log).st_mode:o}"
    done = lodfs("mount", f"--log-file={work}/none/log", store, point, check=False)
    if done.returncode != 1 or b"none/log' cannot be opened" not in done.stderr:
        yield f"a log that cannot be opened: exit {done.returncode}, {done.stderr!r}"


def damage_is_logged(store, point, work):
    """In the background, later lines reach the file too."""
    log, bad = f"{work}/damage", f"{work}/damaged"
    subprocess.run(["cp", "-r", store, bad], check=True)
    for name in os.listdir(f"{bad}/records"):
        if not name.endswith(".tree"):
            os.truncate(f"{bad}/records/{name}", 4096)
    with Mount(bad, point, f"--log-file={log}"):
        try:
            read(f"{point}/full/large.bin")
            yield "a damaged file was read"
        except OSError:
            pass
        if not until(lambda: b"error: " in read(log) or b"warning: " in read(log)):
            yield f"the log has no line of the damage: {read(log)!r}"


def variables(store, point, work):
    """A variable is the default of its option; command lines go first."""
    os.environ.update(LODFS_MOUNT_FIDELITY="q3", LODFS_MOUNT_THREADS="", LODFS_MOUNT_NOEXEC="1",
                      LODFS_MOUNT_LOG_FILE=f"{work}/by-variable")
    try:
        with Mount(store, point):
            if os.readlink(f"{point}/auto") != "q3" or not os.path.exists(f"{work}/by-variable") \
                    or not os.statvfs(point).f_flag & os.ST_NOEXEC:
                yield "variables of -o, or of an option of mount, change nothing"
        with Mount(store, point, "-o", "fidelity=q5"):
            if os.readlink(f"{point}/auto") != "q5":
                yield "a variable goes before the command line"
        os.environ["LODFS_MOUNT_NOEXEC"] = "yes"
        done = lodfs("mount", store, point, check=False)
        if done.returncode != 2 or b"LODFS_MOUNT_NOEXEC takes 0 or 1, not 'yes'" not in done.stderr:
            yield f"a wrong value: exit {done.returncode}, {done.stderr!r}"
    finally:
        for name in ("FIDELITY", "THREADS", "NOEXEC", "LOG_FILE"):
            del os.environ[f"LODFS_MOUNT_{name}"]


def with_words(store, point):
    """Options of libfuse are accepted, each with a warning."""
    for words in ("kernel_cache", "auto_unmount,clone_fd,max_threads=8", "attr_timeout=1.5",
                  "entry_timeout=0,no_remote_lock,splice_read", "max_background=64"):
        done = lodfs("mount", "-o", words, store, point)
        lines = done.stderr.splitlines()
        if len(lines) != len(words.split(",")) or b"without effect" not in lines[0]:
            yield f"{words}: {done.stderr!r}"
        lodfs("umount", point)
    for words in ("kernel_cach", "remember_me"):
        if lodfs("mount", "-o", words, store, point, check=False).returncode != 2:
            yield f"{words} is accepted"


WANTED = {"fidelity", "codec", "bytes", "item", "record", "record_id"}


def attributes(point):
    """Every file of every tree has them, and no other file. `bytes` are those that stat returns."""
    sizes, items = {}, {}
    for folder, folders, names in os.walk(point):
        for path in [f"{folder}/{name}" for name in folders + names]:
            below = os.path.relpath(path, point)
            listed = {name.removeprefix("user.lodfs.")
                      for name in os.listxattr(path, follow_symlinks=False)}
            plain = os.path.isfile(path) and not os.path.islink(path)
            if listed != (WANTED if plain and below.split("/")[0] not in MADE else set()):
                yield f"{below} has {listed}"
            if listed:
                view, fidelity, name = split(below)
                found = {word: os.getxattr(path, f"user.lodfs.{word}").decode() for word in listed}
                if found["fidelity"] != fidelity:
                    yield f"{below}: {found}"
                sizes.setdefault((view, name), {})[fidelity] = \
                    (os.stat(path).st_size, found["bytes"])
                items.setdefault(name.rpartition(".")[0], set()).add(
                    (found["item"], found["record"], found["record_id"], found["codec"]))
    for key, shown in sizes.items():
        told = ",".join(f"{f}={shown[f][0]}" for f in TREES if f in shown)
        yield from [f"{key}: {text}, not {told}" for _, text in shown.values() if text != told]
    yield from [f"{name} is several items: {found}" for name, found in items.items()
                if len(found) > 1 and name.startswith("photos")]
    if not any(len(shown) == 12 for shown in sizes.values()) or len(items) < 10:
        yield f"few files have attributes: {len(items)}"
    for path, name in ((f"{point}/full/labels/empty", "user.lodfs.none"),
                       (f"{point}/full/labels", "user.lodfs.codec"),
                       (f"{point}/tar/q4/data-000000.tar", "user.lodfs.codec"),
                       (f"{point}/full/labels/empty", "security.capability")):
        try:
            yield f"{path} has {os.getxattr(path, name)}"
        except OSError as error:
            if error.errno != errno.ENODATA:
                yield f"{path}, {name}: {error}"


MADE = ("tar", "tfrecord", "recordio", ".lodfs")


def split(path):
    """Of "decoded/q4/a/b.ppm": "decoded", "q4", "a/b.ppm". The view of trees is ""."""
    names = path.split("/")
    view = names.pop(0) if names[0] in ("decoded", "native") else ""
    return view, names[0], "/".join(names[1:])


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        _, store, point = make_store(work)
        results.add("a service manager is told", notified(store, point, work, f"{work}/socket"))
        results.add("by an abstract socket too",
                    notified(store, point, work, f"@lodfs-{os.getpid()}"))
        results.add("a manager that does not listen", unheard(store, point, work))
        results.add("--log-file and -v", logged(store, point, work))
        results.add("damage is in the log's file", damage_is_logged(store, point, work))
        results.add("options of libfuse", with_words(store, point))
        with Mount(store, point, "-o", "xattr"):
            results.add("attributes of files", attributes(point))
        results.add("variables", variables(store, point, work))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
