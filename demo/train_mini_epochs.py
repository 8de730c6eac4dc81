#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small network on photographs of a slow store, with and without mini-epochs.

    demo/train_mini_epochs.py FOLDER [--rf=1,4,auto] [--fidelity=full] [--seeds=1] [--epochs=16]

FOLDER has a folder of photographs for each class. Four fifths of them are packed, and mounted with
memory for three tenths, through a limit of a quarter of the bytes that the training wants. The
others validate. Printed are accuracy, loss, bytes of the store, and seconds.
"""
import time

import training
from training import lodfs

SHARE, FASTER = .3, 4


def one_run(options, split, kind, seed, point):
    """Trains on a fresh mount. Returns accuracy, loss, bytes of the store and seconds."""
    fidelity, rf = kind
    data = split.below(point, fidelity)
    met = lodfs.MiniEpochs([path for path, _ in data], rf=int(rf) if rf.isdigit() else rf,
                           seed=seed, epochs=options.epochs)
    trained = training.Training(split.classes, seed,
                                options.epochs * -(-len(data) // training.BATCH))
    begun = time.monotonic()
    for _ in range(options.epochs):
        trained.steps(met, data)
    seconds = time.monotonic() - begun
    return (*trained.validate(*split.validation), training.store_bytes(point), seconds)


def mount_options(options, split):
    """Memory for a part of the photographs, and a store that is too slow for the training."""
    if not options.rate:
        wanted = split.wanted()
        options.rate = max(64 << 10, int(wanted / FASTER))
        print(f"the training wants {wanted / 1e6:.2f} MB/s")
    cache = max(1 << 20, int(split.bytes * SHARE * 4 / 3))  # prefixes take 3/4 of it
    print(f"{len(split.train)} photographs to train on, {len(split.validation[1])} to validate, "
          f"{split.bytes / 1e6:.1f} MB; the store gives {options.rate / 1e6:.2f} MB/s", flush=True)
    return ("gpu=off,cache=none,store_cache=private,"
            f"download_limit={options.rate},cache_size={cache}")


def arguments():
    parser = training.arguments(__doc__)
    parser.add_argument("--rf", default="1,4,auto")
    parser.add_argument("--fidelity", default="full")
    parser.add_argument("--rate", type=int, help="bytes/s of the store")
    return parser.parse_args()


def main():
    options = arguments()
    training.samples(options.folder)
    results = training.Results("fidelity, rf")
    with training.work_folder() as work:
        for seed in range(options.seeds):
            split = training.Split(options.folder, seed, work)
            given = mount_options(options, split)
            for kind in [(fidelity, rf) for fidelity in options.fidelity.split(",")
                         for rf in options.rf.split(",")]:
                with training.Mounted(split.store, f"{work}/mount", given) as point:
                    row = one_run(options, split, kind, seed, point)
                results.add(", ".join(kind), seed, row, split.bytes)
    results.summary()


if __name__ == "__main__":
    main()
