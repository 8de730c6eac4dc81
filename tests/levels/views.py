# SPDX-License-Identifier: Apache-2.0
"""
A mount of a store with levels, in every view, beside one of the same source without them. Masks
and all else that the pattern should not have matched are exact at q1; so is everything at q10.
"""
import hashlib
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", folder) for folder in ("model", "mount", "spec")]
import framed
import plain_files
import png_files
import recordio_files
import tar_files
import tfrecord_files
from level_images import make
from mounted import Mount, Results, Work, lodfs, need_fuse
from plain_images import pixels_of
from small import flip, read

EXACT = ("q10", "full", "original", "decoded/q10", "decoded/full", "native/q1", "native/full")
BELOW = [f"q{k}" for k in range(1, 10)]


def sums(folder):
    """Returns {path: SHA-256} of all files below a folder; of those that fail: the error."""
    found = {}
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            try:
                found[os.path.relpath(path, folder)] = hashlib.sha256(read(path)).hexdigest()
            except OSError as error:
                found[os.path.relpath(path, folder)] = error.errno
    return found


def same(one, other, folders):
    for folder in folders:
        left, right = sums(f"{one}/{folder}"), sums(f"{other}/{folder}")
        if left != right or not left:
            yield f"{folder}: {[p for p in left if left[p] != right.get(p)][:5]}, {len(left)} files"


def lower(point, named, exact):
    """Levels have the size of full and other pixels, better ones at higher fidelities."""
    for path in named:
        full, last = read(f"{point}/full/{path}"), None
        for folder in reversed(BELOW):
            data = read(f"{point}/{folder}/{path}")
            if os.stat(f"{point}/{folder}/{path}").st_size != len(data) or len(data) != len(full):
                yield f"{folder}/{path}: {len(data)} bytes, not {len(full)}"
            error = distance(data, full)
            if not 0 < error < 1500 or last is not None and error < last * .8:
                yield f"{folder}/{path}: its error is {error:.1f}, that of the level above {last}"
            last = error if last is None else max(last, error)
    for path in exact:
        for folder in BELOW:
            if read(f"{point}/{folder}/{path}") != read(f"{point}/full/{path}"):
                yield f"{folder}/{path} is not exact"


def samples(data):
    """Returns the samples of a file as decoded/ has them."""
    if data[:8] == png_files.SIGNATURE:
        header, _, rows = png_files.look(data)
        assert header[2] == 8
        return b"".join(rows)
    return plain_files.look(data)[3]


def distance(one, other):
    """Returns the mean square of the difference of every 7th sample."""
    pairs = list(zip(samples(one)[::7], samples(other)[::7]))
    return sum((a - b) ** 2 for a, b in pairs) / len(pairs)


def decoded(point, named):
    """decoded/ has the pixels of the tree."""
    for path in named:
        stem = path.rpartition(".")[0]
        for folder in ("q1", "q5", "q9"):
            base = f"{point}/decoded/{folder}"
            names = [name + ending for ending in (".ppm", ".pgm")
                     for name in (path, *([stem] if unique(base, path) else []))]
            shown = next(f"{base}/{name}" for name in names if os.path.exists(f"{base}/{name}"))
            if pixels_of(read(shown))[3] != samples(read(f"{point}/{folder}/{path}")):
                yield f"{shown}: other pixels than {folder}/{path}"


def unique(base, path):
    """Returns whether exactly one picture of the folder has this stem."""
    folder, stem = os.path.dirname(f"{base}/{path}"), os.path.basename(path).partition(".")[0]
    return sum(name.partition(".")[0] == stem for name in os.listdir(folder)) == 1


def ranges(point, named):
    """Reads pieces of a level in any order, and compares them with the whole file."""
    kept = {f"{point}/{folder}/{path}": read(f"{point}/{folder}/{path}")
            for folder in ("q1", "q4") for path in named[:6]}
    yield from framed.pieces(kept, 600)


def framings(results, store, point):
    """tar, tfrecord and recordio have what is made of the trees by FORMAT.md."""
    for module in (tar_files, tfrecord_files, recordio_files):
        kept = {}
        with Mount(store, point):
            expected = module.Expected(store, point)
            results.add(f"{module.__name__}: files", module.whole(expected, kept))
            if module is recordio_files:
                results.add("recordio: reader", module.reader(point, expected))
        with Mount(store, point, "-o", "cache_size=8M"):
            results.add(f"{module.__name__}: pieces", framed.pieces(kept, 600))


def group_at(record, slot, group):
    """Returns the offset of a segment in the file of a record."""
    before = sum(len(segments[g]) for g in range(group - 1) for segments in record.segments)
    return 4096 + record.metadata_bytes + before + sum(
        len(segments[group - 1]) for segments in record.segments[:slot])


def damage(store, point, named):
    """A flipped bit of level k costs q_k .. q9 of one file; one of the stream q10 and above. verify
    names the same."""
    expected = framed.opened(store)
    record = next(r for r in expected.records
                  if r.codec == 2 and any(any(s[:7]) for s in r.segments))
    slot = next(i for i, s in enumerate(record.segments) if all(s[:7]))
    path = os.fsdecode(record.entries[slot][0])
    assert path in named
    around = len(record.segments[slot][8])
    for group in (1, 3, 7, 8):
        at = group_at(record, slot, group) + (around + 300 if group == 1 else 40)
        flip(f"{store}/records/{record.name}", at)
        told = lodfs("verify", "--json", store, check=False)
        with Mount(store, point):
            failed = [f for f in [*BELOW, "q10", "full"] if fails(f"{point}/{f}/{path}")]
            others = [p for p in named if p != path and fails(f"{point}/{failed[0]}/{p}")]
        flip(f"{store}/records/{record.name}", at)
        wanted = BELOW[group - 1:] if group < 8 else ["q10", "full"]
        if failed != wanted or others:
            yield f"group {group}: {failed} fail, not {wanted}; others: {others}"
        findings = json.loads(told.stdout)["findings"]
        costs = {f for finding in findings for f in finding["fidelities"]} - {"original"}
        if told.returncode == 0 or costs != set(wanted):
            yield f"group {group}: verify names {sorted(costs)}"


def fails(path):
    try:
        read(path)
    except OSError:
        return True
    return False


def kept(work, source, store):
    """verify, repair, one thread, unpack."""
    if lodfs("verify", store, check=False).returncode:
        yield "verify finds damage in a sound store"
    index = read(f"{store}/index")
    os.unlink(f"{store}/index")
    if lodfs("repair", store, check=False).returncode or read(f"{store}/index") != index:
        yield "repair makes another index"
    lodfs("pack", "-q", "-j1", "--levels=*", source, f"{work}/other")
    if subprocess.run(["diff", "-r", store, f"{work}/other"], check=False).returncode:
        yield "one thread packs other bytes"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, plain, point, beside = (
            f"{work}/{name}" for name in ("source", "store", "plain", "mount", "beside"))
        named, exact = make(source)
        lodfs("pack", "-q", "--levels=*", source, store)
        lodfs("pack", "-q", source, plain)
        with Mount(store, point), Mount(plain, beside):
            results.add("what is exact has the bytes of a store without levels",
                        same(point, beside, EXACT))
            results.add("levels have lower fidelities; masks have none", lower(point, named, exact))
            results.add("decoded/ has the pixels of the tree", decoded(point, named))
        with Mount(store, point, "-o", "cache=none"):
            results.add("ranges of levels", ranges(point, named))
        framings(results, store, point)
        results.add("verify, repair and -j1", kept(work, source, store))
        results.add("damage costs the fidelities of its group", damage(store, point, named))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
