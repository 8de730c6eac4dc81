# SPDX-License-Identifier: Apache-2.0
"""Tables in a mount: names, bytes and ranges in every tree. Damage in a shard makes only the files
fail that need it."""
import errno
import os
import random
import re
import subprocess
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse
from small import files_below, flip, read

HERE = os.path.dirname(os.path.abspath(__file__))
BESIDE = ("plain.toc", "sub/equal.toc", "text.toc", "sub/sparse.toc", "fortran.toc")


def compare(source, point, tree):
    for name in files_below(source):
        path = os.path.join(os.fsencode(f"{point}/{tree}"), name)
        if read(path) != read(os.path.join(os.fsencode(source), name)):
            yield f"{os.fsdecode(name)} differs"
    for folder in BESIDE:
        if os.path.exists(f"{point}/{tree}/{folder}") != (tree != "original"):
            yield f"{folder} {'does not exist' if tree != 'original' else 'exists'}"


def ranges(source, point):
    chance = random.Random(2)
    for name in ("plain.npy", "big-endian.npy", "random.npy"):
        data = read(f"{source}/{name}")
        made = os.open(f"{point}/q3/{name}", os.O_RDONLY)
        for _ in range(60):
            at, count = chance.randrange(len(data)), chance.randrange(1, 200000)
            if os.pread(made, count, at) != data[at:at + count]:
                yield f"{name}: {count} bytes at {at} differ"
        os.close(made)


def lost_of(source, point, wrong):
    """Returns the names that cannot be read. Adds names that have other bytes to `wrong`."""
    lost = set()
    for name in map(os.fsdecode, files_below(f"{point}/full")):
        try:
            data = read(f"{point}/full/{name}")
            if os.path.exists(f"{source}/{name}") and data != read(f"{source}/{name}"):
                wrong.append(f"{name}: the bytes differ from the source")
        except OSError as error:
            if error.errno != errno.EIO:
                wrong.append(f"{name}: {error}")
            lost.add(name)
    return lost


def damaged(source, store, point, record):
    """After a flipped bit in a record of shards, verify names exactly the files that fail."""
    path, wrong = f"{store}/records/{record}", []
    at = os.path.getsize(path) - 1
    flip(path, at)
    out = lodfs("verify", store, check=False).stdout.decode()
    named = set(re.findall("'([^']+)'$", out.replace("'store'", ""), re.M))
    with Mount(store, point):
        lost = lost_of(source, point, wrong)
    flip(path, at)
    if not lost or lost != named:
        wrong.append(f"verify names {named}, but {lost} cannot be read")
    return wrong


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = f"{work}/source", f"{work}/store", f"{work}/mount"
        subprocess.run([f"{HERE}/../cli/make_tables.py", source], check=True)
        lodfs("pack", "-q", "--scans=default", "--record-size=64K", "--tables=*", "--one-hot",
              source, store)
        with Mount(store, point):
            for tree in ("q1", "full", "original"):
                results.add(f"{tree}/ has the source's bytes", compare(source, point, tree))
            results.add("ranges of tables are right", ranges(source, point))
        for record in sorted(os.listdir(f"{store}/records")):
            if record.endswith(".toc"):
                results.add(f"{record} damaged: verify names the files that fail",
                            damaged(source, store, point, record))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
