# SPDX-License-Identifier: Apache-2.0
"""Warm files read in Python, by the way they are opened. Before Python 3.14 open() asks of each
file whether it is a terminal, and that question goes to the server of a mount."""
import io
import os
import random
import shutil
import sys
import time

from results import Part, cell, ratios
from systems import Image, Server, make_image

FILES_MAX = 100
ROUNDS = 61  # each takes milliseconds
PLAIN, OURS = "ext4 folder (loop)", "lodfs full"
INTRO = (f"Files a second by one reader in Python {sys.version.split()[0]}, all files warm, in a"
         f" shuffled order, on ext4 and on a mount by turns. Median (quartiles) of {ROUNDS} rounds."
         " CPU time is that of reader and server. Requests are those to the server.")


def by_open(path):
    with open(path, "rb") as file:
        return file.read()


def by_open_unbuffered(path):
    with open(path, "rb", buffering=0) as file:
        return file.read()


def by_file_io(path):
    with io.FileIO(path) as file:
        return file.read()


def by_buffered_file_io(path):
    """As lodfs.torch.loader opens a picture."""
    with io.BufferedReader(io.FileIO(path)) as file:
        return file.read()


WAYS = {"open(path, 'rb')": by_open, "open(path, 'rb', buffering=0)": by_open_unbuffered,
        "io.FileIO(path)": by_file_io, "io.BufferedReader(io.FileIO(path))": by_buffered_file_io}


def read_all(system, names, way):
    paths = [os.path.join(system.root, name) for name in names]
    replies, server_s, own_s = system.replies(), system.server_cpu_s(), time.process_time()
    from_s = time.monotonic()
    for path in paths:
        way(path)
    seconds = time.monotonic() - from_s
    cpu_s = time.process_time() - own_s + system.server_cpu_s() - server_s
    return {"files_per_s": len(paths) / seconds, "cpu_us": cpu_s / len(paths) * 1e6,
            "requests": (system.replies() - replies) / len(paths)}


def measure_set(bench, part, data):
    image = os.path.join(bench.work, f"python-{data.name.replace(' ', '-')}.ext4")
    make_image("ext4", data.folder, image)
    systems = [Image(PLAIN, "plain", "ext4", image, image + "-at"),
               Server(OURS, "ours", [bench.options.lodfs, "mount", "-f", bench.pack(data)],
                      image + "-lodfs", "full")]
    names = [name for name, _ in data.files][:FILES_MAX]
    for system in systems:
        system.start()
        read_all(system, names, by_open)
    try:
        for number in range(ROUNDS):
            for name, way in WAYS.items():
                random.Random(number).shuffle(names)
                for system in systems[::1 if number % 2 else -1]:
                    part.sample(f"{data.name}|{name}|{system.name}", read_all(system, names, way))
    finally:
        for system in systems:
            system.stop()


def middle(values):
    """Returns the sorted values between the quartiles: the middle half."""
    values = sorted(values)
    return values[len(values) // 4:len(values) - len(values) // 4]


def report(part, data):
    def samples(way, name, field):
        return part.samples(f"{data.name}|{way}|{name}", field)

    def of_plain(way, field):
        return middle(ratios(samples(way, OURS, field), samples(way, PLAIN, field)))

    rows = [(way, "ours", [cell(middle(samples(way, PLAIN, "files_per_s"))),
                           cell(middle(samples(way, OURS, "files_per_s"))),
                           cell(of_plain(way, "files_per_s"), "{:.2f}"),
                           cell(of_plain(way, "cpu_us"), "{:.2f}"),
                           cell(middle(samples(way, OURS, "requests")), "{:.2f}")])
            for way in WAYS]
    part.table(f"{data.name}: a reader in Python, warm",
               ["files/s, ext4", "files/s, lodfs", "of ext4's", "CPU, of ext4's",
                "requests a file"], rows)
    for way in list(WAYS)[1:]:
        part.goal(f"{data.name}: {way}, warm, of ext4", of_plain(way, "files_per_s"), at_least=.8)


def measure(bench):
    part = Part("python", "A reader in Python", INTRO)
    if not bench.loop_devices or not shutil.which("mkfs.ext4"):
        part.skip("python", "there are no loop devices here, or no mkfs.ext4")
        return part.data
    for data in bench.data:
        measure_set(bench, part, data)
        report(part, data)
        print(f"python: {data.name}", file=sys.stderr, flush=True)
    return part.data
