#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pack --from=recordio`: files of images that are written here only from the description of dmlc's
format."""
import json
import os
import struct
import subprocess
import sys

from containers import Tests, photographs

MAGIC = struct.pack("<I", 0xced7230a)


def part(flag, data):
    return MAGIC + struct.pack("<I", flag << 29 | len(data)) + data + bytes(-len(data) % 4)


def record(data):
    """Splits the data at each magic word at a multiple of 4, as dmlc's writer does."""
    parts, at, last = [], 0, 0
    while at + 4 <= len(data):
        if data[at:at + 4] == MAGIC:
            parts.append(data[last:at])
            last = at + 4
        at += 4
    parts.append(data[last:])
    if len(parts) == 1:
        return part(0, data)
    flags = [1] + [2] * (len(parts) - 2) + [3]
    return b"".join(part(flag, data) for flag, data in zip(flags, parts))


def image(label, number, picture):
    """`label` is a float, or a list of them."""
    more = label if isinstance(label, list) else []
    head = struct.pack("<IfQQ", len(more), 0 if label == more else label, number, 0)
    return head + struct.pack(f"<{len(more)}f", *more) + picture


def rec(*images):
    return b"".join(record(image(*each)) for each in images)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def members(t):
    photos = photographs(5)
    png = b"\x89PNG\r\n\x1a\nbroken"
    write("x.rec", rec((0, 0, photos[0]), (1, 1, photos[1]), (3.0, 5_000_000_000, png),
                       (0.5, 3, photos[2]), (-1, 4, photos[3]), ([1.5, -2], 6, photos[4]),
                       ([], 7, b"BM other"), (2, 8, b"")))
    facts, _ = t.pack("x.rec", "members")
    t.check(facts["left_out"] == [], "counts")
    t.check(t.tree("members") == {
        b"00000": None, b"00001": None, b"00003": None, b"00002": None,
        b"00000/0000000000.jpg": photos[0], b"00001/0000000001.jpg": photos[1],
        b"00003/5000000000.png": png,
        b"0000000003.jpg": photos[2], b"0000000003.label": struct.pack("<f", .5),
        b"0000000004.jpg": photos[3], b"0000000004.label": struct.pack("<f", -1),
        b"0000000006.jpg": photos[4], b"0000000006.label": struct.pack("<2f", 1.5, -2),
        b"00000/0000000007.bmp": b"BM other", b"00002/0000000008": b""}, "members differ")
    # Magic words in the picture, in the header and in the labels.
    word = struct.unpack("<f", MAGIC)[0]
    pictures = [MAGIC, MAGIC * 5, b"abcd" + MAGIC + b"x", b"ab" + MAGIC, b"a" * 5 + MAGIC * 3,
                photos[0][:400] + MAGIC * 2 + photos[0][400:]]
    write("magic.rec", rec(*((i, i, picture) for i, picture in enumerate(pictures)),
                           (word, 10, b"ten"), ([word, word], 11, b"eleven")))
    t.pack("magic.rec", "magic")
    tree = t.tree("magic")
    for i, picture in enumerate(pictures):
        found = [data for path, data in tree.items() if b"/000000000%d" % i in path]
        t.check(found == [picture], f"a picture with magic words: {i}")
    t.check(tree.get(b"0000000010") == b"ten" and tree.get(b"0000000010.label") == MAGIC and
            tree.get(b"0000000011.label") == MAGIC * 2, "labels that are the magic word")


def names(t):
    write("l.rec", rec((0, 0, b"zero"), (1, 1, b"one"), (1, 2, b"two")))
    write("l.lst", b"0\t0.000000\tcat/a.jpg   \n1\t1.0\t2.5\tdog/b c.jpg\r\n")
    t.pack("l.rec", "listed")
    tree = {k: v for k, v in t.tree("listed").items() if not k.endswith(b".label")}
    t.check(tree == {b"cat": None, b"dog": None, b"00001": None, b"cat/a.jpg": b"zero",
                     b"dog/b c.jpg": b"one", b"00001/0000000002": b"two"}, "names of the .lst")
    write("l.lst", b"0\t0\tx\nno line\n")
    with open("l.rec", "rb") as file:
        t.refuse("l.rec", file.read(), "line 2 of the .lst")
    write("l.lst", b"0\t0\tx\n1\t1\tx\n")
    with open("l.rec", "rb") as file:
        t.refuse("l.rec", file.read(), "'x' is there twice", "record 0 at byte 0",
                 "record 1 at byte 36")
    photos = photographs(4)
    write("v.rec", rec(([1, 2], 0, photos[0]), (.5, 1, photos[1]), (0, 2, photos[2])))
    write("v.lst", b"0\t0\tcat/a\n1\t1\tcat/b.jpg\n2\t1\tcat/c\n")
    t.pack("v.rec", "vectors")
    t.check(set(t.tree("vectors")) == {b"cat", b"cat/a.jpg", b"cat/a.label", b"cat/b.jpg",
                                       b"cat/b.label", b"cat/c"}, f"{sorted(t.tree('vectors'))}")
    t.check(t.samples("vectors")["members"] == 2, "vectors are files of their pictures")
    write("v.lst", b"0\t0\tcat/a.png\n1\t1\tcat/a.jpg\n2\t1\tcat/c\n")
    t.pack("v.rec", "shared")
    tree = t.tree("shared")
    t.check((tree.get(b"cat/0000000000.jpg"), tree.get(b"cat/0000000000.label"),
             tree.get(b"cat/0000000001.label")) ==
            (photos[0], struct.pack("<2f", 1, 2), struct.pack("<f", .5)), f"{sorted(tree)}")
    t.check(t.samples("shared")["members"] == 2, "vectors of pictures that shared a name")
    os.remove("l.lst")
    write("ids.rec", rec((0, 0, b"zero"), (0, 0, b"again"), (1, 0, b"more")))
    t.pack("ids.rec", "ids")
    t.check(t.tree("ids") == {b"00000": None, b"00001": None, b"00000/0000000000": b"zero",
                              b"00000/0000000001": b"again", b"00001/0000000002": b"more"},
            "ids that are there twice become numbers of records")
    os.mkdir("shards")
    write("shards/a.rec", rec((0, 0, b"a")))
    write("shards/b.rec", rec((0, 0, b"b")))
    write("shards/c.rec", b"")
    write("shards/a.idx", b"0\t0\n")
    t.pack("shards", "many")
    tree = t.tree("many")
    t.check(tree.get(b"a/00000/0000000000") == b"a" and tree.get(b"b/00000/0000000000") == b"b",
            f"two files with one id: {sorted(tree)}")


def labels(t):
    """Labels that the numbers of folders do not give are labels of the store."""
    write("gap.rec", rec((0, 0, b"zero"), (2, 1, b"two")))
    t.pack("gap.rec", "gap")
    t.check(t.tree("gap") == {
        b"00000": None, b"00002": None, b"00000/0000000000": b"zero", b"00002/0000000001": b"two"},
        "names of a missing class")
    t.check(t.labels("gap") == {"00000/0000000000": 0, "00002/0000000001": 2}, "a missing class")
    write("swap.rec", rec((0, 0, b"zero"), (1, 1, b"one")))
    write("swap.lst", b"0\t0\tdog/0\n1\t1\tcat/1\n")
    t.pack("swap.rec", "swapped")
    t.check(t.labels("swapped") == {"dog/0": 0, "cat/1": 1}, "classes in another order")
    facts = json.loads(subprocess.run([os.environ["LODFS"], "info", "--json", "swapped"],
                                      check=True, stdout=subprocess.PIPE).stdout)
    t.check(facts["samples"]["own_labels"] == 2, "labels that are not those of folders")
    write("swap.lst", b"0\t0\tcat/0\n1\t1\tdog/1\n")
    t.pack("swap.rec", "ordered")
    t.check(t.labels("ordered") == {"cat/0": 0, "dog/1": 1}, "classes in order")
    os.mkdir("splits")
    for name in ("train", "val"):
        write(f"splits/{name}.rec", rec((0, 0, b"zero" + name.encode()), (1, 1, name.encode())))
    t.pack("splits", "split")
    t.check(set(t.tree("split")) >= {b"train/00001/0000000001", b"val/00000/0000000000"} and
            not any(path.endswith(b".label") for path in t.tree("split")), "splits have classes")
    for name in ("train", "val"):
        os.rename(f"splits/{name}.rec", f"splits/{name}-0.rec")
    t.pack("splits", "shards-apart")
    t.check(t.labels("shards-apart").get("val-0/00001/0000000001") == 1,
            "folders of containers are no classes")


def bad(t):
    good = [rec((i, i, b"%d" % i * 50)) for i in range(3)]
    at = len(good[0])
    start = f"bad.rec: record 1 at byte {at}"
    data = image(1, 1, b"1" * 50)

    def with_record(middle, *words):
        t.refuse("bad.rec", good[0] + middle + good[2], start, *words)
    with_record(b"\0" + good[1][1:], "its magic number is wrong")
    with_record(MAGIC + struct.pack("<I", (1 << 29) - 1) + good[1][8:],
                "its 536870911 bytes extend past the end of the file")
    for flag in (4, 5, 6, 7):
        with_record(part(flag, data), f"the flag {flag}")
    for flag in (2, 3):
        with_record(part(flag, data), "beginning is missing")
    t.refuse("bad.rec", good[0] + part(1, data) + good[2], f"bad.rec: record 1 at byte {at + 84}",
             "the end of the record before it is missing")
    t.refuse("bad.rec", good[0] + part(1, data), "bad.rec: record 1", "before the last part")
    t.refuse("bad.rec", good[0] + part(1, data) + part(2, data), "bad.rec: record 1",
             "before the last part")
    with_record(part(0, data[:23]), "has 23 bytes")
    with_record(part(0, struct.pack("<I", 14) + data[4:]), "its label has 14 numbers")
    with_record(part(0, struct.pack("<I", 0xffffffff) + data[4:]), "its label has 4294967295")
    facts, _ = t.pack("bad.rec", "skipped", "--skip-unreadable", code=3)
    t.check(len(facts["left_out"]) == 1 and start.split(": ")[1] in facts["left_out"][0]["why"] and
            "84 bytes" in facts["left_out"][0]["why"], f"what is left out: {facts['left_out']}")
    tree = {k: v for k, v in t.tree("skipped").items() if not k.endswith(b".label")}
    t.check(tree == {b"00000": None, b"00002": None, b"00000/0000000000": b"0" * 50,
                     b"00002/0000000002": b"2" * 50}, "it goes on behind the damage")


def main():
    t = Tests("recordio")
    members(t)
    names(t)
    labels(t)
    bad(t)
    data = rec(*((i % 5, i, b"%d" % i * 99) for i in range(20)), (0, 20, b"ab" * 50 + MAGIC * 9))
    t.compressed_and_pipes("good.rec", data)
    t.cut("good.rec", data, boundaries=True)
    write("big.rec", rec(*((i % 7, i, os.urandom(30_000)) for i in range(40))))
    t.same_bytes("big.rec")
    t.in_parts("big.rec")
    # Every word of the record is a part of its own.
    write("parts.rec", record(image(0, 0, MAGIC * 200_000)))
    t.pack("parts.rec", "parts")
    t.check(t.tree("parts").get(b"00000/0000000000") == MAGIC * 200_000, "200,000 parts")
    write("none.rec", b"".join(record(image(0, i, b"")) for i in range(100_000)))
    t.peak("none.rec", "none", 200_000)
    t.end()


if __name__ == "__main__":
    sys.exit(main())
