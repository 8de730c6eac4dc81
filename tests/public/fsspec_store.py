# SPDX-License-Identifier: Apache-2.0
"""
lodfs:// of fsspec shows what a mount shows: names, sizes, times, bytes, links. It downloads, is
pickled, follows links, and refuses every change.
"""
import errno
import io
import os
import pickle
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse, skip
from small import make_source, read

try:
    import fsspec
    import numpy  # noqa: F401
except ImportError as error:
    skip(f"there is no Python module {error.name}")
sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))

from lodfs.filesystem import LodfsFileSystem  # noqa: E402

VIEWS = ("q1", "full", "original", "decoded/q4", "tar/q4", "parts/2/1/q4")


def make_links(source):
    os.symlink("photos", f"{source}/folder")
    os.symlink("../none", f"{source}/photos/gone")
    os.symlink("loop", f"{source}/loop")
    os.symlink("folder/../photos", f"{source}/around")


def walks(files, point):
    for view in VIEWS:
        wanted = [(os.path.relpath(folder, point), sorted(folders + names))
                  for folder, folders, names in os.walk(f"{point}/{view}")]
        found = [(folder, sorted(folders + names)) for folder, folders, names in files.walk(view)]
        if sorted(found) != sorted(wanted):
            yield f"{view}: {found[:3]}, not {wanted[:3]}"


def entries(files, point):
    for view in VIEWS:
        for path in files.find(view):
            told, real = files.info(path), os.lstat(f"{point}/{path}")
            link = os.path.islink(f"{point}/{path}")
            if (told["size"], told["type"]) != (real.st_size, "link" if link else "file") or \
                    abs(files.modified(path).timestamp() - real.st_mtime) > 1e-6:
                yield f"{path}: {told}"
            if files.exists(path) != os.path.exists(f"{point}/{path}") or \
                    files.isdir(path) != os.path.isdir(f"{point}/{path}"):
                yield f"{path}: exists, or is a folder, in one of the two"
            elif files.isfile(path) and files.cat(path) != read(f"{point}/{path}"):
                yield f"{path}: other bytes"


def links(files, point):
    for path in ("q4/folder", "q4/around", "q4/around/../folder"):
        if sorted(os.path.basename(name) for name in files.ls(path.replace("around/../", ""),
                                                              detail=False)) != \
                sorted(os.listdir(f"{point}/{path}")):
            yield f"{path} lists other names"
    path = files.glob("q4/photos/**.jpg")[0]
    if files.cat(path.replace("photos", "around", 1)) != read(f"{point}/{path}"):
        yield "a file below a linked folder has other bytes"
    if files.exists("q4/loop") or files.exists("q4/photos/gone"):
        yield "a link to nothing exists"
    for path, error in (("q4/loop", errno.ELOOP), ("q4/photos/gone", errno.ENOENT)):
        try:
            files.open(path)
            yield f"{path} was opened"
        except OSError as failed:
            if failed.errno != error:
                yield f"{path}: {failed}"


def ranges(files, point):
    path = "full/large.bin"
    data = read(f"{point}/{path}")
    for start, end in ((None, None), (0, 10), (5, None), (-7, None), (None, -3), (10, 5),
                       (len(data), None), (0, len(data) + 9)):
        if files.cat_file(path, start, end) != data[start:end]:
            yield f"[{start}:{end}]"
    with files.open(path, block_size=4096, compression=None) as file:
        file.seek(3)
        if io.BufferedReader(file).read(20) != data[3:23] or file.size != len(data):
            yield "the file object reads other bytes"


def forms(files, store, point, work):
    """URLs, globs, downloads, text, pickles."""
    path = next(path for path in files.find("full") if path.endswith(".jpg"))
    url = f"lodfs://{store}!{path}"
    with fsspec.open(url) as file:
        if file.read() != read(f"{point}/{path}"):
            yield "fsspec.open reads other bytes"
    if files.unstrip_protocol(path) != url:
        yield f"the URL of {path} is {files.unstrip_protocol(path)}"
    opened, folder = fsspec.core.url_to_fs(f"lodfs://{store}!q4/photos")
    if folder != "q4/photos" or opened.ls(folder) != files.ls("q4/photos"):
        yield f"{folder} of a URL is another folder"
    remote = "lodfs://s3://b/k!q1/a!b"
    if LodfsFileSystem._get_kwargs_from_urls(remote) != {"store": "s3://b/k"} or \
            LodfsFileSystem._strip_protocol(remote) != "q1/a!b":
        yield "the URL of a remote store is read wrongly"
    if [name for name in files.glob("q1/**.jpg") if not name.endswith(".jpg")] or \
            not files.glob("q*/photos/*/*.jpg"):
        yield "glob"
    files.get("q4/labels", f"{work}/got", recursive=True)
    for folder, _, names in os.walk(f"{point}/q4/labels"):
        for name in names:
            below = os.path.relpath(f"{folder}/{name}", f"{point}/q4/labels")
            if os.path.isfile(f"{folder}/{name}") and \
                    read(f"{work}/got/{below}") != read(f"{folder}/{name}"):
                yield f"{below} was downloaded wrongly"
    again = pickle.loads(pickle.dumps(files))
    if again.cat(path) != files.cat(path) or again.ukey(path) != files.ukey(path):
        yield "a pickled file system"


def mount_point(files, point):
    """A mount point in place of a store is the store behind it."""
    behind = fsspec.filesystem("lodfs", store=point)
    path = "q4/large.bin"
    if behind.cat(path) != files.cat(path) or behind.ls("q4") != files.ls("q4"):
        yield "the mount point is another store"


def refusals(files):
    path = "q4/large.bin"
    for change in (lambda: files.rm(path), lambda: files.mkdir("new"), lambda: files.touch("a"),
                   lambda: files.pipe("a", b""), lambda: files.mv(path, "b"),
                   lambda: files.put("/etc/hostname", "a"), lambda: files.open(path, "wb"),
                   lambda: files.makedirs("a/b"), lambda: files.copy(path, "b"),
                   lambda: files.open(path, "ab")):
        try:
            change()
            yield "a change succeeded"
        except OSError as error:
            if error.errno != errno.EROFS:
                yield f"{error!r}"
    for path, kind in (("q4/none", FileNotFoundError), ("none", FileNotFoundError),
                       ("q4", IsADirectoryError), ("q11/a", FileNotFoundError)):
        try:
            files.cat_file(path)
            yield f"{path} was read"
        except OSError as error:
            if not isinstance(error, kind):
                yield f"{path}: {error!r}"


def main():
    need_fuse()
    fsspec.register_implementation("lodfs", LodfsFileSystem, clobber=True)
    results = Results()
    with Work() as work:
        source, store, point = (f"{work}/{name}" for name in ("source", "store", "mount"))
        os.mkdir(source)
        make_source(source)
        make_links(source)
        lodfs("pack", "--scans=default", source, store)
        files = fsspec.filesystem("lodfs", store=store)
        with Mount(store, point):
            results.add("walks", walks(files, point))
            results.add("entries", entries(files, point))
            results.add("links", links(files, point))
            results.add("ranges", ranges(files, point))
            results.add("forms", forms(files, store, point, work))
            results.add("mount point", mount_point(files, point))
        results.add("refusals", refusals(files))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
