# SPDX-License-Identifier: Apache-2.0
"""native/: each compressed item as a file: a header, its row, and its groups as stored."""
import os
import random
import struct
import sys

import png_files
from mounted import Mount, Results, Work, lodfs, need_fuse
from small import read, write

HEAD = 8 + 64


def make_source(folder):
    rng = random.Random(7)
    for number, (colour, depth) in enumerate(png_files.KINDS):
        write(f"{folder}/{number}.png", png_files.make(rng, colour, depth, 0, 90 + number, 81))
    write(f"{folder}/clash.png", png_files.make(rng, 2, 8, 0, 64, 64))
    write(f"{folder}/clash.png.l3", b"in the way")
    write(f"{folder}/labels.csv", b"name,label\n")
    write(f"{folder}/broken.png", b"\x89PNG\r\n\x1a\n broken")


def parts_of(data):
    """Returns (width, height, stream, chunks) of a .l3 file."""
    assert data[:8] == b"LODFSL31", data[:8]
    row = data[8:HEAD]
    assert row[0] == 2 and row[4:8] == bytes(4)
    width, height = struct.unpack_from("<II", row, 8)
    chunks_bytes, = struct.unpack_from("<I", row, 24)
    stream_bytes, = struct.unpack_from("<I", row, 36)
    assert len(data) == HEAD + stream_bytes + chunks_bytes
    return width, height, data[HEAD:HEAD + stream_bytes], data[HEAD + stream_bytes:]


def items(point, names):
    for name in names:
        shown = f"{point}/native/q1/{name}.l3"
        data, png = read(shown), read(f"{point}/full/{name}")
        width, height, stream, chunks = parts_of(data)
        if os.stat(shown).st_size != len(data):
            yield f"{name}: st_size is not the number of bytes read"
        sides = struct.unpack(">II", png[16:24]), struct.unpack_from("<II", stream)
        if sides != ((width, height), (width, height)):
            yield f"{name}: width or height differs from that of the PNG"
        if png[33:33 + len(chunks)] != chunks:
            yield f"{name}: the chunks differ from those of the PNG"
        if read(f"{point}/native/full/{name}.l3") != data:
            yield f"{name}: the bytes at full differ from those at q1"


def tree(point, shown, kept):
    found = sorted(os.listdir(f"{point}/native/q4"))
    if found != sorted([f"{name}.l3" for name in shown] + kept):
        yield f"native/q4 lists other names: {found}"
    for name in kept:
        if read(f"{point}/native/q4/{name}") != read(f"{point}/q4/{name}"):
            yield f"{name}: native/q4 and q4 differ"
    for name in shown[0], "labels.csv.l3", ".l3":
        if os.path.exists(f"{point}/native/q4/{name}"):
            yield f"{name} exists"
    if os.readlink(f"{point}/native/auto") != "full" or os.path.exists(f"{point}/native/original"):
        yield "native/auto does not lead to full, or native/original exists"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = (f"{work}/{name}" for name in ("source", "store", "mount"))
        os.mkdir(source)
        make_source(source)
        lodfs("pack", "-q", source, store)
        with Mount(store, point):
            pictures = [f"{number}.png" for number in range(len(png_files.KINDS))]
            shown = [n for n in pictures if os.path.exists(f"{point}/native/q4/{n}.l3")]
            others = [n for n in os.listdir(source) if n not in shown]
            results.add("most images are stored as L3",
                        [] if len(shown) > len(pictures) / 2 else shown)
            results.add("L3 items have names in .l3, other files keep theirs",
                        tree(point, shown, others))
            results.add("a .l3 file has the item's row and stream", items(point, shown))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
