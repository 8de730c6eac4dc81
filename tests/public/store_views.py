# SPDX-License-Identifier: Apache-2.0
"""
liblodfs, the Python package and `lodfs ls` show all that a mount shows, without one: the same
folders, names, sizes, times and bytes in every view, framed files among them.
"""
import json
import multiprocessing
import os
import pickle
import random
import sys
import tarfile

import png_files
from mounted import Mount, Results, Work, lodfs, need_fuse, skip
from small import files_below, make_source, read, write

try:
    import numpy  # noqa: F401
except ImportError:
    skip("there is no NumPy")
sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))

import lodfs as package  # noqa: E402

OF_MOUNT = {".lodfs", "auto"}
KINDS = {"file": os.path.isfile, "folder": os.path.isdir}


def walk(store, path):
    """Yields (path, Entry) of all that is below a folder of the store."""
    for entry in store.list(path, None):
        below = f"{path}/{entry.name}" if path else entry.name
        yield below, entry
        if entry.kind == "folder":
            yield from walk(store, below)


def mounted(point):
    """Returns the paths below a mount, without those that only a mount has."""
    found = []
    for folder, folders, files in os.walk(point):
        folders[:] = [name for name in folders if name not in OF_MOUNT]
        names = [name for name in folders + files if name not in OF_MOUNT]
        found += [os.path.relpath(os.path.join(folder, name), point) for name in names]
    return sorted(found)


def entries(store, point, listed):
    if sorted(listed) != mounted(point):
        yield f"other names: {sorted(set(listed) ^ set(mounted(point)))[:9]}"
    for path, entry in listed.items():
        stat = os.lstat(f"{point}/{path}")
        kind = "symlink" if os.path.islink(f"{point}/{path}") else \
            next(kind for kind, of in KINDS.items() if of(f"{point}/{path}"))
        size = 0 if kind == "folder" else stat.st_size
        if (entry.kind, entry.bytes, entry.mode) != (kind, size, stat.st_mode & 0o777) or \
                abs(entry.mtime - stat.st_mtime) > 1e-6:
            yield f"{path}: {entry}, not {kind} {stat}"
        if store.stat(path, None) != entry:
            yield f"{path}: {store.stat(path, None)}, listed as {entry}"


def contents(store, point, files):
    rng = random.Random(7)
    for path in files:
        data = read(f"{point}/{path}")
        if store.read(path, None) != data:
            yield f"{path}: other bytes"
        at = rng.randrange(len(data) + 5)
        size = rng.choice((1, 512, 70_000))
        if store.read(path, None, at, size) != data[at:at + size]:
            yield f"{path}: {size} bytes at {at}"


def parts(store, point):
    """Parts, whose folders are not listed; their pictures together are those of the tree."""
    for path in ("parts", "parts/3"):
        if store.list(path, None) or store.stat(path, None).kind != "folder":
            yield f"{path}: {store.list(path, None)}"
    pictures = []
    for part in ("parts/3/0", "parts/3/1", "parts/3/2"):
        listed = dict(walk(store, part))
        below = [f"{part}/{path}" for path in mounted(f"{point}/{part}")]
        if sorted(listed) != below:
            yield f"{part}: {sorted(set(listed) ^ set(below))[:9]}"
        files = [path for path in listed if listed[path].kind == "file" and "/q4/" in path]
        pictures += [path[len(part) + 1:] for path in files if path.endswith(".jpg")]
        yield from contents(store, point, files)
    whole = [path for path, _ in walk(store, "q4") if path.endswith(".jpg")]
    if sorted(path for path in pictures if path.startswith("q4/")) != sorted(whole):
        yield f"{len(pictures)} pictures in all parts, {len(whole)} in the tree"


def in_worker(job):
    store, path = job
    return store.read(path, None)


def workers(store, shards):
    """Framed files in a forked child, whose directories are the child's own, and pickled."""
    want = [store.read(path, None) for path in shards]
    for kind in ("fork", "spawn"):
        with multiprocessing.get_context(kind).Pool(2) as pool:
            if pool.map(in_worker, [(store, path) for path in shards]) != want:
                yield f"{kind}: other bytes"
    file = store.open(shards[0])
    file.seek(700)
    again = pickle.loads(pickle.dumps(file))
    if again.name != shards[0] or again.read() != want[0][700:]:
        yield f"a pickle reads {again!r}"
    names = tarfile.open(fileobj=store.open(next(s for s in shards if s.endswith(".tar"))))
    if not names.getnames():
        yield "tarfile finds nothing"


def refused(store):
    for path, kind in (("tar/q4/data-000099.tar", FileNotFoundError),
                       ("tar/original", FileNotFoundError),
                       ("tar/q4", IsADirectoryError), ("", IsADirectoryError),
                       ("tar/q4/data-000000.tar/x", NotADirectoryError),
                       ("tar/auto/data-000000.tar", NotADirectoryError),
                       (".lodfs/stats", FileNotFoundError), ("auto", FileNotFoundError),
                       ("q4/odd/link", ValueError), ("q4/" + "x" * 300, package.LodfsError)):
        try:
            yield f"{path}: {store.open(path)!r}"
        except OSError as error:
            if not isinstance(error, kind):
                yield f"{path}: {error!r}"
        except ValueError as error:
            if kind is not ValueError:
                yield f"{path}: {error!r}"
    if store.open("labels/train.csv").read() != store.read("labels/train.csv"):
        yield "a path of the source has other bytes"
    for call in (store.stat, store.list):
        try:
            yield f"{call('tar/q4')}: a path of a mount at a fidelity"
        except FileNotFoundError:
            pass


def ls(store, listed):
    done = lodfs("ls", "-mR", "--json", store)
    shown = {os.fsdecode(entry["path"]) if "path_b64" not in entry else None: entry
             for entry in json.loads(done.stdout)["entries"]}
    odd = [path for path in listed if "\udcff" in path]
    if len(shown) < len(listed) - len(odd) or set(shown) - {None} - set(listed):
        yield f"{len(shown)} names, not {len(listed)}: {sorted(set(shown) - set(listed))[:9]}"
    for path, entry in listed.items():
        if path not in odd and (shown[path]["type"], shown[path]["bytes"]) != (entry.kind,
                                                                              entry.bytes):
            yield f"{path}: {shown[path]}"
    for path, folder in (("tar/q4", "tar/q4"), ("/tfrecord//q1/", "tfrecord/q1")):
        names = [name.rpartition("/")[2] for name in listed if os.path.dirname(name) == folder]
        if lodfs("ls", store, path).stdout.decode().split() != names:
            yield f"ls {path}: {lodfs('ls', store, path).stdout}"
    if lodfs("ls", "-m", store, "labels", check=False).returncode != 1:
        yield "ls -m has a path of the source"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = (f"{work}/{name}" for name in ("source", "store", "mount"))
        os.mkdir(source)
        make_source(source)
        write(f"{source}/pictures/a.png",
              png_files.make(random.Random(5), *png_files.KINDS[0], 0, 140, 150))
        photo = next(name for name in files_below(source) if name.endswith(b".jpg"))
        write(os.path.join(os.fsencode(source), photo[:-3] + b"bin"), os.urandom(2_300_000))
        lodfs("pack", "--scans=default", "--record-size=256k", source, store)
        with Mount(store, point), package.open(store) as opened:
            listed = dict(walk(opened, ""))
            files = [path for path, entry in listed.items() if entry.kind == "file"]
            shards = [path for path in files
                      if path.startswith(("tar/", "tfrecord/")) and "/q4/" in path]
            results.add("entries", entries(opened, point, listed))
            results.add("contents", contents(opened, point, files))
            results.add("parts", parts(opened, point))
            results.add("shards", [] if len(shards) > 2 else [shards])
            results.add("workers", workers(opened, shards))
            results.add("refused", refused(opened))
            results.add("ls", ls(store, listed))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
