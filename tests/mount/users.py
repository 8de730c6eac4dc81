# SPDX-License-Identifier: Apache-2.0
"""
Mounts of a plain user: through fusermount3, and on /dev/fd/N, an open handle of /dev/fuse that a
privileged helper has mounted. The test runs in a mount namespace of its own. There every user may
open /dev/fuse, as on most machines.
"""
import ctypes
import os
import shutil
import subprocess
import sys

from mounted import Results, Work, need_fuse, skip
from small import make_store, read, until

NOBODY, OTHER = 65534, 65533
SECONDS_MAX = 120
MS_RDONLY, MS_NOSUID, MS_NODEV = 1, 2, 4


def run(work, *arguments, user=NOBODY, **options):
    """Runs the program as user 65534, or `user`. Returns (exit status, output)."""
    done = subprocess.run([f"{work}/lodfs", *arguments], user=user, group=user,
                          extra_groups=[], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=SECONDS_MAX, check=False, **options)
    return done.returncode, done.stdout.decode(errors="replace")


def start(work, *arguments, **options):
    return subprocess.Popen([f"{work}/lodfs", *arguments], user=NOBODY, group=NOBODY,
                            extra_groups=[], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            **options)


def as_nobody(script):
    return subprocess.run(["sh", "-c", script], user=NOBODY, group=NOBODY, extra_groups=[],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX,
                          check=False)


def expect(what, got, code, *words):
    if got[0] != code or any(word not in got[1] for word in words):
        yield f"{what}: exit {got[0]}, prints {got[1]!r:.300}"


def mounts_at(point):
    with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as lines:
        return [line for line in lines if line.split()[1] == point]


def through_fusermount(work, source, store, point):
    yield from expect("mount", run(work, "mount", store, point), 0)
    if not any("nosuid,nodev" in line and f"user_id={NOBODY}" in line for line in mounts_at(point)):
        yield f"the mount options are wrong: {mounts_at(point)}"
    shown = as_nobody(f"cat '{point}/full/labels/secret'; stat -c %u '{point}/full/labels/secret'")
    if shown.stdout != read(f"{source}/labels/secret") + b"%d\n" % NOBODY:
        yield f"the mount shows {shown}"
    yield from expect("umount", run(work, "umount", point), 0)
    if mounts_at(point):
        yield "umount returned, but the store is still mounted"


def refused(work, store, point):
    got = run(work, "mount", "-o", "allow_other", store, point)
    if not os.path.exists("/etc/fuse.conf") or "\nuser_allow_other" not in "\n" + \
            read("/etc/fuse.conf").decode():
        yield from expect("allow_other", got, 1, "user_allow_other")
    run(work, "umount", point)
    yield from expect("mount on a folder of root", run(work, "mount", store, "/usr"), 1)
    yield from expect("umount without a mount", run(work, "umount", point), 1,
                      "no lodfs is mounted")


def in_use(work, store, point):
    yield from expect("mount", run(work, "mount", store, point), 0)
    user = subprocess.Popen(["sleep", "60"], cwd="/", user=NOBODY, group=NOBODY, extra_groups=[],
                            preexec_fn=lambda: os.chdir(f"{point}/full"))
    try:
        yield from expect("umount", run(work, "umount", point), 1, "in use")
        yield from expect("umount -l", run(work, "umount", "-l", point), 0)
    finally:
        user.kill()
        user.wait()


def other_words(work, store, point):
    """If fusermount3 fails, and not because the mount is in use, umount refers to its message."""
    os.mkdir(f"{work}/bin")
    with open(f"{work}/bin/fusermount3", "w", encoding="ascii") as script:
        script.write("#!/bin/sh\necho 'fusermount3: no table of mounts' >&2\nexit 1\n")
    os.chmod(f"{work}/bin/fusermount3", 0o755)
    yield from expect("mount", run(work, "mount", store, point), 0)
    got = run(work, "umount", point, env={"PATH": f"{work}/bin"})
    yield from expect("umount", got, 1, "no table of mounts", "its message is above")
    if "in use" in got[1]:
        yield f"umount claims that the mount is in use: {got[1]!r}"
    yield from expect("umount", run(work, "umount", point), 0)


def by_another(work, store, point):
    """umount of a mount of another user, root included, says that it is not permitted."""
    words = "cannot unmount: not permitted"
    yield from expect("mount", run(work, "mount", store, point), 0)
    for options in ((), ("-l",)):
        yield from expect("umount of another user's mount",
                          run(work, "umount", *options, point, user=OTHER), 1, words)
    yield from expect("umount", run(work, "umount", point), 0)
    subprocess.run([f"{work}/lodfs", "mount", "-o", "allow_other", store, point], check=True)
    yield from expect("umount of root's mount", run(work, "umount", point), 1, words)
    subprocess.run([f"{work}/lodfs", "umount", point], check=True)


def job_of_another(work, store, point):
    """On the mount of another user a job with a number of repeats loads nothing ahead."""
    subprocess.run([f"{work}/lodfs", "mount", "-o", "allow_other", store, point], check=True)
    os.mkdir(f"{work}/jobs")
    os.chown(f"{work}/jobs", NOBODY, NOBODY)
    job, folder = f"{work}/jobs/job", f"{point}/full"
    yield from expect("auto", run(work, "met", "begin", job, folder), 1, "--rf=N")
    yield from expect("plan", run(work, "met", "plan", point), 1, "--room=")
    yield from expect("plan of a room", run(work, "met", "plan", point, "--room=1G"), 0, "q1")
    yield from expect("begin", run(work, "met", "begin", job, folder, "--rf=2"), 0,
                      "nothing is loaded ahead")
    for name in "next", "status", "next":
        yield from expect(name, run(work, "met", name, job), 0, folder)
    yield from expect("end", run(work, "met", "end", job), 0)
    subprocess.run([f"{work}/lodfs", "umount", point], check=True)


def over_dead(work, store, point):
    server = start(work, "mount", "-f", store, point)
    until(lambda: mounts_at(point))
    server.kill()
    server.wait()
    yield from expect("mount over a dead one", run(work, "mount", store, point), 0, "replaced")
    yield from expect("umount", run(work, "umount", point), 0)


def open_device(point):
    """Returns a handle of /dev/fuse that is mounted at `point`."""
    libc = ctypes.CDLL(None, use_errno=True)
    handle = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={handle},rootmode=40000,user_id={NOBODY},group_id={NOBODY},allow_other," \
              "default_permissions"
    if libc.mount(b"store", os.fsencode(point), b"fuse.lodfs", MS_RDONLY | MS_NOSUID | MS_NODEV,
                  options.encode()):
        raise OSError(ctypes.get_errno(), "mount(2)")
    return handle


def on_handle(work, source, store, point):
    for words in (("-f",), ()):
        handle = open_device(point)
        server = start(work, "mount", *words, store, f"/dev/fd/{handle}", pass_fds=[handle])
        os.close(handle)
        if read(f"{point}/full/large.bin") != read(f"{source}/large.bin"):
            yield f"{words}: the bytes differ from the source"
        subprocess.run(["umount", point], check=True)
        if server.wait(SECONDS_MAX):
            yield f"{words}: the server exits with {server.returncode}"
    yield from expect("a handle that is not open", run(work, "mount", store, "/dev/fd/77"), 1,
                      "/dev/fd/77")
    yield from expect("a handle of another file", run(work, "mount", store, "/dev/fd/0"), 1, "fuse")


def closed_device(work, store, point):
    os.chmod("/dev/fuse", 0o600)
    yield from expect("mount without access to the device", run(work, "mount", store, point), 1,
                      "this user may not open /dev/fuse; mount as root, or")
    os.chmod("/dev/fuse", 0o666)


def open_to_all(work):
    """Lets every user open /dev/fuse, in this mount namespace only."""
    os.mkdir(f"{work}/dev")
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", f"{work}/dev"], check=True)
    device = os.stat("/dev/fuse").st_rdev
    os.mknod(f"{work}/dev/fuse", 0o020666, device)
    os.chmod(f"{work}/dev/fuse", 0o666)
    subprocess.run(["mount", "--bind", f"{work}/dev/fuse", "/dev/fuse"], check=True)


def becomes(work, store, point):
    """-o setuid: root runs the command, and the mount and its daemon belong to the user, as with
    mount.fuse3. The test fails if the groups or the user stay root's."""
    for name in ("nobody", str(NOBODY)):
        yield from expect(f"setuid={name}", run(work, "mount", "-o", f"setuid={name}", store,
                                                point, user=0), 0)
        if not any(f"user_id={NOBODY}," in line for line in mounts_at(point)):
            yield f"mounted by another: {mounts_at(point)}"
        if os.path.exists(point) and os.access(f"{point}/full", os.R_OK):
            yield "root may use the mount of a user"
        pids = subprocess.run(["pgrep", "-f", f"{work}/lodfs mount -o setuid"], check=False,
                              capture_output=True, text=True).stdout.split()
        rows = [line for pid in pids for line in read(f"/proc/{pid}/status").decode().splitlines()
                if line.startswith(("Uid", "Gid"))]
        if rows != [f"{word}:" + 4 * f"\t{NOBODY}" for word in ("Uid", "Gid")]:
            yield f"it runs as {rows}"
        if as_nobody(f"stat -c %u '{point}/full/labels/secret'").stdout != b"%d\n" % NOBODY:
            yield "files belong to another"
        yield from expect("umount", run(work, "umount", point), 0)
    yield from expect("no such user", run(work, "mount", "-o", "setuid=no-such", store, point,
                                          user=0), 2, "there is no such user")
    yield from expect("setuid by a user", run(work, "mount", "-o", "setuid=0", store, point), 1,
                      "only root")


def inside(work):
    results = Results()
    open_to_all(work)
    source, store, point = make_store(work)
    shutil.copy(os.environ["LODFS"], f"{work}/lodfs")
    subprocess.run(["chown", "-R", str(NOBODY), store, point], check=True)
    if shutil.which("fusermount3"):
        results.add("a plain user mounts through fusermount3",
                    through_fusermount(work, source, store, point))
        results.add("a plain user's wrong mounts are refused", refused(work, store, point))
        results.add("root mounts as a user", becomes(work, store, point))
        results.add("umount of a mount in use is refused", in_use(work, store, point))
        results.add("fusermount3's own message is shown", other_words(work, store, point))
        results.add("umount of another user's mount is refused", by_another(work, store, point))
        results.add("a device that may not be opened", closed_device(work, store, point))
        results.add("a dead mount is replaced", over_dead(work, store, point))
    else:
        print("SKIP: fusermount3 is missing, so no plain user can mount")
    results.add("a job on the mount of another user", job_of_another(work, store, point))
    results.add("a mounted handle of /dev/fuse is served", on_handle(work, source, store, point))
    subprocess.run(["umount", "/dev/fuse", f"{work}/dev"], check=False)
    return results.finish()


def main():
    if sys.argv[1:2] == ["inside"]:
        return inside(sys.argv[2])
    need_fuse()
    if os.geteuid() != 0:
        skip("only root can switch to other users; the other mount tests run as the current user")
    with Work() as work:
        return subprocess.run(["unshare", "-m", "--propagation", "private", sys.executable,
                               __file__, "inside", work], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
