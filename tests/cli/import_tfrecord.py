#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pack --from=tfrecord`: files of Examples, which are written here from TensorFlow's formats."""
import os
import struct
import subprocess
import sys

from containers import LODFS, Tests, photographs

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec"))
from tfrecord_spec import field, masked_crc, record, varint  # noqa: E402 (the path is set above)


def feature(value):
    if isinstance(value, bytes):
        return field(1, field(1, value))
    if isinstance(value, float):
        return field(2, field(1, struct.pack("<f", value)))
    return field(3, field(1, b"".join(varint(v) for v in (value if isinstance(value, list)
                                                          else [value]))))


def entry(key, value):
    return field(1, field(1, key.encode()) + field(2, feature(value)))


def example(features):
    return field(1, b"".join(entry(*item) for item in features.items()))


def parse(data):
    """Returns the features of an Example, {key: list of bytes, or the packed numbers}."""
    def fields(data):
        at = 0
        while at < len(data):
            tag, at = read(data, at)
            length, at = read(data, at)
            yield tag >> 3, data[at:at + length]
            at += length

    def read(data, at):
        value = shift = 0
        while True:
            value |= (data[at] & 0x7f) << shift
            shift += 7
            at += 1
            if not data[at - 1] & 0x80:
                return value, at
    found = {}
    for _, features in fields(data):
        for _, item in fields(features):
            key, value = (v for _, v in sorted(fields(item)))
            found[key.decode()] = value
    return found


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def members(t):
    photos = photographs(4)
    full = {"image/class/label": 7, "image/filename": b"cat/0.jpg", "score": 1.5,
            "boxes": [1, 2, 300], "image/encoded": photos[0]}
    first = {"image/encoded": photos[1], "image/class/text": b"a dog", "image/filename": b"1.jpg"}
    number = {"image": photos[2], "label": 3}
    bare = {"image/encoded": photos[3]}
    other = {"jpg": photos[3][:-1] + b"!", "note": b"the picture has a name of its own"}
    none = {"text": b"no picture"}
    data = b"".join(record(example(e)) for e in (full, first, number, bare, other, none, {}))
    write("x.tfrecord", data)
    facts, _ = t.pack("x.tfrecord", "members")
    tree = t.tree("members")
    wanted = {b"cat": None, b"a dog": None, b"cat/0.jpg": photos[0], b"a dog/1.jpg": photos[1],
              b"0000000002.jpg": photos[2], b"0000000003.jpg": photos[3]}
    examples = {b"cat/0.example": (full, "image/encoded"),
                b"a dog/1.example": (first, "image/encoded"),
                b"0000000002.example": (number, "image"), b"0000000004.example": (other, None),
                b"0000000005.example": (none, None)}
    t.check(set(tree) == set(wanted) | set(examples), f"names: {sorted(tree)}")
    t.check(all(tree.get(path) == data for path, data in wanted.items()), "pictures differ")
    for path, (features, picture) in examples.items():
        rest = {key: feature(value) for key, value in features.items() if key != picture}
        t.check(parse(tree.get(path, b"")) == rest, f"{path}: the other features differ")
    t.check(facts["left_out"] == [], "counts")
    t.pack("x.tfrecord", "keyed", "--key=jpg")
    tree = t.tree("keyed")
    t.check(tree.get(b"0000000004.jpg") == other["jpg"] and b"0000000003.jpg" not in tree,
            "--key names the picture")
    return data


def labels(t):
    """Labels of Examples are labels of the store, whichever folders their names make."""
    photos = photographs(5)
    features = [{"image/class/label": 7, "label": 8}, {"label": 8, "image/class/label": 9},
                {"label": 3}, {"label": [1, 2], "image/class/label": 1 << 31}, {}]
    data = b"".join(record(example({**f, "image/encoded": photo, "image/class/text": b"c%d" % i}))
                    for i, (f, photo) in enumerate(zip(features, photos)))
    # A number that is not packed, as old writers have it.
    data += record(field(1, entry("image/encoded", photos[0][:-2]) + field(
        1, field(1, b"label") + field(2, field(3, b"\x08\x05")))))
    write("labels.tfrecord", data)
    t.pack("labels.tfrecord", "labels")
    t.check(t.labels("labels") == {
        "c0/0000000000.jpg": 7, "c1/0000000001.jpg": 9, "c2/0000000002.jpg": 3,
        "c3/0000000003.jpg": -1, "c4/0000000004.jpg": -1, "0000000005.jpg": 5},
        f"labels of Examples: {t.labels('labels')}")


def bad(t):
    good = [record(example({"image/filename": b"%d.bin" % i, "image/encoded": b"%d" % i * 50}))
            for i in range(3)]
    at = len(good[0])
    start = f"bad.tfrecord: record 1 at byte {at}"

    def broken(offset, new):
        changed = bytearray(good[1])
        changed[offset:offset + len(new)] = new
        return good[0] + bytes(changed) + good[2]
    t.refuse("bad.tfrecord", broken(0, b"\xff"), start, "the checksum of its length is wrong")
    t.refuse("bad.tfrecord", broken(8, b"\0\0"), start, "the checksum of its length is wrong")
    for length in (1 << 20, 1 << 63, (1 << 64) - 1):
        head = struct.pack("<Q", length)
        t.refuse("bad.tfrecord", broken(0, head + masked_crc(head)), start,
                 f"its {length} bytes extend past the end of the file")
    # A flipped bit of the picture, of another feature, and of the checksum itself.
    for place in (good[1].index(b"1" * 50) + 20, good[1].index(b"1.bin"), len(good[1]) - 1):
        t.refuse("bad.tfrecord", broken(place, bytes([good[1][place] ^ 4])), start,
                 "its checksum is wrong")
    facts, _ = t.pack("bad.tfrecord", "skipped", "--skip-unreadable", code=3)
    t.check(len(facts["left_out"]) == 2, f"both members of the record: {facts['left_out']}")
    t.check(t.tree("skipped") .get(b"2.bin") == b"2" * 50, "records behind it are kept")
    # Messages that are malformed, with sound checksums.
    whole = example({"image/encoded": b"x" * 30, "label": 1})
    for data in (whole[:-1], b"\x0a\x05\x0a", b"\x0b", b"\x0a" + b"\xff" * 9 + b"\x01",
                 b"no Example at all", whole + b"\x80"):
        t.refuse("bad.tfrecord", good[0] + record(data), start.split(" at")[0],
                 "no Example, or a malformed one")
    t.refuse("bad.tfrecord", record(example({"image/encoded": b"1"})[:0] + field(
        1, entry("image/encoded", b"1") + entry("image/encoded", b"2"))), "has its picture twice")
    empty = bytearray(record(b""))
    empty[-1] ^= 1
    t.refuse("bad.tfrecord", bytes(empty), "record 0 at byte 0", "its checksum is wrong")
    for name, words in ((b"../x.jpg", "'..'"), (b"/x.jpg", "absolute"), (b"n" * 4096, "4,095"),
                        (b"a\0b", "a byte 0")):
        t.refuse("bad.tfrecord", good[0] + record(example({
            "image/filename": name, "image/encoded": b"1"})), start.split(" at")[0], words)
    t.refuse("bad.tfrecord", good[0] + good[1] + good[0], "'0.bin' is there twice", "record 0",
             "record 2")


def many(t):
    os.mkdir("shards")
    one = record(example({"image/filename": b"a.bin", "image/encoded": b"one"}))
    two = record(example({"image/filename": b"a.bin", "image/encoded": b"two"}))
    write("shards/s-0.tfrecord", one)
    write("shards/s-1.tfrecord", two)
    write("shards/s-2.tfrecord", b"")
    write("shards/s-0.idx", b"0 1\n")
    t.pack("shards", "many")
    tree = t.tree("many")
    t.check((tree[b"s-0/a.bin"], tree[b"s-1/a.bin"]) == (b"one", b"two"), "names of two shards")
    os.mkdir("numbered")
    for i, data in enumerate((one, two)):
        write(f"numbered/x-train.tfrecord-{i:05d}-of-00002", data)
    write("numbered/features.json", b"{}")
    t.pack("numbered", "numbered.out")
    tree = t.tree("numbered.out")
    t.check([tree.get(b"x-train.tfrecord-0000%d-of-00002/a.bin" % i) for i in range(2)] ==
            [b"one", b"two"], "shards as tensorflow_datasets calls them")


def joined(t):
    """Examples are files of their pictures, also if two pictures share the name up to the last dot,
    or have no dot."""
    photos = photographs(4)
    names = (b"dog/b", b"dog/c.d.jpg", b"cat/a.jpg", b"cat/a.jpeg")
    given = [{"image/filename": name, "note": b"of " + name, "image/encoded": photo}
             for name, photo in zip(names, photos)]
    for name, count, stems in (("dot", 2, (b"dog/b", b"dog/c.d")),
                               ("shared", 4, (b"dog/0000000000", b"dog/0000000001",
                                              b"cat/0000000002", b"cat/0000000003"))):
        write(f"{name}.tfrecord", b"".join(record(example(e)) for e in given[:count]))
        t.pack(f"{name}.tfrecord", name)
        tree, samples = t.tree(name), t.samples(name)
        for stem, features in zip(stems, given):
            t.check(tree.get(stem + b".jpg") == features["image/encoded"] and
                    parse(tree.get(stem + b".example", b""))["note"] == feature(features["note"]),
                    f"{name}: {stem} is not beside its Example: {sorted(tree)}")
        t.check(samples["samples"] == samples["members"] == count, f"{name}: samples {samples}")
    ends = [{**given[0], "image/filename": name} for name in (b"x", b"x.jpg")]
    write("ends.tfrecord", b"".join(record(example(e)) for e in ends))
    t.pack("ends.tfrecord", "ends")
    t.check(sorted(t.tree("ends"))[1::2] == [b"000000000%d.jpg" % i for i in range(2)],
            f"x and x.jpg: {sorted(t.tree('ends'))}")
    t.refuse("x.tfrecord", 2 * record(example(ends[0])), "'x.jpg' is there twice", "record 0")
    twice = given[2:] + [{**given[2], "image/encoded": photos[0]}]
    t.refuse("twice.tfrecord", b"".join(record(example(e)) for e in twice),
             "'cat/a.jpg' is there twice", "record 0", "record 2")


def other_keys(t):
    """A user whose pictures have another key learns of --key."""
    write("raw.tfrecord", b"".join(record(example({"image_raw": photo, "label": 1}))
                                   for photo in photographs(2)))
    for options, hint in (((), True), (("--key=typo",), True), (("--key=image_raw",), False)):
        done = subprocess.run([LODFS, "pack", "--dry-run", "--from=tfrecord", *options,
                               "raw.tfrecord", "raw"], capture_output=True, text=True)
        t.check(done.returncode == 0 and ("--key=KEY" in done.stdout) == hint,
                f"{options}: {done.stdout}{done.stderr}")


def main():
    t = Tests("tfrecord")
    data = members(t)
    labels(t)
    bad(t)
    many(t)
    joined(t)
    other_keys(t)
    t.compressed_and_pipes("good.tfrecord", data)
    t.cut("good.tfrecord", data, boundaries=True)
    write("big.tfrecord", b"".join(record(example({"image/encoded": os.urandom(30_000)}))
                                   for _ in range(40)))
    t.same_bytes("big.tfrecord")
    t.in_parts("big.tfrecord")
    write("none.tfrecord", record(b"") * 1_000_000)
    t.peak("none.tfrecord", "none", 100_000)
    write("small.tfrecord", record(example({"a": b""})) * 50_000)
    t.peak("small.tfrecord", "small", 200_000)
    t.end()


if __name__ == "__main__":
    sys.exit(main())
