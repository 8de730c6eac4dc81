# SPDX-License-Identifier: Apache-2.0
"""Slow storage: cold epochs of four readers, one loop device with the same limit for every system.
"""
import os
import random
import shutil
import subprocess
import sys

import limited
from photographs import jpegs, listing, multiply, write_list
from results import Part, cell, ratios
from systems import Records, Server, System, command, make_image, make_shards

DISKS = (("hard disk", "100 reads/s, 150 MB/s", 100, 150_000_000, "few"),
         ("network disk", "50 MB/s", 0, 50_000_000, "some"))
PART = "part"  # a list of files: as many as the disk's row says
THREADS = 4
SECONDS_MAX = 40  # by then a slow order has shown its rate
SHARDS = 16
FIDELITIES = ("q1", "q4", "full")
INTRO = ("Images a second of a cold epoch by four readers from one loop device (direct I/O,"
         " read-ahead 1280 KiB, ext4) whose reads are limited by a cgroup that holds readers and"
         " FUSE server: like a hard disk of 100 reads/s and 150 MB/s, and like a network disk of"
         " 50 MB/s."
         " All of it lies on that device, mounted anew for every measurement. The plain folder and"
         " shuffled squashfuse read some of the files, since their rate does not change, with all"
         " names and attributes in RAM already; the others read all that 40 s are enough for, and"
         " everything is cold.")


class Side:
    """One way to read the photographs: a system, a list of files, the side it is compared with."""

    def __init__(self, name, role, system, names, fidelity=None, order=None):
        self.name, self.role, self.system, self.names = name, role, system, names
        self.fidelity, self.order = fidelity, order


class Lists:
    """Returns paths of lists by name; read_files reads the files in the list's order."""

    def __init__(self, bench, photographs, store):
        names = [path for path, _ in photographs]
        stored = subprocess.run([bench.options.stored_order, store], check=True,
                                stdout=subprocess.PIPE, text=True).stdout.split("\n")
        mixed = names[:]
        random.Random(1).shuffle(mixed)
        few, some = mixed[:bench.slow_plain], mixed[:3 * bench.slow_plain]
        self.work, self.count = bench.work, {}
        for name, chosen in (("shuffled", mixed), ("few", few), ("some", some), ("sorted", names),
                             ("stored", [path for path in stored if path])):
            write_list(self.path(name), chosen)
            self.count[name] = len(chosen)

    def path(self, name):
        return os.path.join(self.work, f"slow-{name}")


def make(bench, folder):
    """Puts everything on the device; returns the photographs' list."""
    source = os.path.join(folder, "photographs")
    multiply(bench.data[0].folder, source, bench.slow_copies)
    photographs = listing(source)
    bench.slow_bytes = sum(size for _, size in photographs)
    command(bench.options.lodfs, "pack", "-q", source, os.path.join(folder, "store"))
    if shutil.which("mksquashfs"):
        make_image("squashfs", source, os.path.join(folder, "image.squashfs"))
    mixed = [path for path, _ in photographs]
    random.Random(2).shuffle(mixed)
    shuffled = os.path.join(bench.work, "slow-shards")
    write_list(shuffled, mixed)

    class Data:
        folder = source
    Data.shuffled = shuffled
    make_shards(bench.options, "tar", Data, os.path.join(folder, "tar"), SHARDS)
    return photographs


def sides(bench, part, point, folder):
    """Returns all sides to compare; the plain folder first."""
    plain = System("plain", "plain", f"{point}/photographs")
    found = [Side("plain folder, shuffled", "plain", plain, PART)]
    shards = [os.path.join(point, "tar", name) for name in sorted(os.listdir(f"{folder}/tar"))]
    tar = Records("tar", "plain", shards)
    found.append(Side("tar shards, from start to end", "plain", tar, ""))
    if shutil.which("squashfuse_ll") and os.path.exists(f"{folder}/image.squashfs"):
        words = ["squashfuse_ll", "-f", f"{point}/image.squashfs"]
        for name, names in (("shuffled", PART), ("in its order", "sorted")):
            found.append(Side(f"squashfuse_ll, {name}", "peer",
                              Server("ll", "peer", words, f"{bench.work}/slow-ll"), names))
    else:
        part.skip("squashfuse_ll on slow storage", "squashfuse or squashfs-tools is not installed")
    words = [bench.options.lodfs, "mount", "-f", f"{point}/store"]
    for order, names in (("shuffled", "shuffled"), ("record order", "stored")):
        for fidelity in FIDELITIES:
            found.append(Side(f"lodfs {fidelity}, {order}", "ours",
                              Server("lodfs", "ours", words, f"{bench.work}/slow-lodfs", fidelity),
                              names, fidelity, order))
    return found


def one(bench, device, disk, side, lists):
    """Runs a cold epoch of one side."""
    _, _, reads_per_s, bytes_per_s, part_names = disk
    device.mount()
    try:
        with limited.Limit(device, reads_per_s, bytes_per_s) as limit:
            side.system.under = limit.under()
            side.system.start()
            try:
                if side.names:
                    names = part_names if side.names == PART else side.names
                    words = [bench.options.reader, side.system.root, lists.path(names),
                             str(THREADS), "1", "0", str(SECONDS_MAX)]
                else:
                    words = [bench.options.record_reader, str(THREADS), "1", "0",
                             *side.system.shards]
                if side.names == PART:
                    listing(side.system.root)
                reads, read_bytes = limit.charged(), device.bytes_read()
                files, size, seconds, _ = map(float, limited.run(limit, words).split())
                reads, read_bytes = limit.charged() - reads, device.bytes_read() - read_bytes
            finally:
                side.system.stop()
    finally:
        device.unmount()
    return {"images_per_s": files / seconds, "mb_per_s": size / 1e6 / seconds, "seconds": seconds,
            "reads": reads, "read_bytes": read_bytes, "bytes": size,
            "reads_per_image": reads / files}


def report(part, found):
    def cells(side, field, form, per_plain=False):
        every = []
        for disk, *_ in DISKS:
            values = part.samples(f"{disk}|{side.name}", field)
            if per_plain:
                values = ratios(values, part.samples(f"{disk}|{found[0].name}", field))
            every.append(cell(values, form))
        return every
    rows = []
    for side in found:
        rate, ratio = cells(side, "images_per_s", "{:,.0f}"), \
            cells(side, "images_per_s", "{:,.1f}", True)
        read = part.samples(f"{DISKS[0][0]}|{side.name}")
        rows.append((side.name, side.role, [rate[0], ratio[0], rate[1], ratio[1], cell(
            [each["reads_per_image"] for each in read], "{:.2f}"), cell(
                [each["read_bytes"] / each["bytes"] for each in read], "{:.2f}")]))
    part.table("images/s, and times the plain folder",
               [DISKS[0][0], "times plain", DISKS[1][0], "times plain", "reads an image",
                "bytes read per byte served"], rows)
    for at, (disk, words, *_) in enumerate(DISKS):
        part.bars(f"{disk} ({words}): images/s, cold", "images/s", [disk],
                  [(side.name, side.role, [cells(side, "images_per_s", "{:,.0f}")[at]])
                   for side in found], log=True)


def set_goals(part, found):
    plain = found[0].name

    def times(disk, fidelity, order):
        return ratios(part.samples(f"{disk}|lodfs {fidelity}, {order}", "images_per_s"),
                      part.samples(f"{disk}|{plain}", "images_per_s"))
    hard, network = DISKS[0][0], DISKS[1][0]
    for disk, fidelity, order, wanted in (
            (hard, "full", "record order", 11), (hard, "q4", "shuffled", 50),
            (hard, "q1", "shuffled", 120), (network, "q4", "shuffled", 5),
            (network, "q1", "shuffled", 15), (network, "full", "shuffled", 1)):
        part.goal(f"{disk}: {fidelity}, {order}, times the plain folder",
                  times(disk, fidelity, order), at_least=wanted, form="{:.1f}")
    for fidelity in FIDELITIES:
        values = [each["read_bytes"] / each["bytes"]
                  for disk, *_ in DISKS
                  for each in part.samples(f"{disk}|lodfs {fidelity}, record order")]
        part.goal(f"{fidelity}, record order: bytes read per byte served", values, at_most=1.02)


def measure(bench):
    part = Part("slow", "Slow storage", INTRO)
    why = limited.why_not()
    if not why and not jpegs(bench.data[0].folder, bench.data[0].files):
        why = "there are no JPEGs among the files"
    if why:
        part.skip("slow storage", why)
        return part.data
    folder = os.path.join(bench.work, "slow")
    os.makedirs(folder)
    photographs = make(bench, folder)
    lists = Lists(bench, photographs, f"{folder}/store")
    image = os.path.join(bench.work, "slow.ext4")
    make_image("ext4", folder, image)
    device = limited.Device(image, os.path.join(bench.work, "device"))
    try:
        if not device.attach():
            part.skip("slow storage", "direct I/O on a loop device does not work where TMPDIR lies")
            return part.data
        found = sides(bench, part, device.point, folder)
        shutil.rmtree(f"{folder}/photographs")
        for number in range(bench.slow_rounds):
            for disk in DISKS:
                for side in found[number % len(found):] + found[:number % len(found)]:
                    part.sample(f"{disk[0]}|{side.name}", one(bench, device, disk, side, lists))
            print(f"slow: round {number + 1} of {bench.slow_rounds}", file=sys.stderr, flush=True)
    finally:
        device.detach()
    part.note(f"{len(photographs):,} photographs, {bench.slow_bytes / 1e6:,.0f} MB, of which the"
              f" plain folder and shuffled squashfuse read {lists.count['few']:,} (hard disk) and"
              f" {lists.count['some']:,} (network disk).")
    report(part, found)
    set_goals(part, found)
    return part.data
