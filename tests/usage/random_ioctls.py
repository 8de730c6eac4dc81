# SPDX-License-Identifier: Apache-2.0
"""
Random ioctls on folders, files and .lodfs/control, as root and as another user: random numbers,
those of lodfs with another size, direction or argument, and those of the kernel. The server
survives and answers each at once, the files of the mount stay as they are, and `auto` leads to a
fidelity.

The test fails if the server trusts a number or size of an ioctl, or if another user can switch
`auto`.
"""
import ctypes
import errno
import multiprocessing
import os
import random
import struct
import sys

from long import counted, span
from mounted import Mount, Results, Work, need_fuse
from small import TREES, make_store, read

COUNT, COUNT_LONG = 20_000, 2_000_000
NOBODY = 65534
HANG_S = 60
# The numbers that the server knows, 1 to 5, and some more. A list of too many records is E2BIG.
TYPE, NUMBERS = ord("L"), range(1, 9)
ALLOWED = {0, errno.ENOTTY, errno.EINVAL, errno.EPERM, errno.EFAULT, errno.EIO, errno.ENOTDIR,
           errno.EROFS, errno.EBADF, errno.ENODATA, errno.EOPNOTSUPP, errno.EACCES, errno.EXDEV,
           errno.EISDIR, errno.ENOSYS, errno.ENXIO, errno.EBUSY, errno.ENOMEM, errno.EOVERFLOW,
           errno.E2BIG}


def command(chance):
    if chance.random() < .3:
        return chance.getrandbits(32)
    kind = TYPE if chance.random() < .7 else chance.choice((ord("f"), ord("X"), 0x12, 0x94))
    number = chance.choice(NUMBERS) if chance.random() < .7 else chance.getrandbits(8)
    size = chance.choice((0, 1, 4, 8, 4096, 8192, 16383, chance.getrandbits(14)))
    return chance.getrandbits(2) << 30 | size << 16 | kind << 8 | number


def storm(point, seed, count, user, pipe):
    """Sends the ioctls, then a list of errors through `pipe`."""
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    libc = ctypes.CDLL(None, use_errno=True)
    chance = random.Random(seed)
    buffer = ctypes.create_string_buffer(1 << 16)
    places = [point, f"{point}/full", f"{point}/full/large.bin", f"{point}/.lodfs/control",
              f"{point}/.lodfs/control", f"{point}/auto/labels"]
    files = [os.open(path, os.O_RDONLY) for path in places if os.access(path, os.R_OK)]
    wrong, right = [], 0
    for _ in range(count):
        number, at = command(chance), chance.randrange(len(files))
        value = chance.choice((chance.getrandbits(32), chance.randrange(20)))
        ctypes.memmove(buffer, struct.pack("<IIQ", value, value, chance.getrandbits(64)), 16)
        argument = chance.choice((ctypes.addressof(buffer), ctypes.addressof(buffer), 0, 1 << 60))
        result = libc.ioctl(files[at], ctypes.c_ulong(number), ctypes.c_void_p(argument))
        error = ctypes.get_errno() if result < 0 else 0
        right += error == 0
        if error not in ALLOWED:
            wrong.append(f"{number:#x} on file {at}: {errno.errorcode.get(error, error)}")
    pipe.send((wrong, right))


def run(point, seed, count, user):
    pipe, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=storm, args=(point, seed, count, user, theirs))
    process.start()
    wrong, right = pipe.recv() if pipe.poll(HANG_S * counted(1, 20)) else (["a hang"], 1)
    process.kill()
    process.join()
    yield from wrong
    if not user and not right:
        yield "no ioctl was one of the server's"


def looks_right(point, wanted):
    if read(f"{point}/full/large.bin") != wanted:
        yield "other bytes"
    leads_to = os.readlink(f"{point}/auto")
    if leads_to not in TREES[:-1]:
        yield f"auto leads to {leads_to}"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = make_store(work)
        wanted = read(f"{source}/large.bin")
        with Mount(store, point, "-o", "gpu=off,allow_other"):
            first, count = span(COUNT, COUNT_LONG)
            for user in (0, NOBODY) if os.geteuid() == 0 else (0,):
                before = os.readlink(f"{point}/auto")
                results.add(f"{count // 2} ioctls of user {user}",
                            run(point, first + user, count // 2, user))
                results.add(f"after those of {user}", looks_right(point, wanted))
                if user and os.readlink(f"{point}/auto") != before:
                    results.add("another user", ["switched auto"])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
