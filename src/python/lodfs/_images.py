# SPDX-License-Identifier: Apache-2.0
"""lodfs.torch.Images: the pictures of a store as an iterable dataset of PyTorch."""
import io
import operator

import torch
from torch.utils.data import IterableDataset, get_worker_info

from ._iterations import OfWalk
from .mounts import Mount
from .order import Order, Walk
from .store import Store


def _decode(data):
    from PIL import Image
    return Image.open(io.BytesIO(data)).convert("RGB")


class Images(IterableDataset):
    """Pairs of a picture and its label, read from a store without a mount.

    `store` is a store's folder or a mount. `split` is a folder of the source, "" for all of it; the
    label is the index of the class folder in .classes, -1 outside of class folders, or the label
    that pack --labels gave. `decode` turns the bytes of a file into the picture; without it they
    become one of PIL, in RGB.

    Give `batch_size` as to the DataLoader: its workers then make whole batches in turn, so that
    their number does not change the order. The other arguments, and states, are those of Sampler.
    """

    def __init__(self, store, fidelity="q4", split="", decode=None, batch_size=1, seed=0, run="96M",
                 rank=None, world=None, nodes=1, tail="drop"):
        super().__init__()
        mount = Mount.around(store) if not isinstance(store, Store) else None
        if not isinstance(store, Store):
            store = Store(mount.store if mount else store)
        self._store = store
        self.fidelity, self.split, self._decode = fidelity, split.strip("/"), decode or _decode
        number = self._store._fidelity(fidelity)
        self._batch = operator.index(batch_size)
        if self._batch < 1:
            raise ValueError(f"batch_size is {batch_size}")
        self.classes = [entry.name for entry in self._store.list(self.split, "original")
                        if entry.kind == "folder"]
        self._labels = {name: label for label, name in enumerate(self.classes)}
        self._walk = Walk(Order(self._store, seed, self.split), seed, number, run, rank, world,
                          nodes, tail)
        # Shared with persistent workers; -1: set_epoch() was not called.
        self._epoch = torch.full((1,), -1, dtype=torch.int64).share_memory_()

    def _label(self, item):
        own = self._store.item_label(item)
        if own is not None:
            return own
        path = self._store.item_path(item)
        below = path[len(self.split) + 1:] if self.split else path
        folder, slash, _ = below.partition("/")
        return self._labels[folder] if slash else -1

    def __iter__(self):
        return OfWalk(self._walk, self._pictures())

    def _pictures(self):
        worker = get_worker_info()
        mine, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        if self._epoch >= 0 and not self._walk.is_loaded:
            self._walk.begin(int(self._epoch))
        for item in self._walk.values():
            place = self._walk.done - 1
            if place // self._batch % workers == mine:
                yield (self._decode(self._store.read_item(item, self.fidelity)),
                       self._label(item))

    def __len__(self):
        return len(self._walk)

    def set_epoch(self, epoch):
        """Sets the epoch of the next iteration. Without a call, each iteration is the same."""
        self._epoch[0] = epoch
        self._walk.begin(epoch)

    def state_dict(self):
        """Returns the position in the order. With workers, each worker has a state: see
        state_at()."""
        return self._walk.state()

    def load_state_dict(self, state):
        """Continues from a state in the next iteration."""
        self._walk.load(state)

    def state_at(self, batches):
        """The state once the training step has seen `batches` batches of this iteration."""
        return self._walk.state_at(batches * self._batch)
