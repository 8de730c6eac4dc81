#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small network at full, and beside it with a tuner that chooses the fidelity.

    demo/tune_fidelity.py FOLDER [--with=full,tuner] [--seeds=1] [--epochs=16]

FOLDER has a folder of photographs for each class. Four fifths of them are packed and mounted; the
others validate. Besides the tuner, --with takes fidelities such as q1. Printed are accuracy, loss,
bytes of the store, seconds, and the levels that the tuner took.

The mount has memory for a tenth of the photographs, and a sampler reads them in stretches that fit
it. So each epoch reads its bytes again, as it does where data is larger than memory.
"""
import time

import training
from training import lodfs

import lodfs.torch  # noqa: E402  pylint: disable=wrong-import-position

SHARE = .1


class Photographs:
    """(picture, class) of each path, as lodfs.torch.Gradients reads them."""

    def __init__(self, data):
        self._data = data

    def __getitem__(self, index):
        path, label = self._data[index]
        return training.changed(training.load(path)), label


def tuner_of(options, trained, split, point):
    """A tuner, whose probes read the same photographs at several levels."""
    gradients = lodfs.torch.Gradients(trained.model, trained.loss,
                                      lambda level: Photographs(split.below(point, level)))
    epoch = -(-len(split.train) // training.BATCH)
    return lodfs.FidelityTuner(gradients, items=len(split.train), mount=point, size=training.SIDE,
                               total=options.epochs * epoch, epoch=epoch)


def one_run(options, split, kind, seed, point):
    """Trains on a fresh mount. Returns what training.Results takes, and the tuner's levels."""
    data = split.below(point, "auto")
    trained = training.Training(split.classes, seed,
                                options.epochs * -(-len(data) // training.BATCH))
    begun, levels, seen = time.monotonic(), "", {}
    if kind == "tuner":
        tuner = tuner_of(options, trained, split, point)
        seen = {"seen": tuner.step}
    else:
        lodfs.Mount(point).auto = kind
    sampler = lodfs.torch.Sampler([path for path, _ in data], seed=seed,
                                  run=max(64 << 10, int(split.bytes * SHARE / 3)))
    for epoch in range(options.epochs):
        sampler.set_epoch(epoch)
        trained.steps(sampler, data, **seen)
    if kind == "tuner":
        levels = "".join(f"  {entry['to']} at step {entry['step']}" for entry in tuner.history
                         if entry["to"] != entry["from"])
        state = tuner.state_dict()
        levels += f"  ({state['spent'] / state['seconds']:.0%} of the time)"
    row = (*trained.validate(*split.validation), training.store_bytes(point),
           time.monotonic() - begun)
    return row, levels


def arguments():
    parser = training.arguments(__doc__)
    parser.add_argument("--with", dest="kinds", default="full,tuner")
    return parser.parse_args()


def main():
    options = arguments()
    training.samples(options.folder)
    results = training.Results("trained with")
    with training.work_folder() as work:
        for seed in range(options.seeds):
            split = training.Split(options.folder, seed, work)
            cache = max(1 << 20, int(split.bytes * SHARE * 4 / 3))
            for kind in options.kinds.split(","):
                with training.Mounted(split.store, f"{work}/mount", "gpu=off,cache=none,"
                                      f"store_cache=private,cache_size={cache}") as point:
                    row, levels = one_run(options, split, kind, seed, point)
                results.add(kind, seed, row, split.bytes, levels)
    results.summary()


if __name__ == "__main__":
    main()
