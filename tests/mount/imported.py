#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""There and back: the files that a mount shows below tar/full, tfrecord/full and, where there is
one, recordio/full are copied and packed with --from. Pictures, captions and labels are unchanged.
"""
import os
import shutil
import subprocess
import sys
import tarfile

from mounted import Mount, Results, Work, lodfs, need_fuse
from small import files_below, read, write

CLASSES = ("ant", "bee", "cat")


def make_source(work, split):
    """Photographs in classes, some with a caption, below one or two splits."""
    subprocess.run([os.environ["PHOTOGRAPHS"], f"{work}/made", "12"], check=True,
                   stdout=subprocess.DEVNULL)
    made = [read(os.path.join(os.fsencode(work), b"made", name))
            for name in sorted(files_below(f"{work}/made")) if name.endswith(b".jpg")]
    for i, data in enumerate(made):
        folder = f"{work}/source/{('train/', 'val/')[i % 2] if split else ''}{CLASSES[i // 2 % 3]}"
        write(f"{folder}/{i}.jpg", data)
        if i % 3 == 0:
            write(f"{folder}/{i}.txt", b"a caption of %d\n" % i)
    shutil.rmtree(f"{work}/made")


def tree(folder, ending):
    return {name: read(os.path.join(os.fsencode(folder), name)) for name in files_below(folder)
            if name.endswith(ending)}


def tar_samples(folder):
    """All members of the tars of a folder: {name: bytes}."""
    found = {}
    for name in sorted(tree(folder, b".tar")):
        with tarfile.open(os.path.join(os.fsencode(folder), name).decode()) as file:
            for member in file:
                found[member.name] = file.extractfile(member).read()
    return found


def packed_again(work, kind, point):
    """Copies the files of one kind out of the mount, and packs them. Returns the store."""
    out, store = f"{work}/{kind}", f"{work}/{kind}.store"
    shutil.copytree(f"{point}/{kind}/full", out)
    lodfs("pack", "-q", "--scans=default", f"--from={kind}", out, store)
    return store


def compare(work, kind, point):
    source = tree(f"{work}/source", (b".jpg", b".txt"))
    pictures = {name: data for name, data in source.items() if name.endswith(b".jpg")}
    before = tar_samples(f"{point}/tar/full")
    labels = {name[:-4]: data for name, data in before.items() if name.endswith(".cls")}
    store, again = packed_again(work, kind, point), f"{work}/again"
    os.makedirs(again, exist_ok=True)
    with Mount(store, again):
        found = tree(f"{again}/original", b".jpg")
        after = tar_samples(f"{again}/tar/full")
        if sorted(found.values()) != sorted(pictures.values()):
            yield "other pictures"
        if kind == "tar" and after != before:
            yield "other samples"
        if kind == "tfrecord" and found != pictures:
            yield "other names"
        now = {data: after.get(name[:-4] + ".cls") for name, data in after.items()
               if name.endswith(".jpg")}
        then = {data: labels[name[:-4]] for name, data in before.items() if name.endswith(".jpg")}
        if now != then:
            yield "other labels"
    shutil.rmtree(store)


def main():
    need_fuse()
    results = Results()
    for split in (False, True):
        with Work() as work:
            make_source(work, split)
            point = f"{work}/mount"
            os.mkdir(point)
            lodfs("pack", "-q", "--scans=default", f"{work}/source", f"{work}/store")
            with Mount(f"{work}/store", point):
                for kind in ("tar", "tfrecord", "recordio"):
                    if os.path.isdir(f"{point}/{kind}"):
                        what = f"{kind}, {'splits' if split else 'classes'}"
                        results.add(what, list(compare(work, kind, point)))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
