# SPDX-License-Identifier: Apache-2.0
"""
Damaged copies of a store behind real mounts: every file of the store is flipped, zeroed, swapped,
misplaced or cut at random (damages.c). In every view a mount shows the same as for the sound store,
or fails with EIO, whether a file is found by listing or by name. Some views of each copy are read,
chosen at random.

The test fails if a mount serves an unchecked byte, lists a shorter folder, answers ENOENT for a
name in a damaged block, shows another size, mode or time, crashes, or hangs.

damaged_mounts.py SEED: repeats one copy in all views, and prints the damage.
"""
import errno
import multiprocessing
import os
import random
import shutil
import stat
import subprocess
import sys

from long import span
from mounted import Mount, Results, Work, lodfs, need_fuse
from tiny import PACKED, make_source

COPIES, COPIES_LONG = 300, 10_000
BATCH = 50  # copies on disk at one time
VIEWS = 3   # how many views of each copy are read
HANG_S = 60
# gpu=off: a crash of the process is then never that of a GPU driver.
OPTIONS = ("gpu=off", "gpu=off,cache=none", "gpu=off,cache_size=64K,threads=1")


# ------------------------------------------------------------------------ the files of a mount

def look(path):
    """Returns (mode, size, mtime, and names, target or bytes) of a path, or an errno."""
    try:
        st = os.lstat(path)
        kind = stat.S_IFMT(st.st_mode)
        data = sorted(os.listdir(path)) if kind == stat.S_IFDIR else \
            os.readlink(path) if kind == stat.S_IFLNK else read(path)
        return st.st_mode, st.st_size, st.st_mtime_ns, data
    except OSError as error:
        return error.errno


def read(path):
    file = os.open(path, os.O_RDONLY)
    try:
        parts = iter(lambda: os.read(file, 1 << 20), b"")
        return b"".join(parts)
    finally:
        os.close(file)


def truth_below(point, view):
    """Returns {path below the mount: look(path)} of a view of the sound store."""
    found, folders = {}, [os.fsencode(view)]
    while folders:
        path = folders.pop()
        found[path] = look(os.path.join(os.fsencode(point), path))
        for name in found[path][-1] if stat.S_ISDIR(found[path][0]) else ():
            folders.append(os.path.join(path, name))
    return found


def compare(point, truth, counts):
    """Yields differences. Looks up every name, even if its folder cannot be listed."""
    top = os.fsencode(point)
    for path, right in truth.items():
        got = look(os.path.join(top, path))
        if isinstance(got, int):
            counts["EIO"] += 1
            if got != errno.EIO:
                yield f"{path}: {errno.errorcode.get(got, got)}"
        elif got != right:
            same = [a == b for a, b in zip(got, right)]
            yield f"{path}: mode, size, time or contents differ; equal are {same}"
        else:
            counts["right"] += 1
    absent = look(os.path.join(top, min(truth) + b"/none"))
    if absent not in (errno.ENOENT, errno.EIO):
        yield f"a missing name gives {absent}"


# ------------------------------------------------------- a process that may hang and be killed

def reader(pipe, truth):
    while True:
        point, views = pipe.recv()
        counts = {"EIO": 0, "right": 0}
        wrong = []
        for view in views:
            wrong += list(compare(point, truth[view], counts))
        pipe.send((wrong, counts))


class Reader:
    """Reads mounts in a child process, which is killed if it hangs."""

    def __init__(self, truth):
        self.truth = truth
        self.process = None

    def look(self, point, views):
        """Returns (list of errors, counts). A hang is an error."""
        if self.process is None:
            self.pipe, theirs = multiprocessing.Pipe()
            self.process = multiprocessing.Process(target=reader, args=(theirs, self.truth),
                                                   daemon=True)
            self.process.start()
        self.pipe.send((point, views))
        if self.pipe.poll(HANG_S):
            return self.pipe.recv()
        self.process.kill()
        self.process = None
        return ["a reader hangs"], {"EIO": 0, "right": 0}


# -------------------------------------------------------------------------------------- the copies

def mount_once(copy, point, options, readers, views, counts):
    done = lodfs("mount", copy, point, "-o", options, check=False)
    if done.returncode:
        counts["refused"] += 1
        if done.returncode not in (1, 10) or done.stderr.count(b"\n") != 1:
            yield f"mount: exit {done.returncode}, {done.stderr!r:.300}"
        return
    wrong, more = readers.look(point, views)
    yield from wrong
    for name, number in more.items():
        counts[name] += number
    done = lodfs("umount", point, check=False)
    if done.returncode:
        yield f"umount: {done.stderr!r:.300}"
        subprocess.run(["umount", "-l", point], check=False)


def make_copies(stores, folder, first, count):
    """Makes `count` damaged copies. Returns {seed: description of the damage}."""
    os.mkdir(folder)
    told = subprocess.run([os.environ["DAMAGE"], "copies", *stores, str(count), str(first), folder],
                          check=True, stdout=subprocess.PIPE).stdout.decode()
    texts = told.split("seed ")[1:]
    return {int(text.partition(":")[0]): text.partition(":")[2] for text in texts}


def run_batch(stores, work, first, count, truth, readers, counts):
    folder = f"{work}/copies"
    for seed, text in make_copies(stores, folder, first, count).items():
        chance = random.Random(seed)
        views = sorted(truth) if len(sys.argv) > 1 else chance.sample(sorted(truth), VIEWS)
        for line in mount_once(f"{folder}/{seed}", f"{work}/mount", chance.choice(OPTIONS),
                               readers, views, counts):
            yield f"seed {seed}: {line}; the damage is{text}"
        if len(sys.argv) > 1:
            print(f"seed {seed}{text}")
    shutil.rmtree(folder)


def make_stores(work):
    stores = []
    for seed in (1, 2):
        make_source(f"{work}/source{seed}", seed, 4)
        stores.append(f"{work}/store{seed}")
        lodfs("pack", "-q", "--scans=default", *PACKED, f"--seed={seed}", f"{work}/source{seed}",
              stores[-1])
    return stores


def read_truth(store, point):
    with Mount(store, point, "-o", OPTIONS[0]):
        views = [name for name in os.listdir(point) if name[0] != "." and name != "auto"]
        nested = [f"{view}/{name}" for view in ("decoded", "native") if view in views
                  for name in os.listdir(f"{point}/{view}") if name != "auto"]
        views = [view for view in views if view not in ("decoded", "native")] + nested
        return {view: truth_below(point, view) for view in views}


def main():
    need_fuse()
    results = Results()
    first, count = (int(sys.argv[1]), 1) if len(sys.argv) > 1 else span(COPIES, COPIES_LONG)
    counts = {"refused": 0, "EIO": 0, "right": 0}
    with Work() as work:
        stores = make_stores(work)
        truth = read_truth(stores[0], f"{work}/mount")
        readers, wrong = Reader(truth), []
        for at in range(first, first + count, BATCH):
            wrong += list(run_batch(stores, work, at, min(BATCH, first + count - at), truth,
                                    readers, counts))
        with Mount(stores[0], f"{work}/mount"):
            wrong += readers.look(f"{work}/mount", sorted(truth))[0]
        if count >= BATCH and not all(counts.values()):
            wrong.append("the damages are badly chosen: one of the counts is 0")
        results.add(f"mounts of damaged stores show right files or EIO: {count} stores, "
                    f"{counts['refused']} refused, {counts['right']} files right, "
                    f"{counts['EIO']} EIO, {len(truth)} views", wrong)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
