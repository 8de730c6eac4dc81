# SPDX-License-Identifier: Apache-2.0
"""Samples, tar and TFRecord files, made only from FORMAT.md: shares no code with the C sources.

recordio_spec.py has RecordIO.
"""
import struct

import parts_spec
import recordio_spec
import tfrecord_spec
from recordio_spec import file_bytes
from tfrecord_spec import field, varint

VIRTUAL, ALIAS, SPLIT, WHOLE, HAS_LABEL = 1, 4, 8, 1, 128
SMALL, CLOSING, FILES_MAX, FULL = 0xffffffff, 0xffffffff, 33, 11
SPLITS = {b"train", b"training", b"val", b"valid", b"validation", b"dev", b"test", b"testing"}
NONE, PLAIN, DOTTED, NUMBERED = range(4)


def is_file(node):
    return node[1] & 0o170000 == 0o100000


def is_folder(node):
    return node[1] & 0o170000 == 0o040000


class Store:
    """Nodes, items and records as store_spec has them, and the samples that they make."""

    def __init__(self, records, nodes, seed=0):
        self.records, self.nodes, self.seed = records, nodes, seed
        self.number = {node[0]: i for i, node in enumerate(nodes)}
        self.items, self.first = [], []
        for index, record in enumerate(records):
            self.first.append(len(self.items))
            self.items += [(index, slot) for slot in range(record.items)]
        self.own = {node[3]: i for i, node in enumerate(nodes)
                    if is_file(node) and not node[4] & ALIAS}
        self.folders = {}
        for i, node in enumerate(nodes[1:], 1):
            self.folders.setdefault(self.split_path(i)[0], []).append(i)
        self.names = {folder: {self.split_path(i)[1]: i for i in children}
                      for folder, children in self.folders.items()}
        self.pictures = any(record.codec in (1, 2) for record in records)
        self.splits = self.find_splits()
        self.samples = list(self.find_samples())

    def split_path(self, node):
        folder, _, name = self.nodes[node][0].rpartition(b"/")
        return folder, name

    def key(self, node):
        return parts_spec.key(self.split_path(node)[1], self.seed)

    def ascend(self):
        """Returns whether the keys of the leads of a split and a kind of records never decrease."""
        last = {}
        for item, *_, split, _, _, _ in self.samples:
            place, key = (split, *self.kind(item)), self.key(self.own[item])
            if key < last.get(place, 0):
                return False
            last[place] = key
        return True

    def kind(self, item):
        """Returns the kind of the item's record: its codec, and whether l3 may have levels."""
        record = self.records[self.items[item][0]]
        levels = record.codec == 2 and any(map(any, (s[:7] for s in record.segments)))
        return record.codec, bool(record.apart or levels)

    def rank(self, record):
        if self.pictures:
            return {1: 1, 2: 2}.get(record.codec, 0)
        return int(record.codec == 4 and record.cut != SMALL)

    def row(self, item):
        record, slot = self.items[item]
        return self.records[record].codec, self.records[record].rows[slot]

    def pictures_of(self):
        """Yields (item, node) of all pictures, in storage order."""
        for item, (record, _) in enumerate(self.items):
            node = self.own.get(item)
            if node is None or not self.rank(self.records[record]):
                continue
            if not self.nodes[node][4] & VIRTUAL:
                yield item, node

    def find_splits(self):
        """Returns the folders of the splits, or [b""]."""
        marked = [node[0] for node in self.nodes if node[4] & SPLIT]
        if marked:
            assert len(marked) <= 64
            return [b""] if b"" in marked else marked
        found = set()
        for _, node in self.pictures_of():
            top, slash, _ = self.nodes[node][0].partition(b"/")
            if not slash or top.lower() not in SPLITS:
                return [b""]
            found.add(top)
        return sorted(found) or [b""]

    def lead_of(self, run, stem):
        """Returns the node of a run that leads it, or None."""
        best = []
        for node in run:
            path, _, _, item, flags = self.nodes[node]
            name = path.rpartition(b"/")[2]
            if not is_file(self.nodes[node]) or flags & (VIRTUAL | ALIAS):
                continue
            rank = self.rank(self.records[self.items[item][0]])
            if rank and name.rpartition(b".")[0] == stem and b"." in name:
                best.append((rank, name, node))
        return min(best)[2] if best else None

    def group(self, node):
        """Returns (form, nodes before, nodes behind) of a picture."""
        folder, name = self.split_path(node)
        names = self.names[folder]

        def run(stem):
            return sorted(i for other, i in names.items() if other.startswith(stem + b"."))

        def of(nodes, form):
            return (form, nodes.index(node), len(nodes) - nodes.index(node) - 1)

        stem = name.partition(b".")[0]
        around = run(stem) if stem and stem != name else []
        lead = self.lead_of(around, stem) if len(around) <= FILES_MAX else None
        if lead is not None:
            return of(around, PLAIN) if lead == node else (NONE, 0, 0)
        stem = name.rpartition(b".")[0]
        form, key = (DOTTED, stem or name) if b"." in stem or not stem else (PLAIN, None)
        around = run(stem) if stem else [node]
        if len(around) > FILES_MAX:
            around = [node]
        elif stem and self.lead_of(around, stem) != node:
            return (NONE, 0, 0)
        if key is not None:
            taken = any(other.startswith(key.replace(b".", b"_") + b".") for other in names)
            form = NUMBERED if taken or (b"." in key and b"_" in key) else DOTTED
        return of(around, form)

    def label(self, node):
        """Returns (split, label) of a picture."""
        parts = self.nodes[node][0].split(b"/")
        split = parts[0] if self.splits != [b""] else b""
        rest = parts[1:] if split else parts
        if split not in self.splits or not rest:
            return None, -1
        item = self.nodes[node][3]
        if self.row(item)[1][0] & HAS_LABEL:
            record, slot = self.items[item]
            return split, self.records[record].labels[slot]
        if len(rest) < 2:
            return split, -1
        classes = [self.split_path(i)[1] for i in self.folders[split]
                   if is_folder(self.nodes[i]) and not self.nodes[i][4] & VIRTUAL]
        return split, classes.index(rest[0])

    def framed_name(self, form, node, lead_item):
        """Returns (name, stem) that a file of a sample has in a tar."""
        folder, name = self.split_path(node)
        stem, dot, ending = name.rpartition(b".")
        if not stem:
            stem, dot = name, b""
            codec, row = self.row(self.nodes[node][3])
            ending = {1: b".jpg", 4: b".bin"}.get(codec) or (b".png", b".pnm", b".bmp")[row[40]]
        if form != PLAIN:
            stem = stem.replace(b".", b"_")
        if form == NUMBERED:
            stem += b"-%d" % lead_item
        folder = folder + b"/" if folder else b""
        return folder + stem + dot + ending, folder + stem

    def find_samples(self):
        """Yields (item, form, before, after, split, label, files, stem) of all leads, in storage
        order; a file is (framed name, node)."""
        for item, node in self.pictures_of():
            form, before, after = self.group(node)
            split, label = self.label(node)
            if form == NONE or split is None:
                continue
            last = self.split_path(node)[1].rpartition(b".")[0] + b"."
            files = []
            for other in range(node - before, node + after + 1):
                name = self.split_path(other)[1]
                if other != node and (not is_file(self.nodes[other])
                                      or self.nodes[other][4] & VIRTUAL
                                      or form != PLAIN and b"." in name[len(last):]
                                      or not name.startswith(last)):
                    continue
                files.append((self.framed_name(form, other, item)[0], other))
            yield item, form, before, after, split, label, files, self.framed_name(
                form, node, item)[1]

    def shards(self):
        """Returns {(split, record): samples}, in order."""
        made = {}
        for sample in self.samples:
            made.setdefault((sample[4], self.items[sample[0]][0]), []).append(sample)
        return dict(sorted(made.items()))


def octal(digits, value):
    return b"%0*o" % (digits, value)


def header(name, mode, size, seconds, kind=b"0"):
    prefix = b""
    if len(name) > 100:
        at = name.rfind(b"/", 0, 156)
        if at > 0 and len(name) - at - 1 <= 100:
            prefix, name = name[:at], name[at + 1:]
        else:
            long = header(b"././@LongLink", 0, len(name) + 1, 0, b"L")
            text = name + b"\0"
            return (long + text + bytes(-len(text) % 512) +
                    header(name[:100], mode, size, seconds, kind))
    magic = b"ustar  \0" if kind == b"L" else b"ustar\00000"
    head = (name.ljust(100, b"\0") + octal(7, mode) + b"\0" + octal(7, 0) + b"\0" + octal(7, 0) +
            b"\0" + octal(11, size) + b"\0" + octal(11, max(0, min(seconds, 8**11 - 1))) + b"\0" +
            b" " * 8 + kind + bytes(100) + magic + bytes(80) + prefix.ljust(155, b"\0"))
    head = head.ljust(512, b"\0")
    return head[:148] + octal(6, sum(head)) + b"\0 " + head[156:]


def tar_of(store, samples, read):
    """Returns a tar of samples; read(path) gives a file's bytes."""
    parts = [part for sample in samples for part in tar_parts(store, sample, read)]
    return b"".join(parts) + bytes(1024)


def features(store, sample):
    """Yields (key, kind, value) of all features but the picture; kind 1: bytes, 3: int64."""
    node = store.own[sample[0]]
    codec, row = store.row(sample[0])
    path = store.nodes[node][0]
    if sample[5] >= 0:
        yield b"image/class/label", 3, varint(sample[5])
    if sample[5] >= 0 and not row[0] & HAS_LABEL:
        yield b"image/class/text", 1, path.split(b"/")[1 if sample[4] else 0]
    yield b"image/filename", 1, path
    if codec == 1:
        yield b"image/format", 1, b"jpeg"
        sides = struct.unpack("<HH", row[8:12])
    elif codec == 2:
        yield b"image/format", 1, (b"png", b"pnm", b"bmp")[row[40]]
        sides = struct.unpack("<II", row[8:16])
    if codec in (1, 2) and not row[0] & WHOLE:
        yield b"image/height", 3, varint(sides[1])
        yield b"image/width", 3, varint(sides[0])


def given_of(store, sample):
    """Returns the node of the raw member STEM.example, or None."""
    for name, node in sample[6]:
        item = store.nodes[node][3]
        if name == sample[7] + b".example" and item != sample[0] and store.row(item)[0] == 4:
            return node
    return None


def example(store, sample, given, picture):
    """Returns the Example of a picture; `given` is the contents of STEM.example, or None."""
    entries = [*(features(store, sample) if given is None else []),
               (b"image/encoded", 1, picture)]
    return (given or b"") + field(1, b"".join(
        field(1, field(1, key) + field(2, field(kind, field(1, value))))
        for key, kind, value in entries))


def tfrecord_of(store, samples, read):
    """Returns (a TFRecord file of samples, its .idx)."""
    out, lines = [], []
    for sample in samples:
        given = given_of(store, sample)
        data = example(store, sample, None if given is None else read(store.nodes[given][0]),
                       read(store.nodes[store.own[sample[0]]][0]))
        assert len(data) < 1 << 31
        lines.append(b"%016d %010d\n" % (sum(map(len, out)), len(data) + 16))
        out.append(tfrecord_spec.record(data))
    return b"".join(out), b"".join(lines)


def tfrecord_bytes(store, sample, fidelity):
    given = given_of(store, sample)
    sizes = [None if item is None else bytes(file_bytes(*store.row(item), fidelity))
             for item in (None if given is None else store.nodes[given][3], sample[0])]
    return 16 + len(example(store, sample, *sizes))


def classes_of(store, split):
    """Returns the list of classes of a split."""
    if any(sample[4] == split and store.row(sample[0])[1][0] & HAS_LABEL
           for sample in store.samples):
        return b""
    names = [store.split_path(i)[1] for i in store.folders.get(split, [])
             if is_folder(store.nodes[i]) and not store.nodes[i][4] & VIRTUAL]
    return b"".join(bytes(b if b >= 32 else 63 for b in name) + b"\n" for name in names)


def tar_files(store, sample):
    """Returns (name, node) of the files in a tar: names that differ in case alone are one."""
    item, files = sample[0], sample[6]
    lead = next(name for name, node in files if node == store.own[item])
    seen = {lead.lower()}
    taken = []
    for name, node in files:
        if name == lead or name.lower() not in seen:
            taken.append((name, node))
            seen.add(name.lower())
    return taken


def has_label(sample):
    names = [name.lower() for name, _ in sample[6]]
    return sample[5] >= 0 and (sample[7] + b".cls").lower() not in names


def tar_parts(store, sample, read):
    item, stem, label = sample[0], sample[7], sample[5]
    for name, node in tar_files(store, sample):
        path, mode, time = store.nodes[node][:3]
        data = read(path)
        yield header(name, mode & 0o777, len(data), time >> 30) + data + bytes(-len(data) % 512)
    if has_label(sample):
        _, mode, time = store.nodes[store.own[item]][:3]
        data = b"%d" % label
        yield header(stem + b".cls", mode & 0o777, len(data), time >> 30) + data + bytes(
            -len(data) % 512)


def tar_bytes(store, sample, fidelity):
    """Returns the bytes of a sample in a tar."""
    total = 0
    item, stem = sample[0], sample[7]
    for name, node in tar_files(store, sample):
        size = file_bytes(*store.row(store.nodes[node][3]), fidelity)
        total += len(header(name, 0, size, 0)) + size + -size % 512
    if has_label(sample):
        total += len(header(stem + b".cls", 0, 1, 0)) + 512
    assert item in store.own
    return total


def samp_rows(store):
    rows = [struct.pack("<iBBBB", -1, 0, 0, 0, 0) for _ in store.items]
    for item, form, before, after, _, label, _, _ in store.samples:
        rows[item] = struct.pack("<iBBBB", label, form, before, after, 0)
    return rows


def sums_rows(store):
    rows, shards = [], store.shards()
    for split in store.splits:
        mine = {record: samples for (of, record), samples in shards.items() if of == split}
        if not mine:
            continue
        longest = max(len(store.nodes[store.own[sample[0]]][0])
                      for samples in mine.values() for sample in samples)
        leads, totals = [0] * 3, [0] * (3 * FULL)
        for record, samples in [*mine.items(), (CLOSING, [])]:
            key = store.key(store.own[samples[0][0]]) if samples else 0
            rows.append(struct.pack(f"<4IQ3I{3 * FULL}Q", record, store.number[split], longest,
                                    len(classes_of(store, split)), key, *leads, *totals))
            taken = list(recordio_spec.taken(store, samples))
            framings = ((samples, tar_bytes), (taken, recordio_spec.recordio_bytes),
                        (samples, tfrecord_bytes))
            for f, (those, size) in enumerate(framings):
                leads[f] += len(those)
                for k in range(FULL):
                    totals[FULL * f + k] += sum(size(store, sample, k + 1) for sample in those)
    return rows
