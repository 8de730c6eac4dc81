# SPDX-License-Identifier: Apache-2.0
"""Collects facts about a tree of files, to compare two trees: metadata, contents, JPEG facts."""
import hashlib
import os
import stat
import subprocess


class Facts:
    """The attributes of one file that a mount must keep, and the hash and length of its
    contents."""

    def __init__(self, path):
        info = os.lstat(path)
        self.type = stat.S_IFMT(info.st_mode)
        self.mode = stat.S_IMODE(info.st_mode)
        self.mtime = info.st_mtime_ns
        self.size = info.st_size
        self.blocks = info.st_blocks
        self.ino = info.st_ino
        self.target = os.readlink(path) if self.type == stat.S_IFLNK else None
        self.hash, self.read = None, None
        if self.type == stat.S_IFREG:
            self.hash, self.read = digest(path)


def digest(path):
    """Returns (hash, bytes read) of a file."""
    total, state = 0, hashlib.blake2b()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            state.update(block)
            total += len(block)
    return state.hexdigest(), total


def gather(root):
    """Returns {relative path as bytes: Facts} of everything below root."""
    root, found = os.fsencode(root), {}
    for folder, subfolders, names in os.walk(root):
        for name in subfolders + names:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, root)] = Facts(path)
    return found


class Jpeg:
    """A line of output of the program `coefficients`."""

    def __init__(self, line):
        words = line.split()
        self.error = len(words) != 6
        if not self.error:
            self.coefficients, self.pixels = words[:2]
            self.size, self.warnings = tuple(words[2:5]), int(words[5])


def jpegs(paths):
    """Returns [Jpeg] of the files, in their order."""
    done = subprocess.run([os.environ["COEFFICIENTS"]], check=True, stdout=subprocess.PIPE,
                          input=b"".join(os.fsencode(p) + b"\0" for p in paths))
    return [Jpeg(line) for line in done.stdout.decode().splitlines()]
