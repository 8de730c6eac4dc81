# SPDX-License-Identifier: Apache-2.0
"""
A full tier makes room for records that a job lists, also beside the list of another mount, and is
never larger than its limit. Listed records that memory has no room for are loaded into a tier. Two
mounts that share a tier divide its space between their lists.
"""
import fcntl
import os
import signal
import struct
import subprocess
import time

from small import until
from tier import MIB, Mounted, Watch, epoch, make_tier, run, stats


def tell(point, job, at, records, done):
    """Sends a list of records at full. Returns how many records after `done` are loaded."""
    return ask(point, job, at, records, done)[0]


def ask(point, job, at, records, done):
    """Sends the same list. Returns the answer: ready, total, bytes missing, room and speed."""
    message = bytearray(struct.pack(f"<IIQIIII{len(records)}I", 1, 11, job, at, len(records), done,
                                    0, *records).ljust(16383, b"\0"))
    file = os.open(f"{point}/.lodfs/control", os.O_RDONLY)
    try:
        fcntl.ioctl(file, 3 << 30 | len(message) << 16 | ord("L") << 8 | 5, message)
    finally:
        os.close(file)
    return struct.unpack_from("<IIQQQ", message)


def by_record(point, truth):
    """Returns the files of each record."""
    files = {}
    for name in truth:
        number = int(os.getxattr(f"{point}/full/{name}", "user.lodfs.record").split(b".")[0])
        files.setdefault(number, []).append(name)
    return files


def walk_list(point, job, records):
    """Loads the records one after the other, and keeps only the last three in the list."""
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


def beyond_memory(work, truth):
    """A list that is larger than memory is loaded into the tier, and read from there."""
    tier, total = make_tier(work, "beyond"), sum(map(len, truth.values()))
    with Mounted(work, tier, "1G", "xattr") as mount:
        order = sorted(by_record(mount.point, truth), reverse=True)
        room = ask(mount.point, 3, 0, order, 0)[3]
        if not .9 * (1 << 30) < room <= 1 << 30:
            yield f"the room is {room}"
        if not until(lambda: tell(mount.point, 3, len(order), [], 0) == len(order)):
            yield f"{ask(mount.point, 3, len(order), [], 0)} of {len(order)} records"
        loaded = stats(mount.point)["store"]["bytes"]
        yield from epoch(mount.point, truth, 1)
        more = stats(mount.point)["store"]["bytes"] - loaded
        print(f"{loaded} of {total} bytes were loaded, and {more} when they were read")
        if loaded > total * 1.05 or more > total * .01:
            yield f"{loaded} and {more} of {total} bytes were read of the store"


def beyond_both(work, truth):
    """Of a list that is larger than the tier too, the beginning is loaded, and only once."""
    tier, size = make_tier(work, "both"), 9 * MIB
    with Mounted(work, tier, size, "xattr") as mount:
        order = sorted(by_record(mount.point, truth))
        room = ask(mount.point, 3, 0, order, 0)[3]
        if not .9 * size < room <= size:
            yield f"the room is {room}"
        if not until(lambda: tell(mount.point, 3, len(order), [], 0) >= 4):
            yield f"{ask(mount.point, 3, len(order), [], 0)}"
        for _ in range(20):
            time.sleep(.1)
            if tell(mount.point, 3, len(order), [], 0) < 4:
                yield "a record has left"
        loaded = stats(mount.point)["store"]["bytes"]
        print(f"{loaded} bytes were loaded for a tier of {size}")
        if loaded > size * 1.05:
            yield f"{loaded} bytes were loaded for a tier of {size}"


def ready_after(mount, job, records, wanted, seconds=3):
    """Sends the list repeatedly. Returns how many records were ready, and the room at the end."""
    end, most, room = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end or (most < wanted and time.monotonic() < end + 60):
        ready, _, _, room, _ = ask(mount.point, job, len(records), [], 0)
        most = max(most, ready)
        time.sleep(.05)
    return most, room


def list_beside(mount, second, order, size):
    """Two lists of six records, each of 12 MB in all, for a tier of 16 MiB: the second one gets a
    room of 4 MiB, which only it fills."""
    first, others = order[:6], order[6:12]
    room = ask(mount.point, 3, 0, first, 0)[3]
    ready, _ = ready_after(mount, 3, first, 6)
    if room < .9 * size or ready != 6:
        yield f"the first list has {ready} records, and a room of {room}"
    room = ask(second.point, 4, 0, others, 0)[3]
    print(f"the second mount is told {room} of {size} bytes")
    if not .1 * size < room < .4 * size:
        yield f"the second mount is told {room} of {size} bytes"
    ready, _ = ready_after(second, 4, others, 1)
    if not 1 <= ready <= 3:
        yield f"of the second list {ready} records are ready"
    ready, room = ready_after(mount, 3, first, 6)
    if ready != 6 or room < .6 * size:
        yield f"the first list has {ready} records after all, and a room of {room}"


def beside(work, truth):
    """Two mounts list what does not fit together. Nothing is loaded twice, and the room of a mount
    that is killed is the other's."""
    tier, other, size = make_tier(work, "claims"), f"{work}/other", 16 * MIB
    os.mkdir(other)
    with Mounted(work, tier, size, "xattr") as mount, \
            Mounted(work, tier, size, "xattr", point=other) as second:
        files = by_record(mount.point, truth)
        order = sorted(files)
        yield from list_beside(mount, second, order, size)
        loaded = [stats(at.point)["store"]["bytes"] for at in (mount, second)]
        listed_bytes = sum(len(truth[name]) for at in order[:6] for name in files[at])
        part = {name: truth[name] for at in order[:6] for name in files[at]}
        yield from epoch(mount.point, part, 1)
        more = stats(mount.point)["store"]["bytes"] - loaded[0]
        evicted = sum(stats(at.point)["tier"]["evicted_bytes"] for at in (mount, second))
        print(f"{loaded} bytes were loaded, then {more}; {evicted} were given up")
        if loaded[0] > listed_bytes * 1.05 or more > listed_bytes * .01 or evicted:
            yield f"of {listed_bytes} listed bytes {loaded[0]} and {more} were loaded"
        if loaded[1] > size - listed_bytes + 2 * MIB:
            yield f"the second mount loaded {loaded[1]} bytes"
        mount.end(signal.SIGKILL)
        subprocess.run(["umount", "-l", mount.point], check=False)
        if ready_after(second, 4, order[6:12], 6)[0] != 6:
            yield f"the room of a dead mount is not used: {ask(other, 4, 6, [], 0)}"


if __name__ == "__main__":
    run(listed, beyond_memory, beyond_both, beside)
