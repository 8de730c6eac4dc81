# SPDX-License-Identifier: Apache-2.0
"""
A tree of lossless images for --levels: small pictures like photographs, which get lower fidelities,
and images that must never change though the pattern matches them.
"""
import math
import os
import random
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(name, contents):
    return (struct.pack(">I", len(contents)) + name + contents
            + struct.pack(">I", zlib.crc32(name + contents)))


def png(rows, width, colour, depth=8, before=b"", after=b""):
    """Returns a PNG of packed rows."""
    header = struct.pack(">IIBBBBB", width, len(rows), depth, colour, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 1)
    return (SIGNATURE + chunk(b"IHDR", header) + before + chunk(b"IDAT", data) + after
            + chunk(b"IEND", b""))


def pnm(rows, width, channels, maxval=255, comment=b""):
    return b"P%d\n%s%d %d\n%d\n" % (6 if channels == 3 else 5, comment, width, len(rows), maxval) \
        + b"".join(rows)


def bmp(rows, width, upward=True, behind=b""):
    """Returns a BMP of rows of red, green, blue."""
    lines = []
    for row in rows:
        line = bytearray(row)
        line[0::3], line[2::3] = line[2::3], line[0::3]
        lines.append(bytes(line) + bytes(-len(line) % 4))
    about = struct.pack("<IiiHHIIiiII", 40, width, len(rows) if upward else -len(rows), 1, 24, 0,
                        0, 0, 0, 0, 0)
    return (b"BM" + struct.pack("<IHHI", 0, 0, 0, 54) + about
            + b"".join(reversed(lines) if upward else lines) + behind)


def photo(seed, width, height, channels):
    """Returns rows of waves with grain, as a photograph has."""
    rng, rows = random.Random(seed), []
    waves = [(rng.uniform(.02, .09), rng.uniform(.02, .09), rng.uniform(0, 6), rng.uniform(10, 30))
             for _ in range(4)]
    for y in range(height):
        row = bytearray()
        for x in range(width):
            light = 128 + sum(high * math.sin(a * x + b * y + c) for a, b, c, high in waves)
            row += bytes(min(255, max(0, int(light + 20 * k + rng.gauss(0, 5))))
                         for k in range(channels))
        rows.append(bytes(row))
    return rows


def areas(seed, width, height, channels, values):
    """Returns rows of areas of one colour, as a mask has."""
    rng = random.Random(seed)
    colours = [bytes(rng.choice(values) for _ in range(channels)) for _ in range(9)]
    return [b"".join(colours[(x // 31 + y // 23 * 3) % 9] for x in range(width))
            for y in range(height)]


def photographs():
    """Yields (name, bytes) of files that get levels."""
    notes = chunk(b"tEXt", b"Title\0of waves")
    for i, (width, height) in enumerate(((176, 144), (201, 133), (160, 160))):
        rgb, gray = photo(i, width, height, 3), photo(i, width, height, 1)
        yield f"{i}.png", png(rgb, width, 2, before=notes, after=notes)
        yield f"{i}-gray.png", png(gray, width, 0)
        yield f"{i}.ppm", pnm(rgb, width, 3, comment=b"# of waves\n" * i)
        yield f"{i}.bmp", bmp(rgb, width, upward=i != 1, behind=b"behind" * i)
    yield "3.pgm", pnm(photo(3, 250, 200, 1), 250, 1)
    yield "tall.png", png(photo(4, 130, 400, 3), 130, 2)


def exact_ones():
    """Yields (name, bytes) of files that stay exact at every fidelity, though a pattern names them:
    of other kinds than 8 bits of gray or RGB, flat, small, or of too much detail."""
    rng, width, height = random.Random(7), 176, 144
    rgb, gray = photo(20, width, height, 3), photo(20, width, height, 1)
    palette = chunk(b"PLTE", rng.randbytes(768))
    yield "mask.png", png(areas(1, width, height, 1, (0, 255)), width, 0)
    yield "classes.png", png(areas(2, width, height, 1, range(20)), width, 0)
    yield "panoptic.png", png(areas(3, width, height, 3, range(256)), width, 2)
    yield "labels.png", png(areas(4, width, height, 1, range(20)), width, 3, before=palette)
    yield "grainy-palette.png", png(gray, width, 3, before=palette)
    yield "alpha.png", png([b"".join(row[i:i + 3] + b"\xff" for i in range(0, len(row), 3))
                            for row in rgb], width, 6)
    yield "gray-alpha.png", png([b"".join(bytes((byte, 255)) for byte in row) for row in gray],
                                width, 4)
    yield "one-clear.png", png(rgb, width, 2, before=chunk(b"tRNS", b"\0\1\0\2\0\3"))
    yield "depth.png", png([rng.randbytes(2 * width) for _ in range(height)], width, 0, 16)
    yield "bits.png", png([rng.randbytes(width // 8) for _ in range(height)], width, 0, 1)
    yield "icon.png", png(photo(21, 16, 16, 3), 16, 2)
    yield "dot.png", png([b"\1\2\3"], 1, 2)
    yield "noise.png", png([rng.randbytes(3 * width) for _ in range(height)], width, 2)
    yield "dark.pgm", pnm([bytes(byte // 3 for byte in row) for row in gray], width, 1, 100)
    yield "mask.bmp", bmp(areas(5, width, height, 3, (0, 255)), width)
    yield "map.pgm", pnm(areas(6, width, height, 1, range(9)), width, 1)
    yield "broken.png", png(rgb, width, 2)[:-20]


def make(folder):
    """Writes the tree. Returns the paths of files with levels, and of the others."""
    named, exact = [], []
    for split, kinds in (("train", photographs()), ("val", exact_ones())):
        for i, (name, data) in enumerate(kinds):
            part = "photos" if split == "train" else "masks"
            path = f"{'train' if i % 4 else 'val'}/{part}/{name}"
            os.makedirs(f"{folder}/{os.path.dirname(path)}", exist_ok=True)
            with open(f"{folder}/{path}", "wb") as out:
                out.write(data)
            (named if split == "train" else exact).append(path)
    return named, exact
