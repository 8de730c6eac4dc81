# SPDX-License-Identifier: Apache-2.0
"""A file of an open store as a file object of Python, which PIL, NumPy and others take."""
from __future__ import annotations

import io
import operator
import os
from ctypes import byref, c_size_t, c_void_p

import numpy as np

from ._library import FILE, call


def _again(store, path, fidelity, position):
    """Opens a pickled file again, where it was."""
    file = File(store, path, fidelity)
    file.seek(position)
    return file


class File(io.RawIOBase):
    """A file of a store at a fidelity, read-only and not buffered. None: a path below a mount.

    For lines, or many reads of a few bytes, wrap it in io.BufferedReader. It may outlive its store,
    and works in forked workers; a pickle opens it again where it was. Threads share its position.
    """

    mode = "rb"
    size: int

    def __init__(self, store, path, fidelity):
        super().__init__()
        self._handle, self._position = FILE(), 0
        self._store, self._path, self._fidelity = store, path, fidelity
        self.name = os.fsdecode(path) if fidelity is None else f"{fidelity}/{os.fsdecode(path)}"
        if fidelity is None:
            call("view_open", store._opened(), os.fsencode(path), byref(self._handle))
        else:
            call("file_open", store._opened(), os.fsencode(path), store._fidelity(fidelity),
                 byref(self._handle))
        self.size = call("file_bytes", self._handle)

    def close(self) -> None:
        handle, self._handle = self._handle, FILE()
        super().close()
        call("file_close", handle)

    def _opened(self):
        if self.closed:
            raise ValueError("the file is closed")
        return self._handle

    def readable(self) -> bool:
        self._opened()
        return True

    def seekable(self) -> bool:
        self._opened()
        return True

    def tell(self) -> int:
        self._opened()
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._opened()
        starts = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}
        if whence not in starts:
            raise ValueError(f"whence is 0, 1 or 2, not {whence!r}")
        position = starts[whence] + operator.index(offset)
        if position < 0:
            raise ValueError(f"a position before the file: {position}")
        self._position = position
        return position

    def _take(self, array):
        """Reads into an array of bytes. Returns the bytes read, which are fewer only at the end of
        the file."""
        got = c_size_t()
        call("file_read", self._opened(), self._position, c_void_p(array.ctypes.data), array.size,
             byref(got))
        self._position += got.value
        return got.value

    def readinto(self, buffer) -> int:
        self._opened()
        view = memoryview(buffer).cast("B")
        if view.readonly:
            raise TypeError("readinto() wants memory that can be written")
        return self._take(np.frombuffer(view, np.uint8)) if view.nbytes else 0

    def read(self, size: int | None = -1) -> bytes:
        self._opened()
        left = max(self.size - self._position, 0)
        into = np.empty(left if size is None or size < 0 else min(size, left), np.uint8)
        return into[:self._take(into)].tobytes()

    def readall(self) -> bytes:
        return self.read()

    def write(self, data):
        raise io.UnsupportedOperation("a store is read-only")

    def __reduce__(self):
        self._opened()
        return _again, (self._store, self._path, self._fidelity, self._position)

    def __repr__(self):
        return f"<lodfs.File {self.name!r}{', closed' if self.closed else f', {self.size} bytes'}>"
