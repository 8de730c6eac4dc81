# SPDX-License-Identifier: Apache-2.0
"""A slow decoder of TOC shards, made only from FORMAT.md: it shares no code with the C sources.

Everything is checked as FORMAT.md says; a broken rule raises Malformed.
"""
import math
import struct

import xxhash

RAW, CSR, TREE = range(3)


class Malformed(Exception):
    pass


def must(true):
    if not true:
        raise Malformed


def bits_of(number):
    return number.bit_length()


def packed_bytes(count, bits):
    return (count * bits + 7) // 8


def packed(data, count, bits):
    whole = int.from_bytes(data, "little")
    return [whole >> i * bits & (1 << bits) - 1 for i in range(count)]


class Dtype:
    def __init__(self, byte):
        self.bytes, self.kind, self.big = 1 << (byte & 3), byte >> 2 & 3, byte >> 4 & 1
        must(byte < 32 and not (self.big and self.bytes == 1))
        must(self.bytes == 1 if self.kind == 0 else self.bytes > 1 or self.kind != 3)

    def form_bytes(self, form):
        must(form < 8)
        if form == 0:
            return self.bytes
        size = (1, 2, 4, 1, 2, 4, 4)[form - 1]
        must(size < self.bytes and (form != 7 or self.kind == 3))
        return size

    def word(self, form, data):
        """Returns the word of one stored value."""
        if form == 0:
            return int.from_bytes(data, "little")
        if form == 7:
            number = struct.unpack("<f", data)[0]
        else:
            number = int.from_bytes(data, "little", signed=form >= 4)
        if self.kind != 3:
            return number % (1 << 8 * self.bytes)
        if math.isnan(number): # the writer never stores one; read as the quiet NaN with its payload
            bits = int.from_bytes(data, "little")
            return (bits >> 31) << 63 | 0x7ff8 << 48 | (bits & 0x7fffff) << 29
        packing = {2: "<e", 4: "<f", 8: "<d"}[self.bytes]
        return int.from_bytes(struct.pack(packing, number), "little")

    def element(self, word):
        return word.to_bytes(self.bytes, "big" if self.big else "little")


class Shard:
    def __init__(self, data):
        must(len(data) >= 128 and data[:8] == b"LODFSTC1")
        must(data[8:12] == b"\1\0\0\0" and data[38:40] == b"\0\0" and not any(data[80:112]))
        must(struct.unpack("<QQ", data[112:128])
             == (xxhash.xxh3_64_intdigest(data[128:]), xxhash.xxh3_64_intdigest(data[:120])))
        self.kind, dtype, self.form, self.index_bits = data[12:16]
        self.dtype = Dtype(dtype)
        self.value_bytes = self.dtype.form_bytes(self.form)
        (self.rows, self.columns, self.batch_rows, self.leaves, self.values, self.column_bits,
         self.column_form) = struct.unpack("<5I2B", data[16:38])
        must(self.kind <= TREE and self.rows <= 1 << 24 and self.columns <= 1 << 28)
        must(1 <= self.batch_rows <= 1 << 24 and max(self.leaves, self.values) <= 1 << 28)
        must(self.index_bits == (bits_of(self.values - 1) if self.values else 0))
        must(self.column_bits <= 29 and self.column_form <= 1)
        must(self.kind == TREE or (self.leaves == 0 and self.column_form == 0))
        must(self.kind != RAW or self.column_bits == 0)
        sections, at = [], 128
        for size in struct.unpack("<5Q", data[40:80]):
            must(at + size <= len(data))
            sections.append(data[at:at + size])
            at += size
        must(at == len(data) <= 1 << 30)
        self.table = []
        self.read_layer(*sections[:3])
        self.batch, self.body = sections[3:]

    def values_bytes(self, count):
        return packed_bytes(count, self.index_bits) if self.values else count * self.value_bytes

    def words(self, data):
        size = self.value_bytes
        return [self.dtype.word(self.form, data[i:i + size]) for i in range(0, len(data), size)]

    def values_of(self, data, count):
        must(len(data) == self.values_bytes(count))
        if not self.values:
            return self.words(data)
        indexes = packed(data, count, self.index_bits)
        must(all(i < self.values for i in indexes))
        return [self.table[i] for i in indexes]

    def read_layer(self, table, leaf_values, leaf_columns):
        must(len(table) == self.values * self.value_bytes)
        self.table = self.words(table)
        count = self.columns if self.column_form else self.leaves
        must(len(leaf_columns) == packed_bytes(count, self.column_bits))
        # Counts are checked before lists are made of them: a malformed shard can claim any count.
        self.leaf_values, self.leaf_columns, self.leaf_count = leaf_values, leaf_columns, count

    def layer(self):
        words = self.values_of(self.leaf_values, self.leaves)
        columns = packed(self.leaf_columns, self.leaf_count, self.column_bits)
        if self.column_form:
            must(sum(columns) == self.leaves)
            columns = [c for c, count in enumerate(columns) for _ in range(count)]
        must(columns == sorted(columns) and all(c < self.columns for c in columns))
        return list(zip(columns, words))

    def decode(self):
        """Returns all rows as the source had them."""
        rows, at = [], 0
        leaves = self.layer() if self.kind == TREE else []
        batches = (self.rows + self.batch_rows - 1) // self.batch_rows
        must(self.kind != RAW or not self.batch)
        must(self.kind == RAW or len(self.batch) == 16 * batches)
        must(self.kind == TREE or not (self.leaf_values or self.leaf_columns))
        for number in range(batches):
            count = min(self.batch_rows, self.rows - number * self.batch_rows)
            if self.kind == RAW:
                size = self.values_bytes(count * self.columns)
                words = self.values_of(self.body[at:at + size], count * self.columns)
                rows += [words[r * self.columns:(r + 1) * self.columns] for r in range(count)]
            else:
                pairs, size = self.batch_pairs(number, count, self.body[at:], leaves)
                rows += [self.spread(p) for p in pairs]
            at += size
        must(at == len(self.body))
        return b"".join(self.dtype.element(word) for row in rows for word in row)

    def spread(self, pairs):
        row, before = [0] * self.columns, -1
        for column, word in pairs:
            must(before < column < self.columns)
            row[column] = word
            before = column
        return row

    def batch_pairs(self, number, rows, body, leaves):
        codes, nodes, empty, least, size_bits, code_bits = struct.unpack(
            "<3IH2B", self.batch[16 * number:16 * number + 16])
        must(empty <= rows and rows - empty <= codes <= rows * self.columns)
        must(nodes <= codes - (rows - empty) and codes <= 1 << 28)
        must(size_bits <= 32 and code_bits <= 32)
        must(self.kind == TREE or (nodes == 0 and code_bits == 0))
        width = code_bits if self.kind == TREE else self.column_bits
        must(width or codes <= rows)
        sizes_end = packed_bytes(rows, size_bits)
        codes_end = sizes_end + packed_bytes(codes, width)
        flags = codes - (rows - empty)
        end = codes_end + (packed_bytes(flags, 1) if self.kind == TREE
                           else self.values_bytes(codes))
        must(end <= len(body))
        sizes = [least + s for s in packed(body[:sizes_end], rows, size_bits)]
        must(sum(sizes) == codes and sizes.count(0) == empty)
        numbers = packed(body[sizes_end:codes_end], codes, width)
        if self.kind == CSR:
            pairs = list(zip(numbers, self.values_of(body[codes_end:end], codes)))
            starts = [sum(sizes[:i]) for i in range(rows + 1)]
            return [pairs[starts[i]:starts[i + 1]] for i in range(rows)], end
        flags = packed(body[codes_end:end], flags, 1)
        return self.tree_rows(numbers, sizes, flags, nodes, leaves), end

    @staticmethod
    def tree_rows(codes, sizes, flags, nodes, leaves):
        sequences, made = [[leaf] for leaf in leaves], 0
        codes, flags, rows = iter(codes), iter(flags), []
        for size in sizes:
            row, before = [], None
            for _ in range(size):
                code = next(codes)
                must(code < len(sequences))
                now = sequences[code]
                if before is not None:
                    must(before[-1][0] < now[0][0])
                    if next(flags):
                        sequences.append(before + now[:1])
                        made += 1
                row += now
                before = now
            rows.append(row)
        must(made == nodes)
        return rows
