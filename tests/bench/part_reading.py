# SPDX-License-Identifier: Apache-2.0
"""Fast storage: all data is in RAM, so only the path to the bytes is measured.

Every round starts each system anew and reads all files in a shuffled order: first a cold mount with
the data in RAM, then warm passes. Rounds are interleaved, so that a slow minute of the machine hits
all systems alike; the first round is thrown away.
"""
import os
import shutil
import subprocess
import sys

from photographs import listing
from results import Part, cell, ratios
from systems import (Image, Records, RingServer, Server, System, breadth_first, kernel_has,
                     lacks_rings, make_image, make_shards)

THREADS = (1, 4)
WARM_PASSES = 5
SHARDS = 16
PEERS = ("kernel squashfs (loop)", "kernel erofs (loop)", "squashfuse_ll")
FIDELITIES = ("full", "q4", "q1")
SMALL = ("q4", "q1")
PHASES = ("first", "warm")
RINGS = "lodfs with io_uring,"
INTRO = ("Files a second: open, fstat, read and close of every file in a shuffled order, by one"
         " reader and by four. First: a fresh mount, the data in RAM. Warm: the passes after it."
         " Median (lowest .. highest) of the rounds, which are interleaved. CPU time is that of"
         " reader and server; what kernel threads do for loop devices is not in it. tar, TFRecord"
         " shards are read from start to end, by no names: the least that a reader costs.")


def add_images(bench, part, data, folder, found):
    point = os.path.join(folder, "at")
    kinds = (("ext4", "ext4 folder (loop)", "plain", "mkfs.ext4"),
             ("squashfs", "kernel squashfs (loop)", "peer", "mksquashfs"),
             ("erofs", "kernel erofs (loop)", "peer", "mkfs.erofs"))
    for kind, name, role, tool in kinds:
        image = os.path.join(folder, f"image.{kind}")
        if not shutil.which(tool):
            part.skip(name, f"{tool} is not installed")
            continue
        make_image(kind, data.folder, image)
        if not kernel_has(kind):
            part.skip(name, "the kernel does not have it")
        elif not bench.loop_devices:
            part.skip(name, "there are no loop devices here")
        else:
            found.append(Image(name, role, kind, image, f"{point}-{kind}"))
    if not bench.loop_devices:
        found.append(System("folder, as it is", "plain", data.folder))
    image = os.path.join(folder, "image.squashfs")
    if shutil.which("squashfuse_ll") and os.path.exists(image):
        found.append(Server("squashfuse_ll", "peer", ["squashfuse_ll", "-f", image], f"{point}-ll"))
    else:
        part.skip("squashfuse_ll", "squashfuse or squashfs-tools is not installed")


def add_lodfs(bench, part, data, folder, found):
    """Adds each fidelity together with a server that sends zeros in files of the same sizes."""
    store, lacks = bench.pack(data), lacks_rings(bench.options.lodfs)
    if lacks:
        part.skip(RINGS, lacks)
    words = [bench.options.lodfs, "mount", "-f", store]
    mount = Server("sizes", "ours", words, os.path.join(folder, "sizes"))
    mount.start()
    for fidelity in FIDELITIES:
        files = listing(os.path.join(mount.point, fidelity))
        sizes = os.path.join(folder, f"null-{fidelity}")
        with open(sizes, "w", encoding="utf-8") as file:
            file.write(breadth_first(files))
        found.append(Server(f"null server, {fidelity}", "bound", [bench.options.null, sizes],
                            os.path.join(folder, f"at-null-{fidelity}")))
        found.append(Server(f"lodfs {fidelity}", "ours", words,
                            os.path.join(folder, f"at-lodfs-{fidelity}"), fidelity))
        if not lacks:
            found.append(RingServer(f"{RINGS} {fidelity}", words,
                                    os.path.join(folder, f"at-rings-{fidelity}"), fidelity))
    mount.stop()


def systems_of(bench, part, data):
    folder = os.path.join(bench.work, f"reading-{data.name.replace(' ', '-')}")
    os.makedirs(folder)
    found = []
    add_images(bench, part, data, folder, found)
    add_lodfs(bench, part, data, folder, found)
    for kind, name in (("tar", "tar shards"), ("tfrecord", "TFRecord shards")):
        shards = make_shards(bench.options, kind, data, os.path.join(folder, kind), SHARDS)
        found.append(Records(name, "plain", shards))
    return found


def one_pass(bench, system, data, threads, passes, seed):
    cpu, before = system.server_cpu_s(), system.replies()
    out = subprocess.run(system.reader(bench.options, data, threads, passes, seed), check=True,
                         stdout=subprocess.PIPE).stdout
    files, size, seconds, reader_s = map(float, out.split())
    if int(files) != len(data.files) * passes:
        raise SystemExit(f"bench: {system.name}: {files} files were read")
    server_us = (system.server_cpu_s() - cpu) / files * 1e6
    return {"files_per_s": files / seconds, "mb_per_s": size / seconds / 1e6,
            "server_us": server_us, "reader_us": reader_s / files * 1e6,
            "cpu_us": server_us + reader_s / files * 1e6,
            "requests": None if before is None else (system.replies() - before) / files}


def one_round(bench, part, data, systems, number):
    turn = number % len(systems)
    for system in systems[turn:] + systems[:turn]:
        for threads in THREADS:
            system.start()
            try:
                results = {"first": one_pass(bench, system, data, threads, 1, number + 1),
                           "warm": one_pass(bench, system, data, threads, WARM_PASSES,
                                            number + 1001)}
            finally:
                system.stop()
            for phase, result in results.items():
                if number > 0:
                    part.sample(f"{data.name}|{system.name}|{phase}|T{threads}", result)


def report(part, data, systems):
    columns = [(phase, threads) for phase in PHASES for threads in THREADS]

    def cells(system, field, form="{:,.0f}", chosen=columns):
        return [cell(part.samples(f"{data.name}|{system.name}|{p}|T{t}", field), form)
                for p, t in chosen]
    heads = [f"{p}, {t} reader{'s' * (t > 1)}" for p, t in columns]
    part.table(f"{data.name}: files/s", heads,
               [(s.name, s.role, cells(s, "files_per_s")) for s in systems])
    for phase, words in (("first", "first pass"), ("warm", "warm passes")):
        chosen = [(phase, t) for t in THREADS]
        for small in (False, True):  # smaller files need a chart of another scale
            part.bars(f"{data.name}, {'q4 and q1' if small else 'all bytes'}: {words}", "files/s",
                      [f"{t} reader{'s' * (t > 1)}" for t in THREADS],
                      [(s.name, s.role, cells(s, "files_per_s", chosen=chosen)) for s in systems
                       if s.name.endswith(SMALL) == small])
    part.bars(f"{data.name}: CPU of reader and server, first pass, 4 readers", "us a file", [""],
              [(s.name, s.role, cells(s, "cpu_us", chosen=[("first", 4)])) for s in systems])
    four = [("first", 4), ("warm", 4)]
    part.table(f"{data.name}: CPU us a file, requests a file, 4 readers",
               ["reader, first", "server, first", "requests, first", "reader, warm",
                "server, warm", "requests, warm"],
               [(s.name, s.role, [c for phase in four for c in (
                   cells(s, "reader_us", chosen=[phase]) + cells(s, "server_us", chosen=[phase])
                   + cells(s, "requests", "{:.2f}", [phase]))]) for s in systems])


def compare(part, data, names):
    """Adds ratios within this run, round by round; CPU time varies less than files/s."""
    def samples(name, phase, threads, field):
        return part.samples(f"{data.name}|{name}|{phase}|T{threads}", field)

    def row(name, base, phase):
        of = [(field, t) for field in ("files_per_s", "cpu_us") for t in THREADS]
        return f"{name} / {base}, {phase}", "ours", [
            cell(ratios(samples(name, phase, t, field), samples(base, phase, t, field)), "{:.2f}")
            for field, t in of]
    rows = [row("lodfs full", names[0], "warm")]
    rows += [row(f"lodfs {f}", f"null server, {f}", "first") for f in FIDELITIES]
    rows += [row(f"{RINGS} {f}", f"lodfs {f}", phase) for f in FIDELITIES for phase in PHASES
             if f"{RINGS} {f}" in names]
    rows += [row("lodfs full", name, "first") for name in names[1:] if name in PEERS]
    part.table(f"{data.name}: ratios, round by round",
               [f"{what}, {t} reader{'s' * (t > 1)}" for what in ("files/s", "CPU of both")
                for t in THREADS], rows)


def set_goals(part, data, names):
    """Adds the charts of reading; ratios as in compare."""
    def files(name, phase, threads):
        return part.samples(f"{data.name}|{name}|{phase}|T{threads}", "files_per_s")

    def ratio(name, base, phase, threads):
        return ratios(files(name, phase, threads), files(base, phase, threads))
    plain = names[0]
    part.goal(f"{data.name}: full, warm, 4 readers, of {plain}",
              ratio("lodfs full", plain, "warm", 4), at_least=.93)
    part.goal(f"{data.name}: full, warm, 4 readers: requests a file",
              part.samples(f"{data.name}|lodfs full|warm|T4", "requests"), at_most=0)
    for threads in THREADS:
        part.goal(f"{data.name}: full, first pass, {threads} reader{'s' * (threads > 1)}, of the"
                  " null server", ratio("lodfs full", "null server, full", "first", threads),
                  at_least=.9)
    part.goal(f"{data.name}: full, first pass, 4 readers, of squashfuse_ll",
              ratio("lodfs full", "squashfuse_ll", "first", 4), at_least=1.5)
    for threads in THREADS:
        part.goal(f"{data.name}: q1, first pass, {threads} reader{'s' * (threads > 1)}, of the null"
                  " server", ratio("lodfs q1", "null server, q1", "first", threads), at_least=.9)
    part.goal(f"{data.name}: q1, first pass, 4 readers: server CPU, of the null server's",
              ratios(part.samples(f"{data.name}|lodfs q1|first|T4", "server_us"),
                     part.samples(f"{data.name}|null server, q1|first|T4", "server_us")),
              at_most=1.15)


def measure(bench):
    part = Part("reading", "Fast storage: the data in RAM", INTRO)
    every = [(data, systems_of(bench, part, data)) for data in bench.data]
    for number in range(bench.rounds + 1):
        for data, systems in every:
            one_round(bench, part, data, systems, number)
        print(f"reading: round {number} of {bench.rounds}", file=sys.stderr, flush=True)
    for data, systems in every:
        report(part, data, systems)
        compare(part, data, [s.name for s in systems])
        set_goals(part, data, [s.name for s in systems])
    return part.data
