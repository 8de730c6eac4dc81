# SPDX-License-Identifier: Apache-2.0
"""Mounts: which store one shows, the fidelity of its link `auto`, and paths below it."""
import fcntl
import json
import os
import struct

from ._library import call

# _IOW('L', 2, uint32_t) of fs/mount/control.h
_SET_AUTO = 1 << 30 | 4 << 16 | ord("L") << 8 | 2
_ORIGINAL = 12


def _root(path):
    """The root of the mount around a path; None: it lies in no mount."""
    at = os.path.abspath(os.fsdecode(path))
    while at != os.path.dirname(at):
        if os.path.exists(os.path.join(at, ".lodfs", "config")):
            return at
        at = os.path.dirname(at)
    return None


class Mount:
    """The mount that a path lies in."""

    def __init__(self, path):
        self.root = _root(path)
        if not self.root:
            raise ValueError(f"{os.fsdecode(path)!r} lies in no mount of lodfs")

    @classmethod
    def around(cls, path):
        """The mount around a path; None: it lies in no mount."""
        return cls(path) if _root(path) else None

    @property
    def store(self):
        """The folder or URL of the store that it shows."""
        try:
            # Unbuffered, as all of a live file comes with one read.
            file = os.open(os.path.join(self.root, ".lodfs", "config"), os.O_RDONLY)
        except PermissionError as error:
            raise PermissionError(error.errno, f"{self.root} tells only root and its mounter where "
                                  "the store lies; name it with store=") from None
        try:
            return json.loads(os.read(file, 1 << 20))["store"]
        finally:
            os.close(file)

    @property
    def auto(self):
        """The fidelity that the link `auto` leads to. Set it to switch all readers of the link.

        Only root and the user who mounted may set it. It is set when every later open sees it.
        """
        return os.readlink(os.path.join(self.root, "auto"))

    @auto.setter
    def auto(self, fidelity):
        number = call("fidelity", fidelity.encode())
        if not number or number == _ORIGINAL:
            raise ValueError(f"auto cannot be {fidelity!r}: q1 .. q10 or full")
        file = os.open(os.path.join(self.root, ".lodfs", "control"), os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.ioctl(file, _SET_AUTO, struct.pack("I", number))
        finally:
            os.close(file)

    def split(self, path):
        """The fidelity and the path in the source, of a path below the mount; None: it is not."""
        text = os.fsdecode(path)
        if not text.startswith(self.root + "/") or "/.." in text:
            text = os.path.abspath(text)
        if not text.startswith(self.root + "/"):
            return None
        fidelity, _, below = text[len(self.root) + 1:].partition("/")
        if fidelity != "auto" and not call("fidelity", os.fsencode(fidelity)):
            return None
        return fidelity, below
