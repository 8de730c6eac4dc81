# SPDX-License-Identifier: Apache-2.0
"""parts/<n>/<k>: the parts of a store are disjoint and together the tree, by the rule of
FORMAT.md. They have the files of the mount's trees, and no program finds them by walking the mount.
"""
import collections
import errno
import functools
import importlib.util
import os
import pathlib
import struct
import subprocess
import sys
import zlib

from framed import (flip, make_flat, make_splits, make_texts, opened, packed, photographs, pieces,
                    samples_spec, shared)
from mounted import Mount, Results, Work, lodfs, need_fuse, skip
from small import read, write

try:
    import parts_spec
    import png_files
    import recordio_spec
    import tfrecord_spec
except ImportError as error:
    skip(f"keys are computed with a Python module that is missing: {error}")

COUNTS = shared((1, 2, 7, 64))
MANY = shared((1000,))
SMALL = 0xffffffff
tfrecord_spec.masked_crc = functools.lru_cache(None)(tfrecord_spec.masked_crc)
FRAMED = ("recordio", "tar", "tfrecord")


def noisy_png(width, height):
    dark = bytes(i & 15 for i in range(256))
    rows = b"".join(b"\0" + os.urandom(3 * width).translate(dark) for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return png_files.SIGNATURE + png_files.chunk(b"IHDR", head) + png_files.chunk(
        b"IDAT", zlib.compress(rows)) + png_files.chunk(b"IEND", b"")


def make_mixed(folder, photos):
    """Photographs and PNGs, small texts, links."""
    make_splits(folder, photos)
    for i in range(24):  # a second codec, whose records take turns with those of photographs
        write(f"{folder}/train/class 1/png {i}.png", noisy_png(300, 200))
    write(f"{folder}/README", b"small\n")


class Store:
    """Returns the part that has a path, from only the records."""

    def __init__(self, store, point):
        self.point = os.fsencode(point)
        self.samples = opened(store)
        records = self.samples.records
        self.keys, self.shared = {}, set()
        for number, (path, mode, _, item, flags) in enumerate(self.samples.nodes):
            if mode & 0o170000 == 0o100000:
                record = records[self.samples.items[item][0]]
                self.keys[path] = self.samples.key(number)
                divided = record.codec in (1, 2) or record.codec == 4 and record.cut != SMALL
                if not divided or flags & samples_spec.VIRTUAL:
                    self.shared.add(path)

    def has(self, path, count, part):
        return path in self.shared or parts_spec.part(self.keys[path], count) == part


def walked(folder):
    """Returns ({path: inode number} of files, {path} of folders, {path: target} of links)."""
    files, folders, links = {}, set(), {}
    waiting = [b""]
    while waiting:
        at = waiting.pop()
        with os.scandir(os.path.join(folder, at)) as entries:
            for entry in entries:
                path = os.path.join(at, entry.name)
                if entry.is_symlink():
                    links[path] = os.readlink(entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    folders.add(path)
                    waiting.append(path)
                else:
                    files[path] = entry.inode()
    return files, folders, links


def by_law(store, counts):
    """The files of each part are those of FORMAT.md's rule, with the inode numbers of the tree."""
    plain, folders, links = walked(store.point + b"/q4")
    for count in counts:
        for part in range(count):
            at = b"%s/parts/%d/%d/q4" % (store.point, count, part)
            files, same_folders, same_links = walked(at)
            wanted = {path: number for path, number in plain.items()
                      if store.has(path, count, part)}
            if files != wanted:
                yield f"{at}: {set(files.items()) ^ set(wanted.items())}"
            if same_folders != folders or same_links != links:
                yield f"{at}: {same_folders ^ folders}, {set(same_links) ^ set(links)}"


def views(store, count):
    """In every view, the parts together have all files. A file is in exactly one part, or in all.
    """
    for view in (b"q1", b"full", b"original", b"decoded/q4", b"native/full", b"auto"):
        plain = walked(store.point + b"/" + view + b"/")[0]
        shared = {number & 0xffffffff for path, number in
                  walked(store.point + b"/full")[0].items() if path in store.shared}
        found = collections.Counter()
        for part in range(count):
            folder = b"%s/parts/%d/%d/%s/" % (store.point, count, part, view)
            found.update(walked(folder)[0].items())
        if set(found) != set(plain.items()):
            yield f"{view}: {set(found) ^ set(plain.items())}"
        for (path, number), times in found.items():
            if times != (count if number & 0xffffffff in shared else 1):
                yield f"{view}: {path} is in {times} parts"


def contents(store, count):
    """Files of parts are read through their own paths, by number and by name."""
    for part in range(count):
        at = b"%s/parts/%d/%d/q3" % (store.point, count, part)
        for path in list(walked(at)[0])[::7]:
            if read(os.path.join(at, path)) != read(os.path.join(store.point, b"q3", path)):
                yield f"{at}/{path}: other bytes"
    for path in store.keys:
        for part in range(count):
            at = b"%s/parts/%d/%d/q2/%s" % (store.point, count, part, path)
            if os.path.exists(at) != store.has(path, count, part):
                yield f"{at}: found by name, or not"


def framed(of, samples, fidelity):
    """Yields (folder, ending, bytes) of the files of samples of a split, by FORMAT.md."""
    tree = os.path.join(of.point, os.fsencode(fidelity))

    def get(path):
        return read(os.path.join(tree, path))

    yield "tar", b".tar", samples_spec.tar_of(of.samples, samples, get)
    records, lines = samples_spec.tfrecord_of(of.samples, samples, get)
    yield "tfrecord", b".tfrecord", records
    yield "tfrecord", b".idx", lines
    split = [sample for sample in of.samples.samples if samples and sample[4] == samples[0][4]]
    made = recordio_spec.recordio_of(of.samples, split, get, {sample[0] for sample in samples}) \
        if samples else (b"", b"", b"")
    for ending, data in zip((b".rec", b".idx", b".lst"), made):
        yield "recordio", ending, data


def framed_files(of, counts, fidelities, kept):
    """A part has one file for each split and framing; each is equal to one made by FORMAT.md."""
    splits = sorted({sample[4] for sample in of.samples.samples})
    for count in counts:
        for part in range(count):
            for fidelity in fidelities:
                wanted = {folder: {} for folder in FRAMED}
                for split in splits:
                    samples = [sample for sample in of.samples.samples if sample[4] == split and
                               parts_spec.part(of.samples.key(of.samples.own[sample[0]]),
                                               count) == part]
                    for folder, ending, data in framed(of, samples, fidelity):
                        wanted[folder][(split or b"data") + ending] = data
                    classes = samples_spec.classes_of(of.samples, split)
                    for files in wanted.values() if classes else ():
                        files[(split or b"data") + b".classes.txt"] = classes
                for folder, files in wanted.items():
                    at = b"%s/parts/%d/%d/%s/%s" % (of.point, count, part, folder.encode(),
                                                    fidelity.encode())
                    yield from same_files(at, files, kept)


def same_files(at, files, kept):
    with os.scandir(at) as entries:
        sizes = {entry.name: entry.stat().st_size for entry in entries}
    if sizes != {name: len(data) for name, data in files.items()}:
        yield f"{at}: {sizes}, not { {name: len(data) for name, data in files.items()} }"
        return
    for name, data in files.items():
        kept[os.path.join(at, name)] = data
        if read(os.path.join(at, name)) != data:
            yield f"{at}/{name}: other bytes"


def framed_names(point):
    """The only files are those of the splits; the files of records are none of a part."""
    tar = sorted(name for name in os.listdir(f"{point}/tar/q4") if name.endswith(".tar"))
    for bad in (*tar, "data-000000.tar", "x.tar", ".tar", "train.rec", "train.tfrecord",
                "masks.tar"):
        if os.path.lexists(f"{point}/parts/4/1/tar/q4/{bad}"):
            yield f"{bad} is in a part"
    stems = sorted({name.rpartition("-")[0] for name in tar})
    found = [name for name in os.listdir(f"{point}/parts/4/1/tar/q4") if name.endswith(".tar")]
    if found != [f"{stem}.tar" for stem in stems]:
        yield f"{os.listdir(f'{point}/parts/4/1/tar/q4')}"
    numbers = {os.stat(f"{point}/parts/4/{k}/{view}/q{f}/{stems[0]}.{view}").st_ino
               for k in range(4) for view in ("tar", "tfrecord") for f in (3, 4)}
    if len(numbers) != 16:
        yield "two files have one inode number"


def damaged(store, point, of):
    """Without the metadata of a record, files of parts that end inside of it have no size. All
    other files are sound."""
    lead = next(sample for sample in of.samples.samples if of.samples.row(sample[0])[0] == 1)
    record = of.samples.records[of.samples.items[lead[0]][0]]
    flip(f"{store}/records/{record.name}", 4096 + 70 * record.items)
    failed = read_well = 0
    with Mount(store, point, "-o", "cache=none"):
        for part in range(64):
            at = f"{point}/parts/64/{part}/tar/q1"
            for name in os.listdir(at):
                try:
                    if os.stat(f"{at}/{name}").st_size != len(read(f"{at}/{name}")):
                        yield f"{at}/{name}: a short file"
                    read_well += 1
                except OSError as error:
                    failed += 1
                    if error.errno != errno.EIO:
                        yield f"{at}/{name}: {error}"
        os.stat(f"{point}/parts/1/0/tar/q1/{os.listdir(f'{point}/parts/1/0/tar/q1')[0]}")
    if not failed or not read_well:
        yield f"{failed} files failed, {read_well} did not"


def grammar(point):
    root = sorted(os.listdir(point))
    if "parts" in root:
        yield "parts is listed"
    for folder in ("parts", "parts/7", "parts/1024", "parts/1"):
        if os.listdir(f"{point}/{folder}") != []:
            yield f"{folder} lists {os.listdir(f'{point}/{folder}')}"
    by_path = "path-mount" in point  # such a store has only trees below parts
    below = [name for name in root if name != ".lodfs" and not (by_path and name in FRAMED)]
    if sorted(os.listdir(f"{point}/parts/4/1")) != below:
        yield f"a part has {os.listdir(f'{point}/parts/4/1')}"
    for bad in ("0", "1025", "4/4", "04", "4/-1", "4/01", "-1", "+4", "4 ", "x", "4/x", "4/4/q4",
                "99999999999", "4/1/parts", "4/1/.lodfs", "4/1/q4/parts", "1024/1024", "4/1/q11",
                "0/0", "1/1", "4/1/tar/original"):
        if os.path.lexists(f"{point}/parts/{bad}"):
            yield f"parts/{bad} is there"
    for good in ("1/0", "1024/1023", "4/0", "4/3", "7/6/decoded/q10", "7/0/auto/"):
        if not os.path.isdir(f"{point}/parts/{good}"):
            yield f"parts/{good} is not there"
    if os.stat(f"{point}/parts/4/1/q4").st_ino == os.stat(f"{point}/parts/4/2/q4").st_ino:
        yield "folders of two parts have one number"
    if os.path.realpath(f"{point}/parts/4/1/auto") != f"{os.path.realpath(point)}/parts/4/1/full":
        yield f"auto leads to {os.path.realpath(f'{point}/parts/4/1/auto')}"
    for at in ("parts", "parts/4", "parts/4/1", "parts/4/1/q4", "parts/4/1/decoded/q4"):
        up = os.stat(f"{point}/{at}/..")
        if up.st_ino != os.stat(f"{point}/{os.path.dirname(at)}").st_ino:
            yield f"{at}/.. is another folder"


def unseen(point):
    """Programs that walk the mount do not find parts, also once a part was visited."""
    os.listdir(f"{point}/parts/2/1/q4")
    found = subprocess.run(["find", point, "-path", "*parts*"], check=True, capture_output=True,
                           text=True).stdout
    if found:
        yield f"find: {found[:200]}"
    for folder, folders, files in os.walk(point):
        if "parts" in folder[len(point):].split("/") or "parts" in folders + files:
            yield f"os.walk: {folder}"


def make_classes(folder, photos):
    """So many pictures that no class is empty in a part: torchvision before 0.17 has no
    allow_empty.
    """
    for i in range(180):
        write(f"{folder}/class {i % 3}/{i}.jpg", photos[i % len(photos)] + bytes([i]))


def image_folder(point):
    """Class numbers are those of the whole tree in each part."""
    from torchvision.datasets import ImageFolder
    whole = ImageFolder(f"{point}/q4")
    found = []
    for part in range(4):
        folder = f"{point}/parts/4/{part}/q4"
        data = ImageFolder(folder)
        if data.classes != whole.classes:
            yield f"part {part} has the classes {data.classes}"
        found += [(path[len(folder):], label) for path, label in data.samples]
        data[0][0].load()
    if sorted(found) != sorted((path[len(f"{point}/q4"):], label)
                               for path, label in whole.samples):
        yield f"{len(found)} pictures of {len(whole.samples)}"


def repaired(store):
    """Seed and order of the index are made again from the records."""
    index = pathlib.Path(store, "index")
    was = index.read_bytes()
    if int.from_bytes(was[80:88], "little") != 5:
        yield "the index has another seed"
    index.unlink()
    lodfs("repair", store)
    lodfs("verify", store)
    if index.read_bytes() != was:
        yield "repair made another index"


def make_masks(folder, photos):
    """Photographs with large masks, in order of paths."""
    make_flat(folder, photos)
    for i in range(12):
        write(f"{folder}/masks/{i}.raw", os.urandom(400_000))


def make_table(folder):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (20000, 8), }"
    write(f"{folder}/t/table.npy", b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117) + b"\n" +
          bytes(range(8)) * 160_000)
    for i in range(8):
        write(f"{folder}/{i}.raw", os.urandom(500_000))


def tables(work):
    """A table and its shards are in every part, also the files beside them that are raw."""
    source, store, point = (f"{work}/table-{part}" for part in ("source", "store", "mount"))
    make_table(source)
    lodfs("pack", source, store)
    with Mount(store, point):
        whole = {path for path in walked(os.fsencode(f"{point}/full"))[0] if b"table" in path}
        if len(whole) < 3:
            yield f"no table: {whole}"
        raw = []
        for part in range(3):
            files = walked(os.fsencode(f"{point}/parts/3/{part}/full"))[0]
            raw += [path for path in files if b"table" not in path]
            if {path for path in files if b"table" in path} != whole:
                yield f"part {part} has {sorted(files)}"
        if sorted(raw) != [b"%d.raw" % i for i in range(8)]:
            yield f"raw files: {sorted(raw)}"


def check(results, work, name, make, photos, *options):
    store, point, _ = packed(work, name, make, photos, *options)
    kept = {}
    with Mount(store, point):
        of = Store(store, point)
        results.add(f"{name}: files by the law", by_law(of, COUNTS))
        results.add(f"{name}: views", views(of, 7))
        results.add(f"{name}: contents", contents(of, 3))
        results.add(f"{name}: names", grammar(point))
        results.add(f"{name}: walks", unseen(point))
        if "--order=path" not in options:
            results.add(f"{name}: framed names", framed_names(point))
            results.add(f"{name}: framed files", framed_files(of, COUNTS, ("q1", "full"), kept))
    with Mount(store, point, "-o", "cache_size=8M"):
        results.add(f"{name}: pieces", pieces(kept, 2000) if kept else [])
    return of


def loader(results, work, photos):
    if not importlib.util.find_spec("torchvision"):
        print("skipped: there is no Python module torchvision")
        return
    make_classes(f"{work}/classes", photos)
    lodfs("pack", "--scans=default", f"{work}/classes", f"{work}/classes-store")
    with Mount(f"{work}/classes-store", f"{work}/classes-mount"):
        results.add("ImageFolder", image_folder(f"{work}/classes-mount"))


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        photos = photographs(work)
        for name, make, options in (("mixed", make_mixed, ["--seed=5"]), ("flat", make_flat, []),
                                    ("texts", make_texts, []),
                                    ("path", make_masks, ["--order=path", "--seed=9"])):
            of = check(results, work, name, make, photos, *options)
            if name == "mixed" and not (of.shared and len(of.keys) > len(of.shared)):
                results.add(name, ["files of one kind alone"])
        with Mount(f"{work}/flat-store", f"{work}/flat-mount"):
            of = Store(f"{work}/flat-store", f"{work}/flat-mount")
            results.add("many parts", by_law(of, MANY))
            results.add("many parts: files", framed_files(of, MANY, ("q3",), {}))
        loader(results, work, photos)
        results.add("tables", tables(work))
        results.add("repair", repaired(f"{work}/mixed-store"))
        results.add("damage", damaged(f"{work}/mixed-store", f"{work}/mixed-mount",
                                      Store(f"{work}/mixed-store", f"{work}/mixed-mount")))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
