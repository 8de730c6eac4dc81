# SPDX-License-Identifier: Apache-2.0
"""The files of the project, as the style checks see them, and the one table of floors."""
import os
import re
import subprocess

CODE = (".c", ".h", ".cl", ".cu")
FLOORS = ["gpu", "codecs", "fs", "src"]  # lowest first: each may use those before it

# Headers of a lower floor that a higher one may see; a floor sees all headers of its own.
PUBLIC = {
    "codecs": {"gpu": {"compiler.h", "gpu.h", "pool.h"}},
    "fs": {
        "gpu": {"compiler.h", "gpu.h", "pool.h"},
        "codecs": {"codec.h", "plan.h", "bytes.h", "hash.h", "buf.h", "list.h"},
    },
    "src": {},  # all headers of all floors
}

# Libraries that only these files may see.
OWNERS = {
    r"jpeglib\.h|jerror\.h": r"codecs/pcr/(jpeg_io\.c|jpeg_failure\.[ch])",
    r"setjmp\.h": r"codecs/(pcr/(jpeg_io\.c|jpeg_failure\.[ch])|l3/png_io\.c)",
    r"png\.h": r"codecs/l3/png_io\.c",
    r"fuse.*\.h|fuse3/.*": r"fs/fuse/\w+\.[ch]",
    r"xxhash\.h": r"codecs/hash\.c",
    r"CL/.*|cuda\.h|nvrtc\.h": r"gpu/(opencl|cuda)_api\.h",
    r"curl/.*": r"fs/store/http\.c",
}


class Tree:
    """The tree under `root`: what git tracks or would track, or all files where there is no git."""

    def __init__(self, root):
        self.root = root
        self.files = sorted(f for f in self._list() if os.path.isfile(self.path(f)))

    def _list(self):
        if os.path.exists(os.path.join(self.root, ".git")):
            command = ["git", "-c", "safe.directory=*", "-C", self.root, "ls-files", "-z",
                       "--cached", "--others", "--exclude-standard"]
            return [f for f in subprocess.check_output(command, text=True).split("\0") if f]
        found = []
        for folder, subfolders, names in os.walk(self.root):
            subfolders[:] = [d for d in subfolders if not d.startswith(("build", "__pycache__"))]
            found += [os.path.relpath(os.path.join(folder, n), self.root) for n in names]
        return found

    def path(self, name):
        return os.path.join(self.root, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def code(self):
        return [f for f in self.files if f.endswith(CODE)]

    def headers(self):
        return [f for f in self.files if f.endswith(".h") and floor_of(f) is not None]


def floor_of(name):
    """Index of the floor a file stands on; None outside the four (tests, demo)."""
    top = name.split("/")[0]
    return FLOORS.index(top) if top in FLOORS else None


def includes(text):
    """(line number, '<' or '"', header) of every #include."""
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match.group(1), match.group(2)
