# SPDX-License-Identifier: Apache-2.0
"""
loaders.py LOADER: a loader that people use, unchanged, reads a mount at q3 and full. It finds each
picture once, with the label that ImageFolder gives it, and with the bytes of the tree's file.

Packages of the Python index are installed in an environment of the loader's own; a loader of
hundreds of megabytes is tried by ./check --long only. LODFS and PHOTOGRAPHS name the programs.
"""
import hashlib
import os
import random
import shutil
import subprocess
import sys
from collections import Counter

import png_files
from environment import Missing, python_with
from long import is_long
from mounted import Mount, Results, Work, lodfs, need_fuse, skip
from readers import PICTURES, SPLITS, read
from small import write

HERE = os.path.dirname(os.path.abspath(__file__))
FIDELITIES = ("q3", "full")

# For each loader: its readers in readers.py; its packages of the Python index; the programs that it
# needs; whether it is large.
LOADERS = {
    "tarfile": (["tarfile"], [], [], False),
    "gnu-tar": (["gnu_tar"], [], ["tar"], False),
    "bsdtar": (["bsdtar"], [], ["bsdtar"], False),
    "torchvision": (["torchvision"], [], [], False),
    "webdataset": (["webdataset", "webdataset_pixels"], ["webdataset==1.0.2"], [], False),
    "tfrecord": (["tfrecord"], ["tfrecord==1.14.6"], [], False),
    "tensorflow": (["tensorflow"], ["tensorflow-cpu==2.21.0"], [], True),
    "dali": (["dali_mxnet", "dali_tfrecord", "dali_webdataset"],
             ["nvidia-dali-cuda120==2.4.0"], [], True),
}


def make_source(folder):
    """train/ and val/ with different photographs, PNGs, and captions and boxes beside them."""
    os.mkdir(folder)
    rng = random.Random(3)
    for seed, split in enumerate(SPLITS):
        subprocess.run([os.environ["PHOTOGRAPHS"], f"{folder}/{split}", "24", str(seed + 3)],
                       check=True, stdout=subprocess.DEVNULL)
        for number, name in enumerate(sorted(os.listdir(f"{folder}/{split}"))[:3]):
            top = f"{folder}/{split}/{name}"
            write(f"{top}/drawn-{number}.png",
                  png_files.make(rng, *png_files.KINDS[number], 0, 60 + seed, 50))
            first = sorted(os.listdir(top))[-1]
            write(f"{top}/{first.rpartition('.')[0]}.txt", b"a caption")
            write(f"{top}/{first.rpartition('.')[0]}.boxes.json", b"[]")
    write(f"{folder}/notes.txt", b"of no picture\n")


def contents(path, pixels):
    if not pixels:
        return read(path)
    from PIL import Image
    with Image.open(path) as image:
        return image.convert("RGB").tobytes()


def expected(tree, pixels):
    """The lines of readers.py, from the files of a tree: labels are the ranks of class folders."""
    lines = Counter()
    for split in SPLITS:
        for label, name in enumerate(sorted(os.listdir(f"{tree}/{split}"))):
            for file in os.listdir(f"{tree}/{split}/{name}"):
                if file.endswith(PICTURES) and file.count(".") == 1:
                    data = contents(f"{tree}/{split}/{name}/{file}", pixels)
                    lines[f"{split} {label} {hashlib.sha256(data).hexdigest()}"] += 1
    return lines


def compare(python, reader, point, fidelity):
    """Yields the differences between a reader and the tree."""
    done = subprocess.run([python, os.path.join(HERE, "readers.py"), reader, point, fidelity],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        yield done.stderr[-600:]
        return
    found = Counter(done.stdout.splitlines())
    wanted = expected(f"{point}/{fidelity}", reader.endswith("pixels"))
    if not wanted or found != wanted:
        yield f"{found.total()} pictures, {wanted.total()} in the tree"
        yield from (f"not in the tree: {line}" for line in found - wanted)
        yield from (f"not found: {line}" for line in wanted - found)


def need(name):
    """Returns the interpreter that has the loader, or skips the test with the reason."""
    readers, packages, programs, large = LOADERS[name]
    for program in programs:
        if not shutil.which(program):
            skip(f"{name}: the program {program} is not installed")
    if large and not is_long():
        skip(f"{name}: its packages are large, so ./check --long tries it")
    try:
        return readers, python_with(name, packages)
    except Missing as error:
        skip(str(error))


def main(name):
    need_fuse()
    readers, python = need(name)
    if name == "torchvision" and subprocess.run([python, "-c", "import torchvision"], check=False,
                                                stderr=subprocess.DEVNULL).returncode:
        skip("python3-torchvision is not installed")
    results = Results()
    with Work() as work:
        source, store, point = (f"{work}/{part}" for part in ("source", "store", "mount"))
        make_source(source)
        lodfs("pack", "--scans=default", "--record-size=256k", source, store)
        with Mount(store, point):
            for reader in readers:
                for fidelity in FIDELITIES:
                    results.add(f"{reader} at {fidelity}",
                                compare(python, reader, point, fidelity))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
