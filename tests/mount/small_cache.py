# SPDX-License-Identifier: Apache-2.0
"""
A cache without room for one decoded photograph: how often each is decoded, read in several ways,
and whether the memory stays within the sum that the mount has logged. Each row is a fresh mount.
Makers lend memory for three of these photographs. Eight that are read at the same time have a share
of it, and are decoded three or four times each.
"""
import io
import json
import os
import random
import re
import sys
import threading

from mounted import Results, Work, lodfs, need_fuse, skip
from small import Foreground, read

try:
    from PIL import Image
except ImportError:
    skip("PIL is not installed (Debian: python3-pil)")

SANITIZED = "ASAN_OPTIONS" in os.environ  # it is slow, and keeps memory that was freed
PIXELS = os.environ.get("LODFS_PIXELS", "1500x1000" if SANITIZED else "4000x3000")
SIZE = [int(word) for word in PIXELS.split("x")]
BYTES = 3 * SIZE[0] * SIZE[1]
FILES = 8
STEP = 128 << 10


def make_source(folder):
    """Writes photographs that are decoded to the same number of bytes."""
    os.mkdir(folder)
    for k in range(FILES):
        few = Image.frombytes("RGB", (24, 16), random.Random(k).randbytes(24 * 16 * 3))
        out = io.BytesIO()
        few.resize(SIZE, Image.BICUBIC).save(out, "JPEG", quality=85)
        with open(os.path.join(folder, f"{k}.jpg"), "wb") as file:
            file.write(out.getvalue())


def decoded(point, count):
    return [os.path.join(point, "decoded", "full", f"{k}.ppm") for k in range(count)]


def in_turn(paths, end=BYTES):
    """One thread reads a step of each file in turn, as far as `end`."""
    files = [os.open(path, os.O_RDONLY) for path in paths]
    for at in range(0, end, STEP):
        for file in files:
            os.pread(file, STEP, at)
    for file in files:
        os.close(file)


def one_by_one(paths):
    for path in paths:
        in_turn([path])


def to_the_middle(paths):
    """One by one, and no file to its end."""
    for path in paths:
        in_turn([path], BYTES // 2)


def at_random(paths):
    """One thread reads steps of a file in any order."""
    file = os.open(paths[0], os.O_RDONLY)
    steps = list(range(0, BYTES, STEP))
    random.Random(1).shuffle(steps)
    for at in steps:
        os.pread(file, STEP, at)
    os.close(file)


def at_once(paths):
    """A thread for each path reads all of it."""
    threads = [threading.Thread(target=in_turn, args=([path],)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def beside_frames(paths):
    """The same for two, while another reads stored files."""
    point = os.path.dirname(os.path.dirname(os.path.dirname(paths[0])))
    stored = threading.Thread(target=lambda: [read(os.path.join(point, "full", f"{k}.jpg"))
                                              for k in range(FILES)])
    stored.start()
    at_once(paths)
    stored.join()


# Name, how, files, cache as a part of a decoded photograph, how often all of them may be decoded.
ROWS = [
    ("one reader, small cache", one_by_one, 1, .22, 1),
    ("one reader, no cache", one_by_one, 2, 0, 2),
    ("one reader, a fifth too small", one_by_one, 3, .8, 3),
    ("one reader, a fifth more", one_by_one, 3, 1.2, 3),
    ("all files one by one", one_by_one, FILES, .22, FILES),
    ("all files to the middle, small cache", to_the_middle, FILES, .22, FILES),
    ("all files to the middle, room for two", to_the_middle, FILES, 2.5, FILES),
    ("at random", at_random, 1, .22, 1),
    ("two readers of one file", lambda paths: at_once(paths * 2), 1, .22, 1),
    ("two files at once", at_once, 2, .22, 2),
    ("two files in turn", in_turn, 2, 1.2, 2),
    ("two files beside frames", beside_frames, 2, 1.2, 2),
    ("three files in turn", in_turn, 3, .22, 3),
    ("eight files at once", at_once, FILES, .22, 6 * FILES),
    ("eight files in turn", in_turn, FILES, .22, 4 * FILES),
]


def seconds_of(process):
    """Returns the processor time of a process."""
    fields = read(f"/proc/{process.pid}/stat").rsplit(b") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(mount, log):
    """Returns the most memory that a mount has had, and the most that it promised, in MiB."""
    promised = re.search(rb"memory at most (\d+) MiB", read(log))
    had = re.search(rb"VmHWM:\s+(\d+) kB", read(f"/proc/{mount.process.pid}/status"))
    return int(had[1]) >> 10, int(promised[1])


def made(point):
    """Returns how many units the mount has made."""
    return json.loads(read(f"{point}/.lodfs/stats"))["made"]["units"]


def measure(work, how, count, part):
    """Returns how many units a fresh mount makes, its processor time and its memory."""
    point = os.path.join(work, "mount")
    log = f"{work}/log"
    os.makedirs(point, exist_ok=True)
    with Foreground(f"{work}/store", point, log, "-o",
                    f"cache_size={int(BYTES * part)}") as mount:
        how(decoded(point, count))
        return made(point), seconds_of(mount.process), memory_of(mount, log)


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        make_source(f"{work}/source")
        lodfs("pack", f"{work}/source", f"{work}/store")
        for name, how, count, part, most in ROWS:
            units, seconds, (had, promised) = measure(work, how, count, part)
            print(f"{name}: {units} decoded, {count} files, {seconds:.2f} s, "
                  f"{had} of {promised} MiB")
            results.add(name, [f"{count} to {most} are right"] * (not count <= units <= most)
                        + ["more memory than promised"] * (had > promised and not SANITIZED))
    return results.finish()


sys.exit(main())
