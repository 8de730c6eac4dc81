# SPDX-License-Identifier: Apache-2.0
"""
Labels and splits that pack was given: the files of all framings equal those that are written only
from FORMAT.md, with the labels of the file, which this test reads itself.
"""
import os
import struct
import sys
import tarfile
import zlib

import recordio_files
import tar_files
import tfrecord_files
from framed import Expected, make_splits, packed, pieces, run
from mounted import Mount, lodfs
from small import read, write

NUMBERS = (-1, 0, 1, 1000, 2**24 + 1, 2**31 - 1)


def make(folder, photos):
    """Splits with odd names beside a folder that is in no split; each has pictures."""
    top = os.fsencode(folder)
    make_splits(folder, photos)
    os.rename(top + b"/train", top + b"/train,2017")
    os.rename(top + b"/val", top + b"/val\xff")
    for i, data in enumerate(photos):
        write(b"%s/extra/%d.jpg" % (top, i), data + b"extra")
        write(b"%s/test/%d.jpg" % (top, i), data + b"test")


def pictures(source):
    """Yields the paths that can stand in a list of labels."""
    top = os.fsencode(source)
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), top)
            if name.endswith(b".jpg") and not set(path) & set(b"\t\n") and \
                    not os.path.islink(os.path.join(folder, name)):
                yield path


def give(source, path):
    """Writes the label of each second picture. Returns them by path."""
    labels = {name: NUMBERS[i % len(NUMBERS)]
              for i, name in enumerate(sorted(pictures(source))) if i % 2 == 0}
    for name in (b"val\xff/class 0/linked.jpg", b"val\xff/class 0/equal.jpg",
                 b"train,2017/class 0/twin.old.jpg", b"train,2017/class 0/twin.z.jpg"):
        labels.pop(name, None)  # other names of a picture
    with open(path, "wb") as out:
        for name, label in sorted(labels.items(), key=lambda pair: zlib.crc32(pair[0])):
            out.write(name + b"\t%d\n" % label)
    return labels


def told(expected, given):
    """The labels in the files are those of the list."""
    point, seen = expected.point, 0
    for split in expected.store.splits:
        base = os.path.join(point, b"recordio/q4", split or b"data")
        records = [record for _, record in recordio_files.records(read(base + b".rec"))]
        for line, record in zip(read(base + b".lst").splitlines(), records):
            _, label, path = line.split(b"\t")
            flag, value = struct.unpack("<If", record[:8])
            wanted = given.get(path.rstrip(b" "), -1)
            seen += wanted != -1
            if b"?" not in path and (float(label) != wanted or not flag and
                                     value != struct.unpack("<f", struct.pack("<f", wanted))[0]):
                yield f"{path}: {label} and {value}, not {wanted}"
        if os.path.exists(os.path.join(point, b"tar/q4", (split or b"data") + b".classes.txt")):
            yield f"{split} has a list of classes"
    for name in expected.shards:
        with tarfile.open(os.path.join(point, b"tar/q4", name), encoding="utf-8",
                          errors="surrogateescape") as tar:
            labels = {os.fsencode(entry.name): tar.extractfile(entry).read() for entry in tar
                      if entry.name.endswith(".cls")}
        for path, label in given.items():
            stem = path.rpartition(b".")[0] + b".cls"
            if stem in labels and not stem.endswith(b"/1.cls") and labels[stem] != b"%d" % label:
                yield f"{path}: {labels[stem]} in {name}, not {label}"
    if seen < 20:
        yield f"only {seen} labels were seen"


def classless(expected):
    """No Example has the name of a folder as that of its class."""
    for name in expected.shards:
        data = read(os.path.join(expected.point, b"tfrecord/q1", name[:-3] + b"tfrecord"))
        if b"image/class/text" in data:
            yield f"{name} has names of classes"


def check(results, work, name, options, splits):
    given = give(f"{work}/{name}-source", f"{work}/labels")
    store, point, _ = packed(work, name, None, None, f"--labels={work}/labels", *options)
    lodfs("verify", store)
    kept = {}
    with Mount(store, point):
        expected = Expected(store, point)
        found = sorted({split for split, _ in expected.store.shards()})
        results.add(f"{name}: splits", [] if found == splits else [f"{found}"])
        for module in (tar_files, recordio_files, tfrecord_files):
            results.add(f"{name}: {module.__name__}", module.whole(expected, kept))
        results.add(f"{name}: labels", told(expected, given))
        results.add(f"{name}: classes", classless(expected))
    with Mount(store, point, "-o", "cache_size=8M"):
        results.add(f"{name}: pieces", pieces(kept, 1000))
    results.add(f"{name}: repair", repaired(store))


def repaired(store):
    """Labels and splits are in the records: an index that is lost comes back as it was."""
    index = read(f"{store}/index")
    os.unlink(f"{store}/index")
    lodfs("repair", store)
    if read(f"{store}/index") != index:
        yield "repair writes another index"
    labels = sum(row[:4] != b"\xff\xff\xff\xff" for row in sample_rows(index))
    if labels < 20:
        yield f"the index has {labels} labels"


def sample_rows(index):
    """Returns the rows of SAMP."""
    first, blocks, rows = next(
        struct.unpack("<QQQ", index[at + 8:at + 32]) for at in range(96, 4096, 32)
        if struct.unpack("<I", index[at:at + 4])[0] == 6)
    data = b"".join(index[4096 * (first + i):][:4080] for i in range(blocks))
    return [data[8 * i:8 * i + 8] for i in range(rows)]


def both(results, work, photos):
    make(f"{work}/named-source", photos)
    named = [b"test", b"train,2017", b"val\xff"]
    check(results, work, "named", [b"--splits=val\xff,test,train\\,2017"], named)
    os.rename(f"{work}/named-source", f"{work}/none-source")
    check(results, work, "none", ["--splits=none"], [b""])


if __name__ == "__main__":
    sys.exit(run(None, (), both))
