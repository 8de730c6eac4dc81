# SPDX-License-Identifier: Apache-2.0
"""
Limits: handles and memory of a server over thousands of opens, listings with a tiny buffer, time
and memory of packing hostile images. Also stores that lie on mounts, packs onto mounts, two packs
to one target, and secrets of the environment, which no output may show.
"""
import ctypes
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import threading
import zlib

import png_files
from failing import contents, pack_command
from long import counted, is_long
from mounted import Mount, Results, Work, lodfs, need_fuse
from small import Foreground, TREES, read, until
from tiny import jpeg, make_source, write

SECONDS_MAX = 240
NAMES = 3_000
# Growth of the server in each round of opens. A leak grows in all rounds; a server whose threads
# have not all worked yet grows in some.
GROWTH_KB_MAX = 6_000
SECRET = "AKIA" + "canary-of-a-secret-key"


# ---------------------------------------------------------------------------- handles and memory

def server_state(pid):
    """Returns (open files, resident KiB) of a process."""
    status = dict(line.split(b":", 1) for line in read(f"/proc/{pid}/status").splitlines())
    return len(os.listdir(f"/proc/{pid}/fd")), int(status[b"VmRSS"].split()[0])


def open_many(point, opens):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    held = []
    for number in range(min(opens, most - 200)):
        tree = TREES[number % len(TREES)]
        held.append(os.open(f"{point}/{tree}/names/{number % NAMES:05}", os.O_RDONLY))
        if number % 7 == 0:
            os.read(held[-1], 100)
    for file in held:
        os.close(file)
    return len(held)


def drop_inodes():
    """Makes the kernel drop all inodes, which sends many FORGET requests. It affects the whole
    machine, so only long runs do it."""
    try:
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
            file.write("2")
    except OSError as error:
        print(f"inodes cannot be dropped here: {error}")


def handles(store, point, log):
    with Foreground(store, point, log) as server:
        opened = open_many(point, counted(20_000, 100_000))
        states = [server_state(server.process.pid)]
        for _ in range(counted(3, 5)):
            opened += open_many(point, counted(20_000, 100_000))
            if is_long():
                drop_inodes()
            states.append(server_state(server.process.pid))
    if states[-1][0] > states[0][0]:
        yield f"the server has {states[-1][0] - states[0][0]} more open files"
    growth = min(after[1] - before[1] for before, after in zip(states, states[1:]))
    if growth > GROWTH_KB_MAX:
        yield f"the server has {growth} KiB more, or worse, after each round of {opened} opens"


def entries(libc, file):
    """Returns the names of an open folder by getdents64 with a buffer of 512 bytes; None: it
    fails."""
    buffer = ctypes.create_string_buffer(512)
    found = []
    while True:
        count = libc.syscall(217, file, buffer, 512)
        if count <= 0:
            return found if count == 0 else None
        at = 0
        while at < count:
            length = struct.unpack_from("<H", buffer.raw, at + 16)[0]
            found.append(buffer.raw[at + 19:at + length].split(b"\0")[0])
            at += length


def list_slowly(point, tree, wrong):
    libc = ctypes.CDLL(None, use_errno=True)
    wanted = sorted([b".", b".."] + [b"%05d" % number for number in range(NAMES)])
    for _ in range(3):
        file = os.open(f"{point}/{tree}/names", os.O_RDONLY | os.O_DIRECTORY)
        found = entries(libc, file)
        if found is None or sorted(found) != wanted:
            wrong.append(f"{tree}: {len(found or [])} of {len(wanted)} entries are listed")
        os.lseek(file, 0, os.SEEK_SET)
        if sorted(entries(libc, file) or []) != wanted:
            wrong.append(f"{tree}: the listing after a seek to the beginning differs")
        os.close(file)


def small_buffers(point):
    wrong = []
    threads = [threading.Thread(target=list_slowly, args=(point, tree, wrong))
               for tree in ("q1", "q1", "full", "full")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS_MAX)
        wrong += ["a listing hangs"] if thread.is_alive() else []
    return wrong


# -------------------------------------------------------------------------- stores and mounts

def nested(work, store, point):
    """A store inside a source is served as files, and can be mounted from that mount."""
    inner = f"{work}/inner"
    lodfs(*pack_command(f"{work}/source", f"{work}/nest/store"))
    lodfs("pack", "-q", f"{work}/nest", f"{work}/outer")
    with Mount(f"{work}/outer", point):
        with Mount(f"{point}/full/store", inner):
            if read(f"{inner}/full/large.bin") != read(f"{work}/source/large.bin"):
                yield "a store on a mount has wrong bytes"
        done = lodfs("verify", "-q", f"{point}/full/store", check=False)
        if done.returncode:
            yield f"verify of a store on a mount: {done.stderr!r}"
    with Mount(store, point):
        before = contents(store)
        for target in (f"{point}/new", f"{point}/full", point, store, f"{point}/full/photos"):
            done = lodfs("pack", "-q", f"{work}/source", target, check=False)
            if done.returncode not in (1, 11) or done.stderr.count(b"\n") != 1:
                yield f"pack to {target}: exit {done.returncode}, {done.stderr!r}"
        if contents(store) != before:
            yield "a refused pack changed the store"


def log_below(work, store):
    """A server whose log file and working folder are hidden by its own mount."""
    point = f"{work}/below"
    os.mkdir(point)
    with open(f"{point}/log", "wb") as log:
        server = subprocess.Popen([os.environ["LODFS"], "mount", "-f", "-d", store, "."],
                                  cwd=point, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        if not until(lambda: os.path.ismount(point)):
            yield "the store is not mounted"
        elif read(f"{point}/full/large.bin") != read(f"{work}/source/large.bin"):
            yield "the mount has wrong bytes"
        lodfs("umount", point, check=False)
        if server.wait(SECONDS_MAX):
            yield f"the server exits with {server.returncode}"
    finally:
        server.kill()
    if os.path.getsize(f"{point}/log") < 100:
        yield "the server logged nothing"


def two_packs(work):
    for number in range(counted(5, 50)):
        store = f"{work}/two{number}"
        packs = [subprocess.Popen([os.environ["LODFS"], *pack_command(f"{work}/source", store)],
                                  stderr=subprocess.PIPE) for _ in range(3)]
        ends = [pack.communicate(timeout=SECONDS_MAX)[1] and pack.returncode or pack.returncode
                for pack in packs]
        if ends.count(0) != 1 or not set(ends) <= {0, 1, 11}:
            yield f"three packs to one target exit with {ends}"
        if contents(store) != contents(f"{work}/store"):
            yield "three packs to one target made a different store"


# -------------------------------------------------------------------------------- hostile images

# These cannot be rewritten without loss, so they are stored whole. Some of the others can.
WHOLE = ("scans.jpg", "bands.jpg", "large.jpg", "cut.jpg", "no-end.jpg", "order.jpg",
         "only-marker.jpg", "image.png", "bomb.png", "image.ppm", "image.bmp")


def bands():
    """
    Returns a valid JPEG of 190 scans, more than cjpeg makes. It is a flat gray image with a scan
    for each coefficient, and for each of the coefficient's last two bits.
    """
    flat = b"P5 64 64 255\n" + b"\x80" * 4096
    found = []
    for head, tail in (("0: 0-0, 0, 0;", "0: %d-%d, 0, 2;"),
                       ("0: 0-0, 0, 0; 0: 1-63, 0, 2;", "0: %d-%d, 2, 1;"),
                       ("0: 0-0, 0, 0; 0: 1-63, 0, 1;", "0: %d-%d, 1, 0;")):
        with tempfile.NamedTemporaryFile("w") as script:
            script.write(head + "".join(tail % (band, band) for band in range(1, 64)))
            script.flush()
            made = subprocess.run(["cjpeg", "-grayscale", "-scans", script.name], input=flat,
                                  stdout=subprocess.PIPE, check=True).stdout
        starts = [at for at in range(len(made)) if made[at:at + 2] == b"\xff\xda"]
        first = len(starts) - 63
        from_table = made.rindex(b"\xff\xc4", 0, starts[first])
        found.append(made[:-2] if not found else made[from_table:-2])
    return b"".join(found) + b"\xff\xd9"


def bomb():
    """Returns a valid PNG of 20,000 x 20,000 pixels in 50 KB."""
    rows = zlib.compressobj(9)
    data = b"".join([rows.compress(bytes(2501)) for _ in range(20_000)]) + rows.flush()
    return png_files.SIGNATURE + \
        png_files.chunk(b"IHDR", struct.pack(">IIBBBBB", 20_000, 20_000, 1, 0, 0, 0, 0)) + \
        png_files.chunk(b"IDAT", data) + png_files.chunk(b"IEND", b"")


def hostile_images():
    """Returns {name: bytes} of images that take decoders very long or are cut in odd places."""
    sound = jpeg(random.Random(1))
    scan = sound.index(b"\xff\xda")
    frame = sound.index(b"\xff\xc0")
    progressive = jpeg(random.Random(1), "-progressive")
    last = progressive.rindex(b"\xff\xda")
    large = sound[:frame + 5] + struct.pack(">HH", 65500, 65500) + sound[frame + 9:]
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">II", 20000, 20000)
    return {
        "scans.jpg": progressive[:-2] + progressive[last:-2] * 20_000 + b"\xff\xd9",
        "bands.jpg": bands(),
        "large.jpg": large,
        "tables.jpg": sound[:2] + (b"\xff\xc4" + struct.pack(">H", 65535) + b"\xff" * 65533) * 9
                      + sound[2:],
        "interval.jpg": sound[:scan] + b"\xff\xdd\0\4\0\1" + sound[scan:],
        "segments.jpg": sound[:2] + (b"\xff\xe5\xff\xff" + bytes(65533)) * 300 + sound[2:],
        "order.jpg": sound[:2] + sound[scan:scan + 14] + sound[2:],
        "no-end.jpg": sound[:-2],
        "cut.jpg": sound[:scan + 20],
        "fill.jpg": sound[:2] + b"\xff" * 100_000 + sound[2:],
        "only-marker.jpg": b"\xff\xd8\xff",
        "bomb.png": bomb(),
        "image.png": png + b"\x08\x02\0\0\0" + bytes(400_000),
        "image.ppm": b"P6 2147483647 2147483647 65535\n" + bytes(400_000),
        "image.bmp": b"BM" + struct.pack("<IHHIIiiHH", 0, 0, 0, 54, 40, 2**31 - 1, -2**31, 1, 32)
                     + bytes(400_000),
    }


def images(work):
    """Each image is packed by itself, within its limits of time and memory. Those of WHOLE keep
    their bytes at every fidelity."""
    for name, data in hostile_images().items():
        source, store, point = (f"{work}/image-{part}-{name}" for part in ("in", "out", "at"))
        write(f"{source}/{name}", data)
        pack = subprocess.Popen([os.environ["LODFS"], *pack_command(source, store)])
        _, status, usage = os.wait4(pack.pid, 0)
        pack.returncode = os.waitstatus_to_exitcode(status)
        if pack.returncode:
            yield f"{name}: pack exits with {pack.returncode}"
            continue
        seconds = usage.ru_utime + usage.ru_stime  # of CPU: other programs take none of it
        if seconds > 4 or usage.ru_maxrss > 128 * 1024:
            yield f"{name}: pack takes {seconds:.1f} s of CPU, {usage.ru_maxrss // 1024} MiB"
        with Mount(store, point):
            same = [read(f"{point}/{tree}/{name}") == data for tree in TREES]
            if not all(same) and name in WHOLE:
                yield f"{name}: the bytes differ at some fidelity"


# --------------------------------------------------------------------------------------- secrets

def secrets(work, store, point):
    """No output at the highest log level, and no command line, contains the keys that are set in
    the environment."""
    os.environ["AWS_SECRET_ACCESS_KEY"] = os.environ["LODFS_TOKEN"] = SECRET
    outputs = []
    for command in (["pack", "-v", f"{work}/source", f"{work}/secret"], ["info", store],
                    ["verify", store], ["mount", store, f"{work}/none"], ["ls", f"{work}/none"]):
        done = lodfs(*command, check=False)
        outputs.append(done.stdout + done.stderr)
    with Foreground(store, point, f"{work}/log", "-d") as server:
        read(f"{point}/full/large.bin")
        outputs.append(read(f"/proc/{server.process.pid}/cmdline"))
    outputs.append(read(f"{work}/log"))
    del os.environ["AWS_SECRET_ACCESS_KEY"], os.environ["LODFS_TOKEN"]
    return [f"the secret is in {text!r:.200}" for text in outputs if SECRET.encode() in text]


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = f"{work}/source", f"{work}/store", f"{work}/mount"
        make_source(source, 3, 4)
        lodfs(*pack_command(source, store))
        os.mkdir(point)
        results.add("of several packs to one target one succeeds", two_packs(work))
        os.mkdir(f"{work}/nest")
        results.add("a store on a mount is served; a pack onto a mount is refused",
                    nested(work, store, point))
        results.add("a server writes a log that its mount hides", log_below(work, store))
        results.add("no output shows secrets of the environment", secrets(work, store, point))
        results.add("hostile images are packed within limits", images(work))
        for number in range(NAMES):
            write(f"{work}/many/names/{number:05}", b"%d" % number)
        lodfs(*pack_command(f"{work}/many", f"{work}/store-many"))
        results.add("handles and memory of a server do not grow",
                    handles(f"{work}/store-many", point, f"{work}/log"))
        with Mount(f"{work}/store-many", point):
            results.add("listings with a buffer of 512 bytes are complete", small_buffers(point))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
