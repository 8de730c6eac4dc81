# SPDX-License-Identifier: Apache-2.0
"""A store as files: list and read at a fidelity. Any number of threads may use one at once."""
import os
from ctypes import byref, c_size_t, c_uint64, create_string_buffer
from typing import NamedTuple

from . import toc
from ._library import STORE, RawEntry, call

_KINDS = {1: "file", 2: "folder", 3: "symlink"}
_LISTED_AT_ONCE = 64


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


def _fidelity(name):
    number = call("fidelity", name.encode())
    if not number:
        raise ValueError(f"no fidelity is called {name!r}: q1 .. q10, full, original")
    return number


def open(path, cache_bytes=0):  # pylint: disable=redefined-builtin
    """Opens the store in the folder `path`."""
    return Store(path, cache_bytes)


class Store:
    """An open store; `with` closes it. Paths are those of the source, "" is its root."""

    def __init__(self, path, cache_bytes=0):
        self._handle = STORE()
        call("store_open", os.fsencode(path), cache_bytes, byref(self._handle))

    def close(self):
        """No thread may use the store any more."""
        handle, self._handle = self._handle, STORE()
        call("store_close", handle)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def _opened(self):
        if not self._handle:
            raise ValueError("the store is closed")
        return self._handle

    def stat(self, path="", fidelity="full"):
        """The entry of one path."""
        raw = RawEntry()
        call("stat", self._opened(), os.fsencode(path), _fidelity(fidelity), byref(raw))
        return _entry(raw)

    def list(self, path="", fidelity="full"):
        """The entries of a folder, by name."""
        cursor, count, found = c_uint64(), c_size_t(1), []
        raw = (RawEntry * _LISTED_AT_ONCE)()
        while count.value:
            call("list", self._opened(), os.fsencode(path), _fidelity(fidelity), byref(cursor), raw,
                 _LISTED_AT_ONCE, byref(count))
            found += [_entry(raw[i]) for i in range(count.value)]
        return found

    def read(self, path, fidelity="full", offset=0, bytes=None):
        """Bytes [offset, offset + bytes) of a file; without `bytes` all that follow."""
        left = max(self.stat(path, fidelity).bytes - offset, 0)
        count = left if bytes is None else min(bytes, left)
        into, got = create_string_buffer(count), c_size_t()
        call("read", self._opened(), os.fsencode(path), _fidelity(fidelity), offset, into, count,
             byref(got))
        return into.raw[:got.value]

    def link(self, path):
        """The text of a symbolic link."""
        into = create_string_buffer(4096)
        call("link", self._opened(), os.fsencode(path), into, 4096)
        return os.fsdecode(into.value)

    def table(self, path):
        """The table of a folder x.toc, or of one shard, as of lodfs.toc.open."""
        handle = toc.new_handle()
        call("table_open_store", self._opened(), os.fsencode(path), byref(handle))
        return toc.Table(handle)
