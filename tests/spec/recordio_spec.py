# SPDX-License-Identifier: Apache-2.0
"""Sizes of files and RecordIO, made only from FORMAT.md: shares no code with the C sources."""
import struct

WHOLE, KEPT, ORIENT, FULL = 1, 32, 64, 11
MAGIC, HAS_MAGIC, TOO_MANY = bytes.fromhex("0a23d7ce"), 8, "too many"


def l3_bytes(row):
    """Returns the size of the file of an l3 item."""
    source, chunks = struct.unpack("<QI", row[16:28])
    if row[0] & WHOLE or row[40]:
        return source
    colour, depth, mode = row[1:4]
    width, height = struct.unpack("<II", row[8:16])
    bits = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4, 7: 1}[colour] * depth
    total, side, line = 63 + chunks, 1 << (mode >> 4), 1 + -(-width * bits // 8)
    for first in range(0, height, side):
        band = line * min(side, height - first)
        total += band + 5 * -(-band // 65535)
    return total


def file_bytes(codec, row, fidelity):
    """Returns the size of an item's file at q1 .. q10 (1 .. 10) or full (11)."""
    if codec == 2:
        return l3_bytes(row)
    if codec == 1:
        groups = struct.unpack("<12I", row[16:64])
        if row[0] & WHOLE or row[0] & KEPT and fidelity > row[1] >> 4:
            return groups[11]
        closing = row[3] if fidelity > 1 else 0
        if fidelity == FULL:
            return sum(groups[:11]) + 2 - closing - (36 if row[0] & ORIENT else 0)
        return sum(groups[:fidelity]) + 2 - closing
    return struct.unpack("<Q", row[8:16])[0]


def label_file(store, sample):
    """Returns the item of a sample's vector of labels, or None."""
    for name, node in sample[6]:
        item = store.nodes[node][3]
        codec, row = store.row(item)
        if item != sample[0] and name == sample[7] + b".label" and codec == 4:
            length = struct.unpack("<Q", row[8:16])[0]
            return item if length and length % 4 == 0 else None
    return None


def words_of(store, item):
    record, slot = store.items[item]
    return store.records[record].magics[slot] or {}


def taken(store, samples):
    """Yields those samples of a record and split that recordio has."""
    budget = 1 << 18
    for sample in samples:
        label = label_file(store, sample)
        items = [store.nodes[node][3] for name, node in sample[6]]
        lists = [words_of(store, item) for item, (name, _) in zip(items, sample[6])
                 if item == sample[0] or name == sample[7] + b".label" and store.row(item)[0] == 4]
        if TOO_MANY in [words_of(store, item) for item in (sample[0], label) if item is not None]:
            continue
        count = sum(len(words) for words in lists if words != TOO_MANY)
        sizes = [24 + sum(file_bytes(*store.row(item), k + 1)
                          for item in (sample[0], label) if item is not None)
                 for k in range(FULL)]
        if max(sizes) < 1 << 29 and count <= budget:
            budget -= count
            yield sample


def recordio_parts(data):
    """Returns a record of RecordIO."""
    starts, ends = [0], []
    for at in range(0, len(data) - 3, 4):
        if data[at:at + 4] == MAGIC:
            ends.append(at)
            starts.append(at + 4)
    ends.append(len(data))
    out = b""
    for i, (start, end) in enumerate(zip(starts, ends)):
        flag = 0 if len(ends) == 1 else 1 if i == 0 else 3 if i + 1 == len(ends) else 2
        out += MAGIC + struct.pack("<I", flag << 29 | end - start) + data[start:end]
    return out + bytes(-len(data) % 4)


def recordio_of(store, samples, read, wanted=None):
    """Returns a split's .rec, .idx and .lst; `samples` are of all its records, in order. `wanted`:
    the items of the samples in the files, of a part; None: all."""
    out, index, lines = [], b"", b""
    room = max(len(store.nodes[store.own[sample[0]]][0]) for sample in samples)
    made = {}
    for sample in samples:
        made.setdefault(store.items[sample[0]][0], []).append(sample)
    at, number = 0, -1
    for sample in (sample for record in made.values() for sample in taken(store, record)):
        number += 1
        if wanted is not None and sample[0] not in wanted:
            continue
        path, label = store.nodes[store.own[sample[0]]][0], label_file(store, sample)
        floats = b"" if label is None else read(store.nodes[store.own[label]][0])
        head = struct.pack("<IfQQ", len(floats) // 4, 0 if floats else sample[5], number, 0)
        out.append(recordio_parts(head + floats + read(path)))
        index += b"%010d\t%016d\n" % (number, at)
        lines += b"%010d\t%17.6f\t" % (number, sample[5])
        lines += bytes(b if b >= 32 else 63 for b in path).ljust(room) + b"\n"
        at += len(out[-1])
    return b"".join(out), index, lines


def recordio_bytes(store, sample, fidelity):
    label = label_file(store, sample)
    size, words = 24, 0
    for item in (sample[0], label):
        if item is not None:
            size += file_bytes(*store.row(item), fidelity)
            words += sum(bits >> (fidelity - 1) & 1 for bits in words_of(store, item).values())
    return 8 + size + -size % 4 + 4 * words
