# SPDX-License-Identifier: Apache-2.0
"""PNG files written and read without libpng: every colour type, depth, filter and interlacing.

make(rng, ..) returns a file's bytes; look(bytes) returns (header, chunks, rows): IHDR without
interlacing, all chunks but IHDR, IDAT and IEND, and the rows of the image as PNG packs them.
"""
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
KINDS = [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8),
         (4, 8), (4, 16), (6, 8), (6, 16)]
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
          (0, 1, 1, 2)]


def chunk(name, contents):
    return (struct.pack(">I", len(contents)) + name + contents
            + struct.pack(">I", zlib.crc32(name + contents)))


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def predict(kind, row, above, i, step):
    left, up = row[i - step] if i >= step else 0, above[i]
    corner = above[i - step] if i >= step else 0
    return (0, left, up, (left + up) // 2, paeth(left, up, corner))[kind]


def filtered(rng, rows, step):
    """Returns the filtered rows of one pass; each row has a random filter."""
    out, above = bytearray(), bytes(len(rows[0]) if rows else 0)
    for row in rows:
        kind = rng.randrange(5)
        out.append(kind)
        out += bytes((row[i] - predict(kind, row, above, i, step)) & 255 for i in range(len(row)))
        above = row
    return bytes(out)


def unfiltered(data, bytes_of_row, count, step):
    rows, above, at = [], bytes(bytes_of_row), 0
    for _ in range(count):
        kind, row = data[at], bytearray(data[at + 1:at + 1 + bytes_of_row])
        for i in range(bytes_of_row if kind else 0):
            row[i] = (row[i] + predict(kind, row, above, i, step)) & 255
        rows.append(bytes(row))
        above, at = row, at + 1 + bytes_of_row
    return rows, at


def pack_row(pixels, bits):
    """Packs pixels, integers of `bits` bits, into bytes; the last byte is padded with zeros."""
    value = 0
    for pixel in pixels:
        value = value << bits | pixel
    count = -(-len(pixels) * bits // 8)
    return (value << (count * 8 - len(pixels) * bits)).to_bytes(count, "big")


def unpack_row(row, width, bits):
    if bits >= 8:
        step = bits // 8
        return [int.from_bytes(row[i * step:(i + 1) * step], "big") for i in range(width)]
    value, spare = int.from_bytes(row, "big"), len(row) * 8 - width * bits
    return [value >> (spare + (width - 1 - i) * bits) & ((1 << bits) - 1) for i in range(width)]


def grids(width, height, interlaced):
    """Yields (x values, y values) of the pixels of each pass that is not empty."""
    for x, y, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        columns, lines = range(x, width, dx), range(y, height, dy)
        if columns and lines:
            yield columns, lines


def picture(rng, width, height, bits, depth):
    """Returns pixels with flat areas, slopes and some grain."""
    grain, mask = rng.choice([0, 1, 8]), (1 << bits) - 1
    slope = sum(1 << (depth * c) for c in range(bits // depth)) * (1 if depth < 8 else 3)

    def pixel(x, y):
        grained = rng.getrandbits(bits) if rng.randrange(64) < grain else 0
        return (x // 3 + y // 2) * slope + grained & mask

    return [[pixel(x, y) for x in range(width)] for y in range(height)]


def ancillary(rng, colour, depth):
    """Returns random chunks: (before PLTE, between PLTE and IDAT, after IDAT)."""
    first = [chunk(b"gAMA", struct.pack(">I", 45455)), chunk(b"sRGB", b"\0"),
             chunk(b"iCCP", b"profile\0\0" + zlib.compress(rng.randbytes(300))),
             chunk(b"cHRM", bytes(32)), chunk(b"tEXt", b"Title\0one")]
    later = [chunk(b"pHYs", struct.pack(">IIB", 2835, 2835, 1)),
             chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"text " * 100)),
             chunk(b"eXIf", b"MM\0*\0\0\0\x08\0\0"), chunk(b"prIv", rng.randbytes(40))]
    clear = {0: b"\0\1", 2: b"\0\1\0\2\0\3", 3: bytes(range(0, 256, 16))[:1 << depth]}
    if colour in clear and rng.random() < .5:
        later.insert(0, chunk(b"tRNS", clear[colour]))
    last = [chunk(b"tEXt", b"Author\0two"), chunk(b"tIME", bytes([7, 228, 1, 2, 3, 4, 5]))]
    return [[c for c in part if rng.random() < .4 or c[4:8] == b"tRNS"]
            for part in (first[:2] if rng.random() < .5 else first[2:], later, last)]


def make(rng, colour, depth, interlaced, width, height, level=6, idat=0):
    bits = depth * CHANNELS[colour]
    pixels, step, data = picture(rng, width, height, bits, depth), max(1, bits // 8), b""
    for columns, lines in grids(width, height, interlaced):
        rows = [pack_row([pixels[y][x] for x in columns], bits) for y in lines]
        data += filtered(rng, rows, step)
    packed = zlib.compress(data, level)
    parts = [packed[i:i + idat] for i in range(0, len(packed), idat)] if idat else [packed]
    first, later, last = ancillary(rng, colour, depth)
    palette = [chunk(b"PLTE", rng.randbytes(3 << depth))] if colour == 3 else []
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    return SIGNATURE + b"".join([chunk(b"IHDR", header), *first, *palette, *later,
                                 *[chunk(b"IDAT", part) for part in parts], *last,
                                 chunk(b"IEND", b"")])


def chunks(data):
    """Returns [(type, contents)] of the chunks. Asserts every length and CRC."""
    assert data[:8] == SIGNATURE
    at, found = 8, []
    while at < len(data):
        count, name = struct.unpack(">I4s", data[at:at + 8])
        contents = data[at + 8:at + 8 + count]
        assert data[at:at + 12 + count] == chunk(name, contents), name
        found.append((name, contents))
        at += 12 + count
    assert found[0][0] == b"IHDR" and found[-1] == (b"IEND", b"") and at == len(data)
    return found


def look(data):
    found = chunks(data)
    width, height, depth, colour, *_, interlaced = struct.unpack(">IIBBBBB", found[0][1])
    bits = depth * CHANNELS[colour]
    raw = zlib.decompress(b"".join(contents for name, contents in found if name == b"IDAT"))
    pixels, at = [[0] * width for _ in range(height)], 0
    for columns, lines in grids(width, height, interlaced):
        bytes_of_row = -(-len(columns) * bits // 8)
        rows, used = unfiltered(raw[at:], bytes_of_row, len(lines), max(1, bits // 8))
        at += used
        for y, row in zip(lines, rows):
            pixels[y][columns.start::columns.step] = unpack_row(row, len(columns), bits)
    assert at == len(raw)
    kept = [c for c in found if c[0] not in (b"IHDR", b"IDAT", b"IEND")]
    return (width, height, depth, colour), kept, [pack_row(row, bits) for row in pixels]
