#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tables of every kind below a folder, without NumPy: .npy, .csv and .libsvm."""
import array
import os
import random
import struct
import sys


def npy(path, descr, shape, data, fortran=False):
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data)


def sparse(rng, count, values, zeros=9):
    """Returns `count` numbers, most of them 0."""
    return [rng.choice(values) if rng.randrange(zeros + 1) == 0 else 0 for _ in range(count)]


def doubles(rng, rows, columns):
    nan = struct.unpack("<d", b"\x01\x02\x03\x04\x05\x06\xf4\x7f")[0]
    numbers = sparse(rng, rows * columns, [1.0, 2.5, -0.0, float("inf"), nan])
    return array.array("d", numbers).tobytes()


def main(folder):
    rng = random.Random(5)
    os.makedirs(f"{folder}/sub")
    table = doubles(rng, 6000, 30)
    npy(f"{folder}/plain.npy", "<f8", (6000, 30), table)
    npy(f"{folder}/sub/equal.npy", "<f8", (6000, 30), table)
    npy(f"{folder}/big-endian.npy", ">i4", (9000, 40),
        b"".join(struct.pack(">i", n) for n in sparse(rng, 360000, [1, -7, 1 << 30])))
    npy(f"{folder}/random.npy", "|u1", (2000, 600), rng.randbytes(1200000))
    npy(f"{folder}/fortran.npy", "<f8", (6000, 30), table, True)
    npy(f"{folder}/complex.npy", "<c16", (3000, 30), table)
    npy(f"{folder}/vector.npy", "<f8", "(180000,)", table)
    npy(f"{folder}/object.npy", "|O", (1, 2), b"cos\nsystem\n(S'false'\ntR." * 50000)
    npy(f"{folder}/small.npy", "<f8", (30, 30), table[:7200])
    npy(f"{folder}/empty.npy", "<f8", (0, 30), b"")
    with open(f"{folder}/text.csv", "w", encoding="utf-8") as file:
        file.write('size,"kind, of",weight\r\n')
        for i in range(7000):
            kind = ["red", '"gr""een"', '"a\nb"', ""][i % 4]
            file.write(f"{i % 7},{kind},{'NA' if i % 11 == 0 else i / 8}\r\n")
    with open(f"{folder}/sub/sparse.libsvm", "w", encoding="utf-8") as file:
        for i in range(5500):
            file.write(f"{i % 2} {i % 5 + 1}:1 9:0.5 {10 + i % 90}:{i % 3} # row {i}\n")


main(sys.argv[1])
