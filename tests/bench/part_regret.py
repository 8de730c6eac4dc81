# SPDX-License-Identifier: Apache-2.0
"""Everyday commands on a mount, on ext4 and on squashfuse: where does lodfs cost more?

The folder has photographs, many small files, a large one and a table. Each command runs on a fresh
mount whose data is in RAM, and then once more.
"""
import os
import random
import resource
import shutil
import subprocess
import sys
import time

from photographs import multiply
from results import Part, cell, ratios
from systems import Image, RingServer, Server, command, lacks_rings, make_image

PLAIN, PEER, OURS = "ext4 folder (loop)", "squashfuse_ll", "lodfs full"
RINGS = "lodfs full with io_uring"
SMALL_FOLDERS, SMALL_FILES, SMALL_BYTES = 60, 100, 120
LARGE_BYTES, TABLE_ROWS, TABLE_COLUMNS = 200_000_000, 20_000, 500
PREAD = ("import os,random; r=random.Random(1); f=os.open('large.bin',os.O_RDONLY);"
         " [os.pread(f,4096,r.randrange({large}-4096)) for _ in range(3000)]")
MMAP = "import numpy,random; t=numpy.load('table.npy',mmap_mode='r'); t[::7].sum()"
# Name, shell command in the folder (OUT: a folder in memory), acceptable CPU time, as a multiple of
# ext4's.
COMMANDS = (
    ("ls -lR", "ls -lR .", 1.5),
    ("find -name", "find . -name '*.none'", 3),
    ("find -size", "find . -size +100M", 3),
    ("du -s", "du -s .", 1.5),
    ("cp -r", "cp -r . $OUT/copy", 1.5),
    ("tar", "tar cf - . | cat", 1.5),
    ("grep -r", "grep -rc nothing .; true", 1.5),
    ("cat, small files", "find small -type f -print0 | xargs -0 cat", 1.5),
    ("cat, photographs", "find photographs -type f -print0 | xargs -0 cat", 1.5),
    ("cat, 200 MB", "cat large.bin", 6),
    ("pread, 4 KiB at random", f'$PYTHON -c "{PREAD.format(large=LARGE_BYTES)}"', 1.5),
    ("numpy.load, mmap", f'$PYTHON -c "{MMAP}"', 1.5),
)
PHASES = ("first", "warm")
INTRO = ("Everyday commands on one folder: photographs, 6,000 files of 120 bytes, a file of 200 MB"
         " and a table, all in RAM. First: on a fresh mount. Warm: the same command again. Times"
         " ext4's in the same round, median (lowest .. highest). CPU is that of command and"
         " server.")


def make_source(bench, folder):
    multiply(bench.data[0].folder, os.path.join(folder, "photographs"), 1)
    for number in range(SMALL_FOLDERS):
        os.makedirs(f"{folder}/small/{number}")
        for name in range(SMALL_FILES):
            with open(f"{folder}/small/{number}/{name}.txt", "wb") as file:
                file.write(f"{number} {name} ".encode() * 40)
                file.truncate(SMALL_BYTES)
    chance = random.Random(1)
    with open(f"{folder}/large.bin", "wb") as file:
        for _ in range(LARGE_BYTES // 1_000_000):
            file.write(chance.randbytes(1_000_000))
    try:
        import numpy
        rows = numpy.arange(TABLE_ROWS * TABLE_COLUMNS, dtype="f4") % 1000
        numpy.save(f"{folder}/table.npy", rows.reshape(TABLE_ROWS, TABLE_COLUMNS))
        return COMMANDS
    except ImportError:
        return COMMANDS[:-1]


def run(system, words, out):
    """Runs one command in the system's folder; wall and CPU time, the server's included."""
    server_s = system.server_cpu_s()
    before, from_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(["sh", "-c", words], cwd=system.root,
                          env=dict(os.environ, OUT=out, PYTHON=sys.executable), check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wall_s, after = time.monotonic() - from_s, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        raise SystemExit(f"bench: {words} on {system.name}: {done.stderr.decode()}")
    return {"wall_ms": wall_s * 1e3, "cpu_ms": (cpu_s + system.server_cpu_s() - server_s) * 1e3}


def one(part, system, name, words, out):
    system.start()
    try:
        for phase in PHASES:
            part.sample(f"{name}|{system.name}|{phase}",
                        run(system, f"{{ {words}; }} >$OUT/output", out))
            shutil.rmtree(f"{out}/copy", ignore_errors=True)
    finally:
        system.stop()


def systems_of(bench, part, folder):
    source, image = f"{folder}/source", f"{folder}/image"
    command(bench.options.lodfs, "pack", "-q", source, f"{folder}/store")
    make_image("ext4", source, f"{image}.ext4")
    found = [Image(PLAIN, "plain", "ext4", f"{image}.ext4", f"{folder}/at-ext4")]
    if shutil.which("squashfuse_ll") and shutil.which("mksquashfs"):
        make_image("squashfs", source, f"{image}.squashfs")
        found.append(Server(PEER, "peer", ["squashfuse_ll", "-f", f"{image}.squashfs"],
                            f"{folder}/at-ll"))
    else:
        part.skip(PEER, "squashfuse or squashfs-tools is not installed")
    words = [bench.options.lodfs, "mount", "-f", f"{folder}/store"]
    lacks = lacks_rings(bench.options.lodfs)
    if lacks:
        part.skip(RINGS, lacks)
    else:
        found.append(RingServer(RINGS, words, f"{folder}/at-rings", "full"))
    found.append(Server(OURS, "ours", words, f"{folder}/at-lodfs", "full"))
    return found


def report(part, commands, systems):
    def times(name, system, phase, field):
        return ratios(part.samples(f"{name}|{system.name}|{phase}", field),
                      part.samples(f"{name}|{PLAIN}|{phase}", field))

    for field, words in (("wall_ms", "time"), ("cpu_ms", "CPU")):
        heads = [f"{phase}, {'ms on ext4' if s.name == PLAIN else s.name}"
                 for phase in PHASES for s in systems]
        rows = [(name, "ours", [
            cell(part.samples(f"{name}|{PLAIN}|{phase}", field)) if system.name == PLAIN
            else cell(times(name, system, phase, field), "{:.2f}")
            for phase in PHASES for system in systems]) for name, _, _ in commands]
        part.table(f"{words}, times ext4's", heads, rows)
    for name, _, most in commands:
        for phase in PHASES:
            part.goal(f"{name}, {phase}: CPU, times ext4's",
                      times(name, systems[-1], phase, "cpu_ms"),
                      at_most=most if phase == "first" or "find" in name else 1.5)


def measure(bench):
    part = Part("regret", "Everyday commands", INTRO)
    if not bench.loop_devices or not shutil.which("mkfs.ext4"):
        part.skip("everyday commands", "there are no loop devices here, or no mkfs.ext4")
        return part.data
    folder = os.path.join(bench.work, "regret")
    out = f"{folder}/out"
    os.makedirs(out)
    commands = make_source(bench, f"{folder}/source")
    systems = systems_of(bench, part, folder)
    for number in range(bench.rounds):
        for name, words, _ in commands:
            for system in systems[::1 if number % 2 else -1]:
                one(part, system, name, words, out)
        print(f"regret: round {number + 1} of {bench.rounds}", file=sys.stderr, flush=True)
    report(part, commands, systems)
    return part.data
