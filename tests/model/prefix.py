# SPDX-License-Identifier: Apache-2.0
"""Makes prefixes of progressive JPEGs without lodfs: jpegtran with a scan script, cut after a scan.

A script is a list of groups, a group a list of scans, a scan (components, first, last, high, low).
This follows FORMAT.md, which describes the text form, and how a script is fitted to an image.
"""
import subprocess


def parse(text):
    """Parses the text form: one group a line, scans as in jpegtran's -scans, separated by ';'."""
    groups = []
    for line in text.strip().split("\n"):
        scans = []
        for entry in filter(str.strip, line.split(";")):
            components, _, rest = entry.partition(":")
            band, high, low = (part.strip() for part in rest.split(","))
            first, last = band.split("-")
            scans.append((tuple(int(c) for c in components.replace(",", " ").split()),
                          int(first), int(last), int(high), int(low)))
        groups.append(scans)
    return groups


def fit(groups, count, blocks):
    """Returns the script for an image of `count` components; component c has `blocks[c]` blocks in
    an MCU."""
    alike = {1: [0], 2: [0, 1], 3: [0, 1, 2], 4: [0, 1, 2, 0]}[count]
    fitted = []
    for scans in groups:
        group = []
        for components, *band in scans:
            mine = [c for c in range(count) if alike[c] in components]
            together = band[0] == 0 and len(mine) > 1
            if together and sum(blocks[c] for c in mine) <= 10:
                group.append((mine, *band))
            else:
                group += [([c], *band) for c in mine]
        fitted.append(group)
    return fitted


def markers(data):
    """Yields (marker, offset of its 0xff, offset after its segment and entropy-coded bytes)."""
    at = 2
    while at + 4 <= len(data):
        marker, start = data[at + 1], at
        if marker == 0xff:
            at += 1
            continue
        if marker == 0xd9:
            yield marker, start, at + 2
            return
        at += 2 + int.from_bytes(data[at + 2:at + 4], "big")
        if marker == 0xda:
            while not (data[at] == 0xff and data[at + 1] not in (0, *range(0xd0, 0xd8))):
                at += 1
        yield marker, start, at


def frame(data):
    """Returns (SOF marker, [(id, h, v)]) of a JPEG."""
    for marker, start, _ in markers(data):
        if 0xc0 <= marker <= 0xcf and marker not in (0xc4, 0xc8, 0xcc):
            rows = data[start + 10:start + 10 + 3 * data[start + 9]]
            return marker, [(rows[i], rows[i + 1] >> 4, rows[i + 1] & 15)
                            for i in range(0, len(rows), 3)]
    return None, []


def scans_of(data):
    """Returns the scans of a JPEG; components are indexes into the frame's list."""
    ids = [c[0] for c in frame(data)[1]]
    found = []
    for marker, start, _ in markers(data):
        if marker == 0xda:
            n = data[start + 4]
            chosen = [ids.index(data[start + 5 + 2 * i]) for i in range(n)]
            first, last, bits = data[start + 5 + 2 * n:start + 8 + 2 * n]
            found.append((chosen, first, last, bits >> 4, bits & 15))
    return found


def with_sampling_of(data, source):
    """Restores the sampling of a gray image, which jpegtran always writes as 1x1. libjpeg smooths
    prefixes depending on it."""
    if len(frame(source)[1]) > 1:
        return data
    (_, h, v), = frame(source)[1]
    start = next(start for marker, start, _ in markers(data) if marker == frame(data)[0])
    return data[:start + 11] + bytes([h << 4 | v]) + data[start + 12:]


def transcode(data, fitted, script_path):
    """Returns the source rewritten by jpegtran with all scans of the fitted script."""
    with open(script_path, "w", encoding="ascii") as file:
        for scans in fitted:
            for components, first, last, high, low in scans:
                names = " ".join(str(c) for c in components)
                file.write(f"{names}: {first}-{last}, {high}, {low};\n")
    done = subprocess.run(["jpegtran", "-scans", script_path, "-copy", "none"], input=data,
                          stdout=subprocess.PIPE, check=True)
    return with_sampling_of(done.stdout, data)


def cut(progressive, scan_count):
    """Returns the file up to the end of scan `scan_count`, and an end marker."""
    seen = 0
    for marker, _, end in markers(progressive):
        seen += marker == 0xda
        if seen == scan_count and marker == 0xda:
            return progressive[:end] + b"\xff\xd9"
    raise ValueError("fewer scans than the script has")


def close(data, script_scans):
    """Adds the closing scans of FORMAT.md to a file at q1: they code every AC coefficient as 0."""
    if any(first for _, first, *_ in script_scans):
        return data
    marker, parts = frame(data)
    start = next(start for m, start, _ in markers(data) if m == marker)
    height, width = (int.from_bytes(data[start + at:start + at + 2], "big") for at in (5, 7))
    h_max, v_max = max(h for _, h, _ in parts), max(v for _, _, v in parts)
    runs = []
    for _, h, v in parts:
        blocks = -(-width * h // (8 * h_max)) * -(-height * v // (8 * v_max))
        runs.append([32767] * (blocks // 32767) + [blocks % 32767] * (blocks % 32767 > 0))
    symbols = sorted({run.bit_length() - 1 for component in runs for run in component})
    table = b"\x10" + bytes([0, 0, 0, len(symbols)] + [0] * 12) + bytes(s << 4 for s in symbols)
    scans = b"\xff\xc4" + (len(table) + 2).to_bytes(2, "big") + table
    for (number, _, _), component in zip(parts, runs):
        bits = ""
        for run in component:
            size = run.bit_length() - 1
            bits += f"{symbols.index(size):04b}" + f"{run:b}"[1:]
        bits += "1" * (-len(bits) % 8)
        coded = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")
        scans += b"\xff\xda\0\x08\x01" + bytes([number, 0, 1, 63, 0]) + coded
    return data[:-2] + scans + b"\xff\xd9"
