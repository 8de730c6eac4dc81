# SPDX-License-Identifier: Apache-2.0
"""For PyTorch. `import lodfs` does not import this module, and this one imports PyTorch and its
companions only where it needs them.

    import lodfs.torch
    data = ImageFolder("/mnt/photos/q5", loader=lodfs.torch.loader)
    sampler = lodfs.torch.Sampler(data)                 # a shuffled order that a slow store serves
    batches = DataLoader(data, batch_size=256, sampler=sampler, num_workers=4)

    images = lodfs.torch.Images("photos.lodfs", "q5", batch_size=256)   # without a mount
    batches = DataLoader(images, batch_size=256, num_workers=4)
"""
import io
import json
import os
import warnings

import numpy as np

from ._library import call
from .mounts import Mount
from .order import NO_ITEM, Order, Walk
from .store import Store

__all__ = ["Gradients", "Images", "Sampler", "loader"]


def __getattr__(name):
    if name == "Images":  # its base is a class of PyTorch
        from ._images import Images
        return Images
    if name == "Gradients":
        from ._gradients import Gradients
        return Gradients
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def loader(path):
    """The RGB picture of a file, as torchvision's own loader gives it: for ImageFolder(loader=..).

    Before Python 3.14 open() asks of each file whether it is a terminal, which is a request to a
    mount's server. io.FileIO does not ask.
    """
    from PIL import Image
    with io.BufferedReader(io.FileIO(path)) as file:
        return Image.open(file).convert("RGB")


def _warn_of_order(store):
    """A store that was packed by path has similar pictures side by side."""
    if "://" in store.path:  # its manifest is not at hand
        return
    with open(os.path.join(store.path, "manifest.json"), encoding="utf-8") as file:
        if (json.load(file)["pack"] or {}).get("order") == "path":
            warnings.warn(f"{store.path} was packed with --order=path: a run of neighbouring "
                          "records is no random sample of it", stacklevel=3)


class Sampler:
    """The indices of a dataset below a mount, in the order of lodfs(1), `lodfs order`.

    `dataset` is an ImageFolder, or anything with .samples, or a list of paths. Each index comes
    once in an epoch; those of files that are not in the store come last. `seed` and the epoch,
    which set_epoch() sets as for DistributedSampler, give the order; `run` is how many bytes of the
    store are shuffled as a whole, and should fit half of the mount's cache.

    `rank` and `world` are those of torch.distributed or torchrun unless given; `nodes` is the
    number of machines with a mount each. `tail="drop"` leaves out the indices that do not come out
    even, "wrap" deals the first ones again. `store` is the store's folder, which only root and the
    user who mounted it need not name.
    """

    def __init__(self, dataset, seed=0, run="96M", rank=None, world=None, nodes=1, tail="drop",
                 store=None):
        paths = [sample[0] for sample in dataset.samples] if hasattr(dataset, "samples") \
            else list(dataset)
        if not paths:
            raise ValueError("the dataset is empty")
        mount = Mount.around(paths[0])
        if not mount:
            paths = [os.path.realpath(path) for path in paths]
            mount = Mount.around(paths[0])
        if not mount:
            raise ValueError(f"{os.fsdecode(paths[0])!r} lies in no mount of lodfs")
        first = mount.split(paths[0])
        if not first:
            raise ValueError(f"{os.fsdecode(paths[0])!r} is in none of q1 .. q10, full, original "
                             f"and auto of {mount.root}")
        # The fidelity of `auto` may change, and other processes see that earlier or later.
        fidelity = call("fidelity", os.fsencode("full" if first[0] == "auto" else first[0]))
        with Store(store or mount.store) as opened:
            items = self._items(opened, mount, paths)
            known = np.flatnonzero(items != NO_ITEM)
            order = Order(opened, seed, items=items[known])
            _warn_of_order(opened)
        by_item = known[np.argsort(items[known], kind="stable")]
        self._indices, self._sorted = by_item, items[by_item]
        self._walk = Walk(order, seed, fidelity, run, rank, world, nodes, tail, self._expand,
                          np.flatnonzero(items == NO_ITEM))

    @staticmethod
    def _items(store, mount, paths):
        """The items of paths; links are followed where a path is none."""
        def numbers(chosen):
            below = [mount.split(path) for path in chosen]
            # No file is called "": it is NO_ITEM.
            return store.items([found[1] if found else "" for found in below])
        items = numbers(paths)
        missing = np.flatnonzero(items == NO_ITEM)
        items[missing] = numbers([os.path.realpath(paths[i]) for i in missing])
        return items

    def _expand(self, items):
        """The indices of items, in their order; an item may have several."""
        first = np.searchsorted(self._sorted, items, "left")
        count = np.searchsorted(self._sorted, items, "right") - first
        before = np.cumsum(count) - count
        return self._indices[np.arange(count.sum()) + np.repeat(first - before, count)]

    def __iter__(self):
        return self._walk.values()

    def __len__(self):
        return len(self._walk)

    def set_epoch(self, epoch):
        """The next iteration is this epoch. Without it, each is the same, as DistributedSampler's.

        A state of this epoch that was loaded stays.
        """
        self._walk.begin(epoch)

    def state_dict(self):
        """Where the order stands, in a few numbers. A DataLoader draws indices ahead of the
        training step: StatefulDataLoader knows of that, and for others there is state_at().
        """
        return self._walk.state()

    def load_state_dict(self, state):
        """Goes on from a state, in the next iteration; the number of processes may be another."""
        self._walk.load(state)

    def state_at(self, batches, batch_size):
        """The state once the training step has seen `batches` batches of this iteration."""
        return self._walk.state_at(batches * batch_size)
