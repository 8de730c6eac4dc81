# SPDX-License-Identifier: Apache-2.0
"""The systems compared: each shows the same files and is started and stopped anew every round."""
import os
import re
import shutil
import subprocess
import time

START_S_MAX = 20
STOP_S_MAX = 300  # a server on slow storage first completes the reads it has begun


def command(*words):
    """Runs a command; prints its output if it fails."""
    done = subprocess.run(words, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        raise SystemExit(f"bench: {' '.join(words)}: exit {done.returncode}\n"
                         + done.stdout.decode(errors="replace"))
    return done.stdout.decode()


def kernel_has(kind):
    with open("/proc/filesystems", encoding="ascii") as file:
        if re.search(rf"\b{kind}$", file.read(), re.M):
            return True
    return shutil.which("modprobe") and not subprocess.run(
        ["modprobe", kind], check=False, stderr=subprocess.DEVNULL).returncode


class System:
    """A folder `root` that read_files reads; `role` decides its colour."""

    def __init__(self, name, role, root):
        self.name, self.role, self.root = name, role, root

    def start(self):
        """Starts cold: neither the kernel nor a server remembers an earlier round."""

    def stop(self):
        pass

    def server_cpu_s(self):
        return 0.0

    def replies(self):
        return 0

    def reader(self, tools, data, threads, passes, seed):
        return [tools.reader, self.root, data.list, str(threads), str(passes), str(seed)]


class Image(System):
    """A file system of the kernel's on a loop device; its image stays in the page cache."""

    def __init__(self, name, role, kind, image, point, options="ro"):
        super().__init__(name, role, point)
        self.kind, self.image, self.options = kind, image, options

    def start(self):
        os.makedirs(self.root, exist_ok=True)
        command("mount", "-t", self.kind, "-o", f"loop,{self.options}", self.image, self.root)

    def stop(self):
        command("umount", self.root)


class Server(System):
    """A FUSE server in the foreground. `words`: its command without the mount point."""

    def __init__(self, name, role, words, point, folder="", under=()):
        super().__init__(name, role, os.path.join(point, folder))
        self.words, self.point, self.under, self.process = list(words), point, list(under), None

    def start(self):
        os.makedirs(self.point, exist_ok=True)
        words = self.under + self.words + [self.point]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        end = time.monotonic() + START_S_MAX
        while not os.path.ismount(self.point):
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"bench: {self.name} did not mount: {' '.join(words)}")
            time.sleep(.005)

    def stop(self):
        command("umount", self.point)
        self.process.wait(STOP_S_MAX)
        self.process = None

    def server_cpu_s(self):
        """Returns the CPU time of all its threads, past ones included, by clock_getcpuclockid(3)'s
        clock."""
        return time.clock_gettime(~self.process.pid << 3 | 2)

    def replies(self):
        """Returns the requests that it answered: it writes once to /dev/fuse for each, and nothing
        else."""
        with open(f"/proc/{self.process.pid}/io", encoding="ascii") as file:
            return int(re.search(r"syscw: (\d+)", file.read()).group(1))


class RingServer(Server):
    """A mount of lodfs whose requests come through io_uring, which has no counter of them."""

    def __init__(self, name, words, point, folder):
        super().__init__(name, "ours", words + ["-o", "io_uring"], point, folder)

    def replies(self):
        return None


def lacks_rings(lodfs):
    """Returns why mounts cannot use io_uring, or None."""
    try:
        with open("/sys/module/fuse/parameters/enable_uring", encoding="ascii") as file:
            enabled = file.read().strip() == "Y"
    except OSError:
        enabled = False
    if "io_uring" in command(lodfs, "version"):
        return "lodfs is built with a libfuse older than 3.18"
    return None if enabled else "the kernel does not offer it for FUSE"


class Records(System):
    """Record files read from start to end by read_records, without a file system."""

    def __init__(self, name, role, shards):
        super().__init__(name, role, os.path.dirname(shards[0]))
        self.shards = shards

    def reader(self, tools, data, threads, passes, seed):
        return [tools.record_reader, str(threads), str(passes), str(seed), *self.shards]


def make_image(kind, folder, image, spare=1.0):
    """Makes an image of `folder` for Image; ext4 gets room for its folders and `spare` times the
    bytes."""
    if kind == "squashfs":
        command("mksquashfs", folder, image, "-quiet", "-no-progress", "-noI", "-noD", "-noF",
                "-noX")
    elif kind == "erofs":
        command("mkfs.erofs", image, folder)
    else:
        room = int(command("du", "-sk", folder).split()[0]) * 1024 * spare
        command("truncate", "-s", str(int(room * 1.1) + (64 << 20)), image)
        # Blocks of 4 KiB: the default of an image below 512 MiB is 1 KiB, and every page a request.
        command("mkfs.ext4", "-q", "-F", "-b", "4096", "-m", "0", "-d", folder, "-E",
                "lazy_itable_init=0,lazy_journal_init=0", image)


def make_shards(tools, kind, data, folder, count):
    """Makes record files of `data`'s files in a shuffled order."""
    os.makedirs(folder, exist_ok=True)
    command(tools.record_maker, kind, os.path.join(folder, "shard"), str(count), data.folder,
            data.shuffled)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.endswith(f".{kind}")]


def breadth_first(files):
    """Writes the list of files for the null server: one line for each file and folder. The children
    of a folder are adjacent and sorted."""
    children = {"": set()}
    sizes = dict(files)
    for path, _ in files:
        while path:
            parent = os.path.dirname(path)
            children.setdefault(parent, set()).add(path)
            path = parent
    lines, queue = ["0 -1 root"], [("", 0)]
    for folder, number in queue:
        for child in sorted(children[folder], key=lambda p: os.fsencode(os.path.basename(p))):
            size = sizes.get(child, -1)
            if size < 0:
                queue.append((child, len(lines)))
            lines.append(f"{number} {size} {os.path.basename(child)}")
    return "\n".join(lines) + "\n"
