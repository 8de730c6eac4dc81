# SPDX-License-Identifier: Apache-2.0
"""A mount shows the source's names, attributes, bytes and permissions, and refuses all writes."""
import ctypes
import errno
import os
import stat
import subprocess
import sys

from mounted import Mount, Results, Work, need_fuse
from small import NS, SECONDS_MAX, TREES, files_below, make_store, read

NOBODY = 65534


def names_of(folder):
    return sorted(os.path.relpath(os.path.join(path, name), os.fsencode(folder))
                  for path, folders, files in os.walk(os.fsencode(folder))
                  for name in folders + files)


def names(source, point):
    wanted = names_of(source)
    for tree in TREES:
        if names_of(f"{point}/{tree}") != wanted:
            yield f"{tree}: other names than the source"
    listed = [entry.name for entry in os.scandir(f"{point}/full")]
    if listed != sorted(listed):
        yield "a folder is not listed in the order of its names"
    for entry in os.scandir(f"{point}/full/odd"):
        if entry.inode() != entry.stat(follow_symlinks=False).st_ino:
            yield f"{entry.name}: d_ino is not st_ino"


def sizes(point):
    for tree in TREES:
        for name in files_below(f"{point}/{tree}"):
            path = os.path.join(os.fsencode(f"{point}/{tree}"), name)
            found, size = len(read(path)), os.stat(path).st_size
            if found != size:
                yield f"{path}: st_size {size}, {found} bytes read"


def bytes_kept(source, point):
    """A file that no codec shrinks has the source's bytes, at any offset and size."""
    whole = read(f"{source}/large.bin")
    for tree in ("q1", "full"):
        file = os.open(f"{point}/{tree}/large.bin", os.O_RDONLY)
        for offset in (0, 1, 4095, 65535, 65536, 131071, 700_000, 700_001, 800_000):
            for count in (1, 2, 4097, 65537, 300_000):
                if os.pread(file, count, offset) != whole[offset:offset + count]:
                    yield f"{tree}: [{offset}, +{count}) differs"
        os.close(file)
    for name in (b"labels/train.csv", b"labels/empty", b"odd/new\nline \\ \xff.bin"):
        if read(os.path.join(os.fsencode(source), name)) != \
                read(os.path.join(os.fsencode(point), b"q3", name)):
            yield f"{name}: differs"


def attributes(source, point):
    for name in map(os.fsdecode, names_of(source)):
        ours, theirs = os.lstat(f"{point}/full/{name}"), os.lstat(f"{source}/{name}")
        expect = {
            "mode": (stat.S_IFMT(ours.st_mode) | ours.st_mode & 0o777,
                     stat.S_IFMT(theirs.st_mode) | theirs.st_mode & 0o777),
            "bits above 0777": (ours.st_mode & 0o7000, 0),
            "mtime": (ours.st_mtime_ns, theirs.st_mtime_ns),
            "atime": (ours.st_atime_ns, ours.st_mtime_ns),
            "ctime": (ours.st_ctime_ns, ours.st_mtime_ns),
            "links": (ours.st_nlink, 1),
            "owner": ((ours.st_uid, ours.st_gid), (os.getuid(), os.getgid())),
            "blocks": (ours.st_blocks, (ours.st_size + 511) // 512),
        }
        if stat.S_ISLNK(theirs.st_mode):
            expect["target"] = (os.readlink(f"{point}/full/{name}"),
                                os.readlink(f"{source}/{name}"))
        yield from (f"{name}: {what} {found}, not {wanted}"
                    for what, (found, wanted) in expect.items() if found != wanted)
    if os.stat(f"{point}/q1/labels/empty").st_mtime_ns != -1_500_000_001:
        yield "a time before 1970 is not kept"
    if os.stat(f"{point}/q1/large.bin").st_mtime_ns % NS != 123_456_789:
        yield "nanoseconds are not kept"


def numbers(point):
    """Every file of every fidelity has an inode number of its own, below 2^53."""
    seen = {}
    for tree in TREES:
        for name in files_below(f"{point}/{tree}"):
            number = os.stat(os.path.join(os.fsencode(f"{point}/{tree}"), name)).st_ino
            if number >= 2**53 or number in seen:
                yield f"{tree}/{name}: inode number {number} is also that of {seen.get(number)}"
            seen[number] = (tree, name)


def denied(action, wanted, *arguments):
    try:
        action(*arguments)
    except OSError as error:
        if error.errno != wanted:
            yield f"{action.__name__}{arguments}: {errno.errorcode[error.errno]}"
    else:
        yield f"{action.__name__}{arguments} succeeds"


def writes(point):
    file = f"{point}/full/labels/train.csv"
    for action, *arguments in ((os.open, file, os.O_WRONLY), (os.open, file, os.O_RDWR),
                               (os.open, f"{point}/new", os.O_CREAT | os.O_WRONLY),
                               (os.mkdir, f"{point}/q1/new"), (os.remove, file),
                               (os.rename, file, file + "2"), (os.truncate, file, 0),
                               (os.chmod, file, 0o777), (os.utime, file),
                               (os.link, file, file + "2"), (os.rmdir, f"{point}/q1"),
                               (os.symlink, "a", f"{point}/q1/new")):
        yield from denied(action, errno.EROFS, *arguments)


def absent(point):
    for name in ("q0", "q11", "FULL", "originals", "full/none", "full/labels/empty2",
                 "q1/" + "n" * 255):
        yield from denied(os.stat, errno.ENOENT, f"{point}/{name}")
    for name in ("n" * 256, "q1/" + "n" * 256, "q1/" + "n" * 1000, "decoded/q1/" + "n" * 300):
        yield from denied(os.stat, errno.ENAMETOOLONG, f"{point}/{name}")
    yield from denied(os.listdir, errno.ENOTDIR, f"{point}/full/labels/empty")
    yield from denied(os.getxattr, errno.ENOTSUP, f"{point}/full/labels/empty", "user.any")


def whole_system(source, point):
    stats = os.statvfs(point)
    total = sum(os.path.getsize(os.path.join(os.fsencode(source), name))
                for name in files_below(source))
    if abs(stats.f_blocks * stats.f_frsize - total) > stats.f_frsize:
        yield f"statfs: {stats.f_blocks * stats.f_frsize} bytes, the source has {total}"
    if stats.f_bfree or stats.f_bavail or stats.f_namemax != 255 or stats.f_files < 10:
        yield f"statfs: {stats}"


def seeking(point):
    """seekdir to the place of telldir continues a listing there, for every entry."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.opendir.restype = libc.readdir.restype = ctypes.c_void_p
    libc.telldir.restype = ctypes.c_long
    folder = ctypes.c_void_p(libc.opendir(os.fsencode(f"{point}/full")))
    places = []
    while True:
        place, entry = libc.telldir(folder), libc.readdir(folder)
        if not entry:
            break
        places.append((place, ctypes.string_at(entry + 19)))  # d_name
    for place, name in reversed(places):
        libc.seekdir(folder, ctypes.c_long(place))
        found = ctypes.string_at(libc.readdir(folder) + 19)
        if found != name:
            yield f"seekdir to {name} gives {found}"
    libc.closedir(folder)
    if [name for _, name in places[:2]] != [b".", b".."]:
        yield f"a listing begins with {places[:2]}"


class Handle(ctypes.Structure):
    """struct file_handle with room for any kind."""
    _fields_ = [("bytes", ctypes.c_uint), ("kind", ctypes.c_int), ("data", ctypes.c_ubyte * 128)]


def handles(store, point):
    """As an NFS server needs it: a file handle of one mount opens the same file of the next."""
    libc = ctypes.CDLL(None, use_errno=True)
    handle, mount_id = Handle(bytes=128), ctypes.c_int()
    with Mount(store, point):
        path = os.fsencode(f"{point}/q4/labels/train.csv")
        if libc.name_to_handle_at(-100, path, ctypes.byref(handle), ctypes.byref(mount_id), 0):
            yield f"name_to_handle_at: {errno.errorcode[ctypes.get_errno()]}"
            return
        wanted = read(path)
    with Mount(store, point):
        top = os.open(point, os.O_RDONLY)
        file = libc.open_by_handle_at(top, ctypes.byref(handle), os.O_RDONLY)
        os.close(top)
        if file < 0:
            yield f"open_by_handle_at: {errno.errorcode[ctypes.get_errno()]}"
        else:
            if os.read(file, len(wanted) + 1) != wanted:
                yield "the handle opens another file"
            os.close(file)


def as_nobody(*command):
    return subprocess.run(command, user=NOBODY, group=NOBODY, extra_groups=[], check=False,
                          capture_output=True, timeout=SECONDS_MAX)


def rights(store, point):
    """The kernel checks permissions (default_permissions): only its owner reads a 0600 file, even
    though the kernel sends no OPEN request. The other user here is 65534."""
    with Mount(store, point, "-o", "allow_other"):
        if as_nobody("cat", f"{point}/full/labels/train.csv").returncode:
            yield "allow_other: another user cannot read a 0644 file"
        for _ in range(2):
            read(f"{point}/full/labels/secret")  # cached, so that only the mode protects it
            if as_nobody("cat", f"{point}/full/labels/secret").returncode == 0:
                yield "allow_other: another user reads a 0600 file"
    with Mount(store, point):
        if as_nobody("ls", f"{point}/full").returncode == 0:
            yield "without allow_other another user can list a folder"
    with Mount(store, point, "-o", f"allow_other,uid={NOBODY},gid=7,fmask=044,dmask=022"):
        shown = os.stat(f"{point}/full/labels/train.csv")
        if (shown.st_uid, shown.st_gid, shown.st_mode & 0o777) != (NOBODY, 7, 0o600):
            yield f"uid=, gid= and fmask= do not show in {shown}"
        if as_nobody("cat", f"{point}/full/labels/secret").returncode:
            yield "uid=: the owner cannot read"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = make_store(work)
        with Mount(store, point):
            results.add("every fidelity has the source's names", names(source, point))
            results.add("st_size equals bytes read", sizes(point))
            results.add("a file that no codec shrinks keeps its bytes", bytes_kept(source, point))
            results.add("attributes are those of the source", attributes(source, point))
            results.add("inode numbers are unique", numbers(point))
            results.add("every write fails with EROFS", writes(point))
            results.add("missing names fail with ENOENT", absent(point))
            results.add("statfs has the size of the source", whole_system(source, point))
            results.add("seekdir continues a listing", seeking(point))
        if os.geteuid() == 0:
            results.add("the kernel checks permissions", rights(store, point))
            results.add("file handles outlive a mount", handles(store, point))
        else:
            print("SKIP: checks with other users and of file handles need root")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
