#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""model.py SEED [MEGABYTES]: packs a random tree, mounts it and compares every file with the
source.

LODFS and COEFFICIENTS name the programs. MEGABYTES is the size of the largest file.
"""
import collections
import errno
import io
import json
import mmap
import os
import random
import stat
import sys
import threading

from PIL import Image

import make_tree
import png_files
import prefix
from facts import Facts, digest, gather, jpegs
from mounted import BESIDE, Mount, Results, Work, lodfs, need_fuse

QS = [f"q{k}" for k in range(1, 11)]
FIDELITIES = QS + ["full"]


class Model:
    def __init__(self, work, seed, megabytes):
        self.rng = random.Random(seed)
        self.source, self.store = os.path.join(work, "source"), os.path.join(work, "store")
        self.point, self.work = os.path.join(work, "mount"), work
        os.mkdir(self.source)
        self.kinds = make_tree.make(self.source, seed, megabytes)
        self.want = gather(self.source)
        self.results = Results()

    def of_kind(self, *kinds):
        return sorted(p for p, k in self.kinds.items() if k in kinds)

    def at(self, fidelity, path):
        return os.path.join(os.fsencode(self.point), fidelity.encode(), path)

    def original(self, path):
        return os.path.join(os.fsencode(self.source), path)

    # -- packing ---------------------------------------------------------------------------------

    def pack(self):
        options = [f"--order={self.rng.choice(['shuffle', 'path'])}",
                   f"--seed={self.rng.randrange(99)}", f"--record-size={self.rng.choice([1, 16])}M",
                   f"--l3={self.rng.choice(['small', 'packed', 'paper'])}",
                   f"--full={self.rng.choice(['source', 'scans'])}",
                   f"--original={self.rng.choice(['auto', 'all'])}"]
        self.all_originals = options[-1] == "--original=all"
        self.top = 10
        if "--full=source" in options:
            self.top = self.rng.choice([1, 5, 5, 8])
            options.append(f"--top=q{self.top}")
        print("lodfs pack", *options)
        lodfs("pack", *options, "-j", "1", self.source, self.store)
        again = self.store + "-again"
        lodfs("pack", *options, "-j", "3", self.source, again)
        one, two = gather(self.store), gather(again)
        self.results.add("the same store bytes on 1 and on 3 threads", (
            f"{p!r} differs" for p in sorted(set(one) | set(two))
            if p not in one or p not in two or one[p].hash != two[p].hash))
        self.info = json.loads(lodfs("info", "--json", self.store).stdout)

    def scripts(self):
        """Returns {name: groups} of the scan scripts that `lodfs info --json` shows."""
        todo = [self.info]
        while todo:
            at = todo.pop()
            if isinstance(at, dict):
                if isinstance(at.get("scripts"), dict):
                    return {n: prefix.parse(t) for n, t in at["scripts"].items()}
                todo += at.values()
            elif isinstance(at, list):
                todo += at
        raise SystemExit("lodfs info --json shows no scan scripts")

    # -- names, metadata, bytes ------------------------------------------------------------------

    def compare_metadata(self, path, want, got):
        name = repr(path)
        if got.type != want.type:
            yield f"{name}: another type of file"
        elif want.type == stat.S_IFLNK:
            if got.target != want.target:
                yield f"{name}: target {got.target!r}, not {want.target!r}"
        elif got.mode != want.mode:
            yield f"{name}: mode {got.mode:o}, not {want.mode:o}"
        if got.mtime != want.mtime:
            yield f"{name}: mtime {got.mtime}, not {want.mtime}"
        if got.type == stat.S_IFREG:
            if got.size != got.read:
                yield f"{name}: st_size {got.size}, but {got.read} bytes were read"
            if got.blocks != (got.size + 511) // 512:
                yield f"{name}: {got.blocks} blocks for {got.size} bytes"

    def compare_trees(self):
        self.got = {}
        for fidelity in FIDELITIES:
            got = self.got[fidelity] = gather(os.path.join(self.point, fidelity))
            self.results.add(f"{fidelity}: the same names", (
                f"{p!r}" for p in sorted(set(got) ^ set(self.want))))
            both = sorted(set(got) & set(self.want))
            self.results.add(f"{fidelity}: metadata and sizes", (
                line for p in both for line in self.compare_metadata(p, self.want[p], got[p])))
            self.results.add(f"{fidelity}: files that no codec shrinks have the source's bytes", (
                f"{p!r}" for p in self.of_kind("whole")
                if p in got and got[p].hash != self.want[p].hash))
        got = self.got["original"] = gather(os.path.join(self.point, "original"))
        listed = set(self.want) - self.without_original()
        self.results.add("original: names, metadata and bytes of the source", (
            f"{p!r}" for p in sorted(set(got) | listed)
            if p not in got or p not in listed or got[p].hash != self.want[p].hash
            or list(self.compare_metadata(p, self.want[p], got[p]))))
        self.results.add("inode numbers are unique", (
            f"{ino:x}: {sorted(paths)[:3]}" for ino, paths in self.inodes().items()
            if len(paths) > 1))
        self.results.add("a higher fidelity is never smaller", (
            f"{p!r}: {sizes}" for p in self.of_kind("jpeg")
            for sizes in [[self.got[f][p].size for f in QS]] if sizes != sorted(sizes)))

    def without_original(self):
        """Returns the paths of PNGs that became patches, which have no original."""
        return set() if self.all_originals else {
            p for p in self.of_kind("png") if self.got["full"][p].hash != self.want[p].hash}

    def inodes(self):
        users = collections.defaultdict(set)
        for fidelity, got in self.got.items():
            for path, facts in got.items():
                users[facts.ino].add((fidelity, path))
        return users

    # -- JPEGs -----------------------------------------------------------------------------------

    def compare_jpegs(self):
        paths = self.of_kind("jpeg", "either")
        want = dict(zip(paths, jpegs(map(self.original, paths))))
        for fidelity in FIDELITIES:
            got = dict(zip(paths, jpegs(self.at(fidelity, p) for p in paths)))
            wrong = [f"{p!r}: does not decode" for p in paths if got[p].error and not want[p].error]
            fine = [p for p in paths if not got[p].error and not want[p].error]
            wrong += [f"{p!r}: its size is {got[p].size}, not {want[p].size}" for p in fine
                      if got[p].size != want[p].size]
            wrong += [f"{p!r}: libjpeg warns" for p in fine
                      if got[p].warnings > want[p].warnings]
            self.results.add(f"{fidelity}: valid JPEGs of the source's size in pixels", wrong)
            if fidelity == "full" or int(fidelity[1:]) > min(self.top, 9):
                self.results.add(f"{fidelity}: pixels and coefficients are the source's", (
                    f"{p!r}" for p in fine if want[p].coefficients != got[p].coefficients
                    or want[p].pixels != got[p].pixels))
            else:
                self.decoded = getattr(self, "decoded", {})
                self.decoded[fidelity] = got

    def read(self, fidelity, path):
        with open(self.at(fidelity, path), "rb") as file:
            return file.read()

    def top_of(self, path):
        """Returns the highest k whose q_k is not the source's own file; 0 if there is none."""
        return max((k for k in range(1, self.top + 1)
                    if self.got[f"q{k}"][path].hash != self.want[path].hash), default=0)

    def script_of(self, path, scripts, source):
        """Returns the script, fitted to the image, that begins with the scans of the file at q_top;
        None if there is none."""
        frame = prefix.frame(source)[1]
        blocks = [h * v for _, h, v in frame]
        top = self.top_of(path)
        scans = prefix.scans_of(self.read(f"q{top}", path))
        for groups in scripts.values():
            fitted = prefix.fit(groups, len(frame), blocks)
            wanted = [s for group in fitted[:top] for s in group]
            if scans[:len(wanted)] == wanted and (top == 1 or scans == wanted):
                return fitted
        return None

    def compare_prefixes(self):
        """Each q_k decodes to the same pixels as the same scans made by jpegtran."""
        scripts, wrong, cuts, closed = self.scripts(), [], [], 0
        folder = os.path.join(self.work, "cut")
        os.mkdir(folder)
        for path in self.of_kind("jpeg"):
            with open(self.original(path), "rb") as file:
                source = file.read()
            fitted = self.script_of(path, scripts, source)
            if fitted is None:
                wrong.append(f"{path!r}: no script that lodfs info shows has its scans")
                continue
            made = prefix.transcode(source, fitted, os.path.join(self.work, "script"))
            for k in range(1, min(self.top_of(path), 9) + 1):
                count = sum(len(group) for group in fitted[:k])
                name = os.path.join(folder, str(len(cuts)))
                data = prefix.cut(made, count)
                if k == 1 and len(prefix.scans_of(self.read("q1", path))) > count:
                    data = prefix.close(data, fitted[0])
                    closed += 1
                with open(name, "wb") as file:
                    file.write(data)
                cuts.append((path, f"q{k}", name))
        self.results.add("every transcoded file follows a script that lodfs info shows", wrong)
        large = [p for p in self.of_kind("jpeg") if self.got["q1"][p].size > 2000 and
                 self.got["q2"][p].size > self.got["q1"][p].size + 500]
        self.results.add("large files at q1 end with closing scans",
                         [f"{closed} of {len(large)}"] if closed < len(large) else [])
        facts = jpegs(name for _, _, name in cuts)
        self.results.add(f"{len(cuts)} prefixes decode like jpegtran's", (
            f"{path!r} at {fidelity}" for (path, fidelity, _), fact in zip(cuts, facts)
            if fact.error or self.decoded[fidelity][path].error
            or fact.pixels != self.decoded[fidelity][path].pixels))

    def compare_headers(self):
        """Every fidelity keeps orientation and colour profile; full keeps all segments."""
        wrong, lost = [], []
        for path in self.of_kind("jpeg"):
            source = self.segments(self.original(path))
            full = self.segments(self.at("full", path))
            if source != full:
                lost.append(f"{path!r}: {source - full} lost, {full - source} new")
            want = Image.open(self.original(path))
            for fidelity in FIDELITIES:
                got = Image.open(io.BytesIO(self.read(fidelity, path)))
                if got.getexif().get(0x112, 1) != want.getexif().get(0x112, 1):  # 1: as none
                    wrong.append(f"{path!r} at {fidelity}: the orientation differs")
                if got.info.get("icc_profile") != want.info.get("icc_profile"):
                    wrong.append(f"{path!r} at {fidelity}: the colour profile differs")
                if got.mode != want.mode:
                    wrong.append(f"{path!r} at {fidelity}: mode {got.mode}, not {want.mode}")
        self.results.add("every fidelity keeps orientation and colour profile", wrong)
        self.results.add("full has every APPn and COM segment", lost)

    @staticmethod
    def segments(path):
        with open(path, "rb") as file:
            data = file.read()
        return collections.Counter((marker, data[start + 4:end][:20])
                                   for marker, start, end in prefix.markers(data)
                                   if 0xe0 <= marker <= 0xef or marker == 0xfe)

    # -- PNGs ------------------------------------------------------------------------------------

    def compare_pngs(self):
        paths = self.of_kind("png")
        self.results.add("most PNGs are stored as patches", ["too few"] if 2 * sum(
            self.got["full"][p].hash != self.want[p].hash for p in paths) < len(paths) else [])
        for fidelity in ("q1", "full"):
            self.results.add(f"{fidelity}: PNGs have the source's pixels and chunks", (
                f"{p!r}" for p in paths if not self.same_png(p, fidelity)))
        self.results.add("lossless images have the same bytes at every fidelity", (
            f"{p!r} at {f}" for p in paths for f in FIDELITIES
            if self.got[f][p].hash != self.got["full"][p].hash))

    def same_png(self, path, fidelity):
        with open(self.original(path), "rb") as file:
            source = file.read()
        got = self.read(fidelity, path)
        if len(source) > 1 << 17:  # png_files is slow
            one, two = Image.open(io.BytesIO(source)), Image.open(io.BytesIO(got))
            return (one.mode, one.size, one.tobytes()) == (two.mode, two.size, two.tobytes())
        return png_files.look(source) == png_files.look(got)

    # -- ways of reading -------------------------------------------------------------------------

    def read_randomly(self, seed, wrong):
        rng = random.Random(seed)
        files = self.of_kind("jpeg", "png", "whole", "either")
        for _ in range(400):
            fidelity, path = rng.choice(FIDELITIES), rng.choice(files)
            size = self.got[fidelity][path].size
            with open(self.at(fidelity, path), "rb") as file:
                for _ in range(4):
                    offset = rng.randrange(size + 10)
                    length = rng.choice([0, 1, 100, 4096, 70000, 300000])
                    got = os.pread(file.fileno(), length, offset)
                    if len(got) != max(0, min(length, size - offset)):
                        wrong.append(f"{path!r} at {fidelity}: a read of {length} bytes at {offset}"
                                     f" gives {len(got)}")
                    file.seek(offset)
                    if file.read(length) != got:
                        wrong.append(f"{path!r} at {fidelity}: two reads of {length} bytes at "
                                     f"{offset} differ")

    def read_all(self, fidelity, wrong):
        """Reads all files in a random order, by mmap or read, and compares with the first pass."""
        paths = self.of_kind("jpeg", "png", "whole", "either")
        random.Random(fidelity).shuffle(paths)
        for i, path in enumerate(paths):
            want = self.got[fidelity][path]
            if i % 3 == 0 and want.size:
                with open(self.at(fidelity, path), "rb") as file:
                    with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
                        fine = mapped[:] == self.read(fidelity, path)
            else:
                fine = digest(self.at(fidelity, path)) == (want.hash, want.read)
            if not fine:
                wrong.append(f"{path!r} at {fidelity}")

    def read_at_once(self):
        wrong = [[] for _ in range(4)]
        threads = [threading.Thread(target=self.read_randomly, args=(1, wrong[0])),
                   threading.Thread(target=self.read_randomly, args=(2, wrong[1])),
                   threading.Thread(target=self.read_all, args=("q4", wrong[2])),
                   threading.Thread(target=self.read_all, args=("full", wrong[3]))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.results.add("four readers at once, by pread and mmap, read the right bytes",
                         sum(wrong, []))
        self.results.add("a second mount has the same inode numbers", (
            f"{p!r}" for p in sorted(self.got["q2"])
            if Facts(self.at("q2", p)).ino != self.got["q2"][p].ino))

    def write(self):
        wrong = []
        path = self.at("full", self.of_kind("whole")[0])
        for name, attempt in {
                "open for writing": lambda: open(path, "r+b"),
                "create": lambda: open(self.at("q1", b"new"), "wb"),
                "remove": lambda: os.unlink(path), "mkdir": lambda: os.mkdir(path + b"d"),
                "rename": lambda: os.rename(path, path + b"r"),
                "truncate": lambda: os.truncate(path, 0),
                "chmod": lambda: os.chmod(path, 0)}.items():
            try:
                attempt()
                wrong.append(f"{name}: succeeded")
            except OSError as error:
                if error.errno != errno.EROFS:
                    wrong.append(f"{name}: {error}")
        self.results.add("every write fails with EROFS", wrong)

    def run(self):
        self.pack()
        with Mount(self.store, self.point):
            self.results.add("the root lists every fidelity and the other views", (
                f"{n}" for n in set(os.listdir(self.point)) ^
                set(FIDELITIES + ["original"] + BESIDE)))
            self.compare_trees()
            self.compare_jpegs()
            self.compare_prefixes()
            self.compare_headers()
            self.compare_pngs()
            self.write()
        with Mount(self.store, self.point):
            self.read_at_once()
        return self.results.finish()


def main():
    need_fuse()
    with Work() as work:
        return Model(work, int(sys.argv[1]), int((sys.argv + ["3"])[2])).run()


if __name__ == "__main__":
    sys.exit(main())
