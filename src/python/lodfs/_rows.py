# SPDX-License-Identifier: Apache-2.0
"""Rows of a table by NumPy's indices. Only the rows that are named are unpacked."""
from __future__ import annotations

import operator

import numpy as np


def _runs(rows):
    """Yields (first, count) of each run of consecutive rows in a sorted array."""
    ends = np.flatnonzero(np.diff(rows) > 1) + 1
    for run in np.split(rows, ends):
        if run.size:
            yield int(run[0]), int(run[-1] - run[0]) + 1


def _numbers(key, length):
    """The row numbers of an array: of integers, which may be negative, or one truth a row."""
    key = np.asarray(key)
    if key.ndim != 1:
        raise IndexError(f"rows are named by an array of one axis, not of {key.ndim}")
    if key.dtype == bool:
        if key.size != length:
            raise IndexError(f"{key.size} truth values for {length} rows")
        return np.flatnonzero(key)
    if key.size and key.dtype.kind not in "iu":
        raise IndexError("rows are named by integers, slices, arrays of integers or truth values")
    rows = key.astype(np.int64)
    if rows.size and not -length <= rows.min() <= rows.max() < length:
        raise IndexError(f"the table has {length} rows")
    return np.where(rows < 0, rows + length, rows)


class Rows:
    """A mixin for classes that have `shape` and `_unpack(first, count)`, which returns an array of
    rows."""

    def _gather(self, rows):
        unique, places = np.unique(rows, return_inverse=True)
        blocks = [self._unpack(first, count) for first, count in _runs(unique)]
        return np.concatenate(blocks)[places] if blocks else self._unpack(0, 0)

    def _slice(self, key):
        start, stop, step = key.indices(self.shape[0])
        if step not in (1, -1):
            return self._gather(np.arange(start, stop, step))
        first, count = (start, stop - start) if step == 1 else (stop + 1, start - stop)
        return self._unpack(first, count)[::step] if count > 0 else self._unpack(0, 0)

    def __getitem__(self, key) -> np.ndarray:
        """Returns a copy, as NumPy does for A[5], A[5:10], A[[3, 1]], A[mask], A[5:10, 2]."""
        key = key if isinstance(key, tuple) else (key,)
        if key and key[0] is Ellipsis:
            key = key[1:] if len(key) == 3 else (slice(None), *key[1:])
        if len(key) > 2 or any(part is None or part is Ellipsis for part in key):
            raise IndexError("a table has rows and columns; np.asarray(table) takes any index")
        rows, columns = key[0] if key else slice(None), key[1:]
        if isinstance(rows, slice):
            return self._slice(rows)[(slice(None), *columns)]
        if not isinstance(rows, (bool, np.bool_)) and hasattr(type(rows), "__index__") and \
                np.ndim(rows) == 0:
            row = _numbers([operator.index(rows)], self.shape[0])[0]
            return self._unpack(int(row), 1)[(0, *columns)]
        found = self._gather(_numbers(rows, self.shape[0]))
        if columns and not isinstance(columns[0], slice):  # pairs, or one column
            return found[(np.arange(len(found)), *columns)]
        return found[(slice(None), *columns)]
