# SPDX-License-Identifier: Apache-2.0
"""Damaged stores behind a mount. A flipped bit in a record gives EIO and one log line; all other
files are served. A flipped bit in the index is logged once, with its block. Records that are cut
are logged once each, not at every read."""
import errno
import os
import shutil
import struct
import sys

from mounted import Results, Work, lodfs, need_fuse
from small import Foreground, TREES, files_below, flip, make_store, read


def all_files(point):
    return [os.path.join(os.fsencode(tree), name) for tree in TREES
            for name in files_below(f"{point}/{tree}")]


def outcome(path):
    """The bytes of a file, or the errno of reading it."""
    try:
        return read(path)
    except OSError as error:
        return error.errno


def contents(point):
    return {name: outcome(os.path.join(os.fsencode(point), name)) for name in all_files(point)}


def compare(good, bad, path):
    """Only the file `path` may fail, and only with EIO. It fails from one fidelity up, or from
    there to the last fidelity that does not show the source's own bytes."""
    failed = sorted(name for name in good if bad[name] != good[name])
    if not failed:
        yield "no read failed: the damage was not noticed"
    for name in failed:
        if bad[name] != errno.EIO:
            yield f"{name}: wrong bytes, or not EIO but errno {bad[name]}"
        if name.split(b"/", 1)[1] != path:
            yield f"{name} failed, the damage is in {path}"
    levels = sorted(TREES.index(os.fsdecode(name.split(b"/")[0])) for name in failed)
    first = levels[0] if levels else 0
    source = next((level for level, tree in enumerate(TREES) if level > first and
                   good[os.fsencode(tree) + b"/" + path] == good[b"original/" + path]), len(TREES))
    if levels not in (list(range(first, len(TREES))), list(range(first, source))):
        yield f"the wrong fidelities failed: {[TREES[level] for level in levels]}"


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
        yield "the second pass has other results than the first"
    lines = [line for line in read(log).split(b"\n") if b"error" in line]
    if not lines:
        yield "the damage is not logged"
    for word in (b"record", os.fsencode(record), b"item", b"group", b"offset", path):
        if lines and word not in lines[0]:
            yield f"the log line does not contain {word}: {lines[0]}"
    if len(lines) > 3:
        yield f"{len(lines)} log lines for one damaged frame"


def node_block(store):
    """Offset of the first block of section NODE."""
    head = read(f"{store}/index")[:4096]
    for at in range(96, 96 + 32 * struct.unpack_from("<I", head, 60)[0], 32):
        section, _, first = struct.unpack_from("<IIQ", head, at)
        if section == 1:
            return first * 4096
    raise ValueError("no section NODE")


def errors_of(log):
    return [line for line in read(log).split(b"\n") if b"error" in line]


def root(store, point):
    """A store whose root folder is damaged is not mounted, and the message says what to do."""
    copy, at = f"{store} cut", node_block(store)
    shutil.copytree(store, copy)
    flip(f"{copy}/index", at + 100)
    for words in ((), ("-f",)):
        done = lodfs("mount", *words, copy, point, check=False)
        if done.returncode != 1 or done.stderr.count(b"\n") != 1:
            yield f"mount {words}: exit {done.returncode}, {done.stderr!r}"
        block = b"block %d at offset %d" % (at // 4096, at)
        for word in (os.fsencode(copy), block, b"lodfs repair"):
            if word not in done.stderr:
                yield f"mount {words} does not name {word}: {done.stderr!r}"
        lodfs("umount", point, check=False)
    lodfs("repair", copy)
    lodfs("mount", copy, point)
    lodfs("umount", point)
    shutil.rmtree(copy)


def index(work, point):
    """Damage in another block of the index: the files in that block fail, and it is logged once."""
    source, store, log = (f"{work}/{name}" for name in ("many", "many.lodfs", "log"))
    os.mkdir(source)
    for i in range(400):
        with open(f"{source}/{i:03}", "wb") as out:
            out.write(b"%d" % i)
    lodfs("pack", "-q", source, store)
    at = node_block(store) + 4096
    flip(f"{store}/index", at + 100)
    with Foreground(store, point, log):
        failed = {outcome(f"{point}/full/{i:03}") for _ in range(3) for i in range(140, 250)}
        served = outcome(f"{point}/full/003")
    lines = errors_of(log)
    if served != b"3" or failed != {errno.EIO}:
        yield f"a file outside the block gives {served}, files inside give {failed}"
    if len(lines) != 1:
        yield f"{len(lines)} log lines for one damaged block: {lines[:5]}"
    for word in (os.fsencode(store), b"block %d at offset %d" % (at // 4096, at), b"lodfs repair"):
        if not lines or word not in lines[0]:
            yield f"the log line does not contain {word}: {lines[:1]}"


def cut(store, point, log):
    """Records that are cut under a live mount give one line for each record and kind of error."""
    copy = f"{store}.cut"
    shutil.copytree(store, copy)
    with Foreground(copy, point, log, "-o", "cache=none,cache_size=0"):
        contents(point)
        for record in os.listdir(f"{copy}/records"):
            os.truncate(f"{copy}/records/{record}", 5000)
        failed = sum(list(contents(point).values()).count(errno.EIO) for _ in range(10))
    lines, records = errors_of(log), len(os.listdir(f"{copy}/records"))
    if failed < 20 or not lines:
        yield f"{failed} reads failed and were logged in {len(lines)} lines"
    if len(lines) > 3 * records:
        yield f"{len(lines)} lines for {failed} reads of {records} records: {lines[:3]}"
    if not any(b"more lines were left out" in line for line in lines):
        yield "no line says how many lines were left out"
    shutil.rmtree(copy)


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
                for part in (.1, .5, .9, 1):
                    at = min(int(size * part), size - 1)
                    results.add(f"{record} at {part}", check(store, point, log, record, at, good))
        results.add("a store with a damaged root folder is refused", root(store, point))
        results.add("a damaged block of the index costs its own files", index(work, point))
        results.add("records cut under the mount are logged once each", cut(store, point, log))
        with Foreground(store, point, log):
            results.add("with the damage undone, all is served",
                        [] if contents(point) == good else ["a file differs or fails"])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
