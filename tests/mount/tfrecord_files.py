# SPDX-License-Identifier: Apache-2.0
"""
tfrecord/: every file and its .idx equal those that are written from FORMAT.md and the trees alone,
whole and in pieces. tfrecord and TensorFlow, where they are installed, read each Example.
"""
import errno
import hashlib
import importlib.util
import os
import subprocess
import sys

from framed import (SHOWN, TREES, Expected, flip, packed, pieces, run, same, samples_spec,
                    store_spec)
from mounted import Mount
from small import read


def whole(expected, kept):
    for fidelity in SHOWN:
        folder = os.path.join(expected.point, b"tfrecord", os.fsencode(fidelity))
        names = sorted([name for tar in expected.shards
                        for name in (tar[:-3] + b"tfrecord", tar[:-3] + b"idx")] +
                       expected.classes)
        if sorted(os.listdir(folder)) != names:
            yield f"{fidelity}: {os.listdir(folder)}"
            continue
        for tar, samples in expected.shards.items():
            tree = os.path.join(expected.point, os.fsencode(fidelity))
            made = samples_spec.tfrecord_of(
                expected.store, samples, lambda path, tree=tree: read(os.path.join(tree, path)))
            for name, data in zip((tar[:-3] + b"tfrecord", tar[:-3] + b"idx"), made):
                yield from same(os.path.join(folder, name), data, kept)


def grammar(point):
    folder = f"{point}/tfrecord/q4"
    name = sorted(name for name in os.listdir(folder) if name.endswith(".idx"))[0]
    stem = name[:-len(".idx")]
    if os.stat(f"{folder}/{stem}.idx").st_ino == os.stat(f"{folder}/{stem}.tfrecord").st_ino:
        yield "two files have one inode number"
    for bad in (f"{stem}.tar", f"{stem}", f"{stem}.idx.tfrecord", f"{stem}.",
                f"{stem}.tfrecord.idx"):
        if os.path.exists(f"{folder}/{bad}"):
            yield f"{bad} is there"
    if os.path.exists(f"{point}/tar/q4/{stem}.idx"):
        yield "tar has lines"


def examples(module, paths):
    """Returns (path, label, file name, SHA-256 of the picture) of all Examples, sorted. A module
    reads in a process of its own: two of them define the same messages."""
    done = subprocess.run([sys.executable, __file__, module, *paths], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace")[-400:])
    return sorted((paths[int(path)], int(label), bytes.fromhex(name), picture)
                  for path, label, name, picture in map(str.split,
                                                        done.stdout.decode().splitlines()))


def each_example(point, expected, module):
    wanted, paths = [], []
    for fidelity in ("q4", "full"):
        for tar, samples in expected.shards.items():
            paths.append(f"{point}/tfrecord/{fidelity}/{os.fsdecode(tar[:-3])}tfrecord")
            for sample in samples:
                lead = expected.store.nodes[expected.store.own[sample[0]]][0]
                tree = read(os.path.join(expected.point, os.fsencode(fidelity), lead))
                told = (sample[5], lead)
                if samples_spec.given_of(expected.store, sample) is not None:
                    told = (-1, b"?")  # its own Example has neither
                wanted.append((paths[-1], *told, hashlib.sha256(tree).hexdigest()))
    found = examples(module, paths)
    if found != sorted(wanted):
        yield from set(found) ^ set(wanted)
        yield f"{len(found)} Examples of {len(wanted)}"


def by_tfrecord(path):
    from tfrecord.reader import tfrecord_loader
    for made in tfrecord_loader(path, path[:-len("tfrecord")] + "idx"):
        label = made.get("image/class/label")
        yield (-1 if label is None else int(label[0]), bytes(made.get("image/filename", b"?")),
               bytes(made["image/encoded"]))


def by_tensorflow(path):
    import tensorflow
    for raw in tensorflow.data.TFRecordDataset(path):
        made = tensorflow.train.Example.FromString(raw.numpy()).features.feature
        label = made["image/class/label"].int64_list.value
        yield (label[0] if label else -1, (*made["image/filename"].bytes_list.value, b"?")[0],
               made["image/encoded"].bytes_list.value[0])


def readers(results, name, point, expected):
    for module in READERS:
        if importlib.util.find_spec(module):
            results.add(f"{name}: {module}", each_example(point, expected, module))
        else:
            print(f"skipped: there is no Python module {module}")


def answer(file, data, at, size):
    """Returns whether a read fails; one that does not has the right bytes."""
    try:
        assert os.pread(file, size, at) == data[at:at + size], f"other bytes at {at}"
    except OSError as error:
        assert error.errno == errno.EIO
        return True
    return False


def damage(kept, point, store, expected):
    """Without a frame of a picture, reads of it and of its checksum fail, and no others."""
    tar, samples = next((tar, samples) for tar, samples in expected.shards.items()
                        if len(samples) > 3 and expected.store.row(samples[2][0])[0] == 1)
    number, slot = expected.store.items[samples[2][0]]
    record = expected.store.records[number]
    path = os.path.join(os.fsencode(point), b"tfrecord/q1", tar[:-3] + b"tfrecord")
    data, lines = kept[path], kept[path[:-len(b"tfrecord")] + b"idx"].splitlines()
    starts = [int(line.split()[0]) for line in lines]
    with Mount(store, point):
        lead = expected.store.nodes[expected.store.own[samples[2][0]]][0]
        picture = read(os.path.join(os.fsencode(point), b"q1", lead))
    begin = data.index(picture, starts[2])
    end = begin + len(picture)
    before = sum(store_spec.lengths(record.codec, row)[0] for row in record.rows[:slot])
    flip(f"{store}/records/{record.name}", 4096 + record.metadata_bytes + before + 9)
    with Mount(store, point, "-o", "cache=none"):
        if os.stat(path).st_size != len(data):
            yield "its size has changed"
        with open(path, "rb", buffering=0) as opened:
            file = opened.fileno()
            for at, size, fails in ((begin, 16, True), (begin - 8, 16, True), (end, 4, True),
                                    (end + 3, 1, True), (end, 100, True),
                                    (starts[2], begin - starts[2], False),
                                    (0, starts[2], False), (starts[3], len(data), False)):
                if answer(file, data, at, size) != fails:
                    yield f"{size} bytes at {at}, the picture at {begin}: fails {not fails}"
    flip(f"{store}/records/{record.name}", 4096 + record.metadata_bytes + before + 9)


def check(results, work, name, make, photos):
    store, point, _ = packed(work, name, make, photos)
    kept = {}
    with Mount(store, point):
        expected = Expected(store, point)
        results.add(f"{name}: files", whole(expected, kept))
        results.add(f"{name}: names", grammar(point))
        readers(results, name, point, expected)
    with Mount(store, point, "-o", "cache_size=8M"):
        results.add(f"{name}: pieces", pieces(kept, 3000))
    if name == "flat":
        results.add(f"{name}: damage", damage(kept, point, store, expected))


READERS = {"tfrecord": by_tfrecord, "tensorflow": by_tensorflow}


def print_examples(module, *paths):
    for number, path in enumerate(paths):
        for label, name, picture in READERS[module](path):
            print(number, label, name.hex(), hashlib.sha256(picture).hexdigest())


def main():
    if len(sys.argv) > 1:
        print_examples(*sys.argv[1:])
        return 0
    return run(check, TREES[:2])


if __name__ == "__main__":
    sys.exit(main())
