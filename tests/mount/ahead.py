# SPDX-License-Identifier: Apache-2.0
"""
Lists of records that jobs announce (LOD_IOC_AHEAD), by Python's Mount.ahead and byte by byte.
Listed records are loaded in their order and stay in memory, of stores that are slowed and of
folders. Bad requests are refused, and reads stay right while there is any list.
"""
import errno
import fcntl
import importlib.util
import json
import os
import random
import struct
import subprocess
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse, skip
from small import TREES, files_below, read, until

if not importlib.util.find_spec("numpy"):
    skip("there is no NumPy, which the Python package needs")
sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))

from lodfs.mounts import Mount as Client
from lodfs.torch import Sampler

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
    """A list is sent, extended, touched, cut and ended; `total` is its length."""
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
    for record in records, 0xffffffff:
        yield from expect(f"record {record}", code_of(client.ahead, 1, "q4", 0, [record]), "ENOENT")
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


# ------------------------------------------------------------------------------ loads

SLOW = "gpu=off,store_cache=private,cache=none,download_limit=2M"
SLOWER = SLOW.replace("2M", "200K")  # a list takes seconds, so a busy machine sees how it comes
Q4 = "q4"


def stats(point):
    return json.loads(read(f"{point}/.lodfs/stats"))


def loaded(point):
    return stats(point)["store"]["bytes"]


def untouched(point):
    """The fields of the last answer; the list stays as it is."""
    return stats(point)["ahead"]


def await_all(client, job, told, **more):
    """Blocks until the whole list is in memory. Returns the answers on the way."""
    answers = [told]

    def is_ready():
        answers.append(client.ahead(job, Q4, told.total, [], **more))
        return answers[-1].ready == told.total - more.get("done", 0)
    until(is_ready)
    return answers


def files_of(store, point):
    """{record: paths of its photographs at q4}: photographs in the order of the store, and the
    number of items in the header of each record."""
    names = iter(lodfs("order", "--stored", "-0", store).stdout.split(b"\0"))
    found = {}
    for record in sorted(os.listdir(f"{store}/records")):
        items, = struct.unpack_from("<I", read(f"{store}/records/{record}"), 48)
        if record.endswith(".pcr"):
            found[int(record[:6])] = [os.path.join(os.fsencode(f"{point}/{Q4}"), next(names))
                                      for _ in range(items)]
    return found


def in_order(client, point, records):
    """A list is loaded in its own order, once, and its bytes are those of the prefixes."""
    order = list(range(1, records))
    random.Random(3).shuffle(order)
    before, told = loaded(point), client.ahead(1, Q4, 0, order)
    answers = await_all(client, 1, told)
    ready = [answer.ready for answer in answers]
    if ready[-1] != len(order) or ready != sorted(ready):
        yield f"ready: {ready}"
    # Each load reads whole pages, and the record's header and metadata.
    least, most = told.bytes_missing, told.bytes_missing + len(order) * (4 << 12)
    if not least <= loaded(point) - before <= most:
        yield f"{loaded(point) - before} bytes were read, not {least} to {most}"
    if len(set(ready)) < 4:
        yield f"`ready` jumps, so records are loaded in another order: {ready}"
    # The machine itself may be slower than the limit.
    if answers[-1].bytes_missing or not 1 << 16 < answers[-1].bytes_per_second < 2.5 * (200 << 10):
        yield f"{answers[-1]}"
    client.ahead(1, Q4, 0, [])


def pinned(client, point, files):
    """Records of a list stay in a small cache while all others are read twice."""
    order = sorted(files)[::4]
    await_all(client, 1, client.ahead(1, Q4, 0, order))
    for _ in range(2):
        for path in (path for record in files if record not in order for path in files[record]):
            read(path)
    before = loaded(point)
    for record in order:
        for path in files[record]:
            read(path)
    yield from expect("bytes read again of a list", loaded(point) - before, 0)
    yield from expect("ready", client.ahead(1, Q4, len(order), []).ready, len(order))
    client.ahead(1, Q4, 0, [])
    yield from expect("pinned when the list has ended", untouched(point)["pinned_bytes"], 0)


def as_far_as_there_is_room(client, point, records):
    """A list longer than its room is loaded in part; records that are done make room for more."""
    order = list(range(1, records))
    told = client.ahead(1, Q4, 0, order)
    room = told.bytes_room
    if told.bytes_missing < 2 * room:
        yield f"the store is too small for this test: {told}"
    until(lambda: untouched(point)["pinned_bytes"] > room // 2)
    held = client.ahead(1, Q4, len(order), []).ready
    if not 0 < held < len(order):
        yield f"{held} of {len(order)} records are ready"
    if untouched(point)["pinned_bytes"] > stats(point)["cache"]["bytes_max"]:
        yield f"{untouched(point)} in a cache of {stats(point)['cache']}"
    if not until(lambda: client.ahead(1, Q4, len(order), [], done=held).ready > 0):
        yield "nothing is loaded behind what is done"
    two = client.ahead(2, Q4, 0, order[::-1])
    yield from expect("the room of two jobs", two.bytes_room, room // 2)
    if not until(lambda: client.ahead(2, Q4, len(order), []).ready > 0):
        yield "the second job gets no turn"
    for job in 1, 2:
        client.ahead(job, Q4, 0, [])


def read_before(client, point, files):
    """A list is loaded and little else is kept, though its frames were read among others."""
    order, paths = sorted(files)[::2], [path for record in files for path in files[record]]
    random.Random(4).shuffle(paths)
    for path in paths:
        read(path.replace(b"/q4/", b"/full/"))
    told = client.ahead(1, "full", 0, order)
    until(lambda: client.ahead(1, "full", len(order), []).ready == len(order))
    now = untouched(point)  # whole chunks that readers filled would be 15 % more
    if now["ready"] < len(order) or now["pinned_bytes"] > 1.08 * told.bytes_missing:
        yield f"{told}, {client.ahead(1, 'full', len(order), [])}, {now}"


def prefetched(client, point, files, told):
    """Measures the bytes read ahead of a reader in record order, while there is a list."""
    if told:
        client.ahead(1, Q4, 0, [max(files)])
        until(lambda: untouched(point)["ready"] == 1)
    before = stats(point)["ahead"]["ahead_load_bytes"]
    for record in sorted(files)[:-2]:
        for path in files[record]:
            read(path)
    return stats(point)["ahead"]["ahead_load_bytes"] - before


def readers_first(client, point, files):
    """A reader does not wait until a list is loaded."""
    order = sorted(files)
    wanted = files[order.pop()][0]
    told = client.ahead(1, Q4, 0, order)
    if not until(lambda: untouched(point)["ready"] > 0):
        yield "nothing is loaded"
    read(wanted)
    ready = client.ahead(1, Q4, len(order), []).ready
    if ready == told.total:
        yield "the reader came last"
    client.ahead(1, Q4, 0, [])


def dropped(client, point):
    """The list of a job that was killed stays for keep_s."""
    script = ("import sys, time\nfrom lodfs.mounts import Mount\n"
              f"Mount({point!r}).ahead(77, 'q4', 0, [1, 2], keep_s=600)\n"
              "print('told', flush=True)\ntime.sleep(600)")
    path = os.path.join(os.environ["SOURCE_ROOT"], "src", "python")
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE,
                          env=dict(os.environ, PYTHONPATH=path)) as job:
        job.stdout.readline()
        job.kill()
    if client.ahead(77, Q4, 2, [], keep_s=1).total != 2:
        yield "the list went with its job"
    if not until(lambda: untouched(point)["lists"] == 0):
        yield "the list is still there"
    yield from expect("touched too late", code_of(client.ahead, 77, Q4, 2, []), "ESTALE")


def damaged(client, store, point, files):
    """A record that cannot be read is not ready, and is tried again at each request."""
    order = sorted(files)[-3:]
    path = f"{store}/records/{order[1]:06}.pcr"
    os.rename(path, f"{path}.away")
    told = client.ahead(1, Q4, 0, order)
    until(lambda: untouched(point)["ready"] == 2)
    yield from expect("ready before a record that is missing",
                      client.ahead(1, Q4, 3, []).ready, 1)
    yield from expect("in memory", untouched(point)["ready"], 2)
    os.rename(f"{path}.away", path)
    yield from expect("ready when it is back", await_all(client, 1, told)[-1].ready, 3)
    client.ahead(1, Q4, 0, [])


def sampled(point, files):
    """A Sampler announces its run and the next one, so that its readers find all in memory."""
    paths = [path for record in sorted(files) for path in files[record]]
    sampler, told = Sampler(paths, run=100_000), []
    for index in sampler:
        now = untouched(point)
        if now["lists"] != 1 or not now["records"]:
            yield f"in an epoch: {now}"
            break
        told.append(now["records"])
        read(paths[index])
    if not min(told) < max(told) < len(files):
        yield f"the lists of an epoch have {set(told)} of {len(files)} records"
    after = stats(point)
    yield from expect("lists behind the epoch", after["ahead"]["lists"], 0)
    # The first reader may come before the first load, and measure the store by one frame.
    if not after["ahead"]["ahead_load_bytes"] or \
            after["store"]["scattered_reads"] > after["store"]["prefix_reads"] // 4:
        yield f"{after['ahead']}, {after['store']}"


def untold(point, files):
    """A mount that takes no list gives the same order."""
    class Refusing(Client):
        code = errno.EPERM

        def ahead(self, *_, **__):
            raise OSError(self.code, "no")
    paths = [path for record in sorted(files) for path in files[record]]
    sampler = Sampler(paths, run=200_000)
    usual, sampler._mount = list(sampler), Refusing(point)
    for Refusing.code in errno.EPERM, errno.EACCES, errno.ENOTTY, errno.ENOSYS:
        yield from expect(f"the order with {errno.errorcode[Refusing.code]}",
                          list(sampler) == usual and len(usual) == len(paths), True)


def check_loads(results, store, point, records):
    with Mount(store, point, "-o", SLOWER):
        client = Client(point)
        results.add("a list is loaded in its order", in_order(client, point, records))
    with Mount(store, point, "-o", f"{SLOW},cache_size=1M"):
        client, files = Client(point), files_of(store, point)
        results.add("a record that fails is tried again", damaged(client, store, point, files))
        results.add("a killed job's list is dropped", dropped(client, point))
    with Mount(store, point, "-o", f"{SLOW},cache_size=384K"):
        results.add("listed records stay in memory",
                    pinned(Client(point), point, files_of(store, point)))
    with Mount(store, point, "-o", f"{SLOW},cache_size=256K"):
        results.add("a list is loaded as far as there is room",
                    as_far_as_there_is_room(Client(point), point, records))
    with Mount(store, point, "-o", f"{SLOW},cache_size=2304K"):
        results.add("old reads", read_before(Client(point), point, files_of(store, point)))
    with Mount(store, point, "-o", SLOWER):
        client, files = Client(point), files_of(store, point)
        results.add("a reader does not wait for a list", readers_first(client, point, files))
    for told in False, True:
        with Mount(store, point, "-o", SLOW):
            bytes_ahead = prefetched(Client(point), point, files_of(store, point), told)
            results.add("nothing else is read ahead beside a list" if told
                        else "without a list the next record is read ahead",
                        expect("bytes", bool(bytes_ahead), not told))
    with Mount(store, point, "-o", SLOW):
        results.add("a Sampler announces what it reads", sampled(point, files_of(store, point)))
        results.add("a Sampler works without lists", untold(point, files_of(store, point)))
    for options in "gpu=off", "gpu=off,download_latency=1,store_cache=shared":
        with Mount(store, point, "-o", options):
            client = Client(point)
            told = client.ahead(1, Q4, 0, range(1, records))
            results.add(f"a list is ready with -o {options}",
                        expect("ready", await_all(client, 1, told)[-1].ready, records - 1))


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
                results.add(f"lists are taken with -o {options}", lists(client, records))
                results.add("bad requests are refused", refused(client, point, records))
                results.add("jobs have a limit", many_jobs(client))
                client.ahead(3, "q4", 0, range(1, records))
                results.add("reads are right beside a list", wrong_files(truth, point))
        check_loads(results, store, point, records)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
