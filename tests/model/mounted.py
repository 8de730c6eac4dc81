# SPDX-License-Identifier: Apache-2.0
"""Helpers for tests that pack and mount: a mount as a context, a work folder, counted results."""
import ctypes
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

SKIP = 77
# In a mount's root, beside the fidelities.
BESIDE = ["auto", "decoded", "tar", "recordio", "tfrecord", "native", ".lodfs"]
SECONDS_MAX = 600  # a sanitized pack on a busy machine
# Only a program that hangs takes longer, also on a busy machine. One with a planted bug gets less.
HANG_S = int(os.environ.get("LODFS_HANG_S", 300))
CLONE_NEWNS = 0x20000
OWN_MOUNTS = "LODFS_TEST_OWN_MOUNTS"

# SIGHUP is ignored under nohup, SIGINT in background jobs of a script. Programs inherit that, so a
# test that sends such a signal would wait for ever.
for NUMBER in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    if signal.getsignal(NUMBER) == signal.SIG_IGN:
        signal.signal(NUMBER, signal.SIG_DFL)


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(SKIP)


def own_mounts():
    """Gives a test that root runs a mount namespace, which its children share. Other programs of
    the machine then cannot use its mounts, which makes them busy, and do not copy them with a
    namespace of their own, which keeps the server alive after umount."""
    if os.geteuid() == 0 and OWN_MOUNTS not in os.environ and \
            ctypes.CDLL(None).unshare(CLONE_NEWNS) == 0:
        os.environ[OWN_MOUNTS] = "1"
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)


def need_fuse():
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        skip("/dev/fuse cannot be opened here, so nothing can be mounted")
    if os.geteuid() != 0 and not shutil.which("fusermount3"):
        skip("not root, and fusermount3 is missing")
    own_mounts()


def lodfs(*arguments, check=True):
    """Runs the program under test, LODFS. With `check`, a failure prints its output and exits."""
    done = subprocess.run([os.environ["LODFS"], *arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          timeout=SECONDS_MAX)
    if check and done.returncode != 0:
        print(f"lodfs {' '.join(map(str, arguments))}: exit {done.returncode}")
        print((done.stdout + done.stderr).decode(errors="replace"))
        raise SystemExit(1)
    return done


class Mount:
    """with Mount(store, mountpoint, options..): mounts the store, and unmounts it at the end."""

    def __init__(self, store, point, *options):
        self.store, self.point, self.options = store, point, options

    def __enter__(self):
        os.makedirs(self.point, exist_ok=True)
        lodfs("mount", self.store, self.point, *self.options)
        if not os.path.ismount(self.point):
            raise RuntimeError("lodfs mount returned 0, but nothing is mounted")
        return self.point

    def __exit__(self, *_):
        done = lodfs("umount", self.point, check=False)
        if done.returncode != 0:
            subprocess.run(["umount", "-l", self.point], check=False)
            raise RuntimeError(f"lodfs umount: {done.stderr.decode(errors='replace')}")
        end = time.monotonic() + 120
        while os.path.ismount(self.point) and time.monotonic() < end:
            time.sleep(.05)


class Work:
    """with Work() as path: a folder for one test, removed at the end with all mounts in it."""

    def __init__(self, above=None):
        self.above = above

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="lodfs-test-", dir=self.above)
        return self.path

    def __exit__(self, *_):
        with open("/proc/mounts", encoding="utf-8", errors="surrogateescape") as mounts:
            for point in [line.split()[1] for line in mounts if self.path in line]:
                subprocess.run(["umount", "-l", point], check=False)  # left by a failed test
        for folder, subfolders, _ in os.walk(os.fsencode(self.path)):
            for name in subfolders:
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    os.chmod(path, stat.S_IRWXU)
        shutil.rmtree(os.fsencode(self.path))


class Results:
    """Counts named checks. A check passes if its list of errors is empty; else they are printed.
    With LODFS_FIRST_FAILURE the first check that fails ends the program."""

    def __init__(self):
        self.passed = self.failed = 0

    def add(self, name, wrong):
        wrong = list(wrong)
        if wrong:
            self.failed += 1
            print(f"FAILED {name}: {len(wrong)} errors")
            for line in wrong[:12]:
                print(f"    {line}")
            if os.environ.get("LODFS_FIRST_FAILURE"):
                sys.exit(self.finish())
        else:
            self.passed += 1
            print(f"ok     {name}")
        sys.stdout.flush()

    def finish(self):
        print(f"tests: {self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0
