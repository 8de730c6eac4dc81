# SPDX-License-Identifier: Apache-2.0
"""
Lists of records that jobs tell (LOD_IOC_AHEAD), by Python's Mount.ahead and byte by byte. Bad tells
are refused, and reads stay right beside any list.
"""
import errno
import fcntl
import importlib.util
import os
import struct
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse, skip
from small import TREES, files_below, read

if not importlib.util.find_spec("numpy"):
    skip("there is no NumPy, which the Python package needs")
sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))

from lodfs.mounts import Mount as Client

JOBS = 64


def make_store(work):
    """Packs photographs in records of 64 KiB. Returns (store, mount point, number of records)."""
    source, store, point = (os.path.join(work, name) for name in ("source", "store", "mount"))
    os.makedirs(source)
    os.spawnl(os.P_WAIT, os.environ["PHOTOGRAPHS"], "photographs", source, "60")
    lodfs("pack", "--scans=default", "--record-size=64K", source, store)
    return store, point, len(os.listdir(f"{store}/records"))


def code_of(action, *arguments, **more):
    try:
        action(*arguments, **more)
    except OSError as error:
        return errno.errorcode[error.errno]
    return None


def expect(what, got, wanted):
    if got != wanted:
        yield f"{what}: {got}, not {wanted}"


def send(point, head, records=(), size=16383):
    """Sends (version, fidelity, job, at, count, done, keep_s) and records as they are."""
    message = bytearray(size)
    packed = struct.pack("<IIQIIII", *head) + struct.pack(f"<{len(records)}I", *records)
    message[:len(packed)] = packed[:size]
    file = os.open(f"{point}/.lodfs/control", os.O_RDONLY)
    try:
        fcntl.ioctl(file, 3 << 30 | size << 16 | ord("L") << 8 | 5, message)
    finally:
        os.close(file)


def lists(client, records):
    """A list is told, extended, touched, cut and ended; `total` is its length."""
    told = client.ahead(5, "q4", 0, range(1, 7))
    yield from expect("a list of 6", told.total, 6)
    if not told.bytes_room or not told.bytes_missing and not told.ready:
        yield f"{told}"
    yield from expect("extended", client.ahead(5, "q4", 6, [7, 8], done=2).total, 8)
    yield from expect("touched", client.ahead(5, "q4", 8, [], done=2).total, 8)
    yield from expect("cut", client.ahead(5, "q4", 3, []).total, 3)
    room = client.ahead(6, "full", 0, [1]).bytes_room
    yield from expect("the room of one of two jobs", room, told.bytes_room // 2)
    for job in 5, 6:
        yield from expect("ended", client.ahead(job, "q4", 0, []).total, 0)
    yield from expect("after its end", code_of(client.ahead, 5, "q4", 3, []), "ESTALE")
    everything = list(range(records))
    yield from expect("every record", client.ahead(5, "original", 0, everything).total, records)
    yield from expect("one number twice", client.ahead(5, "q1", 0, [2, 2, 2, 1]).total, 4)
    client.ahead(5, "q1", 0, [])


def refused(client, point, records):
    told = [(records, "ENOENT"), (0xffffffff, "ENOENT")]
    for record, code in told:
        yield from expect(f"record {record}", code_of(client.ahead, 1, "q4", 0, [record]), code)
    yield from expect("a gap", code_of(client.ahead, 1, "q4", 1, [1]), "ESTALE")
    yield from expect("too much done", code_of(client.ahead, 1, "q4", 0, [1], done=2), "EINVAL")
    yield from expect("kept for years", code_of(client.ahead, 1, "q4", 0, [1], keep_s=1 << 31),
                      "EINVAL")
    yield from expect("100,000 records", code_of(client.ahead, 1, "q4", 0, [1] * 100_000), "E2BIG")
    client.ahead(1, "q4", 0, [])
    for wrong in "q11", "", "auto":
        try:
            client.ahead(1, wrong, 0, [1])
            yield f"fidelity {wrong!r} is taken"
        except ValueError:
            pass
    for fidelity in 0, 13, 15, 0xffffffff:
        yield from expect(f"fidelity {fidelity}",
                          code_of(send, point, (1, fidelity, 1, 0, 1, 0, 0), [1]), "EINVAL")
    for version in 0, 2, 0xffffffff:
        yield from expect(f"version {version}",
                          code_of(send, point, (version, 4, 1, 0, 1, 0, 0), [1]), "ENOTSUP")
    yield from expect("more records than a message has",
                      code_of(send, point, (1, 4, 1, 0, 4088, 0, 0)), "E2BIG")
    for size in 32, 100, 16382:
        yield from expect(f"a message of {size} bytes",
                          code_of(send, point, (1, 4, 1, 0, 1, 0, 0), [1], size), "ENOTTY")
    yield from expect("no list is left", client.ahead(9, "q4", 0, []).total, 0)


def many_jobs(client):
    codes = [code_of(client.ahead, job, "q4", 0, [1]) for job in range(1000)]
    yield from expect("1,000 jobs", codes, [None] * JOBS + ["E2BIG"] * (1000 - JOBS))
    for job in range(JOBS):
        client.ahead(job, "q4", 0, [])
    yield from expect("a job after they have ended", code_of(client.ahead, 1000, "q4", 0, [1]),
                      None)
    client.ahead(1000, "q4", 0, [])


def wrong_files(truth, point):
    found = {(tree, name): read(os.path.join(os.fsencode(f"{point}/{tree}"), name))
             for tree in TREES[:4] + TREES[-2:] for name in files_below(f"{point}/{tree}")}
    yield from (f"{name} differs" for name in truth if truth[name] != found.get(name))
    if found.keys() != truth.keys():
        yield "other files are listed"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        store, point, records = make_store(work)
        with Mount(store, point, "-o", "gpu=off"):
            truth = {(tree, name): read(os.path.join(os.fsencode(f"{point}/{tree}"), name))
                     for tree in TREES[:4] + TREES[-2:] for name in files_below(f"{point}/{tree}")}
        for options in "gpu=off", "gpu=off,store_cache=private":
            with Mount(store, point, "-o", options):
                client = Client(point)
                results.add(f"lists are told with -o {options}", lists(client, records))
                results.add("bad tells are refused", refused(client, point, records))
                results.add("jobs have a limit", many_jobs(client))
                client.ahead(3, "q4", 0, range(1, records))
                results.add("reads are right beside a list", wrong_files(truth, point))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
