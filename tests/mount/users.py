# SPDX-License-Identifier: Apache-2.0
"""
Mounts of a plain user, through fusermount3, and on an open handle of /dev/fuse, /dev/fd/N, which a
helper with more rights has mounted. In a mount namespace of its own, where the device is open to
all, as it is on most machines.
"""
import ctypes
import os
import shutil
import subprocess
import sys

from mounted import Results, Work, need_fuse, skip
from small import make_store, read, until

NOBODY, OTHER = 65534, 65533
SECONDS_MAX = 20
MS_RDONLY, MS_NOSUID, MS_NODEV = 1, 2, 4


def run(work, *arguments, user=NOBODY, **options):
    """The program as nobody: (exit status, what it said)."""
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
        yield f"{what}: exit {got[0]}, says {got[1]!r:.300}"


def mounts_at(point):
    with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as lines:
        return [line for line in lines if line.split()[1] == point]


def through_fusermount(work, source, store, point):
    yield from expect("mount", run(work, "mount", store, point), 0)
    if not any("nosuid,nodev" in line and f"user_id={NOBODY}" in line for line in mounts_at(point)):
        yield f"mounted as {mounts_at(point)}"
    shown = as_nobody(f"cat '{point}/full/labels/secret'; stat -c %u '{point}/full/labels/secret'")
    if shown.stdout != read(f"{source}/labels/secret") + b"%d\n" % NOBODY:
        yield f"shows {shown}"
    yield from expect("umount", run(work, "umount", point), 0)
    if mounts_at(point):
        yield "still mounted"


def refused(work, store, point):
    got = run(work, "mount", "-o", "allow_other", store, point)
    if not os.path.exists("/etc/fuse.conf") or "\nuser_allow_other" not in "\n" + \
            read("/etc/fuse.conf").decode():
        yield from expect("allow_other", got, 1, "user_allow_other")
    run(work, "umount", point)
    yield from expect("a folder of root", run(work, "mount", store, "/usr"), 1)
    yield from expect("nothing mounted", run(work, "umount", point), 1, "no lodfs is mounted")


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
    """A fusermount3 that fails for another reason than use is let say it."""
    os.mkdir(f"{work}/bin")
    with open(f"{work}/bin/fusermount3", "w", encoding="ascii") as script:
        script.write("#!/bin/sh\necho 'fusermount3: no table of mounts' >&2\nexit 1\n")
    os.chmod(f"{work}/bin/fusermount3", 0o755)
    yield from expect("mount", run(work, "mount", store, point), 0)
    got = run(work, "umount", point, env={"PATH": f"{work}/bin"})
    yield from expect("umount", got, 1, "no table of mounts", "says above why")
    if "in use" in got[1]:
        yield f"says {got[1]!r}"
    yield from expect("umount", run(work, "umount", point), 0)


def by_another(work, store, point):
    """Who has not mounted is told so, in use or not, and whoever mounted it."""
    words = "cannot unmount: not permitted"
    yield from expect("mount", run(work, "mount", store, point), 0)
    for options in ((), ("-l",)):
        yield from expect("umount of another's", run(work, "umount", *options, point, user=OTHER),
                          1, words)
    yield from expect("umount", run(work, "umount", point), 0)
    subprocess.run([f"{work}/lodfs", "mount", "-o", "allow_other", store, point], check=True)
    yield from expect("umount of root's", run(work, "umount", point), 1, words)
    subprocess.run([f"{work}/lodfs", "umount", point], check=True)


def over_dead(work, store, point):
    server = start(work, "mount", "-f", store, point)
    until(lambda: mounts_at(point))
    server.kill()
    server.wait()
    yield from expect("over a dead mount", run(work, "mount", store, point), 0, "replaced")
    yield from expect("umount", run(work, "umount", point), 0)


def open_device(point):
    """A handle of /dev/fuse that is mounted at `point`."""
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
            yield f"{words}: other bytes"
        subprocess.run(["umount", point], check=True)
        if server.wait(SECONDS_MAX):
            yield f"{words}: the server ends with {server.returncode}"
    yield from expect("no such handle", run(work, "mount", store, "/dev/fd/77"), 1, "/dev/fd/77")
    yield from expect("no device", run(work, "mount", store, "/dev/fd/0"), 1, "fuse")


def open_to_all(work):
    """/dev/fuse for everybody, in this namespace alone."""
    os.mkdir(f"{work}/dev")
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", f"{work}/dev"], check=True)
    device = os.stat("/dev/fuse").st_rdev
    os.mknod(f"{work}/dev/fuse", 0o020666, device)
    os.chmod(f"{work}/dev/fuse", 0o666)
    subprocess.run(["mount", "--bind", f"{work}/dev/fuse", "/dev/fuse"], check=True)


def inside(work):
    results = Results()
    open_to_all(work)
    source, store, point = make_store(work)
    shutil.copy(os.environ["LODFS"], f"{work}/lodfs")
    subprocess.run(["chown", "-R", str(NOBODY), store, point], check=True)
    if shutil.which("fusermount3"):
        results.add("fusermount3", through_fusermount(work, source, store, point))
        results.add("what is refused", refused(work, store, point))
        results.add("in use", in_use(work, store, point))
        results.add("its own words", other_words(work, store, point))
        results.add("another user's", by_another(work, store, point))
        results.add("over a dead mount", over_dead(work, store, point))
    else:
        print("SKIP: fusermount3 is missing, so no plain user can mount")
    results.add("/dev/fd/N", on_handle(work, source, store, point))
    subprocess.run(["umount", "/dev/fuse", f"{work}/dev"], check=False)
    return results.finish()


def main():
    if sys.argv[1:2] == ["inside"]:
        return inside(sys.argv[2])
    need_fuse()
    if os.geteuid() != 0:
        skip("only root can become somebody else; the other mount tests run as you")
    with Work() as work:
        return subprocess.run(["unshare", "-m", "--propagation", "private", sys.executable,
                               __file__, "inside", work], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
