# SPDX-License-Identifier: Apache-2.0
"""Paths below a mount: which store it shows, which fidelity and which file."""
import json
import os

from ._library import call


class Mount:
    """The mount that a path lies in."""

    def __init__(self, root):
        self.root = root

    @classmethod
    def around(cls, path):
        """The mount around a path; None: it lies in no mount."""
        at = os.path.abspath(os.fsdecode(path))
        while at != os.path.dirname(at):
            if os.path.exists(os.path.join(at, ".lodfs", "config")):
                return cls(at)
            at = os.path.dirname(at)
        return None

    def store(self):
        """The folder of the store that it shows."""
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
