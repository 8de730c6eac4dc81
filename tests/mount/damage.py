# SPDX-License-Identifier: Apache-2.0
"""One flipped bit in a record: EIO and one log line for what needs it, the rest is served."""
import errno
import os
import sys

from mounted import Results, Work, need_fuse
from small import Foreground, TREES, files_below, make_store, read


def all_files(point):
    return [os.path.join(os.fsencode(tree), name) for tree in TREES
            for name in files_below(f"{point}/{tree}")]


def contents(point):
    """path -> bytes, or the errno of reading it."""
    found = {}
    for name in all_files(point):
        try:
            found[name] = read(os.path.join(os.fsencode(point), name))
        except OSError as error:
            found[name] = error.errno
    return found


def flip(path, at):
    with open(path, "r+b") as record:
        record.seek(at)
        byte = record.read(1)[0]
        record.seek(at)
        record.write(bytes([byte ^ 0x10]))


def compare(good, bad, path):
    """Only files named like `path`, from some fidelity upward, may fail; and with EIO."""
    failed = sorted(name for name in good if bad[name] != good[name])
    if not failed:
        yield "nothing failed: the damage was not seen"
    for name in failed:
        if bad[name] != errno.EIO:
            yield f"{name}: wrong bytes or errno {bad[name]}"
        if name.split(b"/", 1)[1] != path:
            yield f"{name} failed, the damage is in {path}"
    levels = sorted(TREES.index(os.fsdecode(name.split(b"/")[0])) for name in failed)
    if levels != list(range(levels[0] if levels else 0, len(TREES))):
        yield f"failed at {[TREES[level] for level in levels]}"


def damaged_path(good, bad):
    for name in sorted(good):
        if bad[name] != good[name]:
            return name.split(b"/", 1)[1]
    return b""


def check(store, point, log, record, at, good):
    flip(f"{store}/records/{record}", at)
    try:
        with Foreground(store, point, log):
            bad = contents(point)
            again = contents(point)
    finally:
        flip(f"{store}/records/{record}", at)
    path = damaged_path(good, bad)
    yield from compare(good, bad, path)
    if again != bad:
        yield "the second pass gives something else"
    lines = [line for line in read(log).split(b"\n") if b"error" in line]
    if not lines:
        yield "no log line"
    for word in (b"record", os.fsencode(record), b"item", b"group", b"offset", path):
        if lines and word not in lines[0]:
            yield f"the line does not name {word}: {lines[0]}"
    if len(lines) > 3:
        yield f"{len(lines)} lines for one damaged frame"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        _, store, point = make_store(work)
        log = f"{work}/log"
        with Foreground(store, point, log):
            good = contents(point)
        for record in sorted(os.listdir(f"{store}/records")):
            size = os.stat(f"{store}/records/{record}").st_size
            if not record.endswith(".tree"):  # no file is made from that one
                for part in (.5, .9, 1):
                    at = min(int(size * part), size - 1)
                    results.add(f"{record} at {part}", check(store, point, log, record, at, good))
        with Foreground(store, point, log):
            results.add("undone, all is served", [] if contents(point) == good else ["it is not"])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
