# SPDX-License-Identifier: Apache-2.0
"""Makes small sources with every kind of file, and their stores, for the hostile tests."""
import os
import random
import struct
import subprocess

import level_images
import plain_files
import png_files
from mounted import lodfs


def pixels(chance, width, height, channels):
    """Returns a binary PNM of smooth blobs and noise."""
    rows = bytearray()
    waves = [(chance.uniform(.02, .2), chance.uniform(.02, .2), chance.randrange(40, 120))
             for _ in range(channels)]
    for y in range(height):
        for x in range(width):
            for a, b, level in waves:
                rows.append(int(level + 60 * ((a * x) % 1) + 50 * ((b * y) % 1)) & 255)
    return b"P%d %d %d 255\n" % (6 if channels == 3 else 5, width, height) + bytes(rows)


def jpeg(chance, *options, width=72, height=48, channels=3):
    return subprocess.run(["cjpeg", *options], input=pixels(chance, width, height, channels),
                          stdout=subprocess.PIPE, check=True).stdout


def write(path, data, mode=0o644):
    path = os.fsencode(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)
    os.chmod(path, mode)


def make_photos(folder, chance):
    """Makes JPEGs of several samplings, gray, progressive, with restarts and trailing bytes, and a
    cut one."""
    kinds = [("-quality", "90", "-sample", "1x1"), ("-quality", "75", "-sample", "2x2"),
             ("-quality", "50", "-sample", "2x1"), ("-progressive",), ("-restart", "1"),
             ("-grayscale",), ("-arithmetic",)]
    for number, options in enumerate(kinds):
        data = jpeg(chance, *options, width=40 + 8 * number)
        write(f"{folder}/photos/{number}.jpg", data)
    write(f"{folder}/photos/behind.jpg", data[:600] + b"cut")
    write(f"{folder}/photos/tail.jpg", jpeg(chance) + b"trailing bytes")


# Options of pack for these sources. Tables get several shards of several batches.
PACKED = ("--tables=tables/*", "--one-hot", "--shard-rows=128", "--batch-rows=50",
           "--levels=levels/*")


def npy(descr, rows, columns, data, fortran=False):
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({rows}, {columns}), }}"
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(text)) + text.encode() + data


def make_tables(folder, chance):
    """Makes tables whose shards are of every kind (TREE, CSR, RAW), from .npy files and texts."""
    phrases = [[chance.choice((0, 0, 1.5, -2.0)) for _ in range(16)] for _ in range(4)]
    tree = b"".join(struct.pack("<16d", *chance.choice(phrases)) for _ in range(300 * 4))
    csr = b"".join(struct.pack(">i", chance.randrange(1, 1 << 30) if chance.random() < .02 else 0)
                   for _ in range(260 * 130))
    write(f"{folder}/tree.npy", npy("<f8", 300, 64, tree))
    write(f"{folder}/csr.npy", npy(">i4", 260, 130, csr))
    write(f"{folder}/raw.npy", npy("<f4", 20, 7, chance.randbytes(20 * 7 * 4)))
    write(f"{folder}/empty.npy", npy("|u1", 0, 3, b""))
    write(f"{folder}/object.npy", npy("|O", 1, 1, b"cos\nsystem\n(S'false'\ntR."))
    write(f"{folder}/text.csv", b"size,kind\n" + b"".join(
        b"%d,%s\n" % (i % 7, chance.choice((b"red", b'"a\nb"', b""))) for i in range(200)))
    write(f"{folder}/sparse.libsvm", b"".join(
        b"%d %d:1 9:0.5 %d:%d\n" % (i % 2, i % 5 + 1, 10 + i % 20, i % 3) for i in range(150)))


def make_source(folder, seed, files):
    """Makes a source. `files` short files in folders of ten fill several blocks of each section."""
    chance = random.Random(seed)
    make_photos(folder, chance)
    for number, (colour, depth) in enumerate(((2, 8), (3, 4), (0, 16), (6, 8))):
        write(f"{folder}/pictures/{number}.png", png_files.make(
            chance, colour, depth, number % 2, 60, 150, 0, 30 if depth == 4 else 0))
    write(f"{folder}/pictures/scaled.ppm", plain_files.make(chance, 70, 90, 3, 99, b"# c\n"))
    write(f"{folder}/pictures/upward.bmp", plain_files.make(chance, 61, 150, 3, header=40,
                                                            upward=True, tail=b"tail"))
    write(f"{folder}/pictures/palette.bmp", plain_files.make(chance, 90, 60, 1, header=40,
                                                             palette="colour"))
    write(f"{folder}/pictures/whole.png", png_files.SIGNATURE + b"cut")
    write(f"{folder}/levels/gray.png", level_images.png(
        level_images.photo(seed, 100, 80, 1), 100, 0, before=level_images.chunk(b"tEXt", b"a\0b")))
    write(f"{folder}/levels/upward.bmp", level_images.bmp(level_images.photo(seed, 96, 64, 3), 96))
    make_tables(f"{folder}/tables", chance)
    write(f"{folder}/large.bin", chance.randbytes(150_001))
    write(f"{folder}/notes.txt", bytes(chance.choices(b"abc \n", k=3_000)))  # one unit
    write(f"{folder}/log.txt", bytes(chance.choices(b"abc \n", k=280_000)))  # of three units
    write(f"{folder}/empty", b"")
    write(f"{folder}/secret", b"only for its owner", 0o600)
    write(os.fsencode(folder) + b"/odd \xff\n\x1b[31m/new\nline \\.bin", b"odd\n")
    for number in range(files):
        write(f"{folder}/f{number // 10}/{number:04}{'n' * (number % 40)}", b"%d" % number * 7)
    write(f"{folder}/copy", b"%d" % 0 * 7)
    os.link(f"{folder}/photos/0.jpg", f"{folder}/hard.jpg")
    os.symlink("photos/0.jpg", f"{folder}/link")
    os.makedirs(f"{folder}/nothing here")
    for number, name in enumerate(("copy", "empty", "large.bin")):
        os.utime(f"{folder}/{name}", ns=(0, (1_600_000_000 + number) * 10**9 + number))


FULL = ("source", "scans")  # the ways in which a store holds its JPEGs


def make_stores(work, files=150, full=FULL[0]):
    """Makes two stores below `work`, similar but with other bytes. Returns their folders."""
    stores = []
    for seed in (1, 2):
        source, store = f"{work}/source{seed}", f"{work}/store{seed}"
        make_source(source, seed, files)
        lodfs("pack", "--scans=default", f"--full={full}", "--record-size=64K", *PACKED,
              f"--seed={seed}", source, store)
        stores.append(store)
    return stores
