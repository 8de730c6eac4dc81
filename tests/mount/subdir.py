# SPDX-License-Identifier: Apache-2.0
"""-o subdir=: a folder of the mount becomes its root. It shows what is below it in the whole mount,
under the same inode numbers, and can be asked and unmounted as any other."""
import ctypes
import os
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse
from refusals import refused
from serving import Handle
from small import files_below, make_store, read


def listing(folder):
    """{path: (facts, bytes or target)} of a folder, itself included as ""."""
    found = {}
    top = os.fsencode(folder)
    for path, folders, names in os.walk(top):
        for name in [b"", *names, *filter(lambda one: os.path.islink(os.path.join(path, one)),
                                          folders)]:
            full = os.path.join(path, name) if name else path
            facts = os.lstat(full)
            seen = os.readlink(full) if os.path.islink(full) else name and read(full)
            found[os.path.relpath(full, top)] = (
                (facts.st_ino, facts.st_mode, facts.st_size, facts.st_mtime_ns), seen)
    return found


class Dirent(ctypes.Structure):
    """struct dirent of glibc on 64-bit machines."""
    _fields_ = [("number", ctypes.c_uint64), ("offset", ctypes.c_int64),
                ("bytes", ctypes.c_ushort), ("type", ctypes.c_ubyte), ("name", ctypes.c_char * 256)]


def dots(folder):
    """The inode numbers of "." and ".." as the mount lists them; stat would leave the mount."""
    libc = ctypes.CDLL(None)
    libc.opendir.restype = ctypes.c_void_p
    libc.readdir.argtypes = libc.closedir.argtypes = [ctypes.c_void_p]
    libc.readdir.restype = ctypes.POINTER(Dirent)
    stream, found = libc.opendir(os.fsencode(folder)), {}
    while entry := libc.readdir(stream):
        found[entry.contents.name] = entry.contents.number
    libc.closedir(stream)
    return found[b"."], found[b".."]


def folders(store, point, whole):
    """Fails if the root is not mapped in one of the callbacks, or `..` leaves the mount."""
    for folder in ("q5", "q5/photos", "full/odd", "decoded/full/photos", "original", "native",
                   "tar", "tar/q3", "parts/2/1", "parts/2/1/full", "parts/2/0/tar/full", "//q5//",
                   ""):
        beside = ".lodfs" in os.listdir(f"{whole}/{folder}")
        with Mount(store, point, "-o", f"subdir={folder}"):
            if sorted(os.listdir(point)) != sorted(os.listdir(f"{whole}/{folder}")):
                yield f"{folder}: the root lists {os.listdir(point)}"
            if beside:
                continue
            if listing(point) != listing(f"{whole}/{folder}"):
                yield f"{folder}: another file than below the whole mount"
            number = os.stat(f"{whole}/{folder}").st_ino
            if (*dots(point), os.stat(point).st_ino) != (number, number, number):
                yield f"{folder}: {number} is listed as {dots(point)}"


def asked(store, point):
    """The mount answers about itself; `.lodfs` is found and not listed."""
    with Mount(store, point, "-o", "xattr,subdir=full/photos"):
        if '"subdir":"full/photos"' not in read(f"{point}/.lodfs/config").decode().replace(" ", ""):
            yield "config does not name the folder"
        if b"full" not in lodfs("stats", point).stdout:
            yield "there are no counters"
        if dots(f"{point}/.lodfs")[1] != os.stat(point).st_ino:
            yield "above .lodfs is another folder than the root"
        name = next(files_below(point))
        if os.getxattr(os.fsencode(point) + b"/" + name, "user.lodfs.fidelity") != b"full":
            yield "a file has no attributes"
        if os.path.exists(f"{point}/auto") or os.path.exists(f"{point}/photos"):
            yield "the root has a name of another folder"
        if os.statvfs(point).f_blocks == 0:
            yield "df sees no blocks"


def switched(store, point):
    """A folder of a format has its own link `auto`, which switches as usual."""
    with Mount(store, point, "-o", "subdir=decoded,fidelity=q2"):
        before = os.readlink(f"{point}/auto")
        lodfs("set", point, "auto=q7")
        if (before, os.readlink(f"{point}/auto")) != ("q2", "q7"):
            yield "auto of decoded/ does not switch"


def hidden(work, point):
    """A source may have a `.lodfs` of its own, which is shown."""
    source, store = f"{work}/own", f"{work}/own.lodfs"
    os.makedirs(f"{source}/.lodfs")
    with open(f"{source}/.lodfs/mine", "wb") as out:
        out.write(b"mine")
    lodfs("pack", source, store)
    with Mount(store, point, "-o", "subdir=full"):
        if os.listdir(f"{point}/.lodfs") != ["mine"]:
            yield "the source's .lodfs is hidden"


def handle_of(path):
    handle, mount_id = Handle(bytes=128), ctypes.c_int()
    if ctypes.CDLL(None).name_to_handle_at(-100, os.fsencode(path), ctypes.byref(handle),
                                           ctypes.byref(mount_id), 0):
        raise OSError(f"{path}: no handle")
    return handle


def confined(store, point, whole):
    """The file handle of a file outside, as a client of NFS could invent it, opens nothing. Fails
    if the mount can be exported."""
    handle = handle_of(f"{whole}/q4/labels/train.csv")
    with Mount(store, point, "-o", "subdir=q4/photos"):
        top = os.open(point, os.O_RDONLY)
        file = ctypes.CDLL(None).open_by_handle_at(top, ctypes.byref(handle), os.O_RDONLY)
        os.close(top)
        if file >= 0:
            os.close(file)
            yield "a handle leads out of the mount"


def refusals(store, point):
    for folder in ("photos", "q5/none", "q11", "q5/large.bin", "q5/large.bin/x", "auto",
                   "auto/photos", "q5/odd/link", "q5/..", "..", ".lodfs", ".lodfs/control",
                   "x" * 300, "tar/q5/none.tar", "q5\\\\\x1b"):
        yield from refused(["mount", "-o", f"subdir={folder}", store, point], 2, "subdir=",
                           "as in q5/train")
    yield from refused(["mount", "-o", "subdir", store, point], 2, "subdir")


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        _, store, point = make_store(work)
        with Mount(store, f"{work}/whole") as whole:
            results.add("a folder of each kind is the root", folders(store, point, whole))
            results.add("no handle leads out of it", confined(store, point, whole))
        results.add("the mount answers about itself", asked(store, point))
        results.add("auto of a format switches", switched(store, point))
        results.add("a source's own .lodfs is shown", hidden(work, point))
        results.add("what is no folder is refused", refusals(store, point))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
