# SPDX-License-Identifier: Apache-2.0
"""
Counts the kernel's requests, from the lines that the daemon prints with -d: a warm pass sends none,
a cold one few. Files are opened by open(2). Python's open() also asks each file whether it is a
terminal, and the kernel passes that ioctl to the file system every time.
"""
import collections
import os
import re
import sys

from mounted import Results, Work, need_fuse
from small import Foreground, files_below, make_store, read

OPCODE = re.compile(rb"opcode: ([A-Z_]+) ")


def count(log):
    return collections.Counter(word.decode() for word in OPCODE.findall(read(log)))


def read_plainly(path):
    file = os.open(path, os.O_RDONLY)
    while os.read(file, 1 << 17):
        pass
    os.close(file)


def one_pass(point):
    """Does what loaders do: lists, stats, opens, reads, follows links, looks up missing names."""
    for tree in ("q2", "full"):
        for name in files_below(f"{point}/{tree}"):
            path = os.path.join(os.fsencode(f"{point}/{tree}"), name)
            os.stat(path)
            read_plainly(path)
        read_plainly(f"{point}/{tree}/odd/link")
        for name in ("none", "labels/none"):
            if os.path.exists(f"{point}/{tree}/{name}"):
                yield f"{name} exists"
        if list(os.scandir(f"{point}/{tree}/odd/nothing here")):
            yield "an empty folder lists names"


def warm(point, log):
    before = count(log)
    yield from one_pass(point)
    sent = count(log) - before
    if sent:
        yield f"a warm pass sent {dict(sent)}"


def cold(point, log):
    before = count(log)
    yield from one_pass(point)
    sent = count(log) - before
    files = sum(1 for tree in ("q2", "full") for _ in files_below(f"{point}/{tree}"))
    if sent["READ"] == 0 or sent["READDIRPLUS"] == 0:
        yield f"no requests are counted: {dict(sent)}"
    if sent["OPEN"] + sent["OPENDIR"] > 2 or sent["RELEASE"] or sent["FLUSH"] > 1:
        yield f"files are opened one by one: {dict(sent)}"
    if sent["GETATTR"] > 2:
        yield f"attributes are asked for one by one: {dict(sent)}"
    # The lookups of q2, full and the missing names; all others are answered by the listings.
    if sent["LOOKUP"] > 2 + 4 + 2:
        yield f"entries are looked up one by one ({files} files): {dict(sent)}"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        _, store, point = make_store(work)
        log = f"{work}/log"
        with Foreground(store, point, log, "-d"):
            results.add("a cold pass sends few requests", cold(point, log))
            results.add("a warm pass sends no request", warm(point, log))
            results.add("the next warm pass sends no request", warm(point, log))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
