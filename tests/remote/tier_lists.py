# SPDX-License-Identifier: Apache-2.0
"""
A full tier makes room for records that a job lists, also beside the list of another mount, and is
never larger than its limit.
"""
import fcntl
import os
import signal
import struct
import subprocess

from small import until
from tier import MIB, Mounted, Watch, epoch, make_tier, run, stats


def tell(point, job, at, records, done):
    """Tells a list of records at full. Returns how many behind `done` are in memory."""
    message = bytearray(struct.pack(f"<IIQIIII{len(records)}I", 1, 11, job, at, len(records), done,
                                    0, *records).ljust(16383, b"\0"))
    file = os.open(f"{point}/.lodfs/control", os.O_RDONLY)
    try:
        fcntl.ioctl(file, 3 << 30 | len(message) << 16 | ord("L") << 8 | 5, message)
    finally:
        os.close(file)
    return struct.unpack_from("<I", message)[0]


def by_record(point, truth):
    """Returns the files of each record."""
    files = {}
    for name in truth:
        number = int(os.getxattr(f"{point}/full/{name}", "user.lodfs.record").split(b".")[0])
        files.setdefault(number, []).append(name)
    return files


def walk_list(point, job, records):
    """Loads the records one after the other, and lets go of each but the last three."""
    for i, record in enumerate(records):
        done = max(0, i - 2)
        tell(point, job, i, [record], done)
        if not until(lambda i=i, done=done: tell(point, job, i + 1, [], done) == i + 1 - done):
            yield f"record {record} was not loaded"


def listed(work, truth):
    """A full tier makes room for lists, also beside another mount's, which keeps its records."""
    tier, other = make_tier(work, "listed"), f"{work}/beside"
    size = 9 * MIB
    os.mkdir(other)
    watch = Watch(tier)
    watch.start()
    room = "cache_size=24M", "xattr"
    with Mounted(work, tier, size, *room) as mount:
        files = by_record(mount.point, truth)
        yield from epoch(mount.point, truth, 1)
        if stats(mount.point)["tier"]["evicted_bytes"]:
            yield "without a list something was given up"
    order = sorted(files)
    kept, walked = order[0], order[1:]
    with Mounted(work, tier, size, *room) as mount, \
            Mounted(work, tier, size, *room, point=other) as second:
        yield from walk_list(second.point, 7, [kept])
        yield from walk_list(mount.point, 9, walked)
        now = stats(mount.point)["tier"]
        print(f"{now['evicted_bytes']} bytes were given up, {now['written_bytes']} written")
        if now["evicted_bytes"] < 4 * MIB:
            yield f"{now}"
        mount.end(signal.SIGKILL)
        subprocess.run(["umount", "-l", mount.point], check=False)
    if watch.end() > size:
        yield f"it had {watch.most} of {size} bytes"
    with Mounted(work, tier, size, *room) as mount:
        for record in [kept, *walked[-3:]]:
            part = {name: truth[name] for name in files[record]}
            before = stats(mount.point)["store"]["bytes"]
            yield from epoch(mount.point, part, 3)
            asked = stats(mount.point)["store"]["bytes"] - before
            if asked > sum(map(len, part.values())) * .05:
                yield f"of record {record} {asked} bytes were read of the store"


if __name__ == "__main__":
    run(listed)
