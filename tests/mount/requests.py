# SPDX-License-Identifier: Apache-2.0
"""
Counts the kernel's requests (the daemon's -d lines): a warm pass sends none, a cold one few. Files
are opened by open(2): Python's own open() asks each file whether it is a terminal, and no file
system can keep the kernel from passing that ioctl on.
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
    """What a loader does, and more: lists, stats, opens, reads, follows links, asks in vain."""
    for tree in ("q2", "full"):
        for name in files_below(f"{point}/{tree}"):
            path = os.path.join(os.fsencode(f"{point}/{tree}"), name)
            os.stat(path)
            read_plainly(path)
        read_plainly(f"{point}/{tree}/odd/link")
        for name in ("none", "labels/none"):
            if os.path.exists(f"{point}/{tree}/{name}"):
                yield f"{name} is there"
        if list(os.scandir(f"{point}/{tree}/odd/nothing here")):
            yield "an empty folder is not empty"


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
        yield f"the log counts nothing: {dict(sent)}"
    if sent["OPEN"] + sent["OPENDIR"] > 2 or sent["RELEASE"] or sent["FLUSH"] > 1:
        yield f"files are opened one by one: {dict(sent)}"
    if sent["GETATTR"] > 2:
        yield f"attributes are asked for one by one: {dict(sent)}"
    # q2, full and the names in vain: the rest comes with the listings.
    if sent["LOOKUP"] > 2 + 4 + 2:
        yield f"entries are looked up one by one ({files} files): {dict(sent)}"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        _, store, point = make_store(work)
        log = f"{work}/log"
        with Foreground(store, point, log, "-d"):
            results.add("a cold pass", cold(point, log))
            results.add("a warm pass sends no request", warm(point, log))
            results.add("nor does the next", warm(point, log))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
