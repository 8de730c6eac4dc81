# SPDX-License-Identifier: Apache-2.0
"""A loop device that is slow for the processes in one cgroup: both the reader and its server.

The device is read with direct I/O, so that its image is not in RAM twice. Read-ahead and the
largest request are 1280 KiB. ext4 reads one block of inodes at a time: its default of 32 blocks
would count as 32 requests, while a disk would serve them as one. Mounting anew makes the device
cold, since with direct I/O only the mount itself caches.
"""
import os
import subprocess
import time

from systems import command

READ_AHEAD_KIB = 1280
CGROUP1 = "/sys/fs/cgroup/blkio"


def why_not():
    """Returns why a device cannot be limited here, or None."""
    if os.geteuid() != 0:
        return "needs root"
    if not os.path.exists("/dev/loop-control"):
        return "there are no loop devices here"
    if not os.path.isdir(CGROUP1) and "io" not in controllers():
        return "there is neither a blkio controller of cgroup v1 nor an io controller of v2"
    return None


def root2():
    with open("/proc/mounts", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[2] == "cgroup2":
                return words[1]
    return None


def controllers():
    try:
        with open(os.path.join(root2() or "", "cgroup.controllers"), encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []


def write(path, words):
    with open(path, "w", encoding="ascii") as file:
        file.write(words)


class Device:
    """A loop device over `image`, mounted at `point` while it is open."""

    def __init__(self, image, point):
        self.image, self.point = image, point
        self.name = None

    def attach(self):
        self.name = os.path.basename(command("losetup", "-f", "--show", "--direct-io=on",
                                             self.image).strip())
        queue = f"/sys/block/{self.name}/queue"
        write(f"{queue}/scheduler", "none")
        write(f"{queue}/max_sectors_kb", str(READ_AHEAD_KIB))
        write(f"{queue}/read_ahead_kb", str(READ_AHEAD_KIB))
        with open(f"/sys/block/{self.name}/loop/dio", encoding="ascii") as file:
            return file.read().strip() == "1"

    def detach(self):
        if self.name:
            command("losetup", "-d", f"/dev/{self.name}")

    def number(self):
        with open(f"/sys/block/{self.name}/dev", encoding="ascii") as file:
            return file.read().strip()

    def bytes_read(self):
        with open(f"/sys/block/{self.name}/stat", encoding="ascii") as file:
            return int(file.read().split()[2]) * 512

    def mount(self):
        os.makedirs(self.point, exist_ok=True)
        command("mount", "-o", "ro,noatime,inode_readahead_blks=1", f"/dev/{self.name}", self.point)

    def unmount(self):
        command("umount", self.point)


class Limit:
    """A cgroup whose reads of one device are limited; `under` puts a command into it."""

    def __init__(self, device, reads_per_s, bytes_per_s):
        self.one = os.path.isdir(CGROUP1)
        self.path = os.path.join(CGROUP1 if self.one else root2(), f"lodfs-bench-{os.getpid()}")
        self.device, self.reads_per_s, self.bytes_per_s = device, reads_per_s, bytes_per_s

    def __enter__(self):
        number = self.device.number()
        if not self.one:
            write(os.path.join(root2(), "cgroup.subtree_control"), "+io")
        os.mkdir(self.path)
        if self.one:
            for name, value in (("iops", self.reads_per_s), ("bps", self.bytes_per_s)):
                if value:
                    write(f"{self.path}/blkio.throttle.read_{name}_device", f"{number} {value}")
        else:
            write(f"{self.path}/io.max",
                  f"{number} riops={self.reads_per_s or 'max'} rbps={self.bytes_per_s or 'max'}")
        return self

    def charged(self):
        """Returns the requests charged so far. Under a request limit these are what takes time."""
        number = self.device.number()
        if self.one:
            with open(f"{self.path}/blkio.throttle.io_serviced", encoding="ascii") as file:
                return sum(int(line.split()[2]) for line in file
                           if line.startswith(f"{number} Read"))
        with open(f"{self.path}/io.stat", encoding="ascii") as file:
            return sum(int(word[5:]) for line in file if line.startswith(f"{number} ")
                       for word in line.split() if word.startswith("rios="))

    def under(self):
        return ["sh", "-c", f'echo $$ >{self.path}/cgroup.procs && exec "$@"', "sh"]

    def __exit__(self, *_):
        end = time.monotonic() + 20
        while True:
            try:
                os.rmdir(self.path)
                return
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(.05)


def run(limit, words):
    return subprocess.run(limit.under() + words, check=True, stdout=subprocess.PIPE).stdout
