# SPDX-License-Identifier: Apache-2.0
"""
A tier, a folder on a local disk, keeps the loads of a slow store. Its disk is full or gone,
its folder unfit: each file of the mount is right, and no read fails.

tier.py measure: prints epochs of a store behind 1 Gbit/s and 20 ms, without and with a warm tier.
"""
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

from long import counted
from mounted import Results, Work, lodfs, need_fuse
from small import Foreground, files_below, forget_pages, read, until, write

MIB = 1 << 20
FILES, RECORD = 300, "2M"
FOREIGN = counted(10_000, 100_000)
SLOW = "download_limit=60M,download_latency=3,download_parallel=4"


def make_store(work):
    """Packs files of 20 to 140 KB. Returns (store, mount point, {path: bytes})."""
    draw = random.Random(7)
    truth = {}
    for i in range(FILES):
        name = f"{i % 7}/{i}.bin"
        truth[name] = draw.randbytes(draw.randrange(20_000, 140_000))
        write(f"{work}/source/{name}", truth[name])
    lodfs("pack", "--record-size", RECORD, f"{work}/source", f"{work}/store")
    shutil.rmtree(f"{work}/source")
    os.mkdir(f"{work}/mount")
    return f"{work}/store", f"{work}/mount", truth


def tier_files(tier):
    return [os.path.join(tier, os.fsdecode(name)) for name in files_below(tier)
            if name != b"used" and not name.startswith(b"lists/")]


def tier_bytes(tier):
    """A file may be unlinked meanwhile."""
    total = 0
    for name in tier_files(tier):
        with contextlib.suppress(FileNotFoundError):
            total += os.stat(name).st_size
    return total


def stats(point):
    return json.loads(read(f"{point}/.lodfs/stats"))


class Mounted(Foreground):
    """A mount of the slowed store with a tier, which has been added up."""

    def __init__(self, work, tier, size, *more, point=None):
        options = ",".join([SLOW, f"tier_dir={tier}", f"tier_size={size}", "cache_size=2M",
                            "gpu=off", "cache=none", *more])
        point = point or f"{work}/mount"
        super().__init__(f"{work}/store", point, f"{point}.log", "-o", options)

    def __enter__(self):
        super().__enter__()
        until(lambda: stats(self.point)["tier"]["name"] != "counting")
        return self


def epoch(point, truth, seed):
    """Reads all files in a shuffled order. Yields errors."""
    names = list(truth)
    random.Random(seed).shuffle(names)
    for name in names:
        try:
            if read(f"{point}/full/{name}") != truth[name]:
                yield f"{name} has wrong bytes"
        except OSError as error:
            yield f"{name}: {error}"


class Watch(threading.Thread):
    """Checks the size of a tier every 100 ms."""

    def __init__(self, tier):
        super().__init__(daemon=True)
        self.tier, self.most, self.over = tier, 0, threading.Event()

    def run(self):
        while not self.over.wait(.1):
            self.most = max(self.most, tier_bytes(self.tier))

    def end(self):
        self.over.set()
        self.join()
        return max(self.most, tier_bytes(self.tier))


def make_tier(work, name):
    os.mkdir(f"{work}/{name}", 0o700)
    return f"{work}/{name}"


def warm(work, truth):
    """The second mount asks the store for almost nothing."""
    tier, total = make_tier(work, "warm"), sum(map(len, truth.values()))
    with Mounted(work, tier, "1G") as mount:
        yield from epoch(mount.point, truth, 1)
        if stats(mount.point)["tier"]["written_bytes"] < total * .9:
            yield f"the tier was not filled: {stats(mount.point)['tier']}"
    with Mounted(work, tier, "1G") as mount:
        yield from epoch(mount.point, truth, 2)
        now = stats(mount.point)
        if now["store"]["bytes"] > total * .02:
            yield f"{now['store']['bytes']} of {total} bytes were read of the store: {now['tier']}"
        if now["tier"]["read_bytes"] < total * .98:
            yield f"the tier gave {now['tier']}"


def limited(work, truth):
    """A tier of half the store: it is never larger, and the second epoch hits it as often."""
    tier, total = make_tier(work, "limited"), sum(map(len, truth.values()))
    size = total // 2 // MIB * MIB
    watch = Watch(tier)
    watch.start()
    with Mounted(work, tier, size) as mount:
        yield from epoch(mount.point, truth, 1)
        if stats(mount.point)["tier"]["name"] != "full":
            yield f"it is not full: {stats(mount.point)['tier']}"
    with Mounted(work, tier, size) as mount:
        yield from epoch(mount.point, truth, 2)
        now = stats(mount.point)
    rate = now["tier"]["read_bytes"] / total
    print(f"hit rate {rate:.4f}, size / store {size / total:.4f}")
    if watch.end() > size:
        yield f"it had {watch.most} of {size} bytes"
    if rate < .98 * size / total:
        yield f"of {total} bytes {rate:.4f} came from a tier of {size}: {now['tier']}"


def killed(work, truth):
    """After kill -9 another mount uses all that is there."""
    tier, total = make_tier(work, "killed"), sum(map(len, truth.values()))
    with Mounted(work, tier, "1G") as mount:
        names = list(truth)[:FILES // 2]
        yield from epoch(mount.point, {name: truth[name] for name in names}, 1)
        mount.end(signal.SIGKILL)
        subprocess.run(["umount", "-l", mount.point], check=False)
    there = tier_bytes(tier)
    with Mounted(work, tier, "1G") as mount:
        yield from epoch(mount.point, truth, 2)
        needed = stats(mount.point)["store"]["bytes"]
    print(f"{there} of {total} bytes were there, {needed} were read of the store")
    if there < total * .3:
        yield f"only {there} bytes were there"
    if needed > max(0, total - .99 * there) * 1.03:
        yield f"{needed} bytes were read of the store, {there} of {total} were in the tier"


def together(work, truth):
    """Two mounts with different sizes share a tier, and each keeps its own limit."""
    tier, other = make_tier(work, "together"), f"{work}/other"
    os.mkdir(other)
    watch = Watch(tier)
    watch.start()
    with Mounted(work, tier, 6 * MIB) as small, Mounted(work, tier, 14 * MIB, point=other) as large:
        found = []
        threads = [threading.Thread(target=lambda p=mount.point, s=seed:
                                    found.extend(epoch(p, truth, s)))
                   for seed, mount in enumerate((small, large))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        yield from found
        if watch.end() > 14 * MIB:
            yield f"it had {watch.most} bytes"
        if watch.most <= 6 * MIB:
            yield "the larger limit was not used"


# ---------------------------------------------------------------------------------- bad folders

def refused(work, tier, *words, more="tier_size=1G"):
    done = lodfs("mount", f"{work}/store", f"{work}/mount", "-o", f"tier_dir={tier},{more}",
                 check=False)
    text = done.stderr.decode(errors="replace")
    if os.path.ismount(f"{work}/mount"):
        lodfs("umount", f"{work}/mount")
    for word in words:
        if word not in text:
            yield f"'{word}' is not in the message: {text}"
    if text.count("\n") != 1 or done.returncode not in (1, 2):
        yield f"exit {done.returncode}: {text}"


def bad_folders(work, truth):
    tier = make_tier(work, "bad")
    os.chmod(tier, 0o777)
    yield from refused(work, tier, "tier_dir", "chmod 700")
    os.chmod(tier, 0o700)
    if os.geteuid() == 0:
        os.chown(tier, 65534, 65534)
        yield from refused(work, tier, "tier_dir", "another user")
        os.chown(tier, 0, 0)
    yield from refused(work, f"{work}/nowhere", "tier_dir", "mkdir -m 700")
    write(f"{work}/a_file", b"x")
    yield from refused(work, f"{work}/a_file", f"tier_dir={work}/a_file", "not a folder")
    yield from refused(work, "/proc", "tier_dir=/proc", "not on a local disk")
    os.symlink("elsewhere", f"{tier}/used")
    yield from refused(work, tier, f"tier_dir={tier}", "in place of its file 'used'")
    os.remove(f"{tier}/used")
    yield from refused(work, tier, "tier_size", more="ro")
    done = lodfs("mount", f"{work}/store", f"{work}/mount", "-o", "tier_size=1G", check=False)
    if b"needs tier_dir" not in done.stderr:
        yield f"tier_size alone: {done.stderr}"
    os.mkdir(f"{work}/ours")
    with Foreground(f"{work}/store", f"{work}/ours", f"{work}/ours.log"):
        yield from refused(work, f"{work}/ours/full", "tier_dir", "FUSE")
    foreign = {f"{tier}/notes": b"mine", f"{tier}/{'0' * 32}/00/{'0' * 16}.x": b"mine too"}
    for name, data in foreign.items():
        write(name, data)
    os.mkdir(f"{tier}/used~")
    with Mounted(work, tier, "1G") as mount:
        yield from epoch(mount.point, truth, 1)
    yield from (f"{name} has changed" for name, data in foreign.items() if read(name) != data)


def crowded(work, truth):
    """100,000 files of others lie where slices do: none is counted, used or removed."""
    tier = make_tier(work, "crowded")
    for i in range(FOREIGN):
        folder = f"{tier}/{'0' * 32}/{i // 1000:02x}"
        if i % 1000 == 0:
            os.makedirs(folder)
        os.mknod(f"{folder}/{i}.x")
    for turn in (1, 2):
        with Mounted(work, tier, "1G") as mount:
            state = stats(mount.point)["tier"]
            if turn == 1 and state["bytes"] > state["written_bytes"]:
                yield f"{state} with files of others only"
            yield from epoch(mount.point, truth, turn)
            if turn == 2 and stats(mount.point)["tier"]["read_bytes"] == 0:
                yield f"{stats(mount.point)['tier']}"
    left = sum(name.endswith(".x") for name in tier_files(tier))
    if left != FOREIGN:
        yield f"{left} of {FOREIGN} files of others are left"


def on_tmpfs(work, name, size):
    tier = make_tier(work, name)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "none", tier],
                          check=False, stderr=subprocess.DEVNULL)
    if done.returncode:
        print(f"SKIP: no tmpfs can be mounted here: no disk was {name}")
    return tier if done.returncode == 0 else None


def full_disk(work, truth):
    tier = on_tmpfs(work, "full", "8M")
    if not tier:
        return
    for free in (0, 10):
        with Mounted(work, tier, "1G", f"tier_free={free}") as mount:
            yield from epoch(mount.point, truth, 1)
            if not free and stats(mount.point)["tier"]["name"] not in ("full", "no_space"):
                yield f"{stats(mount.point)['tier']}"
        disk = os.statvfs(tier)
        if free and disk.f_bavail < disk.f_blocks * free // 100 - 2:
            yield f"{disk.f_bavail} of {disk.f_blocks} blocks are free"
        for file in tier_files(tier):
            os.unlink(file)
    write(f"{tier}/ballast", bytes(7 * MIB + 900_000))
    with Mounted(work, tier, "1G", "tier_free=0") as mount:
        yield from epoch(mount.point, truth, 2)
    subprocess.run(["umount", tier], check=True)


def gone(work, truth):
    """The disk is unmounted, or its files are removed, under readers."""
    for way in ("umount", "rm"):
        tier = on_tmpfs(work, f"gone-{way}", "64M") if way == "umount" else \
            make_tier(work, "gone-rm")
        if not tier:
            continue
        with Mounted(work, tier, "1G") as mount:
            found = []
            reader = threading.Thread(
                target=lambda p=mount.point: found.extend([*epoch(p, truth, 1),
                                                           *epoch(p, truth, 2)]))
            reader.start()
            until(lambda t=tier: len(tier_files(t)) > 4)
            if way == "umount":
                subprocess.run(["umount", "-l", tier], check=True)
            else:
                shutil.rmtree(tier, ignore_errors=True)
            reader.join()
            yield from found


def timed(work, options, truth, seed):
    with Foreground(f"{work}/store", f"{work}/mount", f"{work}/log", "-o", options) as mount:
        begun = time.monotonic()
        wrong = list(epoch(mount.point, truth, seed))
        seconds, now = time.monotonic() - begun, stats(mount.point)
    return f"{seconds:.2f} s, {now['store']['bytes']} bytes in {now['store']['reads']} requests " \
        f"of the store, {len(wrong)} wrong files"


def measure(work, truth):
    slow = "download_limit=125M,download_latency=20,download_parallel=4,gpu=off,cache_size=8M"
    tier = make_tier(work, "measured")
    tiered = f"{slow},tier_dir={tier},tier_size=1G"
    print(f"{sum(map(len, truth.values()))} bytes; filled: {timed(work, tiered, truth, 0)}")
    for seed in range(1, 4):
        print(f"without: {timed(work, slow, truth, seed)}")
        forget_pages(tier)
        print(f"warm:    {timed(work, tiered, truth, seed)}")
    return []


def run(*parts):
    """Runs parts with a store and its files, and ends the program."""
    need_fuse()
    results = Results()
    with Work() as work:
        truth = make_store(work)[2]
        for part in parts:
            results.add(part.__name__, part(work, truth))
    sys.exit(results.finish())


if __name__ == "__main__":
    run(*{"measure": (measure,)}.get(
        sys.argv[-1], (warm, limited, killed, together, bad_folders, crowded, full_disk, gone)))
