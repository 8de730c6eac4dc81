# SPDX-License-Identifier: Apache-2.0
"""Stores of lodfs and their tables, without a mount.

    store = lodfs.open("photos.lodfs")
    store.list("cats")                          # names, sizes, times
    store.read("cats/1.jpg", fidelity="q5")     # bytes

    lodfs.l3.decode("/mnt/photos/native/full/a.png.l3")  # H x W x C; device="cuda": stays there

    A = lodfs.toc.open("/mnt/data/full/x.toc")  # or one shard, or store.table("x.toc")
    A @ v, v @ A, A @ M, M @ A, A * 2.0         # on the compressed rows
"""
from . import l3, toc
from ._library import LodfsError, version
from .store import Entry, Store, open

__all__ = ["Entry", "LodfsError", "Store", "l3", "open", "toc", "version"]
__version__ = version()
