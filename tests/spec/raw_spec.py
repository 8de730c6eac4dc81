# SPDX-License-Identifier: Apache-2.0
"""Compressed files, only by FORMAT.md. Frames are decoded by libzstd through ctypes, since Python
3.11 has no module for them; lengths and places are checked here."""
import ctypes
import struct

UNIT, FILE_MAX = 131072, 1 << 30
libzstd = ctypes.CDLL("libzstd.so.1")
libzstd.ZSTD_decompress.restype = ctypes.c_size_t
libzstd.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p,
                                    ctypes.c_size_t]


def row(data):
    """Returns (compressed, bytes of the file, bytes of its segment) of an ITEM row of raw."""
    storage, length, stored = data[1], *struct.unpack("<QI", data[8:20])
    assert storage <= 1 and not any(data[2:4]) and not any(data[20:])
    if storage == 0:
        assert stored == 0 and length < 1 << 63
        return False, length, length
    assert table_bytes(length) < stored < length <= FILE_MAX
    return True, length, stored


def table_bytes(length):
    units = -(-length // UNIT)
    return 4 * units if units > 1 else 0


def stated_length(frame):
    """Returns the content size in the header of a frame without dictionary (RFC 8878, 3.1.1.1)."""
    magic, descriptor = struct.unpack("<IB", frame[:5])
    assert magic == 0xfd2fb528 and descriptor & 0x0b == 0
    single, size = descriptor >> 5 & 1, descriptor >> 6
    at, count = 6 - single, (single if size == 0 else 1 << size)
    assert count
    return int.from_bytes(frame[at:at + count], "little") + (256 if count == 2 else 0)


def end_of(frame):
    """Returns where the frame ends, from its blocks (RFC 8878, 3.1.1.2)."""
    descriptor = frame[4]
    single, size = descriptor >> 5 & 1, descriptor >> 6
    at = 6 - single + (single if size == 0 else 1 << size)
    last = 0
    while not last:
        block = int.from_bytes(frame[at:at + 3], "little")
        last, kind, count = block & 1, block >> 1 & 3, block >> 3
        assert kind < 3 and count <= UNIT
        at += 3 + (1 if kind == 1 else count)
    return at + (4 if descriptor & 4 else 0)


def unit(data, length):
    if len(data) == length:
        return data
    assert len(data) < length == stated_length(data) and end_of(data) == len(data)
    into = ctypes.create_string_buffer(length)
    assert libzstd.ZSTD_decompress(into, length, data, len(data)) == length
    return into.raw


def file(item, segment):
    """Returns the file of an item, from its row and its segment."""
    compressed, length, stored = row(item)
    assert len(segment) == stored
    if not compressed:
        return segment
    table = table_bytes(length)
    ends = [table, *struct.unpack(f"<{table // 4}I", segment[:table])] if table else [0, stored]
    assert ends[-1] == stored
    parts = [unit(segment[begin:end], min(UNIT, length - number * UNIT))
             for number, (begin, end) in enumerate(zip(ends, ends[1:]))]
    return b"".join(parts)
