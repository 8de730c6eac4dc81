#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loaders that Debian does not package (timm, datasets, Keras, DALI): each one that is installed
sees the same classes, labels and sizes on a mount as on the source. MORE_LOADERS_PYTHON may name
another interpreter.

LODFS and PHOTOGRAPHS name the programs.
"""
import collections
import os
import subprocess
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse, skip

SKIP = 77
FIDELITIES = ("q2", "full")


def timm(folder, _):
    from timm.data import create_dataset
    data = create_dataset("", root=folder)
    return [(label, *image.size) for image, label in data]


def datasets(folder, work):
    os.environ.update(HF_HOME=f"{work}/cache", HF_HUB_OFFLINE="1")
    from datasets import load_dataset
    rows = load_dataset("imagefolder", data_dir=folder, split="train")
    return [(row["label"], *row["image"].size) for row in rows]


def keras(folder, _):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import keras as library
    import tensorflow as tf
    data = library.utils.image_dataset_from_directory(folder, shuffle=False, verbose=False)
    labels = [data.class_names.index(path.split("/")[-2]) for path in data.file_paths]
    shapes = [tf.io.decode_jpeg(tf.io.read_file(path)).shape for path in data.file_paths]
    assert sum(len(batch) for batch, _ in data) == len(labels)
    return [(label, shape[1], shape[0]) for label, shape in zip(labels, shapes)]


def dali(folder, _):
    from nvidia.dali import fn, pipeline_def

    @pipeline_def(batch_size=8, num_threads=2, device_id=None)
    def files():
        encoded, label = fn.readers.file(file_root=folder, name="files")
        return fn.decoders.image(encoded, device="cpu"), label

    pipe = files()
    pipe.build()
    seen = []
    while len(seen) < pipe.epoch_size("files"):
        images, labels = pipe.run()
        seen += [(int(labels.at(i)[0]), images.at(i).shape[1], images.at(i).shape[0])
                 for i in range(len(images))]
    return seen[:pipe.epoch_size("files")]


LOADERS = {loader.__name__: loader for loader in (timm, datasets, keras, dali)}


def show(name, folder, work):
    """Prints the samples that a loader sees. Each loader has a process of its own, as some of them
    cannot share one."""
    try:
        seen = LOADERS[name](folder, work)
    except ImportError as error:
        print(error)
        return SKIP
    for line, count in sorted(collections.Counter(seen).items()):
        print(*line, count)
    return 0


def seen_by(name, folder, work):
    python = os.environ.get("MORE_LOADERS_PYTHON", sys.executable)
    return subprocess.run([python, __file__, name, folder, work], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)


def installed(source, work):
    """Returns {name: output on the source} of the loaders that are installed."""
    found = {}
    for name in LOADERS:
        want = seen_by(name, source, work)
        if want.returncode == SKIP:
            print(f"SKIP: {name}: {want.stdout.decode().strip()}")
        else:
            found[name] = want
    return found


def compare(name, want, point, work):
    wrong = [] if want.returncode == 0 and want.stdout else [want.stderr.decode()[-500:]]
    for fidelity in FIDELITIES:
        got = seen_by(name, f"{point}/{fidelity}", work)
        if (got.returncode, got.stdout) != (0, want.stdout):
            wrong.append(f"{fidelity}: {got.stdout[:300]} {got.stderr[-300:]}")
    return wrong


def main():
    if len(sys.argv) == 4:
        return show(*sys.argv[1:])
    need_fuse()
    results = Results()
    with Work() as work:
        source, store = os.path.join(work, "source"), os.path.join(work, "store")
        subprocess.run([os.environ["PHOTOGRAPHS"], source, "24", "5"], check=True)
        wanted = installed(source, work)
        if not wanted:
            skip("none of these loaders is installed")
        lodfs("pack", "--scans=default", source, store)
        with Mount(store, os.path.join(work, "mount")) as point:
            for name, want in wanted.items():
                results.add(f"{name} sees the same samples on a mount",
                            compare(name, want, point, work))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
