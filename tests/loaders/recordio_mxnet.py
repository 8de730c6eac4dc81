# SPDX-License-Identifier: Apache-2.0
"""
recordio/ as MXNet 1.9.1 reads it: MXRecordIO, MXIndexedRecordIO, and ImageRecordIter in 1, 3 and 7
parts and with the .lst. Each finds each lead once, with the label and the bytes of the tree.
MXNET_PYTHON names an interpreter that has it. Without one, ./check --long makes an environment.
"""
import hashlib
import json
import os
import subprocess
import sys

import mxnet_reads
from environment import Missing, python_with
from framed import Expected, photographs
from long import is_long
from mounted import Mount, Results, Work, lodfs, need_fuse, skip
from small import read, write

PACKAGES = ["mxnet==1.9.1", "numpy==1.23.5"]
SHOWN = ("q3", "full")


def make(folder, photos):
    """Three classes, a picture without a class, and a magic word in a comment."""
    for i, data in enumerate(photos * 3):
        comment = b"\xff\xfe\0\x08" + b"\x0a\x23\xd7\xce" + b"%02d" % i
        write(f"{folder}/train/class {i % 3}/{i}.jpg", data[:2] + comment + data[2:])
        write(f"{folder}/val/{'' if i == 4 else 'x/'}{i}.jpg", data + b"%d" % i)


def need_mxnet():
    """Returns an interpreter that has MXNet, or skips the test with the reason."""
    python = os.environ.get("MXNET_PYTHON", sys.executable)
    try:
        if "MXNET_PYTHON" not in os.environ and is_long():
            python = python_with("mxnet", PACKAGES)
    except Missing as error:
        skip(str(error))
    done = subprocess.run([python, "-c", "import mxnet"], stderr=subprocess.PIPE, check=False)
    if done.returncode:
        skip(f"{done.stderr.decode().splitlines()[-1]} (./check --long installs it; MXNET_PYTHON "
             "names another Python)")
    return python


def ask(python, reader, rec):
    done = subprocess.run([python, mxnet_reads.__file__, reader, rec], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace")[-600:])
    return json.loads(done.stdout.splitlines()[-1])


def leads(expected, fidelity):
    """Returns {split: [id, label, SHA-256]}."""
    found = {}
    for (split, _), samples in expected.store.shards().items():
        for sample in samples:
            path = expected.store.nodes[expected.store.own[sample[0]]][0]
            data = read(os.path.join(expected.point, os.fsencode(fidelity), path))
            those = found.setdefault(split or b"data", [])
            those.append([len(those), float(sample[5]), hashlib.sha256(data).hexdigest()])
    return found


def compare(python, expected, fidelity):
    for split, wanted in leads(expected, fidelity).items():
        rec = os.fsdecode(expected.point) + f"/recordio/{fidelity}/{os.fsdecode(split)}.rec"
        for way, found in zip(("MXRecordIO", "MXIndexedRecordIO"), ask(python, "recordio", rec)):
            if found != wanted:
                yield f"{rec}: {way}: {len(found)} records of {len(wanted)}, or others"
        labels = [label for _, label, _ in wanted]
        *parts, listed = ask(python, "iterators", rec)
        for i, found in enumerate(parts):
            if found != sorted(labels):
                yield (f"{rec}: {mxnet_reads.PARTS[i // 2]} parts: {len(found)} labels of "
                       f"{len(labels)}")
        if listed != labels:
            yield f"{rec}: the list has other labels"


def main():
    need_fuse()
    python = need_mxnet()
    results = Results()
    with Work() as work:
        source, store, point = (f"{work}/{name}" for name in ("source", "store", "mount"))
        os.mkdir(source)
        make(source, photographs(work))
        lodfs("pack", "--scans=default", "--record-size=256k", source, store)
        with Mount(store, point):
            expected = Expected(store, point)
            for fidelity in SHOWN:
                results.add(f"{fidelity}: mxnet", compare(python, expected, fidelity))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
