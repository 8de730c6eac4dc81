# SPDX-License-Identifier: Apache-2.0
"""lodfs.Mount.auto, and a tuner that switches it; lodfs.torch.Gradients, which changes nothing; the
lines of lodfs-loaders(7).
"""
import importlib.util
import logging
import os
import random
import sys

import stores
from mounted import Mount, Results, Work

if not importlib.util.find_spec("numpy"):
    print("SKIP: there is no NumPy")
    sys.exit(77)

import numpy as np

sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))

import lodfs
from fake_gradients import Clock, Fake, train

logging.getLogger("lodfs.tune").setLevel(logging.CRITICAL)


def check_mount(work):
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        print("SKIP: /dev/fuse cannot be opened here: no mount was switched")
        return
    stores.make_photographs(f"{work}/source")
    stores.pack(f"{work}/source", f"{work}/store")
    with Mount(f"{work}/store", f"{work}/mount", "-o", "gpu=off") as point:
        mount = lodfs.Mount(f"{point}/q5/none")
        if mount.root != point or mount.store != f"{work}/store":
            yield f"{mount.root}, {mount.store}"
        mount.auto = "q2"
        if mount.auto != "q2" or os.readlink(f"{point}/auto") != "q2":
            yield f"auto is {mount.auto}"
        for wrong in "q11", "original", "", "auto":
            try:
                mount.auto = wrong
                yield f"auto={wrong} is taken"
            except ValueError:
                pass
        clock = Clock()
        tuner = lodfs.FidelityTuner(Fake(clock, {"q1": .5}), items=12, total=2000, mount=point,
                                    size=96, epoch=50, clock=clock, bound=.5)
        if mount.auto != "full":
            yield f"warm-up at {mount.auto}"
        train(tuner, clock, 300)
        if mount.auto != tuner.level or tuner.level in ("full", "q1"):
            yield f"the mount is at {mount.auto}, the tuner at {tuner.level}"
    try:
        lodfs.Mount(work)
        yield "a folder is a mount"
    except ValueError:
        pass
    train(tuner, clock, 1700, begin=300)  # the mount is gone


def page():
    """The ten lines of lodfs-loaders(7)."""
    path = os.path.join(os.environ["SOURCE_ROOT"], "man", "lodfs-loaders.7")
    with open(path, encoding="utf-8") as file:
        blocks = [block.split(".Ed\n")[0] for block in
                  file.read().split(".Bd -literal -offset indent\n")[1:]]
    found = [block for block in blocks if "FidelityTuner" in block]
    assert len(found) == 1
    return found[0]


def check_page(work):
    """They run as they stand, but for the place of the mount and the number of workers."""
    try:
        import torch
        from torch.utils.data import DataLoader
        from torchvision import transforms
        from torchvision.datasets import ImageFolder
    except ImportError as error:
        print(f"SKIP: {error}: the lines of lodfs-loaders(7) were not run")
        return
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        print("SKIP: /dev/fuse cannot be opened here: the lines of lodfs-loaders(7) were not run")
        return
    for label in "ab":
        stores.make_photographs(f"{work}/labels/{label}")
    stores.pack(f"{work}/labels", f"{work}/labels.lodfs")
    model = torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(),
                                torch.nn.BatchNorm1d(48), torch.nn.Linear(48, 2))
    criterion, optimizer = torch.nn.CrossEntropyLoss(), torch.optim.SGD(model.parameters(), .5)

    def train_step(images, labels):
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        return loss

    with Mount(f"{work}/labels.lodfs", f"{work}/photos", "-o", "gpu=off") as point:
        names = {"ImageFolder": ImageFolder, "DataLoader": DataLoader, "model": model,
                 "criterion": criterion, "train_step": train_step, "epochs": 24,
                 "transform": transforms.Compose([transforms.Resize((224, 224)),
                                                  transforms.ToTensor()])}
        text = page().replace("/mnt/photos", point).replace("num_workers=8", "num_workers=0")
        exec(text.replace("batch_size=128", "batch_size=12"), names)  # pylint: disable=exec-used
        tuner = names["tuner"]
        if not tuner.history or lodfs.Mount(point).auto != tuner.level:
            yield f"{tuner.history}, the mount is at {lodfs.Mount(point).auto}"


def torch_states(torch, model):
    return ([value.clone() for value in model.state_dict().values()],
            [None if weight.grad is None else weight.grad.clone() for weight in model.parameters()],
            [module.training for module in model.modules()], torch.get_rng_state(),
            random.getstate(), np.random.get_state()[1].copy(), torch.is_grad_enabled(),
            torch.is_autocast_enabled())


def same(one, other):
    if hasattr(one, "equal"):
        return one.equal(other)
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def check_torch():
    try:
        import torch
    except ImportError as error:
        print(f"SKIP: {error}: python3-torch is not installed, so its gradients were not tried")
        return
    import lodfs.torch
    model = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.BatchNorm1d(5),
                                torch.nn.Dropout(.5), torch.nn.Linear(5, 2))
    pictures, labels = torch.randn(40, 6), torch.arange(40) % 2
    opened = []

    class Data:
        def __init__(self, level):
            self.level = level
            opened.append(level)

        def __getitem__(self, index):
            if self.level == "q9" and index > 20:
                raise OSError("cannot be read")
            faint = 0 if self.level == "full" else .1
            return pictures[index] + random.random() + np.random.rand() + faint, labels[index]

    torch.nn.functional.cross_entropy(model(pictures), labels).backward()
    model[1].eval()
    gradients = lodfs.torch.Gradients(model, torch.nn.functional.cross_entropy, Data)
    before = torch_states(torch, model)
    indices = np.arange(32)
    with torch.no_grad():
        first = gradients("full", indices, 5)
        if not same(first, gradients("full", indices, 5)):
            yield "the same seed, other gradients"
        if same(first, gradients("full", indices, 6)) or same(first, gradients("q1", indices, 5)):
            yield "another seed or level, the same gradients"
        try:
            gradients("q9", indices, 5)
            yield "a picture that cannot be read gave a gradient"
        except OSError:
            pass
    if not same(before, torch_states(torch, model)):
        yield "the model or a random state is not as it was"
    if len(first) != len(list(model.parameters())) or opened != ["full", "q1", "q9"]:
        yield f"{len(first)} gradients, opened {opened}"
    if gradients.ranks.rank or gradients.ranks.broadcast(3) != 3:
        yield "ranks without torch.distributed"


def main():
    results = Results()
    results.add("PyTorch's gradients", check_torch())
    with Work() as work:
        results.add("a mount", check_mount(work))
        results.add("the lines of lodfs-loaders(7)", check_page(work))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
