# SPDX-License-Identifier: Apache-2.0
"""
tar/: every file equals one that is written from FORMAT.md and the trees alone, whole and in pieces.
tarfile, GNU tar and, where it is installed, webdataset find each sample with its bytes and label.
"""
import json
import os
import subprocess
import sys
import tarfile

from framed import SHOWN, Expected, flip, packed, pieces, run, same, samples_spec, store_spec
from mounted import Mount, lodfs
from small import read


def whole(expected, kept):
    for fidelity in SHOWN:
        folder = os.path.join(expected.point, b"tar", os.fsencode(fidelity))
        if sorted(os.listdir(folder)) != sorted([*expected.shards, *expected.classes]):
            yield f"{fidelity}: {os.listdir(folder)}"
            continue
        for name in expected.shards:
            yield from same(os.path.join(folder, name), expected.tar(name, fidelity), kept)


def runs(point, expected):
    """Neighbours are read together. Alone, each sample takes a request for each of its four groups;
    together, fewer than one, but on a busy machine some more."""
    samples = 0
    for name in sorted(expected.shards):
        read(f"{point}/tar/q4/{os.fsdecode(name)}")
        samples += len(expected.shards[name])
    reads = json.loads(read(f"{point}/.lodfs/stats"))["store"]["reads"]
    if reads >= 2 * samples:
        yield f"{reads} requests for {samples} samples"


def grammar(point):
    tar = f"{point}/tar"
    name = sorted(name for name in os.listdir(f"{tar}/q4") if name.endswith(".tar"))[0]
    if sorted(os.listdir(tar)) != sorted([f"q{k}" for k in range(1, 11)] + ["auto", "full"]):
        yield f"{os.listdir(tar)}"
    if os.readlink(f"{tar}/auto") != "full" or not os.path.exists(f"{tar}/auto/{name}"):
        yield "auto leads elsewhere"
    stem = name[:-len("000000.tar")]
    for bad in (f"{stem}00000.tar", f"{stem}0000000.tar", f"{stem}999999.tar", f"{stem}000000",
                f"{stem}000000.tar/x", f"{stem}-1.tar", f"{stem} 00000.tar", f"x{name}",
                f"{stem}99999999999999999999999.tar", "x" * 300):
        if os.path.exists(f"{tar}/q4/{bad}"):
            yield f"{bad} is there"
    for bad in ("original", "q0", "q11", "train"):
        if os.path.exists(f"{tar}/{bad}"):
            yield f"tar/{bad} is there"
    found = os.stat(f"{tar}/q4/{name}")
    if found.st_mode & 0o7777 != 0o444 or found.st_nlink != 1:
        yield f"mode {found.st_mode:o}"


def readers(point, work):
    """Two programs agree with the tree on every name and every byte."""
    for fidelity in SHOWN:
        for name in sorted(os.listdir(f"{point}/tar/{fidelity}")):
            if name.endswith(".txt"):
                continue
            path, into = f"{point}/tar/{fidelity}/{name}", f"{work}/out-{fidelity}-{name}"
            os.mkdir(into)
            subprocess.run(["tar", "-xf", path, "-C", into], check=True)
            with tarfile.open(path, errors="surrogateescape", encoding="utf-8") as tar:
                for entry in tar:
                    data = tar.extractfile(entry).read()
                    if read(os.fsencode(into) + b"/" + os.fsencode(entry.name)) != data:
                        yield f"{path}: {entry.name}: GNU tar and tarfile differ"
                    tree = os.fsencode(f"{point}/{fidelity}/{entry.name}")
                    if os.path.exists(tree) and read(tree) != data:
                        yield f"{path}: {entry.name}: not as in the tree"


def webdataset_reads(point, expected):
    import webdataset
    for name, samples in expected.shards.items():
        path = f"{point}/tar/q4/{os.fsdecode(name)}"
        found = {}
        for sample in webdataset.WebDataset(path, shardshuffle=False, empty_check=False):
            found[sample["__key__"]] = sample
        for sample in samples:
            stem, lead = os.fsdecode(sample[7]), sample[6]
            if b"\n" in sample[7] or b"\xff" in sample[7]:
                continue
            if stem not in found:
                yield f"{path}: {stem} is missing"
            elif sample[5] >= 0 and b"1.cls" not in b"".join(n for n, _ in lead) and \
                    found[stem].get("cls") != b"%d" % sample[5]:
                yield f"{path}: {stem}: label {found[stem].get('cls')}"
        if len(found) < len(samples) - 2:
            yield f"{path}: {len(found)} samples of {len(samples)}"


def check(results, work, name, make, photos):
    store, point, _ = packed(work, name, make, photos)
    lodfs("verify", store)
    kept = {}
    with Mount(store, point):
        expected = Expected(store, point)
        results.add(f"{name}: files", whole(expected, kept))
        results.add(f"{name}: no split mixes", [] if name != "splits" else mixed(expected))
        results.add(f"{name}: readers", readers(point, work))
        results.add(f"{name}: names", grammar(point))
        try:
            import webdataset  # noqa: F401
            results.add(f"{name}: webdataset", webdataset_reads(point, expected))
        except ImportError:
            print("skipped: there is no Python module webdataset")
    if name == "flat":
        with Mount(store, point):
            results.add(f"{name}: runs", runs(point, expected))
    with Mount(store, point, "-o", "cache_size=8M"):
        results.add(f"{name}: pieces", pieces(kept, 3000))
    if name == "splits":
        results.add(f"{name}: damage", damage(kept, point, store, expected))
    for folder in os.listdir(work):
        if folder.startswith("out-"):
            subprocess.run(["rm", "-rf", f"{work}/{folder}"], check=True)


def damage(kept, point, store, expected):
    """Changes a byte of group 1 of one photograph. Reads of this picture fail, others do not."""
    name, samples = next((name, samples) for name, samples in expected.shards.items()
                         if len(samples) > 3 and expected.store.row(samples[2][0])[0] == 1)
    number, slot = expected.store.items[samples[2][0]]
    record = expected.store.records[number]
    before = sum(store_spec.lengths(record.codec, row)[0] for row in record.rows[:slot])
    flip(f"{store}/records/{record.name}", 4096 + record.metadata_bytes + before + 9)
    data = kept[os.path.join(os.fsencode(point), b"tar/q1", name)]
    bad = data.index(samples[2][6][0][0]) // 512 + 1
    with Mount(store, point, "-o", "cache=none"):
        path = os.path.join(os.fsencode(point), b"tar/q1", name)
        if os.stat(path).st_size != len(data):
            yield "its size has changed"
        failed = []
        with open(path, "rb", buffering=0) as file:
            for block in range(len(data) // 512):
                try:
                    if os.pread(file.fileno(), 512, 512 * block) != data[512 * block:][:512]:
                        yield f"other bytes in block {block}"
                except OSError:
                    failed.append(block)
        size = samples_spec.file_bytes(*expected.store.row(samples[2][0]), 1)
        if failed != list(range(bad, bad + -(-size // 512))):
            yield f"blocks {failed} fail, not those from {bad}, {size} bytes"


def mixed(expected):
    records = [record for split, record in expected.store.shards()]
    if len(records) != len(set(records)):
        yield "a record has samples of two splits"
    if {split for split, _ in expected.store.shards()} != {b"train", b"val"}:
        yield "other splits"


def main():
    return run(check)


if __name__ == "__main__":
    sys.exit(main())
