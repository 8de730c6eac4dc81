# SPDX-License-Identifier: Apache-2.0
"""
Shared by the tests of framed files: the trees that are packed, the store as FORMAT.md describes it,
and comparisons of a mount's file with bytes that are made from the two.
"""
import os
import pathlib
import random
import subprocess
import sys

from mounted import Results, Work, lodfs, need_fuse, skip
from small import files_below, read, write

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", "spec"), os.path.join(HERE, "..", "hostile")]
try:
    import parts_spec
    import samples_spec
    import store_spec
    import tfrecord_spec
    from long import shared
except ImportError as error:
    skip(f"the store is read with a Python module that is missing: {error}")

SHOWN = ("q1", *shared(("q4", "full")))
LONG = b"n" * 240


def photographs(work):
    subprocess.run([os.environ["PHOTOGRAPHS"], f"{work}/photos", "20"], check=True,
                   stdout=subprocess.DEVNULL)
    return [read(os.path.join(os.fsencode(work), b"photos", name))
            for name in sorted(files_below(f"{work}/photos")) if name.endswith(b".jpg")]


def example_of(size):
    """Returns an Example of one feature; nothing for 0."""
    value = tfrecord_spec.field(1, tfrecord_spec.field(1, b"z" * size))
    entry = tfrecord_spec.field(1, b"note") + tfrecord_spec.field(2, value)
    return tfrecord_spec.field(1, tfrecord_spec.field(1, entry)) if size else b""


def make_splits(folder, photos):
    """train/ and val/, pairs, captions, labels that the user gives, odd names."""
    pictures = iter(photos + [data + bytes([i]) for i in range(8) for data in photos])
    top = os.fsencode(folder)
    png = b"\x89PNG\r\n\x1a\n"
    for split in (b"train", b"val"):
        for i in range(12):
            name = b"%s/%s/class %d/%d" % (top, split, i % 3, i)
            write(name + b".jpg", next(pictures), 0o600 if i == 4 else 0o644)
            if i % 2:
                write(name + b".txt", b"a caption of %d\n" % i)
                write(name + b".seg.png", png + b"broken %d" % i)
            os.utime(name + b".jpg", ns=(0, (i - 2) * 1_700_000_000 * 10**8))
        write(b"%s/%s/no class.jpg" % (top, split), next(pictures))
    odd = top + b"/train/class 0/"
    for name in (b"1.cls", b"b.c.jpg", b"b.c.txt", b"b_c.jpg", b"d.e.jpg", b"x_y.z.jpg",
                 b".hidden.jpg", b"plain", b"taken", b"taken.txt", b"\xff\xfe.jpg",
                 b"new\nline.jpg", b"k.jpg", b"k.png", b"k.jpeg", b"p.JPG", b"p.TXT",
                 b"p.jpg", b"p.txt"):
        picture = name.lower().endswith((b"jpg", b"jpeg", b"plain", b"taken"))
        write(odd + name, next(pictures) if picture else b"text of " + name)
    for i in range(40):
        write(odd + b"many.%02d.txt" % i, b"%d" % i)
    write(odd + b"many.jpg", next(pictures))
    for depth in range(1, 9):  # paths around the limits of a header
        write(top + b"/val/" + b"/".join([b"d" * 31] * depth) + b"/%d.jpg" % depth, next(pictures))
    for count in (90, 91, 99, 100, 101, 150, 240):
        write(top + b"/val/" + b"e" * count + b".jpg", next(pictures))
        write(top + b"/val/" + LONG + b"/" + b"f" * count + b".jpg", next(pictures))
    for i, size in enumerate((0, 1, 200, 70_000)):
        write(top + b"/val/class 1/given%d.jpg" % i, next(pictures))
        write(top + b"/val/class 1/given%d.example" % i, example_of(size))
    write(top + b"/val/class 1/given.e.jpg", next(pictures))
    write(top + b"/val/class 1/given.e.example", example_of(9))
    os.symlink("0.jpg", odd + b"link.jpg")
    os.link(odd + b"k.jpg", top + b"/val/class 0/linked.jpg")
    write(top + b"/val/class 0/equal.jpg", read(odd + b"k.jpg"))
    write(odd + b"twin.jpg", next(pictures))  # a copy and a further name are its members
    write(odd + b"twin.old.jpg", read(odd + b"twin.jpg"))
    os.link(odd + b"twin.jpg", odd + b"twin.z.jpg")
    write(odd + b"twin.label", b"abcd")


def make_flat(folder, photos):
    """No splits: pictures directly in the root too."""
    for i, data in enumerate(photos):
        write(f"{folder}/{'' if i % 3 else 'train/'}{i}.jpg", data)
    write(f"{folder}/notes.txt", b"of nothing")


def make_texts(folder, _):
    """A source without pictures. Then the larger file of each name is the lead of a sample."""
    for i in range(20):
        write(f"{folder}/words/{i}.txt", b"%d " % i * 3000)
        write(f"{folder}/words/{i}.json", b"{}")


TREES = (("splits", make_splits), ("flat", make_flat), ("texts", make_texts))


def packed(work, name, make, photos, *options):
    """Makes a tree, packs it, and returns the paths of the store and of a mount point, and the
    output of pack. A source that is there is taken as it is."""
    source, store, point = (f"{work}/{name}-{part}" for part in ("source", "store", "mount"))
    if not os.path.exists(source):
        os.mkdir(source)
        make(source, photos)
    done = lodfs("pack", "--scans=default", "--record-size=256k", *options, source, store)
    return store, point, done.stdout


def opened(store):
    """Returns the samples of a store, from only its records."""
    records = [store_spec.Record(path)
               for path in sorted(pathlib.Path(store, "records").iterdir())]
    pack, _, entries = store_spec.tree_list(records[0].segments[0][0])
    return samples_spec.Store(records, store_spec.nodes_of(records, entries),
                              parts_spec.seed_of(pack))


class Expected:
    """The tar files of a store, by name, from its records and a mount's trees."""

    def __init__(self, store, point):
        self.point = os.fsencode(point)
        self.store = opened(store)
        self.shards, counts = {}, {}
        for (split, _), samples in self.store.shards().items():
            number = counts.setdefault(split, 0)
            counts[split] += 1
            self.shards[b"%s-%06d.tar" % (split or b"data", number)] = samples
        self.classes = [(split or b"data") + b".classes.txt" for split in counts
                        if samples_spec.classes_of(self.store, split)]

    def tar(self, name, fidelity):
        return samples_spec.tar_of(
            self.store, self.shards[name],
            lambda path: read(os.path.join(self.point, os.fsencode(fidelity), path)))


def same(path, data, kept):
    """Checks that the file has these bytes and this size. The bytes are kept for `pieces`."""
    kept[path] = data
    if os.stat(path).st_size != len(data):
        yield f"{path}: {os.stat(path).st_size} bytes, not {len(data)}"
    elif read(path) != data:
        yield f"{path}: other bytes"


def pieces(kept, count):
    """Random ranges, sometimes through a new file descriptor."""
    rng, files = random.Random(5), {}
    for _ in range(count):
        path = rng.choice(list(kept))
        if path not in files or rng.random() < .05:
            if path in files:
                os.close(files[path])
            files[path] = os.open(path, os.O_RDONLY)
        data = kept[path]
        at = rng.randrange(len(data) + 10)
        size = rng.choice((1, 100, 512, 4096, rng.randrange(300_000)))
        if os.pread(files[path], size, at) != data[at:at + size]:
            yield f"{path}: {size} bytes at {at}"
    for file in files.values():
        os.close(file)


def flip(path, offset):
    """Flips a bit of a file. A second call restores it."""
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)
        file.seek(offset)
        file.write(bytes([byte[0] ^ 1]))


def run(check, trees=TREES, more=None):
    """Calls check(results, work, name, make, photos) for each tree, then more(results, work,
    photos). Returns the exit status of the test."""
    need_fuse()
    results = Results()
    with Work() as work:
        photos = photographs(work)
        for name, make in trees:
            check(results, work, name, make, photos)
        if more:
            more(results, work, photos)
    return results.finish()
