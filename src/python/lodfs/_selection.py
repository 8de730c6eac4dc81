# SPDX-License-Identifier: Apache-2.0
"""The files of a dataset below a mount, as items of its store."""
import json
import os

import numpy as np

from .mounts import Mount
from .order import NO_ITEM, STORED, Order, Pass
from .store import Store


def _paths(dataset):
    if hasattr(dataset, "samples"):
        return [sample[0] for sample in dataset.samples]
    if isinstance(dataset, (str, bytes, os.PathLike)):
        raise ValueError(f"{dataset!r} is one path; the dataset is an ImageFolder or a list of "
                         "paths")
    paths = []
    for path in dataset:  # a dataset that decodes pictures is left at the first item
        if not isinstance(path, (str, bytes, os.PathLike)):
            raise ValueError(f"the dataset gives {type(path).__name__}s, not paths; give the list "
                             "of its paths, of a subset data.samples[i][0] for each i of its "
                             "indices")
        paths.append(path)
    return paths


def _place_in(mount, path):
    """Returns the place of a path in a mount, or says where it has to lie."""
    place = mount.place(path)
    if not place:
        raise ValueError(f"{os.fsdecode(path)!r} is in none of q1 .. q10, full, original and auto "
                         f"of {mount.root}, nor of its decoded/ and native/")
    return place


class Selection:
    """`dataset` is an ImageFolder, or anything with .samples, or a list of paths.

    `order` is the order of the files that are in the store, `others` has the indices of all other
    files.
    """

    def __init__(self, dataset, seed, store=None):
        self.paths = _paths(dataset)
        if not self.paths:
            raise ValueError("the dataset is empty")
        mount, first = Mount.around(self.paths[0]), self.paths[0]
        if not mount:
            first = os.path.realpath(first)
            mount = Mount.around(first)
        if not mount:
            raise ValueError(f"{os.fsdecode(first)!r} lies in no mount of lodfs")
        self.mount, self.fidelity = mount, _place_in(mount, first).fidelity
        self.location = store or mount.store
        with Store(self.location) as opened:
            items = self._items(opened)
            known = np.flatnonzero(items != NO_ITEM)
            self._indices = known[np.argsort(items[known], kind="stable")]
            self._sorted = items[self._indices]
            self.order = Order(opened, seed, items=self._sorted)
            self.location, self.by_path = opened.path, _is_by_path(opened.path)
        self.others = np.flatnonzero(items == NO_ITEM)

    def _items(self, store):
        """Returns the items of the paths. A path that is no file of the store is resolved as a
        link."""
        def numbers(chosen):
            places = [self.mount.place(path) for path in chosen]
            # No file has the name "", so it gives NO_ITEM.
            return store.items([place.shown if place else "" for place in places], None)
        items = numbers(self.paths)
        missing = np.flatnonzero(items == NO_ITEM)
        items[missing] = numbers([os.path.realpath(self.paths[i]) for i in missing])
        return items

    def expand(self, items):
        """Returns the indices of items, in the order of the items. An item may have several."""
        first = np.searchsorted(self._sorted, items, "left")
        count = np.searchsorted(self._sorted, items, "right") - first
        before = np.cumsum(count) - count
        return self._indices[np.arange(count.sum()) + np.repeat(first - before, count)]

    def check(self):
        """Checks that the mount still shows the same store, since it may have been mounted
        again."""
        manifest = _manifest(self.mount.store)
        if manifest and manifest["store_id"] != self.order.store:
            raise ValueError(f"{self.mount.root} shows store {manifest['store_id']} now, not "
                             f"{self.order.store}; mount that one there, or begin another job")


def pictures_below(folder):
    """Returns the paths of the pictures below a folder of a mount, in the order of the store."""
    mount = Mount(folder)
    place = _place_in(mount, os.path.abspath(folder))
    with Store(mount.store) as store:
        stored = Pass(Order(store, 0, place.below), STORED, 0, 1)
        items = stored.run_items(0, stored.run(0, 1, (1 << 63) - 1))
        if not place.view:
            return [f"{mount.root}/{place.fidelity}/{store.item_path(int(item))}" for item in items]
        paths = [os.path.join(at, name) for at, _, names in os.walk(os.fsdecode(folder))
                 for name in names]
        found = store.items([mount.place(path).shown for path in paths], None)
    known, first = np.unique(found, return_index=True)
    return [paths[i] for i in first[np.isin(known, items)]]


def _manifest(path):
    """Returns the manifest of a store in a folder. That of a URL is not fetched: None."""
    if "://" in path:
        return None
    with open(os.path.join(path, "manifest.json"), encoding="utf-8") as file:
        return json.load(file)


def _is_by_path(path):
    """A store that was packed by path has similar pictures next to each other."""
    return ((_manifest(path) or {}).get("pack") or {}).get("order") == "path"
