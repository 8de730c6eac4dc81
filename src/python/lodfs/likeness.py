# SPDX-License-Identifier: Apache-2.0
"""The likeness of a store's fidelities at the size that a network sees."""
from ctypes import byref
from typing import NamedTuple

from ._library import RawLikeness, RawOptions, call

_NUMBER_MAX = (1 << 32) - 1
_FULL = 11


class Level(NamedTuple):
    """Adjacent fidelities that show the same bytes."""
    fidelity: str       # the first of them
    last: str           # and the last
    bytes: float        # bytes read of the store for a photograph, the mean
    share: float        # of full's bytes
    mssim: float        # mean likeness to the full image, up to 1: equal
    within: float       # two standard errors of that mean
    worst_tenth: float  # the worst tenth of the photographs has at most this likeness


class Likeness(NamedTuple):
    """The result of Store.likeness."""
    fidelity: str     # the lowest that reaches the target by two standard errors
    decided: bool     # False: a larger sample may find a lower one
    photographs: int  # files of the store that have lower fidelities; equal files count once
    compared: int     # of them: the sample
    unreadable: int   # photographs that are left out: damaged, or not of 8 bits
    small: int        # photographs that are left out: a side is below 11 pixels
    levels: "list[Level]"  # the lowest first
    large: int = 0    # of photographs: too large to decode, so they are not in the sample


def _name(number):
    return "full" if number == _FULL else f"q{number}"


def _level(raw, full_bytes):
    return Level(_name(raw.first), _name(raw.last), raw.bytes, raw.bytes / full_bytes, raw.mssim,
                 raw.within, raw.worst_tenth)


def measure(handle, size, crop, target, sample):
    """Calls lodfs_likeness. None and 0 are the library's defaults."""
    for name, value in ("size", size), ("sample", sample):
        if not 0 <= (value or 0) <= _NUMBER_MAX:
            raise ValueError(f"{name} is out of range: {value}")
    raw, options = RawLikeness(), RawOptions(size or 0, sample or 0, crop or 0, target or 0)
    call("likeness", handle, byref(options), byref(raw))
    levels = raw.levels[:raw.count]
    return Likeness(_name(raw.fidelity), bool(raw.decided), raw.photographs, raw.compared,
                    raw.unreadable, raw.small,
                    [_level(level, levels[-1].bytes) for level in levels], raw.large)
