# SPDX-License-Identifier: Apache-2.0
"""
recordio/: .rec, .idx, .lst and the lists of classes of all framings equal those that are written
from FORMAT.md and the trees alone, whole and in pieces. Pictures are full of the magic word. A
reader with MXNet's rules, and MXNet where it is installed, find each lead once.
"""
import errno
import os
import struct
import subprocess
import sys
import zlib

from framed import SHOWN, TREES, Expected, flip, packed, pieces, run, same, samples_spec
from mounted import Mount, lodfs
from small import flip, read, write

import recordio_spec  # framed sets its path

MAGIC = recordio_spec.MAGIC
# Behind a magic word these look like the beginning of a record, and of parts of one.
LIKE_HEADERS = (b"", struct.pack("<I", 24), MAGIC, struct.pack("<I", 1 << 29 | 8),
                struct.pack("<I", 3 << 29), MAGIC * 5)


def with_comment(jpeg, text):
    """Returns the JPEG with a COM segment in front of its others."""
    return jpeg[:2] + b"\xff\xfe" + struct.pack(">H", len(text) + 2) + text + jpeg[2:]


def png_of(width, height, pixel):
    """Returns a PNG of RGBA, all pixels of one colour."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(
            ">I", zlib.crc32(name + data))
    rows = (b"\0" + pixel * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0,
                                                             0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def make_magics(folder, photos):
    """Pictures full of the magic word; labels; empty members; classes of odd names."""
    top, shift = os.fsencode(folder), 0
    for i, jpeg in enumerate(photos[:12]):
        for at in range(4):
            text = b"x" * at + b"".join(MAGIC + like for like in LIKE_HEADERS) + bytes([i])
            write(b"%s/train/com/%d-%d.jpg" % (top, i, at), with_comment(jpeg, text))
        write(b"%s/train/end/%d.jpg" % (top, i), jpeg + b"y" * (-len(jpeg) % 4) + MAGIC)
        write(b"%s/train/cut/%d.jpg" % (top, i), jpeg[:999 + i] + MAGIC * 3)
    for side in (1, 2, 3, 7, 33, 64, 65):
        for shift in range(4):
            pixel = MAGIC[shift:] + MAGIC[:shift]
            write(b"%s/val/rgba/%d-%d.png" % (top, side, shift), png_of(side, side, pixel))
    for i, jpeg in enumerate(photos[12:]):
        name = b"%s/val/labels\n%d/" % (top, i % 2)
        write(name + b"%d.jpg" % i, jpeg + bytes([i]))
        floats = struct.pack("<3f", i, -1, .5) + MAGIC * (i % 4) + bytes(i % 3 * 2)
        write(name + b"%d.label" % i, floats if i % 5 else b"")
        write(name + b"%d.txt" % i, b"")
    write(top + b"/val/rgba/many.png", png_of(65, 64, MAGIC))
    write(top + b"/val/rgba/many.label", MAGIC * 4096)
    write(top + b"/val/rgba/large.png", png_of(200, 400, MAGIC))
    write(top + b"/train/com/more.label", MAGIC * 4097)
    write(top + b"/train/com/more.jpg", photos[0] + b"more")
    write(top + b"/train/com/most.label", MAGIC * 4096)
    write(top + b"/train/com/most.jpg", photos[0] + b"most")
    os.makedirs(top + b"/train/empty")
    os.makedirs(top + b"/train/\xff\xfe")


def splits_of(expected):
    """Returns {name of the split: its samples, in order}."""
    splits = {}
    for (split, _), samples in expected.store.shards().items():
        splits.setdefault(split, []).extend(samples)
    return splits


def files_of(expected, fidelity):
    """Yields (name, bytes) of recordio/FIDELITY."""
    tree = os.path.join(expected.point, os.fsencode(fidelity))
    for split, samples in splits_of(expected).items():
        made = recordio_spec.recordio_of(expected.store, samples,
                                        lambda path: read(os.path.join(tree, path)))
        for ending, data in zip((b".rec", b".idx", b".lst"), made):
            yield (split or b"data") + ending, data
        classes = samples_spec.classes_of(expected.store, split)
        if classes:
            yield (split or b"data") + b".classes.txt", classes


def whole(expected, kept):
    for fidelity in SHOWN:
        folder = os.path.join(expected.point, b"recordio", os.fsencode(fidelity))
        made = dict(files_of(expected, fidelity))
        if os.listdir(folder) != sorted(made):
            yield f"{fidelity}: {os.listdir(folder)}, not {sorted(made)}"
            continue
        for name, data in made.items():
            yield from same(os.path.join(folder, name), data, kept)
            for other in (b"tar", b"tfrecord"):
                path = os.path.join(expected.point, other, b"q4", name)
                if name.endswith(b".txt") and read(path) != data:
                    yield f"{path}: other classes"


def records(data):
    """Yields (offset, data of a record) by the rules of dmlc's reader."""
    at = 0
    while at < len(data):
        start, out, flag = at, b"", None
        while flag not in (0, 3):
            assert data[at:at + 4] == MAGIC, at
            word = struct.unpack("<I", data[at + 4:at + 8])[0]
            first, flag, length = flag is None, word >> 29, word & (1 << 29) - 1
            assert (flag in (0, 1)) == first, at
            out += (b"" if first else MAGIC) + data[at + 8:at + 8 + length]
            at += 8 + length + -length % 4
        yield start, out


def reader(point, expected):
    """Every lead is found once, from the index and from only the file."""
    for split, samples in splits_of(expected).items():
        name = f"{point}/recordio/q4/{os.fsdecode(split) or 'data'}"
        data = read(name + ".rec")
        found = list(records(data))
        index = [tuple(map(int, line.split(b"\t"))) for line in read(name + ".idx").splitlines()]
        if index != [(i, start) for i, (start, _) in enumerate(found)]:
            yield f"{name}.idx: other offsets"
        heads = [at for at in range(0, len(data), 4) if data[at:at + 4] == MAGIC and
                 struct.unpack("<I", data[at + 4:at + 8])[0] >> 29 in (0, 1)]
        if heads != [start for start, _ in found]:
            yield f"{name}.rec: a search for the magic word finds other records"
        lines = [line.split(b"\t") for line in read(name + ".lst").splitlines()]
        for (_, record), (number, label, path) in zip(found, lines):
            flag, value, identity, other = struct.unpack("<IfQQ", record[:24])
            picture = record[24 + 4 * flag:]
            tree = os.path.join(os.fsencode(point), b"q4", path.rstrip(b" "))
            if identity != int(number) or other or not flag and value != float(label):
                yield f"{name}: record {number}"
            if b"?" not in path and read(tree) != picture:
                yield f"{name}: {path}: other bytes"
        if len(found) != len(lines) or len(found) > len(samples):
            yield f"{name}: {len(found)} records, {len(lines)} lines"


def grammar(point):
    folder = f"{point}/recordio/q4"
    name = sorted(os.listdir(folder))[0].partition(".")[0]
    files = [f"{folder}/{name}{ending}" for ending in (".rec", ".idx", ".lst")]
    if len({os.stat(path).st_ino for path in files}) != 3:
        yield "two files have one inode number"
    for bad in (f"{name}", f"{name}-000000.rec", f"{name}.rec.rec", f"{name}.tar", ".rec", ".idx",
                f"{name}.rec/x", f"x{name}.rec", f"{name}-000000.classes.txt", "x" * 251 + ".rec"):
        if os.path.exists(f"{folder}/{bad}"):
            yield f"{bad} is there"
    for other, ending in (("tar", ".rec"), ("tar", ".lst"), ("tfrecord", ".lst"), ("tar", ".tar")):
        if os.path.exists(f"{point}/{other}/q4/{name}{ending}"):
            yield f"{other} has {name}{ending}"


def said(told):
    """Pack names the files that are too large for a record."""
    for path in (b"val/rgba/large.png", b"train/com/more.label"):
        if path + b": it has more than 4,096 magic words" not in told:
            yield f"{path}: {told}"
    if b"most.label" in told:
        yield "most.label has as many as are allowed"


def failing(path, data, step=512):
    """Returns the offsets at which reads fail; others have the right bytes, and the size stays."""
    failed = []
    assert os.stat(path).st_size == len(data)
    with open(path, "rb", buffering=0) as file:
        for at in range(0, len(data), step):
            try:
                assert os.pread(file.fileno(), step, at) == data[at:at + step], at
            except OSError as error:
                assert error.errno == errno.EIO
                failed.append(at)
    return failed


def damage(kept, point, store, expected):
    """Bad metadata: EIO only for the samples of its record. A bad block of SUMS: EIO for the files
    of recordio, none for the tree; repair makes it again."""
    path = os.path.join(os.fsencode(point), b"recordio/q1/train.rec")
    starts = [int(line.split(b"\t")[1]) for line in kept[path[:-3] + b"idx"].splitlines()]
    samples = [sample for (split, _), those in expected.store.shards().items()
               if split == b"train" for sample in recordio_spec.taken(expected.store, those)]
    number = expected.store.items[samples[len(samples) // 2][0]][0]
    mine = [i for i, sample in enumerate(samples) if expected.store.items[sample[0]][0] == number]
    start, end = starts[mine[0]], [*starts, len(kept[path])][mine[-1] + 1]
    flip(f"{store}/records/{expected.store.records[number].name}", 4096 + 3)
    with Mount(store, point, "-o", "cache=none"):
        wanted = list(range(start // 512 * 512, end, 512))
        if failing(path, kept[path]) != wanted or not wanted:
            yield "other reads fail than those of the record"
    flip(f"{store}/records/{expected.store.records[number].name}", 4096 + 3)
    index = read(f"{store}/index")
    sums = next(struct.unpack("<Q", index[at + 8:at + 16])[0] for at in range(96, 4096, 32)
                if struct.unpack("<I", index[at:at + 4])[0] == 5)
    flip(f"{store}/index", 4096 * sums + 100)
    with Mount(store, point):
        try:
            os.stat(path)
            yield "a file whose sums are damaged has a size"
        except OSError as error:
            if error.errno != errno.EIO:
                yield f"{error}"
        if len(os.listdir(f"{point}/q1/train/com")) < 40:
            yield "the tree has fewer files"
    lodfs("repair", store)
    if read(f"{store}/index") != index:
        yield "repair writes another index"


def check(results, work, name, make, photos, *options):
    store, point, told = packed(work, name, make, photos, "-v", *options)
    lodfs("verify", store)
    kept = {}
    with Mount(store, point):
        expected = Expected(store, point)
        results.add(f"{name}: files", whole(expected, kept))
        results.add(f"{name}: reader", reader(point, expected))
        results.add(f"{name}: names", grammar(point))
    with Mount(store, point, "-o", "cache_size=8M"):
        results.add(f"{name}: pieces", pieces(kept, 2500))
    if make is make_magics:
        results.add(f"{name}: named", said(told))
        results.add(f"{name}: damage", damage(kept, point, store, expected))


def scans(results, work, photos):
    subprocess.run(["cp", "-a", f"{work}/magics-source", f"{work}/scans-source"], check=True)
    check(results, work, "scans", make_magics, photos, "--full=scans", "-j1")


def main():
    return run(check, (*TREES, ("magics", make_magics)), scans)


if __name__ == "__main__":
    sys.exit(main())
