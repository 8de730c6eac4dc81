# SPDX-License-Identifier: Apache-2.0
"""Small stores of what liblodfs reads in its several ways: photographs, PNGs and tables.

LODFS, PHOTOGRAPHS and MAKE_TABLES name the programs.
"""
import os
import random
import struct
import subprocess
import zlib

PHOTOGRAPHS, PNGS = 12, 4
TIME = 1_700_000_000


def chunk(name, contents):
    return (struct.pack(">I", len(contents)) + name + contents
            + struct.pack(">I", zlib.crc32(name + contents)))


def png(seed, width=700, height=500):
    """A PNG of about a megabyte of pixels: a soft picture with a little noise."""
    rng = random.Random(seed)
    rows = bytearray()
    soft = [bytes((x * 3 + part >> 3) + x % 3 & 255 for x in range(3 * width)) for part in range(8)]
    for y in range(height):
        bright, part = divmod(y * (seed + 2), 8)
        row = bytearray(soft[part].translate(bytes(i + bright & 255 for i in range(256))))
        for _ in range(20):
            row[rng.randrange(len(row))] ^= 3
        rows += b"\0" + row
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(bytes(rows), 1)) + chunk(b"IEND", b""))


def make_photographs(folder, count=PHOTOGRAPHS, seed=3):
    os.makedirs(folder)
    subprocess.run([os.environ["PHOTOGRAPHS"], folder, str(count), str(seed)], check=True,
                   stdout=subprocess.DEVNULL)


def make_pngs(folder):
    os.makedirs(folder)
    for number in range(PNGS):
        with open(f"{folder}/{number}.png", "wb") as file:
            file.write(png(number))


def make_tables(folder):
    subprocess.run([os.environ["MAKE_TABLES"], folder], check=True)


def settle(source):
    """Sets all times. A store's id follows from them, and from the id each shuffled order. So a
    test meets the same orders in each run."""
    for path, folders, names in os.walk(source, topdown=False):
        for name in folders + names + ["."]:
            os.utime(os.path.join(path, name), (TIME, TIME), follow_symlinks=False)


def pack(source, store, *options):
    settle(source)
    subprocess.run([os.environ["LODFS"], "pack", "-q", "--scans=default", *options, source, store],
                   check=True, stdin=subprocess.DEVNULL)
    return store


def in_small_records(work, count, seed):
    """A store of photographs in records of 64 KiB, of which orders and windows have many."""
    make_photographs(f"{work}/source", count, seed)
    return pack(f"{work}/source", f"{work}/store", "--record-size=64K")


def make(work):
    """The store of a source with photos/, pngs/ and tables/."""
    make_photographs(f"{work}/source/photos")
    make_pngs(f"{work}/source/pngs")
    make_tables(f"{work}/source/tables")
    return pack(f"{work}/source", f"{work}/store")


def files_below(folder):
    """Relative paths of all files, sorted."""
    return sorted(os.path.relpath(os.path.join(path, name), folder)
                  for path, _, names in os.walk(folder) for name in names)
