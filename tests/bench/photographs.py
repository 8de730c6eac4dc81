# SPDX-License-Identifier: Apache-2.0
"""The files to read: made by demo/photographs and kept for the next run, or a user's own."""
import os
import subprocess
import sys

MAKERS = 2
COMMENT = b"\xff\xfe\x00\x10"  # COM of 16 bytes with its length: 14 of text


def listing(root):
    """Returns [(path, bytes)] of the files below root."""
    found = []
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                found.append((os.path.relpath(path, root), os.lstat(path).st_size))
    return sorted(found)


class Photographs:
    """A folder of photographs and its list, one path a line."""

    def __init__(self, name, folder, work):
        self.name, self.folder = name, folder
        self.files = listing(folder)
        if not self.files:
            raise SystemExit(f"bench: {folder} holds no files")
        self.bytes = sum(size for _, size in self.files)
        self.list = os.path.join(work, f"list-{name.replace(' ', '-')}")
        write_list(self.list, [path for path, _ in self.files])

    def words(self):
        return f"{len(self.files):,} files, {self.bytes / 1e6:,.0f} MB, " \
               f"mean {self.bytes / len(self.files) / 1e3:,.0f} KB"


def write_list(path, names):
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.writelines(f"{name}\n" for name in names)


def make(tool, folder, count, percent):
    """Makes `count` photographs of `percent` of the usual sides, once; one seed a process."""
    if os.path.isdir(folder):
        return folder
    print(f"making {count} photographs", file=sys.stderr)
    part = f"{folder}.part"
    os.makedirs(part, exist_ok=True)
    makers = [subprocess.Popen([tool, f"{part}/{seed}", str(count // MAKERS), str(seed), "0",
                                str(percent)]) for seed in range(1, MAKERS + 1)]
    if any([maker.wait() for maker in makers]):
        raise SystemExit("bench: the photographs could not be made")
    os.rename(part, folder)
    return folder


def jpegs(root, files):
    """Returns the paths among `files` that are JPEGs."""
    found = []
    for path, _ in files:
        with open(os.path.join(root, path), "rb") as file:
            if file.read(3) == b"\xff\xd8\xff":
                found.append(path)
    return found


def multiply(source, folder, times):
    """Writes every JPEG of `source` `times` times, each with another comment, so that no two are
    equal. Slow storage needs many files, and painting each would take long."""
    for path in jpegs(source, listing(source)):
        with open(os.path.join(source, path), "rb") as file:
            data = file.read()
        at = 2
        if data[2:4] == b"\xff\xe0":  # JFIF stays first
            at += 2 + int.from_bytes(data[4:6], "big")
        stem, ending = os.path.splitext(path)
        os.makedirs(os.path.join(folder, os.path.dirname(path)), exist_ok=True)
        for copy in range(times):
            with open(os.path.join(folder, f"{stem}-{copy}{ending}"), "wb") as file:
                file.write(data[:at] + COMMENT + b"copy %09d" % copy + data[at:])
