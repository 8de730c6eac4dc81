# SPDX-License-Identifier: Apache-2.0
"""Framed files: cat of everything below tar/, tfrecord/ and recordio/ at some fidelities.

Each view is compared with a FUSE server that sends zeros in files of the same sizes, and with real
files of the same bytes on ext4. Listings and slow storage have tables of their own.
"""
import os
import random
import resource
import shutil
import subprocess
import sys
import time

import limited
from part_slow import DISKS
from photographs import jpegs, listing, multiply, write_list
from results import Part, cell, ratios
from systems import (Image, Server, System, breadth_first, command, make_image,
                     make_shards)

VIEWS = ("tar/q1", "tar/q4", "tar/full", "tfrecord/q4", "recordio/q4")
SYSTEMS = ("lodfs", "null server", "files on ext4")
WARM_PASSES = 3
SHARDS = 16
RECORD_SIZE = "256k"  # for listings
INTRO = ("One cat of all files of a view, in order. First: a fresh mount, the data in RAM. Warm:"
         " the passes after it. us a MiB; the median (lowest .. highest) of interleaved rounds. CPU"
         " time varies less than wall time on a machine that does other work too.")


def cat(system, files, under=()):
    """Returns what one cat of `files` costs."""
    cpu, replies = system.server_cpu_s(), system.replies()
    before, from_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([*under, "cat", *files], check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - from_s
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    mib = sum(os.path.getsize(path) for path in files) / (1 << 20)
    reader_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return {"wall_us": seconds / mib * 1e6, "reader_us": reader_s / mib * 1e6,
            "server_us": (system.server_cpu_s() - cpu) / mib * 1e6, "seconds": seconds,
            "requests": (system.replies() - replies) / mib}


class View:
    """The files of one view, and the systems that show them."""

    def __init__(self, bench, name, store, source):
        self.name = name
        self.files = [path for path, _ in listing(source)
                      if path.endswith((".tar", ".tfrecord", ".rec"))]
        self.folder = os.path.join(bench.work, "formats-" + name.replace("/", "-"))
        os.makedirs(f"{self.folder}/files")
        for path in self.files:
            shutil.copy(os.path.join(source, path), f"{self.folder}/files")
        self.systems = [self.lodfs(bench, store), self.zeros(bench), self.real(bench)]

    def lodfs(self, bench, store):
        return Server(SYSTEMS[0], "ours", [bench.options.lodfs, "mount", "-f", store],
                      f"{self.folder}/at-lodfs", self.name)

    def zeros(self, bench):
        sizes = f"{self.folder}/sizes"
        with open(sizes, "w", encoding="utf-8") as file:
            file.write(breadth_first(listing(f"{self.folder}/files")))
        return Server(SYSTEMS[1], "bound", [bench.options.null, sizes], f"{self.folder}/at-null")

    def real(self, bench):
        if not bench.loop_devices:
            return System(SYSTEMS[2], "plain", f"{self.folder}/files")
        image = f"{self.folder}/image.ext4"
        make_image("ext4", f"{self.folder}/files", image)
        return Image(SYSTEMS[2], "plain", "ext4", image, f"{self.folder}/at-ext4")

    def round(self, part, number):
        turn = number % len(self.systems)
        for system in self.systems[turn:] + self.systems[:turn]:
            system.start()
            try:
                files = [os.path.join(system.root, path) for path in self.files]
                results = [("first", cat(system, files))]
                results += [("warm", cat(system, files)) for _ in range(WARM_PASSES)]
            finally:
                system.stop()
            for phase, result in results:
                if number > 0:
                    part.sample(f"{self.name}|{system.name}|{phase}", result)


def views_of(bench, part, store):
    mount = Server("files", "ours", [bench.options.lodfs, "mount", "-f", store],
                   f"{bench.work}/formats-at")
    mount.start()
    try:
        shown = [name for name in VIEWS if os.path.isdir(os.path.join(mount.point, name))]
        for name in set(VIEWS) - set(shown):
            part.skip(name, "this version does not show it")
        return [View(bench, name, store, os.path.join(mount.point, name)) for name in shown]
    finally:
        mount.stop()


def report(part, views):
    def samples(view, system, phase, field):
        return part.samples(f"{view.name}|{system}|{phase}", field)

    def cells(view, system):
        return [cell(samples(view, system, phase, field)) for phase, field in (
            ("first", "wall_us"), ("first", "reader_us"), ("first", "server_us"),
            ("warm", "wall_us"), ("warm", "reader_us"))]
    for view in views:
        part.table(f"{view.name}: us a MiB", ["wall, first", "CPU of cat, first",
                                              "CPU of server, first", "wall, warm",
                                              "CPU of cat, warm"],
                   [(s.name, s.role, cells(view, s.name)) for s in view.systems])

    def against(view, base, phase, field, inverse=False):
        found = ratios(samples(view, SYSTEMS[0], phase, field), samples(view, base, phase, field))
        return [1 / value for value in found] if inverse else found
    rows = []
    for view in views:
        found = [against(view, SYSTEMS[1], "first", "wall_us", True),
                 against(view, SYSTEMS[1], "first", "server_us"),
                 against(view, SYSTEMS[2], "warm", "wall_us", True),
                 samples(view, SYSTEMS[0], "warm", "requests")]
        rows.append((view.name, "ours", [cell(values, "{:.2f}") for values in found]))
        for words, values, goal in (
                ("first pass, speed of the null server", found[0], {"at_least": .8}),
                ("first pass, server CPU of the null server's", found[1], {"at_most": 1.5}),
                ("warm, speed of real files on ext4", found[2], {"at_least": .93}),
                ("warm, requests a MiB", found[3], {"at_most": 0})):
            part.goal(f"{view.name}: {words}", values, **goal)
    part.table("ratios, round by round", ["speed of the null server, first",
                                          "server CPU of the null server's, first",
                                          "speed of ext4, warm", "requests a MiB, warm"], rows)


def listings(bench, part):
    """ls -l of a folder of many tar files; their records are small."""
    source, store = f"{bench.work}/formats-many", f"{bench.work}/formats-many-store"
    multiply(bench.data[-1].folder, source, bench.slow_copies)
    command(bench.options.lodfs, "pack", "-q", f"--record-size={RECORD_SIZE}", source, store)
    mount = Server("ls", "ours", [bench.options.lodfs, "mount", "-f", store],
                   f"{bench.work}/formats-many-at")
    for _ in range(bench.rounds):
        mount.start()
        try:
            from_s = time.monotonic()
            lines = command("ls", "-l", f"{mount.point}/tar/q4").count("\n") - 1
            seconds = time.monotonic() - from_s
            with open(f"{mount.point}/.lodfs/openmetrics", encoding="ascii") as file:
                opens = next(float(line.split()[1]) for line in file
                             if line.startswith("lodfs_record_opens_total"))
        finally:
            mount.stop()
        part.sample("ls", {"seconds": seconds, "us": seconds / lines * 1e6, "files": lines,
                           "opens": opens})
    shutil.rmtree(source)
    part.table("ls -l of tar/q4 after a fresh mount", ["files", "s", "us a file",
                                                        "records opened"],
               [("lodfs", "ours", [cell(part.samples("ls", "files")),
                                   cell(part.samples("ls", "seconds"), "{:.3f}"),
                                   cell(part.samples("ls", "us"), "{:.1f}"),
                                   cell(part.samples("ls", "opens"))])])
    part.goal("ls -l: us a file, of the 22 of 23,000 files in .5 s", part.samples("ls", "us"),
              at_most=22, form="{:.1f}")
    part.goal("ls -l: records opened", part.samples("ls", "opens"), at_most=0)


def make_slow(bench, folder):
    """Puts photographs as a store and as real tar files on the device; returns their number."""
    source = os.path.join(folder, "photographs")
    multiply(bench.data[0].folder, source, bench.slow_copies // 2)
    names = [path for path, _ in listing(source)]
    command(bench.options.lodfs, "pack", "-q", source, os.path.join(folder, "store"))
    random.Random(2).shuffle(names)

    class Data:
        folder = source
        shuffled = os.path.join(bench.work, "formats-slow-names")
    write_list(Data.shuffled, names)
    make_shards(bench.options, "tar", Data, os.path.join(folder, "tar"), SHARDS)
    shutil.rmtree(source)
    return len(names)


def slow_pass(device, disk, system):
    _, _, reads_per_s, bytes_per_s, _ = disk
    device.mount()
    try:
        with limited.Limit(device, reads_per_s, bytes_per_s) as limit:
            system.under = limit.under()
            system.start()
            try:
                files = [os.path.join(system.root, path) for path, _ in listing(system.root)]
                return cat(system, files, limit.under())
            finally:
                system.stop()
    finally:
        device.unmount()


def slow(bench, part):
    why = limited.why_not()
    if not why and not jpegs(bench.data[0].folder, bench.data[0].files):
        why = "there are no JPEGs among the files"
    if why:
        part.skip("framed files on slow storage", why)
        return
    folder, image = f"{bench.work}/formats-slow", f"{bench.work}/formats-slow.ext4"
    os.makedirs(folder)
    count = make_slow(bench, folder)
    make_image("ext4", folder, image)
    device = limited.Device(image, f"{bench.work}/formats-device")
    words = [bench.options.lodfs, "mount", "-f", f"{device.point}/store"]
    sides = [System("tar of the sources", "plain", f"{device.point}/tar")]
    sides += [Server(f"lodfs tar/{fidelity}", "ours", words, f"{bench.work}/formats-slow-at",
                     f"tar/{fidelity}") for fidelity in ("q1", "q4", "full")]
    try:
        if not device.attach():
            part.skip("framed files on slow storage", "direct I/O on a loop device does not work")
            return
        for _ in range(bench.slow_rounds):
            for disk in DISKS:
                for side in sides:
                    seconds = slow_pass(device, disk, side)["seconds"]
                    part.sample(f"{disk[0]}|{side.name}", count / seconds)
    finally:
        device.detach()

    def cells(side, disk):
        values = part.samples(f"{disk}|{side.name}")
        return [cell(values), cell(ratios(values, part.samples(f"{disk}|{sides[0].name}")),
                                   "{:.1f}")]
    part.table("slow storage: images/s of a cold cat of all files",
               [words for disk, *_ in DISKS for words in (disk, "times the tar")],
               [(side.name, side.role, [c for disk, *_ in DISKS for c in cells(side, disk)])
                for side in sides])
    for disk, *_ in DISKS:
        part.goal(f"{disk}: tar/q4, times the tar of the sources",
                  ratios(part.samples(f"{disk}|lodfs tar/q4"),
                         part.samples(f"{disk}|{sides[0].name}")), at_least=4, form="{:.1f}")


def measure(bench):
    part = Part("formats", "Framed files", INTRO)
    views = views_of(bench, part, bench.pack(bench.data[0]))
    for number in range(bench.rounds + 1):
        for view in views:
            view.round(part, number)
        print(f"formats: round {number} of {bench.rounds}", file=sys.stderr, flush=True)
    report(part, views)
    part.note(f"The load of the machine at the end: {os.getloadavg()[0]:.0f}.")
    listings(bench, part)
    slow(bench, part)
    return part.data
