# SPDX-License-Identifier: Apache-2.0
"""
parts/<n>/<k>: the parts of a store are disjoint and together the tree, by the law of FORMAT.md.
They have the files of the mount's trees, and no program finds them by walking the mount.
"""
import collections
import importlib.util
import os
import pathlib
import subprocess
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse, skip
from small import read, write
from tar_files import make_flat, make_splits, make_texts, photographs, samples_spec

try:
    import parts_spec
    import store_spec
except ImportError as error:
    skip(f"keys are computed with a Python module that is missing: {error}")

COUNTS = (1, 2, 7, 64)
MANY = 1000
SMALL = 0xffffffff
FRAMED = ("recordio", "tar", "tfrecord")


def make_mixed(folder, photos):
    """Photographs, small texts, links."""
    make_splits(folder, photos)
    write(f"{folder}/README", b"small\n")


class Store:
    """Which part has a path, from the records alone."""

    def __init__(self, store, point):
        self.point = os.fsencode(point)
        records = [store_spec.Record(path)
                   for path in sorted(pathlib.Path(store, "records").iterdir())]
        pack, _, entries = store_spec.tree_list(records[0].segments[0][0])
        nodes = store_spec.nodes_of(records, entries)
        self.samples = samples_spec.Store(records, nodes, parts_spec.seed_of(pack))
        self.keys, self.shared = {}, set()
        for number, (path, mode, _, item, flags) in enumerate(nodes):
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
    """The files of each part are those that the law says, with the numbers of the tree."""
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
    """In every view the parts together are the view, and only files of all parts are in two."""
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


def grammar(point):
    root = sorted(os.listdir(point))
    if "parts" in root:
        yield "parts is listed"
    for folder in ("parts", "parts/7", "parts/1024", "parts/1"):
        if os.listdir(f"{point}/{folder}") != []:
            yield f"{folder} lists {os.listdir(f'{point}/{folder}')}"
    below = [name for name in root if name not in (".lodfs", *FRAMED)]
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
    """So many that no class is empty in a part: versions before 0.17 have no allow_empty."""
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
    source, store, point = (f"{work}/{name}-{part}" for part in ("source", "store", "mount"))
    os.mkdir(source)
    make(source, photos)
    lodfs("pack", "--scans=default", "--record-size=256k", *options, source, store)
    with Mount(store, point):
        of = Store(store, point)
        results.add(f"{name}: files by the law", by_law(of, COUNTS))
        results.add(f"{name}: views", views(of, 7))
        results.add(f"{name}: contents", contents(of, 3))
        results.add(f"{name}: names", grammar(point))
        results.add(f"{name}: walks", unseen(point))
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
            results.add(f"{MANY} parts", by_law(Store(f"{work}/flat-store", f"{work}/flat-mount"),
                                                (MANY,)))
        loader(results, work, photos)
        results.add("tables", tables(work))
        results.add("repair", repaired(f"{work}/mixed-store"))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
