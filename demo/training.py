# SPDX-License-Identifier: Apache-2.0
"""A small network that learns classes of photographs below a mount: of train_mini_epochs.py and
tune_fidelity.py. It is no program.
"""
import argparse
import ctypes
import json
import os
import random
import shutil
import signal
import statistics
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
    import lodfs  # noqa: F401
except ImportError as error:
    sys.exit(f"{error}: this needs lodfs's Python package (pip install lodfs)")

SIDE, BATCH, FOLDS = 64, 32, 5
MOUNT_S = 60
LODFS = os.environ.get("LODFS", "lodfs")
_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


# ------------------------------------------------------------------------------- the programs


def arguments(description):
    """A parser of what both programs take; the folder of photographs is checked by samples()."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=16)
    return parser


def run(*words):
    done = subprocess.run([LODFS, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout)


def work_folder():
    """A folder that goes with the program, also if that is interrupted or terminated."""
    for number in signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    return tempfile.TemporaryDirectory(prefix="lodfs-demo-")


class Mounted:
    """with Mounted(store, point, options): a mount that ends with the block.

    It is a child of this process, and the kernel ends it if this process is killed.
    """

    def __init__(self, store, point, options):
        self._words = [LODFS, "mount", "-f", store, point, "-o", options]
        self._point, self._log = point, f"{point}.log"

    def __enter__(self):
        parent = os.getpid()

        def ends_with_parent():
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:
                os._exit(1)

        os.makedirs(self._point, exist_ok=True)
        with open(self._log, "wb") as log:
            self._daemon = subprocess.Popen(self._words, stdout=log, stderr=log,
                                            preexec_fn=ends_with_parent)
        try:
            self._await()
        except BaseException:
            self.__exit__()
            raise
        return self._point

    def _await(self):
        while not os.path.ismount(self._point):
            if self._daemon.poll() is not None:
                with open(self._log, encoding="utf-8", errors="replace") as log:
                    sys.exit(log.read())
            time.sleep(.02)

    def __exit__(self, *_):
        self._daemon.terminate()
        try:
            self._daemon.wait(MOUNT_S)
        except subprocess.TimeoutExpired:
            self._daemon.kill()
            self._daemon.wait()
        if os.path.ismount(self._point):
            run("umount", "-l", self._point)


def store_bytes(point):
    """The bytes that the mount has read from its store."""
    with open(f"{point}/.lodfs/stats", encoding="utf-8") as file:
        return json.load(file)["store"]["bytes"]


# ------------------------------------------------------------------------------- photographs


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
        image.draft("RGB", (SIDE, SIDE))
        pixels = np.asarray(image.convert("RGB").resize((SIDE, SIDE)), np.float32)
    return torch.from_numpy(pixels.copy()).permute(2, 0, 1) / 128 - 1


def changed(picture):
    """The picture, perhaps mirrored, and shifted by a few pixels."""
    picture = picture.flip(2) if random.random() < .5 else picture
    return picture.roll((random.randrange(-4, 5), random.randrange(-4, 5)), (1, 2))


class Split:
    """Photographs to train on, in a store of their own, and a fifth of all to validate.

    Each seed keeps another fifth, so five seeds validate every photograph once. `train` and
    `source` are lists of (path, class): paths below the store's root, and those of the files.
    """

    def __init__(self, folder, seed, work):
        found, self.classes = samples(folder)
        self.train, kept = [], []
        for number, sample in enumerate(found):
            (kept if number % FOLDS == seed % FOLDS else self.train).append(sample)
        self.source = [(f"{folder}/{path}", label) for path, label in self.train]
        self.validation = (torch.stack([load(f"{folder}/{path}") for path, _ in kept]),
                           torch.tensor([label for _, label in kept]))
        self.bytes = sum(os.path.getsize(path) for path, _ in self.source)
        self.store = f"{work}/store-{seed}"
        self._pack(folder, f"{work}/train-{seed}")

    def _pack(self, folder, copy):
        for path, _ in self.train:
            os.makedirs(os.path.dirname(f"{copy}/{path}"), exist_ok=True)
            shutil.copyfile(f"{folder}/{path}", f"{copy}/{path}")
        size = max(64 << 10, self.bytes // 256)
        run("pack", "-q", f"--record-size={size}", copy, self.store)
        shutil.rmtree(copy)

    def below(self, point, fidelity):
        return [(f"{point}/{fidelity}/{path}", label) for path, label in self.train]

    def wanted(self):
        """Returns the bytes a second that a training reads if it never waits for data."""
        training = Training(self.classes, 0, len(self.train))
        begun = time.monotonic()
        training.steps(range(len(self.train)), self.source)
        return self.bytes / (time.monotonic() - begun)


# ------------------------------------------------------------------------------- training


def network(classes):
    layers, before = [], 3
    for width in 16, 32, 64, 128:
        layers += [nn.Conv2d(before, width, 3, padding=1, bias=False), nn.BatchNorm2d(width),
                   nn.ReLU(), nn.MaxPool2d(2)]
        before = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, classes))


class Training:
    """A network, and its steps: cross entropy, SGD with a falling rate, mirrors and shifts."""

    def __init__(self, classes, seed, total):
        torch.manual_seed(seed)
        random.seed(seed)
        self.model, self.loss = network(classes), nn.CrossEntropyLoss()
        self.optimiser = torch.optim.SGD(self.model.parameters(), .05, .9, weight_decay=5e-4)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimiser, max(1, total))

    def step(self, batch):
        pictures = torch.stack([changed(load(path)) for path, _ in batch])
        loss = self.loss(self.model(pictures), torch.tensor([label for _, label in batch]))
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        self.schedule.step()
        return loss.item()

    def steps(self, indices, data, seen=lambda loss: None):
        """Steps through the indices; a last batch of a single picture is left out."""
        batch = []
        for index in indices:
            batch.append(data[index])
            if len(batch) == BATCH:
                seen(self.step(batch))
                batch = []
        if len(batch) > 1:
            seen(self.step(batch))

    def validate(self, pictures, labels):
        """The accuracy in percent, and the mean loss."""
        self.model.eval()
        with torch.no_grad():
            out = self.model(pictures)
        self.model.train()
        return ((out.argmax(1) == labels).float().mean().item() * 100,
                self.loss(out, labels).item())


# ------------------------------------------------------------------------------- results


class Results:
    """The table of results: prints a row when a training ends, and the means at the end."""

    def __init__(self, head):
        self._rows, self._head = {}, head
        print(f"{head:14}  seed  accuracy   loss  passes  MB of the store  seconds", flush=True)

    def add(self, kind, seed, row, total, note=""):
        """`row`: accuracy, loss, bytes of the store, seconds. `total`: bytes of the photographs."""
        accuracy, loss, read, seconds = row
        self._rows.setdefault(kind, []).append((accuracy, loss, read / 1e6, seconds))
        print(f"{kind:14}  {seed:4}  {accuracy:7.1f}%  {loss:5.3f}  {read / total:6.2f}  "
              f"{read / 1e6:15.1f}  {seconds:7.1f}{note}", flush=True)

    def summary(self):
        """Means, with the lowest and highest; points against the first kind of the same seeds."""
        first = next(iter(self._rows.values()))
        print(f"\n{self._head:14}  accuracy, points more than the first; loss; MB; seconds")
        for kind, rows in self._rows.items():
            points = [row[0] - other[0] for row, other in zip(rows, first)]
            error = statistics.stdev(points) / len(points) ** .5 if len(points) > 1 else 0
            cells = [f"{statistics.mean(column):.{digits}f} ({min(column):.{digits}f}-"
                     f"{max(column):.{digits}f})"
                     for column, digits in zip(zip(*rows), (1, 3, 1, 0))]
            print(f"{kind:14}  {cells[0]}, {statistics.mean(points):+.1f} (s.e. {error:.1f}); "
                  + "; ".join(cells[1:]), flush=True)
