# SPDX-License-Identifier: Apache-2.0
"""Tables that are multiplied as they are compressed: NumPy arrays in and out.

Products are of float32 where the other side is of float32, else of float64. Zeros of the table are
left out of every sum, as in sparse matrices: 0 times infinity is 0. Tables, their batches and .T of
both have shape, dtype, matvec, rmatvec, matmat and rmatmat, so SciPy's aslinearoperator takes them.
"""
from __future__ import annotations

import numbers
import operator
import os
from ctypes import byref, c_void_p
from typing import Iterator, Optional, Tuple

import numpy as np

from ._library import TABLE, Owner, call
from ._rows import Rows


def new_handle():
    return TABLE()


def open(path: str | bytes | os.PathLike) -> Table:  # pylint: disable=redefined-builtin
    """Opens a shard file, or a folder x.toc of shards as one table; below a mount or on disk."""
    handle, path = new_handle(), os.path.abspath(os.fsdecode(path))
    call("table_open", os.fsencode(path), byref(handle))
    return Table(handle, (open, (path,)))


def from_bytes(data: bytes) -> Table:
    """Opens a shard that is in memory."""
    handle, data = new_handle(), bytes(data)
    call("table_open_bytes", data, len(data), byref(handle))
    return Table(handle, (from_bytes, (data,)))


def _address(array):
    return array.ctypes.data_as(c_void_p)


def _numbers(array, axes):
    """Returns an array as float32 or float64 in C order, and the suffix of the C functions for
    it."""
    array = np.asarray(array)
    if array.ndim not in axes:
        raise ValueError(f"expected {' or '.join(map(str, axes))} axes, not {array.ndim}")
    if array.dtype.kind not in "biufO":
        raise TypeError(f"products are of real numbers, not of {array.dtype}")
    narrow = array.dtype.kind == "f" and array.dtype.itemsize == 4
    dtype = np.float32 if narrow else np.float64
    return np.ascontiguousarray(array, dtype), "f4" if narrow else "f8"


class _Operator:
    """The methods of a matrix for NumPy and SciPy, made of @ from both sides."""

    __array_ufunc__ = None  # so that NumPy leaves v @ A and 2 * A to this class
    ndim = 2
    shape: Tuple[int, int]
    dtype: np.dtype

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def T(self) -> _Operator:
        """The transpose, for products. Nothing is copied."""
        return Transposed(self)

    def matvec(self, v) -> np.ndarray:
        return self @ v

    matmat = matvec

    def dot(self, other):
        """A @ other, or with a number A * other."""
        return self * other if isinstance(other, numbers.Real) else self @ other

    def sum(self, axis: Optional[int] = None, dtype=None, out=None) -> np.ndarray:
        """Sums of columns (axis 0), of rows (1) or of all, as products with ones: in float64."""
        if out is not None:
            raise TypeError("sum() returns a new array: out is not taken")
        if axis not in (None, 0, 1, -1, -2):
            raise ValueError(f"a table has axes 0 and 1, not {axis!r}")
        of = self.T if axis in (0, -2) else self
        whole = of @ np.ones(of.shape[1])
        return (whole.sum() if axis is None else whole).astype(dtype or np.float64)

    def mean(self, axis: Optional[int] = None, dtype=None, out=None) -> np.ndarray:
        count = self.shape[0] * self.shape[1] if axis is None else self.shape[axis]
        return (self.sum(axis, None, out) / count).astype(dtype or np.float64)

    def __neg__(self):
        return self * -1.0

    def __truediv__(self, divisor):
        """A * (1 / divisor)."""
        return self * (1 / divisor) if isinstance(divisor, numbers.Real) else NotImplemented

    def rmatvec(self, v) -> np.ndarray:
        return self.T @ v

    rmatmat = rmatvec


class Transposed(_Operator):
    """A.T of a table or of batches."""

    def __init__(self, of):
        self._of = of
        self.shape, self.dtype = of.shape[::-1], of.dtype

    T = property(lambda self: self._of)

    def __reduce__(self):
        return Transposed, (self._of,)

    def __eq__(self, other):
        return self._of == other._of if isinstance(other, Transposed) else NotImplemented

    def __hash__(self):
        return hash((Transposed, self._of))

    def __repr__(self):
        return f"<lodfs.toc.Transposed of {self._of!r}>"

    def __matmul__(self, other) -> np.ndarray:
        return (np.asarray(other).T @ self._of).T

    def __rmatmul__(self, other) -> np.ndarray:
        return (self._of @ np.asarray(other).T).T

    def __mul__(self, factor):
        scaled = self._of * factor if isinstance(factor, numbers.Real) else NotImplemented
        return scaled if scaled is NotImplemented else scaled.T

    __rmul__ = __mul__

    def __array__(self, dtype=None, copy=None):
        return self._of.__array__(dtype, copy).T


class Table(Owner, Rows, _Operator):
    """R rows of C numbers. Immutable: any number of threads may use one at once.

    It works in forked workers, and a pickle opens it again where it is unpickled. Tables of one
    place are equal; a copy is the same table.
    """

    _noun = "table"

    def __init__(self, handle, again):
        """`again`: the function and arguments that open the table again."""
        self._handle, self._again, self._scaled = handle, again, False
        self.shape = (call("table_rows", handle), call("table_columns", handle))
        self.dtype = np.dtype(call("table_dtype", handle).decode())
        self.batches = call("table_batches", handle)

    @property
    def shards(self) -> int:
        return call("table_shards", self._opened())

    @property
    def nbytes_stored(self) -> int:
        """Bytes of the shards as they are stored."""
        return call("table_stored_bytes", self._opened())

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return call("table_memory_bytes", self._opened())

    def __reduce__(self):
        return self._again

    def __eq__(self, other):
        return self._again == other._again if isinstance(other, Table) else NotImplemented

    def __hash__(self):
        return hash(self._again)

    def __repr__(self):
        if not self._handle:
            return "<lodfs.toc.Table, closed>"
        return (f"<lodfs.toc.Table {self.shape[0]} x {self.shape[1]} {self.dtype.str}, "
                f"{self.shards} shards, {self.nbytes_stored} bytes>")

    # ---------------------------------------------------------------------------- rows

    def _range(self, first, count):
        first, rows = operator.index(first), self.shape[0]
        first = first + rows if first < 0 else first
        count = rows - first if count is None else operator.index(count)
        if first < 0 or count < 0 or count > rows - first:
            raise ValueError(f"the table has {rows} rows")
        return first, count

    def rows(self, first: int = 0, count: Optional[int] = None) -> np.ndarray:
        """Returns rows as the source had them, bit for bit, in its dtype."""
        if self._scaled:
            raise ValueError("a table that was scaled has no elements of the source: to_dense()")
        first, count = self._range(first, count)
        into = np.empty((count, self.shape[1]), self.dtype)
        call("table_elements", self._opened(), first, count, _address(into))
        return into

    def to_dense(self, dtype=np.float64, first: int = 0,
                 count: Optional[int] = None) -> np.ndarray:
        """Returns rows as float64 or float32."""
        first, count = self._range(first, count)
        into = np.empty((count, self.shape[1]), dtype)
        suffix = {"<f8": "f8", "<f4": "f4"}.get(into.dtype.str)
        if not suffix:
            raise ValueError("a table becomes float64 or float32; rows() keeps its own dtype")
        call(f"table_dense_{suffix}", self._opened(), first, count, _address(into))
        return into

    def _array(self, dtype, copy, first=0, count=None):
        """Returns rows in the wanted dtype, or in the table's own."""
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        if copy is False:
            raise ValueError("the rows of a table are no array yet: they have to be copied")
        if self._scaled or (dtype != self.dtype and dtype.str in ("<f4", "<f8")):
            wide = np.float32 if dtype == np.float32 else np.float64
            return self.to_dense(wide, first, count).astype(dtype, copy=False)
        return self.rows(first, count).astype(dtype, copy=False)

    def __array__(self, dtype=None, copy=None):
        return self._array(dtype, copy)

    # ------------------------------------------------------------------------ products

    def batch(self, first: int, count: int = 1) -> Batches:
        """Batches first .. first + count - 1: what mini-batch training multiplies with."""
        return Batches(self, first, count)

    def iter_batches(self, count: int = 1) -> Iterator[Batches]:
        """Yields all batches in their order, `count` at a time."""
        for first in range(0, self.batches, count):
            yield self.batch(first, min(count, self.batches - first))

    def __iter__(self) -> Iterator[np.ndarray]:
        """Yields rows as an array does; it unpacks one batch at a time."""
        for batch in self.iter_batches():
            yield from batch

    def _unpack(self, first, count):
        return self._array(None, None, first, count)

    def _all(self):
        return Batches(self, 0, self.batches)

    def __matmul__(self, other) -> np.ndarray:
        return self._all() @ other

    def __rmatmul__(self, other) -> np.ndarray:
        return other @ self._all()

    def __mul__(self, factor: float) -> Table:
        if not isinstance(factor, numbers.Real):
            return NotImplemented
        handle = new_handle()
        call("table_scale", self._opened(), float(factor), byref(handle))
        scaled = Table(handle, (operator.mul, (self, float(factor))))
        scaled._scaled = True
        scaled.dtype = np.dtype(np.float32 if self.dtype.str[1:] == "f4" else np.float64)
        return scaled

    __rmul__ = __mul__


class Batches(Rows, _Operator):
    """Consecutive mini-batches of a table, which it keeps alive."""

    def __init__(self, table, first, count):
        first, count = operator.index(first), operator.index(count)
        if first < 0 or count < 0 or first + count > table.batches:
            raise ValueError(f"the table has {table.batches} batches")
        handle = table._opened()
        self.table, self._first, self._count = table, first, count
        self.dtype = table.dtype
        self.start = call("table_batch_start", handle, first)
        self.shape = (call("table_batch_rows", handle, first, count), table.shape[1])

    def _key(self):
        return self.table, self._first, self._count

    def __reduce__(self):
        return Batches, self._key()

    def __eq__(self, other):
        return self._key() == other._key() if isinstance(other, Batches) else NotImplemented

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return (f"<lodfs.toc.Batches {self._first} .. {self._first + self._count - 1}, rows "
                f"{self.start} .. {self.start + self.shape[0] - 1} of {self.table!r}>")

    def _run(self, name, other, into, *more):
        call(f"table_{name}", self.table._opened(), self._first, self._count, _address(other),
             *more, _address(into), None)
        return into

    def _check(self, there, wanted):
        if there != wanted:
            raise ValueError(f"a product of {self.shape} with a side of {there}")

    def __matmul__(self, other) -> np.ndarray:
        other, suffix = _numbers(other, (1, 2))
        self._check(other.shape[0], self.shape[1])
        if other.ndim == 1:
            into = np.empty(self.shape[0], other.dtype)
            return self._run(f"times_vector_{suffix}", other, into)
        into = np.empty((self.shape[0], other.shape[1]), other.dtype)
        return self._run(f"times_matrix_{suffix}", other, into, other.shape[1])

    def __rmatmul__(self, other) -> np.ndarray:
        other, suffix = _numbers(other, (1, 2))
        self._check(other.shape[-1], self.shape[0])
        if other.ndim == 1:
            into = np.empty(self.shape[1], other.dtype)
            return self._run(f"vector_times_{suffix}", other, into)
        into = np.empty((other.shape[0], self.shape[1]), other.dtype)
        return self._run(f"matrix_times_{suffix}", other, into, other.shape[0])

    def __mul__(self, factor: float) -> Batches:
        scaled = self.table * factor if isinstance(factor, numbers.Real) else NotImplemented
        return scaled if scaled is NotImplemented else scaled.batch(self._first, self._count)

    __rmul__ = __mul__

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self._unpack(0, self.shape[0]))

    def _unpack(self, first, count):
        return self.table._unpack(self.start + first, count)

    def to_dense(self, dtype=np.float64) -> np.ndarray:
        return self.table.to_dense(dtype, self.start, self.shape[0])

    def __array__(self, dtype=None, copy=None):
        return self.table._array(dtype, copy, self.start, self.shape[0])
