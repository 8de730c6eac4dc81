# SPDX-License-Identifier: Apache-2.0
"""Mounts: which store one shows, the fidelity of its link `auto`, and paths below it."""
from __future__ import annotations

import fcntl
import json
import os
import struct
import sys
from array import array
from collections import namedtuple

from ._library import call

# _IOW('L', 2, uint32_t) of fs/mount/control.h
_SET_AUTO = 1 << 30 | 4 << 16 | ord("L") << 8 | 2
# LOD_IOC_AHEAD of the same file; the message is described in fs/mount/ahead_request.h
_AHEAD_BYTES = 16383
_AHEAD = 3 << 30 | _AHEAD_BYTES << 16 | ord("L") << 8 | 5
_AHEAD_VERSION = 1
_REQUEST, _ANSWER = struct.Struct("<IIQIIII"), struct.Struct("<IIQQQ")
_RECORDS = (_AHEAD_BYTES - _REQUEST.size) // 4
_ORIGINAL = 12

_VIEWS = ("decoded/", "native/")

Ahead = namedtuple("Ahead", "ready total bytes_missing bytes_room bytes_per_second")


class Place(namedtuple("Place", "view fidelity below")):
    """A path below a mount: `view` is "", "decoded" or "native", `fidelity` may be "auto"."""

    @property
    def shown(self):
        """The path as a mount without `auto` shows it."""
        return os.path.join(self.view, "full" if self.fidelity == "auto" else self.fidelity,
                            self.below)


def _root(path):
    """Returns the root of the mount that contains a path; None if it is in no mount."""
    at = os.path.abspath(os.fsdecode(path))
    while at != os.path.dirname(at):
        if os.path.exists(os.path.join(at, ".lodfs", "config")):
            return at
        at = os.path.dirname(at)
    return None


class Mount:
    """The lodfs mount that contains a path."""

    def __init__(self, path: str | bytes | os.PathLike) -> None:
        self.root = _root(path)
        if not self.root:
            raise ValueError(f"{os.fsdecode(path)!r} lies in no mount of lodfs")

    @classmethod
    def around(cls, path: str | bytes | os.PathLike) -> Mount | None:
        """Returns the mount that contains a path; None if none does."""
        return cls(path) if _root(path) else None

    @property
    def store(self) -> str:
        """The folder or URL of the store that it shows."""
        try:
            # Unbuffered: one read returns all of a live file.
            file = os.open(os.path.join(self.root, ".lodfs", "config"), os.O_RDONLY)
        except PermissionError as error:
            raise PermissionError(error.errno, f"{self.root} tells only root and its mounter where "
                                  "the store lies; name it with store=") from None
        try:
            return json.loads(os.read(file, 1 << 20))["store"]
        finally:
            os.close(file)

    @property
    def auto(self) -> str:
        """The fidelity that the link `auto` leads to. Set it to switch all readers of the link.

        Only root and the user who mounted may set it. Setting returns when every later open sees
        the new fidelity.
        """
        return os.readlink(os.path.join(self.root, "auto"))

    @auto.setter
    def auto(self, fidelity: str) -> None:
        number = call("fidelity", str(fidelity).encode())
        if not number or number == _ORIGINAL:
            raise ValueError(f"auto cannot be {fidelity!r}: q1 .. q10 or full")
        file = os.open(os.path.join(self.root, ".lodfs", "control"), os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.ioctl(file, _SET_AUTO, struct.pack("I", number))
        finally:
            os.close(file)

    def ahead(self, job, fidelity, at, records, done=0, keep_s=600):
        """Announces the records that a job will read, in their order; the mount loads them ahead.

        `job` is a number of your own. `records` replace its list from place `at` on; the first
        `done` of the list are needed no more. Without records, `at` = the list's length says that
        the job still lives, and 0 ends it. A list is dropped after `keep_s` seconds without a call.
        Returns a tuple of numbers:

        ready             number of records after `done` that are in memory or in the tier
        total             the list's length
        bytes_missing     of the records after `done`
        bytes_room        the bytes that this job's list may take there
        bytes_per_second  the measured speed of the store; 0: not measured

        OSError: EPERM (of another user), ENOTTY (an older mount), ESTALE (the list was dropped:
        begin at 0), ENOENT (no such record), E2BIG (too many records or jobs), EINVAL (a number
        outside its range).
        """
        number = call("fidelity", os.fsencode(fidelity))
        if not number:
            raise ValueError(f"{fidelity!r} is no fidelity: q1 .. q10, full or original")
        numbers, answer = array("I", records), None
        if sys.byteorder == "big":
            numbers.byteswap()
        file = os.open(os.path.join(self.root, ".lodfs", "control"), os.O_RDONLY | os.O_CLOEXEC)
        try:
            for begin in range(0, max(len(numbers), 1), _RECORDS):
                part = numbers[begin:begin + _RECORDS]
                end = at + begin + len(part)
                last = begin + len(part) == len(numbers)
                head = _REQUEST.pack(_AHEAD_VERSION, number, job, at + begin, len(part),
                                     done if last else min(done, end), keep_s)
                message = bytearray(_AHEAD_BYTES)
                message[:len(head) + 4 * len(part)] = head + part.tobytes()
                fcntl.ioctl(file, _AHEAD, message)
                answer = Ahead._make(_ANSWER.unpack_from(message))
        finally:
            os.close(file)
        return answer

    def place(self, path: str | bytes | os.PathLike) -> Place | None:
        """Returns where a path lies below the mount; None if it is in no fidelity of the tree,
        decoded/ or native/."""
        text = os.fsdecode(path)
        if not text.startswith(self.root + "/") or "/.." in text:
            text = os.path.abspath(text)
        if not text.startswith(self.root + "/"):
            return None
        view, text = "", text[len(self.root) + 1:]
        if text.startswith(_VIEWS):
            view, _, text = text.partition("/")
        fidelity, _, below = text.partition("/")
        if fidelity != "auto" and not call("fidelity", os.fsencode(fidelity)):
            return None
        return Place(view, fidelity, below)
