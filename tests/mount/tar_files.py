# SPDX-License-Identifier: Apache-2.0
"""
tar/: every file equals one that is written from FORMAT.md and the trees alone, whole and in pieces.
tarfile, GNU tar and, where it is installed, webdataset find each sample with its bytes and label.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tarfile

from mounted import Mount, Results, Work, lodfs, need_fuse, skip
from small import files_below, read, write

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec"))
try:
    import samples_spec
    import store_spec
except ImportError as error:
    skip(f"the store is read with a Python module that is missing: {error}")

SHOWN = ("q1", "q4", "full")
LONG = b"n" * 240


def photographs(work):
    subprocess.run([os.environ["PHOTOGRAPHS"], f"{work}/photos", "20"], check=True,
                   stdout=subprocess.DEVNULL)
    return [read(os.path.join(os.fsencode(work), b"photos", name))
            for name in sorted(files_below(f"{work}/photos")) if name.endswith(b".jpg")]


def make_splits(folder, photos):
    """train/ and val/, pairs, captions, labels of the user's own, odd names."""
    pictures = iter(photos + [data + bytes([i]) for i in range(8) for data in photos])
    top = os.fsencode(folder)
    png = b"\x89PNG\r\n\x1a\n"
    for split in (b"train", b"val"):
        for i in range(12):
            name = b"%s/%s/class %d/%d" % (top, split, i % 3, i)
            write(name + b".jpg", next(pictures), 0o600 if i == 4 else 0o644)
            if i % 2:
                write(name + b".txt", b"a caption of %d\n" % i)
                write(name + b".seg.png", png + b"broken %d" % i)
            os.utime(name + b".jpg", ns=(0, (i - 2) * 1_700_000_000 * 10**8))
        write(b"%s/%s/no class.jpg" % (top, split), next(pictures))
    odd = top + b"/train/class 0/"
    for name in (b"1.cls", b"b.c.jpg", b"b.c.txt", b"b_c.jpg", b"d.e.jpg", b"x_y.z.jpg",
                 b".hidden.jpg", b"plain", b"taken", b"taken.txt", b"\xff\xfe.jpg",
                 b"new\nline.jpg", b"k.jpg", b"k.png", b"k.jpeg"):
        picture = name.endswith((b"jpg", b"jpeg", b"plain", b"taken"))
        write(odd + name, next(pictures) if picture else b"text of " + name)
    for i in range(40):
        write(odd + b"many.%02d.txt" % i, b"%d" % i)
    write(odd + b"many.jpg", next(pictures))
    for depth in range(1, 9):  # paths around the limits of a header
        write(top + b"/val/" + b"/".join([b"d" * 31] * depth) + b"/%d.jpg" % depth, next(pictures))
    for count in (90, 91, 99, 100, 101, 150, 240):
        write(top + b"/val/" + b"e" * count + b".jpg", next(pictures))
        write(top + b"/val/" + LONG + b"/" + b"f" * count + b".jpg", next(pictures))
    os.symlink("0.jpg", odd + b"link.jpg")
    os.link(odd + b"k.jpg", top + b"/val/class 0/linked.jpg")
    write(top + b"/val/class 0/equal.jpg", read(odd + b"k.jpg"))


def make_flat(folder, photos):
    """No splits: pictures directly in the root too."""
    for i, data in enumerate(photos):
        write(f"{folder}/{'' if i % 3 else 'train/'}{i}.jpg", data)
    write(f"{folder}/notes.txt", b"of nothing")


def make_texts(folder, _):
    """No pictures: large files lead samples."""
    for i in range(20):
        write(f"{folder}/words/{i}.txt", b"%d " % i * 3000)
        write(f"{folder}/words/{i}.json", b"{}")


class Expected:
    """The tar files of a store, by name, from its records and a mount's trees."""

    def __init__(self, store, point):
        self.point = os.fsencode(point)
        records = [store_spec.Record(path)
                   for path in sorted(pathlib.Path(store, "records").iterdir())]
        entries = store_spec.tree_list(records[0].segments[0][0])[2]
        self.store = samples_spec.Store(records, store_spec.nodes_of(records, entries))
        self.shards, counts = {}, {}
        for (split, _), samples in self.store.shards().items():
            number = counts.setdefault(split, 0)
            counts[split] += 1
            self.shards[b"%s-%06d.tar" % (split or b"data", number)] = samples
        self.classes = [(split or b"data") + b".classes.txt" for split in counts
                        if samples_spec.classes_of(self.store, split)]

    def tar(self, name, fidelity):
        return samples_spec.tar_of(
            self.store, self.shards[name],
            lambda path: read(os.path.join(self.point, os.fsencode(fidelity), path)))


def whole(expected, kept):
    for fidelity in SHOWN:
        folder = os.path.join(expected.point, b"tar", os.fsencode(fidelity))
        if sorted(os.listdir(folder)) != sorted([*expected.shards, *expected.classes]):
            yield f"{fidelity}: {os.listdir(folder)}"
            continue
        for name in expected.shards:
            data, path = expected.tar(name, fidelity), os.path.join(folder, name)
            kept[path] = data
            if os.stat(path).st_size != len(data):
                yield f"{path}: {os.stat(path).st_size} bytes, not {len(data)}"
            elif read(path) != data:
                yield f"{path}: other bytes"


def pieces(kept, count):
    """Random ranges, of new file descriptors now and then."""
    rng, files = random.Random(5), {}
    for _ in range(count):
        path = rng.choice(list(kept))
        if path not in files or rng.random() < .05:
            if path in files:
                os.close(files[path])
            files[path] = os.open(path, os.O_RDONLY)
        data = kept[path]
        at = rng.randrange(len(data) + 10)
        size = rng.choice((1, 100, 512, 4096, rng.randrange(300_000)))
        if os.pread(files[path], size, at) != data[at:at + size]:
            yield f"{path}: {size} bytes at {at}"
    for file in files.values():
        os.close(file)


def runs(point, expected):
    """Neighbours are read together: fewer requests than samples, each of which has four groups."""
    samples = 0
    for name in sorted(expected.shards):
        read(f"{point}/tar/q4/{os.fsdecode(name)}")
        samples += len(expected.shards[name])
    reads = json.loads(read(f"{point}/.lodfs/stats"))["store"]["reads"]
    if reads >= samples:
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
    source, store, point = (f"{work}/{name}-{part}" for part in ("source", "store", "mount"))
    os.mkdir(source)
    make(source, photos)
    lodfs("pack", "--scans=default", "--record-size=256k", source, store)
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
    with open(f"{store}/records/{record.name}", "r+b") as file:
        file.seek(4096 + record.metadata_bytes + before + 9)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))
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
    need_fuse()
    results = Results()
    with Work() as work:
        photos = photographs(work)
        for name, make in (("splits", make_splits), ("flat", make_flat), ("texts", make_texts)):
            check(results, work, name, make, photos)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
