# SPDX-License-Identifier: Apache-2.0
"""Tables that are multiplied as they are compressed: NumPy arrays in and out.

Products are of float32 where the other side is of float32, else of float64. Zeros of the table are
left out of every sum, as in sparse matrices: 0 times infinity is 0.
"""
import os
from ctypes import byref, c_void_p

import numpy as np

from ._library import TABLE, call


def new_handle():
    return TABLE()


def open(path):  # pylint: disable=redefined-builtin
    """Opens a shard file, or a folder x.toc of shards as one table; below a mount or on disk."""
    handle = new_handle()
    call("table_open", os.fsencode(path), byref(handle))
    return Table(handle)


def from_bytes(data):
    """Opens a shard that is in memory."""
    handle = new_handle()
    call("table_open_bytes", data, len(data), byref(handle))
    return Table(handle)


def _address(array):
    return array.ctypes.data_as(c_void_p)


def _numbers(array, axes):
    """As float32 or float64, in C order; the suffix of functions for it."""
    array = np.asarray(array)
    if array.ndim not in axes:
        raise ValueError(f"expected {' or '.join(map(str, axes))} axes, not {array.ndim}")
    dtype = np.float32 if array.dtype == np.float32 else np.float64
    return np.ascontiguousarray(array, dtype), "f4" if dtype is np.float32 else "f8"


class Table:
    """R rows of C numbers. Immutable: any number of threads may use one at once."""

    __array_ufunc__ = None  # so that v @ A and 2 * A come here

    def __init__(self, handle):
        self._handle = handle
        self.shape = (call("table_rows", handle), call("table_columns", handle))
        self.dtype = np.dtype(call("table_dtype", handle).decode())
        self.batches = call("table_batches", handle)

    ndim = 2

    @property
    def shards(self):
        return call("table_shards", self._handle)

    @property
    def nbytes_stored(self):
        """Bytes of the shards as they are stored."""
        return call("table_stored_bytes", self._handle)

    @property
    def nbytes(self):
        """Bytes in memory."""
        return call("table_memory_bytes", self._handle)

    def close(self):
        """No thread may use the table any more."""
        handle, self._handle = self._handle, TABLE()
        call("table_close", handle)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return (f"<lodfs.toc.Table {self.shape[0]} x {self.shape[1]} {self.dtype.str}, "
                f"{self.shards} shards, {self.nbytes_stored} bytes>")

    # ---------------------------------------------------------------------------- rows

    def _range(self, first, count):
        first = range(self.shape[0] + 1)[first]
        count = self.shape[0] - first if count is None else count
        if count < 0 or count > self.shape[0] - first:
            raise ValueError(f"the table has {self.shape[0]} rows")
        return first, count

    def rows(self, first=0, count=None):
        """Rows as the source had them, bit for bit, in its dtype."""
        first, count = self._range(first, count)
        into = np.empty((count, self.shape[1]), self.dtype)
        call("table_elements", self._handle, first, count, _address(into))
        return into

    def to_dense(self, dtype=np.float64, first=0, count=None):
        """Rows as float64 or float32."""
        first, count = self._range(first, count)
        into = np.empty((count, self.shape[1]), dtype)
        suffix = {"<f8": "f8", "<f4": "f4"}.get(into.dtype.str)
        if not suffix:
            raise ValueError("a table becomes float64 or float32; rows() keeps its own dtype")
        call(f"table_dense_{suffix}", self._handle, first, count, _address(into))
        return into

    def __array__(self, dtype=None, copy=None):
        dense = self.to_dense()
        return dense if dtype is None else dense.astype(dtype)

    # ------------------------------------------------------------------------ products

    def batch(self, first, count=1):
        """Batches first .. first + count - 1: what mini-batch training multiplies with."""
        return Batches(self, first, count)

    def _all(self):
        return Batches(self, 0, self.batches)

    def __matmul__(self, other):
        return self._all() @ other

    def __rmatmul__(self, other):
        return other @ self._all()

    def __mul__(self, factor):
        handle = new_handle()
        call("table_scale", self._handle, float(factor), byref(handle))
        return Table(handle)

    __rmul__ = __mul__


class Batches:
    """Consecutive mini-batches of a table, which it keeps alive."""

    __array_ufunc__ = None

    def __init__(self, table, first, count):
        if first < 0 or count < 0 or first + count > table.batches:
            raise ValueError(f"the table has {table.batches} batches")
        self.table, self._first, self._count = table, first, count
        self.start = call("table_batch_start", table._handle, first)
        self.shape = (call("table_batch_rows", table._handle, first, count), table.shape[1])

    def _run(self, name, other, into, *more):
        handle = self.table._handle
        if not handle:
            raise ValueError("the table is closed")
        call(f"table_{name}", handle, self._first, self._count, _address(other), *more,
             _address(into), None)
        return into

    def _check(self, there, wanted):
        if there != wanted:
            raise ValueError(f"a product of {self.shape} with a side of {there}")

    def __matmul__(self, other):
        other, suffix = _numbers(other, (1, 2))
        self._check(other.shape[0], self.shape[1])
        if other.ndim == 1:
            into = np.empty(self.shape[0], other.dtype)
            return self._run(f"times_vector_{suffix}", other, into)
        into = np.empty((self.shape[0], other.shape[1]), other.dtype)
        return self._run(f"times_matrix_{suffix}", other, into, other.shape[1])

    def __rmatmul__(self, other):
        other, suffix = _numbers(other, (1, 2))
        self._check(other.shape[-1], self.shape[0])
        if other.ndim == 1:
            into = np.empty(self.shape[1], other.dtype)
            return self._run(f"vector_times_{suffix}", other, into)
        into = np.empty((other.shape[0], self.shape[1]), other.dtype)
        return self._run(f"matrix_times_{suffix}", other, into, other.shape[0])

    def to_dense(self, dtype=np.float64):
        return self.table.to_dense(dtype, self.start, self.shape[0])
