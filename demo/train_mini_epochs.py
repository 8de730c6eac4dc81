#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small network on photographs of a slow store, with and without mini-epochs.

    demo/train_mini_epochs.py FOLDER [--rf=1,4,auto] [--fidelity=full] [--seeds=1] [--epochs=16]

FOLDER has a folder of photographs for each class. It is packed, and mounted with memory for three
tenths of it, through a limit of a quarter of the bytes that the training wants. Every fifth
photograph is kept for validation. Printed are accuracy, loss, bytes of the store, and seconds.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

try:
    import torch
    from PIL import Image
    from torch import nn
except ImportError as error:
    sys.exit(f"{error}: this needs torch and Pillow (Debian: python3-torch, python3-pil; else: pip "
             "install torch pillow)")
import numpy as np

try:
    import lodfs
except ImportError as error:
    sys.exit(f"{error}: this needs lodfs's Python package (pip install lodfs)")

SIDE, BATCH, SHARE, FASTER = 64, 32, .3, 4
LODFS = os.environ.get("LODFS", "lodfs")


def run(*words):
    done = subprocess.run([LODFS, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout)


def samples(folder):
    """(path below the folder, class) of each photograph, and the number of classes."""
    classes = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    found = []
    for number, name in enumerate(classes):
        for place, _, files in sorted(os.walk(f"{folder}/{name}")):
            below = os.path.relpath(place, folder)
            found += [(f"{below}/{file}", number) for file in sorted(files)
                      if file.lower().endswith((".jpg", ".jpeg", ".png"))]
    if len(classes) < 2 or len(found) < 10:
        sys.exit(f"{folder}: there are {len(found)} photographs in {len(classes)} folders of "
                 "classes; 10 in 2 are the least")
    return found, len(classes)


def load(path):
    with Image.open(path) as image:
        image.draft("RGB", (2 * SIDE, 2 * SIDE))
        pixels = np.asarray(image.convert("RGB").resize((SIDE, SIDE)), np.float32)
    return torch.from_numpy(pixels.copy()).permute(2, 0, 1) / 128 - 1


def network(classes):
    layers, before = [], 3
    for width in 32, 64, 128, 256:
        layers += [nn.Conv2d(before, width, 3, padding=1, bias=False), nn.BatchNorm2d(width),
                   nn.ReLU(), nn.MaxPool2d(2)]
        before = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, classes))


class Training:
    """A network, and its steps: cross entropy, SGD with a falling rate, flips and shifts."""

    def __init__(self, classes, seed, steps):
        torch.manual_seed(seed)
        self.model, self.random = network(classes), random.Random(seed)
        self.loss = nn.CrossEntropyLoss()
        self.optimiser = torch.optim.SGD(self.model.parameters(), .05, .9, weight_decay=5e-4)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimiser, max(1, steps))

    def changed(self, picture):
        picture = picture.flip(2) if self.random.random() < .5 else picture
        return picture.roll((self.random.randrange(-4, 5), self.random.randrange(-4, 5)), (1, 2))

    def step(self, batch):
        pictures = torch.stack([self.changed(load(path)) for path, _ in batch])
        loss = self.loss(self.model(pictures), torch.tensor([label for _, label in batch]))
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        self.schedule.step()

    def validate(self, pictures, labels):
        self.model.eval()
        with torch.no_grad():
            out = self.model(pictures)
        return ((out.argmax(1) == labels).float().mean().item() * 100,
                self.loss(out, labels).item())


def train(training, indices, data):
    """Steps through the indices; the last, incomplete batch is left out where it is one picture."""
    batch = []
    for index in indices:
        batch.append(data[index])
        if len(batch) == BATCH:
            training.step(batch)
            batch = []
    if len(batch) > 1:
        training.step(batch)


def store_bytes(point):
    with open(f"{point}/.lodfs/stats", encoding="utf-8") as file:
        return json.load(file)["store"]["bytes"]


def one_run(job, rf, seed, point):
    """Trains on a fresh mount. Returns accuracy, loss, bytes of the store and seconds."""
    data = [(f"{point}/{job.fidelity}/{path}", label) for path, label in job.train]
    met = lodfs.MiniEpochs([path for path, _ in data], rf=rf, seed=seed, any_order=True)
    training = Training(job.classes, seed, job.epochs * -(-len(data) // BATCH))
    begun = time.monotonic()
    for _ in range(job.epochs):
        train(training, met, data)
    seconds = time.monotonic() - begun
    return (*training.validate(*job.validation), store_bytes(point), seconds)


def mounted_run(job, rf, seed, work):
    point = f"{work}/mount"
    os.makedirs(point, exist_ok=True)
    run("mount", f"{work}/store", point, "-o", f"gpu=off,cache=none,store_cache=private,"
        f"download_limit={job.rate},cache_size={job.cache}")
    try:
        return one_run(job, rf, seed, point)
    finally:
        run("umount", point)


def prepare(options, work):
    """Packs the folder, measures how fast the training is, and chooses memory and limit."""
    found, options.classes = samples(options.folder)
    options.train = [sample for number, sample in enumerate(found) if number % 5]
    kept = [sample for number, sample in enumerate(found) if not number % 5]
    source = {path: f"{options.folder}/{path}" for path, _ in found}
    options.validation = (torch.stack([load(source[path]) for path, _ in kept]),
                          torch.tensor([label for _, label in kept]))
    options.bytes = sum(os.path.getsize(source[path]) for path, _ in options.train)
    size = max(64 << 10, options.bytes // 256)
    run("pack", "-q", f"--record-size={size}", options.folder, f"{work}/store")
    begun = time.monotonic()
    train(Training(options.classes, 0, 1), range(len(options.train)),
          [(source[path], label) for path, label in options.train])
    wanted = options.bytes / (time.monotonic() - begun)
    options.rate = options.rate or max(64 << 10, int(wanted / FASTER))
    options.cache = max(1 << 20, int(options.bytes * SHARE * 4 / 3))  # prefixes take 3/4 of it
    print(f"{len(options.train)} photographs to train on, {len(kept)} to validate, "
          f"{options.bytes / 1e6:.1f} MB; the store gives {options.rate / 1e6:.2f} MB/s, the "
          f"training wants {wanted / 1e6:.2f} MB/s", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--rf", default="1,4,auto")
    parser.add_argument("--fidelity", default="full")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--rate", type=int, help="bytes/s of the store")
    return parser.parse_args()


def main():
    options = arguments()
    print("fidelity  rf    seed  accuracy  loss   passes  MB of the store  seconds")
    with tempfile.TemporaryDirectory(prefix="lodfs-demo-") as work:
        prepare(options, work)
        for fidelity in options.fidelity.split(","):
            options.fidelity = fidelity
            for seed in range(options.seeds):
                for rf in options.rf.split(","):
                    accuracy, loss, read, seconds = mounted_run(
                        options, int(rf) if rf.isdigit() else rf, seed, work)
                    print(f"{fidelity:8}  {rf:4}  {seed:4}  {accuracy:7.1f}%  {loss:.3f}  "
                          f"{read / options.bytes:6.2f}  {read / 1e6:15.1f}  {seconds:7.1f}",
                          flush=True)


if __name__ == "__main__":
    main()
