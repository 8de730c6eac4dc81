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
    A @ v, v @ A, A @ M, M @ A, A / 2, A.sum(0) # on the compressed rows
    A[5:10], A[[7, 3], 2]                       # unpacks these rows

    lodfs.Mount("/mnt/photos").auto = "q4"      # what all readers of the link see from now on
    lodfs.FidelityTuner(...)                    # chooses it while a model is trained
    lodfs.MiniEpochs(data)                      # repeats what is in memory while more is loaded

All of these work in worker processes, forked or spawned. lodfs.torch is for PyTorch, and imported
on its own. The names above are imported when they are first used, and most of them need NumPy.
`python -m lodfs` is the program, and needs neither.
"""
import importlib
import typing

if typing.TYPE_CHECKING:  # names that are imported when they are first used
    from . import l3 as l3, toc as toc
    from ._library import LodfsError as LodfsError, version as version
    from .file import File as File
    from .likeness import Level as Level, Likeness as Likeness
    from .mini_epochs import MiniEpochs as MiniEpochs
    from .mounts import Mount as Mount
    from .store import Entry as Entry, Store as Store, open as open
    from .tune import FidelityTuner as FidelityTuner

# The module of each name; None: the name is a module.
_HOMES = {"Entry": "store", "FidelityTuner": "tune", "File": "file", "Level": "likeness",
          "Likeness": "likeness", "LodfsError": "_library", "MiniEpochs": "mini_epochs",
          "Mount": "mounts", "Store": "store", "l3": None, "open": "store", "toc": None,
          "version": "_library"}

__all__ = list(_HOMES)


def __getattr__(name):
    if name == "__version__":
        return __getattr__("version")()
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES[name]
    try:
        module = importlib.import_module(f".{home or name}", __name__)
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise ModuleNotFoundError(f"lodfs.{name} needs NumPy: pip install numpy",
                                  name="numpy") from None
    value = module if home is None else getattr(module, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_HOMES, "__version__"})
