# SPDX-License-Identifier: Apache-2.0
"""Mini-epochs on a mount: how often each file is dealt, how many bytes the store gives, and how
often `auto` repeats. repeats.py has the orders.
"""
import json
import os
import random
import sys
from collections import Counter

try:
    import numpy  # noqa: F401
except ImportError:
    print("SKIP: there is no NumPy (Debian: python3-numpy)")
    sys.exit(77)
sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))
import lodfs
import stores
from mounted import Mount, Results, Work, need_fuse
from small import until

EACH = 120
SLOW = ("-o", "download_limit=1500K,cache=none,cache_size=4M")
QUICK = "gpu=off,store_cache=private,cache=none,download_limit=200M"
ROOM = 2 << 20
# A record's header and list of files, which the reader of a photograph needs as well.
HEAD = 2048


def size_of(path):
    with open(path, "rb", buffering=0) as file:
        return len(file.read())


def store_bytes(point):
    with open(f"{point}/.lodfs/stats", "rb", buffering=0) as file:
        return json.loads(file.read(1 << 20))["store"]["bytes"]


def is_loaded(met):
    return met._announced.ask() == len(met._announced._records)


def fixed(store, work):
    """Each file of a part is dealt as often as the number says, and is read of the store once."""
    with Mount(store, f"{work}/mount", *SLOW) as point:
        begun = store_bytes(point)
        met = lodfs.MiniEpochs(f"{point}/full", rf=3, room=ROOM, shape="block")
        counts, last, sizes, entered, records = Counter(), set(), {}, 0, set()
        for _ in met.repeats(epochs=6):
            if not until(lambda: is_loaded(met)):
                yield "what a job listed is not loaded"
                return
            records |= set(met._announced._records)
            before, values = store_bytes(point), list(met.paths())
            for path in values:
                sizes[path] = size_of(path)
            if store_bytes(point) - before > 4096:
                yield f"a repeat of loaded files read {store_bytes(point) - before} bytes"
            entered += sum(sizes[path] for path in set(values) - last)
            counts.update(values)
            last = set(values)
        wrong = [path for path in counts if counts[path] % 3 and path not in last]
        if wrong or len(counts) != EACH:
            yield f"{len(wrong)} of {len(counts)} files were not dealt 3 times a pass"
        used = store_bytes(point) - begun - HEAD * len(records) - ROOM // 2
        if used > 1.02 * entered:
            yield f"the store gave {used} bytes for parts of {entered}"


def gate(met, share):
    """After each repeat, lets the job see one more share of its window as loaded, as if the store
    were that slow. Records are counted, not seconds, so a busy machine changes nothing."""
    real = met._announced.ask

    def ask():
        seen = min(round(met._window * (1 + share)), met._listed)
        return seen if until(lambda: real() >= seen) else real()
    met._announced.ask = ask


def auto(store, work):
    """`auto` repeats a part until the next one is loaded, up to rf_max times.

    Parts have 1 to 9 files, so the mean of few repeats depends on the order of the store. That of
    300 was 1.14 .. 1.20, 4.08 .. 4.27 and 7.84 .. 7.97 in ten stores.
    """
    for share, least, most in (1, 1, 1.4), (1 / 4, 3.7, 4.7), (0, 7.5, 8.3):
        with Mount(store, f"{work}/mount", "-o", f"{QUICK},cache_size=4M") as point:
            met, last, dealt, entered = lodfs.MiniEpochs(f"{point}/full", room=ROOM), (), 0, 0
            gate(met, share)
            for number in met.repeats(epochs=1000):
                values = set(met.paths())
                dealt += len(values) * (number >= 16)  # before, all began at once
                entered += len(values.difference(last)) * (number >= 16)
                last = values
                if number == 300:
                    break
        mean = dealt / entered
        print(f"auto: {mean:.2f} repeats where {share:.2f} of a window is loaded in each")
        if not least <= mean <= most or {rf for _, rf in met.history} - set(range(1, 9)):
            yield f"{mean:.2f} repeats where {share:.2f} of a window is loaded in each"


def limited(store, work):
    """`auto` at its limit replaces a part of its window at a time, and never has a small one."""
    for share in 0, 1 / 10, 1 / 5:
        with Mount(store, f"{work}/mount", "-o", f"{QUICK},cache_size=4M") as point:
            met = lodfs.MiniEpochs(f"{point}/full", rf="auto", rf_max=3, room=ROOM)
            gate(met, share)
            lengths = []
            for _ in met.repeats(epochs=9):
                list(met)
                lengths.append(met._window)
            print(f"limited: windows of {lengths} records")
            # The first windows are smaller: they leave room for the next part. Records differ in
            # size: the least was .47 of the most in 60 stores, and .08 .. .27 where parts that left
            # were not replaced.
            if min(lengths[3:]) < .37 * max(lengths):
                yield f"windows of {min(lengths[3:])} to {max(lengths)} records"


def waited(store, work):
    """on_wait="wait": no part is dealt before it is loaded."""
    with Mount(store, f"{work}/mount", *SLOW) as point:
        met = lodfs.MiniEpochs(f"{point}/full", rf=1, room=ROOM, shape="block", on_wait="wait")
        number = 0
        for number in met.repeats(epochs=1):
            loaded = met._announced.ask()
            _, count = len(list(met)), len(met._announced._records)
            if number and loaded < count // 3:
                yield f"part {number} is dealt with {loaded} of {count} records loaded"
        if number < 3:
            yield f"an epoch has {number + 1} parts"


def switched(store, work):
    """With paths through `auto`, each repeat has the fidelity that `auto` has at that time. More
    files fit at a lower fidelity.
    """
    with Mount(store, f"{work}/mount", "-o", "cache_size=4M") as point:
        met = lodfs.MiniEpochs(f"{point}/auto", rf=2, room=ROOM)
        lengths = {}
        for number in met.repeats(epochs=40):
            lengths[number] = len(list(met))
            if number == 3:
                lodfs.Mount(point).auto = "q1"
            if number == 12:
                lodfs.Mount(point).auto = "full"
            if number == 20:
                break
        if not lengths[3] < lengths[12] == EACH or not lengths[20] < EACH:
            yield f"the repeats have {lengths}"


def filled(client):
    """Lists of nearly all of the room are loaded whole, one after the other, in any order."""
    sizes, room = {}, 0
    for record in range(1, EACH):
        try:
            told = client.ahead(1, "full", 0, [record])
        except OSError:  # there is no such record
            break
        sizes[record], room = told.bytes_missing, told.bytes_room
        client.ahead(1, "full", 0, [])
    for seed in range(3):
        order, taken = sorted(sizes), []
        random.Random(seed).shuffle(order)
        for record in order:
            if sum(sizes[other] for other in taken) + sizes[record] <= room:
                taken.append(record)
        if sum(sizes[record] for record in taken) < .9 * room:
            yield f"{taken} take less than .9 of {room} bytes: this tests little"
        client.ahead(1, "full", 0, taken)
        if not until(lambda: client.ahead(1, "full", len(taken), []).ready == len(taken)):
            yield (f"seed {seed}: {client.ahead(1, 'full', len(taken), []).ready} of {len(taken)} "
                   "records")


def make_pairs(work, photographs):
    """Packs samples of a folder each, with a photograph and a mask of noise."""
    rng = random.Random(5)
    for number, path in enumerate(photographs):
        os.makedirs(f"{work}/pairs/s{number:03}")
        os.link(path, f"{work}/pairs/s{number:03}/image.jpg")
        with open(f"{work}/pairs/s{number:03}/mask.pgm", "wb") as file:
            file.write(b"P5\n128 96\n255\n" + rng.randbytes(128 * 96))
    return stores.pack(f"{work}/pairs", f"{work}/pairs.lodfs", "--record-size=192K")


def pairs(work, photographs):
    """A job lists images only. It also reads their masks, whose records are in its lists too, so
    each is loaded once.
    """
    store = make_pairs(work, photographs)
    with Mount(store, f"{work}/mount", "-o", f"{QUICK},cache_size=3M") as point:
        images = [f"{point}/full/s{number:03}/image.jpg" for number in range(len(photographs))]
        met, begun, used = lodfs.MiniEpochs(images, rf=2), store_bytes(point), 0
        for _ in range(4):
            for image in met.paths():
                used += size_of(image) + size_of(image.replace("image.jpg", "mask.pgm"))
        with open(f"{point}/.lodfs/stats", "rb", buffering=0) as file:
            stray = json.loads(file.read(1 << 20))["ahead"]["reads_outside"]
        share = (store_bytes(point) - begun) / used
        print(f"pairs: {stray} reads outside of lists, {share:.2f} of the bytes of the store")
        if stray or not .4 < share < .7:
            yield f"{stray} reads of {8 * len(images)} outside of lists, {share:.2f} of the bytes"


def outside(point, log):
    """Reads of files in no list are counted while there is a list; after 1,000 a line names one."""
    client, paths = lodfs.Mount(point), sorted(
        os.path.join(at, name) for at, _, names in os.walk(f"{point}/full") for name in names)

    def counted():
        with open(f"{point}/.lodfs/stats", "rb", buffering=0) as file:
            return json.loads(file.read(1 << 20)).get("ahead", {}).get("reads_outside", 0)
    for path in paths:
        size_of(path)
    if counted():
        yield f"{counted()} reads without a list"
    client.ahead(1, "full", 0, [1])
    if not until(lambda: client.ahead(1, "full", 1, []).ready == 1):
        yield "the list is not loaded"
    for _ in range(30):
        if counted() >= 1000:
            break
        for path in paths:
            size_of(path)
    if not 1000 <= counted() <= 1000 + 2 * len(paths):
        yield f"{counted()} reads are counted"
    with open(log, encoding="utf-8") as file:
        lines = [line for line in file if "that no job has listed" in line]
    if len(lines) != 1 or not any(os.path.basename(path) in lines[0] for path in paths):
        yield f"the log has {lines}"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        store = stores.in_small_records(work, EACH, 3)
        results.add("fixed", fixed(store, work))
        results.add("auto", auto(store, work))
        results.add("limit", limited(store, work))
        results.add("wait", waited(store, work))
        results.add("auto/", switched(store, work))
        for size in "512K", "1M", "1536K":
            with Mount(store, f"{work}/filled", "-o", f"{QUICK},cache_size={size}") as point:
                results.add(f"a list fills its room in {size}", filled(lodfs.Mount(point)))
        results.add("pairs", pairs(work, [f"{work}/source/{path}" for path in
                                          stores.files_below(f"{work}/source")]))
        log = f"{work}/log"
        with Mount(store, f"{work}/outside", "--log-file", log, "-o",
                   f"{QUICK},cache_size=512K") as point:
            results.add("reads outside of lists", outside(point, log))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
