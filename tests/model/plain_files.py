# SPDX-License-Identifier: Apache-2.0
"""Makes and reads PGM, PPM and BMP files without a library, in every form that lodfs accepts or
not.

make(rng, ..) returns a file's bytes, and KINDS lists arguments of make. strange(rng) yields (name,
bytes, kind) of files that do not become patches: "whole", or "raw" if they are no image.
"""
import struct

# (ending, arguments of make)
KINDS = [(ending, dict(channels=channels, maxval=maxval, comment=comment))
         for ending, channels, maxval, comment in [
             (".pgm", 1, 255, b""), (".ppm", 3, 255, b"# a comment\n"), (".pgm", 1, 1, b"\t\r\n"),
             (".ppm", 3, 100, b""), (".pnm", 1, 1000, b"#\r"), (".ppm", 3, 65535, b"")]]
KINDS += [(".bmp", dict(channels=channels, header=header, upward=upward, palette=palette))
          for channels, header, upward, palette in [
              (3, 40, True, None), (3, 124, False, None), (4, 40, True, None),
              (4, 108, False, None), (3, 12, True, None), (1, 40, True, "gray"),
              (1, 40, False, "colour"), (1, 12, True, "colour"), (1, 64, True, "colour")]]
KINDS += [(".pnm", dict(channels=1, maxval=1, comment=b"# 1 is black\n", bits=1))]
KINDS += [(".bmp", dict(channels=1, header=header, upward=upward, palette="colour", bits=bits))
          for header, upward, bits in [(40, True, 1), (124, False, 4), (12, True, 4)]]
KINDS += [(".bmp", dict(channels=4, header=header, upward=upward, alpha=True))
          for header, upward in [(40, True), (56, False), (124, True)]]

# Masks of pixels that are blue, green, red, alpha in this order.
MASKS = (0xff0000, 0xff00, 0xff, 0xff000000)


def rows_of(rng, width, height, channels, maxval):
    """Returns smooth pixels with some noise: a list of samples for each row, red first."""
    noise = [rng.randrange(3) for _ in range(997)]
    slope = rng.randrange(1, 4)
    return [[(x * slope + y + 29 * c + noise[(x * 7 + y * 31) % 997]) * max(1, maxval // 256)
             % (maxval + 1) for x in range(width) for c in range(channels)]
            for y in range(height)]


def make(rng, width, height, channels, maxval=255, comment=None, header=None, upward=False,
         palette=None, gap=b"", tail=b"", fill=0, bits=8, alpha=False):
    rows = rows_of(rng, width, height, channels, maxval)
    if bits < 8:  # few colours: areas of one colour
        rows = [[(row[0] + x // 11 + y // 9 + sample % 2 * (x % 17 == 0)) % (1 << bits)
                 for x, sample in enumerate(row)] for y, row in enumerate(rows)]
    if bits == 1 and header is None:
        text = b"P4\n%s%d %d\n" % (comment, width, height)
        return text + b"".join(packed(row, 1) for row in rows) + tail
    if header is None:
        text = b"P%d\n%s%d %d\n%d\n" % (6 if channels == 3 else 5, comment, width, height, maxval)
        code = ">%dH" if maxval > 255 else "%dB"
        return text + b"".join(struct.pack(code % len(row), *row) for row in rows) + tail
    colours = b""
    for i in range(1 << bits if palette else 0):
        colour = bytes([i] * 3) if palette == "gray" else bytes([255 - i, i * 7 % 256, i])
        colours += colour + (b"" if header == 12 else b"\0")
    code = "<IHHHH" if header == 12 else "<IiiHH"
    about = struct.pack(code, header, width, height if upward else -height, 1, channels * bits)
    if alpha:
        about = about.ljust(16, b"\0") + struct.pack("<I", 6 if header == 40 else 3)
        about = about.ljust(40, b"\0") + struct.pack("<4I", *MASKS)
    front = about.ljust(header, b"\0") + colours + gap
    lines = []
    for row in rows:
        line = bytearray(row)
        if channels >= 3:
            line[0::channels], line[2::channels] = line[2::channels], line[0::channels]
        line = packed(line, bits)
        lines.append(line + bytes([fill]) * (-len(line) % 4))
    return (b"BM" + struct.pack("<IHHI", 12345, 0, 0, 14 + len(front)) + front +
            b"".join(reversed(lines) if upward else lines) + tail)


def packed(line, bits):
    """Returns samples of `bits` bits packed into bytes, the first sample in the highest bits."""
    if bits == 8:
        return bytes(line)
    text = "".join(f"{sample:0{bits}b}" for sample in line)
    text += "0" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8, "big")


def unpacked(data, bits, width):
    text = "".join(f"{byte:08b}" for byte in data)
    return bytes(int(text[i * bits:(i + 1) * bits], 2) for i in range(width))


def change(data, at, code, value):
    """Returns `data` with one field changed."""
    return data[:at] + struct.pack(code, value) + data[at + struct.calcsize(code):]


def strange(rng):
    pnm = make(rng, 60, 50, 3, 255, b"")
    bmp = make(rng, 61, 50, 3, header=40, upward=True)
    yield "truncated.ppm", pnm[:-1], "whole"
    yield "lies.ppm", pnm.replace(b"60 50", b"60000 50000", 1), "whole"
    yield "huge.ppm", b"P6 2147483647 2147483647 65535\n" + bytes(100), "whole"
    yield "none.pgm", b"P5 0 0 255\n", "whole"
    yield "maxval.pgm", b"P5 10 10 65536\n" + bytes(200), "whole"
    yield "disputed.pgm", b"P5 10 10 255# comment\n" + bytes(100), "whole"
    yield "one.pgm", b"P5 1 1 255\nx", "whole"  # patches would be larger
    yield "plain.ppm", b"P3 2 1 255\n1 2 3 4 5 6\n", "raw"
    yield "plain.pgm", b"P2 2 1 255\n1 2\n", "raw"
    yield "bits.pbm", b"P4 8 8\n" + bytes(8), "whole"  # patches would be larger
    yield "filled.pbm", b"P4 7 800\n" + b"\1" * 800, "whole"
    yield "plain.pbm", b"P1 2 1\n0 1\n", "raw"
    yield "text.ppm", b"P6 is what people call it", "raw"
    yield "truncated.bmp", bmp[:-1], "whole"
    yield "lies.bmp", change(bmp, 18, "<i", 50_000), "whole"
    yield "huge.bmp", change(change(bmp, 18, "<i", 2**31 - 1), 22, "<i", -2**31), "whole"
    yield "rle.bmp", change(bmp, 30, "<I", 1), "whole"
    yield "masks.bmp", change(bmp, 30, "<I", 3), "whole"
    yield "sixteen.bmp", change(bmp, 28, "<H", 16), "whole"
    yield "mono.bmp", change(bmp, 28, "<H", 1), "whole"
    yield "inside.bmp", change(bmp, 10, "<I", 20), "whole"
    yield "filled.bmp", make(rng, 61, 50, 3, header=40, upward=True, fill=7), "whole"
    yield "no size.bmp", change(change(bmp, 18, "<i", 0), 22, "<i", 0), "whole"
    yield "text.bmp", b"BMP is what people call it, and this is a text of some more bytes", "raw"


def look(data):
    """Returns (width, height, channels, samples as decoded/ has them: u8 or little-endian u16)."""
    if data[:1] == b"P":
        return look_pnm(data)
    front, header = struct.unpack_from("<I", data, 10)[0], struct.unpack_from("<I", data, 14)[0]
    width, height, _, bits = struct.unpack_from("<HHHH" if header == 12 else "<iiHH", data, 18)
    upward, height = height > 0, abs(height)
    step = -(-width * bits // 32) * 4
    rows = [data[front + y * step:front + (y + 1) * step] for y in range(height)]
    rows = rows[::-1] if upward else rows
    if bits <= 8:
        entry = 3 if header == 12 else 4
        at = [14 + header + entry * i for i in range(1 << bits)]
        colours = [data[a:a + 3][::-1] for a in at]
        rows = [unpacked(row, bits, width) if bits < 8 else row for row in rows]
        if colours == [bytes([i] * 3) for i in range(256)]:
            return width, height, 1, b"".join(row[:width] for row in rows)
        return width, height, 3, b"".join(colours[i] for row in rows for i in row[:width])
    channels, bytes_ = 4 if has_alpha(data) else 3, bits // 8
    out = bytearray(channels * width * height)
    for y, row in enumerate(rows):
        for c in range(channels):
            first = channels * width * y + c
            out[first:first + channels * width:channels] = \
                row[(2, 1, 0, 3)[c]:width * bytes_:bytes_]
    return width, height, channels, bytes(out)


def has_alpha(data):
    return data[30] in (3, 6) and struct.unpack_from("<4I", data, 54) == MASKS


def look_pnm(data):
    at, numbers = 2, []
    while len(numbers) < (2 if data[:2] == b"P4" else 3):
        while data[at:at + 1].isspace():
            at += 1
        if data[at:at + 1] == b"#":
            at = min(i for i in (data.find(b"\n", at), data.find(b"\r", at)) if i >= 0)
            continue
        end = at
        while data[end:end + 1].isdigit():
            end += 1
        numbers.append(int(data[at:end]))
        at = end
    if data[:2] == b"P4":
        (width, height), step = numbers, -(-numbers[0] // 8)
        rows = [unpacked(data[at + 1 + y * step:][:step], 1, width) for y in range(height)]
        return width, height, 1, b"".join(rows).translate(bytes([255, 0] + [0] * 254))
    width, height, maxval = numbers
    channels = 3 if data[:2] == b"P6" else 1
    count, raw = width * height * channels, data[at + 1:]
    if maxval > 255:
        return width, height, channels, struct.pack(f"<{count}H",
                                                    *struct.unpack(f">{count}H", raw[:2 * count]))
    scaled = bytes(min(255, (v * 255 + maxval // 2) // maxval) for v in range(256))
    return width, height, channels, raw[:count].translate(scaled)
