# SPDX-License-Identifier: Apache-2.0
"""A slow reader and index writer, made only from FORMAT.md: it shares no code with the C sources.

Everything is checked as FORMAT.md says; a broken rule is a failed assertion.
"""
import json
import struct
import zlib

import xxhash

import parts_spec
import raw_spec
import recordio_spec
import samples_spec

BLOCK, PAYLOAD, ALIGN = 4096, 4080, 65536
CODECS = {"tree": 0, "pcr": 1, "l3": 2, "raw": 4}
GROUPS = {0: 1, 1: 12, 2: 12, 4: 1}
KEYS = ["format", "major", "minor", "store_id", "index_bytes", "index_hash", "records", "items",
        "source_bytes", "pack", "scans"]
FOLDER, SYMLINK, APPEND, ALIAS = 1, 2, 2, 4
PICTURES = (b".jpg .jpeg .jpe .jfif .png .bmp .ppm .pgm .pbm .pnm "
            b".JPG .JPEG .PNG .BMP .PPM .PGM .PBM .PNM").split()
WHOLE, NO_ORIGINAL, HAS_MAGIC, KEPT, ORIENT, HAS_LABEL = 1, 2, 8, 32, 64, 128


def hash64(data, seed=0):
    return xxhash.xxh3_64_intdigest(data, seed)


def id_of(data):
    """Returns an id as 16 bytes: low half first."""
    return xxhash.xxh3_128_intdigest(data).to_bytes(16, "little")


def low(identity):
    return int.from_bytes(identity[:8], "little")


def levels_of(row):
    """Returns the bytes of levels 1 .. 7 of an l3 item, checked against the rest of its row."""
    levels = [int.from_bytes(row[at:at + 3], "little") for at in range(41, 62, 3)]
    if any(levels):
        width, height, _, chunks = struct.unpack("<IIQI", row[8:28])
        stream, container = struct.unpack("<I", row[36:40])[0], row[40]
        assert levels[0] and 11 * (chunks + sum(levels)) <= stream
        assert row[2] == 8 and row[1] in ((2,) if container == 2 else (0, 2))
        assert container != 1 or struct.unpack("<I", row[32:36])[0] == 255
        assert max(width, height) <= 65500 and not row[0] & WHOLE
    return levels


def lengths(codec, row):
    if codec == 1:
        return list(struct.unpack("<12I", row[16:64]))
    if codec == 2:
        source, chunks, _, _, stream = struct.unpack("<QIIII", row[16:40])
        assert row[40] <= 2 and not any(row[62:])
        kept = source if row[0] & (WHOLE | KEPT) else 0
        levels = levels_of(row)
        return [chunks * any(levels) + levels[0], *levels[1:], stream, chunks, 0, 0, kept]
    compressed, _, stored = raw_spec.row(row)
    assert codec == 4 or not compressed
    return [stored]


def source_bytes_of(codec, row):
    return struct.unpack({1: "<I", 2: "<Q", 4: "<Q"}[codec],
                         {1: row[12:16], 2: row[16:24], 4: row[8:16]}[codec])[0]


def png_of(row, chunks, rows):
    """Returns the PNG of an l3 item, from its group 9 and its packed rows."""
    colour, depth, mode = row[1:4]
    width, height = struct.unpack("<II", row[8:16])
    ihdr = b"IHDR" + struct.pack(">IIBBBBB", width, height, depth, 3 if colour == 7 else colour,
                                 0, 0, 0)
    bands, side = b"", 1 << (mode >> 4)
    for first in range(0, height, side):
        band = b"".join(b"\0" + line for line in rows[first:first + side])
        for at in range(0, len(band), 65535):
            block = band[at:at + 65535]
            last = first + side >= height and at + 65535 >= len(band)
            bands += struct.pack("<BHH", last, len(block), len(block) ^ 0xffff) + block
    adler = zlib.adler32(b"".join(b"\0" + line for line in rows))
    idat = b"IDAT\x78\x01" + bands + struct.pack(">I", adler)
    assert (zlib.crc32(idat), adler) == struct.unpack("<II", row[28:36])
    return (b"\x89PNG\r\n\x1a\n\0\0\0\x0d" + ihdr + struct.pack(">I", zlib.crc32(ihdr)) + chunks +
            struct.pack(">I", len(idat) - 4) + idat + struct.pack(">I", zlib.crc32(idat)) +
            bytes.fromhex("0000000049454e44ae426082"))


def packed(line, depth):
    """Returns samples of a byte each, from 1, 4 or 8 bits, the first one in the highest bits."""
    if depth == 8:
        return bytes(line)
    bits = "".join(f"{sample:0{depth}b}" for sample in line)
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def plain_of(row, rest, samples):
    """Returns the PGM, PPM or BMP of an l3 item, from its group 9 and the samples of its stream."""
    colour, depth = row[1:3]
    width, height, front, own = struct.unpack("<II12xII", row[8:36])
    step = width * {0: 1, 2: 3, 3: 1, 6: 4}[colour] * ((depth + 7) // 8)
    rows = [samples[step * y:step * (y + 1)] for y in range(height)]
    if row[40] == 1:
        assert colour in (0, 2) and own < 1 << depth and (own > 255) == (depth == 16)
        assert depth in (8, 16) or (colour, depth) == (0, 1)
        if depth == 1:
            rows = [packed(line, 1) for line in rows]
        if depth == 16:
            rows = [bytes(byte for at in range(0, step, 2) for byte in (line[at + 1], line[at]))
                    for line in rows]
    else:
        assert (depth == 8 or colour == 3 and depth in (1, 4)) and own <= (3 if colour == 6 else 1)
        rows = [packed(line, depth) for line in rows]
        rows = [line + bytes(-len(line) % 4) for line in (rows[::-1] if own & 1 else rows)]
    return rest[:front] + b"".join(rows) + rest[front:]


def magic_list(metadata, at):
    """Returns {position / 4: fidelities} of a list, or TOO_MANY, and the bytes behind it."""
    count = struct.unpack("<H", metadata[at:at + 2])[0]
    if count == 0xffff:
        return recordio_spec.TOO_MANY, at + 2
    assert 1 <= count <= 4096
    words = [struct.unpack("<IH", metadata[at + 2 + 6 * i:at + 8 + 6 * i]) for i in range(count)]
    assert words == sorted(words) and len(dict(words)) == count
    assert all(word < 1 << 27 and 0 < bits < 1 << 11 for word, bits in words)
    return dict(words), at + 2 + 6 * count


class Record:
    """One record file, read whole, with every hash checked."""

    def __init__(self, path):
        data = path.read_bytes()
        self.name = path.name
        header, rest = data[:BLOCK], data[BLOCK:]
        (magic, major, minor, self.codec, self.shift, self.groups, incompatible, _, self.id,
         self.items, self.metadata_bytes, file_bytes,
         self.metadata_hash) = struct.unpack("<8sHHBBHQQ16sIIQQ", header[:72])
        self.group_fields = header[72:120]
        self.cut = struct.unpack("<I", header[120:124])[0]
        self.header_hash = struct.unpack("<Q", header[4088:])[0]
        assert (magic, major, minor, incompatible) == (b"LODFSRC1", 1, 1, 0)
        self.apart = header[124]
        assert self.apart <= (self.codec == 2) and not any(header[125:4088])
        assert hash64(header[:4088], low(self.id)) == self.header_hash
        assert file_bytes == len(data) and self.codec == CODECS[path.suffix[1:]]
        assert self.groups == GROUPS[self.codec] and 1 <= self.items <= 8192
        self.file_bytes = file_bytes
        metadata = rest[:self.metadata_bytes]
        assert hash64(metadata, low(self.id)) == self.metadata_hash
        self.read_metadata(metadata)
        self.read_groups(rest[self.metadata_bytes:])

    def read_metadata(self, metadata):
        n = self.items
        self.rows = [metadata[64 * i:64 * i + 64] for i in range(n)]
        offsets = struct.unpack(f"<{n}I", metadata[64 * n:68 * n])
        frames = sum(-(-length >> self.shift) for row in self.rows
                     for length in lengths(self.codec, row))
        self.hashes = struct.unpack(f"<{frames}Q", metadata[68 * n:68 * n + 8 * frames])
        at = start = 68 * n + 8 * frames
        self.entries, self.magics, self.labels = [], [], []
        for offset, row in zip(offsets, self.rows):
            assert offset == at
            mode, path_bytes, flags, time = struct.unpack("<HHIq", metadata[at:at + 16])
            at += 16 + path_bytes
            self.entries.append((metadata[offset + 16:at], mode, flags, time))
            assert not flags & ~7
            self.magics.append(None)
            self.labels.append(None)
            assert not row[0] & (HAS_LABEL | HAS_MAGIC) or self.codec in (1, 2, 4)
            if row[0] & HAS_LABEL:
                self.labels[-1] = struct.unpack("<i", metadata[at:at + 4])[0]
                assert self.labels[-1] >= -1
                at += 4
            if row[0] & HAS_MAGIC:
                self.magics[-1], at = magic_list(metadata, at)
        assert at == len(metadata)
        assert sum(len(words or {}) for words in self.magics) <= 131072
        assert self.id == id_of(bytes([self.codec]) + self.name.encode() + b"".join(self.rows) +
                                metadata[start:])

    def read_groups(self, data):
        sums = [sum(lengths(self.codec, row)[g] for row in self.rows) for g in range(self.groups)]
        assert sum(sums) == len(data)
        fields = sums if self.groups > 1 else []
        assert self.group_fields == struct.pack("<12I", *(fields + [0] * (12 - len(fields))))
        at, self.segments = 0, [[] for _ in self.rows]
        for group in range(self.groups):
            for slot, row in enumerate(self.rows):
                length = lengths(self.codec, row)[group]
                self.segments[slot].append(data[at:at + length])
                at += length
        hashes = iter(self.hashes)
        for slot, segments in enumerate(self.segments):
            for group, segment in enumerate(segments):
                for frame in range(-(-len(segment) >> self.shift)):
                    place = self.id + struct.pack("<IHHI", slot, group + 1, 0, frame)
                    piece = segment[frame << self.shift:(frame + 1) << self.shift]
                    assert hash64(piece, hash64(place)) == next(hashes)

    def file(self, slot, fidelity):
        """Returns the bytes of an item at q1 .. q10 (1 .. 10) or full (11)."""
        row, segments = self.rows[slot], self.segments[slot]
        assert self.codec != 2 or row[0] & WHOLE  # PNGs are tested by png_of
        if self.codec not in (1, 2):
            return raw_spec.file(row, segments[0])
        if row[0] & WHOLE or row[0] & KEPT and fidelity > row[1] >> 4:
            return segments[11]
        split, closing = row[2:4]
        first = segments[0] if fidelity == 1 else segments[0][:len(segments[0]) - closing]
        if fidelity <= 10:
            return first + b"".join(segments[1:fidelity]) + b"\xff\xd9"
        rest = split + (36 if row[0] & ORIENT else 0)
        return first[:split] + segments[10] + first[rest:] + b"".join(segments[1:10]) + b"\xff\xd9"


def tree_list(data):
    """Returns pack, scans and the entries (kind, path, mode, time, target, flags)."""
    texts, at = [], 0
    for _ in range(2):
        count = struct.unpack("<I", data[at:at + 4])[0]
        texts.append(json.loads(data[at + 4:at + 4 + count]) if count else None)
        at += 4 + count
    entries = []
    while at < len(data):
        kind, flags, mode, path_bytes, target_bytes, time = struct.unpack("<BBHHHq",
                                                                             data[at:at + 16])
        path = data[at + 16:at + 16 + path_bytes]
        split = samples_spec.SPLIT if kind == FOLDER and b"/" not in path else 0
        assert 1 <= kind <= 4 and not flags & ~(split | (1 if kind in (1, 3) else 0))
        at += 16 + path_bytes + target_bytes
        entries.append((kind, path, mode, time, data[at - target_bytes:at], flags))
    assert at == len(data)
    assert entries == sorted(entries, key=lambda e: (e[0], e[1]))
    return texts[0], texts[1], entries


class Section:
    def __init__(self, number, row_bytes, seed):
        self.number, self.row_bytes, self.seed = number, row_bytes, seed
        self.payloads, self.rows = [], 0

    def append(self, data):
        """Appends the data and returns its position."""
        if not self.payloads or len(self.payloads[-1]) + len(data) > PAYLOAD:
            self.payloads.append(b"")
        self.payloads[-1] += data
        self.rows += 1
        return (len(self.payloads) - 1) * BLOCK + len(self.payloads[-1]) - len(data)

    def bytes(self):
        return b"".join(seal(payload, self.number, i, self.seed)
                        for i, payload in enumerate(self.payloads))


def seal(payload, section, number, seed):
    block = payload.ljust(PAYLOAD, b"\0") + struct.pack("<II", section, number)
    return block + struct.pack("<Q", hash64(block, seed))


def nodes_of(records, entries):
    """Returns [path, mode, time, item or target or None, flags], breadth first, from the records
    alone."""
    nodes, items, first = [], {}, 0
    for record in records:
        for slot, (path, mode, flags, time) in enumerate(record.entries):
            if record.codec:
                items[path] = first + slot
                nodes.append((path, 0o100000 | mode, time, first + slot, flags))
        first += record.items
    for kind, path, mode, time, target, flags in entries:
        kind_mode = {FOLDER: 0o040000, SYMLINK: 0o120000}.get(kind, 0o100000)
        ref = {FOLDER: None, SYMLINK: target}[kind] if kind <= SYMLINK else items[target]
        nodes.append((path, kind_mode | mode, time, ref,
                      flags | (0 if kind <= SYMLINK else ALIAS)))
        if kind > SYMLINK:
            items[path] = ref  # an entry for a hard link to it follows later
    return sorted(nodes, key=lambda node: (depth(node[0]), node[0].split(b"/")))


def depth(path):
    return len(path.split(b"/")) if path else 0


def stem_of(name, endings):
    """Returns `name` without its ending if that is one of these, else None."""
    stem, dot, ending = name.rpartition(b".")
    return stem if stem and dot + ending in endings else None


def appended(nodes):
    """Marks with APPEND the pictures that share their stem with another name of the folder."""
    seen = {}
    for i, (path, *_) in enumerate(nodes):
        folder, _, name = path.rpartition(b"/")
        stem = stem_of(name, PICTURES + [b".npy"])
        if stem is not None:
            seen.setdefault((folder, stem), []).append(i)
    return {i for group in seen.values() if len(group) > 1 for i in group
            if nodes[i][1] & 0o170000 == 0o100000
            and stem_of(nodes[i][0].rpartition(b"/")[2], PICTURES) is not None}


def make_index(records, entries, pack):
    """Returns the bytes of the index file."""
    store_id = id_of(b"".join(record.id for record in records))
    seed = low(store_id)
    node_s, item_s, recd_s, name_s = (Section(n, size, seed) for n, size in
                                      ((1, 32), (2, 64), (3, 128), (4, 0)))
    nodes = nodes_of(records, entries)
    number = {node[0]: i for i, node in enumerate(nodes)}
    parents = [number[node[0].rpartition(b"/")[0]] for node in nodes]
    children = {}
    for i, parent in list(enumerate(parents))[1:]:
        children.setdefault(parent, []).append(i)
    own, append = {}, appended(nodes)
    for i, (path, mode, time, ref, flags) in enumerate(nodes):
        flags = flags & ~APPEND | (APPEND if i in append else 0)
        first, count, target = 0, 0, b""
        if isinstance(ref, bytes):
            target, count = ref, len(ref)
        elif ref is None:
            first, count = children.get(i, [0])[0], len(children.get(i, []))
        else:
            first = ref
            if not flags & ALIAS:
                own[ref] = i
        name = path.rpartition(b"/")[2]
        position = name_s.append(name + target) if name else 0
        node_s.append(struct.pack("<IIIHBB", parents[i], first, count, mode, len(name), flags) +
                      position.to_bytes(6, "little") + struct.pack("<Hq", 0, time))
    source_bytes = first_item = 0
    for record in records:
        path = record.name.encode()
        for slot, row in enumerate(record.rows):
            item_s.append(row[:4] + struct.pack("<I", own.get(first_item + slot, 0)) + row[8:])
            if record.codec:
                source_bytes += source_bytes_of(record.codec, row)
        recd_s.append(struct.pack("<IIBBHIQ16sQQ", first_item, record.items, record.codec,
                                  record.shift, record.groups, record.metadata_bytes,
                                  record.file_bytes, record.id, record.metadata_hash,
                                  record.header_hash) +
                      name_s.append(path).to_bytes(6, "little") + struct.pack("<H", len(path)) +
                      record.group_fields + struct.pack("<IB11x", record.cut, record.apart))
        first_item += record.items
    store = samples_spec.Store(records, nodes, parts_spec.seed_of(pack))
    index = assemble([node_s, item_s, recd_s, name_s, *sample_sections(store, seed)],
                     store_id, source_bytes, store)
    return index, store_id, source_bytes


def sample_sections(store, seed):
    """Returns SUMS and SAMP, in the order of the file."""
    sums, samp = Section(5, 36 + 24 * samples_spec.FULL, seed), Section(6, 8, seed)
    for section, rows in ((sums, samples_spec.sums_rows(store)),
                          (samp, samples_spec.samp_rows(store))):
        for row in rows:
            section.append(row)
    return sums, samp


def assemble(sections, store_id, source_bytes, store):
    index, table = b"\0" * ALIGN, b""
    for section in sections:
        index = index.ljust(-(-len(index) // ALIGN) * ALIGN, b"\0")
        data = section.bytes()
        table += struct.pack("<IIQQQ", section.number, section.row_bytes, len(index) // BLOCK,
                             len(data) // BLOCK, section.rows if section.row_bytes else 0)
        index += data
    head = struct.pack("<8sHHIQQ16sIIIIQQQB7x", b"LODFSIX1", 1, 1, BLOCK, 0, 0, store_id,
                       sections[0].rows, sections[1].rows, sections[2].rows, len(sections),
                       len(index), source_bytes, store.seed, store.ascend())
    return seal(head + table, 0, 0, low(store_id)) + index[BLOCK:]


def as_text(identity):
    return f"{int.from_bytes(identity, 'little'):032x}"
