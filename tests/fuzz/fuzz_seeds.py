# SPDX-License-Identifier: Apache-2.0
"""
Makes seeds of realistic size for the fuzzers: photographs, images, tables, shards, streams and
stores, each of at most BYTES_MAX. Small seeds, which a fuzzer varies quickly, are made by the
replay programs and in fuzzing.py.
"""
import os
import random
import re
import shutil
import struct
import subprocess

import level_images
import plain_files
import png_files
from mounted import lodfs
from tiny import npy, write

BYTES_MAX = 256 << 10


def photographs(folder):
    """Makes JPEGs of several sizes, samplings and headers."""
    made = f"{folder}.made"
    for percent, count in ((20, 8), (40, 8), (60, 8), (120, 4)):
        os.makedirs(f"{made}/{percent}")
        subprocess.run([os.environ["PHOTOGRAPHS"], f"{made}/{percent}", str(count), "3",
                        "0", str(percent)], check=True, stdout=subprocess.DEVNULL)
    number = 0
    for path, _, names in sorted(os.walk(made)):
        for name in sorted(names):
            full = os.path.join(path, name)
            if os.path.getsize(full) <= BYTES_MAX:
                os.rename(full, f"{folder}/photograph-{number}")
                number += 1
    shutil.rmtree(made)


def pngs(folder):
    for number, (colour, depth) in enumerate(png_files.KINDS):
        write(f"{folder}/large-{number}", png_files.make(
            random.Random(number), colour, depth, number % 2, 120, 100, 6, 8000))


def plain_images(folder):
    for number, (_, kind) in enumerate(plain_files.KINDS):
        write(f"{folder}/large-{number}", plain_files.make(random.Random(number), 180, 140, **kind))


def csv(chance, rows):
    lines = [b"size,kind,note\n"]
    for i in range(rows):
        note = chance.choice((b"", b'"a, ""quoted""\nnote"', b"plain", b"1e-7"))
        lines.append(b"%d,%s,%s\n" % (i % 97, chance.choice((b"red", b"green", b"blue")), note))
    return b"".join(lines)


def libsvm(chance, rows):
    def row(label):
        columns = sorted(chance.sample(range(1, 5000), 9))
        return b"%d %s\n" % (label, b" ".join(b"%d:%g" % (column, chance.random())
                                              for column in columns))
    return b"".join(row(i % 2) for i in range(rows))


def tables(folder, what):
    """Makes .npy headers or texts. The first byte of a text chooses how it is read:
    fuzz_table.c."""
    chance = random.Random(3)
    for number, rows in enumerate((200, 1_500, 5_000)):
        how = bytes([number * 3 & 15])
        if what == "npy":
            header = npy("<f8", rows, 3, b"")
            spaces = min(rows * 12, 60_000)
            text = header[10:-1] + b" " * spaces + b"\n"
            data = b"\x93NUMPY\x02\0" + struct.pack("<I", len(text)) + text
        else:
            data = how + (csv if what == "csv" else libsvm)(chance, rows)
        write(f"{folder}/large-{number}", data[:BYTES_MAX])


def manifests(folder):
    """Makes manifests. One has many values in "pack", whose contents the format does not limit."""
    with open(f"{os.environ['LODFS_FUZZ_STORE']}/manifest.json", "rb") as file:
        text = re.sub(rb'("index_hash":\s*")[0-9a-f]{16}', rb"\g<1>" + b"0" * 16, file.read())
    write(f"{folder}/real", text)
    more = b"".join(b'"option-%d": [%d, null, {"a": "\\u00e9"}],' % (i, i) for i in range(3_000))
    write(f"{folder}/large", text.replace(b'"pack":\t{', b'"pack":\t{' + more)[:BYTES_MAX])


def scripts(folder):
    """Makes a script of the maximum number of scans, with long comments."""
    lines = [b"0,1,2: 0-0, 0, 0;"]
    lines += [b"%d: %d-%d, 0, 0; # %s" % (c, first, first + 2, b"text " * 60)
              for c in range(3) for first in range(1, 63, 3)]
    write(f"{folder}/large", b"\n".join(lines) + b"\n")


def record_of(store, suffix):
    name = next(name for name in os.listdir(f"{store}/records") if name.endswith(suffix))
    with open(f"{store}/records/{name}", "rb") as file:
        return file.read()


def shards(folder, work):
    """
    Extracts the shards of packed tables, which begin with a magic number and have their length in
    the header. Their hashes are set to the constant of no_hash.c.
    """
    chance = random.Random(5)
    rows = [[chance.choice((0, 0, 0, 1.5, -2.0)) for _ in range(20)] for _ in range(40)]
    data = b"".join(struct.pack("<20d", *chance.choice(rows)) for _ in range(900))
    write(f"{work}/tables/tree.npy", npy("<f8", 900, 20, data))
    write(f"{work}/tables/raw.npy", npy("<f8", 900, 20, chance.randbytes(900 * 160)))
    write(f"{work}/tables/text.csv", csv(chance, 3_000))
    lodfs("pack", "-q", "--tables=*", "--one-hot", f"{work}/tables", f"{work}/tables.store")
    record, at, number = record_of(f"{work}/tables.store", ".toc"), 0, 0
    while (at := record.find(b"LODFSTC1", at)) >= 0:
        length = 128 + sum(struct.unpack_from("<5Q", record, at + 40))
        if length <= BYTES_MAX:
            shard = record[at:at + length]
            write(f"{folder}/large-{number}", shard[:112] + bytes(16) + shard[128:])
        at, number = at + 1, number + 1


def streams(folder, work):
    """Extracts group 8 of records of one image each: an L3 stream without levels before it."""
    for number, (mode, channels) in enumerate((("small", 1), ("small", 3), ("packed", 3),
                                               ("paper", 1))):
        source, store = f"{work}/image{number}", f"{work}/image{number}.store"
        image = plain_files.make(random.Random(number), 200, 160, channels, 255, b"")
        write(f"{source}/image.{'ppm' if channels == 3 else 'pgm'}", image)
        lodfs("pack", "-q", f"--l3={mode}", source, store)
        record = record_of(store, ".l3")
        metadata, = struct.unpack_from("<I", record, 52)
        length, = struct.unpack_from("<I", record, 72 + 4 * 7)
        write(f"{folder}/large-{number}", record[4096 + metadata:4096 + metadata + length])


MAKERS = {"jpeg": photographs, "png": pngs, "plain": plain_images, "manifest": manifests,
          "script": scripts}
MAKERS_IN_WORK = {"shard": shards, "patch": streams}


def make(folder, what, work):
    """Makes the seeds of a target. Returns whether it has any; targets that read a store have none,
    but read a larger store."""
    os.makedirs(folder, exist_ok=True)
    if what in MAKERS:
        MAKERS[what](folder)
    elif what in MAKERS_IN_WORK:
        MAKERS_IN_WORK[what](folder, work)
    elif what in ("npy", "csv", "libsvm"):
        tables(folder, what)
    return bool(os.listdir(folder))


def make_large_source(folder):
    """Makes a source with one file of each kind, of realistic size."""
    chance = random.Random(8)
    os.makedirs(f"{folder}/photographs")
    subprocess.run([os.environ["PHOTOGRAPHS"], f"{folder}/photographs", "2", "3", "0", "30"],
                   check=True, stdout=subprocess.DEVNULL)
    write(f"{folder}/levels.png", level_images.png(level_images.photo(1, 176, 144, 3), 176, 2))
    write(f"{folder}/picture.png", png_files.make(chance, 2, 8, 0, 120, 100, 0))
    write(f"{folder}/upward.bmp", plain_files.make(chance, 100, 90, 3, header=40, upward=True))
    write(f"{folder}/rows.npy", npy("<f8", 600, 10, struct.pack("<10d", *range(10)) * 600))
    write(f"{folder}/text.csv", csv(chance, 800))
    write(f"{folder}/large.bin", chance.randbytes(70_000))
    write(f"{folder}/log.txt", bytes(chance.choices(b"abc \n", k=200_000)))
    for number in range(200):
        write(f"{folder}/folder/{number:04}", b"%d" % number)
