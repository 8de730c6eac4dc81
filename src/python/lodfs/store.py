# SPDX-License-Identifier: Apache-2.0
"""A store as files: list and read at a fidelity. Any number of threads may use one at once."""
from __future__ import annotations

import operator
import os
from ctypes import byref, c_int32, c_size_t, c_uint64, c_void_p, create_string_buffer
from typing import Iterable, List, NamedTuple, Optional, Union

import numpy as np

from . import likeness, toc
from ._library import STORE, Owner, RawEntry, call
from .file import File

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

_KINDS = {1: "file", 2: "folder", 3: "symlink"}
_LISTED_AT_ONCE = 64
_LINK_BYTES = _PATH_BYTES = 4096
_OF_FOLDER = -2  # LODFS_LABEL_OF_FOLDER


class Entry(NamedTuple):
    """A name of the store, as a mount shows it."""
    name: str
    kind: str  # "file", "folder", "symlink"
    bytes: int
    mode: int
    mtime: float


def _entry(raw):
    return Entry(os.fsdecode(raw.name), _KINDS[raw.kind], raw.bytes, raw.mode,
                 raw.mtime_seconds + raw.mtime_nanoseconds / 1e9)


def open(path: Path, cache_bytes: int = 0) -> Store:  # pylint: disable=redefined-builtin
    """Opens the store in the folder `path`, behind this URL, or shown at this mount point."""
    return Store(path, cache_bytes)


def _table(location, path):
    """Opens a pickled table of a store again."""
    with Store(location) as store:
        return store.table(path)


class Store(Owner):
    """An open store; `with` closes it. Paths are those of the source, "" is its root.

    With the fidelity None, a path may begin as below a mount: "q4/cats/1.jpg", "decoded/q4/..",
    "tar/q4/train-000000.tar". A path that does not is one of the source at full.

    It works in forked workers, and a pickle opens it again where it is unpickled. Stores of one
    folder are equal; a copy is the same store.
    """

    _noun = "store"

    def __init__(self, path: Path, cache_bytes: int = 0) -> None:
        self._handle = STORE()
        call("store_open", os.fsencode(path), cache_bytes, byref(self._handle))
        path = os.fsdecode(path)
        self.path = path if "://" in path else os.path.realpath(path)
        self._cache_bytes = cache_bytes

    @staticmethod
    def _fidelity(name):
        number = call("fidelity", str(name).encode())
        if not number:
            raise ValueError(f"no fidelity is called {name!r}: q1 .. q10, full, original")
        return number

    def __reduce__(self):
        self._opened()
        return type(self), (self.path, self._cache_bytes)

    def __eq__(self, other):
        return self.path == other.path if isinstance(other, Store) else NotImplemented

    def __hash__(self):
        return hash(self.path)

    def __repr__(self):
        return f"<lodfs.Store {self.path!r}{'' if self._handle else ', closed'}>"

    def _place(self, path, fidelity):
        """Returns the path and the number of its fidelity, or None for a path as below a mount."""
        if fidelity is not None:
            return path, self._fidelity(fidelity)
        first = os.fsencode(path).lstrip(b"/").partition(b"/")[0]
        try:
            call("view_stat", self._opened(), first, byref(RawEntry()))
        except FileNotFoundError:
            return path, self._fidelity("full")
        return path, None

    def stat(self, path: Path = "", fidelity: Optional[str] = "full") -> Entry:
        """Returns the entry of a path."""
        raw = RawEntry()
        path, number = self._place(path, fidelity)
        if number is None:
            call("view_stat", self._opened(), os.fsencode(path), byref(raw))
        else:
            call("stat", self._opened(), os.fsencode(path), number, byref(raw))
        return _entry(raw)

    def list(self, path: Path = "", fidelity: Optional[str] = "full") -> List[Entry]:
        """Returns the entries of a folder, sorted by name."""
        cursor, count, found = c_uint64(), c_size_t(1), []
        raw = (RawEntry * _LISTED_AT_ONCE)()
        path, number = self._place(path, fidelity)
        kind, at = ("list", (number,)) if number else ("view_list", ())
        while count.value:
            call(kind, self._opened(), os.fsencode(path), *at, byref(cursor), raw, _LISTED_AT_ONCE,
                 byref(count))
            found += [_entry(raw[i]) for i in range(count.value)]
        return found

    def read(self, path: Path, fidelity: Optional[str] = "full", offset: int = 0,
             bytes: Optional[int] = None) -> bytes:
        """Returns bytes [offset, offset + bytes) of a file; without `bytes` all bytes from `offset`
        on."""
        with self.open(path, fidelity) as file:
            file.seek(offset)
            return file.read(bytes)

    def open(self, path: Path, fidelity: Optional[str] = None) -> File:
        """Returns a file as a binary file object (lodfs.File): readable, seekable, unbuffered."""
        if self._place(path, fidelity)[1] is None:
            return File(self, path, None)
        return File(self, path, fidelity or "full")

    def items(self, paths: Iterable[Path], fidelity: Optional[str] = "full") -> np.ndarray:
        """Returns the item numbers of files as an array. A path that is no file gets NO_ITEM of
        lodfs.order. With the fidelity None, all paths begin as below a mount."""
        names = [os.fsencode(path) for path in paths]
        items = np.empty(len(names), np.uint32)
        if any(b"\0" in name for name in names):
            raise ValueError("embedded null byte")
        call("view_items_of" if fidelity is None else "items_of", self._opened(),
             b"".join(name + b"\0" for name in names), items.size, c_void_p(items.ctypes.data))
        return items

    def item_path(self, item: int) -> str:
        """Returns the path of an item; of equal files the first one."""
        into = create_string_buffer(_PATH_BYTES)
        call("item_path", self._opened(), operator.index(item), into, _PATH_BYTES)
        return os.fsdecode(into.value)

    def item_label(self, item: int) -> Optional[int]:
        """Returns the label that pack --labels gave a picture, -1 for none; None if the label
        follows from its folder."""
        label = c_int32()
        call("item_label", self._opened(), operator.index(item), byref(label))
        return None if label.value == _OF_FOLDER else label.value

    def read_item(self, item: int, fidelity: str = "full") -> bytes:
        """Returns the bytes of an item's file."""
        number, room, got = self._fidelity(fidelity), c_uint64(), c_size_t()
        call("item_bytes", self._opened(), operator.index(item), number, byref(room))
        into = np.empty(room.value, np.uint8)
        call("item_read", self._opened(), operator.index(item), number, 0,
             c_void_p(into.ctypes.data), into.size, byref(got))
        return into[:got.value].tobytes()

    def link(self, path: Path) -> str:
        """Returns the target of a symbolic link."""
        into = create_string_buffer(_LINK_BYTES)
        call("link", self._opened(), os.fsencode(path), into, _LINK_BYTES)
        return os.fsdecode(into.value)

    def likeness(self, size: Optional[int] = None, crop: Optional[float] = None,
                 target: float = .95, sample: int = 128) -> likeness.Likeness:
        """Measures how similar each fidelity is to full, and returns the lowest sufficient one.

        Images are compared as a network gets them. `size` is their shorter side. With `crop`, a
        number below 1, the network gets random crops of size x size pixels that cover `crop` to 1
        of the image's area. Returns a Likeness. Blocks this thread for some seconds.
        """
        return likeness.measure(self._opened(), size, crop, target, sample)

    def table(self, path: Path) -> toc.Table:
        """The table of a folder x.toc, or of one shard, as of lodfs.toc.open."""
        handle = toc.new_handle()
        call("table_open_store", self._opened(), os.fsencode(path), byref(handle))
        return toc.Table(handle, (_table, (self.path, os.fsdecode(path))))
