# SPDX-License-Identifier: Apache-2.0
"""toc_shards.py PIPE: compares toc_spec.py with the codec on shards of random tables.

Shards are tested as written, and malformed with correct hashes. Both decoders must return the same
rows or both must refuse. The shard printed in FORMAT.md is tested too.
"""
import random
import struct
import subprocess
import sys

import xxhash

from toc_spec import Malformed, Shard

DTYPES = [0, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 21, 22, 23, 25, 26, 27, 29, 30, 31]
TABLES, CHANGES = 120, 25
VECTOR = [(174, "8443408bfd65d0e3"), (183, "be69719b4e5f5bdb"), (185, "66f10f5a04f13e0d")]


class Pipe:
    def __init__(self, program):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, request):
        """Sends a request; returns the answer, or a negative errno."""
        self.process.stdin.write(struct.pack("<I", len(request)) + request)
        self.process.stdin.flush()
        error, size = struct.unpack("<iI", self.process.stdout.read(8))
        data = self.process.stdout.read(size)
        return error or data

    def encode(self, dtype, choice, rows, columns, batch_rows, data):
        return self.ask(struct.pack("<BBHIII", dtype, choice, 0, rows, columns, batch_rows) + data)

    def decode(self, shard):
        return self.ask(b"\xff" + shard)


def spec_decode(shard):
    try:
        return Shard(shard).decode()
    except Malformed:
        return None


def table(chance, size, rows, columns):
    few = [chance.randbytes(size) for _ in range(3)] + [b"\1" + bytes(size - 1)]
    look = chance.choice(["noise", "few", "sparse", "again"])
    old = [b"".join(chance.choice(few) if chance.random() < .5 else bytes(size)
                    for _ in range(columns)) for _ in range(3)]
    out = []
    for _ in range(rows):
        if look == "again":
            out.append(chance.choice(old))
        else:
            out += [chance.randbytes(size) if look == "noise" else
                    chance.choice(few) if look == "few" or chance.random() < .1 else bytes(size)
                    for _ in range(columns)]
    return b"".join(out)


def sealed(data):
    data[112:120] = struct.pack("<Q", xxhash.xxh3_64_intdigest(bytes(data[128:])))
    data[120:128] = struct.pack("<Q", xxhash.xxh3_64_intdigest(bytes(data[:120])))
    return bytes(data)


def small(shard):
    """Returns whether the slow decoder can finish in reasonable time."""
    rows, columns = struct.unpack("<II", shard[16:24])
    return rows * columns < 20_000 and max(struct.unpack("<III", shard[24:36])) < 20_000


def changed(chance, shard):
    data = bytearray(shard)
    for _ in range(chance.randrange(1, 4)):
        at = chance.choice([chance.randrange(12, 80), chance.randrange(12, len(data))])
        data[at] = chance.choice([data[at] ^ 1 << chance.randrange(8), 0, 255, data[at] + 1 & 255])
    return sealed(data)


def vector(pipe):
    rows = [1.1, 2, 3, 1.4, 1.1, 2, 3, 0, 0, 1.1, 3, 1.4, 1.1, 2, 0, 0]
    for kind, (size, digest) in enumerate(VECTOR):
        shard = pipe.encode(15, kind, 4, 4, 4, struct.pack("<16d", *rows))
        assert (len(shard), xxhash.xxh3_64_hexdigest(shard)) == (size, digest), kind
        assert Shard(shard).decode() == struct.pack("<16d", *rows)


def main():
    pipe, chance = Pipe(sys.argv[1]), random.Random(1)
    same = refused = 0
    vector(pipe)
    for number in range(TABLES):
        dtype = chance.choice(DTYPES)
        rows, columns = chance.choice([(0, 3), (3, 0)] + 30 * [(chance.randrange(1, 40),
                                                                chance.randrange(1, 30))])
        data = table(chance, 1 << (dtype & 3), rows, columns)
        shard = pipe.encode(dtype, number % 4, rows, columns, chance.randrange(1, 20), data)
        assert Shard(shard).decode() == data == pipe.decode(shard)
        for _ in range(CHANGES):
            other = changed(chance, shard)
            if small(other):
                spec, ours = spec_decode(other), pipe.decode(other)
                assert spec == ours or (spec is None and ours == -84), (number, spec, ours)
                same, refused = same + (spec is not None), refused + (spec is None)
    print(f"{TABLES} tables; changed shards: {same} read alike, {refused} refused by both")
    assert same > 100 and refused > 100


if __name__ == "__main__":
    main()
