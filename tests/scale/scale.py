# SPDX-License-Identifier: Apache-2.0
"""Measures what the number of items costs a mount, with a store of make_store.

As a test it checks figures that must not grow with the store. The benchmark prints the same figures
for ten million items. Bytes read are those the kernel counts for the server, requests included.
"""
import json
import os
import random
import re
import subprocess
import sys
import time

from small import daemons

PAGE_KIB = 1024
LOOKUPS = 2_000
TREES = ("full", "q1", "q9")  # the same names in trees that the kernel has not seen yet
MOUNT_BYTES_MAX = 256 << 10   # the superblock, a few blocks, the manifest; without libraries
BLOCK = 4096
INDEX_BYTES_MAX = 128         # an item
BASE_KIB = (24 + 16 + 16) * PAGE_KIB  # the stated limits, without the cache, which stays empty
DIRECTORIES_KIB = 16 * PAGE_KIB       # of framed files
SAMPLE_READS = 200                    # anywhere in a framed file
PEAK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "peak.py")
PACKED = 300_000                      # files
PACK_BYTES_MAX = 220                  # of memory, for each of them: decision 803 and a tenth
LISTING_S_MAX = 60            # if the time grew with the square of the names it would take hours


def make(tool, store, items, many, photograph=None):
    """Makes the store; returns the seconds it took."""
    from_s = time.monotonic()
    subprocess.run([tool, store, str(items), str(many)] + ([photograph] if photograph else []),
                   check=True)
    return time.monotonic() - from_s


class Served:
    """A mount by `lodfs mount` in the background, as users do, and the resources of its server."""

    def __init__(self, lodfs, store, point):
        self.lodfs, self.store, self.point = lodfs, store, point
        self.pid = self.ready_ms = None

    def __enter__(self):
        os.makedirs(self.point, exist_ok=True)
        from_s = time.monotonic()
        subprocess.run([self.lodfs, "mount", self.store, self.point], check=True)
        os.stat(os.path.join(self.point, "full"))
        self.ready_ms = (time.monotonic() - from_s) * 1e3
        self.pid, = daemons(self.point)
        return self

    def __exit__(self, *_):
        subprocess.run([self.lodfs, "umount", self.point], check=True)

    def resident_kib(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def cpu_s(self):
        """Returns the CPU time of all its threads, past ones included, by clock_getcpuclockid(3)'s
        clock."""
        return time.clock_gettime(~self.pid << 3 | 2)

    def bytes_read(self):
        with open(f"/proc/{self.pid}/io", encoding="ascii") as file:
            return int(re.search(r"rchar: (\d+)", file.read()).group(1))


def path_of(file, many, photographs=False):
    """Returns the path that make_store gives file number `file`; a photograph's ending differs."""
    ending = "jpg" if photographs else "bin"
    if file < many:
        return f"many/n{file:08}.{ending}"
    leaf = (file - many) // 1000
    return f"{leaf // 1000:05}/{leaf % 1000:03}/n{file:08}.{ending}"


def pick(items, many, count, seed):
    """Returns paths of files, half of them in many/, half in other folders."""
    dice = random.Random(seed)
    chosen = [dice.randrange(many) for _ in range(count // 2)]
    chosen += [dice.randrange(many, items) for _ in range(count - count // 2)]
    dice.shuffle(chosen)
    return [path_of(file, many) for file in chosen]


def look_up(root, paths):
    """Returns (seconds, missing files). A photograph counts as missing: its ending differs."""
    missing = 0
    from_s = time.monotonic()
    for path in paths:
        try:
            os.stat(os.path.join(root, path))
        except FileNotFoundError:
            missing += 1
    return time.monotonic() - from_s, missing


def read(root, paths):
    """Returns (seconds, files whose bytes are not their path and a newline)."""
    wrong = 0
    from_s = time.monotonic()
    for path in paths:
        try:
            with open(os.path.join(root, path), "rb") as file:
                wrong += file.read() != path.encode() + b"\n"
        except FileNotFoundError:
            wrong += not os.path.exists(os.path.join(root, path[:-3] + "jpg"))
    return time.monotonic() - from_s, wrong


def listing(folder):
    """Returns (seconds, names) of `ls -f`."""
    from_s = time.monotonic()
    names = subprocess.run(["ls", "-f", folder], check=True, stdout=subprocess.PIPE).stdout
    return time.monotonic() - from_s, names.count(b"\n") - 2


def measure(lodfs, store, point, items, many, mounts=5):
    """Returns all figures of one store, as a flat dictionary."""
    figures = {"items": items, "many": many, "ready_ms": [],
               "index_bytes": os.path.getsize(os.path.join(store, "index"))}
    figures["index_bytes_per_item"] = figures["index_bytes"] / items
    for _ in range(mounts):
        with Served(lodfs, store, point) as server:
            figures["ready_ms"].append(server.ready_ms)
            figures["mount_bytes"] = server.bytes_read()
            figures["mount_kib"] = server.resident_kib()
    with Served(lodfs, store, point) as server:
        paths = pick(items, many, LOOKUPS, 1)
        before = server.bytes_read()
        seconds, figures["missing"] = look_up(os.path.join(point, "full"), paths)
        figures["lookup_us"] = seconds / LOOKUPS * 1e6
        figures["lookup_bytes"] = (server.bytes_read() - before) / LOOKUPS
        seconds, figures["wrong"] = read(os.path.join(point, "full"), pick(items, many, LOOKUPS, 2))
        figures["read_us"] = seconds / LOOKUPS * 1e6
        cpu, figures["listing_s"] = server.cpu_s(), []
        for tree in TREES:
            seconds, figures["names"] = listing(os.path.join(point, tree, "many"))
            figures["listing_s"].append(seconds)
        figures["listing_cpu_s"] = (server.cpu_s() - cpu) / len(TREES)
        figures["peak_kib"] = server.resident_kib()
        figures["bytes_read"] = server.bytes_read()
    return figures


def reads_of(path, count, seed):
    """Returns the seconds that each of some reads of 4 KiB anywhere in a file takes."""
    dice, times = random.Random(seed), []
    file = os.open(path, os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    size = os.fstat(file).st_size
    for _ in range(count):
        at = dice.randrange(size // BLOCK) * BLOCK
        from_s = time.monotonic()
        data = os.pread(file, BLOCK, at)
        times.append(time.monotonic() - from_s)
        if len(data) != min(BLOCK, size - at):
            raise RuntimeError(f"{path}: {len(data)} bytes at {at}")
    os.close(file)
    return times


def measure_samples(lodfs, store, point, items):
    """Returns figures of the framed files of a store all of whose files lead samples."""
    records = -(-items // 8192)
    figures = {"items": items, "index_bytes": os.path.getsize(os.path.join(store, "index"))}
    with Served(lodfs, store, point) as server:
        for view in ("tar", "recordio"):
            from_s, before = time.monotonic(), server.bytes_read()
            names = subprocess.run(["ls", "-l", f"{point}/{view}/q4"], check=True,
                                   stdout=subprocess.PIPE).stdout
            figures[f"{view}_ls_ms"] = (time.monotonic() - from_s) * 1e3
            figures[f"{view}_ls_bytes"] = server.bytes_read() - before
            figures[f"{view}_names"] = names.count(b"\n") - 1
        shard, rec = f"{point}/tar/q4/data-000000.tar", f"{point}/recordio/q4/data.rec"
        cpu = server.cpu_s()
        for name, path in (("shard", shard), ("rec", rec)):
            reads_of(path, 1, 1)  # the first opens what all need
            before = server.bytes_read()
            times = sorted(reads_of(path, SAMPLE_READS, 2))
            figures[f"{name}_bytes"] = os.path.getsize(path)
            figures[f"{name}_read_us"] = times[len(times) // 2] * 1e6
            figures[f"{name}_read_bytes"] = (server.bytes_read() - before) / len(times)
        figures["reads_cpu_ms"] = (server.cpu_s() - cpu) / (2 * SAMPLE_READS + 2) * 1e3
        from_s, cpu = time.monotonic(), server.cpu_s()
        with open(f"{point}/tar/full/data-000000.tar", "rb") as file:
            figures["shard_files"] = file.read().count(b"ustar\0")
        figures["shard_pass_s"] = time.monotonic() - from_s
        figures["shard_pass_cpu_s"] = server.cpu_s() - cpu
        figures["peak_kib"] = server.resident_kib()
    figures["records"] = records
    with open(f"{store}/records/000001.raw", "rb") as file:  # after the tree
        figures["metadata_bytes"] = int.from_bytes(file.read(56)[52:], "little")
    return figures


def judge_samples(figures):
    """A read anywhere costs one record's metadata, read once, and some blocks of the index, at any
    size. Few records stay open."""
    share = figures["records"] / SAMPLE_READS if figures["records"] < 10 else 1
    rec_bytes = share * (1.2 * figures["metadata_bytes"] + 64 * BLOCK)
    checks = (("tar_ls_bytes", 4 * BLOCK * (figures["records"] + 200)),
              ("recordio_ls_bytes", 200 * BLOCK), ("shard_read_bytes", 64 * BLOCK),
              ("rec_read_bytes", rec_bytes), ("peak_kib", BASE_KIB + DIRECTORIES_KIB))
    for name, most in checks:
        if figures[name] > most:
            yield f"{name}: {figures[name]:,.0f}, {most:,.0f} is the limit"
    if figures["tar_names"] != figures["records"] + 1 or figures["recordio_names"] != 4:
        yield f"{figures['tar_names']} tar files, {figures['recordio_names']} of recordio"
    if figures["shard_files"] != 2 * 8192:  # each sample has a file and its label
        yield f"{figures['shard_files']} files in a shard"


def judge(figures):
    """Checks what a store of any size must keep; times are for the benchmark."""
    photographs = 500 / figures["items"]
    levels = figures["items"].bit_length()
    checks = (
        ("mount_bytes", MOUNT_BYTES_MAX), ("index_bytes_per_item", INDEX_BYTES_MAX),
        ("mount_kib", BASE_KIB), ("peak_kib", BASE_KIB),
        ("missing", LOOKUPS * photographs * 3 + 20), ("wrong", 0),
        # Each level of a search over names reads at most a block of nodes and one of names. Parent
        # folders, the item, its record and the search for the record come on top.
        ("lookup_bytes", (3 * 2 * levels + 20) * BLOCK),
    )
    for name, most in checks:
        if figures[name] > most:
            yield f"{name}: {figures[name]:,.0f}, {most:,.0f} is the limit"
    if max(figures["listing_s"]) > LISTING_S_MAX:
        yield f"a listing took {max(figures['listing_s']):.0f} s"
    if figures["names"] != figures["many"]:
        yield f"{figures['names']} names are listed of {figures['many']}"


# ------------------------------------------------------------------------ the memory of a pack

def make_files(folder, count):
    for number in range(count):
        below = f"{folder}/{number // 1000:03}"
        if number % 1000 == 0:
            os.makedirs(below)
        with open(f"{below}/{number:06}", "wb") as file:
            file.write(b"%08d" % number)


def peak_kib(*command):
    """The most memory that the command had. `meson test` lets malloc fill blocks, which touches
    pages that the command does not use."""
    as_users = {name: at for name, at in os.environ.items() if name != "MALLOC_PERTURB_"}
    done = subprocess.run([sys.executable, PEAK, os.environ["LODFS"], "pack", "-q", *command],
                          stdout=subprocess.PIPE, text=True, check=True, env=as_users)
    return int(done.stdout.split()[0])


def pack_peaks(source, store):
    """KiB of a pack by a plan, one part and a commit, and of one by one process."""
    return {"plan": peak_kib("--plan", source, store),
            "part": peak_kib("--part=1/1", source, store),
            "commit": peak_kib(source, store),
            "one": peak_kib(source, f"{store}-one")}


def judge_pack(work):
    make_files(f"{work}/few", PACKED // 5)  # these fill records too, whose buffers are no file's
    make_files(f"{work}/many", PACKED)
    few = pack_peaks(f"{work}/few", f"{work}/few-store")
    many = pack_peaks(f"{work}/many", f"{work}/many-store")
    for step, kib in many.items():
        taken = (kib - few[step]) * 1024 / (PACKED - PACKED // 5)
        print(f"{step}: {taken:.0f} bytes a file")
        if taken > PACK_BYTES_MAX:
            yield f"{step}: a file takes {taken:.0f} bytes"


def main():
    from long import counted, is_long
    from mounted import Results, Work, lodfs, need_fuse
    need_fuse()
    results = Results()
    with Work() as work:
        store, photos = f"{work}/store", f"{work}/photos"
        items, many = counted((60_000, 40_000), (1_000_000, 500_000))
        subprocess.run([os.environ["PHOTOGRAPHS"], photos, "1", "1", "0", "30"], check=True)
        photograph = next(os.path.join(folder, names[0]) for folder, _, names in os.walk(photos)
                          if names)
        make(os.environ["MAKE_STORE"], store, items, many, photograph)
        done = lodfs("verify", "-q", store, check=False)
        results.add("verify", [] if done.returncode == 0 else [done.stderr])
        figures = measure(os.environ["LODFS"], store, f"{work}/mount", items, many)
        print(json.dumps(figures))
        results.add(f"a store of {items:,} items", judge(figures))
        store, samples = f"{work}/samples", counted(60_000, 10_000_000)
        make(os.environ["MAKE_STORE"], store, samples, samples // 2, "samples")
        figures = measure_samples(os.environ["LODFS"], store, f"{work}/mount", samples)
        print(json.dumps(figures))
        results.add(f"a store of {samples:,} samples", judge_samples(figures))
        if is_long():  # the files take longer to make than the rest of this test
            results.add(f"a source of {PACKED:,} files", judge_pack(work))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
