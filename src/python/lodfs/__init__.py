# SPDX-License-Identifier: Apache-2.0
"""Stores of lodfs and their tables, without a mount.

    store = lodfs.open("photos.lodfs")
    store.list("cats")                          # names, sizes, times
    store.read("cats/1.jpg", fidelity="q5")     # bytes
    PIL.Image.open(store.open("q5/cats/1.jpg")) # a file object, as below a mount
    store.list("tar/q5", None)                  # likewise: framed files, pixels, ..
    store.likeness(size=224).fidelity           # the one to train at

    lodfs.l3.decode("/mnt/photos/native/full/a.png.l3")  # H x W x C; device="cuda": stays there

    A = lodfs.toc.open("/mnt/data/full/x.toc")  # or one shard, or store.table("x.toc")
    A @ v, v @ A, A @ M, M @ A, A * 2.0         # on the compressed rows

    lodfs.Mount("/mnt/photos").auto = "q4"      # what all readers of the link see from now on
    lodfs.FidelityTuner(...)                    # chooses it while a model is trained

All of these work in worker processes, forked or spawned. lodfs.torch is for PyTorch, and imported
on its own.
"""
from . import l3, toc
from ._library import LodfsError, version
from .file import File
from .likeness import Level, Likeness
from .mounts import Mount
from .store import Entry, Store, open
from .tune import FidelityTuner

__all__ = ["Entry", "FidelityTuner", "File", "Level", "Likeness", "LodfsError", "Mount", "Store",
           "l3", "open", "toc", "version"]
__version__ = version()
