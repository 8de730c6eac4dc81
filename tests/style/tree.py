# SPDX-License-Identifier: Apache-2.0
"""The files of the project, as the style checks see them, and the one table of layers."""
import os
import re
import subprocess

CODE = (".c", ".h", ".inc", ".cl", ".cu")
# Lowest first: each may use those before it. Their #include lines start from these folders.
LAYERS = ["gpu", "codecs", "fs/store", "fs", "src"]
MODULE_FILES_MAX = 30  # files directly in one folder
ARCHIVES = {"man/decisions"}  # grow without limit: their files are found by an index

# Headers of a lower layer that a higher one may include. A layer may include all of its own.
PUBLIC = {
    "codecs": {"gpu": {"compiler.h", "gpu.h", "pool.h"}},
    "fs/store": {
        "gpu": {"compiler.h"},
        "codecs": {"codec.h", "plan.h", "bytes.h", "hash.h", "castagnoli.h", "buf.h",
                   "list.h"},
    },
    "fs": {
        "gpu": {"compiler.h", "gpu.h", "pool.h"},
        "codecs": {"codec.h", "plan.h", "bytes.h", "hash.h", "castagnoli.h", "buf.h",
                   "list.h", "pixels.h", "likeness/msssim.h", "likeness/resize.h"},
        "fs/store": None,  # all headers
    },
    "src": {},  # all headers of all layers
}

# Libraries that only these files may include.
OWNERS = {
    r"jpeglib\.h|jerror\.h": r"codecs/pcr/jpeg/jpeg_lib\.[ch]",
    r"setjmp\.h": r"codecs/(pcr/jpeg/jpeg_lib\.h|l3/container/png_io\.c)",
    r"png\.h": r"codecs/l3/container/png_io\.c",
    r"fuse.*\.h|fuse3/.*": r"fs/fuse/\w+\.[ch]",
    r"xxhash\.h": r"codecs/hash\.c",
    r"zstd.*\.h": r"codecs/raw_units(_write)?\.c",
    r"CL/.*|cuda\.h|nvrtc\.h": r"gpu/(opencl|cuda)_api\.h",
    r"curl/.*": r"fs/store/http/curl_api\.h",
    r"openssl/.*": r"fs/store/remote/sha256\.c",
}


class Tree:
    """The files under `root`: those that git tracks or would track; without git, all."""

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
        return [f for f in self.files if f.endswith(".h") and layer_of(f) is not None]


def layer_of(name):
    """Returns the index of the layer a file stands on; None outside them (tests, demo)."""
    for number, layer in enumerate(LAYERS):  # fs/store comes before fs
        if name.startswith(layer + "/"):
            return number
    return None


def resolve(tree, name, header):
    """Returns the file that `#include "header"` in `name` means; None if there is none."""
    beside = os.path.normpath(os.path.join(os.path.dirname(name), header))
    for candidate in [beside] + [f"{layer}/{header}" for layer in LAYERS]:
        if candidate in tree.files:
            return candidate
    return None


def includes(text):
    """Yields (line number, '<' or '"', header) of every #include."""
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match.group(1), match.group(2)
