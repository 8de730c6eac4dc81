# SPDX-License-Identifier: Apache-2.0
"""PGM, PPM and BMP files are stored as patches, and have the source's bytes at every fidelity."""
import ast
import hashlib
import json
import os
import random
import struct
import subprocess
import sys

import plain_files
from mounted import Mount, Results, Work, lodfs, need_fuse
from small import TREES, flip, read, same, write

SIDES = [(70, 90), (131, 128), (301, 259)]
TALL = dict(channels=3, header=40, upward=True)


def make_source(folder):
    """Writes the files. Returns {name: "exact" if it becomes patches, "whole" if it does not}."""
    rng, kinds = random.Random(11), {}
    for width, height in SIDES:
        for number, (ending, kind) in enumerate(plain_files.KINDS):
            more = {"tail": b"behind"} if number % 4 == 1 else {}
            if "header" in kind and number % 3 == 0:
                more["gap"] = b"between"
            name = f"{number}-{width}x{height}{ending}"
            write(f"{folder}/{name}", plain_files.make(rng, width, height, **kind, **more))
            kinds[name] = "exact"
    write(f"{folder}/tall.bmp", plain_files.make(rng, 400, 1999, **TALL))
    kinds["tall.bmp"] = "exact"
    for name, data, kind in plain_files.strange(rng):
        write(f"{folder}/{name}", data)
        kinds[name] = kind
    return kinds


def stored(text, kinds):
    """pack -v names each file that it stores whole, and no other."""
    named = {line.split(": ")[0].strip() for line in text.splitlines() if line.startswith("  ")}
    for name, kind in kinds.items():
        if (name in named) != (kind == "whole"):
            yield f"{name} is {kind}, and pack {'names' if name in named else 'does not name'} it"


def trees(source, point, kinds):
    rng = random.Random(4)
    for name in kinds:
        data = read(f"{source}/{name}")
        for tree in TREES:
            path = f"{point}/{tree}/{name}"
            if os.stat(path).st_size != len(data):
                yield f"{path}: st_size is {os.stat(path).st_size}, not {len(data)}"
            with open(path, "rb") as file:
                for _ in range(3):
                    at, count = rng.randrange(len(data) + 1), rng.choice([1, 700, 90_000])
                    if os.pread(file.fileno(), count, at) != data[at:at + count]:
                        yield f"{path}: {count} bytes at {at} differ"
            if hashlib.sha256(read(path)).digest() != hashlib.sha256(data).digest():
                yield f"{path}: the bytes differ from the source"


def pixels_of(data):
    """Returns (width, height, channels, bytes) of a file of decoded/."""
    if data[:6] != b"\x93NUMPY":
        kind, sides, top, rest = data.split(b"\n", 3)
        assert top == b"255"
        return *map(int, sides.split()), {b"P5": 1, b"P6": 3}[kind], rest
    bytes_ = struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:10 + bytes_].decode())
    height, width, channels = head["shape"]
    assert head["descr"] == ("|u1" if channels == 4 else "<u2")
    return width, height, channels, data[10 + bytes_:]


def decoded(source, point, kinds):
    for name, kind in kinds.items():
        data, folder = read(f"{source}/{name}"), f"{point}/decoded/q7"
        if kind != "exact":
            if read(f"{folder}/{name}") != data:
                yield f"{name} is stored whole, but decoded/ shows other bytes"
            continue
        wanted = plain_files.look(data)
        ending = ".npy" if len(wanted[3]) > wanted[0] * wanted[1] * wanted[2] else \
            {1: ".pgm", 3: ".ppm", 4: ".npy"}[wanted[2]]
        path = f"{folder}/{name.rpartition('.')[0]}{ending}"
        if not os.path.exists(path):
            yield f"{path} does not exist"
        elif pixels_of(read(path)) != wanted:
            yield f"{path}: the pixels differ"
        elif os.stat(path).st_size != len(read(path)):
            yield f"{path}: st_size is not the number of bytes read"


def native(point, kinds):
    for name, kind in kinds.items():
        path = f"{point}/native/full/{name}.l3"
        if os.path.exists(path) != (kind == "exact"):
            yield f"{name} is {kind}, but native/ has {'a' if kind != 'exact' else 'no'} .l3 file"
        elif kind == "exact":
            row = read(path)[8:72]
            if row[0] or row[40] != (2 if name.endswith(".bmp") else 1):
                yield f"{name}: flags {row[0]}, container {row[40]}"


def units(store, point):
    """A read of 1000 bytes decodes one band, or two at a border."""
    with Mount(store, point):
        made = 0
        with open(f"{point}/full/tall.bmp", "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
            for at in (2_000_000, 60, 1_000_000):
                os.pread(file.fileno(), 1000, at)
                now = json.loads(read(f"{point}/.lodfs/stats"))["made"]["units"]
                if not 1 <= now - made <= 2:
                    yield f"a read of 1000 bytes at {at} decodes {now - made} bands"
                made = now


def kept(work, source, store, kinds):
    """verify finds no damage, repair restores the index, and unpack restores the files. One thread,
    and --original=all, write the same records."""
    if lodfs("verify", store, check=False).returncode:
        yield "verify finds damage in a sound store"
    index = read(f"{store}/index")
    os.unlink(f"{store}/index")
    if lodfs("repair", store, check=False).returncode or read(f"{store}/index") != index:
        yield "repair makes a different index"
    lodfs("unpack", store, f"{work}/again")
    yield from (f"unpack: {name} differs" for name in kinds
                if read(f"{work}/again/{name}") != read(f"{source}/{name}"))
    info = json.loads(lodfs("info", "--json", store).stdout)
    if info["no_original"]:
        yield f"{info['no_original']} files have no original"
    for extra in (["-j1"], ["--original=all"]):
        lodfs("pack", "-q", *extra, source, f"{work}/other")
        for name in os.listdir(f"{store}/records"):
            if name.endswith(".l3") and read(f"{store}/records/{name}") != \
                    read(f"{work}/other/records/{name}"):
                yield f"{extra}: {name} differs"
        subprocess.run(["rm", "-r", f"{work}/other"], check=True)


def damage(store, point, source, kinds):
    """A flipped bit in patches makes one image fail, and verify names that image."""
    record = next(f"{store}/records/{name}" for name in sorted(os.listdir(f"{store}/records"))
                  if name.endswith(".l3"))
    at = os.stat(record).st_size // 2
    flip(record, at)
    found = lodfs("verify", store, check=False)
    with Mount(store, point):
        failed = [name for name in kinds
                  if not same(f"{point}/full/{name}", read(f"{source}/{name}"))]
    flip(record, at)
    if len(failed) != 1 or found.returncode == 0 or failed[0].encode() not in found.stdout:
        yield f"{failed} failed; verify: {found.stdout.decode()}"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = (f"{work}/{name}" for name in ("source", "store", "mount"))
        os.mkdir(source)
        kinds = make_source(source)
        text = lodfs("pack", "-v", source, store).stdout.decode()
        results.add("pack names the files that it stores whole", stored(text, kinds))
        with Mount(store, point):
            results.add("every fidelity has the source's bytes", trees(source, point, kinds))
            results.add("decoded/ has the pixels", decoded(source, point, kinds))
            results.add("native/ has a .l3 file for each image in patches", native(point, kinds))
        results.add("a read decodes only the bands it needs", units(store, point))
        results.add("verify, repair, unpack and another pack agree",
                    kept(work, source, store, kinds))
        results.add("damage costs one image, and verify names it",
                    damage(store, point, source, kinds))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
