# SPDX-License-Identifier: Apache-2.0
"""Stores of lodfs and their tables, without a mount.

    store = lodfs.open("photos.lodfs")
    store.list("cats")                          # names, sizes, times
    store.read("cats/1.jpg", fidelity="q5")     # bytes

    A = lodfs.toc.open("/mnt/data/full/x.toc")  # or one shard, or store.table("x.toc")
    A @ v, v @ A, A @ M, M @ A, A * 2.0         # on the compressed rows
"""
from . import toc
from ._library import LodfsError, version
from .store import Entry, Store, open

__all__ = ["Entry", "LodfsError", "Store", "open", "toc", "version"]
__version__ = version()
